//! Stereolithography files: triangles that each bring their own three vertices. Normals are skipped.

use glam::Vec3;

use super::bytes::{Binary, Endian};
use super::error::{ImportError, ImportProblem, Place};
use super::polygons::Contents;
use super::text::Text;

/// Bytes before the first triangle of a binary file: a free header and the number of triangles.
const HEADER: usize = 84;
/// Bytes of a triangle of a binary file: normal, three corners, two bytes of attributes.
const TRIANGLE: usize = 50;

pub(super) fn read(bytes: &[u8]) -> Result<Contents, ImportError> {
    match binary_triangles(bytes) {
        Some(triangles) => Ok(read_binary(triangles)),
        None if bytes.trim_ascii_start().starts_with(b"solid") => read_text(bytes),
        None => {
            let problem = ImportProblem::EndOfFile {
                needed: "\"solid\", or a header of 84 bytes and 50 bytes for each triangle",
            };
            Err(ImportError::new(Place::Byte(bytes.len()), problem))
        }
    }
}

/// The triangles of a binary file, known by its size: some of them begin with the word that marks text files.
fn binary_triangles(bytes: &[u8]) -> Option<&[u8]> {
    let count = u32::read(bytes.get(HEADER - u32::SIZE..HEADER)?, Endian::Little) as usize;
    let end = count.checked_mul(TRIANGLE)?.checked_add(HEADER)?;
    // A longer file has something of another program's behind the triangles.
    if end == bytes.len() || !bytes.starts_with(b"solid") { bytes.get(HEADER..end) } else { None }
}

fn read_binary(triangles: &[u8]) -> Contents {
    let mut contents = Contents::default();
    for triangle in triangles.chunks_exact(TRIANGLE) {
        let number =
            |i: usize| f32::read(&triangle[i * f32::SIZE..(i + 1) * f32::SIZE], Endian::Little);
        push_triangle(
            &mut contents,
            [3, 6, 9].map(|i| Vec3::new(number(i), number(i + 1), number(i + 2))),
        );
    }
    contents
}

/// Collects what follows each word "vertex", three to a facet, over all solids of the file.
fn read_text(bytes: &[u8]) -> Result<Contents, ImportError> {
    let mut text = Text::new(bytes, None);
    let mut contents = Contents::default();
    let mut corners = Vec::with_capacity(3);
    loop {
        match text.next_word_of_line().map(<[u8]>::to_ascii_lowercase).as_deref() {
            Some(b"vertex") => corners.push(text.position()?),
            Some(b"endfacet") => {
                let triangle = corners.as_slice().try_into();
                let triangle = triangle.map_err(|_| {
                    text.error(ImportProblem::TooFewCorners { corners: corners.len() })
                })?;
                push_triangle(&mut contents, triangle);
                corners.clear();
            }
            Some(b"solid" | b"endsolid" | b"facet" | b"outer" | b"endloop") | None => {}
            Some(other) => {
                return Err(text.unexpected(
                    "facet, outer loop, vertex, endloop, endfacet or endsolid",
                    other,
                ));
            }
        }
        if !text.next_line() {
            break;
        }
    }
    if corners.is_empty() {
        Ok(contents)
    } else {
        Err(text.error(ImportProblem::EndOfFile { needed: "endfacet" }))
    }
}

fn push_triangle(contents: &mut Contents, corners: [Vec3; 3]) {
    let first = contents.positions.len() as u32;
    contents.positions.extend(corners);
    contents.triangles.push([first, first + 1, first + 2]);
}
