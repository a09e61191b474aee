//! Filled cells and the triangles in each.

use glam::DVec3;

use super::geometry::{Triangle, nearest_on_triangle, triangle_meets_cube};
use super::grid::{Grid, SNAP};
use super::inside::Inside;
use super::overlap::visit_cells;
use super::surface::Surface;

/// Marks a grid cell that is not filled.
pub(super) const EMPTY: u32 = u32::MAX;

/// The cells that a surface fills: those that a triangle meets and those whose centre is inside.
pub(super) struct Voxels {
    pub(super) grid: Grid,
    /// Surface vertices, in cell units.
    pub(super) points: Vec<DVec3>,
    pub(super) inside: Inside,
    /// Filled grid cells, ascending.
    pub(super) cells: Vec<u32>,
    /// Place in `cells` of each grid cell, or [`EMPTY`].
    pub(super) slots: Vec<u32>,
    /// Triangles of filled cell `i`: `triangles[starts[i]..starts[i + 1]]`, ascending.
    starts: Vec<u32>,
    triangles: Vec<u32>,
    /// Bit `axis` of a grid cell: a wall covers the middle of its upper face along that axis.
    walls: Vec<u8>,
}

impl Voxels {
    pub(super) fn new(surface: &Surface, grid: Grid) -> Self {
        let points: Vec<DVec3> = surface.positions.iter().map(|&p| grid.local(p)).collect();
        let corners = |t: u32| surface.triangles[t as usize].map(|v| points[v as usize]);
        let inside = Inside::new(&grid, &points, &surface.triangles);

        let mut filled = vec![false; grid.len()];
        for (cell, filled) in filled.iter_mut().enumerate() {
            *filled = inside.at(grid.coords(cell).map(|c| 2 * c + 1));
        }
        // Cells that a triangle enters are filled; those it only touches wait for the next pass.
        let mut entries: Vec<(u32, u32)> = Vec::new();
        let mut touches: Vec<(u32, u32)> = Vec::new();
        for t in 0..surface.triangles.len() as u32 {
            let (had, first) = (entries.len(), touches.len());
            let triangle = corners(t);
            visit_cells(&triangle, grid.cells, |cell, strict| {
                let entry = (t, grid.index(cell) as u32);
                if strict { entries.push(entry) } else { touches.push(entry) }
            });
            for &(_, cell) in &entries[had..] {
                filled[cell as usize] = true;
            }
            if entries.len() > had && Flat::of(&triangle).is_empty() {
                touches.truncate(first);
            }
        }
        let mut walls = vec![0; grid.len()];
        let mut extra = Vec::new();
        for group in touches.chunk_by(|a, b| a.0 == b.0) {
            let triangle = corners(group[0].0);
            let flat = Flat::of(&triangle);
            let normal = surface.face_normals[group[0].0 as usize];
            let known = extra.len();
            for &(t, cell) in group {
                if flat.enters(&triangle, grid.centre(cell as usize)) {
                    flat.mark_walls(&grid, cell as usize, &triangle, &mut walls);
                    extra.push((t, flat.side_for(&grid, cell as usize, normal, &filled) as u32));
                }
            }
            if extra.len() == known {
                // A speck at the edge of its cells: it goes to one of them.
                extra.extend(group.iter().min_by_key(|e| (!filled[e.1 as usize], e.1)));
            }
        }
        for &(_, cell) in &extra {
            filled[cell as usize] = true;
        }
        entries.append(&mut extra);

        let (mut cells, mut slots) = (Vec::new(), vec![EMPTY; grid.len()]);
        for cell in (0..grid.len()).filter(|&c| filled[c]) {
            slots[cell] = cells.len() as u32;
            cells.push(cell as u32);
        }
        let mut by_cell: Vec<(u32, u32)> =
            entries.into_iter().map(|(t, cell)| (slots[cell as usize], t)).collect();
        by_cell.sort_unstable();
        by_cell.dedup();
        let mut starts = vec![0; cells.len() + 1];
        for &(slot, _) in &by_cell {
            starts[slot as usize + 1] += 1;
        }
        for i in 0..cells.len() {
            starts[i + 1] += starts[i];
        }
        let triangles = by_cell.into_iter().map(|(_, t)| t).collect();
        Self { grid, points, inside, cells, slots, starts, triangles, walls }
    }

    /// Triangles of a filled cell, by its place in `cells`.
    pub(super) fn triangles_in(&self, slot: usize) -> &[u32] {
        &self.triangles[self.starts[slot] as usize..self.starts[slot + 1] as usize]
    }

    /// Whether a wall in the grid plane closes the upper face of a grid cell.
    pub(super) fn wall_above(&self, cell: usize, axis: usize) -> bool {
        self.walls[cell] & (1 << axis) != 0
    }
}

/// The grid planes that a triangle lies in, by axis: such a triangle enters no cell.
struct Flat([Option<i64>; 3]);

impl Flat {
    fn of(triangle: &Triangle) -> Self {
        Self([0, 1, 2].map(|axis| {
            let plane = triangle[0][axis].round();
            triangle.iter().all(|p| (p[axis] - plane).abs() <= SNAP).then_some(plane as i64)
        }))
    }

    fn is_empty(&self) -> bool {
        self.0.iter().all(Option::is_none)
    }

    /// Whether the triangle, moved out of its planes, enters a cell and not only touches it.
    fn enters(&self, triangle: &Triangle, centre: DVec3) -> bool {
        let moved = triangle.map(|mut p| {
            for axis in (0..3).filter(|&axis| self.0[axis].is_some()) {
                p[axis] = centre[axis];
            }
            p
        });
        !self.is_empty() && triangle_meets_cube(&moved, centre, 0.5 - SNAP)
    }

    /// Of the cells on all sides of the planes here, the one to hold the triangle: a filled one
    /// behind it if possible.
    fn side_for(&self, grid: &Grid, cell: usize, normal: DVec3, filled: &[bool]) -> usize {
        let base = grid.coords(cell);
        let mut best: Option<(bool, f64, usize)> = None;
        for choice in 0..8_usize {
            let (mut at, mut behind, mut valid) = (base, 0.0, true);
            for axis in 0..3 {
                let upper = choice >> axis & 1;
                match self.0[axis] {
                    None => valid &= upper == 0,
                    Some(plane) => {
                        let side = plane - 1 + upper as i64;
                        valid &= (0..grid.cells[axis] as i64).contains(&side);
                        at[axis] = side.max(0) as usize;
                        behind -= normal[axis] * if upper == 1 { 1.0 } else { -1.0 };
                    }
                }
            }
            if !valid {
                continue;
            }
            let index = grid.index(at);
            let is_filled = filled[index];
            // Between empty cells the lowest one is taken, whichever way the triangle faces.
            let rank = if is_filled { behind } else { 0.0 };
            let better = best.is_none_or(|(f, r, _)| (is_filled, rank) > (f, r));
            if better {
                best = Some((is_filled, rank, index));
            }
        }
        best.map_or(cell, |(_, _, index)| index)
    }

    /// Notes the faces whose middle the triangle covers.
    fn mark_walls(&self, grid: &Grid, cell: usize, triangle: &Triangle, walls: &mut [u8]) {
        for axis in 0..3 {
            let Some(plane) = self.0[axis] else { continue };
            let mut low = grid.coords(cell);
            if plane < 1 || plane as usize >= grid.cells[axis] {
                continue;
            }
            low[axis] = plane as usize - 1;
            let index = grid.index(low);
            let mut middle = grid.centre(index);
            middle[axis] = plane as f64;
            let nearest = nearest_on_triangle(middle, triangle);
            if nearest.distance(middle) <= 2.0 * SNAP {
                walls[index] |= 1 << axis;
            }
        }
    }
}
