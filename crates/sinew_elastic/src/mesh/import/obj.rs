//! Wavefront's OBJ: `v` and `f` lines; all groups and objects together, as they share their vertices.

use glam::Vec3;

use super::error::{ImportError, ImportProblem, Place};
use super::polygons::{Contents, checked_index};
use super::text::{Text, parse};

pub(super) fn read(bytes: &[u8]) -> Result<Contents, ImportError> {
    let mut text = Text::new(bytes, Some(b'#'));
    let mut contents = Contents::default();
    // Corners are checked at the end: a face may stand before its vertices.
    let mut faces: Vec<(Place, Vec<i64>)> = Vec::new();
    loop {
        match text.next_word_of_line() {
            Some(b"v") => {
                let mut position = Vec3::ZERO;
                for axis in 0..3 {
                    position[axis] = coordinate(&mut text)?;
                }
                contents.positions.push(position);
            }
            Some(b"f") => {
                let place = text.place();
                let mut corners = Vec::with_capacity(4);
                while let Some(word) = text.next_word_of_line() {
                    if word == b"\\" {
                        text.next_line();
                        continue;
                    }
                    let vertex = word.split(|b| *b == b'/').next().unwrap_or_default();
                    let index: i64 =
                        parse(vertex).ok_or_else(|| text.unexpected("a vertex number", word))?;
                    // Negative numbers count back from the vertices so far.
                    corners.push(if index < 0 {
                        (contents.positions.len() as i64 + 1).saturating_add(index)
                    } else {
                        index
                    });
                }
                faces.push((place, corners));
            }
            _ => {}
        }
        if !text.next_line() {
            break;
        }
    }
    let mut corners = Vec::new();
    for (place, numbers) in faces {
        corners.clear();
        for index in numbers {
            corners.push(checked_index(index, 1, contents.positions.len(), || place.clone())?);
        }
        contents.push_polygon(&corners, place)?;
    }
    Ok(contents)
}

fn coordinate(text: &mut Text<'_>) -> Result<f32, ImportError> {
    let needed = "a coordinate";
    let word = text.next_word_of_line().ok_or_else(|| {
        text.error(ImportProblem::Unexpected { needed, found: "end of line".into() })
    })?;
    parse(word).ok_or_else(|| text.unexpected(needed, word))
}
