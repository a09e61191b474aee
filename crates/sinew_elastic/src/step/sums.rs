//! Sums over the particles of a body: what keeps momentum, damps and puts to sleep.

use glam::{DMat3, DVec3, Vec3};
use sinew_math::lane::{Lane, V3};
use sinew_math::symmetric::pseudo_inverse;

/// Blocks that are summed in single precision before the sums go to double precision.
pub(crate) const BLOCKS_PER_FLUSH: usize = 32;

/// Sums over a chunk of blocks. Positions are relative to the body's origin.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct ChunkSums {
    /// Σ m u, with u the change of velocity whose rigid part is to be given back: what damping takes,
    /// and the pull, whose rigid part is rounding.
    pub lost: DVec3,
    /// Σ m x × u.
    pub lost_angular: DVec3,
    /// Σ m x.
    pub first: DVec3,
    /// Σ m x xᵀ: xx, yy, zz, xy, xz, yz.
    pub second: [f64; 6],
    /// Σ m |v|².
    pub speed: f64,
    /// Lowest and highest corner after the last move, where there are colliders.
    pub low: Vec3,
    pub high: Vec3,
}

/// Lane-wise partial sums of a few blocks: what changes velocities.
///
/// Apart from [`PlaceSums`], so that each fits the registers.
#[derive(Clone, Copy)]
pub(crate) struct ChangeSums<L> {
    lost: V3<L>,
    lost_angular: V3<L>,
    speed: L,
}

impl<L: Lane> ChangeSums<L> {
    #[inline(always)]
    pub fn new(t: L::Token) -> Self {
        let zero = V3::splat(t, Vec3::ZERO);
        Self { lost: zero, lost_angular: zero, speed: zero.x }
    }

    #[inline(always)]
    pub fn add(&mut self, mass: L, x: V3<L>, v: V3<L>, u: V3<L>) {
        self.lost += u * mass;
        self.lost_angular += (x * mass).cross(u);
        self.speed += v.dot(v) * mass;
    }

    #[inline(always)]
    pub fn flush(self, into: &mut ChunkSums) {
        into.lost += total(self.lost);
        into.lost_angular += total(self.lost_angular);
        into.speed += self.speed.store().sum();
    }
}

/// Lane-wise partial sums of a few blocks: where the particles are.
#[derive(Clone, Copy)]
pub(crate) struct PlaceSums<L> {
    first: V3<L>,
    diagonal: V3<L>,
    off_diagonal: V3<L>,
}

impl<L: Lane> PlaceSums<L> {
    #[inline(always)]
    pub fn new(t: L::Token) -> Self {
        let zero = V3::splat(t, Vec3::ZERO);
        Self { first: zero, diagonal: zero, off_diagonal: zero }
    }

    #[inline(always)]
    pub fn add(&mut self, mass: L, x: V3<L>) {
        let mx = x * mass;
        self.first += mx;
        self.diagonal += mx.zip(
            x,
            #[inline(always)]
            |m, c| m * c,
        );
        self.off_diagonal += V3 { x: mx.x * x.y, y: mx.x * x.z, z: mx.y * x.z };
    }

    #[inline(always)]
    pub fn flush(self, into: &mut ChunkSums) {
        into.first += total(self.first);
        let second = [self.diagonal.store().sum(), self.off_diagonal.store().sum()];
        for axis in 0..3 {
            into.second[axis] += second[0][axis];
            into.second[axis + 3] += second[1][axis];
        }
    }
}

#[inline(always)]
fn total<L: Lane>(v: V3<L>) -> DVec3 {
    DVec3::from_array(v.store().sum())
}

/// The rigid motion that is given back to every particle: `velocity + turn × (x − center)`.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct RigidMotion {
    pub center: Vec3,
    pub velocity: Vec3,
    pub turn: Vec3,
    /// Mean |v|² of the particles.
    pub mean_square_speed: f64,
}

impl ChunkSums {
    /// Adds one point of unit mass whose change of velocity is `u`.
    pub fn add_point(&mut self, x: DVec3, u: DVec3) {
        self.lost += u;
        self.lost_angular += x.cross(u);
        self.first += x;
        let (square, mixed) = (x * x, DVec3::new(x.x * x.y, x.x * x.z, x.y * x.z));
        for axis in 0..3 {
            self.second[axis] += square[axis];
            self.second[axis + 3] += mixed[axis];
        }
    }

    pub fn merge(&mut self, other: &Self) {
        self.lost += other.lost;
        self.lost_angular += other.lost_angular;
        self.first += other.first;
        for (mine, theirs) in self.second.iter_mut().zip(other.second) {
            *mine += theirs;
        }
        self.speed += other.speed;
    }

    pub fn rigid_motion(&self, mass: f64) -> RigidMotion {
        let center = self.first / mass;
        let about_center = self.lost_angular - center.cross(self.lost);
        let turn = inverse_inertia(self.inertia(mass, center)) * about_center;
        RigidMotion {
            center: center.as_vec3(),
            velocity: (self.lost / mass).as_vec3(),
            turn: turn.as_vec3(),
            mean_square_speed: self.speed / mass,
        }
    }

    /// Whether every sum is finite, which no particle that is not can leave so.
    pub fn is_finite(&self) -> bool {
        self.lost.is_finite()
            && self.lost_angular.is_finite()
            && self.second.iter().all(|v| v.is_finite())
            && self.speed.is_finite()
    }

    fn inertia(&self, mass: f64, center: DVec3) -> DMat3 {
        let [xx, yy, zz, xy, xz, yz] = self.second;
        let (xx, yy, zz) = (
            xx - mass * center.x * center.x,
            yy - mass * center.y * center.y,
            zz - mass * center.z * center.z,
        );
        let (xy, xz, yz) = (
            xy - mass * center.x * center.y,
            xz - mass * center.x * center.z,
            yz - mass * center.y * center.z,
        );
        DMat3::from_cols(
            DVec3::new(yy + zz, -xy, -xz),
            DVec3::new(-xy, xx + zz, -yz),
            DVec3::new(-xz, -yz, xx + yy),
        )
    }
}

/// Principal inertias below this share of the largest are rounding of single-precision sums.
const LEAST_INERTIA: f64 = 1e-6;

/// The inverse of an inertia tensor, zero about axes without inertia (a line turns about two only).
fn inverse_inertia(inertia: DMat3) -> DMat3 {
    if !inertia.is_finite() {
        return DMat3::ZERO;
    }
    let scale = inertia.x_axis.x + inertia.y_axis.y + inertia.z_axis.z;
    let det = inertia.determinant();
    // The two larger inertias of any body add up to at least two thirds of the trace.
    if det > LEAST_INERTIA * scale * scale * scale {
        inertia.inverse()
    } else {
        pseudo_inverse(inertia, LEAST_INERTIA).inverse
    }
}
