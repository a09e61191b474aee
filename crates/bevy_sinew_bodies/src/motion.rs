//! Particle positions of two ticks, for those who draw between them.

use bevy_ecs::prelude::*;
use bevy_math::{Isometry3d, Vec3};
use bevy_reflect::prelude::*;

/// Asks for the particle positions of a body, at the last two ticks, in body space.
///
/// Insert it beside [`DeformableBody`](crate::DeformableBody); `Writeback` fills it. Both lists are
/// relative to the pose that the entity's `Transform` has after the tick, so that a mesh of their blend
/// is drawn with that `Transform`. A body that was just placed or teleported has equal lists. Untouched
/// (no change detection) while the body sleeps. Not part of the state: rollback need not keep it.
#[derive(Component, Clone, Debug, Default, Reflect)]
#[reflect(Component, Default, Debug, Clone)]
pub struct BodyMotion {
    #[reflect(ignore)]
    previous: Vec<Vec3>,
    #[reflect(ignore)]
    current: Vec<Vec3>,
    #[reflect(ignore)]
    pub(crate) pose: Isometry3d,
}

impl BodyMotion {
    /// Positions at the end of the tick before the last; empty before the body was placed.
    #[must_use]
    pub fn previous(&self) -> &[Vec3] {
        &self.previous
    }

    /// Positions at the end of the last tick; empty before the body was placed.
    #[must_use]
    pub fn current(&self) -> &[Vec3] {
        &self.current
    }

    /// Pose of body space in the world at the end of the last tick.
    #[must_use]
    pub fn world_from_body(&self) -> Isometry3d {
        self.pose
    }

    /// Whether the two ticks differ.
    #[must_use]
    pub fn is_moving(&self) -> bool {
        self.previous != self.current
    }

    /// Writes the positions a `fraction` of the way from the previous tick to the current one.
    pub fn blend(&self, fraction: f32, out: &mut Vec<Vec3>) {
        out.clear();
        out.extend(self.previous.iter().zip(&self.current).map(|(a, b)| a.lerp(*b, fraction)));
    }

    /// Makes room for a new tick: the current positions become the previous ones, seen from `pose`.
    pub(crate) fn advance(
        &mut self,
        fill: impl FnOnce(&mut Vec<Vec3>) -> Option<Isometry3d>,
        jumped: bool,
    ) {
        core::mem::swap(&mut self.previous, &mut self.current);
        let before = self.pose;
        let Some(pose) = fill(&mut self.current) else {
            self.previous.clear();
            return;
        };
        self.pose = pose;
        if jumped || self.previous.len() != self.current.len() {
            self.previous.clone_from(&self.current);
        } else {
            let turn = pose.rotation.inverse() * before.rotation;
            let shift = pose.rotation.inverse() * Vec3::from(before.translation - pose.translation);
            for position in &mut self.previous {
                *position = turn * *position + shift;
            }
        }
    }

    /// The body does not move: both ticks are the current one.
    pub(crate) fn settle(&mut self) {
        self.previous.clone_from(&self.current);
    }
}
