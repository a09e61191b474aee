//! Meshes that several entities show.

use std::sync::Arc;

use bevy_asset::Assets;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_math::primitives::Cuboid;
use bevy_mesh::{Mesh, Mesh3d, VertexAttributeValues};
use bevy_sinew_bodies::{BodyCollider, DeformableBody};
use bevy_sinew_mesh::{
    DeformableMesh, DeformedMesh, DeformedSurface, MeshBodyError, MeshFault, MeshSharing,
};
use bevy_transform::components::Transform;

use crate::support::*;

const FINE: DeformableMesh = DeformableMesh::spacing(0.25);

#[test]
fn three_of_ten_are_soft_and_the_mesh_of_the_others_is_untouched() {
    let mut app = app();
    let source = Mesh::from(Cuboid::new(1.0, 1.0, 1.0));
    let mesh = add(&mut app, source.clone());
    app.world_mut().spawn((BodyCollider::plane(), Transform::IDENTITY));
    let at = |i: usize| Transform::from_xyz(3.0 * i as f32, 0.55 + 0.2 * i as f32, 0.0);
    let entities: Vec<Entity> =
        (0..10).map(|i| app.world_mut().spawn((Mesh3d(mesh.clone()), at(i))).id()).collect();
    for &soft in &entities[..3] {
        app.world_mut().entity_mut(soft).insert(FINE);
    }
    for &soft in &entities[..3] {
        wait(&mut app, soft);
    }
    for _ in 0..60 {
        app.update();
    }
    for &hard in &entities[3..] {
        assert_eq!(handle(&app, hard), mesh);
        assert_eq!(
            shown(&app, hard).attribute(Mesh::ATTRIBUTE_POSITION),
            source.attribute(Mesh::ATTRIBUTE_POSITION)
        );
    }
    let soft: Vec<Vec<Vec3>> = entities[..3].iter().map(|&e| positions(shown(&app, e))).collect();
    for (i, j) in [(0, 1), (1, 2), (2, 0)] {
        assert_ne!(soft[i], soft[j]);
    }

    let meshes = |app: &bevy_app::App| app.world().resource::<Assets<Mesh>>().len();
    assert_eq!(meshes(&app), 4);
    app.world_mut().entity_mut(entities[0]).remove::<DeformableMesh>();
    app.update();
    assert_eq!(handle(&app, entities[0]), mesh);
    assert!(app.world().get::<DeformableBody>(entities[0]).is_none());
    assert!(app.world().get::<DeformedMesh>(entities[0]).is_none());
    app.update();
    assert_eq!(meshes(&app), 3, "the copy is freed");
    app.world_mut().entity_mut(entities[1]).despawn();
    app.update();
    app.update();
    assert_eq!(meshes(&app), 2);
}

#[test]
fn equal_bodies_share_one_shape_wherever_they_are() {
    let mut app = weightless();
    let mesh = add(&mut app, Cuboid::new(1.0, 1.0, 1.0));
    let turned = |i: i32| {
        Transform::from_xyz(5.0 * i as f32, 1e3, 0.0)
            .with_rotation(bevy_math::Quat::from_rotation_y(i as f32))
            .with_scale(Vec3::splat(0.7))
    };
    let bodies: Vec<Entity> = (0..5).map(|i| spawn(&mut app, &mesh, FINE, turned(i))).collect();
    let other = spawn(&mut app, &mesh, FINE, Transform::from_scale(Vec3::splat(0.8)));
    for &body in bodies.iter().chain([&other]) {
        wait(&mut app, body);
    }
    let shape = |body| app.world().get::<DeformedSurface>(body).unwrap().shape();
    assert!(bodies.iter().all(|&body| Arc::ptr_eq(shape(body), shape(bodies[0]))));
    assert!(!Arc::ptr_eq(shape(other), shape(bodies[0])), "another scale is another shape");
    // A later one finds the shape as well.
    let late = spawn(&mut app, &mesh, FINE, turned(9));
    wait(&mut app, late);
    let shape = |body| app.world().get::<DeformedSurface>(body).unwrap().shape();
    assert!(Arc::ptr_eq(shape(late), shape(bodies[0])));
}

#[test]
fn mesh_that_was_changed_makes_another_shape() {
    let mut app = weightless();
    let mesh = add(&mut app, Cuboid::new(1.0, 1.0, 1.0));
    let first = spawn(&mut app, &mesh, FINE, Transform::IDENTITY);
    wait(&mut app, first);
    *app.world_mut().resource_mut::<Assets<Mesh>>().get_mut(&mesh).unwrap() =
        Cuboid::new(2.0, 1.0, 1.0).into();
    app.update();
    app.update();
    let second = spawn(&mut app, &mesh, FINE, Transform::IDENTITY);
    wait(&mut app, second);
    let volume = |body| app.world().get::<DeformedSurface>(body).unwrap().shape().volume();
    assert!(volume(second) > 1.5 * volume(first));
}

/// Where the positions of a mesh lie in memory, and how much room they have.
fn memory(mesh: &Mesh) -> (*const [f32; 3], usize) {
    match mesh.attribute(Mesh::ATTRIBUTE_POSITION) {
        Some(VertexAttributeValues::Float32x3(values)) => (values.as_ptr(), values.capacity()),
        _ => panic!("no positions"),
    }
}

#[test]
fn thousands_of_frames_need_no_new_memory_and_no_new_assets() {
    let mut app = weightless();
    let mesh = add(&mut app, Cuboid::new(1.0, 1.0, 1.0));
    let bodies: Vec<Entity> = (0..8)
        .map(|i| spawn_loose(&mut app, &mesh, FINE, Transform::from_xyz(3.0 * i as f32, 0.0, 0.0)))
        .collect();
    for &body in &bodies {
        wait(&mut app, body);
        launch(&mut app, body, |p| p * 1e-3);
    }
    app.update();
    let before: Vec<_> = bodies.iter().map(|&body| memory(shown(&app, body))).collect();
    let first = positions(shown(&app, bodies[0]));
    for _ in 0..2_000 {
        app.update();
        assert_eq!(app.world().resource::<Assets<Mesh>>().len(), 9);
    }
    let after: Vec<_> = bodies.iter().map(|&body| memory(shown(&app, body))).collect();
    assert_eq!(before, after);
    assert_ne!(first, positions(shown(&app, bodies[0])), "they must have moved");
}

#[test]
fn coming_and_going_leaves_nothing_behind() {
    let mut app = weightless();
    let mesh = add(&mut app, Cuboid::new(1.0, 1.0, 1.0));
    let keeper = spawn(&mut app, &mesh, FINE, Transform::IDENTITY);
    wait(&mut app, keeper);
    let entities = app.world().entities().count_spawned();
    for round in 0..50 {
        let body = spawn(&mut app, &mesh, FINE, Transform::IDENTITY);
        wait(&mut app, body);
        match round % 2 {
            0 => app.world_mut().entity_mut(body).despawn(),
            _ => {
                app.world_mut().entity_mut(body).remove::<DeformableMesh>();
                app.update();
                app.world_mut().entity_mut(body).despawn();
            }
        }
        app.update();
        app.update();
        assert_eq!(app.world().resource::<Assets<Mesh>>().len(), 2);
    }
    assert_eq!(app.world().entities().count_spawned(), entities);
}

#[test]
fn twenty_bodies_of_one_handle_deform_each_in_its_own_way() {
    let mut app = weightless();
    let mesh = add(&mut app, Cuboid::new(1.0, 1.0, 1.0));
    let bodies: Vec<Entity> = (0..20)
        .map(|i| spawn_loose(&mut app, &mesh, FINE, Transform::from_xyz(4.0 * i as f32, 0.0, 0.0)))
        .collect();
    for &body in &bodies {
        wait(&mut app, body);
    }
    let rest = positions(&Cuboid::new(1.0, 1.0, 1.0).into());
    for (i, &body) in bodies.iter().enumerate() {
        let (place, wide) = (Vec3::X * 4.0 * i as f32, 1.0 + 0.1 * i as f32);
        deform(&mut app, body, |p| place + (p - place) * Vec3::new(1.0, wide, 1.0));
    }
    app.update();
    for (i, &body) in bodies.iter().enumerate() {
        let (place, wide) = (Vec3::X * 4.0 * i as f32, 1.0 + 0.1 * i as f32);
        let expected: Vec<Vec3> =
            rest.iter().map(|&p| place + p * Vec3::new(1.0, wide, 1.0)).collect();
        assert!(largest_distance(&drawn(&app, body), &expected) < 1e-4, "body {i}");
        check_bounds(&app, body);
    }
    assert_eq!(app.world().resource::<Assets<Mesh>>().len(), 21);
}

#[test]
fn shared_meshes_deform_for_all_and_come_back_bit_for_bit() {
    let mut app = weightless();
    let source = Mesh::from(Cuboid::new(1.0, 1.0, 1.0));
    let mesh = add(&mut app, source.clone());
    let [body, twin] = [0.0, 5.0].map(|x| Transform::from_xyz(x, 0.0, 0.0));
    let body = spawn_loose(&mut app, &mesh, FINE, body);
    app.world_mut().entity_mut(body).insert(MeshSharing::WriteToSource);
    let twin = app.world_mut().spawn((Mesh3d(mesh.clone()), twin)).id();
    wait(&mut app, body);
    assert_eq!(app.world().resource::<Assets<Mesh>>().len(), 1, "no copy");
    let map = squash();
    deform(&mut app, body, |p| map * p);
    for _ in 0..3 {
        app.update();
    }
    let rest = positions(&source);
    let moved: Vec<Vec3> = rest.iter().map(|&p| map * p).collect();
    assert!(largest_distance(&drawn(&app, body), &moved) < 1e-4);
    // The twin is where it was, in the shape of the body.
    let sizes = [body, twin].map(|entity| diagonal(&positions(shown(&app, entity))));
    assert_eq!(sizes[0], sizes[1]);
    check_bounds(&app, body);
    check_bounds(&app, twin);

    // A second one that wants the same is told so, once; a third one takes a copy of the rest shape.
    let second = spawn(&mut app, &mesh, FINE, Transform::from_xyz(0.0, 5.0, 0.0));
    app.world_mut().entity_mut(second).insert(MeshSharing::WriteToSource);
    let third = spawn(&mut app, &mesh, FINE, Transform::from_xyz(0.0, 9.0, 0.0));
    wait(&mut app, second);
    wait(&mut app, third);
    let fault = app.world().get::<MeshFault>(second).unwrap();
    assert!(matches!(fault.error, MeshBodyError::SharedTwice { .. }), "{}", fault.reason);
    let moved: Vec<Vec3> = rest.iter().map(|&p| p + Vec3::Y * 9.0).collect();
    assert!(largest_distance(&drawn(&app, third), &moved) < 1e-4);

    app.world_mut().entity_mut(body).remove::<DeformableMesh>();
    app.update();
    assert_eq!(handle(&app, twin), mesh);
    for attribute in [Mesh::ATTRIBUTE_POSITION, Mesh::ATTRIBUTE_NORMAL] {
        assert_eq!(shown(&app, twin).attribute(attribute), source.attribute(attribute));
    }
    // Now the second one may.
    for _ in 0..5 {
        app.update();
    }
    wait(&mut app, second);
    assert!(app.world().get::<MeshFault>(second).is_none());
    assert_eq!(handle(&app, second), mesh);
}
