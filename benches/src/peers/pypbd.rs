//! pyPBD, the Python package of `PositionBasedDynamics`: the same lattice of 27-particle regions as ours.
//!
//! It runs in a child process, which measures its own steps. Its wheels compute in double precision
//! and solve the regions one after the other by colour, so the count of region solves is the same as
//! ours, the convergence is not.

use std::{
    io::{BufRead, BufReader, BufWriter, Write},
    process::{Child, ChildStdin, ChildStdout, Command, Stdio},
    time::Duration,
};

use glam::Vec3;

use crate::{
    Runner, RunnerError,
    scene::{self, Snapshot},
};

const SCRIPT: &str = include_str!("pypbd_lattice.py");

/// A pyPBD process with one lattice in it; the process ends with this value.
pub struct PyPbd {
    child: Child,
    to: BufWriter<ChildStdin>,
    from: BufReader<ChildStdout>,
    version: String,
    particles: usize,
}

impl PyPbd {
    /// Starts a process with a lattice of `side`³ particles on `threads` OpenMP threads. Fails when
    /// `python3` or its package `pyPBD` is not installed.
    pub fn lattice(side: usize, threads: usize) -> Result<Self, RunnerError> {
        let mut child = Command::new("python3")
            .args(["-c", SCRIPT, &side.to_string(), &scene::DT.to_string()])
            .env("OMP_NUM_THREADS", threads.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::null())
            .spawn()?;
        let (Some(to), Some(from)) = (child.stdin.take(), child.stdout.take()) else {
            return Err(RunnerError::Refused("python3 has no pipes".into()));
        };
        let rest = scene::rest(side);
        let mut this = Self {
            child,
            to: BufWriter::new(to),
            from: BufReader::new(from),
            version: String::new(),
            particles: rest.len(),
        };
        let start = scene::twisted(&rest);
        let sent = rest
            .iter()
            .chain(&start)
            .try_for_each(|p| writeln!(this.to, "{} {} {}", p.x, p.y, p.z));
        // A child that could not import the package has closed its end: the answer below tells.
        if sent.and_then(|()| this.to.flush()).is_ok()
            && let Some(version) = this.answer()?.strip_prefix("ready ")
        {
            this.version = version.to_owned();
            return Ok(this);
        }
        Err(RunnerError::Refused("python3 cannot import it; `pip install pyPBD==2.2.2`".into()))
    }

    fn ask(&mut self, question: &str) -> Result<String, RunnerError> {
        writeln!(self.to, "{question}")?;
        self.to.flush()?;
        self.answer()
    }

    fn answer(&mut self) -> Result<String, RunnerError> {
        let mut line = String::new();
        self.from.read_line(&mut line)?;
        Ok(line.trim_end().to_owned())
    }
}

impl Runner for PyPbd {
    fn name(&self) -> String {
        format!("pyPBD {}", self.version)
    }

    fn particles(&self) -> usize {
        self.particles
    }

    fn restart(&mut self) -> Result<(), RunnerError> {
        match self.ask("restart")?.as_str() {
            "done" => Ok(()),
            other => Err(RunnerError::Refused(format!("restart was answered by `{other}`"))),
        }
    }

    fn steps(&mut self, steps: u32) -> Result<Duration, RunnerError> {
        let answer = self.ask(&format!("steps {steps}"))?;
        let seconds = answer.parse::<f64>().ok().and_then(|s| Duration::try_from_secs_f64(s).ok());
        seconds.ok_or_else(|| RunnerError::Refused(format!("`{answer}` is not a time")))
    }

    fn snapshot(&mut self) -> Result<Snapshot, RunnerError> {
        let (mut positions, mut velocities) = (Vec::new(), Vec::new());
        let mut line = self.ask("state")?;
        loop {
            let numbers: Vec<f32> =
                line.split_whitespace().filter_map(|n| n.parse().ok()).collect();
            let [x, y, z, vx, vy, vz] = numbers[..] else {
                return Err(RunnerError::Refused(format!("`{line}` is not a particle")));
            };
            positions.push(Vec3::new(x, y, z));
            velocities.push(Vec3::new(vx, vy, vz));
            if positions.len() == self.particles {
                return Ok(Snapshot::of_equal_masses(positions, velocities));
            }
            line = self.answer()?;
        }
    }
}

impl Drop for PyPbd {
    /// Ends the process; one that has already gone is no error.
    fn drop(&mut self) {
        let _gone = self.child.kill();
        let _reaped = self.child.wait();
    }
}
