//! Builds: their progress, their end, and what happens meanwhile.

use std::time::{Duration, Instant};

use bevy_asset::Assets;
use bevy_math::Vec3;
use bevy_math::primitives::{Cuboid, Sphere};
use bevy_mesh::Mesh;
use bevy_sinew_bodies::kernel::lattice::LatticeError;
use bevy_sinew_bodies::kernel::{Deformer, ExampleError};
use bevy_sinew_bodies::{BodyState, DeformableBody, ExampleSet, ExampleWeights};
use bevy_sinew_mesh::{
    BuildProgress, DeformableMesh, DeformedSurface, MeshBodyError, MeshExamples, MeshFault,
};
use bevy_transform::components::Transform;

use crate::support::*;

/// A build that takes many frames.
const SLOW: DeformableMesh = DeformableMesh::lattice(20_000);

#[test]
fn progress_rises_while_frames_go_on_and_is_gone_at_the_end() {
    let mut app = weightless();
    let mesh = add(&mut app, Sphere::new(0.5));
    let body = spawn(&mut app, &mesh, SLOW, Transform::IDENTITY);
    let mut seen = Vec::new();
    let start = Instant::now();
    while app.world().get::<DeformedSurface>(body).is_none() {
        app.update();
        if let Some(progress) = app.world().get::<BuildProgress>(body) {
            assert!((0.0..=1.0).contains(&progress.0));
            seen.push(progress.0);
        }
        assert!(start.elapsed() < Duration::from_secs(120));
        std::thread::sleep(Duration::from_millis(1));
    }
    assert!(seen.is_sorted(), "{seen:?}");
    assert!(seen.len() > 2, "the frames went on: {seen:?}");
    assert!(seen.last() > seen.first());
    assert!(app.world().get::<BuildProgress>(body).is_none());
}

#[test]
fn body_that_is_despawned_while_it_is_built_is_uneventful() {
    let mut app = weightless();
    let mesh = add(&mut app, Sphere::new(0.5));
    let start = Instant::now();
    for frames in 1..20 {
        let body = spawn(&mut app, &mesh, SLOW, Transform::IDENTITY);
        for _ in 0..frames {
            app.update();
        }
        app.world_mut().entity_mut(body).despawn();
        app.update();
    }
    // Builds that nobody waits for stop, else this one would come after all the others.
    let body = spawn(&mut app, &mesh, DeformableMesh::lattice(50), Transform::IDENTITY);
    wait(&mut app, body);
    assert!(start.elapsed() < Duration::from_secs(60));
    assert_eq!(app.world().resource::<Assets<Mesh>>().len(), 2);
}

#[test]
fn settings_that_change_while_it_is_built_count() {
    let mut app = weightless();
    let mesh = add(&mut app, Cuboid::from_length(1.0));
    let body = spawn(&mut app, &mesh, SLOW, Transform::IDENTITY);
    app.update();
    app.world_mut().entity_mut(body).insert(DeformableMesh::spacing(0.5));
    wait(&mut app, body);
    let surface = app.world().get::<DeformedSurface>(body).unwrap();
    assert_eq!(surface.report().spacing, 0.5);
}

#[test]
fn removed_settings_stop_the_build() {
    let mut app = weightless();
    let mesh = add(&mut app, Cuboid::from_length(1.0));
    let body = spawn(&mut app, &mesh, SLOW, Transform::IDENTITY);
    app.update();
    assert!(app.world().get::<BuildProgress>(body).is_some());
    app.world_mut().entity_mut(body).remove::<DeformableMesh>();
    app.update();
    assert!(app.world().get::<BuildProgress>(body).is_none());
    std::thread::sleep(Duration::from_millis(50));
    app.update();
    assert!(app.world().get::<DeformableBody>(body).is_none());
    assert_eq!(handle(&app, body), mesh);
}

#[test]
fn edited_settings_build_the_body_anew_where_it_is() {
    let mut app = app();
    let mesh = add(&mut app, Cuboid::from_length(1.0));
    let body =
        spawn(&mut app, &mesh, DeformableMesh::spacing(0.5), Transform::from_xyz(0.0, 5.0, 0.0));
    wait(&mut app, body);
    for _ in 0..20 {
        app.update();
    }
    let before = app.world().get::<Transform>(body).unwrap().translation;
    assert!(before.y < 4.9);
    app.world_mut().get_mut::<DeformableMesh>(body).unwrap().resolution =
        bevy_sinew_mesh::LatticeResolution::Spacing(0.25);
    app.update();
    wait(&mut app, body);
    let surface = app.world().get::<DeformedSurface>(body).unwrap();
    assert_eq!(surface.report().spacing, 0.25);
    let now = app.world().get::<Transform>(body).unwrap().translation;
    assert!(now.distance(before) < 0.1, "{before} {now}");
    assert_eq!(app.world().resource::<Assets<Mesh>>().len(), 2);
}

#[test]
fn meshes_that_load_later_are_waited_for() {
    let mut app = weightless();
    let mesh = app.world().resource::<Assets<Mesh>>().reserve_handle();
    let body = spawn(&mut app, &mesh, DeformableMesh::spacing(0.5), Transform::IDENTITY);
    for _ in 0..10 {
        app.update();
    }
    assert!(app.world().get::<MeshFault>(body).is_none());
    let mut meshes = app.world_mut().resource_mut::<Assets<Mesh>>();
    meshes.insert(&mesh, Cuboid::from_length(1.0).into()).unwrap();
    wait(&mut app, body);
    assert!(app.world().get::<DeformableBody>(body).is_some());
}

#[test]
fn examples_are_made_with_the_body() {
    let mut app = weightless();
    let mesh = add(&mut app, Cuboid::new(1.0, 2.0, 1.0));
    let body = spawn(&mut app, &mesh, DeformableMesh::spacing(0.25), Transform::IDENTITY);
    let examples = MeshExamples::new()
        .with("twisted", Deformer::twist(Vec3::Y, 0.8))
        .with("small", Deformer::Shrink { factor: 0.7 });
    assert_eq!(examples.names(), ["twisted", "small"]);
    app.world_mut().entity_mut(body).insert(examples);
    wait(&mut app, body);
    assert_eq!(app.world().get::<ExampleSet>(body).unwrap().names(), ["twisted", "small"]);
    // Put to the shape of an example, the body sees that it is there.
    deform(&mut app, body, |p| Deformer::twist(Vec3::Y, 0.8).deform(p));
    app.update();
    let weights = app.world().get::<ExampleWeights>(body).unwrap();
    assert!(weights.get("twisted").unwrap() > 0.8, "{weights:?}");
    app.world_mut().entity_mut(body).remove::<DeformableMesh>();
    app.update();
    assert!(app.world().get::<ExampleSet>(body).is_none());
    assert!(app.world().get::<BodyState>(body).is_none());
}

#[test]
fn requests_that_cannot_be_met_are_errors() {
    let fault = |settings: DeformableMesh, examples: MeshExamples| {
        let mut app = weightless();
        let mesh = add(&mut app, Cuboid::from_length(1.0));
        let body = spawn(&mut app, &mesh, settings, Transform::IDENTITY);
        app.world_mut().entity_mut(body).insert(examples);
        wait(&mut app, body);
        app.world().get::<MeshFault>(body).unwrap().error.clone()
    };
    let lattice = |settings| match fault(settings, MeshExamples::new()) {
        MeshBodyError::Lattice { error, .. } => error,
        other => panic!("{other}"),
    };
    assert_eq!(
        lattice(DeformableMesh::lattice(7)),
        LatticeError::TooFewParticles { asked: 7, least: 8 }
    );
    assert_eq!(lattice(DeformableMesh::spacing(0.0)), LatticeError::Spacing { spacing: 0.0 });
    assert!(matches!(
        lattice(DeformableMesh::spacing(f32::NAN)),
        LatticeError::Spacing { spacing } if spacing.is_nan()
    ));
    let wide = DeformableMesh::spacing(0.5).with_width(4);
    assert_eq!(lattice(wide), LatticeError::Width { width: 4 });
    let twice = MeshExamples::new()
        .with("a", Deformer::twist(Vec3::Y, 1.0))
        .with("a", Deformer::twist(Vec3::Y, 2.0));
    let error = fault(DeformableMesh::spacing(0.5), twice);
    assert!(matches!(
        &error,
        MeshBodyError::Examples { error: ExampleError::DuplicateName(name), .. } if name == "a"
    ));
}
