//! The step law of the 2007 thesis on elephants' trunks: joint `i` turns by `i` steps a pass, tip first.
//!
//! In its strict form (equations 3.4 to 3.7) steps are full, about the world's z and x axes, with signs from the normal
//! `n = (P_tip − P_i) × (P_food − P_i)`. It never settles but chatters about the target. The clamped form turns about
//! the normal itself, by no more than is left: it arrives, and does not depend on the world's axes.

use glam::{Quat, Vec3};

use super::dls::advance;
use super::{Outcome, Reach};
use crate::chain::Chain;
use crate::pose::Pose;
use crate::rotation::{about, direction_or};
use crate::trig::atan2;

/// The normal of a joint's bend (thesis, equation 3.5).
#[must_use]
pub fn bend_normal(joint: Vec3, tip: Vec3, food: Vec3) -> Vec3 {
    (tip - joint).cross(food - joint)
}

/// Signs of the strict steps for a normal: of the heading about z (3.6) and of the pitch about x (3.7).
///
/// ```
/// use sinew_ik::{bend_normal, glam::Vec3, strict_signs};
/// let normal = bend_normal(Vec3::ZERO, Vec3::X, Vec3::Y);
/// assert_eq!(normal, Vec3::Z);
/// assert_eq!(strict_signs(normal), (1.0, 0.0));
/// ```
#[must_use]
pub fn strict_signs(normal: Vec3) -> (f32, f32) {
    let sign = |value: f32| {
        if value > 0.0 {
            1.0
        } else if value < 0.0 {
            -1.0
        } else {
            0.0
        }
    };
    (sign(normal.z), -sign(normal.x) * sign(normal.y))
}

/// Runs from `pose` and leaves the best pose there; in the strict form the last one, as published.
pub(crate) fn solve(
    chain: &Chain,
    reach: &Reach,
    step: f32,
    strict: bool,
    pose: &mut Pose,
    best: &mut Pose,
    steps: &mut [Quat],
) -> Outcome {
    let mut outcome = Outcome { error: reach.error(pose), ..Outcome::default() };
    best.copy_from(pose);
    while outcome.iterations < reach.cap && outcome.error > reach.tolerance {
        outcome.iterations += 1;
        outcome.updates += (reach.end - reach.first) as u32;
        pass(chain, reach, step, strict, pose, steps);
        let error = reach.error(pose);
        if strict || error < outcome.error {
            outcome.error = error;
            best.copy_from(pose);
        }
    }
    pose.copy_from(best);
    outcome
}

/// One pass; works on the running effector like [`super::ccd`].
fn pass(
    chain: &Chain,
    reach: &Reach,
    step: f32,
    strict: bool,
    pose: &mut Pose,
    steps: &mut [Quat],
) {
    let mut effector = pose.places[reach.end];
    for i in (reach.first..reach.end).rev() {
        steps[i] = Quat::IDENTITY;
        let most = step * i as f32;
        if chain.weights[i] == 0.0 || most <= 0.0 {
            continue;
        }
        let joint = pose.places[i];
        let normal = bend_normal(joint, effector, reach.target);
        let turn = if strict {
            let (heading, pitch) = strict_signs(normal);
            about(Vec3::Z, heading * most) * about(Vec3::X, pitch * most)
        } else {
            let left = atan2(normal.length(), (effector - joint).dot(reach.target - joint));
            about(direction_or(normal, Vec3::ZERO), left.min(most))
        };
        let before = pose.turns[i];
        let after = chain.limited(i, pose.parent(i), turn * before).0;
        steps[i] = after * before.conjugate();
        effector = joint + steps[i] * (effector - joint);
    }
    advance(chain, pose, reach.first, reach.end, steps);
}
