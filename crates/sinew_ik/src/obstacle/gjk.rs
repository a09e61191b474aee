//! Distance of a segment to a convex core by the method of Gilbert, Johnson and Keerthi (1988), in double precision.
//!
//! The nearest point of a simplex to the origin is found by trying all of its faces. There are at most
//! fifteen, and this way no case is forgotten.

use glam::DVec3;

/// A convex set by its farthest points.
pub(super) trait Support {
    /// The point farthest in a direction; any one if several are.
    fn support(&self, direction: DVec3) -> DVec3;
}

/// The nearest points.
pub(super) struct Nearest {
    pub distance: f64,
    pub along: f64,
    pub on_core: DVec3,
    /// From core to segment.
    pub normal: DVec3,
}

#[derive(Clone, Copy, Default)]
struct Vertex {
    /// Segment minus core.
    difference: DVec3,
    along: f64,
    on_core: DVec3,
}

const MOST_ROUNDS: u32 = 48;

/// Nearest points of the segment from `a` to `b` and a core about the origin. Where they cut each other the distance is
/// zero and the normal is that from the core's origin to the segment's nearest point.
pub(super) fn closest(a: DVec3, b: DVec3, core: &impl Support) -> Nearest {
    let vertex = |direction: DVec3| {
        let along = if b.dot(direction) > a.dot(direction) { 1.0 } else { 0.0 };
        let on_core = core.support(-direction);
        Vertex { difference: a + (b - a) * along - on_core, along, on_core }
    };
    let mut simplex = [Vertex::default(); 4];
    simplex[0] = vertex(if a == DVec3::ZERO { DVec3::X } else { -a });
    let mut count = 1;
    let mut weights = [1.0, 0.0, 0.0, 0.0];
    let mut nearest = simplex[0].difference;
    let scale = a.length_squared().max(b.length_squared()).max(nearest.length_squared());
    for _ in 0..MOST_ROUNDS {
        let square = nearest.length_squared();
        if square <= 1e-24 * scale {
            return cut(a, b);
        }
        let next = vertex(-nearest);
        // No point of the difference is more than this nearer to the origin.
        if square - nearest.dot(next.difference) <= 1e-12 * square {
            break;
        }
        if simplex[..count].iter().any(|v| v.difference == next.difference) || count == 4 {
            break;
        }
        simplex[count] = next;
        count += 1;
        let Some(found) = nearest_of(&simplex[..count]) else { return cut(a, b) };
        if found.1 >= square {
            // Rounding: the old point was as good.
            count -= 1;
            break;
        }
        // Only vertices that carry weight stay.
        let mut kept = 0;
        let mut point = DVec3::ZERO;
        for i in 0..count {
            if found.0[i] > 0.0 {
                simplex[kept] = simplex[i];
                weights[kept] = found.0[i];
                point += simplex[kept].difference * weights[kept];
                kept += 1;
            }
        }
        count = kept;
        nearest = point;
    }
    let (mut along, mut on_core) = (0.0, DVec3::ZERO);
    for i in 0..count {
        along += simplex[i].along * weights[i];
        on_core += simplex[i].on_core * weights[i];
    }
    let distance = nearest.length();
    Nearest { distance, along, on_core, normal: nearest / distance.max(f64::MIN_POSITIVE) }
}

fn cut(a: DVec3, b: DVec3) -> Nearest {
    let way = b - a;
    let square = way.length_squared();
    let along = if square > 0.0 { (-a.dot(way) / square).clamp(0.0, 1.0) } else { 0.0 };
    let point = a + way * along;
    let length = point.length();
    let normal = if length > 0.0 { point / length } else { DVec3::Y };
    Nearest { distance: 0.0, along, on_core: point, normal }
}

/// Weights of the point of a simplex that is nearest to the origin, and its squared distance; `None` when
/// the origin is inside of a tetrahedron.
fn nearest_of(simplex: &[Vertex]) -> Option<([f64; 4], f64)> {
    let p = |i: usize| simplex[i].difference;
    let mut best = ([0.0; 4], f64::INFINITY);
    let mut offer = |corners: &[(usize, f64)]| {
        let mut weights = [0.0; 4];
        let mut point = DVec3::ZERO;
        for &(i, weight) in corners {
            weights[i] = weight;
            point += p(i) * weight;
        }
        let square = point.length_squared();
        if square < best.1 {
            best = (weights, square);
        }
    };
    let count = simplex.len();
    for i in 0..count {
        offer(&[(i, 1.0)]);
        for j in i + 1..count {
            let way = p(j) - p(i);
            let t = -p(i).dot(way) / way.length_squared();
            // Comparisons with NaN, of corners in one place, are false.
            if t > 0.0 && t < 1.0 {
                offer(&[(i, 1.0 - t), (j, t)]);
            }
            for k in j + 1..count {
                let normal = way.cross(p(k) - p(i));
                let square = normal.length_squared();
                let u = p(j).cross(p(k)).dot(normal) / square;
                let v = p(k).cross(p(i)).dot(normal) / square;
                let w = p(i).cross(p(j)).dot(normal) / square;
                if u > 0.0 && v > 0.0 && w > 0.0 {
                    offer(&[(i, u), (j, v), (k, w)]);
                }
            }
        }
    }
    if count == 4 && holds_origin(p(0), p(1), p(2), p(3)) { None } else { Some(best) }
}

fn holds_origin(a: DVec3, b: DVec3, c: DVec3, d: DVec3) -> bool {
    let same_side = |p: DVec3, q: DVec3, r: DVec3, apex: DVec3| {
        let normal = (q - p).cross(r - p);
        let (apex_side, origin_side) = (normal.dot(apex - p), normal.dot(-p));
        apex_side * origin_side > 0.0
    };
    same_side(a, b, c, d) && same_side(b, c, d, a) && same_side(c, d, a, b) && same_side(d, a, b, c)
}
