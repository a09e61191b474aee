//! A run in a window: orbit camera, keys, sliders, gizmos.

use bevy::input::mouse::{AccumulatedMouseScroll, MouseScrollUnit};
use bevy::picking::hover::Hovered;
use bevy::prelude::*;
use std::path::PathBuf;
use std::sync::{Arc, Mutex};

use crate::error::RunError;
use crate::headless::{add_scene, measure};
use crate::panel::{Panel, PanelPlugin, StatusLine};
use crate::report::PhaseClock;
use crate::scene::{ExampleScene, View, reset_scene};
use crate::stage::{StagePlugin, camera};

/// Turn of the camera per pixel of mouse movement, rad.
const ORBIT_SPEED: f32 = 0.006;
/// Change of the logarithm of the distance per notch of the wheel.
const ZOOM_SPEED: f32 = 0.12;
/// Pixels of a touchpad's scroll that count as one notch.
const PIXELS_PER_NOTCH: f32 = 40.0;
/// Greatest height angle, just short of straight down, where the heading is lost.
const STEEPEST: f32 = 1.5;
/// Closest and farthest camera, m.
const DISTANCES: (f32, f32) = (0.2, 200.0);

/// The scene that the window shows, its length and where its report goes.
#[derive(Resource)]
struct Run {
    scene: ExampleScene,
    frames: Option<u32>,
    report: Option<PathBuf>,
    shown: u32,
    /// Bevy's window loop keeps the app, so an error goes out by this door.
    failure: Arc<Mutex<Option<RunError>>>,
}

/// Opens a window and runs until it is closed, or for `frames` frames. The report is written when the run ends.
pub fn run(
    scene: &ExampleScene,
    frames: Option<u32>,
    report: Option<PathBuf>,
) -> Result<(), RunError> {
    let failure = Arc::new(Mutex::new(None));
    let mut app = App::new();
    let window = Window {
        title: format!("Sinew: {}", scene.name),
        resolution: (1280, 720).into(),
        ..default()
    };
    app.add_plugins(
        DefaultPlugins.set(WindowPlugin { primary_window: Some(window), ..default() }),
    )
    .add_plugins((
        StagePlugin { view: scene.view },
        PanelPlugin {
            knobs: scene.knobs,
            help: format!(
                "{}\ndrag: turn   right drag: move   wheel: zoom\nspace: pause   N: one tick   R: reset   G: gizmos   Esc: end",
                scene.about
            ),
        },
    ))
    .insert_resource(Run { scene: *scene, frames, report, shown: 0, failure: failure.clone() });
    add_scene(&mut app, scene);
    let view = scene.view;
    app.add_systems(Startup, move |mut commands: Commands| {
        commands.spawn(camera(view));
    })
    .add_systems(PreUpdate, keys)
    .add_systems(Update, (orbit, show_status))
    .add_systems(Last, end_run);
    app.run();
    match failure.lock().map(|mut failure| failure.take()) {
        Ok(Some(error)) => Err(error),
        _ => Ok(()),
    }
}

fn keys(
    input: Res<ButtonInput<KeyCode>>,
    mut commands: Commands,
    mut clock: ResMut<Time<Virtual>>,
    mut fixed: ResMut<Time<Fixed>>,
    mut gizmos: ResMut<GizmoConfigStore>,
    mut exit: MessageWriter<AppExit>,
) {
    if input.just_pressed(KeyCode::Space) {
        clock.toggle();
    }
    if input.just_pressed(KeyCode::KeyN) {
        clock.pause();
        // The fixed loop of this frame spends it on exactly one tick.
        let (tick, left) = (fixed.timestep(), fixed.overstep());
        fixed.accumulate_overstep(tick.saturating_sub(left));
    }
    if input.just_pressed(KeyCode::KeyR) {
        commands.queue(|world: &mut World| {
            reset_scene(world);
            world.insert_resource(PhaseClock::default());
        });
    }
    if input.just_pressed(KeyCode::KeyG) {
        for (_, config, _) in gizmos.iter_mut() {
            config.enabled = !config.enabled;
        }
    }
    if input.just_pressed(KeyCode::Escape) {
        exit.write(AppExit::Success);
    }
}

fn orbit(
    buttons: Res<ButtonInput<MouseButton>>,
    mut moves: MessageReader<CursorMoved>,
    scroll: Res<AccumulatedMouseScroll>,
    panels: Query<&Hovered, With<Panel>>,
    mut held: Local<Option<MouseButton>>,
    mut cameras: Query<(&mut View, &mut Transform)>,
) {
    // The cursor's way, not the device's: that one is missing over remote desktops.
    let motion: Vec2 = moves.read().filter_map(|moved| moved.delta).sum();
    let over_panel = panels.iter().any(Hovered::get);
    for button in [MouseButton::Left, MouseButton::Right] {
        // A drag that starts on a slider belongs to the slider, wherever it goes.
        if buttons.just_pressed(button) && !over_panel {
            *held = Some(button);
        }
        if *held == Some(button) && !buttons.pressed(button) {
            *held = None;
        }
    }
    let notches = match scroll.unit {
        MouseScrollUnit::Line => scroll.delta.y,
        MouseScrollUnit::Pixel => scroll.delta.y / PIXELS_PER_NOTCH,
    };
    for (mut view, mut place) in &mut cameras {
        let mut next = *view;
        match *held {
            Some(MouseButton::Left) => {
                next.yaw -= motion.x * ORBIT_SPEED;
                next.pitch = (next.pitch + motion.y * ORBIT_SPEED).clamp(-STEEPEST, STEEPEST);
            }
            Some(_) => {
                let metres_per_pixel = next.distance * 0.001;
                next.target +=
                    (place.up() * motion.y - place.right() * motion.x) * metres_per_pixel;
            }
            None => {}
        }
        next.distance =
            (next.distance * (-ZOOM_SPEED * notches).exp()).clamp(DISTANCES.0, DISTANCES.1);
        if next != *view {
            *view = next;
            *place = next.transform();
        }
    }
}

fn show_status(
    clock: Res<PhaseClock>,
    time: Res<Time<Virtual>>,
    mut lines: Query<&mut Text, With<StatusLine>>,
) {
    let state = if time.is_paused() { "paused" } else { "running" };
    let line = format!("tick {}, {:.2} ms per tick, {state}", clock.ticks, clock.mean_total());
    for mut shown in &mut lines {
        if shown.0 != line {
            shown.0.clone_from(&line);
        }
    }
}

/// Ends the run after its frames, and writes the report of a run that ends.
fn end_run(world: &mut World) {
    let mut run = world.resource_mut::<Run>();
    run.shown += 1;
    if run.frames.is_some_and(|frames| run.shown > frames) {
        world.write_message(AppExit::Success);
    }
    if world.resource::<Messages<AppExit>>().is_empty() {
        return;
    }
    // Only once: the window may need more than one frame to close.
    let mut run = world.resource_mut::<Run>();
    let (scene, path, failure) = (run.scene, run.report.take(), run.failure.clone());
    if let Some(path) = path {
        let written = measure(world, &scene).write(&path);
        if let (Err(error), Ok(mut failure)) = (written, failure.lock()) {
            *failure = Some(error);
        }
    }
}
