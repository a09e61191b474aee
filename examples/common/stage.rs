//! Camera, lights and materials, the same for the window and for pictures.

use bevy::core_pipeline::tonemapping::Tonemapping;
use bevy::light::CascadeShadowConfigBuilder;
use bevy::prelude::*;

use crate::scene::{Paint, View};

/// Background and haze, a pale blue-grey.
const SKY: Color = Color::srgb(0.80, 0.84, 0.88);

/// Lights the scene and gives every [`Paint`] its material. The camera is spawned by [`camera`].
#[derive(Debug, Clone, Copy)]
pub struct StagePlugin {
    /// Where the camera starts: the shadows are sized for its distance.
    pub view: View,
}

/// Direction that the key light comes from, seen from the camera's heading: over the left shoulder, so that what faces
/// the camera is lit, and shadows fall to the right and behind.
const KEY: Vec3 = Vec3::new(-0.75, 1.3, 1.0);
/// Direction of a weak light from the other side, without shadows, so that no side is black.
const FILL: Vec3 = Vec3::new(1.0, 0.5, 0.4);

impl Plugin for StagePlugin {
    fn build(&self, app: &mut App) {
        let View { distance: reach, yaw, .. } = self.view;
        let from = move |direction: Vec3| {
            Transform::from_translation(Quat::from_rotation_y(yaw) * direction)
                .looking_at(Vec3::ZERO, Vec3::Y)
        };
        app.insert_resource(ClearColor(SKY))
            .insert_resource(GlobalAmbientLight { brightness: 350.0, ..default() })
            .add_systems(Startup, move |mut commands: Commands| {
                commands.spawn((
                    DirectionalLight {
                        illuminance: 6_500.0,
                        shadow_maps_enabled: true,
                        ..default()
                    },
                    CascadeShadowConfigBuilder {
                        num_cascades: 2,
                        first_cascade_far_bound: 1.5 * reach,
                        maximum_distance: 6.0 * reach,
                        ..default()
                    }
                    .build(),
                    from(KEY),
                ));
                commands
                    .spawn((DirectionalLight { illuminance: 2_000.0, ..default() }, from(FILL)));
            })
            .add_systems(PostUpdate, paint);
    }
}

/// The components of the example's camera: it carries its [`View`], which the window's orbit control edits.
pub fn camera(view: View) -> impl Bundle {
    // The tone mapping that needs no look-up texture, so that the features which decode one can stay off.
    (Camera3d::default(), Tonemapping::AcesFitted, view, view.transform())
}

fn paint(
    mut commands: Commands,
    mut materials: ResMut<Assets<StandardMaterial>>,
    painted: Query<(Entity, &Paint), Changed<Paint>>,
) {
    for (entity, paint) in &painted {
        let [red, green, blue] = paint.srgb;
        let material = StandardMaterial {
            base_color: Color::srgb(red, green, blue),
            perceptual_roughness: paint.roughness,
            ..default()
        };
        commands.entity(entity).insert(MeshMaterial3d(materials.add(material)));
    }
}
