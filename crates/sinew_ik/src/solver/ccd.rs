//! Cyclic coordinate descent: from tip to root, each joint turns the effector towards the target.
//!
//! Turning a joint moves neither the joints before it nor its own place, so one sweep needs nothing but the running
//! effector: `n` updates a sweep, where double loops over descendants take `n (n + 1) / 2` (Welman 1993, chapter 4).

use glam::Quat;

use super::dls::advance;
use super::{Outcome, Reach};
use crate::chain::{Chain, ZERO_LENGTH};
use crate::limit::Limit;
use crate::pose::{Pose, hint};
use crate::rotation::{about, arc, fraction, unit};
use crate::trig::atan2;

/// Gains below this, twice in a row, end a run.
const LEAST_GAIN: f32 = 1e-6;

/// Runs from `pose` and leaves the best pose there.
pub(crate) fn solve(
    chain: &Chain,
    reach: &Reach,
    pose: &mut Pose,
    best: &mut Pose,
    steps: &mut [Quat],
) -> Outcome {
    let mut outcome = Outcome { error: reach.error(pose), ..Outcome::default() };
    best.copy_from(pose);
    let mut stalls = 0;
    while outcome.iterations < reach.cap && outcome.error > reach.tolerance && stalls < 2 {
        outcome.iterations += 1;
        outcome.updates += sweep(chain, reach, pose, steps);
        let error = reach.error(pose);
        stalls = if outcome.error - error < LEAST_GAIN { stalls + 1 } else { 0 };
        if error < outcome.error {
            outcome.error = error;
            best.copy_from(pose);
        }
    }
    pose.copy_from(best);
    outcome
}

/// One sweep; returns the number of joints that it looked at.
fn sweep(chain: &Chain, reach: &Reach, pose: &mut Pose, steps: &mut [Quat]) -> u32 {
    let mut effector = pose.places[reach.end];
    let mut updates = 0;
    for i in (reach.first..reach.end).rev() {
        updates += 1;
        steps[i] = Quat::IDENTITY;
        let (own, to_goal) = (effector - pose.places[i], reach.target - pose.places[i]);
        let (a, b) = (own.length(), to_goal.length());
        if chain.weights[i] == 0.0 || a < ZERO_LENGTH || b < ZERO_LENGTH {
            continue;
        }
        let turn = match chain.limits[i] {
            Limit::Hinge { axis, .. } => {
                let h = pose.turns[i] * axis;
                let cosine = own.dot(to_goal) - own.dot(h) * to_goal.dot(h);
                let angle = atan2(h.dot(own.cross(to_goal)), cosine);
                about(h, angle * chain.weights[i])
            }
            _ => {
                let turn = arc(own / a, to_goal / b, hint(chain, i, pose.turns[i]));
                if chain.weights[i] < 1.0 { fraction(turn, chain.weights[i]) } else { turn }
            }
        };
        let before = pose.turns[i];
        let after = chain.limited(i, pose.parent(i), unit(turn * before)).0;
        // What the limit left of the turn. Inner joints have not moved, so all this is still in the sweep's
        // first pose; everything is put together at its end.
        let turn = after * before.conjugate();
        effector = pose.places[i] + turn * own;
        steps[i] = turn;
    }
    advance(chain, pose, reach.first, reach.end, steps);
    updates
}
