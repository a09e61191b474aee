//! Bodies and `Transform`: placing, teleports by hand and by event, and writing back.
//!
//! A body lives in world space; its `Transform` follows. A record of what was written last tells the
//! user's writes from ours.

use core::ops::DerefMut as _;

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_math::{Isometry3d, Quat, Vec3};
use bevy_transform::components::{GlobalTransform, Transform};
use sinew_elastic::glam::DVec3;
use sinew_elastic::{ElasticShape, RigidPose};

use crate::body::{BodyScratch, BodyState, BodyStatus, DeformableBody, InitialVelocity};
use crate::contact::{ContactInput, ContactReactions};
use crate::events::{BodyError, BodyFailed, Reported, Teleport, TeleportMode, fail};

/// A scale that differs from one by less is rounding in a chain of transforms.
const SCALE_TOLERANCE: f32 = 1e-3;

/// What was written to `Transform`, and what is to be.
#[derive(Component, Clone, Debug, Default)]
pub(crate) struct PoseRecord {
    /// Pose of body space in the world.
    pub pose: Isometry3d,
    /// The `Transform` that is known: written by us, or taken over from the user.
    pub written: Option<Transform>,
    /// The `Transform` to write.
    next: Option<Transform>,
    /// The state changed since it was last published.
    pub dirty: bool,
    /// The change was no motion: there is no way between the ticks.
    pub jumped: bool,
    /// Both ticks of the motion are equal.
    pub settled: bool,
    /// Whether the body slept when it was last published.
    pub asleep: bool,
    pub reported: Reported,
}

/// World transforms of entities from their `Transform`s, which are newer than `GlobalTransform`s.
#[derive(SystemParam)]
pub(crate) struct Ancestors<'w, 's> {
    parents: Query<'w, 's, &'static ChildOf>,
    transforms: Query<'w, 's, &'static Transform>,
}

impl Ancestors<'_, '_> {
    /// The entity's world transform. An ancestor without `Transform` counts as one that does not move.
    pub fn world_from(&self, entity: Entity) -> GlobalTransform {
        let own = self.transforms.get(entity).copied().unwrap_or_default();
        self.world_from_parent(entity).map_or_else(|| own.into(), |parent| parent * own)
    }

    /// The world transform of the entity's parent; `None` for an entity without parent.
    pub fn world_from_parent(&self, entity: Entity) -> Option<GlobalTransform> {
        let mut world: Option<GlobalTransform> = None;
        for ancestor in self.parents.iter_ancestors(entity) {
            let own = self.transforms.get(ancestor).copied().unwrap_or_default();
            world = Some(world.map_or_else(|| own.into(), |below| own * below));
        }
        world
    }
}

/// Whether all parts of a scale are finite and none is zero.
pub(crate) fn has_extent(scale: Vec3) -> bool {
    scale.is_finite() && scale.abs().min_element() > 0.0
}

/// A `Transform` as a rigid pose and a scale; `None` when something is not finite.
fn rigid(world: &GlobalTransform) -> Option<(Isometry3d, Vec3)> {
    if !world.affine().is_finite() {
        return None;
    }
    let (scale, rotation, translation) = world.to_scale_rotation_translation();
    // A flat transform has no rotation to speak of.
    let rotation = if rotation.is_finite() { rotation.normalize() } else { Quat::IDENTITY };
    rotation.is_finite().then(|| (Isometry3d::new(translation, rotation), scale))
}

/// Pose of the mass centre for a pose of body space.
fn center_pose(shape: &ElasticShape, world_from_body: Isometry3d) -> RigidPose {
    let translation = Vec3::from(world_from_body.translation).as_dvec3();
    let arm: DVec3 = world_from_body.rotation.as_dquat() * shape.center().as_dvec3();
    RigidPose { translation: translation + arm, rotation: world_from_body.rotation }
}

/// Moves a body at once. Motion about the centre turns along; so does the centre's velocity, if asked.
fn jump(
    kernel: &mut sinew_elastic::BodyState,
    shape: &ElasticShape,
    to: RigidPose,
    turns_velocity: bool,
) {
    let before = center_velocity(kernel, shape);
    kernel.teleport(shape, to);
    if !turns_velocity {
        let lost = (before - center_velocity(kernel, shape)).as_vec3();
        for i in 0..shape.particle_count() {
            kernel.set_velocity(shape, i, kernel.velocity(shape, i) + lost);
        }
    }
}

/// Velocity of the mass centre.
fn center_velocity(kernel: &sinew_elastic::BodyState, shape: &ElasticShape) -> DVec3 {
    let (mut momentum, mut mass) = (DVec3::ZERO, 0.0);
    for i in 0..shape.particle_count() {
        let share = f64::from(shape.particle_mass(i));
        momentum += kernel.velocity(shape, i).as_dvec3() * share;
        mass += share;
    }
    momentum / mass
}

fn place(
    shape: &ElasticShape,
    world_from_body: Isometry3d,
    velocity: Option<&InitialVelocity>,
) -> BodyState {
    let mut kernel = sinew_elastic::BodyState::at_rest(shape);
    let pose = center_pose(shape, world_from_body);
    kernel.reset(shape, pose);
    let velocity = velocity.copied().unwrap_or_default();
    if velocity != InitialVelocity::default() {
        for i in 0..shape.particle_count() {
            let arm = (kernel.position(shape, i) - pose.translation).as_vec3();
            kernel.set_velocity(shape, i, velocity.linear + velocity.angular.cross(arm));
        }
    }
    BodyState::from_kernel(kernel)
}

type Placeable<'a> = (
    Entity,
    &'a DeformableBody,
    Option<&'a InitialVelocity>,
    &'a Transform,
    &'a mut BodyState,
    &'a mut PoseRecord,
);

/// Places new bodies where their `Transform` is, and teleports those whose `Transform` was written.
pub(crate) fn place_and_teleport(
    mut bodies: Query<Placeable>,
    ancestors: Ancestors,
    mut failures: MessageWriter<BodyFailed>,
) {
    for (entity, body, velocity, transform, mut state, mut record) in &mut bodies {
        let fault = match &body.shape {
            None => Some(BodyError::NoShape),
            Some(shape) if shape.particle_count() == 0 => Some(BodyError::EmptyShape),
            Some(_) => None,
        };
        if record.bypass_change_detection().reported.is_new(Reported::SHAPE, fault.is_some())
            && let Some(fault) = fault
        {
            fail(&mut failures, entity, "DeformableBody", fault);
            continue;
        }
        let Some(shape) = body.shape.as_ref().filter(|shape| shape.particle_count() > 0) else {
            continue;
        };
        let placed = state.kernel_of(shape).is_some();
        if placed && record.written == Some(*transform) {
            continue;
        }
        let record = record.deref_mut();
        let before = record.written.replace(*transform);
        if placed && before.is_none() {
            // A state that was given, not made: it knows where it is.
            record.dirty = true;
            record.jumped = true;
            continue;
        }
        let world = rigid(&ancestors.world_from(entity));
        if record.reported.is_new(Reported::POSE, world.is_none()) {
            fail(&mut failures, entity, "Transform", BodyError::NonFinitePose);
        }
        let Some((to, scale)) = world else { continue };
        let scaled = !(scale - Vec3::ONE).abs().cmple(Vec3::splat(SCALE_TOLERANCE)).all();
        if record.reported.is_new(Reported::SCALE, scaled) {
            fail(&mut failures, entity, "Transform", BodyError::Scaled { scale });
        }
        if !placed {
            *state = place(shape, to, velocity);
            record.dirty = true;
            record.jumped = true;
            continue;
        }
        let moved = before.is_none_or(|b| {
            (b.translation, b.rotation) != (transform.translation, transform.rotation)
        });
        // A restored state and its restored `Transform` agree, whatever was written since.
        let restored = state.world_from_body(shape).is_some_and(|pose| {
            local_from_world(pose, ancestors.world_from_parent(entity).as_ref()) == Some(*transform)
        });
        if restored {
            record.dirty = true;
        } else if moved && let Some(kernel) = state.kernel_mut() {
            jump(kernel, shape, center_pose(shape, to), false);
            record.dirty = true;
            record.jumped = true;
        }
    }
}

/// Carries out a [`Teleport`].
pub(crate) fn on_teleport(
    teleport: On<Teleport>,
    mut bodies: Query<Placeable>,
    mut failures: MessageWriter<BodyFailed>,
) {
    let Ok((entity, body, velocity, transform, mut state, mut record)) =
        bodies.get_mut(teleport.entity)
    else {
        return;
    };
    let Some(shape) = body.shape.as_ref().filter(|shape| shape.particle_count() > 0) else {
        return;
    };
    let to = teleport.to;
    if !(to.translation.is_finite() && to.rotation.is_finite() && to.rotation.is_normalized()) {
        fail(&mut failures, entity, "Teleport", BodyError::NonFinitePose);
        return;
    }
    let keeps = teleport.mode != TeleportMode::Reset && state.kernel_of(shape).is_some();
    match state.kernel_mut().filter(|_| keeps) {
        Some(kernel) => {
            let turns_velocity = teleport.mode == TeleportMode::Carry;
            jump(kernel, shape, center_pose(shape, to), turns_velocity);
        }
        None => *state = place(shape, to, velocity),
    }
    // An unread write to `Transform` is overruled.
    record.written = Some(*transform);
    record.dirty = true;
    record.jumped = true;
}

/// The `Transform` that puts an entity at a rigid pose in the world; `None` when its parents' transform
/// has no inverse.
fn local_from_world(pose: Isometry3d, parent: Option<&GlobalTransform>) -> Option<Transform> {
    let world = Transform {
        translation: pose.translation.into(),
        rotation: pose.rotation,
        scale: Vec3::ONE,
    };
    let Some(parent) = parent else { return Some(world) };
    let local = parent.affine().inverse() * world.compute_affine();
    if !local.is_finite() {
        return None;
    }
    let (scale, rotation, translation) = local.to_scale_rotation_translation();
    let finite = scale.is_finite() && rotation.is_finite();
    finite.then_some(Transform { translation, rotation, scale })
}

/// Finds the `Transform` of each body from its pose in the world.
pub(crate) fn localise(
    mut bodies: Query<(Entity, &BodyState, &mut PoseRecord), With<DeformableBody>>,
    ancestors: Ancestors,
    mut failures: MessageWriter<BodyFailed>,
    mut parents: Local<Vec<Option<GlobalTransform>>>,
) {
    // Ancestors that are bodies themselves are where their state is, not where they were drawn.
    let pose_of = |entity| {
        let (_, state, record) = bodies.get(entity).ok()?;
        state.kernel().is_some().then_some(record.pose)
    };
    parents.clear();
    parents.extend(bodies.iter().map(|(entity, ..)| ancestors.world_above(entity, pose_of)));
    for ((entity, state, mut record), parent) in bodies.iter_mut().zip(parents.iter()) {
        if state.kernel().is_none() {
            continue;
        }
        let next = local_from_world(record.pose, parent.as_ref());
        let record = record.bypass_change_detection();
        if record.reported.is_new(Reported::PARENT, next.is_none()) {
            fail(&mut failures, entity, "ChildOf", BodyError::FlatParent);
        }
        record.next = next;
    }
}

impl Ancestors<'_, '_> {
    /// The world transform of the entity's parent, where some ancestors have a known rigid pose.
    fn world_above(
        &self,
        entity: Entity,
        known: impl Fn(Entity) -> Option<Isometry3d>,
    ) -> Option<GlobalTransform> {
        let mut world: Option<GlobalTransform> = None;
        for ancestor in self.parents.iter_ancestors(entity) {
            let pose = known(ancestor);
            let own = pose.map_or_else(
                || self.transforms.get(ancestor).copied().unwrap_or_default(),
                Transform::from_isometry,
            );
            world = Some(world.map_or_else(|| own.into(), |below| own * below));
            if pose.is_some() {
                break;
            }
        }
        world
    }
}

/// Writes the `Transform`s that differ; one that the user wrote since `Prepare` is left for the next.
pub(crate) fn write_transforms(mut bodies: Query<(&mut Transform, &mut PoseRecord)>) {
    for (mut transform, mut record) in &mut bodies {
        let record = record.bypass_change_detection();
        let Some(next) = record.next.take() else { continue };
        if record.written == Some(*transform) && *transform != next {
            *transform = next;
            record.written = Some(next);
        }
    }
}

/// Removes what a body kept, when it stops being one.
pub(crate) fn on_remove_body(removed: On<Remove, DeformableBody>, mut commands: Commands) {
    if let Ok(mut entity) = commands.get_entity(removed.entity) {
        entity.try_remove::<(
            BodyState,
            BodyStatus,
            BodyScratch,
            ContactInput,
            ContactReactions,
            PoseRecord,
        )>();
    }
}
