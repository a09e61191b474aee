//! From meshes to bodies: which entities wait, build, are bound, or failed, and the way back.

use std::sync::Arc;

use bevy_asset::{AssetEvent, AssetId, Assets, Handle};
use bevy_camera::primitives::Aabb;
use bevy_camera::visibility::NoAutoAabb;
use bevy_ecs::prelude::*;
use bevy_math::{Affine3A, Vec3};
use bevy_mesh::{Mesh, Mesh3d};
use bevy_reflect::Reflect;
use bevy_sinew_bodies::{BodyMotion, DeformableBody, ExampleSet};
use bevy_transform::components::Transform;

use crate::build::{BuildError, BuildJob, BuildKey, Builds, BuiltMesh};
use crate::error::MeshBodyError;
use crate::examples::MeshExamples;
use crate::follow::DeformedSurface;
use crate::frame::Frames;
use crate::parts::PartFinder;
use crate::settings::{BuildProgress, DeformableMesh};
use crate::surface::{self, PartSurface};

/// What is wrong with the meshes of a [`DeformableMesh`]; not there when all is well.
///
/// The log has the same as one warning. Observe `On<Add, MeshFault>` to react. It goes, and the body is
/// built, once the settings, a mesh handle or a mesh are changed.
#[derive(Component, Clone, Debug, Reflect)]
#[reflect(Component, Debug, Clone)]
pub struct MeshFault {
    /// The error in words.
    pub reason: String,
    /// The error.
    #[reflect(ignore, default = "no_error")]
    pub error: MeshBodyError,
    /// What was tried.
    #[reflect(ignore)]
    tried: Option<Tried>,
}

fn no_error() -> MeshBodyError {
    MeshBodyError::NoPositions { entity: Entity::PLACEHOLDER }
}

/// The parts of a body and their meshes, and how they were to be built.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Tried {
    pub settings: DeformableMesh,
    pub examples: Option<MeshExamples>,
    pub parts: Vec<(Entity, AssetId<Mesh>)>,
}

/// A body whose lattice is being built.
#[derive(Component, Debug)]
pub(crate) struct Building {
    job: Arc<BuildJob>,
    tried: Tried,
    /// Sides of the parts: mirrored or not.
    maps: Vec<Affine3A>,
}

/// A mesh that follows a body: the handle that it had, and the copy that it shows.
#[derive(Component, Clone, Debug, Reflect)]
#[reflect(Component, Debug, Clone)]
pub struct DeformedMesh {
    body: Entity,
    source: Handle<Mesh>,
    copy: Handle<Mesh>,
    /// The bounds that a user had set by hand.
    #[reflect(ignore)]
    bounds: Option<Aabb>,
}

impl DeformedMesh {
    /// The entity of the body.
    #[must_use]
    pub fn body(&self) -> Entity {
        self.body
    }

    /// The mesh that the entity had, and gets back.
    #[must_use]
    pub fn source(&self) -> &Handle<Mesh> {
        &self.source
    }

    /// The mesh that is rewritten, which no other entity shows.
    #[must_use]
    pub fn copy(&self) -> &Handle<Mesh> {
        &self.copy
    }
}

/// All that one query needs to tell what a body would be made from.
type Candidate<'a> = (Entity, Ref<'a, DeformableMesh>, Option<&'a MeshExamples>);

/// Lets go of bodies whose settings or meshes are no longer those that they were made from.
pub(crate) fn review(
    bound: Query<(Candidate, &DeformedSurface)>,
    building: Query<(Candidate, &Building)>,
    failed: Query<(Candidate, &MeshFault), Without<DeformedSurface>>,
    deformed: Query<&DeformedMesh>,
    finder: PartFinder,
    mut events: MessageReader<AssetEvent<Mesh>>,
    mut builds: ResMut<Builds>,
    mut commands: Commands,
) {
    for ((entity, settings, examples), surface) in &bound {
        let other_mesh = surface.parts().any(|part| match (finder.mesh(part), deformed.get(part)) {
            (Some(now), Ok(deformed)) => now != deformed.copy.id(),
            // A part that was despawned, or let go, is no reason to start again.
            _ => false,
        });
        let new_part = finder.related(entity).iter().any(|&part| {
            finder.mesh(part).is_some() && surface.parts().all(|known| known != part)
        });
        let edited = surface.settings != *settings || surface.examples.as_ref() != examples;
        if other_mesh || new_part || edited {
            release(&mut commands, entity);
        }
    }
    let tried = |(entity, settings, examples): &Candidate| Tried {
        settings: **settings,
        examples: examples.cloned(),
        parts: handles(&finder, &finder.parts(*entity, settings)),
    };
    for (candidate, building) in &building {
        if tried(&candidate) != building.tried {
            commands.entity(candidate.0).try_remove::<(Building, BuildProgress)>();
        }
    }
    for event in events.read() {
        let (AssetEvent::Modified { id } | AssetEvent::Removed { id }) = event else { continue };
        builds.forget(*id);
        for ((entity, ..), fault) in &failed {
            let uses = |tried: &Tried| tried.parts.iter().any(|(_, mesh)| mesh == id);
            if fault.tried.as_ref().is_some_and(uses) {
                commands.entity(entity).try_remove::<MeshFault>();
            }
        }
    }
    for (candidate, fault) in &failed {
        if fault.tried.as_ref() != Some(&tried(&candidate)) {
            commands.entity(candidate.0).try_remove::<MeshFault>();
        }
    }
}

/// Starts builds for bodies whose meshes are all there.
pub(crate) fn start(
    waiting: Query<Candidate, (Without<Building>, Without<DeformedSurface>, Without<MeshFault>)>,
    finder: PartFinder,
    frames: Frames,
    meshes: Res<Assets<Mesh>>,
    mut builds: ResMut<Builds>,
    mut commands: Commands,
) {
    for (entity, settings, examples) in &waiting {
        let parts = handles(&finder, &finder.parts(entity, &settings));
        if parts.is_empty() || parts.iter().any(|&(_, mesh)| !meshes.contains(mesh)) {
            continue;
        }
        let tried = Tried { settings: *settings, examples: examples.cloned(), parts };
        match prepare(entity, &tried, &finder, &frames, &meshes, &mut builds) {
            Ok((job, maps)) => {
                commands
                    .entity(entity)
                    .try_insert((Building { job, tried, maps }, BuildProgress(0.0)));
            }
            Err(error) => fail(&mut commands, entity, error, Some(tried)),
        }
    }
}

type Prepared = (Arc<BuildJob>, Vec<Affine3A>);

fn prepare(
    entity: Entity,
    tried: &Tried,
    finder: &PartFinder,
    frames: &Frames,
    meshes: &Assets<Mesh>,
    builds: &mut Builds,
) -> Result<Prepared, MeshBodyError> {
    let frame = frames.body(entity).ok_or(MeshBodyError::Scale { entity })?;
    let mut maps = Vec::with_capacity(tried.parts.len());
    for &(part, _) in &tried.parts {
        if finder.is_skinned(part) {
            return Err(MeshBodyError::Skinned { entity: part });
        }
        let map = frames.body_from_part(&frame, entity, part);
        maps.push(map.ok_or(MeshBodyError::Scale { entity: part })?);
    }
    let meshes_and_maps = tried.parts.iter().map(|&(_, mesh)| mesh).zip(maps.iter().copied());
    let lattice = tried.settings.request();
    let key = BuildKey::new(meshes_and_maps, lattice, tried.examples.as_ref());
    if let Some(job) = builds.known(&key) {
        return Ok((job, maps));
    }
    let mut surfaces: Vec<(PartSurface, Affine3A)> = Vec::with_capacity(maps.len());
    for (&(part, mesh), &map) in tried.parts.iter().zip(&maps) {
        let Some(mesh) = meshes.get(mesh) else { continue };
        surfaces.push((surface::read(part, mesh)?, map));
    }
    Ok((builds.start(key, surfaces, lattice), maps))
}

/// Binds meshes whose builds are done to their new bodies.
pub(crate) fn finish(
    mut building: Query<(Entity, &Building, &mut BuildProgress)>,
    deformed: Query<&DeformedMesh>,
    mut parts: Query<(&mut Mesh3d, Option<&Aabb>, Has<NoAutoAabb>)>,
    mut transforms: Query<&mut Transform>,
    frames: Frames2,
    mut meshes: ResMut<Assets<Mesh>>,
    mut commands: Commands,
) {
}
