//! Splits the triangles of each cell into the parts that are connected there.

use glam::DVec3;

use super::geometry::{
    Triangle, clip_to_cube, nearest_of_triangles, nearest_on_segment, nearest_on_triangle,
    segment_meets_cube, segment_meets_triangle,
};
use super::grid::SNAP;
use super::sets::DisjointSets;
use super::surface::Surface;
use super::voxels::Voxels;

/// Points nearer than this, in cells, are one point.
const SAME: f64 = 1e-7;

/// Tags of [`Key`]s.
const EDGE: Key = 1 << 40;
const VERTEX: Key = 2 << 40;

/// What two copies have in common if they are parts of one surface: a triangle, an edge or a
/// vertex. Tagged with its kind in the upper bits.
pub(super) type Key = u64;

/// The copies of every filled cell: one for each part that is connected inside of the cell.
pub(super) struct Pieces {
    /// Copies of filled cell `i`: `first_copy[i]..first_copy[i + 1]`.
    pub(super) first_copy: Vec<u32>,
    /// Copy of each entry of [`Voxels::triangles_in`], all cells in a row.
    copy_of_entry: Vec<u32>,
    entry_starts: Vec<u32>,
    /// Shared features by cell: sorted keys with the copy that has them.
    keys: Vec<(Key, u32)>,
    key_starts: Vec<u32>,
}

impl Pieces {
    pub(super) fn new(surface: &Surface, voxels: &Voxels) -> Self {
        let count = voxels.cells.len();
        let mut pieces = Self {
            first_copy: Vec::with_capacity(count + 1),
            copy_of_entry: Vec::new(),
            entry_starts: vec![0],
            keys: Vec::new(),
            key_starts: vec![0],
        };
        let mut copies = 0;
        for slot in 0..count {
            pieces.first_copy.push(copies);
            copies += pieces.split(surface, voxels, slot, copies);
            pieces.entry_starts.push(pieces.copy_of_entry.len() as u32);
            pieces.key_starts.push(pieces.keys.len() as u32);
        }
        pieces.first_copy.push(copies);
        pieces
    }

    pub(super) fn copies(&self) -> usize {
        self.first_copy.last().map_or(0, |&n| n as usize)
    }

    pub(super) fn copies_in(&self, slot: usize) -> std::ops::Range<u32> {
        self.first_copy[slot]..self.first_copy[slot + 1]
    }

    pub(super) fn keys_in(&self, slot: usize) -> &[(Key, u32)] {
        &self.keys[self.key_starts[slot] as usize..self.key_starts[slot + 1] as usize]
    }

    /// The copy of each triangle in [`Voxels::triangles_in`].
    pub(super) fn copy_of_triangles(&self, slot: usize) -> &[u32] {
        let range = self.entry_starts[slot] as usize..self.entry_starts[slot + 1] as usize;
        &self.copy_of_entry[range]
    }

    /// The copy of a filled cell whose surface is nearest to a point (in cell units).
    pub(super) fn nearest_copy(
        &self,
        surface: &Surface,
        voxels: &Voxels,
        slot: usize,
        point: DVec3,
    ) -> u32 {
        let copies = self.copies_in(slot);
        let mut best = copies.start;
        if copies.len() == 1 {
            return best;
        }
        let mut least = f64::INFINITY;
        for (&t, &copy) in voxels.triangles_in(slot).iter().zip(self.copy_of_triangles(slot)) {
            let triangle = surface.triangles[t as usize].map(|v| voxels.points[v as usize]);
            let distance = nearest_on_triangle(point, &triangle).distance_squared(point);
            if distance < least {
                least = distance;
                best = copy;
            }
        }
        best
    }

    /// Splits one cell and returns its number of copies, at least one.
    fn split(&mut self, surface: &Surface, voxels: &Voxels, slot: usize, first: u32) -> u32 {
        let triangles = voxels.triangles_in(slot);
        if triangles.is_empty() {
            return 1;
        }
        let centre = voxels.grid.centre(voxels.cells[slot] as usize);
        let half = 0.5 + SNAP;
        let points = &voxels.points;
        let from = self.keys.len();
        for (local, &t) in triangles.iter().enumerate() {
            let local = local as u32;
            let corners = surface.triangles[t as usize];
            self.keys.push((Key::from(t), local));
            for k in 0..3 {
                let (p, q) = (points[corners[k] as usize], points[corners[(k + 1) % 3] as usize]);
                if segment_meets_cube(p, q, centre, half) {
                    let edge = surface.triangle_edges[t as usize][k];
                    self.keys.push((EDGE | Key::from(edge), local));
                }
                if (p - centre).abs().max_element() <= half {
                    self.keys.push((VERTEX | Key::from(corners[k]), local));
                }
            }
        }
        let keys = &mut self.keys[from..];
        keys.sort_unstable();
        let mut sets = DisjointSets::new(triangles.len());
        for pair in keys.windows(2).filter(|pair| pair[0].0 == pair[1].0) {
            sets.join(pair[0].1, pair[1].1);
        }
        if (1..triangles.len()).any(|i| !sets.same(0, i as u32)) {
            merge_across_solid(surface, voxels, centre, triangles, &mut sets);
        }
        let (labels, count) = sets.labels();
        for (_, local) in keys.iter_mut() {
            *local = first + labels[*local as usize];
        }
        let mut end = from;
        for i in from..self.keys.len() {
            if end == from || self.keys[end - 1] != self.keys[i] {
                self.keys[end] = self.keys[i];
                end += 1;
            }
        }
        self.keys.truncate(end);
        self.copy_of_entry.extend(labels.iter().map(|label| first + label));
        count
    }
}

/// A part of a triangle inside of the cell.
struct Facet {
    group: u32,
    source: u32,
    corners: Triangle,
    low: DVec3,
    high: DVec3,
}

/// Joins groups that cross, and groups whose nearest points face away from each other with nothing
/// between: there the gap is solid, as between the two sides of a plate.
fn merge_across_solid(
    surface: &Surface,
    voxels: &Voxels,
    centre: DVec3,
    triangles: &[u32],
    sets: &mut DisjointSets,
) {
    let (labels, count) = sets.labels();
    let mut groups: Vec<Vec<Facet>> = (0..count).map(|_| Vec::new()).collect();
    let mut member = vec![0; count as usize];
    for (local, &source) in triangles.iter().enumerate() {
        let group = labels[local];
        member[group as usize] = local as u32;
        let whole = surface.triangles[source as usize].map(|v| voxels.points[v as usize]);
        let polygon = clip_to_cube(&whole, centre, 0.5 + SNAP);
        for k in 2..polygon.len() {
            let corners = [polygon[0], polygon[k - 1], polygon[k]];
            let (low, high) = super::geometry::bounds(corners.into_iter());
            groups[group as usize].push(Facet { group, source, corners, low, high });
        }
    }
    for a in 0..count {
        for b in a + 1..count {
            let Some(gap) = Gap::between(&groups[a as usize], &groups[b as usize]) else {
                continue;
            };
            if gap.is_closed() || (gap.faces_away(surface, voxels) && gap.is_clear(&groups)) {
                sets.join(member[a as usize], member[b as usize]);
            }
        }
    }
}

/// The nearest points of two groups, with the triangles and groups that they lie on.
struct Gap {
    ends: [DVec3; 2],
    sources: [u32; 2],
    groups: [u32; 2],
}

impl Gap {
    fn between(first: &[Facet], second: &[Facet]) -> Option<Self> {
        let mut best = None;
        let mut least = f64::INFINITY;
        for a in first {
            for b in second {
                let apart = (a.low - b.high).max(b.low - a.high).max(DVec3::ZERO);
                if apart.length_squared() >= least {
                    continue;
                }
                let (p, q) = nearest_of_triangles(&a.corners, &b.corners);
                // A relative margin keeps the first of equal pairs, whatever the rounding.
                if p.distance_squared(q) < least * (1.0 - 1e-9) {
                    least = p.distance_squared(q);
                    best = Some(Self {
                        ends: [p, q],
                        sources: [a.source, b.source],
                        groups: [a.group, b.group],
                    });
                }
            }
        }
        best
    }

    fn is_closed(&self) -> bool {
        self.ends[0].distance(self.ends[1]) <= SAME
    }

    fn faces_away(&self, surface: &Surface, voxels: &Voxels) -> bool {
        let [p, q] = self.ends;
        normal_at(surface, voxels, self.sources[0], p).dot(q - p) < 0.0
            && normal_at(surface, voxels, self.sources[1], q).dot(p - q) < 0.0
    }

    fn is_clear(&self, groups: &[Vec<Facet>]) -> bool {
        let [p, q] = self.ends;
        (groups.iter().flatten())
            .filter(|facet| !self.groups.contains(&facet.group))
            .all(|facet| !segment_meets_triangle(p, q, &facet.corners))
    }
}

/// The outside direction at a point of a triangle: of its face, or of the edge or vertex there.
fn normal_at(surface: &Surface, voxels: &Voxels, triangle: u32, point: DVec3) -> DVec3 {
    let corners = surface.triangles[triangle as usize];
    let at = |k: usize| voxels.points[corners[k % 3] as usize];
    if let Some(k) = (0..3).find(|&k| at(k).distance(point) <= SAME) {
        return surface.vertex_normals[corners[k] as usize];
    }
    let on_edge = |k: usize| nearest_on_segment(point, at(k), at(k + 1)).distance(point) <= SAME;
    if let Some(k) = (0..3).find(|&k| on_edge(k)) {
        return surface.edge_normals[surface.triangle_edges[triangle as usize][k] as usize];
    }
    surface.face_normals[triangle as usize]
}
