//! Regions as lists of particles: any shape, any overlap.

use glam::{DVec3, Vec3, Vec4};
use sinew_math::{F8, LANES, Vec3x8};

use super::wide_lists::WideLists;

/// Regions in compressed rows, for the regions that no stencil covers.
///
/// `start` has one entry more than there are lists. A list belongs to a *region slot*: a lane of a
/// block of eight regions.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct RegionLists {
    /// First member of each list.
    pub start: Vec<u32>,
    /// Particle slot of each member.
    pub member: Vec<u32>,
    /// Of each member: its share of the region's mass, then `κ m̃ q`. Empty once `entries` is made.
    pub(super) weight: Vec<Vec4>,
    /// The members of all but the wide lists, eight lists at a time, one list a lane: what the step reads. Lists that are
    /// shorter than the longest of their block go on with weights of zero.
    pub entries: Vec<ListEntry>,
    /// First entry of each region block; one more than there are blocks.
    pub entry_start: Vec<u32>,
    /// Reference particle of each lane, by region block.
    pub references: Vec<[u32; LANES]>,
    /// Lanes that have a list, by region block: all bits set, or none.
    pub lanes: Vec<F8>,
    /// Particle slot that positions are taken relative to, for precision.
    pub reference: Vec<u32>,
    /// Rest centre of each lane's list, relative to the shape's centre, by region block.
    pub centers: Vec<Vec3x8>,
    /// Region slot of each list; ascending.
    pub region: Vec<u32>,
    /// First list of each region block; one entry more than there are blocks.
    pub block_start: Vec<u32>,
    /// First entry in `incidence` of each particle slot; one entry more than there are slots.
    pub incidence_start: Vec<u32>,
    /// Lists that contain a particle, ascending; no wide ones.
    pub incidence: Vec<u32>,
}

impl RegionLists {
    pub fn len(&self) -> usize {
        self.region.len()
    }

    pub fn is_empty(&self) -> bool {
        self.region.is_empty()
    }

    pub fn members(&self, list: usize) -> core::ops::Range<usize> {
        self.start[list] as usize..self.start[list + 1] as usize
    }

    /// The lists of a region block.
    pub fn of_block(&self, block: usize) -> core::ops::Range<usize> {
        self.block_start[block] as usize..self.block_start[block + 1] as usize
    }

    /// Adds one region: `rest` gives each member's offset from the region's centre.
    pub fn push(&mut self, region: RestRegion<'_>, kappa: f64) {
        if self.start.is_empty() {
            self.start.push(0);
        }
        for (&slot, (&mass, &q)) in
            region.slots.iter().zip(region.masses.iter().zip(region.offsets))
        {
            let scaled = q * (kappa * mass);
            self.member.push(slot);
            let share = (mass / region.mass) as f32;
            self.weight.push(Vec4::new(share, scaled.x as f32, scaled.y as f32, scaled.z as f32));
        }
        self.start.push(self.member.len() as u32);
        self.reference.push(region.reference);
        let (block, lane) = (region.slot as usize / LANES, region.slot as usize % LANES);
        if self.centers.len() <= block {
            self.centers.resize(block + 1, Vec3x8::ZERO);
        }
        self.centers[block].set_lane(lane, region.center.as_vec3());
        self.region.push(region.slot);
    }

    /// Builds the tables that lead from blocks to lists and from particles to lists.
    ///
    /// Returns the lists that are so wide that they go a way of their own.
    pub fn finish(&mut self, region_blocks: usize, particle_slots: usize) -> WideLists {
        if self.start.is_empty() {
            self.start.push(0);
        }
        self.block_start = vec![0; region_blocks + 1];
        for &slot in &self.region {
            self.block_start[slot as usize / 8 + 1] += 1;
        }
        for block in 0..region_blocks {
            self.block_start[block + 1] += self.block_start[block];
        }
        if self.is_empty() {
            return WideLists::default();
        }
        let wide = WideLists::pick(self, particle_slots / LANES);
        self.pack_entries(region_blocks, &wide);
        let narrow: Vec<usize> = (0..self.len()).filter(|&list| !wide.contains(list)).collect();
        self.incidence_start = vec![0; particle_slots + 1];
        for &list in &narrow {
            for member in self.members(list) {
                self.incidence_start[self.member[member] as usize + 1] += 1;
            }
        }
        for slot in 0..particle_slots {
            self.incidence_start[slot + 1] += self.incidence_start[slot];
        }
        let mut next = self.incidence_start.clone();
        let mut incidence = vec![0; next[particle_slots] as usize];
        for list in narrow {
            for member in self.members(list) {
                let slot = self.member[member] as usize;
                incidence[next[slot] as usize] = list as u32;
                next[slot] += 1;
            }
        }
        self.incidence = incidence;
        wide
    }
}

impl RegionLists {
    fn pack_entries(&mut self, region_blocks: usize, wide: &WideLists) {
        self.entry_start.push(0);
        for block in 0..region_blocks {
            let lists = self.block_start[block] as usize..self.block_start[block + 1] as usize;
            let mut lanes = F8::ZERO;
            let mut references = [0; LANES];
            let first = self.entries.len();
            for list in lists {
                let lane = self.region[list] as usize % LANES;
                lanes.0[lane] = f32::from_bits(u32::MAX);
                references[lane] = self.reference[list];
                if wide.contains(list) {
                    continue;
                }
                for (at, member) in self.members(list).enumerate() {
                    if self.entries.len() == first + at {
                        self.entries.push(ListEntry::default());
                    }
                    self.entries[first + at].set(lane, self.member[member], self.weight[member]);
                }
            }
            self.lanes.push(lanes);
            self.references.push(references);
            self.entry_start.push(self.entries.len() as u32);
        }
        self.weight = Vec::new();
        self.centers.resize(region_blocks, Vec3x8::ZERO);
        self.centers.shrink_to_fit();
        // Shapes live long: give back what growth took in excess.
        self.entries.shrink_to_fit();
        self.member.shrink_to_fit();
        self.start.shrink_to_fit();
    }
}

/// One member of each of eight lists.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct ListEntry {
    /// Its share of the region's mass.
    pub share: F8,
    /// `κ m̃ q`.
    pub offset: Vec3x8,
    /// Particle slots.
    pub slots: [u32; LANES],
}

impl ListEntry {
    fn set(&mut self, lane: usize, slot: u32, weight: Vec4) {
        self.share.0[lane] = weight.x;
        self.offset.set_lane(lane, Vec3::new(weight.y, weight.z, weight.w));
        self.slots[lane] = slot;
    }
}

/// One region at rest, ready to be packed.
pub(crate) struct RestRegion<'a> {
    pub slot: u32,
    pub reference: u32,
    pub slots: &'a [u32],
    /// m̃ of each member: its mass over the number of regions that contain it.
    pub masses: &'a [f64],
    /// Offsets from the region's centre.
    pub offsets: &'a [DVec3],
    pub center: DVec3,
    pub mass: f64,
}
