//! Which points of the half-spacing sample lattice lie inside of the surface.
//!
//! Signed crossings are counted along the grid's lines in x, y and z, from both ends of each line:
//! six votes a sample. A hole in the surface spoils only the votes of lines that pass through it.

use glam::DVec3;

use super::geometry::Triangle;
use super::grid::{Grid, SNAP};
use super::overlap::range_in_slab;

/// Votes of six that make a sample an inside one.
const MAJORITY: u8 = 4;

/// Lines run beside the samples by up to these distances, so that they miss vertices, edges and
/// walls that lie on the grid; unequal, so that they miss diagonals too.
const OFFSETS: [f64; 3] = [7.193e-4, 6.117e-4, 5.231e-4];

/// For each sample (cell corners, edge middles, face centres, cell centres) whether it is inside.
pub(super) struct Inside {
    /// Samples along each axis: two a cell and one more.
    counts: [usize; 3],
    votes: Vec<u8>,
}

impl Inside {
    pub(super) fn new(grid: &Grid, points: &[DVec3], triangles: &[[u32; 3]]) -> Self {
        let counts = grid.cells.map(|n| 2 * n + 1);
        let mut inside = Self { counts, votes: vec![0; counts.iter().product()] };
        let mut steps: Vec<i16> = Vec::new();
        for axis in 0..3 {
            inside.vote(axis, points, triangles, &mut steps);
        }
        inside
    }

    /// Whether the sample at `2 * position` (in cell units) is inside.
    pub(super) fn at(&self, [x, y, z]: [usize; 3]) -> bool {
        self.votes[x + self.counts[0] * (y + self.counts[1] * z)] >= MAJORITY
    }

    /// Position of the lines beside sample `j` of an axis: a little nearer to the grid's middle.
    fn beside(&self, axis: usize, j: usize) -> f64 {
        let towards_middle = 1.0 - 2.0 * j as f64 / (self.counts[axis] - 1) as f64;
        j as f64 / 2.0 + OFFSETS[axis] * (towards_middle + 0.1127)
    }

    fn vote(
        &mut self,
        axis: usize,
        points: &[DVec3],
        triangles: &[[u32; 3]],
        steps: &mut Vec<i16>,
    ) {
        let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
        let [along, columns, rows] = [self.counts[axis], self.counts[a], self.counts[b]];
        let length = along + 1;
        steps.clear();
        steps.resize(length * columns * rows, 0);
        for corners in triangles {
            let triangle = corners.map(|v| points[v as usize]);
            let wedge = Wedge::new(corners, &triangle, a, b);
            if wedge.area == 0.0 {
                continue;
            }
            let (low, high) = span(&triangle, b);
            for row in samples_between(low, high, rows) {
                let at_b = self.beside(b, row);
                let Some((from, to)) = range_in_slab(&triangle, b, at_b, at_b, a) else {
                    continue;
                };
                for column in samples_between(from, to, columns) {
                    let at_a = self.beside(a, column);
                    let Some(height) = wedge.height(at_a, at_b, &triangle, axis) else {
                        continue;
                    };
                    // Walls on a sample count as just outside of it, so that it is inside.
                    let (step, first) = if wedge.area < 0.0 {
                        (1, (2.0 * (height - SNAP)).ceil())
                    } else {
                        (-1, (2.0 * (height + SNAP)).floor() + 1.0)
                    };
                    let first = first.clamp(0.0, along as f64) as usize;
                    let line = (column + columns * row) * length;
                    steps[line + first] = steps[line + first].saturating_add(step);
                }
            }
        }
        let mut stride = [1, self.counts[0], self.counts[0] * self.counts[1]];
        stride.rotate_left(axis);
        for row in 0..rows {
            for column in 0..columns {
                let line = &steps[(column + columns * row) * length..][..length];
                if line.iter().all(|&step| step == 0) {
                    continue;
                }
                let total: i32 = line.iter().map(|&s| i32::from(s)).sum();
                let mut passed = 0;
                let base = column * stride[1] + row * stride[2];
                for (i, &step) in line[..along].iter().enumerate() {
                    passed += i32::from(step);
                    let votes = u8::from(passed > 0) + u8::from(passed - total > 0);
                    self.votes[base + i * stride[0]] += votes;
                }
            }
        }
    }
}

fn span(triangle: &Triangle, axis: usize) -> (f64, f64) {
    let [p, q, r] = triangle.map(|v| v[axis]);
    (p.min(q).min(r), p.max(q).max(r))
}

/// Samples whose lines may lie in `low..=high`.
fn samples_between(low: f64, high: f64, count: usize) -> std::ops::Range<usize> {
    let first = (2.0 * low - 0.01).floor().max(0.0) as usize;
    let last = (2.0 * high + 0.01).ceil();
    if last < 0.0 { 0..0 } else { first..(last as usize + 1).min(count) }
}

/// A triangle seen along an axis.
struct Wedge {
    /// Twice the signed area of the projection; negative where the outside faces down the axis.
    area: f64,
    /// Corner pairs ordered by vertex index, so that both triangles of an edge compute equal
    /// values and a line between them meets exactly one.
    sides: [([f64; 2], [f64; 2], bool); 3],
}

impl Wedge {
    fn new(corners: &[u32; 3], triangle: &Triangle, a: usize, b: usize) -> Self {
        let flat = triangle.map(|p| [p[a], p[b]]);
        let sides = [1, 2, 0].map(|k| {
            let next = (k + 1) % 3;
            if corners[k] < corners[next] {
                (flat[k], flat[next], false)
            } else {
                (flat[next], flat[k], true)
            }
        });
        let [p, q, r] = flat;
        let area = (q[0] - p[0]) * (r[1] - p[1]) - (q[1] - p[1]) * (r[0] - p[0]);
        Self { area, sides }
    }

    /// Where a line along the axis meets the triangle, if it does.
    fn height(&self, at_a: f64, at_b: f64, triangle: &Triangle, axis: usize) -> Option<f64> {
        let mut weights = [0.0; 3];
        for (weight, &(p, q, swapped)) in weights.iter_mut().zip(&self.sides) {
            let value = (q[0] - p[0]) * (at_b - p[1]) - (q[1] - p[1]) * (at_a - p[0]);
            // A line through the edge itself lies on the side that the sorted pair calls left.
            let left = (value >= 0.0) != swapped;
            if left != (self.area > 0.0) {
                return None;
            }
            *weight = value.abs();
        }
        let total: f64 = weights.iter().sum();
        if total == 0.0 {
            return None;
        }
        Some((0..3).map(|k| weights[k] * triangle[k][axis]).sum::<f64>() / total)
    }
}
