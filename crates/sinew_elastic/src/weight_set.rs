//! Which example weights are allowed, and the weights in that set that fit best.
//!
//! The fit minimises `½ wᵀ G w − bᵀ w`, with the Gram matrix G of the examples (plus the ridge that
//! returns the body to rest) and the inner products b with the current strain (Koyama et al. 2012,
//! eqs. 6–7). The published rule of clamping negative weights finds neither the optimum nor always an
//! end; here the constrained optimum is found by a primal active-set method.

/// The weights that examples may take; the rest pose takes what is left to one.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum WeightSet {
    /// Not negative, and at most one together: the shape stays between the poses. The default.
    #[default]
    Simplex,
    /// Any real number: the paper's eq. (7).
    Affine,
    /// Not negative, without an upper bound.
    NonNegative,
    /// Each within these bounds.
    Box {
        /// Least weight of each example.
        low: f32,
        /// Greatest weight of each example.
        high: f32,
    },
}

/// Smallest pivot of a factorisation, relative to the largest diagonal entry; the ridge keeps real
/// problems well above it.
const SMALLEST_PIVOT: f64 = 1e-14;
/// How far below zero a gradient or weight must lie, relative to the problem's scale, to count.
const TOLERANCE: f64 = 1e-12;

/// Scratch memory and warm start of one solve of up to `n` weights. Does not allocate once it is built.
#[derive(Clone, Debug, Default)]
pub struct WeightSolver {
    /// What each weight does: see [`Bound`].
    bounds: Vec<Bound>,
    /// Whether Σ w = 1 holds with equality.
    sum_is_one: bool,
    factor: Vec<f64>,
    solution: Vec<f64>,
    ones: Vec<f64>,
    free: Vec<usize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
enum Bound {
    #[default]
    Free,
    Low,
    High,
}

impl WeightSolver {
    /// A solver for `n` weights.
    #[must_use]
    pub fn new(n: usize) -> Self {
        Self {
            bounds: vec![Bound::Free; n],
            sum_is_one: false,
            factor: vec![0.0; n * n],
            solution: vec![0.0; n],
            ones: vec![0.0; n],
            free: Vec::with_capacity(n),
        }
    }

    /// Writes the best weights of `set` to `weights`, which must be within the set (zero always is).
    ///
    /// `gram` is a positive definite matrix, row by row.
    ///
    /// # Panics
    /// When the lengths do not agree with the solver's.
    pub fn solve(&mut self, set: WeightSet, gram: &[f64], b: &[f64], weights: &mut [f64]) {
        let n = self.bounds.len();
        assert!(gram.len() == n * n && b.len() == n && weights.len() == n, "lengths must agree");
        if n == 0 {
            return;
        }
        let (low, high) = match set {
            WeightSet::Affine => (f64::NEG_INFINITY, f64::INFINITY),
            WeightSet::Simplex | WeightSet::NonNegative => (0.0, f64::INFINITY),
            WeightSet::Box { low, high } => {
                let low = if low.is_finite() { f64::from(low) } else { 0.0 };
                let high = if high.is_finite() { f64::from(high) } else { 1.0 };
                (low.min(high), high.max(low))
            }
        };
        let simplex = set == WeightSet::Simplex;
        self.start(low, high, simplex, weights);
        let scale = b.iter().fold(0.0_f64, |m, v| m.max(v.abs()))
            + (0..n).fold(0.0_f64, |m, i| m.max(gram[i * n + i].abs()));
        // Each change of the active set lowers the objective, so none comes twice; the cap guards
        // against rounding alone.
        for _ in 0..4 * (n + 2) * (n + 2) {
            let multiplier = self.minimise_on_active_set(gram, b, weights, low, high);
            let reached = self.move_towards(weights, low, high, simplex);
            if reached && !self.release(gram, b, weights, multiplier, TOLERANCE * scale) {
                break;
            }
        }
    }

    /// Brings the warm start into the set and reads off which bounds hold.
    fn start(&mut self, low: f64, high: f64, simplex: bool, weights: &mut [f64]) {
        for (weight, bound) in weights.iter_mut().zip(&mut self.bounds) {
            let start = if weight.is_finite() { *weight } else { 0.0 };
            *weight = start.clamp(low, high);
            *bound = if *weight <= low {
                Bound::Low
            } else if *weight >= high {
                Bound::High
            } else {
                Bound::Free
            };
        }
        let sum: f64 = weights.iter().sum();
        if simplex && sum > 1.0 {
            for weight in weights.iter_mut() {
                *weight /= sum;
            }
        }
        self.sum_is_one = simplex && sum >= 1.0;
    }

    /// Solves for the free weights with the active bounds held; returns the multiplier of Σ w = 1.
    fn minimise_on_active_set(
        &mut self,
        gram: &[f64],
        b: &[f64],
        weights: &[f64],
        low: f64,
        high: f64,
    ) -> f64 {
        let n = self.bounds.len();
        self.free.clear();
        self.free.extend((0..n).filter(|&i| self.bounds[i] == Bound::Free));
        for i in 0..n {
            self.solution[i] = match self.bounds[i] {
                Bound::Free => weights[i],
                Bound::Low => low,
                Bound::High => high,
            };
        }
        let m = self.free.len();
        if m == 0 {
            self.sum_is_one = false;
            return 0.0;
        }
        self.factorise(gram);
        let mut held_sum = 0.0;
        let mut right = core::mem::take(&mut self.ones);
        for j in 0..n {
            if self.bounds[j] != Bound::Free {
                held_sum += self.solution[j];
            }
        }
        for (row, &i) in self.free.iter().enumerate() {
            right[row] = b[i]
                - (0..n)
                    .filter(|&j| self.bounds[j] != Bound::Free)
                    .map(|j| gram[i * n + j] * self.solution[j])
                    .sum::<f64>();
        }
        self.substitute(&mut right[..m]);
        for (row, &i) in self.free.iter().enumerate() {
            self.solution[i] = right[row];
        }
        let mut multiplier = 0.0;
        if self.sum_is_one {
            right[..m].fill(1.0);
            self.substitute(&mut right[..m]);
            let sum: f64 = self.free.iter().map(|&i| self.solution[i]).sum();
            let along: f64 = right[..m].iter().sum();
            multiplier = (sum + held_sum - 1.0) / along;
            for (row, &i) in self.free.iter().enumerate() {
                self.solution[i] -= multiplier * right[row];
            }
        }
        self.ones = right;
        multiplier
    }

    /// Cholesky factor of the free part of the Gram matrix.
    fn factorise(&mut self, gram: &[f64]) {
        let n = self.bounds.len();
        let m = self.free.len();
        let largest = self.free.iter().fold(0.0_f64, |x, &i| x.max(gram[i * n + i]));
        for r in 0..m {
            for c in 0..=r {
                let mut value = gram[self.free[r] * n + self.free[c]];
                for k in 0..c {
                    value -= self.factor[r * n + k] * self.factor[c * n + k];
                }
                self.factor[r * n + c] = if r == c {
                    value.max(SMALLEST_PIVOT * largest.max(f64::MIN_POSITIVE)).sqrt()
                } else {
                    value / self.factor[c * n + c]
                };
            }
        }
    }

    fn substitute(&self, right: &mut [f64]) {
        let n = self.bounds.len();
        for r in 0..right.len() {
            for k in 0..r {
                right[r] -= self.factor[r * n + k] * right[k];
            }
            right[r] /= self.factor[r * n + r];
        }
        for r in (0..right.len()).rev() {
            for k in r + 1..right.len() {
                right[r] -= self.factor[k * n + r] * right[k];
            }
            right[r] /= self.factor[r * n + r];
        }
    }

    /// Goes to the solution, or to the first bound on the way; returns whether it got there.
    fn move_towards(&mut self, weights: &mut [f64], low: f64, high: f64, simplex: bool) -> bool {
        let mut share = 1.0;
        let mut hit: Option<(usize, Bound)> = None;
        for &i in &self.free {
            let (from, to) = (weights[i], self.solution[i]);
            let (bound, wall) = if to < low {
                (Bound::Low, low)
            } else if to > high {
                (Bound::High, high)
            } else {
                continue;
            };
            let t = ((wall - from) / (to - from)).clamp(0.0, 1.0);
            if t < share {
                share = t;
                hit = Some((i, bound));
            }
        }
        let mut sum_hit = false;
        if simplex && !self.sum_is_one {
            let from: f64 = weights.iter().sum();
            let to: f64 = self.solution.iter().sum();
            if to > 1.0 && to > from {
                let t = ((1.0 - from) / (to - from)).clamp(0.0, 1.0);
                if t < share {
                    share = t;
                    hit = None;
                    sum_hit = true;
                }
            }
        }
        for (weight, &to) in weights.iter_mut().zip(&self.solution) {
            *weight = if share >= 1.0 { to } else { *weight + share * (to - *weight) };
        }
        if let Some((i, bound)) = hit {
            weights[i] = if bound == Bound::Low { low } else { high };
            self.bounds[i] = bound;
        }
        self.sum_is_one |= sum_hit;
        hit.is_none() && !sum_hit
    }

    /// Frees the bound that holds the objective up most; returns whether there was one.
    fn release(
        &mut self,
        gram: &[f64],
        b: &[f64],
        weights: &[f64],
        multiplier: f64,
        tolerance: f64,
    ) -> bool {
        let n = self.bounds.len();
        if self.sum_is_one && multiplier < -tolerance {
            self.sum_is_one = false;
            return true;
        }
        let mut worst = (tolerance, None);
        for i in 0..n {
            let gradient: f64 =
                (0..n).map(|j| gram[i * n + j] * weights[j]).sum::<f64>() - b[i] + multiplier;
            let pull = match self.bounds[i] {
                Bound::Free => continue,
                Bound::Low => -gradient,
                Bound::High => gradient,
            };
            if pull > worst.0 {
                worst = (pull, Some(i));
            }
        }
        if let Some(i) = worst.1 {
            self.bounds[i] = Bound::Free;
        }
        worst.1.is_some()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn solve(set: WeightSet, gram: &[f64], b: &[f64]) -> Vec<f64> {
        let mut weights = vec![0.0; b.len()];
        WeightSolver::new(b.len()).solve(set, gram, b, &mut weights);
        weights
    }

    fn objective(gram: &[f64], b: &[f64], w: &[f64]) -> f64 {
        let n = b.len();
        let mut value = 0.0;
        for i in 0..n {
            value -= b[i] * w[i];
            for j in 0..n {
                value += 0.5 * w[i] * gram[i * n + j] * w[j];
            }
        }
        value
    }

    #[test]
    fn one_example_is_clamped() {
        // T22: b / G = −0.4, 0.3, 1.7.
        for (b, wanted) in [(-0.8, 0.0), (0.6, 0.3), (3.4, 1.0)] {
            let w = solve(WeightSet::Simplex, &[2.0], &[b]);
            assert!((w[0] - wanted).abs() < 1e-15, "{w:?}");
        }
    }

    #[test]
    fn the_case_that_the_published_clamp_gets_wrong() {
        // T21: G = [[1, .9], [.9, 1]], b = (.5, .1): the optimum is (0.5, 0), not (1, 0).
        let w = solve(WeightSet::Simplex, &[1.0, 0.9, 0.9, 1.0], &[0.5, 0.1]);
        assert!((w[0] - 0.5).abs() < 1e-12 && w[1].abs() < 1e-12, "{w:?}");
    }

    #[test]
    fn no_point_of_a_grid_on_the_simplex_is_better() {
        let mut seed = 9_u64;
        let mut random = || {
            seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            ((seed >> 33) as f64) / f64::from(1_u32 << 31) * 2.0 - 1.0
        };
        for _ in 0..60 {
            let l: Vec<f64> = (0..9).map(|_| random()).collect();
            let mut gram = vec![0.0; 9];
            for i in 0..3 {
                for j in 0..3 {
                    gram[i * 3 + j] = (0..3).map(|k| l[i * 3 + k] * l[j * 3 + k]).sum::<f64>();
                }
                gram[i * 4] += 1e-3;
            }
            let b = [random(), random(), random()];
            let w = solve(WeightSet::Simplex, &gram, &b);
            assert!(w.iter().all(|&v| v >= 0.0) && w.iter().sum::<f64>() <= 1.0 + 1e-12);
            let found = objective(&gram, &b, &w);
            for i in 0..=50 {
                for j in 0..=50 - i {
                    for k in 0..=50 - i - j {
                        let point = [i, j, k].map(|v| f64::from(v) / 50.0);
                        assert!(found <= objective(&gram, &b, &point) + 1e-12, "{w:?} {point:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn duplicate_examples_share_their_weight() {
        // T25: the ridge alone tells two equal columns apart.
        let w = solve(WeightSet::Simplex, &[1.000_001, 1.0, 1.0, 1.000_001], &[0.6, 0.6]);
        assert!((w[0] - w[1]).abs() < 1e-6 && (w[0] + w[1] - 0.6).abs() < 1e-5, "{w:?}");
    }

    #[test]
    fn the_affine_fit_solves_the_normal_equations() {
        let (gram, b) = ([2.0, -0.5, -0.5, 1.0], [-3.0, 0.25]);
        let w = solve(WeightSet::Affine, &gram, &b);
        assert!((2.0 * w[0] - 0.5 * w[1] + 3.0).abs() < 1e-12);
        assert!((-0.5 * w[0] + w[1] - 0.25).abs() < 1e-12);
    }

    #[test]
    fn box_bounds_hold() {
        let set = WeightSet::Box { low: -1.0, high: 0.5 };
        let w = solve(set, &[1.0, 0.0, 0.0, 1.0], &[-4.0, 0.75]);
        assert_eq!(w, [-1.0, 0.5]);
    }

    #[test]
    fn the_start_does_not_change_the_answer() {
        let (gram, b) = ([1.0, 0.3, 0.3, 2.0], [0.9, 1.1]);
        let wanted = solve(WeightSet::Simplex, &gram, &b);
        for start in [[0.0, 1.0], [1.0, 0.0], [0.5, 0.5], [f64::NAN, 7.0]] {
            let mut w = start;
            WeightSolver::new(2).solve(WeightSet::Simplex, &gram, &b, &mut w);
            assert!((w[0] - wanted[0]).abs() + (w[1] - wanted[1]).abs() < 1e-12, "{w:?}");
        }
    }
}
