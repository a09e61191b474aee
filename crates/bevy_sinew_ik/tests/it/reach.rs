//! A chain is bound, solved, written and propagated in one update.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_sinew_ik::prelude::*;
use bevy_transform::prelude::*;

use crate::support::*;

#[test]
fn a_hand_reaches_in_the_frame_in_which_its_chain_is_inserted() {
    let mut app = app();
    let [shoulder, elbow, hand] = arm(&mut app);
    let apple = spawn(&mut app, Transform::from_xyz(0.5, 1.0, 0.5));
    insert(&mut app, hand, (IkChain::ancestors(2), IkTarget::entity(apple)));
    app.update();
    assert!(place(&app, hand).distance(Vec3::new(0.5, 1.0, 0.5)) < 2e-4);
    assert!((place(&app, elbow).distance(place(&app, shoulder)) - 1.0).abs() < 1e-5);
    assert!((place(&app, elbow).distance(place(&app, hand)) - 1.0).abs() < 1e-5);
    let status = status(&app, hand);
    assert_eq!(status.state, IkState::Reached);
    assert!(status.error < 2e-4);
}

#[test]
fn a_chain_of_one_bone_aims() {
    let mut app = app();
    let found = joints(&mut app, None, Transform::default(), &bent(1, 1.0, 0.0));
    insert(&mut app, found[1], (IkChain::ancestors(1), IkTarget::point(Vec3::Y * 3.0)));
    app.update();
    assert!(place(&app, found[1]).distance(Vec3::Y) < 1e-5);
    let status = status(&app, found[1]);
    assert_eq!(status.state, IkState::Unreachable);
    assert!((status.error - 2.0).abs() < 1e-4, "{status:?}");
}

#[test]
fn an_elbow_bends_to_its_pole() {
    // Triangle of sides 1, 1 and √2 with its corner on the pole's side (test 8 of the design).
    let mut app = app();
    let [_, elbow, hand] = arm(&mut app);
    let target = IkTarget::point(Vec3::new(1.0, 1.0, 0.0));
    insert(&mut app, hand, (IkChain::ancestors(2), target, IkPole::point(Vec3::Z)));
    app.update();
    let half = core::f32::consts::FRAC_1_SQRT_2;
    assert!(
        place(&app, elbow).distance(Vec3::new(0.5, 0.5, half)) < 1e-4,
        "{}",
        place(&app, elbow)
    );
    edit::<IkPole>(&mut app, hand, |pole| pole.at = IkPlace::Point(Vec3::Y));
    app.update();
    assert!(place(&app, elbow).distance(Vec3::Y) < 1e-4, "{}", place(&app, elbow));
}

#[test]
fn a_hand_takes_the_rotation_of_its_target() {
    let mut app = app();
    let turn = Quat::from_euler(bevy_math::EulerRot::XYZ, 0.3, -0.8, 1.1);
    // A scaled target has a rotation all the same.
    let apple = spawn(
        &mut app,
        Transform::from_xyz(0.5, 1.0, 0.5).with_rotation(turn).with_scale(Vec3::splat(0.01)),
    );
    let [_, _, hand] = arm(&mut app);
    insert(&mut app, hand, (IkChain::ancestors(2), IkTarget::entity(apple).turned_as(apple)));
    app.update();
    assert!(place(&app, hand).distance(Vec3::new(0.5, 1.0, 0.5)) < 2e-4);
    let drawn = app.world().get::<GlobalTransform>(hand).expect("a place").rotation();
    assert!(angle(drawn, turn) < 1e-3, "{drawn} {turn}");
}

#[test]
fn a_limit_on_a_joint_holds_and_can_be_edited() {
    // Test 28 of the design: the elbow would have to fold the other way.
    let mut app = app();
    let [_, elbow, hand] = arm(&mut app);
    let inner = Vec3::new(1.2, 0.0, 0.0);
    insert(&mut app, elbow, IkJoint::hinge(Vec3::Z, 0.0, 150_f32.to_radians()));
    insert(&mut app, hand, (IkChain::ancestors(2), IkTarget::point(inner)));
    app.update();
    assert_eq!(status(&app, hand).state, IkState::Reached);
    let fold = |app: &App| {
        let q = rotation(app, elbow);
        assert!(q.x.abs() < 1e-4 && q.y.abs() < 1e-4, "it turns about z only: {q}");
        2.0 * q.z.atan2(q.w)
    };
    // The law of cosines: sides 1, 1 and 1.2.
    let expected = core::f32::consts::PI - (1.0 - 0.5 * 1.2_f32 * 1.2).acos();
    assert!((fold(&app) - expected).abs() < 1e-3, "{} {expected}", fold(&app));
    edit::<IkJoint>(&mut app, elbow, |joint| {
        joint.limit = IkLimit::Hinge { axis: Vec3::Z, min: 0.0, max: 0.5 };
    });
    app.update();
    assert!((fold(&app) - 0.5).abs() < 1e-4);
    assert_ne!(status(&app, hand).state, IkState::Reached);
}

#[test]
fn joints_in_the_middle_have_targets_of_their_own() {
    let mut app = app();
    let found = joints(&mut app, None, Transform::default(), &bent(4, 0.5, 15.0));
    let middle = Vec3::new(0.3, 0.7, 0.2);
    let end = Vec3::new(1.0, 0.9, 0.3);
    insert(
        &mut app,
        found[4],
        (
            IkChain::ancestors(4),
            IkTarget::point(end),
            IkJointTargets(vec![IkJointTarget {
                joint: 2,
                position: IkPlace::Point(middle),
                ..Default::default()
            }]),
        ),
    );
    app.update();
    assert_eq!(status(&app, found[4]).state, IkState::Reached);
    assert!(place(&app, found[2]).distance(middle) < 3e-4);
    assert!(place(&app, found[4]).distance(end) < 3e-4);
}

#[test]
fn users_between_animation_and_chains_see_the_animated_pose_and_users_after_them_the_solved_one() {
    #[derive(Resource, Default)]
    struct Seen([Quat; 2]);
    #[derive(Component)]
    struct Shoulder;
    let mut app = app();
    let [shoulder, _, hand] = arm(&mut app);
    let animated = Quat::from_rotation_y(0.7);
    insert(&mut app, shoulder, Shoulder);
    insert(&mut app, hand, (IkChain::ancestors(2), IkTarget::point(Vec3::new(0.2, 1.0, 0.0))));
    app.init_resource::<Seen>().add_systems(
        PostUpdate,
        (
            (move |mut joint: Single<&mut Transform, With<Shoulder>>| joint.rotation = animated)
                .in_set(bevy_app::AnimationSystems),
            (|joint: Single<&Transform, With<Shoulder>>, mut seen: ResMut<Seen>| {
                seen.0[0] = joint.rotation;
            })
            .after(bevy_app::AnimationSystems)
            .before(IkSystems::Bind),
            (|joint: Single<&Transform, With<Shoulder>>, mut seen: ResMut<Seen>| {
                seen.0[1] = joint.rotation;
            })
            .after(IkSystems::Solve)
            .before(TransformSystems::Propagate),
        ),
    );
    updates(&mut app, 3);
    let seen = app.world().resource::<Seen>().0;
    assert_eq!(seen[0], animated);
    assert_ne!(seen[1], animated);
    assert_eq!(seen[1], rotation(&app, shoulder));
    assert_eq!(app.world().get::<IkBasePose>(shoulder).expect("a base").rotation(), animated);
    assert!(place(&app, hand).distance(Vec3::new(0.2, 1.0, 0.0)) < 2e-4);
}
