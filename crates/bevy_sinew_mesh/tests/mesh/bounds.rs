//! The boxes that culling reads.

use bevy_app::App;
use bevy_asset::AssetEvent;
use bevy_camera::Camera;
use bevy_camera::primitives::{Aabb, Frustum};
use bevy_camera::visibility::{NoAutoAabb, ViewVisibility};
use bevy_ecs::prelude::*;
use bevy_math::primitives::{Cuboid, Sphere, ViewFrustum};
use bevy_math::{Mat4, Vec3};
use bevy_mesh::{Mesh, Mesh3d};
use bevy_sinew_bodies::BodyState;
use bevy_sinew_mesh::{DeformableMesh, DeformedSurface};
use bevy_transform::components::Transform;

use crate::support::*;

const FINE: DeformableMesh = DeformableMesh::spacing(0.25);

#[test]
fn box_follows_a_body_that_leaves_its_rest_box() {
    let mut app = weightless();
    let mesh = add(&mut app, Cuboid::new(1.0, 1.0, 1.0));
    let body = spawn_loose(&mut app, &mesh, FINE, Transform::IDENTITY);
    wait(&mut app, body);
    check_bounds(&app, body);
    // It grows and shears away in all directions at once.
    launch(&mut app, body, |p| Vec3::new(10.0 + 4.0 * p.y, 3.0 * p.y, -5.0 * p.x));
    for _ in 0..64 {
        app.update();
        check_bounds(&app, body);
    }
    let far = drawn(&app, body).iter().fold(0.0_f32, |far, p| far.max(p.length()));
    assert!(far > 5.0, "it must have left: {far}");
}

#[test]
fn only_boxes_of_bodies_that_move_are_written() {
    #[derive(Resource, Default)]
    struct Boxes(Vec<Entity>);
    let mut app = weightless();
    app.init_resource::<Boxes>();
    app.add_systems(
        bevy_app::Last,
        |changed: Query<Entity, Changed<Aabb>>, mut boxes: ResMut<Boxes>| {
            boxes.0.extend(&changed);
        },
    );
    let mesh = add(&mut app, Cuboid::new(1.0, 1.0, 1.0));
    let bodies: Vec<Entity> = (0..20)
        .map(|i| spawn_loose(&mut app, &mesh, FINE, Transform::from_xyz(3.0 * i as f32, 0.0, 0.0)))
        .collect();
    app.world_mut().spawn(Mesh3d(mesh.clone()));
    for &body in &bodies {
        wait(&mut app, body);
    }
    for &body in &bodies[..5] {
        launch(&mut app, body, |p| Vec3::X * p.x);
    }
    app.update();
    app.update();
    app.world_mut().resource_mut::<Boxes>().0.clear();
    for _ in 0..10 {
        app.update();
    }
    let mut written = app.world().resource::<Boxes>().0.clone();
    written.sort_unstable();
    let mut expected: Vec<Entity> = bodies[..5].repeat(10);
    expected.sort_unstable();
    assert_eq!(written, expected);
    bodies.iter().for_each(|&body| check_bounds(&app, body));
}

#[test]
fn boxes_of_a_hundred_bodies_hold_their_meshes_while_ten_are_swapped() {
    let mut app = weightless();
    let [cube, ball] =
        [Mesh::from(Cuboid::from_length(1.0)), Sphere::new(0.7).into()].map(|m| add(&mut app, m));
    let coarse = DeformableMesh::spacing(0.5);
    let bodies: Vec<Entity> = (0..100)
        .map(|i| {
            spawn_loose(&mut app, &cube, coarse, Transform::from_xyz(4.0 * i as f32, 0.0, 0.0))
        })
        .collect();
    for &body in &bodies {
        wait(&mut app, body);
        launch(&mut app, body, |p| Vec3::new(p.y, 2.0 * p.z, -p.x));
    }
    for frame in 0..12 {
        if frame == 4 {
            for &body in &bodies[..10] {
                app.world_mut().get_mut::<Mesh3d>(body).unwrap().0 = ball.clone();
            }
        }
        app.update();
        bodies.iter().for_each(|&body| check_bounds(&app, body));
    }
    for &body in &bodies[..10] {
        wait(&mut app, body);
        check_bounds(&app, body);
        let count = Mesh::from(Sphere::new(0.7)).count_vertices();
        assert_eq!(shown(&app, body).count_vertices(), count);
    }
}

/// Whether a camera at (0, 0, 20) that looks along -z, with a view as narrow as `half_width` there at
/// z = 0, draws an entity.
fn is_drawn(app: &mut App, at: Vec3, half_width: f32, entity: Entity) -> bool {
    let clip_from_view =
        Mat4::orthographic_rh(-half_width, half_width, -half_width, half_width, 0.1, 100.0);
    let world_from_view = Mat4::from_translation(at + Vec3::Z * 20.0);
    let frustum = ViewFrustum::from_clip_from_world(&(clip_from_view * world_from_view.inverse()));
    let camera = app.world_mut().spawn((Camera::default(), Frustum(frustum))).id();
    app.update();
    let drawn = app.world().get::<ViewVisibility>(entity).unwrap().get();
    app.world_mut().entity_mut(camera).despawn();
    drawn
}

#[test]
fn camera_that_sees_only_what_left_the_rest_box_draws_the_body() {
    let mut app = weightless();
    let mesh = add(&mut app, Cuboid::from_length(1.0));
    let body = spawn_loose(&mut app, &mesh, FINE, Transform::IDENTITY);
    wait(&mut app, body);
    let tip = Vec3::new(6.0, 0.0, 0.0);
    assert!(is_drawn(&mut app, Vec3::ZERO, 0.2, body));
    assert!(!is_drawn(&mut app, tip, 0.2, body), "at rest it is elsewhere");
    // The mass centre stays: only the box can tell that there is something to see.
    deform(&mut app, body, |p| Vec3::new(13.0 * p.x, p.y, p.z));
    assert!(is_drawn(&mut app, tip, 0.2, body));
    assert!(!is_drawn(&mut app, tip + Vec3::Y * 2.0, 0.2, body));
    // It all goes away, by deforming alone and by moving.
    deform(&mut app, body, |p| Vec3::new(p.x / 13.0 + 40.0, p.y, p.z));
    assert!(!is_drawn(&mut app, Vec3::ZERO, 3.0, body));
    assert!(is_drawn(&mut app, Vec3::X * 40.0, 0.2, body));
}

#[test]
fn bodies_get_new_boxes_when_their_mesh_is_swapped() {
    let mut app = weightless();
    let [small, large] = [1.0, 3.0].map(|size| add(&mut app, Cuboid::from_length(size)));
    let body = spawn(&mut app, &small, DeformableMesh::lattice(100), Transform::IDENTITY);
    wait(&mut app, body);
    app.world_mut().get_mut::<Mesh3d>(body).unwrap().0 = large.clone();
    app.update();
    wait(&mut app, body);
    assert_ne!(handle(&app, body), large, "it shows a copy");
    assert!((diagonal(&positions(shown(&app, body))) - 27.0_f32.sqrt()).abs() < 1e-4);
    check_bounds(&app, body);
    let shape = app.world().get::<DeformedSurface>(body).unwrap().shape();
    assert!(shape.size() > 5.0);
}

#[test]
fn bounds_that_were_set_by_hand_come_back() {
    let mut app = app();
    let mesh = add(&mut app, Cuboid::from_length(1.0));
    let by_hand = Aabb::from_min_max(Vec3::splat(-9.0), Vec3::splat(9.0));
    let [plain, own] = [(); 2].map(|()| spawn(&mut app, &mesh, FINE, Transform::IDENTITY));
    app.world_mut().entity_mut(own).insert((by_hand, NoAutoAabb));
    wait(&mut app, plain);
    wait(&mut app, own);
    check_bounds(&app, own);
    for entity in [plain, own] {
        app.world_mut().entity_mut(entity).remove::<DeformableMesh>();
    }
    app.update();
    app.update();
    assert_eq!(app.world().get::<Aabb>(own), Some(&by_hand));
    assert!(app.world().get::<NoAutoAabb>(plain).is_none());
    check_bounds(&app, plain);
}

#[test]
fn sleeping_bodies_write_no_meshes() {
    let mut app = weightless();
    let mesh = add(&mut app, Cuboid::from_length(1.0));
    let body = spawn(&mut app, &mesh, FINE, Transform::IDENTITY);
    wait(&mut app, body);
    for _ in 0..200 {
        app.update();
    }
    assert!(app.world().get::<BodyState>(body).unwrap().is_asleep());
    let mut reader = app.world().resource::<Messages<AssetEvent<Mesh>>>().get_cursor_current();
    let mut modified = 0;
    let mut count = |app: &mut App, frames: usize| {
        for _ in 0..frames {
            app.update();
            let events = app.world().resource::<Messages<AssetEvent<Mesh>>>();
            modified +=
                reader.read(events).filter(|e| matches!(e, AssetEvent::Modified { .. })).count();
        }
        modified
    };
    assert_eq!(count(&mut app, 50), 0);
    launch(&mut app, body, |p| p);
    assert!(count(&mut app, 5) >= 5, "awake, it writes again");
}
