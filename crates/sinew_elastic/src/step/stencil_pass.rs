//! The separable sums over boxes of lattice nodes, forwards (positions to moments) and backwards
//! (goals to particles).
//!
//! Along one axis two sums are formed: `B`, plain, and `D`, weighted by the offset in cells. Three axes
//! make the mass-weighted centre (B B B) and the three columns of the moment (D B B, B D B, B B D), and
//! the same network run backwards sums what the goals of all regions say about a particle.

use core::ops::Range;

use sinew_math::Vec3x8;
use sinew_math::lane::{Lane, M3, V3};

use crate::shape::stencil::{Neighbours, Stencil};

use super::scratch::{Affine8, PlaneScratch};

/// The five bricks in a row that one axis sums over.
#[derive(Clone, Copy)]
struct Row<L> {
    far_before: V3<L>,
    before: V3<L>,
    here: V3<L>,
    after: V3<L>,
    far_after: V3<L>,
}

/// Values one cell before (or, with the pair moved on by one, after) each lane's, along the axis whose
/// lane bit is `BIT`.
#[inline(always)]
fn between<L: Lane, const BIT: usize>(before: V3<L>, after: V3<L>) -> V3<L> {
    V3 {
        x: L::straddle::<BIT>(before.x, after.x),
        y: L::straddle::<BIT>(before.y, after.y),
        z: L::straddle::<BIT>(before.z, after.z),
    }
}

/// `B` of a row, for half-width `W`.
#[inline(always)]
fn plain<L: Lane, const BIT: usize, const W: usize>(row: Row<L>) -> V3<L> {
    let before = between::<L, BIT>(row.before, row.here);
    let after = between::<L, BIT>(row.here, row.after);
    let mut sum = row.here + (before + after);
    if W >= 2 {
        sum += row.before + row.after;
    }
    if W >= 3 {
        sum += between::<L, BIT>(row.far_before, row.before)
            + between::<L, BIT>(row.after, row.far_after);
    }
    sum
}

/// `D` of a row.
#[inline(always)]
fn by_offset<L: Lane, const BIT: usize, const W: usize>(row: Row<L>) -> V3<L> {
    let t = row.here.x.token();
    let before = between::<L, BIT>(row.before, row.here);
    let after = between::<L, BIT>(row.here, row.after);
    let mut sum = after - before;
    if W >= 2 {
        sum += (row.after - row.before) * L::splat(t, 2.0);
    }
    if W >= 3 {
        let far = between::<L, BIT>(row.after, row.far_after)
            - between::<L, BIT>(row.far_before, row.before);
        sum += far * L::splat(t, 3.0);
    }
    sum
}

/// The five places of a row in some array of bricks. Each is looked up once.
struct Places<'a, T> {
    far_before: &'a T,
    before: &'a T,
    here: &'a T,
    after: &'a T,
    far_after: &'a T,
}

impl<'a, T> Places<'a, T> {
    #[inline(always)]
    fn find<const W: usize>(bricks: &'a [T], here: &'a T, near: [u32; 2], far: [u32; 2]) -> Self {
        Self::across::<W>([bricks; 4], here, near, far)
    }

    /// As `find`, in arrays of their own: far before, before, after, far after.
    #[inline(always)]
    fn across<const W: usize>(
        bricks: [&'a [T]; 4],
        here: &'a T,
        near: [u32; 2],
        far: [u32; 2],
    ) -> Self {
        let [far_before, before, after, far_after] = bricks;
        let (far_before, far_after) = if W >= 3 {
            (&far_before[far[0] as usize], &far_after[far[1] as usize])
        } else {
            (here, here)
        };
        Self {
            far_before,
            before: &before[near[0] as usize],
            here,
            after: &after[near[1] as usize],
            far_after,
        }
    }

    /// One part of all five.
    #[inline(always)]
    fn row<L: Lane, const PART: usize>(&self, t: L::Token) -> Row<L>
    where
        T: Parts,
    {
        Row {
            far_before: V3::load(t, self.far_before.part::<PART>()),
            before: V3::load(t, self.before.part::<PART>()),
            here: V3::load(t, self.here.part::<PART>()),
            after: V3::load(t, self.after.part::<PART>()),
            far_after: V3::load(t, self.far_after.part::<PART>()),
        }
    }
}

/// What a brick holds: vectors, by number.
trait Parts {
    fn part<const PART: usize>(&self) -> &Vec3x8;
}

impl Parts for Vec3x8 {
    #[inline(always)]
    fn part<const PART: usize>(&self) -> &Vec3x8 {
        self
    }
}

impl<const N: usize> Parts for [Vec3x8; N] {
    #[inline(always)]
    fn part<const PART: usize>(&self) -> &Vec3x8 {
        &self[PART]
    }
}

/// The columns of the matrix, then the translation.
impl Parts for Affine8 {
    #[inline(always)]
    fn part<const PART: usize>(&self) -> &Vec3x8 {
        if PART < 3 { &self.matrix.cols[PART] } else { &self.translation }
    }
}

/// Neighbours two bricks away, where they matter.
#[inline(always)]
fn far<const W: usize>(stencil: &Stencil, brick: usize) -> Neighbours {
    if W >= 3 { stencil.far[brick] } else { Neighbours::default() }
}

/// Calls a method that is generic over the half-width with that of a stencil, each apart.
macro_rules! for_width {
    ($t:expr, $stencil:expr, $this:ident.$method:ident::<$lane:ty>($($argument:expr),*)) => {
        match $stencil.width {
            1 => <$lane>::apart($t, #[inline(always)] || $this.$method::<$lane, 1>($t, $($argument),*)),
            2 => <$lane>::apart($t, #[inline(always)] || $this.$method::<$lane, 2>($t, $($argument),*)),
            _ => <$lane>::apart($t, #[inline(always)] || $this.$method::<$lane, 3>($t, $($argument),*)),
        }
    };
}

impl PlaneScratch {
    /// Sums a plane along x and y into its place in the ring.
    #[inline(always)]
    pub fn sum_plane<L: Lane>(
        &mut self,
        t: L::Token,
        stencil: &Stencil,
        positions: &[Vec3x8],
        plane: usize,
    ) {
        for_width!(t, stencil, self.sum_plane_of::<L>(stencil, positions, plane));
    }

    /// Moments and mass-weighted centres of the boxes round the nodes of some bricks of a plane.
    #[inline(always)]
    pub fn fit<L: Lane>(
        &self,
        t: L::Token,
        stencil: &Stencil,
        plane: usize,
        bricks: Range<usize>,
        out: &mut [Affine8],
    ) {
        for_width!(t, stencil, self.fit_of::<L>(stencil, plane, bricks, out));
    }

    /// Distributes the goals of all regions to one plane of particles, up to the last pass.
    #[inline(always)]
    pub fn spread_plane<L: Lane>(
        &mut self,
        t: L::Token,
        stencil: &Stencil,
        goals: &[Affine8],
        plane: usize,
    ) {
        for_width!(t, stencil, self.spread_plane_of::<L>(stencil, goals, plane));
    }

    /// The last pass: the sum of all goals of each particle of some bricks of a plane.
    #[inline(always)]
    pub fn goal_sums<L: Lane>(
        &self,
        t: L::Token,
        stencil: &Stencil,
        plane: usize,
        bricks: Range<usize>,
        out: &mut [Vec3x8],
    ) {
        for_width!(t, stencil, self.goal_sums_of::<L>(stencil, plane, bricks, out));
    }

    #[inline(always)]
    fn sum_plane_of<L: Lane, const W: usize>(
        &mut self,
        t: L::Token,
        stencil: &Stencil,
        positions: &[Vec3x8],
        plane: usize,
    ) {
        let bricks = stencil.plane(plane);
        let count = bricks.len();
        let first = bricks.start;
        let size = stencil.largest_plane + 1;
        let ring = plane % (2 * stencil.reach() + 1) * size;
        let near = &stencil.near[bricks.clone()];
        for (out, (x, weight)) in self.weighted[..count]
            .iter_mut()
            .zip(positions[bricks.clone()].iter().zip(&stencil.weight[bricks]))
        {
            (V3::<L>::load(t, x) * L::load(t, weight)).store_to(out);
        }
        let weighted = &self.weighted[..];
        let places = near.iter().zip(&weighted[..count]).zip(&mut self.along_x[..count]);
        for (local, ((near, here), [sums, by_x])) in places.enumerate() {
            let far = far::<W>(stencil, first + local).x;
            let row = Places::find::<W>(weighted, here, near.x, far).row::<L, 0>(t);
            plain::<L, 1, W>(row).store_to(sums);
            by_offset::<L, 1, W>(row).store_to(by_x);
        }
        let along_x = &self.along_x[..];
        let out = &mut self.along_y[ring..ring + count];
        for (local, ((near, here), out)) in near.iter().zip(&along_x[..count]).zip(out).enumerate()
        {
            let far = far::<W>(stencil, first + local).y;
            let places = Places::find::<W>(along_x, here, near.y, far);
            let sums = places.row::<L, 0>(t);
            let by_x = places.row::<L, 1>(t);
            plain::<L, 2, W>(sums).store_to(&mut out[0]);
            plain::<L, 2, W>(by_x).store_to(&mut out[1]);
            by_offset::<L, 2, W>(sums).store_to(&mut out[2]);
        }
    }

    #[inline(always)]
    fn fit_of<L: Lane, const W: usize>(
        &self,
        t: L::Token,
        stencil: &Stencil,
        plane: usize,
        bricks: Range<usize>,
        out: &mut [Affine8],
    ) {
        let size = stencil.largest_plane + 1;
        let planes = 2 * stencil.reach() + 1;
        let ring = |ahead: usize| {
            let start = (plane + ahead) % planes * size;
            &self.along_y[start..start + size]
        };
        let (before, here, after) = (ring(planes - 1), ring(0), ring(1));
        let around = if W >= 3 {
            [ring(planes - 2), before, after, ring(2)]
        } else {
            [before, before, after, after]
        };
        let first = bricks.start;
        let local = first - stencil.plane_start[plane] as usize;
        let rows = here[local..local + bricks.len()].iter().zip(&stencil.near[bricks.clone()]);
        let rest = stencil.center[bricks.clone()].iter().zip(&stencil.inverse_weight[bricks]);
        for (k, (((here, near), (c, inverse)), out)) in rows.zip(rest).zip(out).enumerate() {
            let far = far::<W>(stencil, first + k).z;
            let places = Places::across::<W>(around, here, near.z, far);
            let sums = places.row::<L, 0>(t);
            let by_x = places.row::<L, 1>(t);
            let by_y = places.row::<L, 2>(t);
            let (sum, z) = (plain::<L, 4, W>(sums), by_offset::<L, 4, W>(sums));
            let (x, y) = (plain::<L, 4, W>(by_x), plain::<L, 4, W>(by_y));
            let c = V3::load(t, c);
            let moment = M3 { cols: [x - sum * c.x, y - sum * c.y, z - sum * c.z] };
            moment.store_to(&mut out.matrix);
            (sum * L::load(t, inverse)).store_to(&mut out.translation);
        }
    }

    #[inline(always)]
    fn spread_plane_of<L: Lane, const W: usize>(
        &mut self,
        t: L::Token,
        stencil: &Stencil,
        goals: &[Affine8],
        plane: usize,
    ) {
        let bricks = stencil.plane(plane);
        let (first, count) = (bricks.start, bricks.len());
        let near = &stencil.near[bricks.clone()];
        let places = near.iter().zip(&goals[bricks]).zip(&mut self.back_z[..count]);
        for (local, ((near, here), out)) in places.enumerate() {
            let far = far::<W>(stencil, first + local).z_absolute;
            let places = Places::find::<W>(goals, here, near.z_absolute, far);
            let translation = places.row::<L, 3>(t);
            let x = places.row::<L, 0>(t);
            let y = places.row::<L, 1>(t);
            let z = places.row::<L, 2>(t);
            (plain::<L, 4, W>(translation) - by_offset::<L, 4, W>(z)).store_to(&mut out[0]);
            plain::<L, 4, W>(x).store_to(&mut out[1]);
            plain::<L, 4, W>(y).store_to(&mut out[2]);
        }
        let back_z = &self.back_z[..];
        let places = near.iter().zip(&back_z[..count]).zip(&mut self.back_y[..count]);
        for (local, ((near, here), out)) in places.enumerate() {
            let far = far::<W>(stencil, first + local).y;
            let places = Places::find::<W>(back_z, here, near.y, far);
            let translation = places.row::<L, 0>(t);
            let x = places.row::<L, 1>(t);
            let y = places.row::<L, 2>(t);
            (plain::<L, 2, W>(translation) - by_offset::<L, 2, W>(y)).store_to(&mut out[0]);
            plain::<L, 2, W>(x).store_to(&mut out[1]);
        }
    }

    #[inline(always)]
    fn goal_sums_of<L: Lane, const W: usize>(
        &self,
        t: L::Token,
        stencil: &Stencil,
        plane: usize,
        bricks: Range<usize>,
        out: &mut [Vec3x8],
    ) {
        let first = bricks.start;
        let local = first - stencil.plane_start[plane] as usize;
        let back_y = &self.back_y[..];
        let here = &back_y[local..local + bricks.len()];
        for (k, ((here, near), out)) in here.iter().zip(&stencil.near[bricks]).zip(out).enumerate()
        {
            let far = far::<W>(stencil, first + k).x;
            let places = Places::find::<W>(back_y, here, near.x, far);
            let translation = places.row::<L, 0>(t);
            let x = places.row::<L, 1>(t);
            (plain::<L, 1, W>(translation) - by_offset::<L, 1, W>(x)).store_to(out);
        }
    }
}
