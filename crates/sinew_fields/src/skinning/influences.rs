//! Which joints move each vertex, and how much.

use thiserror::Error;

/// One attribute set of a mesh: four joints and four weights a vertex.
#[derive(Clone, Copy, Debug)]
pub struct InfluenceSet<'a> {
    /// Indices into the list of joints.
    pub joints: &'a [[u16; 4]],
    /// Weights, in any unit: rows are normalised over all sets.
    pub weights: &'a [[f32; 4]],
}

/// Why no influences could be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
pub enum InfluenceError {
    /// A skin needs a joint.
    #[error("the skin has no joints")]
    NoJoints,
    /// Joint indices are 16 bits wide.
    #[error("the skin has {joints} joints; at most {most} can be used")]
    TooManyJoints {
        /// The joints given.
        joints: usize,
        /// The most that can be used.
        most: usize,
    },
    /// All lists of all sets must have one entry a vertex.
    #[error("influence set {set} has {found} entries for {expected} vertices")]
    WrongLength {
        /// The set.
        set: usize,
        /// Its shorter or longer list.
        found: usize,
        /// Vertices of the mesh.
        expected: usize,
    },
}

/// What had to be put right in the weights of a mesh.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct InfluenceReport {
    /// Vertices without any usable weight: they follow joint 0.
    pub unweighted: u32,
    /// Weights that were negative or not finite: dropped.
    pub bad_weights: u32,
    /// Weights on joints that do not exist: dropped.
    pub bad_joints: u32,
    /// Vertices whose weights did not sum to one within 1e-3: normalised.
    pub renormalised: u32,
}

impl InfluenceReport {
    /// Whether nothing had to be put right.
    #[must_use]
    pub fn is_clean(&self) -> bool {
        *self == Self::default()
    }
}

/// Joints and weights of each vertex; every row has a joint, weights sum to one, the largest comes first.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Influences {
    /// First entry of each vertex, and the number of entries at the end.
    pub(crate) starts: Vec<u32>,
    pub(crate) joints: Vec<u16>,
    pub(crate) weights: Vec<f32>,
    pub(crate) joint_count: u32,
}

/// How far a sum of weights may be from one without being counted in the report.
const SUM_TOLERANCE: f32 = 1e-3;

impl Influences {
    /// Cleans the attribute sets of a mesh: any number of sets, weights in any unit.
    ///
    /// Weights that are negative, not finite or on a missing joint are dropped; rows are divided by their
    /// sums; a row without weight follows joint 0. The report counts each of these.
    ///
    /// # Errors
    /// When there is no joint, there are more than 65,535, or lists have different lengths.
    pub fn new(
        joint_count: usize,
        vertex_count: usize,
        sets: &[InfluenceSet<'_>],
    ) -> Result<(Self, InfluenceReport), InfluenceError> {
        let most = usize::from(u16::MAX);
        if joint_count == 0 {
            return Err(InfluenceError::NoJoints);
        }
        if joint_count > most {
            return Err(InfluenceError::TooManyJoints { joints: joint_count, most });
        }
        for (set, lists) in sets.iter().enumerate() {
            for found in [lists.joints.len(), lists.weights.len()] {
                if found != vertex_count {
                    return Err(InfluenceError::WrongLength { set, found, expected: vertex_count });
                }
            }
        }
        let mut report = InfluenceReport::default();
        let mut influences = Self { joint_count: joint_count as u32, ..Self::default() };
        let mut row = Vec::with_capacity(4 * sets.len());
        for vertex in 0..vertex_count {
            row.clear();
            for set in sets {
                for (&joint, &weight) in set.joints[vertex].iter().zip(&set.weights[vertex]) {
                    if !(weight.is_finite() && weight >= 0.0) {
                        report.bad_weights += 1;
                    } else if weight > 0.0 && usize::from(joint) >= joint_count {
                        report.bad_joints += 1;
                    } else if weight > 0.0 {
                        row.push((joint, f64::from(weight)));
                    }
                }
            }
            influences.push(&mut row, &mut report);
        }
        influences.starts.push(influences.joints.len() as u32);
        Ok((influences, report))
    }

    /// Adds a row, in doubles, in which sums of the largest weights are finite.
    fn push(&mut self, row: &mut Vec<(u16, f64)>, report: &mut InfluenceReport) {
        self.starts.push(self.joints.len() as u32);
        row.sort_by_key(|&(joint, _)| joint);
        row.dedup_by(|next, kept| {
            let same = next.0 == kept.0;
            kept.1 += if same { next.1 } else { 0.0 };
            same
        });
        let sum: f64 = row.iter().map(|&(_, weight)| weight).sum();
        if row.is_empty() {
            report.unweighted += 1;
            row.push((0, 1.0));
        } else {
            report.renormalised += u32::from((sum - 1.0).abs() > f64::from(SUM_TOLERANCE));
            for (_, weight) in row.iter_mut() {
                *weight /= sum;
            }
        }
        row.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        self.joints.extend(row.iter().map(|&(joint, _)| joint));
        self.weights.extend(row.iter().map(|&(_, weight)| weight as f32));
    }

    /// The rows of some vertices, in the order given.
    pub(crate) fn select(&self, vertices: impl Iterator<Item = usize>) -> Self {
        let mut chosen = Self { joint_count: self.joint_count, ..Self::default() };
        for vertex in vertices {
            chosen.starts.push(chosen.joints.len() as u32);
            let range = self.range(vertex);
            chosen.joints.extend_from_slice(&self.joints[range.clone()]);
            chosen.weights.extend_from_slice(&self.weights[range]);
        }
        chosen.starts.push(chosen.joints.len() as u32);
        chosen
    }

    /// The number of vertices.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.starts.len().saturating_sub(1)
    }

    /// The number of joints that the rows may name.
    #[must_use]
    pub fn joint_count(&self) -> usize {
        self.joint_count as usize
    }

    #[inline(always)]
    fn range(&self, vertex: usize) -> core::ops::Range<usize> {
        self.starts[vertex] as usize..self.starts[vertex + 1] as usize
    }

    /// Joints and weights of a vertex, the largest weight first; never empty.
    ///
    /// # Panics
    /// When there is no such vertex.
    #[inline(always)]
    #[must_use]
    pub fn row(&self, vertex: usize) -> (&[u16], &[f32]) {
        let range = self.range(vertex);
        (&self.joints[range.clone()], &self.weights[range])
    }

    /// The joint with the largest weight, the first of them in the list of joints when some are equal.
    ///
    /// # Panics
    /// When there is no such vertex.
    #[must_use]
    pub fn dominant(&self, vertex: usize) -> u16 {
        self.joints[self.starts[vertex] as usize]
    }
}
