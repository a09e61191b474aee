//! How kernels spread one big body or skin over threads, without knowing any thread pool.

/// Runs independent tasks, on as many threads as it likes.
///
/// No kernel's result depends on the executor, bit for bit: tasks write to separate memory and every sum is
/// formed from per-chunk parts in a fixed order.
pub trait Executor {
    /// The number of threads that can work at once, the caller's included.
    fn workers(&self) -> usize;

    /// Runs `work` once on each task and returns when all are done.
    fn run<T: Send>(&self, tasks: &mut [T], work: impl Fn(&mut T) + Sync);
}

/// Runs everything on the calling thread.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Serial;

impl Executor for Serial {
    fn workers(&self) -> usize {
        1
    }

    fn run<T: Send>(&self, tasks: &mut [T], work: impl Fn(&mut T) + Sync) {
        for task in tasks {
            work(task);
        }
    }
}

/// Starts a thread for each task but the last; for programs without a thread pool, and for tests.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ScopedThreads(pub usize);

impl Executor for ScopedThreads {
    fn workers(&self) -> usize {
        self.0.max(1)
    }

    fn run<T: Send>(&self, tasks: &mut [T], work: impl Fn(&mut T) + Sync) {
        let Some((last, others)) = tasks.split_last_mut() else { return };
        std::thread::scope(|scope| {
            for task in others {
                scope.spawn(|| work(task));
            }
            work(last);
        });
    }
}

/// Takes the first `count` items off a slice: how a pass gives each of its tasks its own part.
///
/// # Panics
/// When the slice is shorter.
#[inline]
pub fn take<'a, T>(from: &mut &'a mut [T], count: usize) -> &'a mut [T] {
    let (first, rest) = core::mem::take(from).split_at_mut(count);
    *from = rest;
    first
}
