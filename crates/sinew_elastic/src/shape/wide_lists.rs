//! Lists of so many particles that one list fills all lanes.
//!
//! Short lists are summed eight at a time, one a lane. A list of a whole body would leave seven lanes idle:
//! its members are taken by blocks of eight particles instead, as they lie in memory.

use glam::Vec3;
use sinew_math::{F8, LANES, Vec3x8};

use super::lists::RegionLists;

/// Lists from this many members on may be wide.
const LEAST_MEMBERS: usize = 128;
/// A wide list needs at least this share of the lanes that it takes.
const LEAST_SHARE: f32 = 0.5;

/// The wide ones among a shape's lists.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct WideLists {
    /// Which lists; ascending.
    pub list: Vec<u32>,
    /// First entry of each; one more than there are wide lists.
    pub start: Vec<u32>,
    /// By list, then by block.
    pub entries: Vec<WideEntry>,
    /// First entry in `incidence` of each particle block; one more than there are blocks.
    pub incidence_start: Vec<u32>,
    /// Entries of a particle block, by list.
    pub incidence: Vec<u32>,
}

/// The members of a wide list that lie in one block of particles; zero in the other lanes.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct WideEntry {
    pub list: u32,
    pub block: u32,
    /// Share of the region's mass.
    pub share: F8,
    /// `κ m̃ q`.
    pub offset: Vec3x8,
}

impl WideLists {
    pub fn is_empty(&self) -> bool {
        self.list.is_empty()
    }

    /// Whether a list is one of these.
    pub fn contains(&self, list: usize) -> bool {
        self.list.binary_search(&(list as u32)).is_ok()
    }

    /// The entries of the wide lists among `lists`, one slice a list.
    pub fn among(
        &self,
        lists: core::ops::Range<usize>,
    ) -> impl Iterator<Item = (u32, &[WideEntry])> {
        let from = self.list.partition_point(|&list| (list as usize) < lists.start);
        let to = self.list.partition_point(|&list| (list as usize) < lists.end);
        (from..to).map(|i| {
            let entries = self.start[i] as usize..self.start[i + 1] as usize;
            (self.list[i], &self.entries[entries])
        })
    }

    /// The entries that lie in a block of particles.
    pub fn of_block(&self, block: usize) -> impl Iterator<Item = &WideEntry> {
        let range = self.incidence_start[block] as usize..self.incidence_start[block + 1] as usize;
        self.incidence[range].iter().map(|&entry| &self.entries[entry as usize])
    }

    /// Takes the lists that are worth it.
    pub fn pick(lists: &RegionLists, particle_blocks: usize) -> Self {
        let mut wide = Self::default();
        for list in 0..lists.len() {
            let members = lists.members(list);
            if members.len() < LEAST_MEMBERS {
                continue;
            }
            let members = lists.member[members.clone()].iter().zip(&lists.weight[members]);
            let mut members: Vec<_> =
                members.map(|(&slot, &weight)| (slot as usize, weight)).collect();
            members.sort_unstable_by_key(|&(slot, _)| slot);
            let mut entries: Vec<WideEntry> = Vec::new();
            for &(slot, weight) in &members {
                let block = (slot / LANES) as u32;
                if entries.last().is_none_or(|last| last.block != block) {
                    let list = list as u32;
                    let (share, offset) = (F8::ZERO, Vec3x8::ZERO);
                    entries.push(WideEntry { list, block, share, offset });
                }
                if let Some(entry) = entries.last_mut() {
                    entry.share.0[slot % LANES] = weight.x;
                    entry.offset.set_lane(slot % LANES, Vec3::new(weight.y, weight.z, weight.w));
                }
            }
            if members.len() as f32 >= LEAST_SHARE * (entries.len() * LANES) as f32 {
                wide.list.push(list as u32);
                wide.start.push(wide.entries.len() as u32);
                wide.entries.append(&mut entries);
            }
        }
        wide.start.push(wide.entries.len() as u32);
        if !wide.is_empty() {
            wide.connect(particle_blocks);
        }
        wide
    }

    /// Builds the table that leads from particle blocks to entries.
    fn connect(&mut self, particle_blocks: usize) {
        let mut order: Vec<u32> = (0..self.entries.len() as u32).collect();
        order.sort_by_key(|&entry| self.entries[entry as usize].block);
        let first = |block: usize| {
            order.partition_point(|&entry| (self.entries[entry as usize].block as usize) < block)
        };
        self.incidence_start = (0..=particle_blocks).map(|block| first(block) as u32).collect();
        self.incidence = order;
    }
}
