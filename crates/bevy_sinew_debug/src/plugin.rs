//! The plugin, and when what runs.

use bevy_app::{App, FixedPostUpdate, Plugin, PostUpdate};
use bevy_ecs::intern::Interned;
use bevy_ecs::resource::Resource;
use bevy_ecs::schedule::{IntoScheduleConfigs, ScheduleLabel, SystemSet};
use bevy_ecs::system::Res;
use bevy_gizmos::config::GizmoConfigStore;
use bevy_gizmos::{AppGizmoBuilder, GizmoPlugin};
use bevy_sinew_bodies::DeformationSystems;
use bevy_transform::TransformSystems;

#[cfg(feature = "ik")]
use crate::chains::{IkGizmos, ShowIkGizmos, draw_chains};
use crate::diagnostics::{BodyDiagnostics, count, end_phase, start_phase};
use crate::draw::draw;
use crate::gizmos::{BodyGizmos, ShowBodyGizmos};

/// Draws gizmos of bodies and chains, and measures the ticks of bodies.
///
/// Give it the schedule of [`BodiesPlugin`](bevy_sinew_bodies::BodiesPlugin). They are drawn when the
/// app has Bevy's `GizmoPlugin`; diagnostics need nothing else.
#[derive(Clone, Debug)]
pub struct SinewDebugPlugin {
    schedule: Interned<dyn ScheduleLabel>,
}

impl SinewDebugPlugin {
    /// Measures bodies that are simulated in this schedule.
    #[must_use]
    pub fn new(schedule: impl ScheduleLabel) -> Self {
        Self { schedule: schedule.intern() }
    }
}

impl Default for SinewDebugPlugin {
    fn default() -> Self {
        Self::new(FixedPostUpdate)
    }
}

/// When gizmos are drawn.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DebugSystems {
    /// Draws bodies and chains, in `PostUpdate` after transforms are propagated.
    Draw,
}

impl Plugin for SinewDebugPlugin {
    fn build(&self, app: &mut App) {
        BodyDiagnostics::register(app);
        app.register_type::<BodyGizmos>().register_type::<ShowBodyGizmos>().add_systems(
            self.schedule,
            (
                start_phase.before(DeformationSystems::Prepare),
                end_phase(BodyDiagnostics::PREPARE)
                    .after(DeformationSystems::Prepare)
                    .before(DeformationSystems::CollectContacts),
                start_phase
                    .after(DeformationSystems::CollectContacts)
                    .before(DeformationSystems::Simulate),
                end_phase(BodyDiagnostics::SIMULATE)
                    .after(DeformationSystems::Simulate)
                    .before(DeformationSystems::ApplyReactions),
                start_phase
                    .after(DeformationSystems::ApplyReactions)
                    .before(DeformationSystems::Writeback),
                (end_phase(BodyDiagnostics::WRITEBACK), count).after(DeformationSystems::Writeback),
            ),
        );
        if app.is_plugin_added::<GizmoPlugin>() {
            add_gizmos(app);
        }
    }

    fn finish(&self, app: &mut App) {
        // Plugins may be added in any order. A server has no gizmos at all.
        if app.is_plugin_added::<GizmoPlugin>() && !app.world().contains_resource::<HasGizmos>() {
            add_gizmos(app);
        }
    }
}

/// The gizmos of bodies are there.
#[derive(Resource)]
struct HasGizmos;

fn add_gizmos(app: &mut App) {
    app.insert_resource(HasGizmos).init_gizmo_group::<BodyGizmos>().add_systems(
        PostUpdate,
        draw.in_set(DebugSystems::Draw)
            .after(TransformSystems::Propagate)
            .run_if(|store: Res<GizmoConfigStore>| store.config::<BodyGizmos>().0.enabled),
    );
    #[cfg(feature = "ik")]
    app.register_type::<IkGizmos>()
        .register_type::<ShowIkGizmos>()
        .init_gizmo_group::<IkGizmos>()
        .add_systems(
            PostUpdate,
            draw_chains
                .in_set(DebugSystems::Draw)
                .after(TransformSystems::Propagate)
                .run_if(|store: Res<GizmoConfigStore>| store.config::<IkGizmos>().0.enabled),
        );
}
