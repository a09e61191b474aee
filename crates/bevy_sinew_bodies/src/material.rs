//! What a body is made of and when it may sleep: components to edit at any time.

use bevy_ecs::prelude::*;
use bevy_reflect::prelude::*;
use sinew_elastic as kernel;

/// What a body is made of, in physical terms. An edit acts from the next tick on and wakes the body.
///
/// Values that are negative or not finite count as zero, and are reported once.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
pub struct ElasticMaterial {
    /// Frequency of a small part of the body about its goal, in Hz: the stiffness. A whole body swings
    /// more slowly. Zero lets the particles fly freely.
    pub elastic_hz: f32,
    /// Frequency of the return from an example pose to the rest shape, in Hz; at most `elastic_hz`.
    /// Zero makes example poses as restful as the rest shape.
    pub example_hz: f32,
    /// Rate at which motion other than the rigid one decays, in 1/s.
    pub damping: f32,
    /// Mass per volume, in kg/m³. It matters to what the body touches; a free body moves the same.
    pub density: f32,
    /// How velocities and positions advance.
    pub integrator: Integrator,
    /// Which form of the method runs.
    pub method: Method,
}

impl Default for ElasticMaterial {
    fn default() -> Self {
        let kernel::Material { elastic_hz, example_hz, damping, density, .. } =
            kernel::Material::default();
        Self {
            elastic_hz,
            example_hz,
            damping,
            density,
            integrator: Integrator::default(),
            method: Method::default(),
        }
    }
}

impl ElasticMaterial {
    /// Whether every number can be used as it is.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let method = match self.method {
            Method::Conservative => [0.0, 0.0],
            Method::PaperExact { alpha, beta } => [alpha, beta],
        };
        [self.elastic_hz, self.example_hz, self.damping, self.density]
            .into_iter()
            .chain(method)
            .all(|value| value.is_finite() && value >= 0.0)
    }
}

impl From<ElasticMaterial> for kernel::Material {
    fn from(material: ElasticMaterial) -> Self {
        Self {
            elastic_hz: material.elastic_hz,
            example_hz: material.example_hz,
            damping: material.damping,
            density: material.density,
            integrator: match material.integrator {
                Integrator::Symplectic => kernel::Integrator::Symplectic,
                Integrator::Implicit => kernel::Integrator::Implicit,
            },
            method: match material.method {
                Method::Conservative => kernel::Method::Conservative,
                Method::PaperExact { alpha, beta } => kernel::Method::PaperExact { alpha, beta },
            },
        }
    }
}

/// How velocities and positions advance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Default, Debug, Clone, PartialEq)]
pub enum Integrator {
    /// Kick, then drift: conserves energy over long times. The default.
    #[default]
    Symplectic,
    /// Goals are sought from the predicted positions: damps by itself; for clay and heavy stacks.
    Implicit,
}

/// Which form of the method runs.
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Default, Debug, Clone, PartialEq)]
pub enum Method {
    /// The pull is the gradient of an energy; momentum is kept. The default.
    #[default]
    Conservative,
    /// The method as published, with per-step numbers, to compare with. It gains energy without damping.
    PaperExact {
        /// Share of the way to the goal that a step's velocity covers, in [0, 1].
        alpha: f32,
        /// Share of the example's strain that is kept, in [0, 1].
        beta: f32,
    },
}

/// When a body may fall asleep. A sleeping body costs nothing until something wakes it.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
pub struct BodySleep {
    /// Whether the body may sleep at all.
    pub enabled: bool,
    /// Speed (root mean square over the particles) below which the body is quiet, in body sizes per
    /// second.
    pub speed: f32,
    /// Time that it must be quiet for, in s.
    pub after: f32,
}

impl BodySleep {
    /// A body that never sleeps.
    #[must_use]
    pub fn never() -> Self {
        Self { enabled: false, ..Self::default() }
    }
}

impl Default for BodySleep {
    fn default() -> Self {
        let kernel::Sleep { enabled, speed, after } = kernel::Sleep::default();
        Self { enabled, speed, after }
    }
}

impl From<BodySleep> for kernel::Sleep {
    fn from(sleep: BodySleep) -> Self {
        Self { enabled: sleep.enabled, speed: sleep.speed, after: sleep.after }
    }
}
