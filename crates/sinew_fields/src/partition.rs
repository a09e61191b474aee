//! The parts of the skin: which vertices belong to which joint, and where a joint's segment lies.

use glam::DVec3;

use crate::skinning::Influences;

/// The segment of a joint in model space: from its own position to where its children begin.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Segment {
    /// The joint's position.
    pub head: DVec3,
    /// The other end.
    pub tail: DVec3,
}

impl Segment {
    /// The length.
    #[must_use]
    pub fn length(&self) -> f64 {
        self.head.distance(self.tail)
    }

    /// The unit vector from head to tail, or the x axis when both are one point.
    #[must_use]
    pub fn axis(&self) -> DVec3 {
        (self.tail - self.head).normalize_or(DVec3::X)
    }

    /// Where a point lies along the segment: 0 at the head, 1 at the tail, anything beyond.
    #[must_use]
    pub fn along(&self, point: DVec3) -> f64 {
        let way = self.tail - self.head;
        let squared = way.length_squared();
        if squared > 0.0 { (point - self.head).dot(way) / squared } else { 0.0 }
    }

    /// The point of the segment that is nearest to `point`.
    #[must_use]
    pub fn nearest(&self, point: DVec3) -> DVec3 {
        self.head.lerp(self.tail, self.along(point).clamp(0.0, 1.0))
    }
}

/// The vertices of each joint: those on which it has the largest weight.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Partition {
    starts: Vec<u32>,
    vertices: Vec<u32>,
}

impl Partition {
    /// Sorts vertices by their dominant joint. Ties go to the joint that comes first.
    #[must_use]
    pub fn new(influences: &Influences) -> Self {
        let joints = influences.joint_count();
        let owners: Vec<u16> =
            (0..influences.vertex_count()).map(|vertex| influences.dominant(vertex)).collect();
        let mut starts = vec![0; joints + 1];
        for &owner in &owners {
            starts[usize::from(owner) + 1] += 1;
        }
        for joint in 0..joints {
            starts[joint + 1] += starts[joint];
        }
        let mut vertices: Vec<u32> = (0..owners.len() as u32).collect();
        vertices.sort_by_key(|&vertex| owners[vertex as usize]);
        Self { starts, vertices }
    }

    /// The vertices of a joint, in ascending order.
    ///
    /// # Panics
    /// When there is no such joint.
    #[must_use]
    pub fn part(&self, joint: usize) -> &[u32] {
        &self.vertices[self.starts[joint] as usize..self.starts[joint + 1] as usize]
    }
}

/// Guesses the segment of each joint, since file formats store only where joints begin.
///
/// The tail is the mean of the heads of the child joints that carry skin (of all children if none does).
/// For a leaf it is its farthest vertex along the direction from its parent; a joint without parent and
/// children takes the direction to the middle of its part. `heads` and `positions` are in model space.
/// Slices `heads` and `parents` have one entry a joint.
///
/// # Panics
/// When `heads` or `parents` have fewer entries than the partition has joints.
#[must_use]
pub fn guess_segments(
    heads: &[DVec3],
    parents: &[Option<u16>],
    positions: &[[f32; 3]],
    partition: &Partition,
) -> Vec<Segment> {
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); heads.len()];
    for (joint, parent) in parents.iter().enumerate() {
        if let Some(parent) = *parent
            && usize::from(parent) < heads.len()
        {
            children[usize::from(parent)].push(joint);
        }
    }
    let mean = |points: &mut dyn Iterator<Item = DVec3>| {
        let (sum, count) = points.fold((DVec3::ZERO, 0), |(sum, n), p| (sum + p, n + 1));
        (count > 0).then(|| sum / f64::from(count))
    };
    let position = |vertex: &u32| DVec3::from(positions[*vertex as usize].map(f64::from));
    (0..heads.len())
        .map(|joint| {
            let head = heads[joint];
            let part = partition.part(joint);
            let skinned = |child: &&usize| !partition.part(**child).is_empty();
            let tail = mean(&mut children[joint].iter().filter(skinned).map(|&c| heads[c]))
                .or_else(|| mean(&mut children[joint].iter().map(|&child| heads[child])))
                .filter(|tail| tail.distance(head) > 0.0);
            let tail = tail.unwrap_or_else(|| {
                let middle = mean(&mut part.iter().map(position)).unwrap_or(head);
                let from = parents[joint].and_then(|p| heads.get(usize::from(p)).copied());
                let axis = from
                    .and_then(|from| (head - from).try_normalize())
                    .or_else(|| (middle - head).try_normalize())
                    .unwrap_or(DVec3::X);
                let reach = |axis: DVec3| {
                    part.iter().map(|v| (position(v) - head).dot(axis)).fold(0.0, f64::max)
                };
                let toward = (middle - head).normalize_or(axis);
                // A part that lies behind its joint, as of a jaw: aim at its middle instead.
                let axis = if (middle - head).dot(axis) > 0.0 { axis } else { toward };
                head + axis * reach(axis)
            });
            Segment { head, tail }
        })
        .collect()
}

/// Guesses which joint hangs on which, for rigs whose joints all lie side by side in the file.
///
/// Joints that share the weights of many vertices belong together: the tree is the one with the largest
/// sum of shared weights `Σ_v min(w_a, w_b)`, grown from the joint with the most vertices (Prim 1957).
/// Joints that share no weight with any other are hung on nothing.
#[must_use]
pub fn guess_parents(influences: &Influences) -> Vec<Option<u16>> {
    let joints = influences.joint_count();
    let mut shared: std::collections::BTreeMap<(u16, u16), f64> = std::collections::BTreeMap::new();
    let mut owned = vec![0_u32; joints];
    for vertex in 0..influences.vertex_count() {
        owned[usize::from(influences.dominant(vertex))] += 1;
        let (row, weights) = influences.row(vertex);
        for (i, &a) in row.iter().enumerate() {
            for (j, &b) in row.iter().enumerate().filter(|&(j, _)| j != i) {
                *shared.entry((a, b)).or_default() += f64::from(weights[i].min(weights[j]));
            }
        }
    }
    let mut parents = vec![None; joints];
    let mut reached = vec![false; joints];
    // Each joint once as a root at most; within a tree the strongest link goes first.
    let mut roots: Vec<usize> = (0..joints).collect();
    roots.sort_by_key(|&joint| std::cmp::Reverse(owned[joint]));
    let mut best: Vec<(f64, Option<u16>)> = vec![(0.0, None); joints];
    for root in roots {
        let mut next = (!reached[root]).then_some(root);
        while let Some(joint) = next {
            reached[joint] = true;
            parents[joint] = best[joint].1;
            for (&(_, other), &weight) in shared.range((joint as u16, 0)..=(joint as u16, u16::MAX))
            {
                let entry = &mut best[usize::from(other)];
                if weight > entry.0 {
                    *entry = (weight, Some(joint as u16));
                }
            }
            next = (0..joints)
                .filter(|&joint| !reached[joint] && best[joint].0 > 0.0)
                .max_by(|&a, &b| best[a].0.total_cmp(&best[b].0).then(b.cmp(&a)));
        }
    }
    parents
}
