//! One field for each joint: samples of its part of the skin, a smooth function through them, a grid.
//!
//! A field's *distance* is negative inside, zero on the skin and positive outside, like a signed
//! distance near the skin, and unlike one far from it. Its *value* is 1 deep inside, ½ on the skin and 0
//! from the support radius on: see [`falloff()`].

mod falloff;
mod grid;
mod hrbf;
mod samples;

pub use falloff::{ISO, falloff};
pub use grid::{FieldGrid, GridResolution};
pub use hrbf::{Hrbf, HrbfError};
pub use samples::{NoField, PartSurface, Sample, SampleSettings, part_samples, support_radius};
