//! Distances, cuts and overlaps of triangles, segments and boxes.

use glam::DVec3;

pub(super) type Triangle = [DVec3; 3];

/// Whether a triangle meets the closed cube of half side `half` about `centre` (separating axes).
pub(super) fn triangle_meets_cube(triangle: &Triangle, centre: DVec3, half: f64) -> bool {
    let v = triangle.map(|p| p - centre);
    let low = v[0].min(v[1]).min(v[2]);
    let high = v[0].max(v[1]).max(v[2]);
    if low.max_element() > half || high.min_element() < -half {
        return false;
    }
    let sides = [v[1] - v[0], v[2] - v[1], v[0] - v[2]];
    let separates = |axis: DVec3| {
        let reach = half * axis.abs().element_sum();
        let [a, b, c] = v.map(|p| p.dot(axis));
        a.min(b).min(c) > reach || a.max(b).max(c) < -reach
    };
    if separates(sides[0].cross(sides[1])) {
        return false;
    }
    !sides.iter().any(|s| {
        separates(DVec3::new(0.0, -s.z, s.y))
            || separates(DVec3::new(s.z, 0.0, -s.x))
            || separates(DVec3::new(-s.y, s.x, 0.0))
    })
}

/// Whether a segment meets the closed cube of half side `half` about `centre`.
pub(super) fn segment_meets_cube(p: DVec3, q: DVec3, centre: DVec3, half: f64) -> bool {
    let (p, direction) = (p - centre, q - p);
    let (mut from, mut to) = (0.0_f64, 1.0_f64);
    for axis in 0..3 {
        if direction[axis] == 0.0 {
            if p[axis].abs() > half {
                return false;
            }
        } else {
            let a = (-half - p[axis]) / direction[axis];
            let b = (half - p[axis]) / direction[axis];
            from = from.max(a.min(b));
            to = to.min(a.max(b));
        }
    }
    from <= to
}

/// The part of a triangle inside a cube, as a convex polygon.
pub(super) fn clip_to_cube(triangle: &Triangle, centre: DVec3, half: f64) -> Vec<DVec3> {
    let mut polygon = triangle.to_vec();
    for axis in 0..3 {
        for sign in [-1.0, 1.0] {
            let depth = |p: DVec3| half - sign * (p[axis] - centre[axis]);
            let source = std::mem::take(&mut polygon);
            for (i, &p) in source.iter().enumerate() {
                let q = source[(i + 1) % source.len()];
                let (dp, dq) = (depth(p), depth(q));
                if dp >= 0.0 {
                    polygon.push(p);
                }
                if (dp > 0.0 && dq < 0.0) || (dp < 0.0 && dq > 0.0) {
                    polygon.push(p.lerp(q, dp / (dp - dq)));
                }
            }
        }
    }
    polygon
}

/// The point of a segment nearest to `p`.
pub(super) fn nearest_on_segment(p: DVec3, a: DVec3, b: DVec3) -> DVec3 {
    let along = b - a;
    let length_squared = along.length_squared();
    if length_squared == 0.0 {
        return a;
    }
    a + along * ((p - a).dot(along) / length_squared).clamp(0.0, 1.0)
}

/// The point of a triangle nearest to `p`; a collapsed triangle counts as its sides.
pub(super) fn nearest_on_triangle(p: DVec3, &[a, b, c]: &Triangle) -> DVec3 {
    let normal = (b - a).cross(c - a);
    let inside = |from: DVec3, to: DVec3| (to - from).cross(p - from).dot(normal) >= 0.0;
    let scale = normal.length_squared();
    if scale > 0.0 && inside(a, b) && inside(b, c) && inside(c, a) {
        return p - normal * ((p - a).dot(normal) / scale);
    }
    let candidates =
        [nearest_on_segment(p, a, b), nearest_on_segment(p, b, c), nearest_on_segment(p, c, a)];
    let mut best = candidates[0];
    for q in candidates {
        if q.distance_squared(p) < best.distance_squared(p) {
            best = q;
        }
    }
    best
}

/// The nearest points of two segments.
fn nearest_of_segments([p, q]: [DVec3; 2], [r, s]: [DVec3; 2]) -> (DVec3, DVec3) {
    let (u, v, w) = (q - p, s - r, p - r);
    let (uu, uv, vv) = (u.dot(u), u.dot(v), v.dot(v));
    let determinant = uu * vv - uv * uv;
    let mut at = 0.5;
    if determinant > 1e-12 * uu * vv {
        at = ((uv * v.dot(w) - vv * u.dot(w)) / determinant).clamp(0.0, 1.0);
    }
    // Alternate projections: exact once one of the two parameters is clamped correctly.
    let mut on_first = p + u * at;
    let mut on_second = nearest_on_segment(on_first, r, s);
    on_first = nearest_on_segment(on_second, p, q);
    on_second = nearest_on_segment(on_first, r, s);
    (on_first, on_second)
}

/// Whether the segment `p q` passes through a triangle.
pub(super) fn segment_meets_triangle(p: DVec3, q: DVec3, &[a, b, c]: &Triangle) -> bool {
    let normal = (b - a).cross(c - a);
    let (above, below) = ((p - a).dot(normal), (q - a).dot(normal));
    if above == below || above * below > 0.0 {
        return false;
    }
    let hit = p.lerp(q, above / (above - below));
    [(a, b), (b, c), (c, a)]
        .into_iter()
        .all(|(from, to)| (to - from).cross(hit - from).dot(normal) >= 0.0)
}

/// The nearest points of two triangles; equal points if they cross.
pub(super) fn nearest_of_triangles(first: &Triangle, second: &Triangle) -> (DVec3, DVec3) {
    let sides = |t: &Triangle| [[t[0], t[1]], [t[1], t[2]], [t[2], t[0]]];
    let crosses = |s: &[DVec3; 2], t: &Triangle| segment_meets_triangle(s[0], s[1], t);
    if let Some([p, _]) = sides(first).iter().find(|s| crosses(s, second)) {
        return (*p, *p);
    }
    if let Some([p, _]) = sides(second).iter().find(|s| crosses(s, first)) {
        return (*p, *p);
    }
    let mut best = (first[0], second[0]);
    let mut least = f64::INFINITY;
    let mut offer = |pair: (DVec3, DVec3)| {
        let distance = pair.0.distance_squared(pair.1);
        if distance < least {
            least = distance;
            best = pair;
        }
    };
    // Faces first, so that of equal distances the one with a clear normal is kept.
    for k in 0..3 {
        offer((first[k], nearest_on_triangle(first[k], second)));
        offer((nearest_on_triangle(second[k], first), second[k]));
    }
    for a in sides(first) {
        for b in sides(second) {
            offer(nearest_of_segments(a, b));
        }
    }
    best
}

/// Lowest and highest corner of points; infinite the wrong way round without any.
pub(super) fn bounds(points: impl Iterator<Item = DVec3>) -> (DVec3, DVec3) {
    points.fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(lo, hi), p| (lo.min(p), hi.max(p)))
}
