//! Lanes for AVX2: one register of eight.

use core::arch::x86_64::{__m128, __m256};
use core::ops::{Add, AddAssign, Div, Mul, Neg, Sub};

use bytemuck::cast;
use pulp::x86::V3 as Token;

use super::{Lane, V3};
use crate::wide::{F8, Quad};

/// Eight lanes in one register, with the proof that the machine has such registers.
#[derive(Clone, Copy, Debug)]
pub struct Avx2 {
    value: __m256,
    token: Token,
}

/// A closure as what `pulp` calls.
struct Part<F>(F);

impl<R, F: FnOnce() -> R> pulp::NullaryFnOnce for Part<F> {
    type Output = R;

    #[inline(always)]
    fn call(self) -> R {
        (self.0)()
    }
}

macro_rules! operator {
    ($trait:ident, $method:ident, $intrinsic:ident) => {
        impl $trait for Avx2 {
            type Output = Self;

            #[inline(always)]
            fn $method(self, o: Self) -> Self {
                self.with(self.token.avx.$intrinsic(self.value, o.value))
            }
        }
    };
}

operator!(Add, add, _mm256_add_ps);
operator!(Sub, sub, _mm256_sub_ps);
operator!(Mul, mul, _mm256_mul_ps);
operator!(Div, div, _mm256_div_ps);

impl Neg for Avx2 {
    type Output = Self;

    #[inline(always)]
    fn neg(self) -> Self {
        let sign = self.token.avx._mm256_set1_ps(-0.0);
        self.with(self.token.avx._mm256_xor_ps(self.value, sign))
    }
}

impl AddAssign for Avx2 {
    #[inline(always)]
    fn add_assign(&mut self, o: Self) {
        *self = *self + o;
    }
}

impl Avx2 {
    #[inline(always)]
    fn with(self, value: __m256) -> Self {
        Self { value, token: self.token }
    }
}

impl Lane for Avx2 {
    type Token = Token;

    #[inline(always)]
    fn token(self) -> Token {
        self.token
    }

    #[inline(always)]
    fn apart<R>(token: Token, part: impl FnOnce() -> R) -> R {
        pulp::Simd::vectorize(token, Part(part))
    }

    #[inline(always)]
    fn splat(token: Token, value: f32) -> Self {
        Self { value: token.avx._mm256_set1_ps(value), token }
    }

    #[inline(always)]
    fn load(token: Token, from: &F8) -> Self {
        Self { value: cast(from.0), token }
    }

    #[inline(always)]
    fn store(self) -> F8 {
        F8(cast(self.value))
    }

    #[inline(always)]
    fn store_to(self, to: &mut F8) {
        to.0 = cast(self.value);
    }

    #[inline(always)]
    fn sqrt(self) -> Self {
        self.with(self.token.avx._mm256_sqrt_ps(self.value))
    }

    #[inline(always)]
    fn abs(self) -> Self {
        let sign = self.token.avx._mm256_set1_ps(-0.0);
        self.with(self.token.avx._mm256_andnot_ps(sign, self.value))
    }

    #[inline(always)]
    fn min(self, o: Self) -> Self {
        self.with(self.token.avx._mm256_min_ps(self.value, o.value))
    }

    #[inline(always)]
    fn max(self, o: Self) -> Self {
        self.with(self.token.avx._mm256_max_ps(self.value, o.value))
    }

    #[inline(always)]
    fn lt(self, o: Self) -> Self {
        const LESS_ORDERED_QUIET: i32 = 17;
        self.with(self.token.avx._mm256_cmp_ps::<LESS_ORDERED_QUIET>(self.value, o.value))
    }

    #[inline(always)]
    fn and(self, o: Self) -> Self {
        self.with(self.token.avx._mm256_and_ps(self.value, o.value))
    }

    #[inline(always)]
    fn or(self, o: Self) -> Self {
        self.with(self.token.avx._mm256_or_ps(self.value, o.value))
    }

    #[inline(always)]
    fn select(self, yes: Self, no: Self) -> Self {
        self.with(self.token.avx._mm256_blendv_ps(no.value, yes.value, self.value))
    }

    #[inline(always)]
    fn any(self) -> bool {
        self.token.avx._mm256_movemask_ps(self.value) != 0
    }

    #[inline(always)]
    fn all(self) -> bool {
        self.token.avx._mm256_movemask_ps(self.value) == 0xff
    }

    #[inline(always)]
    fn bits(self) -> u8 {
        self.token.avx._mm256_movemask_ps(self.value) as u8
    }

    #[inline(always)]
    fn straddle<const BIT: usize>(before: Self, after: Self) -> Self {
        let avx = before.token.avx;
        before.with(match BIT {
            1 => {
                // Odd lanes of the one beside even lanes of the other, then neighbours swapped.
                let mixed = avx._mm256_blend_ps::<0b1010_1010>(after.value, before.value);
                avx._mm256_permute_ps::<0b10_11_00_01>(mixed)
            }
            2 => avx._mm256_shuffle_ps::<0b01_00_11_10>(before.value, after.value),
            _ => avx._mm256_permute2f128_ps::<0x21>(before.value, after.value),
        })
    }

    #[inline(always)]
    fn gather(token: Token, table: &[Quad], indices: &[u32; 8]) -> V3<Self> {
        let [a, b, c, d, e, f, g, h] = *indices;
        let at = |i: u32| -> __m128 { cast(table[i as usize].0) };
        let entries = [at(a), at(b), at(c), at(d), at(e), at(f), at(g), at(h)];
        let [x, y, z, _] = side_by_side(token, entries);
        V3 { x: Self { value: x, token }, y: Self { value: y, token }, z: Self { value: z, token } }
    }

    #[inline(always)]
    fn from_quads(token: Token, quads: &[Quad; 8]) -> [Self; 4] {
        let [a, b, c, d, e, f, g, h] = *quads;
        let entries = [a, b, c, d, e, f, g, h].map(
            #[inline(always)]
            |quad| cast::<[f32; 4], __m128>(quad.0),
        );
        let [x, y, z, w] = side_by_side(token, entries);
        [
            Self { value: x, token },
            Self { value: y, token },
            Self { value: z, token },
            Self { value: w, token },
        ]
    }

    #[inline(always)]
    fn to_quads([x, y, z, w]: [Self; 4]) -> [Quad; 8] {
        let [ae, bf, cg, dh] = transpose(x.token, [x.value, y.value, z.value, w.value]);
        let halves = |value: __m256| -> [[f32; 4]; 2] { cast(value) };
        let [[a, e], [b, f], [c, g], [d, h]] = [halves(ae), halves(bf), halves(cg), halves(dh)];
        [Quad(a), Quad(b), Quad(c), Quad(d), Quad(e), Quad(f), Quad(g), Quad(h)]
    }
}

/// First, second, third and fourth numbers of eight entries.
#[inline(always)]
fn side_by_side(token: Token, [a, b, c, d, e, f, g, h]: [__m128; 8]) -> [__m256; 4] {
    let avx = token.avx;
    // Entries i and i + 4 side by side, then a 4 × 4 transpose of each half.
    let pair = |low, high| avx._mm256_insertf128_ps::<1>(avx._mm256_castps128_ps256(low), high);
    transpose(token, [pair(a, e), pair(b, f), pair(c, g), pair(d, h)])
}

/// Transposes the 4 × 4 numbers of each half.
#[inline(always)]
fn transpose(token: Token, [a, b, c, d]: [__m256; 4]) -> [__m256; 4] {
    let avx = token.avx;
    let (low_ab, high_ab) = (avx._mm256_unpacklo_ps(a, b), avx._mm256_unpackhi_ps(a, b));
    let (low_cd, high_cd) = (avx._mm256_unpacklo_ps(c, d), avx._mm256_unpackhi_ps(c, d));
    [
        avx._mm256_shuffle_ps::<0b01_00_01_00>(low_ab, low_cd),
        avx._mm256_shuffle_ps::<0b11_10_11_10>(low_ab, low_cd),
        avx._mm256_shuffle_ps::<0b01_00_01_00>(high_ab, high_cd),
        avx._mm256_shuffle_ps::<0b11_10_11_10>(high_ab, high_cd),
    ]
}
