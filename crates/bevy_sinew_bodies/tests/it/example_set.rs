//! Example poses by formula.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_sinew_bodies::BodyError;
use bevy_sinew_bodies::kernel::ExampleError;
use bevy_sinew_bodies::prelude::*;
use bevy_transform::prelude::*;

use crate::support::*;

fn basis(app: &bevy_app::App, body: Entity) -> Option<Arc<ExampleBasis>> {
    app.world().get::<ExampleSet>(body)?.basis().cloned()
}

#[test]
fn examples_by_formula_wait_for_the_shape() {
    let mut app = app();
    app.insert_resource(BodyGravity(Vec3::ZERO));
    let squash = Deformer::squash(Vec3::Y, 0.8);
    let set = ExampleSet::new()
        .with("twisted", Deformer::twist(Vec3::Y, 1.5))
        .with("low", squash.clone());
    assert_eq!(set.names(), ["twisted", "low"]);
    let body = app.world_mut().spawn((DeformableBody::default(), set)).id();
    app.world_mut().entity_mut(body).insert((
        ExampleControl::Explicit(vec![0.0, 1.0]),
        ElasticMaterial { damping: 20.0, ..Default::default() },
    ));
    ticks(&mut app, 3);
    assert!(basis(&app, body).is_none(), "there is no shape yet");
    let shape = block([3, 6, 3]);
    app.world_mut().entity_mut(body).insert(DeformableBody::new(shape.clone()));
    ticks(&mut app, 1);
    let poses = [Deformer::twist(Vec3::Y, 1.5).pose("twisted", &shape), squash.pose("low", &shape)];
    let expected = ExampleBasis::new(&shape, &poses).expect("a basis");
    assert!(basis(&app, body).as_deref() == Some(&expected));
    // They act: at rest the body has the height of the pose.
    ticks(&mut app, 200);
    let heights = positions(&app, body, &shape).into_iter().map(|p| p.y);
    let height = heights.clone().fold(f32::MIN, f32::max) - heights.fold(f32::MAX, f32::min);
    assert!((height / 0.5 - 0.8).abs() < 0.01, "{height} m");
    assert_eq!(app.world().get::<ExampleWeights>(body).and_then(|w| w.get("low")), Some(1.0));
}

#[test]
fn bodies_of_one_shape_share_equal_sets_and_others_do_not() {
    let mut app = app();
    let (shape, other_shape) = (block([3, 4, 3]), block([4, 4, 4]));
    let set = || ExampleSet::new().with("twisted", Deformer::twist(Vec3::Y, 1.5));
    let other_set = ExampleSet::new().with("twisted", Deformer::twist(Vec3::Y, 1.6));
    let mut make = |shape, set| {
        let body = spawn(&mut app, shape, Transform::default());
        app.world_mut().entity_mut(body).insert(set);
        body
    };
    let bodies = [
        make(&shape, set()),
        make(&shape, set()),
        make(&shape, other_set),
        make(&other_shape, set()),
    ];
    ticks(&mut app, 1);
    let later = spawn(&mut app, &shape, Transform::default());
    app.world_mut().entity_mut(later).insert(set());
    ticks(&mut app, 1);
    let made = |body| basis(&app, body).expect("made");
    let first = made(bodies[0]);
    assert!(Arc::ptr_eq(&first, &made(bodies[1])));
    assert!(Arc::ptr_eq(&first, &made(later)));
    assert!(*first != *made(bodies[2]));
    assert_eq!(first.names(), made(bodies[3]).names());
    assert!(!Arc::ptr_eq(&first, &made(bodies[3])));
}

#[test]
fn another_shape_gets_poses_of_its_own() {
    let mut app = app();
    listen::<BodyFailed>(&mut app);
    let (shape, other) = (block([3, 4, 3]), block([4, 5, 4]));
    let body = spawn(&mut app, &shape, Transform::default());
    app.world_mut()
        .entity_mut(body)
        .insert(ExampleSet::new().with("twisted", Deformer::twist(Vec3::Y, 1.5)));
    ticks(&mut app, 5);
    app.world_mut().entity_mut(body).insert(DeformableBody::new(other.clone()));
    ticks(&mut app, 5);
    let pose = Deformer::twist(Vec3::Y, 1.5).pose("twisted", &other);
    let expected = ExampleBasis::new(&other, &[pose]).expect("a basis");
    assert!(basis(&app, body).as_deref() == Some(&expected));
    assert!(heard::<BodyFailed>(&app).is_empty());
}

#[test]
fn an_example_that_cannot_be_made_is_named_once_and_the_body_goes_on() {
    let shape = block([3, 4, 3]);
    let twist = || Deformer::twist(Vec3::Y, 1.0);
    let cases = [
        (
            ExampleSet::new().with("fine", twist()).with("broken", Deformer::squash(Vec3::Y, 0.0)),
            ExampleError::NonFinite { name: "broken".into(), particle: 0 },
            "broken",
        ),
        (
            ExampleSet::new().with("same", twist()).with("same", twist()),
            ExampleError::DuplicateName("same".into()),
            "same",
        ),
        (
            (0..257).fold(ExampleSet::new(), |set, i| set.with(i.to_string(), twist())),
            ExampleError::TooManyExamples(257),
            "257",
        ),
    ];
    for (set, error, named) in cases {
        let mut app = app();
        listen::<BodyFailed>(&mut app);
        let body = spawn(&mut app, &shape, Transform::default());
        app.world_mut().entity_mut(body).insert(set);
        ticks(&mut app, 5);
        let failures = heard::<BodyFailed>(&app);
        assert_eq!(failures.len(), 1, "{failures:?}");
        let BodyFailed { entity, component, reason } = &failures[0];
        assert_eq!((*entity, *component), (body, "ExampleSet"));
        assert_eq!(reason, &BodyError::Examples { error });
        assert!(reason.to_string().contains(named), "{reason}");
        assert!(top_speed(&app, body, &shape) > 0.5, "it falls");
        // Put right, and wrong again: said again.
        app.world_mut().entity_mut(body).insert(ExampleSet::new().with("fine", twist()));
        ticks(&mut app, 2);
        assert!(basis(&app, body).is_some());
        let broken = ExampleSet::new().with("worse", Deformer::shrink(f32::NAN));
        app.world_mut().entity_mut(body).insert(broken);
        ticks(&mut app, 2);
        assert!(basis(&app, body).is_none());
        assert_eq!(heard::<BodyFailed>(&app).len(), 2);
    }
}
