//! Eight values side by side, as they lie in memory: one particle or region a lane.
//!
//! These types store and convert; the arithmetic is in [`crate::lane`].

use glam::{Mat3, Quat, Vec3};

/// The number of lanes.
pub const LANES: usize = 8;

/// Eight single-precision numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[repr(C, align(32))]
pub struct F8(pub [f32; LANES]);

/// One 3-vector with a fourth number, aligned for a quick gather: see [`crate::Lane::gather`].
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C, align(16))]
pub struct Quad(pub [f32; 4]);

impl Quad {
    /// A vector and a zero.
    #[inline(always)]
    #[must_use]
    pub const fn from_vec3(v: Vec3) -> Self {
        Self([v.x, v.y, v.z, 0.0])
    }
}

/// Eight 3-vectors.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Vec3x8 {
    /// First coordinates.
    pub x: F8,
    /// Second coordinates.
    pub y: F8,
    /// Third coordinates.
    pub z: F8,
}

/// Eight 3×3 matrices, by columns.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[repr(C)]
pub struct Mat3x8 {
    /// The three columns.
    pub cols: [Vec3x8; 3],
}

/// Eight symmetric 3×3 matrices.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Sym3x8 {
    /// Row 0, column 0.
    pub xx: F8,
    /// Row 1, column 1.
    pub yy: F8,
    /// Row 2, column 2.
    pub zz: F8,
    /// Row 0, column 1.
    pub xy: F8,
    /// Row 0, column 2.
    pub xz: F8,
    /// Row 1, column 2.
    pub yz: F8,
}

/// Eight unit quaternions.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
#[repr(C)]
pub struct Quatx8 {
    /// First imaginary parts.
    pub x: F8,
    /// Second imaginary parts.
    pub y: F8,
    /// Third imaginary parts.
    pub z: F8,
    /// Real parts.
    pub w: F8,
}

impl F8 {
    /// Zero in every lane.
    pub const ZERO: Self = Self([0.0; LANES]);
    /// One in every lane.
    pub const ONE: Self = Self([1.0; LANES]);

    /// The same value in every lane.
    #[must_use]
    pub const fn splat(value: f32) -> Self {
        Self([value; LANES])
    }

    /// The sum of the lanes, from the first to the last, in double precision.
    #[must_use]
    pub fn sum(&self) -> f64 {
        self.0.iter().fold(0.0, |sum, &value| sum + f64::from(value))
    }
}

impl Vec3x8 {
    /// Zero in every lane.
    pub const ZERO: Self = Self { x: F8::ZERO, y: F8::ZERO, z: F8::ZERO };

    /// The same vector in every lane.
    #[must_use]
    pub const fn splat(v: Vec3) -> Self {
        Self { x: F8::splat(v.x), y: F8::splat(v.y), z: F8::splat(v.z) }
    }

    /// The vector of one lane.
    ///
    /// # Panics
    /// When `lane` is 8 or more.
    #[inline(always)]
    #[must_use]
    pub fn lane(&self, lane: usize) -> Vec3 {
        Vec3::new(self.x.0[lane], self.y.0[lane], self.z.0[lane])
    }

    /// Writes one lane.
    ///
    /// # Panics
    /// When `lane` is 8 or more.
    #[inline(always)]
    pub fn set_lane(&mut self, lane: usize, v: Vec3) {
        self.x.0[lane] = v.x;
        self.y.0[lane] = v.y;
        self.z.0[lane] = v.z;
    }

    /// Sums of the lanes, in double precision.
    #[must_use]
    pub fn sum(&self) -> [f64; 3] {
        [self.x.sum(), self.y.sum(), self.z.sum()]
    }
}

impl Mat3x8 {
    /// Zero in every lane.
    pub const ZERO: Self = Self { cols: [Vec3x8::ZERO; 3] };

    /// The matrix of one lane.
    ///
    /// # Panics
    /// When `lane` is 8 or more.
    #[must_use]
    pub fn lane(&self, lane: usize) -> Mat3 {
        Mat3::from_cols(self.cols[0].lane(lane), self.cols[1].lane(lane), self.cols[2].lane(lane))
    }

    /// Writes one lane.
    ///
    /// # Panics
    /// When `lane` is 8 or more.
    #[inline(always)]
    pub fn set_lane(&mut self, lane: usize, m: Mat3) {
        self.cols[0].set_lane(lane, m.x_axis);
        self.cols[1].set_lane(lane, m.y_axis);
        self.cols[2].set_lane(lane, m.z_axis);
    }
}

impl Sym3x8 {
    /// The identity in every lane.
    pub const IDENTITY: Self =
        Self { xx: F8::ONE, yy: F8::ONE, zz: F8::ONE, xy: F8::ZERO, xz: F8::ZERO, yz: F8::ZERO };

    /// The matrix of one lane.
    ///
    /// # Panics
    /// When `lane` is 8 or more.
    #[must_use]
    pub fn lane(&self, l: usize) -> Mat3 {
        Mat3::from_cols(
            Vec3::new(self.xx.0[l], self.xy.0[l], self.xz.0[l]),
            Vec3::new(self.xy.0[l], self.yy.0[l], self.yz.0[l]),
            Vec3::new(self.xz.0[l], self.yz.0[l], self.zz.0[l]),
        )
    }

    /// Writes one lane from the symmetric part of `m`.
    ///
    /// # Panics
    /// When `lane` is 8 or more.
    pub fn set_lane(&mut self, l: usize, m: Mat3) {
        self.xx.0[l] = m.x_axis.x;
        self.yy.0[l] = m.y_axis.y;
        self.zz.0[l] = m.z_axis.z;
        self.xy.0[l] = 0.5 * (m.x_axis.y + m.y_axis.x);
        self.xz.0[l] = 0.5 * (m.x_axis.z + m.z_axis.x);
        self.yz.0[l] = 0.5 * (m.y_axis.z + m.z_axis.y);
    }
}

impl Default for Quatx8 {
    fn default() -> Self {
        Self::IDENTITY
    }
}

impl Quatx8 {
    /// No rotation in every lane.
    pub const IDENTITY: Self = Self { x: F8::ZERO, y: F8::ZERO, z: F8::ZERO, w: F8::ONE };

    /// The same rotation in every lane.
    #[must_use]
    pub fn splat(q: Quat) -> Self {
        let [x, y, z, w] = q.to_array();
        Self { x: F8::splat(x), y: F8::splat(y), z: F8::splat(z), w: F8::splat(w) }
    }

    /// The rotation of one lane.
    ///
    /// # Panics
    /// When `lane` is 8 or more.
    #[must_use]
    pub fn lane(&self, l: usize) -> Quat {
        Quat::from_xyzw(self.x.0[l], self.y.0[l], self.z.0[l], self.w.0[l])
    }

    /// Writes one lane.
    ///
    /// # Panics
    /// When `lane` is 8 or more.
    pub fn set_lane(&mut self, l: usize, q: Quat) {
        [self.x.0[l], self.y.0[l], self.z.0[l], self.w.0[l]] = q.to_array();
    }
}
