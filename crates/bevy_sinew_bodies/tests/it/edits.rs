//! Edits of the material on a moving body. SB-41.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_sinew_bodies::BodyError;
use bevy_sinew_bodies::kernel::{Body, Probe};
use bevy_sinew_bodies::prelude::*;
use bevy_transform::prelude::*;

use crate::support::*;

/// A block that swings, held at its upper end.
fn swinging(shape: &std::sync::Arc<bevy_sinew_bodies::kernel::ElasticShape>) -> (App, Entity) {
    let mut app = app();
    let body = spawn(&mut app, shape, Transform::default());
    let held = (0..shape.particle_count()).filter(|&i| shape.rest_position(i).y > 0.75);
    let held = held.map(|i| HeldParticle {
        particle: i as u32,
        position: shape.rest_position(i),
        velocity: Vec3::ZERO,
    });
    app.world_mut().entity_mut(body).insert((
        HeldParticles(held.collect()),
        InitialVelocity { linear: Vec3::X, angular: Vec3::ZERO },
        BodySleep::never(),
    ));
    ticks(&mut app, 30);
    (app, body)
}

type Edit = fn(&mut ElasticMaterial);

/// Largest change of a particle's velocity in one tick.
fn velocity_step(
    app: &mut App,
    body: Entity,
    shape: &bevy_sinew_bodies::kernel::ElasticShape,
) -> f32 {
    let before = velocities(app, body, shape);
    ticks(app, 1);
    apart(&velocities(app, body, shape), &before)
}

#[test]
fn velocity_is_continuous_over_an_edit() {
    let shape = block([3, 9, 3]);
    let edits: [(&str, Edit); 5] = [
        ("softer", |m| m.elastic_hz = 3.0),
        ("stiffer", |m| m.elastic_hz = 9.0),
        ("damping", |m| m.damping = 8.0),
        ("density", |m| m.density = 100.0),
        ("examples", |m| m.example_hz = 4.0),
    ];
    for (name, edit) in edits {
        let (mut app, body) = swinging(&shape);
        let before = (0..30).map(|_| velocity_step(&mut app, body, &shape)).fold(0.0, f32::max);
        edit(&mut app.world_mut().get_mut::<ElasticMaterial>(body).expect("a material"));
        for _ in 0..5 {
            let step = velocity_step(&mut app, body, &shape);
            assert!(step < 3.0 * before, "{name}: a step of {step} m/s after {before}");
        }
    }
}

#[test]
fn a_softer_material_adds_no_energy() {
    let shape = block([3, 9, 3]);
    let (mut app, body) = swinging(&shape);
    let energy = |app: &App| {
        let mut elastic = Body::new(&shape);
        elastic.material = (*app.world().get::<ElasticMaterial>(body).expect("a material")).into();
        let state = kernel(app, body);
        let probe = Probe::measure(&elastic, &state);
        let height = mean(&positions(app, body, &shape)).y;
        let weight = elastic.mass() * GRAVITY;
        probe.kinetic_energy + probe.elastic_energy + f64::from(weight * height)
    };
    let before = energy(&app);
    let scale = {
        let mut elastic = Body::new(&shape);
        elastic.material = ElasticMaterial::default().into();
        Probe::measure(&elastic, &kernel(&app, body)).kinetic_energy
    };
    app.world_mut().get_mut::<ElasticMaterial>(body).expect("a material").elastic_hz = 3.0;
    for _ in 0..5 {
        ticks(&mut app, 1);
        let now = energy(&app);
        assert!(now <= before + 0.02 * scale, "{now} J after {before} J, {scale} J in motion");
    }
}

#[test]
fn a_bad_material_is_reported_once_and_counts_as_zero() {
    let mut app = app();
    listen::<BodyFailed>(&mut app);
    let shape = block([3, 3, 3]);
    let body = spawn(&mut app, &shape, Transform::default());
    for _ in 0..10 {
        app.world_mut().get_mut::<ElasticMaterial>(body).expect("a material").elastic_hz = f32::NAN;
        ticks(&mut app, 1);
    }
    let failures = heard::<BodyFailed>(&app);
    assert_eq!(failures.len(), 1, "{failures:?}");
    let BodyFailed { entity, component, reason } = &failures[0];
    assert_eq!((*entity, *component, reason), (body, "ElasticMaterial", &BodyError::Material));
    assert!(positions(&app, body, &shape).iter().all(|p| p.is_finite()));
    app.world_mut().get_mut::<ElasticMaterial>(body).expect("a material").elastic_hz = 6.0;
    ticks(&mut app, 1);
    app.world_mut().get_mut::<ElasticMaterial>(body).expect("a material").damping = -1.0;
    ticks(&mut app, 1);
    assert_eq!(heard::<BodyFailed>(&app).len(), 2, "a new fault is said again");
}
