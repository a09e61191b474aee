//! Chain space, scale and where in the world a chain is (tests 33, 34 without Bevy; IK-01, IK-02, IK-04, IK-07, IK-17).

use sinew_ik::glam::{Affine3A, Mat3, Quat, Vec3};
use sinew_ik::{ChainFrame, FrameError, Goal, Joint, Limit, Settings, Status, Task};

use crate::fixtures::{Random, Rig, row};

/// The tip in the world by plain affine transforms, as an engine's hierarchy would have it.
fn world_tip(parent: Affine3A, rig: &Rig) -> Vec3 {
    let mut world = parent;
    for (joint, rotation) in rig.joints.iter().zip(rig.state.rotations()) {
        world *=
            Affine3A::from_scale_rotation_translation(joint.scale, *rotation, joint.translation);
    }
    world.transform_point3(rig.tip)
}

fn parents() -> Vec<Affine3A> {
    let turn = Quat::from_rotation_x(-core::f32::consts::FRAC_PI_2) * Quat::from_rotation_y(0.4);
    let at = Vec3::new(3.0, 0.5, -2.0);
    let mut all: Vec<Affine3A> = [0.01, 0.1, 1.0, 7.0, 100.0, -3.0]
        .iter()
        .map(|&s| Affine3A::from_scale_rotation_translation(Vec3::splat(s), turn, at))
        .collect();
    for scale in [Vec3::new(1.0, 2.0, 1.0), Vec3::new(-1.0, 1.0, 1.0)] {
        all.push(Affine3A::from_scale_rotation_translation(scale, turn, at));
    }
    let mut shear = Mat3::from_quat(turn);
    shear.y_axis += 0.5 * shear.x_axis;
    all.push(Affine3A::from_mat3_translation(shear, at));
    all
}

#[test]
fn targets_are_met_in_the_world_under_any_parent() {
    let mut random = Random(33);
    for parent in parents() {
        let frame = ChainFrame::new(parent).expect("invertible");
        for _ in 0..50 {
            let mut rig = Rig::chain_a();
            let chain_target = random.direction() * random.between(0.2, 0.85);
            let world_target = parent.transform_point3(chain_target);
            let report = rig.reach(frame.chain_point(world_target), &Settings::default());
            assert_eq!(report.status, Status::Reached);
            let size = parent.matrix3.x_axis.length().max(parent.matrix3.y_axis.length()) * 0.9;
            let miss = world_tip(parent, &rig).distance(world_target);
            assert!(miss < 1e-3 * size, "{parent}: {miss}");
            // A world tolerance holds whatever the direction.
            let tolerance = frame.chain_tolerance(1e-3);
            let stretch = parent.transform_vector3(random.direction() * tolerance).length();
            assert!(stretch <= 1e-3 * 1.001);
        }
    }
}

#[test]
fn a_rig_in_centimetres_turns_like_one_in_metres() {
    let metres = Rig::chain_a();
    let mut centimetres: Vec<Joint> = metres.joints.clone();
    centimetres.iter_mut().for_each(|joint| joint.translation *= 100.0);
    let mut big = Rig::new(centimetres, metres.tip * 100.0);
    let mut small = metres;
    let mut random = Random(34);
    for _ in 0..100 {
        let target = random.direction() * random.between(0.2, 1.1);
        small.reach(target, &Settings::default());
        big.reach(target * 100.0, &Settings::default());
        for (a, b) in small.state.rotations().iter().zip(big.state.rotations()) {
            let off = (*a - *b).length().min((*a + *b).length());
            assert!(off < 1e-5, "{target}: {off}");
        }
    }
}

#[test]
fn scales_inside_the_chain_stretch_its_bones() {
    let mut reference = Rig::new(row(5, 0.2, 0.3, Limit::Free), Vec3::X * 0.2);
    for (root_scale, middle) in [(1.0, 2.0), (0.01, 2.0), (100.0, 0.5), (3.0, -1.0), (-1.0, 1.0)] {
        let mut joints = reference.joints.clone();
        joints[0].scale = Vec3::splat(root_scale);
        joints[2].scale = Vec3::splat(middle);
        let mut rig = Rig::new(joints, reference.tip);
        assert!(!rig.chain.is_sheared());
        let target = Vec3::new(0.4, 0.3, 0.2).normalize() * rig.chain.length() * 0.7;
        let report = rig.reach(target, &Settings::default());
        assert_eq!(report.status, Status::Reached, "{report:?}");
        assert!(rig.miss(target) < 1e-4 * f64::from(rig.chain.length()) * 1.1);
    }
    // The same chain but for its size has the same rotations (IK-02).
    let target = Vec3::new(0.3, 0.4, -0.2);
    reference.reach(target, &Settings::default());
    for size in [0.01, 3.0, 100.0] {
        let mut joints = reference.joints.clone();
        joints[0].scale = Vec3::splat(size);
        let mut rig = Rig::new(joints, reference.tip);
        rig.reach(target * size, &Settings::default());
        for (a, b) in rig.state.rotations().iter().zip(reference.state.rotations()) {
            assert!(a.angle_between(*b) < 1e-3);
        }
    }
}

/// IK-04: scale that is not uniform inside the chain.
#[test]
fn sheared_chains_still_reach_and_say_so() {
    let mut random = Random(4);
    let mut reached = 0;
    for _ in 0..100 {
        let mut joints = row(4, 0.3, 0.3, Limit::Free);
        joints[0].scale = Vec3::new(1.0, 2.0, 0.5);
        let mut rig = Rig::new(joints, Vec3::X * 0.3);
        assert!(rig.chain.is_sheared());
        let target = random.direction() * random.between(0.3, 0.7);
        let report = rig.reach(target, &Settings::default());
        assert!(report.sheared);
        let miss = world_tip(Affine3A::IDENTITY, &rig).distance(target);
        if report.reached() {
            reached += 1;
            assert!(miss < 2e-4 * rig.chain.length(), "{miss} {report:?}");
        }
    }
    assert!(reached >= 80, "{reached}");
}

/// IK-07: far away from the origin.
#[test]
fn distance_from_the_origin_does_not_matter() {
    let mut reference = Rig::chain_a();
    let target = Vec3::new(0.4, 0.3, 0.2);
    reference.reach(target, &Settings::default());
    for (away, slack) in [(1e2, 1e-3), (1e4, 1e-3), (1e5, 1e-2)] {
        let parent = Affine3A::from_translation(Vec3::new(away, -away, away));
        let frame = ChainFrame::new(parent).expect("invertible");
        // The target is given in the parent's space, as a child of the same vehicle would be.
        let chain_target = frame.chain_point_from(parent, target);
        assert!(chain_target.distance(target) < 1e-6);
        let mut rig = Rig::chain_a();
        rig.reach(chain_target, &Settings::default());
        for (a, b) in rig.places().iter().zip(reference.places()) {
            assert!(a.distance(b) < slack * 0.9);
        }
        // And as a rounded world point.
        let rounded = frame.chain_point(frame.world_point(target));
        assert!(rounded.distance(target) < 1e-2 * (away / 1e5));
    }
}

/// IK-17: a root that is offset from its parent.
#[test]
fn chains_start_where_their_first_joint_is() {
    let mut joints = row(3, 0.3, 0.2, Limit::Free);
    joints[0].translation = Vec3::new(0.05, 0.08, -0.02);
    let mut rig = Rig::new(joints, Vec3::X * 0.2);
    let target = Vec3::new(0.3, 0.4, 0.2);
    assert!(rig.reach(target, &Settings::default()).reached());
    assert!(rig.miss(target) < 1e-4);
    // Hips that moved since.
    let root = Vec3::new(0.3, 0.0, 0.1);
    let goals = [Goal::reach(target)];
    let task = Task { root, ..Task::new(&rig.chain, &goals) };
    assert!(rig.solve(&task, &Settings::default()).reached());
    let shift = (root - rig.joints[0].translation).as_dvec3();
    assert!((rig.end() + shift).distance(target.as_dvec3()) < 1e-4);
}

#[test]
fn goal_rotations_pass_through_scaled_parents() {
    let turn = Quat::from_rotation_z(0.5);
    for scale in [0.01, 1.0, 100.0, -3.0] {
        let parent = Affine3A::from_scale_rotation_translation(Vec3::splat(scale), turn, Vec3::X);
        let frame = ChainFrame::new(parent).expect("invertible");
        assert!(frame.is_similarity());
        let world = Quat::from_rotation_x(1.0);
        let chain = frame.chain_rotation(world);
        assert!(chain.angle_between(turn.conjugate() * world) < 1e-3);
        assert!(frame.world_rotation(chain).angle_between(world) < 1e-3);
        assert!((frame.chain_length(1.0) - 1.0 / scale.abs()).abs() < 1e-4 / scale.abs());
    }
}

#[test]
fn singular_and_broken_parents_are_refused() {
    let flat = Affine3A::from_scale(Vec3::new(1.0, 0.0, 1.0));
    assert_eq!(ChainFrame::new(flat), Err(FrameError::Singular));
    assert_eq!(ChainFrame::new(Affine3A::from_scale(Vec3::ZERO)), Err(FrameError::Singular));
    let nan = Affine3A::from_translation(Vec3::new(0.0, f32::NAN, 0.0));
    assert_eq!(ChainFrame::new(nan), Err(FrameError::NonFinite));
}
