//! The neighbours of each vertex, in order round it.

/// What the triangles at a vertex form.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum RingKind {
    /// One closed fan: the neighbours are in order, the last is next to the first.
    Closed = 0,
    /// One open fan, as on a border: the neighbours are in order from one end to the other.
    Open = 1,
    /// Several fans or edges with more than two triangles: neighbours in the order of their indices.
    Irregular = 2,
    /// No triangle.
    Isolated = 3,
}

/// One-rings of all vertices, counter-clockwise seen from outside where they have an order.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Rings {
    pub(crate) starts: Vec<u32>,
    pub(crate) neighbours: Vec<u32>,
    pub(crate) kinds: Vec<RingKind>,
}

impl Rings {
    /// Collects the rings of `vertex_count` vertices. Triangles must be in range, without repeats.
    ///
    /// # Panics
    /// When a triangle names a vertex that does not exist.
    #[must_use]
    pub fn new(vertex_count: usize, triangles: &[[u32; 3]]) -> Self {
        // For each vertex the directed edges opposite to it.
        let mut spokes: Vec<(u32, u32, u32)> = Vec::with_capacity(3 * triangles.len());
        for &[a, b, c] in triangles {
            spokes.extend([(a, b, c), (b, c, a), (c, a, b)]);
        }
        spokes.sort_unstable();
        let mut rings = Self { starts: vec![0], ..Self::default() };
        let mut first = 0;
        for vertex in 0..vertex_count as u32 {
            let end = first + spokes[first..].partition_point(|spoke| spoke.0 == vertex);
            rings.push(&spokes[first..end]);
            first = end;
        }
        assert_eq!(first, spokes.len(), "a triangle names a vertex that does not exist");
        rings
    }

    fn push(&mut self, spokes: &[(u32, u32, u32)]) {
        let begin = self.neighbours.len();
        let kind = self.walk(spokes);
        if kind == RingKind::Irregular {
            self.neighbours.truncate(begin);
            let mut all: Vec<u32> = spokes.iter().flat_map(|&(_, b, c)| [b, c]).collect();
            all.sort_unstable();
            all.dedup();
            self.neighbours.extend(all);
        }
        self.starts.push(self.neighbours.len() as u32);
        self.kinds.push(kind);
    }

    /// Follows the edges opposite to a vertex from one to the next.
    fn walk(&mut self, spokes: &[(u32, u32, u32)]) -> RingKind {
        if spokes.is_empty() {
            return RingKind::Isolated;
        }
        // Sorted by their first end, so that a repeat means a non-manifold edge.
        if spokes.windows(2).any(|pair| pair[0].1 == pair[1].1) {
            return RingKind::Irregular;
        }
        let next = |from: u32| spokes.binary_search_by_key(&from, |spoke| spoke.1).ok();
        // Valences are small: a search over all ends is short.
        let start = spokes.iter().position(|spoke| spokes.iter().all(|other| other.2 != spoke.1));
        let first = start.unwrap_or(0);
        let mut at = first;
        for step in 0..spokes.len() {
            self.neighbours.push(spokes[at].1);
            match next(spokes[at].2) {
                Some(following) if following == first => {
                    let complete = step + 1 == spokes.len();
                    return if complete { RingKind::Closed } else { RingKind::Irregular };
                }
                Some(following) => at = following,
                None => {
                    self.neighbours.push(spokes[at].2);
                    let complete = step + 1 == spokes.len();
                    return if complete { RingKind::Open } else { RingKind::Irregular };
                }
            }
        }
        RingKind::Irregular
    }

    /// The number of vertices.
    #[must_use]
    pub fn len(&self) -> usize {
        self.kinds.len()
    }

    /// Whether there are no vertices.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.kinds.is_empty()
    }

    /// The range of a vertex in lists that run parallel to the neighbours.
    #[inline(always)]
    pub(crate) fn range(&self, vertex: usize) -> core::ops::Range<usize> {
        self.starts[vertex] as usize..self.starts[vertex + 1] as usize
    }

    /// The neighbours of a vertex.
    ///
    /// # Panics
    /// When there is no such vertex.
    #[inline(always)]
    #[must_use]
    pub fn ring(&self, vertex: usize) -> &[u32] {
        &self.neighbours[self.range(vertex)]
    }

    /// What the triangles at a vertex form.
    ///
    /// # Panics
    /// When there is no such vertex.
    #[inline(always)]
    #[must_use]
    pub fn kind(&self, vertex: usize) -> RingKind {
        self.kinds[vertex]
    }
}
