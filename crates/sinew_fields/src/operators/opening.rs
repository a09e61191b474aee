//! How wide an operator opens at the angle between two gradients.

use std::f32::consts::{FRAC_PI_2, FRAC_PI_4, FRAC_PI_8, PI};

/// What the three points of an opening are placed along.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OpeningAxis {
    /// The angle between the gradients, in radians.
    Angle,
    /// Its cosine, as in the released code; points may lie outside of -1 to 1.
    Cosine,
}

/// The opening angle θ as a function of the angle α between the gradients of two fields.
///
/// θ runs from 0 (blend everywhere) to π/4 (union). It has the value `angles[0]` up to `points[0]`,
/// passes `angles[1]` at `points[1]` and has `angles[2]` from `points[2]` on, with a smooth step between.
/// Vaillant et al. 2013.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Opening {
    /// What `points` are.
    pub axis: OpeningAxis,
    /// Three ascending places.
    pub points: [f32; 3],
    /// θ at each place, in radians, 0 to π/4.
    pub angles: [f32; 3],
    /// Exponents of the step before and after the middle; larger is steeper there.
    pub slopes: [f32; 2],
}

impl Opening {
    /// No blend at any angle.
    pub const UNION: Self = Self::constant(FRAC_PI_4);
    /// A full blend at any angle.
    pub const FULL: Self = Self::constant(0.0);
    /// Elbow or knee: union when straight and when bent by more than 78°, a narrow blend in between.
    pub const ELBOW: Self = Self {
        axis: OpeningAxis::Cosine,
        points: [0.2, 0.7, 1.2],
        angles: [FRAC_PI_4, 0.43 * FRAC_PI_4, FRAC_PI_4],
        slopes: [1.0, 1.0],
    };
    /// Finger: the widest blend near 78°.
    pub const FINGER_BENT: Self = Self {
        axis: OpeningAxis::Cosine,
        points: [-1.0, 0.2, 0.75],
        angles: [FRAC_PI_4, 0.3 * FRAC_PI_4, FRAC_PI_4],
        slopes: [1.0, 1.0],
    };
    /// Finger: union below 22.5°, opening to a constant blend from 90° on.
    pub const FINGER: Self = Self {
        axis: OpeningAxis::Angle,
        points: [FRAC_PI_8, FRAC_PI_2, FRAC_PI_2],
        angles: [FRAC_PI_4, PI / 10.0, PI / 10.0],
        slopes: [0.5, 1.0],
    };
    /// For [`JointOperator::Bulge`](super::JointOperator::Bulge): union below 46°, fully open above 84°.
    pub const BULGE: Self = Self {
        axis: OpeningAxis::Cosine,
        points: [-1.05, 0.1, 0.7],
        angles: [0.0, 0.0, FRAC_PI_4],
        slopes: [2.9, 0.05],
    };
    /// A bulge that begins more softly.
    pub const SOFT_BULGE: Self = Self {
        axis: OpeningAxis::Cosine,
        points: [-1.05, 0.1, 1.6],
        angles: [0.0, 0.0, FRAC_PI_4],
        slopes: [-4.0, -4.0],
    };

    /// The same θ at every angle, in radians.
    #[must_use]
    pub const fn constant(angle: f32) -> Self {
        Self {
            axis: OpeningAxis::Cosine,
            points: [-1.0, 0.0, 1.0],
            angles: [angle; 3],
            slopes: [1.0; 2],
        }
    }

    /// θ, in radians, where the gradients are α radians apart.
    #[must_use]
    pub fn angle(&self, alpha: f32) -> f32 {
        let at = match self.axis {
            OpeningAxis::Angle => alpha,
            OpeningAxis::Cosine => alpha.cos(),
        };
        let ([p0, p1, p2], [a0, a1, a2]) = (self.points, self.angles);
        let step = |x: f32, slope: f32| match self.axis {
            OpeningAxis::Angle => kappa(x).powf(slope),
            // The released code squeezes the argument, and mirrors exponents below one.
            OpeningAxis::Cosine => {
                let smooth = kappa(0.8 * x + 0.1);
                if slope < 1.0 {
                    1.0 - (1.0 - smooth).powf(2.0 - slope)
                } else {
                    smooth.powf(slope)
                }
            }
        };
        let angle = if at <= p0 {
            a0
        } else if at >= p2 {
            a2
        } else if at <= p1 {
            step((at - p1) / (p0 - p1), self.slopes[0]) * (a0 - a1) + a1
        } else {
            step((at - p1) / (p2 - p1), self.slopes[1]) * (a2 - a1) + a1
        };
        if angle.is_finite() { angle.clamp(0.0, FRAC_PI_4) } else { FRAC_PI_4 }
    }
}

/// A step from 0 to 1 that is smooth at both ends: `1 - exp(1 - 1/(1 - exp(1 - 1/x)))`.
#[must_use]
pub fn kappa(x: f32) -> f32 {
    if x <= 0.0 {
        0.0
    } else if x >= 1.0 {
        1.0
    } else {
        let x = f64::from(x);
        let inner = 1.0 - (1.0 - x.recip()).exp();
        (1.0 - (1.0 - inner.recip()).exp()) as f32
    }
}

/// Cells of a table of openings.
const CELLS: usize = 256;
/// The largest opening angle as a share of π: the tangent stays below one.
const WIDEST: f32 = 0.2499;

/// Tangents of an opening's angle over the cosine between gradients, so that a frame needs no arc cosine.
#[derive(Clone, Debug, PartialEq)]
pub struct OpeningTable([f32; CELLS + 1]);

impl OpeningTable {
    /// Tabulates an opening.
    #[must_use]
    pub fn new(opening: Opening) -> Self {
        Self(core::array::from_fn(|cell| {
            let cosine = cell as f32 * (2.0 / CELLS as f32) - 1.0;
            opening.angle(cosine.acos()).min(WIDEST * PI).tan()
        }))
    }

    /// The tangent of θ; the cosine may be a little outside of -1 to 1.
    #[inline(always)]
    #[must_use]
    pub fn tangent(&self, cosine: f32) -> f32 {
        let at = ((cosine + 1.0) * (CELLS as f32 / 2.0)).clamp(0.0, CELLS as f32 - 0.001);
        let cell = (at as usize).min(CELLS - 1);
        let t = at - cell as f32;
        self.0[cell] * (1.0 - t) + self.0[cell + 1] * t
    }
}
