//! What the scenes measure of their bodies, and what their sliders change.

use bevy_ecs::prelude::*;
use bevy_sinew::prelude::*;
use sinew_elastic::{Body, Probe as KernelProbe};
use std::collections::BTreeMap;

use crate::report::Probe;
use crate::scene::Knob;

/// Entities that wait for a body, for a mesh that follows it, or for its first tick.
type Waiting<'a> = (
    Option<&'a BodyState>,
    AnyOf<(&'a DeformableBody, &'a DeformableMesh, &'a BodySurface)>,
    Has<DeformedSurface>,
);

/// Tells whether every body stands in the world, and every mesh follows its own.
pub fn bodies_are_ready(world: &mut World) -> bool {
    let mut bodies = world.query::<Waiting>();
    bodies.iter(world).all(|(state, (body, made, surface), follows)| {
        let is_placed = state.is_some_and(|state| state.kernel().is_some());
        let is_body = body.is_some() || made.is_some();
        let is_drawn = made.is_some() || surface.is_some();
        (is_placed || !is_body) && (follows || !is_drawn)
    })
}

/// Measures all bodies: sums their particles, energies and hashes, and lists the weights by the body's `Name`.
///
/// Bodies come in the order of their names, so that the hash does not depend on entity numbers.
pub fn probe_bodies(world: &mut World) -> Probe {
    let gravity = world.get_resource_or_init::<BodyGravity>().0.as_dvec3();
    let mut bodies = world.query::<(
        &Name,
        &DeformableBody,
        &ElasticMaterial,
        &BodyState,
        Option<&ExampleSet>,
        Option<&ExampleWeights>,
    )>();
    let mut bodies: Vec<_> = bodies.iter(world).collect();
    bodies.sort_by(|a, b| a.0.as_str().cmp(b.0.as_str()));
    let mut probe = Probe::default();
    for (name, body, &material, state, examples, weights) in bodies {
        let (Some(shape), Some(kernel)) = (&body.shape, state.kernel()) else { continue };
        let mut settings = Body::new(shape).with_material(material.into());
        if let Some(basis) = examples.and_then(ExampleSet::basis) {
            settings = settings.with_examples(basis);
        }
        let measured = KernelProbe::measure(&settings, kernel);
        let mass = f64::from(settings.mass());
        probe.particles += shape.particle_count();
        probe.energy +=
            measured.kinetic_energy + measured.elastic_energy - mass * gravity.dot(measured.center);
        probe.max_strain = probe.max_strain.max(measured.max_strain as f32);
        probe.hash = probe.hash.rotate_left(5) ^ kernel.hash();
        if let Some(weights) = weights {
            let by_example: BTreeMap<_, _> = weights
                .examples
                .iter()
                .map(|name| (name.clone(), weights.get(name).unwrap_or(0.0)))
                .collect();
            probe.weights.insert(name.to_string(), by_example);
        }
    }
    probe
}

/// Sliders for the material of all bodies.
pub const MATERIAL_KNOBS: &[Knob] = &[
    Knob {
        label: "elastic (Hz)",
        range: (1.0, 40.0),
        get: |world| read(world, |material| material.elastic_hz),
        set: |world, value| edit(world, |material| material.elastic_hz = value),
    },
    Knob {
        label: "example (Hz)",
        range: (0.0, 10.0),
        get: |world| read(world, |material| material.example_hz),
        set: |world, value| edit(world, |material| material.example_hz = value),
    },
    Knob {
        label: "damping (1/s)",
        range: (0.0, 20.0),
        get: |world| read(world, |material| material.damping),
        set: |world, value| edit(world, |material| material.damping = value),
    },
];

fn read(world: &mut World, get: fn(&ElasticMaterial) -> f32) -> Option<f32> {
    world.query::<&ElasticMaterial>().iter(world).next().map(get)
}

fn edit(world: &mut World, set: impl Fn(&mut ElasticMaterial)) {
    for mut material in world.query::<&mut ElasticMaterial>().iter_mut(world) {
        set(&mut material);
    }
}
