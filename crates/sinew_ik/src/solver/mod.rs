//! The solvers. All work in unit space (see [`crate::pose`]) and leave the best pose they found.

pub(crate) mod ccd;
pub(crate) mod curl;
pub(crate) mod curl_step;
pub(crate) mod dls;
pub(crate) mod fabrik;
pub(crate) mod kick;
pub(crate) mod rows;
pub(crate) mod spline;
pub(crate) mod two_bone;

use glam::Vec3;

use crate::pose::Pose;

/// A single place to bring to a target.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reach {
    /// Index of the place: a joint's, or the number of joints for the tip.
    pub end: usize,
    /// Joints before this one do not move.
    pub first: usize,
    pub target: Vec3,
    pub tolerance: f32,
    pub cap: u16,
}

impl Reach {
    pub fn error(&self, pose: &Pose) -> f32 {
        pose.places[self.end].distance(self.target)
    }
}

/// What a solver did.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Outcome {
    /// Merit of the pose that was left: the distance, for a single target.
    pub error: f32,
    pub iterations: u16,
    pub updates: u32,
}

impl Outcome {
    /// Adds the cost of another run; the error is the other's.
    pub fn then(self, next: Self) -> Self {
        Self {
            error: next.error,
            iterations: self.iterations + next.iterations,
            updates: self.updates + next.updates,
        }
    }
}
