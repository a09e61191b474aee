//! Scale inside a chain that is not uniform: lengths then depend on the pose.
//!
//! The chain is first solved with its bones as they are in the base pose, as if they were rigid. Damped least squares
//! with the true affine transforms then bring the end effector to the target: a joint that turns by `ω` in its parent's
//! space moves the effector by `A (ω × A⁻¹ r)`, where `A` is the linear part of that space.

use glam::{Mat3, Quat, Vec3};

use crate::chain::{Chain, Mobility};
use crate::limit::Limit;
use crate::report::{SolveReport, Status};
use crate::rotation::{cayley, nlerp, unit};
use crate::settings::Settings;
use crate::solve::solve_rigid;
use crate::state::{ChainState, Scratch};
use crate::task::{Effector, Task};

/// Most iterations of the affine part.
const ITERATIONS: u16 = 32;
/// Damping in lengths of the chain: at the start, least and most.
const DAMPING: [f32; 3] = [0.05, 0.01, 1.0];
/// Longest step of the effector, in lengths of the chain, and largest turn of a joint, in rad.
const MOST_STEP: f32 = 0.2;
const MOST_TURN: f32 = 0.5;

/// Writes bones (see [`Chain`]) as they are at a pose, from pairs of the next joint's translation and the own scale.
pub(crate) fn bones_at(joints: &[(Vec3, Vec3)], rotations: &[Quat], out: &mut [Vec3]) {
    let mut linear = Mat3::IDENTITY;
    let mut turn = Quat::IDENTITY;
    for (((next, scale), rotation), bone) in joints.iter().zip(rotations).zip(out) {
        linear = linear * Mat3::from_quat(*rotation) * Mat3::from_diagonal(*scale);
        turn = unit(turn * *rotation);
        *bone = turn.conjugate() * (linear * *next);
    }
}

/// Place of a joint or the tip (index as in [`Chain::positions`]) relative to the first joint.
fn place(chain: &Chain, rotations: &[Quat], index: usize) -> Vec3 {
    let mut linear = Mat3::IDENTITY;
    let mut at = Vec3::ZERO;
    for ((next, scale), rotation) in chain.sheared.iter().zip(rotations).take(index) {
        linear = linear * Mat3::from_quat(*rotation) * Mat3::from_diagonal(*scale);
        at += linear * *next;
    }
    at
}

/// Solves a chain of which [`Chain::is_sheared`] holds, over the base pose in `scratch`. Rates are not looked at.
pub(crate) fn solve(
    chain: &Chain,
    task: &Task<'_>,
    settings: &Settings,
    state: &mut ChainState,
    scratch: &mut Scratch,
) -> SolveReport {
    let mut measured = match scratch.sheared.take() {
        Some(known) if known.is_measured_from(chain) => known,
        _ => Box::new(chain.clone()),
    };
    let mut bones = core::mem::take(&mut scratch.sheared_bones);
    bones.resize(chain.len(), Vec3::ZERO);
    bones_at(&chain.sheared, &scratch.base, &mut bones);
    measured.set_bones(&bones);
    let mut report = SolveReport { sheared: true, ..SolveReport::default() };
    if measured.length > f32::MIN_POSITIVE && measured.length.is_finite() {
        let task = Task { dt: 0.0, ..*task };
        report = SolveReport {
            sheared: true,
            ..solve_rigid(&measured, &task, settings, state, scratch)
        };
        refine(chain, &task, settings, state, scratch, &mut report);
    }
    scratch.sheared = Some(measured);
    scratch.sheared_bones = bones;
    report
}

/// Brings the effector of a single position goal to its target with the true transforms.
fn refine(
    chain: &Chain,
    task: &Task<'_>,
    settings: &Settings,
    state: &mut ChainState,
    scratch: &mut Scratch,
    report: &mut SolveReport,
) {
    let [goal] = task.goals else { return };
    let Some(position) = goal.position else { return };
    let end = match goal.effector {
        Effector::Tip => chain.len(),
        Effector::Joint(joint) => joint,
    };
    let base = place(chain, &scratch.base, end);
    let target = base.lerp(position - task.root, goal.position_weight.clamp(0.0, 1.0));
    let tolerance = settings.unit_tolerance(chain.length) * chain.length;
    let keep = report.status == Status::Unreachable && report.error == 0.0;
    if keep || !target.is_finite() {
        return;
    }
    let Scratch { base, locals, turns, .. } = scratch;
    locals.copy_from_slice(&state.solution);
    let mut error = place(chain, locals, end).distance(target);
    let mut damping = DAMPING[0];
    let mut iterations = 0;
    while iterations < ITERATIONS && error > tolerance {
        iterations += 1;
        let effector = place(chain, locals, end);
        let delta = (target - effector).clamp_length_max(MOST_STEP * chain.length);
        linear_turns(chain, locals, end, effector, delta, damping * chain.length, turns);
        for i in 0..end {
            let turned = unit(cayley(turns[i].clamp_length_max(MOST_TURN)) * locals[i]);
            state.solution[i] = if chain.mobility[i] == Mobility::Rigid {
                base[i]
            } else {
                chain.limited(i, Quat::IDENTITY, turned).0
            };
        }
        let now = place(chain, &state.solution, end).distance(target);
        if now < error {
            error = now;
            locals.copy_from_slice(&state.solution);
            damping = (0.5 * damping).max(DAMPING[1]);
        } else {
            if damping >= DAMPING[2] {
                break;
            }
            damping = (4.0 * damping).min(DAMPING[2]);
        }
    }
    for i in 0..chain.len() {
        state.solution[i] = locals[i];
        state.rotations[i] = nlerp(base[i], locals[i], settings.weight);
    }
    report.iterations = report.iterations.saturating_add(iterations);
    report.joint_updates += u32::from(iterations) * end as u32;
    report.error = error.min(f32::MAX);
    report.status = match report.status {
        _ if error <= tolerance && goal.rotation.is_none() => Status::Reached,
        Status::Reached => Status::Stalled,
        other => other,
    };
}

/// Writes the turn of each joint, in its parent's space, for a wished step of the effector.
fn linear_turns(
    chain: &Chain,
    locals: &[Quat],
    end: usize,
    effector: Vec3,
    delta: Vec3,
    damping: f32,
    turns: &mut [Vec3],
) {
    let mut sum = Mat3::from_diagonal(Vec3::splat(damping * damping));
    each_lever(chain, locals, end, effector, |_, weight, axis, linear, lever| {
        let columns = Vec3::AXES.map(|unit_axis| {
            let turn = lever.cross(linear.transpose() * unit_axis);
            let turn = axis.map_or(turn, |axis| axis * axis.dot(turn));
            linear * turn.cross(lever) * weight
        });
        sum += Mat3::from_cols(columns[0], columns[1], columns[2]);
    });
    let y = sum.inverse() * delta;
    let y = if y.is_finite() { y } else { Vec3::ZERO };
    turns[..end].fill(Vec3::ZERO);
    each_lever(chain, locals, end, effector, |i, weight, axis, linear, lever| {
        let turn = lever.cross(linear.transpose() * y) * weight;
        turns[i] = axis.map_or(turn, |axis| axis * axis.dot(turn));
    });
}

/// Calls `visit` for each joint that moves with its index, squared weight, hinge axis, the linear part of its parent's
/// space and the way to the effector in that space.
fn each_lever(
    chain: &Chain,
    locals: &[Quat],
    end: usize,
    effector: Vec3,
    mut visit: impl FnMut(usize, f32, Option<Vec3>, Mat3, Vec3),
) {
    let mut linear = Mat3::IDENTITY;
    let mut at = Vec3::ZERO;
    for (i, (next, scale)) in chain.sheared.iter().enumerate().take(end) {
        let weight = chain.weights[i] * chain.weights[i];
        let lever = linear.inverse() * (effector - at);
        // Joints below a scale of zero have no inverse, and do not move anything.
        if weight > 0.0 && lever.is_finite() {
            let axis = match chain.limits[i] {
                Limit::Hinge { axis, .. } => Some(locals[i] * axis),
                _ => None,
            };
            visit(i, weight, axis, linear, lever);
        }
        linear = linear * Mat3::from_quat(locals[i]) * Mat3::from_diagonal(*scale);
        at += linear * *next;
    }
}
