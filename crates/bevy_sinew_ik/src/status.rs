//! What chains tell the app.

use bevy_ecs::prelude::*;
use bevy_reflect::prelude::*;
use sinew_ik::{ChainError, FrameError, Invalid};
use thiserror::Error;

/// How the last solve of a chain ended, to read.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
pub struct IkStatus {
    /// What came of it.
    pub state: IkState,
    /// Distance from the chain's end to its target in the world, before blending by weight and rates. Under uneven
    /// scale it is by the mean scale.
    pub error: f32,
    /// Angle to the goal rotation, in rad.
    pub rotation_error: f32,
    /// Iterations of the last solve.
    pub iterations: u16,
    /// Joints that a limit or rate holds back.
    pub limited_joints: u16,
    /// Why the state is [`IkState::Invalid`].
    pub fault: Option<IkError>,
}

/// What came of a solve.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Default, Debug, Clone, PartialEq)]
pub enum IkState {
    /// The joints were not found yet, as in a scene that is still loading.
    #[default]
    Waiting,
    /// There is no target, or the weight is zero.
    Idle,
    /// All goals are met.
    Reached,
    /// The target is nearer or farther than the bones allow.
    Unreachable,
    /// Not reached, as a limit or rate holds a joint back.
    Limited,
    /// Not reached within the iterations.
    Stalled,
    /// Something cannot be used; the joints go back to the pose that they have without the chain.
    Invalid,
}

/// A chain came to its target.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
#[reflect(Debug, Clone, PartialEq)]
pub struct IkReached {
    /// The chain.
    pub entity: Entity,
}

/// A chain that was at its target no longer is.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
#[reflect(Debug, Clone, PartialEq)]
pub struct IkLost {
    /// The chain.
    pub entity: Entity,
    /// What it does now.
    pub state: IkState,
}

/// Something about a chain cannot be used. Sent (and logged) once for each cause, until it is put right.
#[derive(Message, Clone, Debug, PartialEq, Reflect)]
#[reflect(Debug, Clone, PartialEq)]
pub struct IkFailed {
    /// The entity at fault: the chain, or one of its joints.
    pub entity: Entity,
    /// The component that is at fault.
    pub component: &'static str,
    /// Why, and what to do.
    pub reason: IkError,
}

/// Why something about a chain cannot be used. The joints then keep the pose that they have without the chain.
#[derive(Clone, Debug, Error, PartialEq, Reflect)]
#[reflect(Debug, Clone, PartialEq)]
pub enum IkError {
    /// The hierarchy ends before the chain does.
    #[error(
        "the chain asks for {wanted} ancestors with a `Transform`, but there are {found}: ask for fewer, or check \
         the parent of the topmost one"
    )]
    TooFewAncestors {
        /// Number that was asked for.
        wanted: u16,
        /// Number that is there.
        found: u16,
    },
    /// The chain's root is not above its end.
    #[error(
        "{root} is not an ancestor of the chain's entity, or one in between has no `Transform`"
    )]
    NotAnAncestor {
        /// The entity that was named as root.
        root: Entity,
    },
    /// There is no entity of that name.
    #[error(
        "there is no `{name}` with a `Transform` among the descendants: check the spelling in the file"
    )]
    NoSuchName {
        /// The name.
        name: String,
    },
    /// The named end is not below the named root.
    #[error("`{tip}` is not below `{root}`: a chain goes from an ancestor to a descendant")]
    NotBelow {
        /// Name of the first joint.
        root: String,
        /// Name of the last joint.
        tip: String,
    },
    /// A joint is gone.
    #[error("joint {joint} does not exist or has no `Transform`")]
    NoSuchJoint {
        /// The joint.
        joint: Entity,
    },
    /// Joints in a list do not follow each other.
    #[error("joint {joint} is not the child of the one before it in the list")]
    NotAChain {
        /// The joint.
        joint: Entity,
    },
    /// The joints do not make a chain.
    #[error("{error}")]
    Chain {
        /// What is wrong with them.
        #[reflect(ignore, default = "unknown_chain_error")]
        error: ChainError,
    },
    /// The entity that a target, pole or joint's target follows is gone.
    #[error("{entity}, which it follows, does not exist or has no `Transform`")]
    TargetMissing {
        /// The entity.
        entity: Entity,
        /// The component that names it.
        component: &'static str,
    },
    /// The parent of the chain's root cannot be inverted.
    #[error("{error}")]
    Frame {
        /// Why.
        #[reflect(ignore, default = "unknown_frame_error")]
        error: FrameError,
    },
    /// A joint was given a rotation that is not finite.
    #[error("joint {joint} was given a rotation that is not finite: its last one is used")]
    BrokenJoint {
        /// The joint.
        joint: Entity,
    },
    /// A number is NaN or infinite.
    #[error("a target, pole, weight or setting is NaN or infinite")]
    NonFinite,
    /// A target or pole names a joint that the chain does not have.
    #[error("a pole or target names a joint by a number that the chain does not have")]
    NoSuchJointNumber,
    /// The solver for two bones was asked for another chain.
    #[error("`IkSolver::TwoBone` needs exactly two bones that turn: take `IkSolver::Auto`")]
    NotTwoBones,
}

impl IkError {
    /// The component at fault.
    pub(crate) fn component(&self) -> &'static str {
        match self {
            Self::TargetMissing { component, .. } => component,
            Self::NonFinite => "IkTarget",
            Self::NoSuchJointNumber => "IkJointTargets",
            Self::Frame { .. } | Self::BrokenJoint { .. } => "Transform",
            Self::Chain {
                error:
                    ChainError::Limit { .. }
                    | ChainError::Stiffness { .. }
                    | ChainError::Negative { .. },
            } => "IkJoint",
            Self::Chain { error: ChainError::BadTransform { .. } } => "Transform",
            _ => "IkChain",
        }
    }

    /// The joint at fault, by its number from the root.
    pub(crate) fn joint(&self) -> Option<usize> {
        match *self {
            Self::Chain {
                error:
                    ChainError::Limit { joint, .. }
                    | ChainError::Stiffness { joint, .. }
                    | ChainError::Negative { joint, .. }
                    | ChainError::BadTransform { joint },
            } => Some(joint),
            _ => None,
        }
    }
}

impl From<Invalid> for IkError {
    fn from(reason: Invalid) -> Self {
        match reason {
            Invalid::NoSuchJoint => Self::NoSuchJointNumber,
            Invalid::NotTwoBones => Self::NotTwoBones,
            Invalid::NonFinite | Invalid::WrongLength | Invalid::NoCurve => Self::NonFinite,
        }
    }
}

/// For reflection, which cannot see the error.
fn unknown_chain_error() -> ChainError {
    ChainError::NoLength
}

/// For reflection, which cannot see the error.
fn unknown_frame_error() -> FrameError {
    FrameError::NonFinite
}

/// How many chains there are and what was done, in the last run of each schedule. For tests, overlays and budgets.
#[derive(Resource, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Resource, Default, Debug, Clone, PartialEq)]
pub struct IkActivity {
    /// Chains with joints.
    pub bound: u32,
    /// Chains that were solved in the last frame; the others had the same input as before.
    pub frame_solves: u32,
    /// `Transform`s that were written in the last frame.
    pub frame_writes: u32,
    /// Chains that were solved in the last tick.
    pub fixed_solves: u32,
    /// `Transform`s that were written in the last tick.
    pub fixed_writes: u32,
}
