//! Which chains have to be solved before which.
//!
//! A chain waits for every chain that moves what it stands on: those with a joint above its own first joint, and those
//! that move an entity which it follows. Chains that share joints follow each other by priority, then the one nearer
//! to the root of the hierarchy first.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use bevy_ecs::prelude::*;

use crate::binding::Slot;

/// A chain, for ordering.
#[derive(Clone, Debug)]
pub(crate) struct Node {
    pub chain: Entity,
    pub priority: i32,
    /// Number of ancestors of the first joint.
    pub depth: u32,
    /// Root first.
    pub joints: Vec<Entity>,
    /// Ancestors of the first joint.
    pub above: Vec<Entity>,
    /// What the chain follows, and all ancestors of that.
    pub follows: Vec<Entity>,
    /// Name of the last joint, and its place: they tell chains apart without regard to when they were spawned.
    pub name: String,
    pub place: [u32; 3],
    /// The result.
    pub level: u16,
}

/// Sorts chains by rank, sets their levels, and tells for each of its joints who has it before and after.
pub(crate) fn order(nodes: &mut [Node]) -> Vec<Vec<Slot>> {
    nodes.sort_by(|a, b| {
        (a.priority, a.depth, a.joints.len(), &a.name, a.place, a.chain).cmp(&(
            b.priority,
            b.depth,
            b.joints.len(),
            &b.name,
            b.place,
            b.chain,
        ))
    });
    let mut owners: Vec<(Entity, usize)> = Vec::new();
    for (rank, node) in nodes.iter().enumerate() {
        owners.extend(node.joints.iter().map(|&joint| (joint, rank)));
    }
    owners.sort_unstable();
    owners.dedup();
    set_levels(nodes, &edges(nodes, &owners));
    // In the order of solving: by level, then by rank.
    let slots = nodes.iter().enumerate().map(|(rank, node)| {
        let own = (node.level, rank);
        let slot = |&entity: &Entity| {
            let others = owners_of(&owners, entity).filter(|&other| other != rank);
            let mut slot = Slot::new(entity);
            for other in others {
                let later = (nodes[other].level, other) > own;
                slot.last &= !later;
                slot.shared_before |= !later;
            }
            slot
        };
        node.joints.iter().map(slot).collect()
    });
    slots.collect()
}

/// The chains that have a joint.
fn owners_of(owners: &[(Entity, usize)], joint: Entity) -> impl Iterator<Item = usize> + '_ {
    let start = owners.partition_point(|&(entity, _)| entity < joint);
    owners[start..].iter().take_while(move |&&(entity, _)| entity == joint).map(|&(_, rank)| rank)
}

/// Pairs of ranks: the first is solved before the second.
fn edges(nodes: &[Node], owners: &[(Entity, usize)]) -> Vec<(usize, usize)> {
    let mut shared = Vec::new();
    for (rank, node) in nodes.iter().enumerate() {
        for &joint in &node.joints {
            shared
                .extend(owners_of(owners, joint).filter(|&o| o < rank).map(|other| (other, rank)));
        }
    }
    shared.sort_unstable();
    shared.dedup();
    let mut hard = shared.clone();
    for (rank, node) in nodes.iter().enumerate() {
        let above = node.above.iter().flat_map(|&entity| owners_of(owners, entity));
        hard.extend(above.filter(|&other| other != rank).map(|other| (other, rank)).filter(
            // Those that share joints have an order already.
            |&(a, b)| shared.binary_search(&(a.min(b), a.max(b))).is_err(),
        ));
    }
    hard.sort_unstable();
    hard.dedup();
    let mut edges = hard.clone();
    for (rank, node) in nodes.iter().enumerate() {
        let moved = node.follows.iter().flat_map(|&entity| owners_of(owners, entity));
        edges.extend(moved.filter(|&other| other != rank).map(|other| (other, rank)).filter(
            // A chain that hangs on what follows it has to wait nevertheless.
            |&(a, b)| hard.binary_search(&(b, a)).is_err(),
        ));
    }
    edges.sort_unstable();
    edges.dedup();
    edges
}

/// One more than the highest level of all that come before; a circle is cut at its lowest rank.
fn set_levels(nodes: &mut [Node], edges: &[(usize, usize)]) {
    let mut waiting = vec![0_u32; nodes.len()];
    for &(_, after) in edges {
        waiting[after] += 1;
    }
    let mut done = vec![false; nodes.len()];
    let mut ready: BinaryHeap<Reverse<usize>> =
        (0..nodes.len()).filter(|&rank| waiting[rank] == 0).map(Reverse).collect();
    let mut cut = 0;
    loop {
        let next = ready.pop().map(|Reverse(rank)| rank);
        let Some(rank) = next.or_else(|| (cut..nodes.len()).find(|&rank| !done[rank])) else {
            break;
        };
        if done[rank] {
            continue;
        }
        if next.is_none() {
            cut = rank + 1;
        }
        done[rank] = true;
        let start = edges.partition_point(|&(before, _)| before < rank);
        for &(_, after) in edges[start..].iter().take_while(|&&(before, _)| before == rank) {
            if done[after] {
                continue;
            }
            nodes[after].level = nodes[after].level.max(nodes[rank].level.saturating_add(1));
            waiting[after] -= 1;
            if waiting[after] == 0 {
                ready.push(Reverse(after));
            }
        }
    }
}
