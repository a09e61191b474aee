//! What happens to each particle: the way to its goal, then the move.

use core::ops::Range;

use glam::Vec3;
use sinew_math::lane::{Lane, LaneWork, SimdLevel, V3, dispatch};
use sinew_math::{F8, LANES, Vec3x8};

use crate::shape::ElasticShape;

use super::lists::add_list_goals;
use super::scratch::{Affine8, ListGoal, PlaneScratch};
use super::sums::{BLOCKS_PER_FLUSH, ChangeSums, ChunkSums, PlaceSums, RigidMotion};
use super::wide_lists::add_wide_goals;

/// Ways to the goal shorter than this share of the body's size are rounding (single precision rules,
/// item 4 of the method's notes): they count as none, so that a body at rest stays at rest.
const SMALLEST_PULL: f32 = 1e-7;

/// The part of a body's particles that one task works on.
pub(crate) struct ParticleTask<'a> {
    pub chunks: Range<usize>,
    pub first_block: usize,
    pub offsets: &'a mut [Vec3x8],
    pub sums: &'a mut [ChunkSums],
    pub planes: &'a mut [PlaneScratch],
}

/// What all tasks of the goal pass read.
pub(crate) struct ParticleInput<'a> {
    pub shape: &'a ElasticShape,
    pub positions: &'a [Vec3x8],
    pub velocities: &'a [Vec3x8],
    pub affine: &'a [Affine8],
    pub list_goals: &'a [ListGoal],
    /// Share of the velocities that damping takes in the move that follows.
    pub damped: f32,
    /// Change of velocity by each metre of way, in 1/s, where its rigid part is rounding; zero where
    /// something outside holds the body.
    pub kick: f32,
}

impl ParticleTask<'_> {
    /// Averages the goals of the regions round each particle (the mean over the regions that contain it)
    /// and sums what keeps momentum. With `motion_only` there are no goals, only sums.
    #[inline(always)]
    fn run<L: Lane>(&mut self, t: L::Token, input: &ParticleInput<'_>, motion_only: bool) {
        let shape = input.shape;
        let planes = shape.stencil.as_ref().map_or(0, |s| s.planes());
        for chunk in self.chunks.clone() {
            let stencil = shape.stencil.as_ref().filter(|_| chunk < planes && !motion_only);
            if let Some(stencil) = stencil {
                self.planes[0].spread_plane::<L>(t, stencil, input.affine, chunk);
            }
            let mut sums = ChunkSums::default();
            let blocks = shape.particle_chunks[chunk].clone();
            for first in blocks.clone().step_by(BLOCKS_PER_FLUSH) {
                let run = first..blocks.end.min(first + BLOCKS_PER_FLUSH);
                let ways = &mut self.offsets[first - self.first_block..][..run.len()];
                match stencil {
                    Some(stencil) => {
                        self.planes[0].goal_sums::<L>(t, stencil, chunk, run.clone(), ways);
                    }
                    None => ways.fill(Vec3x8::ZERO),
                }
                if !motion_only {
                    if !shape.lists.is_empty() {
                        for (block, goals) in run.clone().zip(&mut *ways) {
                            add_list_goals::<L>(t, shape, input.list_goals, block, goals);
                        }
                    }
                    if !shape.wide.is_empty() {
                        L::apart(
                            t,
                            #[inline(always)]
                            || {
                                for (block, goals) in run.clone().zip(&mut *ways) {
                                    add_wide_goals::<L>(t, shape, input.list_goals, block, goals);
                                }
                            },
                        );
                    }
                    find_ways::<L>(t, input, run.clone(), ways);
                }
                add_sums::<L>(t, input, run, ways, &mut sums);
            }
            self.sums[chunk - self.chunks.start] = sums;
        }
    }
}

/// Replaces the sum of the goals of each particle of some blocks by the way to their mean.
#[inline(always)]
fn find_ways<L: Lane>(
    t: L::Token,
    input: &ParticleInput<'_>,
    blocks: Range<usize>,
    ways: &mut [Vec3x8],
) {
    let shape = input.shape;
    let smallest = L::splat(t, (SMALLEST_PULL * shape.size).powi(2));
    let zero = L::splat(t, 0.0);
    let places = input.positions[blocks.clone()].iter().zip(&shape.inverse_count[blocks]);
    for ((x, share), stored) in places.zip(ways) {
        let share = L::load(t, share);
        let way = V3::load(t, stored) * share - V3::load(t, x);
        // A particle without region has no goal.
        let pulled = zero.lt(share).and(smallest.lt(way.dot(way)));
        way.map(
            #[inline(always)]
            |c| pulled.select(c, zero),
        )
        .store_to(stored);
    }
}

/// Adds up some blocks, in two passes that each need few registers.
#[inline(always)]
fn add_sums<L: Lane>(
    t: L::Token,
    input: &ParticleInput<'_>,
    blocks: Range<usize>,
    ways: &[Vec3x8],
    into: &mut ChunkSums,
) {
    let rate = L::splat(t, input.damped);
    let kick = L::splat(t, input.kick);
    let mass = &input.shape.mass[blocks.clone()];
    let positions = &input.positions[blocks.clone()];
    let mut changes = ChangeSums::<L>::new(t);
    let moving = positions.iter().zip(&input.velocities[blocks]).zip(ways);
    for (((x, v), way), mass) in moving.zip(mass) {
        let v = V3::load(t, v);
        let lost = v * rate - V3::load(t, way) * kick;
        changes.add(L::load(t, mass), V3::load(t, x), v, lost);
    }
    changes.flush(into);
    let mut places = PlaceSums::<L>::new(t);
    for (x, mass) in positions.iter().zip(mass) {
        places.add(L::load(t, mass), V3::load(t, x));
    }
    places.flush(into);
}

/// The part of a body's particles that one task moves.
pub(crate) struct MoveTask<'a> {
    pub chunks: Range<usize>,
    pub first_block: usize,
    pub positions: &'a mut [Vec3x8],
    pub velocities: &'a mut [Vec3x8],
    pub sums: &'a mut [ChunkSums],
}

/// What all tasks of the move read.
pub(crate) struct MoveInput<'a> {
    pub shape: &'a ElasticShape,
    pub offsets: &'a [Vec3x8],
    /// The rigid motion that damping and rounding took, in m/s.
    pub motion: RigidMotion,
    /// Change of velocity by each metre of way, in 1/s.
    pub kick: f32,
    /// Time for which positions follow the kick at once (implicit form), in s.
    pub kick_drift: f32,
    /// Time for which velocities move positions, in s.
    pub drift: f32,
    /// Share of the velocities that damping takes.
    pub damped: f32,
    /// Change of every velocity.
    pub gravity_kick: Vec3,
    /// Whether the corners of the body's box are wanted.
    pub bounds: bool,
}

impl MoveTask<'_> {
    /// Kick, damp, drift.
    #[inline(always)]
    fn run<L: Lane>(&mut self, t: L::Token, input: &MoveInput<'_>) {
        let motion = &input.motion;
        let turn = V3::<L>::splat(t, motion.turn);
        // `velocity + turn × (x − center)`, with all that is constant put together.
        let constant = motion.velocity - motion.turn.cross(motion.center);
        let given = V3::<L>::splat(t, constant);
        let gravity = V3::<L>::splat(t, input.gravity_kick);
        let (kick, damped) = (L::splat(t, input.kick), L::splat(t, input.damped));
        let (drift, kick_drift) = (L::splat(t, input.drift), L::splat(t, input.kick_drift));
        let zero = L::splat(t, 0.0);
        for chunk in self.chunks.clone() {
            let blocks = input.shape.particle_chunks[chunk].clone();
            let local = blocks.start - self.first_block..blocks.end - self.first_block;
            let mass = &input.shape.mass[blocks.clone()];
            let positions = &mut self.positions[local.clone()];
            let moving = positions.iter_mut().zip(&mut self.velocities[local]);
            for (((position, velocity), way), mass) in moving.zip(&input.offsets[blocks]).zip(mass)
            {
                let real = zero.lt(L::load(t, mass));
                let (x, v) = (V3::load(t, position), V3::load(t, velocity));
                let change = V3::load(t, way) * kick + given + turn.cross(x);
                // What damping takes of a rigid motion and gives back cancels before it is added, so that
                // rounding does not pull at the velocity.
                let v = v + (change - v * damped) + gravity;
                let mut moved = x + v * drift;
                if input.kick_drift != 0.0 {
                    moved += change * kick_drift;
                }
                v.map(
                    #[inline(always)]
                    |c| real.select(c, zero),
                )
                .store_to(velocity);
                moved
                    .map(
                        #[inline(always)]
                        |c| real.select(c, zero),
                    )
                    .store_to(position);
            }
            if input.bounds {
                let (low, high) = bounds::<L>(t, positions, mass);
                let sums = &mut self.sums[chunk - self.chunks.start];
                (sums.low, sums.high) = (low, high);
            }
        }
    }
}

/// Lowest and highest corner of the particles of some blocks.
#[inline(always)]
fn bounds<L: Lane>(t: L::Token, positions: &[Vec3x8], mass: &[F8]) -> (Vec3, Vec3) {
    let (zero, far) = (L::splat(t, 0.0), L::splat(t, f32::INFINITY));
    let mut low = V3::<L>::splat(t, Vec3::INFINITY);
    let mut high = V3::<L>::splat(t, Vec3::NEG_INFINITY);
    for (x, mass) in positions.iter().zip(mass) {
        let (x, real) = (V3::load(t, x), zero.lt(L::load(t, mass)));
        low = low.zip(
            x,
            #[inline(always)]
            |low, c| real.select(c, far).min(low),
        );
        high = high.zip(
            x,
            #[inline(always)]
            |high, c| real.select(c, -far).max(high),
        );
    }
    (over_lanes(&low.store(), Vec3::min), over_lanes(&high.store(), Vec3::max))
}

fn over_lanes(v: &Vec3x8, f: fn(Vec3, Vec3) -> Vec3) -> Vec3 {
    (1..LANES).fold(v.lane(0), |a, lane| f(a, v.lane(lane)))
}

struct GoalWork<'a, 'b>(&'a mut ParticleTask<'b>, &'a ParticleInput<'b>, bool);

impl LaneWork for GoalWork<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self, t: L::Token) {
        let Self(task, input, motion_only) = self;
        task.run::<L>(t, input, motion_only);
    }
}

struct MoveWork<'a, 'b>(&'a mut MoveTask<'b>, &'a MoveInput<'b>);

impl LaneWork for MoveWork<'_, '_> {
    type Output = ();

    #[inline(always)]
    fn run<L: Lane>(self, t: L::Token) {
        self.0.run::<L>(t, self.1);
    }
}

/// Runs one goal task; compiled once, whatever executor calls it.
pub(crate) fn run_goals<'a>(
    simd: SimdLevel,
    task: &mut ParticleTask<'a>,
    input: &ParticleInput<'a>,
    motion_only: bool,
) {
    dispatch(simd, GoalWork(task, input, motion_only));
}

/// Runs one move task.
pub(crate) fn run_move<'a>(simd: SimdLevel, task: &mut MoveTask<'a>, input: &MoveInput<'a>) {
    dispatch(simd, MoveWork(task, input));
}
