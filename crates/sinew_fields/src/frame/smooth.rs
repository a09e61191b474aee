//! Spreading vertices along the surface, and smoothing near contact.

use glam::{Vec3A, Vec4};

use super::{SkinScratch, SkinSettings, VertexState};
use crate::bake::SkinBake;
use crate::pieces::fill;
use sinew_math::Executor;

/// A vertex moved along the surface towards where the rest shape has it among its neighbours.
///
/// `slide` holds the unit normal and the share of the way. With mean-value coordinates Φ the goal is
/// `Σ Φ_j q_j`, taken in the plane through the vertex (Vaillant et al. 2013, tangential relaxation).
#[inline(always)]
pub(crate) fn relaxed(bake: &SkinBake, positions: &[Vec3A], vertex: usize, slide: Vec4) -> Vec3A {
    let here = positions[vertex];
    let range = bake.rings.range(vertex);
    let mut mean = Vec3A::ZERO;
    for (&other, &weight) in
        bake.rings.neighbours[range.clone()].iter().zip(&bake.mean_value[range])
    {
        mean += (positions[other as usize] - here) * weight;
    }
    let normal = Vec3A::from_vec4(slide);
    here + (mean - normal * mean.dot(normal)) * slide.w
}

/// Smooths the skin where it touches: a crease of one vertex becomes one of a few.
///
/// The weight is 1 at vertices in contact, growing as they come onto the sheet of contact; a few means over ring and vertex spread it, and each smoothing
/// then moves vertices by their weight towards the mean of their ring. Returns `false`, having changed
/// nothing, when there is no contact or no smoothing.
pub(crate) fn smooth_contact(
    bake: &SkinBake,
    settings: &SkinSettings,
    scratch: &mut SkinScratch,
    executor: &impl Executor,
) -> bool {
    let SkinScratch { front, back, states, goals, beta, beta_back, .. } = scratch;
    let contact = |state: &VertexState| *state == VertexState::Contact;
    if !states.iter().any(contact) {
        return false;
    }
    let states = &states[..];
    let published = settings.contact.stop_cosine().is_some();
    for ((beta, state), goal) in beta.iter_mut().zip(states).zip(&*goals) {
        *beta = if published { f32::from(u8::from(contact(state))) } else { goal.touching };
    }
    if settings.smoothings == 0 {
        return true;
    }
    for _ in 0..settings.diffusions {
        let before = &beta[..];
        fill(executor, beta_back, |first, out| {
            for (vertex, out) in (first..).zip(out) {
                *out =
                    if states[vertex].is_active() { diffused(bake, before, vertex) } else { 0.0 };
            }
        });
        core::mem::swap(beta, beta_back);
    }
    for _ in 0..settings.smoothings {
        let (before, beta) = (&front[..], &beta[..]);
        fill(executor, back, |first, out| {
            for (vertex, out) in (first..).zip(out) {
                let here = before[vertex];
                let weight = beta[vertex];
                *out = if weight > 0.0 && bake.relaxed[vertex] {
                    here.lerp(ring_mean(bake, before, vertex), weight)
                } else {
                    here
                };
            }
        });
        core::mem::swap(front, back);
    }
    true
}

/// The mean of a weight over a vertex and its ring.
#[inline(always)]
fn diffused(bake: &SkinBake, weights: &[f32], vertex: usize) -> f32 {
    let ring = bake.rings.ring(vertex);
    let sum: f32 = ring.iter().map(|&other| weights[other as usize]).sum();
    ((sum + weights[vertex]) / (ring.len() + 1) as f32).min(1.0)
}

#[inline(always)]
fn ring_mean(bake: &SkinBake, positions: &[Vec3A], vertex: usize) -> Vec3A {
    let ring = bake.rings.ring(vertex);
    let sum: Vec3A = ring.iter().map(|&other| positions[other as usize]).sum();
    sum / ring.len() as f32
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        BakeSettings, InfluenceSet, Influences, JointRest, Serial, SkinSource, VertexState,
    };

    const SIDE: usize = 9;
    const MIDDLE: usize = SIDE * (SIDE / 2) + SIDE / 2;

    /// A regular flat grid of one joint. The middle vertex of the mesh, and the bake.
    fn sheet() -> (usize, SkinBake) {
        let at = |i: usize| [(i % SIDE) as f32 * 0.1, (i / SIDE) as f32 * 0.1, 0.0];
        let positions: Vec<[f32; 3]> = (0..SIDE * SIDE).map(at).collect();
        let corners = (0..SIDE * (SIDE - 1)).filter(|i| i % SIDE + 1 < SIDE);
        let triangles: Vec<[u32; 3]> = corners
            .flat_map(|i| {
                let [a, b, c, d] = [i, i + 1, i + SIDE, i + SIDE + 1].map(|i| i as u32);
                [[a, b, d], [a, d, c]]
            })
            .collect();
        let rows = vec![[1.0, 0.0, 0.0, 0.0]; positions.len()];
        let names = vec![[0; 4]; positions.len()];
        let set = InfluenceSet { joints: &names, weights: &rows };
        let influences = Influences::new(1, positions.len(), &[set]).expect("good weights").0;
        let source = SkinSource {
            positions: &positions,
            triangles: &triangles,
            influences: &influences,
            joints: &[JointRest::default()],
        };
        let bake = SkinBake::new(&source, &BakeSettings::default(), &Serial).expect("a mesh");
        (bake.skin_of()[MIDDLE] as usize, bake)
    }

    #[test]
    fn a_regular_grid_is_a_fixed_point_of_relaxation() {
        let (_, bake) = sheet();
        for vertex in (0..bake.positions.len()).filter(|&vertex| bake.relaxed[vertex]) {
            let moved = relaxed(&bake, &bake.positions, vertex, Vec4::new(0.0, 0.0, 1.0, 1.0));
            assert!(moved.distance(bake.positions[vertex]) < 1e-7);
        }
    }

    #[test]
    fn relaxation_moves_along_the_surface_only() {
        let (middle, bake) = sheet();
        let mut positions = bake.positions.clone();
        for (i, position) in positions.iter_mut().enumerate() {
            // A wavy surface, drawn out unevenly.
            *position += Vec3A::new(0.0, 0.02, 0.03) * ((i * i) as f32 * 0.7).sin();
        }
        for normal in [Vec3A::Z, Vec3A::new(0.6, 0.0, 0.8), Vec3A::new(0.48, -0.6, 0.64)] {
            let moved = relaxed(&bake, &positions, middle, normal.extend(0.8));
            let way = moved - positions[middle];
            assert!(way.length() > 1e-4);
            assert!(way.dot(normal).abs() <= 1e-6 * way.length() + 1e-7, "{way}");
        }
    }

    #[test]
    fn the_weight_of_smoothing_spreads_and_stays_between_zero_and_one() {
        let (middle, bake) = sheet();
        let mut scratch = SkinScratch::new(&bake);
        scratch.states.fill(VertexState::Moving);
        scratch.states[middle] = VertexState::Contact;
        scratch.goals[middle].touching = 1.0;
        let settings = SkinSettings { diffusions: 3, smoothings: 1, ..SkinSettings::default() };
        assert!(smooth_contact(&bake, &settings, &mut scratch, &Serial));
        assert!(scratch.beta.iter().all(|beta| (0.0..=1.0).contains(beta)));
        let reached = scratch.beta.iter().filter(|beta| **beta > 0.0).count();
        // Three rings round one vertex of valence six: 1 + 6 + 12 + 18.
        assert_eq!(reached, 37);

        scratch.states.fill(VertexState::Moving);
        let before = scratch.front.clone();
        assert!(!smooth_contact(&bake, &settings, &mut scratch, &Serial));
        assert_eq!(before, scratch.front);
    }
}
