//! What bodies touch: plain data in, plain data out, and simple colliders that need no physics engine.
//!
//! Any physics engine's crate adds colliders to [`ContactInput`] in
//! [`DeformationSystems::CollectContacts`](crate::DeformationSystems::CollectContacts) and reads
//! [`ContactReactions`] in [`DeformationSystems::ApplyReactions`](crate::DeformationSystems::ApplyReactions).

use core::cmp::Ordering;

use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_reflect::prelude::*;
use bevy_transform::components::Transform;
use sinew_elastic::{Collider, ColliderShape, Reaction};

use crate::body::DeformableBody;
use crate::events::{BodyError, BodyFailed, fail};
use crate::pose::{Ancestors, has_extent};

/// The colliders near a body in this tick. Emptied in `Prepare`, filled in `CollectContacts`.
///
/// The order of the colliders matters to the result, bit for bit: fill it in an order that does not
/// depend on `Entity` ids.
#[derive(Component, Clone, Debug, Default, Reflect)]
#[reflect(Component, Default, Debug, Clone)]
pub struct ContactInput {
    #[reflect(ignore)]
    colliders: Vec<Collider>,
    #[reflect(ignore)]
    sources: Vec<Entity>,
}

impl ContactInput {
    /// Adds a collider, and the entity that hears of the reaction.
    pub fn push(&mut self, source: Entity, collider: Collider) {
        self.colliders.push(collider);
        self.sources.push(source);
    }

    /// The colliders, in the order that they were added.
    #[must_use]
    pub fn colliders(&self) -> &[Collider] {
        &self.colliders
    }

    /// The entity of each collider.
    #[must_use]
    pub fn sources(&self) -> &[Entity] {
        &self.sources
    }

    pub(crate) fn clear(&mut self) {
        self.colliders.clear();
        self.sources.clear();
    }
}

/// What a body did to each collider of its [`ContactInput`] in this tick. Written in `Simulate`.
#[derive(Component, Clone, Debug, Default, Reflect)]
#[reflect(Component, Default, Debug, Clone)]
pub struct ContactReactions {
    #[reflect(ignore)]
    sources: Vec<Entity>,
    #[reflect(ignore)]
    reactions: Vec<Reaction>,
}

impl ContactReactions {
    /// The reaction on each collider, in the order of [`ContactInput::colliders`]; all zero for those
    /// that were not touched.
    #[must_use]
    pub fn reactions(&self) -> &[Reaction] {
        &self.reactions
    }

    /// The colliders that were touched, in order.
    pub fn touched(&self) -> impl Iterator<Item = (Entity, &Reaction)> {
        self.sources.iter().copied().zip(&self.reactions).filter(|(_, r)| r.points > 0)
    }

    /// Takes over the reactions of a step; no allocation once there was room.
    pub(crate) fn set(&mut self, input: &ContactInput, reactions: &[Reaction]) {
        self.sources.clone_from(&input.sources);
        self.reactions.clear();
        self.reactions.extend_from_slice(reactions);
        self.reactions.resize(input.colliders.len(), Reaction::default());
    }
}

/// Makes an entity solid to all bodies, without a physics engine. Its `Transform` may move at any time.
///
/// The `Transform`'s scale multiplies the sizes. A collider that moves should say how fast, for friction
/// and impacts; its position is read each tick.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
#[require(Transform)]
pub struct BodyCollider {
    /// Its geometry.
    pub shape: BodyColliderShape,
    /// Coulomb friction coefficient.
    pub friction: f32,
    /// Share of the normal speed that an impact gives back, in [0, 1].
    pub restitution: f32,
    /// Velocity in the world, in m/s.
    pub linear_velocity: Vec3,
    /// Angular velocity in the world, in rad/s.
    pub angular_velocity: Vec3,
}

/// The geometry of a [`BodyCollider`], in the entity's space.
#[derive(Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Default, Debug, Clone, PartialEq)]
pub enum BodyColliderShape {
    /// Everything below the plane through the origin with the y axis as its normal. The default.
    #[default]
    Plane,
    /// A ball about the origin.
    Sphere {
        /// Radius, in m.
        radius: f32,
    },
    /// A capsule along the y axis.
    Capsule {
        /// Half the length of the straight part, in m.
        half_height: f32,
        /// Radius, in m.
        radius: f32,
    },
    /// A box about the origin.
    Cuboid {
        /// Half the lengths of the sides, in m.
        half_extents: Vec3,
    },
}

impl Default for BodyCollider {
    /// The ground, as [`BodyCollider::plane`].
    fn default() -> Self {
        Self::plane()
    }
}

impl BodyCollider {
    /// Friction of a collider that does not say otherwise.
    const FRICTION: f32 = 0.5;

    /// A collider of this geometry, with usual friction and no restitution.
    #[must_use]
    pub fn new(shape: BodyColliderShape) -> Self {
        Self {
            shape,
            friction: Self::FRICTION,
            restitution: 0.0,
            linear_velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
        }
    }

    /// The ground: solid below the entity's xz plane.
    #[must_use]
    pub fn plane() -> Self {
        Self::new(BodyColliderShape::Plane)
    }

    /// A ball.
    #[must_use]
    pub fn sphere(radius: f32) -> Self {
        Self::new(BodyColliderShape::Sphere { radius })
    }

    /// A capsule along the y axis.
    #[must_use]
    pub fn capsule(half_height: f32, radius: f32) -> Self {
        Self::new(BodyColliderShape::Capsule { half_height, radius })
    }

    /// A box.
    #[must_use]
    pub fn cuboid(half_extents: Vec3) -> Self {
        Self::new(BodyColliderShape::Cuboid { half_extents })
    }

    /// The same with another friction coefficient.
    #[must_use]
    pub fn with_friction(mut self, friction: f32) -> Self {
        self.friction = friction;
        self
    }

    /// The same with restitution.
    #[must_use]
    pub fn with_restitution(mut self, restitution: f32) -> Self {
        self.restitution = restitution;
        self
    }

    /// The collider in the world, for an entity with this pose and scale.
    fn in_world(&self, scale: Vec3, rotation: Quat, translation: Vec3) -> Collider {
        let scale = scale.abs();
        let shape = match self.shape {
            BodyColliderShape::Plane => ColliderShape::Plane,
            BodyColliderShape::Sphere { radius } => {
                ColliderShape::Sphere { radius: radius * scale.max_element() }
            }
            BodyColliderShape::Capsule { half_height, radius } => ColliderShape::Capsule {
                half_height: half_height * scale.y,
                radius: radius * scale.x.max(scale.z),
            },
            BodyColliderShape::Cuboid { half_extents } => {
                ColliderShape::Box { half_extents: half_extents * scale }
            }
        };
        Collider {
            shape,
            translation,
            rotation,
            linear_velocity: self.linear_velocity,
            angular_velocity: self.angular_velocity,
            friction: self.friction,
            restitution: self.restitution,
        }
    }
}

/// Empties the contacts of the last tick.
pub(crate) fn clear_contacts(mut bodies: Query<&mut ContactInput>) {
    for mut input in &mut bodies {
        if !input.colliders.is_empty() {
            input.clear();
        }
    }
}

/// Gives every body the simple colliders.
pub(crate) fn collect_colliders(
    colliders: Query<(Entity, &BodyCollider)>,
    ancestors: Ancestors,
    mut bodies: Query<&mut ContactInput, With<DeformableBody>>,
    mut failures: MessageWriter<BodyFailed>,
    mut in_world: Local<Vec<(Entity, Collider)>>,
    mut broken: Local<Vec<Entity>>,
) {
    in_world.clear();
    broken.retain(|&entity| colliders.contains(entity));
    for (entity, collider) in &colliders {
        let world = ancestors.world_from(entity);
        let (scale, rotation, translation) = world.to_scale_rotation_translation();
        let collider = collider.in_world(scale, rotation, translation);
        let valid = collider.is_valid() && has_extent(scale);
        let known = broken.iter().position(|&other| other == entity);
        match (valid, known) {
            (true, Some(index)) => {
                broken.swap_remove(index);
            }
            (false, None) => {
                broken.push(entity);
                fail(&mut failures, entity, "BodyCollider", BodyError::Collider);
            }
            _ => {}
        }
        if valid {
            in_world.push((entity, collider));
        }
    }
    // By value: neither ids nor the order of spawning may matter.
    in_world.sort_by(|(_, a), (_, b)| by_value(a, b));
    for mut input in &mut bodies {
        for &(entity, collider) in in_world.iter() {
            input.push(entity, collider);
        }
    }
}

/// All numbers of a collider.
fn numbers(collider: &Collider) -> [f32; 19] {
    let (kind, size) = match collider.shape {
        ColliderShape::Plane => (0.0, Vec3::ZERO),
        ColliderShape::Sphere { radius } => (1.0, Vec3::splat(radius)),
        ColliderShape::Capsule { half_height, radius } => {
            (2.0, Vec3::new(radius, half_height, 0.0))
        }
        ColliderShape::Box { half_extents } => (3.0, half_extents),
    };
    let Collider { translation: t, rotation: r, linear_velocity: v, angular_velocity: w, .. } =
        *collider;
    [
        kind,
        size.x,
        size.y,
        size.z,
        t.x,
        t.y,
        t.z,
        r.x,
        r.y,
        r.z,
        r.w,
        v.x,
        v.y,
        v.z,
        w.x,
        w.y,
        w.z,
        collider.friction,
        collider.restitution,
    ]
}

fn by_value(a: &Collider, b: &Collider) -> Ordering {
    numbers(a)
        .iter()
        .zip(&numbers(b))
        .map(|(a, b)| a.total_cmp(b))
        .find(|order| order.is_ne())
        .unwrap_or(Ordering::Equal)
}

/// A number that differs when any collider that reaches into the box differs (64-bit FNV-1a).
pub(crate) fn signature(colliders: &[Collider], low: Vec3, high: Vec3) -> u64 {
    const START: u64 = 0xcbf2_9ce4_8422_2325;
    const PRIME: u64 = 0x0000_0100_0000_01b3;
    let mut hash = START;
    for collider in colliders.iter().filter(|collider| reaches(collider, low, high)) {
        for number in numbers(collider) {
            hash = (hash ^ u64::from(number.to_bits())).wrapping_mul(PRIME);
        }
    }
    hash
}

fn reaches(collider: &Collider, low: Vec3, high: Vec3) -> bool {
    let reach = collider.reach();
    if reach.is_finite() {
        let nearest = collider.translation.clamp(low, high);
        return nearest.distance_squared(collider.translation) <= reach * reach;
    }
    let normal = collider.rotation * Vec3::Y;
    let corner = Vec3::select(normal.cmplt(Vec3::ZERO), high, low);
    (corner - collider.translation).dot(normal) <= 0.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn order_does_not_depend_on_the_order_of_adding() {
        let balls: Vec<Collider> = (0..6_u8)
            .map(|i| {
                BodyCollider::sphere(1.0 + f32::from(i % 3)).in_world(
                    Vec3::ONE,
                    Quat::IDENTITY,
                    Vec3::X * f32::from(i),
                )
            })
            .collect();
        let mut forwards = balls.clone();
        let mut backwards: Vec<Collider> = balls.into_iter().rev().collect();
        forwards.sort_by(by_value);
        backwards.sort_by(by_value);
        assert_eq!(forwards, backwards);
    }

    #[test]
    fn only_near_colliders_count_for_the_signature() {
        let ball =
            |x: f32| BodyCollider::sphere(0.5).in_world(Vec3::ONE, Quat::IDENTITY, Vec3::X * x);
        let of = |colliders: &[Collider]| signature(colliders, Vec3::splat(-1.0), Vec3::ONE);
        let near = of(&[ball(1.2)]);
        assert_eq!(near, of(&[ball(1.2), ball(5.0)]), "a far ball does not matter");
        assert_ne!(near, of(&[ball(1.25)]), "a near one that moves does");
        assert_ne!(near, of(&[]), "a near one that is gone does");
    }
}
