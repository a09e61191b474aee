//! Linear blend skinning of one vertex.

use glam::Vec3A;

use super::PosedJoint;

/// The mean of what each joint's matrix makes of a point.
#[inline(always)]
pub(crate) fn blend((joints, weights): (&[u16], &[f32]), pose: &[PosedJoint], x: Vec3A) -> Vec3A {
    let mut sum = Vec3A::ZERO;
    for (&joint, &weight) in joints.iter().zip(weights) {
        sum += pose[usize::from(joint)].affine.transform_point3a(x) * weight;
    }
    sum
}
