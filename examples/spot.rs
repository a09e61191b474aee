//! A model from a file becomes a body: a cow falls, deforms towards its three example poses, and springs back.

use bevy_app::App;
use bevy_asset::{Assets, RenderAssetUsages};
use bevy_ecs::prelude::*;
use bevy_math::{EulerRot, Quat, Vec3};
use bevy_mesh::{Indices, Mesh, Mesh3d, PrimitiveTopology};
use bevy_sinew::prelude::*;
use bevy_transform::components::Transform;
use common::{ExampleScene, MATERIAL_KNOBS, Paint, SceneEntity, SetupScene, View};
use sinew_elastic::Deformer;
use sinew_elastic::mesh::import::{Format, surface_from_bytes};
use std::process::ExitCode;

fn main() -> ExitCode {
    common::run(ExampleScene {
        name: "spot",
        about: "a cow of about 1,000 particles with three example poses: twisted, bent, squashed",
        fixed_hz: 60.0,
        ticks_per_frame: 1,
        frames: 240,
        view: View { target: Vec3::new(0.0, 0.8, 0.0), distance: 4.2, yaw: 2.2, pitch: 0.2 },
        build: |app: &mut App| {
            app.add_plugins(SinewPlugins).add_systems(SetupScene, setup);
        },
        ready: common::bodies_are_ready,
        probe: common::probe_bodies,
        knobs: MATERIAL_KNOBS,
    })
}

fn setup(mut commands: Commands, mut meshes: ResMut<Assets<Mesh>>) -> Result {
    commands.spawn((
        SceneEntity,
        Mesh3d(meshes.add(common::tiled_ground(16, 0.5))),
        Paint::rgb(0.55, 0.68, 0.50),
        BodyCollider::plane().with_restitution(0.4),
    ));
    commands.spawn((
        SceneEntity,
        Name::new("spot"),
        Mesh3d(meshes.add(cow()?)),
        Paint::rgb(0.93, 0.87, 0.78),
        DeformableMesh::lattice(1_000),
        ElasticMaterial { elastic_hz: 25.0, example_hz: 4.0, damping: 3.0, ..Default::default() },
        // The cow's spine is its z axis.
        MeshExamples::new()
            .with("twisted", Deformer::twist(Vec3::Z, 1.5))
            .with(
                "bent",
                Deformer::Bend { axis: Vec3::Z, towards: Vec3::X, radians_per_metre: 1.0 },
            )
            .with("squashed", Deformer::Squash { axis: Vec3::Y, factor: 0.7 }),
        Transform::from_xyz(0.0, 2.6, 0.0).with_rotation(Quat::from_euler(
            EulerRot::XYZ,
            0.5,
            0.0,
            0.5,
        )),
    ));
    Ok(())
}

/// The cow's mesh. A game would load a glTF file by Bevy's asset server instead.
fn cow() -> Result<Mesh> {
    let surface = surface_from_bytes(Format::Obj, include_bytes!("assets/ods_spot_low.obj"))?;
    let indices = surface.triangles.into_iter().flatten().collect();
    Ok(Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, surface.positions)
        .with_inserted_indices(Indices::U32(indices))
        .with_computed_smooth_normals())
}
