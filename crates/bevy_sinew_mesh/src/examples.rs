//! The example poses of a body that is made: off the main thread as well, once its shape is there.

use std::sync::{Arc, OnceLock};

use bevy_ecs::prelude::*;
use bevy_sinew_bodies::{ExampleBases, ExampleSet};
use bevy_tasks::{AsyncComputeTaskPool, TaskPool};
use sinew_elastic::{ElasticShape, ExampleBasis, ExampleError};

/// Poses by formula that are made for a shape. Entities with equal sets share it.
#[derive(Debug)]
pub(crate) struct ExampleJob {
    shape: Arc<ElasticShape>,
    set: ExampleSet,
    result: OnceLock<Result<Arc<ExampleBasis>, ExampleError>>,
}

impl ExampleJob {
    /// Starts in the pool for long tasks.
    fn spawn(set: &ExampleSet, shape: &Arc<ElasticShape>) -> Arc<Self> {
        let (shape, set) = (shape.clone(), set.clone());
        let job = Arc::new(Self { shape, set, result: OnceLock::new() });
        let watched = Arc::downgrade(&job);
        AsyncComputeTaskPool::get_or_init(TaskPool::new)
            .spawn(async move {
                // Nobody waits any longer: nothing to do.
                let Some(job) = watched.upgrade() else { return };
                // Only this task sets the result.
                let _ = job.result.set(job.set.make(&job.shape).map(Arc::new));
            })
            .detach();
        job
    }

    fn is_for(&self, set: &ExampleSet, shape: &Arc<ElasticShape>) -> bool {
        Arc::ptr_eq(&self.shape, shape) && self.set.formulas().eq(set.formulas())
    }
}

/// Makes the poses of bodies before these get their shape.
pub(crate) struct ExampleMaker<'a> {
    bases: Mut<'a, ExampleBases>,
    /// Jobs that some entity waits for.
    jobs: Vec<Arc<ExampleJob>>,
}

impl<'a> ExampleMaker<'a> {
    pub(crate) fn new(bases: Mut<'a, ExampleBases>, jobs: Vec<Arc<ExampleJob>>) -> Self {
        Self { bases, jobs }
    }

    /// Whether a body of this shape with this set may come: its poses are there, or there are none, or cannot be
    /// made, which is said when the body has them to go without. `job` is what it waits for meanwhile.
    ///
    /// A set that is edited meanwhile holds the body up no longer; its poses are then made when they are needed.
    pub(crate) fn is_ready(
        &mut self,
        set: &ExampleSet,
        shape: &Arc<ElasticShape>,
        job: &mut Option<Arc<ExampleJob>>,
    ) -> bool {
        if set.formulas().next().is_none() || self.bases.get(set, shape).is_some() {
            return true;
        }
        let job = job.get_or_insert_with(|| {
            let known = self.jobs.iter().find(|job| job.is_for(set, shape)).cloned();
            known.unwrap_or_else(|| {
                let job = ExampleJob::spawn(set, shape);
                self.jobs.push(job.clone());
                job
            })
        });
        match job.result.get() {
            None => return false,
            Some(Ok(basis)) => self.bases.insert(&job.set, basis.clone()),
            Some(Err(_)) => {}
        }
        true
    }
}
