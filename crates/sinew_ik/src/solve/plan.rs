//! From goals in chain space to what solvers work on: targets in unit space, within reach as the policy says.

use glam::{Quat, Vec3};

use crate::chain::{Chain, Mobility, ZERO_LENGTH, reach_of};
use crate::limit::Limit;
use crate::rotation::{nlerp, unit};
use crate::settings::{Settings, Unreachable};
use crate::solver::Reach;
use crate::solver::rows::{Row, Rows};
use crate::solver::two_bone::soft_distance;
use crate::state::Scratch;
use crate::task::{Effector, Goal, Task};

/// Targets farther than this, in lengths of the chain, are brought nearer; they are out of reach either way.
const FARTHEST: f64 = 1e4;

/// A goal for a joint's rotation.
#[derive(Clone, Copy, Debug)]
pub(super) struct Turn {
    pub joint: usize,
    pub target: Quat,
}

/// What one solve is after.
#[derive(Clone, Copy, Debug)]
pub(super) struct Plan {
    /// The single place to reach, if it is one, after policy and after the goal rotation took its part.
    pub reach: Option<Reach>,
    /// A rotation that the joint at the end of that reach can take alone.
    pub turn: Option<Turn>,
    /// All goals are in the scratch's rows, for the solver of many.
    pub many: bool,
    /// The target is outside of what free bones reach.
    pub unreachable: bool,
    /// Leave the base pose.
    pub abort: bool,
    /// Distance of the reach's target beyond which bones are straight, and below which they are folded.
    pub bounds: (f32, f32),
    pub stretch: f32,
    /// Offset of the root, in lengths of the chain.
    pub shift: Vec3,
    pub tolerance: f32,
    pub iterations: u16,
    pub updates: u32,
    pub solver: crate::settings::Solver,
}

/// A point of chain space in unit space about the root.
pub(super) fn to_unit(chain: &Chain, root: Vec3, point: Vec3) -> Vec3 {
    let offset = (point.as_dvec3() - root.as_dvec3()) / f64::from(chain.length);
    let distance = offset.length();
    if distance > FARTHEST { (offset * (FARTHEST / distance)).as_vec3() } else { offset.as_vec3() }
}

/// Place index and joint index of an effector.
pub(super) fn indices(chain: &Chain, effector: Effector) -> (usize, usize) {
    match effector {
        Effector::Tip => (chain.len(), chain.len() - 1),
        Effector::Joint(joint) => (joint, joint),
    }
}

/// A goal's position, moved towards the base pose by its weight; unit space.
pub(super) fn goal_place(chain: &Chain, task: &Task<'_>, goal: &Goal, base: Vec3) -> Option<Vec3> {
    let target = to_unit(chain, task.root, goal.position?);
    let weight = goal.position_weight.clamp(0.0, 1.0);
    Some(if weight < 1.0 { base.lerp(target, weight) } else { target })
}

/// A goal's rotation, moved towards the base pose by its weight.
pub(super) fn goal_turn(goal: &Goal, base: Quat) -> Option<Quat> {
    Some(nlerp(base, unit(goal.rotation?), goal.rotation_weight))
}

impl Plan {
    /// Plans over the base pose in `scratch.other`.
    pub fn new(chain: &Chain, task: &Task<'_>, settings: &Settings, scratch: &mut Scratch) -> Self {
        let tolerance = settings.unit_tolerance(chain.length);
        let mut plan = Self {
            reach: None,
            turn: None,
            many: false,
            unreachable: false,
            abort: false,
            bounds: (0.0, 1.0),
            stretch: 1.0,
            shift: Vec3::ZERO,
            tolerance,
            iterations: 0,
            updates: 0,
            solver: settings.solver,
        };
        scratch.rows.reset(tolerance, settings.rotation_tolerance.max(1e-6));
        match task.goals {
            [] => {}
            [goal] => plan.single(chain, task, settings, goal, scratch),
            goals => {
                plan.many = true;
                for goal in goals {
                    push(chain, task, goal, &mut scratch.rows, &scratch.other);
                }
            }
        }
        plan
    }

    fn single(
        &mut self,
        chain: &Chain,
        task: &Task<'_>,
        settings: &Settings,
        goal: &Goal,
        scratch: &mut Scratch,
    ) {
        let base = &scratch.other;
        let (place, joint) = indices(chain, goal.effector);
        let target = goal_place(chain, task, goal, base.places[place]);
        let turn = goal_turn(goal, base.turns[joint]);
        if let Some(turn) = turn {
            push(chain, task, goal, &mut scratch.rows, base);
            // A joint that turns freely takes the rotation alone; the others bring it to its place.
            let able = chain.mobility[joint] == Mobility::Ball && chain.weights[joint] >= 1.0;
            if !able {
                self.many = true;
                return;
            }
            self.turn = Some(Turn { joint, target: turn });
        }
        let Some(target) = target else { return };
        // The last bone as the goal rotation has it.
        let last = match (self.turn, goal.effector) {
            (Some(turn), Effector::Tip) => turn.target * chain.unit_bones[joint],
            _ => Vec3::ZERO,
        };
        let end = if self.turn.is_some() { joint } else { place.min(chain.used.max(1)) };
        let (inner, outer) = reach_of(&chain.unit_lengths[..end]);
        self.bounds = (inner, outer);
        let at = self.apply_policy(chain, settings, target, last, outer);
        let distance = at.length();
        let slack = self.tolerance;
        self.unreachable |= distance > outer + slack || distance < inner - slack;
        self.abort = self.unreachable && settings.unreachable == Unreachable::Abort;
        if outer <= ZERO_LENGTH {
            // Nothing moves this effector.
            return;
        }
        let mut target = at;
        if distance > ZERO_LENGTH {
            let within = distance.clamp(inner, outer);
            if within != distance {
                target = at * (within / distance);
            }
        }
        // Room for what the rounding of local rotations adds at the end.
        let tolerance = self.tolerance - (0.1 * self.tolerance).min(2e-7);
        self.reach = Some(Reach { end, first: 0, target, tolerance, cap: 0 });
        if self.turn.is_some() && self.unreachable {
            // Place before rotation: all joints share both.
            self.many = chain.unit_lengths[joint] > ZERO_LENGTH;
        }
    }

    /// What the policy makes of a target; sets stretch and shift.
    fn apply_policy(
        &mut self,
        chain: &Chain,
        settings: &Settings,
        target: Vec3,
        last: Vec3,
        outer: f32,
    ) -> Vec3 {
        let at = target - last;
        let distance = at.length();
        match settings.unreachable {
            Unreachable::Extend | Unreachable::Abort => at,
            Unreachable::Soft(start) => {
                let soft = soft_distance(distance, outer, start);
                if soft < distance - self.tolerance {
                    self.unreachable = true;
                }
                if distance > soft && distance > 0.0 { at * (soft / distance) } else { at }
            }
            Unreachable::Stretch(most) => {
                let most = most.max(1.0);
                let mut stretch = 1.0_f32;
                // The last bone stretches too, so that the factor is that of a fixed point; without a goal
                // rotation the first round is exact.
                for _ in 0..8 {
                    let needed = (target - last * stretch).length() / outer.max(ZERO_LENGTH);
                    stretch = needed.clamp(1.0, most);
                }
                self.stretch = stretch;
                target / stretch - last
            }
            Unreachable::DragRoot(most) => {
                let most = most.max(0.0) / chain.length;
                if distance > outer {
                    self.shift = at * ((distance - outer).min(most) / distance);
                }
                at - self.shift
            }
        }
    }
}

/// Adds a goal to the rows.
fn push(chain: &Chain, task: &Task<'_>, goal: &Goal, rows: &mut Rows, base: &crate::pose::Pose) {
    let (place, joint) = indices(chain, goal.effector);
    // An importance of zero or less is a very small one.
    let weight = goal.importance.clamp(1e-3, 1e3);
    if let Some(target) = goal_place(chain, task, goal, base.places[place]) {
        rows.push(Row::Place { end: place, target, weight });
    }
    if let Some(target) = goal_turn(goal, base.turns[joint]) {
        rows.push(Row::Turn { joint, target, weight });
    }
}

/// The joint has no limit and refuses nothing.
pub(super) fn is_free(chain: &Chain, joint: usize) -> bool {
    chain.limits[joint] == Limit::Free && chain.weights[joint] >= 1.0
}
