//! Which contact points lie inside a collider, eight at a time.

use glam::{Mat3, Vec3};
use sinew_math::lane::{Lane, LaneWork, SimdLevel, V3, dispatch};
use sinew_math::{LANES, Quad};

use crate::contact::{Collider, ColliderShape};
use crate::shape::ContactPoints;

/// Finds the contact points inside a collider whose frame's origin lies at `center`.
struct Search<'a> {
    points: &'a ContactPoints,
    quads: &'a [Quad],
    collider: &'a Collider,
    center: Vec3,
    /// Numbers of the points that were found, ascending.
    found: &'a mut Vec<u32>,
}

impl LaneWork for Search<'_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self, t: L::Token) {
        let axes = Mat3::from_quat(self.collider.rotation);
        let axes = [axes.x_axis, axes.y_axis, axes.z_axis].map(
            #[inline(always)]
            |axis| V3::<L>::splat(t, axis),
        );
        let center = V3::splat(t, self.center);
        let rows = self.points.entry_start.windows(2);
        for (eight, points) in rows.zip(self.points.points.chunks(LANES)).enumerate() {
            let (rows, points) = points;
            let mut at = V3::splat(t, Vec3::ZERO);
            for entry in &self.points.entries[rows[0] as usize..rows[1] as usize] {
                at += L::gather(t, self.quads, &entry.slots) * L::load(t, &entry.weights);
            }
            let at = at - center;
            let local = V3 { x: at.dot(axes[0]), y: at.dot(axes[1]), z: at.dot(axes[2]) };
            let inside = is_inside(t, self.collider.shape, local).bits();
            for lane in 0..points.len() {
                if inside >> lane & 1 != 0 {
                    self.found.push((eight * LANES + lane) as u32);
                }
            }
        }
    }
}

/// Mask of the points, in the collider's frame, that [`Collider::penetration`] calls inside.
#[inline(always)]
fn is_inside<L: Lane>(t: L::Token, shape: ColliderShape, at: V3<L>) -> L {
    match shape {
        ColliderShape::Plane => at.y.lt(L::splat(t, 0.0)),
        ColliderShape::Sphere { radius } => at.dot(at).lt(L::splat(t, radius * radius)),
        ColliderShape::Capsule { half_height, radius } => {
            let half = L::splat(t, half_height);
            let beyond = (at.y.abs() - half).max(L::splat(t, 0.0));
            let square = at.x * at.x + beyond * beyond + at.z * at.z;
            square.lt(L::splat(t, radius * radius))
        }
        ColliderShape::Box { half_extents } => {
            let half = V3::<L>::splat(t, half_extents);
            let within = at.zip(
                half,
                #[inline(always)]
                |c, half| c.abs().lt(half),
            );
            within.x.and(within.y).and(within.z)
        }
    }
}

/// Replaces `found` by the numbers of the contact points inside a collider.
pub(super) fn points_inside(
    simd: SimdLevel,
    points: &ContactPoints,
    quads: &[Quad],
    collider: &Collider,
    center: Vec3,
    found: &mut Vec<u32>,
) {
    found.clear();
    found.reserve(points.points.len());
    dispatch(simd, Search { points, quads, collider, center, found });
}

#[cfg(test)]
mod tests {
    use glam::Quat;

    use super::*;
    use crate::shape::ElasticShape;

    #[test]
    fn the_search_finds_what_penetrates() {
        // A grid of points, each of which touches by itself, and the middles of each eight.
        let grid: Vec<Vec3> = (0..1000)
            .map(|i| Vec3::new((i % 10) as f32, (i / 10 % 10) as f32, (i / 100) as f32) - 4.3)
            .collect();
        let shape = ElasticShape::from_regions(&grid, &[1.0; 1000], &[(0..1000).collect()]);
        let mut points: Vec<([u32; 8], [f32; 8])> =
            (0..1000).map(|i| ([i; 8], [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0])).collect();
        points
            .extend((0..99).map(|i| (std::array::from_fn(|k| 9 * i + 13 * k as u32), [0.125; 8])));
        let shape = shape.expect("a good region").with_contact_points(&points);
        let place = |(particles, weights): &([u32; 8], [f32; 8])| -> Vec3 {
            particles.iter().zip(weights).map(|(&p, &w)| grid[p as usize] * w).sum()
        };
        let quads: Vec<Quad> = grid.iter().map(|&p| Quad::from_vec3(p)).collect();
        let center = Vec3::new(0.3, -0.4, 0.1);
        for collider in [
            ColliderShape::Plane,
            ColliderShape::Sphere { radius: 2.7 },
            ColliderShape::Capsule { half_height: 2.0, radius: 1.2 },
            ColliderShape::Box { half_extents: Vec3::new(1.0, 2.5, 0.4) },
        ] {
            let rotation = Quat::from_rotation_x(0.7) * Quat::from_rotation_z(-0.4);
            let collider = Collider { shape: collider, rotation, ..Collider::default() };
            let wanted: Vec<u32> = (0..)
                .zip(&points)
                .filter(|(_, point)| collider.penetration(place(point) - center).is_some())
                .map(|(i, _)| i)
                .collect();
            assert!(wanted.len() > 5, "{collider:?}");
            for simd in [SimdLevel::Best, SimdLevel::Baseline] {
                let mut found = Vec::new();
                let all = &shape.contact_points;
                points_inside(simd, all, &quads, &collider, center, &mut found);
                assert_eq!(found, wanted, "{collider:?}");
            }
        }
    }
}
