//! The JSON report of a run, and the clock that fills its `ms_per_tick`.

use bevy_app::{App, FixedFirst, FixedLast, FixedPostUpdate, Plugin, PostUpdate};
use bevy_ecs::prelude::*;
use bevy_sinew::prelude::{DeformationSystems, MeshSystems};
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

/// The phases of `ms_per_tick`, in the order of a tick: the sets of [`DeformationSystems`], then the write to meshes,
/// which is done once a frame and shared out among its ticks.
pub const PHASES: [&str; 6] =
    ["prepare", "collect_contacts", "simulate", "apply_reactions", "writeback", "mesh_write"];

/// Sums the wall time of the phases of a tick. [`PhaseClockPlugin`] winds it.
#[derive(Resource, Debug, Clone)]
pub struct PhaseClock {
    /// Ticks that were finished.
    pub ticks: u32,
    tick_start: Instant,
    phase_start: Instant,
    sums: [Duration; PHASES.len()],
    /// The whole fixed schedule, and the write to meshes.
    total: Duration,
}

impl Default for PhaseClock {
    fn default() -> Self {
        let now = Instant::now();
        Self {
            ticks: 0,
            tick_start: now,
            phase_start: now,
            sums: [Duration::ZERO; PHASES.len()],
            total: Duration::ZERO,
        }
    }
}

impl PhaseClock {
    fn start_tick(&mut self) {
        self.tick_start = Instant::now();
    }

    fn start_phases(&mut self) {
        self.phase_start = Instant::now();
    }

    fn end_phase(&mut self, phase: usize) {
        let now = Instant::now();
        self.sums[phase] += now - self.phase_start;
        self.phase_start = now;
    }

    fn end_tick(&mut self) {
        self.total += self.tick_start.elapsed();
        self.ticks += 1;
    }

    fn end_frame(&mut self) {
        let before = self.sums[PHASES.len() - 1];
        self.end_phase(PHASES.len() - 1);
        // Frames before the first tick only wait for the bodies.
        if self.ticks == 0 {
            self.sums[PHASES.len() - 1] = before;
        } else {
            self.total += self.sums[PHASES.len() - 1] - before;
        }
    }

    /// Mean milliseconds of a whole tick, 0 before the first.
    pub fn mean_total(&self) -> f64 {
        self.per_tick(self.total)
    }

    fn per_tick(&self, sum: Duration) -> f64 {
        sum.as_secs_f64() * 1e3 / f64::from(self.ticks.max(1))
    }

    fn ms_per_tick(&self) -> BTreeMap<&'static str, f64> {
        let phases =
            PHASES.iter().zip(&self.sums).map(|(&phase, &sum)| (phase, self.per_tick(sum)));
        phases.chain([("total", self.mean_total())]).collect()
    }
}

/// Measures whole ticks from `FixedFirst` to `FixedLast`, the phases in `FixedPostUpdate`, and the write to meshes.
#[derive(Debug, Clone, Copy, Default)]
pub struct PhaseClockPlugin;

impl Plugin for PhaseClockPlugin {
    fn build(&self, app: &mut App) {
        use DeformationSystems as Phase;
        let end = |phase: usize| move |mut clock: ResMut<PhaseClock>| clock.end_phase(phase);
        let start_phases = |mut clock: ResMut<PhaseClock>| clock.start_phases();
        app.init_resource::<PhaseClock>()
            .add_systems(FixedFirst, |mut clock: ResMut<PhaseClock>| clock.start_tick())
            .add_systems(
                FixedPostUpdate,
                (
                    start_phases.before(Phase::Prepare),
                    end(0).after(Phase::Prepare).before(Phase::CollectContacts),
                    end(1).after(Phase::CollectContacts).before(Phase::Simulate),
                    end(2).after(Phase::Simulate).before(Phase::ApplyReactions),
                    end(3).after(Phase::ApplyReactions).before(Phase::Writeback),
                    end(4).after(Phase::Writeback),
                ),
            )
            .add_systems(FixedLast, |mut clock: ResMut<PhaseClock>| clock.end_tick())
            .add_systems(
                PostUpdate,
                (
                    start_phases.before(MeshSystems::Write),
                    (|mut clock: ResMut<PhaseClock>| clock.end_frame()).after(MeshSystems::Write),
                ),
            );
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_total_holds_all_phases_and_numbers_that_are_none_are_null() {
        let mut clock = PhaseClock::default();
        for _ in 0..3 {
            clock.start_tick();
            clock.start_phases();
            (0..5).for_each(|phase| clock.end_phase(phase));
            clock.end_tick();
            clock.start_phases();
            clock.end_frame();
        }
        let report =
            Report::new("scene", Probe { hash: 255, energy: f64::NAN, ..Probe::default() }, &clock);
        let json: serde_json::Value =
            serde_json::from_str(&report.to_json()).expect("the report is JSON");
        let ms = |phase: &str| json["ms_per_tick"][phase].as_f64().expect("a number");
        let sum: f64 = PHASES.iter().map(|phase| ms(phase)).sum();
        assert!(ms("total") >= sum * 0.999, "{} {sum}", ms("total"));
        assert_eq!(json["ticks"], 3);
        assert!(json["energy"].is_null());
        assert_eq!(json["hash"], "00000000000000ff");
    }
}
