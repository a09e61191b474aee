//! What the flags of every example do, with the programs themselves: `cargo test -p examples` builds them first.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The examples, and their ticks in a frame.
const EXAMPLES: [(&str, u64); 3] = [("bounce", 5), ("slope", 5), ("spot", 1)];

fn run(example: &str, arguments: &[&str]) -> Output {
    let tests = std::env::current_exe().expect("a test has a path");
    // From `deps/command_line-…` to `examples/NAME`.
    let folder = tests.parent().and_then(Path::parent).expect("a target folder");
    let program =
        folder.join("examples").join(example).with_extension(std::env::consts::EXE_EXTENSION);
    Command::new(&program).args(arguments).output().unwrap_or_else(|error| {
        panic!("{}: {error}; run all tests of the package", program.display())
    })
}

fn temporary(name: &str) -> PathBuf {
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
    if folder.is_dir() {
        std::fs::remove_dir_all(&folder).expect("an old folder can go");
    }
    std::fs::create_dir_all(&folder).expect("a folder for the test");
    folder
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// Runs `frames` frames headless, and reads the report from its file.
fn report(example: &str, frames: u32, name: &str) -> serde_json::Value {
    let file = temporary(name).join("deep/report.json");
    let path = file.to_str().expect("a plain path");
    let output = run(example, &["--headless", "--frames", &frames.to_string(), "--report", path]);
    assert!(output.status.success(), "{example}: {}", stderr(&output));
    let written = std::fs::read_to_string(&file).expect("the report is written");
    let json: serde_json::Value = serde_json::from_str(&written).expect("the report is JSON");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned();
    let printed: serde_json::Value = serde_json::from_str(&printed).expect("only JSON is printed");
    assert_eq!(json, printed);
    json
}

fn keys(value: &serde_json::Value) -> Vec<&str> {
    let mut keys: Vec<&str> =
        value.as_object().expect("an object").keys().map(String::as_str).collect();
    keys.sort_unstable();
    keys
}

#[test]
fn every_report_has_exactly_the_promised_keys_and_as_many_ticks_as_were_asked_for() {
    for (example, ticks_per_frame) in EXAMPLES {
        let json = report(example, 4, &format!("keys-{example}"));
        let mut expected = [
            "scene",
            "particles",
            "ticks",
            "ms_per_tick",
            "energy",
            "max_strain",
            "weights",
            "hash",
        ];
        expected.sort_unstable();
        assert_eq!(keys(&json), expected);
        let mut phases = [
            "prepare",
            "collect_contacts",
            "simulate",
            "apply_reactions",
            "writeback",
            "mesh_write",
            "total",
        ];
        phases.sort_unstable();
        assert_eq!(keys(&json["ms_per_tick"]), phases);
        assert!(json["ms_per_tick"]["simulate"].as_f64() > Some(0.0));
        assert_eq!(json["scene"], example);
        assert_eq!(json["ticks"], 4 * ticks_per_frame);
        assert!(json["particles"].as_u64() > Some(400), "{json}");
        // 4 frames of free fall: no strain yet.
        assert!(json["max_strain"].as_f64() < Some(0.05), "{json}");
    }
}

#[test]
fn no_frames_is_a_report_of_the_set_up() {
    let json = report("bounce", 0, "set-up");
    assert_eq!(json["ticks"], 0);
    assert_eq!(json["particles"], 450);
}

#[test]
fn the_same_run_twice_gives_the_same_hash_and_a_longer_one_another() {
    for (example, _) in EXAMPLES {
        let [first, second] =
            ["first", "second"].map(|run| report(example, 30, &format!("{run}-{example}")));
        for key in ["hash", "energy", "max_strain", "weights"] {
            assert_eq!(first[key], second[key], "{example}");
        }
        let longer = report(example, 31, &format!("longer-{example}"));
        assert_ne!(first["hash"], longer["hash"], "{example}");
    }
}

#[test]
fn on_the_slope_every_cuboid_lands_in_its_own_pose() {
    // The frame of the picture in the README; 0 is the rest shape and 1 the pose.
    let json = report("slope", 56, "landed");
    let bodies = json["weights"].as_object().expect("weights by body");
    assert_eq!(bodies.len(), 10);
    for (body, weights) in bodies {
        let example = if body.starts_with("twist") { "twist" } else { "S" };
        assert!(weights[example].as_f64() > Some(0.7), "{body}: {weights}");
    }
}

#[test]
fn unknown_flags_are_refused_by_name() {
    let output = run("bounce", &["--headles"]);
    assert!(!output.status.success());
    let text = stderr(&output);
    assert!(text.contains("--headles") && text.contains("--help"), "{text}");
    let output = run("bounce", &["--headless", "--frames", "many"]);
    assert!(!output.status.success());
    let text = stderr(&output);
    assert!(text.contains("--frames") && text.contains("many"), "{text}");
}

#[test]
fn folders_and_files_that_cannot_be_written_are_named() {
    let blocked = temporary("blocked").join("file");
    std::fs::write(&blocked, "no folder").expect("a file for the test");
    let below = blocked.join("pictures");
    let below = below.to_str().expect("a plain path");
    for flag in ["--png", "--report"] {
        let output = run("bounce", &["--headless", "--frames", "1", flag, below]);
        assert!(!output.status.success(), "{flag}");
        let text = stderr(&output);
        let line = text.lines().find(|line| line.starts_with("bounce: cannot write"));
        assert!(line.is_some_and(|line| line.contains(blocked.to_str().unwrap_or("?"))), "{text}");
        assert!(!text.contains("panicked"), "{text}");
    }
}

#[cfg(not(feature = "render"))]
#[test]
fn pictures_without_the_renderer_say_which_feature_is_missing() {
    let folder = temporary("pictures");
    let output = run("bounce", &["--frames", "1", "--png", folder.to_str().expect("a plain path")]);
    assert!(!output.status.success());
    assert!(stderr(&output).contains("render"), "{}", stderr(&output));
}
