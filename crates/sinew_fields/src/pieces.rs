//! How the vertices of one big skin are cut into pieces of work for an [`Executor`].

use core::ops::Range;

use sinew_math::Executor;
use sinew_math::executor::take;
use smallvec::SmallVec;

/// The most tasks that a pass is cut into.
pub(crate) const MOST_TASKS: usize = 32;

/// Vertices in the smallest piece of work; a pass over fewer stays on one thread.
pub(crate) const CHUNK: usize = 512;

/// Cuts `len` items into at most `workers` ranges whose borders are multiples of [`CHUNK`].
pub(crate) fn ranges(len: usize, workers: usize) -> SmallVec<[Range<usize>; MOST_TASKS]> {
    let chunks = len.div_ceil(CHUNK);
    let tasks = workers.clamp(1, MOST_TASKS).min(chunks);
    (0..tasks)
        .map(|task| {
            let border = |task: usize| (task * chunks / tasks * CHUNK).min(len);
            border(task)..border(task + 1)
        })
        .collect()
}

/// Fills `out` by pieces: `work` gets the index of its first item and the items.
pub(crate) fn fill<T: Send>(
    executor: &impl Executor,
    mut out: &mut [T],
    work: impl Fn(usize, &mut [T]) + Sync,
) {
    let mut tasks: SmallVec<[(usize, &mut [T]); MOST_TASKS]> =
        ranges(out.len(), executor.workers())
            .into_iter()
            .map(|range| (range.start, take(&mut out, range.len())))
            .collect();
    executor.run(&mut tasks, |(first, items)| work(*first, items));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_cover_everything_once_for_any_number_of_workers() {
        for len in [0, 1, 511, 512, 513, 10_000] {
            for workers in [0, 1, 2, 7, 100] {
                let ranges = ranges(len, workers);
                let mut next = 0;
                for range in &ranges {
                    assert_eq!(range.start, next);
                    assert!(range.start % CHUNK == 0 && !range.is_empty());
                    next = range.end;
                }
                assert_eq!(next, len);
            }
        }
    }
}
