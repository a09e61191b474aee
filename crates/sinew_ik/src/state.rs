//! What a chain keeps from solve to solve, and the memory that it works in.

use glam::{Quat, Vec3};

use crate::chain::Chain;
use crate::pose::Pose;

/// All that rollback must keep of a chain: the last solution and the side it bends to.
///
/// Save it, restore it and go on: every later solve gives the same bits.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct ChainState {
    /// The result of the last solve: local rotations, blended and held to rates.
    pub(crate) rotations: Vec<Quat>,
    /// The solution of the last solve before that.
    pub(crate) solution: Vec<Quat>,
    /// The bend direction of the last solve; zero for none.
    pub(crate) bend: Vec3,
    /// A solve has succeeded.
    pub(crate) solved: bool,
}

impl ChainState {
    /// The state of a chain that was never solved.
    #[must_use]
    pub fn at_rest(chain: &Chain) -> Self {
        Self {
            rotations: chain.rest.clone(),
            solution: chain.rest.clone(),
            bend: Vec3::ZERO,
            solved: false,
        }
    }

    /// The result of the last solve: local rotations, root first.
    #[must_use]
    pub fn rotations(&self) -> &[Quat] {
        &self.rotations
    }

    /// The same before blending with the base pose and before rates.
    #[must_use]
    pub fn solution(&self) -> &[Quat] {
        &self.solution
    }

    /// Forgets the past, as after a teleport: the next solve starts from the base pose and ignores rates.
    pub fn forget(&mut self) {
        self.solved = false;
        self.bend = Vec3::ZERO;
    }

    /// Takes the shape of a chain; a state of another chain starts at rest.
    pub(crate) fn fit(&mut self, chain: &Chain) {
        if self.rotations.len() != chain.len() || self.solution.len() != chain.len() {
            *self = Self::at_rest(chain);
        }
    }
}

/// Working memory of solves. It keeps nothing from one to the next, so one for each thread will do; it grows
/// to the longest chain and then allocates no more.
#[derive(Clone, Debug, Default)]
pub struct Scratch {
    /// The base pose as used: of unit length, rest where it was unusable.
    pub(crate) base: Vec<Quat>,
    pub(crate) pose: Pose,
    pub(crate) best: Pose,
    /// The base pose.
    pub(crate) other: Pose,
    /// The best of several runs.
    pub(crate) keep: Pose,
    /// Joint places that position solvers work on.
    pub(crate) points: Vec<Vec3>,
    /// Result in local rotations.
    pub(crate) locals: Vec<Quat>,
    /// Rotation of each joint in an iteration, as a vector in chain space.
    pub(crate) turns: Vec<Vec3>,
    /// The same as a rotation.
    pub(crate) steps: Vec<Quat>,
    /// Joints that a limit stopped in this iteration.
    pub(crate) held: Vec<bool>,
    pub(crate) rows: crate::solver::rows::Rows,
    /// Bones as measured in a sheared chain.
    pub(crate) sheared: Option<Box<Chain>>,
    pub(crate) sheared_bones: Vec<Vec3>,
}

impl Scratch {
    /// Memory for chains up to the length of this one.
    #[must_use]
    pub fn new(chain: &Chain) -> Self {
        let mut scratch = Self::default();
        scratch.fit(chain.len());
        scratch
    }

    pub(crate) fn fit(&mut self, joints: usize) {
        if self.base.len() == joints {
            return;
        }
        self.base.resize(joints, Quat::IDENTITY);
        self.locals.resize(joints, Quat::IDENTITY);
        self.steps.resize(joints, Quat::IDENTITY);
        self.turns.resize(joints, Vec3::ZERO);
        self.held.resize(joints, false);
        self.points.resize(joints + 1, Vec3::ZERO);
        self.pose.fit(joints);
        self.best.fit(joints);
        self.other.fit(joints);
        self.keep.fit(joints);
    }
}
