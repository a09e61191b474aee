//! A model from a file becomes a body: a cow falls, deforms towards its three example poses, and springs back.

use bevy_app::App;
use bevy_asset::Assets;
use bevy_ecs::prelude::*;
use bevy_math::{EulerRot, Quat, Vec3};
use bevy_mesh::{Mesh, Mesh3d};
use bevy_sinew::prelude::*;
use bevy_transform::components::Transform;
use common::{ExampleScene, Paint, SceneEntity, SetupScene, View};
use sinew_elastic::mesh::import::{Format, surface_from_bytes};
use std::process::ExitCode;

fn main() -> ExitCode {
    common::run(ExampleScene {
        name: "spot",
        about: "a cow of about 1,000 particles with three example poses: twisted, bent, squashed",
        view: View { target: Vec3::new(0.0, 0.65, 0.0), distance: 3.4, yaw: 2.2, pitch: 0.2 },
        build: |app: &mut App| {
            app.add_systems(SetupScene, setup);
        },
        ..ExampleScene::GAME
    })
}

fn setup(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>) -> Result {
    commands.spawn((
        common::floor(&mut meshes, 10, Paint::rgb(0.55, 0.68, 0.50)),
        BodyCollider::plane().with_restitution(0.4),
    ));
    let turned = Quat::from_euler(EulerRot::XYZ, 0.5, 0.0, 0.5);
    commands.spawn((
        SceneEntity,
        Name::new("spot"),
        Mesh3d(meshes.add(cow()?)),
        Paint::rgb(0.82, 0.70, 0.58),
        DeformableMesh::lattice(1_000),
        ElasticMaterial { elastic_hz: 25.0, example_hz: 4.0, damping: 3.0, ..Default::default() },
        // The cow's spine is its z axis.
        ExampleSet::new()
            .with("twisted", Deformer::twist(Vec3::Z, 1.5))
            .with("bent", Deformer::bend(Vec3::Z, Vec3::X, 1.0))
            .with("squashed", Deformer::squash(Vec3::Y, 0.7)),
        Transform::from_xyz(0.0, 2.6, 0.0).with_rotation(turned),
    ));
    Ok(())
}

/// The cow's mesh. A game would load a glTF file by Bevy's asset server instead.
fn cow() -> Result<Mesh> {
    let surface = surface_from_bytes(Format::Obj, include_bytes!("assets/ods_spot_low.obj"))?;
    Ok(mesh_from_surface(&surface))
}
