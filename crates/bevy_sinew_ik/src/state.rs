//! All that must be kept of a chain from solve to solve.

use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_reflect::prelude::*;
use sinew_ik::ChainState;

/// All that rollback must keep of a chain, besides [`IkBasePose`](crate::IkBasePose) on its joints, `Transform`s and
/// what you edit yourself. Save it, restore it and go on: every later solve gives the same bits.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
pub struct IkChainState {
    /// The solver's.
    #[reflect(ignore)]
    pub(crate) kernel: ChainState,
    /// Local rotations as they were given out, root first.
    #[reflect(ignore)]
    pub(crate) out: Vec<Quat>,
    /// The same in the tick before.
    #[reflect(ignore)]
    pub(crate) before: Vec<Quat>,
    /// The smoothed target, in chain space.
    #[reflect(ignore)]
    pub(crate) eased: Option<Vec3>,
    /// The smoothed goal rotation, in chain space.
    #[reflect(ignore)]
    pub(crate) eased_turn: Option<Quat>,
    /// Factor on the weight: falls while there is nothing to solve.
    #[reflect(ignore)]
    pub(crate) fade: Option<f32>,
    /// `kernel` holds a solution.
    #[reflect(ignore)]
    pub(crate) solved: bool,
}

impl IkChainState {
    /// Local rotations that the chain gives its joints, root first; empty before the first solve.
    #[must_use]
    pub fn rotations(&self) -> &[Quat] {
        &self.out
    }

    /// The same in the tick before, for chains that are solved in ticks.
    #[must_use]
    pub fn previous_rotations(&self) -> &[Quat] {
        &self.before
    }

    /// Forgets the past, as after a teleport: the next solve neither smooths nor slows down.
    pub fn forget(&mut self) {
        self.kernel.forget();
        self.out.clear();
        self.before.clear();
        self.eased = None;
        self.eased_turn = None;
        self.fade = None;
        self.solved = false;
    }
}

impl IkChainState {
    /// Takes the number of joints; a state of another chain is forgotten.
    pub(crate) fn fit(&mut self, joints: usize) {
        if !self.out.is_empty() && self.out.len() != joints {
            *self = Self::default();
        }
    }
}
