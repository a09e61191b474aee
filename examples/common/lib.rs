//! What every Sinew example shares: the command line, the window, off-screen pictures, headless runs and the report.
//!
//! An example is one file. It describes an [`ExampleScene`] and hands it to [`run`]:
//!
//! ```no_run
//! use bevy_app::{App, Update};
//! use bevy_ecs::prelude::*;
//! use common::{ExampleScene, Paint, Probe, SceneEntity, SetupScene, View};
//! use std::process::ExitCode;
//!
//! fn main() -> ExitCode {
//!     common::run(ExampleScene {
//!         name: "nothing",
//!         about: "an empty world",
//!         fixed_hz: 60.0,
//!         ticks_per_frame: 1,
//!         frames: 60,
//!         view: View::default(),
//!         build: |app| {
//!             app.add_systems(SetupScene, |mut commands: Commands| {
//!                 commands.spawn((SceneEntity, Paint::rgb(0.8, 0.3, 0.2)));
//!             });
//!         },
//!         ready: |_world| true,
//!         probe: |_world| Probe::default(),
//!         knobs: &[],
//!     })
//! }
//! ```
//!
//! | module | job |
//! |---|---|
//! | [`scene`] | what an example describes: set-up, camera, rates, probe, knobs |
//! | [`bodies`] | what scenes measure of their bodies, and what their sliders change |
//! | [`tetra`] | bodies made from tetrahedra, and their skins |
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
pub mod error;
pub mod ground;
pub mod headless;
pub mod report;
pub mod scene;
pub mod tetra;

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
pub use ground::tiled_ground;
pub use report::{PhaseClock, Probe};
pub use scene::{ExampleScene, Knob, Paint, SceneEntity, SetupScene, View};
