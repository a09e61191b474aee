//! Status and messages, and the way between ticks.

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_math::Quat;
use bevy_time::{Fixed, Time};
use sinew_ik::{Status, nlerp};

use crate::binding::{IkBinding, runs_in};
use crate::chain::{IkChain, IkMode};
use crate::sample::PlacesMut;
use crate::solve::write;
use crate::state::IkChainState;
use crate::status::{IkError, IkFailed, IkLost, IkReached, IkState, IkStatus};

/// The messages of chains.
#[derive(SystemParam)]
pub(crate) struct Outbox<'w> {
    reached: MessageWriter<'w, IkReached>,
    lost: MessageWriter<'w, IkLost>,
    failed: MessageWriter<'w, IkFailed>,
}

/// Writes the status of chains where it changed, and tells the app.
pub(crate) fn publish<const FIXED: bool>(
    mut chains: Query<(Entity, &IkChain, &mut IkBinding, &mut IkStatus)>,
    mut outbox: Outbox,
) {
    for (entity, chain, mut binding, mut status) in &mut chains {
        if !runs_in::<FIXED>(chain.mode) {
            continue;
        }
        let binding = binding.bypass_change_detection();
        let fault = binding.bind_fault.as_ref().or(binding.run_fault.as_ref());
        let state = state_of(binding, fault);
        let before = status.state;
        let idle = matches!(state, IkState::Waiting | IkState::Idle | IkState::Invalid);
        let report = &binding.report;
        let (error, rotation_error, iterations, limited_joints) = if idle {
            (0.0, 0.0, 0, 0)
        } else {
            let error = report.error * binding.world_scale;
            (error, report.rotation_error, report.iterations, report.limited_joints)
        };
        let same = before == state
            && status.error == error
            && status.rotation_error == rotation_error
            && status.iterations == iterations
            && status.limited_joints == limited_joints
            && status.fault.as_ref() == fault;
        if !same {
            *status = IkStatus {
                state,
                error,
                rotation_error,
                iterations,
                limited_joints,
                fault: fault.cloned(),
            };
        }
        if before != state {
            if state == IkState::Reached {
                outbox.reached.write(IkReached { entity });
            } else if before == IkState::Reached {
                outbox.lost.write(IkLost { entity, state });
            }
        }
        tell(entity, binding, &mut outbox.failed);
    }
}

fn state_of(binding: &IkBinding, fault: Option<&IkError>) -> IkState {
    if fault.is_some() {
        return IkState::Invalid;
    }
    if binding.slots.is_empty() {
        return IkState::Waiting;
    }
    if binding.did.idle {
        return IkState::Idle;
    }
    match binding.report.status {
        Status::Idle => IkState::Idle,
        Status::Reached => IkState::Reached,
        Status::Unreachable => IkState::Unreachable,
        Status::Limited => IkState::Limited,
        Status::Stalled => IkState::Stalled,
        Status::Invalid(_) => IkState::Invalid,
    }
}

/// Reports a fault that was not reported yet.
fn tell(entity: Entity, binding: &mut IkBinding, failed: &mut MessageWriter<IkFailed>) {
    let fault = binding.bind_fault.as_ref().or(binding.run_fault.as_ref());
    let Some(reason) = fault else {
        binding.reported = None;
        return;
    };
    // The text is compared: a reason that has a NaN in it does not equal itself.
    let known = binding.reported.as_ref();
    if known == fault || known.is_some_and(|known| known.to_string() == reason.to_string()) {
        return;
    }
    let component = reason.component();
    let joint = reason.joint().and_then(|joint| binding.slots.get(joint));
    let at = joint.map_or(entity, |slot| slot.entity);
    log::warn!("{component} of entity {at}: {reason}");
    failed.write(IkFailed { entity: at, component, reason: reason.clone() });
    binding.reported = Some(reason.clone());
}

/// Shows the way between the last two ticks.
pub(crate) fn interpolate(
    chains: Query<(&IkChain, &IkBinding, &IkChainState)>,
    mut places: PlacesMut,
    time: Res<Time<Fixed>>,
    mut between: Local<Vec<Quat>>,
) {
    let overstep = time.overstep_fraction();
    for (chain, binding, state) in &chains {
        if chain.mode != IkMode::FixedInterpolated || state.out.len() != binding.slots.len() {
            continue;
        }
        between.clear();
        between.extend(
            state.before.iter().zip(&state.out).map(|(&before, &now)| {
                if before == now { now } else { nlerp(before, now, overstep) }
            }),
        );
        write(binding, &between, &mut places);
    }
}
