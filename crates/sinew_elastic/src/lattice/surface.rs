//! The input surface, welded and put in an order that does not depend on the input's numbering.

use glam::{DVec3, Vec3};

use super::geometry::bounds;
use super::grid::Grid;
use super::{LatticeError, orient};
use crate::mesh::SurfaceMesh;
use crate::mesh::weld::weld;

/// Diagonals outside of this range square to infinity or to zero in `f32` code downstream.
const SIZES: std::ops::RangeInclusive<f64> = 1e-15..=1e15;

/// A welded surface: vertices sorted by position, triangles sorted by vertices, windings made to
/// agree, so that equal shapes give equal surfaces however the input numbers them.
pub(super) struct Surface {
    pub(super) positions: Vec<DVec3>,
    pub(super) triangles: Vec<[u32; 3]>,
    /// Edge `k` of a triangle runs from its corner `k` to its corner `k + 1`.
    pub(super) triangle_edges: Vec<[u32; 3]>,
    pub(super) face_normals: Vec<DVec3>,
    /// Sums of the normals of the faces around; not normalised.
    pub(super) edge_normals: Vec<DVec3>,
    /// Sums weighted by corner angle (Baerentzen and Aanaes 2005); not normalised.
    pub(super) vertex_normals: Vec<DVec3>,
    /// The input's vertices: where they are, and the welded vertex that each became.
    pub(super) input: Vec<Vec3>,
    pub(super) vertex_of_input: Vec<u32>,
    /// Bounds of the triangles.
    pub(super) min: DVec3,
    pub(super) max: DVec3,
    pub(super) welded_vertices: usize,
    pub(super) dropped_triangles: usize,
    pub(super) turned_triangles: usize,
    pub(super) border_edges: usize,
    pub(super) non_manifold_edges: usize,
    pub(super) unused_vertices: usize,
}

impl Surface {
    pub(super) fn new(mesh: &SurfaceMesh) -> Result<Self, LatticeError> {
        check(mesh)?;
        let (min, max) =
            bounds(mesh.triangles.iter().flatten().map(|&v| mesh.positions[v as usize].as_dvec3()));
        let size = (max - min).length();
        if size == 0.0 {
            return Err(LatticeError::ZeroSize);
        }
        if !SIZES.contains(&size) {
            return Err(LatticeError::SizeOutOfRange { size });
        }
        let (positions, vertex_of_input) = weld_sorted(mesh);
        let mut triangles = canonical_triangles(mesh, &vertex_of_input);
        if triangles.is_empty() {
            return Err(LatticeError::OnlyCollapsedTriangles { triangles: mesh.triangles.len() });
        }
        // Collapsed triangles do not count: they would stretch the grid over empty space.
        let (min, max) = bounds(triangles.iter().flatten().map(|&v| positions[v as usize]));
        let edges = orient::Edges::new(&triangles);
        let turned_triangles = orient::agree(&positions, &mut triangles, &edges);

        let mut used = vec![false; positions.len()];
        for &v in triangles.iter().flatten() {
            used[v as usize] = true;
        }
        let mut surface = Self {
            min,
            max,
            welded_vertices: mesh.positions.len() - positions.len(),
            dropped_triangles: mesh.triangles.len() - triangles.len(),
            turned_triangles,
            border_edges: edges.border(),
            non_manifold_edges: edges.non_manifold(),
            unused_vertices: vertex_of_input.iter().filter(|&&v| !used[v as usize]).count(),
            triangle_edges: edges.of_triangles(&triangles),
            face_normals: Vec::with_capacity(triangles.len()),
            edge_normals: vec![DVec3::ZERO; edges.len()],
            vertex_normals: vec![DVec3::ZERO; positions.len()],
            input: mesh.positions.clone(),
            vertex_of_input,
            positions,
            triangles,
        };
        surface.compute_normals();
        Ok(surface)
    }

    /// An input vertex in cell units.
    pub(super) fn local_input(&self, grid: &Grid, vertex: usize) -> DVec3 {
        grid.local(self.input[vertex].as_dvec3())
    }

    fn compute_normals(&mut self) {
        for (corners, edges) in self.triangles.iter().zip(&self.triangle_edges) {
            let [a, b, c] = corners.map(|v| self.positions[v as usize]);
            let normal = (b - a).cross(c - a).normalize_or_zero();
            self.face_normals.push(normal);
            for (k, (p, q, r)) in [(a, b, c), (b, c, a), (c, a, b)].into_iter().enumerate() {
                self.edge_normals[edges[k] as usize] += normal;
                let angle =
                    (q - p).normalize_or_zero().dot((r - p).normalize_or_zero()).clamp(-1.0, 1.0);
                self.vertex_normals[corners[k] as usize] += normal * angle.acos();
            }
        }
    }
}

fn check(mesh: &SurfaceMesh) -> Result<(), LatticeError> {
    let vertices = mesh.positions.len();
    if vertices == 0 {
        return Err(LatticeError::NoVertices);
    }
    if mesh.triangles.is_empty() {
        return Err(LatticeError::NoTriangles);
    }
    if let Some(vertex) = mesh.positions.iter().position(|p| !p.is_finite()) {
        return Err(LatticeError::NonFiniteVertex { vertex });
    }
    for (triangle, corners) in mesh.triangles.iter().enumerate() {
        if let Some(&index) = corners.iter().find(|&&v| v as usize >= vertices) {
            return Err(LatticeError::IndexOutOfRange { triangle, index, vertices });
        }
    }
    Ok(())
}

/// Merges vertices that lie in one place; the result is sorted by x, then y, then z.
fn weld_sorted(mesh: &SurfaceMesh) -> (Vec<DVec3>, Vec<u32>) {
    let source = &mesh.positions;
    let mut order: Vec<u32> = (0..source.len() as u32).collect();
    order.sort_by(|&i, &j| {
        let (p, q) = (source[i as usize], source[j as usize]);
        (p.x.total_cmp(&q.x)).then(p.y.total_cmp(&q.y)).then(p.z.total_cmp(&q.z))
    });
    let mut used = vec![false; source.len()];
    for &v in mesh.triangles.iter().flatten() {
        used[v as usize] = true;
    }
    let sorted: Vec<Vec3> = order.iter().map(|&i| source[i as usize]).collect();
    let used: Vec<bool> = order.iter().map(|&i| used[i as usize]).collect();
    let welded = weld(&sorted, &used);
    let mut vertex_of_input = vec![0; source.len()];
    for (&i, &vertex) in order.iter().zip(&welded.vertex_of) {
        vertex_of_input[i as usize] = vertex;
    }
    (welded.positions.iter().map(|p| p.as_dvec3()).collect(), vertex_of_input)
}

/// Triangles of welded vertices, each set of corners once, smallest corner first, sorted.
fn canonical_triangles(mesh: &SurfaceMesh, vertex_of_input: &[u32]) -> Vec<[u32; 3]> {
    let set = |t: &[u32; 3]| {
        let mut sorted = *t;
        sorted.sort_unstable();
        sorted
    };
    let mut triangles: Vec<[u32; 3]> = (mesh.triangles.iter())
        .map(|t| t.map(|v| vertex_of_input[v as usize]))
        .filter(|[a, b, c]| a != b && b != c && c != a)
        .map(|[a, b, c]| {
            let least = a.min(b).min(c);
            if a == least {
                [a, b, c]
            } else if b == least {
                [b, c, a]
            } else {
                [c, a, b]
            }
        })
        .collect();
    triangles.sort_unstable_by_key(|t| (set(t), *t));
    triangles.dedup_by_key(|t| set(t));
    triangles
}
