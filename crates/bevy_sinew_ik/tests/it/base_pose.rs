//! Blending over the pose that the joints have without the chain.

use bevy_app::{AnimationSystems, prelude::*};
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_sinew_ik::prelude::*;
use bevy_transform::prelude::*;

use crate::support::*;

/// One bone along +x whose target is straight up: solved, it is turned by 90° about z.
fn lever(app: &mut App, weight: f32) -> [Entity; 2] {
    let found = joints(app, None, Transform::default(), &bent(1, 1.0, 0.0));
    let chain = IkChain::ancestors(1).with_weight(weight);
    insert(app, found[1], (chain, IkTarget::point(Vec3::Y * 3.0)));
    [found[0], found[1]]
}

#[test]
fn a_chain_of_no_weight_leaves_transforms_bitwise_alone_and_unmarked() {
    let mut app = app();
    watch_changes(&mut app);
    // Not of unit length, as rounding in a file makes it.
    let crooked = Quat::from_xyzw(0.1, 0.2, 0.3, 0.927);
    let [root, tip] = lever(&mut app, 0.0);
    edit::<Transform>(&mut app, root, |joint| joint.rotation = crooked);
    app.update();
    for _ in 0..3 {
        app.update();
        assert_eq!(
            rotation(&app, root).to_array().map(f32::to_bits),
            crooked.to_array().map(f32::to_bits)
        );
        assert_eq!(marked(&app), 0);
        assert_eq!(activity(&app).frame_writes, 0);
    }
    assert_eq!(status(&app, tip).state, IkState::Idle);
}

#[test]
fn half_the_weight_is_half_the_way_and_does_not_drift() {
    let mut app = app();
    let [root, _] = lever(&mut app, 0.5);
    let half = Quat::from_rotation_z(core::f32::consts::FRAC_PI_4);
    app.update();
    let first = rotation(&app, root);
    assert!(angle(first, half) < 1e-5);
    updates(&mut app, 10);
    assert_eq!(rotation(&app, root), first, "ten frames later");
}

#[test]
fn half_the_weight_does_not_drift_while_the_target_moves_and_nothing_animates() {
    let mut app = app();
    let [root, tip] = lever(&mut app, 0.5);
    for step in 0..200 {
        let wave = 0.4 * (step as f32 * 0.3).sin();
        set_target(&mut app, tip, IkTarget::point(Vec3::new(wave, 3.0, 0.0)));
        app.update();
    }
    set_target(&mut app, tip, IkTarget::point(Vec3::Y * 3.0));
    app.update();
    assert!(
        angle(rotation(&app, root), Quat::from_rotation_z(core::f32::consts::FRAC_PI_4)) < 1e-5
    );
}

#[test]
fn release_restores_the_pose_bit_for_bit() {
    let mut app = app();
    let [shoulder, elbow, hand] = arm(&mut app);
    edit::<Transform>(&mut app, shoulder, |joint| joint.rotation = Quat::from_rotation_y(0.3));
    edit::<Transform>(&mut app, elbow, |joint| joint.rotation = Quat::from_rotation_z(0.7));
    let before = rotations(&app, &[shoulder, elbow, hand]);
    insert(&mut app, hand, (IkChain::ancestors(2), IkTarget::point(Vec3::new(0.2, 1.0, 0.4))));
    updates(&mut app, 5);
    assert_ne!(rotations(&app, &[shoulder, elbow, hand]), before);
    for step in (0..=20).rev() {
        edit::<IkChain>(&mut app, hand, |chain| chain.weight = step as f32 / 20.0);
        app.update();
    }
    assert_eq!(rotations(&app, &[shoulder, elbow, hand]), before);
}

#[test]
fn a_removed_chain_gives_the_pose_back() {
    let mut app = app();
    let [shoulder, elbow, hand] = arm(&mut app);
    let before = rotations(&app, &[shoulder, elbow, hand]);
    insert(&mut app, hand, (IkChain::ancestors(2), IkTarget::point(Vec3::new(0.2, 1.0, 0.4))));
    updates(&mut app, 2);
    app.world_mut().entity_mut(hand).remove::<IkChain>();
    app.update();
    assert_eq!(rotations(&app, &[shoulder, elbow, hand]), before);
    assert!(app.world().get::<IkBasePose>(elbow).is_none());
    assert!(app.world().get::<IkStatus>(hand).is_none());
    // And can be put on again.
    insert(&mut app, hand, (IkChain::ancestors(2), IkTarget::point(Vec3::new(0.2, 1.0, 0.4))));
    app.update();
    assert_eq!(status(&app, hand).state, IkState::Reached);
}

/// Sways the joints it is on.
#[derive(Component)]
struct Swaying(f32);

fn sway(phase: f32) -> Quat {
    Quat::from_rotation_y(0.4 * (phase * 0.1).sin())
        * Quat::from_rotation_z(0.2 * (phase * 0.1).cos())
}

#[test]
fn a_chain_over_an_animated_pose_is_the_same_an_hour_later() {
    // IK-12: 36,000 frames at a fixed target; the animation repeats every 60 frames.
    let mut app = app();
    let found = joints(&mut app, None, Transform::default(), &bent(3, 0.5, 20.0));
    for &joint in &found {
        insert(&mut app, joint, Swaying(0.0));
    }
    app.add_systems(
        PostUpdate,
        (|mut joints: Query<(&mut Transform, &mut Swaying)>| {
            for (mut transform, mut swaying) in &mut joints {
                swaying.0 = (swaying.0 + 1.0) % 60.0;
                transform.rotation = sway(swaying.0 * core::f32::consts::TAU / 6.0);
            }
        })
        .in_set(AnimationSystems),
    );
    insert(&mut app, found[3], (IkChain::ancestors(3), IkTarget::point(Vec3::new(0.6, 0.8, 0.2))));
    updates(&mut app, 60);
    let early = rotations(&app, &found);
    updates(&mut app, 36_000 - 60);
    assert!(turned_apart(&rotations(&app, &found), &early) < 1e-3);
    // The weight fades to the pure animation, bit for bit.
    for step in (0..=10).rev() {
        edit::<IkChain>(&mut app, found[3], |chain| chain.weight = step as f32 / 10.0);
        app.update();
    }
    let phase = app.world().get::<Swaying>(found[0]).expect("it sways").0;
    let pure = sway(phase * core::f32::consts::TAU / 6.0);
    assert!(rotations(&app, &found).iter().all(|&rotation| rotation == pure));
    for (pair, length) in found.windows(2).zip([0.5; 3]) {
        assert!((place(&app, pair[0]).distance(place(&app, pair[1])) - length).abs() < 1e-5);
    }
}
