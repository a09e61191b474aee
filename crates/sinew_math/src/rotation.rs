//! The rotation that is nearest to a 3×3 matrix: the R in SO(3) that maximises tr(Rᵀ A).
//!
//! Newton's method on SO(3), warm-started from last step's quaternion. With `B = R(q)ᵀ A`,
//! `s = sym(B)` and `g = axial(B − Bᵀ)`, the step solves `(tr(s) I − s) w = g` and turns by
//! `atan |w|` about `w`, without trigonometry. It is exact at once for a pure rotation below 90° and
//! squares the error otherwise (from 0.1 rad at 30 % stretch: 4e-5, then 3e-15), where the first-order
//! iteration of Müller, Bender, Chentanez and Macklin (2016) only shrinks it to about a half.
//!
//! Where the Hessian is not positive definite, or the step is long, a first-order step is taken
//! instead, so that any start converges. The search never leaves SO(3): a mirrored matrix gives a
//! proper rotation, and its symmetric factor gets one negative eigenvalue.

use glam::{DMat3, DQuat, DVec3, Mat3, Quat, Vec3};

use crate::lane::{Lane, M3, Q4, S3, V3};
use crate::symmetric::eigen;

/// Longest Newton step, as |w|²; beyond it the quadratic model is not trusted.
const LONGEST_NEWTON_STEP_SQUARED: f32 = 1.5;
/// A second iteration is taken when some lane turned by more than this, as |w|² (0.2 rad).
const SECOND_ITERATION_SQUARED: f32 = 0.04;
/// A gradient below this, relative to the Hessian's trace, counts as none when looking for a saddle.
const SADDLE_GRADIENT: f32 = 1e-4;
/// The turn that leaves a saddle: fixed, so that results repeat, and along no symmetry axis.
const SADDLE_TURN: Vec3 = Vec3::new(0.05, 0.083, 0.031);
/// A Hessian eigenvalue below minus this, relative to its norm, means that a point is no maximum.
const SADDLE_CURVATURE: f64 = 1e-9;
/// The smallest eigenvalue, relative to the norm, that a cold start leaves in its Hessian.
const SHIFT_MARGIN: f64 = 1e-3;
/// Iterations after which a cold start is given up; Newton needs about ten, a nearly singular Hessian
/// more.
const COLD_ITERATIONS: usize = 64;

/// Turns `q` by one step towards the rotation of `a`; returns the new quaternion and |w|².
///
/// A lane whose matrix is zero keeps its quaternion.
#[inline(always)]
#[must_use]
pub fn newton_step<L: Lane>(a: M3<L>, q: Q4<L>) -> (Q4<L>, L) {
    let t = q.x.token();
    let b = q.to_matrix().transpose_mul(a);
    let [b0, b1, b2] = b.cols;
    let s = b.symmetric_part();
    let g = V3 { x: b1.z - b2.y, y: b2.x - b0.z, z: b0.y - b1.x };
    let trace = s.xx + s.yy + s.zz;
    // H = tr(s) I − s, symmetric. Its off-diagonal entries are those of s with the other sign, which is
    // taken into the signs below.
    let (hxx, hyy, hzz) = (trace - s.xx, trace - s.yy, trace - s.zz);
    // Adjugate and determinant.
    let (axx, ayy, azz) =
        (hyy * hzz - s.yz * s.yz, hxx * hzz - s.xz * s.xz, hxx * hyy - s.xy * s.xy);
    let (axy, axz, ayz) =
        (s.xz * s.yz + s.xy * hzz, s.xy * s.yz + s.xz * hyy, s.xy * s.xz + hxx * s.yz);
    let det = hxx * axx - s.xy * axy - s.xz * axz;
    let newton = V3 {
        x: axx * g.x + axy * g.y + axz * g.z,
        y: axy * g.x + ayy * g.y + ayz * g.z,
        z: axz * g.x + ayz * g.y + azz * g.z,
    } * (L::splat(t, 1.0) / det);
    // Sylvester's criterion, with a margin that scales as the entries do.
    let scale = trace.abs();
    let tiny = L::splat(t, 1e-6);
    let definite = (tiny * scale)
        .lt(hxx)
        .and((tiny * scale * scale).lt(azz))
        .and((tiny * scale * scale * scale).lt(det));
    let square = newton.dot(newton);
    let trusted = definite.and(square.lt(L::splat(t, LONGEST_NEWTON_STEP_SQUARED)));
    let (w, ww) = if trusted.all() {
        (newton, square)
    } else {
        // Of the off-diagonal entries only the squares matter.
        let h = S3 { xx: hxx, yy: hyy, zz: hzz, ..s };
        let ascent = ascend(h, g, trace, axx + ayy + azz, det);
        let w = newton.zip(
            ascent,
            #[inline(always)]
            |yes, no| trusted.select(yes, no),
        );
        (w, w.dot(w))
    };
    let c = L::splat(t, 1.0) + (L::splat(t, 1.0) + ww).sqrt();
    let turned = Q4 {
        x: q.w * w.x + q.x * c + q.y * w.z - q.z * w.y,
        y: q.w * w.y - q.x * w.z + q.y * c + q.z * w.x,
        z: q.w * w.z + q.x * w.y - q.y * w.x + q.z * c,
        w: q.w * c - q.x * w.x - q.y * w.y - q.z * w.z,
    };
    let square =
        turned.x * turned.x + turned.y * turned.y + turned.z * turned.z + turned.w * turned.w;
    let inverse = L::splat(t, 1.0) / square.sqrt();
    (
        Q4 {
            x: turned.x * inverse,
            y: turned.y * inverse,
            z: turned.z * inverse,
            w: turned.w * inverse,
        },
        ww,
    )
}

/// The step of lanes that Newton's method cannot be trusted with: along the gradient `g` of the Hessian
/// `h`, whose three invariants are given, or off a saddle.
#[inline(always)]
fn ascend<L: Lane>(h: S3<L>, g: V3<L>, trace: L, second_invariant: L, det: L) -> V3<L> {
    let t = trace.token();
    let (tiny, smallest) = (L::splat(t, 1e-6), L::splat(t, 1e-30));
    let scale = trace.abs();
    let length = g.dot(g).sqrt();
    let off = h.xy * h.xy + h.xz * h.xz + h.yz * h.yz;
    let norm = (L::splat(t, 0.5) * (h.xx * h.xx + h.yy * h.yy + h.zz * h.zz) + off).sqrt();
    // A stationary point that is no maximum: some eigenvalue of H is below zero.
    let indefinite = trace
        .lt(-(tiny * (h.xx.abs() + h.yy.abs() + h.zz.abs())))
        .or(second_invariant.lt(-(tiny * scale * scale)))
        .or(det.lt(-(tiny * scale * scale * scale)));
    let saddle = indefinite.and(length.lt(L::splat(t, SADDLE_GRADIENT) * norm));
    // The Hessian's norm bounds the step, so that it cannot cycle; a bolder one is safe far away only. (A
    // line turned by a small angle has an indefinite Hessian too, and would overshoot.)
    let far_away = indefinite.and(trace.lt(L::splat(t, 0.5) * norm));
    let first_order = g * far_away.select(
        L::splat(t, 2.0) / (length + scale.max(norm) + smallest),
        L::splat(t, 1.0) / (scale.max(norm) + smallest),
    );
    let turn = V3::<L>::splat(t, SADDLE_TURN);
    turn.zip(
        first_order,
        #[inline(always)]
        |yes, no| saddle.select(yes, no),
    )
}

/// Follows the rotation of `a` from last step's `q`: one iteration, and a second one when some lane
/// turned by more than 0.2 rad.
#[inline(always)]
#[must_use]
pub fn follow<L: Lane>(a: M3<L>, q: Q4<L>) -> Q4<L> {
    // A loop, so that the step is compiled once.
    let mut rotation = q;
    let mut left = 2;
    loop {
        let (turned, ww) = newton_step(a, rotation);
        rotation = turned;
        left -= 1;
        if left == 0 || !L::splat(ww.token(), SECOND_ITERATION_SQUARED).lt(ww).any() {
            return rotation;
        }
    }
}

/// The rotation nearest to `a`, from any start, to single precision.
///
/// A matrix of rank 0 or 1 leaves part of the rotation open: that part stays as in `start`.
/// Entries that are not finite give `start` back.
#[must_use]
pub fn nearest_rotation(a: Mat3, start: Quat) -> Quat {
    nearest_rotation_f64(a.as_dmat3(), start.as_dquat()).as_quat().normalize()
}

/// The rotation nearest to `a`, from any start, to double precision. See [`nearest_rotation`].
#[must_use]
pub fn nearest_rotation_f64(a: DMat3, start: DQuat) -> DQuat {
    let largest = a.to_cols_array().iter().fold(0.0_f64, |m, v| m.max(v.abs()));
    if !a.is_finite() || largest <= 0.0 || !start.is_finite() || start.length_squared() == 0.0 {
        return start;
    }
    // In two steps, so that the factor of the smallest matrices does not overflow.
    let a = DMat3::from_cols_array(&a.to_cols_array().map(|v| v / largest));
    let mut q = start.normalize();
    for _ in 0..COLD_ITERATIONS {
        let (next, ww) = newton_step_f64(a, q);
        q = next;
        if ww < 1e-28 {
            break;
        }
    }
    q
}

/// One step of Newton's method with the Hessian shifted until it is positive definite.
fn newton_step_f64(a: DMat3, q: DQuat) -> (DQuat, f64) {
    let b = DMat3::from_quat(q).transpose() * a;
    let s = (b + b.transpose()) * 0.5;
    let g = DVec3::new(b.y_axis.z - b.z_axis.y, b.z_axis.x - b.x_axis.z, b.x_axis.y - b.y_axis.x);
    let trace = s.x_axis.x + s.y_axis.y + s.z_axis.z;
    let h = DMat3::from_diagonal(DVec3::splat(trace)) - s;
    let norm = h.to_cols_array().iter().map(|v| v * v).sum::<f64>().sqrt();
    let margin = SHIFT_MARGIN * norm;
    if is_definite(h - DMat3::from_diagonal(DVec3::splat(margin))) {
        return turned_by(h.inverse() * g, q);
    }
    let lowest = eigen(h).0.min_element();
    let w = if lowest < -SADDLE_CURVATURE * norm && g.length() < f64::from(SADDLE_GRADIENT) * norm {
        SADDLE_TURN.as_dvec3()
    } else {
        let shift = (margin - lowest).max(0.0) + f64::MIN_POSITIVE;
        (h + DMat3::from_diagonal(DVec3::splat(shift))).inverse() * g
    };
    turned_by(w, q)
}

/// Whether a symmetric matrix is positive definite (Sylvester's criterion).
fn is_definite(m: DMat3) -> bool {
    let minor = m.x_axis.x * m.y_axis.y - m.x_axis.y * m.x_axis.y;
    m.x_axis.x > 0.0 && minor > 0.0 && m.determinant() > 0.0
}

/// `q` turned by `atan |w|` about `w`, which is cut to the longest step; and |w|².
fn turned_by(w: DVec3, q: DQuat) -> (DQuat, f64) {
    let w = w.clamp_length_max(f64::from(LONGEST_NEWTON_STEP_SQUARED).sqrt());
    let ww = w.length_squared();
    let turn = DQuat::from_xyzw(w.x, w.y, w.z, 1.0 + (1.0 + ww).sqrt());
    ((q * turn).normalize(), ww)
}
