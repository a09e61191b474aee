//! Dual quaternion skinning of one vertex (Kavan et al. 2008, algorithm 1).

use glam::{Mat3A, Quat, Vec3A, Vec4};

use super::{Pose, PosedJoint};

/// A rigid motion as a unit quaternion and its dual part, both as (x, y, z, w).
#[derive(Clone, Copy, Debug)]
pub(crate) struct DualQuaternion {
    real: Vec4,
    dual: Vec4,
}

impl DualQuaternion {
    /// The motion `x ↦ rotation·x + translation`.
    pub fn new(rotation: Quat, translation: Vec3A) -> Self {
        let half = translation * 0.5;
        let dual = Quat::from_xyzw(half.x, half.y, half.z, 0.0).mul_quat(rotation);
        Self { real: Vec4::from(rotation), dual: Vec4::from(dual) }
    }

    /// The normalised blend, each term with the sign that is nearer to the first joint's.
    ///
    /// The blend's real part cannot vanish: no term has a negative product with the first one.
    #[inline(always)]
    pub fn blend((joints, weights): (&[u16], &[f32]), pose: &[PosedJoint]) -> Self {
        let pivot = pose[usize::from(joints[0])].motion;
        if joints.len() == 1 {
            return pivot;
        }
        let mut real = pivot.real * weights[0];
        let mut dual = pivot.dual * weights[0];
        for (&joint, &weight) in joints.iter().zip(weights).skip(1) {
            let motion = pose[usize::from(joint)].motion;
            let signed = weight.copysign(pivot.real.dot(motion.real));
            real += motion.real * signed;
            dual += motion.dual * signed;
        }
        let scale = real.length_recip();
        Self { real: real * scale, dual: dual * scale }
    }

    /// The rotation.
    #[inline(always)]
    pub fn rotation(&self) -> Quat {
        Quat::from_vec4(self.real)
    }

    /// Moves a point.
    #[inline(always)]
    pub fn transform(&self, x: Vec3A) -> Vec3A {
        let (axis, dual) = (Vec3A::from_vec4(self.real), Vec3A::from_vec4(self.dual));
        let (w, dual_w) = (self.real.w, self.dual.w);
        let turned = x + (axis * 2.0).cross(axis.cross(x) + x * w);
        turned + (dual * w - axis * dual_w + axis.cross(dual)) * 2.0
    }
}

/// A point of the mesh after the linear blend of its joints' scales and shears.
#[inline(always)]
pub(crate) fn stretched((joints, weights): (&[u16], &[f32]), pose: &Pose, x: Vec3A) -> Vec3A {
    if !pose.stretches() {
        return x;
    }
    let mut stretch = Mat3A::ZERO;
    for (&joint, &weight) in joints.iter().zip(weights) {
        stretch += pose.joints()[usize::from(joint)].stretch * weight;
    }
    stretch * x
}
