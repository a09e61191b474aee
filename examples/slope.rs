//! Figure 8 of the paper: ten cuboids of 225 particles each fall on a slope, slide and tumble against a wall. Five of them
//! prefer to twist, five to bend to an S.

use bevy_app::App;
use bevy_asset::Assets;
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_mesh::{Mesh, Mesh3d};
use bevy_sinew::prelude::*;
use bevy_transform::components::Transform;
use common::tetra::{TetraPlugin, TetraSkin, paper_cuboid};
use common::{ExampleScene, MATERIAL_KNOBS, Paint, SceneEntity, SetupScene, View};
use sinew_elastic::{Deformer, ExampleBasis, ExamplePose};
use std::f32::consts::FRAC_PI_2;
use std::process::ExitCode;
use std::sync::Arc;

/// How steep the floor is, rad.
const SLOPE: f32 = 0.3;

fn main() -> ExitCode {
    common::run(ExampleScene {
        name: "slope",
        about: "blue: with a twisted example pose; green: with one like an S",
        fixed_hz: 300.0,
        ticks_per_frame: 5,
        frames: 300,
        view: View { target: Vec3::new(0.2, 1.0, 0.0), distance: 9.0, yaw: -0.45, pitch: 0.38 },
        build: |app: &mut App| {
            app.add_plugins((SinewPlugins, TetraPlugin)).add_systems(SetupScene, setup);
        },
        ready: common::bodies_are_ready,
        probe: common::probe_bodies,
        knobs: MATERIAL_KNOBS,
    })
}

fn setup(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>) -> Result {
    let ground = meshes.add(common::tiled_ground(12, 1.0));
    for (paint, place) in [
        // The floor goes down towards +x, where the wall stands.
        (Paint::rgb(0.62, 0.66, 0.62), Transform::from_rotation(Quat::from_rotation_z(-SLOPE))),
        (
            Paint::rgb(0.70, 0.66, 0.60),
            Transform::from_xyz(3.0, 0.0, 0.0).with_rotation(Quat::from_rotation_z(FRAC_PI_2)),
        ),
    ] {
        commands.spawn((
            SceneEntity,
            Mesh3d(ground.clone()),
            paint,
            place,
            BodyCollider::plane().with_restitution(0.4).with_friction(0.25),
        ));
    }

    let (tetra, shape) = paper_cuboid()?;
    let skin = TetraSkin::new(&tetra, &shape);
    let material =
        ElasticMaterial { elastic_hz: 15.2, example_hz: 1.07, damping: 9.1, ..Default::default() };
    let twist = Deformer::twist(Vec3::Y, 2.2);
    let s_shape = Deformer::SShape { axis: Vec3::Y, towards: Vec3::X, radians_per_metre: 2.2 };
    for (name, deformer, paint) in [
        ("twist", twist, Paint::rgb(0.25, 0.55, 0.85)),
        ("S", s_shape, Paint::rgb(0.40, 0.72, 0.35)),
    ] {
        // Lower as well, so that a blow from above is answered by the pose.
        let squash = Vec3::new(1.0, 0.8, 1.0);
        let pose = ExamplePose::from_fn(name, &shape, |point| deformer.deform(squash * point));
        let examples = ExampleSet::new(Arc::new(ExampleBasis::new(&shape, &[pose])?));
        for i in 0..5u8 {
            let across = f32::from(i) - 2.0;
            let row = if (i % 2 == 0) == (name == "twist") { 0.0 } else { 1.0 };
            commands.spawn((
                SceneEntity,
                Name::new(format!("{name} {i}")),
                DeformableBody::new(shape.clone()),
                material,
                examples.clone(),
                skin.clone(),
                Mesh3d(meshes.add(skin.mesh())),
                paint,
                Transform::from_xyz(-2.2 + 1.8 * row, 3.2 + 0.25 * f32::from(i), 1.1 * across),
            ));
        }
    }
    Ok(())
}
