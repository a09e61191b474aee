//! How much of each example pose a body shows: who decides it, and what it is now.

use bevy_ecs::prelude::*;
use bevy_reflect::prelude::*;
use sinew_elastic::{Control, ElasticShape, ExampleBasis};

/// Who decides how much of each example a body shows. An edit wakes the body.
///
/// `Blend` and `Explicit` drive the body like a muscle, and do work on it: ease them over some ticks, as a
/// pose that is set at once is a blow.
#[derive(Component, Clone, Debug, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
pub enum ExampleControl {
    /// The body's own strain, projected to the nearest allowed blend of examples.
    Project(WeightSet),
    /// A place on the way from rest (0) through the examples in order (1, 2, …).
    Blend(f32),
    /// These weights: one for each example, for all groups alike, or one for each example of each
    /// group, group by group. Missing ones count as zero.
    Explicit(Vec<f32>),
}

impl Default for ExampleControl {
    fn default() -> Self {
        Self::Project(WeightSet::default())
    }
}

impl ExampleControl {
    pub(crate) fn as_kernel(&self) -> Control<'_> {
        match self {
            Self::Project(set) => Control::Project((*set).into()),
            Self::Blend(place) => Control::Blend(*place),
            Self::Explicit(weights) => Control::Explicit(weights),
        }
    }
}

/// The weights that examples may take when the body's strain decides.
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Default, Debug, Clone, PartialEq)]
pub enum WeightSet {
    /// Not negative, and at most one together: the shape stays between the poses. The default.
    #[default]
    Simplex,
    /// Any real number.
    Affine,
    /// Not negative, without an upper bound.
    NonNegative,
    /// Each within these bounds.
    Box {
        /// Least weight of each example.
        low: f32,
        /// Greatest weight of each example.
        high: f32,
    },
}

impl From<WeightSet> for sinew_elastic::WeightSet {
    fn from(set: WeightSet) -> Self {
        match set {
            WeightSet::Simplex => Self::Simplex,
            WeightSet::Affine => Self::Affine,
            WeightSet::NonNegative => Self::NonNegative,
            WeightSet::Box { low, high } => Self::Box { low, high },
        }
    }
}

/// How much of each example a body shows, by name and group, to read. Written in `Writeback`, only when
/// a weight changed.
///
/// With one group a region the weights are means over the regions.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
pub struct ExampleWeights {
    /// Names of the examples.
    pub examples: Vec<String>,
    /// Names of the groups; empty when all regions share their weights, or each has its own.
    pub groups: Vec<String>,
    /// Weights: group by group, one for each example.
    pub values: Vec<f32>,
}

impl ExampleWeights {
    /// Weight of an example in the whole body: the mean over its groups. `None` when there is no such
    /// example.
    #[must_use]
    pub fn get(&self, example: &str) -> Option<f32> {
        let index = self.examples.iter().position(|name| name == example)?;
        let column = self.values.iter().skip(index).step_by(self.examples.len());
        let count = self.values.len() / self.examples.len();
        (count > 0).then(|| column.sum::<f32>() / count as f32)
    }

    /// Weight of an example in a named group. `None` when there is no such example or group.
    #[must_use]
    pub fn in_group(&self, group: &str, example: &str) -> Option<f32> {
        let group = self.groups.iter().position(|name| name == group)?;
        let index = self.examples.iter().position(|name| name == example)?;
        self.values.get(group * self.examples.len() + index).copied()
    }

    /// Whether the basis has as many weights as this summary has room for, and the names agree.
    fn fits(&self, basis: &ExampleBasis, rows: usize) -> bool {
        self.values.len() == rows * basis.example_count()
            && self.examples == basis.names()
            && self.groups == basis.group_names()
    }
}

/// Copies the weights of a state into the summary; touches it only when they differ.
pub(crate) fn summarise(
    mut summary: Mut<ExampleWeights>,
    shape: &ElasticShape,
    basis: &ExampleBasis,
    weights: &[f32],
) {
    let examples = basis.example_count();
    if examples == 0 || weights.len() != basis.weight_count() {
        return;
    }
    let per_region = basis.group_count() > 1 && basis.group_names().is_empty();
    let rows = if per_region { 1 } else { basis.group_count() };
    if !summary.fits(basis, rows) {
        *summary = ExampleWeights {
            examples: basis.names().to_vec(),
            groups: basis.group_names().to_vec(),
            values: vec![0.0; rows * examples],
        };
    }
    let value = |i: usize| {
        if per_region {
            let sum: f32 = weights.iter().skip(i).step_by(examples).sum();
            sum / shape.region_count().max(1) as f32
        } else {
            weights[i]
        }
    };
    for i in 0..rows * examples {
        let value = value(i);
        if summary.values[i] != value {
            summary.values[i] = value;
        }
    }
}
