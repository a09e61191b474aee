//! A headless app, one body, and ways to look at it.

use std::sync::Arc;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_sinew_bodies::kernel::lattice::LatticeNodes;
use bevy_sinew_bodies::kernel::{self, ElasticShape};
use bevy_sinew_bodies::prelude::*;
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::prelude::*;

/// Length of a tick: Bevy's default rate of 64 Hz.
pub const TICK: f32 = 1.0 / 64.0;
pub const GRAVITY: f32 = 9.81;

/// An app in which every update is one tick.
pub fn app() -> App {
    app_in(FixedPostUpdate)
}

pub fn app_in(schedule: impl bevy_ecs::schedule::ScheduleLabel) -> App {
    let mut app = App::new();
    app.add_plugins((
        TaskPoolPlugin::default(),
        TimePlugin,
        TransformPlugin,
        BodiesPlugin::new(schedule),
    ));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    // The first update has no length.
    app.update();
    app
}

pub fn ticks(app: &mut App, count: usize) {
    for _ in 0..count {
        app.update();
    }
}

/// A block of particles, 0.1 m apart, with a corner at the origin of body space.
pub fn block(nodes: [u32; 3]) -> Arc<ElasticShape> {
    let nodes = LatticeNodes::block(nodes, 0.1).expect("a block is a lattice");
    Arc::new(ElasticShape::from_lattice(&nodes).expect("a block is a shape"))
}

pub fn spawn(app: &mut App, shape: &Arc<ElasticShape>, at: Transform) -> Entity {
    app.world_mut().spawn((DeformableBody::new(Arc::clone(shape)), at)).id()
}

pub fn kernel(app: &App, entity: Entity) -> kernel::BodyState {
    let state = app.world().get::<BodyState>(entity).expect("the body has a state");
    state.kernel().expect("the body was placed").clone()
}

/// World positions of all particles.
pub fn positions(app: &App, entity: Entity, shape: &ElasticShape) -> Vec<Vec3> {
    let state = kernel(app, entity);
    (0..shape.particle_count()).map(|i| state.position(shape, i).as_vec3()).collect()
}

pub fn velocities(app: &App, entity: Entity, shape: &ElasticShape) -> Vec<Vec3> {
    let state = kernel(app, entity);
    (0..shape.particle_count()).map(|i| state.velocity(shape, i)).collect()
}

pub fn top_speed(app: &App, entity: Entity, shape: &ElasticShape) -> f32 {
    velocities(app, entity, shape).iter().map(|v| v.length()).fold(0.0, f32::max)
}

pub fn mean(points: &[Vec3]) -> Vec3 {
    points.iter().sum::<Vec3>() / points.len() as f32
}

/// Largest distance between two lists of points.
pub fn apart(a: &[Vec3], b: &[Vec3]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f32::max)
}

/// Where the particles are drawn: the propagated transform times positions in body space.
pub fn drawn(app: &App, entity: Entity, shape: &ElasticShape) -> Vec<Vec3> {
    let mut local = Vec::new();
    let state = app.world().get::<BodyState>(entity).expect("the body has a state");
    state.positions_in_body(shape, &mut local).expect("the body was placed");
    let world = app.world().get::<GlobalTransform>(entity).expect("bodies have transforms");
    local.iter().map(|&p| world.transform_point(p)).collect()
}

/// All messages of a kind since the start; call [`listen`] first.
#[derive(Resource)]
pub struct Heard<M>(pub Vec<M>);

pub fn listen<M: Message + Clone>(app: &mut App) {
    app.insert_resource(Heard::<M>(Vec::new()));
    app.add_systems(Last, |mut reader: MessageReader<M>, mut heard: ResMut<Heard<M>>| {
        heard.0.extend(reader.read().cloned());
    });
}

pub fn heard<M: Message + Clone>(app: &App) -> Vec<M> {
    app.world().resource::<Heard<M>>().0.clone()
}

/// A repeatable sequence of numbers in [−1, 1) (64-bit linear congruences, Knuth's constants).
pub struct Dice(pub u64);

impl Dice {
    pub fn roll(&mut self) -> f32 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 40) as f32 / (1_u32 << 23) as f32 - 1.0
    }

    pub fn vector(&mut self) -> Vec3 {
        Vec3::new(self.roll(), self.roll(), self.roll())
    }
}
