//! Example poses that are made together with the body.

use bevy_ecs::component::Component;
use bevy_ecs::reflect::ReflectComponent;
use bevy_reflect::{Reflect, std_traits::ReflectDefault};
use sinew_elastic::{Deformer, ElasticShape, ExampleBasis, ExampleError};

/// Example poses for a [`DeformableMesh`](crate::DeformableMesh), by deforming its rest shape.
///
/// They are made off the main thread, with the lattice; then the entity gets an
/// [`ExampleSet`](bevy_sinew_bodies::ExampleSet). An edit builds the body anew.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
pub struct MeshExamples {
    names: Vec<String>,
    #[reflect(ignore)]
    deformers: Vec<Deformer>,
}

impl MeshExamples {
    /// No examples yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// The same with one example more. Deformers act in body space, in metres.
    #[must_use]
    pub fn with(mut self, name: impl Into<String>, deformer: Deformer) -> Self {
        self.names.push(name.into());
        self.deformers.push(deformer);
        self
    }

    /// Names of the examples.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    pub(crate) fn basis(&self, shape: &ElasticShape) -> Result<ExampleBasis, ExampleError> {
        let poses: Vec<_> = self
            .names
            .iter()
            .zip(&self.deformers)
            .map(|(name, deformer)| deformer.pose(name.clone(), shape))
            .collect();
        ExampleBasis::new(shape, &poses)
    }
}
