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
//! | [`BodySurface`] | you | this entity's mesh shows a body that has a shape already |
//! | [`MeshInterpolation`] | you | drawn between ticks, or at the last one |
//! | [`MeshSharing`] | you | whether others with the same mesh handle see the deformation |
//! | [`BuildProgress`] | we | how far the lattice is built |
//! | [`DeformedSurface`] | we | on what is bound: its report and its vertices |
//! | [`DeformedMesh`] | we | on a part: the mesh that it had, and its copy |
//! | [`MeshFault`] | we | why a mesh cannot become a body, or follow one |
//!
//! A surface that the kernel made or read becomes a `Mesh` by [`mesh_from_surface`].
//!
//! Both ways share one path: `request` reads what is asked for, `bind` leads it from waiting to bound,
//! `build` works off the main thread and makes a `skin`, `follow` moves its vertices, `write` puts them
//! into the meshes, `release` gives everything back, `fault` tells what is wrong.
#![forbid(unsafe_code)]

mod bind;
mod body_surface;
mod build;
mod embed;
mod error;
mod examples;
mod fault;
mod follow;
mod formats;
mod frame;
mod from_surface;
mod gradients;
mod neighbours;
mod parts;
mod plugin;
mod release;
mod request;
mod settings;
mod skin;
mod source;
mod winding;
mod write;

pub use body_surface::{BodySurface, SurfaceBinding};
pub use error::MeshBodyError;
pub use fault::MeshFault;
pub use follow::DeformedSurface;
pub use from_surface::mesh_from_surface;
pub use plugin::{DeformableMeshPlugin, MeshSystems};
pub use release::DeformedMesh;
pub use settings::{
    BuildProgress, DeformableMesh, DeformableMeshPart, DeformableMeshParts, LatticeResolution,
    MeshInterpolation, MeshSharing,
};

/// What a game types.
pub mod prelude {
    pub use crate::{
        BodySurface, BuildProgress, DeformableMesh, DeformableMeshPart, DeformableMeshPlugin,
        DeformedSurface, LatticeResolution, MeshFault, MeshInterpolation, MeshSharing, MeshSystems,
        SurfaceBinding, mesh_from_surface,
    };
}
