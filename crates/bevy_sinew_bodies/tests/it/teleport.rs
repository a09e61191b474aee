//! Moving a body at once. SB-15, SB-39, and the refused scale of SB-17.

use core::f32::consts::FRAC_PI_2;
use core::time::Duration;

use bevy_app::FixedPostUpdate;
use bevy_ecs::prelude::*;
use bevy_math::{Isometry3d, Quat, Vec3};
use bevy_sinew_bodies::prelude::*;
use bevy_sinew_bodies::{BodyError, ContactReactions};
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
    // It falls on as fast as before, and down, whichever way it is turned.
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    for tick in 30..60 {
        let fallen = Vec3::NEG_Y * GRAVITY * TICK * tick as f32;
        for velocity in velocities(&app, body, &shape) {
            assert!(velocity.distance(fallen) < 1e-3, "{velocity} instead of {fallen}");
        }
        let center = mean(&positions(&app, body, &shape));
        let beside = (center - mean(&expected)).with_y(0.0);
        assert!(beside.length() < 1e-4, "it leaves the vertical by {beside}");
        ticks(&mut app, 1);
    }
}

#[test]
fn a_teleported_body_lands_as_one_that_was_spawned_there() {
    let height = |teleported: bool| {
        let mut app = app();
        let shape = block([3, 5, 3]);
        app.world_mut().spawn((BodyCollider::plane(), Transform::from_xyz(0.0, -2.0, 0.0)));
        let to = Transform::from_xyz(0.0, 3.0, 0.0).with_rotation(Quat::from_rotation_z(FRAC_PI_2));
        let body = spawn(&mut app, &shape, if teleported { Transform::default() } else { to });
        if teleported {
            ticks(&mut app, 30);
            *app.world_mut().get_mut::<Transform>(body).expect("a transform") = to;
        }
        ticks(&mut app, 640);
        assert!(app.world().get::<BodyStatus>(body).is_some_and(|s| s.asleep), "it came to rest");
        mean(&positions(&app, body, &shape)).y
    };
    let (moved, spawned) = (height(true), height(false));
    assert!((moved - spawned).abs() < 2e-3, "{moved} against {spawned}");
}

/// Velocity of the centre, and what is left of each particle's velocity.
fn split(velocities: &[Vec3]) -> (Vec3, Vec<Vec3>) {
    let center = mean(velocities);
    (center, velocities.iter().map(|&v| v - center).collect())
}

#[test]
fn keep_leaves_the_velocity_as_it_is_in_the_world() {
    let mut app = app();
    app.insert_resource(BodyGravity(Vec3::ZERO));
    // All particles of a block of even size count alike, so that plain means are the mass centre's.
    let shape = block([2, 2, 2]);
    let body = spawn(&mut app, &shape, Transform::default());
    let spin = InitialVelocity { linear: Vec3::new(2.0, -1.0, 0.5), angular: Vec3::Y * 3.0 };
    app.world_mut().entity_mut(body).insert(spin);
    ticks(&mut app, 20);
    let world_from_body = |app: &bevy_app::App| {
        let state = app.world().get::<BodyState>(body).expect("a state");
        state.world_from_body(&shape).expect("it was placed").rotation
    };
    let (before, turn_before) = (velocities(&app, body, &shape), world_from_body(&app));
    let to = Isometry3d::new(Vec3::new(50.0, 0.0, 0.0), Quat::from_rotation_x(2.0));
    app.world_mut().trigger(Teleport::keep(body, to));
    let after = velocities(&app, body, &shape);
    let ((center_before, rest_before), (center_after, rest_after)) =
        (split(&before), split(&after));
    assert!(center_before.distance(spin.linear) < 1e-3, "it flies freely: {center_before}");
    assert!(center_after.distance(center_before) < 1e-5, "{center_before} to {center_after}");
    let turn = to.rotation * turn_before.inverse();
    let turned: Vec<Vec3> = rest_before.iter().map(|&v| turn * v).collect();
    assert!(apart(&rest_after, &turned) < 1e-4, "motion about the centre turns with the body");
}

#[test]
fn carry_turns_shape_and_velocities_along() {
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
    app.world_mut().trigger(Teleport::carry(body, to));
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

/// The places of the particles of the upper end, moved rigidly.
fn upper_end(shape: &ElasticShape, motion: Isometry3d) -> HeldParticles {
    let top = shape.rest_position(shape.particle_count() - 1).y;
    let held = (0..shape.particle_count()).filter(|&i| shape.rest_position(i).y > top - 0.05);
    HeldParticles(
        held.map(|i| HeldParticle {
            particle: i as u32,
            position: motion * shape.rest_position(i),
            velocity: Vec3::ZERO,
        })
        .collect(),
    )
}

/// Largest distance of neighbouring particles, as a multiple of that at rest.
fn stretch(points: &[Vec3], shape: &ElasticShape) -> f32 {
    let mut most = 0.0_f32;
    for i in 0..points.len() {
        for j in 0..i {
            let rest = shape.rest_position(i).distance(shape.rest_position(j));
            if rest < 0.11 {
                most = most.max(points[i].distance(points[j]) / rest);
            }
        }
    }
    most
}

#[test]
fn held_particles_that_jump_carry_the_body_along() {
    let shape = block([3, 6, 3]);
    // It hangs, and was pushed.
    let hold = |edit: &dyn Fn(&mut bevy_app::App, Entity, Isometry3d)| {
        let mut app = app();
        let body = spawn(&mut app, &shape, Transform::default());
        app.world_mut().entity_mut(body).insert((
            upper_end(&shape, Isometry3d::IDENTITY),
            InitialVelocity { linear: Vec3::X, angular: Vec3::ZERO },
            ElasticMaterial { damping: 4.0, ..Default::default() },
            BodySleep::never(),
        ));
        // On the way, and large.
        app.world_mut().spawn((BodyCollider::sphere(50.0), Transform::from_xyz(250.0, 0.0, 0.0)));
        ticks(&mut app, 20);
        let before = (positions(&app, body, &shape), velocities(&app, body, &shape));
        let motion = Isometry3d::new(
            Vec3::new(500.0, 0.0, 3.0),
            Quat::from_rotation_y(170_f32.to_radians()),
        );
        edit(&mut app, body, motion);
        app.world_mut().entity_mut(body).insert(upper_end(&shape, motion));
        (app, body, before, motion)
    };
    // What it does when it is left alone, seen from the held end.
    let expected: Vec<Vec<Vec3>> = {
        let (mut app, body, ..) = hold(&|_, _, _| ());
        app.world_mut().entity_mut(body).insert(upper_end(&shape, Isometry3d::IDENTITY));
        (0..128)
            .map(|_| {
                ticks(&mut app, 1);
                positions(&app, body, &shape)
            })
            .collect()
    };
    let none = |_: &mut bevy_app::App, _: Entity, _: Isometry3d| ();
    let carry = |app: &mut bevy_app::App, body: Entity, motion: Isometry3d| {
        let state = app.world().get::<BodyState>(body).expect("a state");
        let now = state.world_from_body(&shape).expect("placed");
        app.world_mut().trigger(Teleport::carry(body, motion * now));
    };
    let keep = |app: &mut bevy_app::App, body: Entity, motion: Isometry3d| {
        let state = app.world().get::<BodyState>(body).expect("a state");
        let now = state.world_from_body(&shape).expect("placed");
        app.world_mut().trigger(Teleport::keep(body, motion * now));
    };
    let reset = |app: &mut bevy_app::App, body: Entity, motion: Isometry3d| {
        app.world_mut().entity_mut(body).remove::<InitialVelocity>();
        app.world_mut().trigger(Teleport::reset(body, motion));
    };
    type Mode<'a> = (&'a str, &'a dyn Fn(&mut bevy_app::App, Entity, Isometry3d));
    let modes: [Mode; 4] = [("none", &none), ("carry", &carry), ("keep", &keep), ("reset", &reset)];
    for (name, edit) in modes {
        let (mut app, body, (shape_before, speeds), motion) = hold(edit);
        let local = |app: &bevy_app::App| -> Vec<Vec3> {
            let points = positions(app, body, &shape);
            points.iter().map(|&p| motion.inverse() * p).collect()
        };
        if name == "carry" || name == "keep" {
            let gap = largest_difference(&lengths(&local(&app)), &lengths(&shape_before));
            assert!(gap < 1e-4, "{name}: the shape is kept, {gap}");
        }
        if name == "carry" {
            let turned: Vec<Vec3> = speeds.iter().map(|&v| motion.rotation * v).collect();
            let spike = apart(&velocities(&app, body, &shape), &turned);
            assert!(spike < 0.05 * speeds.iter().map(|v| v.length()).fold(0.0, f32::max));
        }
        if name == "reset" {
            assert_eq!(top_speed(&app, body, &shape), 0.0);
            let rest: Vec<Vec3> =
                (0..shape.particle_count()).map(|i| shape.rest_position(i)).collect();
            assert!(apart(&local(&app), &rest) < 1e-4);
        }
        for (tick, expected) in expected.iter().enumerate() {
            ticks(&mut app, 1);
            let now = positions(&app, body, &shape);
            assert!(now.iter().all(|p| p.is_finite()), "{name}");
            assert!(stretch(&now, &shape) < 2.0, "{name}, tick {tick}: {}", stretch(&now, &shape));
            let touched = app.world().get::<ContactReactions>(body).expect("reactions");
            assert_eq!(touched.touched().count(), 0, "{name}: nothing on the way is touched");
            // Gravity is along the axis of the turn: the motion is the same, seen from the held end.
            if name == "none" || name == "carry" {
                let gap = apart(&local(&app), expected);
                assert!(gap < 2e-3, "{name}, tick {tick}: {gap} m");
            }
        }
        let status = app.world().get::<BodyStatus>(body).expect("a status");
        assert_eq!(status.quarantines, 0, "{name}");
        // Two seconds later it swings on, no more stretched than one that was left alone.
        let usual = expected.iter().map(|points| stretch(points, &shape)).fold(0.0, f32::max);
        let now = stretch(&positions(&app, body, &shape), &shape);
        assert!(now < 1.05 * usual, "{name}: {now}, and {usual} without a jump");
    }
}

#[test]
fn held_particles_that_move_fast_do_not_count_as_a_jump() {
    // 50 m/s is 0.8 m a tick, more than the body's size.
    let shape = block([3, 4, 3]);
    let mut app = app();
    let body = spawn(&mut app, &shape, Transform::default());
    let velocity = Vec3::X * 50.0;
    app.world_mut()
        .entity_mut(body)
        .insert((InitialVelocity { linear: velocity, angular: Vec3::ZERO }, BodyMotion::default()));
    for tick in 1..60 {
        let mut held =
            upper_end(&shape, Isometry3d::from_translation(velocity * TICK * tick as f32));
        held.0.iter_mut().for_each(|held| held.velocity = velocity);
        app.world_mut().entity_mut(body).insert(held.clone());
        ticks(&mut app, 1);
        let points = positions(&app, body, &shape);
        for held in &held.0 {
            let gap = points[held.particle as usize].distance(held.position);
            assert!(gap < 1e-4 * shape.size(), "tick {tick}: {gap} m behind");
        }
        let motion = app.world().get::<BodyMotion>(body).expect("a motion");
        // A jump would make both ticks equal; the body sways under its weight meanwhile.
        assert!(tick == 1 || motion.is_moving(), "tick {tick}: it moves, it does not jump");
    }
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
