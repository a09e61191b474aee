//! The steps from a surface to a lattice.

use std::ops::ControlFlow;

use super::attempt::Attempt;
use super::fit::fit;
use super::surface::Surface;
use super::{Lattice, LatticeError, LatticeNodes, LatticeSize};
use crate::mesh::SurfaceMesh;

/// A single cell has this many nodes.
const LEAST_PARTICLES: usize = 8;

impl Lattice {
    /// Makes the lattice of a surface.
    ///
    /// The surface may be open, non-manifold, in several pieces, or hold positions many times. Equal
    /// input gives equal bits, and neither the order of vertices nor that of triangles matters.
    ///
    /// # Errors
    /// Empty or broken meshes, and requests that the mesh cannot meet: see [`LatticeError`].
    pub fn build(&self, mesh: &SurfaceMesh) -> Result<LatticeNodes, LatticeError> {
        self.build_with_progress(mesh, &mut |_| ControlFlow::Continue(()))
    }

    /// As [`Lattice::build`], and calls `progress` from time to time with the share done (0 to 1,
    /// never falling).
    ///
    /// # Errors
    /// As [`Lattice::build`], and [`LatticeError::Cancelled`] once `progress` returns
    /// [`ControlFlow::Break`].
    pub fn build_with_progress(
        &self,
        mesh: &SurfaceMesh,
        progress: &mut dyn FnMut(f32) -> ControlFlow<()>,
    ) -> Result<LatticeNodes, LatticeError> {
        if !(1..=3).contains(&self.width) {
            return Err(LatticeError::Width { width: self.width });
        }
        let mut report = |share: f32| match progress(share) {
            ControlFlow::Continue(()) => Ok(()),
            ControlFlow::Break(()) => Err(LatticeError::Cancelled),
        };
        report(0.0)?;
        let surface = Surface::new(mesh)?;
        let mut done = 0.1;
        let mut attempt = |spacing| {
            report(done)?;
            // The number of tries is not known beforehand: each takes a part of what is left.
            done += 0.2 * (0.9 - done);
            Attempt::new(&surface, spacing)
        };
        let Attempt { voxels, pieces, numbered } = match self.size {
            LatticeSize::Spacing(spacing) => {
                if !(spacing.is_finite() && spacing > 0.0) {
                    return Err(LatticeError::Spacing { spacing });
                }
                attempt(f64::from(spacing))?
            }
            LatticeSize::Particles(wanted) => {
                if wanted < LEAST_PARTICLES {
                    let least = LEAST_PARTICLES;
                    return Err(LatticeError::TooFewParticles { asked: wanted, least });
                }
                fit(&surface, wanted, attempt)?
            }
        };
        report(0.9)?;
        let lattice = numbered.finish(&surface, &voxels, &pieces, self.width);
        report(1.0)?;
        Ok(lattice)
    }
}
