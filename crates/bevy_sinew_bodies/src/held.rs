//! Particles that are held in place or moved by hand.

use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_reflect::prelude::*;

/// Holds particles of a body at places in the world. An edit wakes the body.
///
/// Particles that the body does not have, and places that are not finite, are passed over.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
pub struct HeldParticles(pub Vec<HeldParticle>);

/// One particle that is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Default, Debug, Clone, PartialEq)]
pub struct HeldParticle {
    /// The particle's index in the shape.
    pub particle: u32,
    /// World position at the end of the tick.
    pub position: Vec3,
    /// Velocity, in m/s: where it comes from during the tick.
    pub velocity: Vec3,
}

impl From<HeldParticle> for sinew_elastic::Anchor {
    fn from(held: HeldParticle) -> Self {
        Self {
            particle: held.particle,
            position: held.position.as_dvec3(),
            velocity: held.velocity,
        }
    }
}
