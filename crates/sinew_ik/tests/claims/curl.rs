//! Curling (tests 24 to 26).

use sinew_ik::glam::Vec3;
use sinew_ik::{Chain, CurlProfile, Settings, Solver, Status};

use crate::fixtures::{Rig, row};

/// The 20 bones of the tapered trunk: lengths fall by 5^(−1/20) from bone to bone.
fn trunk() -> Vec<f32> {
    (0..20).map(|i| 0.5 * 0.2_f64.powf(f64::from(i) / 20.0) as f32).collect()
}

#[test]
fn nine_equal_bones_curl_to_a_known_angle() {
    let chain = Chain::straight(Vec3::X, &[0.1; 9]).expect("a good chain");
    let table = chain.curl();
    // l sin(n φ / 2) / sin(φ / 2) for φ = 20°, as a share of 0.9.
    let curl = table.solve(0.575_877 / 0.9);
    assert!((curl.bend.to_degrees() - 20.0).abs() < 1e-3, "{}", curl.bend.to_degrees());
    assert!(curl.evaluations <= 5, "{}", curl.evaluations);
    assert!((table.most_bend().to_degrees() - 40.0).abs() < 0.01);
    assert!(table.nearest() < 1e-5);
}

#[test]
fn distance_falls_all_the_way_to_the_nearest() {
    let widths: Vec<f32> = (0..20).map(|i| 0.2_f64.powf(f64::from(i) / 20.0) as f32).collect();
    let custom: Vec<f32> = (0..20).map(|i| 1.0 + (i % 3) as f32).collect();
    for (profile, nearest) in [
        (CurlProfile::Constant, Some(0.240_68)),
        (CurlProfile::Linear, Some(0.408_91)),
        (CurlProfile::InverseWidth(widths), Some(0.223_72)),
        (CurlProfile::Custom(custom), None),
    ] {
        let chain = Chain::straight(Vec3::X, &trunk()).expect("a good chain").with_curl(&profile);
        let table = chain.curl();
        let mut before = 1.0 + 1e-6;
        for k in 0..=2_000 {
            let distance = table.distance(table.most_bend() * k as f32 / 2_000.0);
            assert!(distance <= before + 3e-7, "{profile:?} {k}");
            before = distance;
        }
        if let Some(nearest) = nearest {
            assert!((table.nearest() - nearest).abs() < 1e-4, "{profile:?} {}", table.nearest());
        }
        let mut most = 0;
        for k in 0..=1_000 {
            let share = k as f32 / 1_000.0;
            let distance = table.nearest() + (0.9999 - table.nearest()) * share;
            let curl = table.solve(distance);
            assert!(curl.residual.abs() <= 2e-6, "{profile:?} {distance} {curl:?}");
            most = most.max(curl.evaluations);
        }
        eprintln!("{profile:?}: at most {most} evaluations, nearest {}", table.nearest());
        assert!(most <= 20);
    }
}

#[test]
fn a_curl_bows_to_the_side_it_is_told() {
    let mut rig = Rig::new(row(9, 0.1, 0.0, sinew_ik::Limit::Free), Vec3::X * 0.1);
    let goals = [sinew_ik::Goal::reach(Vec3::X * 0.6)];
    let task = sinew_ik::Task::new(&rig.chain, &goals).with_pole(sinew_ik::Pole::at(Vec3::Z));
    let report = rig.solve(&task, &Settings { solver: Solver::Curl, ..Settings::default() });
    assert_eq!((report.status, report.solver), (Status::Reached, Solver::Curl));
    for place in &rig.places()[1..9] {
        assert!(place.z > 0.0 && place.y.abs() < 1e-5, "{place}");
    }
}

#[test]
fn auto_takes_a_chosen_curl_and_is_exact_next_to_full_stretch() {
    let lengths = trunk();
    let total: f32 = lengths.iter().sum();
    let chain = Chain::straight(Vec3::NEG_Y, &lengths)
        .expect("a good chain")
        .with_curl(&CurlProfile::Constant);
    let mut state = sinew_ik::ChainState::at_rest(&chain);
    let mut scratch = sinew_ik::Scratch::new(&chain);
    for share in [0.25, 0.5, 0.9, 0.99, 0.999, 0.9999] {
        let goals = [sinew_ik::Goal::reach(Vec3::new(0.5, -0.7, 0.3).normalize() * total * share)];
        let task = sinew_ik::Task::new(&chain, &goals);
        let settings =
            Settings { tolerance: sinew_ik::Tolerance::Relative(4e-6), ..Settings::default() };
        let report = sinew_ik::solve(&chain, &task, &settings, &mut state, &mut scratch);
        assert_eq!((report.status, report.solver), (Status::Reached, Solver::Curl), "{report:?}");
    }
}
