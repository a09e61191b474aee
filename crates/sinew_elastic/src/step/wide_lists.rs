//! Regions of so many particles that their members fill all lanes.

use core::ops::Range;

use glam::{DVec3, Vec3};
use sinew_math::lane::{Lane, V3};
use sinew_math::{LANES, Vec3x8};

use crate::shape::ElasticShape;

use super::scratch::{Affine8, ListGoal};
use super::sums::BLOCKS_PER_FLUSH;

/// Moments and centres of the wide ones among `lists`, into the lanes of their block's fit.
#[inline(always)]
pub(super) fn fit_wide_lists<L: Lane>(
    t: L::Token,
    shape: &ElasticShape,
    positions: &[Vec3x8],
    lists: Range<usize>,
    fit: &mut Affine8,
) {
    for (list, entries) in shape.wide.among(lists) {
        // Relative to a particle of the region, so that single precision keeps its digits.
        let slot = shape.lists.reference[list as usize] as usize;
        let reference = positions[slot / LANES].lane(slot % LANES);
        let start = V3::<L>::splat(t, reference);
        let zero = V3::splat(t, Vec3::ZERO);
        let mut totals = [DVec3::ZERO; 4];
        for few in entries.chunks(BLOCKS_PER_FLUSH) {
            let mut sums = [zero; 4];
            for entry in few {
                let d = V3::load(t, &positions[entry.block as usize]) - start;
                sums[0] += d * L::load(t, &entry.offset.x);
                sums[1] += d * L::load(t, &entry.offset.y);
                sums[2] += d * L::load(t, &entry.offset.z);
                sums[3] += d * L::load(t, &entry.share);
            }
            for (total, sum) in totals.iter_mut().zip(sums) {
                *total += DVec3::from_array(sum.store().sum());
            }
        }
        let lane = shape.lists.region[list as usize] as usize % LANES;
        let [x, y, z, center] = totals.map(|total| total.as_vec3());
        fit.matrix.cols[0].set_lane(lane, x);
        fit.matrix.cols[1].set_lane(lane, y);
        fit.matrix.cols[2].set_lane(lane, z);
        fit.translation.set_lane(lane, reference + center);
    }
}

/// Adds what wide regions say about the particles of a block.
#[inline(always)]
pub(super) fn add_wide_goals<L: Lane>(
    t: L::Token,
    shape: &ElasticShape,
    list_goals: &[ListGoal],
    block: usize,
    goals: &mut Vec3x8,
) {
    let rest = V3::<L>::load(t, &shape.rest[block]);
    let zero = L::splat(t, 0.0);
    for entry in shape.wide.of_block(block) {
        let member = zero.lt(L::load(t, &entry.share));
        let [x, y, z] = list_goals[entry.list as usize];
        let goal = V3 {
            x: through::<L>(t, x.0, rest),
            y: through::<L>(t, y.0, rest),
            z: through::<L>(t, z.0, rest),
        };
        let goal = goal.map(
            #[inline(always)]
            |c| member.select(c, zero),
        );
        (V3::load(t, goals) + goal).store_to(goals);
    }
}

/// `row · (x₀, 1)`.
#[inline(always)]
fn through<L: Lane>(t: L::Token, [x, y, z, shift]: [f32; 4], rest: V3<L>) -> L {
    V3::splat(t, Vec3::new(x, y, z)).dot(rest) + L::splat(t, shift)
}
