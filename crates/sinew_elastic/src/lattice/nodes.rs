use std::collections::BTreeMap;

use glam::{IVec3, Vec3};

use super::{LatticeError, LatticeReport};

/// The nodes of a lattice and how they are linked: what a body's particles and regions are made
/// from.
///
/// Particles are sorted by z, then y, then x of their grid position. Several may have the same
/// grid position: layers that belong to parts near each other but not connected.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LatticeNodes {
    /// Distance of neighbouring nodes, and edge length of a cell.
    pub spacing: f32,
    /// Position of grid coordinate zero, in the mesh's space.
    pub origin: Vec3,
    /// Width of the regions asked for, in links (1..=3).
    pub width: u32,
    /// Grid coordinates of each particle.
    pub coords: Vec<IVec3>,
    /// Position of each particle: `origin + spacing * coords`.
    pub positions: Vec<Vec3>,
    /// Share of each particle in the body's volume, in volumes of one cell; above zero.
    pub mass_shares: Vec<f32>,
    /// For each particle, ascending, those that share a cell copy with it (itself left out).
    pub links: IndexLists,
    /// Particles at the corners of each cell copy; bit 0, 1, 2 of the corner number is the side
    /// along x, y, z.
    pub copies: Vec<[u32; 8]>,
    /// How the input's vertices follow the particles; empty for lattices without a mesh.
    pub embedding: LatticeEmbedding,
    /// What the builder met.
    pub report: LatticeReport,
}

/// How surface vertices follow the particles: each by the eight corners of one cell copy.
///
/// A vertex is the sum of its particles' positions times its weights; the weights sum to one and
/// reproduce affine motion. They are trilinear, and may be slightly outside of 0..=1 for vertices
/// on a cell's border.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LatticeEmbedding {
    /// Particles of each input vertex.
    pub particles: Vec<[u32; 8]>,
    /// Their weights.
    pub weights: Vec<[f32; 8]>,
}

/// Lists of indices of different lengths in one allocation.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct IndexLists {
    /// Where each list starts in `items`, and the end of the last one.
    pub starts: Vec<u32>,
    /// The lists, one after the other.
    pub items: Vec<u32>,
}

impl Default for IndexLists {
    fn default() -> Self {
        Self { starts: vec![0], items: Vec::new() }
    }
}

impl IndexLists {
    /// Number of lists.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Whether there are no lists.
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// List number `i`.
    pub fn list(&self, i: usize) -> &[u32] {
        &self.items[self.starts[i] as usize..self.starts[i + 1] as usize]
    }

    /// Appends a list.
    pub fn push(&mut self, list: &[u32]) {
        self.items.extend_from_slice(list);
        self.starts.push(self.items.len() as u32);
    }

    /// Lists of the second indices of sorted pairs, by their first; `count` lists.
    fn from_pairs(pairs: &[(u32, u32)], count: usize) -> Self {
        let mut starts = vec![0; count + 1];
        for &(i, _) in pairs {
            starts[i as usize + 1] += 1;
        }
        for i in 0..count {
            starts[i + 1] += starts[i];
        }
        Self { starts, items: pairs.iter().map(|&(_, j)| j).collect() }
    }
}

impl LatticeNodes {
    /// A full block of `nodes[0]` x `nodes[1]` x `nodes[2]` nodes, its first one at the origin.
    ///
    /// ```
    /// use sinew_elastic::lattice::LatticeNodes;
    /// let cube = LatticeNodes::block([10, 10, 10], 0.1)?;
    /// assert_eq!(cube.positions.len(), 1_000);
    /// # Ok::<(), sinew_elastic::lattice::LatticeError>(())
    /// ```
    ///
    /// # Errors
    /// A count of zero, or a spacing that is not a finite length above zero.
    pub fn block(nodes: [u32; 3], spacing: f32) -> Result<Self, LatticeError> {
        let total: f64 = nodes.iter().map(|&n| f64::from(n)).product();
        let most = super::grid::MOST_CELLS;
        if total > most as f64 {
            return Err(LatticeError::TooManyCells { spacing: spacing.into(), cells: total, most });
        }
        let [x, y, z] = nodes.map(|n| n as i32);
        let all: Vec<IVec3> = (0..z)
            .flat_map(|k| (0..y).flat_map(move |j| (0..x).map(move |i| IVec3::new(i, j, k))))
            .collect();
        Self::from_nodes(&all, spacing, Vec3::ZERO)
    }

    /// A lattice of exactly these grid positions; each is linked to all of its up to 26
    /// neighbours.
    ///
    /// Particles are sorted (see [`LatticeNodes`]), whatever the order of the list. A node's mass
    /// share is an eighth of each full cell around it, at least an eighth.
    ///
    /// # Errors
    /// An empty list, a node given twice, a spacing that is not a finite length above zero, or
    /// positions that `f32` cannot hold.
    pub fn from_nodes(nodes: &[IVec3], spacing: f32, origin: Vec3) -> Result<Self, LatticeError> {
        if nodes.is_empty() {
            return Err(LatticeError::NoNodes);
        }
        if !(spacing.is_finite() && spacing > 0.0) {
            return Err(LatticeError::Spacing { spacing });
        }
        let mut order: Vec<u32> = (0..nodes.len() as u32).collect();
        order.sort_by_key(|&i| (sort_key(nodes[i as usize]), i));
        let mut particle_at = BTreeMap::new();
        let mut coords = Vec::with_capacity(nodes.len());
        let mut positions = Vec::with_capacity(nodes.len());
        for (particle, &node) in order.iter().enumerate() {
            let coord = nodes[node as usize];
            if particle_at.insert(sort_key(coord), particle as u32).is_some() {
                return Err(LatticeError::DuplicateNode { node: node as usize });
            }
            let position = origin + spacing * coord.as_vec3();
            // The margin of one keeps neighbour coordinates in range.
            let in_range = coord.max_element() < i32::MAX && coord.min_element() > i32::MIN;
            if !(position.is_finite() && in_range) {
                return Err(LatticeError::NodeOutOfRange { node: node as usize });
            }
            coords.push(coord);
            positions.push(position);
        }
        let at = |coord: IVec3| particle_at.get(&sort_key(coord)).copied();
        let mut links = IndexLists::default();
        let mut copies = Vec::new();
        let mut near = Vec::new();
        for &coord in &coords {
            near.clear();
            // In the order of z, y, x the found particles ascend.
            for step in 0..27 {
                let by = IVec3::new(step % 3 - 1, step / 3 % 3 - 1, step / 9 - 1);
                if by != IVec3::ZERO {
                    near.extend(at(coord + by));
                }
            }
            links.push(&near);
            let corners = CORNERS.map(|by| at(coord + by));
            if let [Some(a), Some(b), Some(c), Some(d), Some(e), Some(f), Some(g), Some(h)] =
                corners
            {
                copies.push([a, b, c, d, e, f, g, h]);
            }
        }
        let mut mass_shares = vec![0.0_f32; coords.len()];
        for &corner in copies.iter().flatten() {
            mass_shares[corner as usize] += 0.125;
        }
        mass_shares.iter_mut().for_each(|share| *share = share.max(0.125));
        let (low, high) = (coords.iter())
            .fold((IVec3::MAX, IVec3::MIN), |(low, high), &c| (low.min(c), high.max(c)));
        let side = |axis: usize| (i64::from(high[axis]) - i64::from(low[axis])) as u32;
        let mut lattice = Self {
            spacing,
            origin,
            width: 1,
            coords,
            positions,
            mass_shares,
            links,
            copies,
            embedding: LatticeEmbedding::default(),
            report: LatticeReport {
                spacing,
                grid: [side(0), side(1), side(2)],
                ..Default::default()
            },
        };
        lattice.report.cells = lattice.copies.len();
        lattice.finish_report();
        Ok(lattice)
    }

    /// Links of the particles of each cell copy.
    pub(super) fn links_of(copies: &[[u32; 8]], particles: usize) -> IndexLists {
        let mut pairs = Vec::with_capacity(56 * copies.len());
        for corners in copies {
            for &a in corners {
                pairs.extend(corners.iter().filter(|&&b| a != b).map(|&b| (a, b)));
            }
        }
        pairs.sort_unstable();
        pairs.dedup();
        IndexLists::from_pairs(&pairs, particles)
    }

    /// Fills in the counts that follow from particles, copies and links.
    pub(super) fn finish_report(&mut self) {
        let count = self.coords.len();
        let mut sets = super::sets::DisjointSets::new(count);
        for i in 0..count {
            for &j in self.links.list(i) {
                sets.join(i as u32, j);
            }
        }
        self.report.particles = count;
        self.report.copies = self.copies.len();
        self.report.components = sets.labels().1 as usize;
        self.report.layered_nodes = self.coords.windows(2).filter(|c| c[0] == c[1]).count();
    }
}

/// Grid offsets of the corners of a cell.
pub(super) const CORNERS: [IVec3; 8] = [
    IVec3::new(0, 0, 0),
    IVec3::new(1, 0, 0),
    IVec3::new(0, 1, 0),
    IVec3::new(1, 1, 0),
    IVec3::new(0, 0, 1),
    IVec3::new(1, 0, 1),
    IVec3::new(0, 1, 1),
    IVec3::new(1, 1, 1),
];

fn sort_key(coord: IVec3) -> [i32; 3] {
    [coord.z, coord.y, coord.x]
}
