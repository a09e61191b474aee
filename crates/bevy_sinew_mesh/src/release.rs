//! The way back: meshes that let go of their body get everything that they had.

use bevy_asset::{Assets, Handle};
use bevy_camera::primitives::Aabb;
use bevy_camera::visibility::NoAutoAabb;
use bevy_ecs::prelude::*;
use bevy_mesh::{Mesh, Mesh3d};
use bevy_reflect::Reflect;
use bevy_sinew_bodies::{BodyMotion, DeformableBody};
use bevy_transform::components::Transform;

use crate::bind::Building;
use crate::body_surface::BodySurface;
use crate::fault::MeshFault;
use crate::follow::DeformedSurface;
use crate::request::Way;
use crate::settings::{BuildProgress, DeformableMesh, DeformableMeshPart};

/// A mesh that follows a body: the handle that it had, and the mesh that is written.
#[derive(Component, Clone, Debug, Reflect)]
#[reflect(Component, Debug, Clone)]
pub struct DeformedMesh {
    body: Entity,
    source: Handle<Mesh>,
    copy: Handle<Mesh>,
    /// What the source was before it was written, where it is written itself.
    #[reflect(ignore)]
    original: Option<Box<Mesh>>,
    /// The bounds that a user had set by hand.
    #[reflect(ignore)]
    bounds: Option<Aabb>,
}

impl DeformedMesh {
    pub(crate) fn new(
        body: Entity,
        source: Handle<Mesh>,
        copy: Handle<Mesh>,
        original: Option<Mesh>,
        bounds: Option<Aabb>,
    ) -> Self {
        Self { body, source, copy, original: original.map(Box::new), bounds }
    }

    /// The entity with the [`DeformedSurface`] that writes this mesh: of the body, or of the
    /// [`BodySurface`].
    #[must_use]
    pub fn body(&self) -> Entity {
        self.body
    }

    /// The mesh that the entity had, and gets back.
    #[must_use]
    pub fn source(&self) -> &Handle<Mesh> {
        &self.source
    }

    /// The mesh that is rewritten: one that no other entity shows, or the source with
    /// [`MeshSharing::WriteToSource`](crate::MeshSharing).
    #[must_use]
    pub fn copy(&self) -> &Handle<Mesh> {
        &self.copy
    }

    /// What a source that is written itself was before.
    pub(crate) fn original(&self) -> Option<&Mesh> {
        self.original.as_deref()
    }
}

/// Takes away all that was made for a request.
pub(crate) fn release(commands: &mut Commands, entity: Entity, way: &Way) {
    let mut entity = commands.entity(entity);
    entity.try_remove::<(Building, BuildProgress, MeshFault, DeformedSurface)>();
    if let Way::Become(..) = way {
        entity.try_remove::<(DeformableBody, BodyMotion)>();
    }
}

/// The component that made the body takes it away again.
pub(crate) fn on_remove_settings(removed: On<Remove, DeformableMesh>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<(
        Building,
        BuildProgress,
        MeshFault,
        DeformedSurface,
        DeformableBody,
        BodyMotion,
    )>();
}

/// The component that bound the mesh lets go of it.
pub(crate) fn on_remove_follower(removed: On<Remove, BodySurface>, mut commands: Commands) {
    commands
        .entity(removed.entity)
        .try_remove::<(Building, BuildProgress, MeshFault, DeformedSurface)>();
}

/// Lets go of all parts, and gives the entity of a body that was made its scale back.
pub(crate) fn on_remove_surface(
    removed: On<Remove, DeformedSurface>,
    surfaces: Query<&DeformedSurface>,
    mut transforms: Query<&mut Transform>,
    mut commands: Commands,
) {
    let Ok(surface) = surfaces.get(removed.entity) else { return };
    if let Some(scale) = surface.scale_before
        && let Ok(mut transform) = transforms.get_mut(removed.entity)
        && transform.scale != scale
    {
        transform.scale = scale;
    }
    for part in surface.parts() {
        commands.entity(part).try_remove::<DeformedMesh>();
    }
}

/// A part that leaves its body goes back to the mesh that it had.
pub(crate) fn on_remove_part(removed: On<Remove, DeformableMeshPart>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<DeformedMesh>();
}

/// Gives a part its mesh and its bounds back; a copy is freed with its last handle.
pub(crate) fn on_remove_deformed(
    removed: On<Remove, DeformedMesh>,
    mut parts: Query<(&mut DeformedMesh, &mut Mesh3d)>,
    meshes: Option<ResMut<Assets<Mesh>>>,
    mut commands: Commands,
) {
    let Ok((mut deformed, mut mesh)) = parts.get_mut(removed.entity) else { return };
    if let Some(original) = deformed.original.take() {
        let meshes = meshes.map(ResMut::into_inner);
        if let Some(mut written) = meshes.and_then(|meshes| meshes.get_mut(&deformed.source)) {
            *written = *original;
        }
    } else if mesh.0 == deformed.copy {
        mesh.0 = deformed.source.clone();
    }
    let mut part = commands.entity(removed.entity);
    match deformed.bounds {
        Some(bounds) => part.try_insert(bounds),
        // Without them, Bevy computes new ones.
        None => part.try_remove::<(NoAutoAabb, Aabb)>(),
    };
}
