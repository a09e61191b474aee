//! Plain skinning on the CPU: linear blend and dual quaternions, usable without any field.
//!
//! [`Influences`] say which joints move a vertex, a [`Pose`] where the joints are. [`linear_blend`] and
//! [`dual_quaternion`] then move positions; [`rotate_normals`] turns normals along.

mod dual_quaternion;
mod influences;
mod linear;
mod pose;

use glam::{Quat, Vec3A};
use thiserror::Error;

use crate::pieces::fill;
pub use influences::{InfluenceError, InfluenceReport, InfluenceSet, Influences};
pub use pose::{JointShape, Pose};
use sinew_math::Executor;

pub(crate) use dual_quaternion::{DualQuaternion, stretched};
pub(crate) use linear::blend as blend_linear;
pub(crate) use pose::PosedJoint;

/// Why a skinning call did nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum SkinningError {
    /// Slices of one call must have one entry a vertex.
    #[error(
        "{what} has {found} entries, the skin has {expected} vertices; pass one entry a vertex"
    )]
    WrongLength {
        /// The slice.
        what: &'static str,
        /// Its length.
        found: usize,
        /// The vertices of the influences.
        expected: usize,
    },
    /// Parts of one call must have been made from one bake.
    #[error("{what} was made for another skin; make it from the bake that it is used with")]
    WrongSkin {
        /// The part.
        what: &'static str,
    },
    /// The pose must have a transform for each joint that the influences may name.
    #[error("the pose has {found} joints, the influences were made for {expected}")]
    WrongJoints {
        /// The joints of the pose.
        found: usize,
        /// The joints of the influences.
        expected: usize,
    },
}

fn check(
    influences: &Influences,
    pose: &Pose,
    slices: [(&'static str, usize); 2],
) -> Result<(), SkinningError> {
    let expected = influences.vertex_count();
    for (what, found) in slices {
        if found != expected {
            return Err(SkinningError::WrongLength { what, found, expected });
        }
    }
    if pose.len() != influences.joint_count() {
        let expected = influences.joint_count();
        return Err(SkinningError::WrongJoints { found: pose.len(), expected });
    }
    Ok(())
}

/// Moves each vertex by the weighted mean of its joints' matrices: what most engines do.
///
/// `positions` are in model space, `out` is in the pose's output space. Exact for vertices of one joint;
/// halfway between two joints a bend by φ shrinks the radius by `cos(φ/2)`, and a twist by 180° collapses
/// it (the candy wrapper).
///
/// # Errors
/// When a slice or the pose does not fit the influences; nothing is written then.
pub fn linear_blend(
    influences: &Influences,
    pose: &Pose,
    positions: &[[f32; 3]],
    out: &mut [[f32; 3]],
    executor: &impl Executor,
) -> Result<(), SkinningError> {
    check(influences, pose, [("positions", positions.len()), ("out", out.len())])?;
    fill(executor, out, |first, out| {
        for (vertex, out) in (first..).zip(out) {
            let position = Vec3A::from_array(positions[vertex]);
            *out = blend_linear(influences.row(vertex), pose.joints(), position).to_array();
        }
    });
    Ok(())
}

/// Moves each vertex by a blend of its joints' rigid motions, which keeps lengths under a twist.
///
/// `positions` are in model space, `out` is in the pose's output space. Scale and shear of the joints are
/// blended linearly and applied first. Kavan, Collins, Žára, O'Sullivan, *Geometric Skinning with
/// Approximate Dual Quaternion Blending*, 2008.
///
/// # Errors
/// When a slice or the pose does not fit the influences; nothing is written then.
pub fn dual_quaternion(
    influences: &Influences,
    pose: &Pose,
    positions: &[[f32; 3]],
    out: &mut [[f32; 3]],
    executor: &impl Executor,
) -> Result<(), SkinningError> {
    check(influences, pose, [("positions", positions.len()), ("out", out.len())])?;
    fill(executor, out, |first, out| {
        for (vertex, out) in (first..).zip(out) {
            let position = Vec3A::from_array(positions[vertex]);
            let row = influences.row(vertex);
            let motion = DualQuaternion::blend(row, pose.joints());
            *out = motion.transform(stretched(row, pose, position)).to_array();
        }
    });
    Ok(())
}

/// Turns rest normals by the blended rotation of each vertex, with the sign of a mirrored pose.
///
/// `normals` are in model space, `out` is in the pose's output space, of the same lengths as the input's.
///
/// # Errors
/// When a slice or the pose does not fit the influences; nothing is written then.
pub fn rotate_normals(
    influences: &Influences,
    pose: &Pose,
    normals: &[[f32; 3]],
    out: &mut [[f32; 3]],
    executor: &impl Executor,
) -> Result<(), SkinningError> {
    check(influences, pose, [("normals", normals.len()), ("out", out.len())])?;
    let sign = pose.handedness();
    fill(executor, out, |first, out| {
        for (vertex, out) in (first..).zip(out) {
            let turn: Quat =
                DualQuaternion::blend(influences.row(vertex), pose.joints()).rotation();
            *out = (turn * Vec3A::from_array(normals[vertex]) * sign).to_array();
        }
    });
    Ok(())
}
