//! The method written down naively in double precision, with nothing of the kernel's: regions are lists of
//! particles, every sum is a loop, rotations come from an eigenvector and weights from trying all active
//! sets. Slow and plain on purpose: what the kernel does is compared with this.

use glam::{DMat3, DQuat, DVec3};

/// Which rotation the goals turn with.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Goals {
    /// The best rotation for the target shape.
    Conservative,
    /// The polar rotation of the fitted deformation, as published.
    Polar,
}

/// How distances of strains are measured.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Metric {
    Moment,
    Frobenius,
    /// Off-diagonals counted once: depends on the model's axes.
    Raw,
}

/// Who decides the weights.
#[derive(Clone, Debug, PartialEq)]
pub enum Weights {
    Affine,
    Simplex,
    NonNegative,
    Box(f64, f64),
    Given(Vec<f64>),
}

/// The numbers of one step.
#[derive(Clone, Debug)]
pub struct Law {
    pub h: f64,
    pub alpha: f64,
    pub beta: f64,
    pub decay: f64,
    pub goals: Goals,
    pub metric: Metric,
    pub weights: Weights,
    pub implicit: bool,
    pub gravity: DVec3,
}

impl Law {
    pub fn new(h: f64, alpha: f64, beta: f64) -> Self {
        Self {
            h,
            alpha,
            beta,
            decay: 1.0,
            goals: Goals::Conservative,
            metric: Metric::Moment,
            weights: Weights::Simplex,
            implicit: false,
            gravity: DVec3::ZERO,
        }
    }
}

/// A body: particles at rest, regions, strains of the examples.
#[derive(Clone, Debug, Default)]
pub struct Model {
    pub rest: Vec<DVec3>,
    pub mass: Vec<f64>,
    pub regions: Vec<Vec<usize>>,
    /// Strain `S − I` by example, then region.
    pub strains: Vec<Vec<DMat3>>,
    /// Group of each region.
    pub group: Vec<usize>,
    pub groups: usize,
}

/// What a region's particles say.
pub struct Fit {
    pub rest_center: DVec3,
    pub center: DVec3,
    /// Σ m̃ x qᵀ.
    pub moment: DMat3,
    /// Σ m̃ q qᵀ.
    pub rest_moment: DMat3,
}

/// Goals of all particles and what led to them.
pub struct Found {
    pub goals: Vec<DVec3>,
    /// Weights by group, then example.
    pub weights: Vec<f64>,
    pub energy: f64,
}

impl Model {
    pub fn new(rest: Vec<DVec3>, mass: Vec<f64>, regions: Vec<Vec<usize>>) -> Self {
        let group = vec![0; regions.len()];
        Self { rest, mass, regions, strains: Vec::new(), group, groups: 1 }
    }

    /// The same with examples.
    pub fn with_examples(mut self, poses: &[Vec<DVec3>]) -> Self {
        self.strains = poses
            .iter()
            .map(|pose| {
                let counts = self.counts();
                (0..self.regions.len())
                    .map(|r| self.stretch(r, pose, &counts) - DMat3::IDENTITY)
                    .collect()
            })
            .collect();
        self
    }

    /// The same with a group for each region.
    pub fn with_groups(mut self, group: Vec<usize>, groups: usize) -> Self {
        self.group = group;
        self.groups = groups;
        self
    }

    /// Number of regions that contain each particle.
    pub fn counts(&self) -> Vec<f64> {
        let mut counts = vec![0.0; self.rest.len()];
        for &i in self.regions.iter().flatten() {
            counts[i] += 1.0;
        }
        counts
    }

    pub fn fit(&self, region: usize, x: &[DVec3], counts: &[f64]) -> Fit {
        let members = &self.regions[region];
        let share = |i: usize| self.mass[i] / counts[i];
        let mass: f64 = members.iter().map(|&i| share(i)).sum();
        let center = members.iter().map(|&i| x[i] * share(i)).sum::<DVec3>() / mass;
        let rest_center = members.iter().map(|&i| self.rest[i] * share(i)).sum::<DVec3>() / mass;
        let (mut moment, mut rest_moment) = (DMat3::ZERO, DMat3::ZERO);
        for &i in members {
            let q = self.rest[i] - rest_center;
            moment += outer(x[i] - center, q) * share(i);
            rest_moment += outer(q, q) * share(i);
        }
        Fit { rest_center, center, moment, rest_moment }
    }

    /// The fitted deformation (eq. 1) and its polar rotation.
    pub fn deformation(&self, region: usize, x: &[DVec3], counts: &[f64]) -> (DMat3, DMat3) {
        let fit = self.fit(region, x, counts);
        let (inverse, null) = invert_on_range(fit.rest_moment);
        let fitted = fit.moment * inverse + rotation_of(fit.moment) * null;
        (fitted, rotation_of(fitted))
    }

    /// The symmetric factor of the fitted deformation.
    pub fn stretch(&self, region: usize, x: &[DVec3], counts: &[f64]) -> DMat3 {
        let (fitted, rotation) = self.deformation(region, x, counts);
        symmetric(rotation.transpose() * fitted)
    }

    /// Gram matrix and inner products of one group, without any ridge.
    pub fn normal_system(
        &self,
        group: usize,
        x: &[DVec3],
        counts: &[f64],
        metric: Metric,
    ) -> (Vec<f64>, Vec<f64>) {
        let n = self.strains.len();
        let (mut gram, mut right) = (vec![0.0; n * n], vec![0.0; n]);
        for r in (0..self.regions.len()).filter(|&r| self.group[r] == group) {
            let strain = self.stretch(r, x, counts) - DMat3::IDENTITY;
            let rest_moment = self.fit(r, x, counts).rest_moment;
            for j in 0..n {
                right[j] += inner(metric, self.strains[j][r], strain, rest_moment);
                for k in 0..n {
                    gram[j * n + k] +=
                        inner(metric, self.strains[j][r], self.strains[k][r], rest_moment);
                }
            }
        }
        (gram, right)
    }

    /// Goals of all particles, the weights, and the energy of the pull (for α/h² = 1).
    pub fn find(&self, x: &[DVec3], law: &Law) -> Found {
        let counts = self.counts();
        let n = self.strains.len();
        let mut weights = vec![0.0; self.groups * n];
        let mut ridge_energy = 0.0;
        if n > 0 {
            for group in 0..self.groups {
                let own = &mut weights[group * n..(group + 1) * n];
                if let Weights::Given(given) = &law.weights {
                    own.copy_from_slice(&given[..n]);
                    continue;
                }
                let (plain, right) = self.normal_system(group, x, &counts, law.metric);
                let mut gram = plain.clone();
                let tie = 1e-6 * (0..n).map(|k| plain[k * n + k]).sum::<f64>() / n as f64;
                for k in 0..n {
                    gram[k * n + k] += tie;
                    if law.goals == Goals::Conservative {
                        gram[k * n + k] /= law.beta;
                    }
                }
                own.copy_from_slice(&best_weights(&law.weights, &gram, &right));
                if law.goals == Goals::Polar {
                    own.iter_mut().for_each(|w| *w *= law.beta);
                }
                for k in 0..n {
                    let ridge = gram[k * n + k] - plain[k * n + k];
                    ridge_energy += 0.5 * ridge * own[k] * own[k];
                }
            }
        }
        let mut goals = vec![DVec3::ZERO; self.rest.len()];
        let mut energy = ridge_energy;
        for (r, members) in self.regions.iter().enumerate() {
            let fit = self.fit(r, x, &counts);
            let mut target = DMat3::IDENTITY;
            for k in 0..n {
                target += self.strains[k][r] * weights[self.group[r] * n + k];
            }
            let rotation = match law.goals {
                Goals::Conservative => rotation_of(fit.moment * target),
                Goals::Polar => self.deformation(r, x, &counts).1,
            };
            for &i in members {
                let goal = rotation * target * (self.rest[i] - fit.rest_center) + fit.center;
                goals[i] += goal / counts[i];
                energy += 0.5 * self.mass[i] / counts[i] * (x[i] - goal).length_squared();
            }
        }
        for (i, goal) in goals.iter_mut().enumerate() {
            if counts[i] == 0.0 {
                *goal = x[i];
            }
        }
        Found { goals, weights, energy }
    }

    /// One step (eqs. 4 and 5), or its implicit form.
    pub fn step(&self, x: &mut [DVec3], v: &mut [DVec3], law: &Law) {
        if law.implicit {
            self.damp(x, v, law.decay);
            for (x, v) in x.iter_mut().zip(v.iter_mut()) {
                *v += law.gravity * law.h;
                *x += *v * law.h;
            }
            let found = self.find(x, law);
            for (i, goal) in found.goals.iter().enumerate() {
                let way = *goal - x[i];
                v[i] += way * (law.alpha / law.h);
                x[i] += way * law.alpha;
            }
            return;
        }
        let found = self.find(x, law);
        self.damp(x, v, law.decay);
        for (i, goal) in found.goals.iter().enumerate() {
            v[i] += (*goal - x[i]) * (law.alpha / law.h) + law.gravity * law.h;
        }
        for (x, v) in x.iter_mut().zip(v.iter()) {
            *x += *v * law.h;
        }
    }

    fn damp(&self, x: &[DVec3], v: &mut [DVec3], decay: f64) {
        let rigid = self.rigid_velocities(x, v);
        for (v, rigid) in v.iter_mut().zip(rigid) {
            *v = rigid + (*v - rigid) * decay;
        }
    }

    /// The velocities of the rigid motion with the body's momentum and angular momentum.
    pub fn rigid_velocities(&self, x: &[DVec3], v: &[DVec3]) -> Vec<DVec3> {
        let mass: f64 = self.mass.iter().sum();
        let center = self.center(x);
        let velocity = self.momentum(v) / mass;
        let spin = self.inertia(x).inverse() * self.angular_momentum(x, v);
        x.iter().map(|&x| velocity + spin.cross(x - center)).collect()
    }

    fn inertia(&self, x: &[DVec3]) -> DMat3 {
        let center = self.center(x);
        let mut inertia = DMat3::ZERO;
        for (&x, &m) in x.iter().zip(&self.mass) {
            let r = x - center;
            inertia += (DMat3::IDENTITY * r.length_squared() - outer(r, r)) * m;
        }
        inertia
    }

    pub fn center(&self, x: &[DVec3]) -> DVec3 {
        let mass: f64 = self.mass.iter().sum();
        x.iter().zip(&self.mass).map(|(&x, &m)| x * m).sum::<DVec3>() / mass
    }

    pub fn momentum(&self, v: &[DVec3]) -> DVec3 {
        v.iter().zip(&self.mass).map(|(&v, &m)| v * m).sum()
    }

    /// About the mass centre.
    pub fn angular_momentum(&self, x: &[DVec3], v: &[DVec3]) -> DVec3 {
        let center = self.center(x);
        (0..x.len()).map(|i| (x[i] - center).cross(v[i]) * self.mass[i]).sum()
    }

    pub fn kinetic_energy(&self, v: &[DVec3]) -> f64 {
        v.iter().zip(&self.mass).map(|(v, m)| 0.5 * m * v.length_squared()).sum()
    }

    /// The energy that the symplectic step keeps: velocities are those of the half step before `x`.
    ///
    /// For a goal that stays in place, `v₋ · v₊ / 2 + V(x)` is kept exactly, with v₊ the velocity half a step later.
    pub fn total_energy(&self, x: &[DVec3], v: &[DVec3], law: &Law) -> f64 {
        let found = self.find(x, law);
        let mut energy = law.alpha / (law.h * law.h) * found.energy;
        for i in 0..x.len() {
            let next = v[i] + (found.goals[i] - x[i]) * (law.alpha / law.h);
            energy += 0.5 * self.mass[i] * v[i].dot(next);
        }
        energy
    }

    /// Largest entry of `|S − I|` over all regions.
    pub fn worst_strain(&self, x: &[DVec3]) -> f64 {
        let counts = self.counts();
        (0..self.regions.len())
            .map(|r| largest_entry(self.stretch(r, x, &counts) - DMat3::IDENTITY))
            .fold(0.0, f64::max)
    }
}

pub fn outer(a: DVec3, b: DVec3) -> DMat3 {
    DMat3::from_cols(a * b.x, a * b.y, a * b.z)
}

pub fn symmetric(m: DMat3) -> DMat3 {
    (m + m.transpose()) * 0.5
}

pub fn trace(m: DMat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}

pub fn largest_entry(m: DMat3) -> f64 {
    m.to_cols_array().iter().fold(0.0, |a, v| a.max(v.abs()))
}

pub fn inner(metric: Metric, a: DMat3, b: DMat3, rest_moment: DMat3) -> f64 {
    match metric {
        Metric::Moment => trace(a * rest_moment * b),
        Metric::Frobenius => trace(a * b),
        Metric::Raw => {
            let six =
                |m: DMat3| [m.x_axis.x, m.y_axis.y, m.z_axis.z, m.x_axis.y, m.x_axis.z, m.y_axis.z];
            six(a).iter().zip(six(b)).map(|(a, b)| a * b).sum()
        }
    }
}

/// The rotation R that maximises tr(Rᵀ A): the eigenvector of the largest eigenvalue of Horn's matrix
/// (Horn 1987, "Closed-form solution of absolute orientation using unit quaternions").
pub fn rotation_of(a: DMat3) -> DMat3 {
    // s[i][j] = Σ q_i x_j, with A = Σ x qᵀ.
    let s = |i: usize, j: usize| a.col(i)[j];
    let horn = vec![
        vec![s(0, 0) + s(1, 1) + s(2, 2), s(1, 2) - s(2, 1), s(2, 0) - s(0, 2), s(0, 1) - s(1, 0)],
        vec![s(1, 2) - s(2, 1), s(0, 0) - s(1, 1) - s(2, 2), s(0, 1) + s(1, 0), s(2, 0) + s(0, 2)],
        vec![s(2, 0) - s(0, 2), s(0, 1) + s(1, 0), s(1, 1) - s(0, 0) - s(2, 2), s(1, 2) + s(2, 1)],
        vec![s(0, 1) - s(1, 0), s(2, 0) + s(0, 2), s(1, 2) + s(2, 1), s(2, 2) - s(0, 0) - s(1, 1)],
    ];
    let (values, vectors) = eigen(horn);
    let best = (0..4).max_by(|&i, &j| values[i].total_cmp(&values[j])).unwrap_or(0);
    let q = &vectors[best];
    DMat3::from_quat(DQuat::from_xyzw(q[1], q[2], q[3], q[0]).normalize())
}

/// `√(FᵀF)` by its eigenvectors.
pub fn square_root_of_gram(f: DMat3) -> DMat3 {
    let gram = f.transpose() * f;
    let rows = (0..3).map(|i| (0..3).map(|j| gram.col(j)[i]).collect()).collect();
    let (values, vectors) = eigen(rows);
    (0..3)
        .map(|i| {
            let v = DVec3::new(vectors[i][0], vectors[i][1], vectors[i][2]);
            outer(v, v) * values[i].max(0.0).sqrt()
        })
        .fold(DMat3::ZERO, |sum, m| sum + m)
}

/// The inverse where the eigenvalues are above 1e-4 of the largest, and the projector on the rest.
fn invert_on_range(m: DMat3) -> (DMat3, DMat3) {
    let rows = (0..3).map(|i| (0..3).map(|j| m.col(j)[i]).collect()).collect();
    let (values, vectors) = eigen(rows);
    let largest = values.iter().copied().fold(0.0, f64::max);
    let (mut inverse, mut null) = (DMat3::ZERO, DMat3::ZERO);
    for i in 0..3 {
        let v = DVec3::new(vectors[i][0], vectors[i][1], vectors[i][2]);
        if values[i] > 1e-4 * largest {
            inverse += outer(v, v) * (1.0 / values[i]);
        } else {
            null += outer(v, v);
        }
    }
    (inverse, null)
}

/// Eigenvalues and eigenvectors (row by row) of a symmetric matrix, by Jacobi's method.
fn eigen(mut a: Vec<Vec<f64>>) -> (Vec<f64>, Vec<Vec<f64>>) {
    let n = a.len();
    let mut v: Vec<Vec<f64>> =
        (0..n).map(|i| (0..n).map(|j| f64::from(u8::from(i == j))).collect()).collect();
    for _ in 0..40 {
        let off: f64 =
            (0..n).flat_map(|p| (0..p).map(move |q| (p, q))).map(|(p, q)| a[p][q].powi(2)).sum();
        let all: f64 = a.iter().flatten().map(|x| x * x).sum();
        if off <= 1e-34 * all {
            break;
        }
        for p in 0..n {
            for q in p + 1..n {
                if a[p][q] == 0.0 {
                    continue;
                }
                let angle = 0.5 * (2.0 * a[p][q]).atan2(a[q][q] - a[p][p]);
                let (s, c) = angle.sin_cos();
                for k in 0..n {
                    let (x, y) = (a[k][p], a[k][q]);
                    (a[k][p], a[k][q]) = (c * x - s * y, s * x + c * y);
                }
                for k in 0..n {
                    let (x, y) = (a[p][k], a[q][k]);
                    (a[p][k], a[q][k]) = (c * x - s * y, s * x + c * y);
                    let (x, y) = (v[p][k], v[q][k]);
                    (v[p][k], v[q][k]) = (c * x - s * y, s * x + c * y);
                }
            }
        }
    }
    ((0..n).map(|i| a[i][i]).collect(), v)
}

/// The best weights: every choice of active bounds is tried, and the best feasible one taken.
pub fn best_weights(set: &Weights, gram: &[f64], right: &[f64]) -> Vec<f64> {
    let n = right.len();
    let (low, high) = match set {
        Weights::Affine | Weights::Given(_) => (f64::NEG_INFINITY, f64::INFINITY),
        Weights::Simplex | Weights::NonNegative => (0.0, f64::INFINITY),
        Weights::Box(low, high) => (*low, *high),
    };
    let mut best = (f64::INFINITY, vec![0.0; n]);
    for choice in 0..3_usize.pow(n as u32) * 2 {
        let sum_is_one = choice % 2 == 1;
        if sum_is_one && *set != Weights::Simplex {
            continue;
        }
        let state: Vec<usize> = (0..n).map(|k| choice / 2 / 3_usize.pow(k as u32) % 3).collect();
        let held = |k: usize| [None, Some(low), Some(high)][state[k]];
        if (0..n).any(|k| held(k).is_some_and(|v| !v.is_finite())) {
            continue;
        }
        // Unknowns: the weights, then the multiplier of the sum.
        let size = n + 1;
        let mut rows = vec![vec![0.0; size + 1]; size];
        for k in 0..n {
            if let Some(value) = held(k) {
                rows[k][k] = 1.0;
                rows[k][size] = value;
            } else {
                rows[k][..n].copy_from_slice(&gram[k * n..(k + 1) * n]);
                rows[k][n] = 1.0;
                rows[k][size] = right[k];
            }
        }
        if sum_is_one {
            rows[n][..n].fill(1.0);
            rows[n][size] = 1.0;
        } else {
            rows[n][n] = 1.0;
        }
        let Some(solution) = solve(rows) else { continue };
        let w = &solution[..n];
        let feasible = w.iter().all(|&w| w >= low - 1e-9 && w <= high + 1e-9)
            && (*set != Weights::Simplex || w.iter().sum::<f64>() <= 1.0 + 1e-9);
        let mut value = 0.0;
        for j in 0..n {
            value -= right[j] * w[j];
            for k in 0..n {
                value += 0.5 * w[j] * gram[j * n + k] * w[k];
            }
        }
        if feasible && value < best.0 {
            best = (value, w.to_vec());
        }
    }
    best.1
}

/// Gauss with pivoting; `None` for a singular system.
fn solve(mut rows: Vec<Vec<f64>>) -> Option<Vec<f64>> {
    let n = rows.len();
    for c in 0..n {
        let pivot = (c..n).max_by(|&i, &j| rows[i][c].abs().total_cmp(&rows[j][c].abs()))?;
        rows.swap(c, pivot);
        if rows[c][c].abs() < 1e-300 {
            return None;
        }
        for r in (0..n).filter(|&r| r != c) {
            let factor = rows[r][c] / rows[c][c];
            for k in c..=n {
                let value = rows[c][k];
                rows[r][k] -= factor * value;
            }
        }
    }
    Some((0..n).map(|r| rows[r][n] / rows[r][r]).collect())
}
