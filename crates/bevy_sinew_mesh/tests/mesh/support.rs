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

/// A finely divided box of this size about the origin: vertices inside of its faces too.
pub fn fine_box(size: Vec3) -> Mesh {
    let sides = 6;
    let (mut places, mut normals, mut indices) = (Vec::new(), Vec::new(), Vec::new());
    for normal in [Vec3::X, -Vec3::X, Vec3::Y, -Vec3::Y, Vec3::Z, -Vec3::Z] {
        let across = Vec3::new(normal.y, normal.z, normal.x).abs();
        let up = normal.cross(across);
        let first = places.len() as u32;
        let part = |i: u32| i as f32 / sides as f32 - 0.5;
        for i in 0..=sides {
            for j in 0..=sides {
                places.push(((normal * 0.5 + across * part(i) + up * part(j)) * size).to_array());
                normals.push(normal.to_array());
            }
        }
        for i in 0..sides {
            for j in 0..sides {
                let at = |i: u32, j: u32| first + i * (sides + 1) + j;
                indices.extend([at(i, j), at(i + 1, j), at(i + 1, j + 1)]);
                indices.extend([at(i, j), at(i + 1, j + 1), at(i, j + 1)]);
            }
        }
    }
    Mesh::new(bevy_mesh::PrimitiveTopology::TriangleList, bevy_asset::RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, places)
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, normals)
        .with_inserted_indices(bevy_mesh::Indices::U32(indices))
}

/// Checks that the box of an entity holds all vertices of its mesh and is not much larger than they need.
pub fn check_bounds(app: &App, entity: Entity) {
    let bounds = app.world().get::<bevy_camera::primitives::Aabb>(entity).unwrap();
    let points = positions(shown(app, entity));
    let low = points.iter().copied().reduce(Vec3::min).unwrap();
    let high = points.iter().copied().reduce(Vec3::max).unwrap();
    let [from, to] = [Vec3::from(bounds.min()), Vec3::from(bounds.max())];
    let slack = Vec3::splat(1e-5 * low.distance(high));
    assert!((from - slack).cmple(low).all() && (to + slack).cmpge(high).all());
    assert!((to - from).cmple(1.5 * (high - low) + slack).all());
}
