//! What damping takes of the motion of a body that lies on something.

use glam::{DVec3, Vec3};
use sinew_math::lane::{Lane, LaneWork, SimdLevel, V3, dispatch};
use sinew_math::{F8, Vec3x8};

use super::sums::{BLOCKS_PER_FLUSH, ChangeSums, ChunkSums, PlaceSums};

/// The particles of a body, relative to its origin.
pub(super) struct Particles<'a> {
    pub mass: &'a [F8],
    pub positions: &'a [Vec3x8],
    pub velocities: &'a mut [Vec3x8],
}

/// Mean motion of the particles: Σ m v and Σ m x.
struct Mean<'a, 'b>(&'a Particles<'b>);

impl LaneWork for Mean<'_, '_> {
    type Output = ChunkSums;

    #[inline(always)]
    fn run<L: Lane>(self, t: L::Token) -> ChunkSums {
        let Particles { mass, positions, velocities } = self.0;
        let mut sums = ChunkSums::default();
        for first in (0..mass.len()).step_by(BLOCKS_PER_FLUSH) {
            let run = first..mass.len().min(first + BLOCKS_PER_FLUSH);
            let (mut motion, mut place) = (ChangeSums::<L>::new(t), PlaceSums::<L>::new(t));
            let moving = positions[run.clone()].iter().zip(&velocities[run.clone()]);
            for ((x, v), mass) in moving.zip(&mass[run]) {
                let (x, v, mass) = (V3::load(t, x), V3::load(t, v), L::load(t, mass));
                motion.add(mass, x, v, v);
                place.add(mass, x);
            }
            motion.flush(&mut sums);
            place.flush(&mut sums);
        }
        sums
    }
}

/// Takes the share `rate` of the velocities relative to a rigid motion, and gives `mean` to all.
struct Take<'a, 'b> {
    particles: &'a mut Particles<'b>,
    mean: Vec3,
    rate: f32,
    /// The rigid motion: velocity at the origin, and angular velocity.
    linear: Vec3,
    angular: Vec3,
}

impl LaneWork for Take<'_, '_> {
    type Output = ChunkSums;

    /// What was taken.
    #[inline(always)]
    fn run<L: Lane>(self, t: L::Token) -> ChunkSums {
        let Particles { mass, positions, velocities } = self.particles;
        let (mean, rate) = (V3::<L>::splat(t, self.mean), L::splat(t, self.rate));
        let (linear, angular) = (V3::splat(t, self.linear), V3::splat(t, self.angular));
        let zero = L::splat(t, 0.0);
        let mut sums = ChunkSums::default();
        for first in (0..mass.len()).step_by(BLOCKS_PER_FLUSH) {
            let run = first..mass.len().min(first + BLOCKS_PER_FLUSH);
            let mut taken = ChangeSums::<L>::new(t);
            let moving = positions[run.clone()].iter().zip(&mut velocities[run.clone()]);
            for ((x, velocity), mass) in moving.zip(&mass[run]) {
                let (x, v, mass) = (V3::load(t, x), V3::load(t, velocity), L::load(t, mass));
                let surface = linear + angular.cross(x);
                // Lanes without a particle have no mass and stay at rest.
                let real = zero.lt(mass);
                let lost = ((v - surface) * rate - mean).map(
                    #[inline(always)]
                    |c| real.select(c, zero),
                );
                taken.add(mass, x, v, lost);
                (v - lost).store_to(velocity);
            }
            taken.flush(&mut sums);
        }
        sums
    }
}

impl Particles<'_> {
    /// Mean velocity, and centre of mass.
    pub fn mean(&self, simd: SimdLevel, mass: f64) -> (Vec3, Vec3) {
        let sums = dispatch(simd, Mean(self));
        ((sums.lost / mass).as_vec3(), (sums.first / mass).as_vec3())
    }

    /// Takes the share `rate` of the velocities relative to the motion `linear + angular × x`, and gives
    /// `mean` to all. Returns the momentum and the angular momentum about the origin that this took, at a
    /// density of 1 kg/m³.
    pub fn damp(
        &mut self,
        simd: SimdLevel,
        mean: Vec3,
        rate: f32,
        (linear, angular): (Vec3, Vec3),
    ) -> (DVec3, DVec3) {
        let sums = dispatch(simd, Take { particles: self, mean, rate, linear, angular });
        (sums.lost, sums.lost_angular)
    }
}
