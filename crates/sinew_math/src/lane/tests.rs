use core::array;

use glam::{Quat, Vec3};

use super::*;
use crate::wide::LANES;

/// Every operation of a lane type, as bits.
struct AllOperations(F8, F8);

impl LaneWork for AllOperations {
    type Output = Vec<[u32; LANES]>;

    #[inline(always)]
    fn run<L: Lane>(self, t: L::Token) -> Self::Output {
        let (a, b) = (L::load(t, &self.0), L::load(t, &self.1));
        let mask = a.lt(b);
        let mut out = vec![
            a + b,
            a - b,
            a * b,
            a / b,
            -a,
            a.sqrt(),
            a.abs(),
            a.min(b),
            a.max(b),
            mask,
            mask.and(b.lt(L::splat(t, 1.0))),
            mask.or(b.lt(L::splat(t, 1.0))),
            mask.select(a, b),
            L::straddle::<1>(a, b),
            L::straddle::<2>(a, b),
            L::straddle::<4>(a, b),
        ];
        out.push(if mask.any() { a } else { b });
        out.iter().map(|v| v.store().0.map(f32::to_bits)).collect()
    }
}

#[test]
fn every_instruction_set_gives_the_same_bits() {
    let awkward = [0.0, -0.0, 1.5, -2.25, f32::INFINITY, 1e-40, 3e38, 0.1];
    let other = [0.1, 0.0, -2.25, 1e-40, 7.0, -0.0, 3e38, f32::NEG_INFINITY];
    for shift in 0..LANES {
        let mut b = other;
        b.rotate_left(shift);
        let best = dispatch(SimdLevel::Best, AllOperations(F8(awkward), F8(b)));
        let baseline = dispatch(SimdLevel::Baseline, AllOperations(F8(awkward), F8(b)));
        for (operation, (x, y)) in best.iter().zip(&baseline).enumerate() {
            for lane in 0..LANES {
                let nan = f32::from_bits(x[lane]).is_nan() && f32::from_bits(y[lane]).is_nan();
                // Which of the many not-a-numbers comes out is up to the processor; masks are bits.
                assert!(x[lane] == y[lane] || nan, "operation {operation}, lane {lane}");
            }
        }
    }
}

struct Straddles(F8, F8);

impl LaneWork for Straddles {
    type Output = [[f32; LANES]; 3];

    #[inline(always)]
    fn run<L: Lane>(self, t: L::Token) -> Self::Output {
        let (a, b) = (L::load(t, &self.0), L::load(t, &self.1));
        [L::straddle::<1>(a, b), L::straddle::<2>(a, b), L::straddle::<4>(a, b)]
            .map(|v| v.store().0)
    }
}

#[test]
fn straddling_shifts_a_brick_by_one_node() {
    // Lane = x + 2 y + 4 z; values 0..8 before, 10..18 after.
    let before = F8(array::from_fn(|i| i as f32));
    let after = F8(array::from_fn(|i| 10.0 + i as f32));
    for level in [SimdLevel::Best, SimdLevel::Baseline] {
        let [x, y, z] = dispatch(level, Straddles(before, after));
        assert_eq!(x, [1.0, 10.0, 3.0, 12.0, 5.0, 14.0, 7.0, 16.0]);
        assert_eq!(y, [2.0, 3.0, 10.0, 11.0, 6.0, 7.0, 14.0, 15.0]);
        assert_eq!(z, [4.0, 5.0, 6.0, 7.0, 10.0, 11.0, 12.0, 13.0]);
    }
}

struct Turn(Quatx8, Vec3x8);

impl LaneWork for Turn {
    type Output = Vec3x8;

    #[inline(always)]
    fn run<L: Lane>(self, t: L::Token) -> Vec3x8 {
        Q4::<L>::load(t, &self.0).to_matrix().mul_vec(V3::load(t, &self.1)).store()
    }
}

#[test]
fn a_quaternion_and_its_matrix_turn_alike() {
    let q = Quat::from_rotation_z(0.3) * Quat::from_rotation_x(-1.1);
    let v = Vec3::new(0.2, -3.0, 1.5);
    let turned = dispatch(SimdLevel::Best, Turn(Quatx8::splat(q), Vec3x8::splat(v)));
    assert!((turned.lane(5) - q * v).length() < 1e-6);
}

struct Gather(Vec<Quad>, [u32; LANES]);

impl LaneWork for Gather {
    type Output = Vec3x8;

    #[inline(always)]
    fn run<L: Lane>(self, t: L::Token) -> Vec3x8 {
        L::gather(t, &self.0, &self.1).store()
    }
}

#[test]
fn a_gather_takes_each_lane_from_its_entry() {
    let table: Vec<Quad> =
        (0..20).map(|i| Quad([i as f32, 100.0 + i as f32, -(i as f32), 7.0])).collect();
    let indices = [3, 0, 19, 7, 7, 12, 1, 5];
    for level in [SimdLevel::Best, SimdLevel::Baseline] {
        let gathered = dispatch(level, Gather(table.clone(), indices));
        for (lane, &i) in indices.iter().enumerate() {
            let i = i as f32;
            assert_eq!(gathered.lane(lane), Vec3::new(i, 100.0 + i, -i));
        }
    }
}

struct Quads([Quad; LANES]);

impl LaneWork for Quads {
    type Output = ([F8; 4], [Quad; LANES]);

    #[inline(always)]
    fn run<L: Lane>(self, t: L::Token) -> Self::Output {
        let numbers = L::from_quads(t, &self.0);
        (numbers.map(L::store), L::to_quads(numbers))
    }
}

#[test]
fn quads_go_to_lanes_and_back() {
    let quads: [Quad; LANES] =
        array::from_fn(|lane| Quad(array::from_fn(|number| (10 * number + lane) as f32)));
    for level in [SimdLevel::Best, SimdLevel::Baseline] {
        let (numbers, back) = dispatch(level, Quads(quads));
        for (number, lanes) in numbers.iter().enumerate() {
            assert_eq!(lanes.0, array::from_fn(|lane| (10 * number + lane) as f32));
        }
        assert_eq!(back, quads);
    }
}

struct Bits(F8);

impl LaneWork for Bits {
    type Output = u8;

    #[inline(always)]
    fn run<L: Lane>(self, t: L::Token) -> u8 {
        L::load(t, &self.0).lt(L::splat(t, 0.0)).bits()
    }
}

#[test]
fn bits_tell_which_lanes_are_set() {
    for wanted in 0..=u8::MAX {
        let signs = array::from_fn(|lane| if wanted >> lane & 1 == 1 { -1.0 } else { 1.0 });
        for level in [SimdLevel::Best, SimdLevel::Baseline] {
            assert_eq!(dispatch(level, Bits(F8(signs))), wanted);
        }
    }
}
