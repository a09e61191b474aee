//! Gizmos and diagnostics in an app without a renderer.

use std::any::TypeId;
use std::sync::Arc;

use bevy_app::prelude::*;
use bevy_asset::{AssetPlugin, Assets};
use bevy_color::Color;
use bevy_diagnostic::DiagnosticsStore;
use bevy_gizmos::config::GizmoConfigStore;
use bevy_gizmos::{GizmoAsset, GizmoHandles, GizmoPlugin};
use bevy_math::Vec3;
use bevy_sinew_bodies::kernel::lattice::LatticeNodes;
use bevy_sinew_bodies::kernel::{Deformer, ElasticShape, ExampleBasis};
use bevy_sinew_bodies::{BodiesPlugin, BodyGravity, DeformableBody, ExampleSet};
use bevy_sinew_debug::{BodyDiagnostics, BodyGizmos, ShowBodyGizmos, SinewDebugPlugin};
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::TransformPlugin;
use bevy_transform::components::Transform;

fn app() -> App {
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin::default(),
        TimePlugin,
        TransformPlugin,
        AssetPlugin::default(),
        GizmoPlugin,
        BodiesPlugin::default(),
        SinewDebugPlugin::default(),
    ));
    #[cfg(feature = "ik")]
    app.add_plugins(bevy_sinew_ik::IkPlugin::default());
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app.insert_resource(BodyGravity(Vec3::ZERO));
    app.finish();
    app.cleanup();
    app
}

fn block() -> Arc<ElasticShape> {
    let nodes = LatticeNodes::block([3, 4, 5], 0.1).unwrap();
    Arc::new(ElasticShape::from_lattice(&nodes).unwrap())
}

/// Number of lines after some frames; a strip counts by its points.
fn lines(app: &mut App) -> usize {
    for _ in 0..3 {
        app.update();
    }
    let handles = app.world().resource::<GizmoHandles>().handles();
    let Some(Some(handle)) = handles.get(&TypeId::of::<BodyGizmos>()) else { return 0 };
    let gizmos = app.world().resource::<Assets<GizmoAsset>>().get(handle).unwrap();
    let buffer = gizmos.buffer();
    buffer.list_positions.len() / 2 + buffer.strip_positions.len()
}

fn edit(app: &mut App, change: impl FnOnce(&mut BodyGizmos)) {
    change(app.world_mut().resource_mut::<GizmoConfigStore>().config_mut::<BodyGizmos>().1);
}

#[test]
fn only_bodies_that_ask_are_drawn_unless_all_are() {
    let mut app = app();
    let body = app.world_mut().spawn(DeformableBody::new(block())).id();
    assert_eq!(lines(&mut app), 0);
    app.world_mut().entity_mut(body).insert(ShowBodyGizmos::default());
    // Three lines of a cross and three axes for each of 60 particles.
    assert_eq!(lines(&mut app), 60 * 6);
    app.world_mut().entity_mut(body).remove::<ShowBodyGizmos>();
    assert_eq!(lines(&mut app), 0);
    edit(&mut app, |gizmos| gizmos.draw_all = true);
    assert_eq!(lines(&mut app), 60 * 6);
    app.world_mut().resource_mut::<GizmoConfigStore>().config_mut::<BodyGizmos>().0.enabled = false;
    assert_eq!(lines(&mut app), 0);
}

#[test]
fn parts_without_colour_are_left_out() {
    let mut app = app();
    app.world_mut().spawn((DeformableBody::new(block()), ShowBodyGizmos { color: None }));
    edit(&mut app, |gizmos| gizmos.region_color = None);
    assert_eq!(lines(&mut app), 60 * 3);
    edit(&mut app, |gizmos| gizmos.particle_color = None);
    assert_eq!(lines(&mut app), 60 * 3, "strain still colours them");
    edit(&mut app, |gizmos| gizmos.strain_color = None);
    assert_eq!(lines(&mut app), 0);
    edit(&mut app, |gizmos| gizmos.region_color = Some(Color::WHITE));
    assert_eq!(lines(&mut app), 60 * 3);
}

#[test]
fn each_weight_is_a_bar() {
    let mut app = app();
    let shape = block();
    let poses =
        [1.0, 2.0].map(|turn| Deformer::twist(Vec3::Y, turn).pose(format!("twist {turn}"), &shape));
    let basis = ExampleBasis::new(&shape, &poses).unwrap();
    let set = ExampleSet::from(Arc::new(basis));
    app.world_mut().spawn((DeformableBody::new(shape), set, ShowBodyGizmos::default()));
    let with = lines(&mut app);
    edit(&mut app, |gizmos| gizmos.weight_color = None);
    let without = lines(&mut app);
    assert_eq!(without, 60 * 6);
    assert!(with >= without + 1 + 2 * 5, "{with}");
}

#[test]
fn body_that_is_swapped_or_not_there_yet_does_no_harm() {
    let mut app = app();
    let show = ShowBodyGizmos::default();
    let body = app.world_mut().spawn((DeformableBody::default(), show)).id();
    assert_eq!(lines(&mut app), 0);
    app.world_mut().entity_mut(body).insert(DeformableBody::new(block()));
    assert_eq!(lines(&mut app), 60 * 6);
    let other = ElasticShape::from_lattice(&LatticeNodes::block([2, 2, 2], 0.1).unwrap()).unwrap();
    app.world_mut().entity_mut(body).insert(DeformableBody::new(Arc::new(other)));
    assert_eq!(lines(&mut app), 8 * 6);
    app.world_mut().entity_mut(body).despawn();
    assert_eq!(lines(&mut app), 0);
}

#[test]
fn diagnostics_count_bodies_and_time_their_phases() {
    let mut app = app();
    for i in 0..3 {
        let at = Transform::from_xyz(i as f32, 0.0, 0.0);
        app.world_mut().spawn((DeformableBody::new(block()), at));
    }
    for _ in 0..5 {
        app.update();
    }
    let store = app.world().resource::<DiagnosticsStore>();
    let value = |path| store.get(&path).unwrap().value();
    assert_eq!(value(BodyDiagnostics::COUNT), Some(3.0));
    assert_eq!(value(BodyDiagnostics::PARTICLES), Some(180.0));
    for path in [BodyDiagnostics::PREPARE, BodyDiagnostics::SIMULATE, BodyDiagnostics::WRITEBACK] {
        assert!(value(path).is_some_and(|ms| ms >= 0.0));
    }
}

#[test]
fn app_without_gizmos_plugin_still_runs() {
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin::default(),
        TimePlugin,
        TransformPlugin,
        BodiesPlugin::default(),
        SinewDebugPlugin::default(),
    ));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    app.world_mut().spawn((DeformableBody::new(block()), ShowBodyGizmos::default()));
    for _ in 0..3 {
        app.update();
    }
}

#[cfg(feature = "ik")]
#[test]
fn a_chain_is_drawn_with_its_limit_and_the_way_to_its_target() {
    use bevy_ecs::hierarchy::ChildOf;
    use bevy_sinew_debug::{IkGizmos, ShowIkGizmos};
    use bevy_sinew_ik::{IkChain, IkJoint, IkTarget};

    let mut app = app();
    let lines = |app: &mut App| {
        app.update();
        app.update();
        let handles = app.world().resource::<GizmoHandles>().handles();
        let Some(Some(handle)) = handles.get(&TypeId::of::<IkGizmos>()) else { return 0 };
        let gizmos = app.world().resource::<Assets<GizmoAsset>>().get(handle).unwrap();
        gizmos.buffer().list_positions.len() / 2
    };
    let world = app.world_mut();
    let shoulder = world.spawn((Transform::default(), IkJoint::cone(Vec3::X, 2.0))).id();
    let elbow = world.spawn((ChildOf(shoulder), Transform::from_xyz(1.0, 0.0, 0.0))).id();
    let chain = (IkChain::ancestors(2), IkTarget::point(Vec3::new(0.5, 1.0, 0.5)));
    let hand = world.spawn((ChildOf(elbow), Transform::from_xyz(1.0, 0.0, 0.0), chain)).id();
    assert_eq!(lines(&mut app), 0);
    app.world_mut().entity_mut(hand).insert(ShowIkGizmos);
    // Three joints with a bone and a cross of three lines each, four rays of the cone, and a cross on the target.
    assert_eq!(lines(&mut app), 3 * 4 + 4 + 3);
    *app.world_mut().get_mut::<IkTarget>(hand).unwrap() = IkTarget::point(Vec3::Y * 5.0);
    assert_eq!(lines(&mut app), 3 * 4 + 4 + 3 + 1, "a line to the target that is out of reach");
    app.world_mut().resource_mut::<GizmoConfigStore>().config_mut::<IkGizmos>().1.limit_color =
        None;
    assert_eq!(lines(&mut app), 3 * 4 + 3 + 1);
}
