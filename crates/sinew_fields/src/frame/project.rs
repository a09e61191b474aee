//! Moving one vertex towards its value, or out of contact.

use glam::{Vec3A, Vec4};

use super::contact::find_contact;
use super::posed::{Distance, PosedFields, smooth};
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

/// What a vertex is moved towards; found from its start, so that it does not change from step to step.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Goal {
    /// The value of the composed field that the vertex shall have.
    pub value: f32,
    /// How much the vertex belongs to the sheet where two parts touch, 0 to 1. On the sheet only contact
    /// moves it: its value at rest is no longer to be had there.
    pub touching: f32,
}

/// A vertex after a projection.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Projected {
    pub position: Vec3A,
    /// The surface's unit normal, outward, and how freely the vertex may slide, 0 to 1.
    pub slide: Vec4,
    pub state: VertexState,
}

/// A vertex whose value is this near to its goal arrives with a whole Newton step, which leaves a hundredth.
const NEAR: f32 = 2e-3;
/// A vertex belongs to the sheet of contact, for reports, from this share on.
const HELD: f32 = 0.01;
/// A step counts as one in contact, for reports, when contact makes or takes more than this share of it.
const TOUCHING: f32 = 0.5;
/// The longest step out of contact, in support radii.
const LONGEST_CONTACT_STEP: f32 = 0.5;
/// How freely a vertex in contact slides.
const CONTACT_SLIDE: f32 = 0.5;
/// Gradients shorter than this, in values a support radius, have no direction.
const LEAST_SLOPE: f32 = 1e-3;
/// The depth, in support radii, from which on a vertex starts where its joint carries it.
const CARRIED: f32 = 0.4;
/// The depth, in support radii, from which on a vertex belongs to the sheet of contact altogether. Where
/// contact begins, the sheet is a few tenths of a radius below the fillet that a blend lays over it: over
/// this depth a vertex goes from one to the other.
const ON_SHEET: f32 = 0.3;
/// Newton steps that take a start out of contact.
const START_STEPS: usize = 3;
/// Halvings of a step that goes past the place where the gradient turns.
const HALVINGS: usize = 6;

impl Projector<'_> {
    /// One step for a vertex at `x`.
    #[inline(always)]
    pub fn project(&self, vertex: usize, x: Vec3A, goal: Goal, step: f32) -> Projected {
        let owner = usize::from(self.bake.influences.dominant(vertex));
        let still = |state| Projected { position: x, slide: Vec4::ZERO, state };
        let Some(own) = self.fields.distance(self.bake, owner, x) else {
            return still(VertexState::NotDisplaced);
        };
        let reach = self.fields.field(owner).reach;
        let here = compose_at(self.bake, self.tuned, self.fields, owner, &own, x);
        let missing = goal.value - here.value;
        let slope = here.gradient.length();
        let contact = match self.stop_cosine {
            None => find_contact(self.bake, self.tuned, self.fields, (vertex, owner), &own, x),
            Some(_) => None,
        };
        let weight = contact.map_or(0.0, |contact| contact.way_out().1);
        let arrives = missing.abs() <= NEAR;
        let sloped = slope * reach > LEAST_SLOPE;
        if weight <= 0.0 && !sloped {
            return still(VertexState::NotDisplaced);
        }
        let mut way = Vec3A::ZERO;
        let mut inward = Vec3A::ZERO;
        if sloped {
            inward = here.gradient / slope;
            let longest = self.settings.longest_step * reach;
            let step = step + (1.0 - step) * smooth(2.0 - missing.abs() / NEAR);
            way = inward * (step * missing / slope).clamp(-longest, longest);
        }
        if let Some(stop) = self.stop_cosine
            && let Some(shorter) = self.before_turn(owner, x, inward, way, stop)
        {
            let position = x + shorter;
            return Projected { position, slide: Vec4::ZERO, state: VertexState::Contact };
        }
        // Freedom to slide: none for a vertex that has arrived (Vaillant et al. 2013).
        let rest = missing.abs().min(1.0) - 1.0;
        let free = 1.0 - rest * rest * rest * rest;
        let mut normal = -inward;
        way *= 1.0 - goal.touching;
        let mut held = weight > TOUCHING || goal.touching > HELD;
        if let Some(contact) = contact {
            let wanted = way;
            way = contact.corrected(way).clamp_length_max(LONGEST_CONTACT_STEP * reach);
            held |= way.dot(wanted) < TOUCHING * wanted.length_squared();
            let across = contact.gradient.normalize_or_zero();
            normal = normal.lerp(across, contact.on_sheet(goal.touching)).normalize_or_zero();
        }
        let slide = normal.extend(free + (CONTACT_SLIDE - free) * goal.touching);
        let state = if held {
            VertexState::Contact
        } else if arrives {
            VertexState::Fitted
        } else {
            VertexState::Moving
        };
        Projected { position: x + way, slide, state }
    }

    /// The published rule: the part of a step before the gradient turns by too much, `None` when the
    /// whole step can be made.
    fn before_turn(
        &self,
        owner: usize,
        x: Vec3A,
        inward: Vec3A,
        way: Vec3A,
        stop_cosine: f32,
    ) -> Option<Vec3A> {
        let turned = |share: f32| {
            let there = x + way * share;
            self.fields.distance(self.bake, owner, there).is_some_and(|own| {
                let field = compose_at(self.bake, self.tuned, self.fields, owner, &own, there);
                field.gradient.dot(inward) < stop_cosine * field.gradient.length()
            })
        };
        if !turned(1.0) {
            return None;
        }
        let (mut before, mut after) = (0.0, 1.0);
        for _ in 0..HALVINGS {
            let middle = 0.5 * (before + after);
            *if turned(middle) { &mut after } else { &mut before } = middle;
        }
        Some(way * before)
    }

    /// Where a vertex starts, and its goal.
    ///
    /// A vertex starts at its plain position, or, as far as its own joint alone would carry it into
    /// another part, where that joint carries it, taken back out of contact: blended starts of vertices
    /// deep inside of a sharp bend come to lie in the wrong order along the fold.
    #[inline(always)]
    pub fn start(&self, vertex: usize, plain: Vec3A, carried: Vec3A) -> (Vec3A, Goal) {
        let owner = usize::from(self.bake.influences.dominant(vertex));
        let value = self.tuned.iso[vertex];
        let free = (plain, Goal { value, touching: 0.0 });
        let distance = |x| self.fields.distance(self.bake, owner, x);
        let contact = |own: &Distance, x| {
            find_contact(self.bake, self.tuned, self.fields, (vertex, owner), own, x)
        };
        let Some(own) = distance(carried).filter(|_| self.stop_cosine.is_none()) else {
            return free;
        };
        let carried_contact = contact(&own, carried);
        let (depth, facing) = carried_contact.map_or((0.0, 0.0), |c| (c.depth, c.way_out().1));
        if depth <= 0.0 {
            return free;
        }
        let reach = self.fields.field(owner).reach;
        let mut x = plain.lerp(carried, smooth(depth / (CARRIED * reach)));
        let mut value_there = value;
        for step in 0..=START_STEPS {
            let Some(own) = distance(x) else { return free };
            if step == START_STEPS {
                value_there = compose_at(self.bake, self.tuned, self.fields, owner, &own, x).value;
            } else if let Some(contact) = contact(&own, x) {
                x += contact.way_out().0.clamp_length_max(LONGEST_CONTACT_STEP * reach);
            }
        }
        let touching = smooth(depth / (ON_SHEET * reach)) * facing;
        let value = value + (value_there - value) * touching;
        (plain.lerp(x, touching), Goal { value, touching })
    }
}
