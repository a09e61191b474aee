//! How far a joint may turn from its rest rotation.
//!
//! A limit bounds the *relative* rotation `rest⁻¹ · local`, so that axes are given in the joint's own space
//! at rest and angle zero is the rest rotation. Swing and twist are those of `relative = swing · twist`
//! (Aristidou and Lasenby 2011, section 4, split a bone's rotation in the same way).

use core::f32::consts::{PI, TAU};

use glam::{Quat, Vec3};
use thiserror::Error;

use crate::rotation::{NO_DIRECTION, about, across, direction_or, swing_twist, unit};
use crate::trig::{atan2, sin_cos};

/// Where a joint may turn to. Angles in rad, axes in joint space at rest (any length but zero).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Limit {
    /// Anywhere.
    #[default]
    Free,
    /// About one axis, from `min` to `max`. The range may lie anywhere: [−225°, −135°] is [135°, 225°].
    Hinge {
        /// The axis.
        axis: Vec3,
        /// Smallest angle.
        min: f32,
        /// Largest angle, at least `min`.
        max: f32,
    },
    /// The axis stays within a cone about its rest direction; it may twist freely.
    Cone {
        /// Mostly the direction of the bone.
        axis: Vec3,
        /// Half the opening angle, in [0, π].
        half_angle: f32,
    },
    /// A cone of four half-angles: towards `up`, `right = axis × up`, down and left.
    Ellipse {
        /// Mostly the direction of the bone.
        axis: Vec3,
        /// Where the first half-angle is counted; made normal to the axis.
        up: Vec3,
        /// Half-angles towards up, right, down and left, each in [0, π].
        half_angles: [f32; 4],
    },
    /// An elliptic cone, and a range of twist about the axis.
    SwingTwist {
        /// Mostly the direction of the bone; the axis of the twist.
        axis: Vec3,
        /// Where the first half-angle is counted; made normal to the axis.
        up: Vec3,
        /// Half-angles towards up, right, down and left, each in [0, π].
        half_angles: [f32; 4],
        /// Smallest and largest twist, within [−π, π].
        twist: [f32; 2],
    },
    /// Each of the three angles of `relative = X · Y · Z` in its own range.
    PerAxis {
        /// Smallest angles about x, y and z.
        min: Vec3,
        /// Largest angles about x, y and z, at least `min`.
        max: Vec3,
    },
    /// The joint keeps the rotation of the base pose, bit for bit.
    Fixed,
}

/// Why a limit cannot be used.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum LimitError {
    /// An axis has no direction.
    #[error("the axis is zero or not finite: give any non-zero direction in joint space")]
    Axis,
    /// `up` has no part normal to the axis.
    #[error("`up` is along the axis or not finite: give a direction across it")]
    Up,
    /// A range is empty or not finite.
    #[error("the range is not finite or its minimum is above its maximum: swap or correct them")]
    Range,
    /// A half-angle is outside [0, π].
    #[error("a half-angle is outside [0, π] rad: angles are in rad, not degrees")]
    HalfAngle,
}

/// A rotation after a limit was applied.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Clamped {
    /// The rotation within the limit; the very one that was given, if that was within.
    pub rotation: Quat,
    /// The limit had to change it.
    pub active: bool,
}

impl Limit {
    /// The same with unit axes.
    ///
    /// # Errors
    /// When an axis has no direction or a range is empty, not finite or, for half-angles, outside [0, π].
    pub fn validated(self) -> Result<Self, LimitError> {
        let unit_axis = |axis: Vec3| {
            if axis.is_finite() && axis.length_squared() > NO_DIRECTION {
                Ok(axis.normalize())
            } else {
                Err(LimitError::Axis)
            }
        };
        let unit_up = |axis: Vec3, up: Vec3| {
            let normal = across(up, axis);
            if normal.is_finite() && normal.length_squared() > 1e-8 * up.length_squared() {
                Ok(normal.normalize())
            } else {
                Err(LimitError::Up)
            }
        };
        let range = |min: f32, max: f32| {
            let good = min.is_finite() && max.is_finite() && min <= max;
            if good { Ok(()) } else { Err(LimitError::Range) }
        };
        let half = |angles: &[f32]| {
            // One ulp of room, so that `180_f32.to_radians()` passes.
            let good = angles.iter().all(|a| (0.0..=PI + 1e-6).contains(a));
            if good { Ok(()) } else { Err(LimitError::HalfAngle) }
        };
        Ok(match self {
            Self::Free | Self::Fixed => self,
            Self::Hinge { axis, min, max } => {
                range(min, max)?;
                Self::Hinge { axis: unit_axis(axis)?, min, max }
            }
            Self::Cone { axis, half_angle } => {
                half(&[half_angle])?;
                Self::Cone { axis: unit_axis(axis)?, half_angle }
            }
            Self::Ellipse { axis, up, half_angles } => {
                half(&half_angles)?;
                let axis = unit_axis(axis)?;
                Self::Ellipse { axis, up: unit_up(axis, up)?, half_angles }
            }
            Self::SwingTwist { axis, up, half_angles, twist } => {
                half(&half_angles)?;
                range(twist[0], twist[1])?;
                let axis = unit_axis(axis)?;
                Self::SwingTwist { axis, up: unit_up(axis, up)?, half_angles, twist }
            }
            Self::PerAxis { min, max } => {
                for k in 0..3 {
                    range(min[k], max[k])?;
                }
                self
            }
        })
    }

    /// The rotation nearest in the limit's own terms (angle, swing, twist) to a unit relative rotation.
    ///
    /// The limit must have come from [`Limit::validated`].
    #[must_use]
    pub fn clamp(&self, relative: Quat) -> Clamped {
        match *self {
            Self::Free | Self::Fixed => Clamped { rotation: relative, active: false },
            Self::Hinge { axis, min, max } => clamp_hinge(relative, axis, min, max),
            Self::Cone { axis, half_angle } => clamp_cone(relative, axis, half_angle),
            Self::Ellipse { axis, up, half_angles } => {
                clamp_ellipse(relative, axis, up, half_angles)
            }
            Self::SwingTwist { axis, up, half_angles, twist } => {
                clamp_swing_twist(relative, axis, up, half_angles, twist)
            }
            Self::PerAxis { min, max } => clamp_per_axis(relative, min, max),
        }
    }
}

/// The angle that is equal to `angle` up to whole turns and lies nearest to the middle of the range, then clamped.
fn clamp_angle(angle: f32, min: f32, max: f32) -> (f32, bool) {
    if max - min >= TAU {
        return (angle, false);
    }
    let middle = 0.5 * (min + max);
    let turns = ((angle - middle) / TAU).round();
    let near = angle - turns * TAU;
    let clamped = near.clamp(min, max);
    (clamped, clamped != near)
}

/// The angle of a rotation about an axis, in [−π, π]; its other parts are left out.
pub(crate) fn angle_about(q: Quat, axis: Vec3) -> f32 {
    let along = Vec3::new(q.x, q.y, q.z).dot(axis);
    let (along, w) = if q.w < 0.0 { (-along, -q.w) } else { (along, q.w) };
    2.0 * atan2(along, w)
}

fn clamp_hinge(relative: Quat, axis: Vec3, min: f32, max: f32) -> Clamped {
    let xyz = Vec3::new(relative.x, relative.y, relative.z);
    let off_axis = across(xyz, axis).length_squared();
    let (angle, active) = clamp_angle(angle_about(relative, axis), min, max);
    // Rounding alone takes a hinge off its axis by less than this.
    if !active && off_axis < 1e-12 {
        return Clamped { rotation: relative, active };
    }
    Clamped { rotation: about(axis, angle), active: active || off_axis > 1e-8 }
}

fn clamp_cone(relative: Quat, axis: Vec3, half_angle: f32) -> Clamped {
    // cos²(swing / 2) of a unit quaternion is w² plus the square of its part along the axis.
    let along = Vec3::new(relative.x, relative.y, relative.z).dot(axis);
    let half_cosine = sin_cos(0.5 * half_angle).1;
    if along * along + relative.w * relative.w >= half_cosine * half_cosine {
        return Clamped { rotation: relative, active: false };
    }
    let (swing, twist) = swing_twist(relative, axis);
    let normal = direction_or(across(Vec3::new(swing.x, swing.y, swing.z), axis), Vec3::ZERO);
    let normal = if swing.w < 0.0 { -normal } else { normal };
    if normal == Vec3::ZERO {
        return Clamped { rotation: twist, active: true };
    }
    Clamped { rotation: unit(about(normal, half_angle) * twist), active: true }
}

/// Swing as the pair (towards up, towards right) of length sin(angle / 2).
fn swing_coordinates(swing: Quat, axis: Vec3, up: Vec3) -> (f32, f32) {
    let xyz = Vec3::new(swing.x, swing.y, swing.z);
    let xyz = if swing.w < 0.0 { -xyz } else { xyz };
    let right = axis.cross(up);
    // A turn about n moves the axis towards n × axis: up is reached by turning about right, right about −up.
    (xyz.dot(right), -xyz.dot(up))
}

fn clamp_ellipse(relative: Quat, axis: Vec3, up: Vec3, half_angles: [f32; 4]) -> Clamped {
    let (swing, twist) = swing_twist(relative, axis);
    let (to_up, to_right) = swing_coordinates(swing, axis, up);
    let [most_up, most_right, most_down, most_left] = half_angles;
    // Half-angles of zero leave a slit; a hair of width keeps the division finite.
    let half_sine = |angle: f32| sin_cos(0.5 * angle).0.max(1e-6);
    let vertical = half_sine(if to_up >= 0.0 { most_up } else { most_down });
    let horizontal = half_sine(if to_right >= 0.0 { most_right } else { most_left });
    let (x, y) = (to_up / vertical, to_right / horizontal);
    let square = x * x + y * y;
    if square <= 1.0 {
        return Clamped { rotation: relative, active: false };
    }
    // Along the ray from the rest direction: not the nearest point of the ellipse, but always on it, and
    // continuous.
    let scale = 1.0 / square.sqrt();
    let (to_up, to_right) = (to_up * scale, to_right * scale);
    let right = axis.cross(up);
    let xyz = right * to_up - up * to_right;
    let w = (1.0 - xyz.length_squared()).max(0.0).sqrt();
    let swing = unit(Quat::from_xyzw(xyz.x, xyz.y, xyz.z, w));
    Clamped { rotation: unit(swing * twist), active: true }
}

fn clamp_swing_twist(
    relative: Quat,
    axis: Vec3,
    up: Vec3,
    half_angles: [f32; 4],
    twist: [f32; 2],
) -> Clamped {
    let swung = clamp_ellipse(relative, axis, up, half_angles);
    let (swing, turn) = swing_twist(swung.rotation, axis);
    let (angle, active) = clamp_angle(angle_about(turn, axis), twist[0], twist[1]);
    if !active {
        return swung;
    }
    Clamped { rotation: unit(swing * about(axis, angle)), active: true }
}

fn clamp_per_axis(relative: Quat, min: Vec3, max: Vec3) -> Clamped {
    let angles = euler_xyz(relative);
    // The same rotation has a second set of angles, on the far side of the middle axis.
    let second = Vec3::new(angles.x + PI, PI - angles.y, angles.z + PI);
    let clamp = |angles: Vec3| {
        let mut clamped = angles;
        let mut excess = 0.0;
        for k in 0..3 {
            let (angle, active) = clamp_angle(angles[k], min[k], max[k]);
            if active {
                let turns = ((angles[k] - 0.5 * (min[k] + max[k])) / TAU).round();
                excess += (angles[k] - turns * TAU - angle).abs();
            }
            clamped[k] = angle;
        }
        (clamped, excess)
    };
    let (near, far) = (clamp(angles), clamp(second));
    let (best, excess) = if far.1 < near.1 { far } else { near };
    if excess <= 0.0 {
        return Clamped { rotation: relative, active: false };
    }
    let rotation = about(Vec3::X, best.x) * about(Vec3::Y, best.y) * about(Vec3::Z, best.z);
    Clamped { rotation: unit(rotation), active: true }
}

/// Angles of `X · Y · Z`; the middle one in [−π/2, π/2]. Where it is ±π/2 the last one is zero.
fn euler_xyz(q: Quat) -> Vec3 {
    let m = |a: f32, b: f32| 2.0 * a * b;
    // Entries of the rotation matrix, row and column.
    let m02 = m(q.x, q.z) + m(q.w, q.y);
    let m12 = m(q.y, q.z) - m(q.w, q.x);
    let m22 = 1.0 - m(q.x, q.x) - m(q.y, q.y);
    let m01 = m(q.x, q.y) - m(q.w, q.z);
    let m00 = 1.0 - m(q.y, q.y) - m(q.z, q.z);
    let cosine = (m12 * m12 + m22 * m22).sqrt();
    let y = atan2(m02, cosine);
    if cosine > 1e-6 {
        return Vec3::new(atan2(-m12, m22), y, atan2(-m01, m00));
    }
    let m10 = m(q.x, q.y) + m(q.w, q.z);
    let m11 = 1.0 - m(q.x, q.x) - m(q.z, q.z);
    Vec3::new(atan2(m10 * m02.signum(), m11), y, 0.0)
}
