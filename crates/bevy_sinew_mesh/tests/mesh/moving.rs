//! Where a body is drawn, and when.

use std::time::Duration;

use bevy_app::{FixedUpdate, Last};
use bevy_asset::{AssetEvent, AssetEventSystems, Assets};
use bevy_ecs::prelude::*;
use bevy_math::primitives::Cuboid;
use bevy_math::{Quat, Vec3};
use bevy_mesh::{Mesh, Mesh3d, VertexAttributeValues};
use bevy_sinew_bodies::BodyMotion;
use bevy_sinew_mesh::{DeformableMesh, MeshInterpolation};
use bevy_time::{Fixed, Time, TimeUpdateStrategy};
use bevy_transform::components::{GlobalTransform, Transform};

use crate::support::*;

const FINE: DeformableMesh = DeformableMesh::spacing(0.25);

#[test]
fn bodies_are_drawn_between_ticks() {
    let mut app = weightless();
    let mesh = add(&mut app, Cuboid::from_length(1.0));
    let body = spawn_loose(&mut app, &mesh, FINE, Transform::IDENTITY);
    wait(&mut app, body);
    let speed = 2.0;
    launch(&mut app, body, |_| Vec3::X * speed);
    app.world_mut().entity_mut(body).insert(MeshInterpolation::BetweenTicks);
    app.update();
    app.update();
    let rest = positions(&Cuboid::from_length(1.0).into());
    let tick = app.world().resource::<Time<Fixed>>().timestep();
    let start = drawn(&app, body)[0].x - rest[0].x;
    // Frames that are 3/8 of a tick: what is drawn moves by the same amount in each.
    app.insert_resource(TimeUpdateStrategy::ManualDuration(tick.mul_f64(0.375)));
    for frame in 1..=40 {
        app.update();
        let overstep = app.world().resource::<Time<Fixed>>().overstep_fraction();
        let moved = start + speed * tick.as_secs_f32() * 0.375 * frame as f32;
        let expected: Vec<Vec3> = rest.iter().map(|&p| p + Vec3::X * moved).collect();
        let off = largest_distance(&drawn(&app, body), &expected);
        assert!(off < 1e-4, "frame {frame}, {overstep} of a tick: {off}");
    }
}

#[test]
fn stopped_bodies_are_drawn_at_their_last_tick() {
    let mut app = weightless();
    let mesh = add(&mut app, Cuboid::from_length(1.0));
    let body = spawn_loose(&mut app, &mesh, FINE, Transform::IDENTITY);
    wait(&mut app, body);
    app.world_mut().entity_mut(body).insert(MeshInterpolation::BetweenTicks);
    launch(&mut app, body, |_| Vec3::X);
    app.update();
    launch(&mut app, body, |_| Vec3::ZERO);
    let tick = app.world().resource::<Time<Fixed>>().timestep();
    app.insert_resource(TimeUpdateStrategy::ManualDuration(tick.mul_f64(0.5)));
    for _ in 0..10 {
        app.update();
    }
    let motion = app.world().get::<BodyMotion>(body).unwrap();
    let moved = Vec3::from(motion.world_from_body().translation).x;
    let rest = positions(&Cuboid::from_length(1.0).into());
    let expected: Vec<Vec3> = rest.iter().map(|&p| p + Vec3::X * moved).collect();
    assert!(largest_distance(&drawn(&app, body), &expected) < 1e-5);
}

#[test]
fn paused_apps_draw_bodies_where_they_are() {
    let mut app = app();
    let mesh = add(&mut app, Cuboid::from_length(1.0));
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO));
    let at = Transform::from_xyz(1.0, 2.0, 3.0).with_scale(Vec3::splat(2.0));
    let body = spawn(&mut app, &mesh, FINE, at);
    let before = positions(&Cuboid::from_length(2.0).into());
    let before: Vec<Vec3> = before.iter().map(|&p| p + at.translation).collect();
    wait(&mut app, body);
    for _ in 0..3 {
        assert!(largest_distance(&drawn(&app, body), &before) < 1e-5);
        app.update();
    }
}

#[test]
fn written_transform_is_a_teleport_and_drawn_in_the_same_frame() {
    let mut app = weightless();
    let mesh = add(&mut app, Cuboid::from_length(1.0));
    let body = spawn(&mut app, &mesh, FINE, Transform::IDENTITY);
    wait(&mut app, body);
    for _ in 0..30 {
        app.update();
    }
    let to = Transform::from_xyz(0.0, 3.0, 0.0)
        .with_rotation(Quat::from_rotation_z(core::f32::consts::FRAC_PI_2));
    *app.world_mut().get_mut::<Transform>(body).unwrap() = to;
    app.update();
    let simulated = |app: &bevy_app::App| {
        let motion = app.world().get::<BodyMotion>(body).unwrap();
        Vec3::from(motion.world_from_body().translation)
    };
    let rest = positions(&Cuboid::from_length(1.0).into());
    let at = simulated(&app);
    assert!((at.y - 3.0).abs() < 0.3, "{at}");
    let expected: Vec<Vec3> = rest.iter().map(|&p| to.rotation * p + at).collect();
    assert!(largest_distance(&drawn(&app, body), &expected) < 1e-4);
    app.insert_resource(bevy_sinew_bodies::BodyGravity(Vec3::NEG_Y * 9.81));
    for _ in 0..10 {
        app.update();
    }
    let fallen = simulated(&app) - at;
    assert!(fallen.y < -0.1 && fallen.x.abs() < 1e-4 && fallen.z.abs() < 1e-4, "{fallen}");
}

#[test]
fn moved_parents_do_not_move_what_is_drawn() {
    let mut app = weightless();
    let mesh = add(&mut app, Cuboid::from_length(1.0));
    let parent = app.world_mut().spawn(Transform::from_xyz(1.0, 0.0, 0.0)).id();
    let body = spawn_loose(&mut app, &mesh, FINE, Transform::IDENTITY);
    app.world_mut().entity_mut(body).insert(ChildOf(parent));
    wait(&mut app, body);
    let before = drawn(&app, body);
    assert!((before.iter().sum::<Vec3>() / before.len() as f32).distance(Vec3::X) < 1e-4);
    for i in 1..20 {
        *app.world_mut().get_mut::<Transform>(parent).unwrap() =
            Transform::from_xyz(1.0 + i as f32, 0.3, 0.0)
                .with_rotation(Quat::from_rotation_x(0.1 * i as f32));
        app.update();
        assert!(largest_distance(&drawn(&app, body), &before) < 1e-4);
    }
}

#[test]
fn vertices_are_exact_far_from_the_origin() {
    let far = Vec3::new(1e4, 100.0, -1e4);
    let mut app = weightless();
    let mesh = add(&mut app, Cuboid::from_length(1.0));
    let body = spawn_loose(&mut app, &mesh, FINE, Transform::from_translation(far));
    wait(&mut app, body);
    app.update();
    // In the space of the mesh, where the renderer starts from.
    let rest = positions(&Cuboid::from_length(1.0).into());
    assert!(largest_distance(&positions(shown(&app, body)), &rest) < 2e-3);
}

/// What later systems of the frame saw.
#[derive(Resource, Default)]
struct Seen {
    announced: usize,
    in_last: Vec<Vec3>,
}

#[test]
fn what_a_tick_moved_is_drawn_and_announced_in_its_frame() {
    let mut app = app();
    app.init_resource::<Seen>();
    let mesh = add(&mut app, Cuboid::from_length(1.0));
    let body = spawn(&mut app, &mesh, FINE, Transform::IDENTITY);
    wait(&mut app, body);
    app.add_systems(
        bevy_app::PostUpdate,
        (|mut events: MessageReader<AssetEvent<Mesh>>, mut seen: ResMut<Seen>| {
            seen.announced +=
                events.read().filter(|e| matches!(e, AssetEvent::Modified { .. })).count();
        })
        .after(AssetEventSystems),
    );
    app.add_systems(
        Last,
        |bodies: Query<(&Mesh3d, &GlobalTransform)>,
         meshes: Res<Assets<Mesh>>,
         mut seen: ResMut<Seen>| {
            for (mesh, world) in &bodies {
                if let Some(VertexAttributeValues::Float32x3(values)) =
                    meshes.get(mesh).and_then(|mesh| mesh.attribute(Mesh::ATTRIBUTE_POSITION))
                {
                    seen.in_last =
                        values.iter().map(|&p| world.transform_point(p.into())).collect();
                }
            }
        },
    );
    // A system in the fixed schedule moves the body: it must be seen there in the same frame.
    app.add_systems(FixedUpdate, |mut bodies: Query<&mut Transform, With<DeformableMesh>>| {
        for mut transform in &mut bodies {
            transform.translation.x += 1.0;
        }
    });
    app.update();
    let seen = app.world().resource::<Seen>();
    let motion = app.world().get::<BodyMotion>(body).unwrap();
    let at = Vec3::from(motion.world_from_body().translation);
    assert!((at.x - 1.0).abs() < 1e-3, "{at}");
    let rest = positions(&Cuboid::from_length(1.0).into());
    let expected: Vec<Vec3> = rest.iter().map(|&p| p + at).collect();
    assert!(largest_distance(&seen.in_last, &expected) < 1e-4);
    assert!(seen.announced >= 1);
    for ticks in [2, 5] {
        app.insert_resource(TimeUpdateStrategy::FixedTimesteps(ticks));
        app.update();
        let motion = app.world().get::<BodyMotion>(body).unwrap();
        let at = Vec3::from(motion.world_from_body().translation);
        let expected: Vec<Vec3> = rest.iter().map(|&p| p + at).collect();
        assert!(largest_distance(&app.world().resource::<Seen>().in_last, &expected) < 1e-4);
    }
}
