//! What can go wrong in a bake, and what it reports when it went well.

use thiserror::Error;

use crate::fields::NoField;
use crate::topology::WeldReport;

/// Why there is no bake at all. What concerns one joint only is in the [`BakeReport`] instead.
#[derive(Clone, Debug, PartialEq, Error)]
pub enum BakeError {
    /// The mesh is empty.
    #[error("the mesh has no vertices")]
    NoVertices,
    /// Vertex indices are 32 bits wide.
    #[error("the mesh has {vertices} vertices, more than 32 bits can count")]
    TooManyVertices {
        /// The vertices given.
        vertices: usize,
    },
    /// A position is not finite.
    #[error("vertex {vertex} has a position that is not finite")]
    NonFinitePosition {
        /// The vertex.
        vertex: usize,
    },
    /// A triangle names a vertex that does not exist.
    #[error("triangle {triangle} names vertex {vertex}, the mesh has {vertices}")]
    TriangleOutOfRange {
        /// The triangle.
        triangle: usize,
        /// What it names.
        vertex: u32,
        /// Vertices of the mesh.
        vertices: usize,
    },
    /// Influences and positions are of different meshes.
    #[error("the influences are of {found} vertices, the mesh has {expected}")]
    WrongInfluences {
        /// Vertices of the influences.
        found: usize,
        /// Vertices of the mesh.
        expected: usize,
    },
    /// Influences and joints are of different skeletons.
    #[error("the influences name {expected} joints, {found} were given")]
    WrongJoints {
        /// The joints given.
        found: usize,
        /// The joints of the influences.
        expected: usize,
    },
    /// A joint's position is not finite.
    #[error("joint {joint} is at a position that is not finite; check its inverse bind matrix")]
    NonFiniteJoint {
        /// The joint.
        joint: usize,
    },
    /// A joint's parent does not exist.
    #[error("joint {joint} has joint {parent} as parent, there are {joints} joints")]
    NoSuchParent {
        /// The joint.
        joint: usize,
        /// What it names.
        parent: u16,
        /// The number of joints.
        joints: usize,
    },
    /// Following parents from a joint leads back to it.
    #[error("joint {joint} is its own ancestor")]
    ParentCycle {
        /// The joint.
        joint: usize,
    },
}

/// What a bake made of one joint.
#[derive(Clone, Debug, PartialEq)]
pub struct JointReport {
    /// Skin vertices that the joint dominates.
    pub vertices: u32,
    /// Samples that its field goes through, caps included; 0 without a field.
    pub samples: u32,
    /// The part's triangles were wound inside out, and its normals have been turned.
    pub inverted: bool,
    /// Why it has no field; `None` when it has one. Its vertices keep plain skinning.
    pub no_field: Option<NoField>,
}

/// What a bake put right or left out.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct BakeReport {
    /// Vertices joined and triangles dropped.
    pub weld: WeldReport,
    /// Skin vertices that no triangle uses; they keep plain skinning.
    pub isolated: u32,
    /// Skin vertices on a border.
    pub border: u32,
    /// Skin vertices where several sheets meet.
    pub irregular: u32,
    /// One entry a joint.
    pub joints: Vec<JointReport>,
}

impl BakeReport {
    /// Joints that have skin but no field, with the reason: what a user should hear of once.
    pub fn joints_without_field(&self) -> impl Iterator<Item = (usize, NoField)> + '_ {
        self.joints
            .iter()
            .enumerate()
            .filter(|(_, joint)| joint.vertices > 0)
            .filter_map(|(index, joint)| Some((index, joint.no_field?)))
            .filter(|(_, reason)| *reason != NoField::Skipped)
    }

    /// The number of joints with a field.
    #[must_use]
    pub fn field_count(&self) -> usize {
        self.joints.iter().filter(|joint| joint.no_field.is_none()).count()
    }
}
