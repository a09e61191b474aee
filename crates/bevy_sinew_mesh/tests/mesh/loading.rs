//! Meshes that cannot be loaded, and apps that have no meshes.

use bevy_app::{App, TaskPoolPlugin};
use bevy_asset::{AssetServer, Handle};
use bevy_ecs::prelude::*;
use bevy_math::primitives::Cuboid;
use bevy_mesh::{Mesh, Mesh3d};
use bevy_sinew_bodies::BodiesPlugin;
use bevy_sinew_mesh::{
    BodySurface, DeformableMesh, DeformableMeshPlugin, DeformedSurface, MeshBodyError, MeshFault,
};
use bevy_time::TimePlugin;
use bevy_transform::TransformPlugin;
use bevy_transform::components::Transform;

use crate::support::*;

#[test]
fn mesh_that_does_not_load_is_a_fault_that_names_entity_component_and_path() {
    let mut app = weightless();
    // The one file is not there; for the other one the app has no loader.
    for path in ["models/nowhere.glb#Mesh0/Primitive0", "Cargo.toml"] {
        let mesh: Handle<Mesh> = app.world().resource::<AssetServer>().load(path.to_owned());
        let body = spawn(&mut app, &mesh, DeformableMesh::lattice(100), Transform::IDENTITY);
        wait(&mut app, body);
        let fault = app.world().get::<MeshFault>(body).unwrap();
        assert_eq!(fault.component, "DeformableMesh");
        let MeshBodyError::Load { entity, path: named, .. } = &fault.error else {
            panic!("{}", fault.reason)
        };
        assert_eq!((*entity, named.as_str()), (body, path));
        assert!(fault.reason.contains(path), "{}", fault.reason);
        for _ in 0..20 {
            app.update();
        }
        // Another mesh, and all is well.
        let mesh = add(&mut app, Cuboid::from_length(1.0));
        app.world_mut().get_mut::<Mesh3d>(body).unwrap().0 = mesh;
        app.update();
        wait(&mut app, body);
        assert!(app.world().get::<DeformedSurface>(body).is_some());
    }
}

#[test]
fn app_without_assets_goes_on_and_tells_each_entity_once() {
    #[derive(Resource, Default)]
    struct Reports(usize);
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin::default(),
        TimePlugin,
        TransformPlugin,
        BodiesPlugin::default(),
        DeformableMeshPlugin,
    ));
    app.init_resource::<Reports>();
    app.add_observer(|_: On<Insert, MeshFault>, mut reports: ResMut<Reports>| reports.0 += 1);
    app.finish();
    app.cleanup();
    let body = app.world_mut().spawn((Mesh3d::default(), DeformableMesh::default())).id();
    let follower = app.world_mut().spawn((Mesh3d::default(), BodySurface::nearest())).id();
    for _ in 0..20 {
        app.update();
    }
    for (entity, component) in [(body, "DeformableMesh"), (follower, "BodySurface")] {
        let fault = app.world().get::<MeshFault>(entity).unwrap();
        assert_eq!(fault.error, MeshBodyError::NoAssets { entity });
        assert_eq!(fault.component, component);
        assert!(fault.reason.contains("AssetPlugin"), "{}", fault.reason);
    }
    assert_eq!(app.world().resource::<Reports>().0, 2);
    app.world_mut().entity_mut(body).remove::<DeformableMesh>();
    app.world_mut().entity_mut(follower).despawn();
    app.update();
    assert!(app.world().get::<MeshFault>(body).is_none());
}
