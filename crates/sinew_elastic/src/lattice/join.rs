//! Joins the copies of neighbouring cells that hold the same part of the body.

use super::grid::Grid;
use super::pieces::{Key, Pieces};
use super::sets::DisjointSets;
use super::surface::Surface;
use super::voxels::{EMPTY, Voxels};

/// Which corners of which copies are one particle.
pub(super) struct Joined {
    /// Sets of `8 * copy + corner`; bit 0, 1, 2 of a corner is its side along x, y, z.
    pub(super) corners: DisjointSets,
    /// Sets of copies.
    pub(super) copies: DisjointSets,
}

impl Joined {
    pub(super) fn new(surface: &Surface, voxels: &Voxels, pieces: &Pieces) -> Self {
        let count = pieces.copies();
        let mut joined =
            Self { corners: DisjointSets::new(8 * count), copies: DisjointSets::new(count) };
        for (slot, &cell) in voxels.cells.iter().enumerate() {
            for by in FORWARD {
                let Some(other) = neighbour(&voxels.grid, voxels, cell, by) else {
                    continue;
                };
                joined.join_shared(pieces.keys_in(slot), pieces.keys_in(other), by);
                if let Some(axis) = face_axis(by)
                    && !voxels.wall_above(cell as usize, axis)
                    && body_crosses_face(voxels, slot, other, axis)
                {
                    let mut point = voxels.grid.centre(cell as usize);
                    point[axis] += 0.5;
                    let near = |slot| pieces.nearest_copy(surface, voxels, slot, point);
                    joined.join(near(slot), near(other), by);
                }
            }
        }
        joined
    }

    /// Joins the copies that have a key in common.
    fn join_shared(&mut self, first: &[(Key, u32)], second: &[(Key, u32)], by: [i32; 3]) {
        let (mut i, mut j) = (0, 0);
        let mut last = None;
        while i < first.len() && j < second.len() {
            match first[i].0.cmp(&second[j].0) {
                std::cmp::Ordering::Less => i += 1,
                std::cmp::Ordering::Greater => j += 1,
                std::cmp::Ordering::Equal => {
                    // A key has one copy in a cell: those that share it are connected there.
                    let pair = (first[i].1, second[j].1);
                    if last != Some(pair) {
                        self.join(pair.0, pair.1, by);
                        last = Some(pair);
                    }
                    i += 1;
                    j += 1;
                }
            }
        }
    }

    /// Makes the corners that two copies of neighbouring cells have in common the same.
    fn join(&mut self, a: u32, b: u32, by: [i32; 3]) {
        self.copies.join(a, b);
        for corner in 0..8 {
            let at = [0, 1, 2].map(|axis| (corner >> axis & 1) - by[axis]);
            if at.iter().all(|side| (0..2).contains(side)) {
                let same = at[0] | at[1] << 1 | at[2] << 2;
                self.corners.join(8 * a + corner as u32, 8 * b + same as u32);
            }
        }
    }
}

/// One of each pair of opposite neighbours.
const FORWARD: [[i32; 3]; 13] = [
    [1, 0, 0],
    [0, 1, 0],
    [0, 0, 1],
    [1, 1, 0],
    [1, -1, 0],
    [1, 0, 1],
    [1, 0, -1],
    [0, 1, 1],
    [0, 1, -1],
    [1, 1, 1],
    [1, 1, -1],
    [1, -1, 1],
    [1, -1, -1],
];

fn face_axis(by: [i32; 3]) -> Option<usize> {
    match by {
        [1, 0, 0] => Some(0),
        [0, 1, 0] => Some(1),
        [0, 0, 1] => Some(2),
        _ => None,
    }
}

fn neighbour(grid: &Grid, voxels: &Voxels, cell: u32, by: [i32; 3]) -> Option<usize> {
    let other = voxels.slots[grid.offset(cell as usize, by)?];
    (other != EMPTY).then_some(other as usize)
}

/// Whether the body fills the middle of the face above a cell. Cells without triangles lie inside
/// with all their faces.
fn body_crosses_face(voxels: &Voxels, slot: usize, other: usize, axis: usize) -> bool {
    if voxels.triangles_in(slot).is_empty() || voxels.triangles_in(other).is_empty() {
        return true;
    }
    let mut sample = voxels.grid.coords(voxels.cells[slot] as usize).map(|c| 2 * c + 1);
    sample[axis] += 1;
    voxels.inside.at(sample)
}
