//! From distance to a value of compact support (Vaillant et al. 2013, the map `t_r`).

/// The value on the skin.
pub const ISO: f32 = 0.5;

/// The value of a distance that is given in support radii, and its derivative.
///
/// `-3/16 x⁵ + 5/8 x³ - 15/16 x + 1/2` between -1 and 1, 1 below and 0 above; twice continuously
/// differentiable everywhere. The derivative is `-15/16 (1 - x²)²`: values grow inward.
#[inline(always)]
#[must_use]
pub fn falloff(x: f32) -> (f32, f32) {
    let x = x.clamp(-1.0, 1.0);
    let squared = x * x;
    let rest = 1.0 - squared;
    let value = 0.5 - x * (0.9375 - squared * (0.625 - 0.1875 * squared));
    (value, -0.9375 * rest * rest)
}
