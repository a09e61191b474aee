//! Figure 8 of the paper: ten cuboids of 225 particles each fall on a slope, slide and tumble against a wall. Five of them
//! prefer to twist, five to bend to an S.

use bevy_app::App;
use bevy_asset::Assets;
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_mesh::Mesh;
use bevy_sinew::prelude::*;
use bevy_transform::components::Transform;
use common::{ExampleScene, Paint, PaperCuboid, SetupScene, View};
use std::f32::consts::FRAC_PI_2;
use std::process::ExitCode;

/// How steep the floor is, rad.
const SLOPE: f32 = 0.3;
/// How far the first cuboids fall, m.
const DROP: f32 = 2.0;

fn main() -> ExitCode {
    common::run(ExampleScene {
        name: "slope",
        about: "blue: with a twisted example pose; green: with one like an S",
        frames: 300,
        view: View { target: Vec3::new(-0.6, 0.7, 0.0), distance: 6.2, yaw: -1.4, pitch: 0.5 },
        build: |app: &mut App| {
            app.add_systems(SetupScene, setup);
        },
        ..ExampleScene::PAPER
    })
}

fn setup(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>) -> Result {
    // The floor goes down towards +x, where the wall stands.
    for (paint, place) in [
        (Paint::rgb(0.62, 0.66, 0.62), Transform::from_rotation(Quat::from_rotation_z(-SLOPE))),
        (
            Paint::rgb(0.70, 0.66, 0.60),
            Transform::from_xyz(3.0, 0.0, 0.0).with_rotation(Quat::from_rotation_z(FRAC_PI_2)),
        ),
    ] {
        let collider = BodyCollider::plane().with_restitution(0.4).with_friction(0.25);
        commands.spawn((common::floor(&mut meshes, 12, paint), collider, place));
    }

    let cuboid = PaperCuboid::new(&mut meshes)?;
    // Lower as well, so that a blow from above is answered by the pose.
    let twist = Deformer::squash(Vec3::Y, 0.8).then(Deformer::twist(Vec3::Y, 2.2));
    // One wave on the cuboid's length: its ends stay flat and one above the other, so that it lands on one of them.
    let wave = Deformer::wave(Vec3::Y, Vec3::Z, 0.22, PaperCuboid::HEIGHT);
    let s_shape = wave.then(Deformer::squash(Vec3::Y, 0.75));
    for (name, deformer, paint) in [
        ("twist", twist, Paint::rgb(0.25, 0.55, 0.85)),
        ("S", s_shape, Paint::rgb(0.40, 0.72, 0.35)),
    ] {
        let example = ExampleSet::new().with(name, deformer);
        for i in 0..5u8 {
            let row = if (i % 2 == 0) == (name == "twist") { 0.0 } else { 1.0 };
            let (downhill, across) = (-2.2 + 2.0 * row, 1.25 * (f32::from(i) - 2.1 + 0.2 * row));
            let floor = -downhill * SLOPE.tan();
            let height = floor + 0.5 * PaperCuboid::HEIGHT + DROP + 0.1 * f32::from(i);
            commands.spawn((
                cuboid.body(),
                ElasticMaterial {
                    elastic_hz: 15.2,
                    example_hz: 1.07,
                    damping: 9.1,
                    ..Default::default()
                },
                example.clone(),
                Name::new(format!("{name} {i}")),
                paint,
                Transform::from_xyz(downhill, height, across),
            ));
        }
    }
    Ok(())
}
