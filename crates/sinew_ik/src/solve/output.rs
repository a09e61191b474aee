//! From the pose that was found to local rotations and the report.

use glam::{Quat, Vec3};

use super::plan::{Plan, goal_place, goal_turn, indices};
use crate::chain::{Chain, Mobility};
use crate::report::{SolveReport, Status};
use crate::rotation::{angle, at_most, direction_or, nlerp, unit};
use crate::settings::{Settings, Solver};
use crate::solver::Reach;
use crate::solver::dls::{self, Work};
use crate::solver::fabrik::Surroundings;
use crate::solver::kick::bend_of;
use crate::state::{ChainState, Scratch};
use crate::task::Task;

/// Writes the result into `state` and reports on it.
pub(super) fn finish(
    chain: &Chain,
    task: &Task<'_>,
    settings: &Settings,
    state: &mut ChainState,
    scratch: &mut Scratch,
    plan: &Plan,
) -> SolveReport {
    write_locals(chain, scratch, plan);
    // What limits changed shows in the places; else local rotations say the same as the pose, to rounding.
    if !chain.plain || plan.abort {
        scratch.pose.set_locals(chain, &scratch.locals);
    }
    if !scratch.locals.iter().all(|q| q.is_finite()) {
        // Nothing known leads here; a pose that is not finite must not get out.
        scratch.locals.copy_from_slice(&scratch.base);
        scratch.pose.set_locals(chain, &scratch.locals);
    }
    let mut report = SolveReport {
        iterations: plan.iterations,
        joint_updates: plan.updates,
        solver: plan.solver,
        stretch: plan.stretch,
        root_shift: plan.shift * chain.length,
        ..SolveReport::default()
    };
    measure(chain, task, plan, scratch, &mut report);
    let around = Surroundings {
        obstacles: task.obstacles,
        root: task.root + report.root_shift,
        length: chain.length * plan.stretch,
        margin: settings.margin.max(0.0),
    };
    report.clearance = around.clearance(chain, &scratch.pose);
    let reached = report.error <= plan.tolerance * chain.length
        && report.rotation_error <= settings.rotation_tolerance.max(1e-6);
    if !reached && !chain.plain && !plan.abort && settings.solver != Solver::Spline {
        report.limited_joints = held_joints(chain, plan, scratch);
    }
    report.status = if reached {
        Status::Reached
    } else if plan.unreachable {
        Status::Unreachable
    } else if report.limited_joints > 0 {
        Status::Limited
    } else {
        Status::Stalled
    };
    remember_bend(chain, state, scratch);
    report.limited_joints += blend(chain, task, settings, state, scratch);
    report
}

/// Local rotations of the pose, held to limits; rigid joints exactly as in the base pose.
fn write_locals(chain: &Chain, scratch: &mut Scratch, plan: &Plan) {
    let Scratch { base, pose, locals, .. } = scratch;
    for i in 0..chain.len() {
        locals[i] = if plan.abort || chain.mobility[i] == Mobility::Rigid {
            base[i]
        } else if chain.plain {
            pose.local(i)
        } else {
            chain.limited(i, Quat::IDENTITY, pose.local(i)).0
        };
    }
}

/// Errors against the goals as they were given (and weighted), in double precision and chain space.
fn measure(
    chain: &Chain,
    task: &Task<'_>,
    plan: &Plan,
    scratch: &Scratch,
    report: &mut SolveReport,
) {
    let length = f64::from(chain.length);
    for goal in task.goals {
        let (place, joint) = indices(chain, goal.effector);
        let now = scratch.pose.places[place] * plan.stretch + plan.shift;
        if let Some(target) = goal.position.filter(|_| goal.position_weight >= 1.0) {
            // Far targets were brought nearer for the solvers; the error is the true one.
            let offset = target.as_dvec3() - task.root.as_dvec3() - now.as_dvec3() * length;
            let error = offset.length().min(f64::from(f32::MAX)) as f32;
            report.error = report.error.max(error);
        } else if let Some(target) = goal_place(chain, task, goal, scratch.other.places[place]) {
            let error = target.distance(now) * chain.length;
            report.error = report.error.max(error.min(f32::MAX));
        }
        if let Some(target) = goal_turn(goal, scratch.other.turns[joint]) {
            let error = angle(target * scratch.pose.turns[joint].conjugate());
            report.rotation_error = report.rotation_error.max(error);
        }
    }
}

/// Joints that a limit would stop if they went on towards the goals.
fn held_joints(chain: &Chain, plan: &Plan, scratch: &mut Scratch) -> u16 {
    let Scratch { pose, turns, steps, held, rows, .. } = scratch;
    let mut work = Work { turns, steps, held };
    match plan.reach {
        Some(mut reach) if !plan.many => {
            dls::find_steps(chain, &mut reach, pose, dls::FIRST_DAMPING, &mut work);
            count(&work.held[..reach.end])
        }
        _ if !rows.rows.is_empty() => {
            dls::find_steps(chain, rows, pose, dls::FIRST_DAMPING, &mut work);
            let end = dls::Pull::range(rows).1;
            count(&work.held[..end])
        }
        _ => 0,
    }
}

fn count(held: &[bool]) -> u16 {
    held.iter().filter(|&&held| held).count().min(usize::from(u16::MAX)) as u16
}

/// Keeps the side that the chain bends to; a straight one keeps the last.
fn remember_bend(chain: &Chain, state: &mut ChainState, scratch: &Scratch) {
    let whole = Reach { end: chain.len(), first: 0, target: Vec3::ZERO, tolerance: 0.0, cap: 0 };
    let bend = bend_of(&scratch.pose, &whole);
    if bend.length() > 1e-3 {
        state.bend = direction_or(bend, Vec3::ZERO);
    }
}

/// Blends with the base pose and holds joints to their rates; returns how many of them were held.
fn blend(
    chain: &Chain,
    task: &Task<'_>,
    settings: &Settings,
    state: &mut ChainState,
    scratch: &Scratch,
) -> u16 {
    let rated = chain.rated && state.solved && task.dt > 0.0;
    let mut held = 0;
    for i in 0..chain.len() {
        let mut rotation = nlerp(scratch.base[i], scratch.locals[i], settings.weight);
        if rated && chain.max_rates[i].is_finite() {
            let before = state.rotations[i];
            let turn = unit(before.conjugate() * rotation);
            let most = chain.max_rates[i] * task.dt;
            if angle(turn) > most {
                rotation = unit(before * at_most(turn, most));
                held += 1;
            }
        }
        state.rotations[i] = rotation;
        state.solution[i] = scratch.locals[i];
    }
    state.solved = true;
    held
}
