//! Medit's `.mesh`, ASCII: sections of a keyword, a count, and rows that end with a reference number.

use super::error::{ImportError, ImportProblem};
use super::polygons::{Contents, checked_index};
use super::text::{Text, room};

pub(super) fn read(bytes: &[u8]) -> Result<Contents, ImportError> {
    let mut text = Text::new(bytes, Some(b'#'));
    let keyword = text.word("MeshVersionFormatted")?;
    if keyword != b"MeshVersionFormatted" {
        return Err(text.unexpected("MeshVersionFormatted", keyword));
    }
    let _version: u64 = text.number("a version")?;
    let mut contents = Contents::default();
    while let Some(keyword) = text.next_word() {
        match keyword {
            b"Dimension" => {
                let dimension: u64 = text.number("a dimension")?;
                if dimension != 3 {
                    let problem = ImportProblem::Unsupported(format!(
                        "a mesh of dimension {dimension} (only 3)"
                    ));
                    return Err(text.error(problem));
                }
            }
            b"Vertices" => {
                let count: u64 = text.number("the number of vertices")?;
                contents.positions.reserve(room(count, text.remaining() / 8));
                for _ in 0..count {
                    contents.positions.push(text.position()?);
                    let _reference: f64 = text.number("a reference number")?;
                }
            }
            b"Triangles" => {
                for_rows(&mut text, contents.positions.len(), |triangle: [u32; 3]| {
                    contents.triangles.push(triangle);
                })?;
            }
            b"Quadrilaterals" => {
                for_rows(&mut text, contents.positions.len(), |[a, b, c, d]: [u32; 4]| {
                    contents.triangles.extend([[a, b, c], [a, c, d]]);
                })?;
            }
            b"Tetrahedra" => for_rows(&mut text, contents.positions.len(), |cell: [u32; 4]| {
                contents.cells.push(cell);
            })?,
            b"Hexahedra" => for_rows(&mut text, contents.positions.len(), |_: [u32; 8]| {
                contents.other_cell = Some("hexahedron");
            })?,
            b"Prisms" => for_rows(&mut text, contents.positions.len(), |_: [u32; 6]| {
                contents.other_cell = Some("prism");
            })?,
            b"Pyramids" => for_rows(&mut text, contents.positions.len(), |_: [u32; 5]| {
                contents.other_cell = Some("pyramid");
            })?,
            b"End" => break,
            // Corners, edges, normals and the like: rows of numbers up to the next keyword.
            other if other[0].is_ascii_alphabetic() => {}
            number if is_number(number) => {}
            other => return Err(text.unexpected("a keyword", other)),
        }
    }
    Ok(contents)
}

fn is_number(word: &[u8]) -> bool {
    super::text::parse::<f64>(word).is_some()
}

/// Reads a count and that many rows of vertex numbers, counted from 1, each with a reference number.
fn for_rows<const N: usize>(
    text: &mut Text<'_>,
    vertices: usize,
    mut visit: impl FnMut([u32; N]),
) -> Result<(), ImportError> {
    let count: u64 = text.number("the number of elements")?;
    for _ in 0..count {
        let mut corners = [0; N];
        for corner in &mut corners {
            let index = text.number("a vertex number")?;
            *corner = checked_index(index, 1, vertices, || text.place())?;
        }
        let _reference: f64 = text.number("a reference number")?;
        visit(corners);
    }
    Ok(())
}
