//! Key poses of a chain, played in a cycle by normalised linear interpolation (thesis, equation 3.9).

use glam::Quat;
use thiserror::Error;

use crate::rotation::{nlerp, unit};

/// Why key poses do not make a gait.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum GaitError {
    /// There is no pose, or poses have no joints.
    #[error("a gait needs at least one pose of at least one joint")]
    Empty,
    /// Poses differ in their number of joints.
    #[error("pose {0} has another number of joints than the first one")]
    WrongLength(usize),
    /// A rotation is not finite or has no length.
    #[error("pose {0} has a rotation that is not finite or zero")]
    BadRotation(usize),
    /// A duration is zero, negative or not finite.
    #[error("pose {0} has a duration that is not above zero")]
    BadDuration(usize),
}

/// Key poses in a cycle, each with the time that the way to the next one takes.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Gait {
    rotations: Vec<Quat>,
    durations: Vec<f32>,
    joints: usize,
}

impl Gait {
    /// A cycle of poses (local rotations, root first) and the seconds from each to the next.
    ///
    /// # Errors
    /// When poses are missing, differ in length or hold bad rotations, or a duration is not above zero.
    pub fn new(poses: &[(&[Quat], f32)]) -> Result<Self, GaitError> {
        let joints = poses.first().map_or(0, |(pose, _)| pose.len());
        if joints == 0 {
            return Err(GaitError::Empty);
        }
        let mut gait = Self { rotations: Vec::new(), durations: Vec::new(), joints };
        for (index, (pose, duration)) in poses.iter().enumerate() {
            if pose.len() != joints {
                return Err(GaitError::WrongLength(index));
            }
            if !pose.iter().all(|q| q.is_finite() && q.length_squared() > 1e-12) {
                return Err(GaitError::BadRotation(index));
            }
            if !(duration.is_finite() && *duration > 0.0) {
                return Err(GaitError::BadDuration(index));
            }
            gait.rotations.extend(pose.iter().map(|q| unit(*q)));
            gait.durations.push(*duration);
        }
        Ok(gait)
    }

    /// Seconds in a cycle.
    #[must_use]
    pub fn period(&self) -> f32 {
        self.durations.iter().sum()
    }

    /// Writes the pose at a time in s; times beyond a cycle start over, times that are not finite count as zero.
    /// Surplus places of `out` are left alone.
    pub fn sample(&self, time: f32, out: &mut [Quat]) {
        let period = self.period();
        let mut left = if time.is_finite() { time.rem_euclid(period) } else { 0.0 };
        let count = self.durations.len();
        let mut key = 0;
        while key + 1 < count && left >= self.durations[key] {
            left -= self.durations[key];
            key += 1;
        }
        let share = (left / self.durations[key]).clamp(0.0, 1.0);
        let pose = |key: usize| &self.rotations[key * self.joints..(key + 1) * self.joints];
        let (from, to) = (pose(key), pose((key + 1) % count));
        for ((out, a), b) in out.iter_mut().zip(from).zip(to) {
            *out = nlerp(*a, *b, share);
        }
    }
}
