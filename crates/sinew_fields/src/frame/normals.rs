//! How the solved surface is turned beside the plain one.

use glam::{Quat, Vec3A};

use super::SkinScratch;
use crate::bake::SkinBake;
use crate::pieces::fill;
use crate::topology::RingKind;
use sinew_math::Executor;

/// For each active vertex the shortest turn from its plain normal to that of the solved triangles.
///
/// Render normals and tangents are turned along, so that hard edges and maps keep their meaning. Only
/// corrected vertices are turned; a plain one keeps its blended rotation, as plain skinning has it.
pub(crate) fn bend_normals(bake: &SkinBake, scratch: &mut SkinScratch, executor: &impl Executor) {
    let SkinScratch { front, turns, states, bends, handedness, .. } = scratch;
    let (front, turns, states) = (&front[..], &turns[..], &states[..]);
    let sign = *handedness;
    fill(executor, bends, |first, out| {
        for (vertex, out) in (first..).zip(out) {
            if !states[vertex].is_active() {
                continue;
            }
            let plain = turns[vertex] * bake.normals[vertex] * sign;
            if let Some(solved) = fan_normal(bake, front, vertex) {
                // A negative scale turns positions inside out, but not the order of corners.
                *out = arc(plain, solved * sign);
            }
        }
    });
}

/// The area-weighted unit normal of the triangles at a vertex, `None` where they have no order or area.
#[inline(always)]
fn fan_normal(bake: &SkinBake, positions: &[Vec3A], vertex: usize) -> Option<Vec3A> {
    let ring = bake.rings.ring(vertex);
    let here = positions[vertex];
    let (&first, &last) = (ring.first()?, ring.last()?);
    let way = |other: u32| positions[other as usize] - here;
    let mut sum = match bake.rings.kind(vertex) {
        RingKind::Closed => way(last).cross(way(first)),
        RingKind::Open => Vec3A::ZERO,
        RingKind::Irregular | RingKind::Isolated => return None,
    };
    let mut before = way(first);
    for &other in &ring[1..] {
        let after = way(other);
        sum += before.cross(after);
        before = after;
    }
    sum.try_normalize()
}

/// The shortest rotation between unit vectors; the identity where there is no shortest one.
#[inline(always)]
fn arc(from: Vec3A, to: Vec3A) -> Quat {
    let real = 1.0 + from.dot(to);
    let axis = from.cross(to);
    if real > 1e-3 {
        Quat::from_xyzw(axis.x, axis.y, axis.z, real).normalize()
    } else {
        Quat::IDENTITY
    }
}
