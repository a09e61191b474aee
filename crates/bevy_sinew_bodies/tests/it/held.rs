//! Particles that are held. SB-47.

use core::time::Duration;

use bevy_math::{Quat, Vec3};
use bevy_sinew_bodies::prelude::*;
use bevy_time::TimeUpdateStrategy;
use bevy_transform::prelude::*;

use crate::support::*;

fn held(
    shape: &ElasticShape,
    world: Transform,
    particles: impl Iterator<Item = usize>,
) -> HeldParticles {
    HeldParticles(
        particles
            .map(|i| HeldParticle {
                particle: i as u32,
                position: world.transform_point(shape.rest_position(i)),
                velocity: Vec3::ZERO,
            })
            .collect(),
    )
}

#[test]
fn holding_particles_where_they_are_moves_nothing() {
    let shape = block([5, 5, 1]);
    let count = shape.particle_count();
    let world = Transform::from_xyz(3.0, -2.0, 1.0)
        .with_rotation(Quat::from_rotation_z(0.8) * Quat::from_rotation_x(2.0));
    let expected: Vec<Vec3> =
        (0..count).map(|i| world.transform_point(shape.rest_position(i))).collect();
    for (held_count, gravity) in [(0, false), (1, false), (4, false), (count, false), (count, true)]
    {
        let mut app = app();
        if !gravity {
            app.insert_resource(BodyGravity(Vec3::ZERO));
        }
        let body = spawn(&mut app, &shape, world);
        app.world_mut()
            .entity_mut(body)
            .insert((held(&shape, world, 0..held_count), BodySleep::never()));
        app.insert_resource(TimeUpdateStrategy::ManualDuration(Duration::ZERO));
        app.update();
        let gap = apart(&drawn(&app, body, &shape), &expected);
        assert!(gap < 1e-5, "{held_count} held: drawn {gap} m off before the first tick");
        app.insert_resource(TimeUpdateStrategy::FixedTimesteps(1));
        ticks(&mut app, 600);
        let gap = apart(&positions(&app, body, &shape), &expected);
        assert!(gap < 1e-5, "{held_count} held: {gap} m off after 600 ticks");
    }
}

#[test]
fn what_cannot_be_held_is_passed_over() {
    let shape = block([3, 3, 3]);
    let run = |bad: bool| {
        let mut app = app();
        let body = spawn(&mut app, &shape, Transform::default());
        let mut places = held(&shape, Transform::default(), 0..4);
        if bad {
            let particle = shape.particle_count() as u32;
            places.0.push(HeldParticle { particle, ..Default::default() });
            places.0.push(HeldParticle { particle: u32::MAX, ..Default::default() });
            places.0.push(HeldParticle { position: Vec3::NAN, particle: 9, ..Default::default() });
            places.0.push(HeldParticle {
                velocity: Vec3::INFINITY,
                particle: 9,
                ..Default::default()
            });
        }
        app.world_mut().entity_mut(body).insert(places);
        ticks(&mut app, 30);
        kernel(&app, body).hash()
    };
    assert_eq!(run(true), run(false));
}
