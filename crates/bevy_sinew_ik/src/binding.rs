//! The joints that a chain was bound to, and what its last solve was made of.

use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_transform::components::Transform;
use sinew_ik::{Chain, Goal, Joint, Pole, Settings, SolveReport};

use crate::chain::{IkChain, IkJoints, IkMode};
use crate::joint::{IkBasePose, IkJoint};
use crate::status::IkError;

/// What changed in a chain's joints from one frame to the next by less than this share of its length is rounding in a
/// clip, and does not call for new bones.
const SAME_PLACE: f32 = 1e-5;

/// The joints that a chain was bound to, to read.
#[derive(Component, Clone, Debug, Default)]
pub struct IkBinding {
    /// What the joints were looked up by; `None` before the first time.
    pub(crate) key: Option<BindKey>,
    pub(crate) slots: Vec<Slot>,
    /// Descriptions of the joints, from which `chain` is made.
    pub(crate) joints: Vec<Joint>,
    pub(crate) chain: Option<Chain>,
    /// Chains of lower levels are solved before.
    pub(crate) level: u16,
    /// The joints are not all there; look again when something changes.
    pub(crate) pending: bool,
    /// Entities that the target, the pole and further targets follow.
    pub(crate) followed: Vec<Entity>,
    /// Why there are no usable joints.
    pub(crate) bind_fault: Option<IkError>,
    /// Why the last run could not solve.
    pub(crate) run_fault: Option<IkError>,
    /// The fault that was told to the app.
    pub(crate) reported: Option<IkError>,
    pub(crate) input: Input,
    pub(crate) last_input: Input,
    /// The last solve's result may differ if it is solved again with the same input.
    pub(crate) unsettled: bool,
    pub(crate) report: SolveReport,
    /// Distance in the world for one unit of chain space.
    pub(crate) world_scale: f32,
    /// What the last run did.
    pub(crate) did: Did,
}

/// What a chain's joints are looked up by.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BindKey {
    pub joints: IkJoints,
    pub tip_offset: Vec3,
    pub fixed: bool,
    pub priority: i32,
    pub max_rate: Option<f32>,
}

impl BindKey {
    pub fn of(chain: &IkChain, max_rate: Option<f32>) -> Self {
        Self {
            joints: chain.joints.clone(),
            tip_offset: chain.tip_offset,
            fixed: chain.mode.is_fixed(),
            priority: chain.priority,
            max_rate,
        }
    }

    /// Whether the chain is still looked up by this, without a clone.
    pub fn is_of(&self, chain: &IkChain, max_rate: Option<f32>) -> bool {
        self.joints == chain.joints
            && self.tip_offset == chain.tip_offset
            && self.fixed == chain.mode.is_fixed()
            && self.priority == chain.priority
            && self.max_rate == max_rate
    }
}

/// One joint of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Slot {
    pub entity: Entity,
    /// A chain that is solved before has this joint too: start from its result.
    pub shared_before: bool,
    /// No chain that is solved later has this joint: write the `Transform`.
    pub last: bool,
}

impl Slot {
    pub fn new(entity: Entity) -> Self {
        Self { entity, shared_before: false, last: true }
    }
}

/// All that the result of a solve depends on, in chain space.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Input {
    pub base: Vec<Quat>,
    pub root: Vec3,
    pub goals: Vec<Goal>,
    pub pole: Option<Pole>,
    pub settings: Option<Settings>,
}

/// What one run did with a chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Did {
    /// It was solved.
    pub solved: bool,
    /// Some joint differs from the result.
    pub differs: bool,
    /// There was nothing to reach.
    pub idle: bool,
}

impl IkBinding {
    /// The joints, root first; empty while they are not all there.
    pub fn joints(&self) -> impl ExactSizeIterator<Item = Entity> + '_ {
        self.slots.iter().map(|slot| slot.entity)
    }

    /// The chain as solvers see it; `None` while it cannot be solved.
    #[must_use]
    pub fn chain(&self) -> Option<&Chain> {
        self.chain.as_ref()
    }

    /// Chains of lower levels are solved before this one, as it hangs on them or shares joints with them.
    #[must_use]
    pub fn level(&self) -> u16 {
        self.level
    }

    /// Takes over new descriptions of the joints; the same ones keep the chain as it is.
    pub(crate) fn describe(&mut self, joints: Vec<Joint>, tip: Vec3) {
        let same = self.joints == joints
            && self.chain.is_some()
            && self.key.as_ref().is_some_and(|key| key.tip_offset == tip);
        if !same {
            self.joints = joints;
            self.build(tip);
        }
    }

    /// Makes the chain anew from its joints.
    pub(crate) fn build(&mut self, tip: Vec3) {
        self.last_input.settings = None;
        match Chain::new(&self.joints, tip) {
            Ok(chain) => {
                self.chain = Some(chain);
                self.bind_fault = None;
            }
            Err(error) => {
                self.chain = None;
                self.bind_fault = Some(IkError::Chain { error });
            }
        }
    }

    /// Takes the place of a joint from its `Transform`; true when bones have to be measured anew.
    pub(crate) fn remeasure(&mut self, index: usize, transform: &Transform) -> bool {
        let Some(joint) = self.joints.get_mut(index) else { return false };
        let (translation, scale) = (transform.translation, transform.scale);
        if joint.translation == translation && joint.scale == scale {
            return false;
        }
        if index == 0 && joint.scale == scale {
            // Where the first joint is does not matter to its bones.
            joint.translation = translation;
            return false;
        }
        let length = self.chain.as_ref().map_or(0.0, Chain::length);
        // Local places are scaled by all joints above; one scale for all is a fair measure of rounding.
        let slack = SAME_PLACE * length.max(joint.translation.length());
        let same_scale = (joint.scale - scale).abs().max_element()
            <= SAME_PLACE * joint.scale.abs().max_element();
        if same_scale && joint.translation.distance(translation) <= slack {
            return false;
        }
        joint.translation = translation;
        joint.scale = scale;
        true
    }
}

/// The description of a joint for the kernel.
pub(crate) fn describe(
    transform: &Transform,
    base: Option<&IkBasePose>,
    joint: Option<&IkJoint>,
    max_rate: Option<f32>,
) -> Joint {
    let bound = base.map_or_else(|| IkBasePose::new(transform.rotation).rest, |base| base.rest);
    let mut described = Joint {
        translation: transform.translation,
        scale: transform.scale,
        rest: bound,
        max_rate: max_rate.unwrap_or(f32::INFINITY),
        ..Joint::default()
    };
    if let Some(joint) = joint {
        described.limit = joint.limit.into();
        described.rest = joint.rest.unwrap_or(bound);
        described.stiffness = joint.stiffness;
        described.radius = joint.radius;
        described.preferred = joint.preferred.map(|preferred| sinew_ik::Preferred {
            rotation: preferred.rotation,
            strength: preferred.strength,
        });
        if let Some(rate) = joint.max_rate {
            // NaN and negative rates go on to the kernel, which refuses them.
            described.max_rate =
                if rate < described.max_rate || rate.is_nan() { rate } else { described.max_rate };
        }
    }
    described
}

/// Whether a chain is solved in this kind of schedule.
pub(crate) fn runs_in<const FIXED: bool>(mode: IkMode) -> bool {
    mode.is_fixed() == FIXED
}
