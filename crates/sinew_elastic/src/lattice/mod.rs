//! Lattices made from any surface mesh: hexahedral cells whose corners are a body's particles.
//!
//! The builder needs no closed surface and no tetrahedra. In short:
//!
//! 1. Weld equal vertices and let neighbouring triangles agree on their outside.
//! 2. Lay a grid of cubes over the bounds. A cell is filled when a triangle enters it (separating
//!    axes) or when its centre is inside: signed crossings along the grid's lines in x, y and z, from
//!    both ends, vote.
//! 3. Split each cell into *copies*, one for each part of the surface that is connected inside of the
//!    cell; parts that cross or have solid between them (two sides of a plate) stay together. Two
//!    fingers with air between get two copies. This is the idea of virtual nodes (Molino, Bao and
//!    Fedkiw 2004).
//! 4. Join copies of neighbouring cells that share a piece of surface or the body between. Joined
//!    copies share the corners between them; each set of shared corners is one particle.
//! 5. Link particles that share a copy. Regions grow along links, so that they never reach across a
//!    gap.
//!
//! Surfaces that touch or cross become one body; surfaces a thousandth of a cell apart do not.
//!
//! ```
//! use sinew_elastic::{lattice::Lattice, mesh::SurfaceMesh};
//! # use glam::Vec3;
//! let tetrahedron = SurfaceMesh {
//!     positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z],
//!     triangles: vec![[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]],
//! };
//! let lattice = Lattice::particles(100).build(&tetrahedron)?;
//! println!("{}", lattice.report);
//! assert_eq!(lattice.report.components, 1);
//! assert_eq!(lattice.embedding.weights.len(), 4);
//! # Ok::<(), sinew_elastic::lattice::LatticeError>(())
//! ```

mod assemble;
mod attempt;
mod build;
mod error;
mod fit;
mod geometry;
mod grid;
mod inside;
mod join;
mod nodes;
mod orient;
mod overlap;
mod pieces;
mod regions;
mod report;
mod sets;
mod surface;
mod voxels;

pub use error::LatticeError;
pub use nodes::{IndexLists, LatticeEmbedding, LatticeNodes};
pub use regions::RegionSearch;
pub use report::LatticeReport;

/// A request for a lattice: how fine it is and how far its regions reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lattice {
    /// How fine the lattice is.
    pub size: LatticeSize,
    /// Width of the regions in links, 1 to 3; larger is stiffer. The default is 1.
    pub width: u32,
}

/// How fine a lattice is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum LatticeSize {
    /// About this many particles, at least 8; the builder finds the spacing.
    ///
    /// The count is within about a tenth where the shape allows it, else the nearest that was
    /// found.
    Particles(usize),
    /// Cells of this edge length, in units of the mesh.
    Spacing(f32),
}

impl Lattice {
    /// A lattice of about `count` particles.
    pub fn particles(count: usize) -> Self {
        Self { size: LatticeSize::Particles(count), width: 1 }
    }

    /// A lattice of cells with edges of length `spacing`.
    pub fn spacing(spacing: f32) -> Self {
        Self { size: LatticeSize::Spacing(spacing), width: 1 }
    }

    /// The same lattice with regions of `width` links (1 to 3).
    #[must_use]
    pub fn with_width(self, width: u32) -> Self {
        Self { width, ..self }
    }
}
