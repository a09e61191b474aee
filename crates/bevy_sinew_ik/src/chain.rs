//! A chain as a component: which joints it has, and how it is solved.

use bevy_ecs::entity::MapEntities;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_reflect::prelude::*;
use sinew_ik as kernel;

use crate::binding::IkBinding;
use crate::state::IkChainState;
use crate::status::IkStatus;
use crate::target::IkTarget;

/// Makes joints reach: put it on the last joint, such as the hand of a glTF character, or with
/// [`IkChainOf`] on an entity of its own.
///
/// Only the `rotation` of the joints' `Transform`s is written; scale and place of all ancestors may be
/// anything that can be inverted. Every field can be edited at any time.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use bevy_sinew_ik::prelude::*;
///
/// fn reach(mut commands: Commands, hand: Single<Entity, With<Hand>>, apple: Single<Entity, With<Apple>>) {
///     // The lower and the upper arm turn, so that the hand gets to the apple.
///     commands.entity(*hand).insert((IkChain::ancestors(2), IkTarget::entity(*apple)));
/// }
/// # #[derive(Component)] struct Hand;
/// # #[derive(Component)] struct Apple;
/// # bevy_ecs::system::assert_is_system(reach);
/// ```
#[derive(Component, Clone, Debug, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
#[require(IkTarget, IkStatus, IkChainState, IkBinding)]
pub struct IkChain {
    /// Which joints turn.
    #[entities]
    pub joints: IkJoints,
    /// The end effector in the space of the last joint, for rigs without a joint at the very end.
    pub tip_offset: Vec3,
    /// When the chain is solved.
    pub mode: IkMode,
    /// The method.
    pub solver: IkSolver,
    /// Most iterations; `None` for the method's own number.
    pub max_iterations: Option<u16>,
    /// When a position counts as reached.
    pub tolerance: IkTolerance,
    /// When a rotation counts as reached, in rad.
    pub rotation_tolerance: f32,
    /// The pose that iterations begin with.
    pub start: IkStart,
    /// What to do about a target that is too far away.
    pub unreachable: IkUnreachable,
    /// Blend of the joints' rotations from the pose that they have without the chain (0) to the solution (1).
    pub weight: f32,
    /// Number of joints before the last one that share the twist of a goal rotation, by falling parts.
    pub twist_joints: u16,
    /// Among chains that share joints, the one with the highest priority is solved last and has the last word.
    pub priority: i32,
}

impl Default for IkChain {
    fn default() -> Self {
        let kernel::Settings { rotation_tolerance, weight, twist_joints, .. } =
            kernel::Settings::default();
        Self {
            joints: IkJoints::default(),
            tip_offset: Vec3::ZERO,
            mode: IkMode::default(),
            solver: IkSolver::default(),
            max_iterations: None,
            tolerance: IkTolerance::default(),
            rotation_tolerance,
            start: IkStart::default(),
            unreachable: IkUnreachable::default(),
            weight,
            twist_joints,
            priority: 0,
        }
    }
}

impl IkChain {
    /// This entity is the last joint; it and so many of its ancestors turn. Two for an arm, one to aim.
    #[must_use]
    pub fn ancestors(count: u16) -> Self {
        Self::new(IkJoints::Ancestors(count))
    }

    /// This entity is the last joint, and the chain begins at that ancestor.
    #[must_use]
    pub fn to(root: Entity) -> Self {
        Self::new(IkJoints::UpTo(root))
    }

    /// The joints from one name to another, found among the descendants of this entity or of the one that
    /// [`IkChainOf`] names; also in a scene that is still loading.
    #[must_use]
    pub fn named(root: impl Into<String>, tip: impl Into<String>) -> Self {
        Self::new(IkJoints::Named { root: root.into(), tip: tip.into() })
    }

    /// These joints, root first.
    #[must_use]
    pub fn new(joints: IkJoints) -> Self {
        Self { joints, ..Self::default() }
    }

    /// The same with another place of the end effector, in the space of the last joint.
    #[must_use]
    pub fn with_tip_offset(mut self, tip_offset: Vec3) -> Self {
        self.tip_offset = tip_offset;
        self
    }

    /// The same, solved at other times.
    #[must_use]
    pub fn with_mode(mut self, mode: IkMode) -> Self {
        self.mode = mode;
        self
    }

    /// The same by another method.
    #[must_use]
    pub fn with_solver(mut self, solver: IkSolver) -> Self {
        self.solver = solver;
        self
    }

    /// The same with another weight.
    #[must_use]
    pub fn with_weight(mut self, weight: f32) -> Self {
        self.weight = weight;
        self
    }

    /// Settings for the kernel. The frame turns distances in the world into such of chain space.
    pub(crate) fn settings(&self, frame: &kernel::ChainFrame) -> kernel::Settings {
        kernel::Settings {
            solver: match self.solver {
                IkSolver::Auto => kernel::Solver::Auto,
                IkSolver::TwoBone => kernel::Solver::TwoBone,
                IkSolver::Dls => kernel::Solver::Dls,
                IkSolver::Curl => kernel::Solver::Curl,
                IkSolver::Fabrik => kernel::Solver::Fabrik,
                IkSolver::Ccd => kernel::Solver::Ccd,
            },
            max_iterations: self.max_iterations,
            tolerance: match self.tolerance {
                IkTolerance::Relative(share) => kernel::Tolerance::Relative(share),
                IkTolerance::World(distance) => {
                    kernel::Tolerance::Distance(frame.chain_tolerance(distance))
                }
            },
            rotation_tolerance: self.rotation_tolerance,
            start: match self.start {
                IkStart::Animated => kernel::Start::Animated,
                IkStart::Rest => kernel::Start::Rest,
                IkStart::Previous => kernel::Start::Previous,
            },
            unreachable: match self.unreachable {
                IkUnreachable::Extend => kernel::Unreachable::Extend,
                IkUnreachable::Soft(share) => kernel::Unreachable::Soft(share),
                IkUnreachable::KeepPose => kernel::Unreachable::Abort,
            },
            // Blending is ours: it goes on when there is nothing to solve.
            weight: 1.0,
            twist_joints: self.twist_joints,
            margin: 0.0,
        }
    }
}

/// Which joints a chain has. Each is an entity with a `Transform`, and the child of the one before.
#[derive(Clone, Debug, PartialEq, Reflect, MapEntities)]
#[reflect(Default, Debug, Clone, PartialEq)]
pub enum IkJoints {
    /// The chain's entity and so many of its ancestors.
    Ancestors(u16),
    /// The chain's entity and its ancestors up to this one.
    UpTo(#[entities] Entity),
    /// From one named entity to another below it, both found among descendants; see [`IkChainOf`].
    Named {
        /// Name of the first joint.
        root: String,
        /// Name of the last joint.
        tip: String,
    },
    /// These entities, root first.
    List(#[entities] Vec<Entity>),
}

impl Default for IkJoints {
    fn default() -> Self {
        Self::Ancestors(2)
    }
}

/// When a chain is solved.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Default, Debug, Clone, PartialEq)]
pub enum IkMode {
    /// In each frame, after animation.
    #[default]
    Frame,
    /// In each tick of the plugin's schedule: for joints that carry colliders or bodies, and for networked games.
    Fixed,
    /// The same, and frames show the way between the last two ticks.
    FixedInterpolated,
}

impl IkMode {
    /// Solved in ticks.
    #[must_use]
    pub fn is_fixed(self) -> bool {
        self != Self::Frame
    }
}

/// The method. All but `Auto` and `Dls` serve a single position at the end of the chain.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Default, Debug, Clone, PartialEq)]
pub enum IkSolver {
    /// Closed form for two free bones, damped least squares for all others.
    #[default]
    Auto,
    /// Closed form for two bones.
    TwoBone,
    /// Damped least squares: goal rotations, several goals, all limits.
    Dls,
    /// A plane curl, as of a trunk or tail.
    Curl,
    /// Forward and backward reaching.
    Fabrik,
    /// Cyclic coordinate descent; for hinges.
    Ccd,
}

/// When a target counts as reached.
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Default, Debug, Clone, PartialEq)]
pub enum IkTolerance {
    /// A share of the chain's length.
    Relative(f32),
    /// A distance in the world.
    World(f32),
}

impl Default for IkTolerance {
    fn default() -> Self {
        Self::Relative(1e-4)
    }
}

/// The pose that iterations begin with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Default, Debug, Clone, PartialEq)]
pub enum IkStart {
    /// The pose that the joints have without the chain, from animation or as it was spawned.
    #[default]
    Animated,
    /// The pose that the joints had when the chain was bound.
    Rest,
    /// What the last solve found.
    Previous,
}

/// What to do about a target that is too far away.
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Default, Debug, Clone, PartialEq)]
pub enum IkUnreachable {
    /// Stretch out towards it.
    #[default]
    Extend,
    /// The same, slowing down from this share of the length on, so that the elbow does not snap straight.
    Soft(f32),
    /// Leave the joints where they are without the chain.
    KeepPose,
}

/// Ties a chain to a character: names are looked up among the character's descendants, and the chain is
/// despawned with it.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use bevy_sinew_ik::prelude::*;
///
/// fn arms(knight: Entity, apple: Entity, mut commands: Commands) {
///     for side in ["L", "R"] {
///         commands.spawn((
///             IkChainOf(knight),
///             IkChain::named(format!("UpperArm.{side}"), format!("Hand.{side}")),
///             IkTarget::entity(apple),
///         ));
///     }
/// }
/// ```
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
#[reflect(Component, Debug, Clone, PartialEq)]
#[relationship(relationship_target = IkChains)]
pub struct IkChainOf(#[entities] pub Entity);

/// The chains of a character: the other side of [`IkChainOf`].
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
#[relationship_target(relationship = IkChainOf, linked_spawn)]
pub struct IkChains(Vec<Entity>);
