//! Rays hit the surface that is drawn: what a picker reads is the entity's box, its mesh and its transform.

use bevy_app::App;
use bevy_camera::primitives::Aabb;
use bevy_ecs::prelude::*;
use bevy_math::primitives::Sphere;
use bevy_math::{Affine3A, Dir3, Ray3d, Vec3};
use bevy_mesh::Meshable;
use bevy_sinew_mesh::DeformableMesh;
use bevy_transform::components::{GlobalTransform, Transform};

use crate::scale::corners;
use crate::support::*;

/// The nearest hit on an entity, as pickers find it: first the box, then the triangles of the mesh, both in
/// the space of the entity.
fn cast(app: &App, entity: Entity, ray: Ray3d) -> Option<Vec3> {
    let world_from_mesh = app.world().get::<GlobalTransform>(entity).unwrap().affine();
    let mesh_from_world: Affine3A = world_from_mesh.inverse();
    let origin = mesh_from_world.transform_point3(ray.origin);
    let direction = mesh_from_world.transform_vector3(ray.direction.as_vec3()).normalize();
    let bounds = app.world().get::<Aabb>(entity).unwrap();
    let [a, b] = [bounds.min(), bounds.max()].map(|side| (Vec3::from(side) - origin) / direction);
    if a.min(b).max_element() > a.max(b).min_element() || a.max(b).min_element() < 0.0 {
        return None;
    }
    let mesh = shown(app, entity);
    let places = positions(mesh);
    let triangles: Vec<[Vec3; 3]> =
        corners(mesh).iter().map(|triangle| triangle.map(|i| places[i])).collect();
    let local = Ray3d::new(origin, Dir3::new(direction).unwrap());
    brute_force(&triangles, local).map(|hit| world_from_mesh.transform_point3(hit))
}

/// The nearest hit of all triangles, seen from their front.
fn brute_force(triangles: &[[Vec3; 3]], ray: Ray3d) -> Option<Vec3> {
    let direction = ray.direction.as_vec3();
    let mut nearest = f32::INFINITY;
    for &[a, b, c] in triangles {
        let normal = (b - a).cross(c - a);
        let facing = normal.dot(direction);
        if facing >= 0.0 {
            continue;
        }
        let distance = normal.dot(a - ray.origin) / facing;
        let point = ray.origin + direction * distance;
        let inside = [(a, b), (b, c), (c, a)]
            .iter()
            .all(|&(from, to)| (to - from).cross(point - from).dot(normal) >= 0.0);
        if distance >= 0.0 && inside {
            nearest = nearest.min(distance);
        }
    }
    nearest.is_finite().then(|| ray.origin + direction * nearest)
}

#[test]
fn rays_hit_the_squashed_surface_and_miss_where_it_was() {
    let mut app = weightless();
    let source = Sphere::new(0.5).mesh().uv(24, 16);
    let mesh = add(&mut app, source.clone());
    let at = Transform::from_xyz(1.0, 2.0, 3.0);
    let body = spawn_loose(&mut app, &mesh, DeformableMesh::lattice(400), at);
    wait(&mut app, body);
    let middle = at.translation;
    let top = Ray3d::new(middle + Vec3::new(-3.0, 0.4, 0.01), Dir3::X);
    assert!(cast(&app, body, top).is_some(), "before, there is something to hit");
    let squash = |p: Vec3| p * Vec3::new(1.2, 0.5, 1.2);
    deform(&mut app, body, |p| middle + squash(p - middle));
    app.update();
    assert_eq!(cast(&app, body, top), None, "it is half as high");

    // The surface as it must be, from the rest shape alone.
    let rest = positions(&source);
    let expected: Vec<[Vec3; 3]> =
        corners(&source).iter().map(|t| t.map(|i| middle + squash(rest[i]))).collect();
    let (mut hits, mut misses) = (0, 0);
    for i in 0..500 {
        let part = |k: f32| (i as f32 * k).fract() - 0.5;
        // From all sides, to points in and around the body.
        let from = Vec3::new(part(0.618_034), part(0.754_878), part(0.569_84)).normalize() * 4.0;
        let to = Vec3::new(part(0.245_122), part(0.819_173), part(0.671_044)) * 1.4;
        let ray = Ray3d::new(middle + from, Dir3::new(to - from).unwrap());
        match (cast(&app, body, ray), brute_force(&expected, ray)) {
            (None, None) => misses += 1,
            (Some(found), Some(expected)) => {
                assert!(found.distance(expected) < 1e-4, "ray {i}: {found} {expected}");
                hits += 1;
            }
            (found, expected) => panic!("ray {i}: {found:?} instead of {expected:?}"),
        }
    }
    assert!(hits > 100 && misses > 50, "{hits} {misses}");
}
