//! Regions as lists of particles: their fits, their goals, and what these say to each particle.

use core::ops::Range;

use glam::{Vec3, Vec4};
use sinew_math::lane::{Lane, M3, V3};
use sinew_math::{LANES, Quad, Vec3x8};

use crate::shape::ElasticShape;

use super::scratch::{Affine8, ListGoal};

/// Moments and centres of the list regions of a block. Lanes without a list keep what the lattice gave
/// them, if there is one; else they are zero.
#[inline(always)]
pub(super) fn fit_lists<L: Lane>(
    t: L::Token,
    shape: &ElasticShape,
    quads: &[Quad],
    block: usize,
    on_lattice: bool,
    fit: &mut Affine8,
) {
    let lists = &shape.lists;
    let entries = lists.entry_start[block] as usize..lists.entry_start[block + 1] as usize;
    if !on_lattice {
        *fit = Affine8::ZERO;
    }
    if lists.block_start[block] == lists.block_start[block + 1] {
        return;
    }
    // Relative to a particle of the region, so that single precision keeps its digits.
    let reference = L::gather(t, quads, &lists.references[block]);
    let zero = V3::splat(t, Vec3::ZERO);
    let (mut sum, mut x, mut y, mut z) = (zero, zero, zero, zero);
    for entry in &lists.entries[entries] {
        let d = L::gather(t, quads, &entry.slots) - reference;
        sum += d * L::load(t, &entry.share);
        x += d * L::load(t, &entry.offset.x);
        y += d * L::load(t, &entry.offset.y);
        z += d * L::load(t, &entry.offset.z);
    }
    let mask = L::load(t, &lists.lanes[block]);
    replace(mask, x, &mut fit.matrix.cols[0]);
    replace(mask, y, &mut fit.matrix.cols[1]);
    replace(mask, z, &mut fit.matrix.cols[2]);
    replace(mask, reference + sum, &mut fit.translation);
}

/// Stores `new` in the lanes of `mask`.
#[inline(always)]
fn replace<L: Lane>(mask: L, new: V3<L>, to: &mut Vec3x8) {
    let old = V3::load(mask.token(), to);
    new.zip(
        old,
        #[inline(always)]
        |new, old| mask.select(new, old),
    )
    .store_to(to);
}

/// Stores the goals of the list regions of a block in `goals`, whose first list is given.
#[inline(always)]
pub(super) fn set_list_goals<L: Lane>(
    t: L::Token,
    shape: &ElasticShape,
    block: usize,
    matrix: M3<L>,
    fit: &Affine8,
    (goals, first_list): (&mut [ListGoal], usize),
) {
    let lists = &shape.lists;
    let Range { start, end } = lists.of_block(block);
    if end > start {
        let center = V3::load(t, &lists.centers[block]);
        let rows = goal_rows(matrix, V3::load(t, &fit.translation) - matrix.mul_vec(center));
        let goals = &mut goals[start - first_list..end - first_list];
        for (goal, &region) in goals.iter_mut().zip(&lists.region[start..end]) {
            let lane = region as usize % LANES;
            *goal = [rows[0][lane], rows[1][lane], rows[2][lane]];
        }
    }
}

/// The rows of the goals `matrix · x₀ + shift`, for each lane.
#[inline(always)]
fn goal_rows<L: Lane>(matrix: M3<L>, shift: V3<L>) -> [[Quad; LANES]; 3] {
    let [a, b, c] = matrix.cols;
    [
        L::to_quads([a.x, b.x, c.x, shift.x]),
        L::to_quads([a.y, b.y, c.y, shift.y]),
        L::to_quads([a.z, b.z, c.z, shift.z]),
    ]
}

/// Adds what list regions say about the particles of a block.
#[inline(always)]
pub(super) fn add_list_goals<L: Lane>(
    t: L::Token,
    shape: &ElasticShape,
    list_goals: &[ListGoal],
    block: usize,
    goals: &mut Vec3x8,
) {
    let lists = &shape.lists;
    let first = block * LANES;
    let starts = &lists.incidence_start[first..=first + LANES];
    if starts[0] == starts[LANES] {
        return;
    }
    // Goals are affine maps: those of one particle are added up before it goes through them.
    let mut rows = [[Quad::default(); LANES]; 3];
    for lane in 0..LANES {
        let incidence = &lists.incidence[starts[lane] as usize..starts[lane + 1] as usize];
        let mut sum = [Vec4::ZERO; 3];
        for &list in incidence {
            let goal = &list_goals[list as usize];
            for (sum, row) in sum.iter_mut().zip(goal) {
                *sum += Vec4::from_array(row.0);
            }
        }
        for (row, sum) in rows.iter_mut().zip(sum) {
            row[lane] = Quad(sum.to_array());
        }
    }
    let rest = V3::load(t, &shape.rest[block]);
    let [x, y, z] = &rows;
    let sums = V3 {
        x: through::<L>(t, x, rest),
        y: through::<L>(t, y, rest),
        z: through::<L>(t, z, rest),
    };
    (V3::load(t, goals) + sums).store_to(goals);
}

/// `row · (x₀, 1)` for each lane's row.
#[inline(always)]
fn through<L: Lane>(t: L::Token, row: &[Quad; LANES], rest: V3<L>) -> L {
    let [x, y, z, shift] = L::from_quads(t, row);
    V3 { x, y, z }.dot(rest) + shift
}
