//! An app without window and renderer, and ways to look at its meshes.

use std::time::{Duration, Instant};

use bevy_app::prelude::*;
use bevy_asset::{AssetPlugin, Assets, Handle};
use bevy_camera::visibility::VisibilityPlugin;
use bevy_ecs::prelude::*;
use bevy_math::{Mat3, Vec3};
use bevy_mesh::{Mesh, Mesh3d, MeshPlugin, VertexAttributeValues};
use bevy_sinew_bodies::{BodiesPlugin, BodyGravity, BodySleep, BodyState, ElasticMaterial};
use bevy_sinew_mesh::{
    DeformableMesh, DeformableMeshPlugin, DeformedSurface, MeshFault, MeshInterpolation,
};
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::TransformPlugin;
use bevy_transform::components::{GlobalTransform, Transform};

/// Longest time that a build may take in a test.
const PATIENCE: Duration = Duration::from_secs(60);

/// An app in which each update is one tick.
pub fn app() -> App {
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin::default(),
        TimePlugin,
        TransformPlugin,
        AssetPlugin::default(),
        MeshPlugin,
        VisibilityPlugin,
        BodiesPlugin::default(),
        DeformableMeshPlugin,
    ));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app.finish();
    app.cleanup();
    app
}

/// The same without gravity.
pub fn weightless() -> App {
    let mut app = app();
    app.insert_resource(BodyGravity(Vec3::ZERO));
    app
}

pub fn add(app: &mut App, mesh: impl Into<Mesh>) -> Handle<Mesh> {
    app.world_mut().resource_mut::<Assets<Mesh>>().add(mesh.into())
}

/// Spawns a body that is drawn as it is simulated.
pub fn spawn(
    app: &mut App,
    mesh: &Handle<Mesh>,
    settings: DeformableMesh,
    transform: Transform,
) -> Entity {
    let bundle = (Mesh3d(mesh.clone()), settings, MeshInterpolation::LatestTick, transform);
    app.world_mut().spawn(bundle).id()
}

/// As [`spawn`], but the particles of the body fly freely: they stay where a test puts them.
pub fn spawn_loose(
    app: &mut App,
    mesh: &Handle<Mesh>,
    settings: DeformableMesh,
    transform: Transform,
) -> Entity {
    let entity = spawn(app, mesh, settings, transform);
    loosen(app, entity);
    entity
}

/// Lets the particles of a body fly freely.
pub fn loosen(app: &mut App, entity: Entity) {
    let material = ElasticMaterial { elastic_hz: 0.0, damping: 0.0, ..ElasticMaterial::default() };
    app.world_mut().entity_mut(entity).insert((material, BodySleep::never()));
}

/// Updates until the entity is a body, with its first tick done, or has a fault.
pub fn wait(app: &mut App, entity: Entity) {
    let start = Instant::now();
    loop {
        app.update();
        let entity = app.world().entity(entity);
        if entity.contains::<DeformedSurface>() || entity.contains::<MeshFault>() {
            return;
        }
        assert!(start.elapsed() < PATIENCE, "the body was not built in time");
        std::thread::sleep(Duration::from_millis(1));
    }
}

pub fn handle(app: &App, entity: Entity) -> Handle<Mesh> {
    app.world().get::<Mesh3d>(entity).unwrap().0.clone()
}

/// The mesh that an entity shows.
pub fn shown(app: &App, entity: Entity) -> &Mesh {
    app.world()
        .resource::<Assets<Mesh>>()
        .get(&app.world().get::<Mesh3d>(entity).unwrap().0)
        .unwrap()
}

pub fn positions(mesh: &Mesh) -> Vec<Vec3> {
    match mesh.attribute(Mesh::ATTRIBUTE_POSITION) {
        Some(VertexAttributeValues::Float32x3(values)) => {
            values.iter().map(|&p| p.into()).collect()
        }
        _ => Vec::new(),
    }
}

pub fn normals(mesh: &Mesh) -> Vec<Vec3> {
    match mesh.attribute(Mesh::ATTRIBUTE_NORMAL) {
        Some(VertexAttributeValues::Float32x3(values)) => {
            values.iter().map(|&p| p.into()).collect()
        }
        _ => Vec::new(),
    }
}

/// Vertices of an entity's mesh in the world, as they are drawn.
pub fn drawn(app: &App, entity: Entity) -> Vec<Vec3> {
    let world_from_mesh = app.world().get::<GlobalTransform>(entity).unwrap();
    positions(shown(app, entity)).iter().map(|&p| world_from_mesh.transform_point(p)).collect()
}

/// Puts every particle of a body where `map` takes it from where it is.
pub fn deform(app: &mut App, body: Entity, map: impl Fn(Vec3) -> Vec3) {
    let shape = app.world().get::<DeformedSurface>(body).unwrap().shape().clone();
    let mut state = app.world_mut().get_mut::<BodyState>(body).unwrap();
    let kernel = state.kernel_mut().unwrap();
    for i in 0..shape.particle_count() {
        let position = map(kernel.position(&shape, i).as_vec3());
        kernel.set_position(&shape, i, position.as_dvec3());
    }
}

/// Lets the particles of a body fly with these velocities, by no forces.
pub fn launch(app: &mut App, body: Entity, velocity: impl Fn(Vec3) -> Vec3) {
    let shape = app.world().get::<DeformedSurface>(body).unwrap().shape().clone();
    let mut state = app.world_mut().get_mut::<BodyState>(body).unwrap();
    let kernel = state.kernel_mut().unwrap();
    for i in 0..shape.particle_count() {
        let position = kernel.position(&shape, i).as_vec3();
        kernel.set_velocity(&shape, i, velocity(position));
    }
}

pub fn largest_distance(a: &[Vec3], b: &[Vec3]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

pub fn diagonal(points: &[Vec3]) -> f32 {
    let low = points.iter().copied().reduce(Vec3::min).unwrap();
    let high = points.iter().copied().reduce(Vec3::max).unwrap();
    low.distance(high)
}

/// Some affine map that is no rotation.
pub fn squash() -> Mat3 {
    Mat3::from_cols(Vec3::new(1.2, 0.1, 0.0), Vec3::new(0.0, 0.5, 0.2), Vec3::new(0.3, 0.0, 1.1))
}
