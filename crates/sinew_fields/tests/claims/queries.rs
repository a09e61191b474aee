//! The field as others see it: cloth, hair and bodies that collide with the skin.

use glam::{Affine3A, Vec3};
use sinew_fields::{JointTuning, Pose, PosedFields, SkinSettings, TunedSkin, Tuning};

use crate::fixtures::{Random, Rig, bent};

fn posed(rig: &Rig, pose: &Pose) -> PosedFields {
    let mut fields = PosedFields::new(&rig.bake);
    fields.update(&rig.bake, &rig.tuned, pose).expect("one skin");
    fields
}

#[test]
fn the_skin_of_a_tube_is_found_from_outside_and_inside() {
    let rig = Rig::finger();
    let fields = posed(&rig, &bent(0.0));
    for x in [-3.0_f32, -1.5, 0.0, 1.0, 3.0] {
        for angle in [0.0_f32, 1.0, 2.5, 4.0] {
            let outward = Vec3::new(0.0, angle.cos(), angle.sin());
            let at = |r: f32| {
                fields.sample(&rig.bake, &rig.tuned, Vec3::X * x + outward * r).expect("near")
            };
            for r in [0.9, 0.95, 1.05, 1.1] {
                let sample = at(r);
                assert_eq!(sample.value > 0.5, r < 1.0, "{x} {angle} {r}");
                assert!((sample.distance() - (r - 1.0)).abs() < 0.05, "{r}: {}", sample.distance());
                let normal = sample.normal().expect("a slope");
                assert!(normal.dot(outward) > 0.97, "{x} {angle} {r}: {normal}");
            }
            // At the joint itself both fields are equal.
            assert!(x == 0.0 || at(1.05).joint == u16::from(x > 0.0), "{x}");
        }
    }
    assert_eq!(fields.sample(&rig.bake, &rig.tuned, Vec3::new(0.0, 50.0, 0.0)), None);
    assert_eq!(fields.sample(&rig.bake, &rig.tuned, Vec3::NAN), None);
}

#[test]
fn gradients_are_those_of_the_values() {
    let rig = Rig::finger();
    let fields = posed(&rig, &bent(70.0));
    let value = |p: Vec3| fields.sample(&rig.bake, &rig.tuned, p).map_or(0.0, |s| s.value);
    let mut random = Random(8);
    let mut errors = Vec::new();
    while errors.len() < 2000 {
        let p = Vec3::new(-1.5, 0.0, 0.0)
            + Vec3::new(random.signed() as f32, random.signed() as f32, random.signed() as f32)
                * 1.2;
        let Some(sample) = fields.sample(&rig.bake, &rig.tuned, p).filter(|s| s.value > 0.05)
        else {
            continue;
        };
        let h = 2e-3;
        let slope = |axis: Vec3| (value(p + axis * h) - value(p - axis * h)) / (2.0 * h);
        let numeric = Vec3::new(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z));
        errors.push(numeric.distance(sample.gradient));
    }
    // Gradients are stored beside values, and interpolated for themselves; at creases they turn.
    errors.sort_by(f32::total_cmp);
    assert!(errors[1000] < 0.02, "{}", errors[1000]);
    assert!(errors[1900] < 0.1, "{}", errors[1900]);
}

#[test]
fn fields_move_with_their_joints() {
    let rig = Rig::finger();
    let motion = Affine3A::from_rotation_translation(
        glam::Quat::from_rotation_y(0.9) * glam::Quat::from_rotation_x(2.0),
        Vec3::new(3.0, 1.0, -2.0),
    ) * Affine3A::from_scale(Vec3::splat(3.0));
    let joint = bent(60.0).output_from_model(1).expect("two joints");
    let here = posed(&rig, &bent(60.0));
    let there = posed(&rig, &Pose::new(&[motion, motion * joint]));
    let mut random = Random(21);
    let mut inside = 0;
    for _ in 0..2000 {
        let p = Vec3::new(
            random.signed() as f32 * 4.0,
            random.signed() as f32 * 3.0,
            random.signed() as f32,
        );
        let a = here.sample(&rig.bake, &rig.tuned, p);
        let b = there.sample(&rig.bake, &rig.tuned, motion.transform_point3(p));
        let value = |s: Option<sinew_fields::FieldSample>| s.map_or(0.0, |s| s.value);
        assert!((value(a) - value(b)).abs() < 1e-3, "{p}: {a:?} {b:?}");
        inside += u32::from(value(a) > 0.5);
    }
    assert!(inside > 200);
}

#[test]
fn a_joint_that_stretches_leaves_its_field_out() {
    let rig = Rig::finger();
    let stretched = Affine3A::from_scale(Vec3::new(1.0, 2.0, 1.0));
    let fields = posed(&rig, &Pose::new(&[Affine3A::IDENTITY, stretched]));
    assert!(fields.sample(&rig.bake, &rig.tuned, Vec3::new(-2.0, 0.0, 0.0)).is_some());
    assert_eq!(fields.sample(&rig.bake, &rig.tuned, Vec3::new(3.0, 0.0, 0.0)), None);
    let (_, report) =
        rig.solve(&Pose::new(&[Affine3A::IDENTITY, stretched]), &SkinSettings::default());
    assert!(report.plain > 1000 && report.unusable_joints == 1, "{report:?}");
}

#[test]
fn a_softer_joint_is_felt_from_farther_away() {
    let rig = Rig::finger();
    let joint = JointTuning { softness: 1.5, ..JointTuning::default() };
    let tuning = Tuning { joints: vec![joint; 2], ..Tuning::default() };
    let soft = TunedSkin::new(&rig.bake, &tuning);
    let p = Vec3::new(-2.0, 1.3, 0.0);
    let value = |tuned: &TunedSkin| {
        let mut fields = PosedFields::new(&rig.bake);
        fields.update(&rig.bake, tuned, &bent(0.0)).expect("one skin");
        fields.sample(&rig.bake, tuned, p).map_or(0.0, |s| s.value)
    };
    assert!(value(&soft) > value(&rig.tuned) + 0.02, "{} {}", value(&soft), value(&rig.tuned));
}
