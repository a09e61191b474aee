//! Bodies that deform, for Bevy: add [`SinewPlugins`], spawn a [`DeformableBody`](prelude::DeformableBody).
//!
//! ```
//! use bevy_app::prelude::*;
//! use bevy_sinew::prelude::*;
//!
//! App::new().add_plugins((
//!     TaskPoolPlugin::default(),
//!     bevy_time::TimePlugin,
//!     bevy_transform::TransformPlugin,
//!     SinewPlugins,
//! ));
//! ```
//!
//! | feature | default | crate | what |
//! |---|---|---|---|
//! | | always | [`bodies`] | deformable bodies |
#![forbid(unsafe_code)]

mod plugins;

/// Deformable bodies: components, systems, messages.
pub use bevy_sinew_bodies as bodies;
pub use plugins::SinewPlugins;

/// What a game types.
pub mod prelude {
    pub use crate::SinewPlugins;
    pub use crate::bodies::prelude::*;
}
