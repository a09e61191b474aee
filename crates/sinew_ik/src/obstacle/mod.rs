//! Plain convex shapes that bones stay clear of or wrap around. No physics engine is involved: copy what
//! your broad phase finds near the chain into these, in chain space.

mod gjk;
mod swing;

use glam::{DQuat, DVec3, Quat, Vec3};

pub use swing::swing_out;

/// A convex shape about its own origin. Lengths in chain space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Convex<'a> {
    /// A ball.
    Sphere {
        /// Its radius.
        radius: f32,
    },
    /// A ball swept along the y axis.
    Capsule {
        /// Half the way of its centre.
        half_height: f32,
        /// Radius of the ball.
        radius: f32,
    },
    /// A round bar along the y axis.
    Cylinder {
        /// Half its length.
        half_height: f32,
        /// Its radius.
        radius: f32,
    },
    /// A box, with edges rounded by a ball of `radius` outside of it.
    Cuboid {
        /// Half its sides, without the rounding.
        half_extents: Vec3,
        /// Radius of the rounding; zero for sharp edges.
        radius: f32,
    },
    /// The hull of some points, rounded in the same way. Keep it below about 32 points.
    Hull {
        /// The points; at least one.
        points: &'a [Vec3],
        /// Radius of the rounding; zero for sharp edges.
        radius: f32,
    },
}

/// A convex shape somewhere.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Obstacle<'a> {
    /// What it is.
    pub shape: Convex<'a>,
    /// Where its origin is, in chain space.
    pub position: Vec3,
    /// How it is turned.
    pub rotation: Quat,
}

/// How near a segment is to an obstacle.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Proximity {
    /// Distance between segment and surface, negative inside. Deep inside of shapes with a sharp core, where the
    /// segment cuts the core itself, it is only known to be below minus the rounding, and reads so.
    pub distance: f32,
    /// Share of the segment's length at which it is nearest, in [0, 1].
    pub along: f32,
    /// The nearest point of the shape's core, that is, without its rounding.
    pub core: Vec3,
    /// Unit direction from there to the segment.
    pub normal: Vec3,
}

impl<'a> Obstacle<'a> {
    /// A shape at a place.
    #[must_use]
    pub fn new(shape: Convex<'a>, position: Vec3) -> Self {
        Self { shape, position, rotation: Quat::IDENTITY }
    }

    /// A ball.
    #[must_use]
    pub fn sphere(centre: Vec3, radius: f32) -> Self {
        Self::new(Convex::Sphere { radius }, centre)
    }

    /// The same, turned.
    #[must_use]
    pub fn turned(mut self, rotation: Quat) -> Self {
        self.rotation = rotation;
        self
    }

    /// All numbers are finite, no length is negative, and a hull has a point.
    #[must_use]
    pub fn is_valid(&self) -> bool {
        let length = |value: f32| value.is_finite() && value >= 0.0;
        let shape = match self.shape {
            Convex::Sphere { radius } => length(radius),
            Convex::Capsule { half_height, radius } | Convex::Cylinder { half_height, radius } => {
                length(half_height) && length(radius)
            }
            Convex::Cuboid { half_extents, radius } => {
                half_extents.to_array().into_iter().all(length) && length(radius)
            }
            Convex::Hull { points, radius } => {
                !points.is_empty() && points.iter().all(|p| p.is_finite()) && length(radius)
            }
        };
        let turn = self.rotation.length_squared();
        shape && self.position.is_finite() && (0.5..2.0).contains(&turn)
    }

    /// How near the segment from `start` to `end` is.
    #[must_use]
    pub fn proximity(&self, start: Vec3, end: Vec3) -> Proximity {
        if let Convex::Sphere { radius } = self.shape {
            return sphere_proximity(self.position, radius, start, end);
        }
        let (origin, turn) = (self.position.as_dvec3(), self.rotation.as_dquat().normalize());
        // About the shape's origin, so that no digits are lost far from that of chain space.
        let (a, b) = (start.as_dvec3() - origin, end.as_dvec3() - origin);
        let core = Core { shape: &self.shape, turn };
        let near = gjk::closest(a, b, &core);
        let rounding = f64::from(self.rounding());
        Proximity {
            distance: (near.distance - rounding) as f32,
            along: near.along as f32,
            core: (near.on_core + origin).as_vec3(),
            normal: near.normal.as_vec3(),
        }
    }

    /// Radius of the ball that rounds the shape's core.
    pub(crate) fn rounding(&self) -> f32 {
        match self.shape {
            Convex::Cylinder { .. } => 0.0,
            Convex::Sphere { radius }
            | Convex::Capsule { radius, .. }
            | Convex::Cuboid { radius, .. }
            | Convex::Hull { radius, .. } => radius,
        }
    }

    /// Radius of a ball about the shape's origin that holds it all.
    #[must_use]
    pub fn bounding_radius(&self) -> f32 {
        match self.shape {
            Convex::Sphere { radius } => radius,
            Convex::Capsule { half_height, radius } => half_height + radius,
            Convex::Cylinder { half_height, radius } => half_height.hypot(radius),
            Convex::Cuboid { half_extents, radius } => half_extents.length() + radius,
            Convex::Hull { points, radius } => {
                points.iter().map(|p| p.length()).fold(0.0, f32::max) + radius
            }
        }
    }
}

fn sphere_proximity(centre: Vec3, radius: f32, start: Vec3, end: Vec3) -> Proximity {
    let way = end - start;
    let square = way.length_squared();
    let along =
        if square > 0.0 { ((centre - start).dot(way) / square).clamp(0.0, 1.0) } else { 0.0 };
    let offset = start + way * along - centre;
    let distance = offset.length();
    let normal = if distance > 0.0 { offset / distance } else { Vec3::Y };
    Proximity { distance: distance - radius, along, core: centre, normal }
}

/// A shape without its rounding, turned, about its own origin.
struct Core<'a> {
    shape: &'a Convex<'a>,
    turn: DQuat,
}

impl gjk::Support for Core<'_> {
    fn support(&self, direction: DVec3) -> DVec3 {
        let d = self.turn.conjugate() * direction;
        let local = match *self.shape {
            Convex::Sphere { .. } => DVec3::ZERO,
            Convex::Capsule { half_height, .. } => DVec3::Y * f64::from(half_height).copysign(d.y),
            Convex::Cylinder { half_height, radius } => {
                let flat = (d.x * d.x + d.z * d.z).sqrt();
                let scale = if flat > 0.0 { f64::from(radius) / flat } else { 0.0 };
                DVec3::new(d.x * scale, f64::from(half_height).copysign(d.y), d.z * scale)
            }
            Convex::Cuboid { half_extents, .. } => {
                let h = half_extents.as_dvec3();
                DVec3::new(h.x.copysign(d.x), h.y.copysign(d.y), h.z.copysign(d.z))
            }
            Convex::Hull { points, .. } => {
                let mut best = DVec3::ZERO;
                let mut farthest = f64::NEG_INFINITY;
                for point in points {
                    let point = point.as_dvec3();
                    let along = point.dot(d);
                    if along > farthest {
                        (best, farthest) = (point, along);
                    }
                }
                best
            }
        };
        self.turn * local
    }
}
