//! Ready-made shapes: closed surfaces facing outwards, and tetrahedral fillings with positive volumes only.
//!
//! All are centred on the origin; cylinders and tori have their axis along y, as in Bevy. Counts and sizes that make no
//! shape are a [`ShapeError`].

mod surface;
mod tet;

use thiserror::Error;

pub use tet::SplitParity;

/// Most vertices that a shape may have: keeps a mistyped count from filling the memory.
const MAX_VERTICES: u128 = 1 << 26;

/// Why no shape can be made from some parameters.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ShapeError {
    /// A length is zero, negative or not finite.
    #[error("{name} is {value}, but must be a finite length above 0")]
    Length {
        /// Which parameter.
        name: &'static str,
        /// Its value.
        value: f32,
    },
    /// A count is too small to enclose a volume.
    #[error("{name} is {value}, but must be at least {least}")]
    Count {
        /// Which parameter.
        name: &'static str,
        /// Its value.
        value: u32,
        /// The smallest value that works.
        least: u32,
    },
    /// The tube of a torus is as thick as its ring, so it would pass through itself.
    #[error("the tube radius {tube_radius} must be smaller than the ring radius {ring_radius}")]
    TubeTooThick {
        /// Radius of the tube.
        tube_radius: f32,
        /// Radius of the circle through the middle of the tube.
        ring_radius: f32,
    },
    /// The counts ask for more vertices than a shape may have.
    #[error("the counts ask for {vertices} vertices, more than {MAX_VERTICES}: use smaller ones")]
    TooManyVertices {
        /// Number of vertices asked for.
        vertices: u128,
    },
}

fn check_length(name: &'static str, value: f32) -> Result<(), ShapeError> {
    // A subnormal length would lose the shape to rounding.
    if value.is_normal() && value > 0.0 { Ok(()) } else { Err(ShapeError::Length { name, value }) }
}

fn check_count(name: &'static str, value: u32, least: u32) -> Result<(), ShapeError> {
    if value >= least { Ok(()) } else { Err(ShapeError::Count { name, value, least }) }
}

/// Checks a torus: its tube must leave a hole.
fn check_torus(ring_radius: f32, tube_radius: f32) -> Result<(), ShapeError> {
    check_length("ring_radius", ring_radius)?;
    check_length("tube_radius", tube_radius)?;
    if tube_radius < ring_radius {
        Ok(())
    } else {
        Err(ShapeError::TubeTooThick { tube_radius, ring_radius })
    }
}

/// Checks the product of some counts, each taken as given.
fn check_vertices(counts: &[u128]) -> Result<(), ShapeError> {
    let vertices = counts.iter().fold(1u128, |product, count| product.saturating_mul(*count));
    if vertices <= MAX_VERTICES { Ok(()) } else { Err(ShapeError::TooManyVertices { vertices }) }
}

/// Nodes of a disc of `rings` rings: one in the middle, then 6, 12, 18 …
fn disc_nodes(rings: u32) -> u128 {
    1 + 3 * u128::from(rings) * (u128::from(rings) + 1)
}
