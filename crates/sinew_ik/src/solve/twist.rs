//! Sharing the twist of a goal rotation over the joints before it, as a forearm takes part of a wrist's turn.

use glam::Quat;

use super::plan::is_free;
use crate::chain::{Chain, ZERO_LENGTH};
use crate::limit::angle_about;
use crate::rotation::{about, swing_twist, unit};

/// Rolls up to `count` joints before `joint` about their own bones, by shares of its twist (against the base pose) that
/// fall evenly to none. No place moves, and the rotation of `joint` to chain space stays.
///
/// Joints that are not free, and bones without length, end the sharing.
pub(super) fn share(chain: &Chain, base: &[Quat], joint: usize, count: usize, locals: &mut [Quat]) {
    let able = |k: usize| is_free(chain, k) && chain.unit_lengths[k] > ZERO_LENGTH;
    let sharing = (1..=count.min(joint)).take_while(|&back| able(joint - back)).count();
    if sharing == 0 {
        return;
    }
    let axis = chain.axes[joint - 1];
    let turned = unit(locals[joint] * base[joint].conjugate());
    let twist = angle_about(swing_twist(turned, axis).1, axis);
    // From the far end of the forearm inwards: each roll is taken back by the next joint.
    for back in 1..=sharing {
        let k = joint - back;
        let part = twist * (1.0 - back as f32 / (sharing + 1) as f32);
        let roll = about(chain.axes[k], part);
        locals[k] = unit(locals[k] * roll);
        locals[k + 1] = unit(roll.conjugate() * locals[k + 1]);
    }
}
