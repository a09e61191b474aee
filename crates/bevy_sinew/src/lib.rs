//! Bodies that deform, for Bevy: add [`SinewPlugins`], spawn a [`DeformableBody`](prelude::DeformableBody)
//! or, with the feature `mesh`, a `DeformableMesh`; with the feature `ik`, put an `IkChain` on a hand.
//!
//! ```
//! use bevy_app::prelude::*;
//! use bevy_sinew::prelude::*;
//!
//! App::new().add_plugins((
//!     TaskPoolPlugin::default(),
//!     bevy_time::TimePlugin,
//!     bevy_transform::TransformPlugin,
//!     // These two for the feature `mesh`; `DefaultPlugins` brings them all.
//!     bevy_asset::AssetPlugin::default(),
//!     bevy_mesh::MeshPlugin,
//!     SinewPlugins,
//! ));
//! ```
//!
//! | feature | default | module | what |
//! |---|---|---|---|
//! | | always | [`bodies`] | deformable bodies: simulation, contacts, messages |
//! | `mesh` | yes | `mesh` | bodies from meshes, meshes that follow bodies; needs Bevy's asset and mesh plugins |
//! | `ik` | yes | `ik` | arms, legs, tails and trunks that reach |
//! | `debug` | yes | `debug` | gizmos and diagnostics |
//! | `import` | no | `bodies::kernel::mesh::import` | readers of OBJ, PLY, STL, tetrahedral meshes and others |
//! | `serialize` | no | | bodies can be saved with the world |
//! | `multi_threaded` | yes | | all threads of Bevy's task pools |
//!
//! A server without assets takes the crate with `default-features = false` and `multi_threaded`.
#![forbid(unsafe_code)]

mod plugins;

/// Deformable bodies: components, systems, messages.
pub use bevy_sinew_bodies as bodies;
/// Gizmos and diagnostics of bodies.
#[cfg(feature = "debug")]
pub use bevy_sinew_debug as debug;
/// IK chains: components, systems, messages.
#[cfg(feature = "ik")]
pub use bevy_sinew_ik as ik;
/// Bodies from meshes, and meshes that follow bodies.
#[cfg(feature = "mesh")]
pub use bevy_sinew_mesh as mesh;
pub use plugins::SinewPlugins;

/// What a game types.
pub mod prelude {
    pub use crate::SinewPlugins;
    pub use crate::bodies::prelude::*;
    #[cfg(feature = "debug")]
    pub use crate::debug::prelude::*;
    #[cfg(feature = "ik")]
    pub use crate::ik::prelude::*;
    #[cfg(feature = "mesh")]
    pub use crate::mesh::prelude::*;
}
