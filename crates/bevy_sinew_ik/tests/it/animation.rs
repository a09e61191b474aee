//! Under a clip that Bevy plays.

use bevy_animation::animation_curves::AnimatableKeyframeCurve;
use bevy_animation::prelude::*;
use bevy_animation::{AnimatedBy, AnimationTargetId, animated_field};
use bevy_asset::{AssetPlugin, Assets};
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_sinew_ik::prelude::*;
use bevy_transform::prelude::*;

use crate::support::*;

/// The angle of the clip at a time.
fn clip_turn(seconds: f32) -> Quat {
    Quat::from_rotation_y(0.5 * seconds)
}

#[test]
fn a_clip_plays_under_the_chain_and_the_drawn_pose_is_the_solved_one() {
    let mut app = app();
    app.add_plugins((AssetPlugin::default(), AnimationPlugin));
    let [shoulder, elbow, hand] = arm(&mut app);
    let mut clip = AnimationClip::default();
    let target = AnimationTargetId::from_name(&Name::new("shoulder"));
    let keys = (0..=40).map(|step| 0.1 * step as f32).map(|seconds| (seconds, clip_turn(seconds)));
    let curve = AnimatableKeyframeCurve::new(keys).expect("keys in order");
    clip.add_curve_to_target(
        target,
        AnimatableCurve::new(animated_field!(Transform::rotation), curve),
    );
    let clip = app.world_mut().resource_mut::<Assets<AnimationClip>>().add(clip);
    let (graph, node) = AnimationGraph::from_clip(clip);
    let graph = app.world_mut().resource_mut::<Assets<AnimationGraph>>().add(graph);
    let mut player = AnimationPlayer::default();
    player.play(node);
    insert(&mut app, shoulder, (player, AnimationGraphHandle(graph), target, AnimatedBy(shoulder)));
    let apple = Vec3::new(0.3, 1.1, 0.4);
    insert(&mut app, hand, (IkChain::ancestors(2), IkTarget::point(apple)));
    updates(&mut app, 4);
    let mut poses = Vec::new();
    for _ in 0..100 {
        app.update();
        assert!(place(&app, hand).distance(apple) < 2e-4);
        assert!((place(&app, elbow).length() - 1.0).abs() < 1e-5);
        let base = app.world().get::<IkBasePose>(shoulder).expect("a base").rotation();
        poses.push(base);
    }
    // The clip went on below: 99 ticks of 1/64 s at 0.5 rad/s.
    assert!((angle(poses[0], poses[99]) - 0.5 * 99.0 / 64.0).abs() < 1e-3);
    // Without weight the clip is all there is.
    edit::<IkChain>(&mut app, hand, |chain| chain.weight = 0.0);
    app.update();
    let base = app.world().get::<IkBasePose>(shoulder).expect("a base").rotation();
    assert_eq!(rotation(&app, shoulder), base);
    assert!((angle(poses[99], base) - 0.5 / 64.0).abs() < 1e-4);
}
