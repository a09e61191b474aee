//! All plugins at once.

use bevy_app::{PluginGroup, PluginGroupBuilder};

/// All plugins of the enabled features, in their default schedules.
///
/// For another schedule: `SinewPlugins.build().set(BodiesPlugin::new(FixedUpdate))`, and the same for
/// `IkPlugin` and `SinewDebugPlugin`. In ticks of the default schedule, chains are solved before bodies.
#[derive(Clone, Copy, Debug, Default)]
pub struct SinewPlugins;

impl PluginGroup for SinewPlugins {
    fn build(self) -> PluginGroupBuilder {
        let group = PluginGroupBuilder::start::<Self>();
        let group = group.add(bevy_sinew_bodies::BodiesPlugin::default());
        #[cfg(feature = "mesh")]
        let group = group.add(bevy_sinew_mesh::DeformableMeshPlugin);
        #[cfg(feature = "ik")]
        let group = group.add(bevy_sinew_ik::IkPlugin::default()).add(order::ChainsBeforeBodies);
        #[cfg(feature = "debug")]
        let group = group.add(bevy_sinew_debug::SinewDebugPlugin::default());
        group
    }
}

#[cfg(feature = "ik")]
mod order {
    use bevy_app::{App, FixedPostUpdate, Plugin};
    use bevy_ecs::schedule::IntoScheduleConfigs;
    use bevy_sinew_bodies::DeformationSystems;
    use bevy_sinew_ik::IkSystems;

    /// Bodies that hang on joints see the joints of their own tick.
    pub(super) struct ChainsBeforeBodies;

    impl Plugin for ChainsBeforeBodies {
        fn build(&self, app: &mut App) {
            app.configure_sets(
                FixedPostUpdate,
                IkSystems::Propagate.before(DeformationSystems::Prepare),
            );
        }
    }
}
