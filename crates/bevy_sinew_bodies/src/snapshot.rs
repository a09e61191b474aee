//! A body's state as a component that a saved world can hold.

use bevy_ecs::prelude::*;
use bevy_reflect::prelude::*;
use bevy_reflect::{ReflectDeserialize, ReflectSerialize};
use serde::{Deserialize, Serialize};

use crate::body::{BodyState, DeformableBody};
use crate::events::{BodyError, BodyFailed, fail};
use crate::pose::PoseRecord;

/// The version that this crate writes and reads.
const VERSION: u32 = 1;

/// All state of a body in a form that can be saved: [`BodyState`] itself is not, so that inspectors do
/// not drown in particles. With the feature `serialize`.
///
/// [`snapshot_bodies`] gives one to each body; save the world then, for example with Bevy's
/// `DynamicWorldBuilder`. A body that has one and its shape goes on from it in the next `Prepare`, bit
/// for bit, and the component is gone. A loaded body has no shape: insert
/// [`DeformableBody::new`](crate::DeformableBody::new) with the same one as before; the snapshot waits.
/// One that does not fit is reported, and removed.
///
/// ```
/// # use bevy_ecs::prelude::*;
/// use bevy_sinew_bodies::{BodySnapshot, snapshot_bodies};
///
/// fn save(world: &mut World) -> Result {
///     world.run_system_cached(snapshot_bodies)?;
///     // … DynamicWorldBuilder::from_world(world, &registry).extract_entities(…).build() …
///     Ok(())
/// }
/// # save(&mut World::new()).unwrap();
/// ```
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
pub struct BodySnapshot {
    version: u32,
    state: Saved,
}

/// The state as a value that reflection does not look into, but can write and read.
#[derive(Clone, Debug, Default, PartialEq, Reflect, Serialize, Deserialize)]
#[reflect(opaque)]
#[reflect(Default, Debug, Clone, PartialEq, Serialize, Deserialize)]
struct Saved(Option<sinew_elastic::BodyState>);

impl BodySnapshot {
    /// The state of a body; `None` before it was placed.
    #[must_use]
    pub fn of(state: &BodyState) -> Option<Self> {
        let kernel = state.kernel()?.clone();
        Some(Self { version: VERSION, state: Saved(Some(kernel)) })
    }
}

/// Gives every body a [`BodySnapshot`]: a system to run before a world is saved.
pub fn snapshot_bodies(bodies: Query<(Entity, &BodyState)>, mut commands: Commands) {
    for (entity, state) in &bodies {
        if let Some(snapshot) = BodySnapshot::of(state) {
            commands.entity(entity).try_insert(snapshot);
        }
    }
}

/// Puts bodies to the states of their snapshots.
pub(crate) fn restore_snapshots(
    mut bodies: Query<(Entity, &DeformableBody, &BodySnapshot, &mut BodyState, &mut PoseRecord)>,
    mut failures: MessageWriter<BodyFailed>,
    mut commands: Commands,
) {
    for (entity, body, snapshot, mut state, mut record) in &mut bodies {
        let Some(shape) = &body.shape else { continue };
        commands.entity(entity).try_remove::<BodySnapshot>();
        if snapshot.version != VERSION {
            let reason = BodyError::SnapshotVersion { found: snapshot.version, readable: VERSION };
            fail(&mut failures, entity, "BodySnapshot", reason);
            continue;
        }
        let Some(kernel) = snapshot.state.0.as_ref().filter(|kernel| kernel.fits(shape)) else {
            fail(&mut failures, entity, "BodySnapshot", BodyError::ForeignSnapshot);
            continue;
        };
        if state.kernel_of(shape) != Some(kernel) {
            *state = BodyState::from_kernel(kernel.clone());
            // A state that was given knows where it is.
            record.bypass_change_detection().written = None;
        }
    }
}
