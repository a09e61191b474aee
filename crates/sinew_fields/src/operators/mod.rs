//! How two fields become one: union, gradient-based blend, Ricci blend, bulge in contact.
//!
//! All operators are at least the maximum of both values, give a value back unchanged where the other is
//! zero, are symmetric, and come with exact gradients. Gourmel et al. 2013 for the family; closed forms
//! and implicit differentiation are ours.

mod bulge;
mod circle;
mod opening;
mod ricci;

use glam::Vec3A;

pub use bulge::bulge;
pub use circle::blend;
pub use opening::{Opening, OpeningAxis, OpeningTable, kappa};
pub use ricci::ricci;

/// A value and its derivatives with respect to the two values that it was composed of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Composed {
    /// The value of the composition.
    pub value: f32,
    /// The derivative with respect to the first value.
    pub by_first: f32,
    /// The derivative with respect to the second value.
    pub by_second: f32,
}

/// The larger of two values: parts touch with a sharp crease.
#[inline(always)]
#[must_use]
pub fn union(f1: f32, f2: f32) -> Composed {
    if f1 >= f2 {
        Composed { value: f1, by_first: 1.0, by_second: 0.0 }
    } else {
        Composed { value: f2, by_first: 0.0, by_second: 1.0 }
    }
}

/// How the fields of a joint and of its parent are composed; editable at any time, see
/// [`TunedSkin`](crate::TunedSkin).
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub enum JointOperator {
    /// The maximum: a crease at the joint, nothing in between.
    #[default]
    Union,
    /// Fillets the crease where the gradients of both fields meet at the angles that the opening names.
    Blend(Opening),
    /// `(f1ⁿ + f2ⁿ)^{1/n}`: blends everywhere, also on the outer side of a bend; `n` from 1, larger is
    /// nearer to union.
    Ricci(f32),
    /// The skin rises beside the line of contact.
    Bulge {
        /// The height of the rise, 0 to 0.9.
        magnitude: f32,
        /// Where it opens.
        opening: Opening,
    },
}

/// An operator with its tables, ready for frames.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum PreparedOperator {
    Union,
    Blend(Box<OpeningTable>),
    Ricci(f32),
    Bulge(f32, Box<OpeningTable>),
}

impl PreparedOperator {
    pub fn new(operator: JointOperator) -> Self {
        match operator {
            JointOperator::Union => Self::Union,
            JointOperator::Blend(opening) => Self::Blend(Box::new(OpeningTable::new(opening))),
            JointOperator::Ricci(n) => Self::Ricci(if n.is_finite() { n.max(1.0) } else { 2.0 }),
            JointOperator::Bulge { magnitude, opening } => {
                let magnitude = if magnitude.is_finite() { magnitude.clamp(0.0, 0.9) } else { 0.0 };
                Self::Bulge(magnitude, Box::new(OpeningTable::new(opening)))
            }
        }
    }

    /// Composes two values with their gradients. The derivative of the opening angle with respect to
    /// position is left out, as in the published code.
    #[inline(always)]
    pub fn compose(&self, (f1, g1): (f32, Vec3A), (f2, g2): (f32, Vec3A)) -> (f32, Vec3A) {
        // Every operator gives the other value back where one is zero.
        if f1 <= 0.0 {
            return (f2, g2);
        }
        if f2 <= 0.0 {
            return (f1, g1);
        }
        let composed = match self {
            Self::Union => union(f1, f2),
            Self::Blend(table) => blend(f1, f2, table.tangent(cosine(g1, g2))),
            Self::Ricci(n) => ricci(f1, f2, *n),
            Self::Bulge(magnitude, table) => {
                bulge(f1, f2, table.tangent(cosine(g1, g2)), *magnitude)
            }
        };
        (composed.value, g1 * composed.by_first + g2 * composed.by_second)
    }
}

/// The cosine of the angle between two gradients; 1 (union for most openings) where one vanishes.
#[inline(always)]
fn cosine(g1: Vec3A, g2: Vec3A) -> f32 {
    let squares = g1.length_squared() * g2.length_squared();
    if squares > 1e-20 { g1.dot(g2) / squares.sqrt() } else { 1.0 }
}
