//! Arithmetic on eight lanes at a time, the same bits on every instruction set.
//!
//! Kernels are generic over a [`Lane`]: one register type for AVX2, one for whatever the program was
//! compiled for. No fused multiply-add is used, and every operation is exact IEEE arithmetic lane by
//! lane, so that results do not depend on the choice. A [`Lane::Token`] proves that the machine has the
//! instruction set; [`dispatch`] finds it at run time.

use core::ops::{Add, AddAssign, Div, Mul, Neg, Sub, SubAssign};

use glam::Vec3;

use crate::wide::{F8, Mat3x8, Quad, Quatx8, Sym3x8, Vec3x8};

mod baseline;
mod dispatch;

#[cfg(target_arch = "x86_64")]
mod avx2;

pub use baseline::Baseline;
pub use dispatch::{LaneWork, SimdLevel, dispatch};

#[cfg(target_arch = "x86_64")]
pub use avx2::Avx2;

/// Eight single-precision numbers in registers.
///
/// Comparisons give masks: all bits set in a lane, or none.
pub trait Lane:
    Copy
    + Add<Output = Self>
    + Sub<Output = Self>
    + Mul<Output = Self>
    + Div<Output = Self>
    + Neg<Output = Self>
    + AddAssign
{
    /// Proof that the machine has the instructions.
    type Token: Copy + Send + Sync;

    /// The token again, so that constants can be made near a value.
    fn token(self) -> Self::Token;
    /// Runs a part of some work in a function of its own, compiled for the same instruction set. All else
    /// is inlined, and in a build without optimisation every inlined value takes its own place on the
    /// stack: parts that come one after the other should not add up. Mark the closure
    /// `#[inline(always)]`.
    fn apart<R>(token: Self::Token, part: impl FnOnce() -> R) -> R;
    /// The same value in every lane.
    fn splat(token: Self::Token, value: f32) -> Self;
    /// From memory.
    fn load(token: Self::Token, from: &F8) -> Self;
    /// To memory.
    fn store(self) -> F8;
    /// To memory in place, which spares a copy.
    fn store_to(self, to: &mut F8);
    /// Square roots.
    #[must_use]
    fn sqrt(self) -> Self;
    /// Absolute values.
    #[must_use]
    fn abs(self) -> Self;
    /// Smaller values; the second where the first is not a number.
    #[must_use]
    fn min(self, other: Self) -> Self;
    /// Larger values; the second where the first is not a number.
    #[must_use]
    fn max(self, other: Self) -> Self;
    /// Mask of `self < other`; not set where either is not a number.
    #[must_use]
    fn lt(self, other: Self) -> Self;
    /// Bits set in both.
    #[must_use]
    fn and(self, other: Self) -> Self;
    /// Bits set in either.
    #[must_use]
    fn or(self, other: Self) -> Self;
    /// Where this mask is set `yes`, elsewhere `no`.
    #[must_use]
    fn select(self, yes: Self, no: Self) -> Self;
    /// Whether any lane of a mask is set.
    fn any(self) -> bool;
    /// Whether all lanes of a mask are set.
    fn all(self) -> bool;
    /// A mask as a number: bit i is set where lane i is.
    fn bits(self) -> u8;
    /// Lanes whose bit `BIT` (1, 2 or 4) is clear take `before`'s lane with that bit set; the others
    /// take `after`'s lane with it clear. A shift by one along an axis of a 2×2×2 brick.
    #[must_use]
    fn straddle<const BIT: usize>(before: Self, after: Self) -> Self;
    /// The first three numbers of eight entries of a table, one entry a lane.
    ///
    /// # Panics
    /// When an index lies outside of the table.
    #[must_use]
    fn gather(token: Self::Token, table: &[Quad], indices: &[u32; 8]) -> V3<Self>;
    /// The four numbers of eight entries, one entry a lane.
    #[must_use]
    fn from_quads(token: Self::Token, quads: &[Quad; 8]) -> [Self; 4];
    /// The inverse of [`from_quads`](Self::from_quads): one entry for each lane.
    #[must_use]
    fn to_quads(numbers: [Self; 4]) -> [Quad; 8];
}

/// Eight 3-vectors in registers.
#[derive(Clone, Copy, Debug)]
pub struct V3<L> {
    /// First coordinates.
    pub x: L,
    /// Second coordinates.
    pub y: L,
    /// Third coordinates.
    pub z: L,
}

/// Eight 3×3 matrices in registers, by columns.
#[derive(Clone, Copy, Debug)]
pub struct M3<L> {
    /// The three columns.
    pub cols: [V3<L>; 3],
}

/// Eight symmetric 3×3 matrices in registers.
#[derive(Clone, Copy, Debug)]
pub struct S3<L> {
    /// Row 0, column 0.
    pub xx: L,
    /// Row 1, column 1.
    pub yy: L,
    /// Row 2, column 2.
    pub zz: L,
    /// Row 0, column 1.
    pub xy: L,
    /// Row 0, column 2.
    pub xz: L,
    /// Row 1, column 2.
    pub yz: L,
}

/// Eight unit quaternions in registers.
#[derive(Clone, Copy, Debug)]
pub struct Q4<L> {
    /// First imaginary parts.
    pub x: L,
    /// Second imaginary parts.
    pub y: L,
    /// Third imaginary parts.
    pub z: L,
    /// Real parts.
    pub w: L,
}

impl<L: Lane> Add for V3<L> {
    type Output = Self;

    #[inline(always)]
    fn add(self, o: Self) -> Self {
        Self { x: self.x + o.x, y: self.y + o.y, z: self.z + o.z }
    }
}

impl<L: Lane> Sub for V3<L> {
    type Output = Self;

    #[inline(always)]
    fn sub(self, o: Self) -> Self {
        Self { x: self.x - o.x, y: self.y - o.y, z: self.z - o.z }
    }
}

impl<L: Lane> AddAssign for V3<L> {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl<L: Lane> SubAssign for V3<L> {
    #[inline(always)]
    fn sub_assign(&mut self, o: Self) {
        *self = *self - o;
    }
}

impl<L: Lane> Mul<L> for V3<L> {
    type Output = Self;

    #[inline(always)]
    fn mul(self, s: L) -> Self {
        Self { x: self.x * s, y: self.y * s, z: self.z * s }
    }
}

impl<L: Lane> V3<L> {
    /// The same vector in every lane.
    #[inline(always)]
    #[must_use]
    pub fn splat(token: L::Token, v: Vec3) -> Self {
        Self { x: L::splat(token, v.x), y: L::splat(token, v.y), z: L::splat(token, v.z) }
    }

    /// From memory.
    #[inline(always)]
    #[must_use]
    pub fn load(token: L::Token, from: &Vec3x8) -> Self {
        Self { x: L::load(token, &from.x), y: L::load(token, &from.y), z: L::load(token, &from.z) }
    }

    /// To memory.
    #[inline(always)]
    #[must_use]
    pub fn store(self) -> Vec3x8 {
        Vec3x8 { x: self.x.store(), y: self.y.store(), z: self.z.store() }
    }

    /// To memory in place.
    #[inline(always)]
    pub fn store_to(self, to: &mut Vec3x8) {
        self.x.store_to(&mut to.x);
        self.y.store_to(&mut to.y);
        self.z.store_to(&mut to.z);
    }

    /// Applies `f` to each coordinate.
    #[inline(always)]
    #[must_use]
    pub fn map(self, f: impl Fn(L) -> L) -> Self {
        Self { x: f(self.x), y: f(self.y), z: f(self.z) }
    }

    /// Applies `f` to each pair of coordinates.
    #[inline(always)]
    #[must_use]
    pub fn zip(self, o: Self, f: impl Fn(L, L) -> L) -> Self {
        Self { x: f(self.x, o.x), y: f(self.y, o.y), z: f(self.z, o.z) }
    }

    /// Dot products.
    #[inline(always)]
    #[must_use]
    pub fn dot(self, o: Self) -> L {
        self.x * o.x + self.y * o.y + self.z * o.z
    }

    /// Cross products.
    #[inline(always)]
    #[must_use]
    pub fn cross(self, o: Self) -> Self {
        Self {
            x: self.y * o.z - self.z * o.y,
            y: self.z * o.x - self.x * o.z,
            z: self.x * o.y - self.y * o.x,
        }
    }
}

impl<L: Lane> M3<L> {
    /// From memory.
    #[inline(always)]
    #[must_use]
    pub fn load(token: L::Token, from: &Mat3x8) -> Self {
        let [a, b, c] = &from.cols;
        Self { cols: [V3::load(token, a), V3::load(token, b), V3::load(token, c)] }
    }

    /// To memory.
    #[inline(always)]
    #[must_use]
    pub fn store(self) -> Mat3x8 {
        let [a, b, c] = self.cols;
        Mat3x8 { cols: [a.store(), b.store(), c.store()] }
    }

    /// To memory in place.
    #[inline(always)]
    pub fn store_to(self, to: &mut Mat3x8) {
        self.cols[0].store_to(&mut to.cols[0]);
        self.cols[1].store_to(&mut to.cols[1]);
        self.cols[2].store_to(&mut to.cols[2]);
    }

    /// `self · v`.
    #[inline(always)]
    #[must_use]
    pub fn mul_vec(self, v: V3<L>) -> V3<L> {
        self.cols[0] * v.x + self.cols[1] * v.y + self.cols[2] * v.z
    }

    /// `self · s`.
    #[inline(always)]
    #[must_use]
    pub fn mul_sym(self, s: S3<L>) -> Self {
        Self {
            cols: [
                self.mul_vec(V3 { x: s.xx, y: s.xy, z: s.xz }),
                self.mul_vec(V3 { x: s.xy, y: s.yy, z: s.yz }),
                self.mul_vec(V3 { x: s.xz, y: s.yz, z: s.zz }),
            ],
        }
    }

    /// `selfᵀ · m`.
    #[inline(always)]
    #[must_use]
    pub fn transpose_mul(self, m: Self) -> Self {
        let [a, b, c] = m.cols;
        Self { cols: [self.dots(a), self.dots(b), self.dots(c)] }
    }

    /// `selfᵀ · v`.
    #[inline(always)]
    fn dots(self, v: V3<L>) -> V3<L> {
        V3 { x: self.cols[0].dot(v), y: self.cols[1].dot(v), z: self.cols[2].dot(v) }
    }

    /// The symmetric part.
    #[inline(always)]
    #[must_use]
    pub fn symmetric_part(self) -> S3<L> {
        let [a, b, c] = self.cols;
        let half = L::splat(a.x.token(), 0.5);
        S3 {
            xx: a.x,
            yy: b.y,
            zz: c.z,
            xy: (b.x + a.y) * half,
            xz: (c.x + a.z) * half,
            yz: (c.y + b.z) * half,
        }
    }

    /// Every entry times a lane's factor.
    #[inline(always)]
    #[must_use]
    pub fn scaled(self, s: L) -> Self {
        let [a, b, c] = self.cols;
        Self { cols: [a * s, b * s, c * s] }
    }
}

impl<L: Lane> Add for M3<L> {
    type Output = Self;

    #[inline(always)]
    fn add(self, o: Self) -> Self {
        let ([a, b, c], [x, y, z]) = (self.cols, o.cols);
        Self { cols: [a + x, b + y, c + z] }
    }
}

impl<L: Lane> S3<L> {
    /// From memory.
    #[inline(always)]
    #[must_use]
    pub fn load(token: L::Token, from: &Sym3x8) -> Self {
        Self {
            xx: L::load(token, &from.xx),
            yy: L::load(token, &from.yy),
            zz: L::load(token, &from.zz),
            xy: L::load(token, &from.xy),
            xz: L::load(token, &from.xz),
            yz: L::load(token, &from.yz),
        }
    }

    /// The identity in every lane.
    #[inline(always)]
    #[must_use]
    pub fn identity(token: L::Token) -> Self {
        let (one, zero) = (L::splat(token, 1.0), L::splat(token, 0.0));
        Self { xx: one, yy: one, zz: one, xy: zero, xz: zero, yz: zero }
    }

    /// Applies `f` to each pair of entries.
    #[inline(always)]
    #[must_use]
    pub fn zip(self, o: Self, f: impl Fn(L, L) -> L) -> Self {
        Self {
            xx: f(self.xx, o.xx),
            yy: f(self.yy, o.yy),
            zz: f(self.zz, o.zz),
            xy: f(self.xy, o.xy),
            xz: f(self.xz, o.xz),
            yz: f(self.yz, o.yz),
        }
    }

    /// The Frobenius inner product, off-diagonal entries counted twice.
    #[inline(always)]
    #[must_use]
    pub fn dot(self, o: Self) -> L {
        let off = self.xy * o.xy + self.xz * o.xz + self.yz * o.yz;
        self.xx * o.xx + self.yy * o.yy + self.zz * o.zz + (off + off)
    }
}

impl<L: Lane> Q4<L> {
    /// From memory.
    #[inline(always)]
    #[must_use]
    pub fn load(token: L::Token, from: &Quatx8) -> Self {
        Self {
            x: L::load(token, &from.x),
            y: L::load(token, &from.y),
            z: L::load(token, &from.z),
            w: L::load(token, &from.w),
        }
    }

    /// To memory.
    #[inline(always)]
    #[must_use]
    pub fn store(self) -> Quatx8 {
        Quatx8 { x: self.x.store(), y: self.y.store(), z: self.z.store(), w: self.w.store() }
    }

    /// To memory in place.
    #[inline(always)]
    pub fn store_to(self, to: &mut Quatx8) {
        self.x.store_to(&mut to.x);
        self.y.store_to(&mut to.y);
        self.z.store_to(&mut to.z);
        self.w.store_to(&mut to.w);
    }

    /// The rotation matrices.
    #[inline(always)]
    #[must_use]
    pub fn to_matrix(self) -> M3<L> {
        let (x2, y2, z2) = (self.x + self.x, self.y + self.y, self.z + self.z);
        let (xx, yy, zz) = (self.x * x2, self.y * y2, self.z * z2);
        let (xy, xz, yz) = (self.x * y2, self.x * z2, self.y * z2);
        let (wx, wy, wz) = (self.w * x2, self.w * y2, self.w * z2);
        let one = L::splat(self.x.token(), 1.0);
        M3 {
            cols: [
                V3 { x: one - (yy + zz), y: xy + wz, z: xz - wy },
                V3 { x: xy - wz, y: one - (xx + zz), z: yz + wx },
                V3 { x: xz + wy, y: yz - wx, z: one - (xx + yy) },
            ],
        }
    }
}

#[cfg(test)]
mod tests;
