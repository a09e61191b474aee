//! Chain space: where a solve takes place, and the way to it from the world.
//!
//! Chain space is the space of the first joint's parent. One inverse of that parent's world transform brings
//! targets in; local rotations need no conversion at all. So any invertible ancestor will do: scaled to a
//! hundredth, mirrored or sheared. Taking rotations out of scaled world matrices, which breaks many an
//! IK library on such rigs, never happens.

use glam::{Affine3A, DAffine3, DMat3, DMat4, DQuat, Quat, Vec3};
use thiserror::Error;

/// Why a transform cannot be the frame of a chain.
#[derive(Clone, Copy, Debug, Error, PartialEq, Eq)]
pub enum FrameError {
    /// An entry is NaN or infinite.
    #[error("the parent's transform is not finite")]
    NonFinite,
    /// Some scale is zero, so that world and chain space do not match one to one.
    #[error("the parent's transform has zero scale along some direction and cannot be inverted")]
    Singular,
}

/// World to chain and back, worked out in double precision.
///
/// ```
/// use sinew_ik::{ChainFrame, glam::{Affine3A, Quat, Vec3}};
/// // A rig in centimetres.
/// let parent = Affine3A::from_scale_rotation_translation(
///     Vec3::splat(0.01), Quat::from_rotation_x(-1.57), Vec3::new(3.0, 0.0, 1.0));
/// let frame = ChainFrame::new(parent)?;
/// let world = Vec3::new(3.5, 1.0, 0.0);
/// assert!(frame.world_point(frame.chain_point(world)).distance(world) < 1e-6);
/// # Ok::<(), sinew_ik::FrameError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ChainFrame {
    world_from_chain: DAffine3,
    chain_from_world: DAffine3,
    /// Rotation part of `world_from_chain`.
    rotation: DQuat,
    /// Frobenius norm of the linear part: at least its largest stretch.
    norm: f64,
    similar: bool,
}

impl ChainFrame {
    /// The frame below a parent with this world transform.
    ///
    /// # Errors
    /// When the transform is not finite or cannot be inverted.
    pub fn new(world_from_chain: Affine3A) -> Result<Self, FrameError> {
        if !world_from_chain.is_finite() {
            return Err(FrameError::NonFinite);
        }
        let m = world_from_chain.matrix3;
        let linear =
            DMat3::from_cols(m.x_axis.as_dvec3(), m.y_axis.as_dvec3(), m.z_axis.as_dvec3());
        let columns = [linear.x_axis, linear.y_axis, linear.z_axis];
        let norm = columns.iter().map(|c| c.length_squared()).sum::<f64>().sqrt();
        let determinant = linear.determinant();
        // Negated, so that NaN from an overflow counts as singular.
        let regular = determinant.abs() > 1e-12 * norm.powi(3);
        if !regular || !norm.is_finite() {
            return Err(FrameError::Singular);
        }
        let world_from_chain =
            DAffine3 { matrix3: linear, translation: world_from_chain.translation.as_dvec3() };
        let slack = 1e-5 * norm;
        let similar = columns.iter().all(|c| (c.length() * 3.0_f64.sqrt() - norm).abs() < slack)
            && linear.x_axis.dot(linear.y_axis).abs() < slack * norm
            && linear.y_axis.dot(linear.z_axis).abs() < slack * norm
            && linear.z_axis.dot(linear.x_axis).abs() < slack * norm;
        Ok(Self {
            world_from_chain,
            chain_from_world: world_from_chain.inverse(),
            rotation: rotation_part(if determinant < 0.0 { -linear } else { linear }),
            norm,
            similar,
        })
    }

    /// A world point in chain space. If the end effector meets it there, it meets the target in the world exactly.
    #[must_use]
    pub fn chain_point(&self, world: Vec3) -> Vec3 {
        self.chain_from_world.transform_point3(world.as_dvec3()).as_vec3()
    }

    /// A point of chain space in the world.
    #[must_use]
    pub fn world_point(&self, chain: Vec3) -> Vec3 {
        self.world_from_chain.transform_point3(chain.as_dvec3()).as_vec3()
    }

    /// A point given by another world transform and a place in its space, without a detour over rounded
    /// world coordinates: exact also far from the origin.
    #[must_use]
    pub fn chain_point_from(&self, world_from_other: Affine3A, point: Vec3) -> Vec3 {
        let other = DMat4::from(world_from_other_f64(world_from_other));
        let world = other.transform_point3(point.as_dvec3());
        self.chain_from_world.transform_point3(world).as_vec3()
    }

    /// A world direction or offset in chain space.
    #[must_use]
    pub fn chain_vector(&self, world: Vec3) -> Vec3 {
        self.chain_from_world.transform_vector3(world.as_dvec3()).as_vec3()
    }

    /// A world rotation in chain space. Under sheared or unevenly scaled parents the parent's rotation
    /// is the one nearest to its transform (polar factor); under mirrored ones, nearest to the negated transform.
    #[must_use]
    pub fn chain_rotation(&self, world: Quat) -> Quat {
        (self.rotation.conjugate() * world.as_dquat()).normalize().as_quat()
    }

    /// A rotation of chain space in the world; undoes [`ChainFrame::chain_rotation`].
    #[must_use]
    pub fn world_rotation(&self, chain: Quat) -> Quat {
        (self.rotation * chain.as_dquat()).normalize().as_quat()
    }

    /// A tolerance in chain space that keeps a tolerance in the world, whatever the direction.
    #[must_use]
    pub fn chain_tolerance(&self, world: f32) -> f32 {
        (f64::from(world) / self.norm) as f32
    }

    /// A world length in chain space, by the mean scale. Exact where [`ChainFrame::is_similarity`].
    #[must_use]
    pub fn chain_length(&self, world: f32) -> f32 {
        (f64::from(world) * 3.0_f64.sqrt() / self.norm) as f32
    }

    /// The parent only turns, moves, mirrors and scales evenly: balls of chain space are balls of the world.
    #[must_use]
    pub fn is_similarity(&self) -> bool {
        self.similar
    }
}

fn world_from_other_f64(affine: Affine3A) -> DAffine3 {
    let m = affine.matrix3;
    DAffine3 {
        matrix3: DMat3::from_cols(m.x_axis.as_dvec3(), m.y_axis.as_dvec3(), m.z_axis.as_dvec3()),
        translation: affine.translation.as_dvec3(),
    }
}

/// The rotation nearest to a matrix of positive determinant: Newton's iteration for the polar factor.
fn rotation_part(linear: DMat3) -> DQuat {
    /// Quadratic at the end; scales of 1 : 1e4 take about twenty.
    const MOST_ROUNDS: u32 = 60;
    let mut x = linear * (1.0 / linear.determinant().abs().cbrt());
    for _ in 0..MOST_ROUNDS {
        let next = (x + x.inverse().transpose()) * 0.5;
        let change = next - x;
        let moved = [change.x_axis, change.y_axis, change.z_axis];
        x = next;
        if moved.iter().map(|c| c.length_squared()).sum::<f64>() < 1e-28 {
            break;
        }
    }
    DQuat::from_mat3(&x).normalize()
}
