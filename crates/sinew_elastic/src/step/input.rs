//! What a step is given and what it reports.

use glam::{DVec3, Vec3};

use crate::contact::Collider;
use crate::examples::ExampleBasis;
use crate::material::Material;
use crate::shape::ElasticShape;
use crate::sleep::Sleep;
use crate::weight_set::WeightSet;

/// Who decides how much of each example the body shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Control<'a> {
    /// The body's own strain, projected to the example manifold (eq. 6).
    Project(WeightSet),
    /// A place on the way from rest (0) through the examples in order (1, 2, …).
    Blend(f32),
    /// These weights: one for each example, for all groups alike, or one for each example of each
    /// group, group by group. Missing ones count as zero.
    Explicit(&'a [f32]),
}

impl Default for Control<'_> {
    fn default() -> Self {
        Self::Project(WeightSet::default())
    }
}

/// Holds a particle at a place that moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// The particle.
    pub particle: u32,
    /// World position at the end of the step.
    pub position: DVec3,
    /// Velocity, in m/s; earlier sub-steps lie behind along it.
    pub velocity: Vec3,
}

/// What a body is, for a step.
#[derive(Clone, Copy, Debug)]
pub struct Body<'a> {
    /// Particles and regions.
    pub shape: &'a ElasticShape,
    /// Example poses, if any.
    pub examples: Option<&'a ExampleBasis>,
    /// What it is made of.
    pub material: Material,
    /// Who decides how much of each example it shows.
    pub control: Control<'a>,
    /// When it may sleep.
    pub sleep: Sleep,
}

impl<'a> Body<'a> {
    /// A body of the default material without examples.
    #[must_use]
    pub fn new(shape: &'a ElasticShape) -> Self {
        Self {
            shape,
            examples: None,
            material: Material::default(),
            control: Control::default(),
            sleep: Sleep::default(),
        }
    }

    /// The same with example poses.
    #[must_use]
    pub fn with_examples(mut self, examples: &'a ExampleBasis) -> Self {
        self.examples = Some(examples);
        self
    }

    /// The same of another material.
    #[must_use]
    pub fn with_material(mut self, material: Material) -> Self {
        self.material = material;
        self
    }

    /// The same with other control of the example weights.
    #[must_use]
    pub fn with_control(mut self, control: Control<'a>) -> Self {
        self.control = control;
        self
    }

    /// The same with other rules for sleeping.
    #[must_use]
    pub fn with_sleep(mut self, sleep: Sleep) -> Self {
        self.sleep = sleep;
        self
    }

    /// The mass in kg.
    #[must_use]
    pub fn mass(&self) -> f32 {
        self.shape.volume() * self.material.density
    }
}

/// What acts on a body during a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepInput<'a> {
    /// Acceleration of every particle, in m/s².
    pub gravity: Vec3,
    /// Solid things near the body. Invalid ones are passed over.
    pub colliders: &'a [Collider],
    /// Particles that are held.
    pub anchors: &'a [Anchor],
}

/// What happened in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Sub-steps taken; 0 for a body that slept, or a step of no length.
    pub substeps: u32,
    /// Part of the step that was longer than [`LONGEST_STEP`](crate::LONGEST_STEP) and so was not simulated, in s.
    pub seconds_cut: f32,
    /// The body had become non-finite and was put back to its last finite rigid pose.
    pub quarantined: bool,
    /// The body fell asleep in this step.
    pub fell_asleep: bool,
    /// The state was of another shape and was put to rest.
    pub state_replaced: bool,
    /// The scratch memory was of another shape or basis and was made anew.
    pub scratch_replaced: bool,
}
