//! Measuring and cleaning of tetrahedral meshes.

use std::collections::HashSet;

use glam::{DVec3, Vec3};

use super::weld::weld;
use super::{
    MeshError, MeshReport, TetBoundary, TetMesh, bounds_of, check_input, drop_unreferenced,
    label_components,
};

/// A cell is flat when six times its volume is below this share of its longest edge cubed.
///
/// About ten f32 steps of a coordinate as large as the edge: below it the sign of the volume is rounding, so the cell
/// could not be told from its mirror image.
const FLAT_CELL: f64 = 1e-6;

/// A tetrahedral mesh that builders can index without care, and how it came about.
#[derive(Clone, Debug, PartialEq)]
pub struct CleanTet {
    /// The mesh: each place has one vertex, each vertex a cell, each cell a positive volume.
    ///
    /// The corners of a cell are in ascending order but for the last two, which the sign of the volume decides. So a
    /// cell given in any of its 24 vertex orders comes out the same, bit for bit.
    pub mesh: TetMesh,
    /// For each vertex of the input, its vertex here, or [`NO_VERTEX`](super::NO_VERTEX) where no kept cell uses it.
    pub vertex_of: Vec<u32>,
    /// For each cell here, the cell of the input that it was.
    pub cell_from: Vec<u32>,
    /// The outer skin of the cells.
    pub boundary: TetBoundary,
    /// What was changed, and the faults left in place.
    pub report: MeshReport,
}

impl TetMesh {
    /// Repairs what can be repaired, so that any tetrahedral mesh can become a body.
    ///
    /// Joins vertices at the same place (within [`WELD_TOLERANCE`](super::WELD_TOLERANCE) of the diagonal), turns cells of
    /// negative volume round, leaves out cells without volume, second copies of a cell, and vertices that nothing uses,
    /// and finds the boundary. Overlapping cells and faces that do not match are counted but left as they are.
    ///
    /// # Errors
    ///
    /// No vertices or cells, a non-finite position, an index out of range, or no cell with a volume.
    pub fn cleaned(&self) -> Result<CleanTet, MeshError> {
        check_input(&self.positions, &self.cells)?;
        if self.cells.is_empty() {
            return Err(MeshError::NoCells);
        }
        let mut used = vec![false; self.positions.len()];
        for &v in self.cells.iter().flatten() {
            used[v as usize] = true;
        }
        let welded = weld(&self.positions, &used);
        let (mut positions, mut vertex_of) = (welded.positions, welded.vertex_of);
        let mut report =
            MeshReport { welded: self.positions.len() - positions.len(), ..MeshReport::default() };

        let mut seen = HashSet::with_capacity(self.cells.len());
        let mut cells = Vec::with_capacity(self.cells.len());
        let mut cell_from = Vec::with_capacity(self.cells.len());
        for (index, cell) in self.cells.iter().enumerate() {
            let given = cell.map(|v| vertex_of[v as usize]);
            let corners_of = |cell: [u32; 4]| cell.map(|v| positions[v as usize].as_dvec3());
            if is_flat(corners_of(given)) {
                report.dropped_cells += 1;
                continue;
            }
            let mut corners = given;
            corners.sort_unstable();
            if !seen.insert(corners) {
                report.merged += 1;
                continue;
            }
            if six_volumes(corners_of(given)) < 0.0 {
                report.reoriented += 1;
            }
            if six_volumes(corners_of(corners)) < 0.0 {
                corners.swap(2, 3);
            }
            cells.push(corners);
            cell_from.push(index as u32);
        }
        if cells.is_empty() {
            return Err(MeshError::AllDegenerate { dropped: self.cells.len() });
        }
        // Renumbering keeps the order of vertices, and so the ascending order of corners.
        report.unreferenced = drop_unreferenced(&mut positions, &mut cells, &mut vertex_of);
        let mesh = Self { positions, cells };
        let boundary = mesh.boundary();
        let edges = boundary.surface(&mesh).edge_counts();
        report.border_edges = edges.border;
        report.non_manifold_edges = edges.non_manifold;
        report.inconsistent_edges = edges.inconsistent;
        report.non_conforming_faces = boundary.non_conforming.len();
        report.overlapping_faces = boundary.overlapping;
        report.components = mesh.components().0;
        Ok(CleanTet { mesh, vertex_of, cell_from, boundary, report })
    }

    /// Smallest and largest corner of the mesh's box, over all vertices; `None` when there are none.
    pub fn bounds(&self) -> Option<(Vec3, Vec3)> {
        bounds_of(self.positions.iter().copied())
    }

    /// Sum of the signed volumes of all cells.
    ///
    /// # Panics
    ///
    /// When an index is out of range; a cleaned mesh has none such. The same holds for the other measures.
    pub fn volume(&self) -> f64 {
        self.cell_volumes().sum()
    }

    /// Signed volume of each cell, in order.
    pub fn cell_volumes(&self) -> impl ExactSizeIterator<Item = f64> {
        self.cells
            .iter()
            .map(|cell| six_volumes(cell.map(|v| self.positions[v as usize].as_dvec3())) / 6.0)
    }

    /// Number of connected parts (joined by a shared vertex index) and the part of each cell.
    pub fn components(&self) -> (usize, Vec<u32>) {
        label_components(self.positions.len(), &self.cells)
    }
}

/// Six times the signed volume of a cell.
pub(super) fn six_volumes([a, b, c, d]: [DVec3; 4]) -> f64 {
    (b - a).cross(c - a).dot(d - a)
}

fn is_flat(corners: [DVec3; 4]) -> bool {
    let [a, b, c, d] = corners;
    let longest = [b - a, c - a, d - a, c - b, d - b, d - c]
        .map(DVec3::length)
        .into_iter()
        .fold(0.0, f64::max);
    six_volumes(corners).abs() <= FLAT_CELL * longest.powi(3)
}
