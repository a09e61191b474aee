//! Runs without any rendering code, and the frame loop that pictures share.

use bevy_app::{App, PluginsState, Startup, TaskPoolPlugin};
use bevy_asset::AssetPlugin;
use bevy_ecs::prelude::*;
use bevy_log::LogPlugin;
use bevy_mesh::MeshPlugin;
use bevy_sinew::SinewPlugins;
use bevy_time::{Fixed, Time, TimePlugin, TimeUpdateStrategy};
use bevy_transform::TransformPlugin;
use std::time::{Duration, Instant};

use crate::error::RunError;
use crate::report::{PhaseClock, PhaseClockPlugin, Report};
use crate::scene::{ExampleScene, SetupScene};

/// How long bodies may take to be made from their meshes, s.
const READY_WITHIN: u64 = 120;

/// Simulates `frames` frames without touching an adapter.
pub fn run(scene: &ExampleScene, frames: u32) -> Result<Report, RunError> {
    let mut app = App::new();
    app.add_plugins((
        LogPlugin::default(),
        TaskPoolPlugin::default(),
        TimePlugin,
        TransformPlugin,
        AssetPlugin::default(),
        MeshPlugin,
    ));
    add_scene(&mut app, scene);
    run_frames(&mut app, scene, frames, |_app, _frame| Ok(()))
}

/// Adds Sinew, the scene, its fixed rate and the clock of the report to an app that has its engine plugins.
pub fn add_scene(app: &mut App, scene: &ExampleScene) {
    app.add_plugins((SinewPlugins, PhaseClockPlugin))
        .insert_resource(Time::<Fixed>::from_hz(scene.fixed_hz))
        .init_schedule(SetupScene)
        .add_systems(Startup, |world: &mut World| world.run_schedule(SetupScene));
    (scene.build)(app);
}

/// Waits for the bodies, then steps frame by frame and calls `on_frame` after each: with 0 for the set-up, before any
/// tick, and up to `frames`. Simulated time depends on nothing but the number of frames.
pub fn run_frames(
    app: &mut App,
    scene: &ExampleScene,
    frames: u32,
    mut on_frame: impl FnMut(&mut App, u32) -> Result<(), RunError>,
) -> Result<Report, RunError> {
    while app.plugins_state() == PluginsState::Adding {
        std::thread::yield_now();
    }
    app.finish();
    app.cleanup();
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(0));
    let start = Instant::now();
    app.update();
    while !(scene.ready)(app.world_mut()) {
        if start.elapsed().as_secs() >= READY_WITHIN {
            return Err(RunError::NeverReady { scene: scene.name, seconds: READY_WITHIN });
        }
        std::thread::sleep(Duration::from_millis(1));
        app.update();
    }
    on_frame(app, 0)?;
    for frame in 1..=frames {
        app.insert_resource(TimeUpdateStrategy::FixedTimesteps(scene.ticks_per_frame));
        app.update();
        app.insert_resource(TimeUpdateStrategy::FixedTimesteps(0));
        on_frame(app, frame)?;
    }
    Ok(measure(app.world_mut(), scene))
}

/// Probes the scene and joins it with the clock's times.
pub fn measure(world: &mut World, scene: &ExampleScene) -> Report {
    let probe = (scene.probe)(world);
    Report::new(scene.name, probe, world.get_resource_or_init::<PhaseClock>().as_ref())
}
