//! The immutable part of a body: particles at rest, the regions that overlap them, and what follows
//! from both. One shape is shared by all bodies that are made alike.

mod build;
mod contact_points;
mod fingerprint;
pub(crate) mod lists;
mod pack;
mod report;
pub(crate) mod stencil;
pub(crate) mod wide_lists;

use core::ops::Range;

use glam::Vec3;
use sinew_math::{F8, LANES, Sym3x8, Vec3x8};

pub use contact_points::ContactPoint;
pub(crate) use contact_points::ContactPoints;
use lists::RegionLists;
pub(crate) use pack::FLAT;
pub use report::{ShapeError, ShapeReport};
use stencil::Stencil;
use wide_lists::WideLists;

/// A slot that holds no particle.
pub(crate) const NO_PARTICLE: u32 = u32::MAX;

/// A body at rest: particles, masses and regions. Immutable; share it behind an `Arc`.
///
/// Particles are numbered as in the source (vertices of a tetrahedral mesh, nodes of a lattice). Inside,
/// they lie in *blocks* of eight lanes; [`ElasticShape::slot`] leads from a particle to its lane.
///
/// Masses are volumes: mass at a density of 1 kg/m³. The density is part of the material.
#[derive(Clone, Debug, PartialEq)]
pub struct ElasticShape {
    /// Slot of each particle: block × 8 + lane.
    pub(crate) slots: Vec<u32>,
    /// Particle of each slot, or [`NO_PARTICLE`].
    pub(crate) particles: Vec<u32>,
    /// Rest positions relative to `center`.
    pub(crate) rest: Vec<Vec3x8>,
    pub(crate) mass: Vec<F8>,
    /// 1 / number of regions that contain the particle; 0 where none does.
    pub(crate) inverse_count: Vec<F8>,
    /// Blocks that are worked on, and summed, together. Fixed at load, so that sums never depend on
    /// the number of threads.
    pub(crate) particle_chunks: Vec<Range<usize>>,
    pub(crate) region_chunks: Vec<Range<usize>>,
    /// `κ A_qq` of each region, its pseudo-inverse.
    pub(crate) moment: Vec<Sym3x8>,
    pub(crate) inverse_moment: Vec<Sym3x8>,
    /// Projectors on the null spaces of flat and thin regions, by region block.
    pub(crate) null_projector: Vec<Option<Box<Sym3x8>>>,
    /// Region slots that hold a region.
    pub(crate) region_count: usize,
    pub(crate) stencil: Option<Stencil>,
    pub(crate) lists: RegionLists,
    pub(crate) wide: WideLists,
    /// Slot of each region.
    pub(crate) region_slots: Vec<u32>,
    /// Whether a region's slot is that of its own particle.
    pub(crate) has_owners: bool,
    pub(crate) center: Vec3,
    pub(crate) volume: f64,
    pub(crate) size: f32,
    pub(crate) spacing: f32,
    pub(crate) contact_points: ContactPoints,
    pub(crate) report: ShapeReport,
    pub(crate) fingerprint: u64,
}

impl ElasticShape {
    /// Number of particles.
    #[must_use]
    pub fn particle_count(&self) -> usize {
        self.slots.len()
    }

    /// Number of regions.
    #[must_use]
    pub fn region_count(&self) -> usize {
        self.region_count
    }

    /// Number of particle blocks of eight lanes; states hold that many.
    #[must_use]
    pub fn block_count(&self) -> usize {
        self.rest.len()
    }

    pub(crate) fn region_block_count(&self) -> usize {
        self.moment.len()
    }

    /// Block and lane of a particle.
    ///
    /// # Panics
    /// When there is no such particle.
    #[must_use]
    pub fn slot(&self, particle: usize) -> (usize, usize) {
        let slot = self.slots[particle] as usize;
        (slot / LANES, slot % LANES)
    }

    /// Rest position of a particle, in body space.
    ///
    /// # Panics
    /// When there is no such particle.
    #[must_use]
    pub fn rest_position(&self, particle: usize) -> Vec3 {
        let (block, lane) = self.slot(particle);
        self.rest[block].lane(lane) + self.center
    }

    /// Mass of a particle at a density of 1 kg/m³.
    ///
    /// # Panics
    /// When there is no such particle.
    #[must_use]
    pub fn particle_mass(&self, particle: usize) -> f32 {
        let (block, lane) = self.slot(particle);
        self.mass[block].0[lane]
    }

    /// Number of regions that contain a particle; 0 for one that flies by itself.
    ///
    /// # Panics
    /// When there is no such particle.
    #[must_use]
    pub fn regions_of(&self, particle: usize) -> u32 {
        let (block, lane) = self.slot(particle);
        let inverse = self.inverse_count[block].0[lane];
        if inverse > 0.0 { (1.0 / inverse).round() as u32 } else { 0 }
    }

    /// Mass centre at rest, in body space.
    #[must_use]
    pub fn center(&self) -> Vec3 {
        self.center
    }

    /// Volume at rest, in m³: the mass at a density of 1 kg/m³.
    #[must_use]
    pub fn volume(&self) -> f32 {
        self.volume as f32
    }

    /// Length of the diagonal of the rest shape's bounding box, in m; at least the side of a cube of its
    /// volume.
    #[must_use]
    pub fn size(&self) -> f32 {
        self.size
    }

    /// Mean distance between neighbouring particles at rest, in m.
    #[must_use]
    pub fn spacing(&self) -> f32 {
        self.spacing
    }

    /// What the builder found and did.
    #[must_use]
    pub fn report(&self) -> &ShapeReport {
        &self.report
    }

    /// The points that touch colliders.
    #[must_use]
    pub fn contact_points(&self) -> &[ContactPoint] {
        &self.contact_points.points
    }

    /// Whether some regions are summed as lattice stencils.
    #[must_use]
    pub fn has_stencil(&self) -> bool {
        self.stencil.is_some()
    }

    /// Number of regions that are summed as lists.
    #[must_use]
    pub fn list_count(&self) -> usize {
        self.lists.len()
    }

    /// Bytes that the shape holds on the heap.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        fn of<T>(items: &[T]) -> usize {
            size_of_val(items)
        }
        let lists = &self.lists;
        let mut bytes = of(&self.slots)
            + of(&self.particles)
            + of(&self.rest)
            + of(&self.mass)
            + of(&self.inverse_count)
            + of(&self.moment)
            + of(&self.inverse_moment)
            + of(&self.null_projector)
            + of(&self.region_slots)
            + of(&self.contact_points.points)
            + of(&self.contact_points.entries)
            + of(&self.contact_points.entry_start)
            + of(&lists.start)
            + of(&lists.member)
            + of(&lists.entries)
            + of(&lists.references)
            + of(&lists.lanes)
            + of(&lists.reference)
            + of(&lists.centers)
            + of(&lists.region)
            + of(&lists.entry_start)
            + of(&lists.block_start)
            + of(&lists.incidence_start)
            + of(&lists.incidence)
            + of(&self.wide.list)
            + of(&self.wide.start)
            + of(&self.wide.entries)
            + of(&self.wide.incidence_start)
            + of(&self.wide.incidence);
        if let Some(stencil) = &self.stencil {
            bytes += of(&stencil.weight)
                + of(&stencil.regular)
                + of(&stencil.inverse_weight)
                + of(&stencil.center)
                + of(&stencil.near)
                + of(&stencil.far);
        }
        bytes
    }
}
