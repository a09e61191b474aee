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
