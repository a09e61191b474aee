//! Rig A bent and twisted: volume, contact, detail.
use glam::{Affine3A, DVec3, Quat, Vec3};
use sinew_fields::{JointOperator, Opening, Pose, PosedFields, SkinSettings, Start};

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
        assert!((radius - linear).abs() < 0.005, "linear blend at {degrees}: {radius}");
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
fn the_published_rule_ends_deep_penetration_but_crosses_far_more_than_the_medial_plane() {
    let rig = Rig::new(1.0, 0.0, JointOperator::Union);
    let rest = &rig.mesh.positions;
    let deepest = |out: &[[f32; 3]]| penetration(rest, out, 120.0).into_iter().fold(0.0, f64::max);
    let (dual, _) = rig.solve(&bent(120.0), &plain(Start::DualQuaternion));
    let (theirs, report) = rig.solve(&bent(120.0), &SkinSettings::published());
    assert!(report.contact > 0);
    assert!(deepest(&theirs) < 0.25 * deepest(&dual), "{}", deepest(&theirs));
    let (ours, _) = rig.solve(&bent(120.0), &SkinSettings::default());
    let [ours, theirs] = [ours, theirs].map(|out| crossings(&rig.mesh.triangles, &out));
    assert!(theirs > 4 * ours, "{theirs} crossings by the published rule, {ours} by ours");
}

fn least_radius(out: &[[f32; 3]]) -> f64 {
    out.iter().map(|p| f64::from(p[1]).hypot(f64::from(p[2]))).fold(f64::INFINITY, f64::min)
}

#[test]
fn a_twist_does_not_collapse() {
    let rig = Rig::finger();
    for (degrees, linear) in [(90.0, 0.707), (150.0, 0.259)] {
        let (start, _) = rig.solve(&twisted(degrees), &plain(Start::Linear));
        assert!((least_radius(&start) - linear).abs() < 0.001, "{}", least_radius(&start));
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

/// How far a fit with 50 samples may be off the skin between them (measured for tubes, in radii); a crease
/// stands that much farther out, as both limbs meet at an angle there.
const FIT_ERROR: f64 = 0.024;

/// Distances of the crease from the joint, for bends to all sides.
fn creases(rig: &Rig, degrees: f32) -> Vec<f64> {
    let half = degrees.to_radians() / 2.0;
    let inward = Vec3::new(-half.sin(), half.cos(), 0.0);
    let mut fields = PosedFields::new(&rig.bake);
    (0..12)
        .map(|side| {
            let turn = Quat::from_rotation_x(side as f32 * std::f32::consts::TAU / 12.0);
            let bend = turn * Quat::from_rotation_z(degrees.to_radians()) * turn.inverse();
            let pose = Pose::new(&[Affine3A::IDENTITY, Affine3A::from_quat(bend)]);
            fields.update(&rig.bake, &rig.tuned, &pose).expect("one skin");
            let value = |h: f32| {
                let sample = fields.sample(&rig.bake, &rig.tuned, turn * inward * h);
                sample.map_or(0.0, |sample| sample.value)
            };
            let (mut low, mut high) = (0.9, 2.6);
            for _ in 0..40 {
                let middle = 0.5 * (low + high);
                *if value(middle) > 0.5 { &mut low } else { &mut high } = middle;
            }
            f64::from(low)
        })
        .collect()
}

fn mean(values: &[f64]) -> f64 {
    values.iter().sum::<f64>() / values.len() as f64
}

#[test]
fn a_blend_raises_the_crease_and_a_union_does_not() {
    let of = |operator| Rig::new(1.0, 0.0, operator);
    let (union, blend) = (of(JointOperator::Union), of(JointOperator::Blend(Opening::FINGER)));
    for (degrees, raised) in [(60.0, 1.214), (90.0, 1.559), (120.0, 2.204)] {
        // Two straight tubes of radius 1 meet at 1 / cos(bend / 2).
        let exact = 1.0 / (f64::from(degrees) / 2.0).to_radians().cos();
        let creases_of_union = creases(&union, degrees);
        for crease in &creases_of_union {
            assert!((crease - exact).abs() < FIT_ERROR * exact, "union, {degrees}: {crease}");
        }
        let crease = mean(&creases_of_union);
        assert!((crease - exact).abs() < 0.005, "union, {degrees}: {crease}, not {exact}");
        let crease = mean(&creases(&blend, degrees));
        assert!((crease - raised).abs() < 0.02, "blend, {degrees}: {crease}, not {raised}");
    }
}

#[test]
fn a_bulge_rises_beside_the_crease_and_not_in_it() {
    let bulge = JointOperator::Bulge { magnitude: 0.7, opening: Opening::BULGE };
    let (union, bulge) = (Rig::new(1.0, 0.0, JointOperator::Union), Rig::new(1.0, 0.0, bulge));
    let degrees = 90.0;
    let [flat, high] = [&union, &bulge].map(|rig| mean(&creases(rig, degrees)));
    assert!((high - flat).abs() < 0.02, "in the crease: {flat} and {high}");
    // Beside the crease, a quarter of a radius along the limb, over the skin of the first limb.
    let height = |rig: &Rig| {
        let mut fields = PosedFields::new(&rig.bake);
        fields.update(&rig.bake, &rig.tuned, &bent(degrees)).expect("one skin");
        let value = |y: f32| {
            let sample = fields.sample(&rig.bake, &rig.tuned, Vec3::new(-1.25, y, 0.0));
            sample.map_or(0.0, |sample| sample.value)
        };
        (0..400).map(|i| 0.9 + i as f32 * 1e-3).filter(|&y| value(y) > 0.5).fold(0.0, f32::max)
    };
    let (flat, high) = (height(&union), height(&bulge));
    assert!((flat - 1.0).abs() < 0.03, "{flat}");
    assert!(high > flat + 0.02, "beside the crease: {flat} and {high}");
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
