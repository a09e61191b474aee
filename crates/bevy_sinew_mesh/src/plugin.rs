//! The plugin, its sets, and when what runs.

use bevy_app::{App, Plugin, PostUpdate, PreUpdate};
use bevy_asset::AssetEventSystems;
use bevy_ecs::schedule::{IntoScheduleConfigs, SystemSet};
use bevy_transform::TransformSystems;

use crate::build::Builds;
use crate::{
    BuildProgress, DeformableMesh, DeformableMeshPart, DeformableMeshParts, DeformedMesh,
    LatticeResolution, MeshExamples, MeshFault, MeshInterpolation,
};
use crate::{bind, follow};

/// Makes bodies from the meshes of [`DeformableMesh`] entities, and lets the meshes follow them.
///
/// Needs Bevy's asset, mesh and transform plugins, and
/// [`BodiesPlugin`](bevy_sinew_bodies::BodiesPlugin). Nothing here needs a renderer.
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
        app.register_type::<BuildProgress>()
            .register_type::<DeformableMesh>()
            .register_type::<DeformableMeshPart>()
            .register_type::<DeformableMeshParts>()
            .register_type::<DeformedMesh>()
            .register_type::<LatticeResolution>()
            .register_type::<MeshExamples>()
            .register_type::<MeshFault>()
            .register_type::<MeshInterpolation>()
            .init_resource::<Builds>()
            .configure_sets(
                PostUpdate,
                MeshSystems::Write.after(TransformSystems::Propagate).before(AssetEventSystems),
            )
            .add_systems(
                PreUpdate,
                (bind::review, bind::retry, bind::start, bind::finish)
                    .chain()
                    .in_set(MeshSystems::Bind),
            )
            .add_systems(
                PostUpdate,
                (follow::deform, follow::write).chain().in_set(MeshSystems::Write),
            )
            .add_observer(bind::on_remove_settings)
            .add_observer(bind::on_remove_surface)
            .add_observer(bind::on_remove_part)
            .add_observer(bind::on_remove_deformed);
    }
}
