//! Sine, arc tangent and their kin from additions, products, quotients and square roots only.
//!
//! The standard library's functions differ from platform to platform in the last bit. These do not, so that
//! a solve gives the same bits wherever it runs. Errors stay below 3e-7.

use core::f32::consts::{FRAC_PI_2, PI};

/// Sine and cosine of an angle in rad; exact to rounding for angles below a million.
pub(crate) fn sin_cos(angle: f32) -> (f32, f32) {
    use core::f64::consts::{FRAC_2_PI, FRAC_PI_2};
    let x = f64::from(angle);
    let turns = x * FRAC_2_PI;
    // To the nearest quarter turn; a cast is cheaper than `round`, which is a call on old processors.
    let quarter = (turns + if turns < 0.0 { -0.5 } else { 0.5 }) as i64;
    let r = (x - quarter as f64 * FRAC_PI_2) as f32;
    let rr = r * r;
    let series = |c: [f32; 4]| ((c[3] * rr + c[2]) * rr + c[1]) * rr + c[0];
    let sine = r + r * rr * series([-1.0 / 6.0, 1.0 / 120.0, -1.0 / 5_040.0, 1.0 / 362_880.0]);
    let cosine = 1.0 - 0.5 * rr
        + rr * rr * series([1.0 / 24.0, -1.0 / 720.0, 1.0 / 40_320.0, -1.0 / 3_628_800.0]);
    match quarter & 3 {
        0 => (sine, cosine),
        1 => (cosine, -sine),
        2 => (-sine, -cosine),
        _ => (-cosine, sine),
    }
}

/// The angle of the vector `(x, y)` from the x axis, in rad, in [−π, π]; zero for the zero vector.
pub(crate) fn atan2(y: f32, x: f32) -> f32 {
    let (ax, ay) = (x.abs(), y.abs());
    let (small, large) = if ax < ay { (ax, ay) } else { (ay, ax) };
    if large == 0.0 {
        return 0.0;
    }
    // Halving the angle twice leaves at most π/16, where the series is short.
    let t = small / large;
    let t = t / (1.0 + (1.0 + t * t).sqrt());
    let t = t / (1.0 + (1.0 + t * t).sqrt());
    let tt = t * t;
    let series = ((((-1.0 / 11.0 * tt + 1.0 / 9.0) * tt - 1.0 / 7.0) * tt + 1.0 / 5.0) * tt
        - 1.0 / 3.0)
        * tt;
    let octant = 4.0 * (t + t * series);
    let quadrant = if ax < ay { FRAC_PI_2 - octant } else { octant };
    let half = if x < 0.0 { PI - quadrant } else { quadrant };
    if y < 0.0 { -half } else { half }
}

/// The angle in [0, π] whose cosine is `x`; values beyond ±1 count as ±1.
pub(crate) fn acos(x: f32) -> f32 {
    let x = x.clamp(-1.0, 1.0);
    atan2(((1.0 - x) * (1.0 + x)).sqrt(), x)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sine_and_cosine_agree_with_double_precision() {
        for i in -40_000..40_000 {
            let angle = i as f32 * 1.7e-3;
            let (sine, cosine) = sin_cos(angle);
            let exact = f64::from(angle).sin_cos();
            assert!((f64::from(sine) - exact.0).abs() < 2e-7, "sin {angle}");
            assert!((f64::from(cosine) - exact.1).abs() < 2e-7, "cos {angle}");
        }
    }

    #[test]
    fn arc_functions_agree_with_double_precision() {
        for i in 0..4_000 {
            let angle = (f64::from(i) - 2_000.0) / 2_000.0 * core::f64::consts::PI;
            let (y, x) = ((angle.sin() * 3.0) as f32, (angle.cos() * 3.0) as f32);
            assert!((f64::from(atan2(y, x)) - f64::from(y).atan2(f64::from(x))).abs() < 5e-7);
            let c = angle.cos() as f32;
            assert!((f64::from(acos(c)) - f64::from(c).acos()).abs() < 5e-7, "acos {c}");
        }
        assert_eq!(atan2(0.0, 0.0), 0.0);
        assert_eq!(acos(2.0), 0.0);
    }
}
