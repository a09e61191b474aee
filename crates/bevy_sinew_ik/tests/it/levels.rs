//! Chains that hang on chains.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_sinew_ik::prelude::*;
use bevy_transform::prelude::*;

use crate::support::*;

/// A spine of four bones upwards, and an arm from its last joint.
struct Torso {
    spine: Vec<Entity>,
    arm: Vec<Entity>,
}

fn torso(app: &mut App) -> Torso {
    let up = Transform::from_rotation(Quat::from_rotation_z(core::f32::consts::FRAC_PI_2));
    let spine = joints(app, None, up, &bent(4, 0.15, 4.0));
    let arm = joints(app, Some(spine[4]), Transform::from_xyz(0.05, 0.1, 0.0), &bent(2, 0.3, 25.0));
    Torso { spine, arm }
}

const LEAN: Vec3 = Vec3::new(0.25, 0.45, 0.1);
const APPLE: Vec3 = Vec3::new(0.5, 0.8, 0.3);

fn spine_chain() -> impl Bundle {
    (IkChain::ancestors(4), IkTarget::point(LEAN))
}

/// Two bones, or with the last joint of the spine three.
fn arm_chain(bones: u16) -> impl Bundle {
    (IkChain::ancestors(bones), IkTarget::point(APPLE))
}

#[test]
fn an_arm_on_a_solved_spine_reaches_in_the_same_frame_in_any_order_of_spawning() {
    for bones in [2, 3] {
        let mut poses = Vec::new();
        for arm_first in [false, true] {
            let mut app = app();
            let torso = torso(&mut app);
            if arm_first {
                insert(&mut app, torso.arm[2], arm_chain(bones));
                insert(&mut app, torso.spine[4], spine_chain());
            } else {
                insert(&mut app, torso.spine[4], spine_chain());
                insert(&mut app, torso.arm[2], arm_chain(bones));
            }
            app.update();
            assert!(
                place(&app, torso.arm[2]).distance(APPLE) <= 1e-4 * 0.75,
                "arm first: {arm_first}"
            );
            assert!(place(&app, torso.spine[4]).distance(LEAN) <= 1e-4 * 0.6 + 1e-6);
            poses.push(rotations(&app, &[torso.spine, torso.arm].concat()));
        }
        assert_eq!(poses[0], poses[1]);
    }
}

#[test]
fn a_hand_that_follows_another_hand_is_solved_after_it() {
    for follower_first in [false, true] {
        let mut app = app();
        let [_, _, left] = arm(&mut app);
        let right = joints(&mut app, None, Transform::from_xyz(0.0, 0.0, 1.0), &bent(2, 1.0, 10.0));
        let apple = spawn(&mut app, Transform::from_xyz(0.5, 0.9, 0.5));
        let chains = [(left, IkTarget::entity(apple)), (right[2], IkTarget::entity(left))];
        let order = if follower_first { [1, 0] } else { [0, 1] };
        for index in order {
            let (hand, target) = chains[index];
            insert(&mut app, hand, (IkChain::ancestors(2), target));
        }
        for step in 0..10 {
            edit::<Transform>(&mut app, apple, |apple| apple.translation.x = 0.1 * step as f32);
            app.update();
            assert!(place(&app, right[2]).distance(place(&app, left)) < 4e-4);
        }
        // Following begins later, too.
        set_target(&mut app, right[2], IkTarget::point(Vec3::Z));
        set_target(&mut app, left, IkTarget::entity(right[2]));
        app.update();
        assert!(place(&app, left).distance(place(&app, right[2])) < 4e-4);
    }
}

#[test]
fn two_hands_that_follow_each_other_come_to_an_end() {
    let mut app = app();
    let [_, _, left] = arm(&mut app);
    let [_, _, right] = arm(&mut app);
    insert(&mut app, left, (IkChain::ancestors(2), IkTarget::entity(right)));
    insert(&mut app, right, (IkChain::ancestors(2), IkTarget::entity(left)));
    updates(&mut app, 5);
    assert_sound(&mut app);
}

/// A root with two joints above a fork; both chains go from the root to the ends of the fork.
fn fork(app: &mut App, priorities: [i32; 2], order: [usize; 2]) -> Vec<Entity> {
    let stem = joints(app, None, Transform::default(), &bent(2, 0.4, 10.0));
    let left = joints(app, Some(stem[2]), Transform::from_xyz(0.3, 0.1, 0.0), &bent(1, 0.3, 10.0));
    let right =
        joints(app, Some(stem[2]), Transform::from_xyz(0.3, -0.1, 0.0), &bent(1, 0.3, 10.0));
    let ends = [
        (left[1], "left", Vec3::new(0.6, 0.7, 0.2)),
        (right[1], "right", Vec3::new(0.9, -0.5, 0.0)),
    ];
    for index in order {
        let (end, name, target) = ends[index];
        let chain = IkChain { priority: priorities[index], ..IkChain::ancestors(4) };
        insert(app, end, (chain, IkTarget::point(target), Name::new(name)));
    }
    [stem, left, right].concat()
}

#[test]
fn priority_decides_who_has_the_last_word_and_spawn_order_does_not() {
    let solve = |priorities, order| {
        let mut app = app();
        let all = fork(&mut app, priorities, order);
        updates(&mut app, 4);
        let reached = [
            place(&app, all[4]).distance(Vec3::new(0.6, 0.7, 0.2)),
            place(&app, all[6]).distance(Vec3::new(0.9, -0.5, 0.0)),
        ];
        (rotations(&app, &all), reached)
    };
    let (left_last, errors) = solve([1, 0], [0, 1]);
    assert!(errors[0] < 2e-4, "the left one has the last word: {errors:?}");
    let (right_last, errors) = solve([0, 1], [0, 1]);
    assert!(errors[1] < 2e-4, "the right one has the last word: {errors:?}");
    assert_ne!(left_last, right_last);
    for priorities in [[1, 0], [0, 1], [0, 0]] {
        assert_eq!(solve(priorities, [0, 1]).0, solve(priorities, [1, 0]).0, "{priorities:?}");
    }
}

#[test]
fn limbs_and_spine_of_one_skeleton_stay_connected_while_targets_run_about() {
    // IK-15: arms, legs and spine; targets at 5 m/s for 3,000 frames.
    let mut app = app();
    let torso = torso(&mut app);
    let other = joints(
        &mut app,
        Some(torso.spine[4]),
        Transform::from_xyz(0.05, -0.1, 0.0),
        &bent(2, 0.3, -25.0),
    );
    let legs = [0.1, -0.1].map(|side| {
        joints(
            &mut app,
            Some(torso.spine[0]),
            Transform::from_xyz(-0.05, side, 0.0),
            &bent(2, 0.4, 15.0),
        )
    });
    let ends = [torso.spine[4], torso.arm[2], other[2], legs[0][2], legs[1][2]];
    let all: Vec<Entity> =
        [torso.spine.clone(), torso.arm.clone(), other.clone(), legs[0].clone(), legs[1].clone()]
            .concat();
    for (index, &end) in ends.iter().enumerate() {
        let bones = [4, 3, 3, 2, 2][index];
        insert(&mut app, end, (IkChain::ancestors(bones), IkTarget::default()));
    }
    let mut dice = Dice(7);
    let mut targets = [Vec3::new(0.2, 0.4, 0.0); 5];
    let mut headings = [Vec3::X; 5];
    let rest: Vec<Option<f32>> = all.iter().map(|&joint| bone_length(&app, joint)).collect();
    for _ in 0..3_000 {
        for (index, &end) in ends.iter().enumerate() {
            let centre = Vec3::new(0.0, 0.2, 0.0);
            headings[index] = (headings[index] + 0.3 * dice.vector()
                - 0.2 * (targets[index] - centre))
                .normalize();
            targets[index] += headings[index] * (5.0 / 64.0);
            set_target(&mut app, end, IkTarget::point(targets[index]));
        }
        app.update();
        for (&joint, rest) in all.iter().zip(&rest) {
            if let (Some(rest), Some(now)) = (rest, bone_length(&app, joint)) {
                assert!((rest - now).abs() < 1e-4);
            }
        }
    }
    assert_sound(&mut app);
}

/// World distance of a joint to its parent joint.
fn bone_length(app: &App, joint: Entity) -> Option<f32> {
    let parent = app.world().get::<ChildOf>(joint)?.parent();
    let local = app.world().get::<Transform>(joint)?.translation;
    if app.world().get::<GlobalTransform>(joint)?.translation() == Vec3::ZERO {
        return Some(local.length());
    }
    Some(place(app, joint).distance(place(app, parent)))
}
