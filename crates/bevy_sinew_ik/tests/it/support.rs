//! A headless app, arms made of joints, and ways to look at them.

use std::time::Duration;

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_sinew_ik::prelude::*;
use bevy_tasks::{ComputeTaskPool, TaskPoolBuilder};
use bevy_time::{TimePlugin, TimeUpdateStrategy};
use bevy_transform::prelude::*;

/// An app in which every update is one tick of 64 Hz.
pub fn app() -> App {
    app_with(IkPlugin::default())
}

pub fn app_with(plugin: IkPlugin) -> App {
    // As many on every machine; the plugin takes over the pool that is there.
    ComputeTaskPool::get_or_init(|| TaskPoolBuilder::new().num_threads(8).build());
    let mut app = App::new();
    app.add_plugins((TaskPoolPlugin::default(), TimePlugin, TransformPlugin, plugin));
    app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
    // The first update has no length.
    app.update();
    app
}

/// From now on every update takes so long.
pub fn set_step(app: &mut App, seconds: f64) {
    app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::from_secs_f64(seconds)));
}

pub fn updates(app: &mut App, count: usize) {
    for _ in 0..count {
        app.update();
    }
}

/// Joints one below the other, root first: the first one at `root`, the others by these steps in their parent's space.
pub fn joints(
    app: &mut App,
    parent: Option<Entity>,
    root: Transform,
    steps: &[Transform],
) -> Vec<Entity> {
    let world = app.world_mut();
    let mut found = vec![world.spawn(root).id()];
    if let Some(parent) = parent {
        world.entity_mut(found[0]).insert(ChildOf(parent));
    }
    for &step in steps {
        let above = found[found.len() - 1];
        found.push(world.spawn((step, ChildOf(above))).id());
    }
    found
}

/// "Chain A" of the design: nine bones of 0.1 m, joints 1 to 8 bent by 12° about z, the first bone along +x.
pub fn bent(bones: usize, length: f32, degrees: f32) -> Vec<Transform> {
    let turn = Quat::from_rotation_z(degrees.to_radians());
    (1..=bones)
        .map(|index| {
            let rotation = if index < bones { turn } else { Quat::IDENTITY };
            Transform::from_xyz(length, 0.0, 0.0).with_rotation(rotation)
        })
        .collect()
}

/// A joint, an elbow and a hand, 1 m apart along +x.
pub fn arm(app: &mut App) -> [Entity; 3] {
    let found = joints(app, None, Transform::default(), &bent(2, 1.0, 0.0));
    [found[0], found[1], found[2]]
}

pub fn insert(app: &mut App, entity: Entity, bundle: impl Bundle) {
    app.world_mut().entity_mut(entity).insert(bundle);
}

pub fn spawn(app: &mut App, bundle: impl Bundle) -> Entity {
    app.world_mut().spawn(bundle).id()
}

/// Where an entity is drawn.
pub fn place(app: &App, entity: Entity) -> Vec3 {
    app.world().get::<GlobalTransform>(entity).expect("it has a place").translation()
}

pub fn rotation(app: &App, entity: Entity) -> Quat {
    app.world().get::<Transform>(entity).expect("it has a transform").rotation
}

pub fn rotations(app: &App, joints: &[Entity]) -> Vec<Quat> {
    joints.iter().map(|&joint| rotation(app, joint)).collect()
}

pub fn status(app: &App, entity: Entity) -> IkStatus {
    app.world().get::<IkStatus>(entity).expect("chains have a status").clone()
}

pub fn activity(app: &App) -> IkActivity {
    *app.world().resource::<IkActivity>()
}

pub fn set_target(app: &mut App, chain: Entity, target: IkTarget) {
    *app.world_mut().get_mut::<IkTarget>(chain).expect("chains have a target") = target;
}

pub fn edit<C: Component<Mutability = bevy_ecs::component::Mutable>>(
    app: &mut App,
    entity: Entity,
    change: impl FnOnce(&mut C),
) {
    change(&mut app.world_mut().get_mut::<C>(entity).expect("the component is there"));
}

/// Largest angle between two lists of rotations, in rad.
pub fn turned_apart(a: &[Quat], b: &[Quat]) -> f32 {
    assert_eq!(a.len(), b.len());
    a.iter().zip(b).map(|(a, b)| angle(*a, *b)).fold(0.0, f32::max)
}

/// Angle between two rotations, in rad; accurate for small ones.
pub fn angle(a: Quat, b: Quat) -> f32 {
    let turn = a.conjugate() * b;
    2.0 * turn.xyz().length().atan2(turn.w.abs())
}

/// No `Transform` has a NaN in it, and rotations are of unit length.
pub fn assert_sound(app: &mut App) {
    for transform in app.world_mut().query::<&Transform>().iter(app.world()) {
        assert!(transform.is_finite(), "{transform:?}");
        assert!((transform.rotation.length() - 1.0).abs() < 1e-4, "{transform:?}");
    }
}

/// Counts the joints whose `Transform` was marked as changed since the last look.
pub fn watch_changes(app: &mut App) {
    app.init_resource::<Marked>().add_systems(
        Last,
        |changed: Query<(), (Changed<Transform>, With<IkBasePose>)>, mut marked: ResMut<Marked>| {
            marked.0 = changed.iter().count();
        },
    );
}

#[derive(Resource, Default)]
pub struct Marked(pub usize);

pub fn marked(app: &App) -> usize {
    app.world().resource::<Marked>().0
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
