//! How joints are found.

use bevy_ecs::prelude::*;
use bevy_math::{Affine3A, Vec3};
use bevy_sinew_ik::prelude::*;
use bevy_sinew_ik::{IkBinding, IkError};
use bevy_transform::prelude::*;

use crate::support::*;

fn bound(app: &App, chain: Entity) -> Vec<Entity> {
    app.world().get::<IkBinding>(chain).expect("chains have a binding").joints().collect()
}

fn name_all(app: &mut App, joints: &[Entity], names: &[&str]) {
    for (&joint, &name) in joints.iter().zip(names) {
        insert(app, joint, Name::new(name.to_owned()));
    }
}

use bevy_app::App;

#[test]
fn ancestors_root_and_list_find_the_same_joints() {
    let mut app = app();
    let found = joints(&mut app, None, Transform::default(), &bent(4, 0.3, 10.0));
    let apart = spawn(&mut app, ());
    let target = IkTarget::point(Vec3::new(0.5, 0.6, 0.1));
    for (chain, entity) in [
        (IkChain::ancestors(3), found[4]),
        (IkChain::to(found[1]), found[4]),
        (IkChain::new(IkJoints::List(found[1..].to_vec())), apart),
    ] {
        insert(&mut app, entity, (chain, target));
        app.update();
        assert_eq!(bound(&app, entity), found[1..]);
        assert_eq!(status(&app, entity).state, IkState::Reached);
        app.world_mut().entity_mut(entity).remove::<IkChain>();
        app.update();
    }
}

#[test]
fn names_are_found_as_soon_as_the_scene_is_spawned() {
    let mut app = app();
    listen::<IkFailed>(&mut app);
    let knight = spawn(&mut app, Transform::default());
    let chain = spawn(
        &mut app,
        (
            IkChainOf(knight),
            IkChain::named("UpperArm.R", "Hand.R"),
            IkTarget::point(Vec3::new(0.4, 0.9, 0.3)),
        ),
    );
    updates(&mut app, 5);
    assert_eq!(status(&app, chain).state, IkState::Waiting);
    // The scene arrives: an armature node with scale, two arms.
    let armature = spawn(&mut app, (Transform::from_scale(Vec3::splat(0.01)), ChildOf(knight)));
    for side in ["L", "R"] {
        let arm = joints(&mut app, Some(armature), Transform::default(), &bent(2, 60.0, 10.0));
        let names = ["UpperArm", "LowerArm", "Hand"].map(|part| format!("{part}.{side}"));
        name_all(&mut app, &arm, &[&names[0], &names[1], &names[2]]);
    }
    app.update();
    assert_eq!(status(&app, chain).state, IkState::Reached);
    let hand = bound(&app, chain)[2];
    assert_eq!(app.world().get::<Name>(hand).expect("a name").as_str(), "Hand.R");
    assert!(place(&app, hand).distance(Vec3::new(0.4, 0.9, 0.3)) < 2e-4);
    assert!(heard::<IkFailed>(&app).is_empty());
    // The chain goes with its character.
    app.world_mut().entity_mut(knight).despawn();
    app.update();
    assert!(app.world().get_entity(chain).is_err());
}

#[test]
fn a_chain_of_names_may_be_on_the_scene_itself() {
    let mut app = app();
    let knight = spawn(&mut app, Transform::default());
    let arm = joints(&mut app, Some(knight), Transform::default(), &bent(2, 0.6, 10.0));
    name_all(&mut app, &arm, &["upper", "lower", "hand"]);
    let target = IkTarget::point(Vec3::new(0.4, 0.9, 0.3));
    insert(&mut app, knight, (IkChain::named("upper", "hand"), target));
    app.update();
    assert_eq!(bound(&app, knight), arm);
    assert_eq!(status(&app, knight).state, IkState::Reached);
}

#[test]
fn a_wrong_name_is_one_notice_and_can_be_put_right() {
    let mut app = app();
    listen::<IkFailed>(&mut app);
    let knight = spawn(&mut app, Transform::default());
    let arm = joints(&mut app, Some(knight), Transform::default(), &bent(2, 0.6, 10.0));
    name_all(&mut app, &arm, &["upper", "lower", "hand"]);
    insert(&mut app, knight, (IkChain::named("upper", "hnad"), IkTarget::point(Vec3::Y)));
    updates(&mut app, 5);
    let notices = heard::<IkFailed>(&app);
    let reason = IkError::NoSuchName { name: "hnad".to_owned() };
    assert_eq!(notices, [IkFailed { entity: knight, component: "IkChain", reason }]);
    assert_eq!(status(&app, knight).state, IkState::Invalid);
    edit::<IkChain>(&mut app, knight, |chain| *chain = IkChain::named("upper", "hand"));
    app.update();
    assert_eq!(status(&app, knight).state, IkState::Reached);
    // From the end to the root is no way down.
    edit::<IkChain>(&mut app, knight, |chain| *chain = IkChain::named("hand", "upper"));
    updates(&mut app, 2);
    assert_eq!(heard::<IkFailed>(&app).len(), 2);
    assert!(matches!(heard::<IkFailed>(&app)[1].reason, IkError::NotBelow { .. }));
}

#[test]
fn every_length_of_a_chain_is_defined() {
    // IK-21: 0, 1, 2, all and too many ancestors of a hand with four bones, and a parent that is no joint.
    for (count, state) in [
        (0, IkState::Invalid),
        (1, IkState::Unreachable),
        (2, IkState::Unreachable),
        (4, IkState::Reached),
        (9, IkState::Invalid),
    ] {
        let mut app = app();
        listen::<IkFailed>(&mut app);
        let nowhere = spawn(&mut app, ());
        let found = joints(&mut app, Some(nowhere), Transform::default(), &bent(4, 0.3, 10.0));
        let target = Vec3::new(0.3, 0.7, 0.2);
        insert(&mut app, found[4], (IkChain::ancestors(count), IkTarget::point(target)));
        updates(&mut app, 3);
        assert_sound(&mut app);
        assert_eq!(status(&app, found[4]).state, state, "{count}");
        let notices = heard::<IkFailed>(&app);
        assert_eq!(notices.len(), usize::from(state == IkState::Invalid), "{notices:?}");
        if count == 9 {
            assert_eq!(notices[0].reason, IkError::TooFewAncestors { wanted: 9, found: 4 });
        }
        if count == 1 {
            // One bone aims at it. Bevy does not propagate below what has no place, so by hand:
            let mut world = Affine3A::IDENTITY;
            let places = found.iter().map(|&joint| {
                world *= app.world().get::<Transform>(joint).expect("a joint").compute_affine();
                Vec3::from(world.translation)
            });
            let places: Vec<Vec3> = places.collect();
            let (bone, aim) = (places[4] - places[3], target - places[3]);
            assert!(bone.normalize().cross(aim.normalize()).length() < 1e-4);
            assert!(bone.dot(aim) > 0.0);
        }
    }
}

#[test]
fn a_leaf_bone_without_an_end_joint_takes_a_tip_offset() {
    let mut app = app();
    let found = joints(&mut app, None, Transform::default(), &bent(1, 0.5, 0.0));
    let chain = IkChain::ancestors(1).with_tip_offset(Vec3::X * 0.4);
    let target = Vec3::new(0.3, 0.6, 0.1);
    insert(&mut app, found[1], (chain, IkTarget::point(target)));
    app.update();
    let tip = app
        .world()
        .get::<GlobalTransform>(found[1])
        .expect("a place")
        .transform_point(Vec3::X * 0.4);
    assert!(tip.distance(target) < 1e-4);
    // Zero ancestors and an offset: the joint itself aims.
    edit::<IkChain>(&mut app, found[1], |chain| chain.joints = IkJoints::Ancestors(0));
    app.update();
    assert_eq!(bound(&app, found[1]), [found[1]]);
    assert_ne!(status(&app, found[1]).state, IkState::Invalid);
}

#[test]
fn joints_that_do_not_follow_each_other_are_refused() {
    let mut app = app();
    let found = joints(&mut app, None, Transform::default(), &bent(3, 0.5, 0.0));
    let cases = [
        (vec![found[0], found[2]], IkError::NotAChain { joint: found[2] }),
        (vec![found[1], found[1]], IkError::NotAChain { joint: found[1] }),
        (vec![found[1], found[0]], IkError::NotAChain { joint: found[0] }),
    ];
    for (list, reason) in cases {
        let chain = spawn(&mut app, (IkChain::new(IkJoints::List(list)), IkTarget::point(Vec3::Y)));
        app.update();
        assert_eq!(status(&app, chain).fault, Some(reason));
    }
    let chain =
        spawn(&mut app, (IkChain::new(IkJoints::List(Vec::new())), IkTarget::point(Vec3::Y)));
    app.update();
    assert!(matches!(status(&app, chain).fault, Some(IkError::Chain { .. })));
}

#[test]
fn edits_of_joints_and_of_bones_act_at_once() {
    let mut app = app();
    let found = joints(&mut app, None, Transform::default(), &bent(3, 0.5, 10.0));
    insert(&mut app, found[3], (IkChain::ancestors(1), IkTarget::point(Vec3::new(0.3, 0.9, 0.2))));
    app.update();
    assert_eq!(bound(&app, found[3]).len(), 2);
    edit::<IkChain>(&mut app, found[3], |chain| chain.joints = IkJoints::Ancestors(3));
    app.update();
    assert_eq!(bound(&app, found[3]), found);
    assert_eq!(status(&app, found[3]).state, IkState::Reached);
    // A bone grows.
    edit::<Transform>(&mut app, found[2], |joint| joint.translation.x = 0.8);
    app.update();
    assert!(place(&app, found[3]).distance(Vec3::new(0.3, 0.9, 0.2)) < 2e-4);
    edit::<Transform>(&mut app, found[1], |joint| joint.scale = Vec3::splat(0.5));
    app.update();
    assert!(place(&app, found[3]).distance(Vec3::new(0.3, 0.9, 0.2)) < 2e-4);
}
