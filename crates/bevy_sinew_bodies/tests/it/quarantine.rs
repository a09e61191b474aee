//! A body that becomes non-finite stays alone with it. SB-33.

use core::time::Duration;

use bevy_app::{App, FixedPostUpdate};
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::SingleThreadedExecutor;
use bevy_math::Vec3;
use bevy_sinew_bodies::prelude::*;
use bevy_time::{Time, TimeUpdateStrategy, Virtual};
use bevy_transform::prelude::*;

use crate::support::*;

#[test]
fn a_broken_body_is_put_back_once_and_the_others_do_not_notice() {
    type Injection = fn(&mut BodyState, &ElasticShape);
    let injections: [(&str, Injection); 3] = [
        ("NaN position", |state, shape| {
            let kernel = state.kernel_mut().expect("placed");
            kernel.set_position(shape, 2, Vec3::new(f32::NAN, 0.0, 0.0).as_dvec3());
        }),
        ("infinite velocity", |state, shape| {
            state.kernel_mut().expect("placed").set_velocity(shape, 2, Vec3::X * f32::INFINITY);
        }),
        ("huge velocity", |state, shape| {
            state.kernel_mut().expect("placed").set_velocity(shape, 2, Vec3::X * 1e30);
        }),
    ];
    let shape = block([3, 3, 3]);
    let run = |injection: Option<Injection>| {
        let mut app = app();
        listen::<BodyQuarantined>(&mut app);
        app.world_mut().spawn(BodyCollider::plane());
        let bodies: Vec<Entity> = (0..6)
            .map(|i| spawn(&mut app, &shape, Transform::from_xyz(i as f32, 0.5, 0.0)))
            .collect();
        ticks(&mut app, 20);
        if let Some(inject) = injection {
            let mut state = app.world_mut().get_mut::<BodyState>(bodies[2]).expect("a state");
            inject(&mut state, &shape);
        }
        ticks(&mut app, 1);
        let now = positions(&app, bodies[2], &shape);
        assert!(now.iter().all(|p| p.is_finite()), "finite after one tick");
        assert!(now.iter().all(|p| p.distance(Vec3::X * 2.0) < 2.0), "where it was");
        ticks(&mut app, 60);
        let states: Vec<_> = bodies.iter().map(|&b| kernel(&app, b)).collect();
        (bodies, states, heard::<BodyQuarantined>(&app))
    };
    let (_, expected, silence) = run(None);
    assert!(silence.is_empty());
    for (name, injection) in injections {
        let (bodies, states, messages) = run(Some(injection));
        assert_eq!(messages, [BodyQuarantined { entity: bodies[2] }], "{name}");
        for i in [0, 1, 3, 4, 5] {
            assert!(states[i] == expected[i], "{name}: body {i} is as it would have been");
        }
    }
}

#[test]
fn gravity_that_is_not_finite_counts_as_none() {
    let mut app = app();
    listen::<BodyQuarantined>(&mut app);
    let shape = block([3, 3, 3]);
    let body = spawn(&mut app, &shape, Transform::default());
    app.insert_resource(BodyGravity(Vec3::splat(f32::NAN)));
    ticks(&mut app, 10);
    assert_eq!(top_speed(&app, body, &shape), 0.0);
    assert!(heard::<BodyQuarantined>(&app).is_empty());
}

#[test]
fn a_long_quiet_life_does_not_drift() {
    // 200,000 ticks, 52 minutes, never asleep: on the ground, and adrift where nothing pulls.
    let mut app = app();
    app.edit_schedule(FixedPostUpdate, |schedule| {
        schedule.set_executor(SingleThreadedExecutor::new());
    });
    let per_frame = 2_000;
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(per_frame));
    app.insert_resource(Time::<Virtual>::from_max_delta(Duration::from_secs(60)));
    app.world_mut().spawn(BodyCollider::plane());
    let shape = block([2, 2, 2]);
    let body = spawn(&mut app, &shape, Transform::default());
    app.world_mut().entity_mut(body).insert(BodySleep::never());
    ticks(&mut app, 1);
    let settled = positions(&app, body, &shape);
    for _ in 1..200_000 / per_frame {
        ticks(&mut app, 1);
        let now = positions(&app, body, &shape);
        assert!(now.iter().all(|p| p.is_finite()));
        let gap = apart(&now, &settled);
        assert!(gap < 1e-3 * shape.size(), "it crept by {gap} m");
    }
    let status = app.world().get::<BodyStatus>(body).expect("a status");
    assert_eq!((status.quarantines, status.asleep), (0, false));
}

#[test]
fn a_hurricane_is_weathered() {
    let shape = block([3, 6, 1]);
    let mut app = app();
    listen::<BodyQuarantined>(&mut app);
    app.world_mut().spawn((BodyCollider::plane(), Transform::from_xyz(0.0, -3.0, 0.0)));
    let body = spawn(&mut app, &shape, Transform::default());
    let held = (0..shape.particle_count()).filter(|&i| shape.rest_position(i).y > 0.45);
    let held: Vec<HeldParticle> = held
        .map(|i| HeldParticle {
            particle: i as u32,
            position: shape.rest_position(i),
            velocity: Vec3::ZERO,
        })
        .collect();
    app.world_mut().entity_mut(body).insert((HeldParticles(held), BodySleep::never()));
    ticks(&mut app, 300);
    let calm = positions(&app, body, &shape);
    let calm_height = mean(&calm).y;
    // Gusts of a quarter of a second, of up to twenty times the weight, for ten seconds.
    let mut dice = Dice(33);
    let mut furthest = 0.0_f32;
    for tick in 0..640 {
        if tick % 16 == 0 {
            app.insert_resource(BodyGravity(20.0 * GRAVITY * dice.vector()));
        }
        ticks(&mut app, 1);
        let now = positions(&app, body, &shape);
        assert!(now.iter().all(|p| p.is_finite()));
        furthest = furthest.max(apart(&now, &calm));
    }
    assert!(
        (0.1..6.0 * shape.size()).contains(&furthest),
        "it is blown about, but stays: {furthest} m"
    );
    // The storm is over: what is left is a swing, which nothing but gravity feeds.
    let depth = |app: &App| calm_height - mean(&positions(app, body, &shape)).y;
    let energy = |app: &App| {
        let speeds = velocities(app, body, &shape);
        let squares: f32 = speeds.iter().map(|v| v.length_squared()).sum();
        0.5 * squares / speeds.len() as f32 - GRAVITY * depth(app)
    };
    app.insert_resource(BodyGravity::default());
    ticks(&mut app, 64);
    let most = (0..128)
        .map(|_| {
            ticks(&mut app, 1);
            energy(&app)
        })
        .fold(f32::MIN, f32::max);
    for _ in 0..640 {
        ticks(&mut app, 1);
        assert!(positions(&app, body, &shape).iter().all(|p| p.is_finite()));
        let now = energy(&app);
        assert!(now < 1.05 * most, "{now} J/kg after {most} J/kg");
    }
    assert!(heard::<BodyQuarantined>(&app).is_empty(), "that was weather, no fault");
    // A force beyond all measure is no weather: the body is put back, says so once, and hangs on.
    app.insert_resource(BodyGravity(Vec3::X * 1e30));
    ticks(&mut app, 20);
    assert!(positions(&app, body, &shape).iter().all(|p| p.is_finite()));
    assert_eq!(heard::<BodyQuarantined>(&app).len(), 1);
    app.insert_resource(BodyGravity::default());
    ticks(&mut app, 64);
    assert!(
        apart(&positions(&app, body, &shape), &calm) < 3.0 * shape.size(),
        "it is where it was"
    );
    assert_eq!(heard::<BodyQuarantined>(&app).len(), 1);
}
