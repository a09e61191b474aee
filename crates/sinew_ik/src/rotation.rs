//! Small rotations algebra that every solver shares: arcs, fractions, swing and twist.
//!
//! All functions take and return unit quaternions and unit vectors, and none of them makes NaN of finite input.

use glam::{Quat, Vec3};

use crate::trig::{atan2, sin_cos};

/// Directions nearer to opposite than this have no usable common normal.
const OPPOSITE: f32 = -0.999_999;
/// Directions nearer to opposite than this need care.
const FOLDED: f32 = -0.9;
/// Squared lengths below this have no direction.
pub(crate) const NO_DIRECTION: f32 = 1e-20;

/// `v` scaled to length one, or `fallback` where it has no length.
pub(crate) fn direction_or(v: Vec3, fallback: Vec3) -> Vec3 {
    let square = v.length_squared();
    if square > NO_DIRECTION && square.is_finite() { v / square.sqrt() } else { fallback }
}

/// A unit vector at a right angle to the unit vector `v`, always the same one.
pub(crate) fn any_normal(v: Vec3) -> Vec3 {
    // Away from the axis that `v` is nearest to.
    let other = if v.y.abs() < 0.9 { Vec3::Y } else { Vec3::X };
    direction_or(other - v * v.dot(other), Vec3::Z)
}

/// The part of `v` at a right angle to the unit vector `axis`.
pub(crate) fn across(v: Vec3, axis: Vec3) -> Vec3 {
    v - axis * v.dot(axis)
}

/// Scaled to unit length; the identity for quaternions without length.
pub(crate) fn unit(q: Quat) -> Quat {
    let square = q.length_squared();
    if square > 1e-20 && square.is_finite() { q * (1.0 / square.sqrt()) } else { Quat::IDENTITY }
}

/// [`unit`] for quaternions that are nearly so already, without a root: one Newton step.
pub(crate) fn renormalized(q: Quat) -> Quat {
    q * (1.5 - 0.5 * q.length_squared())
}

/// The smallest rotation that takes the direction `from` to the direction `to`.
///
/// Opposite directions are joined by half a turn about `hint` (made normal to `from`), or about any normal
/// where the hint is of no use.
pub(crate) fn arc(from: Vec3, to: Vec3, hint: Vec3) -> Quat {
    let cosine = from.dot(to);
    let axis = from.cross(to);
    if cosine > FOLDED {
        return unit(Quat::from_xyzw(axis.x, axis.y, axis.z, 1.0 + cosine));
    }
    if cosine > OPPOSITE {
        // The short cross product has lost digits: what makes it lean over to `from` would show twice in the result.
        let axis = direction_or(across(axis, from), any_normal(from));
        let w = 0.5 * (from + to).length();
        let sine = (1.0 - w * w).max(0.0).sqrt();
        return Quat::from_xyzw(axis.x * sine, axis.y * sine, axis.z * sine, w);
    }
    let axis = direction_or(across(hint, from), any_normal(from));
    Quat::from_xyzw(axis.x, axis.y, axis.z, 0.0)
}

/// The rotation about the unit vector `axis` by `angle` rad.
pub(crate) fn about(axis: Vec3, angle: f32) -> Quat {
    let (sine, cosine) = sin_cos(0.5 * angle);
    Quat::from_xyzw(axis.x * sine, axis.y * sine, axis.z * sine, cosine)
}

/// The rotation for a small rotation vector by Cayley's map: exact in axis, `2 atan(|w| / 2)` in angle.
pub(crate) fn cayley(w: Vec3) -> Quat {
    unit(Quat::from_xyzw(0.5 * w.x, 0.5 * w.y, 0.5 * w.z, 1.0))
}

/// Undoes [`cayley`]; rotations near half a turn are cut to a long vector.
pub(crate) fn cayley_vector(q: Quat) -> Vec3 {
    let w = if q.w.abs() < 1e-3 { 1e-3_f32.copysign(q.w) } else { q.w };
    Vec3::new(q.x, q.y, q.z) * (2.0 / w)
}

/// The rotation vector (axis times angle, in rad, at most half a turn) of a rotation.
pub(crate) fn rotation_vector(q: Quat) -> Vec3 {
    let q = if q.w < 0.0 { -q } else { q };
    let xyz = Vec3::new(q.x, q.y, q.z);
    let sine = xyz.length();
    if sine < 1e-8 { xyz * 2.0 } else { xyz * (2.0 * atan2(sine, q.w) / sine) }
}

/// The angle of a rotation in rad, in [0, π].
pub(crate) fn angle(q: Quat) -> f32 {
    2.0 * atan2(Vec3::new(q.x, q.y, q.z).length(), q.w.abs())
}

/// The share `k` of a rotation, the short way.
pub(crate) fn fraction(q: Quat, k: f32) -> Quat {
    let q = if q.w < 0.0 { -q } else { q };
    let xyz = Vec3::new(q.x, q.y, q.z);
    let sine = xyz.length();
    if sine < 1e-8 {
        return unit(Quat::from_xyzw(k * q.x, k * q.y, k * q.z, 1.0));
    }
    about(xyz / sine, 2.0 * k * atan2(sine, q.w))
}

/// The rotation, or its part of `most` rad if it is larger.
pub(crate) fn at_most(q: Quat, most: f32) -> Quat {
    let full = angle(q);
    if full <= most { q } else { fraction(q, most / full) }
}

/// Splits `q = swing · twist`, where the twist turns about the unit vector `axis` and the swing about a normal of it.
///
/// At half a turn of swing every twist will do; then it is the identity.
pub(crate) fn swing_twist(q: Quat, axis: Vec3) -> (Quat, Quat) {
    let along = Vec3::new(q.x, q.y, q.z).dot(axis);
    let part = axis * along;
    let twist = Quat::from_xyzw(part.x, part.y, part.z, q.w);
    if twist.length_squared() < 1e-18 {
        return (q, Quat::IDENTITY);
    }
    let twist = unit(twist);
    (q * twist.conjugate(), twist)
}

/// Normalised linear interpolation, the short way: `t = 0` gives `a` and `t = 1` gives `b`, bit for bit.
///
/// It keeps the axis of spherical interpolation; only the speed along it varies.
///
/// ```
/// use sinew_ik::{glam::Quat, nlerp};
/// let quarter = Quat::from_rotation_z(core::f32::consts::FRAC_PI_2);
/// let half = nlerp(Quat::IDENTITY, quarter, 0.5);
/// assert!((half.to_axis_angle().1 - core::f32::consts::FRAC_PI_4).abs() < 1e-6);
/// ```
#[must_use]
pub fn nlerp(a: Quat, b: Quat, t: f32) -> Quat {
    if t <= 0.0 {
        return a;
    }
    if t >= 1.0 {
        return b;
    }
    let b = if a.dot(b) < 0.0 { -b } else { b };
    let mean = a * (1.0 - t) + b * t;
    if mean.length_squared() > 1e-12 { unit(mean) } else { a }
}
