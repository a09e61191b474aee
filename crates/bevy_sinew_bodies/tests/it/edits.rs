//! Edits of the material on a moving body. SB-41.

use std::sync::Arc;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_sinew_bodies::BodyError;
use bevy_sinew_bodies::kernel::{Body, Probe};
use bevy_sinew_bodies::prelude::*;
use bevy_time::prelude::*;
use bevy_transform::prelude::*;

use crate::support::*;

/// Stiffness at which the paper's alpha is 0.9 at 60 Hz, and the one at which it is 0.2.
const STIFF: f32 = 9.4;
const SOFT: f32 = 4.3;

/// Speed of the throw that starts the swing, in m/s.
const THROW: f32 = 2.0;

/// A sheet that swings, held at its upper edge, with an example pose.
fn swinging(shape: &Arc<ElasticShape>) -> (App, Entity) {
    let mut app = app();
    let body = spawn(&mut app, shape, Transform::default());
    let top = shape.rest_position(shape.particle_count() - 1).y;
    let held = (0..shape.particle_count()).filter(|&i| shape.rest_position(i).y > top - 0.05);
    let held = held.map(|i| HeldParticle {
        particle: i as u32,
        position: shape.rest_position(i),
        velocity: Vec3::ZERO,
    });
    app.world_mut().entity_mut(body).insert((
        HeldParticles(held.collect()),
        InitialVelocity { linear: Vec3::Z * THROW, angular: Vec3::ZERO },
        ElasticMaterial { elastic_hz: STIFF, ..Default::default() },
        ExampleSet::new().with("sheared", Deformer::shear(Vec3::Y, Vec3::X, 0.5)),
        BodySleep::never(),
    ));
    ticks(&mut app, 40);
    (app, body)
}

fn sheet() -> Arc<ElasticShape> {
    block([6, 8, 1])
}

fn material(app: &mut App, body: Entity) -> Mut<'_, ElasticMaterial> {
    app.world_mut().get_mut::<ElasticMaterial>(body).expect("a material")
}

type Edit = fn(&mut App, Entity);

const EDITS: [(&str, Edit); 6] = [
    ("softer", |app, body| material(app, body).elastic_hz = SOFT),
    ("stiffer", |app, body| material(app, body).elastic_hz = 2.0 * STIFF),
    ("less damping", |app, body| material(app, body).damping = 0.0),
    ("more damping", |app, body| material(app, body).damping = 8.0),
    ("density", |app, body| material(app, body).density = 100.0),
    ("return from examples", |app, body| material(app, body).example_hz = 4.0),
];

/// Largest change of a particle's velocity in one tick.
fn velocity_step(app: &mut App, body: Entity, shape: &ElasticShape) -> f32 {
    let before = velocities(app, body, shape);
    ticks(app, 1);
    apart(&velocities(app, body, shape), &before)
}

#[test]
fn velocity_is_continuous_over_an_edit() {
    let shape = sheet();
    for (name, edit) in EDITS {
        let (mut app, body) = swinging(&shape);
        let before = (0..30).map(|_| velocity_step(&mut app, body, &shape)).fold(0.0, f32::max);
        edit(&mut app, body);
        for _ in 0..5 {
            let step = velocity_step(&mut app, body, &shape);
            assert!(step < 3.0 * before, "{name}: a step of {step} m/s after {before}");
        }
    }
}

/// Ticks a second in which twice `STIFF` still is one sub-step.
const FINE_HZ: f32 = 128.0;

/// Elastic energy, and that of the weight, per kg/m³, with the material that the body has now.
fn potential(app: &App, body: Entity, shape: &ElasticShape) -> [f64; 2] {
    let set = app.world().get::<ExampleSet>(body).expect("examples");
    let mut material = *app.world().get::<ElasticMaterial>(body).expect("a material");
    material.density = 1.0;
    let elastic = Body::new(shape).with_material(material.into());
    let elastic = elastic.with_examples(set.basis().expect("a basis"));
    let probe = Probe::measure(&elastic, &kernel(app, body));
    let weight = f64::from(elastic.mass() * GRAVITY);
    [probe.elastic_energy, weight * probe.center.y]
}

/// `4 sin²(ω h / 2)`, the pull of a step, as a share of the `(ω h)²` of the elastic energy.
fn pull_share(hz: f32) -> f64 {
    let half_step = core::f64::consts::PI * f64::from(hz / FINE_HZ);
    (half_step.sin() / half_step).powi(2)
}

/// What a symplectic step keeps under a linear pull without damping. Velocities lie half a step before
/// and after a position: with `x'' = −(α / h²) x`, `½ v₋ v₊ + ½ (α / h²) x²` is the same after each step.
fn kept(
    before: &[Vec3],
    after: &[Vec3],
    potential: [f64; 2],
    hz: f32,
    shape: &ElasticShape,
) -> f64 {
    let product = |i: usize| f64::from(0.5 * shape.particle_mass(i) * before[i].dot(after[i]));
    let moving: f64 = (0..before.len()).map(product).sum();
    moving + pull_share(hz) * potential[0] + potential[1]
}

#[test]
fn an_edit_adds_no_energy_but_what_the_strain_is_worth() {
    let shape = sheet();
    for (name, edit) in EDITS {
        let (mut app, body) = swinging(&shape);
        app.world_mut().resource_mut::<Time<Fixed>>().set_timestep_hz(FINE_HZ.into());
        ticks(&mut app, 2);
        let before = potential(&app, body, &shape);
        edit(&mut app, body);
        // The state is the same: only what its strain is worth has changed.
        let edited = potential(&app, body, &shape);
        assert_eq!(edited[1], before[1], "{name}");
        if name != "stiffer" {
            assert!(edited[0] <= before[0], "{name}: {before:?} to {edited:?}");
        }
        let hz = material(&mut app, body).elastic_hz;
        let mut most_elastic = edited[0];
        let totals: Vec<f64> = (0..60)
            .map(|_| {
                let (v, energy) = (velocities(&app, body, &shape), potential(&app, body, &shape));
                most_elastic = most_elastic.max(energy[0]);
                ticks(&mut app, 1);
                kept(&v, &velocities(&app, body, &shape), energy, hz, &shape)
            })
            .collect();
        // The pull is linear but for the turning of the regions: 1 % of what moves. The part of the energy
        // that belongs to the return from the example has a frequency, and so a share, of its own.
        let moving = (totals[0] - edited[1]).abs();
        let allowed = totals[0] + 0.01 * moving + (1.0 - pull_share(hz)) * most_elastic;
        let most = totals.iter().copied().fold(f64::MIN, f64::max);
        assert!(most <= allowed, "{name}: {} to {most} J, {allowed} J allowed", totals[0]);
    }
}

#[test]
fn density_does_not_change_the_motion_of_a_free_body() {
    let shape = sheet();
    let run = |edit: bool| {
        let (mut app, body) = swinging(&shape);
        if edit {
            material(&mut app, body).density = 1.0;
        }
        ticks(&mut app, 60);
        kernel(&app, body).hash()
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn an_example_pose_that_is_set_moves_the_body_without_a_jolt() {
    let shape = sheet();
    let (mut app, body) = swinging(&shape);
    app.world_mut().entity_mut(body).insert(ExampleControl::Explicit(vec![0.0]));
    ticks(&mut app, 1);
    let before = (0..30).map(|_| velocity_step(&mut app, body, &shape)).fold(0.0, f32::max);
    app.world_mut().entity_mut(body).insert(ExampleControl::Explicit(vec![0.2]));
    for _ in 0..5 {
        let step = velocity_step(&mut app, body, &shape);
        assert!(step < 3.0 * before, "a step of {step} m/s after {before}");
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
