//! Builds: their progress, their end, and what happens meanwhile.

use std::sync::Arc;
use std::time::{Duration, Instant};

use bevy_app::prelude::*;
use bevy_asset::{Assets, Handle};
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_math::primitives::{Cuboid, Sphere};
use bevy_mesh::{Mesh, Mesh3d};
use bevy_sinew_bodies::kernel::lattice::LatticeError;
use bevy_sinew_bodies::kernel::{Deformer, ElasticShape, ExampleBasis, ExampleError};
use bevy_sinew_bodies::{
    BodyError, BodyFailed, BodyState, DeformableBody, ExampleBases, ExampleSet, ExampleWeights,
};
use bevy_sinew_mesh::{
    BuildProgress, DeformableMesh, DeformedSurface, MeshBodyError, MeshFault, MeshSystems,
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

/// Spawns a body of a box that is 2 m high, with examples.
fn spawn_with(app: &mut App, mesh: &Handle<Mesh>, set: ExampleSet) -> Entity {
    let body = spawn(app, mesh, DeformableMesh::spacing(0.25), Transform::IDENTITY);
    app.world_mut().entity_mut(body).insert(set);
    body
}

fn twisted(radians_per_metre: f32) -> ExampleSet {
    ExampleSet::new().with("twisted", Deformer::twist(Vec3::Y, radians_per_metre))
}

fn shape(app: &App, body: Entity) -> Arc<ElasticShape> {
    app.world().get::<DeformableBody>(body).and_then(|body| body.shape.clone()).expect("a shape")
}

fn basis(app: &App, body: Entity) -> Arc<ExampleBasis> {
    app.world().get::<ExampleSet>(body).and_then(|set| set.basis().cloned()).expect("poses")
}

#[test]
fn examples_are_made_with_the_body() {
    let mut app = weightless();
    let mesh = add(&mut app, Cuboid::new(1.0, 2.0, 1.0));
    let examples = twisted(0.8).with("small", Deformer::Shrink { factor: 0.7 });
    let body = spawn_with(&mut app, &mesh, examples);
    // Of each body in the frame in which it comes, before `Prepare`: whether its poses are there.
    #[derive(Resource, Default)]
    struct Found(Vec<bool>);
    app.init_resource::<Found>().add_systems(
        PreUpdate,
        (|bodies: Query<(&DeformableBody, &ExampleSet), Added<DeformableBody>>,
          bases: Res<ExampleBases>,
          mut found: ResMut<Found>| {
            for (body, set) in &bodies {
                let shape = body.shape.as_deref().expect("a shape");
                found.0.push(bases.get(set, shape).is_some());
            }
        })
        .after(MeshSystems::Bind),
    );
    wait(&mut app, body);
    assert_eq!(app.world().resource::<Found>().0, [true]);
    assert_eq!(basis(&app, body).names(), ["twisted", "small"]);
    // Put to the shape of an example, the body sees that it is there.
    deform(&mut app, body, |p| Deformer::twist(Vec3::Y, 0.8).deform(p));
    app.update();
    let weights = app.world().get::<ExampleWeights>(body).unwrap();
    assert!(weights.get("twisted").unwrap() > 0.8, "{weights:?}");
    // The set is the user's, and stays.
    app.world_mut().entity_mut(body).remove::<DeformableMesh>();
    app.update();
    assert!(app.world().get::<ExampleSet>(body).is_some());
    assert!(app.world().get::<BodyState>(body).is_none());
}

#[test]
fn bodies_of_equal_meshes_share_their_shape_and_equal_sets_their_poses() {
    let mut app = weightless();
    let mesh = add(&mut app, Cuboid::new(1.0, 2.0, 1.0));
    let bodies = [0.8, 0.8, 0.5].map(|turn| spawn_with(&mut app, &mesh, twisted(turn)));
    for body in bodies {
        wait(&mut app, body);
    }
    let later = spawn_with(&mut app, &mesh, twisted(0.8));
    wait(&mut app, later);
    let first = bodies[0];
    for other in [bodies[1], bodies[2], later] {
        assert!(Arc::ptr_eq(&shape(&app, first), &shape(&app, other)));
    }
    assert!(Arc::ptr_eq(&basis(&app, first), &basis(&app, bodies[1])));
    assert!(Arc::ptr_eq(&basis(&app, first), &basis(&app, later)));
    assert!(*basis(&app, first) != *basis(&app, bodies[2]));
}

#[test]
fn an_edit_of_the_examples_makes_new_poses_and_no_new_body() {
    let mut app = weightless();
    let mesh = add(&mut app, Cuboid::new(1.0, 2.0, 1.0));
    let body = spawn_with(&mut app, &mesh, twisted(0.8));
    wait(&mut app, body);
    let drawn = app.world().get::<Mesh3d>(body).unwrap().0.clone();
    let before = shape(&app, body);
    let edits = [Some(twisted(0.5)), Some(ExampleSet::new()), None, Some(twisted(0.3))];
    for set in edits {
        match set.clone() {
            Some(set) => app.world_mut().entity_mut(body).insert(set),
            None => app.world_mut().entity_mut(body).remove::<ExampleSet>(),
        };
        for _ in 0..3 {
            app.update();
            assert!(app.world().get::<BuildProgress>(body).is_none());
        }
        assert!(Arc::ptr_eq(&before, &shape(&app, body)));
        assert_eq!(app.world().get::<Mesh3d>(body).unwrap().0, drawn);
        if let Some(set) = set.filter(|set| !set.names().is_empty()) {
            assert!(*basis(&app, body) == set.make(&before).unwrap());
        }
    }
}

#[test]
fn an_edit_while_the_body_is_built_counts() {
    let mut app = weightless();
    let mesh = add(&mut app, Cuboid::new(1.0, 2.0, 1.0));
    let body = spawn_with(&mut app, &mesh, twisted(0.8));
    let start = Instant::now();
    for i in 0_u16.. {
        let turn = f32::from(i) * 0.001;
        app.world_mut().entity_mut(body).insert(twisted(turn));
        app.update();
        if app.world().get::<DeformedSurface>(body).is_some() {
            assert!(*basis(&app, body) == twisted(turn).make(&shape(&app, body)).unwrap());
            return;
        }
        assert!(start.elapsed() < Duration::from_secs(60), "edits hold the body up");
        std::thread::sleep(Duration::from_millis(1));
    }
}

#[test]
fn an_example_that_cannot_be_made_is_named_and_the_body_is_there() {
    let mut app = weightless();
    let mesh = add(&mut app, Cuboid::from_length(1.0));
    let twice = twisted(1.0).with("twisted", Deformer::twist(Vec3::Y, 2.0));
    let body = spawn_with(&mut app, &mesh, twice);
    wait(&mut app, body);
    assert!(app.world().get::<MeshFault>(body).is_none());
    assert!(app.world().get::<BodyState>(body).is_some());
    let failures = app.world().resource::<Messages<BodyFailed>>();
    let failures: Vec<_> = failures.get_cursor().read(failures).cloned().collect();
    let [BodyFailed { entity, component, reason }] = &failures[..] else { panic!("{failures:?}") };
    assert_eq!((*entity, *component), (body, "ExampleSet"));
    let error = ExampleError::DuplicateName("twisted".into());
    assert_eq!(reason, &BodyError::Examples { error });
    assert!(reason.to_string().contains("twisted"), "{reason}");
}

#[test]
fn requests_that_cannot_be_met_are_errors() {
    let fault = |settings: DeformableMesh| {
        let mut app = weightless();
        let mesh = add(&mut app, Cuboid::from_length(1.0));
        let body = spawn(&mut app, &mesh, settings, Transform::IDENTITY);
        wait(&mut app, body);
        app.world().get::<MeshFault>(body).unwrap().error.clone()
    };
    let lattice = |settings| match fault(settings) {
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
}
