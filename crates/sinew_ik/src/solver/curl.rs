//! Curling: all joints bend in one plane by fixed shares of one angle, so that reaching is a root in one unknown.
//!
//! The law generalises that of a 2007 thesis on elephants' trunks (joint `i` turns by `a·i`). Seen from the first
//! joint, in its plane, the end effector lies at `S(a) = Σ l_k exp(i a C_k)`, where `C_k` sums the shares up to
//! joint `k`. The distance `|S(a)|` falls from the full length to a nearest one as `a` grows; Newton's method,
//! kept inside a bracket, finds the bend for any distance between them, also next to the full length,
//! where step-by-step solvers crawl. Equal shares on bones whose lengths fall geometrically give a
//! logarithmic spiral.

use core::f32::consts::TAU;

use glam::{Vec2, Vec3};

use crate::rotation::{across, any_normal, direction_or};
use crate::trig::{atan2, sin_cos};

/// How joints share the bend. The first joint only aims.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum CurlProfile {
    /// All alike: an arc of a circle, or a logarithmic spiral on tapered chains.
    #[default]
    Constant,
    /// Joint `i` by `i`: the tip curls most (the thesis's law 3.4).
    Linear,
    /// By the inverse of these widths, one a joint: thin parts bend more. Widths that are zero or less do not bend.
    InverseWidth(Vec<f32>),
    /// These shares, one a joint; the first is not used, missing and bad ones count as zero.
    Custom(Vec<f32>),
}

impl CurlProfile {
    fn share(&self, joint: usize) -> f32 {
        let share = match self {
            Self::Constant => 1.0,
            Self::Linear => joint as f32,
            Self::InverseWidth(widths) => {
                widths.get(joint).map_or(0.0, |&width| if width > 0.0 { 1.0 / width } else { 0.0 })
            }
            Self::Custom(shares) => shares.get(joint).copied().unwrap_or(0.0),
        };
        if share.is_finite() { share.max(0.0) } else { 0.0 }
    }
}

/// How steps from joint to joint follow from each other; saves sines where the law is regular.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
enum Law {
    #[default]
    Constant,
    Linear,
    Any,
}

/// A chain's curl: what depends on lengths and profile only. Distances are shares of the chain's length.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct CurlTable {
    lengths: Vec<f32>,
    /// Share of each joint; zero for the first.
    shares: Vec<f32>,
    law: Law,
    most_bend: f32,
    nearest: f32,
}

/// The bend for a distance.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Curl {
    /// The angle `a`, in rad; joint `i` bends by `a` times its share.
    pub bend: f32,
    /// Angle of the end effector from the first bone, in the curl's plane, in rad.
    pub heading: f32,
    /// Distance that was reached less the one asked for, in shares of the length.
    pub residual: f32,
    /// Evaluations of the distance that it took.
    pub evaluations: u16,
}

/// Distances are met within this share of the length.
const PRECISE: f32 = 1e-6;
/// Most evaluations of the distance.
const MOST_EVALUATIONS: u16 = 32;

impl CurlTable {
    pub(crate) fn new(unit_lengths: &[f32], profile: &CurlProfile) -> Self {
        let share = |joint| if joint == 0 { 0.0 } else { profile.share(joint) };
        let mut table = Self {
            lengths: unit_lengths.to_vec(),
            shares: (0..unit_lengths.len()).map(share).collect(),
            law: match profile {
                CurlProfile::Constant => Law::Constant,
                CurlProfile::Linear => Law::Linear,
                _ => Law::Any,
            },
            most_bend: 0.0,
            nearest: 1.0,
        };
        // Shares as multiples of the largest keep angles in range, whatever unit widths came in.
        if table.law == Law::Any {
            let largest = table.shares.iter().fold(0.0_f32, |most, &s| most.max(s));
            if largest > 0.0 {
                table.shares.iter_mut().for_each(|s| *s /= largest);
            }
        }
        table.find_nearest();
        table
    }

    /// Number of bones.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lengths.len()
    }

    /// There are no bones of any length.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.lengths.is_empty()
    }

    /// The bend at the nearest distance, in rad.
    #[must_use]
    pub fn most_bend(&self) -> f32 {
        self.most_bend
    }

    /// The nearest distance between the ends, as a share of the length. The distance falls all the way to it.
    #[must_use]
    pub fn nearest(&self) -> f32 {
        self.nearest
    }

    /// The distance between the ends at a bend, as a share of the length.
    #[must_use]
    pub fn distance(&self, bend: f32) -> f32 {
        self.evaluate(bend).0.length()
    }

    /// The bend at which the ends are `distance` apart (a share of the length). Distances outside of
    /// [`CurlTable::nearest`] to 1 give the bend at that end, with the difference as residual.
    #[must_use]
    pub fn solve(&self, distance: f32) -> Curl {
        let wanted = distance.clamp(self.nearest, 1.0);
        let span = (1.0 - self.nearest).max(f32::MIN_POSITIVE);
        let x = ((1.0 - wanted) / span).clamp(0.0, 1.0).sqrt();
        let mut bend = self.most_bend * x * (0.85 + 0.15 * x);
        let (mut low, mut high) = (0.0, self.most_bend);
        let mut evaluations = 0;
        loop {
            let (end, slope) = self.evaluate(bend);
            evaluations += 1;
            let reached = end.length();
            let excess = reached - wanted;
            if excess.abs() <= PRECISE || evaluations == MOST_EVALUATIONS || high - low < 1e-7 {
                let heading = atan2(end.y, end.x);
                return Curl { bend, heading, residual: reached - distance, evaluations };
            }
            if excess > 0.0 {
                low = bend;
            } else {
                high = bend;
            }
            let rate = end.dot(slope) / reached.max(1e-12);
            let next = bend - excess / rate;
            // Written so that NaN falls back to halving.
            bend = if next > low && next < high { next } else { 0.5 * (low + high) };
        }
    }

    /// Writes joint places of a curl from the origin: the ends in the direction of the unit vector `ahead`, the
    /// bow towards `bow`. One more than bones; in units of the length. Surplus places are left alone.
    pub fn place(&self, curl: &Curl, ahead: Vec3, bow: Vec3, out: &mut [Vec3]) {
        let side = direction_or(across(bow, ahead), any_normal(ahead));
        let mut at = Vec3::ZERO;
        let mut places = out.iter_mut();
        if let Some(first) = places.next() {
            *first = at;
        }
        // Turned back by the heading, so that the end comes to lie straight ahead.
        let (sine, cosine) = sin_cos(curl.heading);
        let back = Vec2::new(cosine, -sine);
        self.walk(curl.bend, |_, length, turn| {
            let turn = turn.rotate(back);
            at += (ahead * turn.x - side * turn.y) * length;
            if let Some(place) = places.next() {
                *place = at;
            }
        });
    }

    /// Calls `visit` with the index, length and direction (as a complex number) of each bone.
    fn walk(&self, bend: f32, mut visit: impl FnMut(usize, f32, Vec2)) {
        let complex = |angle: f32| {
            let (sine, cosine) = sin_cos(angle);
            Vec2::new(cosine, sine)
        };
        let unit = if self.law == Law::Any { Vec2::X } else { complex(bend) };
        let mut step = if self.law == Law::Constant { unit } else { Vec2::X };
        let mut turn = Vec2::X;
        for (k, (&length, &share)) in self.lengths.iter().zip(&self.shares).enumerate() {
            if k > 0 {
                match self.law {
                    Law::Constant => {}
                    Law::Linear => step = step.rotate(unit),
                    Law::Any => step = complex(bend * share),
                }
                turn = turn.rotate(step);
            }
            visit(k, length, turn);
        }
    }

    /// The end and its derivative by the bend, as complex numbers.
    fn evaluate(&self, bend: f32) -> (Vec2, Vec2) {
        let (mut end, mut slope) = (Vec2::ZERO, Vec2::ZERO);
        let mut sum = 0.0;
        self.walk(bend, |k, length, turn| {
            sum += self.shares[k];
            end += turn * length;
            slope += turn.perp() * (length * sum);
        });
        (end, slope)
    }

    /// The first minimum of the distance: a scan, then a golden section.
    fn find_nearest(&mut self) {
        let total: f32 = self.shares.iter().sum();
        // Shares of bones without length bend nothing.
        let bends = self.lengths.iter().zip(&self.shares).skip(1).any(|(&l, &s)| l * s > 0.0);
        if !bends || self.lengths.first().is_none_or(|&l| l <= 0.0) && self.lengths.len() < 3 {
            self.most_bend = 0.0;
            self.nearest = self.distance(0.0);
            return;
        }
        /// Turns of the last bone between samples.
        const STEP: f32 = 0.02;
        /// Turns of the last bone after which no more is looked for.
        const MOST_TURNS: f32 = 20.0;
        let step = STEP * TAU / total;
        let samples = (MOST_TURNS / STEP) as u32;
        let mut before = self.distance(0.0);
        let mut lowest = samples;
        for k in 1..=samples {
            let now = self.distance(step * k as f32);
            // Equal within rounding counts as flat: straight parts at the start do not end the scan.
            if now > before + 1e-6 {
                lowest = k - 1;
                break;
            }
            before = now;
        }
        let (mut low, mut high) =
            (step * lowest.saturating_sub(1) as f32, step * (lowest + 1) as f32);
        const GOLDEN: f32 = 0.618_034;
        for _ in 0..40 {
            let (a, b) = (high - GOLDEN * (high - low), low + GOLDEN * (high - low));
            if self.distance(a) < self.distance(b) {
                high = b;
            } else {
                low = a;
            }
        }
        self.most_bend = 0.5 * (low + high);
        self.nearest = self.distance(self.most_bend);
    }
}
