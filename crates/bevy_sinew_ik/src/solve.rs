//! Solving chains, level by level and in parallel, and writing the joints.

use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryData;
use bevy_math::{Quat, Vec3};
use bevy_time::Time;
use bevy_utils::Parallel;
use sinew_ik::{
    ChainFrame, Effector, Goal, Pole, Scratch, Start, Status, Task, nlerp, solve as solve_chain,
};

use crate::bind::IkGraph;
use crate::binding::{Did, IkBinding, runs_in};
use crate::chain::IkChain;
use crate::sample::{PlacesMut, WORTH_THREADS, World, has_threads};
use crate::state::IkChainState;
use crate::status::{IkActivity, IkError};
use crate::target::{IkJointTargets, IkPlace, IkPole, IkSmoothing, IkTarget, IkTurn};

/// A smoothed target this near to the real one, in lengths of the chain, has arrived.
const ARRIVED: f32 = 1e-6;
/// A fading chain with less weight than this has faded.
const FADED: f32 = 1e-4;

/// What a solve reads and writes of a chain.
#[derive(QueryData)]
#[query_data(mutable)]
pub(crate) struct ChainItem {
    chain: &'static IkChain,
    target: &'static IkTarget,
    pole: Option<&'static IkPole>,
    extra: Option<&'static IkJointTargets>,
    smoothing: Option<&'static IkSmoothing>,
    binding: &'static mut IkBinding,
    state: &'static mut IkChainState,
}

/// Solves all chains of one kind of schedule, and writes their joints.
pub(crate) fn solve<const FIXED: bool>(
    mut chains: Query<ChainItem>,
    mut places: PlacesMut,
    parents: Query<&'static ChildOf>,
    graph: Res<IkGraph>,
    time: Res<Time>,
    mut activity: ResMut<IkActivity>,
    scratches: Local<Parallel<Scratch>>,
) {
    let dt = time.delta_secs();
    let (mut solves, mut writes) = (0, 0);
    let spread = has_threads() && activity.bound as usize >= WORTH_THREADS;
    for level in 0..graph.levels {
        let frozen = places.as_readonly();
        let world = World { places: &frozen, parents: &parents };
        let run = |mut item: ChainItemItem| {
            let here = item.binding.level == level && runs_in::<FIXED>(item.chain.mode);
            if here && !item.binding.slots.is_empty() {
                item.run(world, dt, &mut scratches.borrow_local_mut());
            }
        };
        if spread {
            chains.par_iter_mut().for_each(run);
        } else {
            chains.iter_mut().for_each(run);
        }
        for item in &chains {
            if item.binding.level != level || !runs_in::<FIXED>(item.chain.mode) {
                continue;
            }
            solves += u32::from(item.binding.did.solved);
            if item.binding.did.differs {
                writes += write(item.binding, &item.state.out, &mut places);
            }
        }
    }
    let activity = activity.bypass_change_detection();
    if FIXED {
        (activity.fixed_solves, activity.fixed_writes) = (solves, writes);
    } else {
        (activity.frame_solves, activity.frame_writes) = (solves, writes);
    }
}

/// Writes rotations to joints; returns how many `Transform`s changed.
pub(crate) fn write(binding: &IkBinding, rotations: &[Quat], places: &mut PlacesMut) -> u32 {
    let mut writes = 0;
    for (slot, &rotation) in binding.slots.iter().zip(rotations) {
        let Ok((mut transform, Some(mut base))) = places.get_mut(slot.entity) else { continue };
        let base = base.bypass_change_detection();
        base.solved = rotation;
        if slot.last {
            if transform.rotation != rotation {
                transform.rotation = rotation;
                writes += 1;
            }
            base.written = rotation;
        }
    }
    writes
}

impl ChainItemItem<'_, '_> {
    /// Solves one chain: reads joints and target, and leaves rotations in its state.
    fn run(&mut self, world: World, dt: f32, scratch: &mut Scratch) {
        let restored = self.state.is_changed();
        let binding = self.binding.bypass_change_detection();
        let state = self.state.bypass_change_detection();
        binding.did = Did::default();
        binding.run_fault = None;
        if binding.chain.is_none() && binding.joints.is_empty() {
            return;
        }
        state.fit(binding.slots.len());
        if !read_joints(binding, self.chain.tip_offset, world, &state.out) {
            return;
        }
        let half_life = self.smoothing.map_or(0.0, |smoothing| smoothing.half_life);
        let goal = self.set_goals(world, dt, half_life);
        let binding = self.binding.bypass_change_detection();
        let state = self.state.bypass_change_detection();
        if self.chain.mode.is_fixed() {
            state.before.clone_from(&state.out);
        }
        // Time stands still: so do joints that need it to move.
        let timed =
            half_life > 0.0 || binding.joints.iter().any(|joint| joint.max_rate.is_finite());
        if dt <= 0.0 && timed && state.fade.is_some() {
            binding.did.differs |= differs(binding, &state.out, world);
            return;
        }
        match goal {
            Ok(true) => self.solve(dt, half_life, restored, scratch),
            Ok(false) => {
                binding.did.idle = true;
                self.rest(dt, half_life);
            }
            Err(error) => {
                binding.run_fault = Some(error);
                self.rest(dt, half_life);
            }
        }
        let binding = self.binding.bypass_change_detection();
        let state = self.state.bypass_change_detection();
        if state.before.len() != state.out.len() {
            state.before.clone_from(&state.out);
        }
        let differs = differs(binding, &state.out, world);
        binding.did.differs |= differs;
    }

    /// Brings goals to chain space; true when there is something to solve.
    fn set_goals(&mut self, world: World, dt: f32, half_life: f32) -> Result<bool, IkError> {
        let binding = self.binding.bypass_change_detection();
        let state = self.state.bypass_change_detection();
        let input = &mut binding.input;
        input.goals.clear();
        input.pole = None;
        if let Some(slot) = binding.slots.iter().find(|slot| {
            world
                .places
                .get(slot.entity)
                .is_ok_and(|(_, base)| base.is_some_and(|base| base.broken))
        }) {
            return Err(IkError::BrokenJoint { joint: slot.entity });
        }
        let Some(chain) = &binding.chain else {
            let unknown = IkError::Chain { error: sinew_ik::ChainError::NoJoints };
            return Err(binding.bind_fault.clone().unwrap_or(unknown));
        };
        if !self.chain.weight.is_finite() {
            return Err(IkError::NonFinite);
        }
        if self.chain.weight <= 0.0 {
            return Ok(false);
        }
        let root = binding.slots[0].entity;
        let frame = world.frame(root).map_err(|error| IkError::Frame { error })?;
        binding.world_scale = 1.0 / frame.chain_length(1.0);
        let target = self.target;
        let position = place(&target.position, "IkTarget", &frame, world)?;
        let rotation = turn(&target.rotation, &frame, world)?;
        let finite = position.is_none_or(Vec3::is_finite) && rotation.is_none_or(Quat::is_finite);
        if !finite {
            return Err(IkError::NonFinite);
        }
        let share = IkSmoothing::share(half_life, dt);
        state.eased = position.map(|goal| match state.eased {
            Some(eased) if share < 1.0 => {
                let next = eased.lerp(goal, share);
                if next.distance(goal) <= ARRIVED * chain.length() { goal } else { next }
            }
            _ => goal,
        });
        state.eased_turn = rotation.map(|goal| match state.eased_turn {
            Some(eased) if share < 1.0 => {
                let next = nlerp(eased, goal, share);
                if next.dot(goal).abs() >= 1.0 - 1e-7 { goal } else { next }
            }
            _ => goal,
        });
        if state.eased.is_some() || state.eased_turn.is_some() {
            input.goals.push(Goal {
                effector: Effector::Tip,
                position: state.eased,
                position_weight: target.position_weight,
                rotation: state.eased_turn,
                rotation_weight: target.rotation_weight,
                importance: 1.0,
            });
        }
        for one in self.extra.iter().flat_map(|extra| &extra.0) {
            if let Some(at) = place(&one.position, "IkJointTargets", &frame, world)? {
                input.goals.push(Goal {
                    position_weight: one.weight,
                    importance: one.importance,
                    ..Goal::joint(usize::from(one.joint), at)
                });
            }
        }
        if let Some(pole) = self.pole
            && let Some(position) = place(&pole.at, "IkPole", &frame, world)?
        {
            input.pole = Some(Pole {
                position,
                angle: pole.angle,
                joint: pole.joint.map(usize::from),
                weight: pole.weight,
            });
        }
        input.settings = Some(self.chain.settings(&frame));
        Ok(!input.goals.is_empty())
    }

    /// Solves for the goals and blends with the base pose.
    fn solve(&mut self, dt: f32, half_life: f32, restored: bool, scratch: &mut Scratch) {
        let weight = self.chain.weight.clamp(0.0, 1.0);
        let binding = self.binding.bypass_change_detection();
        let state = self.state.bypass_change_detection();
        let (Some(chain), Some(settings)) = (&binding.chain, &binding.input.settings) else {
            return;
        };
        let same = binding.input == binding.last_input && state.solved && !restored;
        if !same || binding.unsettled {
            let task = Task {
                base: &binding.input.base,
                root: binding.input.root,
                goals: &binding.input.goals,
                pole: binding.input.pole,
                obstacles: &[],
                curve: &[],
                dt,
            };
            let report = solve_chain(chain, &task, settings, &mut state.kernel, scratch);
            binding.did.solved = true;
            binding.report = report;
            if let Status::Invalid(reason) = report.status {
                binding.run_fault = Some(reason.into());
                binding.last_input.settings = None;
                self.rest(dt, half_life);
                return;
            }
            let going_on = settings.start == Start::Previous
                && matches!(report.status, Status::Stalled | Status::Limited);
            let rated = state.kernel.rotations() != state.kernel.solution();
            binding.unsettled = going_on || rated;
            core::mem::swap(&mut binding.input, &mut binding.last_input);
            state.solved = true;
        }
        let fade = fade(state, 1.0, half_life, dt);
        blend(&binding.last_input.base, state.kernel.rotations(), weight * fade, &mut state.out);
    }

    /// Nothing to solve: goes back to the base pose, at once or by the half-life.
    fn rest(&mut self, dt: f32, half_life: f32) {
        let binding = self.binding.bypass_change_detection();
        let state = self.state.bypass_change_detection();
        let weight = self.chain.weight;
        let weight = if weight.is_finite() { weight.clamp(0.0, 1.0) } else { 0.0 };
        state.eased = None;
        state.eased_turn = None;
        binding.last_input.settings = None;
        let start = if state.solved && state.kernel.rotations().len() == state.out.len() {
            fade(state, 0.0, half_life, dt)
        } else {
            state.fade = Some(0.0);
            0.0
        };
        if start <= 0.0 && state.solved {
            // The next solve starts afresh.
            state.kernel.forget();
            state.solved = false;
        }
        blend(&binding.input.base, state.kernel.rotations(), weight * start, &mut state.out);
    }
}

/// Moves the fade towards `goal`, and returns it. The first one starts at its goal.
fn fade(state: &mut IkChainState, goal: f32, half_life: f32, dt: f32) -> f32 {
    let fade = state.fade.map_or(goal, |fade| {
        let next = fade + (goal - fade) * IkSmoothing::share(half_life, dt);
        if (goal - next).abs() < FADED { goal } else { next }
    });
    state.fade = Some(fade);
    fade
}

/// Rotations between two poses; exactly one of them at a weight of zero or one.
fn blend(base: &[Quat], solved: &[Quat], weight: f32, out: &mut Vec<Quat>) {
    out.clear();
    if weight <= 0.0 || base.len() != solved.len() {
        out.extend_from_slice(base);
    } else if weight >= 1.0 {
        out.extend_from_slice(solved);
    } else {
        out.extend(base.iter().zip(solved).map(|(&base, &solved)| nlerp(base, solved, weight)));
    }
}

/// Reads base rotations, and places where they changed; false when a joint is not there.
fn read_joints(binding: &mut IkBinding, tip: Vec3, world: World, out: &[Quat]) -> bool {
    binding.input.base.clear();
    let mut moved = false;
    for index in 0..binding.slots.len() {
        let slot = binding.slots[index];
        let Ok((transform, Some(base))) = world.places.get(slot.entity) else {
            binding.run_fault = Some(IkError::NoSuchJoint { joint: slot.entity });
            return false;
        };
        if index == 0 {
            binding.input.root = transform.translation;
        }
        binding.input.base.push(if slot.shared_before { base.solved } else { base.base });
        // What a later chain starts from.
        binding.did.differs |= !slot.last && out.get(index) != Some(&base.solved);
        moved |= binding.remeasure(index, transform);
    }
    if moved {
        binding.build(tip);
    }
    true
}

/// Whether some joint has another rotation than it should.
fn differs(binding: &IkBinding, out: &[Quat], world: World) -> bool {
    binding.slots.iter().zip(out).any(|(slot, &rotation)| {
        world.places.get(slot.entity).is_ok_and(|(transform, base)| {
            if slot.last {
                transform.rotation != rotation || base.is_some_and(|base| base.written != rotation)
            } else {
                base.is_some_and(|base| base.solved != rotation)
            }
        })
    })
}

/// A place in chain space.
fn place(
    place: &IkPlace,
    component: &'static str,
    frame: &ChainFrame,
    world: World,
) -> Result<Option<Vec3>, IkError> {
    let (entity, point) = match *place {
        IkPlace::None => return Ok(None),
        IkPlace::Point(point) => return Ok(Some(frame.chain_point(point))),
        IkPlace::Entity(entity) => (entity, Vec3::ZERO),
        IkPlace::Local { entity, point } => (entity, point),
    };
    let affine = world.affine(entity).ok_or(IkError::TargetMissing { entity, component })?;
    Ok(Some(frame.chain_point_from(affine, point)))
}

/// A rotation in chain space.
fn turn(turn: &IkTurn, frame: &ChainFrame, world: World) -> Result<Option<Quat>, IkError> {
    match *turn {
        IkTurn::Free => Ok(None),
        IkTurn::World(rotation) => Ok(Some(frame.chain_rotation(rotation))),
        IkTurn::Entity { entity, offset } => {
            let missing = IkError::TargetMissing { entity, component: "IkTarget" };
            let affine = world.affine(entity).ok_or(missing)?;
            // Never by way of a matrix with scale: see `ChainFrame`.
            let own = ChainFrame::new(affine).map_err(|_| IkError::NonFinite)?;
            Ok(Some(frame.chain_rotation(own.world_rotation(offset))))
        }
    }
}
