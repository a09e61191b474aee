//! How errors are told: by a component on the entity, and one line in the log.

use bevy_asset::AssetId;
use bevy_ecs::prelude::*;
use bevy_mesh::Mesh;
use bevy_reflect::Reflect;

use crate::bind::Building;
use crate::error::MeshBodyError;
use crate::request::{IsAsking, Request};
use crate::settings::{BuildProgress, DeformableMesh};

/// What is wrong with the meshes of a [`DeformableMesh`] or a [`BodySurface`](crate::BodySurface); not there when all is
/// well.
///
/// The log has the same as one warning. Observe `On<Add, MeshFault>` to react. It goes, and the meshes
/// are bound, once the settings, a mesh handle, a mesh, the body, or a scale of zero are changed.
#[derive(Component, Clone, Debug, Reflect)]
#[reflect(Component, Debug, Clone)]
pub struct MeshFault {
    /// The error in words.
    pub reason: String,
    /// Name of the component that cannot do what it is for.
    pub component: &'static str,
    /// The error.
    #[reflect(ignore, default = "no_error")]
    pub error: MeshBodyError,
    /// What was tried.
    #[reflect(ignore)]
    pub(crate) tried: Option<Request>,
}

fn no_error() -> MeshBodyError {
    MeshBodyError::NoPositions { entity: Entity::PLACEHOLDER }
}

/// Reports an error, once.
pub(crate) fn fail(
    commands: &mut Commands,
    entity: Entity,
    error: MeshBodyError,
    component: &'static str,
    tried: Option<Request>,
) {
    log::warn!("{component} of {entity}: {error}");
    let fault = MeshFault { reason: error.to_string(), component, error, tried };
    commands.entity(entity).try_remove::<(Building, BuildProgress)>().try_insert(fault);
}

/// Reports an error of a request that was tried.
pub(crate) fn fail_request(
    commands: &mut Commands,
    entity: Entity,
    error: MeshBodyError,
    tried: Request,
) {
    fail(commands, entity, error, tried.way.component(), Some(tried));
}

/// In an app without meshes: tells every entity that waits for one.
pub(crate) fn no_assets(
    waiting: Query<(Entity, Has<DeformableMesh>), (IsAsking, Without<MeshFault>)>,
    mut commands: Commands,
) {
    for (entity, becomes) in &waiting {
        let component = if becomes { "DeformableMesh" } else { "BodySurface" };
        fail(&mut commands, entity, MeshBodyError::NoAssets { entity }, component, None);
    }
}

impl MeshFault {
    /// Whether this mesh took part.
    pub(crate) fn is_about(&self, mesh: AssetId<Mesh>) -> bool {
        self.tried.as_ref().is_some_and(|tried| tried.parts.iter().any(|&(_, id)| id == mesh))
    }

    /// The body that was to be made, for a scale of zero.
    pub(crate) fn is_scale(&self) -> Option<&Request> {
        self.tried.as_ref().filter(|_| matches!(self.error, MeshBodyError::Scale { .. }))
    }
}
