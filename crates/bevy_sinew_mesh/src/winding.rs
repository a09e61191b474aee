//! Turning the triangles of a mesh round, for bodies made from mirrored meshes.

use bevy_mesh::{Indices, Mesh, MeshAccessError, PrimitiveTopology, VertexAttributeValues};

/// Vertices that 16-bit indices reach; the last index would restart a strip.
const NARROW: usize = u16::MAX as usize;

/// Turns every triangle round, and the bitangents with them. Vertices keep their order and number;
/// twice is the same mesh again, except that it may have got indices.
pub(crate) fn turn_round(mesh: &mut Mesh) -> Result<(), MeshAccessError> {
    let topology = mesh.primitive_topology();
    if mesh.try_indices_option()?.is_none() {
        let vertices = mesh.try_attribute(Mesh::ATTRIBUTE_POSITION)?.len();
        let indices = if vertices <= NARROW {
            Indices::U16((0..vertices).map(|i| i as u16).collect())
        } else {
            Indices::U32((0..vertices as u32).collect())
        };
        mesh.try_insert_indices(indices)?;
    }
    match mesh.try_indices_mut()? {
        Indices::U16(indices) => turn_indices(indices, topology, u16::MAX),
        Indices::U32(indices) => turn_indices(indices, topology, u32::MAX),
    }
    if let Some(VertexAttributeValues::Float32x4(tangents)) =
        mesh.try_attribute_mut_option(Mesh::ATTRIBUTE_TANGENT)?
    {
        tangents.iter_mut().for_each(|tangent| tangent[3] = -tangent[3]);
    }
    Ok(())
}

fn turn_indices<I: Copy + PartialEq>(
    indices: &mut Vec<I>,
    topology: PrimitiveTopology,
    restart: I,
) {
    if topology == PrimitiveTopology::TriangleStrip {
        // One triangle without area more, or less, at the start turns all the others.
        let mut turned = Vec::with_capacity(indices.len() + 1);
        for (number, strip) in indices.split(|&i| i == restart).enumerate() {
            if number > 0 {
                turned.push(restart);
            }
            match strip {
                [first, second, rest @ ..] if first == second => {
                    turned.push(*second);
                    turned.extend_from_slice(rest);
                }
                [first, ..] => {
                    turned.push(*first);
                    turned.extend_from_slice(strip);
                }
                [] => {}
            }
        }
        *indices = turned;
    } else {
        for triangle in indices.chunks_exact_mut(3) {
            triangle.swap(1, 2);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::source;
    use bevy_asset::RenderAssetUsages;
    use bevy_ecs::entity::Entity;

    fn sorted(mesh: &Mesh) -> Vec<[u32; 3]> {
        let mut triangles: Vec<[u32; 3]> =
            (source::read(Entity::PLACEHOLDER, mesh).unwrap().triangles.iter())
                .map(|&[a, b, c]| {
                    let least = a.min(b).min(c);
                    if least == a {
                        [a, b, c]
                    } else if least == b {
                        [b, c, a]
                    } else {
                        [c, a, b]
                    }
                })
                .collect();
        triangles.sort_unstable();
        triangles
    }

    #[test]
    fn every_triangle_is_turned_and_turned_back() {
        let list = PrimitiveTopology::TriangleList;
        let strip = PrimitiveTopology::TriangleStrip;
        let cases = [
            (list, None),
            (list, Some(Indices::U16(vec![0, 1, 2, 2, 1, 3]))),
            (list, Some(Indices::U32(vec![0, 1, 2, 2, 1, 3]))),
            (strip, None),
            (strip, Some(Indices::U16(vec![0, 1, 2, 3, u16::MAX, 3, 4, 5]))),
            (strip, Some(Indices::U32(vec![0, 0, 1, 2, 3, u32::MAX, 3, 4, 5]))),
        ];
        for (topology, indices) in cases {
            let positions: Vec<[f32; 3]> =
                (0..6).map(|i| [i as f32, (i % 2) as f32, 0.0]).collect();
            let mut mesh = Mesh::new(topology, RenderAssetUsages::default())
                .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions);
            if let Some(indices) = indices {
                mesh.insert_indices(indices);
            }
            let before = sorted(&mesh);
            assert!(!before.is_empty());
            turn_round(&mut mesh).unwrap();
            let mut expected: Vec<[u32; 3]> = before.iter().map(|&[a, b, c]| [a, c, b]).collect();
            expected.sort_unstable();
            assert_eq!(sorted(&mesh), expected, "{topology:?}");
            turn_round(&mut mesh).unwrap();
            assert_eq!(sorted(&mesh), before, "{topology:?}");
        }
    }
}
