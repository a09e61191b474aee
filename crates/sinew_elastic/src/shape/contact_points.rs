//! The points of a body that touch colliders.

use glam::Vec3;
use sinew_math::{F8, LANES};

use crate::lattice::LatticeNodes;
use crate::mesh::SurfaceMesh;

use super::ElasticShape;

/// A point that touches colliders: a weighted mean of up to eight particles.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ContactPoint {
    /// Slots of the particles.
    pub(crate) slots: [u32; 8],
    /// Weights, which sum to one; the first `count` matter.
    pub(crate) weights: [f32; 8],
    pub(crate) count: u32,
    /// 1 / Σ w² / m, the mass that the point shows to an impulse.
    pub(crate) mass: f32,
}

/// One particle of each of eight contact points, for a quick search. Points of fewer particles go on with
/// weights of zero.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ContactEntry {
    pub slots: [u32; LANES],
    pub weights: F8,
}

/// The contact points of a shape.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct ContactPoints {
    pub points: Vec<ContactPoint>,
    /// The same, eight points at a time.
    pub entries: Vec<ContactEntry>,
    /// First entry of each eight points; one more than there are such.
    pub entry_start: Vec<u32>,
}

impl FromIterator<ContactPoint> for ContactPoints {
    fn from_iter<I: IntoIterator<Item = ContactPoint>>(points: I) -> Self {
        let mut all = Self { points: points.into_iter().collect(), ..Self::default() };
        all.points.shrink_to_fit();
        all.entry_start.push(0);
        for eight in all.points.chunks(LANES) {
            let longest = eight.iter().map(|point| point.count as usize).max().unwrap_or(0);
            for k in 0..longest {
                let mut entry = ContactEntry::default();
                for (lane, point) in eight.iter().enumerate() {
                    (entry.slots[lane], entry.weights.0[lane]) = (point.slots[k], point.weights[k]);
                }
                all.entries.push(entry);
            }
            all.entry_start.push(all.entries.len() as u32);
        }
        all.entries.shrink_to_fit();
        all
    }
}

impl ElasticShape {
    /// Replaces the points that touch colliders: each is up to eight particles with weights that sum to
    /// one. Entries with no weight are left out; points that name an unknown particle are dropped.
    #[must_use]
    pub fn with_contact_points(mut self, points: &[([u32; 8], [f32; 8])]) -> Self {
        self.contact_points = points
            .iter()
            .filter_map(|(particles, weights)| self.contact_point(particles, weights))
            .collect();
        self
    }

    /// Lets the vertices of the embedded surface touch colliders in place of the lattice's nodes, which
    /// may lie up to a cell outside of it; at most one vertex in each half cell, so that cost follows the
    /// lattice and not the mesh. A surface with edges longer than a cell keeps the nodes: its corners
    /// alone would let the middle of a side through.
    #[must_use]
    pub fn with_surface_contacts(self, lattice: &LatticeNodes, surface: &SurfaceMesh) -> Self {
        let point = |v: u32| surface.positions.get(v as usize).copied().unwrap_or(Vec3::NAN);
        let coarse = surface.triangles.iter().any(|&[a, b, c]| {
            let edges = [(a, b), (b, c), (c, a)];
            edges.iter().any(|&(a, b)| (point(a) - point(b)).length() > lattice.spacing)
        });
        if coarse || surface.triangles.is_empty() {
            return self;
        }
        let mut vertices: Vec<u32> = surface.triangles.iter().flatten().copied().collect();
        vertices.sort_unstable();
        vertices.dedup();
        let half = 0.5 * lattice.spacing;
        let place = |v: u32| ((point(v) - lattice.origin) / half).floor().as_ivec3().to_array();
        let mut placed: Vec<([i32; 3], u32)> = vertices.iter().map(|&v| (place(v), v)).collect();
        placed.sort_unstable();
        placed.dedup_by_key(|&mut (place, _)| place);
        let embedding = &lattice.embedding;
        let points: Vec<([u32; 8], [f32; 8])> = placed
            .iter()
            .filter_map(|&(_, v)| {
                Some((*embedding.particles.get(v as usize)?, *embedding.weights.get(v as usize)?))
            })
            .collect();
        if points.is_empty() { self } else { self.with_contact_points(&points) }
    }

    pub(super) fn touch_with_particles(&mut self, particles: &[u32]) {
        self.contact_points =
            particles.iter().filter_map(|&p| self.contact_point(&[p], &[1.0])).collect();
    }

    fn contact_point(&self, particles: &[u32], weights: &[f32]) -> Option<ContactPoint> {
        let mut point = ContactPoint { slots: [0; 8], weights: [0.0; 8], count: 0, mass: 0.0 };
        let mut compliance = 0.0;
        for (&particle, &weight) in particles.iter().zip(weights) {
            if weight <= 0.0 || !weight.is_finite() {
                continue;
            }
            let &slot = self.slots.get(particle as usize)?;
            let mass = self.mass[slot as usize / LANES].0[slot as usize % LANES];
            point.slots[point.count as usize] = slot;
            point.weights[point.count as usize] = weight;
            point.count += 1;
            compliance += weight * weight / mass;
        }
        point.mass = 1.0 / compliance;
        (point.count > 0).then_some(point)
    }
}
