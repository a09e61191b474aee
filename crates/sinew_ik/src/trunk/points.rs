//! Points around an object for the parts of a trunk to reach, one after another.

use glam::Vec3;

use crate::obstacle::Obstacle;
use crate::rotation::{across, any_normal, direction_or};
use crate::trig::sin_cos;

/// The three points of the 2007 thesis around a ball (3.8), about its y axis: they turn by 215.8° and lie 3.2, 2.1 and
/// 1.9 radii from the centre. The way from the first to the second cuts the ball; see [`WrapPlan`](super::WrapPlan).
#[must_use]
pub fn trunk_2007(centre: Vec3, radius: f32) -> [Vec3; 3] {
    [Vec3::new(-2.0, 0.0, 2.5), Vec3::new(0.0, 0.0, -2.1), Vec3::new(1.8, 0.0, -0.5)]
        .map(|factor| centre + factor * radius)
}

/// A winding of points about an object: a logarithmic spiral that closes in, drawn out along the axis.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct WrapTurn {
    /// The object is wound about this axis, by the right hand.
    pub axis: Vec3,
    /// The side that the first point lies on: mostly from the object to the trunk's root.
    pub approach: Vec3,
    /// Angle of the first point from that side, in rad.
    pub first_angle: f32,
    /// Angle from point to point, in rad.
    pub step_angle: f32,
    /// Distance to keep from the surface: the bone's radius and a gap.
    pub offset: f32,
    /// Extra distance of the first point, as a share of the surface's.
    pub opening: f32,
    /// How fast that extra falls from point to point: by `e` to this power.
    pub closing: f32,
    /// Way along the axis in a whole turn.
    pub pitch: f32,
}

impl Default for WrapTurn {
    fn default() -> Self {
        Self {
            axis: Vec3::Y,
            approach: Vec3::X,
            first_angle: 0.0,
            step_angle: 50_f32.to_radians(),
            offset: 0.0,
            opening: 0.3,
            closing: 0.7,
            pitch: 0.0,
        }
    }
}

/// Writes points about an object's origin into `out`: at angle `φ_k` where the ray from the origin leaves the surface
/// offset by `offset`, times `1 + opening · e^(−closing k)`.
///
/// Many points with a small step are a winding curve, for [`march_chords`](crate::march_chords) or
/// [`Solver::Spline`](crate::Solver::Spline).
///
/// Points a step of `φ` apart keep the chord between them clear when the opening is at least `1 / cos(φ / 2) − 1`;
/// [`WrapPlan::new`](super::WrapPlan::new) checks it.
pub fn wrap_points(object: &Obstacle<'_>, turn: &WrapTurn, out: &mut [Vec3]) {
    let axis = direction_or(turn.axis, Vec3::Y);
    let e1 = direction_or(across(turn.approach, axis), any_normal(axis));
    let e2 = axis.cross(e1);
    for (k, point) in out.iter_mut().enumerate() {
        let past = turn.step_angle * k as f32;
        let (sine, cosine) = sin_cos(turn.first_angle + past);
        let ray = e1 * cosine + e2 * sine;
        let opening = 1.0 + turn.opening * (-turn.closing * k as f32).exp();
        let along = turn.pitch * past / core::f32::consts::TAU;
        *point =
            object.position + ray * (leaves_at(object, ray, turn.offset) * opening) + axis * along;
    }
}

/// Where a ray from an object's origin is `offset` from its surface.
fn leaves_at(object: &Obstacle<'_>, ray: Vec3, offset: f32) -> f32 {
    let (mut low, mut high) = (0.0, object.bounding_radius() + offset.max(0.0));
    for _ in 0..40 {
        let middle = 0.5 * (low + high);
        let point = object.position + ray * middle;
        if object.proximity(point, point).distance < offset {
            low = middle;
        } else {
            high = middle;
        }
    }
    high
}
