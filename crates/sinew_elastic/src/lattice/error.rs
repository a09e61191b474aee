use thiserror::Error;

/// Why a surface or a node list cannot become a lattice, and what to change.
#[derive(Clone, Debug, PartialEq, Error)]
#[non_exhaustive]
pub enum LatticeError {
    /// The mesh has no vertices at all.
    #[error("the mesh has no vertices: wait until it is loaded, or give another mesh")]
    NoVertices,
    /// The mesh has vertices but no triangles.
    #[error(
        "the mesh has no triangles: give a triangle list (points and lines cannot become a body)"
    )]
    NoTriangles,
    /// A triangle names a vertex that does not exist.
    #[error(
        "triangle {triangle} names vertex {index}, but the mesh has {vertices} vertices: fix its indices"
    )]
    IndexOutOfRange {
        /// The triangle, by its place in the input.
        triangle: usize,
        /// The index it holds.
        index: u32,
        /// How many vertices there are.
        vertices: usize,
    },
    /// A vertex has a coordinate that is infinite or not a number.
    #[error("vertex {vertex} is not finite: repair or remove it")]
    NonFiniteVertex {
        /// The vertex, by its place in the input.
        vertex: usize,
    },
    /// All triangles lie in one point.
    #[error(
        "all triangles of the mesh lie in one point: check its scale (a scale of zero does this)"
    )]
    ZeroSize,
    /// No triangle is left once equal vertices are welded.
    #[error(
        "all {triangles} triangles have two equal corners: give a mesh with at least one real triangle"
    )]
    OnlyCollapsedTriangles {
        /// How many triangles the mesh has.
        triangles: usize,
    },
    /// The mesh is so small or so large that squares of lengths leave the range of `f32`.
    #[error("the mesh is {size:e} units across: scale it into 1e-15..1e15 first")]
    SizeOutOfRange {
        /// Diagonal of the bounds.
        size: f64,
    },
    /// `f32` positions cannot tell neighbouring lattice nodes apart.
    #[error(
        "the mesh lies {distance:e} units from its origin, too far for nodes {spacing:e} apart: move it nearer to the origin or use a larger spacing"
    )]
    FarFromOrigin {
        /// Largest coordinate.
        distance: f64,
        /// Spacing of the nodes.
        spacing: f64,
    },
    /// The spacing asked for is zero, negative or not finite.
    #[error("a spacing of {spacing} is not possible: give a finite length above zero")]
    Spacing {
        /// The spacing asked for.
        spacing: f32,
    },
    /// The spacing asked for needs more cells than the builder allows.
    #[error(
        "a spacing of {spacing:e} needs {cells:e} cells, more than {most}: use a larger spacing"
    )]
    TooManyCells {
        /// The spacing asked for.
        spacing: f64,
        /// Cells of the whole grid.
        cells: f64,
        /// The cap.
        most: usize,
    },
    /// Region width out of range.
    #[error("a region width of {width} is not possible: use 1, 2 or 3")]
    Width {
        /// The width asked for.
        width: u32,
    },
    /// Fewer particles were asked for than the mesh's separate parts need.
    #[error(
        "{asked} particles are too few: the parts of this mesh need at least {least}; ask for more or leave parts out"
    )]
    TooFewParticles {
        /// Particles asked for.
        asked: usize,
        /// The count of the coarsest lattice.
        least: usize,
    },
    /// More particles were asked for than the cap on cells allows.
    #[error(
        "{asked} particles are too many for this mesh: the finest grid allowed gives {most}; ask for fewer"
    )]
    TooManyParticles {
        /// Particles asked for.
        asked: usize,
        /// The count of the finest lattice that was tried.
        most: usize,
    },
    /// A node list is empty, or a block has a side without nodes.
    #[error("there are no nodes: give at least one node along each axis")]
    NoNodes,
    /// A node appears twice in a node list.
    #[error("node {node} has the grid position of an earlier node: remove one of them")]
    DuplicateNode {
        /// The second one, by its place in the list.
        node: usize,
    },
    /// A node's position is not finite or the list is longer than indices allow.
    #[error("node {node} has no finite position: use smaller grid coordinates, spacing and origin")]
    NodeOutOfRange {
        /// The node, by its place in the list.
        node: usize,
    },
    /// The progress callback asked to stop.
    #[error("building the lattice was cancelled by its progress callback")]
    Cancelled,
}
