//! The phases of a tick, for those who come between them.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_sinew_bodies::kernel::Collider;
use bevy_sinew_bodies::prelude::*;
use bevy_sinew_bodies::{ContactInput, ContactReactions};
use bevy_transform::prelude::*;

use crate::support::*;

#[derive(Resource, Default)]
struct Seen(Vec<DeformationSystems>);

#[test]
fn phases_run_in_order_with_room_between_them() {
    use DeformationSystems::*;
    let order = [Prepare, CollectContacts, Simulate, ApplyReactions, Writeback];
    let mut app = app();
    app.init_resource::<Seen>();
    // Added in another order than they run in.
    for phase in [Writeback, Simulate, Prepare, ApplyReactions, CollectContacts] {
        let see = move |mut seen: ResMut<Seen>| seen.0.push(phase);
        app.add_systems(FixedPostUpdate, see.in_set(phase));
    }
    for pair in order.windows(2) {
        let [before, after] = [pair[0], pair[1]];
        let look = move |seen: Res<Seen>| assert_eq!(seen.0.last(), Some(&before));
        app.add_systems(FixedPostUpdate, look.after(before).before(after));
    }
    ticks(&mut app, 2);
    assert_eq!(app.world().resource::<Seen>().0, [order, order].concat());
}

/// A floor as a physics engine's crate would give it: through the body, so that it must react.
fn give_floor(mut bodies: Query<(Entity, &mut ContactInput)>) {
    for (entity, mut input) in &mut bodies {
        assert!(input.colliders().is_empty(), "contacts of the last tick are gone");
        input.push(entity, Collider::plane(Vec3::Y * 0.15, Vec3::Y));
    }
}

#[derive(Resource, Default)]
struct Impulse(Vec3);

fn take_reactions(
    bodies: Query<(&Transform, &ContactReactions)>,
    mut impulse: ResMut<Impulse>,
    mut tick: Local<u32>,
) {
    *tick += 1;
    for (transform, reactions) in &bodies {
        impulse.0 += reactions.touched().map(|(_, reaction)| reaction.impulse).sum::<Vec3>();
        assert!(*tick > 1 || transform.translation == Vec3::ZERO, "written later");
    }
}

#[test]
fn contacts_come_in_and_reactions_go_out_in_the_same_tick() {
    let mut app = app();
    app.init_resource::<Impulse>();
    app.add_systems(
        FixedPostUpdate,
        (
            give_floor.in_set(DeformationSystems::CollectContacts),
            take_reactions.in_set(DeformationSystems::ApplyReactions),
        ),
    );
    let body = spawn(&mut app, &block([3, 3, 3]), Transform::default());
    ticks(&mut app, 1);
    let impulse = app.world().resource::<Impulse>().0;
    assert!(impulse.y < 0.0, "the floor is pushed down: {impulse}");
    let height = app.world().get::<Transform>(body).expect("a transform").translation.y;
    assert!(height > 0.0, "and the body up: {height}");
}
