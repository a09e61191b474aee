//! Measurements of a body: energy, momentum, volume, strain. For reports and tests, not for every tick.

use core::f64::consts::TAU;

use glam::{DMat3, DQuat, DVec3};
use sinew_math::rotation::nearest_rotation_f64;

use crate::examples::{ExampleBasis, Grouping};
use crate::shape::ElasticShape;
use crate::state::BodyState;
use crate::step::Body;

/// What a body has and is at one moment. World space.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Probe {
    /// Kinetic energy, in J.
    pub kinetic_energy: f64,
    /// Elastic energy, in J: what the pull towards the goals can do as work.
    pub elastic_energy: f64,
    /// Momentum, in N·s.
    pub momentum: DVec3,
    /// Angular momentum about the mass centre, in N·m·s.
    pub angular_momentum: DVec3,
    /// Mass centre.
    pub center: DVec3,
    /// Volume by the deformation of the regions, in m³.
    pub volume: f64,
    /// Largest strain of a region: the greatest |S − I| entry-wise norm.
    pub max_strain: f64,
}

impl Probe {
    /// Measures a body.
    ///
    /// # Panics
    /// When the state is of another shape.
    #[must_use]
    pub fn measure(body: &Body<'_>, state: &BodyState) -> Self {
        let shape = body.shape;
        let density = f64::from(body.material.density);
        let mut probe = Self::default();
        let mut first = DVec3::ZERO;
        let mut spin = DVec3::ZERO;
        for particle in 0..shape.particle_count() {
            let mass = f64::from(shape.particle_mass(particle)) * density;
            let x = state.local_position(shape, particle).as_dvec3();
            let v = state.velocity(shape, particle).as_dvec3();
            probe.kinetic_energy += 0.5 * mass * v.length_squared();
            probe.momentum += v * mass;
            spin += x.cross(v) * mass;
            first += x * mass;
        }
        let mass = shape.volume * density;
        let center = first / mass;
        probe.angular_momentum = spin - center.cross(probe.momentum);
        probe.center = state.origin() + center;
        let stiffness = (TAU * f64::from(body.material.elastic_hz)).powi(2) * density;
        for region in 0..shape.region_count() {
            let fit = RegionState::new(shape, state, region);
            let strain = fit.stretch - DMat3::IDENTITY;
            let norm = strain.to_cols_array().iter().map(|v| v * v).sum::<f64>().sqrt();
            probe.max_strain = probe.max_strain.max(norm);
            probe.volume += fit.mass * fit.stretch.determinant();
            let target = body.examples.map_or(DMat3::IDENTITY, |basis| {
                DMat3::IDENTITY + blended_strain(shape, basis, state.weights(), region)
            });
            probe.elastic_energy += 0.5 * stiffness * fit.energy(target);
        }
        probe
    }
}

/// The fitted deformation of one region.
struct RegionState {
    /// Σ m̃ at a density of 1 kg/m³.
    mass: f64,
    points: Vec<(DVec3, DVec3, f64)>,
    moment: DMat3,
    stretch: DMat3,
}

impl RegionState {
    fn new(shape: &ElasticShape, state: &BodyState, region: usize) -> Self {
        let fit = shape.region_fit(region);
        let members = shape.region_members(region);
        let (mut center, mut rest_center, mut mass) = (DVec3::ZERO, DVec3::ZERO, 0.0);
        for &(p, m) in &members {
            center += state.local_position(shape, p as usize).as_dvec3() * m;
            rest_center += shape.rest_position(p as usize).as_dvec3() * m;
            mass += m;
        }
        center /= mass;
        rest_center /= mass;
        let mut moment = DMat3::ZERO;
        let mut gradient = DMat3::ZERO;
        let mut points = Vec::with_capacity(members.len());
        for (&(p, m), &(_, weight)) in members.iter().zip(&fit.members) {
            let x = state.local_position(shape, p as usize).as_dvec3() - center;
            let q = shape.rest_position(p as usize).as_dvec3() - rest_center;
            let scaled = q * m;
            moment += DMat3::from_cols(x * scaled.x, x * scaled.y, x * scaled.z);
            gradient += DMat3::from_cols(x * weight.x, x * weight.y, x * weight.z);
            points.push((x, q, m));
        }
        let rotation = DMat3::from_quat(nearest_rotation_f64(moment, DQuat::IDENTITY));
        let fitted = gradient + rotation * fit.null_projector;
        let rotation = DMat3::from_quat(nearest_rotation_f64(fitted, DQuat::IDENTITY));
        let stretch = rotation.transpose() * fitted;
        Self { mass, points, moment, stretch: (stretch + stretch.transpose()) * 0.5 }
    }

    /// Σ m̃ |x − R S̄ q|² with the rotation that makes it least.
    fn energy(&self, target: DMat3) -> f64 {
        let rotation = nearest_rotation_f64(self.moment * target, DQuat::IDENTITY);
        let map = DMat3::from_quat(rotation) * target;
        self.points.iter().map(|&(x, q, m)| m * (x - map * q).length_squared()).sum()
    }
}

fn blended_strain(
    shape: &ElasticShape,
    basis: &ExampleBasis,
    weights: &[f32],
    region: usize,
) -> DMat3 {
    let n = basis.example_count();
    let slot = shape.region_slots[region] as usize;
    let (block, lane) = (slot / 8, slot % 8);
    let group = match basis.grouping {
        Grouping::Whole => 0,
        Grouping::Named { .. } | Grouping::PerRegion => basis.group_of(block, lane),
    };
    (0..n).fold(DMat3::ZERO, |sum, k| {
        let weight = weights.get(group * n + k).copied().unwrap_or(0.0);
        sum + basis.strains[block * n + k].lane(lane).as_dmat3() * f64::from(weight)
    })
}
