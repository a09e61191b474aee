//! Rig A bent and twisted: volume, contact, detail.

use glam::{DVec3, Vec3};
use sinew_fields::{JointOperator, Opening, SkinSettings, Start};

use crate::fixtures::{Rig, bent, crossings, penetration, twisted, wide};

fn plain(start: Start) -> SkinSettings {
    SkinSettings { start, strength: 0.0, ..SkinSettings::default() }
}

/// The least distance from the joint of the vertices on the outer side of the bend.
fn outer_radius(rig: &Rig, out: &[[f32; 3]]) -> f64 {
    rig.mesh
        .positions
        .iter()
        .zip(out)
        .filter(|(rest, _)| rest[0].abs() < 0.08 && rest[1] < -0.98)
        .map(|(_, p)| wide(*p).length())
        .fold(f64::INFINITY, f64::min)
}

#[test]
fn the_outer_side_of_a_bend_keeps_its_radius_where_linear_blend_loses_it() {
    let rig = Rig::finger();
    for (degrees, linear) in [(60.0, 0.866), (90.0, 0.707), (120.0, 0.5)] {
        let (start, _) = rig.solve(&bent(degrees), &plain(Start::Linear));
        let radius = outer_radius(&rig, &start);
        assert!((radius - linear).abs() < 0.02, "linear blend at {degrees}: {radius}");
        let (out, _) = rig.solve(&bent(degrees), &SkinSettings::default());
        let radius = outer_radius(&rig, &out);
        assert!(radius >= 0.98, "{degrees}: {radius}");
    }
}

#[test]
fn a_bend_by_120_degrees_leaves_no_penetration_and_half_of_the_crossings() {
    let rig = Rig::finger();
    let rest = &rig.mesh.positions;
    let deepest = |out: &[[f32; 3]]| penetration(rest, out, 120.0).into_iter().fold(0.0, f64::max);
    let (linear, _) = rig.solve(&bent(120.0), &plain(Start::Linear));
    let (dual, _) = rig.solve(&bent(120.0), &plain(Start::DualQuaternion));
    assert!(deepest(&linear) > 0.35 && deepest(&dual) > 0.35);
    let (out, _) = rig.solve(&bent(120.0), &SkinSettings::default());
    assert!(deepest(&out) <= 0.01, "{}", deepest(&out));
    let [ours, theirs] = [&out, &linear].map(|out| crossings(&rig.mesh.triangles, out));
    assert!(2 * ours <= theirs, "{ours} crossings, {theirs} by linear blend");
}

#[test]
fn a_bend_by_140_degrees_with_sharp_weights_stays_on_its_side() {
    for half_width in [0.5, 1.0] {
        for opening in [Opening::UNION, Opening::FINGER] {
            let rig = Rig::new(half_width, 0.0, JointOperator::Blend(opening));
            let (linear, _) = rig.solve(&bent(140.0), &plain(Start::Linear));
            let (out, _) = rig.solve(&bent(140.0), &SkinSettings::default());
            let depths = penetration(&rig.mesh.positions, &out, 140.0);
            let deepest = depths.into_iter().fold(0.0, f64::max);
            assert!(deepest <= 0.02, "{half_width}: {deepest}");
            let [ours, theirs] = [&out, &linear].map(|out| crossings(&rig.mesh.triangles, out));
            assert!(ours < theirs, "{half_width}: {ours} crossings, {theirs} by linear blend");
        }
    }
}

#[test]
fn contact_grows_with_the_bend() {
    let rig = Rig::finger();
    let counts =
        [60.0, 90.0, 120.0, 140.0].map(|d| rig.solve(&bent(d), &SkinSettings::default()).1.contact);
    assert!(counts[0] > 0 && counts.is_sorted(), "{counts:?}");
}

#[test]
fn the_published_rule_stops_vertices_at_contact_but_leaves_penetration() {
    let rig = Rig::finger();
    let (out, report) = rig.solve(&bent(120.0), &SkinSettings::published());
    let depths = penetration(&rig.mesh.positions, &out, 120.0);
    let settings = SkinSettings { smoothings: 0, diffusions: 0, ..SkinSettings::published() };
    let (_, unsmoothed) = rig.solve(&bent(120.0), &settings);
    assert!(report.contact > 0 && unsmoothed.contact > 0);
    assert!(depths.iter().all(|depth| depth.is_finite()));
    let radius = outer_radius(&rig, &out);
    assert!(radius >= 0.98, "{radius}");
}

fn least_radius(out: &[[f32; 3]]) -> f64 {
    out.iter().map(|p| f64::from(p[1]).hypot(f64::from(p[2]))).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_twist_does_not_collapse() {
    let rig = Rig::finger();
    for (degrees, linear) in [(90.0, 0.707), (150.0, 0.259)] {
        let (start, _) = rig.solve(&twisted(degrees), &plain(Start::Linear));
        assert!((least_radius(&start) - linear).abs() < 0.02, "{}", least_radius(&start));
        let settings = SkinSettings { start: Start::Linear, ..SkinSettings::default() };
        let (out, _) = rig.solve(&twisted(degrees), &settings);
        assert!(least_radius(&out) >= 0.95, "from linear, {degrees}: {}", least_radius(&out));
    }
    for degrees in [90.0, 150.0, 170.0] {
        let (out, _) = rig.solve(&twisted(degrees), &SkinSettings::default());
        assert!(least_radius(&out) >= 0.95, "{degrees}: {}", least_radius(&out));
    }
}

#[test]
fn bumps_keep_their_height_in_a_bend() {
    // Away from the fold: what contact presses flat is not a loss of detail.
    let amplitude = |out: &[[f32; 3]], rest: &[[f32; 3]], degrees: f64| {
        let far = DVec3::new(degrees.to_radians().cos(), degrees.to_radians().sin(), 0.0);
        let mut heights = Vec::new();
        for (rest, p) in rest.iter().zip(out).filter(|(r, _)| r[0].abs() < 1.0 && r[1] < -0.2) {
            let p = wide(*p);
            let limb = if rest[0] < 0.0 { -DVec3::X } else { far };
            let radius = (p - limb * p.dot(limb).max(0.0)).length();
            // Projection on the pattern that the tube was made with.
            let angle = f64::from(rest[2]).atan2(f64::from(rest[1]));
            let pattern = (f64::from(rest[0]) * 9.0).sin() * (angle * 6.0).cos();
            heights.push((pattern, radius));
        }
        let mean = heights.iter().map(|h| h.1).sum::<f64>() / heights.len() as f64;
        let power: f64 = heights.iter().map(|h| h.0 * h.0).sum();
        heights.iter().map(|h| h.0 * (h.1 - mean)).sum::<f64>() / power
    };
    let rig = Rig::new(1.0, 0.03, JointOperator::Blend(Opening::FINGER));
    let rest = &rig.mesh.positions;
    let before = amplitude(rest, rest, 0.0);
    assert!((before - 0.03).abs() < 0.002, "{before}");
    let (out, _) = rig.solve(&bent(90.0), &SkinSettings::default());
    let after = amplitude(&out, rest, 90.0);
    assert!((after / before - 1.0).abs() < 0.05, "{before} became {after}");
}

#[test]
fn a_blend_raises_the_crease_and_a_union_does_not() {
    for (degrees, crease, raised) in [(60.0_f32, 1.155, 1.214), (90.0, 1.414, 1.559)] {
        let half = degrees.to_radians() / 2.0;
        let inward = Vec3::new(-half.sin(), half.cos(), 0.0);
        let height = |operator| {
            let rig = Rig::new(1.0, 0.0, operator);
            let mut fields = sinew_fields::PosedFields::new(&rig.bake);
            fields.update(&rig.bake, &rig.tuned, &bent(degrees));
            let value =
                |h: f32| fields.sample(&rig.bake, &rig.tuned, inward * h).map_or(0.0, |s| s.value);
            let (mut low, mut high) = (0.9, 2.5);
            for _ in 0..40 {
                let middle = 0.5 * (low + high);
                *if value(middle) > 0.5 { &mut low } else { &mut high } = middle;
            }
            low
        };
        let union = height(JointOperator::Union);
        assert!((union - crease).abs() < 0.03, "union at {degrees}: {union}");
        let blend = height(JointOperator::Blend(Opening::FINGER));
        assert!(
            (blend - raised).abs() < 0.05 && blend > union + 0.03,
            "blend at {degrees}: {blend}"
        );
        let bulge = JointOperator::Bulge { magnitude: 0.7, opening: Opening::BULGE };
        assert!(height(bulge) >= union - 0.01);
    }
}

#[test]
fn a_sweep_has_no_pop() {
    let rig = Rig::finger();
    let mut before: Option<(Vec<[f32; 3]>, Vec<[f32; 3]>)> = None;
    for degree in 0..=120 {
        let pose = bent(degree as f32);
        let (start, _) = rig.solve(&pose, &plain(Start::DualQuaternion));
        let (out, _) = rig.solve(&pose, &SkinSettings::default());
        if let Some((old_start, old_out)) = &before {
            let step = |a: &[[f32; 3]], b: &[[f32; 3]]| {
                a.iter().zip(b).map(|(a, b)| wide(*a).distance(wide(*b))).fold(0.0, f64::max)
            };
            let (ours, theirs) = (step(&out, old_out), step(&start, old_start));
            assert!(ours <= 3.0 * theirs + 0.02, "{degree}: {ours}, plain {theirs}");
        }
        before = Some((start, out));
    }
}

#[test]
fn a_vertex_is_moved_by_less_than_a_radius() {
    let rig = Rig::finger();
    for degrees in [60.0, 90.0, 120.0] {
        let (start, _) = rig.solve(&bent(degrees), &plain(Start::DualQuaternion));
        let (out, _) = rig.solve(&bent(degrees), &SkinSettings::default());
        for (a, b) in start.iter().zip(&out) {
            assert!(wide(*a).distance(wide(*b)) <= 1.0, "{degrees}: {a:?} to {b:?}");
        }
    }
}
