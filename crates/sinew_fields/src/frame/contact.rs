//! Where a vertex lies on the wrong side between two parts.

use glam::Vec3A;

use super::posed::{Distance, Fold, PosedFields, smooth};
use super::project::contact_depth;
use super::{ContactRule, TunedSkin};
use crate::bake::SkinBake;

/// A vertex inside of another part.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Contact {
    /// How far the difference of both distances must fall for the vertex to be on its own side, in output
    /// space; negative when it is.
    pub depth: f32,
    /// The gradient of that difference, without a unit; about 2 where parts face each other.
    pub gradient: Vec3A,
    /// The way back over the plane that halves the bend; zero on the right side.
    back: Vec3A,
    /// See [`Fold::bent`].
    bent: f32,
    /// 0 at the other part's surface to 1 well inside of it.
    pub within: f32,
    /// How much that way counts beside the gradient's, 0 to 1.
    by_plane: f32,
}

/// Gradients that differ by less do not face each other at all.
const PARALLEL: f32 = 0.15;
/// Gradients that differ by more face each other as far as contact is concerned.
const FACING: f32 = 0.5;
/// Where the gradient across the folding plane has this share of what two straight limbs have there, or
/// less, the plane counts in full.
const ASTRAY: f32 = 0.3;
/// From this share on, the gradient is trusted alone.
const TRUSTED: f32 = 0.7;
/// The way, in support radii, over which the plane and the sheet of contact come in: inside of the other
/// part, on the inner side of the fold, and beyond the plane.
const PLANE_BEGINS: f32 = 0.15;

/// The deepest contact of a vertex at `x`, over all joints near its own in whose parts it is.
#[inline(always)]
pub(crate) fn find_contact(
    bake: &SkinBake,
    tuned: &TunedSkin,
    fields: &PosedFields,
    (vertex, owner): (usize, usize),
    own: &Distance,
    x: Vec3A,
) -> Option<Contact> {
    let mut deepest: Option<Contact> = None;
    let reach = fields.field(owner).reach;
    for near in fields.near(owner).iter().filter(|near| near.moved) {
        let joint = usize::from(near.joint);
        let Some(other) = fields.distance(bake, joint, x).filter(|other| other.radii < 0.0) else {
            continue;
        };
        let depth = contact_depth(fields, tuned, owner, own, joint, &other)
            - tuned.excess(vertex, near.joint, near.fold.turned) * reach;
        if deepest.is_none_or(|contact| depth > contact.depth) {
            let other_reach = fields.field(joint).reach;
            let gradient = own.gradient * reach - other.gradient * other_reach;
            let within = smooth(-other.radii * other_reach / (PLANE_BEGINS * reach));
            let mut contact = Contact {
                depth,
                gradient,
                back: Vec3A::ZERO,
                bent: near.fold.bent,
                within,
                by_plane: 0.0,
            };
            if near.fold.share > 0.0 {
                let gap = tuned.gap * reach;
                contact.add_plane(&near.fold, x, (reach, gap));
            }
            deepest = Some(contact);
        }
    }
    deepest
}

impl Contact {
    /// Deep in a sharp bend, beyond the middle of the other limb, both gradients turn alike or lead out on
    /// its far side. There the plane that halves the bend takes over.
    #[inline(always)]
    fn add_plane(&mut self, fold: &Fold, x: Vec3A, (reach, gap): (f32, f32)) {
        let offset = x - fold.pivot;
        let beyond = gap - fold.toward.dot(offset);
        let ramp = |way: f32| smooth(way / (PLANE_BEGINS * reach));
        let here = self.within * ramp(fold.inner.dot(offset)) * ramp(beyond);
        let opening = -self.gradient.dot(fold.toward) / fold.opening;
        let astray = smooth((TRUSTED - opening) / (TRUSTED - ASTRAY));
        self.by_plane = fold.share * here * astray;
        self.back = fold.toward * beyond.max(0.0);
    }

    /// 0 where both gradients agree, since there is no surface between parts that face the same way, to 1
    /// where they face each other.
    #[inline(always)]
    fn facing(&self) -> f32 {
        self.bent * ((self.gradient.length() - PARALLEL) / (FACING - PARALLEL)).clamp(0.0, 1.0)
    }

    /// The step that a vertex makes in place of `step`, which would bring it to its value: without the part
    /// that leads through the medial surface, and with the way back for a vertex that is beyond it.
    #[inline(always)]
    pub fn corrected(&self, step: Vec3A) -> Vec3A {
        let (back, facing) = self.way_back();
        let through = (self.gradient.dot(step) - (-self.depth).max(0.0)).max(0.0);
        let kept = if through > 0.0 && facing > 0.0 {
            step - self.gradient * (facing * through / self.gradient.length_squared())
        } else {
            step
        };
        kept * (1.0 - self.by_plane) + back
    }

    /// The way out of contact for a vertex beyond the medial surface, and how much it is one, 0 to 1.
    #[inline(always)]
    pub fn way_out(&self) -> (Vec3A, f32) {
        let (back, facing) = self.way_back();
        let facing = if self.depth > 0.0 { facing } else { 0.0 };
        (back, facing + self.by_plane)
    }

    /// The Newton step onto the medial surface where parts face each other, the way over the folding plane
    /// where that counts; and the weight of the medial surface.
    #[inline(always)]
    fn way_back(&self) -> (Vec3A, f32) {
        let facing = self.facing() * (1.0 - self.by_plane);
        let mut way = self.back * self.by_plane;
        if facing > 0.0 && self.depth > 0.0 {
            way -= self.gradient * (facing * self.depth / self.gradient.length_squared());
        }
        (way, facing)
    }

    /// How much of the sheet's own directions a vertex has that belongs to it by `touching`.
    #[inline(always)]
    pub fn on_sheet(&self, touching: f32) -> f32 {
        touching.max(self.by_plane) * self.within
    }
}

impl ContactRule {
    /// The cosine of the angle at which the published rule stops; `None` for the medial plane.
    pub(crate) fn stop_cosine(self) -> Option<f32> {
        match self {
            Self::MedialPlane => None,
            Self::GradientAngle(degrees) => {
                let degrees = if degrees.is_finite() { degrees.clamp(1.0, 179.0) } else { 55.0 };
                Some(degrees.to_radians().cos())
            }
        }
    }
}
