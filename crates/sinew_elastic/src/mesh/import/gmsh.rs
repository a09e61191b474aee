//! Gmsh's MSH format, versions 2.2 and 4.1, ASCII and binary.
//!
//! Sections other than `$MeshFormat`, `$Nodes` and `$Elements` are skipped. Nodes carry their own numbers (tags), which need
//! not be consecutive.

use std::collections::HashMap;

use glam::{DVec3, Vec3};

use super::bytes::{Binary, Endian};
use super::error::{ImportError, ImportProblem, Place};
use super::polygons::Contents;
use super::text::{Text, room};

pub(super) fn read(bytes: &[u8]) -> Result<Contents, ImportError> {
    let mut text = Text::new(bytes, None);
    let word = text.word("$MeshFormat")?;
    if word != b"$MeshFormat" {
        return Err(text.unexpected("$MeshFormat", word));
    }
    let version: f64 = text.number("a version")?;
    let is_binary = text.number::<u8>("0 for ASCII or 1 for binary")? != 0;
    let size: usize = text.number("the size of a number")?;
    if size != 8 {
        return Err(
            text.error(ImportProblem::Unsupported(format!("numbers of {size} bytes (only 8)")))
        );
    }
    let mut encoding = Encoding::Text;
    if is_binary {
        text.next_line();
        // A 1 that shows the order of its bytes.
        let one = text.take_bytes(4, "the byte order")?;
        encoding = match (i32::read(one, Endian::Little), i32::read(one, Endian::Big)) {
            (1, _) => Encoding::Binary(Endian::Little),
            (_, 1) => Encoding::Binary(Endian::Big),
            _ => return Err(text.unexpected("a binary 1", one)),
        };
    }
    let mut file =
        File { text, encoding, contents: Contents::default(), index_of_tag: HashMap::new() };
    while let Some(word) = file.text.next_word() {
        match (word, version) {
            (b"$Nodes", 2.0..3.0) => file.nodes_2()?,
            (b"$Elements", 2.0..3.0) => file.elements_2()?,
            (b"$Nodes", 4.1) => file.nodes_4()?,
            (b"$Elements", 4.1) => file.elements_4()?,
            (b"$Nodes" | b"$Elements", _) => {
                let problem = ImportProblem::Unsupported(format!(
                    "version {version} (only 2 and 4.1: save it again as one of these)"
                ));
                return Err(file.text.error(problem));
            }
            // Words of sections that are skipped, and ends of sections.
            _ => {}
        }
    }
    Ok(file.contents)
}

#[derive(Clone, Copy)]
enum Encoding {
    Text,
    Binary(Endian),
}

struct File<'a> {
    text: Text<'a>,
    encoding: Encoding,
    contents: Contents,
    index_of_tag: HashMap<u64, u32>,
}

impl File<'_> {
    /// An integer that is a 32-bit one in binary files.
    fn int(&mut self, needed: &'static str) -> Result<i32, ImportError> {
        match self.encoding {
            Encoding::Text => self.text.number(needed),
            Encoding::Binary(endian) => {
                Ok(i32::read(self.text.take_bytes(i32::SIZE, needed)?, endian))
            }
        }
    }

    /// An integer that is a 64-bit one in binary files.
    fn size(&mut self, needed: &'static str) -> Result<u64, ImportError> {
        match self.encoding {
            Encoding::Text => self.text.number(needed),
            Encoding::Binary(endian) => {
                Ok(u64::read(self.text.take_bytes(u64::SIZE, needed)?, endian))
            }
        }
    }

    fn real(&mut self) -> Result<f64, ImportError> {
        let needed = "a coordinate";
        match self.encoding {
            Encoding::Text => self.text.number(needed),
            Encoding::Binary(endian) => {
                Ok(f64::read(self.text.take_bytes(f64::SIZE, needed)?, endian))
            }
        }
    }

    fn position(&mut self) -> Result<Vec3, ImportError> {
        Ok(DVec3::new(self.real()?, self.real()?, self.real()?).as_vec3())
    }

    fn place(&self) -> Place {
        match self.encoding {
            Encoding::Text => self.text.place(),
            Encoding::Binary(_) => Place::Byte(self.text.offset()),
        }
    }

    fn error(&self, problem: ImportProblem) -> ImportError {
        ImportError::new(self.place(), problem)
    }

    fn push_node(&mut self, tag: u64, position: Vec3) -> Result<(), ImportError> {
        let index = self.contents.positions.len() as u32;
        if self.index_of_tag.insert(tag, index).is_some() {
            return Err(self.error(ImportProblem::Unexpected {
                needed: "each node tag once",
                found: tag.to_string(),
            }));
        }
        self.contents.positions.push(position);
        Ok(())
    }

    /// Counts that head a section stand on a line of text in version 2, also in binary files.
    fn count_2(&mut self, needed: &'static str) -> Result<u64, ImportError> {
        let count = self.text.number(needed)?;
        self.text.next_line();
        Ok(count)
    }

    fn nodes_2(&mut self) -> Result<(), ImportError> {
        let count = self.count_2("the number of nodes")?;
        self.contents.positions.reserve(room(count, self.text.remaining() / 8));
        for _ in 0..count {
            let tag = self.tag_2("a node tag")?;
            let position = self.position()?;
            self.push_node(tag, position)?;
        }
        Ok(())
    }

    fn tag_2(&mut self, needed: &'static str) -> Result<u64, ImportError> {
        let tag = self.int(needed)?;
        u64::try_from(tag)
            .map_err(|_| self.error(ImportProblem::Unexpected { needed, found: tag.to_string() }))
    }

    fn elements_2(&mut self) -> Result<(), ImportError> {
        let count = self.count_2("the number of elements")?;
        let mut done = 0;
        while done < count {
            // Binary files group elements of one kind; in text files each has its own line.
            let (kind, group, tags) = match self.encoding {
                Encoding::Text => {
                    let _tag = self.int("an element tag")?;
                    (self.int("an element type")?, 1, self.int("a number of tags")?)
                }
                Encoding::Binary(_) => {
                    let kind = self.int("an element type")?;
                    (kind, self.int("a number of elements")?, self.int("a number of tags")?)
                }
            };
            if group < 1 {
                return Err(self.error(ImportProblem::Unexpected {
                    needed: "a number of elements",
                    found: group.to_string(),
                }));
            }
            let element = self.element_kind(kind)?;
            for _ in 0..group {
                if let Encoding::Binary(_) = self.encoding {
                    self.int("an element tag")?;
                }
                for _ in 0..tags {
                    self.int("a tag")?;
                }
                self.element(element, |file| file.tag_2("a node tag"))?;
            }
            done += group as u64;
        }
        Ok(())
    }

    /// The blank that ends the line of a section's name, before its binary data.
    fn start_binary(&mut self) {
        if let Encoding::Binary(_) = self.encoding {
            self.text.next_line();
        }
    }

    fn nodes_4(&mut self) -> Result<(), ImportError> {
        self.start_binary();
        let blocks = self.size("the number of blocks")?;
        let total = self.size("the number of nodes")?;
        self.contents.positions.reserve(room(total, self.text.remaining() / 8));
        self.size("the smallest node tag")?;
        self.size("the largest node tag")?;
        for _ in 0..blocks {
            let dimension = self.int("an entity's dimension")?;
            self.int("an entity's tag")?;
            let parametric = self.int("0 or 1 for parametric coordinates")? != 0;
            let count = self.size("a number of nodes")?;
            let mut tags = Vec::with_capacity(room(count, self.text.remaining() / 2));
            for _ in 0..count {
                tags.push(self.size("a node tag")?);
            }
            for tag in tags {
                let position = self.position()?;
                if parametric {
                    for _ in 0..dimension {
                        self.real()?;
                    }
                }
                self.push_node(tag, position)?;
            }
        }
        Ok(())
    }

    fn elements_4(&mut self) -> Result<(), ImportError> {
        self.start_binary();
        let blocks = self.size("the number of blocks")?;
        for needed in
            ["the number of elements", "the smallest element tag", "the largest element tag"]
        {
            self.size(needed)?;
        }
        for _ in 0..blocks {
            self.int("an entity's dimension")?;
            self.int("an entity's tag")?;
            let kind = self.int("an element type")?;
            let element = self.element_kind(kind)?;
            for _ in 0..self.size("a number of elements")? {
                self.size("an element tag")?;
                self.element(element, |file| file.size("a node tag"))?;
            }
        }
        Ok(())
    }

    fn element_kind(&self, kind: i32) -> Result<(Shape, usize), ImportError> {
        element_kind(kind)
            .ok_or_else(|| self.error(ImportProblem::Unsupported(format!("element type {kind}"))))
    }

    /// Reads the nodes of an element; the first ones are its corners.
    fn element(
        &mut self,
        (shape, nodes): (Shape, usize),
        mut tag: impl FnMut(&mut Self) -> Result<u64, ImportError>,
    ) -> Result<(), ImportError> {
        let mut corners = [0u32; 4];
        for node in 0..nodes {
            let tag = tag(self)?;
            if let Some(corner) = corners.get_mut(node) {
                let vertices = self.contents.positions.len();
                let index = i64::try_from(tag).unwrap_or(i64::MAX);
                let problem = ImportProblem::IndexOutOfRange { index, vertices, first: 1 };
                *corner = *self.index_of_tag.get(&tag).ok_or_else(|| self.error(problem))?;
            }
        }
        let [a, b, c, d] = corners;
        match shape {
            Shape::Low => {}
            Shape::Triangle => self.contents.triangles.push([a, b, c]),
            Shape::Quad => self.contents.triangles.extend([[a, b, c], [a, c, d]]),
            Shape::Tetrahedron => self.contents.cells.push(corners),
            Shape::Other(kind) => self.contents.other_cell = Some(kind),
        }
        Ok(())
    }
}

/// What an element is, whatever its order.
#[derive(Clone, Copy)]
enum Shape {
    /// A point or a line.
    Low,
    Triangle,
    Quad,
    Tetrahedron,
    Other(&'static str),
}

/// Shape and number of nodes of Gmsh's element types.
fn element_kind(kind: i32) -> Option<(Shape, usize)> {
    Some(match kind {
        1 => (Shape::Low, 2),
        2 => (Shape::Triangle, 3),
        3 => (Shape::Quad, 4),
        4 => (Shape::Tetrahedron, 4),
        5 => (Shape::Other("hexahedron"), 8),
        6 => (Shape::Other("prism"), 6),
        7 => (Shape::Other("pyramid"), 5),
        8 => (Shape::Low, 3),
        9 => (Shape::Triangle, 6),
        10 => (Shape::Quad, 9),
        11 => (Shape::Tetrahedron, 10),
        12 => (Shape::Other("hexahedron"), 27),
        13 => (Shape::Other("prism"), 18),
        14 => (Shape::Other("pyramid"), 14),
        15 => (Shape::Low, 1),
        16 => (Shape::Quad, 8),
        17 => (Shape::Other("hexahedron"), 20),
        18 => (Shape::Other("prism"), 15),
        19 => (Shape::Other("pyramid"), 13),
        20 => (Shape::Triangle, 9),
        21 => (Shape::Triangle, 10),
        26 => (Shape::Low, 4),
        29 => (Shape::Tetrahedron, 20),
        _ => return None,
    })
}
