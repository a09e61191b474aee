//! The parallel phases of a sub-step: over the regions, over the particles, the move.

use glam::Vec3;
use sinew_math::LANES;
use sinew_math::executor::take;
use smallvec::SmallVec;

use crate::examples::ExampleBasis;
use crate::executor::Executor;

use super::Work;
use super::particles::{MoveInput, MoveTask, ParticleInput, ParticleTask, run_goals, run_move};
use super::quads::{QuadTask, run_quads};
use super::regions::{Pass, RegionInput, RegionTask, run_fit, run_retarget};
use super::sums::{ChunkSums, RigidMotion};
use super::tasks::{MOST_TASKS, blocks_of, list_range, split};
use super::weights::Solve;

/// A coordinate beyond this many body sizes from the body's origin counts as not finite: single
/// precision no longer resolves the particle spacing there.
const FARTHEST_SIZES: f32 = 1e6;

/// What one move does; see [`MoveInput`].
pub(super) struct Kick {
    pub motion: RigidMotion,
    pub kick: f32,
    pub kick_drift: f32,
    pub drift: f32,
    pub damped: f32,
    pub gravity_kick: Vec3,
}

/// What a pass over the regions does; see [`Pass`].
#[derive(Clone, Copy)]
pub(super) enum PassKind<'a> {
    Plain,
    Describe(&'a ExampleBasis),
    /// The second pass over described regions, whose weights are known by now.
    Retarget(&'a ExampleBasis),
    Blend(&'a ExampleBasis),
    Local(&'a ExampleBasis, Solve),
}

impl<E: Executor> Work<'_, E> {
    /// Copies all positions to the table that gathers read.
    pub(super) fn fill_quads(&mut self) {
        let chunks = &self.body.shape.particle_chunks;
        let mut tasks = SmallVec::<[QuadTask<'_>; MOST_TASKS]>::new();
        let mut quads = &mut self.scratch.quads[..];
        for run in split(chunks, self.tasks) {
            let blocks = blocks_of(chunks, &run);
            tasks.push(QuadTask {
                quads: take(&mut quads, blocks.len() * LANES),
                positions: &self.state.positions[blocks],
            });
        }
        let simd = self.scratch.simd;
        self.executor.run(&mut tasks, |task| run_quads(simd, task));
    }

    pub(super) fn region_pass(&mut self, kind: PassKind<'_>, polar_goals: bool) {
        let shape = self.body.shape;
        let state = &mut *self.state;
        let scratch = &mut *self.scratch;
        let n = self.examples.map_or(0, ExampleBasis::example_count);
        let groups = self.examples.map_or(0, ExampleBasis::shared_group_count);
        scratch.products.fill(0.0);
        // Weights are read by all tasks, or written by each for its own regions.
        let (mut own_weights, shared_weights): (&mut [f32], &[f32]) = match kind {
            PassKind::Local(..) => (&mut state.weights, &[]),
            _ => (&mut [], &state.weights),
        };
        let local = matches!(kind, PassKind::Local(..));
        let pass = match kind {
            PassKind::Plain => Pass::Plain,
            PassKind::Describe(basis) => Pass::Describe(basis),
            PassKind::Blend(basis) | PassKind::Retarget(basis) => {
                Pass::Blend(basis, shared_weights)
            }
            PassKind::Local(basis, how) => Pass::Local(basis, how),
        };
        let input = RegionInput {
            shape,
            positions: &state.positions,
            quads: &scratch.quads,
            pass,
            polar_goals,
        };
        let mut tasks = SmallVec::<[RegionTask<'_>; MOST_TASKS]>::new();
        let mut affine = &mut scratch.affine[..];
        let mut rotations = &mut state.rotations[..];
        let mut goal_rotations = &mut state.goal_rotations[..];
        let mut list_goals = &mut scratch.list_goals[..];
        let mut planes = &mut scratch.planes[..];
        let mut products = &mut scratch.products[..];
        let mut lane_products = &mut scratch.lane_products[..];
        let mut solvers = scratch.solvers.iter_mut();
        for chunks in split(&shape.region_chunks, self.tasks) {
            let blocks = blocks_of(&shape.region_chunks, &chunks);
            let lists = list_range(shape, &blocks);
            let own = if local { blocks.len() * LANES * n } else { 0 };
            tasks.push(RegionTask {
                first_block: blocks.start,
                first_list: lists.start,
                affine: take(&mut affine, blocks.len()),
                rotations: take(&mut rotations, blocks.len()),
                goal_rotations: take(&mut goal_rotations, blocks.len()),
                list_goals: take(&mut list_goals, lists.len()),
                planes: take(&mut planes, usize::from(shape.stencil.is_some())),
                products: take(&mut products, chunks.len() * groups * n),
                lane_products: take(&mut lane_products, n),
                local_weights: take(&mut own_weights, own),
                solver: solvers.next(),
                chunks,
            });
        }
        let simd = scratch.simd;
        if let PassKind::Retarget(_) = kind {
            self.executor.run(&mut tasks, |task| run_retarget(simd, task, &input));
        } else {
            self.executor.run(&mut tasks, |task| run_fit(simd, task, &input));
        }
    }

    /// Solves for the weights of each group from the inner products of all chunks.
    pub(super) fn solve_groups(&mut self, basis: &ExampleBasis, how: Solve) {
        let n = basis.example_count();
        let groups = basis.group_count();
        let scratch = &mut *self.scratch;
        let own = &mut scratch.solvers[0];
        for group in 0..groups {
            own.right.fill(0.0);
            for chunk in scratch.products.chunks_exact(groups * n) {
                for (sum, part) in own.right.iter_mut().zip(&chunk[group * n..(group + 1) * n]) {
                    *sum += part;
                }
            }
            let gram = &basis.gram[group * n * n..(group + 1) * n * n];
            own.solve(how, gram, &mut self.state.weights[group * n..(group + 1) * n]);
        }
    }

    /// Ways of all particles to their goals (none with `motion_only`), and the sums over the body for a
    /// move of `h` seconds with `damped` and `kick`. `None` when something is not finite.
    pub(super) fn sum_ways(
        &mut self,
        h: f32,
        damped: f32,
        kick: f32,
        motion_only: bool,
    ) -> Option<RigidMotion> {
        let shape = self.body.shape;
        let scratch = &mut *self.scratch;
        let input = ParticleInput {
            shape,
            positions: &self.state.positions,
            velocities: &self.state.velocities,
            affine: &scratch.affine,
            list_goals: &scratch.list_goals,
            damped,
            kick,
        };
        let mut tasks = SmallVec::<[ParticleTask<'_>; MOST_TASKS]>::new();
        let mut offsets = &mut scratch.offsets[..];
        let mut sums = &mut scratch.sums[..];
        let mut planes = &mut scratch.planes[..];
        for chunks in split(&shape.particle_chunks, self.tasks) {
            let blocks = blocks_of(&shape.particle_chunks, &chunks);
            tasks.push(ParticleTask {
                first_block: blocks.start,
                offsets: take(&mut offsets, blocks.len()),
                sums: take(&mut sums, chunks.len()),
                planes: take(&mut planes, usize::from(shape.stencil.is_some())),
                chunks,
            });
        }
        let simd = scratch.simd;
        self.executor.run(&mut tasks, |task| run_goals(simd, task, &input, motion_only));
        drop(tasks);
        let mut total = ChunkSums::default();
        for chunk in &scratch.sums {
            total.merge(chunk);
        }
        let far = f64::from(FARTHEST_SIZES * shape.size).powi(2) * shape.volume;
        let spread = total.second[0] + total.second[1] + total.second[2];
        // What would be that far after this move is not let go there.
        let near = spread < far && total.speed * f64::from(h).powi(2) < far;
        (total.is_finite() && near).then(|| total.rigid_motion(shape.volume))
    }

    pub(super) fn move_particles(&mut self, kick: &Kick) {
        let shape = self.body.shape;
        let scratch = &mut *self.scratch;
        let input = MoveInput {
            shape,
            offsets: &scratch.offsets,
            motion: kick.motion,
            kick: kick.kick,
            kick_drift: kick.kick_drift,
            drift: kick.drift,
            damped: kick.damped,
            gravity_kick: kick.gravity_kick,
            bounds: !self.input.colliders.is_empty(),
        };
        let mut tasks = SmallVec::<[MoveTask<'_>; MOST_TASKS]>::new();
        let mut positions = &mut self.state.positions[..];
        let mut velocities = &mut self.state.velocities[..];
        let mut sums = &mut scratch.sums[..];
        for chunks in split(&shape.particle_chunks, self.tasks) {
            let blocks = blocks_of(&shape.particle_chunks, &chunks);
            tasks.push(MoveTask {
                first_block: blocks.start,
                positions: take(&mut positions, blocks.len()),
                velocities: take(&mut velocities, blocks.len()),
                sums: take(&mut sums, chunks.len()),
                chunks,
            });
        }
        let simd = scratch.simd;
        self.executor.run(&mut tasks, |task| run_move(simd, task, &input));
    }
}
