//! What can go wrong in a run, in words that say what to do.

use std::path::PathBuf;
use thiserror::Error;

/// Why an example ended without doing what it was asked to do.
#[derive(Debug, Error)]
pub enum RunError {
    /// The scene's bodies were never finished.
    #[error(
        "scene `{scene}`: its bodies were not ready after {seconds} s; look for an error about the mesh above"
    )]
    NeverReady {
        /// Name of the scene.
        scene: &'static str,
        /// How long the run waited.
        seconds: u64,
    },
    /// `--png` without the code that draws.
    #[error("--png needs the feature `render`: run again without `--no-default-features`")]
    NoRenderFeature,
    /// No graphics adapter, not even a software one.
    #[error(
        "no graphics adapter found. Without a GPU, install a software Vulkan driver (Debian, Ubuntu: `apt-get install \
         mesa-vulkan-drivers`), or leave `--png` out: a headless run needs no adapter"
    )]
    NoAdapter,
    /// The renderer gave no picture back.
    #[error("no picture of frame {frame} came back from the renderer")]
    NoPicture {
        /// The frame that was to be drawn.
        frame: u32,
    },
    /// The picture cannot be written as PNG.
    #[error("cannot write the picture of frame {frame} to {}: {reason}", path.display())]
    BadPicture {
        /// The frame that was drawn.
        frame: u32,
        /// The file.
        path: PathBuf,
        /// What the encoder or the system said.
        reason: String,
    },
    /// A file or folder could not be written.
    #[error("cannot write {}: {source}", path.display())]
    Write {
        /// The file or folder.
        path: PathBuf,
        /// What the system said.
        source: std::io::Error,
    },
}
