//! Which cells a triangle meets, in time proportional to their number.

use glam::DVec3;

use super::geometry::{Triangle, triangle_meets_cube};
use super::grid::SNAP;

/// The range of coordinate `of` within the slab `low..=high` of coordinate `across`, if any.
pub(super) fn range_in_slab(
    triangle: &Triangle,
    across: usize,
    low: f64,
    high: f64,
    of: usize,
) -> Option<(f64, f64)> {
    let (mut from, mut to) = (f64::INFINITY, f64::NEG_INFINITY);
    let mut take = |value: f64| {
        from = from.min(value);
        to = to.max(value);
    };
    for k in 0..3 {
        let (p, q) = (triangle[k], triangle[(k + 1) % 3]);
        if (low..=high).contains(&p[across]) {
            take(p[of]);
        }
        for limit in [low, high] {
            if (p[across] < limit) != (q[across] < limit) {
                let t = (limit - p[across]) / (q[across] - p[across]);
                take(p[of] + t * (q[of] - p[of]));
            }
        }
    }
    (from <= to).then_some((from, to))
}

/// Cells from `low` to `high`, borders included, cut to the grid.
fn cells_between(low: f64, high: f64, count: usize) -> std::ops::Range<usize> {
    let first = (low - SNAP).floor().max(0.0) as usize;
    let last = (high + SNAP).floor().min(count as f64 - 1.0);
    if last < 0.0 { 0..0 } else { first..last as usize + 1 }
}

/// Calls `visit(cell, strict)` for each cell whose closed cube (grown by [`SNAP`]) the triangle
/// meets; `strict` tells whether it also meets the cube shrunk by [`SNAP`].
pub(super) fn visit_cells(
    triangle: &Triangle,
    counts: [usize; 3],
    mut visit: impl FnMut([usize; 3], bool),
) {
    let [a, b, c] = *triangle;
    let normal = (b - a).cross(c - a);
    let longest =
        (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
    // The normal of a sliver is mostly rounding: such a triangle is bounded by its slabs alone.
    let flat = normal.length() > 1e-7 * longest;
    let size = normal.abs();
    let depth = if size.z >= size.x && size.z >= size.y {
        2
    } else if size.y >= size.x {
        1
    } else {
        0
    };
    let (row, column) = ((depth + 1) % 3, (depth + 2) % 3);
    let (low, high) = (a.min(b).min(c), a.max(b).max(c));
    for j in cells_between(low[row], high[row], counts[row]) {
        let (slab_low, slab_high) = (j as f64 - SNAP, j as f64 + 1.0 + SNAP);
        let slab = |of| range_in_slab(triangle, row, slab_low, slab_high, of);
        let (Some(columns), Some(depths)) = (slab(column), slab(depth)) else {
            continue;
        };
        for i in cells_between(columns.0, columns.1, counts[column]) {
            let mut depths = depths;
            if flat {
                let at = normal.dot(a)
                    - normal[row] * (j as f64 + 0.5)
                    - normal[column] * (i as f64 + 0.5);
                let middle = at / normal[depth];
                let reach = (size[row] + size[column]) / size[depth] * (0.5 + SNAP) + SNAP;
                depths = (depths.0.max(middle - reach), depths.1.min(middle + reach));
            }
            for k in cells_between(depths.0, depths.1, counts[depth]) {
                let mut cell = [0; 3];
                cell[row] = j;
                cell[column] = i;
                cell[depth] = k;
                let centre = DVec3::from_array(cell.map(|x| x as f64 + 0.5));
                if triangle_meets_cube(triangle, centre, 0.5 + SNAP) {
                    visit(cell, triangle_meets_cube(triangle, centre, 0.5 - SNAP));
                }
            }
        }
    }
}
