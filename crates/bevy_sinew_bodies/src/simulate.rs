//! The tick of all bodies: parallel over bodies, and inside big ones.

use std::sync::Arc;

use bevy_ecs::batching::BatchingStrategy;
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryData;
use bevy_math::Vec3;
use bevy_reflect::prelude::*;
use bevy_tasks::{ComputeTaskPool, TaskPool};
use bevy_time::Time;
use sinew_elastic::{
    Anchor, Body, Collider, ElasticShape, ExampleBasis, Executor, Scratch, Serial, StepInput,
    StepReport, step,
};

use crate::body::{BodyScratch, BodyState, DeformableBody, Made, RestRecord, Settings, is_same};
use crate::contact::{ContactInput, ContactReactions, signature};
use crate::example_set::ExampleSet;
use crate::examples::ExampleControl;
use crate::held::{HeldParticle, HeldParticles};
use crate::material::{BodySleep, ElasticMaterial};
use crate::pose::PoseRecord;

/// Bodies with this many particles are worth several threads each.
const BIG_BODY: usize = 4_000;
/// Batches that each thread gets, so that a few slow bodies do not keep the others waiting.
const BATCHES_PER_THREAD: usize = 4;
/// How far beyond its particles a sleeping body looks for changes, in particle spacings.
const WATCH_SPACINGS: f32 = 2.0;

/// Acceleration of all bodies, in m/s². An edit wakes them. One that is not finite counts as none.
#[derive(Resource, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Resource, Default, Debug, Clone, PartialEq)]
pub struct BodyGravity(pub Vec3);

impl Default for BodyGravity {
    fn default() -> Self {
        Self(Vec3::NEG_Y * 9.81)
    }
}

/// All that a step of one body touches.
#[derive(QueryData)]
#[query_data(mutable)]
pub(crate) struct Steppable {
    body: &'static DeformableBody,
    material: &'static ElasticMaterial,
    sleep: &'static BodySleep,
    examples: Option<&'static ExampleSet>,
    control: Option<&'static ExampleControl>,
    held: Option<&'static HeldParticles>,
    contacts: &'static ContactInput,
    state: &'static mut BodyState,
    scratch: &'static mut BodyScratch,
    reactions: &'static mut ContactReactions,
    record: &'static mut PoseRecord,
}

/// Runs the tasks of one body's step on Bevy's compute task pool.
struct OnPool<'a>(&'a TaskPool);

impl Executor for OnPool<'_> {
    fn workers(&self) -> usize {
        self.0.thread_num().max(1)
    }

    fn run<T: Send>(&self, tasks: &mut [T], work: impl Fn(&mut T) + Sync) {
        let work = &work;
        self.0.scope(|scope| {
            for task in tasks {
                scope.spawn(async move { work(task) });
            }
        });
    }
}

/// Steps all bodies by the length of this tick.
pub(crate) fn simulate(
    time: Res<Time>,
    gravity: Res<BodyGravity>,
    mut bodies: Query<Steppable>,
    mut warned: Local<bool>,
) {
    let dt = time.delta_secs();
    let finite = gravity.0.is_finite();
    if !finite && !*warned {
        log::warn!("BodyGravity is {}, which is not finite: it counts as none", gravity.0);
    }
    *warned = !finite;
    let gravity = if finite { gravity.0 } else { Vec3::ZERO };
    let pool = ComputeTaskPool::try_get().filter(|pool| pool.thread_num() > 1);
    let Some(pool) = pool else {
        for mut item in &mut bodies {
            step_body(&mut item, gravity, dt, &Serial);
        }
        return;
    };
    let big = bodies.iter().filter(|item| is_big(item.body) && !item.state.is_asleep()).count();
    // Few big bodies: one after the other, with all threads on each. Else all side by side.
    let inside = big < pool.thread_num();
    bodies
        .par_iter_mut()
        .batching_strategy(BatchingStrategy::new().batches_per_thread(BATCHES_PER_THREAD))
        .for_each(|mut item| {
            if !(inside && is_big(item.body)) {
                step_body(&mut item, gravity, dt, &Serial);
            }
        });
    if inside {
        for mut item in bodies.iter_mut().filter(|item| is_big(item.body)) {
            step_body(&mut item, gravity, dt, &OnPool(pool));
        }
    }
}

fn is_big(body: &DeformableBody) -> bool {
    body.shape.as_ref().is_some_and(|shape| shape.particle_count() >= BIG_BODY)
}

fn step_body<E: Executor>(item: &mut SteppableItem<'_, '_>, gravity: Vec3, dt: f32, executor: &E) {
    let scratch = item.scratch.bypass_change_detection();
    scratch.report = StepReport::default();
    let Some(shape) = &item.body.shape else { return };
    if dt <= 0.0 || item.state.kernel_of(shape).is_none() {
        return;
    }
    let colliders = item.contacts.colliders();
    let usual = ExampleControl::default();
    let wanted = Wanted {
        material: item.material,
        sleep: item.sleep,
        control: item.control.unwrap_or(&usual),
        examples: item.examples.and_then(ExampleSet::basis).filter(|basis| basis.fits(shape)),
        gravity,
        held: item.held.map_or(&[], |held| &held.0),
    };
    if wanted.wake_on_edit(&mut item.state) || wake_on_contact(&mut item.state, shape, colliders) {
        item.record.bypass_change_detection().dirty = true;
    }
    if item.state.is_asleep() {
        if !item.reactions.reactions().is_empty() || !colliders.is_empty() {
            item.reactions.bypass_change_detection().set(item.contacts, &[]);
        }
        return;
    }
    scratch.anchors.clear();
    scratch.anchors.extend(wanted.held.iter().map(|&held| Anchor::from(held)));
    let made = Made::fit(&mut scratch.kernel, shape, wanted.examples);
    let body = Body {
        shape,
        examples: wanted.examples.map(Arc::as_ref),
        material: (*wanted.material).into(),
        control: wanted.control.as_kernel(),
        sleep: (*wanted.sleep).into(),
    };
    let input = StepInput { gravity, colliders, anchors: &scratch.anchors };
    let state = &mut *item.state;
    let Some(kernel) = &mut state.kernel else { return };
    let report = step(&body, &input, dt, kernel, &mut made.scratch, executor);
    if report.fell_asleep {
        state.rest = Some(RestRecord::of(kernel, shape, colliders));
    }
    item.reactions.set(item.contacts, made.scratch.reactions());
    item.record.bypass_change_detection().dirty |= report.substeps > 0 || report.quarantined;
    scratch.report = report;
}

/// The settings of this tick, not copied yet.
struct Wanted<'a> {
    material: &'a ElasticMaterial,
    sleep: &'a BodySleep,
    control: &'a ExampleControl,
    examples: Option<&'a Arc<ExampleBasis>>,
    gravity: Vec3,
    held: &'a [HeldParticle],
}

impl Wanted<'_> {
    /// Wakes a body that ran with other settings before; returns whether it did sleep.
    fn wake_on_edit(&self, state: &mut Mut<'_, BodyState>) -> bool {
        if state.settings.as_ref().is_some_and(|settings| self.is(settings)) {
            return false;
        }
        let slept = state.is_asleep() && state.settings.is_some();
        let state = &mut **state;
        if state.settings.is_some() {
            state.wake();
            state.rest = None;
        }
        let mut held = state.settings.take().map_or_else(Vec::new, |settings| settings.held);
        held.clear();
        held.extend_from_slice(self.held);
        state.settings = Some(Settings {
            material: *self.material,
            sleep: *self.sleep,
            control: self.control.clone(),
            examples: self.examples.cloned(),
            gravity: self.gravity,
            held,
        });
        slept
    }

    fn is(&self, settings: &Settings) -> bool {
        is_same(self.examples, settings.examples.as_ref())
            && *self.material == settings.material
            && *self.sleep == settings.sleep
            && *self.control == settings.control
            && self.gravity == settings.gravity
            && self.held == settings.held
    }
}

/// Wakes a sleeping body when something near it came, went or changed; returns whether it did.
fn wake_on_contact(
    state: &mut Mut<'_, BodyState>,
    shape: &ElasticShape,
    colliders: &[Collider],
) -> bool {
    if !state.is_asleep() {
        return false;
    }
    match state.rest {
        Some(rest) if signature(colliders, rest.low, rest.high) == rest.contacts => false,
        Some(_) => {
            state.wake();
            state.rest = None;
            true
        }
        // It was put to sleep from outside: this is what it lies on.
        None => {
            state.rest = state.kernel().map(|kernel| RestRecord::of(kernel, shape, colliders));
            false
        }
    }
}

impl RestRecord {
    fn of(kernel: &sinew_elastic::BodyState, shape: &ElasticShape, colliders: &[Collider]) -> Self {
        let (low, high) = kernel.bounds(shape);
        let margin = Vec3::splat(WATCH_SPACINGS * shape.spacing());
        let (low, high) = (low.as_vec3() - margin, high.as_vec3() + margin);
        Self { low, high, contacts: signature(colliders, low, high) }
    }
}

impl Made {
    /// Scratch memory for this shape and these examples; made anew only when they changed.
    fn fit<'a>(
        slot: &'a mut Option<Self>,
        shape: &Arc<ElasticShape>,
        examples: Option<&Arc<ExampleBasis>>,
    ) -> &'a mut Self {
        let fits = slot.as_ref().is_some_and(|made| {
            Arc::ptr_eq(&made.shape, shape) && is_same(made.examples.as_ref(), examples)
        });
        if !fits {
            *slot = None;
        }
        slot.get_or_insert_with(|| Self {
            shape: Arc::clone(shape),
            examples: examples.cloned(),
            scratch: Scratch::new(shape, examples.map(Arc::as_ref)),
        })
    }
}

#[cfg(test)]
mod tests {
    use bevy_tasks::TaskPoolBuilder;
    use sinew_elastic::BodyState;
    use sinew_elastic::lattice::LatticeNodes;

    use super::*;

    #[test]
    fn the_number_of_threads_does_not_change_a_bit() -> Result<(), Box<dyn std::error::Error>> {
        let shape = ElasticShape::from_lattice(&LatticeNodes::block([17, 17, 17], 0.1)?)?;
        assert!(shape.particle_count() >= BIG_BODY);
        let floor = [Collider::plane(Vec3::Y * 0.05, Vec3::Y)];
        let input = StepInput { gravity: Vec3::NEG_Y, colliders: &floor, anchors: &[] };
        let run = |threads: usize| {
            let pool = TaskPoolBuilder::new().num_threads(threads).build();
            let mut state = BodyState::at_rest(&shape);
            let mut scratch = Scratch::new(&shape, None);
            let body = Body::new(&shape);
            for _ in 0..20 {
                step(&body, &input, 0.02, &mut state, &mut scratch, &OnPool(&pool));
            }
            state
        };
        let mut serial = BodyState::at_rest(&shape);
        let mut scratch = Scratch::new(&shape, None);
        for _ in 0..20 {
            step(&Body::new(&shape), &input, 0.02, &mut serial, &mut scratch, &Serial);
        }
        assert!(serial != BodyState::at_rest(&shape), "it deforms on the floor");
        for threads in [1, 2, 4, 8] {
            assert!(run(threads) == serial, "{threads} threads");
        }
        Ok(())
    }
}
