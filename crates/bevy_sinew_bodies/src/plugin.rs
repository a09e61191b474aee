//! When the systems run.

use bevy_app::prelude::*;
use bevy_ecs::intern::Interned;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::ScheduleLabel;
use bevy_transform::TransformSystems;

use crate::contact::{clear_contacts, collect_colliders};
use crate::example_set::{ExampleBases, make_examples};
use crate::held::follow_jumps;
use crate::pose::{localise, on_remove_body, on_teleport, place_and_teleport, write_transforms};
use crate::publish::{check_materials, publish, settle_motion};
use crate::simulate::{BodyGravity, simulate};
use crate::{
    BodyCollider, BodyFailed, BodyMotion, BodyQuarantined, BodySleep, BodySlept, BodyState,
    BodyStatus, BodyWoke, ContactInput, ContactReactions, DeformableBody, ElasticMaterial,
    ExampleControl, ExampleSet, ExampleWeights, HeldParticles, InitialVelocity,
};

/// The phases of a tick, in this order. They run in the schedule of [`BodiesPlugin`].
///
/// Order your systems against these sets: what moves colliders or edits bodies runs before `Prepare`,
/// a physics engine's colliders come in during `CollectContacts`, impulses go out in `ApplyReactions`,
/// what reads the new poses runs after `Writeback`. Systems between two sets see all of one phase and
/// nothing of the next; so phases can be timed:
///
/// ```
/// use std::time::{Duration, Instant};
/// use bevy_app::prelude::*;
/// use bevy_ecs::prelude::*;
/// use bevy_sinew_bodies::prelude::*;
///
/// #[derive(Resource, Default)]
/// struct SimulateTime {
///     started: Option<Instant>,
///     total: Duration,
/// }
///
/// fn start(mut time: ResMut<SimulateTime>) {
///     time.started = Some(Instant::now());
/// }
///
/// fn stop(mut time: ResMut<SimulateTime>) {
///     let passed = time.started.take().map_or(Duration::ZERO, |started| started.elapsed());
///     time.total += passed;
/// }
///
/// # let mut app = App::new();
/// # app.add_plugins((TaskPoolPlugin::default(), bevy_time::TimePlugin, bevy_transform::TransformPlugin));
/// app.add_plugins(BodiesPlugin::default()).init_resource::<SimulateTime>().add_systems(
///     FixedPostUpdate,
///     (
///         start.after(DeformationSystems::CollectContacts).before(DeformationSystems::Simulate),
///         stop.after(DeformationSystems::Simulate).before(DeformationSystems::ApplyReactions),
///     ),
/// );
/// # app.world_mut().run_schedule(FixedPostUpdate);
/// # assert!(app.world().resource::<SimulateTime>().total > Duration::ZERO);
/// ```
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeformationSystems {
    /// New bodies are placed, writes to `Transform` become teleports, contacts are emptied.
    Prepare,
    /// Colliders are added to [`ContactInput`](crate::ContactInput).
    CollectContacts,
    /// All bodies are stepped, in parallel.
    Simulate,
    /// [`ContactReactions`](crate::ContactReactions) are read by those who move the colliders.
    ApplyReactions,
    /// `Transform`, status, weights, positions and messages are written.
    Writeback,
}

/// Adds deformable bodies to an app.
///
/// Simulation runs in one schedule, by default [`FixedPostUpdate`]. In any other schedule give it the
/// length of its ticks by the generic [`Time`](bevy_time::Time); a tick of no length changes nothing.
/// The crate needs `TimePlugin` and `TransformPlugin`; with `TaskPoolPlugin` it uses all threads.
///
/// ```
/// use bevy_app::prelude::*;
/// use bevy_sinew_bodies::prelude::*;
///
/// App::new().add_plugins((
///     TaskPoolPlugin::default(),
///     bevy_time::TimePlugin,
///     bevy_transform::TransformPlugin,
///     BodiesPlugin::new(FixedPostUpdate),
/// ));
/// ```
#[derive(Clone, Debug)]
pub struct BodiesPlugin {
    schedule: Interned<dyn ScheduleLabel>,
}

impl BodiesPlugin {
    /// Simulates in this schedule.
    #[must_use]
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern() }
    }
}

impl Default for BodiesPlugin {
    fn default() -> Self {
        Self::new(FixedPostUpdate)
    }
}

impl Plugin for BodiesPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<DeformableBody>()
            .register_type::<BodyState>()
            .register_type::<BodyStatus>()
            .register_type::<InitialVelocity>()
            .register_type::<ElasticMaterial>()
            .register_type::<BodySleep>()
            .register_type::<ExampleSet>()
            .register_type::<ExampleControl>()
            .register_type::<ExampleWeights>()
            .register_type::<HeldParticles>()
            .register_type::<BodyMotion>()
            .register_type::<BodyCollider>()
            .register_type::<ContactInput>()
            .register_type::<ContactReactions>()
            .register_type::<BodyGravity>()
            .register_type::<BodySlept>()
            .register_type::<BodyWoke>()
            .register_type::<BodyQuarantined>()
            .register_type::<BodyFailed>();
        app.init_resource::<BodyGravity>()
            .init_resource::<ExampleBases>()
            .add_message::<BodySlept>()
            .add_message::<BodyWoke>()
            .add_message::<BodyQuarantined>()
            .add_message::<BodyFailed>()
            .add_observer(on_teleport)
            .add_observer(on_remove_body);
        let after_updates = PostUpdate.intern();
        app.configure_sets(
            self.schedule,
            (
                DeformationSystems::Prepare,
                DeformationSystems::CollectContacts,
                DeformationSystems::Simulate,
                DeformationSystems::ApplyReactions,
                DeformationSystems::Writeback,
            )
                .chain(),
        );
        app.add_systems(
            self.schedule,
            (
                (place_and_teleport, follow_jumps, make_examples, check_materials, clear_contacts)
                    .chain()
                    .in_set(DeformationSystems::Prepare),
                collect_colliders.in_set(DeformationSystems::CollectContacts),
                simulate.in_set(DeformationSystems::Simulate),
                (settle_motion, publish, localise, write_transforms)
                    .chain()
                    .in_set(DeformationSystems::Writeback),
            ),
        );
        #[cfg(feature = "serialize")]
        app.register_type::<crate::BodySnapshot>().add_systems(
            self.schedule,
            crate::snapshot::restore_snapshots
                .in_set(DeformationSystems::Prepare)
                .before(place_and_teleport),
        );
        if self.schedule == after_updates {
            app.configure_sets(
                PostUpdate,
                DeformationSystems::Writeback.before(TransformSystems::Propagate),
            );
        } else {
            // Spawns, teleports and moved parents of this frame are drawn in this frame.
            app.add_systems(
                PostUpdate,
                (place_and_teleport, publish, localise, write_transforms)
                    .chain()
                    .before(TransformSystems::Propagate),
            );
        }
    }
}
