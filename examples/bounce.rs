//! Figure 1 of the paper: a plain cuboid and one with a twisted example pose drop on the floor. Both are squashed by the
//! landing; the second one twists as it is, and untwists when it springs back.

use bevy_app::App;
use bevy_asset::Assets;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_mesh::{Mesh, Mesh3d};
use bevy_sinew::prelude::*;
use bevy_transform::components::Transform;
use common::tetra::{TetraPlugin, TetraSkin, paper_cuboid};
use common::{ExampleScene, MATERIAL_KNOBS, Paint, SceneEntity, SetupScene, View};
use sinew_elastic::{Deformer, ExampleBasis, ExamplePose};
use std::process::ExitCode;
use std::sync::Arc;

fn main() -> ExitCode {
    common::run(ExampleScene {
        name: "bounce",
        about: "left: without examples; right: with a twisted example pose",
        fixed_hz: 300.0,
        ticks_per_frame: 5,
        frames: 180,
        view: View { target: Vec3::new(0.0, 0.85, 0.0), distance: 4.6, yaw: 0.35, pitch: 0.2 },
        build: |app: &mut App| {
            app.add_plugins((SinewPlugins, TetraPlugin)).add_systems(SetupScene, setup);
        },
        ready: common::bodies_are_ready,
        probe: common::probe_bodies,
        knobs: MATERIAL_KNOBS,
    })
}

fn setup(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>) -> Result {
    commands.spawn((
        SceneEntity,
        Mesh3d(meshes.add(common::tiled_ground(12, 0.5))),
        Paint::rgb(0.62, 0.66, 0.62),
        BodyCollider::plane().with_restitution(0.6).with_friction(1.0),
    ));

    let (tetra, shape) = paper_cuboid()?;
    // Lower, and twisted: so a blow from above is answered by a twist.
    let (squash, twist) = (Vec3::new(1.0, 0.8, 1.0), Deformer::twist(Vec3::Y, 2.2));
    let twisted = ExamplePose::from_fn("twisted", &shape, |point| twist.deform(squash * point));
    let examples = ExampleSet::new(Arc::new(ExampleBasis::new(&shape, &[twisted])?));

    let skin = TetraSkin::new(&tetra, &shape);
    let material =
        ElasticMaterial { elastic_hz: 15.2, example_hz: 1.6, damping: 9.1, ..Default::default() };
    let shared = (SceneEntity, DeformableBody::new(shape), material);
    commands.spawn((
        shared.clone(),
        Name::new("plain"),
        skin.clone(),
        Mesh3d(meshes.add(skin.mesh())),
        Paint::rgb(0.90, 0.62, 0.25),
        Transform::from_xyz(-0.8, 2.7, 0.0),
    ));
    commands.spawn((
        shared,
        Name::new("with a twist"),
        examples,
        Mesh3d(meshes.add(skin.mesh())),
        skin,
        Paint::rgb(0.25, 0.55, 0.85),
        Transform::from_xyz(0.8, 2.7, 0.0),
    ));
    Ok(())
}
