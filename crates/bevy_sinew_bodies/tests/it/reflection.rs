//! Components as inspectors and the remote protocol see them.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_reflect::prelude::*;
use bevy_reflect::serde::{TypedReflectDeserializer, TypedReflectSerializer};
use bevy_reflect::{TypeRegistration, TypeRegistry};
use bevy_sinew_bodies::prelude::*;
use bevy_transform::prelude::*;
use serde::de::DeserializeSeed as _;
use serde_json::{Value, json};

use crate::support::*;

const COMPONENTS: [&str; 16] = [
    "DeformableBody",
    "BodyState",
    "BodyStatus",
    "ElasticMaterial",
    "BodySleep",
    "ExampleSet",
    "ExampleControl",
    "ExampleWeights",
    "HeldParticles",
    "InitialVelocity",
    "BodyMotion",
    "BodyCollider",
    "BodySnapshot",
    "ContactInput",
    "ContactReactions",
    "BodyGravity",
];

fn registered<'a>(registry: &'a TypeRegistry, name: &str) -> &'a TypeRegistration {
    let registration = registry.get_with_short_type_path(name);
    registration.unwrap_or_else(|| panic!("{name} is not registered"))
}

#[test]
fn every_component_can_be_reflected_and_made_from_nothing() {
    let app = app();
    let registry = app.world().resource::<AppTypeRegistry>().read();
    for name in COMPONENTS {
        let registration = registered(&registry, name);
        assert!(registration.data::<ReflectComponent>().is_some(), "{name} is no component");
        let default = registration.data::<ReflectDefault>();
        assert!(default.is_some(), "{name} has no default");
        let value = default.expect("just looked").default();
        assert!(value.reflect_clone().is_ok(), "{name} cannot be cloned");
    }
}

/// A component as JSON, the way that `world.get_components` of the remote protocol makes it.
fn get(app: &App, entity: Entity, name: &str) -> Option<Value> {
    let registry = app.world().resource::<AppTypeRegistry>().read();
    let component = registered(&registry, name).data::<ReflectComponent>()?;
    let value = component.reflect(app.world().entity(entity))?;
    let serializer = TypedReflectSerializer::new(value.as_partial_reflect(), &registry);
    Some(serde_json::to_value(serializer).expect("all parts can be written"))
}

/// Sets the part at a path, the way that `world.mutate_components` of the remote protocol does it.
fn mutate(app: &mut App, entity: Entity, name: &str, path: &str, value: Value) {
    let registry = app.world().resource::<AppTypeRegistry>().clone();
    let registry = registry.read();
    let component = registered(&registry, name).data::<ReflectComponent>().expect("a component");
    let mut entity = app.world_mut().entity_mut(entity);
    let mut whole = component.reflect_mut(&mut entity).expect("the entity has it");
    let part = whole.reflect_path_mut(path).expect("there is such a part");
    let info = part.get_represented_type_info().expect("a type");
    let registration = registry.get(info.type_id()).expect("it is registered");
    let seed = TypedReflectDeserializer::new(registration, &registry);
    let value = seed.deserialize(value).expect("the value has this type");
    part.try_apply(&*value).expect("it can be set");
}

#[test]
fn inspectors_are_not_flooded_with_particles() {
    let mut app = app();
    let shape = block([10, 10, 10]);
    let body = spawn(&mut app, &shape, Transform::from_xyz(0.0, 2.0, 0.0));
    app.world_mut().spawn(BodyCollider::plane());
    app.world_mut().entity_mut(body).insert((
        BodyMotion::default(),
        ExampleSet::new().with("twisted", Deformer::twist(Vec3::Y, 1.0)),
    ));
    ticks(&mut app, 10);
    let mut seen = 0;
    for name in COMPONENTS {
        let Some(value) = get(&app, body, name) else { continue };
        seen += 1;
        let text = value.to_string();
        assert!(text.len() < 300, "{name} is {} long: {text:.300}", text.len());
    }
    assert!(seen >= 9, "only {seen} components");
    // What matters of the arrays can be read.
    let status = get(&app, body, "BodyStatus").expect("a status");
    assert_eq!(status["particles"], 1_000);
    assert_eq!(status["asleep"], false);
    assert_eq!(get(&app, body, "ExampleWeights").expect("weights")["examples"], json!(["twisted"]));
}

#[test]
fn an_edit_by_path_acts_as_one_in_code() {
    let shape = block([3, 5, 3]);
    let run = |edit: &dyn Fn(&mut App, Entity)| {
        let mut app = app();
        app.world_mut().spawn(BodyCollider::plane());
        let body = spawn(&mut app, &shape, Transform::from_xyz(0.0, 0.2, 0.0));
        ticks(&mut app, 10);
        edit(&mut app, body);
        ticks(&mut app, 40);
        kernel(&app, body)
    };
    let plain = run(&|_, _| ());
    let in_code = run(&|app, body| {
        let mut material = app.world_mut().get_mut::<ElasticMaterial>(body).expect("a material");
        material.elastic_hz = 3.0;
        material.integrator = bevy_sinew_bodies::Integrator::Implicit;
    });
    let by_path = run(&|app, body| {
        mutate(app, body, "ElasticMaterial", ".elastic_hz", json!(3.0));
        mutate(app, body, "ElasticMaterial", ".integrator", json!("Implicit"));
    });
    assert!(plain != in_code, "the edit has an effect");
    assert!(by_path == in_code);
}

#[test]
fn every_kind_of_setting_can_be_edited_by_path() {
    let mut app = app();
    let shape = block([3, 5, 3]);
    let body = spawn(&mut app, &shape, Transform::from_xyz(0.0, 0.2, 0.0));
    app.world_mut().entity_mut(body).insert((
        ExampleSet::new().with("low", Deformer::squash(Vec3::Y, 0.8)),
        HeldParticles(vec![HeldParticle { position: Vec3::Y, ..Default::default() }]),
        BodyCollider::sphere(1.0),
    ));
    ticks(&mut app, 2);
    mutate(&mut app, body, "BodySleep", ".enabled", json!(false));
    mutate(&mut app, body, "HeldParticles", ".0[0].position", json!([0.0, 2.0, 0.0]));
    mutate(&mut app, body, "ExampleControl", "", json!({ "Explicit": [0.5] }));
    mutate(&mut app, body, "ExampleSet", ".names[0]", json!("flat"));
    mutate(&mut app, body, "BodyCollider", ".shape.radius", json!(0.25));
    ticks(&mut app, 2);
    let world = app.world();
    assert_eq!(world.get::<BodySleep>(body), Some(&BodySleep::never()));
    let held = world.get::<HeldParticles>(body).expect("it is held");
    assert!(positions(&app, body, &shape)[0].distance(held.0[0].position) < 1e-5);
    assert_eq!(held.0[0].position, Vec3::Y * 2.0);
    let weights = world.get::<ExampleWeights>(body).expect("weights");
    assert_eq!((weights.get("flat"), weights.get("low")), (Some(0.5), None));
    let collider = world.get::<BodyCollider>(body).expect("a collider");
    assert_eq!(collider.shape, BodyColliderShape::Sphere { radius: 0.25 });
}
