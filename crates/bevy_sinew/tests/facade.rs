//! What a game gets from the prelude alone.

use std::sync::Arc;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_sinew::prelude::*;
use bevy_time::TimeUpdateStrategy;
use bevy_transform::prelude::*;

fn app() -> App {
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), bevy_time::TimePlugin, TransformPlugin));
    #[cfg(feature = "mesh")]
    app.add_plugins((
        bevy_asset::AssetPlugin::default(),
        bevy_mesh::MeshPlugin,
        bevy_camera::visibility::VisibilityPlugin,
    ));
    app.add_plugins(SinewPlugins);
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app.finish();
    app.cleanup();
    app.update();
    app
}

fn height(app: &App, body: Entity) -> f32 {
    app.world().get::<Transform>(body).expect("a transform").translation.y
}

#[test]
fn the_prelude_is_enough_for_a_body_of_tetrahedra_with_examples() -> Result {
    let mut app = app();
    let mesh = TetMesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, Vec3::ONE],
        cells: vec![[0, 1, 2, 3], [1, 3, 2, 4]],
    };
    let shape = ElasticShape::from_tets(&mesh.positions, &mesh.cells)?;
    let body = app
        .world_mut()
        .spawn((
            DeformableBody::new(Arc::new(shape)),
            ElasticMaterial { elastic_hz: 5.0, ..Default::default() },
            ExampleSet::new()
                .with("twisted", Deformer::twist(Vec3::Y, 1.5).then(Deformer::shrink(0.9))),
            Transform::from_xyz(0.0, 5.0, 0.0),
        ))
        .id();
    app.world_mut().spawn(BodyCollider::plane());
    for _ in 0..300 {
        app.update();
    }
    let height = height(&app, body);
    assert!((-0.5..1.0).contains(&height), "it fell to the ground: {height}");
    let weights = app.world().get::<ExampleWeights>(body).expect("weights");
    assert_eq!(weights.examples, ["twisted"]);
    Ok(())
}

#[cfg(feature = "mesh")]
#[test]
fn examples_by_formula_wait_for_a_mesh_that_is_built() -> Result {
    use bevy_asset::Assets;
    use bevy_math::primitives::Sphere;
    use bevy_mesh::{Mesh, Mesh3d};
    use std::time::{Duration, Instant};

    let mut app = app();
    let mesh = app.world_mut().resource_mut::<Assets<Mesh>>().add(Sphere::new(0.5));
    let body = app
        .world_mut()
        .spawn((
            Mesh3d(mesh),
            DeformableMesh::lattice(200),
            ExampleSet::new().with("twisted", Deformer::twist(Vec3::Y, 1.5)),
            ExampleControl::Explicit(vec![1.0]),
        ))
        .id();
    let start = Instant::now();
    let basis = loop {
        app.update();
        if let Some(basis) = app.world().get::<ExampleSet>(body).and_then(ExampleSet::basis) {
            break basis.clone();
        }
        assert!(start.elapsed() < Duration::from_secs(60), "the body was not built in time");
        std::thread::sleep(Duration::from_millis(1));
    };
    let shape = app.world().get::<DeformableBody>(body).and_then(|body| body.shape.clone());
    let shape = shape.expect("it was built");
    let pose = Deformer::twist(Vec3::Y, 1.5).pose("twisted", &shape);
    assert!(*basis == ExampleBasis::new(&shape, &[pose])?);
    app.update();
    let weights = app.world().get::<ExampleWeights>(body).expect("weights");
    assert_eq!(weights.get("twisted"), Some(1.0));
    Ok(())
}

#[cfg(feature = "ik")]
#[test]
fn the_prelude_is_enough_for_an_arm_that_reaches() {
    let mut app = app();
    let world = app.world_mut();
    let apple = world.spawn(Transform::from_xyz(0.5, 1.0, 0.5)).id();
    let shoulder = world.spawn(Transform::default()).id();
    let elbow = world.spawn((ChildOf(shoulder), Transform::from_xyz(1.0, 0.0, 0.0))).id();
    let chain = (IkChain::ancestors(2), IkTarget::entity(apple));
    let hand = world.spawn((ChildOf(elbow), Transform::from_xyz(1.0, 0.0, 0.0), chain)).id();
    app.update();
    let place = app.world().get::<GlobalTransform>(hand).expect("a place").translation();
    // A ten-thousandth of the arm's length of 2 m.
    assert!(place.distance(Vec3::new(0.5, 1.0, 0.5)) <= 2e-4, "{place}");
}
