//! What happens in each region: fit a deformation, find its rotation and strain, set the goal.

use core::array;
use core::ops::Range;

use sinew_math::lane::{Lane, LaneWork, M3, Q4, S3, SimdLevel, V3, dispatch};
use sinew_math::rotation::follow;
use sinew_math::{F8, LANES, Quad, Quatx8, Vec3x8};

use crate::examples::{ExampleBasis, Grouping};
use crate::shape::ElasticShape;

use super::lists::{fit_lists, set_list_goals};
use super::scratch::{Affine8, ListGoal, PlaneScratch};
use super::weights::{GroupSolver, Solve};
use super::wide_lists::fit_wide_lists;

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
    pub solver: Option<&'a mut GroupSolver>,
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

/// Blocks that are fitted before their goals are sought: the fits are still in the first-level cache.
const TILE: usize = 16;

impl RegionTask<'_> {
    /// Fits every region of the task's chunks, and sets its goal where the pass knows it.
    #[inline(always)]
    fn run<L: Lane>(&mut self, t: L::Token, input: &RegionInput<'_>) {
        let shape = input.shape;
        let planes = shape.stencil.as_ref().map_or(0, |s| s.planes());
        let mut summed = 0;
        for chunk in self.chunks.clone() {
            self.lane_products.fill(F8::ZERO);
            let stencil = shape.stencil.as_ref().filter(|_| chunk < planes);
            if let Some(stencil) = stencil {
                // Planes are summed once, as the chunk that reaches farthest needs them.
                let reach = stencil.reach();
                let from =
                    if chunk == self.chunks.start { chunk.saturating_sub(reach) } else { summed };
                let to = (chunk + reach + 1).min(planes);
                for plane in from.max(summed)..to {
                    self.planes[0].sum_plane::<L>(t, stencil, input.positions, plane);
                }
                summed = to;
            }
            let blocks = shape.region_chunks[chunk].clone();
            for first in blocks.clone().step_by(TILE) {
                let tile = first..blocks.end.min(first + TILE);
                let fits = &mut self.affine[first - self.first_block..][..tile.len()];
                if let Some(stencil) = stencil {
                    self.planes[0].fit::<L>(t, stencil, chunk, tile.clone(), fits);
                }
                if !shape.lists.is_empty() {
                    let on_lattice = stencil.is_some();
                    L::apart(
                        t,
                        #[inline(always)]
                        || {
                            for (block, fit) in tile.clone().zip(&mut *fits) {
                                fit_lists::<L>(t, shape, input.quads, block, on_lattice, fit);
                            }
                        },
                    );
                }
                if !shape.wide.is_empty() {
                    L::apart(
                        t,
                        #[inline(always)]
                        || {
                            for (block, fit) in tile.clone().zip(fits) {
                                let lists = shape.lists.of_block(block);
                                fit_wide_lists::<L>(t, shape, input.positions, lists, fit);
                            }
                        },
                    );
                }
                self.set_goals::<L>(t, input, chunk, tile);
            }
            self.store_products(input, chunk);
        }
    }

    /// What the pass does with the blocks of a tile, once they are fitted.
    #[inline(always)]
    fn set_goals<L: Lane>(
        &mut self,
        t: L::Token,
        input: &RegionInput<'_>,
        chunk: usize,
        tile: Range<usize>,
    ) {
        let shape = input.shape;
        match input.pass {
            Pass::Plain if !input.polar_goals => L::apart(
                t,
                #[inline(always)]
                || self.return_to_rest::<L>(t, shape, tile),
            ),
            Pass::Describe(basis) => L::apart(
                t,
                #[inline(always)]
                || self.describe::<L>(t, shape, basis, chunk, tile),
            ),
            Pass::Blend(basis, weights) if !input.polar_goals => L::apart(
                t,
                #[inline(always)]
                || self.retarget::<L>(t, input, basis, weights, tile),
            ),
            _ => L::apart(
                t,
                #[inline(always)]
                || self.one_by_one::<L>(t, input, tile),
            ),
        }
    }

    /// Goals without examples.
    #[inline(always)]
    fn return_to_rest<L: Lane>(&mut self, t: L::Token, shape: &ElasticShape, tile: Range<usize>) {
        let local = tile.start - self.first_block..tile.end - self.first_block;
        let fits = self.affine[local.clone()].iter_mut();
        for (block, (fit, stored)) in tile.zip(fits.zip(&mut self.goal_rotations[local])) {
            let rotation = follow(M3::load(t, &fit.matrix), Q4::load(t, stored));
            rotation.store_to(stored);
            let lists = (&mut *self.list_goals, self.first_list);
            set_goal::<L>(t, shape, block, rotation.to_matrix(), fit, lists);
        }
    }

    /// Strains and their inner products with the examples; goals follow in a second pass.
    #[inline(always)]
    fn describe<L: Lane>(
        &mut self,
        t: L::Token,
        shape: &ElasticShape,
        basis: &ExampleBasis,
        chunk: usize,
        tile: Range<usize>,
    ) {
        for block in tile {
            let local = block - self.first_block;
            let moment = M3::<L>::load(t, &self.affine[local].matrix);
            let excess = strain(shape, block, moment, &mut self.rotations[local]);
            self.gather(basis, chunk, block, excess);
        }
    }

    /// Goals of blocks whose weights are known.
    #[inline(always)]
    fn retarget<L: Lane>(
        &mut self,
        t: L::Token,
        input: &RegionInput<'_>,
        basis: &ExampleBasis,
        weights: &[f32],
        tile: Range<usize>,
    ) {
        for block in tile {
            let local = block - self.first_block;
            let moment = M3::<L>::load(t, &self.affine[local].matrix);
            let strain = target_strain::<L>(t, basis, weights, block);
            let matrix = self.target(local, moment, strain, input.polar_goals);
            let lists = (&mut *self.list_goals, self.first_list);
            set_goal::<L>(t, input.shape, block, matrix, &mut self.affine[local], lists);
        }
    }

    /// The passes in which speed does not matter: as published, and with weights for each region.
    #[inline(always)]
    fn one_by_one<L: Lane>(&mut self, t: L::Token, input: &RegionInput<'_>, tile: Range<usize>) {
        let shape = input.shape;
        for block in tile {
            let local = block - self.first_block;
            let moment = M3::<L>::load(t, &self.affine[local].matrix);
            let stored = &mut self.rotations[local];
            let excess = L::apart(
                t,
                #[inline(always)]
                || strain(shape, block, moment, stored),
            );
            let target = match input.pass {
                Pass::Plain | Pass::Describe(_) => None,
                Pass::Blend(basis, weights) => Some(target_strain::<L>(t, basis, weights, block)),
                Pass::Local(basis, how) => {
                    self.solve_locally(basis, how, block, excess);
                    let n = basis.example_count();
                    let weights = &self.local_weights[local * LANES * n..(local + 1) * LANES * n];
                    Some(lane_strain::<L>(t, basis, weights, block))
                }
            };
            let matrix = match target {
                None => Q4::load(t, &self.rotations[local]).to_matrix(),
                Some(strain) => self.target(local, moment, strain, input.polar_goals),
            };
            let lists = (&mut *self.list_goals, self.first_list);
            set_goal::<L>(t, shape, block, matrix, &mut self.affine[local], lists);
        }
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

    /// Adds a block's inner products to those of its chunk.
    #[inline(always)]
    fn gather<L: Lane>(&mut self, basis: &ExampleBasis, chunk: usize, block: usize, excess: S3<L>) {
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

/// `sym(Rᵀ A) − A_qq` of a block whose fitted moments are `A`: the strain, weighted by the moment, that
/// inner products are taken of. `R` is the rotation of the fitted deformation `F = A A_qq⁻¹` (eq. 1),
/// followed from the `stored` one.
#[inline(always)]
fn strain<L: Lane>(
    shape: &ElasticShape,
    block: usize,
    moment: M3<L>,
    stored: &mut Quatx8,
) -> S3<L> {
    let t = moment.cols[0].x.token();
    let previous = Q4::load(t, stored);
    let mut fitted = moment.mul_sym(S3::load(t, &shape.inverse_moment[block]));
    let mut start = previous;
    if let Some(projector) = &shape.null_projector[block] {
        // Across a flat region the fit is open: there it turns as the region's own moment says.
        start = L::apart(
            t,
            #[inline(always)]
            || follow(moment, previous),
        );
        fitted = fitted + start.to_matrix().mul_sym(S3::load(t, projector));
    }
    let rotation = follow(fitted, start);
    rotation.store_to(stored);
    let rest = S3::load(t, &shape.moment[block]);
    let turned_back = rotation.to_matrix().transpose_mul(moment).symmetric_part();
    turned_back.zip(
        rest,
        #[inline(always)]
        |a, b| a - b,
    )
}

/// Stores the goals of a block where the particles will look for them: over the fit of a stencil's
/// regions, and in `lists` with the task's first list for the others.
#[inline(always)]
fn set_goal<L: Lane>(
    t: L::Token,
    shape: &ElasticShape,
    block: usize,
    matrix: M3<L>,
    fit: &mut Affine8,
    lists: (&mut [ListGoal], usize),
) {
    if !shape.lists.is_empty() {
        set_list_goals::<L>(t, shape, block, matrix, fit, lists);
    }
    let Some(stencil) = &shape.stencil else { return };
    let (Some(regular), Some(rest)) = (stencil.regular.get(block), stencil.center.get(block))
    else {
        return;
    };
    // Relative to the region's own node, in cells; lanes that lists serve must stay zero here.
    let regular = L::load(t, regular);
    let matrix = matrix.scaled(regular * L::splat(t, stencil.spacing));
    let shift = matrix.mul_vec(V3::load(t, rest));
    matrix.store_to(&mut fit.matrix);
    (V3::load(t, &fit.translation) * regular - shift).store_to(&mut fit.translation);
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
                let of_lane = of_block[block].map(
                    #[inline(always)]
                    |group| weights[usize::from(group) * n + k],
                );
                L::load(t, &F8(of_lane))
            }
            Grouping::PerRegion => {
                let first = block * LANES;
                L::load(t, &F8(array::from_fn(|lane| weights[(first + lane) * n + k])))
            }
        };
        strain = strain.zip(
            S3::load(t, d),
            #[inline(always)]
            |s, d| s + d * weight,
        );
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
        strain = strain.zip(
            S3::load(t, d),
            #[inline(always)]
            |s, d| s + d * weight,
        );
    }
    strain
}

struct FitWork<'a, 'b>(&'a mut RegionTask<'b>, &'a RegionInput<'b>);

impl LaneWork for FitWork<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self, t: L::Token) {
        let Self(task, input) = self;
        task.run::<L>(t, input);
    }
}

struct RetargetWork<'a, 'b>(&'a mut RegionTask<'b>, &'a RegionInput<'b>);

impl LaneWork for RetargetWork<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self, t: L::Token) {
        let Self(task, input) = self;
        if let Pass::Blend(basis, weights) = input.pass {
            for chunk in task.chunks.clone() {
                let blocks = input.shape.region_chunks[chunk].clone();
                task.retarget::<L>(t, input, basis, weights, blocks);
            }
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
