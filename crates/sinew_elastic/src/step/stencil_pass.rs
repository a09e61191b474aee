//! The separable sums over boxes of lattice nodes, forwards (positions to moments) and backwards
//! (goals to particles).
//!
//! Along one axis two sums are formed: `B`, plain, and `D`, weighted by the offset in cells. Three axes
//! make the mass-weighted centre (B B B) and the three columns of the moment (D B B, B D B, B B D), and
//! the same network run backwards sums what the goals of all regions say about a particle.

use sinew_math::lane::{Lane, V3};
use sinew_math::Vec3x8;

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
    fn find<const W: usize>(bricks: &'a [T], here: usize, near: [u32; 2], far: [u32; 2]) -> Self {
        let here = &bricks[here];
        let (far_before, far_after) =
            if W >= 3 { (&bricks[far[0] as usize], &bricks[far[1] as usize]) } else { (here, here) };
        Self {
            far_before,
            before: &bricks[near[0] as usize],
            here,
            after: &bricks[near[1] as usize],
            far_after,
        }
    }

    /// One field of all five.
    #[inline(always)]
    fn row<L: Lane>(&self, t: L::Token, field: impl Fn(&T) -> &Vec3x8) -> Row<L> {
        Row {
            far_before: V3::load(t, field(self.far_before)),
            before: V3::load(t, field(self.before)),
            here: V3::load(t, field(self.here)),
            after: V3::load(t, field(self.after)),
            far_after: V3::load(t, field(self.far_after)),
        }
    }
}

/// Neighbours two bricks away, where they matter.
#[inline(always)]
fn far<const W: usize>(stencil: &Stencil, brick: usize) -> Neighbours {
    if W >= 3 { stencil.far[brick] } else { Neighbours::default() }
}

impl PlaneScratch {
    /// Sums a plane along x and y into its place in the ring.
    #[inline(always)]
    pub fn sum_plane<L: Lane, const W: usize>(
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
        for (out, (x, weight)) in self.weighted[..count]
            .iter_mut()
            .zip(positions[bricks.clone()].iter().zip(&stencil.weight[bricks.clone()]))
        {
            (V3::<L>::load(t, x) * L::load(t, weight)).store_to(out);
        }
        for (local, near) in stencil.near[bricks.clone()].iter().enumerate() {
            let far = far::<W>(stencil, first + local).x;
            let row = Places::find::<W>(&self.weighted, local, near.x, far)
                .row(t, #[inline(always)] |v| v);
            let [sums, by_x] = &mut self.along_x[local];
            plain::<L, 1, W>(row).store_to(sums);
            by_offset::<L, 1, W>(row).store_to(by_x);
        }
        for (local, near) in stencil.near[bricks].iter().enumerate() {
            let far = far::<W>(stencil, first + local).y;
            let places = Places::find::<W>(&self.along_x, local, near.y, far);
            let sums = places.row::<L>(t, #[inline(always)] |v| &v[0]);
            let by_x = places.row::<L>(t, #[inline(always)] |v| &v[1]);
            let out = &mut self.along_y[ring + local];
            plain::<L, 2, W>(sums).store_to(&mut out[0]);
            plain::<L, 2, W>(by_x).store_to(&mut out[1]);
            by_offset::<L, 2, W>(sums).store_to(&mut out[2]);
        }
    }

    /// Mass-weighted position sum of the box round each node of a brick, and the sums by offset.
    #[inline(always)]
    pub fn moments<L: Lane, const W: usize>(
        &self,
        t: L::Token,
        stencil: &Stencil,
        plane: usize,
        brick: usize,
    ) -> (V3<L>, [V3<L>; 3]) {
        let size = stencil.largest_plane + 1;
        let planes = 2 * stencil.reach() + 1;
        let here = plane % planes * size + brick - stencil.plane_start[plane] as usize;
        let before = (plane + planes - 1) % planes * size;
        let after = (plane + 1) % planes * size;
        let [near_before, near_after] = stencil.near[brick].z;
        let near = [before as u32 + near_before, after as u32 + near_after];
        let far = if W >= 3 {
            let far_before = (plane + planes - 2) % planes * size;
            let far_after = (plane + 2) % planes * size;
            let z = stencil.far[brick].z;
            [far_before as u32 + z[0], far_after as u32 + z[1]]
        } else {
            near
        };
        let places = Places::find::<W>(&self.along_y, here, near, far);
        let sums = places.row::<L>(t, #[inline(always)] |v| &v[0]);
        let by_x = places.row::<L>(t, #[inline(always)] |v| &v[1]);
        let by_y = places.row::<L>(t, #[inline(always)] |v| &v[2]);
        (
            plain::<L, 4, W>(sums),
            [plain::<L, 4, W>(by_x), plain::<L, 4, W>(by_y), by_offset::<L, 4, W>(sums)],
        )
    }

    /// Distributes the goals of all regions to one plane of particles, up to the last pass.
    #[inline(always)]
    pub fn spread_plane<L: Lane, const W: usize>(
        &mut self,
        t: L::Token,
        stencil: &Stencil,
        goals: &[Affine8],
        plane: usize,
    ) {
        let bricks = stencil.plane(plane);
        let first = bricks.start;
        for (local, near) in stencil.near[bricks.clone()].iter().enumerate() {
            let here = first + local;
            let far = far::<W>(stencil, here).z_absolute;
            let near = near.z_absolute;
            let places = Places::find::<W>(goals, here, near, far);
            let translation = places.row::<L>(t, #[inline(always)] |g| &g.translation);
            let x = places.row::<L>(t, #[inline(always)] |g| &g.matrix.cols[0]);
            let y = places.row::<L>(t, #[inline(always)] |g| &g.matrix.cols[1]);
            let z = places.row::<L>(t, #[inline(always)] |g| &g.matrix.cols[2]);
            let out = &mut self.back_z[local];
            (plain::<L, 4, W>(translation) - by_offset::<L, 4, W>(z)).store_to(&mut out[0]);
            plain::<L, 4, W>(x).store_to(&mut out[1]);
            plain::<L, 4, W>(y).store_to(&mut out[2]);
        }
        for (local, near) in stencil.near[bricks].iter().enumerate() {
            let far = far::<W>(stencil, first + local).y;
            let places = Places::find::<W>(&self.back_z, local, near.y, far);
            let translation = places.row::<L>(t, #[inline(always)] |v| &v[0]);
            let x = places.row::<L>(t, #[inline(always)] |v| &v[1]);
            let y = places.row::<L>(t, #[inline(always)] |v| &v[2]);
            let out = &mut self.back_y[local];
            (plain::<L, 2, W>(translation) - by_offset::<L, 2, W>(y)).store_to(&mut out[0]);
            plain::<L, 2, W>(x).store_to(&mut out[1]);
        }
    }

    /// The last pass: the sum of all goals of each particle of a brick.
    #[inline(always)]
    pub fn goal_sum<L: Lane, const W: usize>(
        &self,
        t: L::Token,
        stencil: &Stencil,
        plane: usize,
        brick: usize,
    ) -> V3<L> {
        let local = brick - stencil.plane_start[plane] as usize;
        let near = stencil.near[brick].x;
        let far = far::<W>(stencil, brick).x;
        let places = Places::find::<W>(&self.back_y, local, near, far);
        let translation = places.row::<L>(t, #[inline(always)] |v| &v[0]);
        let x = places.row::<L>(t, #[inline(always)] |v| &v[1]);
        plain::<L, 1, W>(translation) - by_offset::<L, 1, W>(x)
    }
}
