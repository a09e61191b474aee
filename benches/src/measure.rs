//! Times of two runners taken in turn, so that a busy machine disturbs both alike.

use std::{thread, time::Duration};

use crate::{Runner, RunnerError};

/// Steps before the first timed one of a round: the rotations are warm then.
const WARM_UP: u32 = 5;

/// Wanted length of one timed stretch; shorter ones drown in the noise of a shared machine.
const STRETCH: Duration = Duration::from_millis(60);

/// Most steps of a stretch: a free fall must not get so far that f32 loses the shape.
const MOST_STEPS: u32 = 100;

/// Pause between two stretches, in which the other side's worker threads go to sleep.
const PAUSE: Duration = Duration::from_millis(5);

/// Median and quartiles of one quantity over all rounds.
#[derive(Clone, Copy, Debug)]
pub struct Spread {
    /// A quarter of the rounds was below this.
    pub low: f64,
    /// The median.
    pub median: f64,
    /// A quarter of the rounds was above this.
    pub high: f64,
}

impl Spread {
    /// The quartiles of `values`, by the nearest value; `NaN` for an empty list.
    #[must_use]
    pub fn of(mut values: Vec<f64>) -> Self {
        values.sort_by(f64::total_cmp);
        let at = |quarter: usize| match values.len() {
            0 => f64::NAN,
            n => values[((n - 1) * quarter + 2) / 4],
        };
        Self { low: at(1), median: at(2), high: at(3) }
    }
}

/// Nanoseconds per particle and step of both runners, and their ratio round by round.
#[derive(Clone, Copy, Debug)]
pub struct Comparison {
    /// The first runner.
    pub ours: Spread,
    /// The second runner.
    pub theirs: Spread,
    /// `theirs / ours` of the same round: how many times faster the first one is.
    pub ratio: Spread,
}

/// Times `ours` and `theirs` in turn for `rounds` rounds, each from the start of its scene after five
/// steps of warm-up; which one goes first changes with every round.
pub fn alternate(
    ours: &mut dyn Runner,
    theirs: &mut dyn Runner,
    rounds: usize,
) -> Result<Comparison, RunnerError> {
    let runners: [&mut dyn Runner; 2] = [ours, theirs];
    let steps = [stretch(runners[0])?, stretch(runners[1])?];
    let mut times = [Vec::new(), Vec::new()];
    for round in 0..rounds {
        for turn in [round % 2, 1 - round % 2] {
            times[turn].push(time(runners[turn], steps[turn])?);
        }
    }
    let ratios = times[1].iter().zip(&times[0]).map(|(theirs, ours)| theirs / ours).collect();
    let [ours, theirs] = times.map(Spread::of);
    Ok(Comparison { ours, theirs, ratio: Spread::of(ratios) })
}

/// Times one runner alone, in nanoseconds per particle and step.
pub fn alone(runner: &mut dyn Runner, rounds: usize) -> Result<Spread, RunnerError> {
    let steps = stretch(runner)?;
    let times: Result<_, _> = (0..rounds).map(|_| time(runner, steps)).collect();
    times.map(Spread::of)
}

/// The number of steps that take about [`STRETCH`].
fn stretch(runner: &mut dyn Runner) -> Result<u32, RunnerError> {
    runner.restart()?;
    runner.steps(WARM_UP)?;
    let step = runner.steps(2)? / 2;
    let fitting = STRETCH.as_nanos() / step.as_nanos().max(1);
    Ok((fitting as u32).clamp(1, MOST_STEPS))
}

fn time(runner: &mut dyn Runner, steps: u32) -> Result<f64, RunnerError> {
    runner.restart()?;
    thread::sleep(PAUSE);
    runner.steps(WARM_UP)?;
    let seconds = runner.steps(steps)?.as_secs_f64();
    Ok(seconds * 1e9 / (f64::from(steps) * runner.particles() as f64))
}

/// The load averages of the last 1, 5 and 15 minutes, where the system tells them.
#[must_use]
pub fn load_average() -> Option<String> {
    let text = std::fs::read_to_string("/proc/loadavg").ok()?;
    Some(text.split_whitespace().take(3).collect::<Vec<_>>().join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Snapshot;

    /// Takes a given time per step and no real one.
    struct Clock(Duration);

    impl Runner for Clock {
        fn name(&self) -> String {
            "clock".into()
        }
        fn particles(&self) -> usize {
            1000
        }
        fn restart(&mut self) -> Result<(), RunnerError> {
            Ok(())
        }
        fn steps(&mut self, steps: u32) -> Result<Duration, RunnerError> {
            Ok(self.0 * steps)
        }
        fn snapshot(&mut self) -> Result<Snapshot, RunnerError> {
            Err(RunnerError::Refused("a clock has no particles".into()))
        }
    }

    #[test]
    fn times_are_per_particle_and_step_and_the_ratio_says_how_much_faster_we_are() {
        let (mut fast, mut slow) =
            (Clock(Duration::from_micros(30)), Clock(Duration::from_millis(3)));
        let comparison = alternate(&mut fast, &mut slow, 7).unwrap();
        assert!((comparison.ours.median - 30.0).abs() < 1e-9);
        assert!((comparison.theirs.median - 3000.0).abs() < 1e-9);
        assert!((comparison.ratio.median - 100.0).abs() < 1e-9);
    }

    #[test]
    fn quartiles_split_the_rounds_in_four() {
        let spread = Spread::of(vec![7.0, 1.0, 5.0, 3.0, 2.0, 6.0, 4.0]);
        assert_eq!((spread.low, spread.median, spread.high), (3.0, 4.0, 6.0));
        assert!(Spread::of(Vec::new()).median.is_nan());
    }
}
