//! Contact of a body's surface points with colliders, after each move.
//!
//! A point inside a collider is pushed out by the shortest way; its velocity loses what leads into the
//! collider (restitution gives a share back) and Coulomb friction acts on the rest. Points are visited
//! in a fixed order, so that results repeat.
//!
//! Damping spares rigid motion. A body that lies on something is not free, though: its mean motion along
//! the contact's normal is deformation, and is damped like any other. So is all its motion relative to
//! the collider, as far as friction holds it by a patch of its surface. Without that, a body would bob
//! and rock on the floor for ever; with it, a soft ball that rolls loses some speed.

use glam::Vec3;
use sinew_math::{LANES, Quad, SimdLevel, Vec3x8};

use crate::contact::{Collider, Reaction};
use crate::shape::{ContactPoint, ElasticShape};

use super::contact_damping::Particles;
use super::inside::points_inside;
use super::quads::{QuadTask, run_quads};

/// Restitution acts on impacts faster than gravity makes in this many sub-steps: slower ones are rest.
const RESTING_SUBSTEPS: f32 = 2.0;
/// A body is held where friction holds this share of its surface: one side of a box.
const HELD_SHARE: f32 = 1.0 / 6.0;

/// The moving part of a body, as contacts see it.
pub(crate) struct Touched<'a> {
    pub shape: &'a ElasticShape,
    pub positions: &'a mut [Vec3x8],
    pub velocities: &'a mut [Vec3x8],
    pub low: Vec3,
    pub high: Vec3,
    pub density: f32,
    pub simd: SimdLevel,
    /// Working memory: the positions for gathers, and the points inside a collider.
    pub quads: &'a mut Vec<Quad>,
    pub inside: &'a mut Vec<u32>,
    /// Whether `quads` holds the positions as they are.
    pub quads_are_fresh: bool,
}

/// How a body touches one collider.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Touch {
    /// Points that touch.
    pub points: u32,
    /// Those of them that friction holds.
    pub held_points: u32,
    /// Mean direction out of the collider; zero without any.
    pub normal: Vec3,
}

impl Touched<'_> {
    /// Resolves the contacts with one collider, whose frame's origin lies at `center` relative to the
    /// body's origin.
    pub fn collide(
        &mut self,
        collider: &Collider,
        center: Vec3,
        h: f32,
        gravity: Vec3,
        reaction: &mut Reaction,
    ) -> Touch {
        let mut touch = Touch::default();
        if self.is_far(collider, center) {
            return touch;
        }
        let resting = RESTING_SUBSTEPS * h * gravity.length();
        let shape = self.shape;
        self.find_inside(collider, center);
        for found in 0..self.inside.len() {
            let point = &shape.contact_points.points[self.inside[found] as usize];
            // Those before it may have taken it along.
            let at = self.mean(self.positions, point) - center;
            let Some((depth, normal)) = collider.penetration(at) else { continue };
            touch.points += 1;
            touch.normal += normal;
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
                touch.held_points += u32::from(slide.length() <= grip);
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
        self.quads_are_fresh &= touch.points == 0;
        touch.normal = touch.normal.normalize_or_zero();
        // Where the way out may have led.
        self.low -= reaction.depth;
        self.high += reaction.depth;
        touch
    }

    /// How far friction holds the body, from 0 to 1, when it holds so many points.
    pub fn held(&self, points: u32) -> f32 {
        let share = points as f32 / self.shape.contact_points.points.len() as f32;
        (share / HELD_SHARE).min(1.0)
    }

    /// Takes the share `damped` of the body's motion relative to the collider: of its mean along the
    /// contact's `normal` fully, of the rest as far as it is `held`.
    pub fn damp(
        &mut self,
        normal: Vec3,
        damped: f32,
        held: f32,
        collider: &Collider,
        center: Vec3,
        reaction: &mut Reaction,
    ) {
        let (linear, angular) = (collider.linear_velocity, collider.angular_velocity);
        let mass = self.shape.volume;
        let mut particles = Particles {
            mass: &self.shape.mass,
            positions: self.positions,
            velocities: self.velocities,
        };
        let (velocity, place) = particles.mean(self.simd, mass);
        let along = (velocity - linear - angular.cross(place - center)).dot(normal);
        // What is held is damped along the normal too; the mean gets the rest.
        let mean = normal * (-along * damped * (1.0 - held));
        let surface = (linear - angular.cross(center), angular);
        let (taken, spin) = particles.damp(self.simd, mean, damped * held, surface);
        let density = f64::from(self.density);
        reaction.impulse += (taken * density).as_vec3();
        let about_collider = spin - center.as_dvec3().cross(taken);
        reaction.angular_impulse += (about_collider * density).as_vec3();
    }

    /// Finds the contact points that lie inside a collider.
    fn find_inside(&mut self, collider: &Collider, center: Vec3) {
        if !self.quads_are_fresh {
            self.quads.resize(self.positions.len() * LANES, Quad::default());
            run_quads(self.simd, &mut QuadTask { positions: self.positions, quads: self.quads });
            self.quads_are_fresh = true;
        }
        let points = &self.shape.contact_points;
        points_inside(self.simd, points, self.quads, collider, center, self.inside);
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
