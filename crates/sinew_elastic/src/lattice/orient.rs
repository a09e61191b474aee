//! Makes neighbouring triangles agree on which side is outside.

use glam::DVec3;

use super::geometry::bounds;

/// A part with more border edges than this share of its edges encloses no volume to judge by.
const MOST_BORDER: f64 = 0.1;

/// The edges of a triangle list, each once.
pub(super) struct Edges {
    /// Sorted corner pairs, smaller first.
    pairs: Vec<[u32; 2]>,
    /// Triangles around edge `e`: `around[starts[e]..starts[e + 1]]`.
    starts: Vec<u32>,
    around: Vec<u32>,
}

impl Edges {
    pub(super) fn new(triangles: &[[u32; 3]]) -> Self {
        let mut sides: Vec<([u32; 2], u32)> = Vec::with_capacity(3 * triangles.len());
        for (t, &[a, b, c]) in triangles.iter().enumerate() {
            for (p, q) in [(a, b), (b, c), (c, a)] {
                sides.push(([p.min(q), p.max(q)], t as u32));
            }
        }
        sides.sort_unstable();
        let (mut pairs, mut starts) = (Vec::new(), Vec::new());
        for (i, (pair, _)) in sides.iter().enumerate() {
            if pairs.last() != Some(pair) {
                pairs.push(*pair);
                starts.push(i as u32);
            }
        }
        starts.push(sides.len() as u32);
        Self { pairs, starts, around: sides.into_iter().map(|(_, t)| t).collect() }
    }

    pub(super) fn len(&self) -> usize {
        self.pairs.len()
    }

    fn around(&self, edge: u32) -> &[u32] {
        let edge = edge as usize;
        &self.around[self.starts[edge] as usize..self.starts[edge + 1] as usize]
    }

    pub(super) fn border(&self) -> usize {
        (0..self.len()).filter(|&e| self.around(e as u32).len() == 1).count()
    }

    pub(super) fn non_manifold(&self) -> usize {
        (0..self.len()).filter(|&e| self.around(e as u32).len() > 2).count()
    }

    /// For each triangle the edges from corner 0 to 1, 1 to 2, 2 to 0.
    pub(super) fn of_triangles(&self, triangles: &[[u32; 3]]) -> Vec<[u32; 3]> {
        let find = |p: u32, q: u32| {
            // Every side of every triangle is in the list, whichever way the triangle is turned.
            self.pairs.binary_search(&[p.min(q), p.max(q)]).unwrap_or_default() as u32
        };
        triangles.iter().map(|&[a, b, c]| [find(a, b), find(b, c), find(c, a)]).collect()
    }
}

/// Turns triangles so that neighbours agree; returns how many were turned.
///
/// Parts are connected over edges with exactly two triangles. A part keeps the winding that most
/// of its area has, unless it is closed, inside out, and not a cavity of another part.
pub(super) fn agree(positions: &[DVec3], triangles: &mut [[u32; 3]], edges: &Edges) -> usize {
    let parts = Parts::flood(triangles, edges);
    let mut turn = parts.turned;
    let corners = |t: u32| -> [DVec3; 3] { triangles[t as usize].map(|v| positions[v as usize]) };

    let mut closed: Vec<(DVec3, DVec3, f64, usize)> = Vec::new();
    for (part, members) in parts.members.iter().enumerate() {
        let [mut kept, mut turned] = [0.0; 2];
        for &t in members {
            let [a, b, c] = corners(t);
            let area = (b - a).cross(c - a).length();
            *(if turn[t as usize] { &mut turned } else { &mut kept }) += area;
        }
        if turned > kept {
            members.iter().for_each(|&t| turn[t as usize] ^= true);
        }
        if parts.border_share[part] > MOST_BORDER {
            continue;
        }
        let (lo, hi) = bounds(members.iter().flat_map(|&t| corners(t)));
        let centre = (lo + hi) / 2.0;
        let volume: f64 = (members.iter())
            .map(|&t| {
                let [a, b, c] = corners(t).map(|p| p - centre);
                let signed = a.dot(b.cross(c)) / 6.0;
                if turn[t as usize] { -signed } else { signed }
            })
            .sum();
        if volume.abs() > 1e-6 * (hi - lo).length().powi(3) {
            closed.push((lo, hi, volume, part));
        }
    }
    for &(lo, hi, volume, part) in closed.iter().filter(|c| c.2 < 0.0) {
        let enclosed = (closed.iter()).any(|&(outer_lo, outer_hi, other, _)| {
            other.abs() > volume.abs() && outer_lo.cmplt(lo).all() && outer_hi.cmpgt(hi).all()
        });
        if !enclosed {
            parts.members[part].iter().for_each(|&t| turn[t as usize] ^= true);
        }
    }
    for (corners, _) in triangles.iter_mut().zip(&turn).filter(|(_, turn)| **turn) {
        corners.swap(1, 2);
    }
    turn.iter().filter(|&&t| t).count()
}

/// Triangles grouped over two-sided edges.
struct Parts {
    members: Vec<Vec<u32>>,
    border_share: Vec<f64>,
    /// Whether a triangle must be turned to agree with the first of its part.
    turned: Vec<bool>,
}

impl Parts {
    fn flood(triangles: &[[u32; 3]], edges: &Edges) -> Self {
        let of_triangles = edges.of_triangles(triangles);
        // Whether a triangle runs along its side `k` from the smaller corner to the larger one.
        let forward =
            |t: u32, k: usize| triangles[t as usize][k] < triangles[t as usize][(k + 1) % 3];
        let side = |t: u32, e: u32| of_triangles[t as usize].iter().position(|&x| x == e);
        let mut turned = vec![false; triangles.len()];
        let mut seen = vec![false; triangles.len()];
        let (mut members, mut border_share) = (Vec::new(), Vec::new());
        for first in 0..triangles.len() as u32 {
            if seen[first as usize] {
                continue;
            }
            seen[first as usize] = true;
            let (mut part, mut at, mut border) = (vec![first], 0, 0);
            while let Some(&t) = part.get(at) {
                at += 1;
                for k in 0..3 {
                    let edge = of_triangles[t as usize][k];
                    let around = edges.around(edge);
                    border += usize::from(around.len() == 1);
                    let &[u, v] = around else { continue };
                    let other = if u == t { v } else { u };
                    if seen[other as usize] {
                        continue;
                    }
                    seen[other as usize] = true;
                    let opposed =
                        side(other, edge).is_some_and(|j| forward(other, j) != forward(t, k));
                    turned[other as usize] = turned[t as usize] ^ !opposed;
                    part.push(other);
                }
            }
            border_share.push(border as f64 / (1.5 * part.len() as f64));
            members.push(part);
        }
        Self { members, border_share, turned }
    }
}
