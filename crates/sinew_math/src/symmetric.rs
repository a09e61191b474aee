//! Eigenvalues and pseudo-inverses of symmetric 3×3 matrices, for load time.

use glam::{DMat3, DVec3};

/// Sweeps of the Jacobi method; five reach double precision for any 3×3 matrix, the rest is margin.
const SWEEPS: usize = 12;

/// Eigenvalues (in no order) and orthonormal eigenvectors (as columns) of a symmetric matrix, by
/// cyclic Jacobi rotations.
#[must_use]
pub fn eigen(symmetric: DMat3) -> (DVec3, DMat3) {
    let mut a = symmetric;
    let mut vectors = DMat3::IDENTITY;
    for _ in 0..SWEEPS {
        for (p, q) in [(0, 1), (0, 2), (1, 2)] {
            let apq = a.col(q)[p];
            let scale = a.col(p)[p].abs().max(a.col(q)[q].abs());
            if apq.abs() <= f64::EPSILON * f64::EPSILON * scale || apq == 0.0 {
                continue;
            }
            let theta = (a.col(q)[q] - a.col(p)[p]) / (2.0 * apq);
            let t = theta.signum() / (theta.abs() + (theta * theta + 1.0).sqrt());
            let c = 1.0 / (t * t + 1.0).sqrt();
            let s = t * c;
            let mut turn = DMat3::IDENTITY;
            turn.col_mut(p)[p] = c;
            turn.col_mut(q)[q] = c;
            turn.col_mut(q)[p] = s;
            turn.col_mut(p)[q] = -s;
            a = turn.transpose() * a * turn;
            vectors *= turn;
        }
    }
    (DVec3::new(a.x_axis.x, a.y_axis.y, a.z_axis.z), vectors)
}

/// A pseudo-inverse, and the projector on the directions that were treated as null.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct PseudoInverse {
    /// Inverse on the range, zero on the null space.
    pub inverse: DMat3,
    /// Orthogonal projector on the null space; zero for a full-rank matrix.
    pub null_projector: DMat3,
    /// Number of eigenvalues that were inverted.
    pub rank: u32,
}

/// Inverts a positive semi-definite matrix on its range: eigenvalues below `relative` times the
/// largest count as zero.
#[must_use]
pub fn pseudo_inverse(symmetric: DMat3, relative: f64) -> PseudoInverse {
    let (values, vectors) = eigen(symmetric);
    let largest = values.max_element();
    let mut out = PseudoInverse { inverse: DMat3::ZERO, null_projector: DMat3::ZERO, rank: 0 };
    for axis in 0..3 {
        let v = vectors.col(axis);
        let outer = DMat3::from_cols(v * v.x, v * v.y, v * v.z);
        if values[axis] > relative * largest && values[axis] > 0.0 {
            out.inverse += outer * (1.0 / values[axis]);
            out.rank += 1;
        } else {
            out.null_projector += outer;
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn outer(v: DVec3) -> DMat3 {
        DMat3::from_cols(v * v.x, v * v.y, v * v.z)
    }

    #[test]
    fn eigenvectors_rebuild_the_matrix() {
        let m = DMat3::from_cols_array(&[4.0, 1.0, -2.0, 1.0, 3.0, 0.5, -2.0, 0.5, 1e-3]);
        let (values, vectors) = eigen(m);
        let rebuilt = (0..3).fold(DMat3::ZERO, |sum, i| sum + outer(vectors.col(i)) * values[i]);
        assert!((rebuilt - m).to_cols_array().iter().all(|v| v.abs() < 1e-13));
        let gram = vectors.transpose() * vectors - DMat3::IDENTITY;
        assert!(gram.to_cols_array().iter().all(|v| v.abs() < 1e-14));
    }

    #[test]
    fn a_flat_matrix_is_inverted_in_its_plane_only() {
        let (u, v) = (DVec3::new(1.0, 2.0, 0.0).normalize(), DVec3::Z);
        let result = pseudo_inverse(outer(u) * 2.0 + outer(v) * 5.0, 1e-4);
        assert_eq!(result.rank, 2);
        assert!((result.inverse * u - u / 2.0).length() < 1e-14);
        let normal = u.cross(v);
        assert!((result.null_projector * normal - normal).length() < 1e-14);
        assert!((result.inverse * normal).length() < 1e-14);
    }
}
