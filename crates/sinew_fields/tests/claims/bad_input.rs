//! What cannot be baked is an error that says why; what can be put right is reported and drawn plainly.

use glam::{Affine3A, Vec3};
use sinew_fields::fields::NoField;
use sinew_fields::skinning::{JointShape, SkinningError};
use sinew_fields::{
    BakeError, BakeSettings, InfluenceSet, Influences, JointField, JointOperator, JointRest, Pose,
    Serial, SkinBake, SkinScratch, SkinSettings, SkinSource, TunedSkin, Tuning, deform,
};

use crate::fixtures::{Mesh, Rig, bent, joints, tube};

fn bake(mesh: &Mesh, joints: &[JointRest]) -> Result<SkinBake, BakeError> {
    let Mesh { positions, triangles, influences } = mesh;
    let source = SkinSource { positions, triangles, influences, joints };
    SkinBake::new(&source, &BakeSettings::default(), &Serial)
}

#[test]
fn broken_meshes_and_skeletons_are_refused_by_name() {
    let good = || tube(1.0, 0.0);
    let count = good().positions.len();

    let mut mesh = good();
    mesh.positions[17][1] = f32::NAN;
    assert_eq!(bake(&mesh, &joints()), Err(BakeError::NonFinitePosition { vertex: 17 }));

    let mut mesh = good();
    mesh.triangles[5][2] = count as u32;
    let expected =
        BakeError::TriangleOutOfRange { triangle: 5, vertex: count as u32, vertices: count };
    assert_eq!(bake(&mesh, &joints()), Err(expected));

    let mut mesh = good();
    mesh.positions.pop();
    mesh.triangles.clear();
    let expected = BakeError::WrongInfluences { found: count, expected: count - 1 };
    assert_eq!(bake(&mesh, &joints()), Err(expected));

    let mesh = good();
    let expected = BakeError::WrongJoints { found: 1, expected: 2 };
    assert_eq!(bake(&mesh, &joints()[..1]), Err(expected));
    let mut bad = joints();
    bad[1].head.x = f32::INFINITY;
    assert_eq!(bake(&mesh, &bad), Err(BakeError::NonFiniteJoint { joint: 1 }));
    bad = joints();
    bad[1].parent = Some(9);
    let expected = BakeError::NoSuchParent { joint: 1, parent: 9, joints: 2 };
    assert_eq!(bake(&mesh, &bad), Err(expected));
    bad = joints();
    bad[0].parent = Some(1);
    assert_eq!(bake(&mesh, &bad), Err(BakeError::ParentCycle { joint: 0 }));

    let influences = Influences::new(1, 0, &[]).expect("no vertices").0;
    let empty = Mesh { positions: Vec::new(), triangles: Vec::new(), influences };
    assert_eq!(bake(&empty, &joints()[..1]), Err(BakeError::NoVertices));
}

#[test]
fn joints_without_enough_skin_are_named_and_their_vertices_skinned_plainly() {
    let mut mesh = tube(1.0, 0.0);
    // Three vertices follow a third joint, none a fourth.
    let rows: Vec<[f32; 4]> = (0..mesh.positions.len())
        .map(|vertex| {
            if vertex < 3 {
                return [0.0, 0.0, 1.0, 0.0];
            }
            let mut row = [0.0; 4];
            let (joints, weights) = mesh.influences.row(vertex);
            for (joint, weight) in joints.iter().zip(weights) {
                row[usize::from(*joint)] = *weight;
            }
            row
        })
        .collect();
    let names = vec![[0, 1, 2, 3]; rows.len()];
    let set = InfluenceSet { joints: &names, weights: &rows };
    mesh.influences = Influences::new(4, rows.len(), &[set]).expect("good weights").0;
    let [root, tip] = joints();
    let hand = JointRest { parent: Some(0), head: Vec3::X * -4.0, ..JointRest::default() };
    let bake = bake(&mesh, &[root, tip, hand, hand]).expect("a mesh");
    let missing: Vec<_> = bake.report().joints_without_field().collect();
    assert_eq!(missing, [(2, NoField::TooFewVertices { vertices: 3, least: 20 })]);

    let tuned = TunedSkin::new(&bake, &Tuning::default());
    let mut scratch = SkinScratch::new(&bake);
    let still = Affine3A::IDENTITY;
    let pose = Pose::new(&[still, still, Affine3A::from_translation(Vec3::Y), still]);
    let report = deform(&bake, &tuned, &SkinSettings::default(), &pose, &mut scratch, &Serial)
        .expect("fits");
    assert_eq!(report.plain, 3);
    let mut out = vec![[0.0; 3]; mesh.positions.len()];
    scratch.write_positions(&bake, &mut out, &Serial).expect("fits");
    for vertex in 0..3 {
        let moved = Vec3::from(mesh.positions[vertex]) + Vec3::Y;
        assert!(Vec3::from(out[vertex]).distance(moved) < 1e-6);
    }
}

#[test]
fn a_joint_can_be_left_out_by_choice_without_a_complaint() {
    let mesh = tube(1.0, 0.0);
    let mut rest = joints();
    rest[1].field = JointField::Skip;
    let bake = bake(&mesh, &rest).expect("a mesh");
    assert_eq!(bake.report().field_count(), 1);
    assert_eq!(bake.report().joints_without_field().count(), 0);
    assert!(bake.field(1).is_none() && bake.field(99).is_none());
}

#[test]
fn loose_and_torn_surfaces_are_counted_and_stay_finite() {
    let mut mesh = tube(1.0, 0.0);
    // A hole in the bend, one triangle twice, one without area, one edge with three triangles.
    mesh.triangles.retain(|t| {
        let [x, y, _] = mesh.positions[t[0] as usize];
        !(x.abs() < 0.3 && y > 0.6)
    });
    let first = mesh.triangles[40];
    mesh.triangles.push(first);
    mesh.triangles.push([first[0], first[0], first[1]]);
    mesh.triangles.push([first[0], first[1], 2000]);
    let rig = Rig::of(mesh, JointOperator::default());
    let report = rig.bake.report();
    assert!(report.isolated > 0 && report.border > 80 && report.irregular > 0, "{report:?}");
    assert_eq!((report.weld.repeated, report.weld.degenerate), (1, 1));
    let (rest, _) = rig.solve(&bent(0.0), &SkinSettings::default());
    assert_eq!(rest, rig.mesh.positions);
    for degrees in [45.0, 90.0, 135.0, 180.0] {
        let (out, _) = rig.solve(&bent(degrees), &SkinSettings::default());
        assert!(out.iter().flatten().all(|x| x.is_finite() && x.abs() < 10.0), "{degrees}");
    }
}

#[test]
fn a_skin_that_is_wound_inside_out_bends_like_one_that_is_not() {
    let good = Rig::finger();
    let mut mesh = tube(1.0, 0.0);
    for triangle in &mut mesh.triangles {
        triangle.swap(1, 2);
    }
    let turned = Rig::of(mesh, JointOperator::Blend(sinew_fields::Opening::FINGER));
    assert!(turned.bake.report().joints.iter().all(|joint| joint.inverted));
    assert!(good.bake.report().joints.iter().all(|joint| !joint.inverted));
    let (a, _) = good.solve(&bent(80.0), &SkinSettings::default());
    let (b, _) = turned.solve(&bent(80.0), &SkinSettings::default());
    // Samples fall on other places of the triangles: fits differ by a hundredth of the radius.
    let squares: f32 =
        a.iter().zip(&b).map(|(a, b)| Vec3::from(*a).distance_squared(Vec3::from(*b))).sum();
    let off = (squares / a.len() as f32).sqrt();
    assert!(off < 0.01, "{off}");
}

#[test]
fn broken_transforms_draw_plain_skinning_and_are_counted() {
    let rig = Rig::finger();
    let broken = [
        Affine3A::from_translation(Vec3::NAN),
        Affine3A::from_scale(Vec3::ZERO),
        Affine3A::from_scale(Vec3::new(1.0, 0.0, 1.0)),
        Affine3A::from_scale(Vec3::splat(f32::INFINITY)),
    ];
    for transform in broken {
        let pose = Pose::new(&[Affine3A::IDENTITY, transform]);
        assert_eq!(pose.shape(1), Some(JointShape::Broken), "{transform:?}");
        let (out, report) = rig.solve(&pose, &SkinSettings::default());
        assert_eq!(report.unusable_joints, 1);
        assert!(out.iter().flatten().all(|x| x.is_finite()), "{transform:?}");
    }
}

#[test]
fn parts_of_different_skins_are_not_mixed() {
    let rig = Rig::finger();
    // As many vertices and joints, at other places.
    let mut moved = tube(1.0, 0.0);
    moved.positions[0][0] -= 0.5;
    let other = bake(&moved, &joints()).expect("a good mesh");
    let other_tuned = TunedSkin::new(&other, &Tuning::default());
    let mut other_scratch = SkinScratch::new(&other);
    let mut scratch = SkinScratch::new(&rig.bake);
    let settings = SkinSettings::default();
    let three = Pose::new(&[Affine3A::IDENTITY; 3]);
    let result = deform(&rig.bake, &rig.tuned, &settings, &three, &mut scratch, &Serial);
    assert_eq!(result, Err(SkinningError::WrongJoints { found: 3, expected: 2 }));
    for (tuned, scratch, what) in
        [(&other_tuned, &mut scratch, "tuned"), (&rig.tuned, &mut other_scratch, "scratch")]
    {
        let result = deform(&rig.bake, tuned, &settings, &bent(60.0), scratch, &Serial);
        assert_eq!(result, Err(SkinningError::WrongSkin { what }));
    }
    let count = rig.mesh.positions.len();
    let mut out = vec![[0.0; 3]; count];
    let result = other_scratch.write_positions(&rig.bake, &mut out, &Serial);
    assert_eq!(result, Err(SkinningError::WrongSkin { what: "scratch" }));
    let inside = Vec3::new(-2.0, 0.0, 0.0);
    deform(&rig.bake, &rig.tuned, &settings, &bent(0.0), &mut scratch, &Serial).expect("one skin");
    assert!(scratch.fields().sample(&rig.bake, &rig.tuned, inside).is_some());
    assert!(scratch.fields().sample(&other, &rig.tuned, inside).is_none());
    assert!(scratch.fields().sample(&rig.bake, &other_tuned, inside).is_none());
    let mut short = vec![[0.0; 3]; count - 1];
    let result = scratch.write_positions(&rig.bake, &mut short, &Serial);
    let expected = SkinningError::WrongLength { what: "out", found: count - 1, expected: count };
    assert_eq!(result, Err(expected));
}

#[test]
fn settings_that_are_not_numbers_do_no_harm() {
    let rig = Rig::finger();
    for bad in [f32::NAN, f32::INFINITY, -1.0] {
        let settings = SkinSettings {
            strength: if bad == -1.0 { bad } else { 1.0 },
            step: bad,
            longest_step: bad,
            iterations: 5,
            ..SkinSettings::default()
        };
        let (out, _) = rig.solve(&bent(60.0), &settings);
        assert!(out.iter().flatten().all(|x| x.is_finite()));
        let tuning = Tuning {
            joints: vec![
                sinew_fields::JointTuning {
                    operator: JointOperator::Bulge {
                        magnitude: bad,
                        opening: sinew_fields::Opening::constant(bad),
                    },
                    softness: bad,
                };
                2
            ],
            gap: bad,
        };
        let tuned = TunedSkin::new(&rig.bake, &tuning);
        let mut scratch = SkinScratch::new(&rig.bake);
        let settings = SkinSettings::default();
        deform(&rig.bake, &tuned, &settings, &bent(60.0), &mut scratch, &Serial).expect("fits");
        assert!(scratch.positions().iter().all(|p| p.is_finite()));
    }
}

#[test]
fn the_key_of_a_bake_changes_with_all_that_it_was_made_from() {
    let base = || (tube(1.0, 0.0), joints(), BakeSettings::default());
    let key = |(mesh, joints, settings): &(Mesh, [JointRest; 2], BakeSettings)| {
        let Mesh { positions, triangles, influences } = mesh;
        SkinSource { positions, triangles, influences, joints }.key(settings)
    };
    let mut changed = Vec::new();
    let mut with = |change: &dyn Fn(&mut (Mesh, [JointRest; 2], BakeSettings))| {
        let mut input = base();
        change(&mut input);
        changed.push(input);
    };
    with(&|_| ());
    with(&|input| input.0.positions[9][0] += 1e-6);
    with(&|input| input.0.triangles.swap(3, 4));
    with(&|input| input.0 = tube(0.9, 0.0));
    with(&|input| input.1[1].head.z = 0.1);
    with(&|input| input.1[1].tail = Some(Vec3::X));
    with(&|input| input.1[1].parent = None);
    with(&|input| input.1[1].field = JointField::Skip);
    with(&|input| input.2.samples.count += 1);
    with(&|input| input.2.samples.cull += 0.01);
    with(&|input| input.2.resolution.across += 1);
    with(&|input| input.2.least_vertices += 1);
    let mut keys: Vec<u64> = changed.iter().map(key).collect();
    assert_eq!(keys[0], key(&base()));
    assert_eq!(keys[0], Rig::finger().bake.key());
    keys.sort_unstable();
    assert!(keys.windows(2).all(|pair| pair[0] != pair[1]));
}
