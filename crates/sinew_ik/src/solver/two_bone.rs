//! Two bones in closed form: the law of cosines, with a pole for the bend and a soft end of reach.

use glam::Vec3;

use crate::rotation::{across, any_normal, direction_or};

/// An arm or leg, in any space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoBone {
    /// The shoulder.
    pub root: Vec3,
    /// Length of the upper bone.
    pub upper: f32,
    /// Length of the lower bone.
    pub lower: f32,
    /// Where the end should be.
    pub target: Vec3,
    /// The elbow bends towards this direction: the pole's place less the root's.
    pub pole: Vec3,
    /// The bend where the pole is on the line to the target.
    pub fallback_bend: Vec3,
    /// Where to aim when the target is at the root.
    pub fallback_aim: Vec3,
}

/// Where elbow and end are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct TwoBoneSolution {
    /// The elbow.
    pub middle: Vec3,
    /// The end.
    pub end: Vec3,
    /// Unit direction of the elbow from the line root to end.
    pub bend: Vec3,
    /// The target is within reach, give or take a millionth of the length.
    pub reached: bool,
}

/// Solves an arm. Lengths are kept exactly; the end lies on the line to the target in any case.
///
/// ```
/// use sinew_ik::{glam::Vec3, two_bone, TwoBone};
/// let arm = TwoBone {
///     root: Vec3::ZERO, upper: 3.0, lower: 4.0,
///     target: Vec3::new(5.0, 0.0, 0.0), pole: Vec3::Y,
///     fallback_bend: Vec3::Z, fallback_aim: Vec3::X,
/// };
/// let solution = two_bone(&arm);
/// assert!(solution.middle.distance(Vec3::new(1.8, 2.4, 0.0)) < 1e-6 && solution.reached);
/// ```
#[must_use]
pub fn two_bone(arm: &TwoBone) -> TwoBoneSolution {
    let (upper, lower) = (arm.upper, arm.lower);
    let length = upper + lower;
    let slack = 1e-6 * length;
    let offset = arm.target - arm.root;
    let distance = offset.length();
    let fallback_aim = direction_or(arm.fallback_aim, Vec3::X);
    let aim = if distance > slack { offset / distance } else { fallback_aim };
    let nearest = (upper - lower).abs();
    let clamped = distance.clamp(nearest, length);
    let reached = distance >= nearest - slack && distance <= length + slack;
    let toward_pole = across(arm.pole, aim);
    let bend = if toward_pole.length_squared() > 1e-12 * length * length {
        toward_pole.normalize()
    } else {
        direction_or(across(arm.fallback_bend, aim), any_normal(aim))
    };
    let cosine = if clamped < slack || upper <= 0.0 {
        0.0
    } else {
        let sides = upper * upper + clamped * clamped - lower * lower;
        (sides / (2.0 * upper * clamped)).clamp(-1.0, 1.0)
    };
    let sine = ((1.0 - cosine) * (1.0 + cosine)).sqrt();
    TwoBoneSolution {
        middle: arm.root + (aim * cosine + bend * sine) * upper,
        end: arm.root + aim * clamped,
        bend,
        reached,
    }
}

/// The distance to aim for when full stretch should be approached softly rather than snapped to.
///
/// Up to `start` times the length nothing changes. Beyond that (`d_a`, with `d_s` left to the full length) the
/// result is `d_a + d_s (1 − 81 / (α + 3)⁴)`, where `α = (d − d_a) / d_s`, the law of ozz-animation: ever slower,
/// and never quite the length. That law alone starts with slope 4/3 and overshoots targets a little beyond
/// `d_a`, so it is cut at the distance itself.
#[must_use]
pub fn soft_distance(distance: f32, length: f32, start: f32) -> f32 {
    let begin = start.clamp(0.0, 1.0) * length;
    let span = length - begin;
    if distance <= begin || span <= 1e-6 * length {
        return distance.min(length);
    }
    let alpha = (distance - begin) / span;
    let square = (alpha + 3.0) * (alpha + 3.0);
    distance.min(begin + span * (1.0 - 81.0 / (square * square)))
}
