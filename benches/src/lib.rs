//! Times and instruction counts of the Sinew kernels, alone and beside other libraries.
//!
//! Every implementation, ours included, is a [`Runner`]: a scene that can be started again, stepped
//! and looked at. [`measure::alternate`] times two runners in turn, so that whatever else the machine
//! does meets both, and [`scene::Quality`] judges the motion of all with the same ruler.

pub mod measure;
pub mod ours;
#[cfg(feature = "peers")]
pub mod peers;
mod runner;
pub mod scene;

pub use runner::{Runner, RunnerError};
