//! What others see of a body after a tick: status, example weights, particle positions, messages.

use bevy_ecs::change_detection::DetectChangesMut as _;
use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;

use crate::body::{BodyScratch, BodyState, BodyStatus, DeformableBody};
use crate::events::{BodyError, BodyFailed, BodyQuarantined, BodySlept, BodyWoke, Reported, fail};
use crate::example_set::ExampleSet;
use crate::examples::{ExampleWeights, summarise};
use crate::material::ElasticMaterial;
use crate::motion::BodyMotion;
use crate::pose::PoseRecord;

/// All messages of bodies.
#[derive(SystemParam)]
pub(crate) struct Outbox<'w> {
    slept: MessageWriter<'w, BodySlept>,
    woke: MessageWriter<'w, BodyWoke>,
    quarantined: MessageWriter<'w, BodyQuarantined>,
}

type Published<'a> = (
    Entity,
    &'a DeformableBody,
    &'a BodyState,
    &'a mut BodyScratch,
    &'a mut PoseRecord,
    &'a mut BodyStatus,
    Option<&'a ExampleSet>,
    Option<Mut<'a, ExampleWeights>>,
    Option<Mut<'a, BodyMotion>>,
);

type Edited<'a> = (Entity, &'a ElasticMaterial, &'a mut PoseRecord);

/// Reports materials that cannot be used as they are.
pub(crate) fn check_materials(
    mut bodies: Query<Edited, (With<DeformableBody>, Changed<ElasticMaterial>)>,
    mut failures: MessageWriter<BodyFailed>,
) {
    for (entity, material, mut record) in &mut bodies {
        let record = record.bypass_change_detection();
        if record.reported.is_new(Reported::MATERIAL, !material.is_valid()) {
            fail(&mut failures, entity, "ElasticMaterial", BodyError::Material);
        }
    }
}

/// Bodies that stopped moving: the tick before is as the last one.
pub(crate) fn settle_motion(mut bodies: Query<(&mut PoseRecord, &mut BodyMotion)>) {
    for (mut record, mut motion) in &mut bodies {
        if !record.dirty && !record.settled {
            motion.settle();
            record.bypass_change_detection().settled = true;
        }
    }
}

/// Publishes the bodies whose state changed since the last time.
pub(crate) fn publish(mut bodies: Query<Published>, mut outbox: Outbox) {
    for (entity, body, state, mut scratch, mut record, mut status, examples, weights, motion) in
        &mut bodies
    {
        let Some(shape) = &body.shape else { continue };
        let Some(kernel) = state.kernel_of(shape) else { continue };
        let record = record.bypass_change_detection();
        let scratch = scratch.bypass_change_detection();
        let report = core::mem::take(&mut scratch.report);
        let mut seen = *status;
        if report.substeps > 0 || report.quarantined {
            seen.substeps = report.substeps;
            seen.seconds_cut += report.seconds_cut;
            seen.quarantines += u32::from(report.quarantined);
            record.jumped |= report.quarantined;
            if record.reported.is_new(Reported::NON_FINITE, report.quarantined) {
                log::warn!(
                    "body {entity} became non-finite: it was put back to its last finite pose"
                );
                outbox.quarantined.write(BodyQuarantined { entity });
            }
        }
        let unfilled = |motion: &Mut<BodyMotion>| motion.current().len() != shape.particle_count();
        if record.dirty || motion.as_ref().is_some_and(unfilled) {
            if let Some(pose) = state.world_from_body(shape) {
                record.pose = pose;
            }
            if let Some(mut motion) = motion {
                motion.advance(|out| state.positions_in_body(shape, out), record.jumped);
            }
            if let (Some(set), Some(weights)) = (examples.and_then(ExampleSet::basis), weights) {
                summarise(weights, shape, set, kernel.weights());
            }
            record.dirty = false;
            record.jumped = false;
            record.settled = false;
        }
        seen.particles = shape.particle_count() as u32;
        seen.asleep = kernel.is_asleep();
        status.set_if_neq(seen);
        if seen.asleep != record.asleep {
            record.asleep = seen.asleep;
            if seen.asleep {
                outbox.slept.write(BodySlept { entity });
            } else {
                outbox.woke.write(BodyWoke { entity });
            }
        }
    }
}
