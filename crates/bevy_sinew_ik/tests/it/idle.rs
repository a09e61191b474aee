//! What has not changed costs nothing.

use bevy_math::Vec3;
use bevy_sinew_ik::prelude::*;
use bevy_transform::prelude::*;

use crate::support::*;

#[test]
fn an_idle_chain_is_neither_solved_nor_written() {
    let mut app = app();
    watch_changes(&mut app);
    let [_, _, hand] = arm(&mut app);
    let apple = spawn(&mut app, Transform::from_xyz(0.5, 1.0, 0.5));
    insert(&mut app, hand, (IkChain::ancestors(2), IkTarget::entity(apple)));
    app.update();
    assert_eq!((activity(&app).frame_solves, activity(&app).bound), (1, 1));
    assert!(activity(&app).frame_writes >= 2);
    for _ in 0..3 {
        app.update();
        assert_eq!((activity(&app).frame_solves, activity(&app).frame_writes), (0, 0));
        assert_eq!(marked(&app), 0);
    }
    edit::<Transform>(&mut app, apple, |apple| apple.translation.x += 0.1);
    app.update();
    assert_eq!(activity(&app).frame_solves, 1);
    assert!(place(&app, hand).distance(Vec3::new(0.6, 1.0, 0.5)) < 2e-4);
}

#[test]
fn every_outcome_comes_to_rest() {
    // Out of reach, held by a limit, and chains that share joints.
    let mut app = app();
    watch_changes(&mut app);
    let [_, _, far] = arm(&mut app);
    insert(&mut app, far, (IkChain::ancestors(2), IkTarget::point(Vec3::X * 9.0)));
    let [_, elbow, stiff] = arm(&mut app);
    insert(&mut app, elbow, IkJoint::hinge(Vec3::Z, 0.0, 0.5));
    insert(&mut app, stiff, (IkChain::ancestors(2), IkTarget::point(Vec3::X)));
    let spine = joints(&mut app, None, Transform::default(), &bent(4, 0.3, 5.0));
    let arm =
        joints(&mut app, Some(spine[3]), Transform::from_xyz(0.1, 0.0, 0.0), &bent(2, 0.3, 9.0));
    insert(&mut app, spine[4], (IkChain::ancestors(4), IkTarget::point(Vec3::new(0.8, 0.5, 0.0))));
    insert(&mut app, arm[2], (IkChain::ancestors(4), IkTarget::point(Vec3::new(0.7, 0.8, 0.3))));
    updates(&mut app, 3);
    assert_eq!(status(&app, far).state, IkState::Unreachable);
    assert_eq!(status(&app, stiff).state, IkState::Limited);
    app.update();
    assert_eq!((activity(&app).frame_solves, activity(&app).frame_writes), (0, 0));
    assert_eq!(marked(&app), 0);
}

#[test]
fn an_animation_that_stands_still_is_still_overwritten() {
    // The clip writes the same pose in each frame: the solution is old, but it must be written again.
    let mut app = app();
    let [shoulder, _, hand] = arm(&mut app);
    insert(&mut app, hand, (IkChain::ancestors(2), IkTarget::point(Vec3::new(0.2, 1.0, 0.4))));
    app.update();
    for _ in 0..3 {
        edit::<Transform>(&mut app, shoulder, |joint| joint.rotation = bevy_math::Quat::IDENTITY);
        app.update();
        assert_eq!(activity(&app).frame_solves, 0);
        assert!(place(&app, hand).distance(Vec3::new(0.2, 1.0, 0.4)) < 2e-4);
    }
}
