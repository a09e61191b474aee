//! Measuring and cleaning of triangle surfaces.

use std::collections::HashSet;

use glam::{DVec3, Vec3};

use super::weld::weld;
use super::{
    MeshError, MeshReport, SurfaceMesh, bounds_of, check_input, drop_unreferenced, label_components,
};

/// A triangle is flat when twice its area is below this share of its longest edge squared.
///
/// An f32 coordinate as large as the edge cannot express a height that small (its step is 6e-8), so such a triangle has
/// no direction; anything thicker is kept, because leaving it out would open the surface.
const FLAT_TRIANGLE: f64 = 1e-9;

/// A surface that builders can index without care, and how it came about.
#[derive(Clone, Debug, PartialEq)]
pub struct CleanSurface {
    /// The surface: each place has one vertex, each vertex a triangle, each triangle an area and three different corners.
    pub mesh: SurfaceMesh,
    /// For each vertex of the input, its vertex here, or [`NO_VERTEX`](super::NO_VERTEX) where no kept triangle uses it.
    pub vertex_of: Vec<u32>,
    /// For each triangle here, the triangle of the input that it was.
    pub triangle_from: Vec<u32>,
    /// What was changed, and the faults left in place.
    pub report: MeshReport,
}

/// How the triangles of a surface meet along its edges.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct EdgeCounts {
    /// All edges.
    pub edges: usize,
    /// Edges with one triangle.
    pub border: usize,
    /// Edges with more than two triangles.
    pub non_manifold: usize,
    /// Edges with two triangles that both run along it in the same direction, so one of them is inside out.
    pub inconsistent: usize,
}

impl SurfaceMesh {
    /// Repairs what can be repaired, so that any surface an artist or a file gives can become a body.
    ///
    /// Joins vertices at the same place (within [`WELD_TOLERANCE`](super::WELD_TOLERANCE) of the diagonal: the split
    /// vertices of UV seams and hard edges), then leaves out triangles without area, second copies of a triangle with the
    /// same winding, and vertices that nothing uses. Two triangles back to back are a thin sheet and stay. Open borders,
    /// non-manifold edges, inconsistent winding and several parts are counted but left as they are.
    ///
    /// # Errors
    ///
    /// No vertices or triangles, a non-finite position, an index out of range, or no triangle with an area.
    pub fn cleaned(&self) -> Result<CleanSurface, MeshError> {
        check_input(&self.positions, &self.triangles)?;
        if self.triangles.is_empty() {
            return Err(MeshError::NoTriangles);
        }
        let mut used = vec![false; self.positions.len()];
        for &v in self.triangles.iter().flatten() {
            used[v as usize] = true;
        }
        let welded = weld(&self.positions, &used);
        let (mut positions, mut vertex_of) = (welded.positions, welded.vertex_of);
        let mut report =
            MeshReport { welded: self.positions.len() - positions.len(), ..MeshReport::default() };

        let mut seen = HashSet::with_capacity(self.triangles.len());
        let mut triangles = Vec::with_capacity(self.triangles.len());
        let mut triangle_from = Vec::with_capacity(self.triangles.len());
        for (index, triangle) in self.triangles.iter().enumerate() {
            let corners = triangle.map(|v| vertex_of[v as usize]);
            if is_flat(corners.map(|v| positions[v as usize].as_dvec3())) {
                report.dropped_triangles += 1;
            } else if seen.insert(smallest_first(corners)) {
                triangles.push(corners);
                triangle_from.push(index as u32);
            } else {
                report.merged += 1;
            }
        }
        if triangles.is_empty() {
            return Err(MeshError::AllDegenerate { dropped: self.triangles.len() });
        }
        report.unreferenced = drop_unreferenced(&mut positions, &mut triangles, &mut vertex_of);
        let mesh = Self { positions, triangles };
        let edges = mesh.edge_counts();
        report.border_edges = edges.border;
        report.non_manifold_edges = edges.non_manifold;
        report.inconsistent_edges = edges.inconsistent;
        report.components = mesh.components().0;
        Ok(CleanSurface { mesh, vertex_of, triangle_from, report })
    }

    /// Smallest and largest corner of the surface's box, over all vertices; `None` when there are none.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        bounds_of(self.positions.iter().copied())
    }

    /// Total area of the triangles.
    ///
    /// # Panics
    ///
    /// When an index is out of range; a cleaned surface has none such. The same holds for the other measures.
    pub fn area(&self) -> f64 {
        self.triangles.iter().map(|t| twice_area(self.corners(t)).length() * 0.5).sum()
    }

    /// Signed volume inside the surface (divergence theorem): positive when triangles are counter-clockwise from outside.
    ///
    /// Exact for a closed surface; for an open one it depends on where the surface lies, and serves only as a rough size.
    pub fn volume(&self) -> f64 {
        // Relative to a point of the surface: far from the origin the terms would cancel badly.
        let Some(&origin) = self.positions.first() else {
            return 0.0;
        };
        self.triangles
            .iter()
            .map(|t| {
                let [a, b, c] = self.corners(t).map(|p| p - origin.as_dvec3());
                a.dot(b.cross(c)) / 6.0
            })
            .sum()
    }

    /// Number of connected parts (joined by a shared vertex index) and the part of each triangle.
    pub fn components(&self) -> (usize, Vec<u32>) {
        label_components(self.positions.len(), &self.triangles)
    }

    /// Counts edges by how triangles meet there. Vertices count as the same only by index, so weld first.
    pub fn edge_counts(&self) -> EdgeCounts {
        // (lower vertex, higher vertex, runs from lower to higher), sorted so that equal edges are neighbours.
        let mut sides: Vec<(u32, u32, bool)> = self
            .triangles
            .iter()
            .flat_map(|&[a, b, c]| [(a, b), (b, c), (c, a)])
            .map(|(a, b)| (a.min(b), a.max(b), a < b))
            .collect();
        sides.sort_unstable();
        let mut counts = EdgeCounts::default();
        for edge in sides.chunk_by(|s, t| (s.0, s.1) == (t.0, t.1)) {
            counts.edges += 1;
            match edge {
                [_] => counts.border += 1,
                [s, t] if s.2 == t.2 => counts.inconsistent += 1,
                [_, _] => {}
                _ => counts.non_manifold += 1,
            }
        }
        counts
    }

    /// Vertices minus edges plus triangles: 2 for each closed part without a handle, 0 for a torus.
    ///
    /// All vertices count, also those that no triangle uses.
    pub fn euler_characteristic(&self) -> i64 {
        self.positions.len() as i64 - self.edge_counts().edges as i64 + self.triangles.len() as i64
    }

    fn corners(&self, triangle: &[u32; 3]) -> [DVec3; 3] {
        triangle.map(|v| self.positions[v as usize].as_dvec3())
    }
}

/// Normal of a triangle, twice its area long.
pub(super) fn twice_area([a, b, c]: [DVec3; 3]) -> DVec3 {
    (b - a).cross(c - a)
}

fn is_flat(corners: [DVec3; 3]) -> bool {
    let [a, b, c] = corners;
    let longest =
        (b - a).length_squared().max((c - b).length_squared()).max((a - c).length_squared());
    twice_area(corners).length() <= FLAT_TRIANGLE * longest
}

/// The same winding, told from the smallest vertex on.
fn smallest_first([a, b, c]: [u32; 3]) -> [u32; 3] {
    if a < b && a < c {
        [a, b, c]
    } else if b < c {
        [b, c, a]
    } else {
        [c, a, b]
    }
}
