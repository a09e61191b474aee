//! What a body is made from: positions, directions and triangles of one [`Mesh`].

use bevy_ecs::entity::Entity;
use bevy_math::{Vec3, Vec4};
use bevy_mesh::{
    Indices, Mesh, MeshAccessError, MeshVertexAttribute, PrimitiveTopology, VertexAttributeValues,
    VertexFormat,
};

use crate::error::MeshBodyError;
use crate::formats::as_shaders_see;

/// A mesh in plain arrays, in its own space.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct PartSurface {
    pub positions: Vec<Vec3>,
    /// As many as positions, or none.
    pub normals: Vec<Vec3>,
    /// As many as positions, or none.
    pub tangents: Vec<Vec4>,
    pub triangles: Vec<[u32; 3]>,
}

/// Reads a mesh, and checks all that a body needs of it.
pub(crate) fn read(entity: Entity, mesh: &Mesh) -> Result<PartSurface, MeshBodyError> {
    let positions = attribute(entity, mesh, Mesh::ATTRIBUTE_POSITION)?
        .ok_or(MeshBodyError::NoPositions { entity })?;
    let read = |attribute: MeshVertexAttribute, values: &VertexAttributeValues| {
        as_shaders_see(values).ok_or_else(|| format(entity, attribute, values))
    };
    let [normals, tangents] = [Mesh::ATTRIBUTE_NORMAL, Mesh::ATTRIBUTE_TANGENT].map(|name| {
        let values = attribute(entity, mesh, name)?;
        values.map_or(Ok(Vec::new()), |values| read(name, values))
    });
    let positions = truncate(read(Mesh::ATTRIBUTE_POSITION, positions)?);
    let (normals, tangents) = (truncate(normals?), tangents?);
    for (attribute, found) in
        [(Mesh::ATTRIBUTE_NORMAL, normals.len()), (Mesh::ATTRIBUTE_TANGENT, tangents.len())]
    {
        let wanted = positions.len();
        if found != 0 && found != wanted {
            let attribute = attribute.name;
            return Err(MeshBodyError::AttributeLength { entity, attribute, found, wanted });
        }
    }
    let triangles = triangles(entity, mesh, positions.len())?;
    Ok(PartSurface { positions, normals, tangents, triangles })
}

fn truncate(values: Vec<Vec4>) -> Vec<Vec3> {
    values.into_iter().map(Vec4::truncate).collect()
}

/// Whether the values of a mesh can be read on the CPU now and later.
pub(crate) fn is_on_cpu(mesh: &Mesh) -> bool {
    use bevy_asset::RenderAssetUsages;
    mesh.asset_usage.contains(RenderAssetUsages::MAIN_WORLD)
        && !matches!(
            mesh.try_attribute(Mesh::ATTRIBUTE_POSITION),
            Err(MeshAccessError::ExtractedToRenderWorld)
        )
}

/// Number of vertices; 0 when they cannot be read.
pub(crate) fn vertex_count(mesh: &Mesh) -> usize {
    mesh.try_attribute(Mesh::ATTRIBUTE_POSITION).map_or(0, VertexAttributeValues::len)
}

fn attribute(
    entity: Entity,
    mesh: &Mesh,
    attribute: MeshVertexAttribute,
) -> Result<Option<&VertexAttributeValues>, MeshBodyError> {
    if !is_on_cpu(mesh) {
        return Err(MeshBodyError::RenderWorldOnly { entity });
    }
    match mesh.try_attribute(attribute) {
        Ok(values) => Ok(Some(values)),
        Err(MeshAccessError::NotFound) => Ok(None),
        Err(MeshAccessError::ExtractedToRenderWorld) => {
            Err(MeshBodyError::RenderWorldOnly { entity })
        }
    }
}

fn format(
    entity: Entity,
    attribute: MeshVertexAttribute,
    found: &VertexAttributeValues,
) -> MeshBodyError {
    MeshBodyError::Format {
        entity,
        attribute: attribute.name,
        found: VertexFormat::from(found),
        wanted: attribute.format,
    }
}

fn triangles(entity: Entity, mesh: &Mesh, vertices: usize) -> Result<Vec<[u32; 3]>, MeshBodyError> {
    let indices = match mesh.try_indices() {
        Ok(indices) => Some(indices),
        Err(MeshAccessError::NotFound) => None,
        Err(MeshAccessError::ExtractedToRenderWorld) => {
            return Err(MeshBodyError::RenderWorldOnly { entity });
        }
    };
    let triangles = match (mesh.primitive_topology(), indices) {
        (PrimitiveTopology::TriangleList, None) => list(0..vertices as u32),
        (PrimitiveTopology::TriangleList, Some(Indices::U16(indices))) => {
            list(indices.iter().map(|&i| u32::from(i)))
        }
        (PrimitiveTopology::TriangleList, Some(Indices::U32(indices))) => {
            list(indices.iter().copied())
        }
        (PrimitiveTopology::TriangleStrip, None) => strip((0..vertices as u32).map(Some)),
        (PrimitiveTopology::TriangleStrip, Some(Indices::U16(indices))) => {
            strip(indices.iter().map(|&i| (i != u16::MAX).then_some(u32::from(i))))
        }
        (PrimitiveTopology::TriangleStrip, Some(Indices::U32(indices))) => {
            strip(indices.iter().map(|&i| (i != u32::MAX).then_some(i)))
        }
        (topology, _) => return Err(MeshBodyError::Topology { entity, topology }),
    };
    match triangles.iter().flatten().find(|&&i| i as usize >= vertices) {
        Some(&index) => Err(MeshBodyError::Index { entity, index: index as usize, vertices }),
        None => Ok(triangles),
    }
}

/// Every three indices are a triangle; one or two left over are none, as on the GPU.
fn list(indices: impl Iterator<Item = u32>) -> Vec<[u32; 3]> {
    let mut indices = indices.fuse();
    core::iter::from_fn(|| Some([indices.next()?, indices.next()?, indices.next()?])).collect()
}

/// Every index makes a triangle with the two before it, and every second one is turned round. `None`
/// starts a new strip.
fn strip(indices: impl Iterator<Item = Option<u32>>) -> Vec<[u32; 3]> {
    let mut triangles = Vec::new();
    let mut last: [Option<u32>; 2] = [None, None];
    let mut turned = false;
    for index in indices {
        let Some(c) = index else {
            last = [None, None];
            turned = false;
            continue;
        };
        if let [Some(a), Some(b)] = last {
            // Strips are stitched together by triangles that have no area.
            if a != b && b != c && c != a {
                triangles.push(if turned { [b, a, c] } else { [a, b, c] });
            }
            turned = !turned;
        }
        last = [last[1], Some(c)];
    }
    triangles
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_asset::RenderAssetUsages;

    fn quad(topology: PrimitiveTopology, indices: Option<Indices>) -> Mesh {
        let mut mesh = Mesh::new(topology, RenderAssetUsages::default()).with_inserted_attribute(
            Mesh::ATTRIBUTE_POSITION,
            vec![[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [1.0, 1.0, 0.0]],
        );
        if let Some(indices) = indices {
            mesh.insert_indices(indices);
        }
        mesh
    }

    fn areas(surface: &PartSurface) -> Vec<f32> {
        let corner = |i: u32| surface.positions[i as usize];
        surface
            .triangles
            .iter()
            .map(|&[a, b, c]| (corner(b) - corner(a)).cross(corner(c) - corner(a)).z * 0.5)
            .collect()
    }

    #[test]
    fn every_triangle_of_a_strip_faces_the_same_way() {
        let read = |indices| {
            read(Entity::PLACEHOLDER, &quad(PrimitiveTopology::TriangleStrip, indices)).unwrap()
        };
        assert_eq!(areas(&read(None)), [0.5, 0.5]);
        let stitched = Indices::U16(vec![0, 1, 2, 2, 1, 1, 1, 3, 2]);
        assert!(areas(&read(Some(stitched))).iter().all(|&a| a == 0.5));
        let restarted = Indices::U16(vec![0, 1, 2, u16::MAX, 1, 3, 2]);
        assert_eq!(areas(&read(Some(restarted))), [0.5, 0.5]);
        let restarted = Indices::U32(vec![0, 1, 2, u32::MAX, 1, 3, 2]);
        assert_eq!(areas(&read(Some(restarted))), [0.5, 0.5]);
    }

    #[test]
    fn lists_of_both_index_widths_give_the_same_triangles() {
        let list =
            |indices| read(Entity::PLACEHOLDER, &quad(PrimitiveTopology::TriangleList, indices));
        let narrow = list(Some(Indices::U16(vec![0, 1, 2, 1, 3, 2]))).unwrap();
        let wide = list(Some(Indices::U32(vec![0, 1, 2, 1, 3, 2]))).unwrap();
        assert_eq!(narrow, wide);
        assert_eq!(narrow.triangles, [[0, 1, 2], [1, 3, 2]]);
        // Four vertices without indices: one triangle, and one vertex left over.
        assert_eq!(list(None).unwrap().triangles, [[0, 1, 2]]);
    }

    #[test]
    fn an_index_past_the_end_is_an_error() {
        let mesh = quad(PrimitiveTopology::TriangleList, Some(Indices::U16(vec![0, 1, 4])));
        let entity = Entity::PLACEHOLDER;
        let wanted = MeshBodyError::Index { entity, index: 4, vertices: 4 };
        assert_eq!(read(entity, &mesh), Err(wanted));
    }

    #[test]
    fn points_and_lines_are_an_error() {
        for topology in [
            PrimitiveTopology::PointList,
            PrimitiveTopology::LineList,
            PrimitiveTopology::LineStrip,
        ] {
            let entity = Entity::PLACEHOLDER;
            let wanted = MeshBodyError::Topology { entity, topology };
            assert_eq!(read(entity, &quad(topology, None)), Err(wanted));
        }
    }
}
