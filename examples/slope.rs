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

fn main() -> ExitCode {
    common::run(ExampleScene {
        name: "slope",
        about: "blue: with a twisted example pose; green: with one like an S",
        frames: 300,
        view: View { target: Vec3::new(0.0, 1.1, 0.0), distance: 7.2, yaw: -1.2, pitch: 0.3 },
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
    let twist = Deformer::twist(Vec3::Y, 2.2);
    let s_shape = Deformer::s_shape(Vec3::Y, Vec3::Z, 2.2);
    for (name, deformer, paint) in [
        ("twist", twist, Paint::rgb(0.25, 0.55, 0.85)),
        ("S", s_shape, Paint::rgb(0.40, 0.72, 0.35)),
    ] {
        // Lower as well, so that a blow from above is answered by the pose.
        let example = ExampleSet::new().with(name, Deformer::squash(Vec3::Y, 0.8).then(deformer));
        for i in 0..5u8 {
            let across = f32::from(i) - 2.0;
            let row = if (i % 2 == 0) == (name == "twist") { 0.0 } else { 1.0 };
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
                Transform::from_xyz(-2.2 + 1.8 * row, 3.2 + 0.25 * f32::from(i), 1.1 * across),
            ));
        }
    }
    Ok(())
}
