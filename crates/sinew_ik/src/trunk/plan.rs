//! Which part of a trunk reaches which wrap point.

use glam::{Quat, Vec3};
use thiserror::Error;

use crate::chain::{Chain, reach_of};
use crate::obstacle::Obstacle;
use crate::pose::Pose;
use crate::rotation::{any_normal, unit};
use crate::solver::dls::{self, Work};
use crate::solver::{Reach, kick};
use crate::state::Scratch;

/// Why points cannot be wrapped.
#[derive(Clone, Copy, Debug, Error, PartialEq)]
pub enum WrapError {
    /// The straight way between two points cuts the object.
    #[error("between points {segment} and {}, the way is {depth} inside the object: open the wrap or add points", segment + 1)]
    Penetrates {
        /// Index of the first of the two points.
        segment: usize,
        /// How deep.
        depth: f32,
    },
    /// The joints for a point are too short, or too long to fold, for the way to it.
    #[error(
        "point {point} is {distance} from the one before, but its joints reach from {nearest} to {farthest}"
    )]
    OutOfReach {
        /// Index of the point.
        point: usize,
        /// Distance from the point before.
        distance: f32,
        /// Least distance that the joints allow.
        nearest: f32,
        /// Largest distance that they allow.
        farthest: f32,
    },
    /// No points, points that are not finite, or joints that are not there or not in order.
    #[error("wrap points must be finite and their joints within the chain, in rising order")]
    BadPlan,
}

/// Points for places of a chain: the place of index `places[k]` (a joint, or the number of joints for the tip) goes to
/// `points[k]`. Parts are solved from root to tip, each without moving the ones before.
#[derive(Clone, Debug, PartialEq)]
pub struct WrapPlan {
    /// The points, in chain space.
    pub points: Vec<Vec3>,
    /// Index of the place that goes to each.
    pub places: Vec<usize>,
}

/// A part is made this much longer than the way it has to span.
const SLACK: f32 = 1.05;

impl WrapPlan {
    /// Places for points: from the tip backwards, each part gets as few joints as span its way with a little
    /// slack. Where the chain runs out, the first points are dropped.
    ///
    /// # Errors
    /// When there are no finite points, or a way between them cuts the object.
    pub fn new(
        chain: &Chain,
        points: &[Vec3],
        object: &Obstacle<'_>,
        gap: f32,
    ) -> Result<Self, WrapError> {
        Self::check_clearance(points, object, gap)?;
        let mut places = Vec::new();
        let mut end = chain.len();
        let mut kept = points.len();
        for k in (0..points.len()).rev() {
            if end == 0 {
                break;
            }
            kept = k;
            places.push(end);
            if k == 0 {
                break;
            }
            let wanted = SLACK * points[k].distance(points[k - 1]);
            let mut start = end;
            let mut span = 0.0;
            while start > 0 && span < wanted {
                start -= 1;
                span += chain.lengths()[start];
            }
            end = start;
        }
        places.reverse();
        Ok(Self { points: points[kept..].to_vec(), places })
    }

    /// A plan with given places, as the thesis has it: 14, 17 and 20 of 20 bones.
    ///
    /// # Errors
    /// When places are not in rising order within the chain, or a part cannot span its way.
    pub fn with_places(
        chain: &Chain,
        points: &[Vec3],
        places: &[usize],
    ) -> Result<Self, WrapError> {
        let rising = places.windows(2).all(|pair| pair[0] < pair[1]);
        let inside = places.iter().all(|&place| place >= 1 && place <= chain.len());
        let finite = points.iter().all(|point| point.is_finite());
        if points.is_empty() || points.len() != places.len() || !rising || !inside || !finite {
            return Err(WrapError::BadPlan);
        }
        for k in 1..points.len() {
            let lengths = &chain.lengths()[places[k - 1]..places[k]];
            let (nearest, farthest) = reach_of(lengths);
            let distance = points[k].distance(points[k - 1]);
            if distance > farthest || distance < nearest {
                return Err(WrapError::OutOfReach { point: k, distance, nearest, farthest });
            }
        }
        Ok(Self { points: points.to_vec(), places: places.to_vec() })
    }

    /// Refuses points whose straight ways come nearer to the object than a gap.
    ///
    /// # Errors
    /// Names the first such way and its depth; also when there are no finite points.
    pub fn check_clearance(
        points: &[Vec3],
        object: &Obstacle<'_>,
        gap: f32,
    ) -> Result<(), WrapError> {
        let finite = points.iter().all(|point| point.is_finite());
        if points.is_empty() || !finite || !object.is_valid() {
            return Err(WrapError::BadPlan);
        }
        for (segment, pair) in points.windows(2).enumerate() {
            let depth = gap - object.proximity(pair[0], pair[1]).distance;
            if depth > 0.0 {
                return Err(WrapError::Penetrates { segment, depth });
            }
        }
        Ok(())
    }

    /// Solves the parts from root to tip, by damped least squares from the local rotations in `rotations`, which
    /// receives the result. Returns the largest distance of a place from its point, in chain space.
    ///
    /// Rotations of another number than the chain's joints, or a root that is not finite, leave everything as it
    /// is, and the result is infinite.
    pub fn solve(
        &self,
        chain: &Chain,
        root: Vec3,
        rotations: &mut [Quat],
        scratch: &mut Scratch,
    ) -> f32 {
        /// Iterations of one part.
        const ITERATIONS: u16 = 32;
        let good = rotations.len() == chain.len()
            && rotations.iter().all(|q| q.is_finite())
            && root.is_finite()
            && self.places.len() == self.points.len()
            && self.places.iter().all(|&place| place <= chain.len())
            && self.points.iter().all(|point| point.is_finite());
        if !good {
            return f32::INFINITY;
        }
        scratch.fit(chain.len());
        for (base, rotation) in scratch.base.iter_mut().zip(rotations.iter()) {
            *base = unit(*rotation);
        }
        scratch.pose.set_locals(chain, &scratch.base);
        let mut first = 0;
        let mut worst = 0.0_f32;
        for (&place, &point) in self.places.iter().zip(&self.points) {
            if place <= first {
                continue;
            }
            let target = (point - root) / chain.length();
            let mut reach = Reach { end: place, first, target, tolerance: 1e-4, cap: ITERATIONS };
            let Scratch { base, pose, best, points, turns, steps, held, .. } = &mut *scratch;
            if kick::is_singular(chain, pose, &reach) && reach.error(pose) > reach.tolerance {
                for (i, base) in base.iter_mut().enumerate() {
                    *base = pose.local(i);
                }
                let line = (pose.places[place] - pose.places[first]).normalize_or(Vec3::X);
                kick::bow_pose(chain, base, &reach, any_normal(line), points, pose);
            }
            let work = Work { turns, steps, held };
            let outcome = dls::solve(chain, &mut reach, ITERATIONS, false, pose, best, work);
            worst = worst.max(outcome.error * chain.length());
            first = place;
        }
        write_locals(&scratch.pose, rotations);
        worst
    }
}

fn write_locals(pose: &Pose, rotations: &mut [Quat]) {
    for (i, rotation) in rotations.iter_mut().enumerate() {
        *rotation = pose.local(i);
    }
}
