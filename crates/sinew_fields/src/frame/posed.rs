//! The fields of all joints in one frame, and which of them can meet.

use glam::{Affine3A, Mat3A, Vec3, Vec3A};
use smallvec::SmallVec;

use super::TunedSkin;
use crate::bake::SkinBake;
use crate::fields::{ISO, falloff};
use crate::skinning::{JointShape, Pose, PosedJoint, SkinningError};

/// What the skin's field is at a point.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct FieldSample {
    /// 1 deep inside, ½ on the skin, 0 outside.
    pub value: f32,
    /// The derivative of the value in output space: it points inward.
    pub gradient: Vec3,
    /// The joint whose field is largest here.
    pub joint: u16,
}

impl FieldSample {
    /// The distance to the skin to first order, negative inside; infinite where the gradient vanishes.
    #[must_use]
    pub fn distance(&self) -> f32 {
        let slope = self.gradient.length();
        let excess = ISO - self.value;
        if slope > 1e-12 { excess / slope } else { f32::INFINITY.copysign(excess) }
    }

    /// The outward unit normal, or `None` where the gradient vanishes.
    #[must_use]
    pub fn normal(&self) -> Option<Vec3> {
        (-self.gradient).try_normalize()
    }
}

/// One field in one frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PosedField {
    /// Node coordinates from output space.
    grid_from_output: Affine3A,
    /// Gradients in output space, a radius, from those a cell.
    output_from_cell: Mat3A,
    /// Support radius in output space.
    pub reach: f32,
    /// Tuned support radii in a baked one, reciprocal.
    softness: f32,
    centre: Vec3A,
    axes: Mat3A,
    /// The field can be used in this frame.
    pub live: bool,
}

/// A field's distance in support radii, and its gradient in output space.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Distance {
    pub radii: f32,
    pub gradient: Vec3A,
}

/// Another joint whose box overlaps that of a joint.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Near {
    pub joint: u16,
    /// The child of the two when their fields are composed: its operator is used.
    pub operator: Option<u16>,
    /// It has moved relative to the joint, so that both may touch.
    pub moved: bool,
    pub fold: Fold,
}

/// The plane through the joint between two limbs that halves their bend.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Fold {
    pub pivot: Vec3A,
    /// Unit normal, to the side of the joint that has the list.
    pub toward: Vec3A,
    /// Unit vector in the plane, into the fold.
    pub inner: Vec3A,
    /// What the gradients of two straight limbs differ by across the plane.
    pub opening: f32,
    /// How much the plane counts: 0 for limbs that bend little, stand as they do at rest or do not hang
    /// together, to 1.
    pub share: f32,
    /// Whether the limbs can meet beside the joint at all: 0 in line, also when twisted, to 1 from a bend by
    /// 30° on; 1 for limbs that do not hang together.
    pub bent: f32,
    /// How far the joint has turned from rest: 0 at rest to 1 at 60° or more.
    pub turned: f32,
}

impl Fold {
    const NONE: Self = Self {
        pivot: Vec3A::ZERO,
        toward: Vec3A::ZERO,
        inner: Vec3A::ZERO,
        opening: 1.0,
        share: 0.0,
        bent: 1.0,
        turned: 0.0,
    };

    fn flipped(self) -> Self {
        Self { toward: -self.toward, ..self }
    }
}

/// The fields of a skin in a pose: a broad phase, and the field at any point for cloth, hair, soft
/// bodies and decals.
#[derive(Clone, Debug, Default)]
pub struct PosedFields {
    /// Key of the bake whose fields these are.
    skin: u64,
    fields: Vec<PosedField>,
    near_starts: Vec<u32>,
    near: Vec<Near>,
    pairs: Vec<(u16, Near)>,
    /// Joints that move as one body have one number.
    groups: Vec<u16>,
    /// Boxes by their low x, for the sweep.
    order: Vec<(f32, u16)>,
}

/// How far two joints may move against each other, in support radii, and still count as one body.
pub(crate) const STILL: f32 = 1e-5;
/// Fields that can overlap at one point and still be seen by [`PosedFields::sample`].
const MOST_AT_POINT: usize = 16;

impl PosedFields {
    /// Memory for the fields of a skin.
    #[must_use]
    pub fn new(bake: &SkinBake) -> Self {
        let joints = bake.joint_count();
        Self {
            skin: bake.key(),
            fields: Vec::with_capacity(joints),
            near_starts: Vec::with_capacity(joints + 1),
            near: Vec::with_capacity(16 * joints),
            pairs: Vec::with_capacity(16 * joints),
            groups: Vec::with_capacity(joints),
            order: Vec::with_capacity(joints),
        }
    }

    /// Moves the fields to a pose. Fields of joints that the pose stretches are left out.
    ///
    /// # Errors
    /// When the tuning or the pose are of another skin; the fields stay where they were then.
    pub fn update(
        &mut self,
        bake: &SkinBake,
        tuned: &TunedSkin,
        pose: &Pose,
    ) -> Result<(), SkinningError> {
        if tuned.skin != bake.key() {
            return Err(SkinningError::WrongSkin { what: "tuned" });
        }
        if pose.len() != bake.joint_count() {
            let expected = bake.joint_count();
            return Err(SkinningError::WrongJoints { found: pose.len(), expected });
        }
        self.place(bake, tuned, pose);
        Ok(())
    }

    /// The same for parts that are known to belong together.
    pub(super) fn place(&mut self, bake: &SkinBake, tuned: &TunedSkin, pose: &Pose) {
        self.skin = bake.key();
        let placed = |joint: usize| {
            let field = bake.joints[joint].field.as_ref()?;
            let posed = pose.joints().get(joint)?;
            let grid_from_output = field.grid_from_model * posed.inverse;
            let (centre, axes) = field.bounds();
            Some(PosedField {
                grid_from_output,
                output_from_cell: grid_from_output.matrix3.transpose(),
                reach: field.radius * posed.scale.abs(),
                softness: tuned.softness(joint),
                centre: posed.affine.transform_point3a(centre),
                axes: posed.affine.matrix3 * axes,
                live: posed.shape == JointShape::Rigid,
            })
        };
        self.fields.clear();
        self.fields.extend((0..bake.joint_count()).map(|j| placed(j).unwrap_or(PosedField::NONE)));
        self.groups.clear();
        self.groups.extend(0..bake.joint_count() as u16);
        for &joint in &bake.order {
            let parent = bake.joints[usize::from(joint)].hangs_on.unwrap_or(bake.order[0]);
            if parent != joint && !moved(bake, pose, usize::from(parent), usize::from(joint)) {
                self.groups[usize::from(joint)] = self.groups[usize::from(parent)];
            }
        }
        self.find_pairs(bake, pose);
    }

    /// Sweep over the boxes along x, then separating axes; pairs sorted by joint.
    fn find_pairs(&mut self, bake: &SkinBake, pose: &Pose) {
        let fields = &self.fields;
        let extent = |field: &PosedField| {
            field.axes.x_axis.abs() + field.axes.y_axis.abs() + field.axes.z_axis.abs()
        };
        self.order.clear();
        let live = fields.iter().enumerate().filter(|(_, field)| field.live);
        self.order.extend(live.map(|(j, field)| (field.centre.x - extent(field).x, j as u16)));
        self.order.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        self.pairs.clear();
        for (i, &(_, a)) in self.order.iter().enumerate() {
            let field = &fields[usize::from(a)];
            let reach = extent(field);
            for &(low, b) in &self.order[i + 1..] {
                if low > field.centre.x + reach.x {
                    break;
                }
                let other = &fields[usize::from(b)];
                let apart = (other.centre - field.centre).abs().cmpgt(reach + extent(other)).any();
                if apart || separated(field, other) || separated(other, field) {
                    continue;
                }
                let (ja, jb) = (usize::from(a), usize::from(b));
                let operator = if bake.joints[ja].parent == Some(b) {
                    Some(a)
                } else {
                    (bake.joints[jb].parent == Some(a)).then_some(b)
                };
                let moved = self.groups[ja] != self.groups[jb];
                let fold = match operator {
                    Some(child) if child == a => fold(bake, pose, ja, jb),
                    Some(_) => fold(bake, pose, jb, ja).flipped(),
                    None => Fold::NONE,
                };
                self.pairs.push((a, Near { joint: b, operator, moved, fold }));
                self.pairs.push((b, Near { joint: a, operator, moved, fold: fold.flipped() }));
            }
        }
        self.pairs.sort_unstable_by_key(|&(joint, near)| (joint, near.joint));
        self.near_starts.clear();
        self.near.clear();
        for &(joint, near) in &self.pairs {
            while self.near_starts.len() <= usize::from(joint) {
                self.near_starts.push(self.near.len() as u32);
            }
            self.near.push(near);
        }
        while self.near_starts.len() <= fields.len() {
            self.near_starts.push(self.near.len() as u32);
        }
    }

    /// The number of the body that a joint moves with.
    #[inline(always)]
    pub(crate) fn group(&self, joint: u16) -> u16 {
        self.groups[usize::from(joint)]
    }

    /// The joints whose boxes overlap that of a joint.
    #[inline(always)]
    pub(crate) fn near(&self, joint: usize) -> &[Near] {
        let range = self.near_starts[joint] as usize..self.near_starts[joint + 1] as usize;
        &self.near[range]
    }

    #[inline(always)]
    pub(crate) fn field(&self, joint: usize) -> &PosedField {
        &self.fields[joint]
    }

    /// The distance to a joint's part of the skin; `None` outside of its box.
    #[inline(always)]
    pub(crate) fn distance(&self, bake: &SkinBake, joint: usize, x: Vec3A) -> Option<Distance> {
        let field = &self.fields[joint];
        if !field.live {
            return None;
        }
        let grid = bake.joints[joint].field.as_ref()?;
        let node = grid.interpolate(field.grid_from_output.transform_point3a(x))?;
        Some(Distance { radii: node.w, gradient: field.output_from_cell * Vec3A::from_vec4(node) })
    }

    /// Whether a point lies in the box of a joint's field.
    #[inline(always)]
    pub(crate) fn in_box(&self, bake: &SkinBake, joint: usize, x: Vec3A) -> bool {
        let Some(grid) = bake.joints[joint].field.as_ref() else { return false };
        let at = self.fields[joint].grid_from_output.transform_point3a(x);
        at.cmpge(Vec3A::ZERO).all() && at.cmple((grid.dims - 1).as_vec3a()).all()
    }

    /// The value of a distance and its gradient, which points inward.
    #[inline(always)]
    pub(crate) fn value(&self, joint: usize, distance: &Distance) -> (f32, Vec3A) {
        let softness = self.fields[joint].softness;
        let (value, slope) = falloff(distance.radii * softness);
        (value, distance.gradient * (slope * softness))
    }

    /// The composed field of all joints at a point of the output space; `None` where it is zero, and for
    /// a bake or a tuning of another skin.
    #[must_use]
    pub fn sample(&self, bake: &SkinBake, tuned: &TunedSkin, point: Vec3) -> Option<FieldSample> {
        if self.skin != bake.key() || tuned.skin != bake.key() {
            return None;
        }
        let x = Vec3A::from(point);
        let mut here = SmallVec::<[(u16, (f32, Vec3A)); MOST_AT_POINT]>::new();
        for joint in 0..self.fields.len().min(bake.joint_count()) {
            if here.len() == MOST_AT_POINT {
                break;
            }
            if let Some(distance) = self.distance(bake, joint, x) {
                here.push((joint as u16, self.value(joint, &distance)));
            }
        }
        let (joint, mut best) = here.iter().copied().max_by(|a, b| a.1.0.total_cmp(&b.1.0))?;
        for &(child, field) in &here {
            let Some(parent) = bake.joints[usize::from(child)].parent else { continue };
            if let Some((_, other)) = here.iter().find(|(joint, _)| *joint == parent) {
                let composed = tuned.operator(usize::from(child)).compose(*other, field);
                if composed.0 > best.0 {
                    best = composed;
                }
            }
        }
        (best.0 > 0.0).then(|| FieldSample { value: best.0, gradient: best.1.into(), joint })
    }
}

impl PosedField {
    const NONE: Self = Self {
        grid_from_output: Affine3A::IDENTITY,
        output_from_cell: Mat3A::IDENTITY,
        reach: 0.0,
        softness: 1.0,
        centre: Vec3A::ZERO,
        axes: Mat3A::ZERO,
        live: false,
    };
}

/// The cosine of the bend at which the folding plane begins to count, about 60°.
const FOLD_BEGINS: f32 = 0.5;
/// The cosine of the bend from which on it counts in full, about 110°.
const FOLD_COUNTS: f32 = -0.35;

/// The cosine of the bend from which on limbs are seen as bent, 30°.
const BENT: f32 = 0.866;
/// The trace of a rotation by 60°, `1 + 2 cos 60°`.
const TURNED_TRACE: f32 = 2.0;

/// The plane that halves the bend between a child and its parent, seen from the child.
fn fold(bake: &SkinBake, pose: &Pose, child: usize, parent: usize) -> Fold {
    let (limb, other) = (&bake.joints[child].segment, &bake.joints[parent].segment);
    let pivot = limb.head.as_vec3a();
    let (moved, held) = (&pose.joints()[child].affine, &pose.joints()[parent].affine);
    let outward = moved.transform_vector3a(limb.tail.as_vec3a() - pivot).normalize_or_zero();
    let back = held.transform_vector3a(other.head.as_vec3a() - pivot).normalize_or_zero();
    let bend = (FOLD_BEGINS + outward.dot(back)) / (FOLD_BEGINS - FOLD_COUNTS);
    let relative = pose.joints()[parent].inverse.matrix3 * moved.matrix3;
    let trace = relative.x_axis.x + relative.y_axis.y + relative.z_axis.z;
    let turned = smooth((3.0 - trace) / (3.0 - TURNED_TRACE));
    let share = bend.clamp(0.0, 1.0) * turned;
    let bent = smooth((1.0 + outward.dot(back)) / (1.0 - BENT));
    if outward == Vec3A::ZERO || back == Vec3A::ZERO {
        return Fold::NONE;
    }
    Fold {
        pivot: moved.transform_point3a(pivot),
        toward: (outward - back).normalize_or_zero(),
        inner: (outward + back).normalize_or_zero(),
        // Normals of both limbs' sides that face each other in the fold: 2 sin(bend / 2).
        opening: (outward + back).length().max(f32::MIN_POSITIVE),
        share,
        bent,
        turned,
    }
}

/// A step from 0 to 1 with a continuous slope.
#[inline(always)]
pub(crate) fn smooth(x: f32) -> f32 {
    let x = x.clamp(0.0, 1.0);
    x * x * (3.0 - 2.0 * x)
}

/// Whether two joints move against each other, seen from where the second one begins.
fn moved(bake: &SkinBake, pose: &Pose, a: usize, b: usize) -> bool {
    let (first, second): (&PosedJoint, &PosedJoint) = (&pose.joints()[a], &pose.joints()[b]);
    let reach = bake.joints[b].field.as_ref().map_or(0.0, |field| field.radius);
    let reach = reach.max(bake.joints[b].segment.length() as f32);
    let difference = first.differs_from(second, bake.joints[b].segment.head.as_vec3a(), reach);
    difference.is_nan() || difference > STILL * reach.max(f32::MIN_POSITIVE)
}

/// Whether an axis of the first box separates both.
fn separated(field: &PosedField, other: &PosedField) -> bool {
    let way = other.centre - field.centre;
    [field.axes.x_axis, field.axes.y_axis, field.axes.z_axis].into_iter().any(|axis| {
        let spread = [other.axes.x_axis, other.axes.y_axis, other.axes.z_axis];
        let reach: f32 = spread.iter().map(|side| side.dot(axis).abs()).sum();
        way.dot(axis).abs() > reach + axis.length_squared()
    })
}
