//! What can be changed on a baked skin without baking it again.

use glam::Affine3A;

use super::posed::PosedFields;
use super::project::{compose_at, contact_depth};
use crate::bake::SkinBake;
use crate::operators::{JointOperator, PreparedOperator};
use crate::skinning::Pose;

/// How one joint's field behaves.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct JointTuning {
    /// How it is composed with its parent's field.
    pub operator: JointOperator,
    /// The support radius, in baked ones, 0.25 to 4: larger is softer, and meets others from farther away.
    pub softness: f32,
}

impl Default for JointTuning {
    fn default() -> Self {
        Self { operator: JointOperator::Blend(crate::operators::Opening::ELBOW), softness: 1.0 }
    }
}

/// Operators, radii and the contact gap of a skin.
#[derive(Clone, Debug, PartialEq)]
pub struct Tuning {
    /// One entry a joint; missing ones are the default.
    pub joints: Vec<JointTuning>,
    /// The room that is left between touching parts, in support radii of the vertex's joint, 0 to 0.5.
    pub gap: f32,
}

impl Default for Tuning {
    fn default() -> Self {
        Self { joints: Vec::new(), gap: 0.02 }
    }
}

impl Tuning {
    /// The same operator for every joint of a skin.
    #[must_use]
    pub fn uniform(bake: &SkinBake, operator: JointOperator) -> Self {
        let joint = JointTuning { operator, ..JointTuning::default() };
        Self { joints: vec![joint; bake.joint_count()], ..Self::default() }
    }
}

/// A skin with its tuning applied: the value that each vertex has at rest, and tables of the operators.
///
/// Shared by all instances that are tuned alike. The value of a vertex at rest is found with the same
/// grids and operators as in a frame: this keeps detail that is finer than the fields, and makes the rest
/// pose an exact fixed point.
#[derive(Clone, Debug, PartialEq)]
pub struct TunedSkin {
    /// Key of the bake that this is for.
    pub(crate) skin: u64,
    pub(crate) iso: Vec<f32>,
    /// Joints that a vertex is deeper in at rest than contact allows, and by how much, in support radii of its
    /// owner.
    pub(crate) excess_starts: Vec<u32>,
    pub(crate) excess: Vec<(u16, f32)>,
    /// Joints other than the owner that take part in a vertex's value at rest.
    pub(crate) touched_starts: Vec<u32>,
    pub(crate) touched: Vec<u16>,
    operators: Vec<PreparedOperator>,
    softness: Vec<f32>,
    pub(crate) gap: f32,
}

impl TunedSkin {
    /// Evaluates the rest pose of a skin with a tuning: about as long as one frame. Numbers out of their
    /// ranges are clamped, and those that are not finite replaced by the default.
    #[must_use]
    pub fn new(bake: &SkinBake, tuning: &Tuning) -> Self {
        let joint = |j: usize| tuning.joints.get(j).copied().unwrap_or_default();
        let number = |x: f32, low: f32, high: f32, default: f32| {
            if x.is_finite() { x.clamp(low, high) } else { default }
        };
        let count = bake.joint_count();
        let mut tuned = Self {
            skin: bake.key(),
            iso: Vec::with_capacity(bake.skin_vertex_count()),
            excess_starts: vec![0],
            excess: Vec::new(),
            touched_starts: vec![0],
            touched: Vec::new(),
            operators: (0..count).map(|j| PreparedOperator::new(joint(j).operator)).collect(),
            softness: (0..count)
                .map(|j| number(joint(j).softness, 0.25, 4.0, 1.0).recip())
                .collect(),
            gap: number(tuning.gap, 0.0, 0.5, 0.02),
        };
        let rest = Pose::new(&vec![Affine3A::IDENTITY; count]);
        let mut fields = PosedFields::new(bake);
        fields.place(bake, &tuned, &rest);
        for (vertex, &x) in bake.positions.iter().enumerate() {
            let owner = usize::from(bake.influences.dominant(vertex));
            let own = fields.distance(bake, owner, x);
            let value =
                own.map_or(0.0, |own| compose_at(bake, &tuned, &fields, owner, &own, x).value);
            tuned.iso.push(value);
            for near in fields.near(owner) {
                let joint = usize::from(near.joint);
                let (Some(own), Some(other)) = (own, fields.distance(bake, joint, x)) else {
                    continue;
                };
                if near.operator.is_some() && fields.value(joint, &other).0 > 0.0 {
                    tuned.touched.push(near.joint);
                }
                let depth = contact_depth(&fields, &tuned, owner, &own, joint, &other);
                if depth > 0.0 {
                    tuned.excess.push((near.joint, depth / fields.field(owner).reach));
                }
            }
            tuned.excess_starts.push(tuned.excess.len() as u32);
            tuned.touched_starts.push(tuned.touched.len() as u32);
        }
        tuned
    }

    /// The value that a skin vertex has at rest and keeps in every pose; `None` when there is no such
    /// vertex. Zero for vertices without a field.
    #[must_use]
    pub fn iso(&self, skin_vertex: usize) -> Option<f32> {
        self.iso.get(skin_vertex).copied()
    }

    pub(crate) fn operator(&self, joint: usize) -> &PreparedOperator {
        &self.operators[joint]
    }

    pub(crate) fn softness(&self, joint: usize) -> f32 {
        self.softness[joint]
    }

    /// How much deeper in `joint` a vertex may be than contact allows, in support radii of its owner,
    /// because it is so at rest. The gap, for which there is no room at rest, opens as the joint has
    /// `turned`, 0 to 1.
    #[inline(always)]
    pub(crate) fn excess(&self, vertex: usize, joint: u16, turned: f32) -> f32 {
        let range = self.excess_starts[vertex] as usize..self.excess_starts[vertex + 1] as usize;
        let excess = self.excess[range].iter().find(|(j, _)| *j == joint);
        excess.map_or(0.0, |(_, depth)| (depth - turned * self.gap).max(0.0))
    }

    #[inline(always)]
    pub(crate) fn touched(&self, vertex: usize) -> &[u16] {
        let range = self.touched_starts[vertex] as usize..self.touched_starts[vertex + 1] as usize;
        &self.touched[range]
    }
}
