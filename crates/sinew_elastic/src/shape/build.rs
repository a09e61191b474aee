//! Builders of [`ElasticShape`]: from tetrahedra, from a lattice, from given regions.

use core::fmt;
use core::ops::Range;

use glam::{DMat3, DVec3, IVec3, Vec3};
use sinew_math::symmetric::pseudo_inverse;
use sinew_math::{F8, LANES, Sym3x8, Vec3x8};
use thiserror::Error;

use crate::lattice::LatticeNodes;
use crate::mesh::SurfaceMesh;

use super::lists::{RegionLists, RestRegion};
use super::stencil::{BrickMap, Stencil, brick_and_lane};
use super::{ContactPoint, ElasticShape, NO_PARTICLE};

/// Eigenvalues of a region's moment below this share of the largest count as zero: the region is flat
/// or thin in that direction.
pub(crate) const FLAT: f64 = 1e-4;
/// Blocks in a chunk of a shape without planes: 256 particles, enough to hide the cost of a task.
const BLOCKS_PER_CHUNK: usize = 32;

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

/// Largest number of particles; slots and incidences are numbered with 32 bits.
const MOST_PARTICLES: usize = 4_000_000;

/// Everything that the packing step needs, in double precision.
struct Draft {
    positions: Vec<DVec3>,
    masses: Vec<f64>,
    /// Members of each region, ascending.
    regions: Vec<Vec<u32>>,
    /// Particle whose slot the region takes; `None` for regions with slots of their own.
    owners: Option<Vec<u32>>,
    /// Particle that sums are relative to, for each region.
    references: Vec<u32>,
    lattice: Option<LatticeDraft>,
    spacing: f64,
    report: ShapeReport,
}

struct LatticeDraft {
    nodes: Vec<IVec3>,
    spacing: f64,
    width: u32,
}

impl ElasticShape {
    /// A body from overlapping regions of your own, each a list of particles.
    ///
    /// `masses` are volumes (mass at 1 kg/m³). Every particle touches colliders. Repeated members count
    /// once; regions of fewer than two particles are dropped and reported.
    ///
    /// # Errors
    /// When there is no particle, a position is not finite, a mass is not positive, or a region names a
    /// particle that is not there.
    pub fn from_regions(
        positions: &[Vec3],
        masses: &[f32],
        regions: &[Vec<u32>],
    ) -> Result<Self, ShapeError> {
        check(positions, masses)?;
        let mut report = ShapeReport::default();
        let mut kept = Vec::with_capacity(regions.len());
        for (index, region) in regions.iter().enumerate() {
            if let Some(&particle) = region.iter().find(|&&p| p as usize >= positions.len()) {
                return Err(ShapeError::UnknownParticle {
                    region: index,
                    particle,
                    particles: positions.len(),
                });
            }
            let mut members = region.clone();
            members.sort_unstable();
            members.dedup();
            if members.len() < 2 {
                report.dropped_regions += 1;
            } else {
                kept.push(members);
            }
        }
        let references = kept.iter().map(|members| members[0]).collect();
        let positions: Vec<DVec3> = positions.iter().map(|p| p.as_dvec3()).collect();
        let spacing = mean_spacing(&positions, masses);
        let mut shape = Draft {
            positions,
            masses: masses.iter().map(|&m| f64::from(m)).collect(),
            regions: kept,
            owners: None,
            references,
            lattice: None,
            spacing,
            report,
        }
        .pack();
        let all: Vec<u32> = (0..shape.particle_count() as u32).collect();
        shape.touch_with_particles(&all);
        Ok(shape)
    }

    /// A body from tetrahedra: a region for each vertex, of all vertices that share a cell with it
    /// (Koyama et al. 2012, the 1-ring). Vertices of the boundary touch colliders.
    ///
    /// Cells of negative volume are re-oriented, cells without volume are dropped; both are reported.
    ///
    /// # Errors
    /// When the mesh has no cell, an index is out of range, or a position is not finite.
    pub fn from_tets(positions: &[Vec3], cells: &[[u32; 4]]) -> Result<Self, ShapeError> {
        if cells.is_empty() {
            return Err(ShapeError::TetMesh("it has no tetrahedra".into()));
        }
        check(positions, &vec![1.0; positions.len()])?;
        let points: Vec<DVec3> = positions.iter().map(|p| p.as_dvec3()).collect();
        let mut report = ShapeReport::default();
        let mut masses = vec![0.0; points.len()];
        let mut regions: Vec<Vec<u32>> = vec![Vec::new(); points.len()];
        let mut oriented = Vec::with_capacity(cells.len());
        let mut edges = (0.0, 0_usize);
        for (index, &cell) in cells.iter().enumerate() {
            if let Some(&v) = cell.iter().find(|&&v| v as usize >= points.len()) {
                return Err(ShapeError::TetMesh(format!(
                    "cell {index} names vertex {v}, but there are only {}",
                    points.len()
                )));
            }
            let [a, b, c, d] = cell.map(|v| points[v as usize]);
            let volume = (b - a).cross(c - a).dot(d - a) / 6.0;
            let edge = (b - a).length().max((c - a).length()).max((d - a).length());
            // Below double precision's own rounding, the sign of a volume means nothing.
            if volume.abs() <= 1e-14 * edge.powi(3) {
                report.dropped_cells += 1;
                continue;
            }
            let cell = if volume < 0.0 {
                report.reoriented_cells += 1;
                [cell[0], cell[2], cell[1], cell[3]]
            } else {
                cell
            };
            for &v in &cell {
                masses[v as usize] += 0.25 * volume.abs();
                regions[v as usize].extend_from_slice(&cell);
            }
            edges.0 += (b - a).length() + (c - a).length() + (d - a).length();
            edges.1 += 3;
            oriented.push(cell);
        }
        if oriented.is_empty() {
            return Err(ShapeError::TetMesh("every tetrahedron is flat".into()));
        }
        for region in &mut regions {
            region.sort_unstable();
            region.dedup();
        }
        // Vertices that no cell uses stay where they are told: the least mass keeps them harmless.
        let least = masses.iter().copied().filter(|&m| m > 0.0).fold(f64::INFINITY, f64::min);
        for mass in &mut masses {
            if *mass <= 0.0 {
                *mass = least;
            }
        }
        let owners: Vec<u32> =
            (0..points.len() as u32).filter(|&v| !regions[v as usize].is_empty()).collect();
        regions.retain(|region| !region.is_empty());
        let boundary = boundary_vertices(&oriented);
        let mut shape = Draft {
            positions: points,
            masses,
            regions,
            references: owners.clone(),
            owners: Some(owners),
            lattice: None,
            spacing: edges.0 / edges.1 as f64,
            report,
        }
        .pack();
        shape.touch_with_particles(&boundary);
        Ok(shape)
    }

    /// A body from a lattice: a region for each node, of the nodes within `lattice.width` links
    /// (Rivers and James 2007). Regions that are whole boxes are summed as stencils.
    ///
    /// Every node touches colliders, until [`ElasticShape::with_contact_points`] says otherwise.
    ///
    /// # Errors
    /// As [`ElasticShape::from_regions`].
    pub fn from_lattice(lattice: &LatticeNodes) -> Result<Self, ShapeError> {
        let cell = f64::from(lattice.spacing).powi(3);
        let masses: Vec<f32> =
            lattice.mass_shares.iter().map(|&share| (f64::from(share) * cell) as f32).collect();
        check(&lattice.positions, &masses)?;
        let links = lattice.regions(lattice.width);
        let mut owners = Vec::new();
        let mut regions = Vec::new();
        for node in 0..lattice.positions.len() {
            let members = links.list(node);
            if members.len() > 1 {
                owners.push(node as u32);
                regions.push(members.to_vec());
            }
        }
        let mut shape = Draft {
            positions: lattice.positions.iter().map(|p| p.as_dvec3()).collect(),
            masses: masses.iter().map(|&m| f64::from(m)).collect(),
            references: owners.clone(),
            report: ShapeReport {
                dropped_regions: lattice.positions.len() - owners.len(),
                ..ShapeReport::default()
            },
            regions,
            owners: Some(owners),
            lattice: Some(LatticeDraft {
                nodes: lattice.coords.clone(),
                spacing: f64::from(lattice.spacing),
                width: lattice.width,
            }),
            spacing: f64::from(lattice.spacing),
        }
        .pack();
        let all: Vec<u32> = (0..shape.particle_count() as u32).collect();
        shape.touch_with_particles(&all);
        Ok(shape)
    }

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

    fn touch_with_particles(&mut self, particles: &[u32]) {
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

fn check(positions: &[Vec3], masses: &[f32]) -> Result<(), ShapeError> {
    if positions.is_empty() {
        return Err(ShapeError::NoParticles);
    }
    if positions.len() > MOST_PARTICLES {
        return Err(ShapeError::TooManyParticles(positions.len()));
    }
    if masses.len() != positions.len() {
        return Err(ShapeError::MassCount { masses: masses.len(), particles: positions.len() });
    }
    if let Some(particle) = positions.iter().position(|p| !p.is_finite()) {
        return Err(ShapeError::NonFinitePosition(particle));
    }
    let bad = masses.iter().position(|&m| !(m.is_finite() && m > 0.0));
    bad.map_or(Ok(()), |particle| Err(ShapeError::BadMass { particle, mass: masses[particle] }))
}

/// Cube root of the volume per particle.
fn mean_spacing(positions: &[DVec3], masses: &[f32]) -> f64 {
    let volume: f64 = masses.iter().map(|&m| f64::from(m)).sum();
    (volume / positions.len() as f64).cbrt()
}

/// Vertices of faces that belong to one cell only, ascending.
fn boundary_vertices(cells: &[[u32; 4]]) -> Vec<u32> {
    let mut faces: Vec<[u32; 3]> = cells
        .iter()
        .flat_map(|&[a, b, c, d]| [[b, c, d], [a, c, d], [a, b, d], [a, b, c]])
        .map(|mut face| {
            face.sort_unstable();
            face
        })
        .collect();
    faces.sort_unstable();
    let mut vertices: Vec<u32> = faces
        .chunk_by(|a, b| a == b)
        .filter(|same| same.len() == 1)
        .flat_map(|same| same[0])
        .collect();
    vertices.sort_unstable();
    vertices.dedup();
    vertices
}

impl Draft {
    fn pack(mut self) -> ElasticShape {
        let total: f64 = self.masses.iter().sum();
        let center: DVec3 =
            self.positions.iter().zip(&self.masses).map(|(&p, &m)| p * m).sum::<DVec3>() / total;
        // Rest positions are stored in single precision, so everything is worked out from those.
        let center = center.as_vec3();
        for p in &mut self.positions {
            *p = (p.as_vec3() - center).as_dvec3();
        }
        let (bricks, slots) = self.place();
        let blocks = slots.iter().map(|&s| s as usize / LANES + 1).max().unwrap_or(0).max(bricks);
        let mut particles = vec![NO_PARTICLE; blocks * LANES];
        let mut rest = vec![Vec3x8::ZERO; blocks];
        let mut mass = vec![F8::ZERO; blocks];
        for (particle, &slot) in slots.iter().enumerate() {
            let (block, lane) = (slot as usize / LANES, slot as usize % LANES);
            particles[slot as usize] = particle as u32;
            rest[block].set_lane(lane, self.positions[particle].as_vec3());
            mass[block].0[lane] = self.masses[particle] as f32;
        }
        let low = self.positions.iter().copied().fold(DVec3::INFINITY, DVec3::min);
        let high = self.positions.iter().copied().fold(DVec3::NEG_INFINITY, DVec3::max);
        let mut shape = ElasticShape {
            slots,
            particles,
            rest,
            mass,
            inverse_count: vec![F8::ZERO; blocks],
            particle_chunks: Vec::new(),
            region_chunks: Vec::new(),
            moment: Vec::new(),
            inverse_moment: Vec::new(),
            null_projector: Vec::new(),
            region_count: self.regions.len(),
            stencil: None,
            lists: RegionLists::default(),
            region_slots: Vec::new(),
            has_owners: self.owners.is_some(),
            center,
            volume: total,
            // Particles in one place still have a volume, and with it a size.
            size: (high - low).length().max(total.cbrt()) as f32,
            spacing: self.spacing as f32,
            contact_points: Vec::new(),
            report: core::mem::take(&mut self.report),
        };
        self.pack_regions(&mut shape, bricks);
        shape.report.particles = shape.particle_count();
        shape.report.regions = shape.region_count;
        shape
    }

    /// Gives every particle a slot; returns the number of bricks and the slots.
    fn place(&self) -> (usize, Vec<u32>) {
        let Some(lattice) = &self.lattice else {
            return (0, (0..self.positions.len() as u32).collect());
        };
        let map = BrickMap::new(lattice.nodes.iter().copied(), lattice.width);
        let mut taken = vec![false; map.bricks.len() * LANES];
        let mut loose = (map.bricks.len() * LANES) as u32;
        let slots = lattice
            .nodes
            .iter()
            .map(|&node| {
                let (brick, lane) = brick_and_lane(node);
                let slot = map.find(brick).map_or(usize::MAX, |b| b * LANES + lane);
                if taken.get(slot) == Some(&false) {
                    taken[slot] = true;
                    slot as u32
                } else {
                    // Another part's node at the same place.
                    loose += 1;
                    loose - 1
                }
            })
            .collect();
        (map.bricks.len(), slots)
    }

    fn pack_regions(&self, shape: &mut ElasticShape, bricks: usize) {
        let mut counts = vec![0_u32; self.positions.len()];
        for &particle in self.regions.iter().flatten() {
            counts[particle as usize] += 1;
        }
        for (particle, &count) in counts.iter().enumerate() {
            if count == 0 {
                shape.report.free_particles += 1;
                continue;
            }
            let (block, lane) = shape.slot(particle);
            shape.inverse_count[block].0[lane] = 1.0 / count as f32;
        }
        let share: Vec<f64> =
            self.masses.iter().zip(&counts).map(|(&m, &n)| m / f64::from(n.max(1))).collect();

        let moments: Vec<RegionMoment> =
            self.regions.iter().map(|members| self.moment_of(members, &share)).collect();
        let mean_trace =
            moments.iter().map(|m| trace(m.moment)).sum::<f64>() / moments.len().max(1) as f64;
        // Region sums become free of units and near one, whatever the body's scale and density.
        let kappa = if mean_trace > 0.0 { 3.0 / mean_trace } else { 1.0 };

        shape.region_slots = match &self.owners {
            Some(owners) => owners.iter().map(|&p| shape.slots[p as usize]).collect(),
            None => (0..self.regions.len() as u32).collect(),
        };
        let region_blocks = if self.owners.is_some() {
            shape.block_count()
        } else {
            self.regions.len().div_ceil(LANES)
        };
        shape.moment = vec![Sym3x8::IDENTITY; region_blocks];
        shape.inverse_moment = vec![Sym3x8::IDENTITY; region_blocks];
        shape.null_projector = vec![None; region_blocks];
        for (region, moment) in moments.iter().enumerate() {
            shape.pack_moment(shape.region_slots[region], moment, kappa);
        }

        let regular = self.pack_stencil(shape, bricks, &share, &moments, kappa);
        let mut order: Vec<usize> = (0..self.regions.len()).filter(|&r| !regular[r]).collect();
        order.sort_unstable_by_key(|&r| shape.region_slots[r]);
        if self.lattice.is_some() {
            shape.report.irregular_regions = order.len();
        }
        for r in order {
            let members = &self.regions[r];
            let slots: Vec<u32> = members.iter().map(|&p| shape.slots[p as usize]).collect();
            let masses: Vec<f64> = members.iter().map(|&p| share[p as usize]).collect();
            let offsets: Vec<DVec3> =
                members.iter().map(|&p| self.positions[p as usize] - moments[r].center).collect();
            shape.lists.push(
                RestRegion {
                    slot: shape.region_slots[r],
                    reference: shape.slots[self.references[r] as usize],
                    slots: &slots,
                    masses: &masses,
                    offsets: &offsets,
                    center: moments[r].center,
                    mass: moments[r].mass,
                },
                kappa,
            );
        }
        shape.lists.finish(region_blocks, shape.block_count() * LANES);

        let planes: Vec<Range<usize>> = shape
            .stencil
            .as_ref()
            .map(|stencil| (0..stencil.planes()).map(|p| stencil.plane(p)).collect())
            .unwrap_or_default();
        let rest = |blocks: usize, from: usize| {
            (from..blocks)
                .step_by(BLOCKS_PER_CHUNK)
                .map(move |start| start..(start + BLOCKS_PER_CHUNK).min(blocks))
        };
        shape.particle_chunks =
            planes.iter().cloned().chain(rest(shape.block_count(), bricks)).collect();
        shape.region_chunks = planes.into_iter().chain(rest(region_blocks, bricks)).collect();
    }

    fn moment_of(&self, members: &[u32], share: &[f64]) -> RegionMoment {
        let mass: f64 = members.iter().map(|&p| share[p as usize]).sum();
        let center =
            members.iter().map(|&p| self.positions[p as usize] * share[p as usize]).sum::<DVec3>()
                / mass;
        let mut moment = DMat3::ZERO;
        for &p in members {
            let q = self.positions[p as usize] - center;
            let scaled = q * share[p as usize];
            moment += DMat3::from_cols(scaled * q.x, scaled * q.y, scaled * q.z);
        }
        RegionMoment { mass, center, moment }
    }

    /// Packs the lattice part; returns which regions it covers.
    fn pack_stencil(
        &self,
        shape: &mut ElasticShape,
        bricks: usize,
        share: &[f64],
        moments: &[RegionMoment],
        kappa: f64,
    ) -> Vec<bool> {
        let (Some(lattice), Some(owners)) = (&self.lattice, &self.owners) else {
            return vec![false; self.regions.len()];
        };
        let map = BrickMap::new(lattice.nodes.iter().copied(), lattice.width);
        let in_grid = |particle: u32| (shape.slots[particle as usize] as usize) < bricks * LANES;
        let occupied = |node: IVec3| {
            let (brick, lane) = brick_and_lane(node);
            map.find(brick).is_some_and(|b| shape.particles[b * LANES + lane] != NO_PARTICLE)
        };
        let regular: Vec<bool> = self
            .regions
            .iter()
            .zip(owners)
            .map(|(members, &owner)| {
                in_grid(owner)
                    && members.iter().all(|&p| in_grid(p))
                    && members.len()
                        == nodes_in_box(lattice.nodes[owner as usize], lattice.width, occupied)
            })
            .collect();
        let h = lattice.spacing;
        let mut stencil = Stencil {
            width: lattice.width,
            spacing: h as f32,
            weight: vec![F8::ZERO; bricks],
            regular: vec![F8::ZERO; bricks],
            inverse_weight: vec![F8::ZERO; bricks],
            center: vec![Vec3x8::ZERO; bricks],
            ..Stencil::default()
        };
        map.connect(&mut stencil, shape.block_count());
        for (particle, &slot) in shape.slots.iter().enumerate() {
            let (block, lane) = (slot as usize / LANES, slot as usize % LANES);
            if block < bricks {
                stencil.weight[block].0[lane] = (kappa * h * share[particle]) as f32;
            }
        }
        for (region, &owner) in owners.iter().enumerate() {
            if regular[region] {
                let (block, lane) = shape.slot(owner as usize);
                stencil.regular[block].0[lane] = 1.0;
                let weight = kappa * h * moments[region].mass;
                stencil.inverse_weight[block].0[lane] = (1.0 / weight) as f32;
                let offset = (moments[region].center - self.positions[owner as usize]) / h;
                stencil.center[block].set_lane(lane, offset.as_vec3());
            }
        }
        shape.stencil = Some(stencil);
        regular
    }
}

impl ElasticShape {
    fn pack_moment(&mut self, slot: u32, region: &RegionMoment, kappa: f64) {
        let (block, lane) = (slot as usize / LANES, slot as usize % LANES);
        let moment = region.moment * kappa;
        let inverse = pseudo_inverse(moment, FLAT);
        match inverse.rank {
            3 => {}
            2 => self.report.flat_regions += 1,
            _ => self.report.thin_regions += 1,
        }
        self.moment[block].set_lane(lane, moment.as_mat3());
        self.inverse_moment[block].set_lane(lane, inverse.inverse.as_mat3());
        if inverse.rank < 3 {
            self.null_projector[block]
                .get_or_insert_default()
                .set_lane(lane, inverse.null_projector.as_mat3());
        }
    }
}

struct RegionMoment {
    mass: f64,
    center: DVec3,
    /// Σ m̃ q qᵀ.
    moment: DMat3,
}

fn trace(m: DMat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}

fn nodes_in_box(node: IVec3, width: u32, occupied: impl Fn(IVec3) -> bool) -> usize {
    let w = width as i32;
    let mut count = 0;
    for z in -w..=w {
        for y in -w..=w {
            for x in -w..=w {
                count += usize::from(occupied(node + IVec3::new(x, y, z)));
            }
        }
    }
    count
}
