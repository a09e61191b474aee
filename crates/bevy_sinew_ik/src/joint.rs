//! What a joint may do, and the pose that it has without its chains.

use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_reflect::prelude::*;
use sinew_ik as kernel;

/// Bounds a joint's motion in all chains that it belongs to: put it on the joint. Joints without it turn freely.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
pub struct IkJoint {
    /// Where it may turn to, counted from `rest`.
    pub limit: IkLimit,
    /// Local rotation that limits count from; `None` for the one that the joint had when its chain was bound.
    pub rest: Option<Quat>,
    /// Share of motion that the joint refuses, in [0, 1]; 1 keeps the animated pose bit for bit.
    pub stiffness: f32,
    /// Fastest turn, in rad/s; `None` for no bound.
    pub max_rate: Option<f32>,
    /// A rotation that it likes to have where the goal leaves it the choice.
    pub preferred: Option<IkPreferred>,
    /// Thickness of the bone that starts here, in the space of the chain's root.
    pub radius: f32,
}

impl IkJoint {
    /// A limit and nothing else.
    #[must_use]
    pub fn limited(limit: IkLimit) -> Self {
        Self { limit, ..Self::default() }
    }

    /// A hinge about an axis of the joint, from one angle to another in rad.
    #[must_use]
    pub fn hinge(axis: Vec3, min: f32, max: f32) -> Self {
        Self::limited(IkLimit::Hinge { axis, min, max })
    }

    /// A cone about an axis of the joint, mostly the direction of its bone.
    #[must_use]
    pub fn cone(axis: Vec3, half_angle: f32) -> Self {
        Self::limited(IkLimit::Cone { axis, half_angle })
    }
}

/// A rotation that a joint likes to have.
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Debug, Clone, PartialEq)]
pub struct IkPreferred {
    /// The local rotation.
    pub rotation: Quat,
    /// Share of the way to it that an iteration takes, in [0, 1].
    pub strength: f32,
}

/// Where a joint may turn to. Angles in rad, axes in joint space at rest (any length but zero).
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Default, Debug, Clone, PartialEq)]
pub enum IkLimit {
    /// Anywhere.
    #[default]
    Free,
    /// About one axis, from `min` to `max`.
    Hinge {
        /// The axis.
        axis: Vec3,
        /// Smallest angle.
        min: f32,
        /// Largest angle.
        max: f32,
    },
    /// The axis stays within a cone about its rest direction; it may twist freely.
    Cone {
        /// Mostly the direction of the bone.
        axis: Vec3,
        /// Half the opening angle, in [0, π].
        half_angle: f32,
    },
    /// A cone of four half-angles: towards `up`, `right = axis × up`, down and left.
    Ellipse {
        /// Mostly the direction of the bone.
        axis: Vec3,
        /// Where the first half-angle is counted.
        up: Vec3,
        /// Half-angles towards up, right, down and left, each in [0, π].
        half_angles: [f32; 4],
    },
    /// An elliptic cone, and a range of twist about the axis.
    SwingTwist {
        /// Mostly the direction of the bone; the axis of the twist.
        axis: Vec3,
        /// Where the first half-angle is counted.
        up: Vec3,
        /// Half-angles towards up, right, down and left, each in [0, π].
        half_angles: [f32; 4],
        /// Smallest and largest twist, within [−π, π].
        twist: [f32; 2],
    },
    /// Each of the three angles of `X · Y · Z` in its own range.
    PerAxis {
        /// Smallest angles about x, y and z.
        min: Vec3,
        /// Largest angles about x, y and z.
        max: Vec3,
    },
    /// The joint keeps the animated rotation, bit for bit.
    Fixed,
}

impl From<IkLimit> for kernel::Limit {
    fn from(limit: IkLimit) -> Self {
        match limit {
            IkLimit::Free => Self::Free,
            IkLimit::Hinge { axis, min, max } => Self::Hinge { axis, min, max },
            IkLimit::Cone { axis, half_angle } => Self::Cone { axis, half_angle },
            IkLimit::Ellipse { axis, up, half_angles } => Self::Ellipse { axis, up, half_angles },
            IkLimit::SwingTwist { axis, up, half_angles, twist } => {
                Self::SwingTwist { axis, up, half_angles, twist }
            }
            IkLimit::PerAxis { min, max } => Self::PerAxis { min, max },
            IkLimit::Fixed => Self::Fixed,
        }
    }
}

/// The pose of a joint without its chains: what animation, physics or the game gave it. It is on every joint of a bound
/// chain, and kept for rollback together with [`IkChainState`](crate::IkChainState).
///
/// A chain's output does not become its own next input: whatever differs from what the chain wrote last was
/// written by somebody else, and is the new base.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Component, Debug, Clone, PartialEq)]
pub struct IkBasePose {
    /// Local rotation without the chains.
    pub(crate) base: Quat,
    /// Local rotation when the first chain was bound.
    pub(crate) rest: Quat,
    /// What a chain wrote to `Transform` last; NaN when nothing was written.
    pub(crate) written: Quat,
    /// The result of the latest chain in the current frame, also where a later one will have the last word.
    pub(crate) solved: Quat,
    /// What was given last is not finite.
    pub(crate) broken: bool,
}

impl IkBasePose {
    /// A joint that no chain has written to yet.
    pub(crate) fn new(rotation: Quat) -> Self {
        let usable = if rotation.is_finite() { rotation } else { Quat::IDENTITY };
        Self {
            base: usable,
            rest: usable,
            written: Quat::NAN,
            solved: usable,
            broken: !rotation.is_finite(),
        }
    }

    /// Local rotation without the chains: what animation or the game gave the joint.
    #[must_use]
    pub fn rotation(&self) -> Quat {
        self.base
    }

    /// Local rotation that limits count from, unless [`IkJoint::rest`] says otherwise.
    #[must_use]
    pub fn rest(&self) -> Quat {
        self.rest
    }

    /// Takes over what somebody else wrote.
    pub(crate) fn sample(&mut self, rotation: Quat) {
        let given = rotation != self.written;
        self.broken = given && !rotation.is_finite();
        if given && !self.broken {
            self.base = rotation;
        }
    }
}
