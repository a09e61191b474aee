//! One frame: from the transforms of the joints to the skin.

mod contact;
mod deform;
mod lod;
mod normals;
mod posed;
mod project;
mod scratch;
mod settings;
mod smooth;
mod tuning;

pub use deform::{SkinReport, deform};
pub use lod::{Lod, LodLevel};
pub use posed::{FieldSample, PosedFields};
pub use scratch::{SkinScratch, VertexState};
pub use settings::{ContactRule, SkinSettings, Start};
pub use tuning::{JointTuning, TunedSkin, Tuning};
