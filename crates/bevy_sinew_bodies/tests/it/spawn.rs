//! Where and how bodies start. SB-19, SB-36, SC-01.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::{EulerRot, Quat, Vec3};
use bevy_sinew_bodies::kernel::{Body, Probe};
use bevy_sinew_bodies::prelude::*;
use bevy_transform::prelude::*;

use crate::support::*;

fn turn(dice: &mut Dice) -> Quat {
    let angles = dice.vector() * 3.0;
    Quat::from_euler(EulerRot::XYZ, angles.x, angles.y, angles.z)
}

#[test]
fn bodies_start_at_rest_wherever_their_parents_are() {
    let mut app = app();
    let shape = block([3, 3, 3]);
    let mut dice = Dice(19);
    let mut bodies = Vec::new();
    for i in 0..50 {
        let size = if i % 2 == 0 { 1.0 } else { 2.5 };
        let parent = Transform::from_translation(dice.vector() * 1_000.0)
            .with_rotation(turn(&mut dice))
            .with_scale(Vec3::splat(size));
        let own = Transform::from_translation(dice.vector()).with_rotation(turn(&mut dice));
        let world = GlobalTransform::from(parent) * own;
        let parent = app.world_mut().spawn(parent).id();
        let child = (DeformableBody::new(shape.clone()), own, ChildOf(parent));
        // Half by commands in a system, half at once.
        let body = if i % 4 < 2 {
            app.world_mut().spawn(child).id()
        } else {
            let mut commands = app.world_mut().commands();
            let body = commands.spawn(child).id();
            app.world_mut().flush();
            body
        };
        bodies.push((body, world.translation()));
    }
    ticks(&mut app, 1);
    for &(body, start) in &bodies {
        let speed = top_speed(&app, body, &shape);
        assert!(speed <= GRAVITY * TICK * 1.01, "{speed} m/s");
        let fell = app.world().get::<GlobalTransform>(body).expect("a transform").translation();
        assert!(fell.distance(start) < 0.01, "{fell} instead of {start}");
    }
    // Half a second of free fall is 1.2 m.
    ticks(&mut app, 31);
    for &(body, start) in &bodies {
        for point in positions(&app, body, &shape) {
            assert!(point.distance(start) < 5.0);
        }
        let gap = apart(&drawn(&app, body, &shape), &positions(&app, body, &shape));
        assert!(gap < 1e-3, "drawn {gap} m off, a kilometre out");
    }
}

#[test]
fn the_pose_of_the_spawn_changes_only_the_direction() {
    let shape = block([3, 6, 3]);
    let diagonal = shape.size();
    // Free vibration, seen from the pose of the spawn.
    let run = |parents: [Transform; 2], own: Transform| {
        let mut app = app();
        app.insert_resource(BodyGravity(Vec3::ZERO));
        let outer = app.world_mut().spawn(parents[0]).id();
        let inner = app.world_mut().spawn((parents[1], ChildOf(outer))).id();
        let material = ElasticMaterial { damping: 0.0, ..Default::default() };
        let body = app
            .world_mut()
            .spawn((
                DeformableBody::new(shape.clone()),
                material,
                BodySleep::never(),
                own,
                ChildOf(inner),
            ))
            .id();
        let world = GlobalTransform::from(parents[0]) * parents[1] * own;
        let (_, rotation, translation) = world.to_scale_rotation_translation();
        // Placed by a frame without a tick.
        app.insert_resource(bevy_time::TimeUpdateStrategy::ManualDuration(
            core::time::Duration::ZERO,
        ));
        app.update();
        app.insert_resource(bevy_time::TimeUpdateStrategy::FixedTimesteps(1));
        {
            let mut state = app.world_mut().get_mut::<BodyState>(body).expect("a state");
            let kernel = state.kernel_mut().expect("it was placed");
            for i in 0..shape.particle_count() {
                let arm = shape.rest_position(i) - shape.center();
                // A bend and a stretch.
                let velocity = Vec3::new(2.0 * arm.y * arm.y, 0.5 * arm.y, 0.0);
                kernel.set_velocity(&shape, i, rotation * velocity);
            }
        }
        let energy = |app: &App| {
            let mut elastic = Body::new(&shape);
            elastic.material = material.into();
            let probe = Probe::measure(&elastic, &kernel(app, body));
            probe.kinetic_energy + probe.elastic_energy
        };
        // Velocities are half a sub-step behind positions: energy is told from means over 100 ticks.
        let means = [(); 3].map(|()| {
            let sum: f64 = (0..50)
                .map(|_| {
                    ticks(&mut app, 2);
                    energy(&app)
                })
                .sum();
            sum / 50.0
        });
        let most = means[1].max(means[2]);
        assert!(most <= 1.01 * means[0], "energy rose: {means:?}");
        let back: Vec<Vec3> = positions(&app, body, &shape)
            .iter()
            .map(|&p| rotation.inverse() * (p - translation))
            .collect();
        back
    };
    let still = Transform::default();
    let expected = run([still, still], still);
    let mut dice = Dice(36);
    for _ in 0..32 {
        let parents = [(); 2]
            .map(|()| Transform::from_translation(dice.vector()).with_rotation(turn(&mut dice)));
        let own = Transform::from_translation(dice.vector()).with_rotation(turn(&mut dice));
        let gap = apart(&run(parents, own), &expected);
        assert!(gap < 1e-3 * diagonal, "{gap} m");
    }
}

#[test]
fn a_given_velocity_is_that_of_the_first_tick() {
    let mut app = app();
    app.insert_resource(BodyGravity(Vec3::ZERO));
    let shape = block([3, 3, 3]);
    let body = spawn(&mut app, &shape, Transform::from_xyz(1.0, 2.0, 3.0));
    let linear = Vec3::new(1.0, -2.0, 0.5);
    let angular = Vec3::Y * 2.0;
    app.world_mut().entity_mut(body).insert(InitialVelocity { linear, angular });
    ticks(&mut app, 1);
    let points = positions(&app, body, &shape);
    let center = mean(&points);
    for (point, velocity) in points.iter().zip(velocities(&app, body, &shape)) {
        let expected = linear + angular.cross(*point - center);
        assert!(velocity.distance(expected) < 0.02, "{velocity} instead of {expected}");
    }
}

/// Moves the parent in every tick, before the body's.
fn drag(mut parents: Query<&mut Transform, With<Children>>) {
    for mut parent in &mut parents {
        parent.translation.x += 0.2;
        parent.rotate_y(0.1);
    }
}

#[derive(Resource, Default)]
struct Worst(f32, u32);

fn look(
    helper: TransformHelper,
    bodies: Query<(Entity, &DeformableBody, &BodyState)>,
    mut worst: ResMut<Worst>,
) {
    for (entity, body, state) in &bodies {
        let Some(shape) = &body.shape else { continue };
        let Ok(world) = helper.compute_global_transform(entity) else { continue };
        let Some(pose) = state.world_from_body(shape) else { continue };
        let off = world.translation().distance(pose.translation.into())
            + world.rotation().angle_between(pose.rotation);
        worst.0 = worst.0.max(off);
        worst.1 += 1;
    }
}

#[test]
fn a_moved_parent_leaves_the_body_where_it_is_in_the_same_tick() {
    for per_frame in [1, 2, 5] {
        let mut app = app();
        app.insert_resource(bevy_time::TimeUpdateStrategy::FixedTimesteps(per_frame));
        app.init_resource::<Worst>();
        app.add_systems(FixedUpdate, drag);
        app.add_systems(FixedPostUpdate, look.after(DeformationSystems::Writeback));
        let shape = block([3, 3, 3]);
        let parent = app.world_mut().spawn(Transform::from_xyz(1.0, 0.0, 0.0)).id();
        let body = spawn(&mut app, &shape, Transform::from_xyz(0.0, 5.0, 0.0));
        app.world_mut().entity_mut(body).insert(ChildOf(parent));
        ticks(&mut app, 10);
        let worst = app.world().resource::<Worst>();
        assert_eq!(worst.1, 10 * per_frame);
        assert!(worst.0 < 2e-3, "{} off, {per_frame} ticks a frame", worst.0);
        // It falls straight down: the parent does not drag it along. The first drag comes before it
        // is placed.
        let speed = mean(&velocities(&app, body, &shape));
        assert!(speed.with_y(0.0).length() < 1e-4, "{speed}");
    }
}

#[test]
fn a_body_under_a_body_is_drawn_where_it_is_simulated() {
    let mut app = app();
    let shape = block([3, 3, 3]);
    let above = spawn(&mut app, &shape, Transform::from_xyz(0.0, 5.0, 0.0));
    let below = spawn(&mut app, &shape, Transform::from_xyz(2.0, -1.0, 0.0));
    app.world_mut().entity_mut(below).insert(ChildOf(above));
    app.world_mut()
        .entity_mut(above)
        .insert(InitialVelocity { angular: Vec3::Z * 5.0, ..Default::default() });
    ticks(&mut app, 30);
    assert!(apart(&drawn(&app, below, &shape), &positions(&app, below, &shape)) < 1e-5);
}

#[test]
fn the_shape_is_the_same_a_kilometre_out() {
    let shape = block([3, 6, 3]);
    // A body that fell on a ball, seen from its centre.
    let run = |at: Vec3| {
        let mut app = app();
        let ball = Transform::from_translation(at + Vec3::new(0.05, -1.0, 0.1));
        app.world_mut().spawn((BodyCollider::sphere(0.5), ball));
        let body = spawn(&mut app, &shape, Transform::from_translation(at));
        let mut deformed = 0.0_f32;
        for _ in 0..60 {
            ticks(&mut app, 1);
            let points = positions(&app, body, &shape);
            deformed = deformed.max((points[0].distance(points[1]) - 0.1).abs());
        }
        assert!(deformed > 1e-3, "it was touched");
        let state = kernel(&app, body);
        let center = state.rigid_pose(&shape).translation;
        let points: Vec<Vec3> = (0..shape.particle_count())
            .map(|i| (state.position(&shape, i) - center).as_vec3())
            .collect();
        points
    };
    let expected = run(Vec3::ZERO);
    // Powers of two: the ball's place is not rounded.
    for distance in [128.0, 1_024.0, 8_192.0] {
        let squares: f32 = run(Vec3::new(distance, 0.0, -distance))
            .iter()
            .zip(&expected)
            .map(|(a, b)| a.distance_squared(*b))
            .sum();
        let rms = (squares / expected.len() as f32).sqrt();
        assert!(rms < 1e-3 * shape.size(), "{rms} m at {distance} m");
    }
}
