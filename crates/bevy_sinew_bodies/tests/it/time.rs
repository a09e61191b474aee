//! Rates, schedules, and ticks of odd length. SC-05.

use core::time::Duration;

use bevy_app::prelude::*;
use bevy_ecs::schedule::ScheduleLabel;
use bevy_math::Vec3;
use bevy_sinew_bodies::kernel::{Body, LONGEST_STEP, Probe};
use bevy_sinew_bodies::prelude::*;
use bevy_time::{Fixed, Time, TimeUpdateStrategy, Virtual};
use bevy_transform::prelude::*;

use crate::support::*;

#[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
struct Mine;

#[test]
fn a_change_of_rate_keeps_energy_and_time() {
    let mut app = app();
    app.insert_resource(BodyGravity(Vec3::ZERO));
    let shape = block([3, 6, 3]);
    let material = ElasticMaterial { damping: 0.0, ..Default::default() };
    let velocity = Vec3::new(1.0, 2.0, 0.0);
    let body = spawn(&mut app, &shape, Transform::default());
    let start = shape.center();
    app.world_mut().entity_mut(body).insert((
        material,
        BodySleep::never(),
        InitialVelocity { linear: velocity, angular: Vec3::ZERO },
    ));
    // Placed at rest, then squeezed.
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO));
    app.update();
    {
        let mut state = app.world_mut().get_mut::<BodyState>(body).expect("a state");
        let kernel = state.kernel_mut().expect("placed");
        for i in 0..shape.particle_count() {
            let arm = shape.rest_position(i) - shape.center();
            kernel.set_velocity(&shape, i, velocity + Vec3::Y * arm.y);
        }
    }
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    let energy = |app: &App| {
        let mut elastic = Body::new(&shape);
        elastic.material = material.into();
        let probe = Probe::measure(&elastic, &kernel(app, body));
        probe.kinetic_energy + probe.elastic_energy
    };
    let mut time = 0.0;
    let mut before = energy(&app);
    for hertz in [60.0, 30.0, 240.0] {
        app.world_mut().resource_mut::<Time<Fixed>>().set_timestep_hz(hertz);
        for _ in 0..30 {
            ticks(&mut app, 1);
            time += app.world().resource::<Time<Fixed>>().timestep().as_secs_f32();
        }
        let now = energy(&app);
        assert!((now / before - 1.0).abs() < 0.02, "{hertz} Hz: {before} J to {now} J");
        before = now;
    }
    let moved = mean(&positions(&app, body, &shape)) - start;
    assert!((moved - velocity * time).length() < 0.02 * (velocity * time).length(), "{moved}");
}

#[test]
fn a_schedule_of_ones_own_gives_the_same_bits() {
    let shape = block([3, 4, 3]);
    let run = |own: bool| {
        let mut app = if own {
            let mut app = App::new();
            app.init_schedule(Mine);
            app.add_plugins((
                TaskPoolPlugin::default(),
                bevy_time::TimePlugin,
                TransformPlugin,
                BodiesPlugin::new(Mine),
            ));
            app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
            app.update();
            app
        } else {
            app()
        };
        app.world_mut().spawn(BodyCollider::plane());
        let body = spawn(&mut app, &shape, Transform::from_xyz(0.0, 0.3, 0.0));
        let mut states = Vec::new();
        if own {
            let step = Duration::from_micros(15_625);
            for frame in 0..60 {
                app.update();
                for _ in 0..frame % 6 {
                    app.world_mut().resource_mut::<Time>().advance_by(step);
                    app.world_mut().run_schedule(Mine);
                    states.push(kernel(&app, body).hash());
                }
            }
        } else {
            for _ in 0..150 {
                ticks(&mut app, 1);
                states.push(kernel(&app, body).hash());
            }
        }
        states
    };
    assert_eq!(run(true), run(false));
}

#[test]
fn a_schedule_that_rolls_back_gives_the_same_bits() {
    // Each frame goes three ticks back and forth again, as a game over a network does.
    let shape = block([3, 4, 3]);
    let run = |back: usize| {
        let mut app = App::new();
        app.init_schedule(Mine);
        app.add_plugins((
            TaskPoolPlugin::default(),
            bevy_time::TimePlugin,
            TransformPlugin,
            BodiesPlugin::new(Mine),
        ));
        app.world_mut().spawn(BodyCollider::plane());
        let body = spawn(&mut app, &shape, Transform::from_xyz(0.0, 0.3, 0.0));
        app.world_mut()
            .entity_mut(body)
            .insert(InitialVelocity { linear: Vec3::X, angular: Vec3::Z * 3.0 });
        let tick = |app: &mut App| {
            app.world_mut().resource_mut::<Time>().advance_by(Duration::from_micros(15_625));
            app.world_mut().run_schedule(Mine);
        };
        let mut saved = Vec::new();
        let mut hashes = Vec::new();
        for _ in 0..40 {
            for _ in 0..3 {
                tick(&mut app);
                saved.push(app.world().get::<BodyState>(body).expect("a state").clone());
            }
            if back > 0 && saved.len() > back {
                saved.truncate(saved.len() - back);
                let state = saved[saved.len() - 1].clone();
                app.world_mut().entity_mut(body).insert(state);
                for _ in 0..back {
                    tick(&mut app);
                    saved.push(app.world().get::<BodyState>(body).expect("a state").clone());
                }
            }
            hashes.push(kernel(&app, body).hash());
        }
        hashes
    };
    let expected = run(0);
    assert!(expected.windows(2).all(|pair| pair[0] != pair[1]), "it moves");
    assert_eq!(run(2), expected);
    assert_eq!(run(8), expected);
}

#[test]
fn a_tick_of_no_length_changes_nothing() {
    let mut app = app_in(Update);
    let shape = block([3, 3, 3]);
    let body = spawn(&mut app, &shape, Transform::from_xyz(0.0, 1.0, 0.0));
    ticks(&mut app, 10);
    let before = kernel(&app, body);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO));
    ticks(&mut app, 10);
    assert!(kernel(&app, body) == before);
}

#[test]
fn a_hitch_of_ten_seconds_is_cut_and_told() {
    let mut app = app_in(Update);
    app.world_mut().resource_mut::<Time<Virtual>>().set_max_delta(Duration::from_secs(20));
    app.world_mut().spawn(BodyCollider::plane());
    let shape = block([3, 3, 3]);
    let body = spawn(&mut app, &shape, Transform::from_xyz(0.0, 0.5, 0.0));
    ticks(&mut app, 10);
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs(10)));
    ticks(&mut app, 1);
    let status = *app.world().get::<BodyStatus>(body).expect("a status");
    assert!((status.seconds_cut - (10.0 - LONGEST_STEP)).abs() < 1e-3, "{status:?}");
    assert_eq!(status.quarantines, 0);
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    ticks(&mut app, 400);
    let height = mean(&positions(&app, body, &shape)).y;
    assert!((0.0..0.3).contains(&height), "it lies on the ground, {height} m high");
}
