//! What input is refused.

use glam::Quat;

use crate::chain::Chain;
use crate::report::Invalid;
use crate::settings::{Settings, Solver, Tolerance, Unreachable};
use crate::task::{Effector, Task};

/// The base pose is empty, or finite and of the right number.
pub(super) fn is_good_base(chain: &Chain, base: &[Quat]) -> bool {
    base.is_empty() || (base.len() == chain.len() && base.iter().all(|q| q.is_finite()))
}

/// Refuses input that a solve could not make sense of.
pub(super) fn check(chain: &Chain, task: &Task<'_>, settings: &Settings) -> Result<(), Invalid> {
    if !task.base.is_empty() && task.base.len() != chain.len() {
        return Err(Invalid::WrongLength);
    }
    let tolerance = match settings.tolerance {
        Tolerance::Relative(value) | Tolerance::Distance(value) => value,
    };
    let policy = match settings.unreachable {
        Unreachable::Extend | Unreachable::Abort => 0.0,
        Unreachable::Soft(value) | Unreachable::Stretch(value) | Unreachable::DragRoot(value) => {
            value
        }
    };
    let step = match settings.solver {
        Solver::CurlStep { step, .. } => step,
        _ => 0.0,
    };
    let numbers = [
        tolerance,
        settings.rotation_tolerance,
        settings.weight,
        settings.margin,
        policy,
        step,
        task.dt,
    ];
    let mut finite = numbers.iter().all(|value| value.is_finite())
        && is_good_base(chain, task.base)
        && task.root.is_finite()
        && task.obstacles.iter().all(|obstacle| obstacle.is_valid())
        && task.curve.iter().all(|point| point.is_finite());
    for goal in task.goals {
        if let Effector::Joint(joint) = goal.effector
            && joint >= chain.len()
        {
            return Err(Invalid::NoSuchJoint);
        }
        finite &= goal.position.is_none_or(|position| position.is_finite())
            && goal.rotation.is_none_or(|q| q.is_finite() && q.length_squared() > 1e-12)
            && goal.position_weight.is_finite()
            && goal.rotation_weight.is_finite()
            && goal.importance.is_finite();
    }
    if let Some(pole) = task.pole {
        if pole.joint.is_some_and(|joint| joint >= chain.len()) {
            return Err(Invalid::NoSuchJoint);
        }
        finite &= pole.position.is_finite() && pole.angle.is_finite() && pole.weight.is_finite();
    }
    if !finite {
        return Err(Invalid::NonFinite);
    }
    match settings.solver {
        Solver::TwoBone if !super::run::is_two_bone(chain, chain.used) => Err(Invalid::NotTwoBones),
        Solver::Spline if !has_length(task) => Err(Invalid::NoCurve),
        _ => Ok(()),
    }
}

fn has_length(task: &Task<'_>) -> bool {
    task.curve.windows(2).any(|pair| pair[0] != pair[1])
}
