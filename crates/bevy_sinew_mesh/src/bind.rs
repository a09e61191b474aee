//! Who waits, is built, is bound, or failed: the way of a request, the same for meshes that become a
//! body and for meshes that follow one.

use std::sync::Arc;

use bevy_asset::{AssetEvent, AssetId, AssetServer, Assets, LoadState};
use bevy_camera::primitives::Aabb;
use bevy_camera::visibility::NoAutoAabb;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_math::{Affine3A, Vec3};
use bevy_mesh::{Mesh, Mesh3d};
use bevy_sinew_bodies::{BodyMotion, DeformableBody, ExampleBases, ExampleSet};
use bevy_transform::components::Transform;

use crate::build::{BuildJob, BuildKey, Builds, Built, Recipe};
use crate::error::MeshBodyError;
use crate::examples::{ExampleJob, ExampleMaker};
use crate::fault::{MeshFault, fail_request};
use crate::follow::DeformedSurface;
use crate::formats;
use crate::frame::Frames;
use crate::release::{DeformedMesh, release};
use crate::request::{Asking, IsAsking, Request, RequestReader, Way};
use crate::settings::{BuildProgress, MeshSharing};
use crate::source::{self, PartSurface};

/// A request whose build runs.
#[derive(Component, Debug)]
pub(crate) struct Building {
    job: Arc<BuildJob>,
    request: Request,
    prepared: Prepared,
    /// The example poses of a body whose shape is made.
    examples: Option<Arc<ExampleJob>>,
}

/// What the transforms of a body and its parts said when the build started.
#[derive(Clone, Debug)]
struct Prepared {
    /// Scale for the entity of a body that is made; `None` where the body is there already.
    unit_scale: Option<Vec3>,
    /// Of each part: whether it is mirrored in the world.
    mirrored: Vec<bool>,
}

/// Lets go of meshes whose settings, body or handle are no longer those that they were bound with.
pub(crate) fn review(
    bound: Query<(Asking, &DeformedSurface), IsAsking>,
    building: Query<(Asking, &Building), IsAsking>,
    deformed: Query<&DeformedMesh>,
    reader: RequestReader,
    mut commands: Commands,
) {
    for (asking, surface) in &bound {
        let other_mesh =
            surface.parts().any(|part| match (reader.finder.mesh(part), deformed.get(part)) {
                (Some(now), Ok(deformed)) => now != deformed.copy().id(),
                // A part that was despawned, or let go, is no reason to start again.
                _ => false,
            });
        let new_part = matches!(surface.request.way, Way::Become(..))
            && reader.finder.related(asking.entity).iter().any(|&part| {
                reader.finder.mesh(part).is_some() && surface.parts().all(|known| known != part)
            });
        if other_mesh || new_part || reader.is_edited(&asking, &surface.request) {
            release(&mut commands, asking.entity, &surface.request.way);
        }
    }
    for (asking, building) in &building {
        if reader.is_outdated(&asking, &building.request) {
            commands.entity(asking.entity).try_remove::<(Building, BuildProgress)>();
        }
    }
}

/// Lets requests that failed try again once something changed.
pub(crate) fn retry(
    failed: Query<(Asking, &MeshFault), (IsAsking, Without<DeformedSurface>)>,
    deformed: Query<&DeformedMesh>,
    reader: RequestReader,
    frames: Frames,
    mut events: MessageReader<AssetEvent<Mesh>>,
    mut builds: ResMut<Builds>,
    mut commands: Commands,
) {
    for event in events.read() {
        let (id, is_new) = match event {
            AssetEvent::Modified { id } | AssetEvent::Removed { id } => (*id, false),
            AssetEvent::Added { id } => (*id, true),
            _ => continue,
        };
        // What bodies write themselves is no edit.
        if deformed.iter().any(|deformed| deformed.copy().id() == id) {
            continue;
        }
        if !is_new {
            builds.forget(id);
        }
        for (asking, fault) in &failed {
            let could_not_load = matches!(fault.error, MeshBodyError::Load { .. });
            if fault.is_about(id) && (!is_new || could_not_load) {
                commands.entity(asking.entity).try_remove::<MeshFault>();
            }
        }
    }
    for (asking, fault) in &failed {
        let entity = asking.entity;
        let is_scaled = fault.is_scale().is_some_and(|tried| {
            frames.body(tried.way.body(entity)).is_some_and(|frame| {
                tried.parts.iter().all(|&(part, _)| {
                    frames.body_from_part(&frame, tried.way.body(entity), part).is_some()
                })
            })
        });
        let outdated = fault.tried.as_ref().is_none_or(|tried| reader.is_outdated(&asking, tried));
        if outdated || is_scaled {
            commands.entity(entity).try_remove::<MeshFault>();
        }
    }
}

/// Starts builds for requests whose meshes are all there.
pub(crate) fn start(
    waiting: Query<
        Asking,
        (IsAsking, Without<Building>, Without<DeformedSurface>, Without<MeshFault>),
    >,
    reader: RequestReader,
    frames: Frames,
    sources: Sources,
    mut builds: ResMut<Builds>,
    mut commands: Commands,
) {
    for asking in &waiting {
        let entity = asking.entity;
        let Some(request) = reader.read(&asking) else { continue };
        let missing = request.parts.iter().find(|&&(_, mesh)| !sources.meshes.contains(mesh));
        if let Some(&(part, mesh)) = missing {
            if let Some(error) = sources.lost(part, mesh) {
                fail_request(&mut commands, entity, error, request);
            }
            continue;
        }
        if request.parts.is_empty() {
            continue;
        }
        let started = reader.recipe(&asking, &request).and_then(|recipe| {
            let Some(recipe) = recipe else { return Ok(None) };
            prepare(entity, &request, recipe, &reader, &frames, &sources, &mut builds).map(Some)
        });
        match started {
            Ok(None) => {}
            Ok(Some((job, prepared))) => {
                let building = Building { job, request, prepared, examples: None };
                commands.entity(entity).try_insert((building, BuildProgress(0.0)));
            }
            Err(error) => fail_request(&mut commands, entity, error, request),
        }
    }
}

/// Meshes as they are at rest, and why some are not there.
#[derive(SystemParam)]
pub(crate) struct Sources<'w, 's> {
    meshes: Res<'w, Assets<Mesh>>,
    deformed: Query<'w, 's, &'static DeformedMesh>,
    server: Option<Res<'w, AssetServer>>,
}

impl Sources<'_, '_> {
    /// A mesh, or what it was before a body began to write it.
    fn get(&self, id: AssetId<Mesh>) -> Option<&Mesh> {
        let mut written = self.deformed.iter().filter(|deformed| deformed.copy().id() == id);
        written.find_map(DeformedMesh::original).or_else(|| self.meshes.get(id))
    }

    /// The error of a mesh that will not come.
    fn lost(&self, entity: Entity, mesh: AssetId<Mesh>) -> Option<MeshBodyError> {
        let server = self.server.as_deref()?;
        let LoadState::Failed(error) = server.get_load_state(mesh)? else { return None };
        let path = server.get_path(mesh).map_or_else(|| "?".to_owned(), |path| path.to_string());
        Some(MeshBodyError::Load { entity, path, reason: error.to_string() })
    }
}

fn prepare(
    entity: Entity,
    request: &Request,
    recipe: Recipe,
    reader: &RequestReader,
    frames: &Frames,
    sources: &Sources,
    builds: &mut Builds,
) -> Result<(Arc<BuildJob>, Prepared), MeshBodyError> {
    let body = request.way.body(entity);
    let mut maps = Vec::with_capacity(request.parts.len());
    let frame = frames.body(body).ok_or(MeshBodyError::Scale { entity: body })?;
    for &(part, _) in &request.parts {
        if reader.finder.is_skinned(part) {
            return Err(MeshBodyError::Skinned { entity: part });
        }
        let map = frames.body_from_part(&frame, body, part);
        maps.push(map.ok_or(MeshBodyError::Scale { entity: part })?);
    }
    let mirrored = maps.iter().map(|map| map.matrix3.determinant() < 0.0).collect();
    let is_made = matches!(request.way, Way::Become(..));
    let prepared = Prepared { unit_scale: is_made.then_some(frame.unit_scale), mirrored };
    let parts = request.parts.iter().map(|&(_, mesh)| mesh).zip(maps.iter().copied());
    let key = BuildKey::new(parts, &recipe);
    if let Some(job) = builds.known(&key) {
        return Ok((job, prepared));
    }
    let mut surfaces: Vec<(PartSurface, Affine3A)> = Vec::with_capacity(maps.len());
    for (&(part, mesh), &map) in request.parts.iter().zip(&maps) {
        let Some(mesh) = sources.get(mesh) else { continue };
        surfaces.push((source::read(part, mesh)?, map));
    }
    Ok((builds.start(key, entity, surfaces, recipe), prepared))
}

type BoundPart<'a> = (&'a mut Mesh3d, Option<&'a Aabb>, Has<NoAutoAabb>);

/// Binds meshes whose builds are done.
pub(crate) fn finish(
    mut building: Query<(Entity, &mut Building, Option<&ExampleSet>, &mut BuildProgress)>,
    bases: ResMut<ExampleBases>,
    mut parts: Query<BoundPart>,
    deformed: Query<&DeformedMesh>,
    mut transforms: Query<&mut Transform>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut commands: Commands,
) {
    let mut shared: Vec<AssetId<Mesh>> = Vec::new();
    let jobs = building.iter().filter_map(|(_, building, ..)| building.examples.clone());
    let mut maker = ExampleMaker::new(bases.into(), jobs.collect());
    for (entity, mut building, set, mut progress) in &mut building {
        let Building { job, request, prepared, examples } = &mut *building;
        let built = match job.result() {
            None => {
                progress.set_if_neq(BuildProgress(job.progress()));
                continue;
            }
            Some(Err(error)) => {
                let error = error.clone().at(entity);
                fail_request(&mut commands, entity, error, request.clone());
                continue;
            }
            Some(Ok(built)) => built,
        };
        if let (Way::Become(_), Some(set)) = (&request.way, set)
            && !maker.is_ready(set, &built.skin.shape, examples)
        {
            continue;
        }
        commands.entity(entity).try_remove::<(Building, BuildProgress)>();
        if !is_unchanged(request, built, &parts, &meshes) {
            // The next frame starts again with the meshes of then.
            continue;
        }
        if request.sharing == MeshSharing::WriteToSource {
            let is_taken = |id: AssetId<Mesh>| {
                shared.contains(&id) || deformed.iter().any(|d| d.copy().id() == id)
            };
            if request.parts.iter().any(|&(_, id)| is_taken(id)) {
                let error = MeshBodyError::SharedTwice { entity };
                fail_request(&mut commands, entity, error, request.clone());
                continue;
            }
            shared.extend(request.parts.iter().map(|&(_, id)| id));
        }
        let mut surface = DeformedSurface::new(job.clone(), built, request, entity);
        if let Some(unit_scale) = prepared.unit_scale {
            let Ok(mut transform) = transforms.get_mut(entity) else { continue };
            surface.scale_before = Some(transform.scale);
            if transform.scale != unit_scale {
                transform.scale = unit_scale;
            }
        }
        for (&(part, _), &mirrored) in request.parts.iter().zip(&prepared.mirrored) {
            let Ok((mut mesh, bounds, own_bounds)) = parts.get_mut(part) else { continue };
            let bounds = bounds.filter(|_| own_bounds).copied();
            let follower =
                DeformedMesh::take(entity, &mut mesh, request.sharing, bounds, &mut meshes);
            let Some(follower) = follower else { continue };
            surface.add_part(part, follower.copy().id(), mirrored);
            commands.entity(part).try_insert((follower, Aabb::default(), NoAutoAabb));
        }
        let body = request.way.body(entity);
        commands.entity(body).try_insert_if_new(BodyMotion::default());
        if let Way::Become(..) = request.way {
            commands.entity(entity).try_insert(DeformableBody::new(built.skin.shape.clone()));
        }
        commands.entity(entity).try_insert(surface);
    }
}

/// Whether the meshes are still those that were read.
fn is_unchanged(
    request: &Request,
    built: &Built,
    parts: &Query<BoundPart>,
    meshes: &Assets<Mesh>,
) -> bool {
    let mut both = request.parts.iter().zip(&built.skin.parts);
    both.all(|(&(part, mesh), vertices)| {
        parts.get(part).is_ok_and(|(now, ..)| now.id() == mesh)
            && meshes.get(mesh).is_some_and(|mesh| {
                source::is_on_cpu(mesh) && source::vertex_count(mesh) == vertices.range.len()
            })
    })
}

impl DeformedMesh {
    /// Takes the mesh of an entity: from now on a body writes it.
    fn take(
        body: Entity,
        shown: &mut Mesh3d,
        sharing: MeshSharing,
        bounds: Option<Aabb>,
        meshes: &mut Assets<Mesh>,
    ) -> Option<Self> {
        let source = shown.0.clone();
        let original = meshes.get(&source)?.clone();
        match sharing {
            MeshSharing::OwnCopy => {
                let mut copy = original;
                formats::unpack(&mut copy).ok()?;
                shown.0 = meshes.add(copy);
                Some(Self::new(body, source, shown.0.clone(), None, bounds))
            }
            MeshSharing::WriteToSource => {
                let mut written = meshes.get_mut(&source)?;
                formats::unpack(&mut written).ok()?;
                drop(written);
                Some(Self::new(body, source.clone(), source, Some(original), bounds))
            }
        }
    }
}
