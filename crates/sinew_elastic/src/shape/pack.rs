//! Lays a body's particles and regions out for the step: blocks, stencils, lists, chunks.

use core::ops::Range;

use glam::{DMat3, DVec3, IVec3};
use sinew_math::symmetric::pseudo_inverse;
use sinew_math::{F8, LANES, Sym3x8, Vec3x8};

use super::lists::{RegionLists, RestRegion};
use super::stencil::{BrickMap, Stencil, brick_and_lane};
use super::wide_lists::WideLists;
use super::{ContactPoints, ElasticShape, NO_PARTICLE, ShapeReport};

/// Eigenvalues of a region's moment below this share of the largest count as zero: the region is flat
/// or thin in that direction.
pub(crate) const FLAT: f64 = 1e-4;
/// Blocks in a chunk of a shape without planes: 256 particles, enough to hide the cost of a task.
const BLOCKS_PER_CHUNK: usize = 32;

/// Regions that are sorted by their sizes at a time: some blocks, so that there are several of each size.
const SORTED_TOGETHER: usize = 64;

/// Everything that the packing step needs, in double precision.
pub(super) struct Draft {
    pub positions: Vec<DVec3>,
    pub masses: Vec<f64>,
    /// Members of each region, ascending.
    pub regions: Vec<Vec<u32>>,
    /// Particle whose slot the region takes; `None` for regions with slots of their own.
    pub owners: Option<Vec<u32>>,
    /// Particle that sums are relative to, for each region.
    pub references: Vec<u32>,
    pub lattice: Option<LatticeDraft>,
    pub spacing: f64,
    pub report: ShapeReport,
}

pub(super) struct LatticeDraft {
    pub nodes: Vec<IVec3>,
    pub spacing: f64,
    pub width: u32,
}

impl Draft {
    pub fn pack(mut self) -> ElasticShape {
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
            wide: WideLists::default(),
            region_slots: Vec::new(),
            has_owners: self.owners.is_some(),
            center,
            volume: total,
            // Particles in one place still have a volume, and with it a size.
            size: (high - low).length().max(total.cbrt()) as f32,
            spacing: self.spacing as f32,
            contact_points: ContactPoints::default(),
            report: core::mem::take(&mut self.report),
            fingerprint: 0,
        };
        self.pack_regions(&mut shape, bricks);
        shape.report.particles = shape.particle_count();
        shape.report.regions = shape.region_count;
        shape.fingerprint = shape.find_fingerprint();
        shape
    }

    /// Gives every particle a slot; returns the number of bricks and the slots.
    fn place(&self) -> (usize, Vec<u32>) {
        let Some(lattice) = &self.lattice else {
            let mut sizes = vec![0; self.positions.len()];
            for (&owner, members) in self.owners.iter().flatten().zip(&self.regions) {
                sizes[owner as usize] = members.len();
            }
            return (0, like_beside_like(&sizes));
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
            None => like_beside_like(&self.regions.iter().map(Vec::len).collect::<Vec<_>>()),
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
        shape.wide = shape.lists.finish(region_blocks, shape.block_count() * LANES);

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

/// Places for regions of such sizes, so that the eight of a block are about as large: a block takes as
/// long as its largest. Nobody moves far, since neighbours in memory are mostly neighbours in space.
fn like_beside_like(sizes: &[usize]) -> Vec<u32> {
    let mut order: Vec<usize> = (0..sizes.len()).collect();
    for window in order.chunks_mut(SORTED_TOGETHER) {
        window.sort_by_key(|&region| sizes[region]);
    }
    let mut places = vec![0; sizes.len()];
    for (place, region) in order.into_iter().enumerate() {
        places[region] = place as u32;
    }
    places
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
