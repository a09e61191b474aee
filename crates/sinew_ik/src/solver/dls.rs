//! Damped least squares for chains of balls and hinges.
//!
//! A ball joint's Jacobian is `J_i = −[r_i]×` with `r_i` from the joint to the effector, so `J Jᵀ = Σ w_i² (|r_i|² I −
//! r_i r_iᵀ)` is 3×3 for any number of joints, and the update is `ω_i = w_i² r_i × y` with `y = (J Jᵀ + λ² I)⁻¹ Δ`
//! (Buss 2004, eq. 11, for these Jacobians). Joints that a limit stops keep the part of their turn that it allows, and
//! the others solve again for what is left. Damping is relative to the chain's length and follows success.

use glam::{Quat, Vec3};

use super::{Outcome, Reach};
use crate::chain::{Chain, Mobility};
use crate::limit::Limit;
use crate::pose::Pose;
use crate::rotation::{cayley, cayley_vector, renormalized, rotation_vector, unit};

/// Damping at the start, and its bounds, in lengths of the chain.
pub(crate) const FIRST_DAMPING: f32 = 0.05;
const LEAST_DAMPING: f32 = 0.02;
const MOST_DAMPING: f32 = 1.0;
/// Longest step of the effector in an iteration, in lengths of the chain: the linear model is good that far.
pub(super) const MOST_STEP: f32 = 0.3;
/// Largest turn of a joint in an iteration, in rad.
const MOST_TURN: f32 = 0.5;
/// Solves again for joints that a limit stopped, at most.
const MOST_AGAIN: u32 = 2;
/// An iteration that gains less than this, in lengths of the chain, does not count as progress,
const LEAST_GAIN: f32 = 1e-6;
/// unless it is this share of the error: the last steps to a fine tolerance are small.
const LEAST_SHARE: f32 = 0.2;
/// Where other poses are left to start from, gains below this share of the error do not count either.
const IMPATIENT_SHARE: f32 = 0.03;
/// Iterations without progress that end a run.
const MOST_STALLS: u32 = 2;
/// Iterations that a preferred pose gets in any case.
const PREFERENCE_ITERATIONS: u16 = 4;

/// What the linear solve pulls at.
pub(crate) trait Pull {
    /// The merit that iterations reduce.
    fn error(&self, pose: &Pose) -> f32;
    /// All goals are met.
    fn reached(&self, pose: &Pose) -> bool;
    /// Joints `range.0 .. range.1` take part.
    fn range(&self) -> (usize, usize);
    /// Writes rotation vectors of all joints that are not held into `work.turns`, given those of held ones.
    fn turns(&mut self, chain: &Chain, pose: &Pose, damping: f32, work: &mut Work<'_>);
}

/// Buffers of an iteration, one entry a joint.
pub(crate) struct Work<'a> {
    pub turns: &'a mut [Vec3],
    pub steps: &'a mut [Quat],
    pub held: &'a mut [bool],
}

/// Runs from `pose` and leaves the best pose there; `best` is working memory.
pub(crate) fn solve(
    chain: &Chain,
    pull: &mut impl Pull,
    cap: u16,
    impatient: bool,
    pose: &mut Pose,
    best: &mut Pose,
    mut work: Work<'_>,
) -> Outcome {
    let (first, end) = pull.range();
    let mut damping = FIRST_DAMPING;
    let mut outcome = Outcome { error: pull.error(pose), ..Outcome::default() };
    let mut stalls = 0;
    let wanted =
        if chain.preferred.iter().any(Option::is_some) { PREFERENCE_ITERATIONS } else { 0 };
    best.copy_from(pose);
    while outcome.iterations < cap
        && stalls < MOST_STALLS
        && (outcome.iterations < wanted || !pull.reached(pose))
    {
        outcome.iterations += 1;
        outcome.updates += (end - first) as u32;
        find_steps(chain, pull, pose, damping, &mut work);
        advance(chain, pose, first, end, work.steps);
        let error = pull.error(pose);
        // Written so that NaN counts as worse.
        if error <= outcome.error || (outcome.iterations <= wanted && error.is_finite()) {
            let gain = outcome.error - error;
            let stalled = (gain < LEAST_GAIN && gain < LEAST_SHARE * outcome.error)
                || (impatient && gain < IMPATIENT_SHARE * outcome.error);
            stalls = if stalled && outcome.iterations > wanted { stalls + 1 } else { 0 };
            damping = (0.5 * damping).max(LEAST_DAMPING);
            outcome.error = error;
            best.copy_from(pose);
        } else {
            if damping >= MOST_DAMPING || impatient {
                stalls += 1;
            }
            damping = (4.0 * damping).min(MOST_DAMPING);
            pose.copy_from(best);
        }
    }
    outcome
}

/// Fills `work.steps` with the rotation of each joint.
pub(crate) fn find_steps(
    chain: &Chain,
    pull: &mut impl Pull,
    pose: &Pose,
    damping: f32,
    work: &mut Work<'_>,
) {
    let (first, end) = pull.range();
    work.held[first..end].fill(false);
    for again in 0..=MOST_AGAIN {
        pull.turns(chain, pose, damping, work);
        let mut hit = false;
        for i in first..end {
            if work.held[i] {
                continue;
            }
            let turn = work.turns[i];
            let square = turn.length_squared();
            let turn = if square > MOST_TURN * MOST_TURN {
                turn * (MOST_TURN / square.sqrt())
            } else {
                turn
            };
            let mut step = cayley(turn);
            if !chain.plain && chain.limits[i] != Limit::Free {
                let wanted = step * pose.turns[i];
                let (allowed, active) = chain.limited(i, pose.parent(i), wanted);
                if active {
                    step = unit(allowed * pose.turns[i].conjugate());
                    work.turns[i] = cayley_vector(step);
                    work.held[i] = true;
                    hit = true;
                }
            }
            work.steps[i] = step;
        }
        if !hit || again == MOST_AGAIN {
            break;
        }
    }
}

/// Turns all joints by their steps at once; joints beyond the range go along.
pub(super) fn advance(chain: &Chain, pose: &mut Pose, first: usize, end: usize, steps: &[Quat]) {
    let mut turn = Quat::IDENTITY;
    let mut at = pose.places[first];
    for i in first..chain.len() {
        if i < end {
            // Unit factors; what rounding adds along a chain is taken out of each joint's own turn below.
            turn *= steps[i];
        }
        pose.turns[i] = renormalized(turn * pose.turns[i]);
        pose.places[i] = at;
        at += pose.turns[i] * chain.unit_bones[i];
    }
    pose.places[chain.len()] = at;
}

/// The turn that a joint's preferred rotation asks for, as a vector in chain space; along the axis for hinges.
pub(super) fn preference(chain: &Chain, pose: &Pose, joint: usize) -> Vec3 {
    let Some(preferred) = chain.preferred[joint] else { return Vec3::ZERO };
    let wanted = pose.parent(joint) * preferred.rotation;
    let turn = rotation_vector(wanted * pose.turns[joint].conjugate()) * preferred.strength;
    match hinge_axis(chain, pose, joint) {
        Some(axis) => axis * axis.dot(turn),
        None => turn,
    }
}

/// The axis of a hinge in chain space.
pub(super) fn hinge_axis(chain: &Chain, pose: &Pose, joint: usize) -> Option<Vec3> {
    match (chain.mobility[joint], chain.limits[joint]) {
        (Mobility::Hinge, Limit::Hinge { axis, .. }) => Some(pose.turns[joint] * axis),
        _ => None,
    }
}

impl Pull for Reach {
    fn error(&self, pose: &Pose) -> f32 {
        Self::error(self, pose)
    }

    fn reached(&self, pose: &Pose) -> bool {
        Self::error(self, pose) <= self.tolerance
    }

    fn range(&self) -> (usize, usize) {
        (self.first, self.end)
    }

    fn turns(&mut self, chain: &Chain, pose: &Pose, damping: f32, work: &mut Work<'_>) {
        let effector = pose.places[self.end];
        let mut delta = self.target - effector;
        let distance = delta.length();
        if distance > MOST_STEP {
            delta *= MOST_STEP / distance;
        }
        let range = self.first..self.end;
        let mut sum = Symmetric::diagonal(damping * damping);
        if chain.plain {
            for i in range.clone() {
                if !work.held[i] {
                    sum.add_ball(effector - pose.places[i], 1.0);
                }
            }
            let y = sum.solve(delta);
            for i in range {
                work.turns[i] = (effector - pose.places[i]).cross(y);
            }
            return;
        }
        for i in range.clone() {
            let lever = effector - pose.places[i];
            let weight = chain.weights[i] * chain.weights[i];
            if work.held[i] {
                delta -= work.turns[i].cross(lever);
                continue;
            }
            if weight > 0.0 {
                match hinge_axis(chain, pose, i) {
                    Some(axis) => sum.add_outer(axis.cross(lever), weight),
                    None => sum.add_ball(lever, weight),
                }
                delta -= preference(chain, pose, i).cross(lever);
            }
        }
        let y = sum.solve(delta);
        for i in range {
            if work.held[i] {
                continue;
            }
            let lever = effector - pose.places[i];
            let weight = chain.weights[i] * chain.weights[i];
            work.turns[i] = if weight == 0.0 {
                Vec3::ZERO
            } else {
                let pulled = match hinge_axis(chain, pose, i) {
                    Some(axis) => axis * (weight * axis.cross(lever).dot(y)),
                    None => lever.cross(y) * weight,
                };
                pulled + preference(chain, pose, i)
            };
        }
    }
}

/// A symmetric positive definite 3×3 matrix.
struct Symmetric {
    xx: f32,
    yy: f32,
    zz: f32,
    xy: f32,
    xz: f32,
    yz: f32,
}

impl Symmetric {
    fn diagonal(value: f32) -> Self {
        Self { xx: value, yy: value, zz: value, xy: 0.0, xz: 0.0, yz: 0.0 }
    }

    /// Adds `w (|r|² I − r rᵀ)`.
    fn add_ball(&mut self, r: Vec3, w: f32) {
        let s = r * w;
        let (x, y, z) = (s.x * r.x, s.y * r.y, s.z * r.z);
        self.xx += y + z;
        self.yy += z + x;
        self.zz += x + y;
        self.xy -= s.x * r.y;
        self.xz -= s.x * r.z;
        self.yz -= s.y * r.z;
    }

    /// Adds `w j jᵀ`.
    fn add_outer(&mut self, j: Vec3, w: f32) {
        let s = j * w;
        self.xx += s.x * j.x;
        self.yy += s.y * j.y;
        self.zz += s.z * j.z;
        self.xy += s.x * j.y;
        self.xz += s.x * j.z;
        self.yz += s.y * j.z;
    }

    /// Solves by cofactors. The damping on the diagonal keeps the determinant away from zero.
    fn solve(&self, b: Vec3) -> Vec3 {
        let a = self.yy * self.zz - self.yz * self.yz;
        let d = self.xz * self.yz - self.xy * self.zz;
        let e = self.xy * self.yz - self.xz * self.yy;
        let f = self.xx * self.zz - self.xz * self.xz;
        let g = self.xy * self.xz - self.xx * self.yz;
        let h = self.xx * self.yy - self.xy * self.xy;
        let determinant = self.xx * a + self.xy * d + self.xz * e;
        let scale = 1.0 / determinant.max(f32::MIN_POSITIVE);
        Vec3::new(
            a * b.x + d * b.y + e * b.z,
            d * b.x + f * b.y + g * b.z,
            e * b.x + g * b.y + h * b.z,
        ) * scale
    }
}
