//! Pictures without a window, on any Vulkan, Metal or DirectX adapter; a software one will do.

use bevy::app::PluginGroup;
use bevy::asset::RenderAssetUsages;
use bevy::camera::RenderTarget;
use bevy::prelude::*;
use bevy::render::pipelined_rendering::PipelinedRenderingPlugin;
use bevy::render::render_resource::{PipelineCache, TextureFormat, TextureUsages};
use bevy::render::view::screenshot::{Screenshot, ScreenshotCaptured};
use bevy::render::{RenderApp, RenderPlugin};
use bevy::window::ExitCondition;
use bevy::winit::WinitPlugin;
use std::path::Path;

use crate::error::RunError;
use crate::headless::{add_scene, run_frames};
use crate::report::Report;
use crate::scene::ExampleScene;
use crate::stage::{StagePlugin, camera};

/// Width and height of the pictures, pixels.
const SIZE: (u32, u32) = (960, 540);
/// Renders before the first picture: meshes, shadow maps and pipelines are prepared in turn, one kind per render.
const WARM_UP: u32 = 4;
/// Renders to wait for a pipeline or a picture before giving up; each takes milliseconds at least.
const PATIENCE: u32 = 1_000;

/// The picture that the renderer sent back last.
#[derive(Resource, Default)]
struct Developed(Option<Image>);

/// Simulates `frames` frames and writes `pictures` of them to `folder`, which is there already.
pub fn run(
    scene: &ExampleScene,
    frames: u32,
    pictures: u32,
    folder: &Path,
) -> Result<Report, RunError> {
    if !adapter_exists() {
        return Err(RunError::NoAdapter);
    }
    let mut app = App::new();
    app.add_plugins(
        DefaultPlugins
            .set(WindowPlugin {
                primary_window: None,
                exit_condition: ExitCondition::DontExit,
                ..default()
            })
            .set(RenderPlugin { synchronous_pipeline_compilation: true, ..default() })
            .disable::<WinitPlugin>()
            // Without it, one update of the app is one render: no picture shows an older frame.
            .disable::<PipelinedRenderingPlugin>(),
    )
    .add_plugins(StagePlugin { view: scene.view })
    .init_resource::<Developed>();
    add_scene(&mut app, scene);

    let mut film = Image::new_target_texture(SIZE.0, SIZE.1, TextureFormat::Rgba8UnormSrgb, None);
    film.texture_descriptor.usage |= TextureUsages::COPY_SRC;
    film.asset_usage = RenderAssetUsages::RENDER_WORLD;
    let film = app.world_mut().resource_mut::<Assets<Image>>().add(film);
    let eye = app
        .world_mut()
        .spawn((
            camera(scene.view),
            Camera { is_active: false, ..default() },
            RenderTarget::Image(film.clone().into()),
        ))
        .id();

    let studio = Studio { eye, film };
    let chosen = picture_frames(frames, pictures);
    let mut taken = 0;
    run_frames(&mut app, scene, frames, |app, frame| {
        if chosen.contains(&frame) {
            if taken == 0 {
                studio.warm_up(app);
            }
            let path = folder.join(format!("frame_{taken:04}.png"));
            save(studio.take_picture(app, frame)?, frame, &path)?;
            taken += 1;
        }
        Ok(())
    })
}

/// Tells whether any adapter, hardware or software, can be used here.
pub fn adapter_exists() -> bool {
    let instance =
        wgpu::Instance::new(wgpu::InstanceDescriptor::new_without_display_handle_from_env());
    bevy::tasks::block_on(instance.request_adapter(&wgpu::RequestAdapterOptions::default())).is_ok()
}

/// The frames to draw: `pictures` of 0..=`frames`, evenly spread, first and last among them, none twice.
fn picture_frames(frames: u32, pictures: u32) -> Vec<u32> {
    let gaps = u64::from(pictures.saturating_sub(1).max(1));
    let mut chosen: Vec<u32> = (0..u64::from(pictures))
        .filter_map(|picture| u32::try_from((picture * u64::from(frames) + gaps / 2) / gaps).ok())
        .collect();
    chosen.dedup();
    chosen
}

/// The camera and the image that it draws on. The camera is off except for the renders that make a picture: the others
/// would only cost time, about a second each on a software adapter.
struct Studio {
    eye: Entity,
    film: Handle<Image>,
}

impl Studio {
    /// Renders the world as it stands until all that a picture needs is on the adapter.
    fn warm_up(&self, app: &mut App) {
        self.set_active(app, true);
        for update in 0..PATIENCE {
            app.update();
            if update >= WARM_UP && pipelines_are_ready(app) {
                break;
            }
        }
    }

    /// Renders the world as it stands, once; the clock does not move.
    fn take_picture(&self, app: &mut App, frame: u32) -> Result<Image, RunError> {
        self.set_active(app, true);
        app.world_mut().spawn(Screenshot::image(self.film.clone())).observe(
            |picture: On<ScreenshotCaptured>, mut developed: ResMut<Developed>| {
                developed.0 = Some(picture.image.clone());
            },
        );
        for _ in 0..PATIENCE {
            app.update();
            // The first update drew it; the others bring it back from the adapter.
            self.set_active(app, false);
            if let Some(picture) = app.world_mut().resource_mut::<Developed>().0.take() {
                return Ok(picture);
            }
        }
        Err(RunError::NoPicture { frame })
    }

    fn set_active(&self, app: &mut App, active: bool) {
        if let Some(mut camera) = app.world_mut().get_mut::<Camera>(self.eye) {
            camera.is_active = active;
        }
    }
}

fn pipelines_are_ready(app: &App) -> bool {
    app.get_sub_app(RenderApp)
        .and_then(|render| render.world().get_resource::<PipelineCache>())
        .is_some_and(|cache| cache.waiting_pipelines().next().is_none())
}

fn save(picture: Image, frame: u32, path: &Path) -> Result<(), RunError> {
    let bad = |reason: String| RunError::BadPicture { frame, path: path.to_owned(), reason };
    let picture = picture.try_into_dynamic().map_err(|error| bad(error.to_string()))?.to_rgb8();
    picture.save(path).map_err(|error| bad(error.to_string()))
}

#[cfg(test)]
mod tests {
    use super::picture_frames;

    #[test]
    fn pictures_are_spread_evenly_from_the_first_to_the_last_frame() {
        assert_eq!(picture_frames(100, 5), [0, 25, 50, 75, 100]);
        assert_eq!(picture_frames(10, 4), [0, 3, 7, 10]);
    }

    #[test]
    fn no_frame_is_drawn_twice() {
        assert_eq!(picture_frames(2, 8), [0, 1, 2]);
        assert_eq!(picture_frames(0, 3), [0]);
        assert_eq!(picture_frames(7, 1), [0]);
        assert!(picture_frames(7, 0).is_empty());
    }
}
