//! Moving one vertex towards its value, or out of contact.

use glam::{Vec3A, Vec4};

use super::contact::find_contact;
use super::posed::{Distance, PosedFields};
use super::{SkinSettings, TunedSkin, VertexState};
use crate::bake::SkinBake;

/// A composed value with its gradient, which points inward.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Composed {
    pub value: f32,
    pub gradient: Vec3A,
}

/// The field at a point of the skin of `owner`: its own field composed with those of the joints that hang
/// together with it, and the largest of these.
#[inline(always)]
pub(crate) fn compose_at(
    bake: &SkinBake,
    tuned: &TunedSkin,
    fields: &PosedFields,
    owner: usize,
    own: &Distance,
    x: Vec3A,
) -> Composed {
    let own = fields.value(owner, own);
    let mut best = own;
    for near in fields.near(owner) {
        let Some(child) = near.operator else { continue };
        let Some(other) = fields.distance(bake, usize::from(near.joint), x) else { continue };
        let other = fields.value(usize::from(near.joint), &other);
        let composed = tuned.operator(usize::from(child)).compose(own, other);
        if composed.0 > best.0 {
            best = composed;
        }
    }
    Composed { value: best.0, gradient: best.1 }
}

/// How far a point is beyond the medial surface of two parts, gap included, in output space; not positive
/// outside of the other part. The gap opens gradually, so that contact begins with no jump.
#[inline(always)]
pub(crate) fn contact_depth(
    fields: &PosedFields,
    tuned: &TunedSkin,
    owner: usize,
    own: &Distance,
    joint: usize,
    other: &Distance,
) -> f32 {
    let reach = fields.field(owner).reach;
    let inside = -other.radii * fields.field(joint).reach;
    let gap = (tuned.gap * reach).min(inside);
    if inside > 0.0 { own.radii * reach + inside + gap } else { -1.0 }
}

/// What a projection knows of its frame.
pub(crate) struct Projector<'a> {
    pub bake: &'a SkinBake,
    pub tuned: &'a TunedSkin,
    pub fields: &'a PosedFields,
    pub settings: &'a SkinSettings,
    /// See [`ContactRule::stop_cosine`](super::ContactRule).
    pub stop_cosine: Option<f32>,
}

/// A vertex after a projection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Projected {
    pub position: Vec3A,
    /// The surface's unit normal, outward, and how freely the vertex may slide, 0 to 1.
    pub slide: Vec4,
    pub state: VertexState,
}

/// A vertex whose value is this near to its own has arrived.
const ARRIVED: f32 = 1e-4;
/// The longest step out of contact, in support radii.
const LONGEST_CONTACT_STEP: f32 = 0.5;
/// How freely a vertex in contact slides.
const CONTACT_SLIDE: f32 = 0.5;
/// Gradients shorter than this, in values a support radius, have no direction.
const LEAST_SLOPE: f32 = 1e-3;

impl Projector<'_> {
    /// One step for a vertex at `x`. `before` is the normal of the step before, for the published rule.
    #[inline(always)]
    pub fn project(&self, vertex: usize, x: Vec3A, before: Vec4, step: f32) -> Projected {
        let owner = usize::from(self.bake.influences.dominant(vertex));
        let still = |state| Projected { position: x, slide: Vec4::from((x * 0.0, 0.0)), state };
        let Some(own) = self.fields.distance(self.bake, owner, x) else {
            return still(VertexState::NotDisplaced);
        };
        let reach = self.fields.field(owner).reach;
        let contact = if self.stop_cosine.is_none() {
            find_contact(self.bake, self.tuned, self.fields, (vertex, owner), &own, x)
        } else {
            None
        };
        let here = compose_at(self.bake, self.tuned, self.fields, owner, &own, x);
        let missing = self.tuned.iso[vertex] - here.value;
        let slope = here.gradient.length();
        let (out, weight) = contact.map_or((Vec3A::ZERO, 0.0), |contact| contact.way_out());
        if weight <= 0.0 && missing.abs() <= ARRIVED {
            return still(VertexState::Fitted);
        }
        let sloped = slope * reach > LEAST_SLOPE;
        if weight <= 0.0 && !sloped {
            return still(VertexState::NotDisplaced);
        }
        let inward = if sloped { here.gradient / slope } else { Vec3A::ZERO };
        if let Some(stop) = self.stop_cosine {
            let turned = -Vec3A::from_vec4(before).dot(inward);
            if before.w != 0.0 && turned < stop {
                return still(VertexState::Contact);
            }
        }
        let mut way = Vec3A::ZERO;
        if sloped {
            let longest = self.settings.longest_step * reach;
            way = inward * (step * missing / slope).clamp(-longest, longest);
        }
        let mut touching = weight;
        if let Some(contact) = contact {
            let share = contact.open_share(way);
            touching = touching.max(1.0 - share);
            way *= share * (1.0 - weight);
            way += out.clamp_length_max(LONGEST_CONTACT_STEP * reach);
        }
        // Freedom to slide: none for a vertex that has arrived (Vaillant et al. 2013).
        let rest = missing.abs().min(1.0) - 1.0;
        let free = 1.0 - rest * rest * rest * rest;
        let across = contact.map_or(Vec3A::ZERO, |contact| contact.gradient.normalize_or_zero());
        let normal = (-inward).lerp(across, touching).normalize_or_zero();
        let slide = Vec4::from((normal, free + (CONTACT_SLIDE - free) * touching));
        let state = if touching > 0.0 { VertexState::Contact } else { VertexState::Moving };
        Projected { position: x + way, slide, state }
    }

    /// Where a vertex starts: at its plain position, or, as far as its own joint would carry it into
    /// another part, where that joint alone carries it.
    ///
    /// Blended starts of vertices deep inside of a sharp bend lie beyond the middle of their own limb,
    /// where gradients point to the wrong side. The joint alone keeps a vertex on its own side.
    #[inline(always)]
    pub fn start(&self, vertex: usize, plain: Vec3A, carried: Vec3A) -> Vec3A {
        let owner = usize::from(self.bake.influences.dominant(vertex));
        let Some(own) = self.fields.distance(self.bake, owner, carried) else { return plain };
        let at = (vertex, owner);
        let contact = find_contact(self.bake, self.tuned, self.fields, at, &own, carried);
        let depth = contact.map_or(0.0, |contact| contact.depth.max(0.0));
        let share = (depth / (CARRIED * self.fields.field(owner).reach)).clamp(0.0, 1.0);
        plain.lerp(carried, share * share * (3.0 - 2.0 * share))
    }
}

/// The depth, in support radii, from which on a vertex starts where its joint carries it.
const CARRIED: f32 = 0.4;
