//! Results depend neither on threads nor on the order of spawning.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_sinew_ik::prelude::*;
use bevy_transform::prelude::*;

use crate::support::*;

/// So many arms of three bones, spawned forwards or backwards; each one's pose over some frames.
fn crowd(count: usize, frames: usize, backwards: bool) -> Vec<Vec<Quat>> {
    let mut app = app();
    let mut arms = vec![Vec::new(); count];
    let mut order: Vec<usize> = (0..count).collect();
    if backwards {
        order.reverse();
    }
    for &index in &order {
        let root = Transform::from_xyz(index as f32, 0.0, 0.0);
        arms[index] = joints(&mut app, None, root, &bent(3, 0.3, 10.0 + (index % 7) as f32));
        let chain = IkChain { start: IkStart::Previous, ..IkChain::ancestors(3) };
        insert(&mut app, arms[index][3], (chain, IkTarget::default()));
    }
    let mut poses = vec![Vec::new(); count];
    for frame in 0..frames {
        for (index, arm) in arms.iter().enumerate() {
            let phase = 0.1 * frame as f32 + index as f32;
            let at = Vec3::new(index as f32 + 0.5 * phase.cos(), 0.5 * phase.sin(), 0.3);
            set_target(&mut app, arm[3], IkTarget::point(at));
        }
        app.update();
        if frame % 10 == 9 {
            for (pose, arm) in poses.iter_mut().zip(&arms) {
                pose.extend(rotations(&app, arm));
            }
        }
    }
    poses
}

#[test]
fn one_thread_or_many_and_any_order_of_spawning_give_the_same_bits() {
    // Eight threads.
    let many = crowd(2_000, 100, false);
    assert_eq!(crowd(2_000, 100, true), many);
    // Fewer chains than are worth threads are solved on one: the first 50 of the same crowd.
    assert_eq!(crowd(50, 100, false), many[..50]);
}

#[test]
fn the_order_of_systems_is_not_ambiguous_with_animation_and_propagation() {
    // Users order against the sets; all systems of the chain run between the two of Bevy.
    #[derive(Resource, Default)]
    struct Log(Vec<&'static str>);
    let note = |text: &'static str| move |mut log: ResMut<Log>| log.0.push(text);
    let mut app = app();
    app.init_resource::<Log>().add_systems(
        PostUpdate,
        (
            note("animation").in_set(bevy_app::AnimationSystems),
            note("bind").in_set(IkSystems::Bind),
            note("sample").in_set(IkSystems::Sample),
            note("solve").in_set(IkSystems::Solve),
            note("publish").in_set(IkSystems::Publish),
            note("early").in_set(IkSystems::Propagate),
            note("propagate").in_set(TransformSystems::Propagate),
        ),
    );
    app.update();
    let log = &app.world().resource::<Log>().0;
    assert_eq!(*log, ["animation", "bind", "sample", "solve", "publish", "early", "propagate"]);
}
