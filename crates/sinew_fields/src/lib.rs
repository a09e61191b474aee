//! Implicit skinning.
#![forbid(unsafe_code)]

mod bake;
mod executor;
pub mod fields;
mod frame;
mod hash;
pub mod operators;
mod partition;
mod random;
pub mod skinning;
pub mod topology;

pub use bake::{
    BakeError, BakeReport, BakeSettings, JointField, JointReport, JointRest, SkinBake,
    SkinSource,
};
pub use executor::{Executor, ScopedThreads, Serial};
pub use frame::{
    ContactRule, FieldSample, JointTuning, Lod, LodLevel, PosedFields, SkinReport, SkinScratch,
    SkinSettings, Start, TunedSkin, Tuning, VertexState, deform,
};
pub use glam;
pub use operators::{JointOperator, Opening};
pub use partition::{Partition, Segment, guess_parents, guess_segments};
pub use skinning::{InfluenceSet, Influences, Pose};
