//! Deformable bodies for Bevy: an entity with a [`DeformableBody`] falls, deforms, and springs back,
//! towards the example poses of its [`ExampleSet`].
//!
//! ```
//! use std::sync::Arc;
//! use bevy_app::prelude::*;
//! use bevy_ecs::prelude::*;
//! use bevy_sinew_bodies::kernel::{ElasticShape, lattice::LatticeNodes};
//! use bevy_sinew_bodies::prelude::*;
//! use bevy_transform::prelude::*;
//!
//! fn setup(mut commands: Commands) -> Result {
//!     let shape = Arc::new(ElasticShape::from_lattice(&LatticeNodes::block([5, 9, 5], 0.1)?)?);
//!     commands.spawn((BodyCollider::plane(), Transform::default()));
//!     commands.spawn((
//!         DeformableBody::new(shape),
//!         ElasticMaterial { elastic_hz: 4.0, ..Default::default() },
//!         Transform::from_xyz(0.0, 2.0, 0.0),
//!     ));
//!     Ok(())
//! }
//!
//! let mut app = App::new();
//! app.add_plugins((
//!     TaskPoolPlugin::default(),
//!     bevy_time::TimePlugin,
//!     TransformPlugin,
//!     BodiesPlugin::default(),
//! ));
//! app.add_systems(Startup, setup);
//! app.update();
//! ```
//!
//! # Plugins
//!
//! | plugin | schedule | what |
//! |---|---|---|
//! | [`BodiesPlugin`] | [`FixedPostUpdate`](bevy_app::FixedPostUpdate), or yours | simulates all bodies |
//!
//! # Components
//!
//! | component | who writes it | what |
//! |---|---|---|
//! | [`DeformableBody`] | you | the shape; brings the others along |
//! | [`ElasticMaterial`], [`BodySleep`] | you, at any time | stiffness, damping, density; when it may sleep |
//! | [`ExampleSet`], [`ExampleControl`] | you, at any time | example poses, and who decides their weights |
//! | [`InitialVelocity`], [`HeldParticles`] | you | motion at the start; particles that are held |
//! | [`BodyCollider`] | you | a solid entity, without a physics engine |
//! | [`BodyState`] | each tick | all that rollback must keep |
//! | [`BodyStatus`], [`ExampleWeights`] | on change | what it does, to read |
//! | [`BodyMotion`] | each tick, if you insert it | particle positions of two ticks, to draw |
//! | [`ContactInput`], [`ContactReactions`] | a physics engine's crate; each tick | contacts as plain data |
//!
//! Messages: [`BodySlept`], [`BodyWoke`], [`BodyQuarantined`], [`BodyFailed`]. Nothing here panics on bad
//! input: what cannot be used is reported once, by message and in the log, and the world goes on.
//!
//! # Determinism and rollback
//!
//! Equal input gives equal bits, for any number of threads and any frame rate. [`BodyState`] is the only
//! component to keep and restore besides what you edit yourself and `Transform`.
//!
//! # Saving, inspectors, the remote protocol
//!
//! All components are reflected and registered, and an edit of any field acts from the next tick on. Big
//! arrays are left out: [`BodyStatus`] and [`ExampleWeights`] sum them up. To save a world, switch on the
//! feature `serialize`: `BodySnapshot` holds a body's whole state for the time of saving.
#![forbid(unsafe_code)]

mod body;
mod contact;
mod events;
mod example_set;
mod examples;
mod held;
mod material;
mod motion;
mod plugin;
mod pose;
mod publish;
mod simulate;
#[cfg(feature = "serialize")]
mod snapshot;

pub use body::{BodyState, BodyStatus, DeformableBody, InitialVelocity};
pub use contact::{BodyCollider, BodyColliderShape, ContactInput, ContactReactions};
pub use events::{
    BodyError, BodyFailed, BodyQuarantined, BodySlept, BodyWoke, Teleport, TeleportMode,
};
pub use example_set::{ExampleBases, ExampleSet};
pub use examples::{ExampleControl, ExampleWeights, WeightSet};
pub use held::{HeldParticle, HeldParticles};
pub use material::{BodySleep, ElasticMaterial, Integrator, Method};
pub use motion::BodyMotion;
pub use plugin::{BodiesPlugin, DeformationSystems};
pub use simulate::BodyGravity;
/// The kernel, which builds shapes and example bases.
pub use sinew_elastic as kernel;
#[cfg(feature = "serialize")]
pub use snapshot::{BodySnapshot, snapshot_bodies};

/// What a game types.
pub mod prelude {
    pub use crate::{
        BodiesPlugin, BodyCollider, BodyColliderShape, BodyFailed, BodyGravity, BodyMotion,
        BodyQuarantined, BodySleep, BodySlept, BodyState, BodyStatus, BodyWoke, DeformableBody,
        DeformationSystems, ElasticMaterial, ExampleControl, ExampleSet, ExampleWeights,
        HeldParticle, HeldParticles, InitialVelocity, Teleport, TeleportMode, WeightSet,
    };
    /// What shapes and examples are made from.
    pub use sinew_elastic::{
        Deformer, ElasticShape, ExampleBasis, ExamplePose,
        lattice::{Lattice, LatticeNodes},
        mesh::{SurfaceMesh, TetMesh},
    };
}
