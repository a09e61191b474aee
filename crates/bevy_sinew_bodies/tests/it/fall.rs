//! Free fall and landing.

use bevy_math::Vec3;
use bevy_sinew_bodies::ContactReactions;
use bevy_sinew_bodies::prelude::*;
use bevy_transform::prelude::*;

use crate::support::*;

#[test]
fn a_body_falls_as_fast_as_a_stone() {
    let mut app = app();
    let shape = block([4, 4, 4]);
    let start = Vec3::new(3.0, 50.0, -2.0);
    let body = spawn(&mut app, &shape, Transform::from_translation(start));
    let count = 64;
    ticks(&mut app, count);
    let time = count as f32 * TICK;
    let velocity = mean(&velocities(&app, body, &shape));
    assert!((velocity - Vec3::NEG_Y * GRAVITY * time).length() < 1e-3, "{velocity}");
    let moved = app.world().get::<Transform>(body).expect("a transform").translation - start;
    // Kick then drift is ahead of the parabola by half of a sub-step's worth of speed.
    let ahead = -0.5 * GRAVITY * time * time - moved.y;
    assert!((-1e-3..0.5 * GRAVITY * time * TICK + 1e-3).contains(&ahead), "{ahead} m ahead");
    assert!(moved.with_y(0.0).length() < 1e-3, "{moved}");
}

#[test]
fn particles_are_drawn_where_they_are_simulated() {
    let mut app = app();
    let shape = block([4, 3, 5]);
    app.world_mut().spawn(BodyCollider::plane());
    let body = spawn(&mut app, &shape, Transform::from_xyz(7.0, 0.4, -3.0));
    for _ in 0..60 {
        ticks(&mut app, 1);
        let gap = apart(&drawn(&app, body, &shape), &positions(&app, body, &shape));
        assert!(gap < 1e-5, "{gap}");
    }
}

#[test]
fn a_body_lands_on_the_ground_and_pushes_it_by_its_weight() {
    let mut app = app();
    let shape = block([4, 4, 4]);
    let ground = app.world_mut().spawn(BodyCollider::plane()).id();
    let body = spawn(&mut app, &shape, Transform::from_xyz(0.0, 0.5, 0.0));
    app.world_mut().entity_mut(body).insert(BodySleep::never());
    ticks(&mut app, 320);
    let lowest = positions(&app, body, &shape).iter().map(|p| p.y).fold(f32::INFINITY, f32::min);
    // Contact points are half a spacing outside of the outermost particles at most.
    assert!((-0.06..0.06).contains(&lowest), "{lowest}");
    // Mean over some ticks: single ones vary with what touches.
    let mut impulse = 0.0;
    let counted = 64;
    for _ in 0..counted {
        ticks(&mut app, 1);
        let reactions = app.world().get::<ContactReactions>(body).expect("reactions");
        for (entity, reaction) in reactions.touched() {
            assert_eq!(entity, ground);
            impulse += reaction.impulse.y;
        }
    }
    let weight = shape.volume() * ElasticMaterial::default().density * GRAVITY;
    let force = -impulse / (counted as f32 * TICK);
    assert!((force / weight - 1.0).abs() < 0.02, "{force} N, weight {weight} N");
}

#[test]
fn motion_gives_both_ticks_in_the_pose_of_the_last() {
    let mut app = app();
    let shape = block([3, 3, 3]);
    let body = spawn(&mut app, &shape, Transform::from_xyz(0.0, 9.0, 0.0));
    app.world_mut().entity_mut(body).insert((
        BodyMotion::default(),
        InitialVelocity { linear: Vec3::X, angular: Vec3::Z * 4.0 },
    ));
    ticks(&mut app, 20);
    let before = positions(&app, body, &shape);
    ticks(&mut app, 1);
    let now = positions(&app, body, &shape);
    let world = *app.world().get::<GlobalTransform>(body).expect("a transform");
    let motion = app.world().get::<BodyMotion>(body).expect("motion");
    let in_world = |points: &[Vec3]| -> Vec<Vec3> {
        points.iter().map(|&p| world.transform_point(p)).collect()
    };
    assert!(apart(&in_world(motion.previous()), &before) < 1e-5);
    assert!(apart(&in_world(motion.current()), &now) < 1e-5);
    let mut half = Vec::new();
    motion.blend(0.5, &mut half);
    let middle: Vec<Vec3> = before.iter().zip(&now).map(|(a, b)| (*a + *b) * 0.5).collect();
    assert!(apart(&in_world(&half), &middle) < 1e-5);
}
