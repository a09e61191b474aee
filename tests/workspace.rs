//! Claims about the workspace itself.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

/// The checkout that cargo runs the tests of; a binary from a shared cache may come from another one.
fn root() -> PathBuf {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").expect("cargo runs the tests");
    Path::new(&package).join("..")
}

/// The `.rs` files that lie beside a package's manifest.
fn files_beside(package: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(package).expect("the package's folder is there");
    entries
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.ends_with(".rs"))
        .collect()
}

/// The paths of a manifest's targets of one kind.
fn targets(package: &Path, kind: &str) -> BTreeSet<String> {
    let text = fs::read_to_string(package.join("Cargo.toml")).expect("a manifest");
    let manifest: toml::Table = toml::from_str(&text).expect("a manifest in TOML");
    let list = manifest.get(kind).and_then(|value| value.as_array()).cloned().unwrap_or_default();
    list.iter().filter_map(|target| Some(target.get("path")?.as_str()?.to_owned())).collect()
}

#[test]
fn every_file_of_examples_tests_and_benches_is_a_target() {
    // Loose files of a virtual workspace are ignored without a word.
    for (folder, kind) in [("examples", "example"), ("tests", "test"), ("benches", "bench")] {
        let package = root().join(folder);
        assert_eq!(files_beside(&package), targets(&package, kind), "{folder}");
    }
}

#[test]
fn crates_that_are_not_named_bevy_do_not_name_bevy() {
    for entry in fs::read_dir(root().join("crates")).expect("crates").flatten() {
        let name = entry.file_name().into_string().expect("a name in UTF-8");
        if name.starts_with("bevy_") {
            continue;
        }
        let manifest = fs::read_to_string(entry.path().join("Cargo.toml")).expect("a manifest");
        assert!(!manifest.lines().any(|line| line.starts_with("bevy")), "{name}");
    }
}

#[test]
fn every_dependency_says_why_it_is_there() {
    // Either a comment above it, or it is one of our own crates or shared by the workspace.
    let own = |line: &str| line.contains(".workspace = true") || line.contains("workspace = true");
    for entry in fs::read_dir(root().join("crates")).expect("crates").flatten() {
        let manifest = fs::read_to_string(entry.path().join("Cargo.toml")).expect("a manifest");
        let mut section = "";
        let mut explained = false;
        for line in manifest.lines() {
            if line.starts_with('[') {
                section = line;
            } else if line.starts_with('#') {
                explained = true;
                continue;
            } else if section.ends_with("dependencies]") && line.contains(" = ") && !own(line) {
                assert!(explained, "{:?}: {line}", entry.file_name());
                continue;
            }
            explained = explained && !line.is_empty();
        }
    }
}
