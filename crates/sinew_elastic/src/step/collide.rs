//! Contact of a body's surface points with colliders, after each move.
//!
//! A point inside a collider is pushed out by the shortest way; its velocity loses what leads into the
//! collider (restitution gives a share back) and Coulomb friction acts on the rest. Points are visited
//! in a fixed order, so that results repeat.
//!
//! Damping spares rigid motion. A body that lies on something is not free, though: its motion along the
//! contact's normal is deformation, and is damped like any other. Without that, a body would bob on the
//! floor for ever.

use glam::Vec3;
use sinew_math::{LANES, Vec3x8};

use crate::contact::{Collider, Reaction};
use crate::shape::{ContactPoint, ElasticShape};

/// Restitution acts on impacts faster than gravity makes in this many sub-steps: slower ones are rest.
const RESTING_SUBSTEPS: f32 = 2.0;

/// The moving part of a body, as contacts see it.
pub(crate) struct Touched<'a> {
    pub shape: &'a ElasticShape,
    pub positions: &'a mut [Vec3x8],
    pub velocities: &'a mut [Vec3x8],
    pub low: Vec3,
    pub high: Vec3,
    pub density: f32,
    /// Factor on the non-rigid part of the velocity in one sub-step.
    pub decay: f32,
}

impl Touched<'_> {
    /// Resolves the contacts with one collider, whose frame's origin lies at `center` relative to the
    /// body's origin. Returns the number of points that touched.
    pub fn collide(
        &mut self,
        collider: &Collider,
        center: Vec3,
        h: f32,
        gravity: Vec3,
        reaction: &mut Reaction,
    ) -> u32 {
        if self.is_far(collider, center) {
            return 0;
        }
        let resting = RESTING_SUBSTEPS * h * gravity.length();
        let mut points = 0;
        let mut normals = Vec3::ZERO;
        let shape = self.shape;
        for point in &shape.contact_points {
            let at = self.mean(self.positions, point) - center;
            let Some((depth, normal)) = collider.penetration(at) else { continue };
            points += 1;
            normals += normal;
            let surface = collider.linear_velocity + collider.angular_velocity.cross(at);
            let relative = self.mean(self.velocities, point) - surface;
            let approach = relative.dot(normal);
            let mut change = Vec3::ZERO;
            let mut way_out = normal * depth;
            if approach < 0.0 {
                let bounce =
                    if -approach > resting { collider.restitution.clamp(0.0, 1.0) } else { 0.0 };
                let push = -approach * (1.0 + bounce);
                let slide = relative - normal * approach;
                let grip = collider.friction.max(0.0) * push;
                let held =
                    if slide.length() <= grip { slide } else { slide.normalize_or_zero() * grip };
                change = normal * push - held;
                // The move that led here went with the whole slide: take back what friction holds, or
                // a body at rest on a slope would creep.
                way_out -= held * h;
                self.shift(point, change, true);
            }
            self.shift(point, way_out, false);
            let impulse = -change * (point.mass * self.density);
            reaction.impulse += impulse;
            reaction.angular_impulse += at.cross(impulse);
            reaction.point += at + center;
            reaction.normal += normal;
            reaction.depth = reaction.depth.max(depth);
        }
        if points > 0 && self.decay < 1.0 {
            self.damp_along(normals.normalize_or_zero(), collider, center, reaction);
        }
        points
    }

    /// Damps the body's mean velocity along a contact's normal, relative to the collider.
    fn damp_along(
        &mut self,
        normal: Vec3,
        collider: &Collider,
        center: Vec3,
        reaction: &mut Reaction,
    ) {
        let mut momentum = [0.0_f64; 3];
        let mut first = [0.0_f64; 3];
        for ((v, x), mass) in self.velocities.iter().zip(&*self.positions).zip(&self.shape.mass) {
            for (axis, (v, x)) in [(&v.x, &x.x), (&v.y, &x.y), (&v.z, &x.z)].into_iter().enumerate() {
                let (mut mv, mut mx) = (0.0, 0.0);
                for lane in 0..LANES {
                    mv += mass.0[lane] * v.0[lane];
                    mx += mass.0[lane] * x.0[lane];
                }
                momentum[axis] += f64::from(mv);
                first[axis] += f64::from(mx);
            }
        }
        let mass = self.shape.volume;
        let mean = momentum.map(|p| (p / mass) as f32);
        let at = Vec3::from_array(first.map(|p| (p / mass) as f32)) - center;
        let surface = collider.linear_velocity + collider.angular_velocity.cross(at);
        let along = (Vec3::from_array(mean) - surface).dot(normal);
        let change = normal * (along * (self.decay - 1.0));
        for (v, mass) in self.velocities.iter_mut().zip(&self.shape.mass) {
            for lane in 0..LANES {
                // Lanes without a particle have no mass and stay at rest.
                let real = if mass.0[lane] > 0.0 { 1.0 } else { 0.0 };
                v.x.0[lane] += change.x * real;
                v.y.0[lane] += change.y * real;
                v.z.0[lane] += change.z * real;
            }
        }
        let impulse = -change * (mass as f32 * self.density);
        reaction.impulse += impulse;
        reaction.angular_impulse += at.cross(impulse);
    }

    fn is_far(&self, collider: &Collider, center: Vec3) -> bool {
        let (low, high) = (self.low - center, self.high - center);
        let reach = collider.reach();
        if reach.is_finite() {
            let nearest = Vec3::ZERO.clamp(low, high);
            return nearest.length_squared() > reach * reach;
        }
        // A plane: the lowest corner along its normal.
        let normal = collider.rotation * Vec3::Y;
        let corner = Vec3::select(normal.cmplt(Vec3::ZERO), high, low);
        corner.dot(normal) > 0.0
    }

    fn mean(&self, of: &[Vec3x8], point: &ContactPoint) -> Vec3 {
        let mut sum = Vec3::ZERO;
        for i in 0..point.count as usize {
            let slot = point.slots[i] as usize;
            sum += of[slot / LANES].lane(slot % LANES) * point.weights[i];
        }
        sum
    }

    /// Moves a point, or changes its velocity, by moving its particles in inverse proportion to their
    /// masses, as an impulse on the point would.
    fn shift(&mut self, point: &ContactPoint, change: Vec3, velocity: bool) {
        let of = if velocity { &mut *self.velocities } else { &mut *self.positions };
        for i in 0..point.count as usize {
            let slot = point.slots[i] as usize;
            let (block, lane) = (slot / LANES, slot % LANES);
            let mass = self.shape.mass[block].0[lane];
            let moved = of[block].lane(lane) + change * (point.weights[i] * point.mass / mass);
            of[block].set_lane(lane, moved);
        }
    }
}
