//! The one function that an example's `main` calls.

use clap::{CommandFactory, FromArgMatches};
use std::io::Write;
#[cfg(not(feature = "render"))]
use std::path::Path;
use std::process::ExitCode;

use crate::cli::{Mode, Options, display_exists};
use crate::error::RunError;
use crate::headless;
use crate::report::Report;
use crate::scene::ExampleScene;

/// Runs an example as the command line asks: in a window, as pictures, or headless, which is also what happens where no
/// display exists or rendering was not compiled in. Errors go to standard error with a non-zero exit code.
pub fn run(scene: ExampleScene) -> ExitCode {
    let command = Options::command().name(scene.name).about(scene.about);
    let options = match Options::from_arg_matches(&command.get_matches()) {
        Ok(options) => options,
        Err(error) => error.exit(),
    };
    match run_with(&scene, &options) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            say_error(&format!("{}: {error}", scene.name));
            ExitCode::FAILURE
        }
    }
}

fn run_with(scene: &ExampleScene, options: &Options) -> Result<(), RunError> {
    let frames = options.frames.unwrap_or(scene.frames);
    match options.mode(display_exists()) {
        Mode::Offscreen => {
            let folder = options.png.clone().unwrap_or_default();
            // What cannot be written is said before the time is spent.
            std::fs::create_dir_all(&folder)
                .map_err(|source| RunError::Write { path: folder.clone(), source })?;
            finish(&offscreen(scene, frames, options.pictures, &folder)?, options)
        }
        Mode::Window if window_is_possible() => window(scene, options),
        mode => {
            if mode == Mode::Window || !options.headless {
                say_error(&format!(
                    "{}: no window is possible here, so this is a headless run",
                    scene.name
                ));
            }
            finish(&headless::run(scene, frames)?, options)
        }
    }
}

#[cfg(feature = "render")]
use crate::offscreen::run as offscreen;

#[cfg(not(feature = "render"))]
fn offscreen(
    _scene: &ExampleScene,
    _frames: u32,
    _pictures: u32,
    _folder: &Path,
) -> Result<Report, RunError> {
    Err(RunError::NoRenderFeature)
}

#[cfg(feature = "render")]
fn window(scene: &ExampleScene, options: &Options) -> Result<(), RunError> {
    crate::window::run(scene, options.frames, options.report.clone())
}

#[cfg(not(feature = "render"))]
fn window(_scene: &ExampleScene, _options: &Options) -> Result<(), RunError> {
    Err(RunError::NoRenderFeature)
}

/// Tells whether a window could be filled: rendering is compiled in, and there is an adapter.
fn window_is_possible() -> bool {
    #[cfg(feature = "render")]
    {
        crate::offscreen::adapter_exists()
    }
    #[cfg(not(feature = "render"))]
    {
        false
    }
}

/// Writes the report where it was asked for, and prints it.
pub(crate) fn finish(report: &Report, options: &Options) -> Result<(), RunError> {
    if let Some(path) = &options.report {
        report.write(path)?;
    }
    // A closed pipe at the reader's end is no fault of the run.
    _ = writeln!(std::io::stdout(), "{}", report.to_json());
    Ok(())
}

fn say_error(line: &str) {
    _ = writeln!(std::io::stderr(), "{line}");
}
