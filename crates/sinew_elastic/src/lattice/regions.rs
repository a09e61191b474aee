//! Regions of a lattice: the particles within a few links of each other.

use super::{IndexLists, LatticeNodes};

impl LatticeNodes {
    /// For each particle the region about it: all particles within `width` links, itself included,
    /// ascending.
    ///
    /// Distance is counted along links, breadth first, so a region never reaches across a gap to a
    /// part that is near but not connected. Each link is at most one grid step along every axis: the
    /// region of a particle deep inside of a body is the full cube of `(2 * width + 1)³` nodes.
    pub fn regions(&self, width: u32) -> IndexLists {
        let mut regions = IndexLists::default();
        let mut search = RegionSearch::new(self.links.len());
        for particle in 0..self.links.len() as u32 {
            regions.push(search.region(&self.links, particle, width));
        }
        regions
    }
}

/// Finds regions one by one and keeps its working memory between them.
#[derive(Clone, Debug)]
pub struct RegionSearch {
    /// The last search that met each particle.
    seen: Vec<u32>,
    search: u32,
    found: Vec<u32>,
}

impl RegionSearch {
    /// Working memory for a body of `particles` particles.
    pub fn new(particles: usize) -> Self {
        Self { seen: vec![0; particles], search: 0, found: Vec::new() }
    }

    /// The particles within `width` links of `particle`, itself included, ascending.
    ///
    /// # Panics
    /// If `links` has more lists than the particles given to [`RegionSearch::new`], or an index
    /// beyond them.
    pub fn region(&mut self, links: &IndexLists, particle: u32, width: u32) -> &[u32] {
        if self.search == u32::MAX {
            self.seen.fill(0);
            self.search = 0;
        }
        self.search += 1;
        self.found.clear();
        self.found.push(particle);
        self.seen[particle as usize] = self.search;
        let mut ring = 0;
        for _ in 0..width {
            let end = self.found.len();
            for at in ring..end {
                for &next in links.list(self.found[at] as usize) {
                    if self.seen[next as usize] != self.search {
                        self.seen[next as usize] = self.search;
                        self.found.push(next);
                    }
                }
            }
            ring = end;
        }
        self.found.sort_unstable();
        &self.found
    }
}
