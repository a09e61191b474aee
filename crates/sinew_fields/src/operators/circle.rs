//! The gradient-based blend with a circular fillet, in closed form.

use super::{Composed, union};

/// Where the diamond opening closes: from this value on the operator is the maximum.
const CLOSING: f32 = 0.7;

/// Blends two values of 0 to 1 with a circular profile inside of a diamond-shaped opening.
///
/// The opening is `k(C) = tC` up to ½ and a straight line from (½, t/2) to (0.7, 0.7) above it, with
/// `t` the tangent of the opening angle, from 0 (full blend) to below 1 (union). The value `C` solves
/// `√((f1 - k)² + (f2 - k)²) = C - k`, a quadratic on each straight piece. Gourmel et al. 2013, with the
/// opening of Vaillant et al.'s code. The gradient's direction is continuous; its length jumps at
/// `C = ½` by the opening's kink.
#[inline(always)]
#[must_use]
pub fn blend(f1: f32, f2: f32, tangent: f32) -> Composed {
    let (low, high) = if f1 < f2 { (f1, f2) } else { (f2, f1) };
    let upper_slope = (0.5 * (7.0 - 5.0 * tangent)).max(1.0);
    let upper = (CLOSING * (1.0 - upper_slope), upper_slope);
    let k_of_high = if high <= 0.5 { tangent * high } else { upper.0 + upper.1 * high };
    if high >= CLOSING || low <= k_of_high || low <= 0.0 {
        return union(f1, f2);
    }
    let mut solution = solve(low, high, 0.0, tangent);
    if solution.0 > 0.5 {
        solution = solve(low, high, upper.0, upper.1);
    }
    let (value, offset, slope) = solution;
    let k = offset + slope * value;
    // Rounding may leave the bracket by an ulp or two.
    let value = value.clamp(high, 1.0);
    let (x, y) = (f1 - k, f2 - k);
    let denominator = slope * (x + y) + (value - k) * (1.0 - slope);
    if denominator.is_nan() || denominator.abs() <= 1e-12 {
        return union(f1, f2);
    }
    Composed { value, by_first: x / denominator, by_second: y / denominator }
}

/// The root on the piece `k = a + s C`, with the piece.
#[inline(always)]
fn solve(low: f32, high: f32, a: f32, s: f32) -> (f32, f32, f32) {
    // In terms of E = C - high: the root is small, so that differences keep their digits.
    let k = a + s * high;
    let (x, y) = (low - k, high - k);
    let quadratic = 2.0 * s * s - (1.0 - s) * (1.0 - s);
    let linear = -2.0 * (s * (x + y) + y * (1.0 - s));
    let constant = x * x;
    let discriminant = (linear * linear - 4.0 * quadratic * constant).max(0.0);
    let root = 2.0 * constant / (-linear + discriminant.sqrt());
    (high + root, a, s)
}
