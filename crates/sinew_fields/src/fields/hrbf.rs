//! Hermite radial basis functions: a smooth function with given zeros and gradients.

use glam::DVec3;
use nalgebra::{DMatrix, DVector};
use thiserror::Error;

use super::Sample;

/// Why no function could be fitted.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum HrbfError {
    /// A closed surface needs four samples at least.
    #[error("{samples} samples; at least four at different places are needed")]
    TooFew {
        /// The samples given.
        samples: usize,
    },
    /// A sample has a position or a normal that is not finite.
    #[error("sample {sample} is not finite")]
    NotFinite {
        /// The sample.
        sample: usize,
    },
    /// The system has no unique solution: two samples are at one place, or nearly so.
    #[error("the samples are too near each other (residual {residual:e})")]
    Singular {
        /// The largest error at a sample, in units of the samples' extent.
        residual: f64,
    },
}

/// A function through samples: zero at each, with the sample's normal as gradient.
///
/// The basis is the triharmonic `φ(l) = l³`, as in Vaillant et al. 2013 and Macêdo et al. 2011:
/// `d(x) = Σ_j α_j l_j³ + 3 l_j β_j·δ_j` with `δ_j = x - p_j`, `l_j = |δ_j|`. It is no distance function:
/// through a unit sphere it is -0.38 in the middle and 2.4 at twice the radius. Space and unit are the
/// samples'.
#[derive(Clone, Debug, PartialEq)]
pub struct Hrbf {
    origin: DVec3,
    scale: f64,
    terms: Vec<Term>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
struct Term {
    centre: DVec3,
    alpha: f64,
    beta: DVec3,
}

/// The largest error at a sample that a fit may have, in units of the samples' extent.
const LARGEST_RESIDUAL: f64 = 1e-6;

impl Hrbf {
    /// Solves for the function, in double precision and in units of the samples' extent, since the rows
    /// of the system have different units.
    ///
    /// # Errors
    /// When there are fewer than four samples, one is not finite, or two are at one place.
    pub fn fit(samples: &[Sample]) -> Result<Self, HrbfError> {
        let n = samples.len();
        if n < 4 {
            return Err(HrbfError::TooFew { samples: n });
        }
        let finite = |s: &Sample| s.position.is_finite() && s.normal.is_finite();
        if let Some(sample) = samples.iter().position(|sample| !finite(sample)) {
            return Err(HrbfError::NotFinite { sample });
        }
        let origin = samples.iter().map(|sample| sample.position).sum::<DVec3>() / n as f64;
        let scale = samples.iter().map(|s| s.position.distance(origin)).fold(0.0, f64::max);
        if !(scale > 0.0 && scale.is_finite()) {
            return Err(HrbfError::Singular { residual: f64::INFINITY });
        }
        let centres: Vec<DVec3> = samples.iter().map(|s| (s.position - origin) / scale).collect();
        let mut system = DMatrix::<f64>::zeros(4 * n, 4 * n);
        let mut right = DVector::<f64>::zeros(4 * n);
        for (i, sample) in samples.iter().enumerate() {
            for axis in 0..3 {
                right[4 * i + 1 + axis] = sample.normal[axis];
            }
            for (j, &centre) in centres.iter().enumerate() {
                let delta = centres[i] - centre;
                let l = delta.length();
                if l == 0.0 {
                    continue;
                }
                system[(4 * i, 4 * j)] = l * l * l;
                for a in 0..3 {
                    system[(4 * i, 4 * j + 1 + a)] = 3.0 * l * delta[a];
                    system[(4 * i + 1 + a, 4 * j)] = 3.0 * l * delta[a];
                    for b in 0..3 {
                        let same = if a == b { l } else { 0.0 };
                        system[(4 * i + 1 + a, 4 * j + 1 + b)] =
                            3.0 * (delta[a] * delta[b] / l + same);
                    }
                }
            }
        }
        let Some(solution) = system.lu().solve(&right) else {
            return Err(HrbfError::Singular { residual: f64::INFINITY });
        };
        let terms = centres
            .iter()
            .enumerate()
            .map(|(j, &centre)| {
                let at = |row| solution[4 * j + row];
                Term { centre, alpha: at(0), beta: DVec3::new(at(1), at(2), at(3)) }
            })
            .collect();
        let function = Self { origin, scale, terms };
        let residual = samples
            .iter()
            .map(|sample| {
                let (value, gradient) = function.distance_and_gradient(sample.position);
                (value / scale).abs().max(gradient.distance(sample.normal))
            })
            .fold(0.0, |worst: f64, error| if error <= worst { worst } else { error });
        if residual.is_nan() || residual > LARGEST_RESIDUAL {
            return Err(HrbfError::Singular { residual });
        }
        Ok(function)
    }

    /// The number of samples.
    #[must_use]
    pub fn sample_count(&self) -> usize {
        self.terms.len()
    }

    /// The distance at a point, and its gradient, which points outward and has no unit.
    #[must_use]
    pub fn distance_and_gradient(&self, point: DVec3) -> (f64, DVec3) {
        let x = (point - self.origin) / self.scale;
        let mut value = 0.0;
        let mut gradient = DVec3::ZERO;
        for term in &self.terms {
            let delta = x - term.centre;
            let l = delta.length();
            let slope = term.beta.dot(delta);
            value += l * (term.alpha * l * l + 3.0 * slope);
            let radial = if l > 0.0 { term.alpha * l + slope / l } else { 0.0 };
            gradient += delta * radial + term.beta * l;
        }
        (value * self.scale, gradient * 3.0)
    }
}
