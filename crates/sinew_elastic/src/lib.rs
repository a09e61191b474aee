//! Deformable bodies by shape matching over overlapping regions, with example poses.
//!
//! A body is a cloud of particles covered by overlapping regions. Each step fits a deformation to every
//! region, takes its rotation (and, with examples, a blend of the artist's poses) as a goal, and pulls
//! each particle towards the mean of the goals of its regions. The method is that of Koyama, Takayama,
//! Umetani and Igarashi, *Real-Time Example-Based Elastic Deformation* (2012), made conservative: goals
//! turn with the rotation that is best for the target shape, so that the pull is the gradient of an
//! energy and momentum is kept.
//!
//! ```
//! use sinew_elastic::glam::Vec3;
//! use sinew_elastic::lattice::LatticeNodes;
//! use sinew_elastic::{Body, BodyState, ElasticShape, Scratch, Serial, StepInput, step};
//!
//! // A block of 5 × 5 × 5 particles falls for one tick.
//! let shape = ElasticShape::from_lattice(&LatticeNodes::block([5, 5, 5], 0.1)?)?;
//! let mut state = BodyState::at_rest(&shape);
//! let mut scratch = Scratch::new(&shape, None);
//! let input = StepInput { gravity: Vec3::NEG_Y * 9.81, ..StepInput::default() };
//! step(&Body::new(&shape), &input, 1.0 / 60.0, &mut state, &mut scratch, &Serial);
//! assert!(state.velocity(&shape, 0).y < 0.0);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! | data | lives | what |
//! |---|---|---|
//! | [`ElasticShape`] | shared, immutable | particles at rest and regions |
//! | [`ExampleBasis`] | shared, immutable | strains of the example poses |
//! | [`BodyState`] | one a body | all that rollback must keep |
//! | [`Scratch`] | one a body, or one a thread | working memory |
#![forbid(unsafe_code)]

mod contact;
mod deformer;
mod embedding;
mod examples;
pub mod lattice;
mod material;
pub mod mesh;
mod probe;
mod shape;
mod sleep;
mod state;
mod step;
mod weight_set;

pub use contact::{Collider, ColliderShape, Reaction};
pub use deformer::Deformer;
pub use embedding::{Embedding, EmbeddingError, RegionGradients, deform_normal, deform_tangent};
pub use examples::{
    ExampleBasis, ExampleError, ExampleNote, ExamplePose, Groups, MOST_EXAMPLES, MOST_GROUPS,
};
pub use glam;
pub use material::{Integrator, MAX_SUBSTEPS, Material, Method, StepNumbers};
pub use probe::Probe;
pub use shape::{ContactPoint, ElasticShape, ShapeError, ShapeReport};
pub use sinew_math::SimdLevel;
pub use sinew_math::{Executor, ScopedThreads, Serial};
use sinew_math::{executor, hash};
pub use sleep::Sleep;
pub use state::{BodyState, RigidPose};
pub use step::{Anchor, Body, Control, LONGEST_STEP, Scratch, StepInput, StepReport, step};
pub use weight_set::{WeightSet, WeightSolver};
