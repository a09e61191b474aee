//! What makes an entity a deformable body, and what a body keeps from tick to tick.

use std::sync::Arc;

use bevy_ecs::prelude::*;
use bevy_math::{Isometry3d, Quat, Vec3};
use bevy_reflect::prelude::*;
use bevy_transform::components::Transform;
use sinew_elastic::glam::DVec3;
use sinew_elastic::{ElasticShape, ExampleBasis, Scratch, StepReport};

use crate::contact::{ContactInput, ContactReactions};
use crate::examples::ExampleControl;
use crate::held::HeldParticle;
use crate::material::{BodySleep, ElasticMaterial};
use crate::pose::PoseRecord;

/// Makes an entity a deformable body of a given shape.
///
/// The entity's [`Transform`] (and those of its parents) says where the body starts; from then on the
/// body moves in world space and writes the `Transform` each tick. Writing `Transform` on a live body
/// moves it there at once: its shape turns along, and its velocity stays what it is in the world, so that
/// a falling body falls on. [`Teleport`](crate::Teleport) has other ways.
///
/// Scale is not simulated: the shape is in metres. An entity whose scale in the world is not one gets
/// one [`BodyFailed`](crate::BodyFailed) message, its scale is put back, and its state stays as it was.
/// Give the builder of the shape a scaled mesh instead.
///
/// Inserting a different shape puts the new body to rest where the `Transform` is. Removing the component
/// removes all state.
///
/// ```
/// use std::sync::Arc;
/// use bevy_ecs::prelude::*;
/// use bevy_sinew_bodies::prelude::*;
/// use bevy_sinew_bodies::kernel::{ElasticShape, lattice::LatticeNodes};
/// use bevy_transform::components::Transform;
///
/// fn setup(mut commands: Commands) -> Result {
///     let shape = ElasticShape::from_lattice(&LatticeNodes::block([5, 5, 5], 0.1)?)?;
///     commands.spawn((DeformableBody::new(Arc::new(shape)), Transform::from_xyz(0.0, 2.0, 0.0)));
///     Ok(())
/// }
/// # bevy_ecs::system::assert_is_system::<(), (), _>(setup);
/// ```
#[derive(Component, Clone, Debug, Default, Reflect)]
#[reflect(Component, Default, Debug, Clone)]
#[require(
    Transform,
    ElasticMaterial,
    BodySleep,
    BodyState,
    BodyStatus,
    ContactInput,
    ContactReactions,
    BodyScratch,
    PoseRecord
)]
pub struct DeformableBody {
    /// Particles and regions, shared by all bodies of this shape. A body without one is reported and
    /// left alone.
    #[reflect(ignore)]
    pub shape: Option<Arc<ElasticShape>>,
}

impl DeformableBody {
    /// A body of this shape.
    #[must_use]
    pub fn new(shape: Arc<ElasticShape>) -> Self {
        Self { shape: Some(shape) }
    }
}

impl From<Arc<ElasticShape>> for DeformableBody {
    fn from(shape: Arc<ElasticShape>) -> Self {
        Self::new(shape)
    }
}

/// Velocity that a body gets when it is placed: at spawn, or at a teleport that resets it. World space.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
pub struct InitialVelocity {
    /// Velocity of the mass centre, in m/s.
    pub linear: Vec3,
    /// Angular velocity about the mass centre, in rad/s.
    pub angular: Vec3,
}

/// All that a body remembers from tick to tick: the one component that rollback must keep.
///
/// Save it by `clone`, insert the clone to restore: with equal material, control, contacts and time
/// steps every later tick gives equal bits. Written in [`DeformationSystems::Simulate`], and in
/// [`DeformationSystems::Prepare`] for new and teleported bodies.
///
/// [`DeformationSystems::Simulate`]: crate::DeformationSystems::Simulate
/// [`DeformationSystems::Prepare`]: crate::DeformationSystems::Prepare
#[derive(Component, Clone, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
pub struct BodyState {
    #[reflect(ignore)]
    pub(crate) kernel: Option<sinew_elastic::BodyState>,
    #[reflect(ignore)]
    pub(crate) settings: Option<Settings>,
    #[reflect(ignore)]
    pub(crate) rest: Option<RestRecord>,
}

/// Whether both are the same one, or neither is there.
pub(crate) fn is_same<T>(a: Option<&Arc<T>>, b: Option<&Arc<T>>) -> bool {
    a.map(Arc::as_ptr) == b.map(Arc::as_ptr)
}

/// The settings that a body ran with last; other values are an edit, and wake it.
///
/// Values are compared, not change ticks: components that a rollback restores are no edits.
#[derive(Clone, Debug)]
pub(crate) struct Settings {
    pub material: ElasticMaterial,
    pub sleep: BodySleep,
    pub control: ExampleControl,
    pub examples: Option<Arc<ExampleBasis>>,
    pub gravity: Vec3,
    pub held: Vec<HeldParticle>,
}

impl PartialEq for Settings {
    fn eq(&self, other: &Self) -> bool {
        is_same(self.examples.as_ref(), other.examples.as_ref())
            && self.material == other.material
            && self.sleep == other.sleep
            && self.control == other.control
            && self.gravity == other.gravity
            && self.held == other.held
    }
}

/// What a body that fell asleep lay on: a change near it wakes it.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct RestRecord {
    pub low: Vec3,
    pub high: Vec3,
    pub contacts: u64,
}

impl BodyState {
    /// A state with these particles; it is used as it is, not placed by the `Transform`.
    #[must_use]
    pub fn from_kernel(kernel: sinew_elastic::BodyState) -> Self {
        Self { kernel: Some(kernel), ..Self::default() }
    }

    /// Particles and velocities, when they are of this shape.
    pub(crate) fn kernel_of(&self, shape: &ElasticShape) -> Option<&sinew_elastic::BodyState> {
        self.kernel.as_ref().filter(|kernel| kernel.fits(shape))
    }

    /// Particles and velocities; `None` before the body was placed.
    #[must_use]
    pub fn kernel(&self) -> Option<&sinew_elastic::BodyState> {
        self.kernel.as_ref()
    }

    /// Particles and velocities, to write to; `None` before the body was placed.
    pub fn kernel_mut(&mut self) -> Option<&mut sinew_elastic::BodyState> {
        self.kernel.as_mut()
    }

    /// Whether the body sleeps: ticks pass over it until something wakes it.
    #[must_use]
    pub fn is_asleep(&self) -> bool {
        self.kernel.as_ref().is_some_and(sinew_elastic::BodyState::is_asleep)
    }

    /// Wakes the body.
    pub fn wake(&mut self) {
        if let Some(kernel) = &mut self.kernel {
            kernel.wake();
        }
    }

    /// Rigid pose that is nearest to the body: it takes body space, in which the shape was built, to the
    /// world. `None` before the body was placed, or when `shape` is another one.
    #[must_use]
    pub fn world_from_body(&self, shape: &ElasticShape) -> Option<Isometry3d> {
        let kernel = self.kernel_of(shape)?;
        let pose = kernel.rigid_pose(shape);
        let arm = pose.rotation.as_dquat() * shape.center().as_dvec3();
        Some(Isometry3d::new((pose.translation - arm).as_vec3(), pose.rotation))
    }

    /// Writes the position of each particle in body space, and gives the pose that takes them to the
    /// world. `None`, and `out` empty, before the body was placed, or when `shape` is another one.
    ///
    /// ```
    /// use bevy_ecs::prelude::*;
    /// use bevy_math::Vec3;
    /// use bevy_sinew_bodies::prelude::*;
    ///
    /// /// The height of each body's lowest particle, in m.
    /// fn lowest(bodies: Query<(&DeformableBody, &BodyState)>, mut points: Local<Vec<Vec3>>) -> Vec<f32> {
    ///     let mut heights = Vec::new();
    ///     for (body, state) in &bodies {
    ///         let Some(shape) = &body.shape else { continue };
    ///         let Some(world_from_body) = state.positions_in_body(shape, &mut points) else { continue };
    ///         let height = points.iter().map(|&p| (world_from_body * p).y);
    ///         heights.push(height.fold(f32::INFINITY, f32::min));
    ///     }
    ///     heights
    /// }
    /// # let _ = World::new().run_system_cached(lowest);
    /// ```
    pub fn positions_in_body(
        &self,
        shape: &ElasticShape,
        out: &mut Vec<Vec3>,
    ) -> Option<Isometry3d> {
        out.clear();
        let pose = self.world_from_body(shape)?;
        let kernel = self.kernel.as_ref()?;
        let body_from_world: Quat = pose.rotation.inverse();
        let translation: DVec3 = Vec3::from(pose.translation).as_dvec3();
        let shift = (kernel.origin() - translation).as_vec3();
        out.extend(
            (0..shape.particle_count())
                .map(|i| body_from_world * (kernel.local_position(shape, i) + shift)),
        );
        Some(pose)
    }
}

/// What a body is doing, for reading and inspectors. Written in `Writeback`, when something changed.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
pub struct BodyStatus {
    /// Number of particles; 0 before the body was placed.
    pub particles: u32,
    /// Whether it sleeps.
    pub asleep: bool,
    /// Sub-steps of the last tick in which it moved.
    pub substeps: u32,
    /// How often it became non-finite and was put back.
    pub quarantines: u32,
    /// Time that was not simulated because ticks were longer than
    /// [`LONGEST_STEP`](sinew_elastic::LONGEST_STEP), in s.
    pub seconds_cut: f32,
}

/// Working memory of the kernel and what it reported in this tick; no part of the state.
#[derive(Component, Clone, Debug, Default)]
pub(crate) struct BodyScratch {
    pub kernel: Option<Made>,
    pub report: StepReport,
    pub anchors: Vec<sinew_elastic::Anchor>,
}

/// Scratch memory, and what it was made for.
#[derive(Clone, Debug)]
pub(crate) struct Made {
    pub shape: Arc<ElasticShape>,
    pub examples: Option<Arc<ExampleBasis>>,
    pub scratch: Scratch,
}
