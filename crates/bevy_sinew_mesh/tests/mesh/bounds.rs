//! The boxes that culling reads.

use bevy_asset::AssetEvent;
use bevy_camera::primitives::Aabb;
use bevy_camera::visibility::NoAutoAabb;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_math::primitives::Cuboid;
use bevy_mesh::{Mesh, Mesh3d};
use bevy_sinew_bodies::BodyState;
use bevy_sinew_mesh::{DeformableMesh, DeformedSurface};
use bevy_transform::components::Transform;

use crate::support::*;

const FINE: DeformableMesh = DeformableMesh::spacing(0.25);

/// Checks that the box holds all vertices and is not much larger than they need.
fn check(app: &bevy_app::App, entity: Entity) {
    let bounds = app.world().get::<Aabb>(entity).unwrap();
    let points = positions(shown(app, entity));
    let low = points.iter().copied().reduce(Vec3::min).unwrap();
    let high = points.iter().copied().reduce(Vec3::max).unwrap();
    let [from, to] = [Vec3::from(bounds.min()), Vec3::from(bounds.max())];
    let slack = Vec3::splat(1e-5 * low.distance(high));
    assert!((from - slack).cmple(low).all() && (to + slack).cmpge(high).all());
    assert!((to - from).cmple(1.5 * (high - low) + slack).all());
}

#[test]
fn box_follows_a_body_that_leaves_its_rest_box() {
    let mut app = weightless();
    let mesh = add(&mut app, Cuboid::new(1.0, 1.0, 1.0));
    let body = spawn_loose(&mut app, &mesh, FINE, Transform::IDENTITY);
    wait(&mut app, body);
    check(&app, body);
    // It grows and shears away in all directions at once.
    launch(&mut app, body, |p| Vec3::new(10.0 + 4.0 * p.y, 3.0 * p.y, -5.0 * p.x));
    for _ in 0..64 {
        app.update();
        check(&app, body);
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
    bodies.iter().for_each(|&body| check(&app, body));
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
    check(&app, body);
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
    check(&app, own);
    for entity in [plain, own] {
        app.world_mut().entity_mut(entity).remove::<DeformableMesh>();
    }
    app.update();
    app.update();
    assert_eq!(app.world().get::<Aabb>(own), Some(&by_hand));
    assert!(app.world().get::<NoAutoAabb>(plain).is_none());
    check(&app, plain);
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
    let mut count = |app: &mut bevy_app::App, frames: usize| {
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
