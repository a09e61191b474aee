//! What cleaning changed.

use core::fmt;

/// Says what cleaning a mesh changed and what faults it left in place, for a log line or an import dialogue.
///
/// Counts that do not apply (cells of a surface, say) are 0.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MeshReport {
    /// Vertices that were joined to an earlier vertex at the same place.
    pub welded: usize,
    /// Vertices left out because no kept triangle or cell uses them.
    pub unreferenced: usize,
    /// Triangles left out because they have no area.
    pub dropped_triangles: usize,
    /// Cells left out because they have no volume.
    pub dropped_cells: usize,
    /// Triangles or cells left out because the same one came before.
    pub merged: usize,
    /// Cells of negative volume that were turned round.
    pub reoriented: usize,
    /// Connected parts, joined by shared vertices.
    pub components: usize,
    /// Edges of the surface (of a tetrahedral mesh: of its boundary) with one triangle.
    pub border_edges: usize,
    /// Edges of the surface with more than two triangles.
    pub non_manifold_edges: usize,
    /// Edges of the surface with two triangles that are wound in opposite senses.
    pub inconsistent_edges: usize,
    /// Faces of cells that lie on a face of another cell without being the same face; the boundary leaves them out.
    pub non_conforming_faces: usize,
    /// Faces shared by more than two cells, or by two cells on the same side of it.
    pub overlapping_faces: usize,
}

impl MeshReport {
    /// Whether the mesh came through without any change.
    pub fn is_unchanged(&self) -> bool {
        self.welded
            + self.unreferenced
            + self.dropped_triangles
            + self.dropped_cells
            + self.merged
            + self.reoriented
            == 0
    }

    /// Whether the surface is closed: each edge has two triangles or more, none a single one.
    pub fn is_closed(&self) -> bool {
        self.border_edges == 0
    }
}

impl fmt::Display for MeshReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} part{}", self.components, if self.components == 1 { "" } else { "s" })?;
        let counts = [
            (self.welded, "vertices welded"),
            (self.unreferenced, "unused vertices dropped"),
            (self.dropped_triangles, "flat triangles dropped"),
            (self.dropped_cells, "flat cells dropped"),
            (self.merged, "duplicates merged"),
            (self.reoriented, "inverted cells turned round"),
            (self.border_edges, "border edges"),
            (self.non_manifold_edges, "non-manifold edges"),
            (self.inconsistent_edges, "inconsistently wound edges"),
            (self.non_conforming_faces, "non-conforming faces"),
            (self.overlapping_faces, "faces with overlapping cells"),
        ];
        for (count, what) in counts.into_iter().filter(|(count, _)| *count > 0) {
            write!(f, ", {count} {what}")?;
        }
        Ok(())
    }
}
