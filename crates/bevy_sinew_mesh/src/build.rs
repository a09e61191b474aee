//! The work off the main thread: from the triangles of all parts to a shape and an embedding.

use std::ops::ControlFlow;
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, OnceLock, Weak};

use bevy_asset::AssetId;
use bevy_ecs::resource::Resource;
use bevy_math::{Affine3A, Mat3A, Vec3};
use bevy_mesh::Mesh;
use bevy_tasks::{AsyncComputeTaskPool, TaskPool};
use sinew_elastic::lattice::{Lattice, LatticeError, LatticeReport};
use sinew_elastic::mesh::SurfaceMesh;
use sinew_elastic::{
    ElasticShape, Embedding, ExampleBasis, ExampleError, RegionGradients, ShapeError,
};

use crate::examples::MeshExamples;
use crate::surface::PartSurface;

/// A body and how the vertices of its meshes follow it.
#[derive(Debug)]
pub(crate) struct BuiltMesh {
    pub shape: Arc<ElasticShape>,
    /// Of the vertices of all parts, one part after the other.
    pub embedding: Embedding,
    /// How the surroundings of each particle deform; only where some part has normals or tangents.
    pub gradients: Option<RegionGradients>,
    pub parts: Vec<PartVertices>,
    /// In body space, one a vertex; zero where a part has none.
    pub normals: Vec<Vec3>,
    /// In body space, one a vertex; zero where a part has none.
    pub tangents: Vec<Vec3>,
    /// The example poses that were asked for.
    pub examples: Option<Arc<ExampleBasis>>,
    /// What the lattice builder met.
    pub report: LatticeReport,
}

/// The vertices of one part among those of all parts.
#[derive(Clone, Debug)]
pub(crate) struct PartVertices {
    pub range: Range<usize>,
    pub has_normals: bool,
    pub has_tangents: bool,
}

/// Why a job failed.
#[derive(Clone, Debug)]
pub(crate) enum BuildError {
    Lattice(LatticeError),
    Shape(ShapeError),
    Examples(ExampleError),
}

/// What a body is made from; equal keys make equal bodies.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BuildKey {
    /// Each part's mesh, and the bits of `body_from_part`.
    pub parts: Vec<(AssetId<Mesh>, [u32; 12])>,
    lattice: Lattice,
    examples: Option<MeshExamples>,
}

impl BuildKey {
    pub(crate) fn new(
        parts: impl Iterator<Item = (AssetId<Mesh>, Affine3A)>,
        lattice: Lattice,
        examples: Option<MeshExamples>,
    ) -> Self {
        let parts = parts.map(|(id, map)| (id, map.to_cols_array().map(f32::to_bits))).collect();
        Self { parts, lattice, examples }
    }
}

/// A build that runs or has run. Entities share it; when the last of them lets go, it stops.
#[derive(Debug)]
pub(crate) struct BuildJob {
    progress: AtomicU32,
    result: OnceLock<Result<Arc<BuiltMesh>, BuildError>>,
}

impl BuildJob {
    /// Share that is done, 0 to 1.
    pub(crate) fn progress(&self) -> f32 {
        f32::from_bits(self.progress.load(Ordering::Relaxed))
    }

    /// The result, once it is there.
    pub(crate) fn result(&self) -> Option<&Result<Arc<BuiltMesh>, BuildError>> {
        self.result.get()
    }

    /// Starts a build in the pool for long tasks.
    fn spawn(
        parts: Vec<(PartSurface, Affine3A)>,
        lattice: Lattice,
        examples: Option<MeshExamples>,
    ) -> Arc<Self> {
        let job = Arc::new(Self { progress: AtomicU32::new(0), result: OnceLock::new() });
        let watched = Arc::downgrade(&job);
        AsyncComputeTaskPool::get_or_init(TaskPool::new)
            .spawn(async move {
                let result = build(parts, lattice, examples.as_ref(), &mut |share| match watched
                    .upgrade()
                {
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

/// Builds that some entity waits for or uses, so that equal bodies are built once.
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
        parts: Vec<(PartSurface, Affine3A)>,
    ) -> Arc<BuildJob> {
        self.jobs.retain(|(_, job)| job.strong_count() > 0);
        let job = BuildJob::spawn(parts, key.lattice, key.examples.clone());
        self.jobs.push((key, Arc::downgrade(&job)));
        job
    }

    /// Later bodies of this mesh are built anew.
    pub(crate) fn forget(&mut self, mesh: AssetId<Mesh>) {
        self.jobs.retain(|(key, _)| key.parts.iter().all(|&(id, _)| id != mesh));
    }
}

fn build(
    parts: Vec<(PartSurface, Affine3A)>,
    lattice: Lattice,
    examples: Option<&MeshExamples>,
    progress: &mut dyn FnMut(f32) -> ControlFlow<()>,
) -> Result<BuiltMesh, BuildError> {
    let mut surface = SurfaceMesh::default();
    let mut ranges = Vec::with_capacity(parts.len());
    let (mut normals, mut tangents) = (Vec::new(), Vec::new());
    for (part, body_from_part) in &parts {
        let start = surface.positions.len();
        let range = start..start + part.positions.len();
        surface
            .positions
            .extend(part.positions.iter().map(|&p| body_from_part.transform_point3(p)));
        let mirrored = body_from_part.matrix3.determinant() < 0.0;
        surface.triangles.extend(part.triangles.iter().map(|&[a, b, c]| {
            let [b, c] = if mirrored { [c, b] } else { [b, c] };
            [a, b, c].map(|i| i + start as u32)
        }));
        let normal_map = body_from_part.matrix3.inverse().transpose();
        normals.extend(directions(&part.normals, normal_map));
        normals.resize(range.end, Vec3::ZERO);
        let axes: Vec<Vec3> = part.tangents.iter().map(|t| t.truncate()).collect();
        tangents.extend(directions(&axes, body_from_part.matrix3));
        tangents.resize(range.end, Vec3::ZERO);
        ranges.push(PartVertices {
            range,
            has_normals: !part.normals.is_empty(),
            has_tangents: !part.tangents.is_empty(),
        });
    }
    drop(parts);
    let nodes = lattice.build_with_progress(&surface, progress).map_err(BuildError::Lattice)?;
    let shape = ElasticShape::from_lattice(&nodes).map_err(BuildError::Shape)?;
    let examples = match examples {
        None => None,
        Some(examples) => Some(Arc::new(examples.basis(&shape).map_err(BuildError::Examples)?)),
    };
    let has_directions = ranges.iter().any(|part| part.has_normals || part.has_tangents);
    Ok(BuiltMesh {
        examples,
        gradients: has_directions.then(|| RegionGradients::new(&shape)),
        embedding: Embedding::from_lattice(&nodes),
        shape: Arc::new(shape),
        parts: ranges,
        normals,
        tangents,
        report: nodes.report,
    })
}

fn directions(from: &[Vec3], map: Mat3A) -> impl Iterator<Item = Vec3> {
    from.iter().map(move |&d| (map * d).normalize_or_zero())
}
