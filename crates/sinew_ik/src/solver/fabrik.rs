//! Forward and backward reaching (Aristidou and Lasenby 2011): joint places are dragged along bones, from the target
//! inwards and from the root outwards in turn.
//!
//! Places are the natural unknowns where obstacles are in the way, which is what this solver is for here.
//! The outward pass carries rotations along, so that limits hold exactly; it swings bones clear of obstacles last.

use glam::{Quat, Vec3};

use super::{Outcome, Reach};
use crate::chain::{Chain, ZERO_LENGTH};
use crate::obstacle::{Obstacle, swing_out};
use crate::pose::{Pose, hint};
use crate::rotation::{arc, direction_or, unit};

/// Drags places inwards: the last to `target`, each other to its bone's length from the one after it.
///
/// Two places in one spot keep the direction of the bone after them, or the x axis. There is one more place than lengths.
pub fn inward(points: &mut [Vec3], lengths: &[f32], target: Vec3) {
    let Some(last) = points.last_mut() else { return };
    *last = target;
    let mut direction = Vec3::NEG_X;
    for i in (0..lengths.len().min(points.len() - 1)).rev() {
        direction = direction_or(points[i] - points[i + 1], direction);
        points[i] = points[i + 1] + direction * lengths[i];
    }
}

/// Drags places outwards: the first to `root`, each other to its bone's length from the one before it.
///
/// Two places in one spot keep the direction of the bone before them, or the x axis. There is one more place than lengths.
pub fn outward(points: &mut [Vec3], lengths: &[f32], root: Vec3) {
    let Some(first) = points.first_mut() else { return };
    *first = root;
    let mut direction = Vec3::X;
    for i in 0..lengths.len().min(points.len() - 1) {
        direction = direction_or(points[i + 1] - points[i], direction);
        points[i + 1] = points[i] + direction * lengths[i];
    }
}

/// Gains below this, in lengths of the chain and three times in a row, end a run: progress is slow but steady here.
const LEAST_GAIN: f32 = 1e-7;
/// Gains of this share of the error always count.
const LEAST_SHARE: f32 = 0.01;

/// Obstacles as seen from unit space.
#[derive(Clone, Copy)]
pub(crate) struct Surroundings<'a> {
    pub obstacles: &'a [Obstacle<'a>],
    /// Where the first joint is, in chain space.
    pub root: Vec3,
    /// Length of the chain.
    pub length: f32,
    pub margin: f32,
}

impl Surroundings<'_> {
    fn to_chain(self, point: Vec3) -> Vec3 {
        self.root + point * self.length
    }

    /// The nearest direction in which a bone is clear of everything; a few rounds where obstacles are close
    /// to each other.
    fn swing(self, start: Vec3, direction: Vec3, unit_length: f32, radius: f32) -> Vec3 {
        const ROUNDS: u32 = 3;
        let (start, length) = (self.to_chain(start), unit_length * self.length);
        let mut now = direction;
        for _ in 0..ROUNDS {
            let before = now;
            for obstacle in self.obstacles {
                now = swing_out(obstacle, start, now, length, radius + self.margin);
            }
            if now == before {
                break;
            }
        }
        now
    }

    /// Least distance of any bone's surface to any obstacle less the margin, in chain space.
    pub fn clearance(self, chain: &Chain, pose: &Pose) -> f32 {
        let mut least = f32::INFINITY;
        for i in 0..chain.len() {
            let start = self.to_chain(pose.places[i]);
            let end = self.to_chain(pose.places[i + 1]);
            for obstacle in self.obstacles {
                let near = obstacle.proximity(start, end);
                least = least.min(near.distance - chain.radii[i] - self.margin);
            }
        }
        least
    }
}

/// Buffers and input of a run.
pub(crate) struct Run<'a> {
    pub chain: &'a Chain,
    pub base: &'a [Quat],
    pub reach: Reach,
    pub around: Surroundings<'a>,
    pub points: &'a mut [Vec3],
}

impl Run<'_> {
    /// Runs from the places in `pose` and leaves the best pose there.
    pub fn solve(&mut self, pose: &mut Pose, best: &mut Pose) -> Outcome {
        let (chain, reach) = (self.chain, self.reach);
        let mut outcome = Outcome { error: reach.error(pose), ..Outcome::default() };
        // Without obstacles and limits places alone will do until the end.
        let bare = chain.plain && self.around.obstacles.is_empty();
        self.points.copy_from_slice(&pose.places);
        best.copy_from(pose);
        let mut merit = self.merit(pose);
        let mut stalls = 0;
        let first = reach.first;
        let mut met = outcome.error <= reach.tolerance && merit <= reach.tolerance;
        while outcome.iterations < reach.cap && !met && stalls < 3 {
            outcome.iterations += 1;
            outcome.updates += 2 * (reach.end - first) as u32;
            let lengths = &chain.unit_lengths[first..reach.end];
            let root = best.places[first];
            inward(&mut self.points[first..=reach.end], lengths, reach.target);
            if bare {
                outward(&mut self.points[first..=reach.end], lengths, root);
                let error = self.points[reach.end].distance(reach.target);
                let gain = merit - error;
                stalls = if gain < LEAST_GAIN.min(LEAST_SHARE * error) { stalls + 1 } else { 0 };
                met = error <= reach.tolerance;
                if error < merit {
                    (merit, outcome.error) = (error, error);
                    best.places.copy_from_slice(self.points);
                }
                continue;
            }
            self.outward_limited(pose);
            let now = self.merit(pose);
            let gain = merit - now;
            stalls = if gain < LEAST_GAIN.min(LEAST_SHARE * now) { stalls + 1 } else { 0 };
            if now < merit {
                merit = now;
                outcome.error = reach.error(pose);
                best.copy_from(pose);
            }
            met = merit <= reach.tolerance;
            self.points.copy_from_slice(&pose.places);
        }
        if bare {
            self.points.copy_from_slice(&best.places);
            pose.aim_along(chain, self.base, self.points, reach.end);
        } else {
            pose.copy_from(best);
        }
        outcome
    }

    /// Distance to the target, and ten times what bones are inside of obstacles, as shares of the length.
    fn merit(&self, pose: &Pose) -> f32 {
        let error = self.reach.error(pose);
        if self.around.obstacles.is_empty() {
            return error;
        }
        let depth = -self.around.clearance(self.chain, pose) / self.around.length;
        // What rounding leaves of a tangent does not count.
        if depth > 1e-6 { error + 10.0 * depth } else { error }
    }

    /// The outward pass with rotations, limits, stiffness and obstacles.
    fn outward_limited(&mut self, pose: &mut Pose) {
        let (chain, first) = (self.chain, self.reach.first);
        let mut parent = if first == 0 { Quat::IDENTITY } else { pose.turns[first - 1] };
        let mut at = pose.places[first];
        for i in first..chain.len() {
            // From the base pose each time: the twist stays that of the animation.
            let mut turn = unit(parent * self.base[i]);
            let length = chain.unit_lengths[i];
            if length > ZERO_LENGTH && chain.weights[i] > 0.0 {
                let now = turn * chain.axes[i];
                let mut aim = now;
                if i < self.reach.end {
                    aim = direction_or(self.points[i + 1] - at, now);
                    let weight = chain.weights[i];
                    if weight < 1.0 {
                        aim = direction_or(now.lerp(aim, weight), aim);
                    }
                    turn = unit(arc(now, aim, hint(chain, i, turn)) * turn);
                    turn = chain.limited(i, parent, turn).0;
                    aim = turn * chain.axes[i];
                }
                let clear = self.around.swing(at, aim, length, chain.radii[i]);
                if clear != aim {
                    turn = unit(arc(aim, clear, hint(chain, i, turn)) * turn);
                    turn = chain.limited(i, parent, turn).0;
                }
            }
            pose.turns[i] = turn;
            pose.places[i] = at;
            at += turn * chain.unit_bones[i];
            parent = turn;
        }
        pose.places[chain.len()] = at;
    }
}

/// Bows a chain around the obstacle that lies most in the way between its root and the target; the side is that of
/// `bow`, or the shorter way. Returns whether anything was in the way.
pub(crate) fn bow_around(
    chain: &Chain,
    reach: &Reach,
    around: &Surroundings<'_>,
    bow: Vec3,
    points: &mut [Vec3],
) -> bool {
    /// Height of the bow, in lengths of the chain.
    const HEIGHT: f32 = 0.25;
    let start = points[reach.first];
    let line = reach.target - start;
    let distance = line.length();
    let mut worst = 0.0;
    let mut side = Vec3::ZERO;
    for obstacle in around.obstacles {
        let near = obstacle.proximity(around.to_chain(start), around.to_chain(reach.target));
        let gap = chain.radii[reach.first..reach.end].iter().fold(0.0_f32, |m, &r| m.max(r));
        let depth = gap + around.margin - near.distance;
        if depth > worst {
            worst = depth;
            let on_line = start + line * near.along;
            let middle = (obstacle.position - around.root) / around.length;
            side = on_line - middle;
        }
    }
    if worst <= 0.0 {
        return false;
    }
    let ahead = direction_or(line, Vec3::X);
    let normal = |v: Vec3| v - ahead * v.dot(ahead);
    // A line through the middle has no shorter way.
    let side = if normal(side).length() > 0.02 { normal(side) } else { normal(bow) };
    let side = direction_or(side, crate::rotation::any_normal(ahead));
    let total: f32 = chain.unit_lengths[reach.first..reach.end].iter().sum();
    let mut along = 0.0;
    for i in reach.first..reach.end {
        along += chain.unit_lengths[i] / total;
        let height = HEIGHT * crate::trig::sin_cos(core::f32::consts::PI * along).0;
        points[i + 1] = start + ahead * (distance * along) + side * height;
    }
    true
}
