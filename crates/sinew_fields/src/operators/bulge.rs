//! The operator that lets skin rise beside the line where two parts press on each other.

use super::{Composed, union};

/// Where the diamond opening closes: from this value on the operator is the maximum, so that parts
/// overlap without a bulge inside.
const CLOSING: f32 = 0.55;
/// Halvings that a value can need at most.
const MOST_STEPS: usize = 24;

/// Composes two values of 0 to 1 with a profile that has a lip on each side of its corner.
///
/// The profile in the quarter plane is `y(t) = 1 - m (1 - t) e^{1 - 1/t}` from (0, 1) to (1, 1), mirrored
/// at the diagonal: on the diagonal it is the maximum, beside it the value is larger. `tangent` is that of
/// the opening angle (0 fully open, below 1), `magnitude` is `m`, from 0 (the maximum) to 0.9. The
/// value `C` solves `high - k = (C - k) y((low - k) / (C - k))`, `k = k(C)` being a diamond opening that
/// closes at 0.55. Gourmel et al. 2013 and Vaillant et al.'s code.
#[inline(always)]
#[must_use]
pub fn bulge(f1: f32, f2: f32, tangent: f32, magnitude: f32) -> Composed {
    let (low, high) = if f1 < f2 { (f1, f2) } else { (f2, f1) };
    let steep = ((CLOSING - 0.5 * tangent) / (CLOSING - 0.5)).max(1.0);
    let opening = |c: f32| {
        if c <= 0.5 { (tangent * c, tangent) } else { (CLOSING - steep * (CLOSING - c), steep) }
    };
    if high >= CLOSING || low <= opening(high).0 || low <= 0.0 || magnitude <= 0.0 {
        return union(f1, f2);
    }
    // The residual falls with C and changes sign between `high` and the value where k reaches `low`.
    let residual = |c: f32| {
        let (k, slope) = opening(c);
        let unit = c - k;
        let t = ((low - k) / unit).clamp(0.0, 1.0);
        let (y, dy) = profile(t, magnitude);
        let by_c = -slope - (1.0 - slope) * y + dy * (slope + t * (1.0 - slope));
        (high - k - unit * y, by_c, dy)
    };
    let (mut from, mut to) = (high, CLOSING);
    let mut c = high;
    let mut slopes = (-1.0, 0.0);
    for _ in 0..MOST_STEPS {
        let (value, by_c, dy) = residual(c);
        slopes = (by_c, dy);
        if value.abs() <= 1e-7 {
            break;
        }
        if value > 0.0 {
            from = c;
        } else {
            to = c;
        }
        let newton = c - value / by_c;
        // The negated comparison also catches a slope of zero.
        c = if newton > from && newton < to { newton } else { 0.5 * (from + to) };
    }
    let (by_c, dy) = slopes;
    if by_c.is_nan() || by_c >= -1e-6 {
        return union(f1, f2);
    }
    let (by_high, by_low) = (-by_c.recip(), dy / by_c);
    let value = c.clamp(high, 1.0);
    if f1 < f2 {
        Composed { value, by_first: by_low, by_second: by_high }
    } else {
        Composed { value, by_first: by_high, by_second: by_low }
    }
}

/// The profile and its derivative.
#[inline(always)]
fn profile(t: f32, magnitude: f32) -> (f32, f32) {
    if t < 0.01 {
        return (1.0, 0.0);
    }
    let decay = magnitude * (1.0 - t.recip()).exp();
    (1.0 - decay * (1.0 - t), decay * (1.0 - (1.0 - t) / (t * t)))
}
