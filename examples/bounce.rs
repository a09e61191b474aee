//! Figure 1 of the paper: a plain cuboid and one with a twisted example pose drop on the floor. Both are squashed by the
//! landing; the second one twists as it is, and untwists when it springs back.

use bevy_app::App;
use bevy_asset::Assets;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_mesh::Mesh;
use bevy_sinew::prelude::*;
use bevy_transform::components::Transform;
use common::{ExampleScene, Paint, PaperCuboid, SetupScene, View};
use std::process::ExitCode;

fn main() -> ExitCode {
    common::run(ExampleScene {
        name: "bounce",
        about: "left: without examples; right: with a twisted example pose",
        frames: 180,
        view: View { target: Vec3::new(0.0, 0.85, 0.0), distance: 3.9, yaw: 0.35, pitch: 0.2 },
        build: |app: &mut App| {
            app.add_systems(SetupScene, setup);
        },
        ..ExampleScene::PAPER
    })
}

fn setup(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>) -> Result {
    commands.spawn((
        common::floor(&mut meshes, 8, Paint::rgb(0.62, 0.66, 0.62)),
        BodyCollider::plane().with_restitution(0.6).with_friction(1.0),
    ));
    let cuboid = PaperCuboid::new(&mut meshes)?;
    let material =
        ElasticMaterial { elastic_hz: 15.2, example_hz: 1.6, damping: 9.1, ..Default::default() };
    commands.spawn((
        cuboid.body(),
        material,
        Name::new("plain"),
        Paint::rgb(0.90, 0.62, 0.25),
        Transform::from_xyz(-0.8, 2.7, 0.0),
    ));
    commands.spawn((
        cuboid.body(),
        material,
        // Lower as well, so that a blow from above is answered by a twist.
        ExampleSet::new()
            .with("twisted", Deformer::squash(Vec3::Y, 0.8).then(Deformer::twist(Vec3::Y, 2.2))),
        Name::new("with a twist"),
        Paint::rgb(0.25, 0.55, 0.85),
        Transform::from_xyz(0.8, 2.7, 0.0),
    ));
    Ok(())
}
