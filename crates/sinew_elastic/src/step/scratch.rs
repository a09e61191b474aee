//! Working memory of a step: made once for a body, never part of its state.

use sinew_math::{F8, Mat3x8, Quad, SimdLevel, Vec3x8};
use smallvec::SmallVec;

use crate::contact::Reaction;
use crate::examples::ExampleBasis;
use crate::shape::ElasticShape;
use crate::shape::stencil::Stencil;

use super::collide::Touch;
use super::sums::ChunkSums;
use super::tasks::MOST_TASKS;
use super::weights::GroupSolver;

/// An affine map of each region of a block: fitted moments first, goals later.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C)]
pub(crate) struct Affine8 {
    pub matrix: Mat3x8,
    pub translation: Vec3x8,
}

impl Affine8 {
    pub const ZERO: Self = Self { matrix: Mat3x8::ZERO, translation: Vec3x8::ZERO };
}

/// Goal of a list region as three rows of four: `row · (x0, 1)`.
pub(crate) type ListGoal = [Quad; 3];

/// Partial sums of one plane and its neighbours.
#[derive(Clone, Debug, Default)]
pub(crate) struct PlaneScratch {
    /// Weighted positions.
    pub weighted: Vec<Vec3x8>,
    /// After the pass along x: sums, and sums by offset in x.
    pub along_x: Vec<[Vec3x8; 2]>,
    /// After the pass along y: sums, by offset in x, by offset in y; a ring of planes.
    pub along_y: Vec<[Vec3x8; 3]>,
    /// Backwards, after the pass along z.
    pub back_z: Vec<[Vec3x8; 3]>,
    /// Backwards, after the pass along y.
    pub back_y: Vec<[Vec3x8; 2]>,
}

impl PlaneScratch {
    fn new(stencil: &Stencil) -> Self {
        // One more than the largest plane: the zero brick, which is never written.
        let bricks = stencil.largest_plane + 1;
        let ring = (2 * stencil.reach() + 1) * bricks;
        Self {
            weighted: vec![Vec3x8::ZERO; bricks],
            along_x: vec![[Vec3x8::ZERO; 2]; bricks],
            along_y: vec![[Vec3x8::ZERO; 3]; ring],
            back_z: vec![[Vec3x8::ZERO; 3]; bricks],
            back_y: vec![[Vec3x8::ZERO; 2]; bricks],
        }
    }
}

/// Working memory of the steps of one body.
///
/// It may be shared by bodies of one shape and basis that are stepped one after the other.
#[derive(Clone, Debug)]
pub struct Scratch {
    /// Fingerprint of the shape.
    shape: u64,
    pub(crate) simd: SimdLevel,
    pub(crate) affine: Vec<Affine8>,
    pub(crate) offsets: Vec<Vec3x8>,
    /// Positions for gathers, where there are lists or colliders.
    pub(crate) quads: Vec<Quad>,
    pub(crate) list_goals: Vec<ListGoal>,
    pub(crate) planes: SmallVec<[PlaneScratch; 2]>,
    pub(crate) sums: Vec<ChunkSums>,
    /// Inner products with the examples: chunk-major, then group, then example.
    pub(crate) products: Vec<f64>,
    pub(crate) lane_products: Vec<F8>,
    /// One solver for each task; the first serves the groups too.
    pub(crate) solvers: SmallVec<[GroupSolver; 2]>,
    /// Contact points inside a collider.
    pub(crate) inside: Vec<u32>,
    pub(crate) reactions: Vec<Reaction>,
    /// Points that touched each collider, over all sub-steps.
    pub(crate) touching: Vec<u32>,
    /// What touched each collider in this sub-step.
    pub(crate) touches: Vec<Touch>,
}

impl Scratch {
    /// Working memory for a body without examples, or with those of `examples`.
    #[must_use]
    pub fn new(shape: &ElasticShape, examples: Option<&ExampleBasis>) -> Self {
        let n = examples.map_or(0, ExampleBasis::example_count);
        let shared_groups = examples.map_or(0, ExampleBasis::shared_group_count);
        let chunks = shape.region_chunks.len();
        let lists = shape.list_count();
        let mut planes = SmallVec::new();
        if let Some(stencil) = &shape.stencil {
            planes.push(PlaneScratch::new(stencil));
        }
        Self {
            shape: shape.fingerprint,
            simd: SimdLevel::Best,
            affine: vec![Affine8::ZERO; shape.region_block_count() + 1],
            offsets: vec![Vec3x8::ZERO; shape.block_count()],
            quads: if lists > 0 {
                vec![Quad::default(); shape.block_count() * 8]
            } else {
                Vec::new()
            },
            list_goals: vec![ListGoal::default(); lists],
            planes,
            sums: vec![ChunkSums::default(); shape.particle_chunks.len()],
            products: vec![0.0; chunks * shared_groups * n],
            lane_products: vec![F8::ZERO; MOST_TASKS * n],
            solvers: SmallVec::from_iter([GroupSolver::new(n)]),
            inside: Vec::new(),
            reactions: Vec::new(),
            touching: Vec::new(),
            touches: Vec::new(),
        }
    }

    /// Whether this is the working memory of such a body.
    pub(crate) fn fits(&self, shape: &ElasticShape, examples: Option<&ExampleBasis>) -> bool {
        let n = examples.map_or(0, ExampleBasis::example_count);
        let groups = examples.map_or(0, ExampleBasis::shared_group_count);
        self.shape == shape.fingerprint
            && self.products.len() == shape.region_chunks.len() * groups * n
            && self.solvers[0].right.len() == n
    }

    /// The same with an instruction set of your choice; results do not depend on it.
    #[must_use]
    pub fn with_simd(mut self, simd: SimdLevel) -> Self {
        self.simd = simd;
        self
    }

    /// What the body did to each collider of the last step, in their order.
    #[must_use]
    pub fn reactions(&self) -> &[Reaction] {
        &self.reactions
    }

    /// Makes scratch memory for each of `tasks`.
    pub(crate) fn fit_tasks(&mut self, shape: &ElasticShape, tasks: usize) {
        let examples = self.solvers[0].right.len();
        while self.solvers.len() < tasks {
            self.solvers.push(GroupSolver::new(examples));
        }
        if let Some(stencil) = &shape.stencil {
            while self.planes.len() < tasks {
                self.planes.push(PlaneScratch::new(stencil));
            }
        }
    }
}
