//! Inverse kinematics for Bevy: put an [`IkChain`] on the last joint of an arm, leg, tail or trunk, and it
//! reaches for its [`IkTarget`], in the same frame, on any rig and over any animation.
//!
//! ```
//! use bevy_app::prelude::*;
//! use bevy_ecs::prelude::*;
//! use bevy_math::Vec3;
//! use bevy_sinew_ik::prelude::*;
//! use bevy_transform::prelude::*;
//!
//! fn setup(mut commands: Commands) {
//!     let apple = commands.spawn(Transform::from_xyz(0.3, 0.3, 0.2)).id();
//!     let shoulder = commands.spawn(Transform::default()).id();
//!     let elbow = commands.spawn((ChildOf(shoulder), Transform::from_xyz(0.3, 0.0, 0.0))).id();
//!     let hand = commands.spawn((ChildOf(elbow), Transform::from_xyz(0.3, 0.0, 0.0))).id();
//!     // An elbow folds one way only.
//!     commands.entity(elbow).insert(IkJoint::hinge(Vec3::Z, 0.0, 2.6));
//!     commands.entity(hand).insert((IkChain::ancestors(2), IkTarget::entity(apple)));
//! }
//!
//! let mut app = App::new();
//! app.add_plugins((
//!     TaskPoolPlugin::default(),
//!     bevy_time::TimePlugin,
//!     TransformPlugin,
//!     IkPlugin::default(),
//! ));
//! app.add_systems(Startup, setup);
//! app.update();
//! let status = app.world_mut().query::<&IkStatus>().single(app.world()).unwrap();
//! assert_eq!(status.state, IkState::Reached);
//! ```
//!
//! # Plugins
//!
//! | plugin | schedules | what |
//! |---|---|---|
//! | [`IkPlugin`] | `PostUpdate`, and [`FixedPostUpdate`](bevy_app::FixedPostUpdate) or yours | solves all chains |
//!
//! # Components
//!
//! | component | who writes it | what |
//! |---|---|---|
//! | [`IkChain`] | you, at any time | which joints turn, and how; brings the others along |
//! | [`IkTarget`], [`IkPole`], [`IkJointTargets`] | you, at any time | where to reach and to bend |
//! | [`IkSmoothing`] | you, at any time | how fast |
//! | [`IkJoint`] | you, on joints, at any time | limits, stiffness, preferred pose, rate |
//! | [`IkChainOf`], [`IkChains`] | you | chains on entities of their own, for a character |
//! | [`IkStatus`] | on change | what came of it, to read |
//! | [`IkBinding`] | on change | the joints that were found, to read |
//! | [`IkBasePose`] | each frame, on joints | the pose without chains, to read |
//! | [`IkChainState`] | each solve | all that rollback must keep of a chain |
//!
//! Messages: [`IkReached`], [`IkLost`], [`IkFailed`]. Nothing here panics on bad input: what cannot be used is reported
//! once, by message and in the log, the joints go back to their own pose, and the world goes on.
//!
//! # Spaces
//!
//! Targets are in the world, by `Transform`s of this frame. Chains are solved in the space of their first joint's parent,
//! so ancestors may be scaled, mirrored or sheared in any way; see the [kernel](kernel::ChainFrame). Angles are in rad.
//!
//! # Determinism and rollback
//!
//! Equal input gives equal bits, for any number of threads and any order of spawning. [`IkChainState`] and
//! [`IkBasePose`] are the components to keep and restore, besides what you edit yourself and `Transform`.
#![forbid(unsafe_code)]

mod bind;
mod binding;
mod chain;
mod joint;
mod levels;
mod plugin;
mod publish;
mod sample;
mod solve;
mod state;
mod status;
mod target;

pub use binding::IkBinding;
pub use chain::{
    IkChain, IkChainOf, IkChains, IkJoints, IkMode, IkSolver, IkStart, IkTolerance, IkUnreachable,
};
pub use joint::{IkBasePose, IkJoint, IkLimit, IkPreferred};
pub use plugin::{IkPlugin, IkSystems};
/// The kernel: chains and solvers without an engine.
pub use sinew_ik as kernel;
pub use state::IkChainState;
pub use status::{IkActivity, IkError, IkFailed, IkLost, IkReached, IkState, IkStatus};
pub use target::{IkJointTarget, IkJointTargets, IkPlace, IkPole, IkSmoothing, IkTarget, IkTurn};

/// What a game types.
pub mod prelude {
    pub use crate::{
        IkActivity, IkBasePose, IkChain, IkChainOf, IkChainState, IkChains, IkFailed, IkJoint,
        IkJointTarget, IkJointTargets, IkJoints, IkLimit, IkLost, IkMode, IkPlace, IkPlugin,
        IkPole, IkReached, IkSmoothing, IkSolver, IkStart, IkState, IkStatus, IkSystems, IkTarget,
        IkTolerance, IkTurn, IkUnreachable,
    };
}
