//! The pose under the chains, and world transforms that are newer than `GlobalTransform`s.

use bevy_ecs::prelude::*;
use bevy_math::Affine3A;
use bevy_tasks::ComputeTaskPool;
use bevy_transform::components::Transform;
use sinew_ik::{ChainFrame, FrameError};

use crate::joint::IkBasePose;

/// Fewer entities than this are not worth spreading over threads.
pub(crate) const WORTH_THREADS: usize = 64;

/// Whether there are threads to spread work over.
pub(crate) fn has_threads() -> bool {
    ComputeTaskPool::try_get().is_some_and(|pool| pool.thread_num() > 1)
}

/// Takes over what others wrote to joints since the chains did.
pub(crate) fn sample(mut joints: Query<(&Transform, &mut IkBasePose)>) {
    let take = |(transform, mut base): (&Transform, Mut<IkBasePose>)| {
        base.bypass_change_detection().sample(transform.rotation);
    };
    if has_threads() && joints.iter().len() >= 16 * WORTH_THREADS {
        joints.par_iter_mut().for_each(take);
    } else {
        joints.iter_mut().for_each(take);
    }
}

/// Joints and all others with a `Transform`, read only.
pub(crate) type Places<'w, 's> = Query<'w, 's, (&'static Transform, Option<&'static IkBasePose>)>;

/// The same, to write.
pub(crate) type PlacesMut<'w, 's> =
    Query<'w, 's, (&'static mut Transform, Option<&'static mut IkBasePose>)>;

/// World transforms by `Transform`s alone.
#[derive(Clone, Copy)]
pub(crate) struct World<'a, 'w, 's> {
    pub places: &'a Places<'w, 's>,
    pub parents: &'a Query<'w, 's, &'static ChildOf>,
}

impl World<'_, '_, '_> {
    /// An entity's world transform; `None` if it has none. Ancestors without `Transform` count as unmoved.
    pub fn affine(&self, entity: Entity) -> Option<Affine3A> {
        let (own, _) = self.places.get(entity).ok()?;
        let mut affine = own.compute_affine();
        for ancestor in self.parents.iter_ancestors(entity) {
            if let Ok((transform, _)) = self.places.get(ancestor) {
                affine = transform.compute_affine() * affine;
            }
        }
        Some(affine)
    }

    /// The frame of a chain that begins at this joint.
    pub fn frame(&self, root: Entity) -> Result<ChainFrame, FrameError> {
        let parent = self.parents.get(root).ok().map(ChildOf::parent);
        let mut affine = Affine3A::IDENTITY;
        for ancestor in parent
            .into_iter()
            .chain(parent.into_iter().flat_map(|parent| self.parents.iter_ancestors(parent)))
        {
            if let Ok((transform, _)) = self.places.get(ancestor) {
                affine = transform.compute_affine() * affine;
            }
        }
        ChainFrame::new(affine)
    }
}
