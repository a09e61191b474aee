//! Joining of vertices that lie at the same place.

use std::collections::HashMap;

use glam::{DVec3, Vec3};

use super::{NO_VERTEX, bounds_of};

/// Vertices closer than this share of the mesh's diagonal are one vertex.
///
/// A few steps of an f32 coordinate that is as large as the mesh: enough for a seam that an exporter rounded twice, too
/// little to join parts that are apart on purpose.
pub const WELD_TOLERANCE: f64 = 1e-6;

/// Width of a grid cell in tolerances. Wide cells mean that a vertex has seldom to look beyond its own cell.
const CELL_WIDTH: f64 = 16.0;

/// Which vertices are one.
pub(crate) struct Weld {
    /// Positions after welding: those of the first vertex of each group, in input order.
    pub positions: Vec<Vec3>,
    /// Input vertex to welded vertex.
    pub vertex_of: Vec<u32>,
}

/// Joins each vertex to the first one within [`WELD_TOLERANCE`] of the diagonal of the `used` vertices.
///
/// Distances are to the first vertex of a group, so a row of close vertices does not collapse into one. The outcome
/// depends on the order of the vertices and on nothing else. Positions must be finite.
pub(crate) fn weld(positions: &[Vec3], used: &[bool]) -> Weld {
    let used_points = positions.iter().zip(used).filter(|(_, used)| **used).map(|(p, _)| *p);
    let (low, high) = bounds_of(used_points).unwrap_or_default();
    let tolerance = (high.as_dvec3() - low.as_dvec3()).length() * WELD_TOLERANCE;
    // A mesh that is a single point still needs cells of some width.
    let cell_width = if tolerance > 0.0 { tolerance * CELL_WIDTH } else { 1.0 };
    let cell_of = |p: DVec3| {
        let cell = ((p - low.as_dvec3()) / cell_width).floor();
        // The cast saturates: vertices that no element uses may lie very far away.
        [cell.x as i64, cell.y as i64, cell.z as i64]
    };

    // First group of each grid cell; `next_in_cell` chains the others. The map is only indexed, never walked.
    let mut first_in_cell: HashMap<[i64; 3], u32> = HashMap::with_capacity(positions.len());
    let mut next_in_cell: Vec<u32> = Vec::new();
    let mut welded: Vec<Vec3> = Vec::with_capacity(positions.len());
    let mut vertex_of = Vec::with_capacity(positions.len());
    for &position in positions {
        let p = position.as_dvec3();
        let (from, to) = (cell_of(p - tolerance), cell_of(p + tolerance));
        let mut found = NO_VERTEX;
        for x in from[0]..=to[0] {
            for y in from[1]..=to[1] {
                for z in from[2]..=to[2] {
                    let mut group = first_in_cell.get(&[x, y, z]).copied().unwrap_or(NO_VERTEX);
                    while group != NO_VERTEX {
                        if (welded[group as usize].as_dvec3() - p).length() <= tolerance {
                            found = found.min(group);
                        }
                        group = next_in_cell[group as usize];
                    }
                }
            }
        }
        if found == NO_VERTEX {
            found = welded.len() as u32;
            welded.push(position);
            let previous = first_in_cell.insert(cell_of(p), found);
            next_in_cell.push(previous.unwrap_or(NO_VERTEX));
        }
        vertex_of.push(found);
    }
    Weld { positions: welded, vertex_of }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn weld_all(positions: &[Vec3]) -> Weld {
        weld(positions, &vec![true; positions.len()])
    }

    #[test]
    fn same_groups_as_looking_at_every_pair() {
        // Pseudo-random points on a coarse lattice, jittered by less and by more than the tolerance.
        let mut state = 1u32;
        let mut next = || {
            state = state.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            (state >> 8) as f32 / (1u32 << 24) as f32
        };
        let mut points = vec![Vec3::splat(-10.0), Vec3::splat(10.0)];
        for _ in 0..600 {
            // Sites at uneven distances, so that many groups straddle cells of the grid.
            let site = Vec3::new(next() * 40.0, next() * 2.0, next() * 2.0).floor();
            let base = site * Vec3::new(0.1237, 0.7771, 0.3319);
            points.push(base + Vec3::new(next(), next(), next()) * 6e-5);
        }
        let tolerance = 20.0 * 3f64.sqrt() * WELD_TOLERANCE;
        let mut leaders: Vec<Vec3> = Vec::new();
        let expected: Vec<u32> = points
            .iter()
            .map(|p| {
                let close = |q: &Vec3| (q.as_dvec3() - p.as_dvec3()).length() <= tolerance;
                leaders.iter().position(close).unwrap_or_else(|| {
                    leaders.push(*p);
                    leaders.len() - 1
                }) as u32
            })
            .collect();
        let welded = weld_all(&points);
        assert_eq!(welded.vertex_of, expected);
        assert_eq!(welded.positions, leaders);
        assert!(
            leaders.len() > 162 && leaders.len() < 500,
            "the case must have both joined and separate points"
        );
    }

    #[test]
    fn equal_points_join_even_when_all_are_one_point() {
        let welded = weld_all(&[Vec3::ONE, Vec3::ONE, Vec3::ONE]);
        assert_eq!(welded.vertex_of, [0, 0, 0]);
    }

    #[test]
    fn zero_and_minus_zero_are_one_place() {
        let welded = weld_all(&[Vec3::ZERO, Vec3::new(-0.0, 0.0, -0.0), Vec3::X]);
        assert_eq!(welded.vertex_of, [0, 0, 1]);
    }

    #[test]
    fn unused_far_vertex_does_not_widen_the_tolerance() {
        let points = [Vec3::ZERO, Vec3::X * 1e-3, Vec3::X, Vec3::X * 1e30];
        let welded = weld(&points, &[true, true, true, false]);
        assert_eq!(welded.vertex_of, [0, 1, 2, 3]);
    }
}
