//! Several meshes that are one body.

use bevy_app::App;
use bevy_asset::{Assets, Handle, RenderAssetUsages};
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_math::primitives::Cuboid;
use bevy_mesh::{Indices, Mesh, Mesh3d, PrimitiveTopology};
use bevy_sinew_bodies::{BodyCollider, DeformableBody};
use bevy_sinew_mesh::{
    DeformableMesh, DeformableMeshPart, DeformedMesh, DeformedSurface, MeshInterpolation,
};
use bevy_transform::components::Transform;

use crate::support::*;

/// The triangles of a mesh whose corners are all on one side of x = 0, as a mesh of their own.
fn half(mesh: &Mesh, side: f32) -> Mesh {
    let all = positions(mesh);
    let corners: Vec<usize> = mesh.indices().unwrap().iter().collect();
    let mut used = Vec::new();
    for triangle in corners.chunks_exact(3) {
        if triangle.iter().all(|&i| all[i].x * side >= -1e-6) {
            used.extend(triangle.iter().map(|&i| all[i].to_array()));
        }
    }
    let indices = Indices::U16((0..used.len() as u16).collect());
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, used)
        .with_inserted_indices(indices)
}

/// A box of 2 x 1 x 1 in two halves that meet at x = 0.
fn halves() -> [Mesh; 2] {
    let boxes = [-1.0_f32, 1.0]
        .map(|side| Mesh::from(Cuboid::new(1.0, 1.0, 1.0)).translated_by(Vec3::X * 0.5 * side));
    [half(&boxes[0], -1.0), half(&boxes[1], 1.0)]
}

fn spawn_halves(app: &mut App, related: bool) -> (Entity, [Entity; 2]) {
    let meshes = halves().map(|mesh| add(app, mesh));
    let settings = DeformableMesh::spacing(0.25);
    let settings = if related { settings } else { settings.with_descendants() };
    let at = Transform::from_xyz(0.0, 2.0, 0.0);
    let body = app.world_mut().spawn((settings, MeshInterpolation::LatestTick, at)).id();
    let parts = meshes.map(|mesh| {
        let part = app.world_mut().spawn((Mesh3d(mesh), ChildOf(body))).id();
        if related {
            app.world_mut().entity_mut(part).insert(DeformableMeshPart(body));
        }
        part
    });
    (body, parts)
}

/// Pairs of vertices of two meshes that lie at the same place.
fn border(a: &[Vec3], b: &[Vec3]) -> Vec<(usize, usize)> {
    let mut pairs = Vec::new();
    for (i, p) in a.iter().enumerate() {
        pairs.extend(
            b.iter().enumerate().filter(|(_, q)| p.distance(**q) < 1e-6).map(|(j, _)| (i, j)),
        );
    }
    pairs
}

fn stay_in_step(related: bool) {
    let mut app = app();
    let (body, parts) = spawn_halves(&mut app, related);
    app.world_mut().spawn((BodyCollider::plane(), Transform::IDENTITY));
    let [left, right] = halves();
    let pairs = border(&positions(&left), &positions(&right));
    assert!(pairs.len() >= 8);
    wait(&mut app, body);
    assert_eq!(app.world_mut().query::<&DeformableBody>().iter(app.world()).count(), 1);
    let surface = app.world().get::<DeformedSurface>(body).unwrap();
    assert_eq!(surface.report().components, 1);
    let mut lowest = f32::INFINITY;
    for _ in 0..300 {
        app.update();
        let [a, b] = parts.map(|part| drawn(&app, part));
        assert!(a.iter().chain(&b).all(|p| p.is_finite()));
        for &(i, j) in &pairs {
            assert!(a[i].distance(b[j]) < 1e-5);
        }
        lowest = a.iter().fold(lowest, |low, p| low.min(p.y));
    }
    assert!(lowest < 0.1, "it must have fallen: {lowest}");
}

#[test]
fn two_materials_of_a_box_that_name_their_body_stay_in_step() {
    stay_in_step(true);
}

#[test]
fn children_stay_in_step_as_they_do_in_a_scene() {
    stay_in_step(false);
}

#[test]
fn part_that_leaves_gets_its_mesh_back_and_the_body_goes_on() {
    let mut app = app();
    let (body, parts) = spawn_halves(&mut app, true);
    let sources = parts.map(|part| handle(&app, part));
    wait(&mut app, body);
    app.world_mut().entity_mut(parts[0]).remove::<DeformableMeshPart>();
    app.update();
    assert_eq!(handle(&app, parts[0]), sources[0]);
    assert_ne!(handle(&app, parts[1]), sources[1]);
    assert!(app.world().get::<DeformableBody>(body).is_some());
    app.world_mut().entity_mut(parts[1]).despawn();
    for _ in 0..5 {
        app.update();
    }
    assert!(app.world().get::<DeformedSurface>(body).is_some());
}

#[test]
fn part_that_joins_later_is_part_of_the_body() {
    let mut app = weightless();
    let (body, parts) = spawn_halves(&mut app, true);
    app.world_mut().entity_mut(parts[1]).remove::<DeformableMeshPart>();
    wait(&mut app, body);
    assert!(app.world().get::<DeformedMesh>(parts[1]).is_none());
    app.world_mut().entity_mut(parts[1]).insert(DeformableMeshPart(body));
    app.update();
    wait(&mut app, body);
    let surface = app.world().get::<DeformedSurface>(body).unwrap();
    assert_eq!(surface.parts().collect::<Vec<_>>(), parts);
    assert_eq!(surface.report().components, 1);
}

#[test]
fn body_that_is_despawned_gives_parts_elsewhere_their_meshes_back() {
    let mut app = app();
    let mesh = add(&mut app, Cuboid::new(1.0, 1.0, 1.0));
    let settings = DeformableMesh::spacing(0.5);
    let body = app.world_mut().spawn((settings, Transform::IDENTITY)).id();
    let part = app.world_mut().spawn((Mesh3d(mesh.clone()), DeformableMeshPart(body))).id();
    wait(&mut app, body);
    assert_ne!(handle(&app, part), mesh);
    app.world_mut().entity_mut(body).despawn();
    // Related entities leave with the body unless they are detached; this one is looked at if it stays.
    app.update();
    if let Some(shown) = app.world().get::<Mesh3d>(part) {
        assert_eq!(shown.0, mesh);
    }
    app.update();
    let left: Vec<Handle<Mesh>> = vec![mesh];
    assert_eq!(app.world().resource::<Assets<Mesh>>().len(), left.len());
}
