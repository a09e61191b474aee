//! Falling asleep, and what wakes a body. SB-21, SB-23.

use std::time::{Duration, Instant};

use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_sinew_bodies::kernel::{ExampleBasis, ExamplePose};
use bevy_sinew_bodies::prelude::*;
use bevy_transform::prelude::*;

use crate::support::*;

/// Comes to rest within seconds.
fn calm() -> ElasticMaterial {
    ElasticMaterial { damping: 10.0, ..Default::default() }
}

fn asleep(app: &bevy_app::App, entity: Entity) -> bool {
    app.world().get::<BodyStatus>(entity).is_some_and(|status| status.asleep)
}

#[test]
fn resting_bodies_sleep_unless_they_may_not() {
    let mut app = app();
    listen::<BodySlept>(&mut app);
    app.world_mut().spawn(BodyCollider::plane());
    let shape = block([3, 3, 3]);
    let bodies: Vec<Entity> = (0..20)
        .map(|i| {
            let body = spawn(&mut app, &shape, Transform::from_xyz(i as f32, 0.2, 0.0));
            app.world_mut().entity_mut(body).insert(calm());
            body
        })
        .collect();
    for &body in &bodies[..5] {
        app.world_mut().entity_mut(body).insert(BodySleep::never());
    }
    ticks(&mut app, 6 * 64);
    for (i, &body) in bodies.iter().enumerate() {
        assert_eq!(asleep(&app, body), i >= 5, "body {i}");
    }
    assert_eq!(heard::<BodySlept>(&app).len(), 15, "each says so once");
    let before = positions(&app, bodies[9], &shape);
    ticks(&mut app, 64);
    assert_eq!(positions(&app, bodies[9], &shape), before, "a sleeping body does not move a bit");
}

#[test]
fn bodies_of_the_default_material_sleep_and_then_cost_nothing() {
    let mut app = app();
    app.world_mut().spawn(BodyCollider::plane());
    let shape = block([8, 8, 8]);
    let spacing = 2.0;
    let bodies: Vec<Entity> = (0..40)
        .map(|i| {
            let at = Vec3::new((i % 8) as f32, 0.0, (i / 8) as f32) * spacing + Vec3::Y * 0.5;
            spawn(&mut app, &shape, Transform::from_translation(at))
        })
        .collect();
    // Medians: other programs run too.
    let median = |app: &mut bevy_app::App| {
        let mut times: Vec<Duration> = (0..21)
            .map(|_| {
                let start = Instant::now();
                ticks(app, 1);
                start.elapsed()
            })
            .collect();
        times.sort();
        times[10]
    };
    let active = median(&mut app);
    ticks(&mut app, 6 * 64 - 21);
    for (i, &body) in bodies.iter().enumerate() {
        assert!(asleep(&app, body), "body {i}");
    }
    let changed = |app: &bevy_app::App| -> Vec<_> {
        let of = |body: &Entity| {
            let body = app.world().entity(*body);
            [
                body.get_change_ticks::<BodyState>().expect("a state").changed,
                body.get_change_ticks::<BodyStatus>().expect("a status").changed,
                body.get_change_ticks::<Transform>().expect("a transform").changed,
            ]
        };
        bodies.iter().map(of).collect()
    };
    let before = changed(&app);
    let idle = median(&mut app);
    assert_eq!(changed(&app), before, "nothing of a sleeping body is written");
    assert!(idle < active / 10, "{idle:?} after {active:?}");
}

/// A body that sleeps on the ground, and the ground.
fn sleeper(edit: impl FnOnce(&mut EntityWorldMut)) -> (bevy_app::App, Entity, Entity) {
    let mut app = app();
    listen::<BodyWoke>(&mut app);
    let ground = app.world_mut().spawn(BodyCollider::plane()).id();
    let shape = block([3, 3, 3]);
    let body = spawn(&mut app, &shape, Transform::from_xyz(0.0, 0.1, 0.0));
    app.world_mut().entity_mut(body).insert(calm());
    edit(&mut app.world_mut().entity_mut(body));
    ticks(&mut app, 6 * 64);
    assert!(asleep(&app, body), "it fell asleep");
    (app, body, ground)
}

#[test]
fn every_edit_wakes_a_body() {
    type Edit = (&'static str, bool, fn(&mut World, Entity, Entity));
    // Name, whether it must move, what is done.
    let edits: [Edit; 11] = [
        ("moved up", true, |world, body, _| {
            world.get_mut::<Transform>(body).expect("a transform").translation.y += 1.0;
        }),
        ("density", false, |world, body, _| {
            world.get_mut::<ElasticMaterial>(body).expect("a material").density = 10.0;
        }),
        ("stiffness", false, |world, body, _| {
            world.get_mut::<ElasticMaterial>(body).expect("a material").elastic_hz = 2.0;
        }),
        ("damping", false, |world, body, _| {
            world.get_mut::<ElasticMaterial>(body).expect("a material").damping = 0.1;
        }),
        ("example pose", true, |world, body, _| {
            *world.get_mut::<ExampleControl>(body).expect("control") =
                ExampleControl::Explicit(vec![1.0]);
        }),
        ("held particle", true, |world, body, _| {
            let held = HeldParticle { particle: 0, position: Vec3::Y, velocity: Vec3::ZERO };
            world.entity_mut(body).insert(HeldParticles(vec![held]));
        }),
        ("ground removed", true, |world, _, ground| {
            world.despawn(ground);
        }),
        ("ground moved", true, |world, _, ground| {
            world.get_mut::<Transform>(ground).expect("a transform").translation.y = 0.1;
        }),
        ("gravity", true, |world, _, _| {
            world.insert_resource(BodyGravity(Vec3::X * 5.0));
        }),
        ("velocity", true, |world, body, _| {
            let shape = world.get::<DeformableBody>(body).and_then(|b| b.shape.clone());
            let mut state = world.get_mut::<BodyState>(body).expect("a state");
            let (shape, kernel) = (shape.expect("a shape"), state.kernel_mut().expect("placed"));
            kernel.set_velocity(&shape, 3, Vec3::Y);
        }),
        ("something thrown at it", true, |world, _, _| {
            world.spawn((BodyCollider::sphere(0.2), Transform::from_xyz(0.1, 0.2, 0.1)));
        }),
    ];
    let shape = block([3, 3, 3]);
    let wide = ExamplePose::from_fn("wide", &shape, |p| p * Vec3::new(1.5, 1.0, 1.0));
    let basis = std::sync::Arc::new(ExampleBasis::new(&shape, &[wide]).expect("a basis"));
    for (name, must_move, edit) in edits {
        let (mut app, body, ground) = sleeper(|entity| {
            entity.insert(ExampleSet::from(basis.clone()));
        });
        let before = positions(&app, body, &shape);
        let woken = heard::<BodyWoke>(&app).len();
        edit(app.world_mut(), body, ground);
        ticks(&mut app, 1);
        assert!(!asleep(&app, body), "{name} wakes it");
        assert_eq!(heard::<BodyWoke>(&app).len(), woken + 1, "{name}: it says so");
        ticks(&mut app, 9);
        let moved = apart(&positions(&app, body, &shape), &before);
        assert!(!must_move || moved > 1e-3, "{name} moves it, but only by {moved}");
    }
}

#[test]
fn what_happens_elsewhere_wakes_nobody() {
    let (mut app, body, _) = sleeper(|_| ());
    app.world_mut().spawn((BodyCollider::sphere(0.2), Transform::from_xyz(5.0, 0.2, 0.1)));
    app.world_mut().get_mut::<ElasticMaterial>(body).expect("a material").set_changed();
    ticks(&mut app, 10);
    assert!(asleep(&app, body));
}
