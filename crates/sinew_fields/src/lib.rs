//! Implicit skinning.
#![forbid(unsafe_code)]

mod bake;
pub mod fields;
mod frame;
pub mod operators;
mod partition;
mod pieces;
mod random;
pub mod skinning;
pub mod topology;

pub use bake::{
    BakeError, BakeReport, BakeSettings, JointField, JointReport, JointRest, SkinBake, SkinSource,
};
pub use frame::{
    ContactRule, FieldSample, JointTuning, Lod, LodLevel, PosedFields, SkinReport, SkinScratch,
    SkinSettings, Start, TunedSkin, Tuning, VertexState, deform,
};
pub use glam;
pub use operators::{JointOperator, Opening};
pub use partition::{Partition, Segment, guess_parents, guess_segments};
pub use sinew_math::{Executor, ScopedThreads, Serial};
pub use skinning::{InfluenceSet, Influences, Pose};
