//! Vertices that a renderer needs twice stay together.

use bevy_math::primitives::{Cuboid, Sphere};
use bevy_math::{Mat3, Vec3};
use bevy_mesh::{Mesh, Meshable};
use bevy_sinew_bodies::BodyCollider;
use bevy_sinew_mesh::DeformableMesh;
use bevy_transform::components::{GlobalTransform, Transform};

use crate::support::*;

/// Lists of vertices that lie at the same place.
fn groups(rest: &[Vec3], tolerance: f32) -> Vec<Vec<usize>> {
    let mut groups: Vec<Vec<usize>> = Vec::new();
    for (i, p) in rest.iter().enumerate() {
        match groups.iter_mut().find(|g| rest[g[0]].distance(*p) <= tolerance) {
            Some(group) => group.push(i),
            None => groups.push(vec![i]),
        }
    }
    groups
}

fn stays_closed(mesh: Mesh, settings: DeformableMesh) {
    let mut app = app();
    let source = mesh.clone();
    let rest = positions(&source);
    let size = diagonal(&rest);
    let groups = groups(&rest, 1e-6 * size);
    assert!(groups.len() < rest.len(), "the case must have vertices at the same place");
    let mesh = add(&mut app, mesh);
    app.world_mut().spawn((BodyCollider::plane(), Transform::IDENTITY));
    let body = spawn(&mut app, &mesh, settings, Transform::from_xyz(0.0, 2.0, 0.0));
    wait(&mut app, body);
    let mut deepest = f32::INFINITY;
    let mut strained = 0.0_f32;
    for _ in 0..300 {
        app.update();
        let now = positions(shown(&app, body));
        assert!(now.iter().all(|p| p.is_finite()));
        for group in &groups {
            for &i in group {
                assert!(now[i].distance(now[group[0]]) < 1e-5 * size);
            }
        }
        deepest = drawn(&app, body).iter().fold(deepest, |low, p| low.min(p.y));
        strained = strained.max((diagonal(&now) - size).abs());
    }
    assert!(deepest < 0.05, "it must have reached the floor: {deepest}");
    assert!(strained > 1e-3 * size, "it must have deformed: {strained}");
    let shown = shown(&app, body);
    assert_eq!(shown.indices(), source.indices());
    assert_eq!(shown.attribute(Mesh::ATTRIBUTE_UV_0), source.attribute(Mesh::ATTRIBUTE_UV_0));
    assert_eq!(shown.count_vertices(), source.count_vertices());
}

#[test]
fn uv_seam_of_a_sphere_does_not_open() {
    stays_closed(Sphere::new(0.5).mesh().uv(32, 18), DeformableMesh::lattice(400));
}

#[test]
fn hard_edges_of_a_box_do_not_open_and_stay_hard() {
    stays_closed(Cuboid::new(1.0, 0.6, 0.8).into(), DeformableMesh::spacing(0.2));
}

#[test]
fn normals_turn_with_the_surface_and_stay_hard() {
    let mut app = weightless();
    let mesh = add(&mut app, Cuboid::new(1.0, 0.6, 0.8));
    let body = spawn_loose(&mut app, &mesh, DeformableMesh::spacing(0.1), Transform::IDENTITY);
    wait(&mut app, body);
    let before = normals(shown(&app, body));
    let source = normals(&Cuboid::new(1.0, 0.6, 0.8).into());
    assert!(largest_distance(&before, &source) < 1e-4);
    let rest = positions(shown(&app, body));
    let map = squash();
    deform(&mut app, body, |p| map * p);
    app.update();
    let places: Vec<Vec3> = rest.iter().map(|&p| map * p).collect();
    assert!(largest_distance(&drawn(&app, body), &places) < 1e-5);
    let inverse_transpose = map.inverse().transpose();
    let world = app.world().get::<GlobalTransform>(body).unwrap();
    let to_world = Mat3::from(world.affine().matrix3).inverse().transpose();
    for (now, before) in normals(shown(&app, body)).iter().zip(&source) {
        let expected = (inverse_transpose * *before).normalize();
        assert!((to_world * *now).normalize().distance(expected) < 1e-4);
    }
}
