//! Geomview's object file format, ASCII: `OFF`, also with colours (`COFF`), normals (`NOFF`) or texture coordinates (`STOFF`).

use super::error::{ImportError, ImportProblem};
use super::polygons::{Contents, checked_index};
use super::text::{Text, parse, room};

pub(super) fn read(bytes: &[u8]) -> Result<Contents, ImportError> {
    let mut text = Text::new(bytes, Some(b'#'));
    let magic = text.word("the word OFF")?;
    // Without the magic word the file starts with its counts.
    let vertices: u64 = if magic.ends_with(b"OFF") {
        let prefix = &magic[..magic.len() - 3];
        if prefix.iter().any(|letter| matches!(letter, b'4' | b'n')) {
            let name = String::from_utf8_lossy(magic).into_owned();
            return Err(text.error(ImportProblem::Unsupported(format!(
                "{name} with points of more than three dimensions"
            ))));
        }
        let word = text.word("the number of vertices")?;
        if word == b"BINARY" {
            return Err(text.error(ImportProblem::Unsupported("binary OFF".into())));
        }
        parse(word).ok_or_else(|| text.unexpected("the number of vertices", word))?
    } else {
        parse(magic).ok_or_else(|| text.unexpected("the word OFF", magic))?
    };
    let faces: u64 = text.number("the number of faces")?;
    // The number of edges may be missing, and nothing depends on it.
    text.next_line();

    let mut contents = Contents::default();
    contents.positions.reserve(room(vertices, text.remaining() / 6));
    for _ in 0..vertices {
        contents.positions.push(text.position()?);
        text.next_line();
    }
    let mut corners = Vec::new();
    for _ in 0..faces {
        let count: u64 = text.number("the number of corners of a face")?;
        let place = text.place();
        corners.clear();
        for _ in 0..count {
            let index = text.number("a vertex index")?;
            corners.push(checked_index(index, 0, contents.positions.len(), || text.place())?);
        }
        // Points and lines are allowed in the format and are no part of a surface.
        if count >= 3 {
            contents.push_polygon(&corners, place)?;
        }
        text.next_line();
    }
    Ok(contents)
}
