//! A body that becomes non-finite stays alone with it. SB-33.

use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_sinew_bodies::prelude::*;
use bevy_transform::prelude::*;

use crate::support::*;

#[test]
fn a_broken_body_is_put_back_once_and_the_others_do_not_notice() {
    type Injection = fn(&mut BodyState, &bevy_sinew_bodies::kernel::ElasticShape);
    let injections: [(&str, Injection); 3] = [
        ("NaN position", |state, shape| {
            let kernel = state.kernel_mut().expect("placed");
            kernel.set_position(shape, 2, Vec3::new(f32::NAN, 0.0, 0.0).as_dvec3());
        }),
        ("infinite velocity", |state, shape| {
            state.kernel_mut().expect("placed").set_velocity(shape, 2, Vec3::X * f32::INFINITY);
        }),
        ("huge velocity", |state, shape| {
            state.kernel_mut().expect("placed").set_velocity(shape, 2, Vec3::X * 1e30);
        }),
    ];
    let shape = block([3, 3, 3]);
    let run = |injection: Option<Injection>| {
        let mut app = app();
        listen::<BodyQuarantined>(&mut app);
        app.world_mut().spawn(BodyCollider::plane());
        let bodies: Vec<Entity> = (0..6)
            .map(|i| spawn(&mut app, &shape, Transform::from_xyz(i as f32, 0.5, 0.0)))
            .collect();
        ticks(&mut app, 20);
        if let Some(inject) = injection {
            let mut state = app.world_mut().get_mut::<BodyState>(bodies[2]).expect("a state");
            inject(&mut state, &shape);
        }
        ticks(&mut app, 1);
        let now = positions(&app, bodies[2], &shape);
        assert!(now.iter().all(|p| p.is_finite()), "finite after one tick");
        assert!(now.iter().all(|p| p.distance(Vec3::X * 2.0) < 2.0), "where it was");
        ticks(&mut app, 60);
        let states: Vec<_> = bodies.iter().map(|&b| kernel(&app, b)).collect();
        (bodies, states, heard::<BodyQuarantined>(&app))
    };
    let (_, expected, silence) = run(None);
    assert!(silence.is_empty());
    for (name, injection) in injections {
        let (bodies, states, messages) = run(Some(injection));
        assert_eq!(messages, [BodyQuarantined { entity: bodies[2] }], "{name}");
        for i in [0, 1, 3, 4, 5] {
            assert!(states[i] == expected[i], "{name}: body {i} is as it would have been");
        }
    }
}

#[test]
fn gravity_that_is_not_finite_counts_as_none() {
    let mut app = app();
    listen::<BodyQuarantined>(&mut app);
    let shape = block([3, 3, 3]);
    let body = spawn(&mut app, &shape, Transform::default());
    app.insert_resource(BodyGravity(Vec3::splat(f32::NAN)));
    ticks(&mut app, 10);
    assert_eq!(top_speed(&app, body, &shape), 0.0);
    assert!(heard::<BodyQuarantined>(&app).is_empty());
}
