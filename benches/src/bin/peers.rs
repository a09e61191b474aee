//! Times the Sinew kernels beside other libraries in the same run, and prints one table.
//!
//! All times are nanoseconds per particle and step. Every round times both sides in turn; the table
//! holds medians, the quartiles of the ratio, and how both sides' motion looks after the same steps.
#![expect(clippy::print_stdout, reason = "the table is what the program is for")]

use std::{fs, path::PathBuf};

use benches::{
    Runner, RunnerError,
    measure::{self, Comparison, Spread},
    ours::{Body, Event, Ours, Setup},
    peers::{PyPbd, Rapier, RapierModel},
    scene::{QUALITY_STEPS, Quality},
};
use clap::Parser;
use serde::Serialize;

/// Times the Sinew kernels beside other libraries, all in nanoseconds per particle and step.
#[derive(Parser)]
struct Flags {
    /// Small sizes and three rounds: about half a minute, for a first look.
    #[arg(long)]
    quick: bool,
    /// Only the cases whose name contains this.
    #[arg(long, value_name = "NAME")]
    case: Option<String>,
    /// Rounds per row; the table holds their medians.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..))]
    rounds: Option<u16>,
    /// Writes the rows to this file as well.
    #[arg(long, value_name = "FILE")]
    json: Option<PathBuf>,
}

/// One line of the table to come: what of ours runs beside what.
struct Case {
    name: &'static str,
    ours: Setup,
    peer: Peer,
}

/// What a case is compared with.
#[derive(Clone, Copy)]
enum Peer {
    PyPbd,
    Rapier(RapierModel),
    /// Our own kernel in another configuration, to show what a feature costs or a thread gains.
    Ours(Setup),
    Nothing,
}

/// One row of the JSON file. `peer`, `peer_ns` and `ratio` are null where nothing is compared.
#[derive(Serialize)]
struct Row {
    case: &'static str,
    size: usize,
    threads: usize,
    ours_ns: f64,
    peer: Option<String>,
    peer_ns: Option<f64>,
    ratio: Option<f64>,
}

fn cases(quick: bool) -> Vec<Case> {
    let sides: &[usize] = if quick { &[10, 22] } else { &[10, 22, 46] };
    // As stiff as two sub-steps a frame allow; Rapier takes four by default.
    let hung = |body| Setup { event: Event::Hang, elastic_hz: 20.0, ..Setup::new(body) };
    let mut cases = Vec::new();
    let mut add = |name, ours, peer| cases.push(Case { name, ours, peer });
    for &side in sides {
        for threads in [1, 2] {
            let ours = Setup { threads, ..Setup::new(Body::lattice(side)) };
            add("lattice", ours, Peer::PyPbd);
        }
    }
    for &side in &sides[..2] {
        for threads in [1, 2] {
            let regions = Setup { threads, ..hung(Body::lattice(side)) };
            let whole = Setup { threads, ..hung(Body::Whole { side }) };
            add("frame", regions, Peer::Rapier(RapierModel::Cells));
            add("frame, one region", whole, Peer::Rapier(RapierModel::Cluster));
        }
    }
    add("frame", hung(Body::lattice(6)), Peer::Rapier(RapierModel::OverlappingClusters));

    for &side in sides {
        let plain = Setup::new(Body::lattice(side));
        let wide = Setup::new(Body::Lattice { side, width: 2 });
        add("lattice, width 2", wide, Peer::Ours(plain));
        add("lattice, 3 examples", Setup { examples: 3, ..plain }, Peer::Ours(plain));
        add("lattice, no AVX2", Setup { avx2: false, ..plain }, Peer::Ours(plain));
        if side > 10 {
            add("lattice, 2 threads", Setup { threads: 2, ..plain }, Peer::Ours(plain));
        }
    }
    let many = Setup { bodies: 100, ..Setup::new(Body::lattice(10)) };
    add("100 bodies", many, Peer::Nothing);
    add("100 bodies, 2 threads", Setup { threads: 2, ..many }, Peer::Ours(many));

    let slope =
        Setup { bodies: 10, examples: 1, event: Event::Slide, ..Setup::new(Body::CUBOID_225) };
    // Of the paper: five steps a frame.
    add("slope, 10 cuboids", Setup { elastic_hz: 15.2, ..slope }, Peer::Nothing);

    let cuboids: &[Body] = &[Body::CUBOID_225, Body::CUBOID_14400, Body::CUBOID_150000];
    for &cuboid in if quick { &cuboids[..2] } else { cuboids } {
        let plain = Setup::new(cuboid);
        add("tetrahedra, 1 example", Setup { examples: 1, ..plain }, Peer::Nothing);
        add("tetrahedra, 3 examples", Setup { examples: 3, ..plain }, Peer::Ours(plain));
    }
    cases
}

fn peer(case: &Case) -> Result<Option<Box<dyn Runner>>, RunnerError> {
    let (side, threads) = (case.ours.body.side(), case.ours.threads);
    Ok(match case.peer {
        Peer::PyPbd => Some(Box::new(PyPbd::lattice(side, threads)?)),
        Peer::Rapier(model) => Some(Box::new(Rapier::cube(model, side, threads)?)),
        Peer::Ours(setup) => Some(Box::new(Ours::new(setup)?)),
        Peer::Nothing => None,
    })
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let flags = Flags::parse();
    let rounds = usize::from(flags.rounds.unwrap_or(if flags.quick { 3 } else { 7 }));
    let wanted =
        |case: &Case| flags.case.as_ref().is_none_or(|name| case.name.contains(name.as_str()));

    println!("ns per particle and step, medians of {rounds} rounds; load average {}", load());
    println!(
        "{:<22} {:>7} {:>3} {:>8}  {:<38} {:>9} {:>8} {:>15}  quality, ours | peer",
        "case", "size", "thr", "ours", "peer", "peer", "ratio", "(quartiles)"
    );
    let mut rows = Vec::new();
    for case in cases(flags.quick).iter().filter(|case| wanted(case)) {
        match row(case, rounds) {
            Ok(row) => rows.push(row),
            Err(error) => {
                println!("{:<22} {:>7}: skipped, {error}", case.name, case.ours.particles());
            }
        }
    }
    println!("load average at the end {}", load());
    println!(
        "quality after {QUALITY_STEPS} steps: mean height less free fall (m), horizontal drift (m/s), \
         volume / rest volume, kinetic energy about the centre (J/kg); Rapier's cubes hang by a face"
    );
    if let Some(file) = flags.json {
        fs::write(file, serde_json::to_string_pretty(&rows)? + "\n")?;
    }
    Ok(())
}

/// Measures one case and prints its line. An error names the peer or kernel that could not run.
fn row(case: &Case, rounds: usize) -> Result<Row, RunnerError> {
    let mut ours = Ours::new(case.ours)?;
    let peer = peer(case)?;
    let side = case.ours.body.side();
    print!("{:<22} {:>7} {:>3} ", case.name, ours.particles(), case.ours.threads);

    let mut row = Row {
        case: case.name,
        size: ours.particles(),
        threads: case.ours.threads,
        ours_ns: f64::NAN,
        peer: None,
        peer_ns: None,
        ratio: None,
    };
    let Some(mut peer) = peer else {
        let Spread { median, .. } = measure::alone(&mut ours, rounds)?;
        println!("{median:>8.1}");
        return Ok(Row { ours_ns: median, ..row });
    };
    let Comparison { ours: time, theirs, ratio } =
        measure::alternate(&mut ours, &mut *peer, rounds)?;
    print!(
        "{:>8.1}  {:<38} {:>9.1} {:>8.2} ",
        time.median,
        peer.name(),
        theirs.median,
        ratio.median
    );
    print!("{:>15}", format!("({:.2}-{:.2})", ratio.low, ratio.high));
    if matches!(case.peer, Peer::Ours(_)) {
        println!();
    } else {
        println!("  {} | {}", quality(&mut ours, side)?, quality(&mut *peer, side)?);
    }
    row.ours_ns = time.median;
    row.peer = Some(peer.name());
    row.peer_ns = Some(theirs.median);
    row.ratio = Some(ratio.median);
    Ok(row)
}

fn quality(runner: &mut dyn Runner, side: usize) -> Result<String, RunnerError> {
    runner.restart()?;
    runner.steps(QUALITY_STEPS)?;
    let quality = Quality::of(&runner.snapshot()?, side, QUALITY_STEPS);
    let Quality { height_error, drift, volume, energy } = quality;
    Ok(format!("{height_error:+.4} {drift:.1e} {volume:.3} {energy:.4}"))
}

fn load() -> String {
    measure::load_average().unwrap_or_else(|| "unknown".into())
}
