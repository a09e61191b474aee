//! How the work of a phase is cut into tasks.

use core::ops::Range;

use smallvec::SmallVec;

use crate::shape::ElasticShape;

/// The largest number of tasks that a phase is split into.
pub(crate) const MOST_TASKS: usize = 16;

/// Splits chunks into at most `tasks` runs of about as many blocks each.
pub(super) fn split(chunks: &[Range<usize>], tasks: usize) -> SmallVec<[Range<usize>; MOST_TASKS]> {
    let mut runs = SmallVec::new();
    let total = chunks.last().map_or(0, |last| last.end);
    let mut from = 0;
    for task in 0..tasks {
        let goal = total * (task + 1) / tasks;
        let to = if task + 1 == tasks {
            chunks.len()
        } else {
            chunks.partition_point(|chunk| chunk.end <= goal).max(from)
        };
        if to > from {
            runs.push(from..to);
        }
        from = to;
    }
    runs
}

pub(super) fn blocks_of(chunks: &[Range<usize>], run: &Range<usize>) -> Range<usize> {
    chunks[run.start].start..chunks[run.end - 1].end
}

pub(super) fn list_range(shape: &ElasticShape, blocks: &Range<usize>) -> Range<usize> {
    let start = &shape.lists.block_start;
    start[blocks.start] as usize..start[blocks.end] as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn runs_cover_all_chunks_once() {
        let chunks = [0..4, 4..8, 8..9, 9..30, 30..31];
        for tasks in 1..8 {
            let runs = split(&chunks, tasks);
            let all: Vec<usize> = runs.iter().cloned().flatten().collect();
            assert_eq!(all, [0, 1, 2, 3, 4]);
        }
    }
}
