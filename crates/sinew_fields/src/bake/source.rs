//! What a bake is made from.

use glam::Vec3;

use super::BakeError;
use crate::fields::{GridResolution, SampleSettings};
use crate::skinning::Influences;
use sinew_math::Hash;

/// Whether a joint gets a field.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum JointField {
    /// If there is enough skin for one.
    #[default]
    Auto,
    /// Never: its vertices keep plain skinning, and nothing touches them. For rigid props, eyes, teeth.
    Skip,
}

/// A joint at rest.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct JointRest {
    /// The joint it hangs on. Flat rigs can use [`guess_parents`](crate::guess_parents).
    pub parent: Option<u16>,
    /// Its position in model space: the translation of the inverse of its inverse bind matrix.
    pub head: Vec3,
    /// The other end of its segment, in model space; `None` to have it guessed.
    pub tail: Option<Vec3>,
    /// Whether it gets a field.
    pub field: JointField,
}

/// A skinned mesh at rest, as engines store it.
#[derive(Clone, Copy, Debug)]
pub struct SkinSource<'a> {
    /// Positions of the render vertices, model space.
    pub positions: &'a [[f32; 3]],
    /// Triangles, counter-clockwise seen from outside.
    pub triangles: &'a [[u32; 3]],
    /// Joints and weights of the render vertices.
    pub influences: &'a Influences,
    /// The skeleton.
    pub joints: &'a [JointRest],
}

/// How a skin is baked.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct BakeSettings {
    /// How parts are sampled.
    pub samples: SampleSettings,
    /// How finely fields are stored.
    pub resolution: GridResolution,
    /// The least number of vertices that a joint must dominate to get a field.
    pub least_vertices: usize,
}

impl Default for BakeSettings {
    fn default() -> Self {
        Self {
            samples: SampleSettings::default(),
            resolution: GridResolution::default(),
            least_vertices: 20,
        }
    }
}

/// Changes with every release that bakes differently, so that keys of old bakes do not fit.
const BAKE_VERSION: u32 = 1;

impl SkinSource<'_> {
    /// Hash of all of the input and of the settings, the same on every machine: what a cache of bakes looks up.
    #[must_use]
    pub fn key(&self, settings: &BakeSettings) -> u64 {
        let mut hash = Hash::new();
        hash.add_all([BAKE_VERSION, self.positions.len() as u32, self.triangles.len() as u32]);
        hash.add_all(self.positions.iter().flatten().map(|x| x.to_bits()));
        hash.add_all(self.triangles.iter().flatten().copied());
        hash.add_all(self.influences.starts.iter().copied());
        hash.add_all(self.influences.joints.iter().map(|&joint| u32::from(joint)));
        hash.add_all(self.influences.weights.iter().map(|weight| weight.to_bits()));
        for joint in self.joints {
            hash.add_all([joint.parent.map_or(u32::MAX, u32::from), joint.field as u32]);
            hash.add_all(joint.head.to_array().map(f32::to_bits));
            hash.add_all(joint.tail.map_or([u32::MAX; 3], |t| t.to_array().map(f32::to_bits)));
        }
        let samples = &settings.samples;
        for number in [
            samples.count as u64,
            samples.cull.to_bits(),
            samples.seed,
            u64::from(settings.resolution.along),
            u64::from(settings.resolution.across),
            settings.least_vertices as u64,
        ] {
            hash.add_bytes(&number.to_le_bytes());
        }
        hash.finish()
    }

    pub(super) fn check(&self) -> Result<(), BakeError> {
        let vertices = self.positions.len();
        if vertices == 0 {
            return Err(BakeError::NoVertices);
        }
        if vertices >= u32::MAX as usize || self.triangles.len() >= (u32::MAX / 6) as usize {
            return Err(BakeError::TooManyVertices { vertices });
        }
        if self.influences.vertex_count() != vertices {
            let found = self.influences.vertex_count();
            return Err(BakeError::WrongInfluences { found, expected: vertices });
        }
        if self.influences.joint_count() != self.joints.len() {
            let expected = self.influences.joint_count();
            return Err(BakeError::WrongJoints { found: self.joints.len(), expected });
        }
        let finite = |position: &[f32; 3]| position.iter().all(|x| x.is_finite());
        if let Some(vertex) = self.positions.iter().position(|position| !finite(position)) {
            return Err(BakeError::NonFinitePosition { vertex });
        }
        for (triangle, corners) in self.triangles.iter().enumerate() {
            if let Some(&vertex) = corners.iter().find(|&&v| v as usize >= vertices) {
                return Err(BakeError::TriangleOutOfRange { triangle, vertex, vertices });
            }
        }
        self.check_joints()
    }

    fn check_joints(&self) -> Result<(), BakeError> {
        let joints = self.joints.len();
        for (index, joint) in self.joints.iter().enumerate() {
            if !joint.head.is_finite() || joint.tail.is_some_and(|tail| !tail.is_finite()) {
                return Err(BakeError::NonFiniteJoint { joint: index });
            }
            if let Some(parent) = joint.parent.filter(|&parent| usize::from(parent) >= joints) {
                return Err(BakeError::NoSuchParent { joint: index, parent, joints });
            }
        }
        for joint in 0..joints {
            let mut ancestor = self.joints[joint].parent;
            for _ in 0..joints {
                let Some(parent) = ancestor else { break };
                ancestor = self.joints[usize::from(parent)].parent;
            }
            if ancestor.is_some() {
                return Err(BakeError::ParentCycle { joint });
            }
        }
        Ok(())
    }
}
