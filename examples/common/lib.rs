//! What every Sinew example shares: the command line, the window, off-screen pictures, headless runs and the report.
//!
//! An example is one file. It describes an [`ExampleScene`] and hands it to [`run`]:
//!
//! ```no_run
//! use bevy_app::App;
//! use bevy_ecs::prelude::*;
//! use common::{ExampleScene, Paint, SceneEntity, SetupScene};
//! use std::process::ExitCode;
//!
//! fn main() -> ExitCode {
//!     common::run(ExampleScene {
//!         name: "nothing",
//!         about: "an empty world",
//!         build: |app: &mut App| {
//!             app.add_systems(SetupScene, setup);
//!         },
//!         ..ExampleScene::GAME
//!     })
//! }
//!
//! fn setup(mut commands: Commands) {
//!     commands.spawn((SceneEntity, Paint::rgb(0.8, 0.3, 0.2)));
//! }
//! ```
//!
//! | module | job |
//! |---|---|
//! | [`scene`] | what an example describes: set-up, camera, rates, probe, knobs |
//! | [`bodies`] | what scenes measure of their bodies, and what their sliders change |
//! | [`cuboid`] | the cuboid of the paper's scenes |
//! | [`cli`] | the flags, the same for every example |
//! | [`app`] | [`run`]: chooses window, pictures or headless |
//! | [`ground`] | a floor to look at |
//! | [`headless`] | a run without any rendering code |
//! | [`report`] | the JSON report and the clock that fills its `ms_per_tick` |
//! | `stage` | camera, lights and materials (feature `render`) |
//! | `window` | window with orbit camera, keys and sliders (feature `render`) |
//! | `offscreen` | pictures without a window (feature `render`) |

#![forbid(unsafe_code)]

pub mod app;
pub mod bodies;
pub mod cli;
pub mod cuboid;
pub mod error;
pub mod ground;
pub mod headless;
pub mod report;
pub mod scene;

#[cfg(feature = "render")]
pub mod offscreen;
#[cfg(feature = "render")]
mod panel;
#[cfg(feature = "render")]
pub mod stage;
#[cfg(feature = "render")]
pub mod window;

pub use app::run;
pub use bodies::{MATERIAL_KNOBS, bodies_are_ready, probe_bodies};
pub use cuboid::PaperCuboid;
pub use ground::floor;
pub use report::{PhaseClock, Probe};
pub use scene::{ExampleScene, Knob, Paint, SceneEntity, SetupScene, View};
