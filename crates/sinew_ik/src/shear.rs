//! Scale inside a chain that is not uniform: lengths then depend on the pose.
//!
//! Bones are measured at the pose at hand by full affine transforms, the chain is solved as if they were rigid,
//! and both are repeated until the true end effector is at the target.

use glam::{Mat3, Quat, Vec3};

use crate::chain::Chain;
use crate::report::{SolveReport, Status};
use crate::rotation::unit;
use crate::settings::{Settings, Start};
use crate::solve::solve_rigid;
use crate::state::{ChainState, Scratch};
use crate::task::Task;

/// Rounds of measuring and solving. Scales of 1 : 2 : 0.5 take about five.
const ROUNDS: u32 = 12;

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

/// Solves a chain of which [`Chain::is_sheared`] holds, over the base pose in `scratch`.
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
    let first = if settings.start == Start::Previous && state.solved {
        &state.solution
    } else {
        &scratch.base
    };
    bones_at(&chain.sheared, first, &mut bones);
    let mut total = SolveReport::default();
    for round in 0..ROUNDS {
        measured.set_bones(&bones);
        if measured.length <= f32::MIN_POSITIVE || !measured.length.is_finite() {
            break;
        }
        // Rates and the first pose count from the last solve, not from the last round.
        let settings =
            if round == 0 { *settings } else { Settings { start: Start::Previous, ..*settings } };
        let task = Task { dt: 0.0, ..*task };
        let report = solve_rigid(&measured, &task, &settings, state, scratch);
        let (iterations, updates) = (total.iterations, total.joint_updates);
        total = report;
        total.iterations = total.iterations.saturating_add(iterations);
        total.joint_updates += updates;
        bones_at(&chain.sheared, &state.solution, &mut bones);
        let moved: f32 =
            bones.iter().zip(&measured.bones).map(|(new, old)| new.distance(*old)).sum();
        // What the change of bones can move the effector by, at most.
        if moved <= 0.1 * settings.unit_tolerance(chain.length) * chain.length {
            break;
        }
        if round + 1 == ROUNDS {
            total.error += moved;
            if total.status == Status::Reached {
                total.status = Status::Stalled;
            }
        }
    }
    total.sheared = true;
    scratch.sheared = Some(measured);
    scratch.sheared_bones = bones;
    total
}
