//! What an example describes, and the few components that its entities carry.

use bevy_app::App;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::ScheduleLabel;
use bevy_math::{EulerRot, Quat, Vec3};
use bevy_transform::components::Transform;

use crate::bodies::{MATERIAL_KNOBS, bodies_are_ready, probe_bodies};
use crate::report::Probe;

/// One example: how its world is set up, seen, stepped and measured. Start from [`ExampleScene::PAPER`] or
/// [`ExampleScene::GAME`].
#[derive(Clone, Copy)]
pub struct ExampleScene {
    /// Name in the report and in the window's title.
    pub name: &'static str,
    /// One line about what is to be seen.
    pub about: &'static str,
    /// Ticks per simulated second.
    pub fixed_hz: f64,
    /// Ticks between two frames of a run without window; `fixed_hz / ticks_per_frame` frames make a simulated second.
    pub ticks_per_frame: u32,
    /// Frames of a run without window when `--frames` is absent.
    pub frames: u32,
    /// Where the camera stands. The light comes from over its shoulder.
    pub view: View,
    /// Adds the scene's systems: those that spawn go to [`SetupScene`].
    pub build: fn(&mut App),
    /// Tells whether all bodies are made and drawn. The clock stands still until then.
    pub ready: fn(&mut World) -> bool,
    /// Measures the bodies for the report.
    pub probe: fn(&mut World) -> Probe,
    /// What the window's sliders change.
    pub knobs: &'static [Knob],
}

impl ExampleScene {
    /// As games have it: a tick a frame, 60 a second.
    pub const GAME: Self = Self {
        name: "",
        about: "",
        fixed_hz: 60.0,
        ticks_per_frame: 1,
        frames: 240,
        view: View { target: Vec3::new(0.0, 0.5, 0.0), distance: 5.0, yaw: 0.5, pitch: 0.3 },
        build: |_| {},
        ready: bodies_are_ready,
        probe: probe_bodies,
        knobs: MATERIAL_KNOBS,
    };

    /// As in the paper: five ticks a frame, 300 a second.
    pub const PAPER: Self = Self { fixed_hz: 300.0, ticks_per_frame: 5, ..Self::GAME };
}

/// Schedule in which a scene spawns its entities: once at start, and again at each reset.
#[derive(ScheduleLabel, Debug, Clone, PartialEq, Eq, Hash)]
pub struct SetupScene;

/// Marks an entity that the scene spawned, so that a reset can despawn it (with its children).
#[derive(Component, Debug, Default, Clone, Copy)]
pub struct SceneEntity;

/// Colour of a mesh, which becomes a material where there is a renderer and stays plain data where there is none.
#[derive(Component, Debug, Clone, Copy, PartialEq)]
pub struct Paint {
    /// sRGB red, green and blue, 0..1.
    pub srgb: [f32; 3],
    /// 0 for a mirror, 1 for chalk.
    pub roughness: f32,
}

impl Paint {
    /// A fairly dull surface of the given sRGB colour.
    pub const fn rgb(red: f32, green: f32, blue: f32) -> Self {
        Self { srgb: [red, green, blue], roughness: 0.6 }
    }
}

/// A slider of the window: a number of the scene that can be read and set at any time.
#[derive(Debug, Clone, Copy)]
pub struct Knob {
    /// Label, with the unit.
    pub label: &'static str,
    /// Smallest and greatest value.
    pub range: (f32, f32),
    /// Reads the number; `None` while nothing carries it.
    pub get: fn(&mut World) -> Option<f32>,
    /// Sets the number on everything that carries it.
    pub set: fn(&mut World, f32),
}

/// A camera that looks at a point from a distance and can be led around it. World space, metres and radians.
#[derive(Component, Debug, Clone, Copy, PartialEq)]
pub struct View {
    /// The point looked at.
    pub target: Vec3,
    /// From the camera to the target.
    pub distance: f32,
    /// Angle about the y axis; 0 looks along -z.
    pub yaw: f32,
    /// Height angle; positive looks down.
    pub pitch: f32,
}

impl View {
    /// Place of the camera.
    pub fn transform(&self) -> Transform {
        let rotation = Quat::from_euler(EulerRot::YXZ, self.yaw, -self.pitch, 0.0);
        Transform {
            translation: self.target + rotation * Vec3::Z * self.distance,
            rotation,
            scale: Vec3::ONE,
        }
    }
}

/// Despawns what the scene spawned and sets it up anew.
pub fn reset_scene(world: &mut World) {
    let mut spawned = world.query_filtered::<Entity, With<SceneEntity>>();
    for entity in spawned.iter(world).collect::<Vec<_>>() {
        // A child of a scene entity may be gone with its parent.
        if let Ok(entity) = world.get_entity_mut(entity) {
            entity.despawn();
        }
    }
    world.run_schedule(SetupScene);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_camera_looks_at_its_target_from_its_distance() {
        let view = View { target: Vec3::new(1.0, 2.0, 3.0), distance: 4.0, yaw: 0.7, pitch: 0.4 };
        let place = view.transform();
        let to_target = view.target - place.translation;
        assert!((to_target.length() - 4.0).abs() < 1e-5);
        assert!(to_target.normalize().dot(*place.forward()) > 1.0 - 1e-6);
        assert!(place.translation.y > view.target.y, "a positive pitch looks down");
    }

    #[test]
    fn a_reset_replaces_what_the_scene_spawned_and_nothing_else() {
        let mut app = App::new();
        app.init_schedule(SetupScene).add_systems(SetupScene, |mut commands: Commands| {
            commands.spawn(SceneEntity);
        });
        let stranger = app.world_mut().spawn_empty().id();
        app.world_mut().run_schedule(SetupScene);
        let mut spawned = app.world_mut().query_filtered::<Entity, With<SceneEntity>>();
        let before: Vec<_> = spawned.iter(app.world()).collect();
        reset_scene(app.world_mut());
        let after: Vec<_> = spawned.iter(app.world()).collect();
        assert_eq!((before.len(), after.len()), (1, 1));
        assert_ne!(before, after);
        assert!(app.world().get_entity(stranger).is_ok());
    }
}
