//! The part of the work that counts a lattice's particles.

use super::LatticeError;
use super::assemble::Numbered;
use super::grid::Grid;
use super::join::Joined;
use super::pieces::Pieces;
use super::surface::Surface;
use super::voxels::Voxels;

/// A lattice for one spacing, far enough along to know its number of particles.
pub(super) struct Attempt {
    pub(super) voxels: Voxels,
    pub(super) pieces: Pieces,
    pub(super) numbered: Numbered,
}

impl Attempt {
    pub(super) fn new(surface: &Surface, spacing: f64) -> Result<Self, LatticeError> {
        let grid = Grid::around(surface.min, surface.max, spacing)?;
        let voxels = Voxels::new(surface, grid);
        let pieces = Pieces::new(surface, &voxels);
        let joined = Joined::new(surface, &voxels, &pieces);
        let numbered = Numbered::new(&voxels, &pieces, joined);
        Ok(Self { voxels, pieces, numbered })
    }

    pub(super) fn particles(&self) -> usize {
        self.numbered.particles()
    }
}
