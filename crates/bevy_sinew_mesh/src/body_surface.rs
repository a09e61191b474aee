//! Meshes that show a body which was not made from them.

use std::sync::Arc;

use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use bevy_ecs::reflect::ReflectComponent;
use bevy_reflect::{Reflect, std_traits::ReflectDefault};
use bevy_transform::components::Transform;
use sinew_elastic::Embedding;

use crate::settings::{MeshInterpolation, MeshSharing};

/// Lets the `Mesh3d` of this entity follow a [`DeformableBody`](bevy_sinew_bodies::DeformableBody) that
/// has a shape already: of tetrahedra, of given regions, of a lattice; of this entity or of another.
///
/// The mesh is bound as it lies to the body at rest: by the `Transform`s between both where the entity
/// is below the body, by their places in the world at that moment otherwise. Binding runs off the main
/// thread ([`BuildProgress`](crate::BuildProgress) is there meanwhile, and the mesh moves rigidly). Then
/// the entity gets a [`DeformedSurface`](crate::DeformedSurface), and its vertices, normals, tangents and
/// bounds are written in each frame like those of a [`DeformableMesh`](crate::DeformableMesh). The body
/// gets a [`BodyMotion`](bevy_sinew_bodies::BodyMotion), which stays.
///
/// **Edits.** Another binding, body, shape or mesh handle binds anew. When the component is removed, the
/// mesh goes back to the handle that it had; the body is let alone.
///
/// **Errors.** As for [`DeformableMesh`](crate::DeformableMesh): a [`MeshFault`](crate::MeshFault) and
/// one warning in the log.
///
/// ```
/// use std::sync::Arc;
/// use bevy_asset::prelude::*;
/// use bevy_ecs::prelude::*;
/// use bevy_mesh::{Mesh, Mesh3d};
/// use bevy_math::Vec3;
/// use bevy_math::primitives::Cuboid;
/// use bevy_sinew_bodies::DeformableBody;
/// use bevy_sinew_bodies::kernel::{ElasticShape, mesh::{SplitParity, TetMesh}};
/// use bevy_sinew_mesh::BodySurface;
///
/// fn spawn(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>) -> Result {
///     let tets = TetMesh::cuboid([5, 9, 5], Vec3::splat(0.1), SplitParity::Even)?;
///     let shape = Arc::new(ElasticShape::from_tets(&tets.positions, &tets.cells)?);
///     commands.spawn((
///         DeformableBody::new(shape),
///         Mesh3d(meshes.add(Cuboid::new(0.4, 0.8, 0.4))),
///         BodySurface::tetrahedra(tets.cells),
///     ));
///     Ok(())
/// }
/// # bevy_ecs::system::assert_is_system::<(), (), _>(spawn);
/// ```
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
#[require(Transform, MeshInterpolation, MeshSharing)]
pub struct BodySurface {
    /// The entity with the `DeformableBody`; `None` for this one.
    #[entities]
    pub body: Option<Entity>,
    /// What vertices follow.
    #[reflect(ignore)]
    pub binding: SurfaceBinding,
}

/// What the vertices of a [`BodySurface`] follow.
#[derive(Clone, Debug, Default)]
pub enum SurfaceBinding {
    /// The nearest particles: up to eight of the region around the nearest one, with weights that follow
    /// affine motion exactly, and particles exactly where vertices lie on them. Works for bodies of any
    /// kind. A vertex between two parts of a body that nearly touch takes the nearer one.
    #[default]
    Nearest,
    /// Tetrahedra of these particles, in barycentric coordinates; vertices outside of all extrapolate
    /// from the nearest.
    Tetrahedra(Arc<[[u32; 4]]>),
    /// This embedding, of as many vertices as the mesh has.
    Embedding(Arc<Embedding>),
}

impl PartialEq for SurfaceBinding {
    /// Equal when it is the same one: lists are not compared.
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Nearest, Self::Nearest) => true,
            (Self::Tetrahedra(a), Self::Tetrahedra(b)) => Arc::ptr_eq(a, b),
            (Self::Embedding(a), Self::Embedding(b)) => Arc::ptr_eq(a, b),
            _ => false,
        }
    }
}

impl BodySurface {
    /// Follows the nearest particles.
    #[must_use]
    pub const fn nearest() -> Self {
        Self { body: None, binding: SurfaceBinding::Nearest }
    }

    /// Follows tetrahedra of particles: those that the body was made from. Bodies that share a clone of
    /// this component bind equal meshes once.
    #[must_use]
    pub fn tetrahedra(cells: impl Into<Arc<[[u32; 4]]>>) -> Self {
        Self { body: None, binding: SurfaceBinding::Tetrahedra(cells.into()) }
    }

    /// Follows by an embedding of the caller's: for a lattice made from the very mesh,
    /// [`Embedding::from_lattice`].
    #[must_use]
    pub fn embedding(embedding: impl Into<Arc<Embedding>>) -> Self {
        Self { body: None, binding: SurfaceBinding::Embedding(embedding.into()) }
    }

    /// The same for the body of another entity.
    #[must_use]
    pub fn of(self, body: Entity) -> Self {
        Self { body: Some(body), ..self }
    }
}
