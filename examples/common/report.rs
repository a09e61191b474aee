//! The JSON report of a run, and the clock that fills its `ms_per_tick`.

use bevy_app::{App, FixedFirst, FixedLast, Plugin};
use bevy_ecs::prelude::*;
use serde::Serialize;
use std::collections::BTreeMap;
use std::path::Path;
use std::time::{Duration, Instant};

use crate::error::RunError;

/// What a scene measures of its bodies at the end of a run.
#[derive(Debug, Clone, Default, PartialEq, Serialize)]
pub struct Probe {
    /// Number of particles of all bodies.
    pub particles: usize,
    /// Kinetic, elastic and potential energy of all bodies, J.
    pub energy: f64,
    /// Greatest strain of any region, 0 at rest.
    pub max_strain: f32,
    /// Weights of the examples, by body and example.
    pub weights: BTreeMap<String, BTreeMap<String, f32>>,
    /// Hash of the state of all bodies, in a fixed order; equal bits give equal hashes.
    pub hash: u64,
}

/// What a run prints and `--report` writes.
#[derive(Debug, Clone, Serialize)]
pub struct Report {
    /// Name of the scene.
    pub scene: &'static str,
    /// Number of particles of all bodies.
    pub particles: usize,
    /// Fixed steps that were run.
    pub ticks: u32,
    /// Mean milliseconds of a tick by phase; `total` is the whole fixed schedule.
    pub ms_per_tick: BTreeMap<&'static str, f64>,
    /// Energy at the end, J.
    pub energy: f64,
    /// Greatest strain at the end.
    pub max_strain: f32,
    /// Weights of the examples at the end, by body and example.
    pub weights: BTreeMap<String, BTreeMap<String, f32>>,
    /// State hash at the end, hexadecimal.
    pub hash: String,
}

impl Report {
    /// Joins what the scene measured with what the clock measured.
    pub fn new(scene: &'static str, probe: Probe, clock: &PhaseClock) -> Self {
        Self {
            scene,
            particles: probe.particles,
            ticks: clock.ticks,
            ms_per_tick: clock.ms_per_tick(),
            energy: probe.energy,
            max_strain: probe.max_strain,
            weights: probe.weights,
            hash: format!("{:016x}", probe.hash),
        }
    }

    /// The report as JSON with line breaks. Numbers that are not finite become `null`.
    pub fn to_json(&self) -> String {
        serde_json::to_string_pretty(self)
            .unwrap_or_else(|error| format!("{{ \"error\": \"{error}\" }}"))
    }

    /// Writes the report to a file, and makes the folders above it.
    pub fn write(&self, path: &Path) -> Result<(), RunError> {
        let failed = |source| RunError::Write { path: path.to_owned(), source };
        if let Some(folder) = path.parent() {
            std::fs::create_dir_all(folder).map_err(failed)?;
        }
        std::fs::write(path, self.to_json() + "\n").map_err(failed)
    }
}

/// Sums the wall time of the phases of a tick.
///
/// [`PhaseClockPlugin`] measures `total`. A scene adds more phases by placing [`end_of_phase`] systems at the borders.
#[derive(Resource, Debug, Clone)]
pub struct PhaseClock {
    /// Ticks that were finished.
    pub ticks: u32,
    tick_start: Instant,
    phase_start: Instant,
    sums: BTreeMap<&'static str, Duration>,
}

impl Default for PhaseClock {
    fn default() -> Self {
        let now = Instant::now();
        Self { ticks: 0, tick_start: now, phase_start: now, sums: BTreeMap::new() }
    }
}

impl PhaseClock {
    fn start_tick(&mut self) {
        self.tick_start = Instant::now();
        self.phase_start = self.tick_start;
    }

    fn end_phase(&mut self, phase: &'static str) {
        let now = Instant::now();
        *self.sums.entry(phase).or_default() += now - self.phase_start;
        self.phase_start = now;
    }

    fn end_tick(&mut self) {
        *self.sums.entry("total").or_default() += self.tick_start.elapsed();
        self.ticks += 1;
    }

    /// Mean milliseconds of a whole tick, 0 before the first.
    pub fn mean_total(&self) -> f64 {
        self.ms_per_tick().get("total").copied().unwrap_or_default()
    }

    fn ms_per_tick(&self) -> BTreeMap<&'static str, f64> {
        let ticks = f64::from(self.ticks.max(1));
        self.sums.iter().map(|(&phase, sum)| (phase, sum.as_secs_f64() * 1e3 / ticks)).collect()
    }
}

/// A system that books the time since the border before it (another such system, or the start of the tick) under `phase`.
pub fn end_of_phase(phase: &'static str) -> impl Fn(ResMut<PhaseClock>) {
    move |mut clock| clock.end_phase(phase)
}

/// Measures whole ticks, from `FixedFirst` to `FixedLast`.
#[derive(Debug, Clone, Copy, Default)]
pub struct PhaseClockPlugin;

impl Plugin for PhaseClockPlugin {
    fn build(&self, app: &mut App) {
        app.init_resource::<PhaseClock>()
            .add_systems(FixedFirst, |mut clock: ResMut<PhaseClock>| clock.start_tick())
            .add_systems(FixedLast, |mut clock: ResMut<PhaseClock>| clock.end_tick());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_report_has_the_promised_keys_and_a_total() {
        let mut clock = PhaseClock::default();
        clock.start_tick();
        clock.end_phase("simulate");
        clock.end_tick();
        let report =
            Report::new("scene", Probe { hash: 255, energy: f64::NAN, ..Probe::default() }, &clock);
        let json: serde_json::Value =
            serde_json::from_str(&report.to_json()).expect("the report is JSON");
        let object = json.as_object().expect("the report is an object");
        let keys: Vec<_> = object.keys().map(String::as_str).collect();
        for key in [
            "scene",
            "particles",
            "ticks",
            "ms_per_tick",
            "energy",
            "max_strain",
            "weights",
            "hash",
        ] {
            assert!(keys.contains(&key), "{key} is missing");
        }
        assert_eq!(keys.len(), 8);
        assert!(
            object["ms_per_tick"]["total"].as_f64() >= object["ms_per_tick"]["simulate"].as_f64()
        );
        assert!(object["energy"].is_null());
        assert_eq!(object["hash"], "00000000000000ff");
    }
}
