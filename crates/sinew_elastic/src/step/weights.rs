//! Weights of a group's examples from the inner products with its strain.

use crate::weight_set::{WeightSet, WeightSolver};

/// How weights are found from inner products.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Solve {
    pub set: WeightSet,
    /// Share of an example's strain that is kept.
    pub beta: f64,
    /// As published: weights shrink after the solve, where the default is a ridge in it.
    pub published: bool,
}

/// Ridge on the Gram matrix, relative to its mean diagonal: tells duplicate examples apart.
const TIE_RIDGE: f64 = 1e-6;

/// Memory to solve for the weights of one group; each task has its own.
#[derive(Clone, Debug)]
pub(crate) struct GroupSolver {
    pub solver: WeightSolver,
    pub gram: Vec<f64>,
    pub right: Vec<f64>,
    pub solution: Vec<f64>,
}

impl GroupSolver {
    pub fn new(n: usize) -> Self {
        Self {
            solver: WeightSolver::new(n),
            gram: vec![0.0; n * n],
            right: vec![0.0; n],
            solution: vec![0.0; n],
        }
    }

    /// Solves for the weights that go with the inner products in `right`, starting from `weights`.
    ///
    /// The ridge `G (1 − β) / β` makes a lone weight `β` times its projection, as the published scaling
    /// does, but as the minimiser of an energy.
    pub fn solve(&mut self, how: Solve, gram: &[f64], weights: &mut [f32]) {
        let n = self.right.len();
        if !self.right.iter().all(|v| v.is_finite()) {
            return;
        }
        if how.beta <= 0.0 {
            weights.fill(0.0);
            return;
        }
        self.gram.copy_from_slice(gram);
        let tie = TIE_RIDGE * (0..n).map(|k| gram[k * n + k]).sum::<f64>() / n as f64;
        let returning = if how.published { 0.0 } else { (1.0 - how.beta) / how.beta };
        for k in 0..n {
            self.gram[k * n + k] += tie.max(gram[k * n + k] * returning);
        }
        for (to, &from) in self.solution.iter_mut().zip(&*weights) {
            *to = f64::from(from);
        }
        self.solver.solve(how.set, &self.gram, &self.right, &mut self.solution);
        let scale = if how.published { how.beta } else { 1.0 };
        for (to, &from) in weights.iter_mut().zip(&self.solution) {
            *to = (from * scale) as f32;
        }
    }
}
