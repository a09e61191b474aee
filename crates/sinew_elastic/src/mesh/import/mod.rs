//! Reading of surfaces and tetrahedral meshes from files.
//!
//! | format | endings | surface | tetrahedra | reader |
//! |---|---|---|---|---|
//! | `TetGen` | `.node` + `.ele` | | yes | own |
//! | Medit | `.mesh` (ASCII) | yes | yes | own |
//! | Gmsh 2.2 and 4.1 | `.msh` (ASCII, binary) | yes | yes | own |
//! | VTK legacy | `.vtk` (ASCII, binary) | yes | yes | own |
//! | Wavefront | `.obj` | yes | | own |
//! | Stanford polygons | `.ply` (ASCII, binary) | yes | | `ply-rs-bw` |
//! | Object file format | `.off` (ASCII) | yes | | own |
//! | Stereolithography | `.stl` (ASCII, binary) | yes | | own |
//!
//! A reader returns what the file holds, vertices in file order: call [`SurfaceMesh::cleaned`] or [`TetMesh::cleaned`]
//! next. It promises finite positions and indices in range. Polygons become fans of triangles; of quadratic elements
//! only the corners are used; normals, colours and other attributes are skipped. No input makes a reader panic, and
//! none makes it take more memory than a small multiple of the input's size.
//!
//! Why own readers: `tobj` gives each group of an OBJ file its own vertices, so parts that share them would come apart, and
//! its errors name no line; `stl_io` stops after the first of several solids, takes a binary file that begins with "solid"
//! for text, and refuses the NaN normals that many exporters write; `vtkio` rests on a parser crate that future compilers
//! refuse; `mshio` reads no Gmsh 2.2.

mod bytes;
mod error;
mod gmsh;
mod medit;
mod obj;
mod off;
mod ply;
mod polygons;
mod stl;
mod tetgen;
mod text;
mod vtk;

use std::fs;
use std::path::Path;

use glam::Vec3;

pub use error::{ImportError, ImportProblem, Place};

use super::{SurfaceMesh, TetMesh};
use polygons::Contents;

/// A file format, for callers that have bytes rather than a path.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Format {
    /// `TetGen`'s pair of `.node` and `.ele`.
    TetGen,
    /// Medit's `.mesh`, ASCII.
    Medit,
    /// Gmsh's `.msh`, versions 2.2 and 4.1.
    Gmsh,
    /// VTK's legacy `.vtk`.
    Vtk,
    /// Wavefront's `.obj`.
    Obj,
    /// Stanford's `.ply`.
    Ply,
    /// Geomview's `.off`, ASCII.
    Off,
    /// Stereolithography's `.stl`.
    Stl,
}

impl Format {
    /// The format that a file's ending stands for, in any case.
    pub fn from_path(path: &Path) -> Option<Self> {
        match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
            "node" | "ele" => Some(Self::TetGen),
            "mesh" => Some(Self::Medit),
            "msh" => Some(Self::Gmsh),
            "vtk" => Some(Self::Vtk),
            "obj" => Some(Self::Obj),
            "ply" => Some(Self::Ply),
            "off" => Some(Self::Off),
            "stl" => Some(Self::Stl),
            _ => None,
        }
    }
}

/// Reads the triangles of a file; the ending tells the format.
///
/// # Errors
///
/// The file cannot be read, its ending is not known, its contents are faulty, or it holds no triangles.
pub fn surface_from_path(path: impl AsRef<Path>) -> Result<SurfaceMesh, ImportError> {
    let path = path.as_ref();
    let read = || surface_from_bytes(known_format(path)?, &read_file(path)?);
    read().map_err(|error| error.in_file(path))
}

/// Reads the tetrahedra of a file; the ending tells the format. Of `TetGen`'s two files either may be named.
///
/// # Errors
///
/// The file cannot be read, its ending is not known, its contents are faulty, or it holds no tetrahedra.
pub fn tet_from_path(path: impl AsRef<Path>) -> Result<TetMesh, ImportError> {
    let path = path.as_ref();
    let format = known_format(path).map_err(|error| error.in_file(path))?;
    if format == Format::TetGen {
        let (node_path, ele_path) = (path.with_extension("node"), path.with_extension("ele"));
        let nodes = read_file(&node_path).and_then(|bytes| tetgen::read_nodes(&bytes));
        let nodes = nodes.map_err(|error| error.in_file(&node_path))?;
        let cells = read_file(&ele_path).and_then(|bytes| tetgen::read_cells(&bytes, &nodes));
        let cells = cells.map_err(|error| error.in_file(&ele_path))?;
        return Ok(TetMesh { positions: nodes.positions, cells });
    }
    read_file(path)
        .and_then(|bytes| tet_from_bytes(format, &bytes))
        .map_err(|error| error.in_file(path))
}

/// Reads the triangles of a file's contents.
///
/// # Errors
///
/// The contents are faulty, hold no triangles, or the format is one for volumes only ([`Format::TetGen`]).
pub fn surface_from_bytes(format: Format, bytes: &[u8]) -> Result<SurfaceMesh, ImportError> {
    let surface = contents(format, bytes)?.into_surface()?;
    check_finite(&surface.positions)?;
    Ok(surface)
}

/// Reads the tetrahedra of a file's contents. For `TetGen` use [`tet_from_tetgen`], as it has two files.
///
/// # Errors
///
/// The contents are faulty, hold no tetrahedra, or the format is one for surfaces only.
pub fn tet_from_bytes(format: Format, bytes: &[u8]) -> Result<TetMesh, ImportError> {
    let mesh = contents(format, bytes)?.into_tet()?;
    check_finite(&mesh.positions)?;
    Ok(mesh)
}

/// Reads tetrahedra from the contents of `TetGen`'s `.node` and `.ele` files.
///
/// # Errors
///
/// Either file is faulty, or there are no tetrahedra.
pub fn tet_from_tetgen(node: &[u8], ele: &[u8]) -> Result<TetMesh, ImportError> {
    let nodes = tetgen::read_nodes(node)?;
    let cells = tetgen::read_cells(ele, &nodes)?;
    Ok(TetMesh { positions: nodes.positions, cells })
}

/// Reads only the positions of a `TetGen` `.node` file: an example pose of a mesh that is already there.
///
/// # Errors
///
/// The contents are faulty or hold no vertices.
pub fn positions_from_node(node: &[u8]) -> Result<Vec<Vec3>, ImportError> {
    Ok(tetgen::read_nodes(node)?.positions)
}

fn contents(format: Format, bytes: &[u8]) -> Result<Contents, ImportError> {
    match format {
        Format::TetGen => Err(ImportError::new(Place::File, ImportProblem::TwoFiles)),
        Format::Medit => medit::read(bytes),
        Format::Gmsh => gmsh::read(bytes),
        Format::Vtk => vtk::read(bytes),
        Format::Obj => obj::read(bytes),
        Format::Ply => ply::read(bytes),
        Format::Off => off::read(bytes),
        Format::Stl => stl::read(bytes),
    }
}

fn check_finite(positions: &[Vec3]) -> Result<(), ImportError> {
    match positions.iter().position(|p| !p.is_finite()) {
        None => Ok(()),
        Some(vertex) => {
            Err(ImportError::new(Place::Element("vertex", vertex), ImportProblem::NonFinite))
        }
    }
}

fn known_format(path: &Path) -> Result<Format, ImportError> {
    Format::from_path(path)
        .ok_or_else(|| ImportError::new(Place::File, ImportProblem::UnknownEnding))
}

fn read_file(path: &Path) -> Result<Vec<u8>, ImportError> {
    fs::read(path).map_err(|error| {
        ImportError::new(Place::File, ImportProblem::Unreadable(error.to_string()))
    })
}
