//! Nothing that is put in leads to a NaN or a panic.

use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_sinew_ik::IkError;
use bevy_sinew_ik::prelude::*;
use bevy_transform::prelude::*;

use crate::support::*;

#[test]
fn targets_that_are_not_finite_are_refused_once_and_the_pose_comes_back() {
    for bad in [Vec3::NAN, Vec3::INFINITY, Vec3::new(0.0, f32::NEG_INFINITY, 1.0)] {
        for smoothed in [false, true] {
            let mut app = app();
            listen::<IkFailed>(&mut app);
            let [shoulder, elbow, hand] = arm(&mut app);
            insert(&mut app, hand, (IkChain::ancestors(2), IkTarget::point(Vec3::Y)));
            if smoothed {
                insert(&mut app, hand, IkSmoothing { half_life: 0.1, max_rate: Some(4.0) });
            }
            updates(&mut app, 3);
            set_target(&mut app, hand, IkTarget::point(bad));
            for _ in 0..300 {
                app.update();
                assert_sound(&mut app);
            }
            assert_eq!(status(&app, hand).fault, Some(IkError::NonFinite));
            assert_eq!(heard::<IkFailed>(&app).len(), 1);
            assert_eq!(rotations(&app, &[shoulder, elbow]), [Quat::IDENTITY; 2]);
            set_target(&mut app, hand, IkTarget::point(Vec3::Y));
            updates(&mut app, 300);
            assert_eq!(status(&app, hand).state, IkState::Reached);
        }
    }
}

#[test]
fn a_far_target_is_out_of_reach_and_no_more() {
    let mut app = app();
    let [_, _, hand] = arm(&mut app);
    insert(&mut app, hand, (IkChain::ancestors(2), IkTarget::point(Vec3::splat(f32::MAX / 4.0))));
    app.update();
    assert_sound(&mut app);
    assert_eq!(status(&app, hand).state, IkState::Unreachable);
}

#[test]
fn settings_and_poles_that_are_not_finite_are_refused() {
    let spoil: [fn(&mut App, Entity); 6] = [
        |app, hand| edit::<IkChain>(app, hand, |chain| chain.weight = f32::NAN),
        |app, hand| {
            edit::<IkChain>(app, hand, |chain| chain.tolerance = IkTolerance::World(f32::NAN));
        },
        |app, hand| insert(app, hand, IkPole::point(Vec3::NAN)),
        |app, hand| edit::<IkTarget>(app, hand, |target| target.position_weight = f32::NAN),
        |app, hand| {
            edit::<IkTarget>(app, hand, |target| target.rotation = IkTurn::World(Quat::NAN));
        },
        |app, hand| {
            edit::<IkTarget>(app, hand, |target| {
                target.rotation = IkTurn::World(Quat::from_xyzw(0.0, 0.0, 0.0, 0.0));
            });
        },
    ];
    for spoil in spoil {
        let mut app = app();
        listen::<IkFailed>(&mut app);
        let [shoulder, _, hand] = arm(&mut app);
        insert(&mut app, hand, (IkChain::ancestors(2), IkTarget::point(Vec3::Y)));
        app.update();
        spoil(&mut app, hand);
        updates(&mut app, 3);
        assert_sound(&mut app);
        assert_eq!(status(&app, hand).state, IkState::Invalid);
        assert_eq!(heard::<IkFailed>(&app).len(), 1);
        assert_eq!(rotation(&app, shoulder), Quat::IDENTITY);
    }
}

use bevy_app::App;

#[test]
fn a_limit_that_cannot_be_used_is_reported_at_its_joint_and_can_be_put_right() {
    let mut app = app();
    listen::<IkFailed>(&mut app);
    let [_, elbow, hand] = arm(&mut app);
    insert(&mut app, elbow, IkJoint::hinge(Vec3::ZERO, 0.0, 1.0));
    insert(&mut app, hand, (IkChain::ancestors(2), IkTarget::point(Vec3::new(1.2, 0.3, 0.0))));
    updates(&mut app, 3);
    let notices = heard::<IkFailed>(&app);
    assert_eq!(notices.len(), 1);
    assert_eq!((notices[0].entity, notices[0].component), (elbow, "IkJoint"));
    assert_sound(&mut app);
    insert(&mut app, elbow, IkJoint::hinge(Vec3::Z, -2.5, 2.5));
    app.update();
    assert_eq!(status(&app, hand).state, IkState::Reached);
    // And taken away.
    app.world_mut().entity_mut(elbow).remove::<IkJoint>();
    set_target(&mut app, hand, IkTarget::point(Vec3::new(0.2, 0.5, 0.6)));
    app.update();
    assert_eq!(status(&app, hand).state, IkState::Reached);
}

#[test]
fn flat_and_broken_ancestors_are_refused_while_they_last() {
    for scale in [Vec3::ZERO, Vec3::new(1.0, 0.0, 1.0), Vec3::NAN, Vec3::INFINITY] {
        let mut app = app();
        listen::<IkFailed>(&mut app);
        let body = spawn(&mut app, Transform::default());
        let found = joints(&mut app, Some(body), Transform::default(), &bent(2, 0.5, 10.0));
        let target = IkTarget::point(Vec3::new(0.3, 0.6, 0.2));
        insert(&mut app, found[2], (IkChain::ancestors(2), target));
        app.update();
        edit::<Transform>(&mut app, body, |body| body.scale = scale);
        updates(&mut app, 3);
        assert!(matches!(status(&app, found[2]).fault, Some(IkError::Frame { .. })), "{scale}");
        assert_eq!(heard::<IkFailed>(&app).len(), 1);
        assert!(rotations(&app, &found).iter().all(|rotation| rotation.is_finite()));
        edit::<Transform>(&mut app, body, |body| body.scale = Vec3::ONE);
        app.update();
        assert_eq!(status(&app, found[2]).state, IkState::Reached);
    }
}

#[test]
fn a_joint_with_zero_scale_or_bones_of_no_length_are_a_notice_or_harmless() {
    for spoil in [0, 1, 2] {
        let mut app = app();
        listen::<IkFailed>(&mut app);
        let found = joints(&mut app, None, Transform::default(), &bent(3, 0.5, 10.0));
        match spoil {
            0 => edit::<Transform>(&mut app, found[0], |joint| joint.scale = Vec3::ZERO),
            1 => edit::<Transform>(&mut app, found[2], |joint| joint.translation = Vec3::ZERO),
            _ => {
                for &joint in &found[1..] {
                    edit::<Transform>(&mut app, joint, |joint| joint.translation = Vec3::ZERO);
                }
            }
        }
        let target = IkTarget::point(Vec3::new(0.3, 0.6, 0.2));
        insert(&mut app, found[3], (IkChain::ancestors(3), target));
        updates(&mut app, 3);
        assert_sound(&mut app);
        let state = status(&app, found[3]).state;
        let notices = heard::<IkFailed>(&app).len();
        assert_eq!(
            (state, notices),
            if spoil == 1 { (IkState::Reached, 0) } else { (IkState::Invalid, 1) }
        );
    }
}

#[test]
fn an_animation_that_breaks_is_reported_and_the_last_good_pose_is_used() {
    let mut app = app();
    listen::<IkFailed>(&mut app);
    let [shoulder, _, hand] = arm(&mut app);
    let posed = Quat::from_rotation_y(0.4);
    edit::<Transform>(&mut app, shoulder, |joint| joint.rotation = posed);
    insert(&mut app, hand, (IkChain::ancestors(2), IkTarget::point(Vec3::Y)));
    app.update();
    edit::<Transform>(&mut app, shoulder, |joint| joint.rotation = Quat::NAN);
    app.update();
    assert_sound(&mut app);
    assert_eq!(status(&app, hand).fault, Some(IkError::BrokenJoint { joint: shoulder }));
    assert_eq!(rotation(&app, shoulder), posed);
    edit::<Transform>(&mut app, shoulder, |joint| joint.rotation = posed);
    app.update();
    assert_eq!(heard::<IkFailed>(&app).len(), 1);
    assert_eq!(status(&app, hand).state, IkState::Reached);
}

#[test]
fn poles_on_the_line_and_targets_on_joints_are_harmless() {
    let mut app = app();
    let [_, _, hand] = arm(&mut app);
    insert(&mut app, hand, (IkChain::ancestors(2), IkTarget::default(), IkPole::default()));
    for target in [Vec3::ZERO, Vec3::X, Vec3::X * 2.0, Vec3::Y * 1.5] {
        for pole in [Vec3::ZERO, target, target * 0.5, target * 3.0] {
            set_target(&mut app, hand, IkTarget::point(target));
            edit::<IkPole>(&mut app, hand, |at| at.at = IkPlace::Point(pole));
            app.update();
            assert_sound(&mut app);
            assert_eq!(status(&app, hand).state, IkState::Reached, "{target} {pole}");
        }
    }
    insert(&mut app, hand, IkPole { joint: Some(9), ..IkPole::point(Vec3::Y) });
    app.update();
    assert_eq!(status(&app, hand).fault, Some(IkError::NoSuchJointNumber));
}
