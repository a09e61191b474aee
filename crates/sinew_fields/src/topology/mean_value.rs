//! Mean-value coordinates of a vertex in its flattened one-ring (Floater 2003).

use glam::{DVec2, DVec3};

/// Weights that give a vertex back as the mean of its neighbours, both projected along `normal`.
///
/// `weights` gets one number a neighbour, all positive, with a sum of one. Returns `false`, and zeros,
/// when the vertex does not lie inside of its flattened ring, or ring or normal are degenerate; such a
/// vertex is not relaxed. The neighbours must go round once, in order.
///
/// With `γ_j` the angle between neighbours j and j + 1 and `r_j` the distance of neighbour j, the weight is
/// `(tan(γ_{j-1}/2) + tan(γ_j/2)) / r_j` before it is normalised.
pub fn mean_value_coordinates(
    vertex: DVec3,
    normal: DVec3,
    ring: impl ExactSizeIterator<Item = DVec3> + Clone,
    weights: &mut [f32],
) -> bool {
    let valid = try_coordinates(vertex, normal, ring, weights).is_some();
    if !valid {
        weights.fill(0.0);
    }
    valid
}

fn try_coordinates(
    vertex: DVec3,
    normal: DVec3,
    ring: impl ExactSizeIterator<Item = DVec3> + Clone,
    weights: &mut [f32],
) -> Option<()> {
    let count = ring.len();
    if count < 3 || count != weights.len() {
        return None;
    }
    let normal = normal.try_normalize()?;
    let (u, v) = normal.any_orthonormal_pair();
    let flat = |q: DVec3| DVec2::new((q - vertex).dot(u), (q - vertex).dot(v));
    // The tangent of half the angle from one neighbour to the next, which must be left of it.
    let half_tangent = |p: DVec2, q: DVec2| {
        let cross = p.perp_dot(q);
        (cross > 0.0).then(|| (p.length() * q.length() - p.dot(q)) / cross)
    };
    let first = ring.clone().next().map(flat)?;
    let last = ring.clone().last().map(flat)?;
    let mut before = half_tangent(last, first)?;
    let mut raw = smallvec::SmallVec::<[f64; 16]>::new();
    let mut turned = 0.0;
    let mut here = first;
    for after in ring.skip(1).map(flat).chain([first]) {
        let tangent = half_tangent(here, after)?;
        raw.push((before + tangent) / here.length());
        turned += here.angle_to(after);
        before = tangent;
        here = after;
    }
    let sum: f64 = raw.iter().sum();
    let once = (turned - std::f64::consts::TAU).abs() < 1e-6;
    if !(once && sum.is_finite() && sum > 0.0) {
        return None;
    }
    for (weight, raw) in weights.iter_mut().zip(raw) {
        *weight = (raw / sum) as f32;
    }
    weights.iter().all(|weight| weight.is_finite()).then_some(())
}
