//! Positions as a table of one entry a particle, for gathers.

use sinew_math::lane::{Lane, LaneWork, SimdLevel, V3, dispatch};
use sinew_math::{LANES, Quad, Vec3x8};

/// Some blocks of particles, and their part of the table.
pub(crate) struct QuadTask<'a> {
    pub positions: &'a [Vec3x8],
    pub quads: &'a mut [Quad],
}

impl LaneWork for &mut QuadTask<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self, t: L::Token) {
        let zero = L::splat(t, 0.0);
        let (entries, _) = self.quads.as_chunks_mut::<LANES>();
        for (x, entries) in self.positions.iter().zip(entries) {
            let V3 { x, y, z } = V3::<L>::load(t, x);
            *entries = L::to_quads([x, y, z, zero]);
        }
    }
}

/// Fills the part of the table that one task works on.
pub(crate) fn run_quads(simd: SimdLevel, task: &mut QuadTask<'_>) {
    dispatch(simd, task);
}
