//! Numbers about bodies for overlays and logs.

use bevy_diagnostic::{Diagnostic, DiagnosticPath, Diagnostics, RegisterDiagnostic};
use bevy_ecs::prelude::*;
use bevy_platform::time::Instant;
use bevy_sinew_bodies::BodyStatus;

/// Paths of the diagnostics of bodies, measured in each tick.
#[derive(Clone, Copy, Debug)]
pub struct BodyDiagnostics;

impl BodyDiagnostics {
    /// Number of bodies.
    pub const COUNT: DiagnosticPath = DiagnosticPath::const_new("sinew/bodies/count");
    /// Number of bodies that do not sleep.
    pub const AWAKE: DiagnosticPath = DiagnosticPath::const_new("sinew/bodies/awake");
    /// Number of particles of all bodies.
    pub const PARTICLES: DiagnosticPath = DiagnosticPath::const_new("sinew/bodies/particles");
    /// Time from the start of `Prepare` to its end, in ms.
    pub const PREPARE: DiagnosticPath = DiagnosticPath::const_new("sinew/bodies/prepare");
    /// Time from the start of `Simulate` to its end, in ms.
    pub const SIMULATE: DiagnosticPath = DiagnosticPath::const_new("sinew/bodies/simulate");
    /// Time from the start of `Writeback` to its end, in ms.
    pub const WRITEBACK: DiagnosticPath = DiagnosticPath::const_new("sinew/bodies/writeback");

    pub(crate) fn register(app: &mut bevy_app::App) {
        for path in [Self::PREPARE, Self::SIMULATE, Self::WRITEBACK] {
            app.register_diagnostic(Diagnostic::new(path).with_suffix(" ms"));
        }
        for path in [Self::COUNT, Self::AWAKE, Self::PARTICLES] {
            app.register_diagnostic(Diagnostic::new(path));
        }
        app.init_resource::<PhaseStart>();
    }
}

/// When the phase that runs was started.
#[derive(Resource, Debug, Default)]
pub(crate) struct PhaseStart(Option<Instant>);

/// Starts the clock of a phase.
pub(crate) fn start_phase(mut start: ResMut<PhaseStart>) {
    start.0 = Some(Instant::now());
}

/// Stops the clock of a phase.
pub(crate) fn end_phase(
    path: DiagnosticPath,
) -> impl FnMut(ResMut<PhaseStart>, Diagnostics<'_, '_>) {
    move |mut start, mut diagnostics| {
        if let Some(start) = start.0.take() {
            diagnostics.add_measurement(&path, || start.elapsed().as_secs_f64() * 1e3);
        }
    }
}

/// Counts bodies and particles.
pub(crate) fn count(bodies: Query<&BodyStatus>, mut diagnostics: Diagnostics) {
    let (mut count, mut awake, mut particles) = (0_u32, 0_u32, 0_u64);
    for status in &bodies {
        count += 1;
        awake += u32::from(!status.asleep);
        particles += u64::from(status.particles);
    }
    diagnostics.add_measurement(&BodyDiagnostics::COUNT, || f64::from(count));
    diagnostics.add_measurement(&BodyDiagnostics::AWAKE, || f64::from(awake));
    diagnostics.add_measurement(&BodyDiagnostics::PARTICLES, || particles as f64);
}
