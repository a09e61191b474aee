//! Real models as bodies.

use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_sinew_bodies::{BodyCollider, DeformableBody};
use bevy_sinew_mesh::{DeformableMesh, DeformedSurface, MeshFault, MeshInterpolation};
use bevy_transform::components::Transform;

use crate::model_files::{Model, folder};
use crate::scale::sides;
use crate::support::*;

#[test]
fn eighteen_primitives_of_a_figure_are_one_body() {
    let Some(folder) = folder() else { return };
    let model = Model::read(&folder.join("gltf/bevy_alien_kenney.glb"));
    let mut app = app();
    app.world_mut().spawn((BodyCollider::plane(), Transform::IDENTITY));
    let at = Transform::from_xyz(0.0, 2.0, 0.0);
    let settings = DeformableMesh::lattice(1_000).with_descendants();
    let body = app.world_mut().spawn((settings, MeshInterpolation::LatestTick, at)).id();
    let parts = model.spawn_below(&mut app, body);
    assert_eq!(parts.len(), 18);
    app.update();
    let rest: Vec<Vec<Vec3>> = parts.iter().map(|&part| drawn(&app, part)).collect();
    let all: Vec<Vec3> = rest.iter().flatten().copied().collect();
    let size = diagonal(&all);
    // Places where vertices of two primitives meet.
    let mut borders = Vec::new();
    for (i, a) in rest.iter().enumerate() {
        for (j, b) in rest.iter().enumerate().skip(i + 1) {
            for (k, p) in a.iter().enumerate() {
                let near = b.iter().enumerate().filter(|(_, q)| p.distance(**q) < 1e-6 * size);
                borders.extend(near.map(|(l, _)| ((i, k), (j, l))));
            }
        }
    }
    assert!(borders.len() > 50, "{}", borders.len());
    wait(&mut app, body);
    assert_eq!(app.world_mut().query::<&DeformableBody>().iter(app.world()).count(), 1);
    assert_eq!(app.world().get::<DeformedSurface>(body).unwrap().parts().count(), 18);
    let mut lowest = f32::INFINITY;
    for _ in 0..300 {
        app.update();
        let now: Vec<Vec<Vec3>> = parts.iter().map(|&part| drawn(&app, part)).collect();
        assert!(now.iter().flatten().all(|p| p.is_finite()));
        for &((i, k), (j, l)) in &borders {
            assert!(now[i][k].distance(now[j][l]) < 1e-5 * size);
        }
        lowest = now.iter().flatten().fold(lowest, |low, p| low.min(p.y));
    }
    assert!(lowest < 0.1, "it must have fallen: {lowest}");
}

#[test]
fn models_with_negative_scales_keep_their_faces() {
    let Some(folder) = folder() else { return };
    for number in 0..=6 {
        let name = format!("gltf/assetgen/Node_NegativeScale/Node_NegativeScale_{number:02}.gltf");
        let model = Model::read(&folder.join(name));
        let mut app = app();
        app.world_mut().spawn((BodyCollider::plane(), Transform::from_xyz(0.0, -8.0, 0.0)));
        let settings = DeformableMesh::lattice(500).with_descendants();
        let body = app.world_mut().spawn((settings, Transform::IDENTITY)).id();
        let parts = model.spawn_below(&mut app, body);
        app.update();
        let with_normals: Vec<Entity> =
            parts.into_iter().filter(|&part| !normals(shown(&app, part)).is_empty()).collect();
        let before: Vec<_> = with_normals.iter().map(|&part| sides(shown(&app, part))).collect();
        let places: Vec<_> = with_normals.iter().map(|&part| drawn(&app, part)).collect();
        wait(&mut app, body);
        let fault = app.world().get::<MeshFault>(body);
        assert!(fault.is_none(), "{number}: {}", fault.unwrap().reason);
        for tick in 0..60 {
            for ((&part, before), places) in with_normals.iter().zip(&before).zip(&places) {
                let now = sides(shown(&app, part));
                assert_eq!(now.len(), before.len());
                for (now, before) in now.iter().zip(before) {
                    assert!(now.is_none() || before.is_none() || now == before, "{number}");
                }
                if tick == 0 {
                    let moved = largest_distance(&drawn(&app, part), places);
                    assert!(moved < 1e-2 * diagonal(places), "{number}: {moved}");
                }
            }
            app.update();
        }
    }
}

#[test]
fn mirrored_root_is_the_mirror_image() {
    let Some(folder) = folder() else { return };
    let model = Model::read(&folder.join("gltf/bevy_alien_kenney.glb"));
    let mut app = weightless();
    let settings = DeformableMesh::lattice(500).with_descendants();
    let root = app.world_mut().spawn(Transform::from_scale(Vec3::new(-1.0, 1.0, 1.0))).id();
    let body = app.world_mut().spawn((settings, Transform::IDENTITY, ChildOf(root))).id();
    let parts = model.spawn_below(&mut app, body);
    app.update();
    let places: Vec<_> = parts.iter().map(|&part| drawn(&app, part)).collect();
    let before: Vec<_> = parts.iter().map(|&part| sides(shown(&app, part))).collect();
    wait(&mut app, body);
    for ((&part, places), before) in parts.iter().zip(&places).zip(&before) {
        assert!(largest_distance(&drawn(&app, part), places) < 1e-4);
        let now = sides(shown(&app, part));
        assert!(now.iter().zip(before).all(|(n, b)| n.is_none() || b.is_none() || n == b));
    }
}
