//! Random meshes, skeletons, weights and poses: an error or a finite skin, never a panic.

use glam::{Affine3A, Quat, Vec3};
use proptest::prelude::*;
use sinew_fields::{
    BakeSettings, ContactRule, InfluenceSet, Influences, JointField, JointOperator, JointRest,
    JointTuning, Opening, Pose, Serial, SkinBake, SkinScratch, SkinSettings, SkinSource, Start,
    TunedSkin, Tuning, deform,
};

/// Mostly small numbers on a coarse lattice, so that coincidences are common; some are not numbers.
fn coordinate() -> impl Strategy<Value = f32> {
    prop_oneof![
        12 => (-8_i32..8).prop_map(|i| i as f32 * 0.25),
        4 => -2.0_f32..2.0,
    ]
}

fn any_weight() -> impl Strategy<Value = f32> {
    prop_oneof![
        8 => 0.0_f32..1.0,
        2 => Just(0.0_f32),
        1 => prop_oneof![Just(f32::NAN), Just(f32::INFINITY), Just(-1.0_f32), Just(f32::MAX)],
    ]
}

fn transform() -> impl Strategy<Value = Affine3A> {
    let number = prop_oneof![20 => -3.0_f32..3.0, 1 => Just(f32::NAN), 1 => Just(0.0_f32)];
    let scale = prop_oneof![
        10 => Just(Vec3::ONE),
        1 => Just(Vec3::ZERO),
        1 => Just(Vec3::splat(-0.01)),
        1 => Just(Vec3::new(1.0, 3.0, 0.5)),
    ];
    (prop::array::uniform6(number), scale).prop_map(|([a, b, c, x, y, z], scale)| {
        let turn = Quat::from_euler(glam::EulerRot::XYZ, a, b, c);
        Affine3A::from_scale_rotation_translation(scale, turn, Vec3::new(x, y, z) * 0.3)
    })
}

fn operator() -> impl Strategy<Value = JointOperator> {
    let opening = prop_oneof![
        Just(Opening::ELBOW),
        Just(Opening::FINGER),
        Just(Opening::FULL),
        Just(Opening::UNION),
    ];
    prop_oneof![
        Just(JointOperator::Union),
        opening.clone().prop_map(JointOperator::Blend),
        (0.5_f32..8.0).prop_map(JointOperator::Ricci),
        (0.0_f32..1.0, opening)
            .prop_map(|(magnitude, opening)| JointOperator::Bulge { magnitude, opening }),
    ]
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 192, ..ProptestConfig::default() })]

    #[test]
    fn any_input_is_an_error_or_a_finite_skin(
        positions in prop::collection::vec(prop::array::uniform3(coordinate()), 1..90),
        corners in prop::collection::vec(prop::array::uniform3(0_u32..90), 0..120),
        joints in prop::collection::vec((prop::option::of(0_u16..5), prop::array::uniform3(coordinate()), any::<bool>()), 1..5),
        rows in prop::collection::vec((prop::array::uniform4(0_u16..6), prop::array::uniform4(any_weight())), 90),
        poses in prop::collection::vec(prop::collection::vec(transform(), 5), 3),
        operator in operator(),
        published in any::<bool>(),
    ) {
        let names: Vec<_> = rows[..positions.len()].iter().map(|row| row.0).collect();
        let weights: Vec<_> = rows[..positions.len()].iter().map(|row| row.1).collect();
        let set = InfluenceSet { joints: &names, weights: &weights };
        let (influences, _) =
            Influences::new(joints.len(), positions.len(), &[set]).expect("lengths agree");
        let rest: Vec<JointRest> = joints
            .iter()
            .map(|&(parent, head, skip)| JointRest {
                parent,
                head: head.into(),
                tail: None,
                field: if skip { JointField::Skip } else { JointField::Auto },
            })
            .collect();
        // Half of the meshes have their triangles in range, half may not.
        let count = positions.len() as u32;
        let wrapped: Vec<[u32; 3]> = corners.iter().map(|t| t.map(|v| v % count)).collect();
        let source = SkinSource {
            positions: &positions,
            triangles: if published { &wrapped } else { &corners },
            influences: &influences,
            joints: &rest,
        };
        let settings = BakeSettings { least_vertices: 4, ..BakeSettings::default() };
        let Ok(bake) = SkinBake::new(&source, &settings, &Serial) else { return Ok(()) };
        let joint = JointTuning { operator, softness: 1.0 };
        let tuning = Tuning { joints: vec![joint; rest.len()], ..Tuning::default() };
        let tuned = TunedSkin::new(&bake, &tuning);
        let mut scratch = SkinScratch::new(&bake);
        let mut out = vec![[0.0; 3]; positions.len()];
        let at_rest = Pose::new(&vec![Affine3A::IDENTITY; rest.len()]);
        let settings = if published { SkinSettings::published() } else { SkinSettings::default() };
        deform(&bake, &tuned, &settings, &at_rest, &mut scratch, &Serial).expect("one skin");
        scratch.write_positions(&bake, &mut out, &Serial).expect("one skin");
        prop_assert_eq!(&out, &positions);
        for (pose, start) in poses.iter().zip([Start::DualQuaternion, Start::Linear, Start::DualQuaternion]) {
            let settings = SkinSettings { start, ..settings };
            let pose = Pose::new(&pose[..rest.len()]);
            deform(&bake, &tuned, &settings, &pose, &mut scratch, &Serial).expect("one skin");
            scratch.write_positions(&bake, &mut out, &Serial).expect("one skin");
            prop_assert!(out.iter().flatten().all(|x| x.is_finite()), "{:?}", out);
            for point in &positions {
                if let Some(sample) = scratch.fields().sample(&bake, &tuned, (*point).into()) {
                    prop_assert!(sample.value.is_finite() && sample.gradient.is_finite());
                }
            }
        }
        prop_assert!(matches!(settings.contact, ContactRule::MedialPlane) != published);
    }
}
