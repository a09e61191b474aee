//! A frame of chains that move allocates nothing of ours.

use std::alloc::System;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_sinew_ik::prelude::*;
use bevy_tasks::{ComputeTaskPool, TaskPoolBuilder};
use bevy_time::TimeUpdateStrategy;
use bevy_transform::prelude::*;
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static GLOBAL: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

/// Fewest allocations of an update after two to warm up, for so many chains of three bones that move.
fn allocations(chains: usize) -> usize {
    let mut app = App::new();
    // Tasks are allocated by Bevy; with one thread there are none.
    ComputeTaskPool::get_or_init(|| TaskPoolBuilder::new().num_threads(1).build());
    app.add_plugins((bevy_time::TimePlugin, IkPlugin::default()));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    let mut hands = Vec::new();
    for index in 0..chains {
        let world = app.world_mut();
        let mut joint = world.spawn(Transform::from_xyz(index as f32, 0.0, 0.0)).id();
        for _ in 0..3 {
            joint = world.spawn((Transform::from_xyz(0.3, 0.0, 0.0), ChildOf(joint))).id();
        }
        world.entity_mut(joint).insert((IkChain::ancestors(3), IkTarget::default()));
        hands.push(joint);
    }
    let mut count = usize::MAX;
    for frame in 0..24 {
        for (index, &hand) in hands.iter().enumerate() {
            let phase = 0.3 * frame as f32 + index as f32;
            let at = Vec3::new(index as f32 + 0.4 * phase.cos(), 0.4 * phase.sin(), 0.3);
            *app.world_mut().get_mut::<IkTarget>(hand).expect("a target") = IkTarget::point(at);
        }
        let region = Region::new(GLOBAL);
        app.update();
        if frame >= 2 {
            // Bevy's executor makes one more or less now and then.
            count = count.min(region.change().allocations);
        }
    }
    let solved = app.world().resource::<IkActivity>().frame_solves;
    assert_eq!(solved as usize, chains);
    count
}

#[test]
fn a_frame_of_a_thousand_chains_allocates_no_more_than_one_of_a_single_chain() {
    // What there is, is the executor's: one task for each system.
    assert_eq!(allocations(1_000), allocations(1));
}
