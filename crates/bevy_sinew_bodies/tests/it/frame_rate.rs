//! The same motion at any frame rate, paused or not, restored or not. SB-11, SB-17, SB-42.

use core::time::Duration;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::SingleThreadedExecutor;
use bevy_math::Vec3;
use bevy_sinew_bodies::kernel::ElasticShape;
use bevy_sinew_bodies::prelude::*;
use bevy_time::{Time, TimeUpdateStrategy, Virtual};
use bevy_transform::prelude::*;

use crate::support::*;

/// Hash of all bodies after each tick.
#[derive(Resource, Default)]
struct Hashes(Vec<Vec<u64>>);

fn record(bodies: Query<&BodyState>, mut hashes: ResMut<Hashes>) {
    // In the order of their value: entity order may differ from run to run.
    let mut now: Vec<u64> =
        bodies.iter().filter_map(|state| Some(state.kernel()?.hash())).collect();
    now.sort_unstable();
    hashes.0.push(now);
}

/// Plucks the far end of each body in tick 10.
fn pluck(mut tick: Local<u32>, mut bodies: Query<(&DeformableBody, &mut BodyState)>) {
    *tick += 1;
    for (body, mut state) in &mut bodies {
        if let Some(shape) = body.shape.as_ref().filter(|_| *tick == 10)
            && let Some(kernel) = state.kernel_mut()
        {
            kernel.set_velocity(shape, shape.particle_count() - 1, Vec3::new(3.0, 1.0, 0.0));
        }
    }
}

fn held_by_one_end(shape: &ElasticShape, at: Vec3) -> HeldParticles {
    let held = (0..shape.particle_count()).filter(|&i| shape.rest_position(i).y < 0.01);
    HeldParticles(
        held.map(|i| HeldParticle {
            particle: i as u32,
            position: at + shape.rest_position(i),
            velocity: Vec3::ZERO,
        })
        .collect(),
    )
}

fn pinned(count: usize) -> App {
    let mut app = app();
    app.init_resource::<Hashes>();
    app.add_systems(FixedUpdate, pluck);
    app.add_systems(FixedPostUpdate, record.after(DeformationSystems::Writeback));
    let shape = block([3, 6, 3]);
    for i in 0..count {
        let at = Vec3::X * i as f32;
        let body = spawn(&mut app, &shape, Transform::from_translation(at));
        app.world_mut().entity_mut(body).insert(held_by_one_end(&shape, at));
    }
    app
}

fn run(frames: impl Iterator<Item = Duration>, ticks: usize) -> Vec<Vec<u64>> {
    let mut app = pinned(1);
    for frame in frames {
        app.insert_resource(TimeUpdateStrategy::ManualDuration(frame));
        app.update();
        if app.world().resource::<Hashes>().0.len() >= ticks {
            break;
        }
    }
    let mut hashes = core::mem::take(&mut app.world_mut().resource_mut::<Hashes>().0);
    assert!(hashes.len() >= ticks, "only {} ticks", hashes.len());
    hashes.truncate(ticks);
    hashes
}

#[test]
fn the_frame_rate_does_not_change_a_bit() {
    let ticks = 320;
    let expected = run(core::iter::repeat(Duration::from_micros(15_625)), ticks);
    assert!(expected.windows(2).skip(10).take(50).all(|w| w[0] != w[1]), "it swings");
    for rate in [24, 30, 60, 144, 240, 1_000] {
        let frame = Duration::from_secs_f64(1.0 / f64::from(rate));
        assert_eq!(run(core::iter::repeat(frame), ticks), expected, "{rate} frames per second");
    }
    let mut dice = Dice(11);
    let uneven = core::iter::repeat_with(|| Duration::from_secs_f32(0.031 + 0.029 * dice.roll()));
    assert_eq!(run(uneven, ticks), expected, "uneven frames");
}

#[test]
fn a_pause_changes_nothing() {
    let run = |pause: usize| {
        let mut app = pinned(1);
        ticks(&mut app, 120);
        app.world_mut().resource_mut::<Time<Virtual>>().pause();
        app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_micros(15_625)));
        ticks(&mut app, pause);
        app.world_mut().resource_mut::<Time<Virtual>>().unpause();
        ticks(&mut app, 120);
        core::mem::take(&mut app.world_mut().resource_mut::<Hashes>().0)
    };
    let unpaused = run(0);
    assert_eq!(unpaused.len(), 240);
    assert_eq!(run(200), unpaused);
}

#[test]
fn the_executor_and_unrelated_entities_change_nothing() {
    let run = |single: bool, unrelated: usize| {
        let mut app = pinned(0);
        if single {
            app.edit_schedule(FixedPostUpdate, |schedule| {
                schedule.set_executor(SingleThreadedExecutor::new());
            });
        }
        let shape = block([3, 6, 3]);
        app.world_mut().spawn((BodyCollider::plane(), Transform::from_xyz(0.0, -0.3, 0.0)));
        for i in 0..12 {
            for _ in 0..(unrelated * i) % 5 {
                app.world_mut().spawn(Transform::default());
            }
            let body = spawn(&mut app, &shape, Transform::from_xyz(i as f32, 0.1 * i as f32, 0.0));
            if unrelated > 0 && i % 3 == 0 {
                // Another archetype, so that the order of queries changes.
                app.world_mut().entity_mut(body).insert(BodyMotion::default());
            }
        }
        ticks(&mut app, 200);
        core::mem::take(&mut app.world_mut().resource_mut::<Hashes>().0)
    };
    let expected = run(false, 0);
    assert_eq!(run(true, 0), expected, "single-threaded executor");
    assert_eq!(run(false, 3), expected, "unrelated entities");
}

#[test]
fn a_restored_state_repeats_every_tick() {
    let mut app = pinned(3);
    ticks(&mut app, 40);
    let world = app.world_mut();
    let mut query = world.query::<(Entity, &BodyState, &Transform)>();
    let saved: Vec<(Entity, BodyState, Transform)> =
        query.iter(world).map(|(e, s, t)| (e, s.clone(), *t)).collect();
    ticks(&mut app, 60);
    let first = app.world().resource::<Hashes>().0[40..].to_vec();
    for with_transform in [false, true] {
        for (entity, state, transform) in &saved {
            let mut entity = app.world_mut().entity_mut(*entity);
            entity.insert(state.clone());
            if with_transform {
                entity.insert(*transform);
            }
        }
        app.world_mut().resource_mut::<Hashes>().0.clear();
        ticks(&mut app, 60);
        let again = &app.world().resource::<Hashes>().0;
        assert_eq!(again, &first, "Transform restored too: {with_transform}");
    }
}
