//! What every implementation under measurement offers.

use std::{io, time::Duration};

use crate::scene::Snapshot;

/// One implementation with one scene in it, ready to be stepped and timed.
pub trait Runner {
    /// The name in the tables: library, version and what it solves.
    fn name(&self) -> String;

    /// Particles of all bodies together; times are divided by it.
    fn particles(&self) -> usize;

    /// Puts the scene back to its start, so that every round measures the same motion.
    fn restart(&mut self) -> Result<(), RunnerError>;

    /// Makes `steps` steps and returns the time that they took. A runner in another process measures
    /// there, so that the way to it is not counted.
    fn steps(&mut self, steps: u32) -> Result<Duration, RunnerError>;

    /// Positions and velocities of the first body as they are now.
    fn snapshot(&mut self) -> Result<Snapshot, RunnerError>;
}

/// Why a runner cannot run. The table leaves it out and prints this.
#[derive(Debug)]
pub enum RunnerError {
    /// Another process could not be started, or ended early.
    Process(io::Error),
    /// The implementation answered something else than expected, or refused the scene.
    Refused(String),
}

impl std::fmt::Display for RunnerError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Process(error) => write!(f, "its process failed: {error}"),
            Self::Refused(reason) => write!(f, "it refused: {reason}"),
        }
    }
}

impl std::error::Error for RunnerError {}

impl From<io::Error> for RunnerError {
    fn from(error: io::Error) -> Self {
        Self::Process(error)
    }
}
