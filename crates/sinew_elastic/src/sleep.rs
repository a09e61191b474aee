//! When a body counts as resting.

use crate::step::sums::RigidMotion;

/// Rules for falling asleep. A sleeping body costs nothing until something wakes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sleep {
    /// Whether the body may sleep at all.
    pub enabled: bool,
    /// Root-mean-square speed of the particles below which the body is quiet, in body sizes per second.
    pub speed: f32,
    /// Time that it must be quiet for, in s.
    pub after: f32,
}

impl Default for Sleep {
    fn default() -> Self {
        Self { enabled: true, speed: 2e-3, after: 0.5 }
    }
}

impl Sleep {
    pub(crate) fn is_quiet(&self, motion: &RigidMotion, size: f32) -> bool {
        let limit = f64::from(self.speed * size).powi(2);
        motion.mean_square_speed < limit
    }
}
