//! Deformable bodies from Bevy meshes, and Bevy meshes that follow them.
//!
//! ```
//! use bevy_app::prelude::*;
//! use bevy_asset::prelude::*;
//! use bevy_ecs::prelude::*;
//! use bevy_math::{Vec3, primitives::Sphere};
//! use bevy_mesh::{Mesh, Mesh3d};
//! use bevy_sinew_bodies::ElasticMaterial;
//! use bevy_sinew_mesh::{DeformableMesh, DeformedSurface};
//! use bevy_transform::components::Transform;
//!
//! fn spawn(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>) {
//!     commands.spawn((
//!         Mesh3d(meshes.add(Sphere::new(0.5))),
//!         DeformableMesh::lattice(500),
//!         ElasticMaterial { elastic_hz: 6.0, ..Default::default() },
//!         Transform::from_xyz(0.0, 2.0, 0.0),
//!     ));
//! }
//!
//! fn ready(added: On<Add, DeformedSurface>, surfaces: Query<&DeformedSurface>) -> Result {
//!     println!("{}", surfaces.get(added.entity)?.report());
//!     Ok(())
//! }
//! # let mut app = App::new();
//! # app.add_systems(Startup, spawn).add_observer(ready);
//! ```
//!
//! | component | who writes it | what |
//! |---|---|---|
//! | [`DeformableMesh`] | you | this entity's mesh becomes a body, so fine |
//! | [`DeformableMeshPart`] | you | this entity's mesh joins the body of another |
//! | [`MeshExamples`] | you | example poses, made with the body |
//! | [`MeshInterpolation`] | you | drawn between ticks, or at the last one |
//! | [`BuildProgress`] | we | how far the lattice is built |
//! | [`DeformedSurface`] | we | on a body that is built: its report and its vertices |
//! | [`DeformedMesh`] | we | on a part: the mesh that it had, and its copy |
//! | [`MeshFault`] | we | why a mesh cannot become a body |
#![forbid(unsafe_code)]

mod bind;
mod build;
mod error;
mod examples;
mod follow;
mod frame;
mod parts;
mod plugin;
mod settings;
mod surface;
mod winding;

pub use bind::{DeformedMesh, MeshFault};
pub use error::MeshBodyError;
pub use examples::MeshExamples;
pub use follow::DeformedSurface;
pub use plugin::{DeformableMeshPlugin, MeshSystems};
pub use settings::{
    BuildProgress, DeformableMesh, DeformableMeshPart, DeformableMeshParts, LatticeResolution,
    MeshInterpolation,
};

/// What a game types.
pub mod prelude {
    pub use crate::{
        BuildProgress, DeformableMesh, DeformableMeshPart, DeformableMeshPlugin, DeformedSurface,
        LatticeResolution, MeshExamples, MeshFault, MeshInterpolation, MeshSystems,
    };
}
