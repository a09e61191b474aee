//! Where a vertex lies on the wrong side between two parts.

use glam::Vec3A;

use super::posed::{Distance, PosedFields};
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
    /// The way back over the plane that halves the bend, weighted; zero on the right side.
    fold: Vec3A,
}

/// Gradients that differ by less do not face each other at all.
const PARALLEL: f32 = 0.15;
/// Gradients that differ by more face each other as far as contact is concerned.
const FACING: f32 = 0.5;

/// The depth inside of the other part, in support radii, from which on the folding plane counts in full:
/// the outer side of a bend is nowhere deep.
const DEEP: f32 = 0.25;

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
    for near in fields.near(owner).iter().filter(|near| near.moved) {
        let joint = usize::from(near.joint);
        let Some(other) = fields.distance(bake, joint, x).filter(|other| other.radii < 0.0) else {
            continue;
        };
        let depth = contact_depth(fields, tuned, owner, own, joint, &other)
            - tuned.excess(vertex, near.joint);
        if deepest.is_none_or(|contact| depth > contact.depth) {
            let gradient = own.gradient * fields.field(owner).reach
                - other.gradient * fields.field(joint).reach;
            let reach = fields.field(owner).reach;
            let beyond = -near.fold.toward.dot(x - near.fold.pivot) + tuned.gap * reach;
            let inside = -other.radii * fields.field(joint).reach;
            let share = near.fold.share * (inside / (DEEP * reach)).clamp(0.0, 1.0);
            let fold = near.fold.toward * (beyond.max(0.0) * share);
            deepest = Some(Contact { depth, gradient, fold });
        }
    }
    deepest
}

impl Contact {
    /// 0 where both gradients agree, since there is no surface between parts that face the same way, to 1
    /// where they face each other.
    #[inline(always)]
    fn facing(&self) -> f32 {
        ((self.gradient.length() - PARALLEL) / (FACING - PARALLEL)).clamp(0.0, 1.0)
    }

    /// The Newton step onto the medial surface for a vertex that is beyond it.
    ///
    /// Deep in a sharp bend both gradients shrink and turn alike near the middle of the joint, and say
    /// nothing of the sides. There the plane that halves the bend takes over.
    #[inline(always)]
    pub fn step(&self) -> Vec3A {
        let facing = self.facing();
        let mut way = self.fold * (1.0 - facing);
        if facing > 0.0 && self.depth > 0.0 {
            way += self.gradient * (-facing * self.depth / self.gradient.length_squared());
        }
        way
    }

    /// The share of a step that can be made without crossing the medial surface, for a vertex on its own
    /// side.
    #[inline(always)]
    pub fn open_share(&self, step: Vec3A) -> f32 {
        let closing = self.gradient.dot(step);
        if closing > -self.depth {
            let open = (-self.depth).max(0.0) / closing.max(f32::MIN_POSITIVE);
            1.0 + (open.min(1.0) - 1.0) * self.facing()
        } else {
            1.0
        }
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
