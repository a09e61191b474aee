//! Coming, going, and parts that are missing.

use std::sync::Arc;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::{EulerRot, Quat, Vec3};
use bevy_sinew_bodies::BodyError;
use bevy_sinew_bodies::kernel::{ExampleBasis, ExamplePose};
use bevy_sinew_bodies::prelude::*;
use bevy_transform::prelude::*;

use crate::support::*;

#[derive(Resource)]
struct Doomed(Vec<Entity>);

/// Despawns one body in each phase of a tick.
fn doom(mut commands: Commands, mut doomed: ResMut<Doomed>) {
    if let Some(entity) = doomed.0.pop() {
        commands.entity(entity).despawn();
    }
}

#[test]
fn bodies_may_go_in_the_middle_of_a_tick() {
    let mut app = app();
    app.world_mut().spawn(BodyCollider::plane());
    let shape = block([3, 3, 3]);
    let bodies: Vec<Entity> =
        (0..12).map(|i| spawn(&mut app, &shape, Transform::from_xyz(i as f32, 0.3, 0.0))).collect();
    let stays = bodies[0];
    app.insert_resource(Doomed(bodies[1..].to_vec()));
    app.add_systems(
        FixedPostUpdate,
        (
            doom.before(DeformationSystems::Prepare),
            doom.in_set(DeformationSystems::CollectContacts),
            doom.in_set(DeformationSystems::ApplyReactions),
            doom.after(DeformationSystems::Writeback),
        ),
    );
    ticks(&mut app, 10);
    assert!(app.world().resource::<Doomed>().0.is_empty());
    assert!(bodies[1..].iter().all(|&body| app.world().get_entity(body).is_err()));
    assert!(positions(&app, stays, &shape).iter().all(|p| p.is_finite()));
}

#[test]
fn a_body_without_shape_is_reported_once_and_works_when_it_comes() {
    let mut app = app();
    listen::<BodyFailed>(&mut app);
    let body =
        app.world_mut().spawn((DeformableBody::default(), Transform::from_xyz(0.0, 9.0, 0.0))).id();
    let shape = block([3, 3, 3]);
    let other = spawn(&mut app, &shape, Transform::default());
    ticks(&mut app, 5);
    let failures = heard::<BodyFailed>(&app);
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert_eq!((failures[0].entity, failures[0].component), (body, "DeformableBody"));
    assert_eq!(failures[0].reason, BodyError::NoShape);
    assert!(top_speed(&app, other, &shape) > 0.1, "the others fall");
    app.world_mut().entity_mut(body).insert(DeformableBody::new(shape.clone()));
    ticks(&mut app, 1);
    let center = mean(&positions(&app, body, &shape));
    assert!((center.y - 9.1).abs() < 0.02, "it starts where its transform is: {center}");
}

#[test]
fn a_body_may_be_removed_and_come_back() {
    let mut app = app();
    listen::<BodyFailed>(&mut app);
    let shape = block([3, 3, 3]);
    let body = spawn(&mut app, &shape, Transform::from_xyz(0.0, 5.0, 0.0));
    ticks(&mut app, 20);
    app.world_mut().entity_mut(body).remove::<DeformableBody>();
    assert!(app.world().get::<BodyState>(body).is_none(), "no state is left behind");
    let there = *app.world().get::<Transform>(body).expect("the transform stays");
    ticks(&mut app, 5);
    assert_eq!(
        *app.world().get::<Transform>(body).expect("a transform"),
        there,
        "it does not move"
    );
    app.world_mut().entity_mut(body).insert(DeformableBody::new(shape.clone()));
    ticks(&mut app, 1);
    assert!(top_speed(&app, body, &shape) <= GRAVITY * TICK * 1.01, "it starts at rest");
    // Removed and inserted in one batch of commands.
    let mut commands = app.world_mut().commands();
    commands.entity(body).remove::<DeformableBody>().insert(DeformableBody::new(shape.clone()));
    app.world_mut().flush();
    ticks(&mut app, 2);
    assert!(top_speed(&app, body, &shape) > 0.0);
    assert!(heard::<BodyFailed>(&app).is_empty());
}

#[test]
fn a_cloned_body_goes_on_as_a_body_of_its_own() {
    let mut app = app();
    app.world_mut().spawn(BodyCollider::plane());
    let shape = block([3, 4, 3]);
    let body = spawn(&mut app, &shape, Transform::from_xyz(0.0, 0.4, 0.0));
    app.world_mut()
        .entity_mut(body)
        .insert(InitialVelocity { linear: Vec3::X, angular: Vec3::Z * 2.0 });
    ticks(&mut app, 20);
    let [clone, moved] = [(); 2].map(|()| app.world_mut().entity_mut(body).clone_and_spawn());
    app.world_mut().get_mut::<Transform>(moved).expect("a transform").translation.y += 5.0;
    let (start, speed) =
        (mean(&positions(&app, body, &shape)).y, mean(&velocities(&app, body, &shape)).y);
    ticks(&mut app, 20);
    assert!(kernel(&app, clone) == kernel(&app, body), "it does the same");
    // The other clone was moved up alone, and falls freely there.
    let time = 20.0 * TICK;
    let expected = start + 5.0 + speed * time - 0.5 * GRAVITY * time * time;
    let height = mean(&positions(&app, moved, &shape)).y;
    assert!((height - expected).abs() < 0.05, "{height} m instead of {expected} m");
}

#[test]
fn a_new_parent_moves_nothing() {
    // SB-20: a sheet that hangs and sways, whose parent changes, and which is removed and comes back.
    let mut app = app();
    let shape = block([5, 6, 1]);
    let first = Transform::from_xyz(3.0, 1.0, 0.0);
    let second = Transform::from_xyz(-2.0, 0.5, 4.0).with_rotation(Quat::from_euler(
        EulerRot::XYZ,
        0.3,
        1.2,
        2.0,
    ));
    let parents = [first, second].map(|at| app.world_mut().spawn(at).id());
    let at = Transform::from_xyz(0.5, 2.0, 0.0);
    let world = GlobalTransform::from(first) * at;
    let held = (0..shape.particle_count()).filter(|&i| shape.rest_position(i).y > 0.45);
    let held: Vec<HeldParticle> = held
        .map(|i| HeldParticle {
            particle: i as u32,
            position: world.transform_point(shape.rest_position(i)),
            velocity: Vec3::ZERO,
        })
        .collect();
    // The twin keeps its parent.
    let [body, twin] = [(); 2].map(|()| {
        let body = spawn(&mut app, &shape, at);
        let held = HeldParticles(held.clone());
        app.world_mut().entity_mut(body).insert((ChildOf(parents[0]), held, BodySleep::never()));
        body
    });
    let step = |app: &mut App, what: &str| {
        ticks(app, 1);
        let now = positions(app, body, &shape);
        for held in &held {
            assert!(now[held.particle as usize].distance(held.position) < 1e-4, "{what}");
        }
        assert!(apart(&drawn(app, body, &shape), &now) < 1e-5, "{what}: drawn where it is");
        apart(&now, &positions(app, twin, &shape))
    };
    ticks(&mut app, 60);
    assert_eq!(step(&mut app, "before"), 0.0);
    // The careless way: only the parent.
    app.world_mut().entity_mut(body).insert(ChildOf(parents[1]));
    assert_eq!(step(&mut app, "another parent"), 0.0);
    app.world_mut().entity_mut(body).remove::<ChildOf>();
    assert_eq!(step(&mut app, "no parent"), 0.0);
    // And the one that keeps the place in the world: a `Transform` that fits the new parent.
    let global = *app.world().get::<GlobalTransform>(body).expect("a transform");
    let parent = *app.world().get::<GlobalTransform>(parents[1]).expect("a transform");
    let local = global.reparented_to(&parent);
    app.world_mut().entity_mut(body).insert((ChildOf(parents[1]), local));
    for _ in 0..60 {
        let gap = step(&mut app, "another parent and the same place");
        assert!(gap < 1e-4, "{gap} m");
    }
    app.world_mut().entity_mut(body).remove::<DeformableBody>();
    app.world_mut().entity_mut(body).insert(DeformableBody::new(shape.clone()));
    for tick in 0..60 {
        // It starts as its rest shape, near where it was.
        let gap = step(&mut app, "inserted again");
        assert!(gap < 0.5 * shape.size(), "tick {tick}: {gap} m");
    }
}

#[test]
fn another_shape_starts_where_the_body_is() {
    let mut app = app();
    let (small, large) = (block([3, 3, 3]), block([4, 4, 4]));
    let body = spawn(&mut app, &small, Transform::from_xyz(0.0, 5.0, 0.0));
    ticks(&mut app, 20);
    let there = *app.world().get::<Transform>(body).expect("a transform");
    app.world_mut().entity_mut(body).insert(DeformableBody::new(large.clone()));
    ticks(&mut app, 1);
    let now = app.world().get::<Transform>(body).expect("a transform");
    assert!(now.translation.distance(there.translation) < 0.01);
    assert_eq!(app.world().get::<BodyStatus>(body).expect("a status").particles, 64);
}

#[test]
fn a_pose_that_is_not_finite_is_reported_and_ignored() {
    let mut app = app();
    listen::<BodyFailed>(&mut app);
    let shape = block([3, 3, 3]);
    let lost = spawn(&mut app, &shape, Transform::from_xyz(f32::NAN, 0.0, 0.0));
    let live = spawn(&mut app, &shape, Transform::from_xyz(0.0, 5.0, 0.0));
    ticks(&mut app, 5);
    app.world_mut().get_mut::<Transform>(live).expect("a transform").rotation =
        Quat::from_xyzw(f32::INFINITY, 0.0, 0.0, 1.0);
    ticks(&mut app, 5);
    let mut failures: Vec<Entity> = heard::<BodyFailed>(&app)
        .into_iter()
        .inspect(|failure| assert_eq!(failure.reason, BodyError::NonFinitePose))
        .map(|failure| failure.entity)
        .collect();
    failures.sort();
    let mut expected = vec![lost, live];
    expected.sort();
    assert_eq!(failures, expected);
    assert!(app.world().get::<Transform>(live).expect("a transform").is_finite(), "put right");
    assert!(positions(&app, live, &shape).iter().all(|p| p.is_finite()));
    app.world_mut().entity_mut(lost).insert(Transform::default());
    ticks(&mut app, 1);
    assert!(top_speed(&app, lost, &shape) > 0.0, "it starts once its pose is finite");
}

#[test]
fn a_parent_without_extent_is_reported_and_the_body_goes_on() {
    let mut app = app();
    listen::<BodyFailed>(&mut app);
    let shape = block([3, 3, 3]);
    let parent = app.world_mut().spawn(Transform::default()).id();
    let body = spawn(&mut app, &shape, Transform::from_xyz(0.0, 5.0, 0.0));
    app.world_mut().entity_mut(body).insert(ChildOf(parent));
    ticks(&mut app, 5);
    app.world_mut().get_mut::<Transform>(parent).expect("a transform").scale = Vec3::ZERO;
    ticks(&mut app, 5);
    let reasons: Vec<BodyError> =
        heard::<BodyFailed>(&app).into_iter().map(|failure| failure.reason).collect();
    assert_eq!(reasons, [BodyError::FlatParent]);
    let speed = mean(&velocities(&app, body, &shape)).y;
    assert!((speed + GRAVITY * 10.0 * TICK).abs() < 1e-3, "it falls on: {speed}");
}

#[test]
fn foreign_examples_and_bad_colliders_are_reported_once() {
    let mut app = app();
    listen::<BodyFailed>(&mut app);
    let (shape, other) = (block([3, 3, 3]), block([5, 5, 5]));
    let pose = ExamplePose::from_fn("wide", &other, |p| p * 1.5);
    let basis = Arc::new(ExampleBasis::new(&other, &[pose]).expect("a basis"));
    let body = spawn(&mut app, &shape, Transform::from_xyz(0.0, 5.0, 0.0));
    app.world_mut().entity_mut(body).insert(ExampleSet::from(basis));
    let ball = app.world_mut().spawn(BodyCollider::sphere(-1.0)).id();
    ticks(&mut app, 10);
    let mut failures: Vec<(Entity, &str, BodyError)> = heard::<BodyFailed>(&app)
        .into_iter()
        .map(|failure| (failure.entity, failure.component, failure.reason))
        .collect();
    failures.sort_by_key(|failure| failure.1);
    assert_eq!(
        failures,
        [
            (ball, "BodyCollider", BodyError::Collider),
            (body, "ExampleSet", BodyError::ForeignExamples),
        ]
    );
}

#[test]
fn example_weights_can_be_read_by_name() {
    let mut app = app();
    let shape = block([3, 6, 3]);
    let poses = [
        ExamplePose::from_fn("wide", &shape, |p| p * Vec3::new(1.5, 1.0, 1.0)),
        ExamplePose::from_fn("tall", &shape, |p| p * Vec3::new(1.0, 1.5, 1.0)),
    ];
    let basis = Arc::new(ExampleBasis::new(&shape, &poses).expect("a basis"));
    let body = spawn(&mut app, &shape, Transform::default());
    app.world_mut()
        .entity_mut(body)
        .insert((ExampleSet::from(basis), ExampleControl::Explicit(vec![0.25, 0.5])));
    ticks(&mut app, 2);
    let weights = app.world().get::<ExampleWeights>(body).expect("weights");
    assert_eq!(weights.get("wide"), Some(0.25));
    assert_eq!(weights.get("tall"), Some(0.5));
    assert_eq!(weights.get("square"), None);
    // Constant weights are not written again.
    let tick =
        app.world().entity(body).get_change_ticks::<ExampleWeights>().expect("ticks").changed;
    ticks(&mut app, 3);
    let later =
        app.world().entity(body).get_change_ticks::<ExampleWeights>().expect("ticks").changed;
    assert_eq!(tick, later);
}
