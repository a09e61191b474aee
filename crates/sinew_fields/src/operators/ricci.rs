//! The blend of Ricci 1973.

use super::{Composed, union};

/// `(f1ⁿ + f2ⁿ)^{1/n}`: 2 gives a circular profile, infinity the maximum. Values from 0 to 1, `n` from 1.
///
/// The value can exceed 1 where both are large.
#[inline(always)]
#[must_use]
pub fn ricci(f1: f32, f2: f32, n: f32) -> Composed {
    let (low, high) = if f1 < f2 { (f1, f2) } else { (f2, f1) };
    if low <= 0.0 {
        return union(f1, f2);
    }
    let ratio = low / high;
    let power = if n == 2.0 { ratio * ratio } else { ratio.powf(n) };
    let sum = 1.0 + power;
    let root = if n == 2.0 { sum.sqrt() } else { sum.powf(n.recip()) };
    // ∂g/∂f = (f / g)^{n-1}
    let by_high = root / sum;
    let by_low = by_high * power / ratio;
    let value = high * root;
    if f1 < f2 {
        Composed { value, by_first: by_low, by_second: by_high }
    } else {
        Composed { value, by_first: by_high, by_second: by_low }
    }
}
