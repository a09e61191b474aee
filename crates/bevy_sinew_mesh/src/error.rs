//! Why a mesh cannot become a body.

use bevy_ecs::entity::Entity;
use bevy_mesh::{PrimitiveTopology, VertexFormat};
use sinew_elastic::lattice::LatticeError;
use sinew_elastic::{ExampleError, ShapeError};
use thiserror::Error;

/// Why the mesh of an entity cannot become a body, or can no longer follow one.
///
/// `entity` is the one with the mesh at fault; for a body of several meshes it may be a part.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MeshBodyError {
    /// The mesh is not on the CPU.
    #[error(
        "the mesh of {entity} is in the render world only: give it `asset_usage = \
         RenderAssetUsages::MAIN_WORLD | RenderAssetUsages::RENDER_WORLD` (for a loader, in its settings)"
    )]
    RenderWorldOnly {
        /// The entity with the mesh.
        entity: Entity,
    },
    /// The mesh has no positions at all.
    #[error("the mesh of {entity} has no attribute `Vertex_Position`")]
    NoPositions {
        /// The entity with the mesh.
        entity: Entity,
    },
    /// An attribute that the body must rewrite is stored in a format that it cannot write.
    #[error(
        "attribute `{attribute}` of the mesh of {entity} has the format {found:?}, but a deformable mesh \
         needs {wanted:?}: convert it when you load it"
    )]
    Format {
        /// The entity with the mesh.
        entity: Entity,
        /// Name of the attribute, as in the mesh.
        attribute: &'static str,
        /// Its format.
        found: VertexFormat,
        /// The format that works.
        wanted: VertexFormat,
    },
    /// Attributes do not agree on the number of vertices.
    #[error(
        "attribute `{attribute}` of the mesh of {entity} has {found} values for {wanted} positions"
    )]
    AttributeLength {
        /// The entity with the mesh.
        entity: Entity,
        /// Name of the attribute, as in the mesh.
        attribute: &'static str,
        /// Number of its values.
        found: usize,
        /// Number of positions.
        wanted: usize,
    },
    /// The mesh is made of points or lines.
    #[error(
        "the mesh of {entity} is a {topology:?}: a body needs a TriangleList or a TriangleStrip"
    )]
    Topology {
        /// The entity with the mesh.
        entity: Entity,
        /// What the mesh is made of.
        topology: PrimitiveTopology,
    },
    /// A triangle uses a vertex that is not there.
    #[error("the mesh of {entity} has {vertices} vertices, but an index is {index}")]
    Index {
        /// The entity with the mesh.
        entity: Entity,
        /// The index.
        index: usize,
        /// Number of vertices.
        vertices: usize,
    },
    /// The entity is scaled to nothing along an axis, or its transform is not finite.
    #[error(
        "`Transform` of {entity} squeezes its mesh flat or is not finite: no axis may have scale 0"
    )]
    Scale {
        /// The entity with the mesh.
        entity: Entity,
    },
    /// Joints move the mesh already.
    #[error(
        "{entity} has a `SkinnedMesh`: joints and a body cannot both move a mesh; remove one of the two"
    )]
    Skinned {
        /// The entity with the mesh.
        entity: Entity,
    },
    /// The surface makes no lattice.
    #[error("no lattice for the mesh of {entity}: {error}")]
    Lattice {
        /// The entity of the body.
        entity: Entity,
        /// What the builder says.
        error: LatticeError,
    },
    /// The lattice makes no body.
    #[error("no body from the lattice of {entity}: {error}")]
    Shape {
        /// The entity of the body.
        entity: Entity,
        /// What the builder says.
        error: ShapeError,
    },
    /// The examples do not fit the body.
    #[error("no example poses for the body of {entity}: {error}")]
    Examples {
        /// The entity of the body.
        entity: Entity,
        /// What is wrong with them.
        error: ExampleError,
    },
}
