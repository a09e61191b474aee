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

use crate::build::{BuildError, BuildJob, BuildKey, Builds};
use crate::error::MeshBodyError;
use crate::examples::MeshExamples;
use crate::follow::DeformedSurface;
use crate::frame::Frames;
use crate::parts::PartFinder;
use crate::settings::{BuildProgress, DeformableMesh, DeformableMeshPart};
use crate::surface::{self, PartSurface};

/// What is wrong with the meshes of a [`DeformableMesh`]; not there when all is well.
///
/// The log has the same as one warning. Observe `On<Add, MeshFault>` to react. It goes, and the body is
/// built, once the settings, a mesh handle, a mesh, or a scale of zero are changed.
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
#[derive(Clone, Debug)]
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
    prepared: Prepared,
}

/// What the transforms of a body and its parts said when the build started.
#[derive(Clone, Debug)]
struct Prepared {
    unit_scale: Vec3,
    /// Of each part: whether it is mirrored in the world.
    mirrored: Vec<bool>,
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

/// What a body is to be made from.
type Wanted<'a> = (Entity, Ref<'a, DeformableMesh>, Option<Ref<'a, MeshExamples>>);

impl Tried {
    /// Whether something else is wanted by now. Ticks are compared, not values: numbers that are no
    /// numbers are never equal.
    fn is_outdated(&self, (entity, settings, examples): &Wanted, finder: &PartFinder) -> bool {
        settings.is_changed()
            || examples.as_ref().is_some_and(Ref::is_changed)
            || examples.is_some() != self.examples.is_some()
            || handles(finder, &finder.parts(*entity, settings)) != self.parts
    }
}

/// Lets go of bodies whose settings or meshes are no longer those that they were made from.
pub(crate) fn review(
    bound: Query<(Wanted, &DeformedSurface)>,
    building: Query<(Wanted, &Building)>,
    deformed: Query<&DeformedMesh>,
    finder: PartFinder,
    mut commands: Commands,
) {
    for ((entity, settings, examples), surface) in &bound {
        let other_mesh =
            surface.parts().any(|part| match (finder.mesh(part), deformed.get(part)) {
                (Some(now), Ok(deformed)) => now != deformed.copy.id(),
                // A part that was despawned, or let go, is no reason to start again.
                _ => false,
            });
        let new_part = finder
            .related(entity)
            .iter()
            .any(|&part| finder.mesh(part).is_some() && surface.parts().all(|known| known != part));
        let edited =
            surface.settings != *settings || surface.examples.as_ref() != examples.as_deref();
        if other_mesh || new_part || edited {
            release(&mut commands, entity);
        }
    }
    for (wanted, building) in &building {
        if building.tried.is_outdated(&wanted, &finder) {
            commands.entity(wanted.0).try_remove::<(Building, BuildProgress)>();
        }
    }
}

/// Lets bodies that failed try again once something changed.
pub(crate) fn retry(
    failed: Query<(Wanted, &MeshFault), Without<DeformedSurface>>,
    finder: PartFinder,
    frames: Frames,
    mut events: MessageReader<AssetEvent<Mesh>>,
    mut builds: ResMut<Builds>,
    mut commands: Commands,
) {
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
    for (wanted, fault) in &failed {
        let entity = wanted.0;
        let scaled = |tried: &Tried| {
            matches!(fault.error, MeshBodyError::Scale { .. })
                && frames.body(entity).is_some_and(|frame| {
                    let mut parts = tried.parts.iter();
                    parts.all(|&(part, _)| frames.body_from_part(&frame, entity, part).is_some())
                })
        };
        if fault
            .tried
            .as_ref()
            .is_none_or(|tried| tried.is_outdated(&wanted, &finder) || scaled(tried))
        {
            commands.entity(entity).try_remove::<MeshFault>();
        }
    }
}

/// Starts builds for bodies whose meshes are all there.
pub(crate) fn start(
    waiting: Query<Wanted, (Without<Building>, Without<DeformedSurface>, Without<MeshFault>)>,
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
        let tried = Tried { settings: *settings, examples: examples.as_deref().cloned(), parts };
        match prepare(entity, &tried, &finder, &frames, &meshes, &mut builds) {
            Ok((job, prepared)) => {
                commands
                    .entity(entity)
                    .try_insert((Building { job, tried, prepared }, BuildProgress(0.0)));
            }
            Err(error) => fail(&mut commands, entity, error, Some(tried)),
        }
    }
}

fn prepare(
    entity: Entity,
    tried: &Tried,
    finder: &PartFinder,
    frames: &Frames,
    meshes: &Assets<Mesh>,
    builds: &mut Builds,
) -> Result<(Arc<BuildJob>, Prepared), MeshBodyError> {
    let frame = frames.body(entity).ok_or(MeshBodyError::Scale { entity })?;
    let mut maps = Vec::with_capacity(tried.parts.len());
    for &(part, _) in &tried.parts {
        if finder.is_skinned(part) {
            return Err(MeshBodyError::Skinned { entity: part });
        }
        let map = frames.body_from_part(&frame, entity, part);
        maps.push(map.ok_or(MeshBodyError::Scale { entity: part })?);
    }
    let mirrored = maps.iter().map(|map| map.matrix3.determinant() < 0.0).collect();
    let prepared = Prepared { unit_scale: frame.unit_scale, mirrored };
    let parts = tried.parts.iter().map(|&(_, mesh)| mesh).zip(maps.iter().copied());
    let key = BuildKey::new(parts, tried.settings.request(), tried.examples.clone());
    if let Some(job) = builds.known(&key) {
        return Ok((job, prepared));
    }
    let mut surfaces: Vec<(PartSurface, Affine3A)> = Vec::with_capacity(maps.len());
    for (&(part, mesh), &map) in tried.parts.iter().zip(&maps) {
        let Some(mesh) = meshes.get(mesh) else { continue };
        surfaces.push((surface::read(part, mesh)?, map));
    }
    Ok((builds.start(key, surfaces), prepared))
}

/// Binds meshes whose builds are done to their new bodies.
pub(crate) fn finish(
    mut building: Query<(Entity, &Building, &mut BuildProgress)>,
    mut parts: Query<(&mut Mesh3d, Option<&Aabb>, Has<NoAutoAabb>)>,
    mut transforms: Query<&mut Transform>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut commands: Commands,
) {
    for (entity, building, mut progress) in &mut building {
        let built = match building.job.result() {
            None => {
                progress.set_if_neq(BuildProgress(building.job.progress()));
                continue;
            }
            Some(Err(error)) => {
                let error = match error.clone() {
                    BuildError::Lattice(error) => MeshBodyError::Lattice { entity, error },
                    BuildError::Shape(error) => MeshBodyError::Shape { entity, error },
                    BuildError::Examples(error) => MeshBodyError::Examples { entity, error },
                };
                fail(&mut commands, entity, error, Some(building.tried.clone()));
                continue;
            }
            Some(Ok(built)) => built,
        };
        commands.entity(entity).try_remove::<(Building, BuildProgress)>();
        let mut both = building.tried.parts.iter().zip(&built.parts);
        let unchanged = both.all(|(&(part, mesh), vertices)| {
            parts.get(part).is_ok_and(|(now, ..)| now.id() == mesh)
                && meshes.get(mesh).is_some_and(|mesh| {
                    surface::is_on_cpu(mesh) && surface::vertex_count(mesh) == vertices.range.len()
                })
        });
        if !unchanged {
            // The next frame starts again with the meshes of then.
            continue;
        }
        let Ok(mut transform) = transforms.get_mut(entity) else { continue };
        let mut surface = DeformedSurface::new(building.job.clone(), built, &building.tried);
        surface.scale_before = transform.scale;
        if transform.scale != building.prepared.unit_scale {
            transform.scale = building.prepared.unit_scale;
        }
        for (&(part, _), &mirrored) in building.tried.parts.iter().zip(&building.prepared.mirrored)
        {
            let Ok((mut mesh, bounds, own_bounds)) = parts.get_mut(part) else { continue };
            let Some(copy) = meshes.get(&mesh.0).cloned() else { continue };
            let copy = meshes.add(copy);
            let source = core::mem::replace(&mut mesh.0, copy.clone());
            surface.add_part(part, copy.id(), mirrored);
            let bounds = bounds.filter(|_| own_bounds).copied();
            let follower = DeformedMesh { body: entity, source, copy, bounds };
            commands.entity(part).try_insert((follower, Aabb::default(), NoAutoAabb));
        }
        let mut entity = commands.entity(entity);
        entity.try_insert((
            DeformableBody::new(built.shape.clone()),
            BodyMotion::default(),
            surface,
        ));
        if let Some(basis) = &built.examples {
            entity.try_insert(ExampleSet::new(basis.clone()));
        }
    }
}

/// Reports an error, once.
pub(crate) fn fail(
    commands: &mut Commands,
    entity: Entity,
    error: MeshBodyError,
    tried: Option<Tried>,
) {
    log::warn!("DeformableMesh of {entity}: {error}");
    let fault = MeshFault { reason: error.to_string(), error, tried };
    commands.entity(entity).try_remove::<(Building, BuildProgress)>().try_insert(fault);
}

fn handles(finder: &PartFinder, parts: &[Entity]) -> Vec<(Entity, AssetId<Mesh>)> {
    parts.iter().filter_map(|&part| Some((part, finder.mesh(part)?))).collect()
}

/// Takes away all that was made for a body.
fn release(commands: &mut Commands, entity: Entity) {
    commands.entity(entity).try_remove::<(
        Building,
        BuildProgress,
        MeshFault,
        DeformedSurface,
        DeformableBody,
        BodyMotion,
    )>();
}

/// The component that made the body takes it away again.
pub(crate) fn on_remove_settings(removed: On<Remove, DeformableMesh>, mut commands: Commands) {
    release(&mut commands, removed.entity);
}

/// Lets go of all parts, and gives the entity its scale back.
pub(crate) fn on_remove_surface(
    removed: On<Remove, DeformedSurface>,
    mut surfaces: Query<(&DeformedSurface, &mut Transform)>,
    mut commands: Commands,
) {
    let Ok((surface, mut transform)) = surfaces.get_mut(removed.entity) else { return };
    if transform.scale != surface.scale_before {
        transform.scale = surface.scale_before;
    }
    for part in surface.parts() {
        commands.entity(part).try_remove::<DeformedMesh>();
    }
    if surface.built.examples.is_some() {
        commands.entity(removed.entity).try_remove::<ExampleSet>();
    }
}

/// A part that leaves its body goes back to the mesh that it had.
pub(crate) fn on_remove_part(removed: On<Remove, DeformableMeshPart>, mut commands: Commands) {
    commands.entity(removed.entity).try_remove::<DeformedMesh>();
}

/// Gives a part its mesh and its bounds back; the copy is freed with its last handle.
pub(crate) fn on_remove_deformed(
    removed: On<Remove, DeformedMesh>,
    mut parts: Query<(&DeformedMesh, &mut Mesh3d)>,
    mut commands: Commands,
) {
    let Ok((deformed, mut mesh)) = parts.get_mut(removed.entity) else { return };
    if mesh.0 == deformed.copy {
        mesh.0 = deformed.source.clone();
    }
    let mut part = commands.entity(removed.entity);
    match deformed.bounds {
        Some(bounds) => part.try_insert(bounds),
        // Without them, Bevy computes new ones.
        None => part.try_remove::<(NoAutoAabb, Aabb)>(),
    };
}
