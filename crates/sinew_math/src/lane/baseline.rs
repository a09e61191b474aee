//! Lanes for whatever the program was compiled for: two registers of four.

use core::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

use bytemuck::cast;
use wide::f32x4;

use super::{Lane, V3};
use crate::wide::{F8, Quad};

/// Eight lanes in two registers of four.
#[derive(Clone, Copy, Debug)]
pub struct Baseline([f32x4; 2]);

impl Baseline {
    #[inline(always)]
    fn map(self, f: impl Fn(f32x4) -> f32x4) -> Self {
        Self([f(self.0[0]), f(self.0[1])])
    }

    #[inline(always)]
    fn zip(self, o: Self, f: impl Fn(f32x4, f32x4) -> f32x4) -> Self {
        Self([f(self.0[0], o.0[0]), f(self.0[1], o.0[1])])
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident) => {
        impl $trait for Baseline {
            type Output = Self;

            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                self.zip(o, $trait::$method)
            }
        }
    };
}

operator!(Add, add);
operator!(Sub, sub);
operator!(Mul, mul);
operator!(Div, div);

impl Neg for Baseline {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        // The sign bit alone, as the other register type does it: −0 stays distinct from 0.
        self.map(
            #[inline(always)]
            |v| v ^ f32x4::splat(-0.0),
        )
    }
}

impl AddAssign for Baseline {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl Lane for Baseline {
    type Token = ();

    #[inline(always)]
    fn token(self) {}

    // Not always inlined, on purpose.
    #[inline]
    fn apart<R>((): (), part: impl FnOnce() -> R) -> R {
        part()
    }

    #[inline(always)]
    fn splat((): (), value: f32) -> Self {
        Self([f32x4::splat(value); 2])
    }

    #[inline(always)]
    fn load((): (), from: &F8) -> Self {
        Self(cast(from.0))
    }

    #[inline(always)]
    fn store(self) -> F8 {
        F8(cast(self.0))
    }

    #[inline(always)]
    fn store_to(self, to: &mut F8) {
        to.0 = cast(self.0);
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.map(f32x4::sqrt)
    }

    #[inline(always)]
    fn abs(self) -> Self {
        self.map(f32x4::abs)
    }

    #[inline(always)]
    fn min(self, o: Self) -> Self {
        self.zip(
            o,
            #[inline(always)]
            |a, b| a.simd_lt(b).bitselect(a, b),
        )
    }

    #[inline(always)]
    fn max(self, o: Self) -> Self {
        self.zip(
            o,
            #[inline(always)]
            |a, b| b.simd_lt(a).bitselect(a, b),
        )
    }

    #[inline(always)]
    fn lt(self, o: Self) -> Self {
        self.zip(
            o,
            #[inline(always)]
            |a, b| a.simd_lt(b),
        )
    }

    #[inline(always)]
    fn and(self, o: Self) -> Self {
        self.zip(
            o,
            #[inline(always)]
            |a, b| a & b,
        )
    }

    #[inline(always)]
    fn or(self, o: Self) -> Self {
        self.zip(
            o,
            #[inline(always)]
            |a, b| a | b,
        )
    }

    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        Self([self.0[0].bitselect(yes.0[0], no.0[0]), self.0[1].bitselect(yes.0[1], no.0[1])])
    }

    #[inline(always)]
    fn any(self) -> bool {
        (self.0[0] | self.0[1]).any()
    }

    #[inline(always)]
    fn all(self) -> bool {
        (self.0[0] & self.0[1]).all()
    }

    #[inline(always)]
    fn bits(self) -> u8 {
        (self.0[0].to_bitmask() | self.0[1].to_bitmask() << 4) as u8
    }

    #[inline(always)]
    fn straddle<const BIT: usize>(before: Self, after: Self) -> Self {
        if BIT == 4 {
            return Self([before.0[1], after.0[0]]);
        }
        before.zip(
            after,
            #[inline(always)]
            |before, after| {
                let (b, a): ([f32; 4], [f32; 4]) = (cast(before), cast(after));
                cast(if BIT == 1 { [b[1], a[0], b[3], a[2]] } else { [b[2], b[3], a[0], a[1]] })
            },
        )
    }

    #[inline(always)]
    fn gather((): (), table: &[Quad], indices: &[u32; 8]) -> V3<Self> {
        let [a, b, c, d, e, f, g, h] = *indices;
        let at = |i: u32| -> f32x4 { cast(table[i as usize].0) };
        let [x0, y0, z0, _] = f32x4::transpose([at(a), at(b), at(c), at(d)]);
        let [x1, y1, z1, _] = f32x4::transpose([at(e), at(f), at(g), at(h)]);
        V3 { x: Self([x0, x1]), y: Self([y0, y1]), z: Self([z0, z1]) }
    }

    #[inline(always)]
    fn from_quads((): (), quads: &[Quad; 8]) -> [Self; 4] {
        let [a, b, c, d, e, f, g, h] = quads;
        let of = |quad: &Quad| -> f32x4 { cast(quad.0) };
        let [x0, y0, z0, w0] = f32x4::transpose([of(a), of(b), of(c), of(d)]);
        let [x1, y1, z1, w1] = f32x4::transpose([of(e), of(f), of(g), of(h)]);
        [Self([x0, x1]), Self([y0, y1]), Self([z0, z1]), Self([w0, w1])]
    }

    #[inline(always)]
    fn to_quads([x, y, z, w]: [Self; 4]) -> [Quad; 8] {
        let [a, b, c, d] = f32x4::transpose([x.0[0], y.0[0], z.0[0], w.0[0]]);
        let [e, f, g, h] = f32x4::transpose([x.0[1], y.0[1], z.0[1], w.0[1]]);
        let quad = |entry: f32x4| Quad(cast(entry));
        [quad(a), quad(b), quad(c), quad(d), quad(e), quad(f), quad(g), quad(h)]
    }
}
