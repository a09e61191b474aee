//! Why a mesh cannot become a body.

use bevy_ecs::entity::Entity;
use bevy_mesh::{PrimitiveTopology, VertexFormat};
use sinew_elastic::lattice::LatticeError;
use sinew_elastic::{EmbeddingError, ShapeError};
use thiserror::Error;

/// Why the mesh of an entity cannot become a body, or can no longer follow one.
///
/// `entity` is the one with the mesh at fault; for a body of several meshes it may be a part.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MeshBodyError {
    /// The mesh could not be loaded.
    #[error("the mesh of {entity}, `{path}`, could not be loaded: {reason}")]
    Load {
        /// The entity with the mesh.
        entity: Entity,
        /// Where it should come from.
        path: String,
        /// What the loader says.
        reason: String,
    },
    /// The app has no mesh assets at all.
    #[error(
        "{entity} needs meshes, but the app has no `Assets<Mesh>`: add `AssetPlugin` and `MeshPlugin` (or \
         `DefaultPlugins`) before `DeformableMeshPlugin`"
    )]
    NoAssets {
        /// The entity that waits for a mesh.
        entity: Entity,
    },
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
        "attribute `{attribute}` of the mesh of {entity} has the format {found:?}, which does not say what \
         its numbers mean: convert it to {wanted:?} when you load it"
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
    /// Two components want to move the same mesh.
    #[error(
        "the mesh of {entity} is asked to follow a body twice: it has a `BodySurface`, and a \
         `DeformableMesh` or `DeformableMeshPart` as well; remove one of the two"
    )]
    TwoBodies {
        /// The entity with the mesh.
        entity: Entity,
    },
    /// Two bodies want to write the same asset.
    #[error(
        "{entity} has `MeshSharing::WriteToSource`, but another body writes that mesh already: give one \
         of the two `MeshSharing::OwnCopy`"
    )]
    SharedTwice {
        /// The entity of the second.
        entity: Entity,
    },
    /// There is no body to follow.
    #[error(
        "the mesh of {entity} follows the body of {body}, but that entity has no `DeformableBody` with a \
         shape"
    )]
    NoBody {
        /// The entity with the mesh.
        entity: Entity,
        /// The entity of the body.
        body: Entity,
    },
    /// The mesh cannot be bound to its body.
    #[error("the mesh of {entity} cannot follow its body: {error}")]
    Embedding {
        /// The entity with the mesh.
        entity: Entity,
        /// What is wrong; cells count vertices where an embedding was given.
        error: EmbeddingError,
    },
    /// An embedding is of another mesh.
    #[error(
        "the mesh of {entity} has {vertices} vertices, but its embedding has {embedded}: make one from \
         this very mesh"
    )]
    EmbeddingLength {
        /// The entity with the mesh.
        entity: Entity,
        /// Vertices of the embedding.
        embedded: usize,
        /// Vertices of the mesh.
        vertices: usize,
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
}

impl MeshBodyError {
    /// The same for another entity that asked for the same thing.
    pub(crate) fn at(mut self, other: Entity) -> Self {
        if let Self::Lattice { entity, .. }
        | Self::Shape { entity, .. }
        | Self::Embedding { entity, .. }
        | Self::EmbeddingLength { entity, .. } = &mut self
        {
            *entity = other;
        }
        self
    }
}
