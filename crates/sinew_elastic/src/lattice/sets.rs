/// Disjoint sets of `0..n`; the smallest member represents its set, so that results do not depend
/// on the order of joins.
pub(super) struct DisjointSets {
    parents: Vec<u32>,
}

impl DisjointSets {
    pub(super) fn new(count: usize) -> Self {
        Self { parents: (0..count as u32).collect() }
    }

    /// The smallest member of the set of `i`.
    pub(super) fn find(&mut self, mut i: u32) -> u32 {
        while self.parents[i as usize] != i {
            let above = self.parents[self.parents[i as usize] as usize];
            self.parents[i as usize] = above;
            i = above;
        }
        i
    }

    pub(super) fn join(&mut self, i: u32, j: u32) {
        let (i, j) = (self.find(i), self.find(j));
        self.parents[i.max(j) as usize] = i.min(j);
    }

    pub(super) fn same(&mut self, i: u32, j: u32) -> bool {
        self.find(i) == self.find(j)
    }

    /// The number of each member's set, in the order of their smallest members, and their count.
    pub(super) fn labels(&mut self) -> (Vec<u32>, u32) {
        let mut labels = vec![0; self.parents.len()];
        let mut count = 0;
        for i in 0..labels.len() {
            let root = self.find(i as u32) as usize;
            if root == i {
                labels[i] = count;
                count += 1;
            } else {
                labels[i] = labels[root];
            }
        }
        (labels, count)
    }
}
