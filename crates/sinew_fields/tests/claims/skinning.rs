//! Plain skinning alone: linear blend and dual quaternions against naive references in double precision.

use glam::{Affine3A, DAffine3, DMat3, DQuat, DVec3, Quat, Vec3};
use sinew_fields::skinning::{
    InfluenceError, JointShape, SkinningError, dual_quaternion, linear_blend, rotate_normals,
};
use sinew_fields::{InfluenceSet, Influences, Pose, Serial};

use crate::fixtures::{Random, bent, tube, twisted, wide};

const JOINTS: usize = 12;

/// Rows of eight influences over two sets, of any sum.
fn eight_influences(vertices: usize, random: &mut Random) -> [(Vec<[u16; 4]>, Vec<[f32; 4]>); 2] {
    core::array::from_fn(|_| {
        let joint = |random: &mut Random| (random.unit() * JOINTS as f64) as u16;
        let joints = (0..vertices).map(|_| core::array::from_fn(|_| joint(random))).collect();
        let weights =
            (0..vertices).map(|_| core::array::from_fn(|_| random.unit() as f32)).collect();
        (joints, weights)
    })
}

fn random_motion(random: &mut Random) -> (DQuat, DVec3) {
    let mut four = || DQuat::from_xyzw(random.signed(), random.signed(), random.signed(), 1.0);
    let turn = (four() * four()).normalize();
    (turn, DVec3::new(random.signed(), random.signed(), random.signed()) * 3.0)
}

/// Kavan et al. 2008 written out: the blended dual quaternion as a rotation and a translation.
fn reference(row: &[(usize, f64)], motions: &[(DQuat, DVec3)], x: DVec3) -> DVec3 {
    let dual = |(q, t): (DQuat, DVec3)| DQuat::from_xyzw(t.x, t.y, t.z, 0.0) * q * 0.5;
    let heaviest = row.iter().fold(row[0], |best, &next| if next.1 > best.1 { next } else { best });
    let pivot = motions[heaviest.0].0;
    let (mut real, mut moved) =
        (DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0), DQuat::from_xyzw(0.0, 0.0, 0.0, 0.0));
    for &(joint, weight) in row {
        let sign = if motions[joint].0.dot(pivot) < 0.0 { -weight } else { weight };
        real += motions[joint].0 * sign;
        moved += dual(motions[joint]) * sign;
    }
    let length = real.length();
    let (real, moved) = (real * length.recip(), moved * length.recip());
    let t = moved * real.conjugate() * 2.0;
    real * x + DVec3::new(t.x, t.y, t.z)
}

#[test]
fn eight_influences_match_a_reference_in_double_precision() {
    let mut random = Random(5);
    let positions: Vec<[f32; 3]> =
        (0..60).map(|_| core::array::from_fn(|_| random.signed() as f32)).collect();
    let sets = eight_influences(positions.len(), &mut random);
    let given = sets.each_ref().map(|(joints, weights)| InfluenceSet { joints, weights });
    let (influences, _) = Influences::new(JOINTS, positions.len(), &given).expect("good sets");
    for _ in 0..200 {
        let motions: Vec<_> = (0..JOINTS).map(|_| random_motion(&mut random)).collect();
        let affine = |&(q, t): &(DQuat, DVec3)| {
            Affine3A::from_rotation_translation(q.as_quat(), t.as_vec3())
        };
        let pose = Pose::new(&motions.iter().map(affine).collect::<Vec<_>>());
        let (mut linear, mut dual) = (vec![[0.0; 3]; 60], vec![[0.0; 3]; 60]);
        linear_blend(&influences, &pose, &positions, &mut linear, &Serial).expect("fits");
        dual_quaternion(&influences, &pose, &positions, &mut dual, &Serial).expect("fits");
        for vertex in 0..positions.len() {
            // Sum per joint, over both sets.
            let mut by_joint = [0.0; JOINTS];
            for (joints, weights) in &sets {
                for (joint, weight) in joints[vertex].iter().zip(weights[vertex]) {
                    by_joint[usize::from(*joint)] += f64::from(weight);
                }
            }
            let sum: f64 = by_joint.iter().sum();
            let row: Vec<(usize, f64)> = by_joint
                .map(|w| w / sum)
                .into_iter()
                .enumerate()
                .filter(|(_, w)| *w > 0.0)
                .collect();
            let x = wide(positions[vertex]);
            let blend: DVec3 =
                row.iter().map(|&(j, w)| (motions[j].0 * x + motions[j].1) * w).sum();
            assert!(wide(linear[vertex]).distance(blend) < 1e-4);
            let expected = reference(&row, &motions, x);
            let off = wide(dual[vertex]).distance(expected);
            assert!(off < 1e-4, "{vertex}: {off}");
        }
    }
}

#[test]
fn linear_blend_shrinks_a_bend_by_the_cosine_of_its_half_and_dual_quaternions_do_not() {
    let half = InfluenceSet { joints: &[[0, 1, 0, 0]], weights: &[[0.5, 0.5, 0.0, 0.0]] };
    let (influences, _) = Influences::new(2, 1, &[half]).expect("good weights");
    for degrees in [60.0_f32, 90.0, 120.0, 150.0] {
        for pose in [bent(degrees), twisted(degrees)] {
            let mut out = [[0.0; 3]];
            linear_blend(&influences, &pose, &[[0.0, -1.0, 0.0]], &mut out, &Serial).expect("fits");
            let radius = f64::from(Vec3::from(out[0]).length());
            assert!((radius - (f64::from(degrees) / 2.0).to_radians().cos()).abs() < 1e-6);
            dual_quaternion(&influences, &pose, &[[0.0, -1.0, 0.0]], &mut out, &Serial)
                .expect("fits");
            assert!((Vec3::from(out[0]).length() - 1.0).abs() < 1e-6);
        }
    }
}

#[test]
fn opposite_signs_of_one_rotation_make_no_difference() {
    let mesh = tube(1.0, 0.0);
    let turn = Quat::from_rotation_z(1.0);
    let mut out = [vec![[0.0; 3]; mesh.positions.len()], vec![[0.0; 3]; mesh.positions.len()]];
    for (out, turn) in out.iter_mut().zip([turn, -turn]) {
        let pose = Pose::new(&[Affine3A::IDENTITY, Affine3A::from_quat(turn)]);
        dual_quaternion(&mesh.influences, &pose, &mesh.positions, out, &Serial).expect("fits");
    }
    assert_eq!(out[0], out[1]);
}

#[test]
fn scale_is_applied_before_the_rotation_and_shear_is_kept() {
    let one = InfluenceSet { joints: &[[0; 4]], weights: &[[1.0, 0.0, 0.0, 0.0]] };
    let (influences, _) = Influences::new(1, 1, &[one]).expect("good weights");
    let x = DVec3::new(0.3, -0.7, 0.9);
    let turn = DMat3::from_quat(DQuat::from_rotation_y(0.8));
    let shears = [
        (DMat3::from_diagonal(DVec3::splat(2.0)), JointShape::Rigid),
        (DMat3::from_diagonal(DVec3::splat(-0.5)), JointShape::Rigid),
        (DMat3::from_diagonal(DVec3::new(1.0, 2.0, 0.5)), JointShape::Stretched),
        (DMat3::from_cols(DVec3::X, DVec3::new(0.4, 1.0, 0.0), DVec3::Z), JointShape::Stretched),
    ];
    for (stretch, shape) in shears {
        let affine = DAffine3::from_mat3_translation(turn * stretch, DVec3::new(1.0, 2.0, 3.0));
        let pose = Pose::new(&[affine.as_affine3a()]);
        assert_eq!(pose.shape(0), Some(shape));
        let mut out = [[0.0; 3]];
        dual_quaternion(&influences, &pose, &[x.as_vec3().into()], &mut out, &Serial)
            .expect("fits");
        let off = wide(out[0]).distance(affine.transform_point3(x));
        assert!(off < 1e-5, "{stretch:?}: {off}");
    }
}

#[test]
fn the_largest_weights_of_one_joint_add_up_without_overflow() {
    let set = InfluenceSet {
        joints: &[[1, 1, 0, 1]],
        weights: &[[f32::MAX, f32::MAX, f32::MAX, f32::MAX]],
    };
    let (influences, _) = Influences::new(2, 1, &[set]).expect("one vertex");
    assert_eq!(influences.row(0), (&[1, 0][..], &[0.75, 0.25][..]));
}

#[test]
fn weights_sum_to_one_whatever_was_stored_and_what_was_put_right_is_counted() {
    let joints = [[0, 1, 2, 3]; 6];
    let weights = [
        [0.1, 0.05, 0.035, 0.0],
        [4.0, 4.0, 4.0, 4.0],
        [0.0; 4],
        [f32::NAN, -1.0, 0.5, 0.0],
        [0.0, 0.0, 0.0, 1.0],
        [0.25; 4],
    ];
    let set = InfluenceSet { joints: &joints, weights: &weights };
    let (influences, report) = Influences::new(3, 6, &[set]).expect("cleaned");
    for vertex in 0..6 {
        let (row, weights) = influences.row(vertex);
        assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-5);
        assert!(weights.is_sorted_by(|a, b| a >= b) && row.iter().all(|&joint| joint < 3));
    }
    assert_eq!(influences.row(2), (&[0_u16][..], &[1.0_f32][..]));
    assert_eq!((report.unweighted, report.bad_weights, report.bad_joints), (2, 2, 3));
    assert_eq!(report.renormalised, 4);

    // A character that walks away takes all of its vertices along.
    let far = Pose::new(&[Affine3A::from_translation(Vec3::X * 100.0); 3]);
    let rest: Vec<[f32; 3]> = (0..6).map(|i| [0.1 * i as f32, 0.2, 0.3]).collect();
    let mut out = vec![[0.0; 3]; 6];
    linear_blend(&influences, &far, &rest, &mut out, &Serial).expect("fits");
    for (rest, out) in rest.iter().zip(&out) {
        assert!(wide(*out).distance(wide(*rest) + DVec3::X * 100.0) < 1e-3);
    }
}

#[test]
fn normals_turn_with_the_skin_and_keep_their_length() {
    let mesh = tube(1.0, 0.0);
    let rest: Vec<[f32; 3]> = mesh.positions.iter().map(|p| [0.0, p[1], p[2]]).collect();
    let mut out = vec![[0.0; 3]; rest.len()];
    rotate_normals(&mesh.influences, &bent(90.0), &rest, &mut out, &Serial).expect("fits");
    for ((position, rest), out) in mesh.positions.iter().zip(&rest).zip(&out) {
        assert!((wide(*out).length() - wide(*rest).length()).abs() < 1e-5);
        if position[0] > 1.1 {
            let turned = DVec3::new(-f64::from(rest[1]), 0.0, f64::from(rest[2]));
            assert!(wide(*out).distance(turned) < 1e-5);
        }
    }
}

#[test]
fn what_does_not_fit_is_refused_and_nothing_is_written() {
    let mesh = tube(1.0, 0.0);
    let count = mesh.positions.len();
    let mut short = vec![[7.0; 3]; count - 1];
    let result =
        dual_quaternion(&mesh.influences, &bent(10.0), &mesh.positions, &mut short, &Serial);
    let expected = SkinningError::WrongLength { what: "out", found: count - 1, expected: count };
    assert_eq!(result, Err(expected));
    assert!(short.iter().all(|p| *p == [7.0; 3]));
    let pose = Pose::new(&[Affine3A::IDENTITY; 3]);
    let mut out = vec![[0.0; 3]; count];
    let result = linear_blend(&mesh.influences, &pose, &mesh.positions, &mut out, &Serial);
    assert_eq!(result, Err(SkinningError::WrongJoints { found: 3, expected: 2 }));

    let set = InfluenceSet { joints: &[[0; 4]; 2], weights: &[[1.0; 4]; 3] };
    assert_eq!(Influences::new(0, 2, &[]), Err(InfluenceError::NoJoints));
    let wrong = InfluenceError::WrongLength { set: 0, found: 3, expected: 2 };
    assert_eq!(Influences::new(1, 2, &[set]), Err(wrong));
    let many = InfluenceError::TooManyJoints { joints: 70_000, most: 65_535 };
    assert_eq!(Influences::new(70_000, 2, &[]), Err(many));
}
