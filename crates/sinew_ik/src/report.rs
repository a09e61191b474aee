//! What came of a solve.

use glam::Vec3;

use crate::settings::Solver;

/// Why a solve was refused. The base pose, or the last good one where that is bad too, is the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Invalid {
    /// A target, pole, weight, obstacle or setting is NaN or infinite.
    NonFinite,
    /// The base pose has another number of rotations than the chain has joints.
    WrongLength,
    /// A goal or pole names a joint that is not there.
    NoSuchJoint,
    /// [`Solver::TwoBone`] was asked of a chain without exactly two bones that turn.
    NotTwoBones,
    /// [`Solver::Spline`] was asked without a curve of at least two distinct points.
    NoCurve,
}

/// How a solve ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Status {
    /// There was nothing to do: no goal, or weight zero. The result is the base pose.
    #[default]
    Idle,
    /// All goals are met within the tolerance (before blending by weight and rates).
    Reached,
    /// The target is nearer or farther than the bones allow; the result comes as near as the policy says.
    Unreachable,
    /// Not reached, and a limit or rate holds a joint back.
    Limited,
    /// Not reached within the iterations, or no iteration helps any more; the result is the best pose found.
    Stalled,
    /// The input was refused.
    Invalid(Invalid),
}

/// What a solve did.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SolveReport {
    /// How it ended.
    pub status: Status,
    /// Distance from the effector to the target as it was given, in chain space; the largest of several. It is
    /// that of the solution, before blending by weight and rates.
    pub error: f32,
    /// Largest angle between a goal rotation and its effector, in rad.
    pub rotation_error: f32,
    /// Iterations, or evaluations of closed forms that look for a root.
    pub iterations: u16,
    /// Joints that a limit or rate holds back.
    pub limited_joints: u16,
    /// Updates of single joints that the solvers made: what a solve costs.
    pub joint_updates: u32,
    /// The method that found the result.
    pub solver: Solver,
    /// Factor on all bones, for [`Unreachable::Stretch`](crate::Unreachable::Stretch).
    pub stretch: f32,
    /// Offset of the first joint, for [`Unreachable::DragRoot`](crate::Unreachable::DragRoot).
    pub root_shift: Vec3,
    /// Smallest distance between a bone's surface and an obstacle less the margin; infinite without obstacles.
    pub clearance: f32,
    /// Scale inside the chain is not uniform; the error is that of the true affine pose.
    pub sheared: bool,
}

impl Default for SolveReport {
    fn default() -> Self {
        Self {
            status: Status::Idle,
            error: 0.0,
            rotation_error: 0.0,
            iterations: 0,
            limited_joints: 0,
            joint_updates: 0,
            solver: Solver::Auto,
            stretch: 1.0,
            root_shift: Vec3::ZERO,
            clearance: f32::INFINITY,
            sheared: false,
        }
    }
}

impl SolveReport {
    /// The target was reached.
    #[must_use]
    pub fn reached(&self) -> bool {
        self.status == Status::Reached
    }
}
