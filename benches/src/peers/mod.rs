//! Other libraries, each with the scene of [`crate::scene`] in it.

mod pypbd;
mod rapier;

pub use pypbd::PyPbd;
pub use rapier::{Rapier, RapierModel};
