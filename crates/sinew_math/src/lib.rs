//! Shared numerics of the Sinew kernels: eight-wide lanes, rotation extraction and 3×3 algebra.
//!
//! Kernels work on eight regions or particles at a time, one in each lane of an [`F8`]. They are generic
//! over the registers ([`lane::Lane`]); [`dispatch`] chooses AVX2 where the machine has it. No fused
//! operation is ever used, so every instruction set gives the same bits.
//!
//! | module | what for |
//! |---|---|
//! | [`wide`] | [`F8`], [`Vec3x8`], [`Mat3x8`], [`Sym3x8`], [`Quatx8`]: eight values in memory |
//! | [`lane`] | the same in registers, with arithmetic; run-time choice of the instruction set |
//! | [`rotation`] | the rotation that is nearest to a 3×3 matrix, by Newton's method on SO(3) |
//! | [`executor`] | how a kernel spreads its work over threads |
//! | [`hash`] | a hash that is the same on every machine |
//! | [`symmetric`] | eigenvalues and pseudo-inverses of symmetric 3×3 matrices, at load time |
#![forbid(unsafe_code)]

pub mod executor;
pub mod hash;
pub mod lane;
pub mod rotation;
pub mod symmetric;
pub mod wide;

pub use executor::{Executor, ScopedThreads, Serial};
pub use hash::Hash;
pub use lane::{Lane, LaneWork, SimdLevel, dispatch};
pub use wide::{F8, LANES, Mat3x8, Quad, Quatx8, Sym3x8, Vec3x8};
