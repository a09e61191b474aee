//! VTK's legacy format, ASCII and binary: data sets `POLYDATA` and `UNSTRUCTURED_GRID`.
//!
//! Cells may be in the old layout (one list of counts and indices) or in that of version 5 (offsets and connectivity).

use glam::DVec3;

use super::bytes::{Binary, Endian};
use super::error::{ImportError, ImportProblem, Place};
use super::polygons::{Contents, checked_index};
use super::text::{Text, parse, room};

pub(super) fn read(bytes: &[u8]) -> Result<Contents, ImportError> {
    let mut text = Text::new(bytes, None);
    let word = text.word("# vtk DataFile")?;
    if word != b"#" {
        return Err(text.unexpected("# vtk DataFile", word));
    }
    // The first line names the version, the second is a free title.
    text.next_line();
    text.next_line();
    let is_binary = match text.word("ASCII or BINARY")? {
        b"ASCII" => false,
        b"BINARY" => true,
        other => return Err(text.unexpected("ASCII or BINARY", other)),
    };
    let mut file = File { text, is_binary, contents: Contents::default() };
    let (mut cells, mut kinds) = (Lists::default(), Vec::new());
    while let Some(keyword) = file.text.next_word() {
        match keyword.to_ascii_uppercase().as_slice() {
            b"DATASET" => {
                let kind = file.text.word("a kind of data set")?.to_ascii_uppercase();
                if kind != b"POLYDATA" && kind != b"UNSTRUCTURED_GRID" {
                    let kind = String::from_utf8_lossy(&kind[..kind.len().min(40)]).into_owned();
                    let problem = ImportProblem::Unsupported(format!(
                        "data set {kind} (only POLYDATA and UNSTRUCTURED_GRID)"
                    ));
                    return Err(file.text.error(problem));
                }
            }
            b"POINTS" if file.contents.positions.is_empty() => file.points()?,
            b"CELLS" => cells = file.lists()?,
            b"CELL_TYPES" => {
                let count = file.text.number("the number of cells")?;
                kinds = file.numbers(count, "int")?;
            }
            b"POLYGONS" => {
                let lists = file.lists()?;
                lists.each(|index, corners| file.cell(index, POLYGON, corners))?;
            }
            b"TRIANGLE_STRIPS" => {
                let lists = file.lists()?;
                lists.each(|index, corners| file.cell(index, STRIP, corners))?;
            }
            b"VERTICES" | b"LINES" => {
                file.lists()?;
            }
            b"FIELD" => file.skip_field()?,
            b"METADATA" => {
                while file.text.next_line() && file.text.next_word_of_line().is_some() {}
            }
            // Values at points and cells come last, and are no part of the shape.
            b"POINT_DATA" | b"CELL_DATA" => break,
            _ => return Err(file.text.unexpected("the name of a section", keyword)),
        }
    }
    if kinds.len() != cells.len() {
        let problem = ImportProblem::Unexpected {
            needed: "one type for each cell",
            found: format!("{} for {}", kinds.len(), cells.len()),
        };
        return Err(ImportError::new(Place::File, problem));
    }
    cells.each(|index, corners| file.cell(index, kinds[index], corners))?;
    Ok(file.contents)
}

// Numbers of VTK's cell types.
const STRIP: i64 = 6;
const POLYGON: i64 = 7;

/// Lists of vertex numbers, one after the other.
#[derive(Default)]
struct Lists {
    numbers: Vec<i64>,
    /// Where each list ends in `numbers`.
    ends: Vec<usize>,
}

impl Lists {
    fn len(&self) -> usize {
        self.ends.len()
    }

    fn each(
        &self,
        mut visit: impl FnMut(usize, &[i64]) -> Result<(), ImportError>,
    ) -> Result<(), ImportError> {
        let mut start = 0;
        for (index, &end) in self.ends.iter().enumerate() {
            visit(index, &self.numbers[start..end])?;
            start = end;
        }
        Ok(())
    }
}

struct File<'a> {
    text: Text<'a>,
    is_binary: bool,
    contents: Contents,
}

impl File<'_> {
    fn points(&mut self) -> Result<(), ImportError> {
        let count: u64 = self.text.number("the number of points")?;
        let kind = self.kind()?;
        let real = self.reader::<f64>(&kind)?;
        self.start_data();
        let mut positions = Vec::with_capacity(room(count, self.text.remaining() / 3));
        for _ in 0..count {
            let mut next = || real(&mut self.text, "a coordinate");
            positions.push(DVec3::new(next()?, next()?, next()?).as_vec3());
        }
        self.contents.positions = positions;
        Ok(())
    }

    /// The name of a number type, at the end of a line.
    fn kind(&mut self) -> Result<String, ImportError> {
        let word = self.text.word("a number type")?;
        Ok(String::from_utf8_lossy(word).to_ascii_lowercase())
    }

    /// How numbers of a type are read. Binary numbers have their high byte first.
    fn reader<T: Number>(&self, kind: &str) -> Result<ReadNumber<T>, ImportError> {
        fn text<T: Number>(text: &mut Text<'_>, needed: &'static str) -> Result<T, ImportError> {
            let word = text.word(needed)?;
            T::parse(word).ok_or_else(|| text.unexpected(needed, word))
        }
        fn binary<T: Number, B: Binary + Into<Wide>>(
            text: &mut Text<'_>,
            needed: &'static str,
        ) -> Result<T, ImportError> {
            Ok(T::from_wide(B::read(text.take_bytes(B::SIZE, needed)?, Endian::Big).into()))
        }
        if !self.is_binary {
            return Ok(text::<T>);
        }
        Ok(match kind {
            "char" => binary::<T, i8>,
            "unsigned_char" => binary::<T, u8>,
            "short" => binary::<T, i16>,
            "unsigned_short" => binary::<T, u16>,
            "int" => binary::<T, i32>,
            "unsigned_int" => binary::<T, u32>,
            "long" | "vtktypeint64" | "vtkidtype" => binary::<T, i64>,
            "float" => binary::<T, f32>,
            "double" => binary::<T, f64>,
            _ => {
                let kind: String = kind.chars().take(40).collect();
                return Err(self
                    .text
                    .error(ImportProblem::Unsupported(format!("number type \"{kind}\""))));
            }
        })
    }

    /// Moves from the end of a section's heading to its first number.
    fn start_data(&mut self) {
        if self.is_binary {
            self.text.next_line();
        }
    }

    fn numbers(&mut self, count: u64, kind: &str) -> Result<Vec<i64>, ImportError> {
        self.start_data();
        let read = self.reader::<i64>(kind)?;
        let mut numbers = Vec::with_capacity(room(count, self.text.remaining()));
        for _ in 0..count {
            numbers.push(read(&mut self.text, "a whole number")?);
        }
        Ok(numbers)
    }

    /// Reads lists in either layout.
    fn lists(&mut self) -> Result<Lists, ImportError> {
        let lists: u64 = self.text.number("the number of lists")?;
        let size: u64 = self.text.number("the size of the lists")?;
        let place = self.text.place();
        let bad_size = |found: i64| {
            let found = found.to_string();
            ImportError::new(
                place.clone(),
                ImportProblem::Unexpected { needed: "lists that fill the section", found },
            )
        };
        // Version 5 goes on with a keyword; the old layout with a number, which in binary files is no word at all.
        self.text.next_line();
        if self.text.peek().starts_with(b"OFFSETS") {
            self.text.word("OFFSETS")?;
            let kind = self.kind()?;
            let offsets = self.numbers(lists, &kind)?;
            let keyword = self.text.word("CONNECTIVITY")?;
            if keyword != b"CONNECTIVITY" {
                return Err(self.text.unexpected("CONNECTIVITY", keyword));
            }
            let kind = self.kind()?;
            let numbers = self.numbers(size, &kind)?;
            let mut ends = Vec::with_capacity(offsets.len());
            let mut last = 0;
            for (index, offset) in offsets.into_iter().enumerate() {
                let end =
                    usize::try_from(offset).ok().filter(|end| (last..=numbers.len()).contains(end));
                last = end.ok_or_else(|| bad_size(offset))?;
                // The first offset is where the first list starts.
                if index > 0 {
                    ends.push(last);
                } else if last != 0 {
                    return Err(bad_size(offset));
                }
            }
            return Ok(Lists { numbers, ends });
        }
        let read = self.reader::<i64>("int")?;
        let mut found = Lists::default();
        let mut left = size;
        for _ in 0..lists {
            let count = read(&mut self.text, "the size of a list")?;
            left = u64::try_from(count)
                .ok()
                .and_then(|count| left.checked_sub(count.checked_add(1)?))
                .ok_or_else(|| bad_size(count))?;
            for _ in 0..count {
                found.numbers.push(read(&mut self.text, "a point number")?);
            }
            found.ends.push(found.numbers.len());
        }
        if left == 0 { Ok(found) } else { Err(bad_size(size as i64)) }
    }

    fn skip_field(&mut self) -> Result<(), ImportError> {
        self.text.word("a name")?;
        let arrays: u64 = self.text.number("the number of arrays")?;
        for _ in 0..arrays {
            self.text.word("a name")?;
            let components: u64 = self.text.number("a number of components")?;
            let tuples: u64 = self.text.number("a number of tuples")?;
            let kind = self.kind()?;
            let read = self.reader::<f64>(&kind)?;
            self.start_data();
            for _ in 0..components.saturating_mul(tuples) {
                read(&mut self.text, "a number")?;
            }
        }
        Ok(())
    }

    fn cell(&mut self, index: usize, kind: i64, numbers: &[i64]) -> Result<(), ImportError> {
        let place = || Place::Element("cell", index);
        let mut corners = Vec::with_capacity(numbers.len());
        for &number in numbers {
            corners.push(checked_index(number, 0, self.contents.positions.len(), place)?);
        }
        let corners_needed = |count: usize| {
            let problem = ImportProblem::Unsupported(format!(
                "type {kind} with {} corners instead of {count}",
                numbers.len()
            ));
            if numbers.len() >= count { Ok(()) } else { Err(ImportError::new(place(), problem)) }
        };
        match kind {
            // Points and lines.
            0..=4 | 21 => {}
            STRIP => {
                corners_needed(3)?;
                for (i, t) in corners.windows(3).enumerate() {
                    // Every other triangle of a strip runs the other way.
                    self.contents.triangles.push(if i % 2 == 0 {
                        [t[0], t[1], t[2]]
                    } else {
                        [t[1], t[0], t[2]]
                    });
                }
            }
            5 | POLYGON | 9 => self.contents.push_polygon(&corners, place())?,
            // A pixel's corners go row by row.
            8 => {
                corners_needed(4)?;
                self.contents
                    .push_polygon(&[corners[0], corners[1], corners[3], corners[2]], place())?;
            }
            // Quadratic triangle and quadrilateral: the corners come first.
            22 => {
                corners_needed(6)?;
                self.contents.push_polygon(&corners[..3], place())?;
            }
            23 => {
                corners_needed(8)?;
                self.contents.push_polygon(&corners[..4], place())?;
            }
            10 | 24 => {
                corners_needed(4)?;
                self.contents.cells.push([corners[0], corners[1], corners[2], corners[3]]);
            }
            11 | 12 | 25 => self.contents.other_cell = Some("hexahedron"),
            13 | 26 => self.contents.other_cell = Some("prism"),
            14 | 27 => self.contents.other_cell = Some("pyramid"),
            _ => {
                return Err(ImportError::new(
                    place(),
                    ImportProblem::Unsupported(format!("cell type {kind}")),
                ));
            }
        }
        Ok(())
    }
}

type ReadNumber<T> = fn(&mut Text<'_>, &'static str) -> Result<T, ImportError>;

/// Any number of a binary file.
enum Wide {
    Int(i64),
    Real(f64),
}

macro_rules! widen {
    ($variant:ident: $($number:ty),*) => {$(
        impl From<$number> for Wide {
            fn from(number: $number) -> Self {
                Self::$variant(number.into())
            }
        }
    )*};
}

widen!(Int: i8, u8, i16, u16, i32, u32, i64);
widen!(Real: f32, f64);

/// What sections hold: whole numbers or reals.
trait Number: Sized {
    fn parse(word: &[u8]) -> Option<Self>;
    fn from_wide(wide: Wide) -> Self;
}

impl Number for i64 {
    fn parse(word: &[u8]) -> Option<Self> {
        parse(word)
    }

    fn from_wide(wide: Wide) -> Self {
        match wide {
            Wide::Int(number) => number,
            Wide::Real(number) => number as Self,
        }
    }
}

impl Number for f64 {
    fn parse(word: &[u8]) -> Option<Self> {
        parse(word)
    }

    fn from_wide(wide: Wide) -> Self {
        match wide {
            Wide::Int(number) => number as Self,
            Wide::Real(number) => number,
        }
    }
}
