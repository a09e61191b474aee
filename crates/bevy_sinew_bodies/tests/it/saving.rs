//! Worlds that are saved and loaded. SC-03.

use core::any::TypeId;
use std::sync::Arc;

use bevy_app::prelude::*;
use bevy_asset::{AssetPath, LoadFromPath, UntypedHandle};
use bevy_ecs::entity::EntityHashMap;
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_reflect::prelude::*;
use bevy_sinew_bodies::kernel::{self, ElasticShape};
use bevy_sinew_bodies::prelude::*;
use bevy_sinew_bodies::{BodyError, BodySnapshot, snapshot_bodies};
use bevy_transform::prelude::*;
use bevy_world_serialization::prelude::*;
use bevy_world_serialization::serde::WorldDeserializer;
use serde::de::DeserializeSeed as _;

use crate::support::*;

/// Which shape a body has, and what it is called in this test.
#[derive(Component, Reflect, Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
#[reflect(Component, Default)]
struct Model {
    shape: usize,
    id: usize,
}

/// What carries the bodies.
#[derive(Component, Reflect, Clone, Copy, Debug, Default)]
#[reflect(Component, Default)]
struct Carrier;

fn shapes() -> [Arc<ElasticShape>; 2] {
    [block([3, 5, 3]), block([4, 3, 2])]
}

/// An app that can save and load, with a ball to fall on, which is in no save.
fn game() -> App {
    let mut app = app();
    app.register_type::<Model>()
        .register_type::<Carrier>()
        .register_type::<Transform>()
        .register_type::<ChildOf>()
        .register_type::<Children>();
    app.world_mut().spawn((BodyCollider::sphere(3.0), Transform::from_xyz(0.0, -4.0, 0.0)));
    app
}

fn populate(app: &mut App, shapes: &[Arc<ElasticShape>]) {
    let carrier = Transform::from_xyz(1.0, 0.5, 0.0).with_rotation(Quat::from_rotation_y(0.7));
    let carrier = app.world_mut().spawn((Carrier, carrier)).id();
    for id in 0..6 {
        let model = Model { shape: id % 2, id };
        let at = Transform::from_xyz(0.6 * id as f32 - 1.5, 0.1 * id as f32, 0.3);
        let body = spawn(app, &shapes[model.shape], at);
        let mut body = app.world_mut().entity_mut(body);
        body.insert((
            model,
            ElasticMaterial { elastic_hz: 8.0 + id as f32, ..Default::default() },
            InitialVelocity { linear: Vec3::Y, angular: Vec3::new(0.0, 1.0, id as f32) },
            ExampleSet::new()
                .with("twisted", Deformer::twist(Vec3::Y, 2.0))
                .with("low", Deformer::squash(Vec3::Y, 0.7).then(Deformer::shrink(1.1))),
        ));
        if id % 2 == 0 {
            body.insert(ChildOf(carrier));
        }
        if id == 5 {
            let held = HeldParticle { particle: 3, position: Vec3::Y, velocity: Vec3::ZERO };
            body.insert(HeldParticles(vec![held]));
        }
    }
}

fn save(app: &mut App) -> String {
    let world = app.world_mut();
    world.run_system_cached(snapshot_bodies).expect("it always runs");
    let mut saved = world.query_filtered::<Entity, Or<(With<Model>, With<Carrier>)>>();
    let saved: Vec<Entity> = saved.iter(world).collect();
    let registry = world.resource::<AppTypeRegistry>().read();
    DynamicWorldBuilder::from_world(world, &registry)
        .deny_all_resources()
        .extract_entities(saved.into_iter())
        .build()
        .serialize(&registry)
        .expect("all is saved")
}

/// There are no assets in these worlds.
struct NoAssets;

impl LoadFromPath for NoAssets {
    fn load_from_path_erased(&mut self, _: TypeId, path: AssetPath<'static>) -> UntypedHandle {
        panic!("no component refers to {path}")
    }
}

fn load(app: &mut App, text: &str) {
    let world = app.world_mut();
    let loaded = {
        let registry = world.resource::<AppTypeRegistry>().read();
        let mut text = ron::Deserializer::from_str(text).expect("RON");
        let seed = WorldDeserializer { type_registry: &registry, load_from_path: &mut NoAssets };
        seed.deserialize(&mut text).expect("it was saved so")
    };
    loaded.write_to_world(world, &mut EntityHashMap::default()).expect("all is registered");
}

/// Gives loaded bodies the shapes that they had, as a game does once its models are there.
fn give_shapes(app: &mut App, shapes: &[Arc<ElasticShape>]) {
    let world = app.world_mut();
    let mut bodies = world.query::<(&Model, &mut DeformableBody)>();
    for (model, mut body) in bodies.iter_mut(world).filter(|(_, body)| body.shape.is_none()) {
        body.shape = Some(shapes[model.shape].clone());
    }
}

/// State of every body, and whether it hangs on the carrier, in the order of their models.
fn states(app: &mut App) -> Vec<(Model, kernel::BodyState, Transform, bool)> {
    let world = app.world_mut();
    let mut carriers = world.query_filtered::<(), With<Carrier>>();
    let carriers = carriers.query(world);
    let mut bodies = world.try_query::<(&Model, &BodyState, &Transform, Option<&ChildOf>)>();
    let bodies = bodies.as_mut().expect("all are registered");
    let mut states: Vec<_> = bodies
        .iter(world)
        .map(|(&model, state, &transform, parent)| {
            let hangs = parent.is_some_and(|parent| carriers.contains(parent.parent()));
            (model, state.kernel().expect("placed").clone(), transform, hangs)
        })
        .collect();
    states.sort_by_key(|(model, ..)| *model);
    states
}

#[test]
fn a_loaded_world_goes_on_with_the_same_bits() {
    let mut first = game();
    let app = &mut first;
    populate(app, &shapes());
    ticks(app, 100);
    let text = save(app);
    let saved = states(app);
    ticks(app, 200);
    assert_eq!(app.world_mut().query::<&BodySnapshot>().iter(app.world()).count(), 0);
    let expected = states(app);
    assert!(saved.iter().zip(&expected).all(|(a, b)| a.1 != b.1), "they were in motion");
    assert_eq!(expected.iter().filter(|state| state.3).count(), 3, "three hang on the carrier");

    for unrelated in [0, 500] {
        let mut app = game();
        app.world_mut()
            .spawn_batch((0..unrelated).map(|i| Transform::from_xyz(i as f32, 0.0, 0.0)));
        // Other shapes of the same build, as after a restart.
        let shapes = shapes();
        load(&mut app, &text);
        if unrelated > 0 {
            // The shapes come some ticks later.
            ticks(&mut app, 3);
        }
        give_shapes(&mut app, &shapes);
        ticks(&mut app, 200);
        assert!(states(&mut app) == expected, "beside {unrelated} other entities");
    }
}

#[test]
fn a_world_can_be_loaded_twice() {
    let mut app = game();
    let shapes = shapes();
    populate(&mut app, &shapes);
    ticks(&mut app, 100);
    let text = save(&mut app);
    let mut app = game();
    load(&mut app, &text);
    load(&mut app, &text);
    give_shapes(&mut app, &shapes);
    ticks(&mut app, 50);
    let states = states(&mut app);
    assert_eq!(states.len(), 12);
    for pair in states.chunks(2) {
        assert!(pair[0] == pair[1], "both copies do the same");
    }
    // Each copy's bodies hang on their own carrier.
    let world = app.world_mut();
    let mut carriers = world.query_filtered::<&Children, With<Carrier>>();
    let counts: Vec<usize> = carriers.iter(world).map(|children| children.len()).collect();
    assert_eq!(counts, [3, 3]);
}

#[test]
fn a_state_that_is_cloned_is_equal_and_one_that_is_restored_too() {
    let mut app = game();
    populate(&mut app, &shapes());
    ticks(&mut app, 60);
    let world = app.world_mut();
    let mut bodies = world.query_filtered::<(Entity, &BodyState), With<Model>>();
    let saved: Vec<(Entity, BodyState)> =
        bodies.iter(world).map(|(entity, state)| (entity, state.clone())).collect();
    ticks(&mut app, 30);
    for (entity, state) in &saved {
        assert!(app.world().get::<BodyState>(*entity) != Some(state), "it moved on");
        app.world_mut().entity_mut(*entity).insert(state.clone());
        assert!(app.world().get::<BodyState>(*entity) == Some(state), "and is back");
    }
}

#[test]
fn snapshots_that_do_not_fit_are_reported_and_the_body_starts_anew() {
    let mut app = game();
    populate(&mut app, &shapes());
    ticks(&mut app, 30);
    let text = save(&mut app);
    let newer = text.replace("version: 1", "version: 99");
    assert_ne!(newer, text);
    let [tall, flat] = shapes();
    let cases = [
        (
            newer,
            [tall.clone(), flat.clone()],
            BodyError::SnapshotVersion { found: 99, readable: 1 },
        ),
        (text, [flat, block([6, 6, 6])], BodyError::ForeignSnapshot),
    ];
    for (text, shapes, reason) in cases {
        let mut app = game();
        listen::<BodyFailed>(&mut app);
        load(&mut app, &text);
        give_shapes(&mut app, &shapes);
        ticks(&mut app, 10);
        let failures = heard::<BodyFailed>(&app);
        assert_eq!(failures.len(), 6, "each body once: {failures:?}");
        for failure in &failures {
            assert_eq!((failure.component, &failure.reason), ("BodySnapshot", &reason));
        }
        // All were placed, and fall.
        assert_eq!(states(&mut app).len(), 6);
    }
}
