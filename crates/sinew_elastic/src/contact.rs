//! Colliders in, reactions out: plain data that any physics engine's crate can fill and read.

use glam::{Quat, Vec3};

/// The geometry of a collider, in its own frame.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ColliderShape {
    /// Everything below the plane through the frame's origin, whose normal is the frame's y axis.
    Plane,
    /// A ball about the frame's origin.
    Sphere {
        /// Radius, in m.
        radius: f32,
    },
    /// A capsule along the frame's y axis.
    Capsule {
        /// Half the length of the straight part, in m.
        half_height: f32,
        /// Radius, in m.
        radius: f32,
    },
    /// A box about the frame's origin.
    Box {
        /// Half the lengths of the sides, in m.
        half_extents: Vec3,
    },
}

/// Something solid that a body touches during one step. World space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Collider {
    /// Its geometry.
    pub shape: ColliderShape,
    /// World position of its frame's origin.
    pub translation: Vec3,
    /// Rotation of its frame.
    pub rotation: Quat,
    /// Velocity of its frame's origin, in m/s.
    pub linear_velocity: Vec3,
    /// Angular velocity, in rad/s.
    pub angular_velocity: Vec3,
    /// Coulomb friction coefficient.
    pub friction: f32,
    /// Share of the normal speed that an impact gives back, in [0, 1].
    pub restitution: f32,
}

impl Default for Collider {
    fn default() -> Self {
        Self {
            shape: ColliderShape::Plane,
            translation: Vec3::ZERO,
            rotation: Quat::IDENTITY,
            linear_velocity: Vec3::ZERO,
            angular_velocity: Vec3::ZERO,
            friction: 0.5,
            restitution: 0.0,
        }
    }
}

/// What a body did to one collider during one step; all zero when it did not touch it.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Reaction {
    /// Impulse on the collider, in N·s.
    pub impulse: Vec3,
    /// Angular impulse on the collider about its frame's origin, in N·m·s.
    pub angular_impulse: Vec3,
    /// Mean of the touched points, in world space.
    pub point: Vec3,
    /// Mean normal, from the collider to the body.
    pub normal: Vec3,
    /// Deepest penetration that was found, in m.
    pub depth: f32,
    /// Number of contact points that touched, at the sub-step when most did.
    pub points: u32,
}

impl Collider {
    /// The ground: a plane through `point` whose solid side lies opposite to `normal`.
    #[must_use]
    pub fn plane(point: Vec3, normal: Vec3) -> Self {
        let normal = normal.try_normalize().unwrap_or(Vec3::Y);
        Self {
            translation: point,
            rotation: Quat::from_rotation_arc(Vec3::Y, normal),
            ..Self::default()
        }
    }

    /// Whether all numbers are finite and sizes are not negative.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let shape = match self.shape {
            ColliderShape::Plane => true,
            ColliderShape::Sphere { radius } => radius.is_finite() && radius >= 0.0,
            ColliderShape::Capsule { half_height, radius } => {
                half_height.is_finite() && radius.is_finite() && half_height >= 0.0 && radius >= 0.0
            }
            ColliderShape::Box { half_extents } => {
                half_extents.is_finite() && half_extents.min_element() >= 0.0
            }
        };
        shape
            && self.translation.is_finite()
            && self.rotation.is_normalized()
            && self.linear_velocity.is_finite()
            && self.angular_velocity.is_finite()
            && self.friction.is_finite()
            && self.restitution.is_finite()
    }

    /// Depth of `point` (relative to the frame's origin, in world axes) below the surface, and the
    /// direction of the shortest way out. `None` outside.
    #[must_use]
    pub fn penetration(&self, point: Vec3) -> Option<(f32, Vec3)> {
        let local = self.rotation.inverse() * point;
        let (depth, normal) = match self.shape {
            ColliderShape::Plane => (-local.y, Vec3::Y),
            ColliderShape::Sphere { radius } => out_of_ball(local, radius),
            ColliderShape::Capsule { half_height, radius } => {
                let on_axis = Vec3::Y * local.y.clamp(-half_height, half_height);
                out_of_ball(local - on_axis, radius)
            }
            ColliderShape::Box { half_extents } => out_of_box(local, half_extents),
        };
        (depth > 0.0).then(|| (depth, self.rotation * normal))
    }

    /// Radius of a ball about the frame's origin that holds the collider; infinite for a plane.
    #[must_use]
    pub fn reach(&self) -> f32 {
        match self.shape {
            ColliderShape::Plane => f32::INFINITY,
            ColliderShape::Sphere { radius } => radius,
            ColliderShape::Capsule { half_height, radius } => half_height + radius,
            ColliderShape::Box { half_extents } => half_extents.length(),
        }
    }
}

fn out_of_ball(from_center: Vec3, radius: f32) -> (f32, Vec3) {
    let distance = from_center.length();
    let normal = if distance > 0.0 { from_center / distance } else { Vec3::Y };
    (radius - distance, normal)
}

fn out_of_box(local: Vec3, half_extents: Vec3) -> (f32, Vec3) {
    let depth = half_extents - local.abs();
    let sign = |value: f32| if value < 0.0 { -1.0 } else { 1.0 };
    // Outside in some axis: the smallest depth is negative and says so.
    if depth.x <= depth.y && depth.x <= depth.z {
        (depth.x, Vec3::X * sign(local.x))
    } else if depth.y <= depth.z {
        (depth.y, Vec3::Y * sign(local.y))
    } else {
        (depth.z, Vec3::Z * sign(local.z))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn points_inside_leave_by_the_shortest_way() {
        let shapes = [
            (ColliderShape::Plane, Vec3::new(3.0, -0.25, 1.0), 0.25, Vec3::Y),
            (ColliderShape::Sphere { radius: 2.0 }, Vec3::new(0.0, 0.0, 1.5), 0.5, Vec3::Z),
            (
                ColliderShape::Capsule { half_height: 1.0, radius: 0.5 },
                Vec3::new(0.25, 0.75, 0.0),
                0.25,
                Vec3::X,
            ),
            (
                ColliderShape::Box { half_extents: Vec3::new(1.0, 2.0, 3.0) },
                Vec3::new(0.1, -1.75, 0.0),
                0.25,
                Vec3::NEG_Y,
            ),
        ];
        let turn = Quat::from_rotation_x(0.7) * Quat::from_rotation_z(0.2);
        for (shape, local, depth, normal) in shapes {
            let collider = Collider { shape, rotation: turn, ..Collider::default() };
            let (found, direction) = collider.penetration(turn * local).unwrap_or_default();
            assert!((found - depth).abs() < 1e-5, "{shape:?}: {found}");
            assert!((direction - turn * normal).length() < 1e-5, "{shape:?}: {direction}");
        }
    }

    #[test]
    fn points_outside_do_not_touch() {
        let half_extents = Vec3::ONE;
        let collider =
            Collider { shape: ColliderShape::Box { half_extents }, ..Collider::default() };
        assert_eq!(collider.penetration(Vec3::new(0.5, 1.1, 0.5)), None);
    }
}
