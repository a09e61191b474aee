//! What builders find, and why they refuse.

use core::fmt;

use thiserror::Error;

/// Why a shape cannot be built.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ShapeError {
    /// There is nothing to build from.
    #[error("the body has no particles: give at least one")]
    NoParticles,
    /// More than `u32` can number.
    #[error("the body has {0} particles: at most 4 million are supported; use a larger spacing")]
    TooManyParticles(usize),
    /// A coordinate is not finite.
    #[error("particle {0} has a position that is not finite: repair the mesh")]
    NonFinitePosition(usize),
    /// A mass is zero, negative or not finite.
    #[error("particle {particle} has mass {mass}: masses must be positive and finite")]
    BadMass {
        /// The particle.
        particle: usize,
        /// Its mass.
        mass: f32,
    },
    /// As many masses as particles are needed.
    #[error("{masses} masses were given for {particles} particles")]
    MassCount {
        /// Masses given.
        masses: usize,
        /// Particles given.
        particles: usize,
    },
    /// A region names a particle that is not there.
    #[error("region {region} names particle {particle}, but there are only {particles}")]
    UnknownParticle {
        /// The region.
        region: usize,
        /// The particle that it names.
        particle: u32,
        /// How many there are.
        particles: usize,
    },
    /// A tetrahedron names a vertex that is not there, or the mesh is empty.
    #[error("the tetrahedral mesh cannot be used: {0}")]
    TetMesh(String),
}

/// What a builder found and did; each line is worth a look when a body behaves oddly.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct ShapeReport {
    /// Particles of the body.
    pub particles: usize,
    /// Regions of the body.
    pub regions: usize,
    /// Regions that lie in a plane.
    pub flat_regions: usize,
    /// Regions that lie on a line.
    pub thin_regions: usize,
    /// Regions of fewer than two particles, which were dropped.
    pub dropped_regions: usize,
    /// Particles that no region holds: they fly by themselves.
    pub free_particles: usize,
    /// Tetrahedra whose vertices were swapped to make their volume positive.
    pub reoriented_cells: usize,
    /// Tetrahedra without volume, which were dropped.
    pub dropped_cells: usize,
    /// Lattice regions that are not a whole box, and so are summed as lists.
    pub irregular_regions: usize,
}

impl fmt::Display for ShapeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} particles, {} regions", self.particles, self.regions)?;
        for (count, what) in [
            (self.flat_regions, "flat regions"),
            (self.thin_regions, "thin regions"),
            (self.dropped_regions, "regions dropped"),
            (self.free_particles, "free particles"),
            (self.reoriented_cells, "cells re-oriented"),
            (self.dropped_cells, "cells dropped"),
            (self.irregular_regions, "irregular regions"),
        ] {
            if count > 0 {
                write!(f, ", {count} {what}")?;
            }
        }
        Ok(())
    }
}
