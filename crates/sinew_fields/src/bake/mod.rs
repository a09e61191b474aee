//! From a mesh and its skeleton to everything that a frame needs.

mod build;
mod error;
mod source;

use glam::{DVec3, Vec3A};

pub use error::{BakeError, BakeReport, JointReport};
pub use source::{BakeSettings, JointField, JointRest, SkinSource};

use crate::fields::FieldGrid;
use crate::partition::Segment;
use crate::skinning::Influences;
use crate::topology::Rings;

/// A baked skin: immutable, made once for a mesh and shared by all of its instances.
///
/// It holds the welded surface, sorted so that vertices of one joint lie together, and a field for each
/// joint. Everything is in model space: the space of the mesh as it is stored. What can be tuned without
/// a new bake is in [`TunedSkin`](crate::TunedSkin).
#[derive(Clone, Debug, PartialEq)]
pub struct SkinBake {
    pub(crate) key: u64,
    /// The skin vertex of each render vertex.
    pub(crate) skin_of: Vec<u32>,
    /// A render vertex of each skin vertex.
    pub(crate) representative: Vec<u32>,
    pub(crate) positions: Vec<Vec3A>,
    /// Unit normals from the triangles, zero where there is none.
    pub(crate) normals: Vec<Vec3A>,
    pub(crate) influences: Influences,
    pub(crate) rings: Rings,
    /// Mean-value coordinates, parallel to the neighbours; zero where a vertex is not relaxed.
    pub(crate) mean_value: Vec<f32>,
    pub(crate) relaxed: Vec<bool>,
    pub(crate) joints: Vec<BakedJoint>,
    /// Joints with parents before their children.
    pub(crate) order: Vec<u16>,
    pub(crate) report: BakeReport,
}

/// What a bake knows of one joint.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct BakedJoint {
    pub segment: Segment,
    /// The joint that it hangs on in the skeleton.
    pub hangs_on: Option<u16>,
    /// The nearest ancestor with a field.
    pub parent: Option<u16>,
    pub field: Option<FieldGrid>,
}

impl SkinBake {
    /// Hash of everything that the bake was made from: equal keys mean equal bakes.
    #[must_use]
    pub fn key(&self) -> u64 {
        self.key
    }

    /// What was put right or left out, to be shown once to whoever loads the mesh.
    #[must_use]
    pub fn report(&self) -> &BakeReport {
        &self.report
    }

    /// The number of render vertices: the length of all slices that frames write.
    #[must_use]
    pub fn render_vertex_count(&self) -> usize {
        self.skin_of.len()
    }

    /// The number of welded vertices.
    #[must_use]
    pub fn skin_vertex_count(&self) -> usize {
        self.positions.len()
    }

    /// The skin vertex of each render vertex.
    #[must_use]
    pub fn skin_of(&self) -> &[u32] {
        &self.skin_of
    }

    /// The number of joints that a pose must have.
    #[must_use]
    pub fn joint_count(&self) -> usize {
        self.joints.len()
    }

    /// The joint that a skin vertex belongs to; `None` when there is no such vertex.
    #[must_use]
    pub fn owner(&self, skin_vertex: usize) -> Option<u16> {
        (skin_vertex < self.positions.len()).then(|| self.influences.dominant(skin_vertex))
    }

    /// The field of a joint, or `None` when it has none or there is no such joint.
    #[must_use]
    pub fn field(&self, joint: usize) -> Option<&FieldGrid> {
        self.joints.get(joint).and_then(|joint| joint.field.as_ref())
    }

    /// Head and tail of a joint, in model space; `None` when there is no such joint.
    #[must_use]
    pub fn segment(&self, joint: usize) -> Option<[DVec3; 2]> {
        self.joints.get(joint).map(|joint| [joint.segment.head, joint.segment.tail])
    }

    /// The joint whose field a joint's field is composed with: its nearest ancestor with a field.
    #[must_use]
    pub fn field_parent(&self, joint: usize) -> Option<u16> {
        self.joints.get(joint).and_then(|joint| joint.parent)
    }
}
