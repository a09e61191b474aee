//! Where a chain bends to: towards its pole, and calmly where the pole has no say.

use glam::Vec3;

use super::plan::to_unit;
use crate::chain::Chain;
use crate::pose::Pose;
use crate::rotation::{about, across, any_normal, direction_or};
use crate::solver::Reach;
use crate::solver::kick::bend_of;
use crate::state::ChainState;
use crate::task::Task;
use crate::trig::atan2;

/// Sine of the angle between pole and target below which the bend follows the pole at a bounded rate only.
const NEAR_LINE: f32 = 0.25;
/// That rate, in rad for each solve.
const MOST_SWING: f32 = 0.2;
/// A bend, or a line, shorter than this has no direction; lengths of the chain.
const NO_BEND: f32 = 1e-4;

/// The signed angle about `axis` from one direction normal to it to another.
fn angle_between(from: Vec3, to: Vec3, axis: Vec3) -> f32 {
    atan2(axis.dot(from.cross(to)), from.dot(to))
}

/// The unit direction to bend to, normal to the unit vector `line` from root to target, given the bend without a pole.
pub(super) fn bend(
    chain: &Chain,
    task: &Task<'_>,
    state: &ChainState,
    line: Vec3,
    without: Vec3,
) -> Vec3 {
    let without = direction_or(across(without, line), any_normal(line));
    let Some(pole) = task.pole else { return without };
    let to_pole = to_unit(chain, task.root, pole.position);
    let toward = across(to_pole, line);
    let sine = toward.length() / to_pole.length().max(f32::MIN_POSITIVE);
    let last = across(state.bend, line);
    let known = state.solved && last.length() > 1e-3;
    // At exact alignment the last bend is kept.
    let wanted = if toward.length() > 1e-6 {
        about(line, pole.angle) * toward.normalize()
    } else if known {
        last.normalize()
    } else {
        without
    };
    let mut turn = angle_between(without, wanted, line) * pole.weight.clamp(0.0, 1.0);
    if known && sine < NEAR_LINE {
        // A target that passes the pole's line turns the wish over from one solve to the next.
        let last = last.normalize();
        let aim = about(line, turn) * without;
        let swing = angle_between(last, aim, line).clamp(-MOST_SWING, MOST_SWING);
        turn = angle_between(without, about(line, swing) * last, line);
    }
    about(line, turn) * without
}

/// Turns a whole chain about the line from root to effector until it bends to the pole. The effector stays.
/// Returns whether a limit of the first joint cut that short.
pub(super) fn apply(
    chain: &Chain,
    task: &Task<'_>,
    state: &ChainState,
    reach: &Reach,
    pose: &mut Pose,
) -> bool {
    let Some(pole) = task.pole else { return false };
    if chain.weights[0] == 0.0 {
        return false;
    }
    let offset = pose.places[reach.end];
    if offset.length() < 1e-3 {
        return false;
    }
    let line = offset.normalize();
    let now = match pole.joint {
        Some(joint) => across(pose.places[joint], line),
        None => bend_of(pose, reach),
    };
    if now.length() < NO_BEND {
        return false;
    }
    let now = now.normalize();
    let wanted = bend(chain, task, state, line, now);
    let mut turn = about(line, angle_between(now, wanted, line));
    let (allowed, cut) =
        chain.limited(0, glam::Quat::IDENTITY, crate::rotation::unit(turn * pose.turns[0]));
    if cut {
        turn = crate::rotation::unit(allowed * pose.turns[0].conjugate());
    }
    for own in &mut pose.turns {
        *own = crate::rotation::unit(turn * *own);
    }
    pose.place(chain);
    cut
}
