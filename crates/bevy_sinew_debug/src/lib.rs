//! Looking at deformable bodies: gizmos of their particles, regions, strain and example weights, and
//! diagnostics of their ticks. And, with the feature `ik`, gizmos of chains.
//!
//! Add [`SinewDebugPlugin`], and [`ShowBodyGizmos`] to a body or `ShowIkGizmos` to a chain; or show all:
//!
//! ```
//! use bevy_ecs::prelude::*;
//! use bevy_gizmos::config::GizmoConfigStore;
//! use bevy_sinew_debug::BodyGizmos;
//!
//! fn show_all(mut gizmos: ResMut<GizmoConfigStore>) {
//!     let (config, bodies) = gizmos.config_mut::<BodyGizmos>();
//!     config.depth_bias = -1.0;
//!     bodies.draw_all = true;
//!     bodies.region_color = None;
//! }
//! # bevy_ecs::system::assert_is_system(show_all);
//! ```
//!
//! Lines are drawn by the renderer of the application (`GizmoRenderPlugin`, part of Bevy's default
//! plugins); without one, nothing is drawn and nothing fails.
#![forbid(unsafe_code)]

#[cfg(feature = "ik")]
mod chains;
mod diagnostics;
mod draw;
mod gizmos;
mod plugin;

#[cfg(feature = "ik")]
pub use chains::{IkGizmos, ShowIkGizmos};
pub use diagnostics::BodyDiagnostics;
pub use gizmos::{BodyGizmos, ShowBodyGizmos};
pub use plugin::{DebugSystems, SinewDebugPlugin};

/// What a game types.
pub mod prelude {
    pub use crate::{BodyDiagnostics, BodyGizmos, DebugSystems, ShowBodyGizmos, SinewDebugPlugin};
    #[cfg(feature = "ik")]
    pub use crate::{IkGizmos, ShowIkGizmos};
}
