//! A chain of joints, checked once and shared from then on.

use glam::{Quat, Vec3};
use thiserror::Error;

use crate::limit::{Limit, LimitError};
use crate::rotation::{arc, direction_or, unit};
use crate::solver::curl::{CurlProfile, CurlTable};
use crate::trig::sin_cos;

/// Lengths below this share of the chain's length count as zero.
pub(crate) const ZERO_LENGTH: f32 = 1e-6;

/// A rotation that a joint likes to have when the goal leaves it the choice.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Preferred {
    /// The local rotation (to the parent joint's space).
    pub rotation: Quat,
    /// Share of the way to it that an iteration takes, in [0, 1].
    pub strength: f32,
}

/// One joint, as it is described to [`Chain::new`].
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Joint {
    /// Place in the space of the parent joint; for the first joint, in chain space.
    pub translation: Vec3,
    /// Local rotation at rest, which limits count from. Need not be of unit length.
    pub rest: Quat,
    /// Local scale. Solvers never change it.
    pub scale: Vec3,
    /// Where the joint may turn to.
    pub limit: Limit,
    /// Share of motion that the joint refuses: 0 moves freely, 1 keeps the base pose bit for bit.
    pub stiffness: f32,
    /// Fastest turn of the local rotation, in rad/s; infinite for no bound.
    pub max_rate: f32,
    /// A rotation that it likes to have.
    pub preferred: Option<Preferred>,
    /// Thickness of the bone that starts here, in units of chain space; for obstacles and wraps.
    pub radius: f32,
}

impl Default for Joint {
    fn default() -> Self {
        Self {
            translation: Vec3::ZERO,
            rest: Quat::IDENTITY,
            scale: Vec3::ONE,
            limit: Limit::Free,
            stiffness: 0.0,
            max_rate: f32::INFINITY,
            preferred: None,
            radius: 0.0,
        }
    }
}

impl Joint {
    /// A free joint at a place in its parent's space.
    #[must_use]
    pub fn at(translation: Vec3) -> Self {
        Self { translation, ..Self::default() }
    }

    /// The same with a limit.
    #[must_use]
    pub fn with_limit(mut self, limit: Limit) -> Self {
        self.limit = limit;
        self
    }

    /// The same with another rest rotation.
    #[must_use]
    pub fn with_rest(mut self, rest: Quat) -> Self {
        self.rest = rest;
        self
    }
}

/// Why joints do not make a chain.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ChainError {
    /// There are no joints.
    #[error("a chain needs at least one joint")]
    NoJoints,
    /// A translation, rotation or scale is not finite.
    #[error("joint {joint}: translation, rotation or scale is not finite, or the rotation is zero")]
    BadTransform {
        /// Index of the joint, from the root.
        joint: usize,
    },
    /// The end point is not finite.
    #[error("the tip offset is not finite")]
    BadTip,
    /// All joints and the end point are in one place.
    #[error(
        "all bones have zero length: add a joint, or give the last one a tip offset, and check for zero scale"
    )]
    NoLength,
    /// Stiffness is outside [0, 1].
    #[error("joint {joint}: stiffness {stiffness} is outside [0, 1]")]
    Stiffness {
        /// Index of the joint, from the root.
        joint: usize,
        /// The value.
        stiffness: f32,
    },
    /// A rate, radius or strength is negative or not a number.
    #[error("joint {joint}: {what} is {value}; it must be zero or more")]
    Negative {
        /// Index of the joint, from the root.
        joint: usize,
        /// Name of the field.
        what: &'static str,
        /// The value.
        value: f32,
    },
    /// A limit cannot be used.
    #[error("joint {joint}: {error}")]
    Limit {
        /// Index of the joint, from the root.
        joint: usize,
        /// What is wrong.
        error: LimitError,
    },
}

/// How a joint takes part in a solve.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mobility {
    /// Turns about any axis.
    Ball,
    /// Turns about one axis.
    Hinge,
    /// Keeps the base pose.
    Rigid,
}

/// Joints from root to tip with their bones: immutable, so that all instances of a rig can share one.
///
/// Positions are in **chain space**, the space of the first joint's parent. The bone of joint `i` is the
/// vector to the next joint, in the space of joint `i` turned but not scaled: all scales up to there are
/// multiplied in. The last bone leads to the end effector and is zero when there is no tip offset.
#[derive(Clone, Debug, PartialEq)]
pub struct Chain {
    pub(crate) root: Vec3,
    pub(crate) bones: Vec<Vec3>,
    lengths: Vec<f32>,
    /// Bones and lengths in units of the chain's length, which solvers work in: their constants then need no
    /// scale.
    pub(crate) unit_bones: Vec<Vec3>,
    pub(crate) unit_lengths: Vec<f32>,
    /// Directions of the bones; the x axis for bones of no length.
    pub(crate) axes: Vec<Vec3>,
    pub(crate) rest: Vec<Quat>,
    pub(crate) limits: Vec<Limit>,
    /// cos²(half-angle / 2) of cones, which a quaternion is compared with; above 1 for all other limits.
    pub(crate) cone_bounds: Vec<f32>,
    pub(crate) mobility: Vec<Mobility>,
    /// `1 − stiffness`; zero for fixed joints.
    pub(crate) weights: Vec<f32>,
    pub(crate) max_rates: Vec<f32>,
    pub(crate) preferred: Vec<Option<Preferred>>,
    pub(crate) radii: Vec<f32>,
    /// Translations and scales as given, where a scale that is not uniform bends lengths; else empty.
    pub(crate) sheared: Vec<(Vec3, Vec3)>,
    tip: Vec3,
    pub(crate) length: f32,
    /// Bones up to the last one that has a length.
    pub(crate) used: usize,
    /// All joints are balls without limits, stiffness or preference.
    pub(crate) plain: bool,
    /// Some joint has a finite rate.
    pub(crate) rated: bool,
    pub(crate) curl: CurlTable,
    pub(crate) curl_chosen: bool,
}

impl Chain {
    /// A chain of `joints`, root first, whose end effector lies at `tip` in the space of the last joint.
    ///
    /// A `tip` of zero puts the end effector at the last joint, as for a hand that has no finger joint.
    ///
    /// # Errors
    /// When there are no joints, no lengths, or a field is out of its range.
    pub fn new(joints: &[Joint], tip: Vec3) -> Result<Self, ChainError> {
        if joints.is_empty() {
            return Err(ChainError::NoJoints);
        }
        if !tip.is_finite() {
            return Err(ChainError::BadTip);
        }
        let mut chain = Self {
            root: joints[0].translation,
            bones: Vec::with_capacity(joints.len()),
            lengths: Vec::with_capacity(joints.len()),
            unit_bones: Vec::with_capacity(joints.len()),
            unit_lengths: Vec::with_capacity(joints.len()),
            axes: Vec::with_capacity(joints.len()),
            rest: Vec::with_capacity(joints.len()),
            limits: Vec::with_capacity(joints.len()),
            cone_bounds: Vec::with_capacity(joints.len()),
            mobility: Vec::with_capacity(joints.len()),
            weights: Vec::with_capacity(joints.len()),
            max_rates: Vec::with_capacity(joints.len()),
            preferred: Vec::with_capacity(joints.len()),
            radii: Vec::with_capacity(joints.len()),
            sheared: Vec::new(),
            tip,
            length: 0.0,
            used: 0,
            plain: true,
            rated: false,
            curl: CurlTable::default(),
            curl_chosen: false,
        };
        for (index, joint) in joints.iter().enumerate() {
            chain.push(index, joint)?;
        }
        chain.measure(joints)?;
        chain.curl = CurlTable::new(&chain.unit_lengths[..chain.used], &CurlProfile::Constant);
        Ok(chain)
    }

    /// A straight chain of free joints along a direction: bones of the given lengths, the first one at the
    /// origin of chain space. For trunks, tails and ropes that are not read from a rig.
    ///
    /// # Errors
    /// As [`Chain::new`].
    pub fn straight(direction: Vec3, lengths: &[f32]) -> Result<Self, ChainError> {
        let direction = direction.normalize_or_zero();
        let mut joints: Vec<Joint> = Vec::with_capacity(lengths.len());
        let mut before = 0.0;
        for &length in lengths {
            joints.push(Joint::at(direction * before));
            before = length;
        }
        Self::new(&joints, direction * before)
    }

    /// The same with another law of curling, which [`Solver::Auto`](crate::Solver::Auto) then prefers for free chains.
    #[must_use]
    pub fn with_curl(mut self, profile: &CurlProfile) -> Self {
        self.curl = CurlTable::new(&self.unit_lengths[..self.used], profile);
        self.curl_chosen = true;
        self
    }

    /// Number of joints.
    #[must_use]
    pub fn len(&self) -> usize {
        self.bones.len()
    }

    /// Never: a chain has at least one joint.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.bones.is_empty()
    }

    /// Where the first joint was when the chain was made, in chain space.
    #[must_use]
    pub fn root(&self) -> Vec3 {
        self.root
    }

    /// Length of the stretched chain from the first joint to the end effector, in chain space.
    #[must_use]
    pub fn length(&self) -> f32 {
        self.length
    }

    /// The nearest and the farthest distance from the first joint that free joints let the end effector have.
    #[must_use]
    pub fn reach(&self) -> (f32, f32) {
        reach_of(&self.lengths)
    }

    /// Local rotations at rest, root first.
    #[must_use]
    pub fn rest(&self) -> &[Quat] {
        &self.rest
    }

    /// Lengths of the bones, the one to the end effector last.
    #[must_use]
    pub fn lengths(&self) -> &[f32] {
        &self.lengths
    }

    /// Limits with unit axes.
    #[must_use]
    pub fn limits(&self) -> &[Limit] {
        &self.limits
    }

    /// Radii of the bones.
    #[must_use]
    pub fn radii(&self) -> &[f32] {
        &self.radii
    }

    /// The law of curling, worked out for this chain.
    #[must_use]
    pub fn curl(&self) -> &CurlTable {
        &self.curl
    }

    /// A scale inside the chain is not uniform, so that lengths change with the pose. Solves then take
    /// some rounds, and say so in their report.
    #[must_use]
    pub fn is_sheared(&self) -> bool {
        !self.sheared.is_empty()
    }

    /// Writes the places of all joints and of the end effector (one more than joints), in chain space, for local
    /// rotations and the place of the first joint. Surplus places of `out` are left alone.
    pub fn positions(&self, root: Vec3, rotations: &[Quat], out: &mut [Vec3]) {
        let mut turn = Quat::IDENTITY;
        let mut at = root;
        let mut places = out.iter_mut();
        for (bone, rotation) in self.bones.iter().zip(rotations) {
            if let Some(place) = places.next() {
                *place = at;
            }
            turn = unit(turn * *rotation);
            at += turn * *bone;
        }
        if let Some(place) = places.next() {
            *place = at;
        }
    }

    /// Writes local rotations that lay bones along `points` (joint places and the tip, in chain space), each by the
    /// smallest swing from its base rotation, so that the twist of the base pose stays. Bones without length, and those
    /// without points, keep their base rotations; limits are not looked at.
    pub fn rotations_along(&self, base: &[Quat], points: &[Vec3], out: &mut [Quat]) {
        let mut parent = Quat::IDENTITY;
        for (i, (base, out)) in base.iter().zip(out).enumerate().take(self.len()) {
            let mut turn = unit(parent * *base);
            if self.unit_lengths[i] > ZERO_LENGTH && i + 1 < points.len() {
                let now = turn * self.axes[i];
                let aim = direction_or((points[i + 1] - points[i]) / self.length, now);
                turn = unit(arc(now, aim, turn * Vec3::Z) * turn);
            }
            *out = unit(parent.conjugate() * turn);
            parent = turn;
        }
    }

    fn push(&mut self, index: usize, joint: &Joint) -> Result<(), ChainError> {
        let good = joint.translation.is_finite()
            && joint.scale.is_finite()
            && joint.rest.is_finite()
            && joint.rest.length_squared() > 1e-12;
        if !good {
            return Err(ChainError::BadTransform { joint: index });
        }
        if !(0.0..=1.0).contains(&joint.stiffness) {
            return Err(ChainError::Stiffness { joint: index, stiffness: joint.stiffness });
        }
        let strength = joint.preferred.map_or(0.0, |preferred| preferred.strength);
        for (what, value) in
            [("max_rate", joint.max_rate), ("radius", joint.radius), ("strength", strength)]
        {
            if value.is_nan() || value < 0.0 || (what != "max_rate" && value.is_infinite()) {
                return Err(ChainError::Negative { joint: index, what, value });
            }
        }
        let limit =
            joint.limit.validated().map_err(|error| ChainError::Limit { joint: index, error })?;
        let preferred = joint.preferred.filter(|p| p.rotation.is_finite() && p.strength > 0.0);
        let rigid = joint.stiffness >= 1.0 || limit == Limit::Fixed;
        self.mobility.push(match limit {
            _ if rigid => Mobility::Rigid,
            Limit::Hinge { .. } => Mobility::Hinge,
            _ => Mobility::Ball,
        });
        self.plain &= limit == Limit::Free && joint.stiffness == 0.0 && preferred.is_none();
        self.rated |= joint.max_rate.is_finite();
        self.weights.push(if rigid { 0.0 } else { 1.0 - joint.stiffness });
        self.rest.push(unit(joint.rest));
        self.cone_bounds.push(match limit {
            Limit::Cone { half_angle, .. } => sin_cos(0.5 * half_angle).1.powi(2),
            _ => 2.0,
        });
        self.limits.push(limit);
        self.max_rates.push(joint.max_rate);
        self.preferred.push(
            preferred
                .map(|p| Preferred { rotation: unit(p.rotation), strength: p.strength.min(1.0) }),
        );
        self.radii.push(joint.radius);
        Ok(())
    }

    /// Works the bones out of translations and scales (see the space of bones at [`Chain`]).
    fn measure(&mut self, joints: &[Joint]) -> Result<(), ChainError> {
        let count = joints.len();
        let uniform = |s: Vec3| {
            let slack = 1e-5 * s.abs().max_element();
            (s.x - s.y).abs() <= slack && (s.x - s.z).abs() <= slack
        };
        let next = |i: usize| joints.get(i + 1).map_or(self.tip, |joint| joint.translation);
        // A scale that is not uniform only matters when a bone beyond the next joint turns in it.
        let bent = (0..count)
            .any(|i| !uniform(joints[i].scale) && (i + 1..count).any(|k| next(k) != Vec3::ZERO));
        let mut scale = Vec3::ONE;
        let mut bones = Vec::with_capacity(count);
        for (i, joint) in joints.iter().enumerate() {
            scale *= joint.scale;
            bones.push(scale * next(i));
        }
        if bent {
            self.sheared = (0..count).map(|i| (next(i), joints[i].scale)).collect();
            crate::shear::bones_at(&self.sheared, &self.rest, &mut bones);
        }
        self.set_bones(&bones);
        if !self.length.is_finite() {
            return Err(ChainError::BadTransform { joint: 0 });
        }
        if self.length <= f32::MIN_POSITIVE {
            return Err(ChainError::NoLength);
        }
        Ok(())
    }

    /// This chain is another one with its bones measured at some pose.
    pub(crate) fn is_measured_from(&self, other: &Self) -> bool {
        self.sheared == other.sheared
            && self.rest == other.rest
            && self.limits == other.limits
            && self.weights == other.weights
            && self.max_rates == other.max_rates
            && self.preferred == other.preferred
            && self.radii == other.radii
            && self.root == other.root
    }

    /// Replaces the bones by others of equal number.
    pub(crate) fn set_bones(&mut self, bones: &[Vec3]) {
        self.bones.clear();
        self.bones.extend_from_slice(bones);
        self.lengths.clear();
        self.lengths.extend(bones.iter().map(|bone| bone.length()));
        self.length = self.lengths.iter().sum();
        let scale = 1.0 / self.length.max(f32::MIN_POSITIVE);
        self.unit_bones.clear();
        self.unit_bones.extend(bones.iter().map(|bone| *bone * scale));
        self.unit_lengths.clear();
        self.unit_lengths.extend(self.lengths.iter().map(|length| length * scale));
        self.axes.clear();
        for (bone, &length) in self.unit_bones.iter().zip(&self.unit_lengths) {
            self.axes.push(if length > ZERO_LENGTH { *bone / length } else { Vec3::X });
        }
        let last = self.unit_lengths.iter().rposition(|&length| length > ZERO_LENGTH);
        self.used = last.map_or(0, |last| last + 1);
    }
}

/// Nearest and farthest distance between the ends of bones of these lengths.
pub(crate) fn reach_of(lengths: &[f32]) -> (f32, f32) {
    let total: f32 = lengths.iter().sum();
    let longest = lengths.iter().fold(0.0_f32, |most, &l| most.max(l));
    ((2.0 * longest - total).max(0.0), total)
}
