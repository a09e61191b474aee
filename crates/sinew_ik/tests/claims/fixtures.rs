//! Chains, random numbers and a naive forward kinematics that the claims share.

use sinew_ik::glam::{DQuat, DVec3, Quat, Vec3};
use sinew_ik::{
    Chain, ChainState, Goal, Joint, Limit, Scratch, Settings, SolveReport, Solver, Start, Task,
    solve,
};

/// `SplitMix64` (Steele, Lea and Flood 2014): the same numbers everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn unit(&mut self) -> f32 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 40) as f32 / (1_u64 << 24) as f32
    }

    pub fn between(&mut self, low: f32, high: f32) -> f32 {
        low + (high - low) * self.unit()
    }

    /// Uniform on the unit sphere.
    pub fn direction(&mut self) -> Vec3 {
        loop {
            let v = Vec3::new(
                self.between(-1.0, 1.0),
                self.between(-1.0, 1.0),
                self.between(-1.0, 1.0),
            );
            if (0.01..1.0).contains(&v.length_squared()) {
                return v.normalize();
            }
        }
    }
}

/// Places of joints and tip in double precision, from nothing but the definition.
pub fn places(joints: &[Joint], tip: Vec3, rotations: &[Quat]) -> Vec<DVec3> {
    let mut turn = DQuat::IDENTITY;
    let mut at = joints[0].translation.as_dvec3();
    let mut out = vec![at];
    let mut scale = DVec3::ONE;
    for (i, joint) in joints.iter().enumerate() {
        turn *= rotations[i].as_dquat().normalize();
        scale *= joint.scale.as_dvec3();
        let next = joints.get(i + 1).map_or(tip, |joint| joint.translation);
        at += turn * (scale * next.as_dvec3());
        out.push(at);
    }
    out
}

/// Joints of bones of one length along x, each turned by `bend` about z at rest but the first.
pub fn row(count: usize, length: f32, bend: f32, limit: Limit) -> Vec<Joint> {
    (0..count)
        .map(|i| {
            let first = i == 0;
            Joint::at(if first { Vec3::ZERO } else { Vec3::X * length })
                .with_rest(Quat::from_rotation_z(if first { 0.0 } else { bend }))
                .with_limit(limit)
        })
        .collect()
}

/// A chain with its description, so that results can be checked independently.
pub struct Rig {
    pub joints: Vec<Joint>,
    pub tip: Vec3,
    pub chain: Chain,
    pub state: ChainState,
    pub scratch: Scratch,
}

impl Rig {
    pub fn new(joints: Vec<Joint>, tip: Vec3) -> Self {
        let chain = Chain::new(&joints, tip).expect("a good chain");
        let (state, scratch) = (ChainState::at_rest(&chain), Scratch::new(&chain));
        Self { joints, tip, chain, state, scratch }
    }

    /// Nine bones of 0.1 m, joints bent 12° about z.
    pub fn chain_a() -> Self {
        Self::new(row(9, 0.1, 12_f32.to_radians(), Limit::Free), Vec3::X * 0.1)
    }

    /// The same, straight.
    pub fn chain_s() -> Self {
        Self::new(row(9, 0.1, 0.0, Limit::Free), Vec3::X * 0.1)
    }

    pub fn solve(&mut self, task: &Task<'_>, settings: &Settings) -> SolveReport {
        solve(&self.chain, task, settings, &mut self.state, &mut self.scratch)
    }

    /// Brings the tip to a target from the rest pose.
    pub fn reach(&mut self, target: Vec3, settings: &Settings) -> SolveReport {
        self.state = ChainState::at_rest(&self.chain);
        let goals = [Goal::reach(target)];
        let task = Task::new(&self.chain, &goals);
        solve(&self.chain, &task, settings, &mut self.state, &mut self.scratch)
    }

    pub fn places(&self) -> Vec<DVec3> {
        places(&self.joints, self.tip, self.state.rotations())
    }

    pub fn end(&self) -> DVec3 {
        *self.places().last().expect("a tip")
    }

    /// Distance of the tip from a target, by the naive forward kinematics.
    pub fn miss(&self, target: Vec3) -> f64 {
        self.end().distance(target.as_dvec3())
    }
}

pub fn with(solver: Solver) -> Settings {
    Settings { solver, ..Settings::default() }
}

pub fn within(solver: Solver, share: f32, iterations: u16) -> Settings {
    Settings {
        tolerance: sinew_ik::Tolerance::Relative(share),
        max_iterations: Some(iterations),
        start: Start::Animated,
        ..with(solver)
    }
}

/// Targets of the FABRIK paper's problem for chain A: travels of 0.6 ± 0.05 m, within 0.855 m of the root.
pub fn paper_targets(count: usize) -> Vec<Vec3> {
    let start = Rig::chain_a().places().last().expect("a tip").as_vec3();
    let mut random = Random(20_261_130);
    let mut targets = Vec::new();
    while targets.len() < count {
        let target = start + random.direction() * random.between(0.55, 0.65);
        if target.length() < 0.855 {
            targets.push(target);
        }
    }
    targets
}

/// Mean, median, 95th percentile and maximum.
pub fn statistics(mut counts: Vec<u16>) -> (f32, u16, u16, u16) {
    counts.sort_unstable();
    let mean = counts.iter().map(|&c| f32::from(c)).sum::<f32>() / counts.len() as f32;
    let at = |share: f32| counts[((counts.len() - 1) as f32 * share) as usize];
    (mean, at(0.5), at(0.95), at(1.0))
}
