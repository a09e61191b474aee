//! Particles that are held in place or moved by hand.

use bevy_ecs::prelude::*;
use bevy_math::{Mat3, Quat, Vec3};
use bevy_reflect::prelude::*;
use bevy_time::Time;
use sinew_elastic::glam::DVec3;
use sinew_elastic::{ElasticShape, RigidPose};

use crate::body::{BodyState, DeformableBody};
use crate::pose::PoseRecord;

/// Holds particles of a body at places in the world. An edit wakes the body.
///
/// Particles that the body does not have, and places that are not finite, are passed over. Places that
/// jump in one tick by more than the size of the body, beyond what their velocities say, carry the body
/// along as a whole, as [`Teleport::carry`](crate::Teleport::carry) does: it is not torn, and touches
/// nothing on the way.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
pub struct HeldParticles(pub Vec<HeldParticle>);

/// One particle that is held.
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Default, Debug, Clone, PartialEq)]
pub struct HeldParticle {
    /// The particle's index in the shape.
    pub particle: u32,
    /// World position at the end of the tick.
    pub position: Vec3,
    /// Velocity, in m/s: where it comes from during the tick.
    pub velocity: Vec3,
}

impl From<HeldParticle> for sinew_elastic::Anchor {
    fn from(held: HeldParticle) -> Self {
        Self {
            particle: held.particle,
            position: held.position.as_dvec3(),
            velocity: held.velocity,
        }
    }
}

/// Carries bodies along whose held particles jump.
pub(crate) fn follow_jumps(
    time: Res<Time>,
    mut bodies: Query<(&DeformableBody, &HeldParticles, &mut BodyState, &mut PoseRecord)>,
) {
    let dt = time.delta_secs();
    if dt <= 0.0 {
        return;
    }
    for (body, held, mut state, mut record) in &mut bodies {
        let Some(shape) = &body.shape else { continue };
        let Some(kernel) = state.kernel_of(shape) else { continue };
        let Some(to) = jumped_pose(kernel, shape, &held.0, dt) else { continue };
        if let Some(kernel) = state.kernel_mut() {
            kernel.teleport(shape, to);
            let record = record.bypass_change_detection();
            record.dirty = true;
            record.jumped = true;
        }
    }
}

/// Where the body goes with held particles that jump further than it is large; `None` without a jump.
fn jumped_pose(
    kernel: &sinew_elastic::BodyState,
    shape: &ElasticShape,
    held: &[HeldParticle],
    dt: f32,
) -> Option<RigidPose> {
    let ways = held.iter().filter_map(|held| {
        let start = (held.position - held.velocity * dt).as_dvec3();
        let known = (held.particle as usize) < shape.particle_count() && start.is_finite();
        known.then(|| (kernel.position(shape, held.particle as usize), start))
    });
    let (mut from, mut to, mut count) = (DVec3::ZERO, DVec3::ZERO, 0.0);
    for (before, after) in ways.clone() {
        from += before;
        to += after;
        count += 1.0;
    }
    if count == 0.0 || from.distance(to) <= f64::from(shape.size()) * count {
        return None;
    }
    let (from, to) = (from / count, to / count);
    let arms = ways.map(|(before, after)| [(before - from).as_vec3(), (after - to).as_vec3()]);
    let turn = turn_between(&arms.collect::<Vec<_>>());
    let pose = kernel.rigid_pose(shape);
    let arm = turn.as_dquat() * (pose.translation - from);
    Some(RigidPose { translation: to + arm, rotation: (turn * pose.rotation).normalize() })
}

/// The rotation from the first to the second point of each pair; exact where one fits all of them.
fn turn_between(arms: &[[Vec3; 2]]) -> Quat {
    let longest = |length: &dyn Fn(&[Vec3; 2]) -> f32| {
        arms.iter().copied().max_by(|a, b| length(a).total_cmp(&length(b)))
    };
    let Some(first) = longest(&|arm| arm[0].length_squared()) else { return Quat::IDENTITY };
    let [Some(from), Some(to)] = first.map(Vec3::try_normalize) else { return Quat::IDENTITY };
    let beside = longest(&|arm| arm[0].reject_from_normalized(from).length_squared());
    let frames = beside.and_then(|[before, after]| {
        Some([frame(from, before, first[0])?, frame(to, after, first[1])?])
    });
    match frames {
        Some([before, after]) => Quat::from_mat3(&(after * before.transpose())).normalize(),
        None => Quat::from_rotation_arc(from, to),
    }
}

/// A frame whose first axis is `axis` and whose second points to `point`; `None` for a point that is on
/// the axis but for rounding, as measured by `scale`.
fn frame(axis: Vec3, point: Vec3, scale: Vec3) -> Option<Mat3> {
    /// Points nearer to the axis, by the length of the longest arm, say nothing about the turn about it.
    const ON_AXIS: f32 = 1e-3;
    let across = point.reject_from_normalized(axis);
    let second = across.try_normalize().filter(|_| across.length() > ON_AXIS * scale.length())?;
    Some(Mat3::from_cols(axis, second, axis.cross(second)))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_turn_of_points_that_turn_is_found() {
        let turn = Quat::from_axis_angle(Vec3::new(0.6, 0.0, 0.8), 170_f32.to_radians());
        let corners =
            [Vec3::new(0.2, 0.1, 0.0), Vec3::new(-0.3, 0.1, 0.1), Vec3::new(0.1, -0.2, -0.1)];
        let of = |points: &[Vec3]| {
            turn_between(&points.iter().map(|&p| [p, turn * p]).collect::<Vec<_>>())
        };
        assert!(of(&corners).angle_between(turn) < 1e-3);
        // Two points leave the turn about their line open, one leaves all open.
        let line = [corners[0], -corners[0]];
        assert!((of(&line) * corners[0]).distance(turn * corners[0]) < 1e-5);
        assert_eq!(of(&[Vec3::ZERO]), Quat::IDENTITY);
        assert_eq!(of(&[]), Quat::IDENTITY);
    }
}
