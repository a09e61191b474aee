//! Inverse kinematics of joint chains: arms, legs, tails, and trunks that grasp. No engine needed.
//!
//! ```
//! use sinew_ik::glam::{Quat, Vec3};
//! use sinew_ik::{Chain, ChainState, Goal, Joint, Limit, Scratch, Settings, Status, Task, solve};
//!
//! // Shoulder, elbow and hand; the elbow folds about z by at most 150°.
//! let elbow = Limit::Hinge { axis: Vec3::Z, min: 0.0, max: 150_f32.to_radians() };
//! let joints = [
//!     Joint::default(),
//!     Joint::at(Vec3::X * 0.3).with_limit(elbow).with_rest(Quat::IDENTITY),
//!     Joint::at(Vec3::X * 0.25),
//! ];
//! let arm = Chain::new(&joints, Vec3::ZERO)?;
//! let (mut state, mut scratch) = (ChainState::at_rest(&arm), Scratch::new(&arm));
//!
//! let goals = [Goal::reach(Vec3::new(0.2, 0.3, 0.1))];
//! let report = solve(&arm, &Task::new(&arm, &goals), &Settings::default(), &mut state, &mut scratch);
//! assert_eq!(report.status, Status::Reached);
//! let elbow = state.rotations()[1]; // write it to the elbow's `Transform::rotation`
//! # assert!(elbow.is_normalized());
//! # Ok::<(), sinew_ik::ChainError>(())
//! ```
//!
//! | data | lives | what |
//! |---|---|---|
//! | [`Chain`] | shared, immutable | joints, bones, limits |
//! | [`Task`], [`Settings`] | one a solve | goals, pole, obstacles; method and policy |
//! | [`ChainState`] | one a chain | all that rollback must keep |
//! | [`Scratch`] | one a thread | working memory |
//!
//! Everything is in **chain space**, the space of the first joint's parent; [`ChainFrame`] brings world targets there.
//! The method that [`Solver::Auto`] takes for most chains is damped least squares on ball joints, whose linear system is
//! 3×3 for any number of joints. Trigonometry is the crate's own, so that results are the same bits on all targets.
#![forbid(unsafe_code)]

mod chain;
mod frame;
mod limit;
mod obstacle;
mod pose;
mod report;
mod rotation;
mod settings;
mod shear;
mod solve;
mod solver;
mod state;
mod task;
mod trig;
mod trunk;

pub use chain::{Chain, ChainError, Joint, Preferred};
pub use frame::{ChainFrame, FrameError};
pub use glam;
pub use limit::{Clamped, Limit, LimitError};
pub use obstacle::{Convex, Obstacle, Proximity, swing_out};
pub use report::{Invalid, SolveReport, Status};
pub use rotation::nlerp;
pub use settings::{Settings, Solver, Start, Tolerance, Unreachable};
pub use solve::solve;
pub use solver::curl::{Curl, CurlProfile, CurlTable};
pub use solver::curl_step::{bend_normal, strict_signs};
pub use solver::fabrik::{inward, outward};
pub use solver::spline::march_chords;
pub use solver::two_bone::{TwoBone, TwoBoneSolution, soft_distance, two_bone};
pub use state::{ChainState, Scratch};
pub use task::{Effector, Goal, Pole, Task};
pub use trunk::{
    Contacts, Gait, GaitError, Taper, Wrap, WrapError, WrapPlan, WrapTurn, curl_to_contact,
    trunk_2007, wrap_points,
};
