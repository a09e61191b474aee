//! Implicit skinning on the CPU, without any engine: elbows that keep their volume, skin that touches skin
//! instead of passing through it, twists that do not collapse, and all detail of the mesh kept.
//!
//! Each joint gets a smooth field fitted to its part of the skin. A frame starts from plain skinning, poses
//! the fields with the joints, composes them, and moves each vertex back to the value that it has at rest,
//! or onto the surface between two parts that touch. After Vaillant et al. 2013, *Implicit Skinning*; contact
//! is found anew in each frame, so that a pose alone decides the result.
//!
//! | to | use |
//! |---|---|
//! | clean a mesh's joints and weights, from any number of attribute sets | [`Influences`] |
//! | skin plainly, by linear blend or dual quaternions | [`skinning`] |
//! | bake a mesh once | [`SkinBake::new`] with a [`SkinSource`] |
//! | choose operators, radii, the contact gap | [`Tuning`], [`TunedSkin`] |
//! | solve a frame | [`Pose`], [`SkinScratch`], [`deform`] |
//! | ask for the field at a point: cloth, hair, bodies | [`PosedFields::sample`] |
//! | do less at a distance | [`Lod`] |
//!
//! ```
//! use sinew_fields::glam::{Affine3A, Vec3};
//! use sinew_fields::{
//!     BakeSettings, InfluenceSet, Influences, JointRest, Pose, Serial, SkinBake, SkinScratch,
//!     SkinSettings, SkinSource, TunedSkin, Tuning, deform,
//! };
//!
//! // A tube along x of two joints; an engine takes all of this from its mesh.
//! let ring = |i: usize| (i / 16, (i % 16) as f32 * std::f32::consts::TAU / 16.0);
//! let positions: Vec<[f32; 3]> = (0..33 * 16)
//!     .map(ring)
//!     .map(|(x, turn)| [x as f32 * 0.25 - 4.0, turn.cos(), turn.sin()])
//!     .collect();
//! let triangles: Vec<[u32; 3]> = (0..32 * 16)
//!     .flat_map(|i| {
//!         let next = if i % 16 == 15 { i - 15 } else { i + 1 };
//!         [[i, next, i + 16], [next, next + 16, i + 16]]
//!     })
//!     .collect();
//! let weights: Vec<[f32; 4]> = positions
//!     .iter()
//!     .map(|p| (p[0] + 0.5).clamp(0.0, 1.0))
//!     .map(|far| [1.0 - far, far, 0.0, 0.0])
//!     .collect();
//! let joints = vec![[0, 1, 0, 0]; positions.len()];
//! let set = InfluenceSet { joints: &joints, weights: &weights };
//! let (influences, _) = Influences::new(2, positions.len(), &[set])?;
//!
//! let upper = JointRest { head: Vec3::X * -4.0, ..JointRest::default() };
//! let lower = JointRest { parent: Some(0), head: Vec3::ZERO, ..JointRest::default() };
//! let source = SkinSource {
//!     positions: &positions,
//!     triangles: &triangles,
//!     influences: &influences,
//!     joints: &[upper, lower],
//! };
//! let bake = SkinBake::new(&source, &BakeSettings::default(), &Serial)?;
//! let tuned = TunedSkin::new(&bake, &Tuning::default());
//!
//! // Each frame: where each joint takes the mesh from its rest shape.
//! let mut scratch = SkinScratch::new(&bake);
//! let pose = Pose::new(&[Affine3A::IDENTITY, Affine3A::from_rotation_z(1.8)]);
//! let report = deform(&bake, &tuned, &SkinSettings::default(), &pose, &mut scratch, &Serial)?;
//! let mut solved = vec![[0.0; 3]; positions.len()];
//! scratch.write_positions(&bake, &mut solved, &Serial)?;
//! assert!(report.contact > 0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
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
