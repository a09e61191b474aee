//! Meshes about as large as 16-bit indices reach.

use bevy_asset::RenderAssetUsages;
use bevy_math::Vec3;
use bevy_mesh::{Indices, Mesh, PrimitiveTopology};
use bevy_sinew_mesh::{DeformableMesh, MeshFault};
use bevy_transform::components::Transform;

use crate::scale::corners;
use crate::support::*;

/// Vertices in a row of the sheet.
const ROW: usize = 256;
const COARSE: DeformableMesh = DeformableMesh::spacing(32.0);

/// A wavy sheet of exactly this many vertices, all of which some triangle uses.
fn sheet(vertices: usize) -> (Vec<[f32; 3]>, Vec<usize>) {
    let place = |i: usize| {
        let (x, z) = ((i % ROW) as f32, (i / ROW) as f32);
        [x, 20.0 * (0.05 * x).sin() * (0.07 * z).cos(), z]
    };
    let places: Vec<[f32; 3]> = (0..vertices).map(place).collect();
    let mut indices = Vec::new();
    for i in 0..vertices {
        let (right, up) = (i + 1, i + ROW);
        if i % ROW + 1 < ROW && up < vertices {
            indices.extend([i, up, right]);
            if up + 1 < vertices {
                indices.extend([right, up, up + 1]);
            }
        }
    }
    indices.extend([vertices - 1, vertices - 1 - ROW, vertices - 2 - ROW]);
    (places, indices)
}

fn check(mesh: Mesh) {
    let mut app = weightless();
    let source = mesh.clone();
    let mesh = add(&mut app, mesh);
    let body = spawn_loose(&mut app, &mesh, COARSE, Transform::IDENTITY);
    wait(&mut app, body);
    assert!(app.world().get::<MeshFault>(body).is_none());
    let map = |p: Vec3| Vec3::new(p.x + 0.2 * p.y, 0.5 * p.y, p.z - 3.0);
    deform(&mut app, body, map);
    app.update();
    let now = shown(&app, body);
    assert_eq!(now.indices(), source.indices(), "indices keep their width and order");
    let (places, rest) = (drawn(&app, body), positions(&source));
    let mut used = vec![false; rest.len()];
    for (now, before) in corners(now).iter().zip(corners(&source)) {
        for (&now, before) in now.iter().zip(before) {
            assert!(places[now].distance(map(rest[before])) < 1e-2);
            used[before] = true;
        }
    }
    assert!(used[rest.len() - 1], "the last vertex is used");
}

#[test]
fn both_index_widths_work_at_the_border() {
    for vertices in [65_534, 65_535, 65_536, 65_537] {
        let (places, indices) = sheet(vertices);
        let mesh = |indices| {
            Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
                .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, places.clone())
                .with_inserted_indices(indices)
        };
        check(mesh(Indices::U32(indices.iter().map(|&i| i as u32).collect())));
        if vertices <= 1 << 16 {
            check(mesh(Indices::U16(indices.iter().map(|&i| i as u16).collect())));
        }
    }
}

#[test]
fn meshes_without_indices_work_at_the_border() {
    for vertices in [65_535, 65_538] {
        let (places, indices) = sheet(30_000);
        let flat: Vec<[f32; 3]> = indices.iter().take(vertices).map(|&i| places[i]).collect();
        assert_eq!(flat.len(), vertices);
        check(
            Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
                .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, flat),
        );
    }
}
