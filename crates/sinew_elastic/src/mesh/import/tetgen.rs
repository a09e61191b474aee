//! `TetGen`'s pair of files: `.node` holds the vertices, `.ele` the tetrahedra.
//!
//! Vertices and cells carry their own numbers, counted from 0 or from 1 and in any order; attributes and boundary markers
//! are skipped.

use std::collections::HashMap;

use glam::Vec3;

use super::error::{ImportError, ImportProblem, Place};
use super::text::{Text, room};

/// The vertices of a `.node` file in the order of the file, and how to find one by its number.
pub(super) struct Nodes {
    pub positions: Vec<Vec3>,
    index_of_number: HashMap<i64, u32>,
    first: i64,
}

pub(super) fn read_nodes(bytes: &[u8]) -> Result<Nodes, ImportError> {
    let mut text = Text::new(bytes, Some(b'#'));
    let count: u64 = text.number("the number of vertices")?;
    let dimension: u64 = text.number("the dimension")?;
    if dimension != 3 {
        let problem =
            ImportProblem::Unsupported(format!("a mesh of dimension {dimension} (only 3)"));
        return Err(text.error(problem));
    }
    text.next_line();
    let mut numbered: Vec<(i64, Vec3)> = Vec::with_capacity(room(count, text.remaining() / 8));
    for _ in 0..count {
        let number = text.number("a vertex number")?;
        let position = text.position()?;
        if !position.is_finite() {
            return Err(text.error(ImportProblem::NonFinite));
        }
        numbered.push((number, position));
        text.next_line();
    }
    if numbered.is_empty() {
        return Err(text.error(ImportProblem::EndOfFile { needed: "at least one vertex" }));
    }
    let mut index_of_number = HashMap::with_capacity(numbered.len());
    // In the order of their numbers, so that a shuffled file gives the same mesh as a sorted one.
    numbered.sort_by_key(|(number, _)| *number);
    for (index, (number, _)) in numbered.iter().enumerate() {
        if index_of_number.insert(*number, index as u32).is_some() {
            let problem = ImportProblem::Unexpected {
                needed: "each vertex number once",
                found: number.to_string(),
            };
            return Err(ImportError::new(Place::Element("vertex", index), problem));
        }
    }
    let first = numbered[0].0;
    Ok(Nodes {
        positions: numbered.into_iter().map(|(_, position)| position).collect(),
        index_of_number,
        first,
    })
}

pub(super) fn read_cells(bytes: &[u8], nodes: &Nodes) -> Result<Vec<[u32; 4]>, ImportError> {
    let mut text = Text::new(bytes, Some(b'#'));
    let count: u64 = text.number("the number of tetrahedra")?;
    let corners: u64 = text.number("the number of corners")?;
    // Ten for quadratic cells, whose first four are the corners.
    if corners != 4 && corners != 10 {
        let problem =
            ImportProblem::Unsupported(format!("a cell with {corners} corners (only 4 or 10)"));
        return Err(text.error(problem));
    }
    text.next_line();
    let mut numbered: Vec<(i64, [u32; 4])> = Vec::with_capacity(room(count, text.remaining() / 10));
    for _ in 0..count {
        let number = text.number("a cell number")?;
        let mut cell = [0; 4];
        for corner in &mut cell {
            let index: i64 = text.number("a vertex number")?;
            let vertices = nodes.positions.len();
            let problem = ImportProblem::IndexOutOfRange { index, vertices, first: nodes.first };
            *corner = *nodes.index_of_number.get(&index).ok_or_else(|| text.error(problem))?;
        }
        numbered.push((number, cell));
        text.next_line();
    }
    if numbered.is_empty() {
        return Err(text.error(ImportProblem::NoCells { hint: "" }));
    }
    numbered.sort_by_key(|(number, _)| *number);
    Ok(numbered.into_iter().map(|(_, cell)| cell).collect())
}
