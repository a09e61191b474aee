//! Moving a body at once. SB-15, SB-39, and the refused scale of SB-17.

use core::f32::consts::FRAC_PI_2;
use core::time::Duration;

use bevy_app::FixedPostUpdate;
use bevy_ecs::prelude::*;
use bevy_math::{Isometry3d, Quat, Vec3};
use bevy_sinew_bodies::BodyError;
use bevy_sinew_bodies::prelude::*;
use bevy_time::TimeUpdateStrategy;
use bevy_transform::prelude::*;

use crate::support::*;

/// Distances of all particles from the first: equal for equal shapes.
fn lengths(points: &[Vec3]) -> Vec<f32> {
    points.iter().map(|p| p.distance(points[0])).collect()
}

fn largest_difference(a: &[f32], b: &[f32]) -> f32 {
    a.iter().zip(b).map(|(a, b)| (a - b).abs()).fold(0.0, f32::max)
}

#[test]
fn writing_the_transform_moves_the_body_there() {
    let mut app = app();
    let shape = block([3, 5, 3]);
    app.world_mut().spawn((BodyCollider::plane(), Transform::from_xyz(0.0, -10.0, 0.0)));
    let body = spawn(&mut app, &shape, Transform::default());
    ticks(&mut app, 30);
    let before = lengths(&positions(&app, body, &shape));
    let to = Transform::from_xyz(0.0, 3.0, 0.0).with_rotation(Quat::from_rotation_z(FRAC_PI_2));
    *app.world_mut().get_mut::<Transform>(body).expect("a transform") = to;
    // A frame without a tick.
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO));
    app.update();
    let now = positions(&app, body, &shape);
    assert!(apart(&drawn(&app, body, &shape), &now) < 1e-5, "drawn where it is simulated");
    let expected: Vec<Vec3> =
        (0..shape.particle_count()).map(|i| to.transform_point(shape.rest_position(i))).collect();
    assert!(apart(&now, &expected) < 1e-4, "it falls freely: the shape is the rest shape");
    assert!(largest_difference(&lengths(&now), &before) < 1e-5, "shape kept");
    // It falls down, whichever way it is turned.
    let velocity = mean(&velocities(&app, body, &shape));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    ticks(&mut app, 1);
    let change = mean(&velocities(&app, body, &shape)) - velocity;
    assert!((change - Vec3::NEG_Y * GRAVITY * TICK).length() < 1e-4, "{change}");
}

#[test]
fn a_teleported_body_lands_as_one_that_was_spawned_there() {
    let height = |teleported: bool| {
        let mut app = app();
        let shape = block([3, 5, 3]);
        app.world_mut().spawn((BodyCollider::plane(), Transform::from_xyz(0.0, -1.0, 0.0)));
        let to = Transform::from_xyz(0.3, 1.0, 0.0).with_rotation(Quat::from_rotation_z(FRAC_PI_2));
        let body = spawn(&mut app, &shape, if teleported { Transform::default() } else { to });
        let calm = ElasticMaterial { damping: 10.0, ..Default::default() };
        app.world_mut().entity_mut(body).insert(calm);
        if teleported {
            ticks(&mut app, 5);
            *app.world_mut().get_mut::<Transform>(body).expect("a transform") = to;
        }
        ticks(&mut app, 500);
        assert!(app.world().get::<BodyStatus>(body).is_some_and(|s| s.asleep), "it came to rest");
        mean(&positions(&app, body, &shape)).y
    };
    let (moved, spawned) = (height(true), height(false));
    assert!((moved - spawned).abs() < 2e-3, "{moved} against {spawned}");
}

#[test]
fn keep_turns_shape_and_velocities_along() {
    let mut app = app();
    let shape = block([3, 5, 3]);
    let body = spawn(&mut app, &shape, Transform::default());
    let spin = InitialVelocity { linear: Vec3::X, angular: Vec3::new(0.0, 3.0, 1.0) };
    app.world_mut().entity_mut(body).insert(spin);
    ticks(&mut app, 40);
    let (shape_before, speeds_before) =
        (lengths(&positions(&app, body, &shape)), velocities(&app, body, &shape));
    let to =
        Isometry3d::new(Vec3::new(500.0, 0.0, 0.0), Quat::from_rotation_y(170_f32.to_radians()));
    app.world_mut().trigger(Teleport::keep(body, to));
    let now = positions(&app, body, &shape);
    assert!(largest_difference(&lengths(&now), &shape_before) < 1e-4);
    let speeds = velocities(&app, body, &shape);
    for (before, after) in speeds_before.iter().zip(&speeds) {
        assert!((before.length() - after.length()).abs() < 1e-4);
    }
    ticks(&mut app, 1);
    let transform = app.world().get::<Transform>(body).expect("a transform");
    assert!(transform.translation.distance(Vec3::new(500.0, 0.0, 0.0)) < 0.5);
    assert!(apart(&drawn(&app, body, &shape), &positions(&app, body, &shape)) < 1e-4);
}

#[test]
fn reset_puts_the_body_to_rest() {
    let mut app = app();
    let shape = block([3, 5, 3]);
    app.world_mut().spawn(BodyCollider::plane());
    let body = spawn(&mut app, &shape, Transform::from_xyz(0.0, 1.0, 0.0));
    ticks(&mut app, 40);
    let to = Isometry3d::new(Vec3::new(0.0, 20.0, 0.0), Quat::from_rotation_x(1.0));
    app.world_mut().trigger(Teleport::reset(body, to));
    assert_eq!(top_speed(&app, body, &shape), 0.0);
    let expected: Vec<Vec3> =
        (0..shape.particle_count()).map(|i| to * shape.rest_position(i)).collect();
    assert!(apart(&positions(&app, body, &shape), &expected) < 1e-5);
}

#[test]
fn a_scale_is_refused_once_and_changes_nothing() {
    let run = |scale: bool| {
        let mut app = app();
        listen::<BodyFailed>(&mut app);
        let shape = block([3, 3, 3]);
        app.world_mut().spawn(BodyCollider::plane());
        let body = spawn(&mut app, &shape, Transform::from_xyz(0.0, 0.3, 0.0));
        ticks(&mut app, 50);
        for _ in 0..20 {
            if scale {
                let mut transform =
                    app.world_mut().get_mut::<Transform>(body).expect("a transform");
                transform.scale = Vec3::splat(2.0);
            }
            ticks(&mut app, 1);
            let transform = app.world().get::<Transform>(body).expect("a transform");
            assert_eq!(transform.scale, Vec3::ONE);
        }
        (kernel(&app, body), heard::<BodyFailed>(&app))
    };
    let (plain, silence) = run(false);
    let (scaled, failures) = run(true);
    assert!(silence.is_empty());
    assert!(plain == scaled, "the state is untouched");
    assert_eq!(failures.len(), 1, "{failures:?}");
    assert_eq!(failures[0].component, "Transform");
    assert_eq!(failures[0].reason, BodyError::Scaled { scale: Vec3::splat(2.0) });
}

#[test]
fn a_write_in_the_middle_of_a_tick_is_not_lost() {
    let mut app = app();
    let shape = block([3, 3, 3]);
    let body = spawn(&mut app, &shape, Transform::default());
    ticks(&mut app, 5);
    app.add_systems(
        FixedPostUpdate,
        (|mut bodies: Query<&mut Transform>, mut done: Local<bool>| {
            for mut transform in bodies.iter_mut().filter(|_| !*done) {
                transform.translation = Vec3::new(0.0, 50.0, 0.0);
            }
            *done = true;
        })
        .in_set(DeformationSystems::ApplyReactions),
    );
    ticks(&mut app, 2);
    let height = app.world().get::<Transform>(body).expect("a transform").translation.y;
    assert!((height - 50.0).abs() < 0.1, "{height} m");
}
