//! Entities come and go.

use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_sinew_ik::prelude::*;
use bevy_sinew_ik::{IkBinding, IkError};
use bevy_time::{Time, Virtual};
use bevy_transform::prelude::*;

use crate::support::*;

#[test]
fn a_target_that_is_despawned_is_a_notice_and_the_pose_comes_back() {
    let mut app = app();
    listen::<IkFailed>(&mut app);
    listen::<IkReached>(&mut app);
    listen::<IkLost>(&mut app);
    let [shoulder, elbow, hand] = arm(&mut app);
    let before = rotations(&app, &[shoulder, elbow, hand]);
    let apple = spawn(&mut app, Transform::from_xyz(0.5, 1.0, 0.5));
    insert(&mut app, hand, (IkChain::ancestors(2), IkTarget::entity(apple)));
    updates(&mut app, 3);
    assert_eq!(heard::<IkReached>(&app), [IkReached { entity: hand }]);
    app.world_mut().entity_mut(apple).despawn();
    updates(&mut app, 3);
    let reason = IkError::TargetMissing { entity: apple, component: "IkTarget" };
    assert_eq!(status(&app, hand).state, IkState::Invalid);
    assert_eq!(status(&app, hand).fault, Some(reason.clone()));
    assert_eq!(heard::<IkFailed>(&app), [IkFailed { entity: hand, component: "IkTarget", reason }]);
    assert_eq!(heard::<IkLost>(&app), [IkLost { entity: hand, state: IkState::Invalid }]);
    assert_eq!(rotations(&app, &[shoulder, elbow, hand]), before);
    // Another one.
    set_target(&mut app, hand, IkTarget::point(Vec3::Y));
    app.update();
    assert_eq!(heard::<IkReached>(&app).len(), 2);
    assert_eq!(status(&app, hand).fault, None);
}

#[test]
fn with_smoothing_the_pose_comes_back_by_the_half_life() {
    let mut app = app();
    let found = joints(&mut app, None, Transform::default(), &bent(1, 1.0, 0.0));
    let apple = spawn(&mut app, Transform::from_xyz(0.0, 1.0, 0.0));
    let smoothing = IkSmoothing { half_life: 10.0 / 64.0, max_rate: None };
    insert(&mut app, found[1], (IkChain::ancestors(1), IkTarget::entity(apple), smoothing));
    app.update();
    let quarter = core::f32::consts::FRAC_PI_2;
    assert!((angle(rotation(&app, found[0]), bevy_math::Quat::IDENTITY) - quarter).abs() < 1e-4);
    app.world_mut().entity_mut(apple).despawn();
    app.update();
    assert_eq!(status(&app, found[1]).state, IkState::Invalid);
    updates(&mut app, 9);
    // Half the weight on the way from 90° to 0° is 45°.
    assert!(
        (angle(rotation(&app, found[0]), bevy_math::Quat::IDENTITY) - 0.5 * quarter).abs() < 1e-3
    );
    updates(&mut app, 200);
    assert_eq!(rotation(&app, found[0]), bevy_math::Quat::IDENTITY);
}

#[test]
fn a_joint_that_is_despawned_takes_its_chain_out_and_the_world_goes_on() {
    let mut app = app();
    listen::<IkFailed>(&mut app);
    let [shoulder, elbow, hand] = arm(&mut app);
    let chain = IkChain::new(IkJoints::List(vec![shoulder, elbow, hand]));
    let chain = spawn(&mut app, (chain, IkTarget::point(Vec3::Y)));
    let [_, _, other] = arm(&mut app);
    insert(&mut app, other, (IkChain::ancestors(2), IkTarget::point(Vec3::new(0.2, 1.0, 0.4))));
    updates(&mut app, 2);
    app.world_mut().entity_mut(elbow).despawn();
    updates(&mut app, 3);
    assert_eq!(status(&app, chain).state, IkState::Invalid);
    assert_eq!(status(&app, chain).fault, Some(IkError::NoSuchJoint { joint: elbow }));
    assert_eq!(heard::<IkFailed>(&app).len(), 1);
    // What is left of the arm has its own pose back.
    assert_eq!(rotation(&app, shoulder), bevy_math::Quat::IDENTITY);
    assert!(app.world().get::<IkBasePose>(shoulder).is_none());
    assert_eq!(status(&app, other).state, IkState::Reached);
}

#[test]
fn a_joint_with_a_new_parent_is_bound_anew() {
    let mut app = app();
    let found = joints(&mut app, None, Transform::default(), &bent(2, 0.5, 10.0));
    let crane = joints(&mut app, None, Transform::from_xyz(0.0, 0.2, 0.0), &bent(1, 0.5, 10.0));
    let target = Vec3::new(0.3, 0.7, 0.2);
    insert(&mut app, found[2], (IkChain::ancestors(2), IkTarget::point(target)));
    updates(&mut app, 2);
    app.world_mut().entity_mut(found[1]).insert(ChildOf(crane[1]));
    app.update();
    let bound: Vec<Entity> =
        app.world().get::<IkBinding>(found[2]).expect("a binding").joints().collect();
    assert_eq!(bound, [crane[1], found[1], found[2]]);
    assert!(place(&app, found[2]).distance(target) < 2e-4);
    assert_eq!(
        rotation(&app, found[0]),
        bevy_math::Quat::IDENTITY,
        "the old root has its pose back"
    );
    // The hand is taken off altogether.
    app.world_mut().entity_mut(found[2]).remove::<ChildOf>();
    app.update();
    assert_eq!(
        status(&app, found[2]).fault,
        Some(IkError::TooFewAncestors { wanted: 2, found: 0 })
    );
    assert_sound(&mut app);
}

#[test]
fn a_root_that_is_moved_to_another_scaled_parent_reaches_on() {
    let mut app = app();
    let [shoulder, _, hand] = arm(&mut app);
    let target = Vec3::new(0.5, 1.0, 0.5);
    insert(&mut app, hand, (IkChain::ancestors(2), IkTarget::point(target)));
    app.update();
    let giant = spawn(&mut app, Transform::from_xyz(0.0, -0.5, 0.2).with_scale(Vec3::splat(1.5)));
    app.world_mut().entity_mut(shoulder).insert(ChildOf(giant));
    app.update();
    assert!(place(&app, hand).distance(target) < 3e-4);
}

#[test]
fn a_pause_holds_the_pose() {
    let mut app = app();
    let [_, elbow, hand] = arm(&mut app);
    let smoothing = IkSmoothing { half_life: 0.2, max_rate: Some(1.0) };
    insert(&mut app, hand, (IkChain::ancestors(2), IkTarget::point(Vec3::X * 1.9), smoothing));
    updates(&mut app, 3);
    set_target(&mut app, hand, IkTarget::point(Vec3::Y));
    updates(&mut app, 5);
    app.world_mut().resource_mut::<Time<Virtual>>().pause();
    app.update();
    let held = rotations(&app, &[elbow, hand]);
    updates(&mut app, 20);
    assert_eq!(rotations(&app, &[elbow, hand]), held);
    app.world_mut().resource_mut::<Time<Virtual>>().unpause();
    updates(&mut app, 2);
    assert_ne!(rotations(&app, &[elbow, hand]), held);
}

#[test]
fn a_chain_may_be_despawned_with_all_its_joints() {
    let mut app = app();
    let [shoulder, _, hand] = arm(&mut app);
    insert(&mut app, hand, (IkChain::ancestors(2), IkTarget::point(Vec3::Y)));
    updates(&mut app, 2);
    app.world_mut().entity_mut(shoulder).despawn();
    updates(&mut app, 2);
    assert_eq!(activity(&app).bound, 0);
}
