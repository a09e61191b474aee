//! Several goals, and goal rotations, stacked for damped least squares.
//!
//! Two positions with levers `r_a`, `r_b` share the block `Σ w² ((r_a·r_b) I − r_b r_aᵀ)`; a rotation has the
//! Jacobian `ρ I` at every joint up to its own, where the length `ρ` makes a turn comparable to a distance.

use glam::{Quat, Vec3};

use super::dls::{MOST_STEP, Pull, Work, hinge_axis, preference};
use crate::chain::Chain;
use crate::pose::Pose;
use crate::rotation::rotation_vector;

/// How far, in lengths of the chain, the effector would have to be off to count as one rad of wrong rotation.
const TURN_LENGTH: f32 = 0.25;

/// Three rows.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Row {
    /// Brings the place of this index to a point.
    Place { end: usize, target: Vec3, weight: f32 },
    /// Brings the joint of this index to a rotation.
    Turn { joint: usize, target: Quat, weight: f32 },
}

impl Row {
    /// Joints before this index move it.
    fn end(&self) -> usize {
        match *self {
            Self::Place { end, .. } => end,
            Self::Turn { joint, .. } => joint + 1,
        }
    }

    fn weight(&self) -> f32 {
        match *self {
            Self::Place { weight, .. } | Self::Turn { weight, .. } => weight,
        }
    }

    /// What is missing, in lengths of the chain.
    fn delta(&self, pose: &Pose) -> Vec3 {
        match *self {
            Self::Place { end, target, .. } => target - pose.places[end],
            Self::Turn { joint, target, .. } => {
                rotation_vector(target * pose.turns[joint].conjugate()) * TURN_LENGTH
            }
        }
    }

    /// `J ω` of one joint that turns by `turn`.
    fn moved(&self, pose: &Pose, joint: usize, turn: Vec3) -> Vec3 {
        match *self {
            Self::Place { end, .. } => turn.cross(pose.places[end] - pose.places[joint]),
            Self::Turn { .. } => turn * TURN_LENGTH,
        }
    }

    /// `Jᵀ y` of one joint.
    fn pulled(&self, pose: &Pose, joint: usize, y: Vec3) -> Vec3 {
        match *self {
            Self::Place { end, .. } => (pose.places[end] - pose.places[joint]).cross(y),
            Self::Turn { .. } => y * TURN_LENGTH,
        }
    }
}

/// Rows with the memory of their linear system.
#[derive(Clone, Debug, Default)]
pub(crate) struct Rows {
    pub rows: Vec<Row>,
    /// Distance and angle within which a row counts as met.
    pub tolerance: f32,
    pub turn_tolerance: f32,
    first: usize,
    end: usize,
    matrix: Vec<f64>,
    right: Vec<f64>,
}

impl Rows {
    /// Begins a new task.
    pub fn reset(&mut self, tolerance: f32, turn_tolerance: f32) {
        self.rows.clear();
        self.tolerance = tolerance;
        self.turn_tolerance = turn_tolerance;
        (self.first, self.end) = (0, 0);
    }

    pub fn push(&mut self, row: Row) {
        self.end = self.end.max(row.end());
        self.rows.push(row);
    }
}

impl Pull for Rows {
    fn error(&self, pose: &Pose) -> f32 {
        let square = |row: &Row| row.weight() * row.delta(pose).length_squared();
        self.rows.iter().map(square).sum::<f32>().sqrt()
    }

    fn reached(&self, pose: &Pose) -> bool {
        self.rows.iter().all(|row| {
            let tolerance = match row {
                Row::Place { .. } => self.tolerance,
                Row::Turn { .. } => self.turn_tolerance * TURN_LENGTH,
            };
            row.delta(pose).length() <= tolerance
        })
    }

    fn range(&self) -> (usize, usize) {
        (self.first, self.end)
    }

    fn turns(&mut self, chain: &Chain, pose: &Pose, damping: f32, work: &mut Work<'_>) {
        let size = 3 * self.rows.len();
        self.matrix.clear();
        self.matrix.resize(size * size, 0.0);
        self.right.clear();
        self.right.resize(size, 0.0);
        // All steps are cut by one factor, so that the balance between goals stays.
        let longest = self.rows.iter().map(|row| row.delta(pose).length()).fold(0.0, f32::max);
        let cut = if longest > MOST_STEP { MOST_STEP / longest } else { 1.0 };
        for (a, row) in self.rows.iter().enumerate() {
            let delta = row.delta(pose) * cut;
            for k in 0..3 {
                self.right[3 * a + k] = f64::from(delta[k]);
                // Weights are those of the least squares: an important row is damped less.
                let square = damping * damping / row.weight();
                self.matrix[(3 * a + k) * size + 3 * a + k] = f64::from(square);
            }
        }
        for i in self.first..self.end {
            let weight = chain.weights[i] * chain.weights[i];
            if weight == 0.0 {
                work.turns[i] = Vec3::ZERO;
                continue;
            }
            let fixed = if work.held[i] { work.turns[i] } else { preference(chain, pose, i) };
            for (a, row) in self.rows.iter().enumerate() {
                if i >= row.end() {
                    continue;
                }
                let moved = row.moved(pose, i, fixed);
                for k in 0..3 {
                    self.right[3 * a + k] -= f64::from(moved[k]);
                }
            }
            if work.held[i] {
                continue;
            }
            let axis = hinge_axis(chain, pose, i);
            // Columns of J Jᵀ: the turn that a unit pull on one row makes, seen by the others.
            for b in 0..self.rows.len() {
                for k in 0..3 {
                    if i >= self.rows[b].end() {
                        continue;
                    }
                    let turn = self.rows[b].pulled(pose, i, Vec3::AXES[k]);
                    let turn = match axis {
                        Some(axis) => axis * axis.dot(turn),
                        None => turn,
                    } * weight;
                    for a in 0..=b {
                        if i >= self.rows[a].end() {
                            continue;
                        }
                        let moved = self.rows[a].moved(pose, i, turn);
                        for l in 0..3 {
                            self.matrix[(3 * a + l) * size + 3 * b + k] += f64::from(moved[l]);
                        }
                    }
                }
            }
        }
        solve_upper(&mut self.matrix, &mut self.right, size);
        for i in self.first..self.end {
            let weight = chain.weights[i] * chain.weights[i];
            if work.held[i] || weight == 0.0 {
                continue;
            }
            let mut turn = Vec3::ZERO;
            for (a, row) in self.rows.iter().enumerate() {
                if i < row.end() {
                    let y = &self.right[3 * a..3 * a + 3];
                    let y = Vec3::new(y[0] as f32, y[1] as f32, y[2] as f32);
                    turn += row.pulled(pose, i, y);
                }
            }
            let turn = match hinge_axis(chain, pose, i) {
                Some(axis) => axis * axis.dot(turn),
                None => turn,
            };
            work.turns[i] = turn * weight + preference(chain, pose, i);
        }
    }
}

/// Solves a symmetric positive definite system, of which the upper triangle is given, by Cholesky's method.
fn solve_upper(matrix: &mut [f64], right: &mut [f64], size: usize) {
    // Uᵀ U = M, row by row.
    for i in 0..size {
        for j in i..size {
            let mut sum = matrix[i * size + j];
            for k in 0..i {
                sum -= matrix[k * size + i] * matrix[k * size + j];
            }
            matrix[i * size + j] = if i == j {
                // Damping keeps pivots positive; rounding must not turn one over.
                sum.max(1e-12).sqrt()
            } else {
                sum / matrix[i * size + i]
            };
        }
    }
    for i in 0..size {
        for k in 0..i {
            right[i] -= matrix[k * size + i] * right[k];
        }
        right[i] /= matrix[i * size + i];
    }
    for i in (0..size).rev() {
        for k in i + 1..size {
            right[i] -= matrix[i * size + k] * right[k];
        }
        right[i] /= matrix[i * size + i];
    }
}
