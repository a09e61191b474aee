//! What bodies tell the app, and the order to move at once.

use bevy_ecs::prelude::*;
use bevy_math::{Isometry3d, Vec3};
use bevy_reflect::prelude::*;
use sinew_elastic::ExampleError;
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
    /// The poses of an example set cannot be made.
    #[error("{error}; the body goes on without examples")]
    Examples {
        /// Which example is at fault, and why.
        #[reflect(ignore, default = "unknown_examples")]
        error: ExampleError,
    },
    /// The example set has names, but no poses.
    #[error(
        "it has names but no poses, as poses by particle are not saved: insert a set for the shape; the \
         body goes on without examples"
    )]
    LostPoses,
    /// The snapshot is of another version.
    #[error(
        "the snapshot has version {found}, but this version of the crate reads {readable}: it is \
         ignored, and the body starts at its `Transform`"
    )]
    SnapshotVersion {
        /// Version of the snapshot.
        found: u32,
        /// Version that can be read.
        readable: u32,
    },
    /// The snapshot is of another body.
    #[error(
        "the snapshot is of another shape: it is ignored, and the body stays where it is or starts at \
         its `Transform`"
    )]
    ForeignSnapshot,
    /// The collider cannot be used.
    #[error("a size is negative, or a number is not finite: bodies pass through the collider")]
    Collider,
}

/// For reflection, which cannot see the error.
fn unknown_examples() -> ExampleError {
    ExampleError::Groups("the error was not kept".to_owned())
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
pub(crate) struct Reported(u16);

impl Reported {
    pub const SHAPE: u16 = 1;
    pub const SCALE: u16 = 2;
    pub const POSE: u16 = 4;
    pub const PARENT: u16 = 8;
    pub const MATERIAL: u16 = 16;
    pub const EXAMPLES: u16 = 32;
    pub const NON_FINITE: u16 = 64;
    pub const POSES: u16 = 128;
    pub const LOST_POSES: u16 = 256;

    /// Notes whether a cause is there; true when it is there for the first time.
    pub fn is_new(&mut self, cause: u16, there: bool) -> bool {
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

/// What becomes of a body that is moved at once. Its shape, dents and all, turns along in all but `Reset`.
///
/// A body whose [`HeldParticles`](crate::HeldParticles) jump needs no teleport: it is carried along.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Default, Debug, Clone, PartialEq)]
pub enum TeleportMode {
    /// The velocity of the mass centre stays what it is in the world, so that a falling body falls on;
    /// motion about the centre turns with the body. The default, and what a write to `Transform` does.
    #[default]
    Keep,
    /// All motion turns with the body: as through a portal, or with a character that was turned.
    Carry,
    /// The rest shape, with the velocity of [`InitialVelocity`](crate::InitialVelocity) or none.
    Reset,
}

impl Teleport {
    /// Moves a body; its velocity stays what it is in the world.
    #[must_use]
    pub fn keep(entity: Entity, to: Isometry3d) -> Self {
        Self { entity, to, mode: TeleportMode::Keep }
    }

    /// Moves a body; its velocity turns along.
    #[must_use]
    pub fn carry(entity: Entity, to: Isometry3d) -> Self {
        Self { entity, to, mode: TeleportMode::Carry }
    }

    /// Moves a body and puts it to its rest shape.
    #[must_use]
    pub fn reset(entity: Entity, to: Isometry3d) -> Self {
        Self { entity, to, mode: TeleportMode::Reset }
    }
}
