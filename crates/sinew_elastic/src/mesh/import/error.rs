//! Why a file could not be read.

use core::fmt;
use std::path::{Path, PathBuf};

use thiserror::Error;

/// Why a file could not be read: which file, where in it, and the reason.
#[derive(Clone, Debug, PartialEq, Error)]
pub struct ImportError {
    /// The file, where the caller gave a path.
    pub file: Option<PathBuf>,
    /// Where in the file.
    pub place: Place,
    /// What is wrong there.
    pub problem: ImportProblem,
}

/// A place in a file, in the terms that the format has.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// The file as a whole.
    File,
    /// A line of a text file, from 1.
    Line(usize),
    /// An offset in a binary file, from 0.
    Byte(usize),
    /// An element, from 0, by what it is: "vertex", "face", "cell" …
    Element(&'static str, usize),
}

/// What is wrong with a file.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ImportProblem {
    /// The operating system would not give the file.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// The file's ending stands for no format that can be read.
    #[error("the ending is none of .node, .ele, .mesh, .msh, .vtk, .obj, .ply, .off, .stl")]
    UnknownEnding,
    /// `TetGen` meshes were asked for from one stream of bytes.
    #[error(
        "a TetGen mesh is two files and holds no surface: use tet_from_path or tet_from_tetgen"
    )]
    TwoFiles,
    /// Something else stands where a certain item is needed.
    #[error("needs {needed}, found \"{found}\"")]
    Unexpected {
        /// What the format asks for.
        needed: &'static str,
        /// What stands there, shortened.
        found: String,
    },
    /// The file ends too soon.
    #[error("the file ends where it needs {needed}")]
    EndOfFile {
        /// What the format asks for.
        needed: &'static str,
    },
    /// An index names a vertex that does not exist.
    #[error("names vertex {index}, but the file's {vertices} vertices are numbered from {first}")]
    IndexOutOfRange {
        /// The index as the file has it.
        index: i64,
        /// Number of vertices.
        vertices: usize,
        /// Number of the first vertex.
        first: i64,
    },
    /// A polygon has fewer than three corners.
    #[error("has {corners} corners, but a polygon needs 3")]
    TooFewCorners {
        /// Number of corners.
        corners: usize,
    },
    /// A position is not finite, or too large for single precision.
    #[error("the position is not finite, or beyond single precision")]
    NonFinite,
    /// The file uses a part of the format that no reader here knows.
    #[error("{0} cannot be read")]
    Unsupported(String),
    /// The file has no triangles.
    #[error("holds no triangles{hint}")]
    NoTriangles {
        /// Another way to read the file, where there is one.
        hint: &'static str,
    },
    /// The file has no tetrahedra.
    #[error("holds no tetrahedra{hint}")]
    NoCells {
        /// Another way to read the file, where there is one.
        hint: &'static str,
    },
    /// The crate that reads the format refused the contents.
    #[error("{0}")]
    Refused(String),
}

impl ImportError {
    pub(super) fn new(place: Place, problem: ImportProblem) -> Self {
        Self { file: None, place, problem }
    }

    pub(super) fn in_file(mut self, path: &Path) -> Self {
        self.file = Some(path.to_owned());
        self
    }
}

impl fmt::Display for ImportError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(file) = &self.file {
            write!(f, "{}: ", file.display())?;
        }
        match &self.place {
            Place::File => {}
            Place::Line(line) => write!(f, "line {line}: ")?,
            Place::Byte(offset) => write!(f, "byte {offset}: ")?,
            Place::Element(what, index) => write!(f, "{what} {index}: ")?,
        }
        write!(f, "{}", self.problem)
    }
}
