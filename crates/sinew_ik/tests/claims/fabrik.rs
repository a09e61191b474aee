//! Forward and backward reaching (tests 15 to 19), and what holds of every solver.

use sinew_ik::glam::{DVec3, Vec3};
use sinew_ik::{Settings, Solver, Status, inward, outward};

use crate::fixtures::{Random, Rig, with, within};

#[track_caller]
fn near(a: Vec3, b: Vec3, slack: f32) {
    assert!(a.distance(b) <= slack, "{a} is not {b}");
}

#[test]
fn one_iteration_by_hand() {
    let mut points = [Vec3::ZERO, Vec3::X, Vec3::X * 2.0];
    let target = Vec3::new(0.0, 1.5, 0.0);
    inward(&mut points, &[1.0, 1.0], target);
    near(points[0], Vec3::new(-0.084_175_17, -0.101_360_62, 0.0), 1e-6);
    near(points[1], Vec3::new(0.554_700_2, 0.667_949_7, 0.0), 1e-6);
    near(points[2], target, 0.0);
    outward(&mut points, &[1.0, 1.0], Vec3::ZERO);
    near(points[1], Vec3::new(0.638_875_37, 0.769_310_3, 0.0), 1e-6);
    near(points[2], Vec3::new(-0.019_350_23, 1.522_131_2, 0.0), 1e-6);
    assert!((points[2].distance(target) - 0.029_397_648).abs() < 1e-6);
    let mut errors = vec![points[2].distance(target)];
    for _ in 0..2 {
        inward(&mut points, &[1.0, 1.0], target);
        outward(&mut points, &[1.0, 1.0], Vec3::ZERO);
        errors.push(points[2].distance(target));
    }
    // Two iterations for 1e-3 and three for 1e-4.
    assert!(errors[0] > 1e-3 && errors[1] < 1e-3 && errors[1] > 1e-4 && errors[2] < 1e-4);
    assert!((errors[1] - 5.4e-4).abs() < 1e-5 && (errors[2] - 8.4e-6).abs() < 1e-6, "{errors:?}");
}

#[test]
fn far_target_lays_the_chain_out_in_one_pass() {
    for solver in [Solver::Fabrik, Solver::Auto, Solver::Dls, Solver::Curl] {
        let mut rig = Rig::chain_a();
        let direction = Vec3::new(1.0, 2.0, -0.5).normalize();
        let report = rig.reach(direction * 3.0, &with(solver));
        assert_eq!((report.status, report.iterations), (Status::Unreachable, 1));
        assert!((report.error - 2.1).abs() < 1e-6, "{}", report.error);
        for (i, place) in rig.places().iter().enumerate() {
            near(place.as_vec3(), direction * (0.1 * i as f32), 1e-6);
        }
    }
}

#[test]
fn every_solver_keeps_lengths_and_never_makes_the_error_worse() {
    let mut random = Random(17);
    let solvers = [
        Solver::Auto,
        Solver::Dls,
        Solver::Curl,
        Solver::Fabrik,
        Solver::Ccd,
        Solver::CurlStep { step: 0.002, strict: false },
    ];
    for k in 0..1_000 {
        let target = random.direction() * random.between(0.0, 1.2);
        let solver = solvers[k % solvers.len()];
        let mut rig = Rig::chain_a();
        let start = rig.miss(target);
        let report = rig.reach(target, &with(solver));
        let places = rig.places();
        for pair in places.windows(2) {
            assert!((pair[0].distance(pair[1]) - 0.1).abs() < 1e-5 * 0.9, "{solver:?}");
        }
        let end = rig.miss(target);
        assert!(end <= start + 1e-6, "{solver:?}: {start} became {end}");
        assert!((f64::from(report.error) - end).abs() < 2e-6, "{solver:?}: {report:?} {end}");
        assert!(rig.state.rotations().iter().all(|q| q.is_normalized()));
    }
}

#[test]
fn straight_chains_bend_for_targets_on_their_axis() {
    for solver in [Solver::Auto, Solver::Dls, Solver::Curl] {
        for x in [0.05, 0.1, 0.45, 0.8, -0.45, 0.0] {
            let mut rig = Rig::chain_s();
            let target = Vec3::X * x;
            let settings = within(solver, 1e-4, 16);
            let report = rig.reach(target, &settings);
            assert_eq!(report.status, Status::Reached, "{solver:?} {x}: {report:?}");
            assert!(report.iterations <= 16 && rig.miss(target) <= 1e-4);
            let first = rig.state.clone();
            let again = rig.reach(target, &settings);
            assert_eq!((first, report), (rig.state.clone(), again), "two runs differ");
        }
    }
}

#[test]
fn fabrik_and_ccd_leave_the_singular_line_too() {
    for solver in [Solver::Fabrik, Solver::Ccd] {
        for x in [0.05, 0.45, 0.8, -0.45] {
            let mut rig = Rig::chain_s();
            let report = rig.reach(Vec3::X * x, &with(solver));
            assert_eq!(report.status, Status::Reached, "{solver:?} {x}: {report:?}");
        }
    }
}

#[test]
fn nearly_stretched_targets_are_reached() {
    for share in [0.9, 0.99, 0.999, 0.9999] {
        for straight in [false, true] {
            let mut rig = if straight { Rig::chain_s() } else { Rig::chain_a() };
            let target = Vec3::new(0.3, -0.8, 0.52).normalize() * (0.9 * share);
            let report = rig.reach(target, &Settings::default());
            assert_eq!(report.status, Status::Reached, "{share}: {report:?}");
            assert!(report.iterations <= 16 && rig.miss(target) <= 0.9e-4 + 1e-6);
        }
    }
}

/// IK-09, on four bones along y.
#[test]
fn targets_on_the_axis_of_a_straight_limb() {
    let joints: Vec<_> =
        (0..4).map(|i| sinew_ik::Joint::at(if i == 0 { Vec3::ZERO } else { Vec3::Y })).collect();
    for (distance, reachable) in
        [(0.0, true), (1.2, true), (4.0, true), (4.000_3, true), (40.0, false), (2.0, true)]
    {
        let mut rig = Rig::new(joints.clone(), Vec3::Y);
        let target = Vec3::Y * distance;
        let report = rig.reach(target, &within(Solver::Auto, 1e-4, 32));
        assert_eq!(report.reached(), reachable, "{distance}: {report:?}");
        if reachable {
            assert!(rig.miss(target) < 4e-3);
        } else {
            assert!(rig.end().distance(DVec3::Y * 4.0) < 4e-6);
        }
        for pair in rig.places().windows(2) {
            assert!((pair[0].distance(pair[1]) - 1.0).abs() < 1e-4);
        }
    }
}
