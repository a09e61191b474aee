//! `GlobalTransform`s for those who read them before Bevy's own propagation.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_sinew_ik::prelude::*;
use bevy_transform::TransformSystems;
use bevy_transform::prelude::*;

use crate::support::*;

#[derive(Resource, Default)]
struct Seen(Vec3);

fn watch(app: &mut App, entity: Entity) {
    app.init_resource::<Seen>().add_systems(
        PostUpdate,
        (move |world: Query<&GlobalTransform>, mut seen: ResMut<Seen>| {
            if let Ok(world) = world.get(entity) {
                seen.0 = world.translation();
            }
        })
        .after(IkSystems::Propagate)
        .before(TransformSystems::Propagate),
    );
}

#[test]
fn a_skeleton_at_rest_that_moves_is_up_to_date_at_once() {
    // A bone of unit length turned by 0.5 rad: its end is at sin 0.5 = 0.479426 in the same frame.
    let mut app = app_with(IkPlugin::default().with_propagation(true, true));
    let found = joints(&mut app, None, Transform::default(), &bent(1, 1.0, 0.0));
    insert(&mut app, found[1], (IkChain::ancestors(1), IkTarget::default()));
    watch(&mut app, found[1]);
    updates(&mut app, 4);
    edit::<Transform>(&mut app, found[0], |joint| joint.rotation = Quat::from_rotation_z(0.5));
    app.update();
    let seen = app.world().resource::<Seen>().0;
    assert!((seen.y - 0.479_426).abs() < 1e-6, "{seen}");
}

#[test]
fn a_chain_at_rest_that_moves_is_up_to_date_at_once() {
    let mut app = app_with(IkPlugin::default().with_propagation(true, true));
    let found = joints(&mut app, None, Transform::default(), &bent(1, 1.0, 0.0));
    insert(&mut app, found[1], (IkChain::ancestors(1), IkTarget::point(Vec3::X)));
    watch(&mut app, found[1]);
    updates(&mut app, 4);
    set_target(&mut app, found[1], IkTarget::point(Vec3::new(0.5_f32.cos(), 0.5_f32.sin(), 0.0)));
    app.update();
    let seen = app.world().resource::<Seen>().0;
    assert!((seen.y - 0.479_426).abs() < 1e-4, "{seen}");
}

#[test]
fn without_it_frames_are_propagated_once_and_at_the_end() {
    let mut app = app();
    let found = joints(&mut app, None, Transform::default(), &bent(1, 1.0, 0.0));
    insert(&mut app, found[1], (IkChain::ancestors(1), IkTarget::point(Vec3::Y)));
    watch(&mut app, found[1]);
    app.update();
    assert!(place(&app, found[1]).distance(Vec3::Y) < 1e-4);
    assert!(app.world().resource::<Seen>().0.distance(Vec3::Y) > 0.5);
}
