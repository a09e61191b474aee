//! Getting off the singular line, where every iterative solver stands still: all bones along the line to the target.

use core::f32::consts::PI;

use glam::{Quat, Vec3};

use super::Reach;
use crate::chain::{Chain, ZERO_LENGTH};
use crate::limit::Limit;
use crate::pose::Pose;
use crate::rotation::{across, any_normal, direction_or};
use crate::trig::sin_cos;

/// Sine of the angle to the target's line below which a bone counts as on it.
const ON_LINE: f32 = 1e-3;
/// Height of the bow that a straight chain is given, in lengths of the chain.
const BOW: f32 = 0.02;

/// All bones that could move the effector lie on the line from the first one to the target.
pub(crate) fn is_singular(chain: &Chain, pose: &Pose, reach: &Reach) -> bool {
    let start = pose.places[reach.first];
    let offset = reach.target - start;
    let effector = pose.places[reach.end] - start;
    // A target at the root has no line; what counts then is whether the chain is straight.
    let line = direction_or(if offset.length() > ZERO_LENGTH { offset } else { effector }, Vec3::X);
    (reach.first..reach.end).all(|i| {
        let length = chain.unit_lengths[i];
        length <= ZERO_LENGTH
            || across(pose.places[i + 1] - pose.places[i], line).length() < ON_LINE * length
    })
}

/// The direction in which a chain should bow, normal to `line`: that of the wish, else where its hinges fold,
/// else as the pose is bent already, else a fixed normal.
pub(crate) fn bow(chain: &Chain, pose: &Pose, reach: &Reach, wish: Vec3, line: Vec3) -> Vec3 {
    let usable = |v: Vec3| {
        let normal = across(v, line);
        (normal.length() > 1e-4 * v.length().max(1e-12)).then(|| normal.normalize_or_zero())
    };
    let mut folds = Vec3::ZERO;
    for i in reach.first + 1..reach.end {
        if let Limit::Hinge { axis, min, max } = chain.limits[i] {
            // A fold about the axis turns later bones to one side: the joint itself comes out on the other.
            let sense = if min + max < 0.0 { -1.0 } else { 1.0 };
            folds -= (pose.turns[i] * axis).cross(line) * sense;
        }
    }
    usable(wish)
        .or_else(|| if folds.length() > 1e-3 { usable(folds) } else { None })
        .or_else(|| {
            let bend = bend_of(pose, reach);
            if bend.length() > 1e-4 { usable(bend) } else { None }
        })
        .unwrap_or_else(|| any_normal(line))
}

/// Offset of the joint that is farthest from the line between root and effector; its length is the distance.
pub(crate) fn bend_of(pose: &Pose, reach: &Reach) -> Vec3 {
    let start = pose.places[reach.first];
    let line = direction_or(pose.places[reach.end] - start, Vec3::ZERO);
    let mut most = Vec3::ZERO;
    for place in &pose.places[reach.first..reach.end] {
        let offset = across(*place - start, line);
        if offset.length_squared() > most.length_squared() {
            most = offset;
        }
    }
    most
}

/// Poses the chain as its curl to the target, within limits, and says how many evaluations that took.
/// `None` when the table is not that of this effector.
pub(crate) fn curl_pose(
    chain: &Chain,
    base: &[Quat],
    reach: &Reach,
    bow: Vec3,
    points: &mut [Vec3],
    pose: &mut Pose,
) -> Option<u16> {
    if reach.first != 0 || reach.end < chain.curl.len() || chain.curl.len() != chain.used {
        return None;
    }
    let distance = reach.target.length();
    let curl = chain.curl.solve(distance);
    let fallback = pose.turns[0] * chain.axes[0];
    let ahead = if distance > ZERO_LENGTH { reach.target / distance } else { fallback };
    chain.curl.place(&curl, ahead, bow, points);
    let last = points[chain.used];
    points[chain.used..].fill(last);
    pose.aim_along(chain, base, points, chain.used);
    Some(curl.evaluations)
}

/// Gives a straight part of a chain a flat bow of half a sine wave.
pub(crate) fn bow_pose(
    chain: &Chain,
    base: &[Quat],
    reach: &Reach,
    bow: Vec3,
    points: &mut [Vec3],
    pose: &mut Pose,
) {
    let total: f32 = chain.unit_lengths[reach.first..reach.end].iter().sum();
    let mut along = 0.0;
    points.copy_from_slice(&pose.places);
    for i in reach.first..reach.end {
        along += chain.unit_lengths[i];
        let share = along / total.max(ZERO_LENGTH);
        points[i + 1] += bow * (BOW * sin_cos(PI * share).0);
    }
    pose.aim_along(chain, base, points, reach.end);
}
