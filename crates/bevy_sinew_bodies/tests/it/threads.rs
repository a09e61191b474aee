//! The same bits on any number of threads. SB-42.

use std::env;
use std::process::Command;

use bevy_app::prelude::*;
use bevy_app::{TaskPoolOptions, TaskPoolThreadAssignmentPolicy};
use bevy_ecs::schedule::SingleThreadedExecutor;
use bevy_math::Vec3;
use bevy_sinew_bodies::prelude::*;
use bevy_tasks::ComputeTaskPool;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::prelude::*;

use crate::support::*;

/// Tells a child process how many threads to take.
const THREADS: &str = "SINEW_TEST_THREADS";
/// Marks the hash in the output of a child process.
const MARK: &str = "hash of all bodies: ";

/// Bodies of many sizes that fall on each kind of collider, and one that is worth several threads.
fn scene(threads: usize, single_threaded: bool) -> u64 {
    let mut app = App::new();
    let compute = TaskPoolThreadAssignmentPolicy {
        min_threads: threads,
        max_threads: threads,
        percent: 1.0,
        on_thread_spawn: None,
        on_thread_destroy: None,
    };
    let task_pool_options = TaskPoolOptions { compute, ..Default::default() };
    app.add_plugins((
        TaskPoolPlugin { task_pool_options },
        TimePlugin,
        TransformPlugin,
        BodiesPlugin::default(),
    ));
    assert_eq!(ComputeTaskPool::get().thread_num(), threads);
    if single_threaded {
        app.edit_schedule(FixedPostUpdate, |schedule| {
            schedule.set_executor(SingleThreadedExecutor::new());
        });
    }
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app.update();
    let world = app.world_mut();
    world.spawn(BodyCollider::plane());
    world.spawn((BodyCollider::sphere(0.5), Transform::from_xyz(2.0, 0.2, 2.0)));
    world.spawn((BodyCollider::cuboid(Vec3::splat(0.4)), Transform::from_xyz(5.0, 0.2, 4.0)));
    world.spawn((BodyCollider::capsule(0.5, 0.3), Transform::from_xyz(1.0, 0.2, 5.0)));
    let shapes = [block([3, 4, 3]), block([4, 4, 4]), block([2, 6, 2])];
    let mut dice = Dice(42);
    let mut bodies = Vec::new();
    for i in 0..60 {
        let at = Vec3::new((i % 8) as f32, 0.6, (i / 8) as f32) + 0.2 * dice.vector();
        let body = spawn(&mut app, &shapes[i % 3], Transform::from_translation(at));
        app.world_mut().entity_mut(body).insert((
            InitialVelocity { linear: dice.vector(), angular: 3.0 * dice.vector() },
            ExampleSet::new().with("twisted", Deformer::twist(Vec3::Y, 2.0)),
        ));
        bodies.push(body);
    }
    let big = block([16, 16, 16]);
    bodies.push(spawn(&mut app, &big, Transform::from_xyz(0.0, 0.5, -4.0)));
    ticks(&mut app, 120);
    let hashes = bodies.iter().map(|&body| kernel(&app, body).hash());
    hashes.fold(0, |sum: u64, hash| sum.rotate_left(7) ^ hash)
}

#[test]
#[expect(clippy::print_stdout, reason = "a child process tells its result so")]
fn the_number_of_threads_changes_no_bit() {
    if let Ok(threads) = env::var(THREADS) {
        let threads = threads.parse().expect("a number");
        println!("{MARK}{} {}", scene(threads, false), scene(threads, true));
        return;
    }
    // Pools live as long as their process, so each number of threads has its own.
    let run = |threads: usize| {
        let output = Command::new(env::current_exe().expect("this test"))
            .args(["--exact", "threads::the_number_of_threads_changes_no_bit", "--nocapture"])
            .env(THREADS, threads.to_string())
            .output()
            .expect("a child process");
        let text = String::from_utf8_lossy(&output.stdout).into_owned();
        let hashes = text.split(MARK).nth(1).and_then(|rest| rest.lines().next());
        let hashes = hashes.unwrap_or_else(|| panic!("{threads} threads: {output:?}"));
        let (parallel, single) = hashes.split_once(' ').expect("two hashes");
        assert_eq!(parallel, single, "{threads} threads: both executors");
        parallel.to_owned()
    };
    let expected = run(1);
    for threads in [2, 4, 8] {
        assert_eq!(run(threads), expected, "{threads} threads");
    }
}
