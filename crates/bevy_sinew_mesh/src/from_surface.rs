//! The way from a surface of the kernel to a mesh that Bevy draws.

use bevy_asset::RenderAssetUsages;
use bevy_math::{DVec3, Vec3};
use bevy_mesh::{Indices, Mesh, PrimitiveTopology};
use sinew_elastic::mesh::SurfaceMesh;

/// Makes a Bevy mesh of a surface that was made or imported by the kernel, to draw it and to make a body of it.
///
/// Vertices keep their numbers and places. Normals are smooth: means over the triangles of a vertex by their area, and
/// zero where no triangle with an area uses it. For sharp edges go on with `Mesh::with_duplicated_vertices` and
/// `Mesh::with_computed_flat_normals`. There are no texture coordinates. Triangles with a vertex that does not exist are
/// left out.
///
/// ```
/// use bevy_asset::prelude::*;
/// use bevy_ecs::prelude::*;
/// use bevy_mesh::{Mesh, Mesh3d};
/// use bevy_sinew_bodies::prelude::SurfaceMesh;
/// use bevy_sinew_mesh::{DeformableMesh, mesh_from_surface};
///
/// fn spawn(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>) -> Result {
///     let ring = SurfaceMesh::torus(0.5, 0.2, 32, 16)?;
///     commands.spawn((Mesh3d(meshes.add(mesh_from_surface(&ring))), DeformableMesh::lattice(500)));
///     Ok(())
/// }
/// # bevy_ecs::system::assert_is_system::<(), (), _>(spawn);
/// ```
#[must_use]
pub fn mesh_from_surface(surface: &SurfaceMesh) -> Mesh {
    let SurfaceMesh { positions, triangles } = surface;
    // Doubles, so that areas of the smallest triangles are no zeros.
    let mut sums = vec![DVec3::ZERO; positions.len()];
    let mut indices = Vec::with_capacity(3 * triangles.len());
    for corners in triangles {
        let [Some(a), Some(b), Some(c)] = corners.map(|corner| positions.get(corner as usize))
        else {
            continue;
        };
        let [a, b, c] = [a, b, c].map(|place| place.as_dvec3());
        let area = (b - a).cross(c - a);
        for &corner in corners {
            sums[corner as usize] += area;
        }
        indices.extend_from_slice(corners);
    }
    let normals: Vec<Vec3> = sums.iter().map(|sum| sum.normalize_or_zero().as_vec3()).collect();
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions.clone())
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, normals)
        .with_inserted_indices(Indices::U32(indices))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn vectors(mesh: &Mesh, attribute: bevy_mesh::MeshVertexAttribute) -> Vec<Vec3> {
        let values = mesh.attribute(attribute).and_then(|values| values.as_float3());
        values
            .map(|values| values.iter().map(|&value| Vec3::from(value)).collect())
            .unwrap_or_default()
    }

    #[test]
    fn a_ball_keeps_its_vertices_and_has_normals_from_its_centre_however_small_it_is() {
        for radius in [1e-5, 0.01, 1.0, 1e5] {
            let ball = SurfaceMesh::sphere(radius, 24).expect("a good ball");
            let mesh = mesh_from_surface(&ball);
            assert_eq!(vectors(&mesh, Mesh::ATTRIBUTE_POSITION), ball.positions);
            let indices: Vec<u32> = ball.triangles.iter().flatten().copied().collect();
            assert_eq!(mesh.indices(), Some(&Indices::U32(indices)));
            let normals = vectors(&mesh, Mesh::ATTRIBUTE_NORMAL);
            assert_eq!(normals.len(), ball.positions.len());
            for (place, normal) in ball.positions.iter().zip(normals) {
                assert!(normal.dot(*place / radius) > 0.99, "{radius}: {place} {normal}");
                assert!(normal.is_normalized());
            }
        }
    }

    #[test]
    fn normals_are_means_by_area() {
        // Two triangles at a right angle along x, of area 3/2 and 1/2: the first faces z, the second y.
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y * 3.0, Vec3::NEG_Z];
        let triangles = vec![[0, 1, 2], [1, 0, 3]];
        let mesh = mesh_from_surface(&SurfaceMesh { positions, triangles });
        let normals = vectors(&mesh, Mesh::ATTRIBUTE_NORMAL);
        let second = Vec3::NEG_X.cross(Vec3::NEG_Z - Vec3::X).normalize();
        let mean = (Vec3::Z * 3.0 + second).normalize();
        for (normal, expected) in normals.iter().zip([mean, mean, Vec3::Z, second]) {
            assert!(normal.abs_diff_eq(expected, 1e-6), "{normal} {expected}");
        }
    }

    #[test]
    fn faults_of_a_surface_make_a_mesh_without_them() {
        let positions = vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        // One that names a vertex which is not there, one without area, and a vertex that nothing uses.
        let triangles = vec![[0, 1, 2], [0, 1, 4], [0, 1, 1]];
        let mesh = mesh_from_surface(&SurfaceMesh { positions, triangles });
        assert_eq!(mesh.indices(), Some(&Indices::U32(vec![0, 1, 2, 0, 1, 1])));
        let normals = vectors(&mesh, Mesh::ATTRIBUTE_NORMAL);
        assert_eq!(normals, [Vec3::Z, Vec3::Z, Vec3::Z, Vec3::ZERO]);
        let empty = SurfaceMesh { positions: Vec::new(), triangles: Vec::new() };
        assert_eq!(mesh_from_surface(&empty).count_vertices(), 0);
    }
}
