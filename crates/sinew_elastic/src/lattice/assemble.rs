//! Numbers the particles and hangs masses and surface vertices on them.

use glam::{DVec3, IVec3};

use super::grid::Grid;
use super::join::Joined;
use super::nodes::CORNERS;
use super::pieces::Pieces;
use super::surface::Surface;
use super::voxels::{EMPTY, Voxels};
use super::{LatticeEmbedding, LatticeNodes, LatticeReport};

/// Least fill of a cell copy: a copy that is only touched still needs some mass to be stable.
const LEAST_FILL: f64 = 1.0 / 8.0;

/// How many cells outside of its cell a stray vertex may be placed.
const STRAY: f64 = 4.0;

/// The copies with their particles, before links, masses and vertices.
pub(super) struct Numbered {
    /// Particles of each copy that is kept.
    copies: Vec<[u32; 8]>,
    /// New number of each copy, or [`EMPTY`]; copies with the same corners have the same number.
    kept: Vec<u32>,
    coords: Vec<IVec3>,
}

impl Numbered {
    pub(super) fn new(voxels: &Voxels, pieces: &Pieces, mut joined: Joined) -> Self {
        // Sets of copies without any triangle are specks that the inside test made up.
        let mut holds_surface = vec![false; pieces.copies()];
        for slot in 0..voxels.cells.len() {
            if !voxels.triangles_in(slot).is_empty() {
                for copy in pieces.copies_in(slot) {
                    holds_surface[joined.copies.find(copy) as usize] = true;
                }
            }
        }
        let mut kept = vec![EMPTY; pieces.copies()];
        let mut copies = Vec::with_capacity(pieces.copies());
        // (sort key of the grid position, first corner of the set): layers follow copy order.
        let mut nodes: Vec<([i32; 3], u32)> = Vec::new();
        for (slot, &cell) in voxels.cells.iter().enumerate() {
            let base = IVec3::from_array(voxels.grid.coords(cell as usize).map(|c| c as i32));
            let first_here = copies.len();
            for copy in pieces.copies_in(slot) {
                if !holds_surface[joined.copies.find(copy) as usize] {
                    continue;
                }
                let mut corners = [0; 8];
                for (k, by) in CORNERS.into_iter().enumerate() {
                    let own = 8 * copy + k as u32;
                    corners[k] = joined.corners.find(own);
                    if corners[k] == own {
                        let at = base + by;
                        nodes.push(([at.z, at.y, at.x], own));
                    }
                }
                let same = copies[first_here..].iter().position(|other| *other == corners);
                let at = same.map_or(copies.len(), |offset| first_here + offset);
                kept[copy as usize] = at as u32;
                if same.is_none() {
                    copies.push(corners);
                }
            }
        }
        nodes.sort_unstable();
        let mut particle_of = vec![0; 8 * pieces.copies()];
        for (particle, &(_, corner)) in nodes.iter().enumerate() {
            particle_of[corner as usize] = particle as u32;
        }
        for corner in copies.iter_mut().flatten() {
            *corner = particle_of[*corner as usize];
        }
        let coords = nodes.iter().map(|&([z, y, x], _)| IVec3::new(x, y, z)).collect();
        Self { copies, kept, coords }
    }

    pub(super) fn particles(&self) -> usize {
        self.coords.len()
    }

    pub(super) fn finish(
        self,
        surface: &Surface,
        voxels: &Voxels,
        pieces: &Pieces,
        width: u32,
    ) -> LatticeNodes {
        let grid = &voxels.grid;
        let (origin, spacing) = (grid.origin.as_vec3(), grid.spacing);
        let positions = self.coords.iter().map(|c| origin + spacing * c.as_vec3()).collect();
        let mass_shares = self.mass_shares(surface, voxels, pieces);
        let embedding = self.embed(surface, voxels, pieces);
        let links = LatticeNodes::links_of(&self.copies, self.particles());
        let cells = (0..voxels.cells.len())
            .filter(|&slot| pieces.copies_in(slot).any(|c| self.kept[c as usize] != EMPTY))
            .count();
        let report = LatticeReport {
            spacing,
            grid: grid.cells.map(|n| n as u32),
            cells,
            welded_vertices: surface.welded_vertices,
            dropped_triangles: surface.dropped_triangles,
            turned_triangles: surface.turned_triangles,
            border_edges: surface.border_edges,
            non_manifold_edges: surface.non_manifold_edges,
            unused_vertices: surface.unused_vertices,
            ..Default::default()
        };
        let mut lattice = LatticeNodes {
            spacing,
            origin,
            width,
            coords: self.coords,
            positions,
            mass_shares,
            links,
            copies: self.copies,
            embedding,
            report,
        };
        lattice.finish_report();
        lattice
    }

    /// Each copy's filled volume (trapezoid rule over its 27 samples), an eighth to each corner.
    fn mass_shares(&self, surface: &Surface, voxels: &Voxels, pieces: &Pieces) -> Vec<f32> {
        let mut shares = vec![0.0_f64; self.particles()];
        let mut fills = vec![0.0_f64; self.copies.len()];
        for (slot, &cell) in voxels.cells.iter().enumerate() {
            let base = voxels.grid.coords(cell as usize);
            for k in 0..27 {
                let by = [k % 3, k / 3 % 3, k / 9];
                let sample = [0, 1, 2].map(|axis| 2 * base[axis] + by[axis]);
                if voxels.inside.at(sample) {
                    let point = DVec3::from_array(sample.map(|s| s as f64 / 2.0));
                    let copy = pieces.nearest_copy(surface, voxels, slot, point);
                    let weight: f64 = by.iter().map(|&b| if b == 1 { 0.5 } else { 0.25 }).product();
                    let kept = self.kept[copy as usize];
                    if kept != EMPTY {
                        fills[kept as usize] += weight;
                    }
                }
            }
        }
        for (corners, fill) in self.copies.iter().zip(&fills) {
            for &corner in corners {
                shares[corner as usize] += fill.max(LEAST_FILL) / 8.0;
            }
        }
        shares.into_iter().map(|s| s as f32).collect()
    }

    fn embed(&self, surface: &Surface, voxels: &Voxels, pieces: &Pieces) -> LatticeEmbedding {
        // Of the cells that hold a triangle of the vertex, the nearest; the lowest of equals.
        let mut best: Vec<(f64, u32, u32)> =
            vec![(f64::INFINITY, u32::MAX, EMPTY); surface.positions.len()];
        for (slot, &cell) in voxels.cells.iter().enumerate() {
            let centre = voxels.grid.centre(cell as usize);
            let triangles = voxels.triangles_in(slot).iter();
            for (&t, &copy) in triangles.zip(pieces.copy_of_triangles(slot)) {
                for v in surface.triangles[t as usize] {
                    let v = v as usize;
                    let away = (voxels.points[v] - centre).abs().max_element() - 0.5;
                    // Rounding of a vertex on a border must not choose between its cells.
                    let away = if away < 1e-6 { 0.0 } else { away };
                    if (away, cell, copy) < best[v] {
                        best[v] = (away, cell, copy);
                    }
                }
            }
        }
        let mut nearest: Option<NearestCells> = None;
        let mut embedding = LatticeEmbedding::default();
        for (i, &v) in surface.vertex_of_input.iter().enumerate() {
            let (_, mut cell, mut copy) = best[v as usize];
            // The input's own position: welding moves no vertex of the rest shape.
            let mut local = surface.local_input(&voxels.grid, i);
            if copy == EMPTY {
                let nearest = nearest.get_or_insert_with(|| self.nearest_cells(voxels, pieces));
                (cell, copy) = nearest.of(&voxels.grid, local);
                let centre = voxels.grid.centre(cell as usize);
                local = local.clamp(centre - STRAY, centre + STRAY);
            }
            let kept = self.kept[copy as usize] as usize;
            embedding.particles.push(self.copies[kept]);
            let within = local - voxels.grid.centre(cell as usize) + 0.5;
            embedding.weights.push(trilinear(within));
        }
        embedding
    }

    fn nearest_cells(&self, voxels: &Voxels, pieces: &Pieces) -> NearestCells {
        let seeds = (0..voxels.cells.len()).filter_map(|slot| {
            let copy = pieces.copies_in(slot).find(|&c| self.kept[c as usize] != EMPTY)?;
            Some((voxels.cells[slot], copy))
        });
        NearestCells::flood(&voxels.grid, seeds)
    }
}

fn trilinear(within: DVec3) -> [f32; 8] {
    CORNERS.map(|by| {
        let [x, y, z] =
            [0, 1, 2].map(|axis| if by[axis] == 1 { within[axis] } else { 1.0 - within[axis] });
        (x * y * z) as f32
    })
}

/// For every cell of the grid a filled cell near it, found by flooding outwards.
struct NearestCells {
    /// Filled cell and its copy.
    nearest: Vec<(u32, u32)>,
}

impl NearestCells {
    fn flood(grid: &Grid, seeds: impl Iterator<Item = (u32, u32)>) -> Self {
        let mut nearest = vec![(EMPTY, EMPTY); grid.len()];
        let mut queue = Vec::new();
        for (cell, copy) in seeds {
            nearest[cell as usize] = (cell, copy);
            queue.push(cell);
        }
        let mut at = 0;
        while let Some(&cell) = queue.get(at) {
            at += 1;
            for axis in 0..3 {
                for side in [-1, 1] {
                    let mut by = [0; 3];
                    by[axis] = side;
                    if let Some(next) = grid.offset(cell as usize, by)
                        && nearest[next].0 == EMPTY
                    {
                        nearest[next] = nearest[cell as usize];
                        queue.push(next as u32);
                    }
                }
            }
        }
        Self { nearest }
    }

    fn of(&self, grid: &Grid, local: DVec3) -> (u32, u32) {
        let most = DVec3::from_array(grid.cells.map(|n| n as f64 - 1.0));
        let cell = local.floor().clamp(DVec3::ZERO, most);
        self.nearest[grid.index(cell.to_array().map(|c| c as usize))]
    }
}
