//! Why a mesh cannot become a body.

use glam::Vec3;
use thiserror::Error;

/// Why a [`SurfaceMesh`](super::SurfaceMesh) or [`TetMesh`](super::TetMesh) cannot be used at all.
///
/// Faults that have an obvious repair (coincident vertices, inverted cells …) are repaired and counted in the
/// [`MeshReport`](super::MeshReport) instead.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum MeshError {
    /// The mesh has no vertices.
    #[error("the mesh has no vertices: give it at least one triangle or cell")]
    NoVertices,
    /// The mesh has vertices but no triangles.
    #[error("the mesh has no triangles: points and lines alone make no body")]
    NoTriangles,
    /// The mesh has vertices but no tetrahedra.
    #[error(
        "the mesh has no tetrahedra: make the body from a surface instead, or fill it with cells"
    )]
    NoCells,
    /// More vertices than 32-bit indices can name.
    #[error("the mesh has {vertices} vertices, more than 32-bit indices can name: split it")]
    TooManyVertices {
        /// Number of vertices given.
        vertices: usize,
    },
    /// A position holds NaN or an infinity.
    #[error("vertex {vertex} is at {position}, which is not finite: repair or remove it")]
    NonFinite {
        /// Index of the first such vertex.
        vertex: usize,
        /// Its position.
        position: Vec3,
    },
    /// A triangle or cell names a vertex that does not exist.
    #[error("element {element} names vertex {index}, but there are only {vertices} vertices")]
    IndexOutOfRange {
        /// Index of the triangle or cell.
        element: usize,
        /// The vertex it names.
        index: u32,
        /// Number of vertices of the mesh.
        vertices: usize,
    },
    /// Every triangle or cell is flat, so nothing is left.
    #[error(
        "all {dropped} triangles or cells have no area or volume: check the scale of the mesh, which may be zero on an axis"
    )]
    AllDegenerate {
        /// Number of elements given, all of them dropped.
        dropped: usize,
    },
}
