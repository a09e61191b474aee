//! What bodies tell the app, and the order to move at once.

use bevy_ecs::prelude::*;
use bevy_math::{Isometry3d, Vec3};
use bevy_reflect::prelude::*;
use thiserror::Error;

/// A body came to rest and fell asleep.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
#[reflect(Debug, Clone, PartialEq)]
pub struct BodySlept {
    /// The body.
    pub entity: Entity,
}

/// A sleeping body was woken.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
#[reflect(Debug, Clone, PartialEq)]
pub struct BodyWoke {
    /// The body.
    pub entity: Entity,
}

/// A body became non-finite and was put back to its last finite rigid pose, at rest.
///
/// Sent once while it happens tick after tick.
#[derive(Message, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
#[reflect(Debug, Clone, PartialEq)]
pub struct BodyQuarantined {
    /// The body.
    pub entity: Entity,
}

/// Something about an entity cannot be used. Sent (and logged) once for each cause, until it is put right.
#[derive(Message, Clone, Debug, PartialEq, Reflect)]
#[reflect(Debug, Clone, PartialEq)]
pub struct BodyFailed {
    /// The entity.
    pub entity: Entity,
    /// The component that is at fault.
    pub component: &'static str,
    /// Why, and what to do.
    pub reason: BodyError,
}

/// Why something about a body cannot be used, and what happens instead.
#[derive(Clone, Debug, Error, PartialEq, Reflect)]
#[reflect(Debug, Clone, PartialEq)]
pub enum BodyError {
    /// The component has no shape.
    #[error("there is no shape: insert `DeformableBody::new(shape)` once the shape is ready")]
    NoShape,
    /// The shape has no particles.
    #[error("the shape has no particles: build it from a mesh or a lattice that has some")]
    EmptyShape,
    /// The entity is scaled.
    #[error(
        "the entity's scale in the world is {scale}, but bodies are simulated in metres: the scale is \
         ignored and put back; build the shape from a scaled mesh instead"
    )]
    Scaled {
        /// Scale of the entity in the world.
        scale: Vec3,
    },
    /// The pose is not finite.
    #[error("the pose is not finite: it is ignored, and the body stays where it was")]
    NonFinitePose,
    /// The parents' transform cannot be inverted.
    #[error(
        "the parents' transform is flat or not finite, so that no `Transform` puts the body where it \
         is: the old one is kept"
    )]
    FlatParent,
    /// The material has numbers that cannot be used.
    #[error("a number is negative or not finite: it counts as zero")]
    Material,
    /// The examples are of another shape.
    #[error("the examples were made for another shape: the body goes on without them")]
    ForeignExamples,
    /// The collider cannot be used.
    #[error("a size is negative, or a number is not finite: bodies pass through the collider")]
    Collider,
}

/// Sends and logs a failure.
pub(crate) fn fail(
    failures: &mut MessageWriter<BodyFailed>,
    entity: Entity,
    component: &'static str,
    reason: BodyError,
) {
    log::warn!("{component} of entity {entity}: {reason}");
    failures.write(BodyFailed { entity, component, reason });
}

/// Causes that were reported and not yet put right: one bit each.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Reported(u8);

impl Reported {
    pub const SHAPE: u8 = 1;
    pub const SCALE: u8 = 2;
    pub const POSE: u8 = 4;
    pub const PARENT: u8 = 8;
    pub const MATERIAL: u8 = 16;
    pub const EXAMPLES: u8 = 32;
    pub const NON_FINITE: u8 = 64;

    /// Notes whether a cause is there; true when it is there for the first time.
    pub fn is_new(&mut self, cause: u8, there: bool) -> bool {
        let known = self.0 & cause != 0;
        if there {
            self.0 |= cause;
        } else {
            self.0 &= !cause;
        }
        there && !known
    }
}

/// Moves a body at once, without the way between: nothing on the way is touched or stretched.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// # use bevy_math::{Isometry3d, Quat, Vec3};
/// use bevy_sinew_bodies::prelude::*;
///
/// fn respawn(mut commands: Commands, bodies: Query<Entity, With<DeformableBody>>) {
///     for entity in &bodies {
///         commands.trigger(Teleport::reset(entity, Isometry3d::from_translation(Vec3::Y)));
///     }
/// }
/// # World::new().run_system_cached(respawn).unwrap();
/// ```
#[derive(EntityEvent, Clone, Copy, Debug, PartialEq)]
pub struct Teleport {
    /// The body.
    pub entity: Entity,
    /// Pose of body space in the world afterwards.
    pub to: Isometry3d,
    /// What becomes of shape and velocities.
    pub mode: TeleportMode,
}

/// What becomes of a body that is moved at once.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Default, Debug, Clone, PartialEq)]
pub enum TeleportMode {
    /// Shape and velocities turn along. The default, and what a write to `Transform` does.
    #[default]
    Keep,
    /// The rest shape, with the velocity of [`InitialVelocity`](crate::InitialVelocity) or none.
    Reset,
}

impl Teleport {
    /// Moves a body, shape and velocities kept.
    #[must_use]
    pub fn keep(entity: Entity, to: Isometry3d) -> Self {
        Self { entity, to, mode: TeleportMode::Keep }
    }

    /// Moves a body and puts it to its rest shape.
    #[must_use]
    pub fn reset(entity: Entity, to: Isometry3d) -> Self {
        Self { entity, to, mode: TeleportMode::Reset }
    }
}
