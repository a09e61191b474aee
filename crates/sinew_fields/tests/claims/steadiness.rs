//! What a frame's result does not depend on: history, threads, place, scale; and what stays where it was.

use glam::{Affine3A, DAffine3, DQuat, DVec3, Mat3A, Quat, Vec3};
use sinew_fields::skinning::dual_quaternion;
use sinew_fields::{
    BakeSettings, Executor, JointRest, Lod, LodLevel, Pose, ScopedThreads, Serial, SkinBake,
    SkinScratch, SkinSettings, SkinSource, TunedSkin, Tuning, VertexState, deform,
};

use crate::fixtures::{Mesh, Random, Rig, bent, tube, tube_of, twisted, wide};

fn solve_in(
    rig: &Rig,
    pose: &Pose,
    scratch: &mut SkinScratch,
    threads: &impl Executor,
) -> Vec<[f32; 3]> {
    deform(&rig.bake, &rig.tuned, &SkinSettings::default(), pose, scratch, threads).expect("fits");
    let mut out = vec![[0.0; 3]; rig.mesh.positions.len()];
    scratch.write_positions(&rig.bake, &mut out, threads).expect("fits");
    out
}

fn bits(positions: &[[f32; 3]]) -> Vec<[u32; 3]> {
    positions.iter().map(|p| p.map(f32::to_bits)).collect()
}

#[test]
fn the_rest_pose_is_given_back_exactly() {
    for rig in [Rig::finger(), Rig::new(0.5, 0.03, sinew_fields::JointOperator::Union)] {
        let (out, report) = rig.solve(&bent(0.0), &SkinSettings::default());
        assert_eq!(out, rig.mesh.positions);
        assert_eq!((report.contact, report.moving), (0, 0));
    }
}

#[test]
fn real_joint_matrices_at_rest_move_nothing() {
    let rig = Rig::finger();
    let mut random = Random(4);
    for _ in 0..20 {
        // A joint's matrix times the inverse of its bind matrix, rounded as an engine rounds them.
        let pose: Vec<Affine3A> = [DVec3::X * -4.0, DVec3::ZERO]
            .map(|head| {
                let turn = DQuat::from_xyzw(random.signed(), random.signed(), random.signed(), 0.7);
                let bind = DAffine3::from_rotation_translation(turn.normalize(), head);
                bind.as_affine3a() * bind.inverse().as_affine3a()
            })
            .to_vec();
        let (out, report) = rig.solve(&Pose::new(&pose), &SkinSettings::default());
        assert_eq!(report.contact, 0);
        for (a, b) in out.iter().zip(&rig.mesh.positions) {
            assert!(wide(*a).distance(wide(*b)) <= 4e-4, "{a:?} {b:?}");
        }
    }
}

#[test]
fn a_motion_of_the_whole_character_moves_the_skin_along() {
    let rig = Rig::finger();
    let (still, report) = rig.solve(&bent(100.0), &SkinSettings::default());
    let motion = Affine3A::from_rotation_translation(
        Quat::from_rotation_x(1.1) * Quat::from_rotation_z(-2.0),
        Vec3::new(5.0, -3.0, 2.0),
    );
    let pose = Pose::new(&[motion, motion * bent(100.0).output_from_model(1).expect("two joints")]);
    let (moved, same) = rig.solve(&pose, &SkinSettings::default());
    assert_eq!((report.still, report.plain), (same.still, same.plain));
    for (a, b) in still.iter().zip(&moved) {
        let expected = motion.transform_point3(Vec3::from(*a));
        assert!(expected.distance(Vec3::from(*b)) < 8e-5, "{expected} {b:?}");
    }
}

#[test]
fn a_root_that_scales_or_mirrors_gives_the_same_shape() {
    let rig = Rig::finger();
    let (plain, report) = rig.solve(&bent(110.0), &SkinSettings::default());
    let roots = [
        Mat3A::from_diagonal(Vec3::splat(0.01)),
        Mat3A::from_diagonal(Vec3::splat(250.0)),
        Mat3A::from_diagonal(Vec3::new(-1.0, 1.0, 1.0)),
    ];
    for root in roots {
        let root = Affine3A { matrix3: root, translation: Vec3::Y.into() };
        let joint = bent(110.0).output_from_model(1).expect("two joints");
        let (out, scaled) = rig.solve(&Pose::new(&[root, root * joint]), &SkinSettings::default());
        assert_eq!(scaled.unusable_joints, 0);
        assert!(scaled.contact.abs_diff(report.contact) < 20, "{report:?} {scaled:?}");
        let size = root.matrix3.y_axis.length();
        for (a, b) in plain.iter().zip(&out) {
            let off = root.transform_point3(Vec3::from(*a)).distance(Vec3::from(*b));
            assert!(off <= 1e-3 * 8.0 * size, "{root:?}: {off}");
        }
    }
}

#[test]
fn a_walk_leaves_no_vertex_behind() {
    let rig = Rig::finger();
    let mut scratch = SkinScratch::new(&rig.bake);
    let joint = bent(75.0).output_from_model(1).expect("two joints");
    let (home, _) = rig.solve(&bent(75.0), &SkinSettings::default());
    for second in (0..60).step_by(4) {
        let t = second as f32;
        let root = Affine3A::from_rotation_translation(Quat::from_rotation_y(t), Vec3::X * t);
        // As engines give it: from the world back into the space of the mesh.
        let local = root.inverse();
        let pose = Pose::new(&[local * root, local * (root * joint)]);
        let out = solve_in(&rig, &pose, &mut scratch, &Serial);
        for (home, out) in home.iter().zip(&out) {
            assert!(wide(*home).distance(wide(*out)) < 1e-4, "at {t} s");
        }
        // In world space rounding is that of numbers 60 times as large.
        let out = solve_in(&rig, &Pose::new(&[root, root * joint]), &mut scratch, &Serial);
        for (home, out) in home.iter().zip(&out) {
            let expected = root.transform_point3(Vec3::from(*home));
            assert!(expected.distance(Vec3::from(*out)) < 1e-3, "at {t} s in the world");
        }
    }
}

#[test]
fn a_pose_gives_the_same_bits_whatever_came_before() {
    let rig = Rig::finger();
    let cold = solve_in(&rig, &bent(120.0), &mut SkinScratch::new(&rig.bake), &Serial);
    for before in [bent(0.0), bent(170.0), twisted(90.0)] {
        let mut scratch = SkinScratch::new(&rig.bake);
        solve_in(&rig, &before, &mut scratch, &Serial);
        let warm = solve_in(&rig, &bent(120.0), &mut scratch, &Serial);
        assert_eq!(bits(&cold), bits(&warm));
    }
}

#[test]
fn any_number_of_threads_gives_the_same_bits() {
    let rig = Rig::finger();
    let normals = |threads: &dyn Fn(&mut SkinScratch) -> Vec<[f32; 3]>| {
        let mut scratch = SkinScratch::new(&rig.bake);
        let positions = threads(&mut scratch);
        let mut normals = vec![[0.0; 3]; positions.len()];
        let rest: Vec<[f32; 3]> = rig.mesh.positions.iter().map(|p| [0.0, p[1], p[2]]).collect();
        scratch.write_normals(&rig.bake, &rest, &mut normals, &Serial).expect("fits");
        (bits(&positions), bits(&normals), scratch.states().to_vec())
    };
    let one = normals(&|scratch| solve_in(&rig, &bent(120.0), scratch, &Serial));
    for count in [2, 8, 100] {
        let many = normals(&|s| solve_in(&rig, &bent(120.0), s, &ScopedThreads(count)));
        assert!(one == many, "{count} threads");
    }
    let bake = |threads| {
        let Mesh { positions, triangles, influences } = &rig.mesh;
        let joints = crate::fixtures::joints();
        let source = SkinSource { positions, triangles, influences, joints: &joints };
        SkinBake::new(&source, &BakeSettings::default(), &ScopedThreads(threads)).expect("good")
    };
    assert!(bake(1) == bake(2) && bake(1) == rig.bake);
}

#[test]
fn a_bend_moves_no_vertex_that_it_is_no_candidate_for() {
    // Four joints along the tube; only the last one bends.
    let heads = [-4.0, -2.0, 0.0, 2.0];
    let mesh = tube_of(&heads, 0.5, 0.0);
    let joints: Vec<JointRest> = (0_u16..)
        .zip(heads)
        .map(|(joint, x)| JointRest {
            parent: joint.checked_sub(1),
            head: Vec3::X * x as f32,
            ..JointRest::default()
        })
        .collect();
    let Mesh { positions, triangles, influences } = &mesh;
    let source = SkinSource { positions, triangles, influences, joints: &joints };
    let bake = SkinBake::new(&source, &BakeSettings::default(), &Serial).expect("a good mesh");
    assert_eq!(bake.report().field_count(), 4);
    let tuned = TunedSkin::new(&bake, &Tuning::default());
    let hinge = Affine3A::from_translation(Vec3::X * 2.0)
        * Affine3A::from_rotation_z(1.4)
        * Affine3A::from_translation(Vec3::X * -2.0);
    let rest = Affine3A::IDENTITY;
    let pose = Pose::new(&[rest, rest, rest, hinge]);
    let mut scratch = SkinScratch::new(&bake);
    let settings = SkinSettings::default();
    deform(&bake, &tuned, &settings, &pose, &mut scratch, &Serial).expect("fits");
    let mut out = vec![[0.0; 3]; positions.len()];
    scratch.write_positions(&bake, &mut out, &Serial).expect("fits");
    let mut dual = out.clone();
    dual_quaternion(influences, &pose, positions, &mut dual, &Serial).expect("fits");
    let (mut far, mut corrected) = (0, 0);
    for ((rest, out), dual) in positions.iter().zip(&out).zip(&dual) {
        corrected += u32::from(out != dual);
        // The first two joints' vertices weigh nothing on the last two.
        if rest[0] < -0.5 {
            assert_eq!(out, rest);
            far += 1;
        }
    }
    assert!(far > 1000 && corrected > 100, "{far} {corrected}");
}

#[test]
fn strength_fades_from_plain_skinning_to_the_full_effect() {
    let rig = Rig::finger();
    let at = |strength| {
        let settings = SkinSettings { strength, ..SkinSettings::default() };
        rig.solve(&bent(100.0), &settings).0
    };
    let mut dual = vec![[0.0; 3]; rig.mesh.positions.len()];
    dual_quaternion(&rig.mesh.influences, &bent(100.0), &rig.mesh.positions, &mut dual, &Serial)
        .expect("fits");
    let (none, half, full) = (at(0.0), at(0.5), at(1.0));
    assert_eq!(none, dual);
    for ((a, b), c) in none.iter().zip(&half).zip(&full) {
        assert!(wide(*b).distance((wide(*a) + wide(*c)) / 2.0) < 1e-6);
    }
    assert!(none.iter().zip(&full).any(|(a, c)| wide(*a).distance(wide(*c)) > 0.1));
}

#[test]
fn levels_of_detail_fade_out_before_plain_skinning_begins() {
    let lod = Lod::default();
    assert_eq!(lod.at(1.0), (LodLevel::Full, 1.0));
    assert_eq!(lod.at(0.0), (LodLevel::Plain, 0.0));
    assert_eq!(lod.at(f32::NAN).0, LodLevel::Plain);
    let strengths: Vec<f32> = (0..=1000).map(|i| lod.at(i as f32 / 1000.0).1).collect();
    assert!(strengths.is_sorted());
    assert!(strengths.windows(2).all(|pair| pair[1] - pair[0] < 0.02));

    let rig = Rig::finger();
    let solve = |level, strength| {
        rig.solve(&bent(90.0), &SkinSettings::default().with_lod(level, strength)).0
    };
    let (plain, faded) = (solve(LodLevel::Plain, 0.0), solve(LodLevel::Reduced, 0.0));
    assert_eq!(plain, faded);
    // The reduced level is most of the way to the full one.
    let (full, reduced) = (solve(LodLevel::Full, 1.0), solve(LodLevel::Reduced, 1.0));
    let off = |a: &[[f32; 3]]| {
        let squares = a.iter().zip(&full).map(|(a, b)| wide(*a).distance_squared(wide(*b)));
        squares.sum::<f64>().sqrt()
    };
    assert!(off(&reduced) < 0.5 * off(&plain), "{} of {}", off(&reduced), off(&plain));
}

#[test]
fn without_contact_smoothing_changes_nothing() {
    let rig = Rig::finger();
    let with = |smoothings| {
        let settings = SkinSettings { smoothings, ..SkinSettings::default() };
        rig.solve(&twisted(25.0), &settings)
    };
    let ((rough, report), (smooth, _)) = (with(0), with(5));
    assert_eq!(report.contact, 0);
    assert_eq!(rough, smooth);
}

#[test]
fn vertices_out_of_contact_keep_their_value() {
    let rig = Rig::finger();
    for degrees in [30.0, 60.0, 90.0, 120.0] {
        let mut scratch = SkinScratch::new(&rig.bake);
        solve_in(&rig, &bent(degrees), &mut scratch, &Serial);
        let mut checked = 0;
        for (vertex, state) in scratch.states().iter().enumerate() {
            if matches!(state, VertexState::Fitted | VertexState::Moving) {
                let x = scratch.positions()[vertex].into();
                let here = scratch.fields().sample(&rig.bake, &rig.tuned, x).expect("on the skin");
                let missing = here.value - rig.tuned.iso(vertex).expect("a vertex");
                assert!(missing.abs() <= 1e-3, "{degrees}, {vertex}: {missing}");
                checked += 1;
            }
        }
        assert!(checked > 500, "{checked}");
    }
}

#[test]
fn split_vertices_stay_together() {
    let mut mesh = tube(1.0, 0.0);
    // Each triangle of one strip along the tube gets vertices of its own, as at a texture seam.
    let (mut split, mut sources) = (Vec::new(), Vec::new());
    for triangle in mesh.triangles.iter_mut().step_by(3) {
        for corner in triangle {
            sources.push(*corner);
            let copy = (mesh.positions.len() + split.len()) as u32;
            split.push(mesh.positions[*corner as usize]);
            *corner = copy;
        }
    }
    let whole = mesh.positions.len();
    mesh.positions.extend(split);
    let rows: Vec<[f32; 4]> = (0..whole as u32)
        .chain(sources.iter().copied())
        .map(|vertex| {
            let (joints, weights) = mesh.influences.row(vertex as usize);
            let mut row = [0.0; 4];
            for (joint, weight) in joints.iter().zip(weights) {
                row[usize::from(*joint)] = *weight;
            }
            row
        })
        .collect();
    let joints = vec![[0, 1, 2, 3]; rows.len()];
    let set = sinew_fields::InfluenceSet { joints: &joints, weights: &rows };
    mesh.influences = sinew_fields::Influences::new(2, rows.len(), &[set]).expect("good").0;
    let rig = Rig::of(mesh, sinew_fields::JointOperator::default());
    assert_eq!(rig.bake.skin_vertex_count(), whole);
    let (out, _) = rig.solve(&bent(115.0), &SkinSettings::default());
    for (copy, source) in out[whole..].iter().zip(&sources) {
        assert_eq!(*copy, out[*source as usize]);
    }
}

#[test]
fn normals_follow_the_solved_surface_and_tangents_stay_in_it() {
    let rig = Rig::finger();
    let mut scratch = SkinScratch::new(&rig.bake);
    let out = solve_in(&rig, &bent(80.0), &mut scratch, &Serial);
    let count = out.len();
    let rest: Vec<[f32; 3]> = rig
        .mesh
        .positions
        .iter()
        .map(|p| DVec3::new(0.0, p[1].into(), p[2].into()).normalize().as_vec3().into())
        .collect();
    let along = vec![[1.0, 0.0, 0.0, -1.0]; count];
    let (mut normals, mut tangents) = (vec![[0.0; 3]; count], vec![[0.0; 4]; count]);
    scratch.write_normals(&rig.bake, &rest, &mut normals, &Serial).expect("fits");
    scratch.write_tangents(&rig.bake, &along, &mut tangents, &Serial).expect("fits");
    // Naive reference: the sum of the triangles' areas.
    let mut sums = vec![DVec3::ZERO; count];
    for triangle in &rig.mesh.triangles {
        let [a, b, c] = triangle.map(|v| wide(out[v as usize]));
        for vertex in triangle {
            sums[*vertex as usize] += (b - a).cross(c - a);
        }
    }
    for vertex in 0..count {
        let [x, y, z, w] = tangents[vertex];
        let (normal, tangent) = (wide(normals[vertex]), wide([x, y, z]));
        assert!((normal.length() - 1.0).abs() < 1e-4 && (tangent.length() - 1.0).abs() < 1e-4);
        assert!(normal.dot(tangent).abs() < 1e-3 && w == -1.0);
        let rest = rig.mesh.positions[vertex][0].abs();
        if rest < 3.9 {
            let angle = normal.angle_between(sums[vertex]).to_degrees();
            assert!(angle < 12.0, "{vertex} at {rest}: {angle}");
        }
    }
}

#[test]
fn a_twist_is_continuous_and_keeps_volume() {
    let rig = Rig::finger();
    let volume = |out: &[[f32; 3]]| {
        let corner = |v: u32| wide(out[v as usize]);
        rig.mesh
            .triangles
            .iter()
            .map(|&[a, b, c]| corner(a).dot(corner(b).cross(corner(c))))
            .sum::<f64>()
            / 6.0
    };
    let rest = volume(&rig.mesh.positions);
    let mut before: Option<Vec<[f32; 3]>> = None;
    for degree in 0..=180 {
        let (out, _) = rig.solve(&twisted(degree as f32), &SkinSettings::default());
        if degree == 90 {
            assert!((volume(&out) / rest - 1.0).abs() < 0.15);
        }
        if let Some(before) = before.filter(|_| degree <= 170) {
            let steps: Vec<f64> =
                before.iter().zip(&out).map(|(a, b)| wide(*a).distance(wide(*b))).collect();
            let most = steps.iter().copied().fold(0.0, f64::max);
            // The turning end moves by one degree of a radius; half of the vertices do not move.
            assert!(most < 3.0 * 1.0_f64.to_radians(), "{degree}: {most}");
        }
        before = Some(out);
    }
}
