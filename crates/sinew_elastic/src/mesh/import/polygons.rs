//! What a file holds: vertices, triangles and tetrahedra in file order, with indices checked.

use glam::Vec3;

use super::error::{ImportError, ImportProblem, Place};
use crate::mesh::{SurfaceMesh, TetMesh};

/// Positions and elements of a file.
#[derive(Default)]
pub(super) struct Contents {
    pub positions: Vec<Vec3>,
    pub triangles: Vec<[u32; 3]>,
    pub cells: Vec<[u32; 4]>,
    /// The first kind of volume element met that is not a tetrahedron.
    pub other_cell: Option<&'static str>,
}

impl Contents {
    /// Adds a polygon as a fan of triangles round its first corner.
    pub fn push_polygon(&mut self, corners: &[u32], place: Place) -> Result<(), ImportError> {
        let [first, rest @ ..] = corners else {
            return Err(ImportError::new(place, ImportProblem::TooFewCorners { corners: 0 }));
        };
        if rest.len() < 2 {
            return Err(ImportError::new(
                place,
                ImportProblem::TooFewCorners { corners: corners.len() },
            ));
        }
        self.triangles.extend(rest.windows(2).map(|pair| [*first, pair[0], pair[1]]));
        Ok(())
    }

    pub fn into_surface(self) -> Result<SurfaceMesh, ImportError> {
        if self.triangles.is_empty() {
            let hint = if self.cells.is_empty() {
                ""
            } else {
                ", but tetrahedra: use tet_from_path or tet_from_bytes"
            };
            return Err(ImportError::new(Place::File, ImportProblem::NoTriangles { hint }));
        }
        Ok(SurfaceMesh { positions: self.positions, triangles: self.triangles })
    }

    pub fn into_tet(self) -> Result<TetMesh, ImportError> {
        if let Some(kind) = self.other_cell {
            let problem = ImportProblem::Unsupported(format!(
                "a volume of {kind}s (only tetrahedra fill a body: convert it first)"
            ));
            return Err(ImportError::new(Place::File, problem));
        }
        if self.cells.is_empty() {
            let hint = if self.triangles.is_empty() {
                ""
            } else {
                ", but triangles: use surface_from_path or surface_from_bytes"
            };
            return Err(ImportError::new(Place::File, ImportProblem::NoCells { hint }));
        }
        Ok(TetMesh { positions: self.positions, cells: self.cells })
    }
}

/// Turns a file's vertex number, counted from `first`, into an index.
pub(super) fn checked_index(
    index: i64,
    first: i64,
    vertices: usize,
    place: impl FnOnce() -> Place,
) -> Result<u32, ImportError> {
    let from_zero = index
        .checked_sub(first)
        .and_then(|i| u32::try_from(i).ok())
        .filter(|i| (*i as usize) < vertices);
    from_zero.ok_or_else(|| {
        ImportError::new(place(), ImportProblem::IndexOutOfRange { index, vertices, first })
    })
}
