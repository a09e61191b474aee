//! Surface and tetrahedral meshes: what bodies are made from.
//!
//! Everything here is in body space, in the caller's unit of length. A mesh as it comes from a file or from an engine is
//! a [`SurfaceMesh`] or a [`TetMesh`]; `cleaned` turns it into a [`CleanSurface`] or [`CleanTet`] that builders can rely
//! on, and a [`MeshReport`] says what had to be changed. [`procedural`] makes boxes, cylinders, tori and spheres, and
//! the `import` module (cargo feature `import`) reads files.
//!
//! ```
//! use sinew_elastic::mesh::SurfaceMesh;
//!
//! let ball = SurfaceMesh::sphere(0.5, 8)?;
//! let clean = ball.cleaned()?;
//! assert!(clean.report.is_closed());
//! println!("{} vertices, {}", clean.mesh.positions.len(), clean.report);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```

mod boundary;
mod error;
#[cfg(feature = "import")]
pub mod import;
pub mod procedural;
mod report;
mod surface;
mod tet;
pub(crate) mod weld;

use glam::Vec3;

pub use boundary::TetBoundary;
pub use error::MeshError;
pub use procedural::{ShapeError, SplitParity};
pub use report::MeshReport;
pub use surface::{CleanSurface, EdgeCounts};
pub use tet::CleanTet;
pub use weld::WELD_TOLERANCE;

/// Stands in a `vertex_of` map for an input vertex that no kept triangle or cell uses.
pub const NO_VERTEX: u32 = u32::MAX;

/// A triangle surface as a file or an engine stores it: it may be open, non-manifold, in several
/// pieces, or hold the same position many times.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct SurfaceMesh {
    /// Vertex positions, in body space.
    pub positions: Vec<Vec3>,
    /// Three vertex indices a triangle, counter-clockwise seen from outside.
    pub triangles: Vec<[u32; 3]>,
}

/// A volume of tetrahedra.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TetMesh {
    /// Vertex positions, in body space.
    pub positions: Vec<Vec3>,
    /// Four vertex indices a cell; positive volume when `(b - a) × (c - a) · (d - a) > 0`.
    pub cells: Vec<[u32; 4]>,
}

/// Checks what every builder needs before it may index: vertices exist, all are finite, all indices are in range.
fn check_input<const N: usize>(positions: &[Vec3], elements: &[[u32; N]]) -> Result<(), MeshError> {
    if positions.is_empty() {
        return Err(MeshError::NoVertices);
    }
    if positions.len() >= NO_VERTEX as usize {
        return Err(MeshError::TooManyVertices { vertices: positions.len() });
    }
    if let Some(vertex) = positions.iter().position(|p| !p.is_finite()) {
        return Err(MeshError::NonFinite { vertex, position: positions[vertex] });
    }
    for (element, corners) in elements.iter().enumerate() {
        if let Some(&index) = corners.iter().find(|&&v| v as usize >= positions.len()) {
            return Err(MeshError::IndexOutOfRange { element, index, vertices: positions.len() });
        }
    }
    Ok(())
}

/// Smallest and largest corner of the box round some points, `None` for no points.
fn bounds_of(points: impl Iterator<Item = Vec3>) -> Option<(Vec3, Vec3)> {
    points.fold(None, |bounds, p| match bounds {
        None => Some((p, p)),
        Some((low, high)) => Some((low.min(p), high.max(p))),
    })
}

/// Labels the connected parts of some elements, parts being joined by a shared vertex.
///
/// Returns the number of parts and one label an element; labels follow the order of the first element of each part.
fn label_components<const N: usize>(vertices: usize, elements: &[[u32; N]]) -> (usize, Vec<u32>) {
    let mut parent: Vec<u32> = (0..vertices as u32).collect();
    fn root(parent: &mut [u32], mut v: u32) -> u32 {
        while parent[v as usize] != v {
            parent[v as usize] = parent[parent[v as usize] as usize];
            v = parent[v as usize];
        }
        v
    }
    for corners in elements {
        let first = root(&mut parent, corners[0]);
        for &v in &corners[1..] {
            let other = root(&mut parent, v);
            parent[other as usize] = first;
        }
    }
    let mut label_of_root = vec![NO_VERTEX; vertices];
    let mut count = 0u32;
    let labels = elements
        .iter()
        .map(|corners| {
            let label = &mut label_of_root[root(&mut parent, corners[0]) as usize];
            if *label == NO_VERTEX {
                *label = count;
                count += 1;
            }
            *label
        })
        .collect();
    (count as usize, labels)
}

/// Keeps only the vertices that elements use, in their old order, and renumbers the elements.
///
/// `vertex_of` maps input vertices to the vertices before this call and is updated to those after it.
fn drop_unreferenced<const N: usize>(
    positions: &mut Vec<Vec3>,
    elements: &mut [[u32; N]],
    vertex_of: &mut [u32],
) -> usize {
    let mut new_of_old = vec![NO_VERTEX; positions.len()];
    for &v in elements.iter().flatten() {
        new_of_old[v as usize] = 0;
    }
    let kept = new_of_old.iter_mut().filter(|slot| **slot != NO_VERTEX);
    for (new, slot) in kept.enumerate() {
        *slot = new as u32;
    }
    let before = positions.len();
    let mut old = 0;
    positions.retain(|_| {
        old += 1;
        new_of_old[old - 1] != NO_VERTEX
    });
    for v in elements.iter_mut().flatten() {
        *v = new_of_old[*v as usize];
    }
    for v in vertex_of.iter_mut().filter(|v| **v != NO_VERTEX) {
        *v = new_of_old[*v as usize];
    }
    before - positions.len()
}
