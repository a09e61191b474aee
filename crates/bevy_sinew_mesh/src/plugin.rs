//! The plugin, its sets, and when what runs.

use bevy_app::{App, Plugin, PostUpdate, PreUpdate};
use bevy_asset::{AssetEventSystems, Assets};
use bevy_ecs::prelude::not;
use bevy_ecs::schedule::common_conditions::resource_exists;
use bevy_ecs::schedule::{IntoScheduleConfigs, SystemSet};
use bevy_mesh::Mesh;
use bevy_sinew_bodies::{BodiesPlugin, ExampleBases};
use bevy_transform::TransformSystems;

use crate::build::Builds;
use crate::{
    BodySurface, BuildProgress, DeformableMesh, DeformableMeshPart, DeformableMeshParts,
    DeformedMesh, LatticeResolution, MeshFault, MeshInterpolation, MeshSharing,
};
use crate::{bind, fault, follow, release, write};

/// Makes bodies from the meshes of [`DeformableMesh`] entities, and lets the meshes of these and of
/// [`BodySurface`] entities follow their bodies.
///
/// Needs Bevy's asset, mesh and transform plugins, and
/// [`BodiesPlugin`](bevy_sinew_bodies::BodiesPlugin). Nothing here needs a renderer. Without assets
/// nothing is bound: the log has one error, and each entity that waits for a mesh a [`MeshFault`].
#[derive(Clone, Copy, Debug, Default)]
pub struct DeformableMeshPlugin;

/// When meshes become bodies, and bodies meshes.
#[derive(SystemSet, Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum MeshSystems {
    /// Starts and finishes builds. In `PreUpdate`: a body that is done falls in this frame.
    Bind,
    /// Writes vertices and bounds. In `PostUpdate`, after transforms are propagated, and before changed
    /// meshes are announced and bounds computed: what is written is drawn in this frame.
    Write,
}

impl Plugin for DeformableMeshPlugin {
    fn build(&self, app: &mut App) {
        app.register_type::<BodySurface>()
            .register_type::<BuildProgress>()
            .register_type::<DeformableMesh>()
            .register_type::<DeformableMeshPart>()
            .register_type::<DeformableMeshParts>()
            .register_type::<DeformedMesh>()
            .register_type::<LatticeResolution>()
            .register_type::<MeshFault>()
            .register_type::<MeshInterpolation>()
            .register_type::<MeshSharing>()
            .init_resource::<Builds>()
            .init_resource::<ExampleBases>()
            .configure_sets(PreUpdate, MeshSystems::Bind.run_if(resource_exists::<Assets<Mesh>>))
            .configure_sets(
                PostUpdate,
                MeshSystems::Write
                    .run_if(resource_exists::<Assets<Mesh>>)
                    .after(TransformSystems::Propagate)
                    .before(AssetEventSystems),
            )
            .add_systems(
                PreUpdate,
                (
                    (bind::review, bind::retry, bind::start, bind::finish)
                        .chain()
                        .in_set(MeshSystems::Bind),
                    fault::no_assets.run_if(not(resource_exists::<Assets<Mesh>>)),
                ),
            )
            .add_systems(
                PostUpdate,
                (follow::deform, write::write).chain().in_set(MeshSystems::Write),
            )
            .add_observer(release::on_remove_settings)
            .add_observer(release::on_remove_follower)
            .add_observer(release::on_remove_surface)
            .add_observer(release::on_remove_part)
            .add_observer(release::on_remove_deformed);
    }

    fn finish(&self, app: &mut App) {
        if !app.world().contains_resource::<Assets<Mesh>>() {
            log::error!(
                "DeformableMeshPlugin: there is no `Assets<Mesh>`, so that no mesh becomes a body; add \
                 `AssetPlugin` and `MeshPlugin`, or `DefaultPlugins`"
            );
        }
        if !app.is_plugin_added::<BodiesPlugin>() {
            log::error!(
                "DeformableMeshPlugin: bodies made from meshes stand still without `BodiesPlugin`; add \
                 it, or `SinewPlugins`"
            );
        }
    }
}
