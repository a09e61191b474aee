//! The skin as one surface: welded vertices, ordered one-rings, mean-value coordinates.

mod mean_value;
mod rings;
mod weld;

pub use mean_value::mean_value_coordinates;
pub use rings::{RingKind, Rings};
pub use weld::{Weld, WeldReport};
