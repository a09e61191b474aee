//! All plugins at once.

use bevy_app::{PluginGroup, PluginGroupBuilder};

/// All plugins of the enabled features, in their default schedules.
///
/// For another schedule: `SinewPlugins.set(BodiesPlugin::new(FixedUpdate))`.
#[derive(Clone, Copy, Debug, Default)]
pub struct SinewPlugins;

impl PluginGroup for SinewPlugins {
    fn build(self) -> PluginGroupBuilder {
        PluginGroupBuilder::start::<Self>().add(bevy_sinew_bodies::BodiesPlugin::default())
    }
}
