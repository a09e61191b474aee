//! What a chain is asked to do in one solve.

use glam::{Quat, Vec3};

use crate::chain::Chain;
use crate::obstacle::Obstacle;

/// The point of a chain that a goal pulls at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Effector {
    /// The end of the last bone, turned as the last joint.
    #[default]
    Tip,
    /// A joint by its index from the root.
    Joint(usize),
}

/// Where an effector should be and how it should be turned, in chain space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Goal {
    /// What is pulled.
    pub effector: Effector,
    /// Where it should be; `None` leaves the place free.
    pub position: Option<Vec3>,
    /// Moves the goal from where the base pose has the effector (0) to `position` (1).
    pub position_weight: f32,
    /// How it should be turned, joint to chain space; `None` leaves the rotation free.
    pub rotation: Option<Quat>,
    /// Moves the goal from how the base pose turns the effector (0) to `rotation` (1).
    pub rotation_weight: f32,
    /// How much this goal counts against others that cannot be met at once; above 0.
    pub importance: f32,
}

impl Default for Goal {
    fn default() -> Self {
        Self {
            effector: Effector::Tip,
            position: None,
            position_weight: 1.0,
            rotation: None,
            rotation_weight: 1.0,
            importance: 1.0,
        }
    }
}

impl Goal {
    /// The tip at a place.
    #[must_use]
    pub fn reach(position: Vec3) -> Self {
        Self { position: Some(position), ..Self::default() }
    }

    /// A joint at a place.
    #[must_use]
    pub fn joint(index: usize, position: Vec3) -> Self {
        Self { effector: Effector::Joint(index), ..Self::reach(position) }
    }

    /// The same with a rotation.
    #[must_use]
    pub fn turned(mut self, rotation: Quat) -> Self {
        self.rotation = Some(rotation);
        self
    }
}

/// Where the chain should bend to, without moving its end. With obstacles it only chooses the side to pass them
/// on; with several goals it is not used.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Pole {
    /// A place that the chosen joint bends towards, in chain space.
    pub position: Vec3,
    /// Turns the bend away from it about the line from root to end, in rad.
    pub angle: f32,
    /// The joint that bends to it; `None` for the one farthest from the line.
    pub joint: Option<usize>,
    /// 0 for no effect, 1 for the whole way.
    pub weight: f32,
}

impl Pole {
    /// The whole way towards a place.
    #[must_use]
    pub fn at(position: Vec3) -> Self {
        Self { position, angle: 0.0, joint: None, weight: 1.0 }
    }
}

/// The input of one solve. All places and rotations are in chain space.
#[derive(Clone, Copy, Debug)]
pub struct Task<'a> {
    /// Local rotations of the animated pose, root first. Empty means the rest pose.
    pub base: &'a [Quat],
    /// Where the first joint is now.
    pub root: Vec3,
    /// What to reach. Without goals the base pose is the result.
    pub goals: &'a [Goal],
    /// Where to bend to.
    pub pole: Option<Pole>,
    /// What bones stay clear of, by their radius. Only [`Solver::Auto`](crate::Solver::Auto) and
    /// [`Solver::Fabrik`](crate::Solver::Fabrik) with a single position goal do; all report the clearance.
    pub obstacles: &'a [Obstacle<'a>],
    /// The curve that [`Solver::Spline`](crate::Solver::Spline) lays the chain along: at least two points.
    pub curve: &'a [Vec3],
    /// Time since the last solve in s, for joints with a rate; zero or less ignores rates.
    pub dt: f32,
}

impl<'a> Task<'a> {
    /// Goals for a chain whose base pose is its rest pose.
    #[must_use]
    pub fn new(chain: &Chain, goals: &'a [Goal]) -> Self {
        Self {
            base: &[],
            root: chain.root(),
            goals,
            pole: None,
            obstacles: &[],
            curve: &[],
            dt: 0.0,
        }
    }

    /// The same over an animated pose.
    #[must_use]
    pub fn with_base(mut self, base: &'a [Quat]) -> Self {
        self.base = base;
        self
    }

    /// The same with a pole.
    #[must_use]
    pub fn with_pole(mut self, pole: Pole) -> Self {
        self.pole = Some(pole);
        self
    }

    /// The same with obstacles.
    #[must_use]
    pub fn with_obstacles(mut self, obstacles: &'a [Obstacle<'a>]) -> Self {
        self.obstacles = obstacles;
        self
    }

    /// The same along a curve.
    #[must_use]
    pub fn with_curve(mut self, curve: &'a [Vec3]) -> Self {
        self.curve = curve;
        self
    }

    /// The same after some time.
    #[must_use]
    pub fn with_dt(mut self, dt: f32) -> Self {
        self.dt = dt;
        self
    }
}
