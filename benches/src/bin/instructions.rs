//! Counts the instructions that one step takes for each particle, and fails when they have grown.
//!
//! Wall-clock times of a shared machine are no gate; instruction counts repeat exactly. The program
//! runs itself under valgrind's callgrind for a few steps and for a few more: the difference is free of
//! the set-up. `benches/instructions.json` holds for each case the count that was last recorded and a
//! hard limit; more than 2 % over the first, or anything over the second, is an error.
//!
//! `cargo run --release --bin instructions --no-default-features` checks; `-- --record` writes the new
//! counts to the file. It needs `valgrind` and nothing else.
#![expect(clippy::print_stdout, reason = "the table is what the program is for")]

use std::{
    env,
    error::Error,
    fs,
    path::PathBuf,
    process::{Command, ExitCode},
};

use benches::{
    Runner,
    ours::{Body, Event, Ours, Setup},
};
use serde::{Deserialize, Serialize};
use sinew_elastic::SimdLevel;

/// Steps of the short run; the rotations are warm after them.
const FEW: u32 = 5;

/// Steps that the long run makes beyond that: what is counted.
const COUNTED: u32 = 10;

/// How much a count may grow over the recorded one: no more than another compiler's whim.
const TOLERANCE: f64 = 0.02;

const FILE: &str = "instructions.json";

/// The recorded counts, in the package's folder, which cargo names when it runs a program: one that was
/// built in another checkout would name that one's.
fn recorded_counts() -> PathBuf {
    env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from).unwrap_or_default().join(FILE)
}

/// One line of the committed file.
#[derive(Serialize, Deserialize)]
struct Entry {
    case: String,
    /// Instructions per particle and step that no change may exceed.
    limit: f64,
    /// The same, as it was last recorded; null before the first time.
    recorded: Option<f64>,
}

fn setup(case: &str) -> Option<Setup> {
    let lattice = |side| Setup::new(Body::lattice(side));
    Some(match case {
        "lattice 10^3, AVX2" => lattice(10),
        "lattice 22^3, AVX2" => lattice(22),
        "lattice 10^3, SSE2" => Setup { avx2: false, ..lattice(10) },
        "lattice 22^3, SSE2" => Setup { avx2: false, ..lattice(22) },
        "lattice 10^3, 3 examples, AVX2" => Setup { examples: 3, ..lattice(10) },
        "lattice 22^3, 3 examples, AVX2" => Setup { examples: 3, ..lattice(22) },
        "lattice 22^3, width 2, AVX2" => Setup::new(Body::Lattice { side: 22, width: 2 }),
        "lists of 27, 22^3, AVX2" => Setup::new(Body::Lists { side: 22 }),
        "one region, 22^3, AVX2" => Setup::new(Body::Whole { side: 22 }),
        "lists 225 on a slope, AVX2" => {
            Setup { event: Event::Slide, ..Setup::new(Body::CUBOID_225) }
        }
        "lists 225, AVX2" => Setup::new(Body::CUBOID_225),
        "lists 14400, AVX2" => Setup::new(Body::CUBOID_14400),
        _ => return None,
    })
}

fn main() -> Result<ExitCode, Box<dyn Error>> {
    let arguments: Vec<String> = env::args().skip(1).collect();
    match arguments.iter().map(String::as_str).collect::<Vec<_>>()[..] {
        [] => check(false),
        ["--record"] => check(true),
        ["--steps", steps, case] => run(case, steps.parse()?),
        _ => Err("usage: instructions [--record]".into()),
    }
}

/// What the child process does: the steps of one case, and nothing that depends on their number.
fn run(case: &str, steps: u32) -> Result<ExitCode, Box<dyn Error>> {
    let setup = setup(case).ok_or_else(|| format!("no case is called `{case}`"))?;
    if setup.avx2 && !SimdLevel::Best.has_avx2() {
        return Err("this machine, or valgrind on it, has no AVX2".into());
    }
    let mut body = Ours::new(setup)?;
    body.restart()?;
    body.steps(steps)?;
    Ok(ExitCode::SUCCESS)
}

fn check(record: bool) -> Result<ExitCode, Box<dyn Error>> {
    let file = recorded_counts();
    let text = fs::read_to_string(&file).map_err(|error| format!("{}: {error}", file.display()))?;
    let mut entries: Vec<Entry> = serde_json::from_str(&text)?;
    let mut failed = false;
    println!("{:<32} {:>9} {:>9} {:>9}", "instructions per particle", "now", "recorded", "limit");
    for entry in &mut entries {
        let now = count(&entry.case)?;
        let allowed = entry.recorded.map_or(f64::INFINITY, |recorded| recorded * (1.0 + TOLERANCE));
        let verdict = match () {
            () if now > entry.limit => "over its limit",
            () if now > allowed && !record => "more than 2 % over the recorded count",
            () if entry.recorded.is_none() && !record => "not recorded yet",
            () => "",
        };
        failed |= !verdict.is_empty();
        let recorded =
            entry.recorded.map_or_else(|| "-".to_owned(), |recorded| format!("{recorded:.1}"));
        println!("{:<32} {now:>9.1} {recorded:>9} {:>9} {verdict}", entry.case, entry.limit);
        entry.recorded = Some((now * 10.0).round() / 10.0);
    }
    if record {
        fs::write(&file, serde_json::to_string_pretty(&entries)? + "\n")?;
    }
    Ok(if failed { ExitCode::FAILURE } else { ExitCode::SUCCESS })
}

/// Instructions per particle and step of a case.
fn count(case: &str) -> Result<f64, Box<dyn Error>> {
    let setup = setup(case).ok_or_else(|| format!("{FILE}: no case is called `{case}`"))?;
    let difference = callgrind(case, FEW + COUNTED)?.saturating_sub(callgrind(case, FEW)?);
    Ok(difference as f64 / (f64::from(COUNTED) * setup.particles() as f64))
}

/// Instructions of a whole run of this program with `steps` steps.
fn callgrind(case: &str, steps: u32) -> Result<u64, Box<dyn Error>> {
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(env::current_exe()?)
        .args(["--steps", &steps.to_string(), case])
        .output()
        .map_err(|error| format!("cannot run valgrind, which counts the instructions: {error}"))?;
    let report = String::from_utf8_lossy(&output.stderr);
    let collected = report.lines().find_map(|line| line.split_once("Collected : "));
    match collected.and_then(|(_, count)| count.trim().parse().ok()) {
        Some(count) if output.status.success() => Ok(count),
        _ => Err(format!("counting `{case}` failed:\n{report}").into()),
    }
}
