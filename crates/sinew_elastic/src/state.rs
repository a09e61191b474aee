//! All that a body remembers from step to step: one value to clone for rollback.

use glam::{DMat3, DQuat, DVec3, Quat, Vec3};
use sinew_math::lane::V3;
use sinew_math::rotation::nearest_rotation_f64;
use sinew_math::{LANES, Lane, LaneWork, Quatx8, SimdLevel, Vec3x8, dispatch};

use crate::examples::ExampleBasis;
use crate::hash::Hash;
use crate::shape::{ElasticShape, NO_PARTICLE};

/// A body's position and orientation, as if it were rigid.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct RigidPose {
    /// World position of the mass centre.
    pub translation: DVec3,
    /// Rotation from the rest shape.
    pub rotation: Quat,
}

impl RigidPose {
    /// At the origin, unturned.
    pub const IDENTITY: Self = Self { translation: DVec3::ZERO, rotation: Quat::IDENTITY };

    /// Whether all numbers are finite.
    #[must_use]
    pub fn is_finite(&self) -> bool {
        self.translation.is_finite() && self.rotation.is_finite()
    }
}

/// All persistent state of a body, warm starts included, scratch memory excluded.
///
/// Saved, restored and continued, every later step has equal bytes. Positions are kept relative to a
/// world origin in double precision that moves along with the body, so that a body far from the world's
/// origin is simulated as exactly as one near it.
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct BodyState {
    /// Fingerprint of the shape.
    pub(crate) shape: u64,
    pub(crate) origin: DVec3,
    pub(crate) positions: Vec<Vec3x8>,
    pub(crate) velocities: Vec<Vec3x8>,
    /// Rotation of each region's fitted deformation: warm start of the descriptor.
    pub(crate) rotations: Vec<Quatx8>,
    /// Rotation of each region's goal: warm start of the target.
    pub(crate) goal_rotations: Vec<Quatx8>,
    /// Weight of each example in each group: group-major.
    pub(crate) weights: Vec<f32>,
    /// Last finite pose, to return to.
    pub(crate) pose: RigidPose,
    pub(crate) quiet_seconds: f32,
    pub(crate) asleep: bool,
    /// Asked for by the caller: rotations start cold in the next step.
    pub(crate) cold: bool,
}

impl BodyState {
    /// A body at rest: the rest shape, unmoved, in world space.
    #[must_use]
    pub fn at_rest(shape: &ElasticShape) -> Self {
        let pose = RigidPose { translation: shape.center().as_dvec3(), rotation: Quat::IDENTITY };
        let mut state = Self {
            shape: shape.fingerprint,
            origin: DVec3::ZERO,
            positions: vec![Vec3x8::ZERO; shape.block_count()],
            velocities: vec![Vec3x8::ZERO; shape.block_count()],
            rotations: vec![Quatx8::IDENTITY; shape.region_block_count()],
            goal_rotations: vec![Quatx8::IDENTITY; shape.region_block_count()],
            weights: Vec::new(),
            pose,
            quiet_seconds: 0.0,
            asleep: false,
            cold: false,
        };
        state.reset(shape, pose);
        state
    }

    /// A body whose *body space* lies in the world as `translation` and `rotation` say.
    #[must_use]
    pub fn placed(shape: &ElasticShape, translation: DVec3, rotation: Quat) -> Self {
        let mut state = Self::at_rest(shape);
        let center = translation + (rotation.as_dquat() * shape.center().as_dvec3());
        state.reset(shape, RigidPose { translation: center, rotation });
        state
    }

    /// Whether the state belongs to a body of this shape.
    #[must_use]
    pub fn fits(&self, shape: &ElasticShape) -> bool {
        // The lengths too: a state may come from a file.
        self.shape == shape.fingerprint
            && self.positions.len() == shape.block_count()
            && self.velocities.len() == shape.block_count()
            && self.rotations.len() == shape.region_block_count()
            && self.goal_rotations.len() == shape.region_block_count()
    }

    /// Puts the rest shape at a pose of its mass centre, without velocity. A pose that is not finite is
    /// ignored.
    pub fn reset(&mut self, shape: &ElasticShape, pose: RigidPose) {
        if !pose.is_finite() {
            return;
        }
        self.origin = pose.translation;
        for (block, rest) in self.positions.iter_mut().zip(&shape.rest) {
            for lane in 0..LANES {
                block.set_lane(lane, pose.rotation * rest.lane(lane));
            }
        }
        self.velocities.fill(Vec3x8::ZERO);
        self.rotations.fill(Quatx8::splat(pose.rotation));
        self.goal_rotations.fill(Quatx8::splat(pose.rotation));
        self.weights.fill(0.0);
        self.pose = pose;
        self.wake();
    }

    /// Moves the body at once to another pose of its mass centre: shape and velocities turn along.
    /// A pose that is not finite is ignored.
    pub fn teleport(&mut self, shape: &ElasticShape, pose: RigidPose) {
        if !pose.is_finite() {
            return;
        }
        let now = self.rigid_pose(shape);
        let turn = (pose.rotation * now.rotation.inverse()).normalize();
        let center = (now.translation - self.origin).as_vec3();
        for (x, v) in self.positions.iter_mut().zip(&mut self.velocities) {
            for lane in 0..LANES {
                x.set_lane(lane, turn * (x.lane(lane) - center));
                v.set_lane(lane, turn * v.lane(lane));
            }
        }
        for q in self.rotations.iter_mut().chain(&mut self.goal_rotations) {
            for lane in 0..LANES {
                q.set_lane(lane, (turn * q.lane(lane)).normalize());
            }
        }
        self.origin = pose.translation;
        self.pose = pose;
        self.wake();
    }

    /// World position of a particle.
    ///
    /// # Panics
    /// When there is no such particle, or the state is of another shape.
    #[must_use]
    pub fn position(&self, shape: &ElasticShape, particle: usize) -> DVec3 {
        self.origin + self.local_position(shape, particle).as_dvec3()
    }

    /// Position of a particle relative to [`BodyState::origin`].
    ///
    /// # Panics
    /// As [`BodyState::position`].
    #[must_use]
    pub fn local_position(&self, shape: &ElasticShape, particle: usize) -> Vec3 {
        let (block, lane) = shape.slot(particle);
        self.positions[block].lane(lane)
    }

    /// Velocity of a particle, in m/s.
    ///
    /// # Panics
    /// As [`BodyState::position`].
    #[must_use]
    pub fn velocity(&self, shape: &ElasticShape, particle: usize) -> Vec3 {
        let (block, lane) = shape.slot(particle);
        self.velocities[block].lane(lane)
    }

    /// Puts a particle at a world position and wakes the body.
    ///
    /// # Panics
    /// As [`BodyState::position`].
    pub fn set_position(&mut self, shape: &ElasticShape, particle: usize, position: DVec3) {
        let (block, lane) = shape.slot(particle);
        self.positions[block].set_lane(lane, (position - self.origin).as_vec3());
        self.cold = true;
        self.wake();
    }

    /// Gives a particle a velocity and wakes the body.
    ///
    /// # Panics
    /// As [`BodyState::position`].
    pub fn set_velocity(&mut self, shape: &ElasticShape, particle: usize, velocity: Vec3) {
        let (block, lane) = shape.slot(particle);
        self.velocities[block].set_lane(lane, velocity);
        self.wake();
    }

    /// World position that particle positions are stored relative to; near the body's centre.
    #[must_use]
    pub fn origin(&self) -> DVec3 {
        self.origin
    }

    /// Weight of every example in every group, group by group.
    #[must_use]
    pub fn weights(&self) -> &[f32] {
        &self.weights
    }

    /// Whether the body sleeps: steps skip it until something wakes it.
    #[must_use]
    pub fn is_asleep(&self) -> bool {
        self.asleep
    }

    /// Wakes the body.
    pub fn wake(&mut self) {
        self.asleep = false;
        self.quiet_seconds = 0.0;
    }

    /// A 64-bit hash (FNV-1a) of the bits of the whole state: equal states, and in practice only those,
    /// have equal hashes. The same on every machine.
    #[must_use]
    pub fn hash(&self) -> u64 {
        let mut hash = Hash::new();
        for value in self.origin.to_array().into_iter().chain(self.pose.translation.to_array()) {
            hash.add_bytes(&value.to_bits().to_le_bytes());
        }
        let vectors = self.positions.iter().chain(&self.velocities).flat_map(|v| [v.x, v.y, v.z]);
        let turns = self.rotations.iter().chain(&self.goal_rotations);
        let turns = turns.flat_map(|q| [q.x, q.y, q.z, q.w]);
        hash.add_all(vectors.chain(turns).flat_map(|lanes| lanes.0).map(f32::to_bits));
        let rest = self.weights.iter().copied().chain(self.pose.rotation.to_array());
        hash.add_all(rest.chain([self.quiet_seconds]).map(f32::to_bits));
        hash.add_bytes(&[u8::from(self.asleep), u8::from(self.cold)]);
        hash.finish()
    }

    /// Moves the origin by `away`; no particle moves in the world.
    pub(crate) fn rebase(&mut self, shape: &ElasticShape, away: Vec3) {
        self.origin += away.as_dvec3();
        for (block, x) in self.positions.iter_mut().enumerate() {
            for lane in 0..LANES {
                if shape.particles[block * LANES + lane] != NO_PARTICLE {
                    x.set_lane(lane, x.lane(lane) - away);
                }
            }
        }
    }

    /// Makes room for the weights of an example basis; keeps the old ones where the count agrees.
    pub(crate) fn fit_weights(&mut self, examples: Option<&ExampleBasis>) {
        let count = examples.map_or(0, ExampleBasis::weight_count);
        if self.weights.len() != count {
            self.weights.clear();
            self.weights.resize(count, 0.0);
        }
    }

    /// The rigid pose that is nearest to the body, in the mass-weighted least-squares sense.
    #[must_use]
    pub fn rigid_pose(&self, shape: &ElasticShape) -> RigidPose {
        let [center, columns @ ..] = dispatch(SimdLevel::Best, PoseSums { state: self, shape });
        // The rest centre is zero, up to rounding, so the centre need not be taken off the moments.
        let moment = DMat3::from_cols_array_2d(&columns);
        let start: DQuat = self.pose.rotation.as_dquat();
        RigidPose {
            translation: self.origin + DVec3::from_array(center) / shape.volume,
            rotation: nearest_rotation_f64(moment, start).as_quat().normalize(),
        }
    }

    /// Lowest and highest corner of the particles, in world space.
    #[must_use]
    pub fn bounds(&self, shape: &ElasticShape) -> (DVec3, DVec3) {
        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        for (block, x) in self.positions.iter().enumerate() {
            for lane in 0..LANES {
                if shape.particles[block * LANES + lane] != NO_PARTICLE {
                    low = low.min(x.lane(lane));
                    high = high.max(x.lane(lane));
                }
            }
        }
        (self.origin + low.as_dvec3(), self.origin + high.as_dvec3())
    }
}

/// Σ m x, then the columns of Σ m x x0ᵀ, in double precision.
struct PoseSums<'a> {
    state: &'a BodyState,
    shape: &'a ElasticShape,
}

impl LaneWork for PoseSums<'_> {
    type Output = [[f64; 3]; 4];

    #[inline(always)]
    fn run<L: Lane>(self, t: L::Token) -> Self::Output {
        /// Blocks that are summed in single precision before the sums go to double precision.
        const BLOCKS_PER_FLUSH: usize = 32;
        let Self { state, shape } = self;
        let mut totals = [[0.0; 3]; 4];
        for (x, (rest, mass)) in state
            .positions
            .chunks(BLOCKS_PER_FLUSH)
            .zip(shape.rest.chunks(BLOCKS_PER_FLUSH).zip(shape.mass.chunks(BLOCKS_PER_FLUSH)))
        {
            let zero = V3::<L>::splat(t, Vec3::ZERO);
            let mut sums = [zero; 4];
            for ((x, rest), mass) in x.iter().zip(rest).zip(mass) {
                let weighted = V3::load(t, x) * L::load(t, mass);
                sums[0] += weighted;
                sums[1] += weighted * L::load(t, &rest.x);
                sums[2] += weighted * L::load(t, &rest.y);
                sums[3] += weighted * L::load(t, &rest.z);
            }
            for (total, sum) in totals.iter_mut().zip(sums) {
                for (axis, part) in sum.store().sum().into_iter().enumerate() {
                    total[axis] += part;
                }
            }
        }
        totals
    }
}
