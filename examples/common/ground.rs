//! A floor to look at: tiles in two shades, so that motion and scale can be seen. What bodies rest on is a collider of
//! the scene's own.

use bevy_asset::{Assets, RenderAssetUsages};
use bevy_ecs::prelude::*;
use bevy_mesh::{Indices, Mesh, Mesh3d, PrimitiveTopology};

use crate::scene::{Paint, SceneEntity};

/// Shades of the two kinds of tiles, which multiply the colour of the entity's paint.
const SHADES: [f32; 2] = [1.0, 0.8];

/// A tiled floor to spawn, with `tiles` tiles of a metre along each side: add a collider, and a `Transform` where it
/// should stand elsewhere.
pub fn floor(meshes: &mut Assets<Mesh>, tiles: u16, paint: Paint) -> impl Bundle {
    (SceneEntity, Mesh3d(meshes.add(tiled_ground(tiles, 1.0))), paint)
}

/// A square of `tiles` × `tiles` tiles of `tile` metres, in the plane y = 0 about the origin, facing up.
pub fn tiled_ground(tiles: u16, tile: f32) -> Mesh {
    let corner = -0.5 * f32::from(tiles) * tile;
    let (mut positions, mut colors, mut indices) = (Vec::new(), Vec::new(), Vec::new());
    for row in 0..tiles {
        for column in 0..tiles {
            let (x, z) = (corner + f32::from(column) * tile, corner + f32::from(row) * tile);
            let first = u32::try_from(positions.len()).unwrap_or(u32::MAX);
            positions.extend([
                [x, 0.0, z],
                [x, 0.0, z + tile],
                [x + tile, 0.0, z + tile],
                [x + tile, 0.0, z],
            ]);
            let shade = SHADES[usize::from((row + column) % 2)];
            colors.extend([[shade, shade, shade, 1.0]; 4]);
            indices.extend([0, 1, 2, 0, 2, 3].map(|vertex| first + vertex));
        }
    }
    let normals = vec![[0.0, 1.0, 0.0]; positions.len()];
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, normals)
        .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, colors)
        .with_inserted_indices(Indices::U32(indices))
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_math::Vec3;

    #[test]
    fn every_tile_faces_up_and_they_cover_the_square() {
        let ground = tiled_ground(3, 2.0);
        let triangles: Vec<_> = ground.triangles().expect("a triangle list").collect();
        let normals = triangles.iter().map(|t| {
            let [a, b, c] = t.vertices;
            0.5 * (b - a).cross(c - a)
        });
        assert_eq!(triangles.len(), 18);
        assert!((normals.sum::<Vec3>() - 36.0 * Vec3::Y).length() < 1e-3);
    }
}
