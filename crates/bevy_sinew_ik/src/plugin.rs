//! When the systems run.

use bevy_app::{AnimationSystems, prelude::*};
use bevy_ecs::intern::Interned;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::ScheduleLabel;
use bevy_time::{Fixed, Time};
use bevy_transform::TransformSystems;
use bevy_transform::systems::{
    StaticTransformOptimizations, mark_dirty_trees, propagate_parent_transforms,
    sync_simple_transforms,
};

use crate::bind::{IkGraph, bind, clean_up, on_remove_chain};
use crate::publish::{interpolate, publish};
use crate::sample::sample;
use crate::solve::solve;
use crate::{
    IkActivity, IkBasePose, IkChain, IkChainOf, IkChainState, IkChains, IkFailed, IkJoint,
    IkJointTargets, IkLost, IkPole, IkReached, IkSmoothing, IkStatus, IkTarget,
};

/// The phases of a run, in this order: in `PostUpdate` between [`AnimationSystems`] and
/// [`TransformSystems::Propagate`] for chains of each frame, and in the plugin's schedule for chains of each tick.
///
/// What poses joints runs before `Sample`; what reads the solved pose runs after `Solve`, and what reads
/// `GlobalTransform`s after `Propagate`.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum IkSystems {
    /// New and edited chains find their joints, and chains are put in order.
    Bind,
    /// What others wrote to joints since the last run becomes their base pose.
    Sample,
    /// Chains are solved and joints written: level by level, the chains of a level in parallel.
    Solve,
    /// Status and messages.
    Publish,
    /// `GlobalTransform`s are brought up to date at once, where the plugin was asked to: for colliders on joints that are
    /// read before Bevy's own propagation.
    Propagate,
}

/// Adds chains to an app.
///
/// It needs `TimePlugin` and `TransformPlugin`; with `TaskPoolPlugin` it uses all threads.
///
/// ```
/// use bevy_app::prelude::*;
/// use bevy_sinew_ik::prelude::*;
///
/// App::new().add_plugins((
///     TaskPoolPlugin::default(),
///     bevy_time::TimePlugin,
///     bevy_transform::TransformPlugin,
///     IkPlugin::new(FixedPostUpdate),
/// ));
/// ```
#[derive(Clone, Debug)]
pub struct IkPlugin {
    schedule: Interned<dyn ScheduleLabel>,
    early_in_frames: bool,
    early_in_ticks: bool,
}

impl IkPlugin {
    /// Solves chains with [`IkMode::Fixed`](crate::IkMode::Fixed) in this schedule.
    #[must_use]
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern(), early_in_frames: false, early_in_ticks: true }
    }

    /// Whether [`IkSystems::Propagate`] brings `GlobalTransform`s up to date in frames (default: no) and in ticks that
    /// have chains (default: yes).
    #[must_use]
    pub fn with_propagation(mut self, in_frames: bool, in_ticks: bool) -> Self {
        self.early_in_frames = in_frames;
        self.early_in_ticks = in_ticks;
        self
    }
}

impl Default for IkPlugin {
    fn default() -> Self {
        Self::new(FixedPostUpdate)
    }
}

impl Plugin for IkPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<IkChain>()
            .register_type::<IkChainOf>()
            .register_type::<IkChains>()
            .register_type::<IkChainState>()
            .register_type::<IkTarget>()
            .register_type::<IkPole>()
            .register_type::<IkJointTargets>()
            .register_type::<IkSmoothing>()
            .register_type::<IkJoint>()
            .register_type::<IkBasePose>()
            .register_type::<IkStatus>()
            .register_type::<IkActivity>()
            .register_type::<IkReached>()
            .register_type::<IkLost>()
            .register_type::<IkFailed>();
        app.init_resource::<IkGraph>()
            .init_resource::<IkActivity>()
            .add_message::<IkReached>()
            .add_message::<IkLost>()
            .add_message::<IkFailed>()
            .add_observer(on_remove_chain);
        add_phases::<false>(app, PostUpdate.intern(), self.early_in_frames);
        app.configure_sets(
            PostUpdate,
            (
                IkSystems::Bind.after(AnimationSystems),
                IkSystems::Propagate.before(TransformSystems::Propagate),
            ),
        );
        let between_ticks = resource_exists::<Time<Fixed>>.and_then(has_fixed);
        app.add_systems(
            PostUpdate,
            interpolate.in_set(IkSystems::Sample).after(sample).run_if(between_ticks),
        );
        if self.schedule == PostUpdate.intern() {
            app.add_systems(
                PostUpdate,
                (
                    solve::<true>.in_set(IkSystems::Solve).before(solve::<false>),
                    publish::<true>.in_set(IkSystems::Publish),
                ),
            );
        } else {
            add_phases::<true>(app, self.schedule, self.early_in_ticks);
        }
    }
}

fn add_phases<const FIXED: bool>(
    app: &mut App,
    schedule: Interned<dyn ScheduleLabel>,
    early: bool,
) {
    app.configure_sets(
        schedule,
        (
            IkSystems::Bind,
            IkSystems::Sample,
            IkSystems::Solve,
            IkSystems::Publish,
            IkSystems::Propagate,
        )
            .chain(),
    );
    app.add_systems(
        schedule,
        (
            (clean_up, bind).chain().in_set(IkSystems::Bind),
            sample.in_set(IkSystems::Sample).run_if(has_chains),
            solve::<FIXED>.in_set(IkSystems::Solve),
            publish::<FIXED>.in_set(IkSystems::Publish),
        ),
    );
    if early {
        let wanted = move |graph: Res<IkGraph>| !FIXED || graph.has_fixed;
        app.add_systems(
            schedule,
            // Only the three together are right: propagation skips trees that were not marked.
            (mark_dirty_trees, propagate_parent_transforms, sync_simple_transforms)
                .chain()
                .in_set(IkSystems::Propagate)
                .run_if(resource_exists::<StaticTransformOptimizations>.and_then(wanted)),
        );
    }
}

fn has_chains(graph: Res<IkGraph>) -> bool {
    graph.has_frame || graph.has_fixed
}

fn has_fixed(graph: Res<IkGraph>) -> bool {
    graph.has_fixed
}
