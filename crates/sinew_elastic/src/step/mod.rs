//! One step of one body.
//!
//! ```text
//! each sub-step   sums over regions ─► rotation, strain ─► weights ─► goals ─► way of each particle
//!                 ─► sums over the body ─► kick, damp, drift ─► anchors, contacts
//! each step       sub-steps ─► sleep ─► pose ─► origin
//! ```

mod collide;
mod contact_damping;
mod input;
mod inside;
mod lists;
mod particles;
mod passes;
mod quads;
mod regions;
mod scratch;
mod stencil_pass;
pub(crate) mod sums;
mod tasks;
mod weights;
mod wide_lists;

use glam::{DVec3, Vec3};
use sinew_math::{LANES, Vec3x8};

use crate::contact::Reaction;
use crate::examples::{ExampleBasis, Grouping};
use crate::executor::Executor;
use crate::material::{Integrator, Material, Method, StepNumbers};
use crate::state::BodyState;

use collide::{Touch, Touched};
pub use input::{Anchor, Body, Control, StepInput, StepReport};
use passes::{Kick, PassKind};
pub use scratch::Scratch;
use sums::{ChunkSums, RigidMotion};
use tasks::MOST_TASKS;
use weights::Solve;

/// Bodies with fewer particles are worked on by one thread: starting a task costs as much as they do.
const SERIAL_PARTICLES: usize = 4_000;
/// The longest step, in s; what is longer is cut, and said in the report.
pub const LONGEST_STEP: f32 = 0.1;

/// Anchors within this share of the particle spacing of each other are in one place.
const LEAST_LEVER: f32 = 0.01;

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
    let examples =
        body.examples.filter(|basis| basis.example_count() > 0 && basis.fits(body.shape));
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
        self.scratch.touches.resize(self.input.colliders.len(), Touch::default());
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
        let StepNumbers { h, alpha, damped, .. } = numbers;
        let gravity_kick = self.input.gravity * h;
        let implicit =
            material.integrator == Integrator::Implicit && material.method == Method::Conservative;
        let keep_momentum =
            self.input.anchors.is_empty() && material.method == Method::Conservative;
        // A held body is not free: what damping spares is the motion of what holds it.
        let held = self.anchor_motion(damped);
        if implicit {
            // Predict: damped free motion.
            let motion = self.sum_ways(h, damped, 0.0, true)?;
            self.move_particles(&Kick {
                motion: held.unwrap_or(motion),
                kick: 0.0,
                kick_drift: 0.0,
                drift: h,
                damped,
                gravity_kick,
            });
        }
        self.find_goals(material, numbers);
        let kick = alpha / h;
        let rounding_kick = if keep_momentum { kick } else { 0.0 };
        let motion = if implicit {
            let motion = self.sum_ways(h, 0.0, rounding_kick, false)?;
            self.move_particles(&Kick {
                motion,
                kick,
                kick_drift: h,
                drift: 0.0,
                damped: 0.0,
                gravity_kick: Vec3::ZERO,
            });
            motion
        } else {
            let motion = self.sum_ways(h, damped, rounding_kick, false)?;
            self.move_particles(&Kick {
                motion: held.unwrap_or(motion),
                kick,
                kick_drift: 0.0,
                drift: h,
                damped,
                gravity_kick,
            });
            motion
        };
        self.hold_anchors(h * substeps_left as f32);
        self.collide(h, damped);
        Some(motion)
    }

    /// Sums over regions, weights of the examples, goals of all regions.
    fn find_goals(&mut self, material: &Material, numbers: StepNumbers) {
        if !self.body.shape.lists.is_empty() {
            self.fill_quads();
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
                self.region_pass(PassKind::Retarget(basis), polar_goals);
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

    /// What damping gives back to a held body: the share `damped` of the rigid motion of its anchors,
    /// which turn about no axis that they do not determine. `None` for a free body, and for the
    /// published method, which knows no such thing.
    fn anchor_motion(&self, damped: f32) -> Option<RigidMotion> {
        if self.body.material.method != Method::Conservative {
            return None;
        }
        let held = || self.input.anchors.iter().filter(|anchor| self.slot_of(anchor).is_some());
        let count = held().count() as f64;
        if count == 0.0 {
            return None;
        }
        let place = |anchor: &Anchor| anchor.position - self.state.origin;
        let center = held().map(place).sum::<DVec3>() / count;
        let mut sums = ChunkSums::default();
        for anchor in held() {
            let lost = anchor.velocity.as_dvec3() * f64::from(damped);
            sums.add_point(place(anchor) - center, lost);
        }
        let mut motion = sums.rigid_motion(count);
        // Anchors in one place turn nothing.
        let nearest = f64::from(self.body.shape.spacing * LEAST_LEVER).powi(2);
        if sums.second[0] + sums.second[1] + sums.second[2] < nearest {
            motion.turn = Vec3::ZERO;
        }
        motion.center = center.as_vec3();
        Some(motion)
    }

    /// The slot of an anchor's particle, if there is one and the anchor is finite.
    fn slot_of(&self, anchor: &Anchor) -> Option<usize> {
        let &slot = self.body.shape.slots.get(anchor.particle as usize)?;
        (anchor.position.is_finite() && anchor.velocity.is_finite()).then_some(slot as usize)
    }

    fn hold_anchors(&mut self, seconds_left: f32) {
        for anchor in self.input.anchors {
            let Some(slot) = self.slot_of(anchor) else { continue };
            let (block, lane) = (slot / LANES, slot % LANES);
            let local = (anchor.position - self.state.origin).as_vec3();
            self.state.positions[block].set_lane(lane, local - anchor.velocity * seconds_left);
            self.state.velocities[block].set_lane(lane, anchor.velocity);
        }
    }

    fn collide(&mut self, h: f32, damped: f32) {
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
            simd: scratch.simd,
            quads: &mut scratch.quads,
            inside: &mut scratch.inside,
            quads_are_fresh: false,
        };
        let origin = self.state.origin;
        scratch.touches.fill(Touch::default());
        for (index, collider) in self.input.colliders.iter().enumerate() {
            if !collider.is_valid() {
                continue;
            }
            let center = (collider.translation.as_dvec3() - origin).as_vec3();
            let reaction = &mut scratch.reactions[index];
            let touch = touched.collide(collider, center, h, self.input.gravity, reaction);
            scratch.touches[index] = touch;
            scratch.touching[index] += touch.points;
            reaction.points = reaction.points.max(touch.points);
        }
        if damped == 0.0 {
            return;
        }
        // Several colliders share the damping of one, by the points that they touch.
        let points: u32 = scratch.touches.iter().map(|touch| touch.points).sum();
        let held_points: u32 = scratch.touches.iter().map(|touch| touch.held_points).sum();
        let held = touched.held(held_points);
        for (index, collider) in self.input.colliders.iter().enumerate() {
            let touch = scratch.touches[index];
            if touch.points > 0 {
                let center = (collider.translation.as_dvec3() - origin).as_vec3();
                let share = damped * touch.points as f32 / points as f32;
                let reaction = &mut scratch.reactions[index];
                touched.damp(touch.normal, share, held, collider, center, reaction);
            }
        }
    }

    /// Puts the body back to its last finite pose; to rest where a state from outside has none.
    fn quarantine(&mut self) {
        let pose = self.state.pose;
        if pose.is_finite() {
            self.state.reset(self.body.shape, pose);
        } else {
            *self.state = BodyState::at_rest(self.body.shape);
        }
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::shape::ElasticShape;

    #[test]
    fn a_state_that_was_saved_broken_is_put_to_rest() {
        let points = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
        let shape = ElasticShape::from_tets(&points, &[[0, 1, 2, 3]]).expect("a good cell");
        let mut state = BodyState::at_rest(&shape);
        state.pose.translation.x = f64::NAN;
        state.velocities[0].set_lane(1, Vec3::NAN);
        let mut scratch = Scratch::new(&shape, None);
        let (body, input) = (Body::new(&shape), StepInput::default());
        let report = step(&body, &input, 0.01, &mut state, &mut scratch, &crate::Serial);
        assert!(report.quarantined);
        for (i, point) in points.iter().enumerate() {
            assert!(state.position(&shape, i).as_vec3().distance(*point) < 1e-6);
        }
    }

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
}
