//! What a body is made of, in physical terms, and the exact maps to the per-step numbers of the paper.
//!
//! The paper's `alpha` and `beta` are per-step numbers: the same values give another material at
//! another time step. A frequency does not. For a region that is pulled towards a fixed goal,
//! `alpha(h) = 4 sin²(ω h / 2)` makes the discrete oscillation have exactly the angular frequency ω,
//! and `beta(h) = 1 − sin²(ω_x h / 2) / sin²(ω h / 2)` does the same for the return to the rest shape
//! along the example manifold.

use core::f32::consts::{FRAC_PI_3, TAU};

/// The largest number of sub-steps that one step is split into.
pub const MAX_SUBSTEPS: u32 = 8;

/// How velocities and positions advance.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Integrator {
    /// Kick, then drift: conserves energy over long times. The default.
    #[default]
    Symplectic,
    /// Goals are sought from the predicted positions: damps by itself; for clay and heavy stacks.
    Implicit,
}

/// Which form of the method runs.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum Method {
    /// Goals turn with the rotation that is best for the *target* shape. The pull is the gradient of an
    /// energy: momentum is conserved, and energy where damping is zero. The default.
    #[default]
    Conservative,
    /// The method as it was published (Koyama et al. 2012, eqs. 1–7): goals turn with the polar rotation
    /// of the fitted deformation, and the numbers are per step. It gains energy without damping; it is
    /// kept to compare with.
    PaperExact {
        /// Share of the way to the goal that a step's velocity covers, in [0, 1].
        alpha: f32,
        /// Share of the example's strain that is kept, in [0, 1].
        beta: f32,
    },
}

/// A body's material. Every field may change at any time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Material {
    /// Frequency of a single region about its goal, in Hz. A whole body is softer: it has many
    /// regions in a row. Zero lets the particles fly freely.
    pub elastic_hz: f32,
    /// Frequency of the return from an example pose to the rest shape, in Hz; at most `elastic_hz`.
    /// Zero makes example poses as restful as the rest shape.
    pub example_hz: f32,
    /// Rate at which motion other than the rigid one decays, in 1/s.
    pub damping: f32,
    /// Mass per volume, in kg/m³. It scales reactions and probes; the motion of a free body does not
    /// depend on it.
    pub density: f32,
    /// How velocities and positions advance.
    pub integrator: Integrator,
    /// Which form of the method runs.
    pub method: Method,
}

impl Default for Material {
    fn default() -> Self {
        Self {
            // Two sub-steps at 60 Hz; a body of 10 particles a side then holds its shape under gravity.
            elastic_hz: 20.0,
            example_hz: 2.0,
            // A body that is dropped from its own height then lies still after a few seconds.
            damping: 3.0,
            density: 1_000.0,
            integrator: Integrator::Symplectic,
            method: Method::Conservative,
        }
    }
}

/// The numbers that one sub-step works with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct StepNumbers {
    /// Length of the sub-step, in s.
    pub h: f32,
    /// Pull towards the goal: the velocity changes by `alpha (g − x) / h`.
    pub alpha: f32,
    /// Share of an example's strain that is kept.
    pub beta: f32,
    /// Share of the non-rigid part of the velocity that damping takes.
    pub damped: f32,
}

impl Material {
    /// Replaces values that are negative or not finite by zero, and caps `example_hz` at `elastic_hz`.
    #[must_use]
    pub fn sanitized(self) -> Self {
        let clean = |value: f32| if value.is_finite() { value.max(0.0) } else { 0.0 };
        let elastic_hz = clean(self.elastic_hz);
        let method = match self.method {
            Method::Conservative => Method::Conservative,
            Method::PaperExact { alpha, beta } => {
                Method::PaperExact { alpha: clean(alpha).min(1.0), beta: clean(beta).min(1.0) }
            }
        };
        Self {
            elastic_hz,
            example_hz: clean(self.example_hz).min(elastic_hz),
            damping: clean(self.damping),
            density: clean(self.density),
            integrator: self.integrator,
            method,
        }
    }

    /// Sub-steps that a step of `dt` seconds needs: six a period, at least 1 and at most
    /// [`MAX_SUBSTEPS`]. The published method takes one.
    #[must_use]
    pub fn substeps(&self, dt: f32) -> u32 {
        if let Method::PaperExact { .. } = self.method {
            return 1;
        }
        // Rounding must not turn exactly six a period into one sub-step more.
        let wanted = (TAU * self.elastic_hz * dt / FRAC_PI_3 - 1e-4).ceil();
        (wanted.max(1.0) as u32).min(MAX_SUBSTEPS)
    }

    /// The numbers for sub-steps of `h` seconds. Frequencies beyond a sixth of the rate are capped.
    #[must_use]
    pub fn numbers(&self, h: f32) -> StepNumbers {
        let damped = -(-f64::from(self.damping) * f64::from(h)).exp_m1() as f32;
        if let Method::PaperExact { alpha, beta } = self.method {
            return StepNumbers { h, alpha, beta, damped };
        }
        let omega_h = (TAU * self.elastic_hz * h).min(FRAC_PI_3);
        let example_h = (TAU * self.example_hz * h).min(omega_h);
        let sine = f64::from(0.5 * omega_h).sin();
        let example_sine = f64::from(0.5 * example_h).sin();
        let alpha = match self.integrator {
            Integrator::Symplectic => 4.0 * sine * sine,
            Integrator::Implicit => {
                let square = f64::from(TAU * self.elastic_hz * h).powi(2);
                square / (1.0 + square)
            }
        };
        let beta = if sine > 0.0 { 1.0 - (example_sine / sine).powi(2) } else { 1.0 };
        StepNumbers { h, alpha: alpha as f32, beta: beta as f32, damped }
    }

    /// The compliance of the pull in the sense of XPBD, per unit mass, in s²: `1 / ω²`. Infinite at 0 Hz.
    #[must_use]
    pub fn compliance(&self) -> f32 {
        1.0 / (TAU * self.elastic_hz).powi(2)
    }
}
