//! What a chain is after: components to edit at any time.

use bevy_ecs::entity::MapEntities;
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_reflect::prelude::*;

/// A place that may move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect, MapEntities)]
#[reflect(Default, Debug, Clone, PartialEq)]
pub enum IkPlace {
    /// No place: what asks for it is switched off.
    #[default]
    None,
    /// A place in the world.
    Point(Vec3),
    /// The origin of an entity.
    Entity(#[entities] Entity),
    /// A place in the space of an entity.
    Local {
        /// The entity.
        #[entities]
        entity: Entity,
        /// The place in its space.
        point: Vec3,
    },
}

impl IkPlace {
    /// The entity that the place moves with.
    #[must_use]
    pub fn entity(&self) -> Option<Entity> {
        match *self {
            Self::None | Self::Point(_) => None,
            Self::Entity(entity) | Self::Local { entity, .. } => Some(entity),
        }
    }
}

/// A rotation that may change.
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect, MapEntities)]
#[reflect(Default, Debug, Clone, PartialEq)]
pub enum IkTurn {
    /// The last joint may be turned in any way.
    #[default]
    Free,
    /// A rotation in the world.
    World(Quat),
    /// As an entity is turned, and then by an offset in its space.
    Entity {
        /// The entity.
        #[entities]
        entity: Entity,
        /// Rotation of the last joint in the entity's space.
        offset: Quat,
    },
}

impl IkTurn {
    /// The entity that the rotation follows.
    #[must_use]
    pub fn entity(&self) -> Option<Entity> {
        match *self {
            Self::Free | Self::World(_) => None,
            Self::Entity { entity, .. } => Some(entity),
        }
    }
}

/// Where the end of a chain should be and how it should be turned.
///
/// A target without place and rotation leaves the joints alone.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
pub struct IkTarget {
    /// Where.
    #[entities]
    pub position: IkPlace,
    /// Moves the goal from where the end is without the chain (0) to `position` (1).
    pub position_weight: f32,
    /// How turned.
    #[entities]
    pub rotation: IkTurn,
    /// Moves the goal from how the end is turned without the chain (0) to `rotation` (1).
    pub rotation_weight: f32,
}

impl Default for IkTarget {
    fn default() -> Self {
        Self {
            position: IkPlace::None,
            position_weight: 1.0,
            rotation: IkTurn::Free,
            rotation_weight: 1.0,
        }
    }
}

impl IkTarget {
    /// The origin of an entity.
    #[must_use]
    pub fn entity(entity: Entity) -> Self {
        Self { position: IkPlace::Entity(entity), ..Self::default() }
    }

    /// A place in the world.
    #[must_use]
    pub fn point(point: Vec3) -> Self {
        Self { position: IkPlace::Point(point), ..Self::default() }
    }

    /// The same, turned as an entity is.
    #[must_use]
    pub fn turned_as(mut self, entity: Entity) -> Self {
        self.rotation = IkTurn::Entity { entity, offset: Quat::IDENTITY };
        self
    }

    /// The same with a rotation in the world.
    #[must_use]
    pub fn turned(mut self, rotation: Quat) -> Self {
        self.rotation = IkTurn::World(rotation);
        self
    }
}

/// Where a chain should bend to, such as an elbow or a knee. It does not move the chain's end.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
pub struct IkPole {
    /// The place that the bend is turned to.
    #[entities]
    pub at: IkPlace,
    /// Turns the bend away from it about the line from the chain's root to its end, in rad.
    pub angle: f32,
    /// The joint that bends to it, counted from the root; `None` for the one farthest from the line.
    pub joint: Option<u16>,
    /// 0 for no effect, 1 for the whole way.
    pub weight: f32,
}

impl Default for IkPole {
    fn default() -> Self {
        Self { at: IkPlace::None, angle: 0.0, joint: None, weight: 1.0 }
    }
}

impl IkPole {
    /// The whole way towards a place in the world.
    #[must_use]
    pub fn point(point: Vec3) -> Self {
        Self { at: IkPlace::Point(point), ..Self::default() }
    }

    /// The whole way towards an entity.
    #[must_use]
    pub fn entity(entity: Entity) -> Self {
        Self { at: IkPlace::Entity(entity), ..Self::default() }
    }
}

/// A place for a joint in the middle of a chain.
#[derive(Clone, Copy, Debug, PartialEq, Reflect, MapEntities)]
#[reflect(Default, Debug, Clone, PartialEq)]
pub struct IkJointTarget {
    /// The joint, counted from the chain's root.
    pub joint: u16,
    /// Where it should be.
    #[entities]
    pub position: IkPlace,
    /// Moves the goal from where the joint is without the chain (0) to `position` (1).
    pub weight: f32,
    /// How much it counts against other goals that cannot be met at once; above 0.
    pub importance: f32,
}

impl Default for IkJointTarget {
    fn default() -> Self {
        Self { joint: 0, position: IkPlace::None, weight: 1.0, importance: 1.0 }
    }
}

/// Further goals of a chain, for joints in its middle.
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
pub struct IkJointTargets(#[entities] pub Vec<IkJointTarget>);

/// Slows a chain down: jumps of its target are smoothed, and joints turn no faster than they may.
///
/// The target is smoothed as seen from the chain's root, so that a moving character does not trail behind
/// what moves with it. A chain whose target is lost goes back by the same half-life.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
pub struct IkSmoothing {
    /// Time in which the distance to the target halves, in s; 0 for none.
    pub half_life: f32,
    /// Fastest turn of each joint, in rad/s; `None` for no bound other than that of
    /// [`IkJoint`](crate::IkJoint).
    pub max_rate: Option<f32>,
}

impl IkSmoothing {
    /// Share of the way to the target that is covered in `dt` seconds.
    pub(crate) fn share(half_life: f32, dt: f32) -> f32 {
        if half_life > 0.0 && half_life.is_finite() {
            1.0 - (-dt.max(0.0) / half_life).exp2()
        } else {
            1.0
        }
    }
}
