use std::fmt;

/// What building a lattice met and did, for logs and for editors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct LatticeReport {
    /// Edge length of a cell.
    pub spacing: f32,
    /// Cells of the grid along x, y and z, filled or not.
    pub grid: [u32; 3],
    /// Grid cells that hold a part of the body.
    pub cells: usize,
    /// Cell copies: a cell that holds two parts that are not connected counts twice.
    pub copies: usize,
    /// Particles.
    pub particles: usize,
    /// Particles that share their grid position with an earlier particle.
    pub layered_nodes: usize,
    /// Pieces of the lattice that no link connects.
    pub components: usize,
    /// Input vertices that were merged into an earlier vertex at the same place.
    pub welded_vertices: usize,
    /// Triangles left out because two corners are equal or the triangle is there already.
    pub dropped_triangles: usize,
    /// Triangles turned round so that neighbours agree on what is outside.
    pub turned_triangles: usize,
    /// Edges with one triangle only.
    pub border_edges: usize,
    /// Edges with three triangles or more.
    pub non_manifold_edges: usize,
    /// Input vertices that no triangle uses.
    pub unused_vertices: usize,
}

impl fmt::Display for LatticeReport {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [x, y, z] = self.grid;
        write!(
            f,
            "{} particles in {} component(s), spacing {}, {} of {x}x{y}x{z} cells in {} copies",
            self.particles, self.components, self.spacing, self.cells, self.copies
        )?;
        let notes = [
            (self.layered_nodes, "layered nodes"),
            (self.welded_vertices, "welded vertices"),
            (self.dropped_triangles, "dropped triangles"),
            (self.turned_triangles, "turned triangles"),
            (self.border_edges, "border edges"),
            (self.non_manifold_edges, "non-manifold edges"),
            (self.unused_vertices, "unused vertices"),
        ];
        for (count, what) in notes {
            if count > 0 {
                write!(f, "; {count} {what}")?;
            }
        }
        Ok(())
    }
}
