//! Regions of a regular lattice as a stencil: sums over boxes, one axis at a time.
//!
//! Nodes are stored in bricks of 2×2×2, one node a lane, so that even a body of ten nodes a side has no
//! padding. A region of half-width w is the box of (2w+1)³ nodes round its own; its sums are separable,
//! and cost the same three passes whatever w (fast summation: Rivers and James 2007). Offsets in whole cells
//! are summed in place of rest positions, which keeps single precision exact where a body is large.

use glam::IVec3;
use sinew_math::{F8, LANES, Vec3x8};

/// The lattice part of a shape. Particle block `b` and region block `b` are brick `b`.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Stencil {
    /// Half-width of a region, in cells: 1 to 3.
    pub width: u32,
    /// Length of a cell's side, in m.
    pub spacing: f32,
    /// `κ m̃` of each node; 0 where there is none.
    pub weight: Vec<F8>,
    /// 1 in the lanes whose region is the whole box, 0 in the others.
    pub regular: Vec<F8>,
    /// 1 / Σ weight over the region; 0 where there is no regular region.
    pub inverse_weight: Vec<F8>,
    /// Rest centre of each region relative to its node, in cells.
    pub center: Vec<Vec3x8>,
    /// First brick of each plane of constant z; one entry more than there are planes.
    pub plane_start: Vec<u32>,
    /// Place of each brick in the grid, sorted by z, y, x.
    pub bricks: Vec<IVec3>,
    /// Bricks one step away.
    pub near: Vec<Neighbours>,
    /// Bricks two steps away; empty unless regions reach that far.
    pub far: Vec<Neighbours>,
    /// Largest number of bricks in a plane: the position of the zero brick in plane scratch.
    pub largest_plane: usize,
}

/// Neighbours of a brick, before and after it along each axis.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Neighbours {
    /// Positions in the same plane, or the zero brick at the plane's end.
    pub x: [u32; 2],
    /// As `x`.
    pub y: [u32; 2],
    /// Positions in the planes before and after, or the zero brick.
    pub z: [u32; 2],
    /// The same bricks by their block, or the zero block.
    pub z_absolute: [u32; 2],
}

impl Stencil {
    /// How many bricks away a region reaches.
    pub fn reach(&self) -> usize {
        reach(self.width)
    }

    /// Slots of the nodes in the box round a node, ascending in z, y, x.
    pub fn box_round(&self, slot: u32) -> Vec<usize> {
        let (block, lane) = (slot as usize / LANES, slot as usize % LANES);
        let bits = IVec3::new(lane as i32 & 1, (lane as i32 >> 1) & 1, lane as i32 >> 2);
        let node = self.bricks[block] * 2 + bits;
        let w = self.width as i32;
        let mut slots = Vec::new();
        for z in -w..=w {
            for y in -w..=w {
                for x in -w..=w {
                    let (brick, lane) = brick_and_lane(node + IVec3::new(x, y, z));
                    if let Some(block) = find(&self.bricks, brick)
                        && self.weight[block].0[lane] > 0.0
                    {
                        slots.push(block * LANES + lane);
                    }
                }
            }
        }
        slots
    }

    pub fn planes(&self) -> usize {
        self.plane_start.len() - 1
    }

    pub fn plane(&self, plane: usize) -> core::ops::Range<usize> {
        self.plane_start[plane] as usize..self.plane_start[plane + 1] as usize
    }
}

/// The brick and the lane of a node.
pub(crate) fn brick_and_lane(node: IVec3) -> (IVec3, usize) {
    let brick = IVec3::new(node.x >> 1, node.y >> 1, node.z >> 1);
    (brick, ((node.x & 1) | ((node.y & 1) << 1) | ((node.z & 1) << 2)) as usize)
}

/// Where each brick is: sorted by z, then y, then x.
///
/// Beside the bricks that hold nodes there are *ghosts*: empty bricks through which a sum must pass,
/// since the three passes go along one axis each. They occur at inner corners only.
pub(crate) struct BrickMap {
    pub bricks: Vec<IVec3>,
}

impl BrickMap {
    pub fn new(nodes: impl Iterator<Item = IVec3>, width: u32) -> Self {
        let mut bricks: Vec<IVec3> = nodes.map(|node| brick_and_lane(node).0).collect();
        sort(&mut bricks);
        let mut map = Self { bricks };
        let ghosts = map.ghosts(reach(width) as i32);
        map.bricks.extend(ghosts);
        sort(&mut map.bricks);
        map
    }

    /// Empty bricks where a partial sum is neither zero nor unused.
    fn ghosts(&self, reach: i32) -> Vec<IVec3> {
        let steps = || -reach..=reach;
        let any = |from: IVec3, x: bool, y: bool, z: bool| {
            let along = |on: bool| if on { -reach..=reach } else { 0..=0 };
            along(z).any(|dz| {
                along(y)
                    .any(|dy| along(x).any(|dx| self.find(from + IVec3::new(dx, dy, dz)).is_some()))
            })
        };
        let mut ghosts = Vec::new();
        for &brick in &self.bricks {
            for dz in steps() {
                for dy in steps() {
                    let ghost = brick + IVec3::new(0, dy, dz);
                    if self.find(ghost).is_some() {
                        continue;
                    }
                    let after_x = any(ghost, true, false, false) && any(ghost, false, true, true);
                    let after_y = any(ghost, true, true, false) && any(ghost, false, false, true);
                    if after_x || after_y {
                        ghosts.push(ghost);
                    }
                }
            }
        }
        ghosts
    }

    pub fn find(&self, brick: IVec3) -> Option<usize> {
        find(&self.bricks, brick)
    }

    /// Fills in planes and neighbours; `zero_block` is the index of the block that is always zero.
    pub fn connect(&self, stencil: &mut Stencil, zero_block: usize) {
        let first = self.bricks.first().map_or(0, |b| b.z);
        let last = self.bricks.last().map_or(-1, |b| b.z);
        stencil.plane_start =
            (first..=last + 1).map(|z| self.bricks.partition_point(|b| b.z < z) as u32).collect();
        stencil.largest_plane =
            (0..stencil.planes()).map(|p| stencil.plane(p).len()).max().unwrap_or(0);
        let zero = stencil.largest_plane as u32;
        let local = |brick: IVec3| {
            self.find(brick).map_or(zero, |index| {
                index as u32 - stencil.plane_start[(brick.z - first) as usize]
            })
        };
        let absolute =
            |brick: IVec3| self.find(brick).map_or(zero_block as u32, |index| index as u32);
        let (x, y, z) = (IVec3::X, IVec3::Y, IVec3::Z);
        let neighbours = |step: i32| -> Vec<Neighbours> {
            self.bricks
                .iter()
                .map(|&b| Neighbours {
                    x: [b - x * step, b + x * step].map(local),
                    y: [b - y * step, b + y * step].map(local),
                    z: [b - z * step, b + z * step].map(local),
                    z_absolute: [b - z * step, b + z * step].map(absolute),
                })
                .collect()
        };
        stencil.bricks = self.bricks.clone();
        stencil.near = neighbours(1);
        stencil.far = if stencil.reach() > 1 { neighbours(2) } else { Vec::new() };
    }
}

fn find(bricks: &[IVec3], brick: IVec3) -> Option<usize> {
    let key = (brick.z, brick.y, brick.x);
    bricks.binary_search_by_key(&key, |b| (b.z, b.y, b.x)).ok()
}

fn sort(bricks: &mut Vec<IVec3>) {
    bricks.sort_unstable_by_key(|b| (b.z, b.y, b.x));
    bricks.dedup();
}

/// How many bricks of two nodes a half-width of `width` cells reaches.
fn reach(width: u32) -> usize {
    if width > 2 { 2 } else { 1 }
}
