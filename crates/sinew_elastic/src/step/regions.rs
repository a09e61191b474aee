//! What happens in each region: fit a deformation, find its rotation and strain, set the goal.

use core::array;
use core::ops::Range;

use glam::{Vec3, Vec4};
use sinew_math::rotation::follow;
use sinew_math::lane::{Lane, LaneWork, M3, Q4, S3, SimdLevel, V3, dispatch};
use sinew_math::{F8, LANES, Mat3x8, Quad, Quatx8, Vec3x8};

use crate::examples::{ExampleBasis, Grouping};
use crate::shape::ElasticShape;
use crate::weight_set::{WeightSet, WeightSolver};

use super::scratch::{Affine8, ListGoal, PlaneScratch};

/// How a pass over the regions treats the examples.
#[derive(Clone, Copy)]
pub(crate) enum Pass<'a> {
    /// No examples: the goal is the rest shape.
    Plain,
    /// Describe the strain and gather inner products; goals follow in a second pass.
    Describe(&'a ExampleBasis),
    /// The weights are known: set goals at once.
    Blend(&'a ExampleBasis, &'a [f32]),
    /// One group a region: describe, solve and set goals at once.
    Local(&'a ExampleBasis, Solve),
}

/// How weights are found from inner products.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Solve {
    pub set: WeightSet,
    /// Share of an example's strain that is kept.
    pub beta: f64,
    /// As published: weights shrink after the solve, where the default is a ridge in it.
    pub published: bool,
}

/// Ridge on the Gram matrix, relative to its mean diagonal: tells duplicate examples apart.
const TIE_RIDGE: f64 = 1e-6;

/// The part of a body's regions that one task works on.
pub(crate) struct RegionTask<'a> {
    pub chunks: Range<usize>,
    /// First block and first list of the slices below.
    pub first_block: usize,
    pub first_list: usize,
    pub affine: &'a mut [Affine8],
    pub rotations: &'a mut [Quatx8],
    pub goal_rotations: &'a mut [Quatx8],
    pub list_goals: &'a mut [ListGoal],
    pub planes: &'a mut [PlaneScratch],
    /// Inner products of the task's chunks.
    pub products: &'a mut [f64],
    pub lane_products: &'a mut [F8],
    /// Weights of the task's region slots, for [`Pass::Local`].
    pub local_weights: &'a mut [f32],
    pub solver: Option<&'a mut LocalSolver>,
}

/// A solver of its own for a task that solves region by region.
#[derive(Clone, Debug)]
pub(crate) struct LocalSolver {
    pub solver: WeightSolver,
    pub gram: Vec<f64>,
    pub right: Vec<f64>,
    pub solution: Vec<f64>,
}

impl LocalSolver {
    pub fn new(n: usize) -> Self {
        Self {
            solver: WeightSolver::new(n),
            gram: vec![0.0; n * n],
            right: vec![0.0; n],
            solution: vec![0.0; n],
        }
    }

    /// Solves for the weights that go with the inner products in `right`, starting from `weights`.
    ///
    /// The ridge `G (1 − β) / β` makes a lone weight `β` times its projection, as the published scaling
    /// does, but as the minimiser of an energy.
    pub fn solve(&mut self, how: Solve, gram: &[f64], weights: &mut [f32]) {
        let n = self.right.len();
        if !self.right.iter().all(|v| v.is_finite()) {
            return;
        }
        if how.beta <= 0.0 {
            weights.fill(0.0);
            return;
        }
        self.gram.copy_from_slice(gram);
        let tie = TIE_RIDGE * (0..n).map(|k| gram[k * n + k]).sum::<f64>() / n as f64;
        let returning = if how.published { 0.0 } else { (1.0 - how.beta) / how.beta };
        for k in 0..n {
            self.gram[k * n + k] += tie.max(gram[k * n + k] * returning);
        }
        for (to, &from) in self.solution.iter_mut().zip(&*weights) {
            *to = f64::from(from);
        }
        self.solver.solve(how.set, &self.gram, &self.right, &mut self.solution);
        let scale = if how.published { how.beta } else { 1.0 };
        for (to, &from) in weights.iter_mut().zip(&self.solution) {
            *to = (from * scale) as f32;
        }
    }
}

/// What all tasks of a pass read.
pub(crate) struct RegionInput<'a> {
    pub shape: &'a ElasticShape,
    pub positions: &'a [Vec3x8],
    pub quads: &'a [Quad],
    pub pass: Pass<'a>,
    /// Goals turn with the polar rotation, as published.
    pub polar_goals: bool,
}

impl RegionTask<'_> {
    /// Fits every region of the task's chunks, for half-width `W` where there is a stencil.
    #[inline(always)]
    fn run<L: Lane, const W: usize>(&mut self, t: L::Token, input: &RegionInput<'_>) {
        let shape = input.shape;
        let planes = shape.stencil.as_ref().map_or(0, |s| s.planes());
        let mut summed = 0;
        for chunk in self.chunks.clone() {
            self.lane_products.fill(F8::ZERO);
            if let Some(stencil) = shape.stencil.as_ref().filter(|_| chunk < planes) {
                // Planes are summed once, as the chunk that reaches farthest needs them.
                let reach = stencil.reach();
                let from = if chunk == self.chunks.start { chunk.saturating_sub(reach) } else { summed };
                let to = (chunk + reach + 1).min(planes);
                for plane in from.max(summed)..to {
                    self.planes[0].sum_plane::<L, W>(t, stencil, input.positions, plane);
                }
                summed = to;
            }
            for block in shape.region_chunks[chunk].clone() {
                let zero = V3::splat(t, Vec3::ZERO);
                let (mut moment, mut center) = (M3 { cols: [zero; 3] }, zero);
                if let Some(stencil) = shape.stencil.as_ref().filter(|_| chunk < planes) {
                    let (sum, by_offset) = self.planes[0].moments::<L, W>(t, stencil, chunk, block);
                    let c = V3::load(t, &stencil.center[block]);
                    let [x, y, z] = by_offset;
                    moment = M3 { cols: [x - sum * c.x, y - sum * c.y, z - sum * c.z] };
                    center = sum * L::load(t, &stencil.inverse_weight[block]);
                }
                if !shape.lists.is_empty() {
                    (moment, center) = fit_lists(t, shape, input.quads, block, moment, center);
                }
                self.block::<L>(t, input, chunk, block, moment, center);
            }
            self.store_products(input, chunk);
        }
    }

    #[inline(always)]
    fn block<L: Lane>(
        &mut self,
        t: L::Token,
        input: &RegionInput<'_>,
        chunk: usize,
        block: usize,
        moment: M3<L>,
        center: V3<L>,
    ) {
        let shape = input.shape;
        let local = block - self.first_block;
        let matrix = match input.pass {
            Pass::Plain if input.polar_goals => {
                self.polar(shape, block, moment).to_matrix()
            }
            Pass::Plain => {
                let rotation = follow(moment, Q4::load(t, &self.goal_rotations[local]));
                rotation.store_to(&mut self.goal_rotations[local]);
                rotation.to_matrix()
            }
            Pass::Blend(basis, weights) => {
                if input.polar_goals {
                    self.polar(shape, block, moment);
                }
                let strain = target_strain::<L>(t, basis, weights, block);
                self.target(local, moment, strain, input.polar_goals)
            }
            Pass::Describe(basis) => {
                let excess = self.describe(shape, block, moment);
                self.gather(basis, chunk, block, excess);
                let stored = &mut self.affine[local];
                moment.store_to(&mut stored.matrix);
                center.store_to(&mut stored.translation);
                return;
            }
            Pass::Local(basis, how) => {
                let excess = self.describe(shape, block, moment);
                self.solve_locally(basis, how, block, excess);
                let n = basis.example_count();
                let weights = &self.local_weights[local * LANES * n..(local + 1) * LANES * n];
                let strain = lane_strain::<L>(t, basis, weights, block);
                self.target(local, moment, strain, input.polar_goals)
            }
        };
        self.set_goal(shape, block, matrix, center);
    }

    /// Follows the rotation of the fitted deformation `F = A A_qq⁻¹` (eq. 1).
    #[inline(always)]
    fn polar<L: Lane>(&mut self, shape: &ElasticShape, block: usize, moment: M3<L>) -> Q4<L> {
        let t = moment.cols[0].x.token();
        let stored = &mut self.rotations[block - self.first_block];
        let previous = Q4::load(t, stored);
        let mut fitted = moment.mul_sym(S3::load(t, &shape.inverse_moment[block]));
        if let Some(projector) = &shape.null_projector[block] {
            fitted = fitted + previous.to_matrix().mul_sym(S3::load(t, projector));
        }
        let rotation = follow(fitted, previous);
        rotation.store_to(stored);
        rotation
    }

    /// `sym(Rᵀ A) − A_qq`: the strain, weighted by the moment, that inner products are taken of.
    #[inline(always)]
    fn describe<L: Lane>(&mut self, shape: &ElasticShape, block: usize, moment: M3<L>) -> S3<L> {
        let rotation = self.polar(shape, block, moment).to_matrix();
        let rest = S3::load(moment.cols[0].x.token(), &shape.moment[block]);
        rotation.transpose_mul(moment).symmetric_part().zip(rest, #[inline(always)] |a, b| a - b)
    }

    /// The goal's linear map `R S̄`.
    #[inline(always)]
    fn target<L: Lane>(
        &mut self,
        local: usize,
        moment: M3<L>,
        strain: S3<L>,
        polar_goals: bool,
    ) -> M3<L> {
        let t = moment.cols[0].x.token();
        let rotation = if polar_goals {
            Q4::load(t, &self.rotations[local])
        } else {
            follow(moment.mul_sym(strain), Q4::load(t, &self.goal_rotations[local]))
        };
        rotation.store_to(&mut self.goal_rotations[local]);
        rotation.to_matrix().mul_sym(strain)
    }

    /// The second pass of a described block: its weights are known now.
    #[inline(always)]
    fn retarget<L: Lane>(
        &mut self,
        t: L::Token,
        input: &RegionInput<'_>,
        basis: &ExampleBasis,
        weights: &[f32],
    ) {
        for chunk in self.chunks.clone() {
            for block in input.shape.region_chunks[chunk].clone() {
                let local = block - self.first_block;
                let fitted = &self.affine[local];
                let moment = M3::load(t, &fitted.matrix);
                let center = V3::load(t, &fitted.translation);
                let strain = target_strain::<L>(t, basis, weights, block);
                let matrix = self.target(local, moment, strain, input.polar_goals);
                self.set_goal(input.shape, block, matrix, center);
            }
        }
    }

    /// Stores the goal of each region where the particles will look for it.
    #[inline(always)]
    fn set_goal<L: Lane>(
        &mut self,
        shape: &ElasticShape,
        block: usize,
        matrix: M3<L>,
        center: V3<L>,
    ) {
        let lists = &shape.lists;
        let (first, end) = (lists.block_start[block] as usize, lists.block_start[block + 1] as usize);
        if end > first {
            let (matrix, center) = (matrix.store(), center.store());
            for list in first..end {
                let lane = lists.region[list] as usize % LANES;
                self.list_goals[list - self.first_list] =
                    list_goal(&matrix, &center, lane, lists.center[list]);
            }
        }
        let Some(stencil) = &shape.stencil else { return };
        if block >= stencil.regular.len() {
            return;
        }
        // Relative to the region's own node, in cells; lanes that lists serve must stay zero here.
        let t = center.x.token();
        let regular = L::load(t, &stencil.regular[block]);
        let matrix = matrix.scaled(regular * L::splat(t, stencil.spacing));
        let shift = matrix.mul_vec(V3::load(t, &stencil.center[block]));
        let stored = &mut self.affine[block - self.first_block];
        matrix.store_to(&mut stored.matrix);
        (center * regular - shift).store_to(&mut stored.translation);
    }

    /// Adds a block's inner products to those of its chunk.
    #[inline(always)]
    fn gather<L: Lane>(
        &mut self,
        basis: &ExampleBasis,
        chunk: usize,
        block: usize,
        excess: S3<L>,
    ) {
        let t = excess.xx.token();
        let n = basis.example_count();
        let strains = &basis.strains[block * n..(block + 1) * n];
        match &basis.grouping {
            Grouping::Named { count, of_block } => {
                let at = (chunk - self.chunks.start) * count * n;
                for (k, strain) in strains.iter().enumerate() {
                    let product = S3::load(t, strain).dot(excess).store();
                    for lane in 0..LANES {
                        let group = usize::from(of_block[block][lane]);
                        self.products[at + group * n + k] += f64::from(product.0[lane]);
                    }
                }
            }
            Grouping::Whole | Grouping::PerRegion => {
                for (sum, strain) in self.lane_products.iter_mut().zip(strains) {
                    (L::load(t, sum) + S3::load(t, strain).dot(excess)).store_to(sum);
                }
            }
        }
    }

    fn store_products(&mut self, input: &RegionInput<'_>, chunk: usize) {
        if let Pass::Describe(basis) = input.pass
            && basis.grouping == Grouping::Whole
        {
            let n = basis.example_count();
            let at = (chunk - self.chunks.start) * n;
            for (out, lanes) in self.products[at..at + n].iter_mut().zip(&*self.lane_products) {
                *out = lanes.sum();
            }
        }
    }

    /// Solves for the weights of each region of a block by itself.
    #[inline(always)]
    fn solve_locally<L: Lane>(
        &mut self,
        basis: &ExampleBasis,
        how: Solve,
        block: usize,
        excess: S3<L>,
    ) {
        let t = excess.xx.token();
        let n = basis.example_count();
        let Some(own) = self.solver.as_deref_mut() else { return };
        let local = block - self.first_block;
        for lane in 0..LANES {
            let slot = block * LANES + lane;
            for k in 0..n {
                let strain = S3::load(t, &basis.strains[block * n + k]);
                own.right[k] = f64::from(strain.dot(excess).store().0[lane]);
            }
            let at = (local * LANES + lane) * n;
            let gram = &basis.gram[slot * n * n..(slot + 1) * n * n];
            own.solve(how, gram, &mut self.local_weights[at..at + n]);
        }
    }
}

/// `I + Σ w D` with the weights of each lane's group.
#[inline(always)]
fn target_strain<L: Lane>(
    t: L::Token,
    basis: &ExampleBasis,
    weights: &[f32],
    block: usize,
) -> S3<L> {
    let n = basis.example_count();
    let mut strain = S3::identity(t);
    for (k, d) in basis.strains[block * n..(block + 1) * n].iter().enumerate() {
        let weight = match &basis.grouping {
            Grouping::Whole => L::splat(t, weights[k]),
            Grouping::Named { of_block, .. } => {
                let of_lane = of_block[block].map(#[inline(always)] |group| weights[usize::from(group) * n + k]);
                L::load(t, &F8(of_lane))
            }
            Grouping::PerRegion => {
                let first = block * LANES;
                L::load(t, &F8(array::from_fn(|lane| weights[(first + lane) * n + k])))
            }
        };
        strain = strain.zip(S3::load(t, d), #[inline(always)] |s, d| s + d * weight);
    }
    strain
}

/// The same with weights of a block's own lanes.
#[inline(always)]
fn lane_strain<L: Lane>(t: L::Token, basis: &ExampleBasis, weights: &[f32], block: usize) -> S3<L> {
    let n = basis.example_count();
    let mut strain = S3::identity(t);
    for (k, d) in basis.strains[block * n..(block + 1) * n].iter().enumerate() {
        let weight = L::load(t, &F8(array::from_fn(|lane| weights[lane * n + k])));
        strain = strain.zip(S3::load(t, d), #[inline(always)] |s, d| s + d * weight);
    }
    strain
}

/// Goal of one list region, whose rest centre is `rest`.
#[inline(always)]
fn list_goal(matrix: &Mat3x8, center: &Vec3x8, lane: usize, rest: Vec3) -> ListGoal {
    let [a, b, c] = [matrix.cols[0].lane(lane), matrix.cols[1].lane(lane), matrix.cols[2].lane(lane)];
    let shift = center.lane(lane) - (a * rest.x + b * rest.y + c * rest.z);
    [
        Vec4::new(a.x, b.x, c.x, shift.x),
        Vec4::new(a.y, b.y, c.y, shift.y),
        Vec4::new(a.z, b.z, c.z, shift.z),
    ]
}

/// Moments and centres of the list regions of a block; lanes without a list keep what they had.
#[inline(always)]
fn fit_lists<L: Lane>(
    t: L::Token,
    shape: &ElasticShape,
    quads: &[Quad],
    block: usize,
    moment: M3<L>,
    center: V3<L>,
) -> (M3<L>, V3<L>) {
    let lists = &shape.lists;
    let entries = lists.entry_start[block] as usize..lists.entry_start[block + 1] as usize;
    if entries.is_empty() {
        return (moment, center);
    }
    // Relative to a particle of the region, so that single precision keeps its digits.
    let reference = L::gather(t, quads, &lists.references[block]);
    let zero = V3::splat(t, Vec3::ZERO);
    let (mut sum, mut cols) = (zero, [zero; 3]);
    for entry in &lists.entries[entries] {
        let d = L::gather(t, quads, &entry.slots) - reference;
        sum += d * L::load(t, &entry.share);
        cols[0] += d * L::load(t, &entry.offset.x);
        cols[1] += d * L::load(t, &entry.offset.y);
        cols[2] += d * L::load(t, &entry.offset.z);
    }
    let mask = L::load(t, &lists.lanes[block]);
    let pick = L::select;
    let choose = |new: V3<L>, old: V3<L>| V3 {
        x: pick(mask, new.x, old.x),
        y: pick(mask, new.y, old.y),
        z: pick(mask, new.z, old.z),
    };
    let [x, y, z] = moment.cols;
    (
        M3 { cols: [choose(cols[0], x), choose(cols[1], y), choose(cols[2], z)] },
        choose(reference + sum, center),
    )
}

struct FitWork<'a, 'b>(&'a mut RegionTask<'b>, &'a RegionInput<'b>);

impl LaneWork for FitWork<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self, t: L::Token) {
        let Self(task, input) = self;
        match input.shape.stencil.as_ref().map_or(1, |stencil| stencil.width) {
            1 => task.run::<L, 1>(t, input),
            2 => task.run::<L, 2>(t, input),
            _ => task.run::<L, 3>(t, input),
        }
    }
}

struct RetargetWork<'a, 'b>(&'a mut RegionTask<'b>, &'a RegionInput<'b>);

impl LaneWork for RetargetWork<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self, t: L::Token) {
        if let Pass::Blend(basis, weights) = self.1.pass {
            self.0.retarget::<L>(t, self.1, basis, weights);
        }
    }
}

/// Runs the first pass of one task; compiled once, whatever executor calls it.
pub(crate) fn run_fit<'a>(simd: SimdLevel, task: &mut RegionTask<'a>, input: &RegionInput<'a>) {
    dispatch(simd, FitWork(task, input));
}

/// Runs the second pass of one task, whose input must be [`Pass::Blend`].
pub(crate) fn run_retarget<'a>(
    simd: SimdLevel,
    task: &mut RegionTask<'a>,
    input: &RegionInput<'a>,
) {
    dispatch(simd, RetargetWork(task, input));
}
