//! Example poses as strains: the manifold that a body prefers (Koyama et al. 2012).
//!
//! Each pose gives every region a stretch S, the symmetric factor of its fitted deformation; the basis
//! keeps `D = S − I`. Blends of these strains are the targets that goals are built from. Distances
//! between strains are measured by each region's mass moments, so that they do not depend on how the
//! model is turned or how finely it is sampled.

use glam::{DMat3, DQuat, DVec3, Vec3};
use sinew_math::rotation::nearest_rotation_f64;
use sinew_math::symmetric::pseudo_inverse;
use sinew_math::{LANES, Sym3x8};
use thiserror::Error;

use crate::shape::{ElasticShape, FLAT, NO_PARTICLE};

/// The largest number of examples of one body, as many as a Bevy mesh may have morph targets.
pub const MOST_EXAMPLES: usize = 256;
/// The largest number of named groups.
pub const MOST_GROUPS: usize = 64;
/// A group's strain of an example below this share of its moment is rounding: no strain at all.
const NO_STRAIN: f64 = 1e-10;

/// A pose that the body is to prefer: where each particle is, in body space.
#[derive(Clone, Debug, PartialEq)]
pub struct ExamplePose {
    /// What the pose is called; unique in a basis.
    pub name: String,
    /// Position of each particle.
    pub positions: Vec<Vec3>,
}

impl ExamplePose {
    /// A pose from a position for each particle.
    #[must_use]
    pub fn new(name: impl Into<String>, positions: Vec<Vec3>) -> Self {
        Self { name: name.into(), positions }
    }

    /// A pose by moving each particle of the rest shape.
    #[must_use]
    pub fn from_fn(
        name: impl Into<String>,
        shape: &ElasticShape,
        pose: impl Fn(Vec3) -> Vec3,
    ) -> Self {
        let positions = (0..shape.particle_count()).map(|i| pose(shape.rest_position(i))).collect();
        Self::new(name, positions)
    }
}

/// Which regions share their weights.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Groups {
    /// One set of weights for the whole body. The default.
    #[default]
    Whole,
    /// A set of weights for each named part.
    Named {
        /// Names of the groups.
        names: Vec<String>,
        /// Group of each region.
        of_region: Vec<u32>,
    },
    /// A set of weights for each region: a local dent is answered locally.
    PerRegion,
}

impl Groups {
    /// Named groups by each region's rest centre: `group` gives an index into `names`.
    #[must_use]
    pub fn by_position(shape: &ElasticShape, names: &[&str], group: impl Fn(Vec3) -> u32) -> Self {
        let of_region = (0..shape.region_count()).map(|r| group(shape.region_center(r))).collect();
        Self::Named { names: names.iter().map(|&n| n.to_owned()).collect(), of_region }
    }
}

/// Why an example basis cannot be made.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum ExampleError {
    /// More examples than a body can have.
    #[error("{0} examples were given, but a body can have at most {MOST_EXAMPLES}")]
    TooManyExamples(usize),
    /// The pose is of another body.
    #[error(
        "example {name:?} has {found} particles, but the body has {wanted}: an example must be a pose \
         of the same particles"
    )]
    OtherTopology {
        /// Name of the example.
        name: String,
        /// Particles of the example.
        found: usize,
        /// Particles of the body.
        wanted: usize,
    },
    /// A position is not finite.
    #[error("example {name:?} puts particle {particle} at a position that is not finite")]
    NonFinite {
        /// Name of the example.
        name: String,
        /// The particle.
        particle: usize,
    },
    /// Two examples have one name.
    #[error("two examples are called {0:?}: give each its own name")]
    DuplicateName(String),
    /// The grouping does not fit the body.
    #[error("the groups do not fit the body: {0}")]
    Groups(String),
}

/// Something odd about an example that is no error.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ExampleNote {
    /// The example does not strain this group at all, so that its weight there is always zero.
    NoStrain {
        /// Name of the example.
        example: String,
        /// Index of the group.
        group: usize,
    },
}

/// The examples of a body, as strains of its regions. Immutable; share it behind an `Arc`.
#[derive(Clone, Debug, PartialEq)]
pub struct ExampleBasis {
    pub(crate) names: Vec<String>,
    pub(crate) group_names: Vec<String>,
    /// `S_k − I` of each region: block-major, then example.
    pub(crate) strains: Vec<Sym3x8>,
    pub(crate) grouping: Grouping,
    /// Gram matrices, one after the other, in group order (slot order for one group a region).
    pub(crate) gram: Vec<f64>,
    notes: Vec<ExampleNote>,
    /// Fingerprint of the shape.
    shape: u64,
}

/// Groups as the kernel uses them.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum Grouping {
    Whole,
    Named { count: usize, of_block: Vec<[u16; LANES]> },
    PerRegion,
}

impl ExampleBasis {
    /// Examples that act on the whole body.
    ///
    /// # Errors
    /// As [`ExampleBasis::with_groups`].
    pub fn new(shape: &ElasticShape, poses: &[ExamplePose]) -> Result<Self, ExampleError> {
        Self::with_groups(shape, poses, &Groups::Whole)
    }

    /// Examples that act on groups of regions.
    ///
    /// # Errors
    /// When there are too many examples, a pose is of another body or not finite, a name comes twice, or
    /// the groups do not fit the body.
    pub fn with_groups(
        shape: &ElasticShape,
        poses: &[ExamplePose],
        groups: &Groups,
    ) -> Result<Self, ExampleError> {
        check(shape, poses)?;
        let blocks = shape.region_block_count();
        let count = poses.len();
        let mut strains = vec![Sym3x8::default(); blocks * count];
        let regions = shape.region_slots.clone();
        for (k, pose) in poses.iter().enumerate() {
            for (region, &slot) in regions.iter().enumerate() {
                let strain = shape.strain_of(region, &pose.positions);
                strains[slot as usize / LANES * count + k]
                    .set_lane(slot as usize % LANES, strain.as_mat3());
            }
        }
        let (grouping, group_names) = grouping(shape, groups)?;
        let mut basis = Self {
            names: poses.iter().map(|p| p.name.clone()).collect(),
            group_names,
            strains,
            grouping,
            gram: Vec::new(),
            notes: Vec::new(),
            shape: shape.fingerprint,
        };
        basis.measure(shape);
        Ok(basis)
    }

    /// Whether the examples belong to a body of this shape.
    #[must_use]
    pub fn fits(&self, shape: &ElasticShape) -> bool {
        self.shape == shape.fingerprint
    }

    /// Number of examples, the rest pose not counted.
    #[must_use]
    pub fn example_count(&self) -> usize {
        self.names.len()
    }

    /// Names of the examples.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Names of the groups; empty without named groups.
    #[must_use]
    pub fn group_names(&self) -> &[String] {
        &self.group_names
    }

    /// What was odd about the examples.
    #[must_use]
    pub fn notes(&self) -> &[ExampleNote] {
        &self.notes
    }

    /// Number of groups; for one group a region, the number of region slots.
    #[must_use]
    pub fn group_count(&self) -> usize {
        match &self.grouping {
            Grouping::Whole => 1,
            Grouping::Named { count, .. } => *count,
            Grouping::PerRegion => self.strains.len() / self.example_count().max(1) * LANES,
        }
    }

    /// Number of weights in a state: groups × examples.
    #[must_use]
    pub fn weight_count(&self) -> usize {
        self.group_count() * self.example_count()
    }

    /// Number of groups that hold more than one region, whose inner products are summed over chunks.
    pub(crate) fn shared_group_count(&self) -> usize {
        match self.grouping {
            Grouping::PerRegion => 0,
            Grouping::Whole | Grouping::Named { .. } => self.group_count(),
        }
    }

    /// Bytes that the basis holds on the heap.
    #[must_use]
    pub fn heap_bytes(&self) -> usize {
        let groups = match &self.grouping {
            Grouping::Named { of_block, .. } => size_of_val(of_block.as_slice()),
            Grouping::Whole | Grouping::PerRegion => 0,
        };
        size_of_val(self.strains.as_slice()) + size_of_val(self.gram.as_slice()) + groups
    }

    /// Works out the Gram matrices, and takes examples out of the groups that they do not strain.
    fn measure(&mut self, shape: &ElasticShape) {
        let n = self.example_count();
        if n == 0 {
            return;
        }
        let groups = self.group_count();
        self.gram = vec![0.0; groups * n * n];
        let mut moment = vec![0.0; groups];
        for &slot in &shape.region_slots {
            let (block, lane) = (slot as usize / LANES, slot as usize % LANES);
            let group = self.group_of(block, lane);
            let region_moment = shape.moment[block].lane(lane).as_dmat3();
            moment[group] += trace(region_moment);
            for j in 0..n {
                let weighted = self.strains[block * n + j].lane(lane).as_dmat3() * region_moment;
                for k in 0..n {
                    let strain = self.strains[block * n + k].lane(lane).as_dmat3();
                    self.gram[(group * n + j) * n + k] += trace(weighted * strain);
                }
            }
        }
        let mut inactive = vec![false; groups * n];
        for group in 0..groups {
            let gram = &mut self.gram[group * n * n..(group + 1) * n * n];
            for k in 0..n {
                if gram[k * n + k] > NO_STRAIN * moment[group] {
                    continue;
                }
                for j in 0..n {
                    gram[k * n + j] = 0.0;
                    gram[j * n + k] = 0.0;
                }
                // Its inner product is zero too, so that its weight stays zero.
                gram[k * n + k] = 1.0;
                inactive[group * n + k] = true;
                if self.grouping != Grouping::PerRegion {
                    let example = self.names[k].clone();
                    self.notes.push(ExampleNote::NoStrain { example, group });
                }
            }
        }
        for block in 0..shape.region_block_count() {
            for lane in 0..LANES {
                let group = self.group_of(block, lane);
                for k in (0..n).filter(|&k| inactive[group * n + k]) {
                    self.strains[block * n + k].set_lane(lane, glam::Mat3::ZERO);
                }
            }
        }
    }

    pub(crate) fn group_of(&self, block: usize, lane: usize) -> usize {
        match &self.grouping {
            Grouping::Whole => 0,
            Grouping::Named { of_block, .. } => usize::from(of_block[block][lane]),
            Grouping::PerRegion => block * LANES + lane,
        }
    }
}

fn check(shape: &ElasticShape, poses: &[ExamplePose]) -> Result<(), ExampleError> {
    if poses.len() > MOST_EXAMPLES {
        return Err(ExampleError::TooManyExamples(poses.len()));
    }
    for (k, pose) in poses.iter().enumerate() {
        if pose.positions.len() != shape.particle_count() {
            return Err(ExampleError::OtherTopology {
                name: pose.name.clone(),
                found: pose.positions.len(),
                wanted: shape.particle_count(),
            });
        }
        if let Some(particle) = pose.positions.iter().position(|p| !p.is_finite()) {
            return Err(ExampleError::NonFinite { name: pose.name.clone(), particle });
        }
        if poses[..k].iter().any(|other| other.name == pose.name) {
            return Err(ExampleError::DuplicateName(pose.name.clone()));
        }
    }
    Ok(())
}

fn grouping(
    shape: &ElasticShape,
    groups: &Groups,
) -> Result<(Grouping, Vec<String>), ExampleError> {
    match groups {
        Groups::Whole => Ok((Grouping::Whole, Vec::new())),
        Groups::PerRegion => Ok((Grouping::PerRegion, Vec::new())),
        Groups::Named { names, of_region } => {
            if of_region.len() != shape.region_count() {
                return Err(ExampleError::Groups(format!(
                    "a group is given for {} regions, but there are {}",
                    of_region.len(),
                    shape.region_count()
                )));
            }
            if names.is_empty() || names.len() > MOST_GROUPS {
                return Err(ExampleError::Groups(format!(
                    "there are {} of them, and 1 to {MOST_GROUPS} are possible",
                    names.len()
                )));
            }
            let mut of_block = vec![[0; LANES]; shape.region_block_count()];
            for (region, &group) in of_region.iter().enumerate() {
                if group as usize >= names.len() {
                    return Err(ExampleError::Groups(format!(
                        "region {region} is in group {group}, but there are only {}",
                        names.len()
                    )));
                }
                let slot = shape.region_slots[region] as usize;
                of_block[slot / LANES][slot % LANES] = group as u16;
            }
            Ok((Grouping::Named { count: names.len(), of_block }, names.clone()))
        }
    }
}

impl ElasticShape {
    /// Rest centre of a region, in body space.
    ///
    /// # Panics
    /// When there is no such region.
    #[must_use]
    pub fn region_center(&self, region: usize) -> Vec3 {
        let members = self.region_members(region);
        let (sum, mass) = members.iter().fold((DVec3::ZERO, 0.0), |(sum, mass), &(p, m)| {
            (sum + self.rest_position(p as usize).as_dvec3() * m, mass + m)
        });
        (sum / mass).as_vec3()
    }

    /// The particles of a region with their m̃: mass over the number of regions that contain them.
    ///
    /// # Panics
    /// When there is no such region.
    #[must_use]
    pub fn region_members(&self, region: usize) -> Vec<(u32, f64)> {
        let slot = self.region_slots[region];
        let share = |slot: usize| {
            let (block, lane) = (slot / LANES, slot % LANES);
            f64::from(self.mass[block].0[lane]) * f64::from(self.inverse_count[block].0[lane])
        };
        if let Ok(list) = self.lists.region.binary_search(&slot) {
            return self
                .lists
                .members(list)
                .map(|m| self.lists.member[m] as usize)
                .map(|s| (self.particles[s], share(s)))
                .collect();
        }
        let nodes = self.stencil.iter().flat_map(|stencil| stencil.box_round(slot));
        nodes.map(|s| (self.particles[s], share(s))).collect()
    }

    /// The particle whose slot a region has, where each region has an owner.
    pub(crate) fn region_owner(&self, region: usize) -> Option<u32> {
        let slot = self.region_slots[region] as usize;
        let owned = self.region_block_count() == self.block_count() && self.has_owners;
        self.particles.get(slot).copied().filter(|&p| owned && p != NO_PARTICLE)
    }

    /// The fitted deformation of a region as a linear map of its members' positions.
    pub(crate) fn region_fit(&self, region: usize) -> RegionFit {
        let members = self.region_members(region);
        let mut center = DVec3::ZERO;
        let mut mass = 0.0;
        for &(p, m) in &members {
            center += self.rest_position(p as usize).as_dvec3() * m;
            mass += m;
        }
        center /= mass;
        let mut moment = DMat3::ZERO;
        for &(p, m) in &members {
            let q = self.rest_position(p as usize).as_dvec3() - center;
            let weighted = q * m;
            moment += DMat3::from_cols(q * weighted.x, q * weighted.y, q * weighted.z);
        }
        let inverse = pseudo_inverse(moment, FLAT);
        let members = members
            .into_iter()
            .map(|(p, m)| {
                let q = self.rest_position(p as usize).as_dvec3() - center;
                (p, inverse.inverse * (q * m))
            })
            .collect();
        RegionFit { members, null_projector: inverse.null_projector }
    }

    /// `S − I` of a region, where `S` is the symmetric factor of its fitted deformation.
    pub(crate) fn strain_of(&self, region: usize, positions: &[Vec3]) -> DMat3 {
        let fit = self.region_fit(region);
        let origin = positions[fit.members[0].0 as usize].as_dvec3();
        let mut gradient = DMat3::ZERO;
        for &(p, w) in &fit.members {
            // Σ w = 0, so that any origin serves; a near one keeps the digits.
            let x = positions[p as usize].as_dvec3() - origin;
            gradient += DMat3::from_cols(x * w.x, x * w.y, x * w.z);
        }
        let turned = DMat3::from_quat(nearest_rotation_f64(gradient, DQuat::IDENTITY));
        let fitted = gradient + turned * fit.null_projector;
        let rotation = DMat3::from_quat(nearest_rotation_f64(fitted, DQuat::IDENTITY));
        let stretch = rotation.transpose() * fitted;
        (stretch + stretch.transpose()) * 0.5 - DMat3::IDENTITY
    }
}

/// A region's fitted deformation: `F = Σ x wᵀ + R P`.
pub(crate) struct RegionFit {
    /// Particles with their weights `A_qq⁻¹ m̃ q`, which sum to zero.
    pub members: Vec<(u32, DVec3)>,
    /// Directions in which the region has no extent.
    pub null_projector: DMat3,
}

fn trace(m: DMat3) -> f64 {
    m.x_axis.x + m.y_axis.y + m.z_axis.z
}
