//! Stanford's PLY, through the crate `ply-rs-bw`: the elements `vertex` (x, y, z) and `face` (a list of vertices).

use glam::Vec3;
use ply_rs_bw::parser::{ParseError, Parser, Reader};
use ply_rs_bw::ply::{Property, PropertyAccess, PropertyAccessResult};

use super::error::{ImportError, ImportProblem, Place};
use super::polygons::{Contents, checked_index};

pub(super) fn read(bytes: &[u8]) -> Result<Contents, ImportError> {
    let mut reader = Reader::new(bytes);
    let header = Parser::<Skipped>::new().read_header(&mut reader).map_err(refused)?;
    let mut contents = Contents::default();
    let mut faces = Vec::new();
    for (name, element) in &header.elements {
        // An element without properties takes no bytes, so its count could be any number.
        if element.properties.is_empty() && element.count > 0 {
            let problem =
                ImportProblem::Unsupported(format!("element \"{name}\" without properties"));
            return Err(ImportError::new(Place::File, problem));
        }
        match name.as_str() {
            "vertex" => {
                for axis in ["x", "y", "z"] {
                    if !element.properties.contains_key(axis) {
                        let problem = ImportProblem::Unsupported(format!(
                            "a vertex without the property \"{axis}\""
                        ));
                        return Err(ImportError::new(Place::File, problem));
                    }
                }
                let vertices = Parser::<Vertex>::new()
                    .read_payload_for_element(&mut reader, element, &header)
                    .map_err(refused)?;
                contents.positions = vertices.into_iter().map(|vertex| vertex.0).collect();
            }
            "face" => {
                faces = Parser::<Face>::new()
                    .read_payload_for_element(&mut reader, element, &header)
                    .map_err(refused)?;
            }
            _ => {
                Parser::<Skipped>::new()
                    .read_payload_for_element(&mut reader, element, &header)
                    .map_err(refused)?;
            }
        }
    }
    let mut corners = Vec::new();
    for (index, Face(numbers)) in faces.into_iter().enumerate() {
        let place = || Place::Element("face", index);
        corners.clear();
        for number in numbers {
            corners.push(checked_index(number, 0, contents.positions.len(), place)?);
        }
        contents.push_polygon(&corners, place())?;
    }
    Ok(contents)
}

fn refused(error: ParseError) -> ImportError {
    let place = error.line().map_or(Place::File, Place::Line);
    // The crate's messages quote whole lines of the file.
    let message: String = error.to_string().chars().take(200).collect();
    ImportError::new(place, ImportProblem::Refused(message))
}

/// A vertex; NaN until its coordinates are read.
struct Vertex(Vec3);

impl PropertyAccess for Vertex {
    fn new() -> Self {
        Self(Vec3::NAN)
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        let axis = match name {
            "x" => 0,
            "y" => 1,
            "z" => 2,
            _ => return PropertyAccessResult::Ignored,
        };
        match property.to_f32_lossy() {
            Some(value) => {
                self.0[axis] = value;
                PropertyAccessResult::Set
            }
            None => PropertyAccessResult::UnsupportedType,
        }
    }
}

/// The vertex numbers of a face.
struct Face(Vec<i64>);

impl PropertyAccess for Face {
    fn new() -> Self {
        Self(Vec::new())
    }

    fn set_property(&mut self, name: &str, property: Property) -> PropertyAccessResult {
        if name != "vertex_indices" && name != "vertex_index" {
            return PropertyAccessResult::Ignored;
        }
        self.0 = match property {
            Property::ListChar(list) => list.into_iter().map(i64::from).collect(),
            Property::ListUChar(list) => list.into_iter().map(i64::from).collect(),
            Property::ListShort(list) => list.into_iter().map(i64::from).collect(),
            Property::ListUShort(list) => list.into_iter().map(i64::from).collect(),
            Property::ListInt(list) => list.into_iter().map(i64::from).collect(),
            Property::ListUInt(list) => list.into_iter().map(i64::from).collect(),
            _ => return PropertyAccessResult::UnsupportedType,
        };
        PropertyAccessResult::Set
    }
}

/// An element that is no part of a surface.
struct Skipped;

impl PropertyAccess for Skipped {
    fn new() -> Self {
        Self
    }
}
