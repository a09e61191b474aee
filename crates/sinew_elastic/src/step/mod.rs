//! One step of one body.
//!
//! ```text
//! each sub-step   sums over regions ─► rotation, strain ─► weights ─► goals ─► way of each particle
//!                 ─► sums over the body ─► kick, damp, drift ─► anchors, contacts
//! each step       sub-steps ─► sleep ─► pose ─► origin
//! ```

mod collide;
mod particles;
mod regions;
mod scratch;
mod stencil_pass;
pub(crate) mod sums;

use core::ops::Range;

use glam::{DVec3, Vec3};
use sinew_math::{LANES, Quad, Vec3x8};
use smallvec::SmallVec;

use crate::contact::{Collider, Reaction};
use crate::examples::{ExampleBasis, Grouping};
use crate::executor::Executor;
use crate::material::{Integrator, Material, Method, StepNumbers};
use crate::shape::ElasticShape;
use crate::sleep::Sleep;
use crate::state::BodyState;
use crate::weight_set::WeightSet;

use collide::Touched;
use particles::{MoveInput, MoveTask, ParticleInput, ParticleTask, run_goals, run_move};
use regions::{Pass, RegionInput, RegionTask, Solve, run_fit, run_retarget};
use scratch::MOST_TASKS;
pub use scratch::Scratch;
use sums::{ChunkSums, RigidMotion};

/// Bodies with fewer particles are worked on by one thread: starting a task costs as much as they do.
const SERIAL_PARTICLES: usize = 4_000;
/// The longest step, in s; what is longer is cut, and said in the report.
pub const LONGEST_STEP: f32 = 0.1;
/// A coordinate beyond this many body sizes from the body's origin counts as not finite: single
/// precision no longer resolves the particle spacing there.
const FARTHEST_SIZES: f32 = 1e6;

/// Who decides how much of each example the body shows.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Control<'a> {
    /// The body's own strain, projected to the example manifold (eq. 6).
    Project(WeightSet),
    /// A place on the way from rest (0) through the examples in order (1, 2, …).
    Blend(f32),
    /// These weights: one for each example, for all groups alike, or one for each example of each
    /// group, group by group. Missing ones count as zero.
    Explicit(&'a [f32]),
}

impl Default for Control<'_> {
    fn default() -> Self {
        Self::Project(WeightSet::default())
    }
}

/// Holds a particle at a place that moves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Anchor {
    /// The particle.
    pub particle: u32,
    /// World position at the end of the step.
    pub position: DVec3,
    /// Velocity, in m/s; earlier sub-steps lie behind along it.
    pub velocity: Vec3,
}

/// What a body is, for a step.
#[derive(Clone, Copy, Debug)]
pub struct Body<'a> {
    /// Particles and regions.
    pub shape: &'a ElasticShape,
    /// Example poses, if any.
    pub examples: Option<&'a ExampleBasis>,
    /// What it is made of.
    pub material: Material,
    /// Who decides how much of each example it shows.
    pub control: Control<'a>,
    /// When it may sleep.
    pub sleep: Sleep,
}

impl<'a> Body<'a> {
    /// A body of the default material without examples.
    #[must_use]
    pub fn new(shape: &'a ElasticShape) -> Self {
        Self {
            shape,
            examples: None,
            material: Material::default(),
            control: Control::default(),
            sleep: Sleep::default(),
        }
    }

    /// The same with example poses.
    #[must_use]
    pub fn with_examples(mut self, examples: &'a ExampleBasis) -> Self {
        self.examples = Some(examples);
        self
    }

    /// The same of another material.
    #[must_use]
    pub fn with_material(mut self, material: Material) -> Self {
        self.material = material;
        self
    }

    /// The same with other control of the example weights.
    #[must_use]
    pub fn with_control(mut self, control: Control<'a>) -> Self {
        self.control = control;
        self
    }

    /// The same with other rules for sleeping.
    #[must_use]
    pub fn with_sleep(mut self, sleep: Sleep) -> Self {
        self.sleep = sleep;
        self
    }

    /// The mass in kg.
    #[must_use]
    pub fn mass(&self) -> f32 {
        self.shape.volume() * self.material.density
    }
}

/// What acts on a body during a step.
#[derive(Clone, Copy, Debug, Default)]
pub struct StepInput<'a> {
    /// Acceleration of every particle, in m/s².
    pub gravity: Vec3,
    /// Solid things near the body. Invalid ones are passed over.
    pub colliders: &'a [Collider],
    /// Particles that are held.
    pub anchors: &'a [Anchor],
}

/// What happened in a step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct StepReport {
    /// Sub-steps taken; 0 for a body that slept, or a step of no length.
    pub substeps: u32,
    /// Part of the step that was longer than [`LONGEST_STEP`] and so was not simulated, in s.
    pub seconds_cut: f32,
    /// The body had become non-finite and was put back to its last finite rigid pose.
    pub quarantined: bool,
    /// The body fell asleep in this step.
    pub fell_asleep: bool,
    /// The state was of another shape and was put to rest.
    pub state_replaced: bool,
    /// The scratch memory was of another shape or basis and was made anew.
    pub scratch_replaced: bool,
}

/// Advances a body by `dt` seconds.
///
/// A body that sleeps is passed over, whatever the colliders do: wake it with [`BodyState::wake`].
/// Non-finite or negative `dt` counts as zero.
pub fn step<E: Executor>(
    body: &Body<'_>,
    input: &StepInput<'_>,
    dt: f32,
    state: &mut BodyState,
    scratch: &mut Scratch,
    executor: &E,
) -> StepReport {
    let mut report = StepReport::default();
    scratch.reactions.clear();
    scratch.reactions.resize(input.colliders.len(), Reaction::default());
    if !state.fits(body.shape) {
        *state = BodyState::at_rest(body.shape);
        report.state_replaced = true;
    }
    let dt = if dt.is_finite() { dt.max(0.0) } else { 0.0 };
    if dt == 0.0 || state.asleep || body.shape.particle_count() == 0 {
        return report;
    }
    report.seconds_cut = (dt - LONGEST_STEP).max(0.0);
    let dt = dt.min(LONGEST_STEP);
    let examples = body.examples.filter(|basis| {
        basis.example_count() > 0
            && basis.strains.len() == basis.example_count() * body.shape.region_block_count()
    });
    if !scratch.fits(body.shape, examples) {
        let simd = scratch.simd;
        *scratch = Scratch::new(body.shape, examples).with_simd(simd);
        scratch.reactions.resize(input.colliders.len(), Reaction::default());
        report.scratch_replaced = true;
    }
    state.fit_weights(examples);
    let mut work = Work { body, examples, input, state, scratch, executor, tasks: 1 };
    work.prepare();
    let material = body.material.sanitized();
    let substeps = material.substeps(dt);
    let numbers = material.numbers(dt / substeps as f32);
    let mut motion = RigidMotion::default();
    for index in 0..substeps {
        let Some(rigid) = work.substep(&material, numbers, substeps - 1 - index) else {
            work.quarantine();
            report.quarantined = true;
            return report;
        };
        motion = rigid;
        report.substeps += 1;
    }
    let origin = work.state.origin.as_vec3();
    finish_reactions(&mut work.scratch.reactions, &work.scratch.touching, origin);
    report.fell_asleep = work.finish(&motion, dt);
    report
}

/// Everything a step works with.
struct Work<'a, E> {
    body: &'a Body<'a>,
    examples: Option<&'a ExampleBasis>,
    input: &'a StepInput<'a>,
    state: &'a mut BodyState,
    scratch: &'a mut Scratch,
    executor: &'a E,
    tasks: usize,
}

impl<E: Executor> Work<'_, E> {
    fn prepare(&mut self) {
        let shape = self.body.shape;
        self.tasks = if shape.particle_count() < SERIAL_PARTICLES {
            1
        } else {
            self.executor.workers().clamp(1, MOST_TASKS)
        };
        self.scratch.fit_tasks(shape, self.tasks);
        self.scratch.touching.clear();
        self.scratch.touching.resize(self.input.colliders.len(), 0);
        if self.state.cold {
            self.warm_up();
        }
    }

    /// Finds the rotations of a body whose particles were put somewhere: a few passes without motion.
    fn warm_up(&mut self) {
        /// From half a turn away the safeguarded steps need up to twenty; each pass takes two.
        const PASSES: usize = 12;
        self.state.cold = false;
        let material = self.body.material.sanitized();
        let numbers = material.numbers(1.0 / 60.0);
        for _ in 0..PASSES {
            self.find_goals(&material, numbers);
        }
    }

    /// One sub-step; `None` when something was not finite, before anything moved.
    fn substep(
        &mut self,
        material: &Material,
        numbers: StepNumbers,
        substeps_left: u32,
    ) -> Option<RigidMotion> {
        let StepNumbers { h, alpha, decay, .. } = numbers;
        let gravity_kick = self.input.gravity * h;
        let implicit =
            material.integrator == Integrator::Implicit && material.method == Method::Conservative;
        let keep_momentum =
            self.input.anchors.is_empty() && material.method == Method::Conservative;
        if implicit {
            // Predict: damped free motion.
            let motion = self.sum_ways(h, decay, 0.0, true)?;
            self.move_particles(&Kick {
                motion,
                kick: 0.0,
                kick_drift: 0.0,
                drift: h,
                decay,
                gravity_kick,
            });
        }
        self.find_goals(material, numbers);
        let kick = alpha / h;
        let rounding_kick = if keep_momentum { kick } else { 0.0 };
        let motion = if implicit {
            let motion = self.sum_ways(h, 1.0, rounding_kick, false)?;
            self.move_particles(&Kick {
                motion,
                kick,
                kick_drift: h,
                drift: 0.0,
                decay: 1.0,
                gravity_kick: Vec3::ZERO,
            });
            motion
        } else {
            let motion = self.sum_ways(h, decay, rounding_kick, false)?;
            self.move_particles(&Kick {
                motion,
                kick,
                kick_drift: 0.0,
                drift: h,
                decay,
                gravity_kick,
            });
            motion
        };
        self.hold_anchors(h * substeps_left as f32);
        self.collide(h, decay);
        Some(motion)
    }

    /// Sums over regions, weights of the examples, goals of all regions.
    fn find_goals(&mut self, material: &Material, numbers: StepNumbers) {
        if !self.body.shape.lists.is_empty() {
            for (block, x) in self.state.positions.iter().enumerate() {
                for lane in 0..LANES {
                    self.scratch.quads[block * LANES + lane] = Quad::from_vec3(x.lane(lane));
                }
            }
        }
        let polar_goals = material.method != Method::Conservative;
        let how = |set| Solve { set, beta: f64::from(numbers.beta), published: polar_goals };
        let control = self.body.control;
        let Some(basis) = self.examples else {
            self.region_pass(PassKind::Plain, polar_goals);
            return;
        };
        match control {
            Control::Project(set) if basis.grouping == Grouping::PerRegion => {
                self.region_pass(PassKind::Local(basis, how(set)), polar_goals);
            }
            Control::Project(set) => {
                self.region_pass(PassKind::Describe(basis), polar_goals);
                self.solve_groups(basis, how(set));
                self.retarget(basis, polar_goals);
            }
            Control::Blend(place) => {
                let n = basis.example_count();
                for (i, weight) in self.state.weights.iter_mut().enumerate() {
                    *weight = blend_weight(place, i % n, n);
                }
                self.region_pass(PassKind::Blend(basis), polar_goals);
            }
            Control::Explicit(weights) => {
                let n = basis.example_count();
                let each_group = weights.len() > n;
                for (i, weight) in self.state.weights.iter_mut().enumerate() {
                    let at = if each_group { i } else { i % n };
                    let value = weights.get(at).copied().unwrap_or(0.0);
                    *weight = if value.is_finite() { value } else { 0.0 };
                }
                self.region_pass(PassKind::Blend(basis), polar_goals);
            }
        }
    }

    fn region_pass(&mut self, kind: PassKind<'_>, polar_goals: bool) {
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
            PassKind::Blend(basis) => Pass::Blend(basis, shared_weights),
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
        self.executor.run(&mut tasks, |task| run_fit(simd, task, &input));
    }

    /// The second pass over described regions.
    fn retarget(&mut self, basis: &ExampleBasis, polar_goals: bool) {
        let shape = self.body.shape;
        let state = &mut *self.state;
        let scratch = &mut *self.scratch;
        let input = RegionInput {
            shape,
            positions: &state.positions,
            quads: &scratch.quads,
            pass: Pass::Blend(basis, &state.weights),
            polar_goals,
        };
        let mut tasks = SmallVec::<[RegionTask<'_>; MOST_TASKS]>::new();
        let mut affine = &mut scratch.affine[..];
        let mut rotations = &mut state.rotations[..];
        let mut goal_rotations = &mut state.goal_rotations[..];
        let mut list_goals = &mut scratch.list_goals[..];
        for chunks in split(&shape.region_chunks, self.tasks) {
            let blocks = blocks_of(&shape.region_chunks, &chunks);
            let lists = list_range(shape, &blocks);
            tasks.push(RegionTask {
                first_block: blocks.start,
                first_list: lists.start,
                affine: take(&mut affine, blocks.len()),
                rotations: take(&mut rotations, blocks.len()),
                goal_rotations: take(&mut goal_rotations, blocks.len()),
                list_goals: take(&mut list_goals, lists.len()),
                planes: &mut [],
                products: &mut [],
                lane_products: &mut [],
                local_weights: &mut [],
                solver: None,
                chunks,
            });
        }
        let simd = scratch.simd;
        self.executor.run(&mut tasks, |task| run_retarget(simd, task, &input));
    }

    /// Solves for the weights of each group from the inner products of all chunks.
    fn solve_groups(&mut self, basis: &ExampleBasis, how: Solve) {
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
    /// move of `h` seconds with `decay` and `kick`. `None` when something is not finite.
    fn sum_ways(
        &mut self,
        h: f32,
        decay: f32,
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
            decay,
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

    fn move_particles(&mut self, kick: &Kick) {
        let shape = self.body.shape;
        let scratch = &mut *self.scratch;
        let input = MoveInput {
            shape,
            offsets: &scratch.offsets,
            motion: kick.motion,
            kick: kick.kick,
            kick_drift: kick.kick_drift,
            drift: kick.drift,
            decay: kick.decay,
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

    fn hold_anchors(&mut self, seconds_left: f32) {
        for anchor in self.input.anchors {
            let Some(&slot) = self.body.shape.slots.get(anchor.particle as usize) else { continue };
            if !anchor.position.is_finite() || !anchor.velocity.is_finite() {
                continue;
            }
            let (block, lane) = (slot as usize / LANES, slot as usize % LANES);
            let local = (anchor.position - self.state.origin).as_vec3();
            self.state.positions[block].set_lane(lane, local - anchor.velocity * seconds_left);
            self.state.velocities[block].set_lane(lane, anchor.velocity);
        }
    }

    fn collide(&mut self, h: f32, decay: f32) {
        if self.input.colliders.is_empty() {
            return;
        }
        let scratch = &mut *self.scratch;
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for chunk in &scratch.sums {
            low = low.min(chunk.low);
            high = high.max(chunk.high);
        }
        let mut touched = Touched {
            shape: self.body.shape,
            positions: &mut self.state.positions,
            velocities: &mut self.state.velocities,
            low,
            high,
            density: self.body.material.density,
            decay,
        };
        for (index, collider) in self.input.colliders.iter().enumerate() {
            if !collider.is_valid() {
                continue;
            }
            let center = (collider.translation.as_dvec3() - self.state.origin).as_vec3();
            let reaction = &mut scratch.reactions[index];
            let points = touched.collide(collider, center, h, self.input.gravity, reaction);
            scratch.touching[index] += points;
            reaction.points = reaction.points.max(points);
        }
    }

    /// Puts the body back to its last finite pose.
    fn quarantine(&mut self) {
        let pose = self.state.pose;
        self.state.reset(self.body.shape, pose);
    }

    /// Sleep, pose, origin. Returns whether the body fell asleep.
    fn finish(&mut self, motion: &RigidMotion, dt: f32) -> bool {
        let shape = self.body.shape;
        let pose = self.state.rigid_pose(shape);
        if !pose.is_finite() {
            self.quarantine();
            return false;
        }
        self.state.pose = pose;
        let held = !self.input.anchors.iter().all(|a| a.velocity == Vec3::ZERO);
        let quiet = !held && self.body.sleep.is_quiet(motion, shape.size);
        self.state.quiet_seconds = if quiet { self.state.quiet_seconds + dt } else { 0.0 };
        let sleeps = self.body.sleep.enabled && self.state.quiet_seconds >= self.body.sleep.after;
        if sleeps {
            self.state.asleep = true;
            self.state.velocities.fill(Vec3x8::ZERO);
        }
        // Keep particles near their origin, so that single precision resolves them well.
        let away = (pose.translation - self.state.origin).as_vec3();
        if away.length() > 2.0 * shape.size {
            self.state.rebase(shape, away);
        }
        sleeps
    }
}

/// What one move does; see [`MoveInput`].
struct Kick {
    motion: RigidMotion,
    kick: f32,
    kick_drift: f32,
    drift: f32,
    decay: f32,
    gravity_kick: Vec3,
}

#[derive(Clone, Copy)]
enum PassKind<'a> {
    Plain,
    Describe(&'a ExampleBasis),
    Blend(&'a ExampleBasis),
    Local(&'a ExampleBasis, Solve),
}

/// Weight of example `k` of `n` at a place on the way rest, example 0, example 1, …
fn blend_weight(place: f32, k: usize, n: usize) -> f32 {
    let place = if place.is_finite() { place.clamp(0.0, n as f32) } else { 0.0 };
    (1.0 - (place - (k + 1) as f32).abs()).max(0.0)
}

fn finish_reactions(reactions: &mut [Reaction], touching: &[u32], origin: Vec3) {
    for (reaction, &count) in reactions.iter_mut().zip(touching) {
        if count > 0 {
            reaction.point = origin + reaction.point / count as f32;
            reaction.normal = reaction.normal.normalize_or_zero();
        }
    }
}

/// Splits chunks into at most `tasks` runs of about as many blocks each.
fn split(chunks: &[Range<usize>], tasks: usize) -> SmallVec<[Range<usize>; MOST_TASKS]> {
    let mut runs = SmallVec::new();
    let total = chunks.last().map_or(0, |last| last.end);
    let mut from = 0;
    for task in 0..tasks {
        let goal = total * (task + 1) / tasks;
        let to = if task + 1 == tasks {
            chunks.len()
        } else {
            chunks.partition_point(|chunk| chunk.end <= goal).max(from)
        };
        if to > from {
            runs.push(from..to);
        }
        from = to;
    }
    runs
}

fn blocks_of(chunks: &[Range<usize>], run: &Range<usize>) -> Range<usize> {
    chunks[run.start].start..chunks[run.end - 1].end
}

fn list_range(shape: &ElasticShape, blocks: &Range<usize>) -> Range<usize> {
    let start = &shape.lists.block_start;
    start[blocks.start] as usize..start[blocks.end] as usize
}

/// Takes the first `count` items off a slice.
fn take<'a, T>(from: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let (first, rest) = core::mem::take(from).split_at_mut(count);
    *from = rest;
    first
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blends_go_from_rest_through_the_examples() {
        let at = |place| [blend_weight(place, 0, 2), blend_weight(place, 1, 2)];
        assert_eq!(at(0.0), [0.0, 0.0]);
        assert_eq!(at(0.25), [0.25, 0.0]);
        assert_eq!(at(1.0), [1.0, 0.0]);
        assert_eq!(at(1.75), [0.25, 0.75]);
        assert_eq!(at(9.0), [0.0, 1.0]);
        assert_eq!(at(f32::NAN), [0.0, 0.0]);
    }

    #[test]
    fn runs_cover_all_chunks_once() {
        let chunks = [0..4, 4..8, 8..9, 9..30, 30..31];
        for tasks in 1..8 {
            let runs = split(&chunks, tasks);
            let all: Vec<usize> = runs.iter().cloned().flatten().collect();
            assert_eq!(all, [0, 1, 2, 3, 4]);
        }
    }
}
