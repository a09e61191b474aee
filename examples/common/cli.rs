//! The command line, the same for every example.

use clap::Parser;
use std::path::PathBuf;

/// Flags of an example.
#[derive(Debug, Clone, Parser)]
#[command(version, about)]
pub struct Options {
    /// Open no window, even where a display exists.
    #[arg(long)]
    pub headless: bool,
    /// Simulate N frames, then stop. A window stays open without it; other runs have a length of their own.
    #[arg(long, value_name = "N")]
    pub frames: Option<u32>,
    /// Draw off-screen and write `frame_0000.png`, `frame_0001.png`, ... into DIR.
    #[arg(long, value_name = "DIR")]
    pub png: Option<PathBuf>,
    /// How many pictures `--png` writes, spread evenly from the first to the last frame.
    #[arg(long, value_name = "N", default_value_t = 8, requires = "png")]
    pub pictures: u32,
    /// Write the report as JSON into FILE. Runs without a window print it as well.
    #[arg(long, value_name = "FILE.json")]
    pub report: Option<PathBuf>,
}

/// What a run does, chosen from the flags and the machine by [`Options::mode`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Mode {
    /// A window with camera, keys and sliders.
    Window,
    /// No window, pictures written to a folder.
    Offscreen,
    /// No window and no pictures; no adapter is touched.
    Headless,
}

impl Options {
    /// Chooses what to do: pictures where asked for, a window where a display exists and `--headless` is absent, else
    /// headless.
    pub fn mode(&self, display_exists: bool) -> Mode {
        if self.png.is_some() {
            Mode::Offscreen
        } else if display_exists && !self.headless {
            Mode::Window
        } else {
            Mode::Headless
        }
    }
}

/// Tells whether a window can be opened here. Examples open X11 windows, which needs no `-dev` package to build; a Wayland
/// desktop shows them through `XWayland`, which sets `DISPLAY` as well. Windows and macOS always have a display.
pub fn display_exists() -> bool {
    !cfg!(all(unix, not(target_os = "macos")))
        || std::env::var_os("DISPLAY").is_some_and(|value| !value.is_empty())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mode(arguments: &[&str], display: bool) -> Mode {
        Options::parse_from(std::iter::once(&"example").chain(arguments)).mode(display)
    }

    #[test]
    fn a_machine_without_display_runs_headless() {
        assert_eq!(mode(&[], false), Mode::Headless);
        assert_eq!(mode(&["--frames", "3"], false), Mode::Headless);
    }

    #[test]
    fn a_display_is_left_alone_when_the_flags_say_so() {
        assert_eq!(mode(&[], true), Mode::Window);
        assert_eq!(mode(&["--headless"], true), Mode::Headless);
        assert_eq!(mode(&["--png", "out"], true), Mode::Offscreen);
    }

    #[test]
    fn a_number_of_pictures_without_a_folder_is_refused() {
        assert!(Options::try_parse_from(["example", "--pictures", "3"]).is_err());
    }
}
