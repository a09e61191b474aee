//! All plugins at once.

use bevy_app::{PluginGroup, PluginGroupBuilder};

/// All plugins of the enabled features, in their default schedules.
///
/// For another schedule: `SinewPlugins.build().set(BodiesPlugin::new(FixedUpdate))`, and the same for
/// `SinewDebugPlugin`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SinewPlugins;

impl PluginGroup for SinewPlugins {
    fn build(self) -> PluginGroupBuilder {
        let group = PluginGroupBuilder::start::<Self>();
        let group = group.add(bevy_sinew_bodies::BodiesPlugin::default());
        #[cfg(feature = "mesh")]
        let group = group.add(bevy_sinew_mesh::DeformableMeshPlugin);
        #[cfg(feature = "debug")]
        let group = group.add(bevy_sinew_debug::SinewDebugPlugin::default());
        group
    }
}
