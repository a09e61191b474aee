//! What a body of a mesh costs in memory, all together.
#![expect(clippy::print_stdout, reason = "the figures are worth seeing")]

use std::alloc::System;
use std::time::{Duration, Instant};

use bevy_app::prelude::*;
use bevy_asset::{AssetPlugin, Assets, Handle};
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_math::primitives::Sphere;
use bevy_mesh::{Mesh, Mesh3d, MeshPlugin, Meshable};
use bevy_sinew_bodies::kernel::Deformer;
use bevy_sinew_bodies::{BodiesPlugin, BodyCollider, BodySleep, ExampleSet};
use bevy_sinew_mesh::{DeformableMesh, DeformableMeshPlugin, DeformedSurface};
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::TransformPlugin;
use bevy_transform::components::Transform;
use stats_alloc::{INSTRUMENTED_SYSTEM, StatsAlloc};

#[global_allocator]
static GLOBAL: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Bytes that are allocated now.
fn held() -> isize {
    let stats = GLOBAL.stats();
    stats.bytes_allocated as isize - stats.bytes_deallocated as isize
}

fn app() -> App {
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin::default(),
        TimePlugin,
        TransformPlugin,
        AssetPlugin::default(),
        MeshPlugin,
        BodiesPlugin::default(),
        DeformableMeshPlugin,
    ));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app.finish();
    app.cleanup();
    app.world_mut().spawn((BodyCollider::plane().with_restitution(0.9), Transform::IDENTITY));
    app
}

/// Spawns a body and waits until it stands, with all that it needs to fall.
fn spawn(app: &mut App, mesh: &Handle<Mesh>, particles: u32, x: f32) -> Entity {
    let body = app
        .world_mut()
        .spawn((
            Mesh3d(mesh.clone()),
            DeformableMesh::lattice(particles),
            ExampleSet::new().with("twisted", Deformer::twist(Vec3::Y, 1.5)),
            BodySleep::never(),
            Transform::from_xyz(x, 0.6, 0.0),
        ))
        .id();
    let start = Instant::now();
    while app.world().get::<DeformedSurface>(body).is_none() {
        app.update();
        std::thread::sleep(Duration::from_millis(1));
        assert!(start.elapsed() < Duration::from_secs(120), "the body was not built in time");
    }
    for _ in 0..50 {
        app.update();
    }
    body
}

/// What a vertex takes in a skin that bodies share, in bytes: eight particles with their weights, and the
/// normal at rest.
const SHARED_VERTEX: usize = 8 * (4 + 4) + 12;
/// What a vertex takes in each body, in bytes: position and normal as they are now, and the body's own copy
/// of the mesh with its position, normal and texture coordinates.
const OWN_VERTEX: usize = 2 * 12 + (12 + 12 + 8);

/// What two bodies of about 2,000 particles cost.
struct Cost {
    particles: usize,
    vertices: usize,
    /// Bytes of the indices of a mesh.
    indices: usize,
    /// Bytes of the shape.
    shape: usize,
    /// Bytes that came with the first body, which pays for what all of its kind share, and with a second.
    bodies: [usize; 2],
}

/// The cost of bodies in a sphere of so many sectors and stacks.
fn cost(sectors: u32, stacks: u32) -> Cost {
    let mut app = app();
    // What the app itself needs once: tables, queues, pools.
    let small = app.world_mut().resource_mut::<Assets<Mesh>>().add(Sphere::new(0.5));
    for x in [-5.0, -10.0] {
        spawn(&mut app, &small, 100, x);
    }
    let mesh = Sphere::new(0.5).mesh().uv(sectors, stacks);
    let vertices = mesh.count_vertices();
    let indices = mesh.get_index_buffer_bytes().map_or(0, <[u8]>::len);
    let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(mesh);
    let (mut particles, mut shape) = (0, 0);
    let bodies = [0.0, 5.0].map(|x| {
        let before = held();
        let body = spawn(&mut app, &mesh, 2_000, x);
        let surface = app.world().get::<DeformedSurface>(body).expect("a body");
        (particles, shape) = (surface.shape().particle_count(), surface.shape().heap_bytes());
        assert!((1_800..2_200).contains(&particles), "{particles}");
        let bytes = held() - before;
        println!("{particles} particles, {vertices} vertices: {bytes} B");
        usize::try_from(bytes).expect("a body takes memory")
    });
    Cost { particles, vertices, indices, shape, bodies }
}

/// Bytes by which an app grows in so many frames in which bodies bounce, come and go.
fn growth(frames: usize, rounds: usize) -> [isize; 2] {
    let mut app = app();
    let mesh = Sphere::new(0.5).mesh().uv(24, 16);
    let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(mesh);
    for i in 0..8 {
        spawn(&mut app, &mesh, 200, 2.0 * i as f32);
    }
    let come_and_go = |app: &mut App, rounds: usize| {
        for _ in 0..rounds {
            let body = spawn(app, &mesh, 200, 30.0);
            app.world_mut().entity_mut(body).remove::<DeformableMesh>();
            app.update();
            app.world_mut().entity_mut(body).despawn();
            app.update();
        }
    };
    come_and_go(&mut app, 10);
    let before = held();
    for _ in 0..frames {
        app.update();
    }
    let bounced = held();
    come_and_go(&mut app, rounds);
    [bounced - before, held() - bounced]
}

// One test only: the count is of the whole process.
#[test]
fn bodies_take_a_kibibyte_a_particle_beside_their_vertices_and_no_more_with_time() {
    for (sectors, stacks) in [(24, 16), (72, 71)] {
        let Cost { particles, vertices, indices, shape, bodies: [first, second] } =
            cost(sectors, stacks);
        let of_vertices = vertices * (SHARED_VERTEX + OWN_VERTEX) + indices;
        assert!(first <= 1_024 * particles + of_vertices, "{first} B of {particles} particles");
        // A second one shares the shape and the skin.
        assert!(second <= first - shape - vertices * SHARED_VERTEX, "{first} B, then {second} B");
    }
    let [bounced, came_and_went] = growth(2_000, 50);
    println!("2,000 frames: {bounced} B; 50 bodies that came and went: {came_and_went} B");
    assert!(bounced.abs() < 64 << 10, "{bounced} B in 2,000 frames");
    assert!(came_and_went.abs() < 64 << 10, "{came_and_went} B after 50 bodies");
}
