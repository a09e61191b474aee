//! One solve of one chain.
//!
//! ```text
//! check ─► base pose ─► goals in unit space, policy for far targets ─► solver ─► pole ─► goal rotation
//!       ─► limits ─► blend with base ─► rates
//! ```

mod check;
mod output;
mod plan;
mod pole;
mod run;
mod twist;

use glam::Quat;

use crate::chain::Chain;
use crate::report::{SolveReport, Status};
use crate::rotation::unit;
use crate::settings::{Settings, Solver};
use crate::state::{ChainState, Scratch};
use crate::task::Task;

/// Solves a chain. The result is [`ChainState::rotations`]: local rotations, of unit length and finite whatever
/// the input.
///
/// It does not fail: bad input gives the base pose and says so in the report. Nothing is allocated once `scratch`
/// has seen the longest chain; a chain with a scale that is not uniform asks for memory when the last such chain was
/// another one. Chains may be solved on any threads in any order; each result depends on its own arguments only.
pub fn solve(
    chain: &Chain,
    task: &Task<'_>,
    settings: &Settings,
    state: &mut ChainState,
    scratch: &mut Scratch,
) -> SolveReport {
    state.fit(chain);
    scratch.fit(chain.len());
    if let Err(reason) = check::check(chain, task, settings) {
        if check::is_good_base(chain, task.base) {
            take_base(chain, task.base, &mut scratch.base);
            state.rotations.copy_from_slice(&scratch.base);
            state.solution.copy_from_slice(&scratch.base);
        }
        return SolveReport { status: Status::Invalid(reason), ..SolveReport::default() };
    }
    take_base(chain, task.base, &mut scratch.base);
    let idle = task.goals.is_empty() && settings.solver != Solver::Spline;
    if idle || settings.weight <= 0.0 {
        state.rotations.copy_from_slice(&scratch.base);
        state.solution.copy_from_slice(&scratch.base);
        state.solved = true;
        return SolveReport::default();
    }
    if chain.is_sheared() {
        crate::shear::solve(chain, task, settings, state, scratch)
    } else {
        solve_rigid(chain, task, settings, state, scratch)
    }
}

/// Solves a chain whose lengths do not depend on its pose, over the base pose in `scratch`.
pub(crate) fn solve_rigid(
    chain: &Chain,
    task: &Task<'_>,
    settings: &Settings,
    state: &mut ChainState,
    scratch: &mut Scratch,
) -> SolveReport {
    scratch.other.set_locals(chain, &scratch.base);
    let mut plan = plan::Plan::new(chain, task, settings, scratch);
    run::run(chain, task, settings, state, scratch, &mut plan);
    output::finish(chain, task, settings, state, scratch, &plan)
}

/// Base rotations as used: of unit length, and rest where one has no length. Good ones stay bit for bit.
fn take_base(chain: &Chain, base: &[Quat], out: &mut [Quat]) {
    if base.is_empty() {
        out.copy_from_slice(&chain.rest);
        return;
    }
    for ((out, given), rest) in out.iter_mut().zip(base).zip(&chain.rest) {
        let square = given.length_squared();
        *out = if (square - 1.0).abs() < 1e-5 {
            *given
        } else if square > 1e-12 && square.is_finite() {
            unit(*given)
        } else {
            *rest
        };
    }
}
