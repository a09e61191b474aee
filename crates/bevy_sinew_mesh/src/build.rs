//! The work off the main thread: from the triangles of all parts to a skin, and to a shape where there
//! is none yet.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use bevy_asset::AssetId;
use bevy_ecs::entity::Entity;
use bevy_ecs::resource::Resource;
use bevy_math::Affine3A;
use bevy_mesh::Mesh;
use bevy_tasks::{AsyncComputeTaskPool, TaskPool};
use sinew_elastic::lattice::{Lattice, LatticeReport};
use sinew_elastic::{ElasticShape, Embedding};

use crate::body_surface::SurfaceBinding;
use crate::embed::embed;
use crate::error::MeshBodyError;
use crate::skin::{JoinedSurface, Skin};
use crate::source::PartSurface;

/// What a build makes.
#[derive(Debug)]
pub(crate) struct Built {
    pub skin: Skin,
    /// What the lattice builder met; empty where there was nothing to build.
    pub report: LatticeReport,
}

/// What is to be built from the surfaces of meshes.
#[derive(Clone, Debug)]
pub(crate) enum Recipe {
    /// A body in a lattice.
    Lattice(Lattice),
    /// Nothing but how the meshes follow a body that there is.
    Follow(Arc<ElasticShape>, SurfaceBinding),
}

/// What was or is built; equal keys make equal results.
#[derive(Debug)]
pub(crate) struct BuildKey {
    /// Each part's mesh, and the bits of `body_from_part`.
    parts: Vec<(AssetId<Mesh>, [u32; 12])>,
    recipe: RecipeKey,
}

/// A recipe that keeps no shape alive.
#[derive(Debug)]
enum RecipeKey {
    Lattice(Lattice),
    Follow(Weak<ElasticShape>, SurfaceBinding),
}

impl PartialEq for BuildKey {
    fn eq(&self, other: &Self) -> bool {
        self.parts == other.parts
            && match (&self.recipe, &other.recipe) {
                (RecipeKey::Lattice(a), RecipeKey::Lattice(b)) => a == b,
                (RecipeKey::Follow(a, b), RecipeKey::Follow(c, d)) => Weak::ptr_eq(a, c) && b == d,
                _ => false,
            }
    }
}

impl BuildKey {
    pub(crate) fn new(
        parts: impl Iterator<Item = (AssetId<Mesh>, Affine3A)>,
        recipe: &Recipe,
    ) -> Self {
        let parts = parts.map(|(id, map)| (id, map.to_cols_array().map(f32::to_bits))).collect();
        let recipe = match recipe {
            Recipe::Lattice(lattice) => RecipeKey::Lattice(*lattice),
            Recipe::Follow(shape, binding) => {
                RecipeKey::Follow(Arc::downgrade(shape), binding.clone())
            }
        };
        Self { parts, recipe }
    }
}

/// A build that runs or has run. Entities share it; when the last of them lets go, it stops.
#[derive(Debug)]
pub(crate) struct BuildJob {
    progress: AtomicU32,
    result: OnceLock<Result<Arc<Built>, MeshBodyError>>,
}

impl BuildJob {
    /// Share that is done, 0 to 1.
    pub(crate) fn progress(&self) -> f32 {
        f32::from_bits(self.progress.load(Ordering::Relaxed))
    }

    /// The result, once it is there. Errors name the entity that asked first.
    pub(crate) fn result(&self) -> Option<&Result<Arc<Built>, MeshBodyError>> {
        self.result.get()
    }

    /// Starts a build in the pool for long tasks.
    fn spawn(entity: Entity, parts: Vec<(PartSurface, Affine3A)>, recipe: Recipe) -> Arc<Self> {
        let job = Arc::new(Self { progress: AtomicU32::new(0), result: OnceLock::new() });
        let watched = Arc::downgrade(&job);
        AsyncComputeTaskPool::get_or_init(TaskPool::new)
            .spawn(async move {
                let result = build(entity, parts, recipe, &mut |share| match watched.upgrade() {
                    Some(job) => {
                        job.progress.store(share.to_bits(), Ordering::Relaxed);
                        ControlFlow::Continue(())
                    }
                    None => ControlFlow::Break(()),
                });
                if let Some(job) = watched.upgrade() {
                    // Only this task sets the result.
                    let _ = job.result.set(result.map(Arc::new));
                }
            })
            .detach();
        job
    }
}

/// Builds that some entity waits for or uses, so that equal ones are made once.
#[derive(Resource, Debug, Default)]
pub(crate) struct Builds {
    jobs: Vec<(BuildKey, Weak<BuildJob>)>,
}

impl Builds {
    /// The job for this key, when there is one already.
    pub(crate) fn known(&self, key: &BuildKey) -> Option<Arc<BuildJob>> {
        self.jobs.iter().find(|(known, _)| known == key).and_then(|(_, job)| job.upgrade())
    }

    /// Starts a job for a key, from the surfaces of its meshes and `body_from_part` of each.
    pub(crate) fn start(
        &mut self,
        key: BuildKey,
        entity: Entity,
        parts: Vec<(PartSurface, Affine3A)>,
        recipe: Recipe,
    ) -> Arc<BuildJob> {
        self.jobs.retain(|(_, job)| job.strong_count() > 0);
        let job = BuildJob::spawn(entity, parts, recipe);
        self.jobs.push((key, Arc::downgrade(&job)));
        job
    }

    /// What is made of this mesh later is built anew.
    pub(crate) fn forget(&mut self, mesh: AssetId<Mesh>) {
        self.jobs.retain(|(key, _)| key.parts.iter().all(|&(id, _)| id != mesh));
    }
}

fn build(
    entity: Entity,
    parts: Vec<(PartSurface, Affine3A)>,
    recipe: Recipe,
    progress: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<Built, MeshBodyError> {
    let joined = JoinedSurface::new(&parts);
    drop(parts);
    match recipe {
        Recipe::Follow(shape, binding) => {
            let embedding = embed(entity, &shape, &binding, &joined.surface.positions)?;
            let skin = Skin::new(shape, embedding, joined);
            Ok(Built { skin, report: LatticeReport::default() })
        }
        Recipe::Lattice(lattice) => {
            let nodes = lattice
                .build_with_progress(&joined.surface, progress)
                .map_err(|error| MeshBodyError::Lattice { entity, error })?;
            let shape = ElasticShape::from_lattice(&nodes)
                .map_err(|error| MeshBodyError::Shape { entity, error })?;
            let embedding = Arc::new(Embedding::from_lattice(&nodes));
            let skin = Skin::new(Arc::new(shape), embedding, joined);
            Ok(Built { skin, report: nodes.report })
        }
    }
}
