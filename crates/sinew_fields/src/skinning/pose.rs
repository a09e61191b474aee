//! Where the joints are in one frame.

use glam::{Affine3A, Mat3A, Quat, Vec3A};

use super::DualQuaternion;

/// What a joint's transform does to lengths, which decides whether its field can be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum JointShape {
    /// A rotation and a translation, with one scale for all axes; mirroring counts as a negative scale.
    Rigid,
    /// Different scales along the axes, or shear: fields do not hold, plain skinning does.
    Stretched,
    /// Zero or nearly zero volume, or numbers that are not finite (then the identity is used).
    Broken,
}

/// One joint in a frame.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PosedJoint {
    /// Output space from model space.
    pub affine: Affine3A,
    /// Model space from output space; the identity unless rigid.
    pub inverse: Affine3A,
    /// The rigid part.
    pub motion: DualQuaternion,
    /// The symmetric part: `affine.matrix3 = rotation · stretch`.
    pub stretch: Mat3A,
    /// The scale of a rigid joint, negative when mirrored.
    pub scale: f32,
    pub shape: JointShape,
}

/// The transforms of all joints in one frame, prepared for skinning.
///
/// Each transform takes a point of the mesh in model space (as the mesh is stored) to the output space
/// of the frame: in an engine `output_from_world · world_from_joint · joint_from_model` with the inverse
/// bind matrix last. Taking the mesh's own space as output keeps precision far from the origin.
#[derive(Clone, Debug, Default)]
pub struct Pose {
    joints: Vec<PosedJoint>,
    stretches: bool,
    mirrored: bool,
}

/// How far lengths may change, relatively, before a joint counts as stretched.
const RIGID_TOLERANCE: f32 = 2e-3;
/// Steps of Newton's polar iteration; it converges quadratically.
const POLAR_STEPS: usize = 12;

impl Pose {
    /// Prepares the transforms of all joints.
    #[must_use]
    pub fn new(output_from_model: &[Affine3A]) -> Self {
        let mut pose = Self::default();
        pose.set(output_from_model.iter().copied());
        pose
    }

    /// Replaces all transforms; allocates only when there are more joints than ever before.
    pub fn set(&mut self, output_from_model: impl IntoIterator<Item = Affine3A>) {
        self.joints.clear();
        self.joints.extend(output_from_model.into_iter().map(PosedJoint::new));
        self.stretches = self.joints.iter().any(|joint| joint.stretch != Mat3A::IDENTITY);
        let mirrored = self.joints.iter().filter(|joint| joint.scale < 0.0).count();
        self.mirrored = 2 * mirrored > self.joints.len();
    }

    /// The number of joints.
    #[must_use]
    pub fn len(&self) -> usize {
        self.joints.len()
    }

    /// Whether there are no joints.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.joints.is_empty()
    }

    /// What a joint's transform does to lengths; `None` when there is no such joint.
    #[must_use]
    pub fn shape(&self, joint: usize) -> Option<JointShape> {
        self.joints.get(joint).map(|joint| joint.shape)
    }

    /// Output space from model space; `None` when there is no such joint.
    #[must_use]
    pub fn output_from_model(&self, joint: usize) -> Option<Affine3A> {
        self.joints.get(joint).map(|joint| joint.affine)
    }

    /// -1 when most joints mirror the mesh, else 1.
    #[must_use]
    pub fn handedness(&self) -> f32 {
        if self.mirrored { -1.0 } else { 1.0 }
    }

    #[inline(always)]
    pub(crate) fn joints(&self) -> &[PosedJoint] {
        &self.joints
    }

    /// Whether some joint is not a pure rotation and translation.
    #[inline(always)]
    pub(crate) fn stretches(&self) -> bool {
        self.stretches
    }
}

impl PosedJoint {
    fn new(affine: Affine3A) -> Self {
        if !affine.is_finite() {
            let shape = JointShape::Broken;
            return Self { shape, ..Self::new(Affine3A::IDENTITY) };
        }
        let matrix = affine.matrix3;
        let scale = matrix.determinant().abs().cbrt().copysign(matrix.determinant());
        let size = matrix.x_axis.length().max(matrix.y_axis.length()).max(matrix.z_axis.length());
        if scale.abs() <= 1e-4 * size || scale == 0.0 || !scale.is_finite() {
            return Self {
                affine,
                inverse: Affine3A::IDENTITY,
                motion: DualQuaternion::new(Quat::IDENTITY, affine.translation),
                stretch: matrix,
                scale: 1.0,
                shape: JointShape::Broken,
            };
        }
        // Newton's iteration for the orthogonal factor (Higham 1986), from a matrix of unit volume.
        let mut rotation = matrix * scale.recip();
        let mut turned = is_rotation(rotation, 1e-6);
        for _ in 0..POLAR_STEPS {
            if turned {
                break;
            }
            rotation = (rotation + rotation.inverse().transpose()) * 0.5;
            turned = is_rotation(rotation, 1e-6);
        }
        let quaternion = Quat::from_mat3a(&rotation).normalize();
        let even = is_rotation(matrix * scale.recip(), RIGID_TOLERANCE);
        let stretch = if !even {
            rotation.transpose() * matrix
        } else if (scale - 1.0).abs() < 1e-6 {
            Mat3A::IDENTITY
        } else {
            Mat3A::from_diagonal(glam::Vec3::splat(scale))
        };
        let inverse = affine.inverse();
        if !(inverse.is_finite() && quaternion.is_finite() && stretch.is_finite()) {
            let shape = JointShape::Broken;
            return Self { affine, stretch: matrix, shape, ..Self::new(Affine3A::IDENTITY) };
        }
        Self {
            affine,
            inverse,
            motion: DualQuaternion::new(quaternion, affine.translation),
            stretch,
            scale,
            shape: if even { JointShape::Rigid } else { JointShape::Stretched },
        }
    }

    /// The translation and rotation that the joint makes beside `other`: zero when both move as one body.
    ///
    /// `reach` is the distance, in model space, at which a rotation is turned into a length.
    pub fn differs_from(&self, other: &Self, centre: Vec3A, reach: f32) -> f32 {
        let relative = other.inverse * self.affine;
        let turn = relative.matrix3 - Mat3A::IDENTITY;
        let moved = relative.transform_point3a(centre) - centre;
        let turned = turn.x_axis.abs().max(turn.y_axis.abs()).max(turn.z_axis.abs());
        moved.length() + turned.max_element() * reach
    }
}

fn is_rotation(m: Mat3A, tolerance: f32) -> bool {
    let gram = m.transpose() * m;
    gram.abs_diff_eq(Mat3A::IDENTITY, tolerance)
}
