//! Ancestors may be scaled, mirrored, moved and turned in any way.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_math::{Affine3A, Quat, Vec3};
use bevy_sinew_ik::prelude::*;
use bevy_transform::prelude::*;

use crate::support::*;

/// A character, its armature, and an arm of nine bones of 0.1 m in the world, bent by 12° a joint.
fn rig(app: &mut App, armature: Transform, unit: f32) -> Vec<Entity> {
    let character = spawn(app, Transform::from_xyz(0.4, 0.2, -0.3));
    let armature = spawn(app, (armature, ChildOf(character)));
    let root = Transform::from_translation(Vec3::new(0.05, 0.1, 0.0) * unit);
    let steps: Vec<Transform> = bent(9, 0.1 * unit, 12.0);
    joints(app, Some(armature), root, &steps)
}

/// World length of the arm when stretched: the sum of distances between drawn joints.
fn length(app: &App, arm: &[Entity]) -> f32 {
    arm.windows(2).map(|pair| place(app, pair[0]).distance(place(app, pair[1]))).sum()
}

#[test]
fn a_rig_in_centimetres_reaches_as_one_in_metres_does() {
    let mut places = Vec::new();
    let mut turns = Vec::new();
    let tilt = Quat::from_rotation_x(-core::f32::consts::FRAC_PI_2);
    for (scale, unit) in [(1.0, 1.0), (0.01, 100.0), (100.0, 0.01), (7.0, 1.0 / 7.0)] {
        let mut app = app();
        let armature = Transform::from_scale(Vec3::splat(scale)).with_rotation(tilt);
        let arm = rig(&mut app, armature, unit);
        let target = Vec3::new(0.8, 0.4, -0.6);
        insert(&mut app, arm[9], (IkChain::ancestors(9), IkTarget::point(target)));
        app.update();
        assert_eq!(status(&app, arm[9]).state, IkState::Reached);
        let tip = place(&app, arm[9]);
        assert!(
            tip.distance(target) <= 1e-4 * 0.9 + 1e-6,
            "scale {scale}: {}",
            tip.distance(target)
        );
        assert!((status(&app, arm[9]).error - tip.distance(target)).abs() < 1e-5);
        places.push(tip);
        turns.push(rotations(&app, &arm));
    }
    for (place, turns_of) in places.iter().zip(&turns) {
        assert!(place.distance(places[0]) < 1e-4);
        assert!(turned_apart(turns_of, &turns[0]) < 1e-5, "{}", turned_apart(turns_of, &turns[0]));
    }
}

#[test]
fn uneven_negative_and_mirrored_scale_of_ancestors_is_exact() {
    for scale in [
        Vec3::new(1.0, 2.0, 1.0),
        Vec3::splat(-3.0),
        Vec3::new(-1.0, 1.0, 1.0),
        Vec3::new(1.0, 2.0, 0.5),
        Vec3::splat(0.1),
    ] {
        let mut app = app();
        let tilt = Quat::from_euler(bevy_math::EulerRot::XYZ, 0.3, -0.4, 0.9);
        let arm = rig(&mut app, Transform::from_rotation(tilt).with_scale(scale), 1.0);
        app.update();
        // Where the arm would end if each joint turned by some more: within reach under any scale.
        let before = rotations(&app, &arm);
        for &joint in &arm {
            edit::<Transform>(&mut app, joint, |joint| joint.rotate_y(0.15));
        }
        app.update();
        let target = place(&app, arm[9]);
        for (&joint, &rotation) in arm.iter().zip(&before) {
            edit::<Transform>(&mut app, joint, |joint| joint.rotation = rotation);
        }
        let kept: Vec<Transform> = arm
            .iter()
            .map(|&joint| *app.world().get::<Transform>(joint).expect("a joint"))
            .collect();
        insert(&mut app, arm[9], (IkChain::ancestors(9), IkTarget::point(target)));
        updates(&mut app, 60);
        let error = place(&app, arm[9]).distance(target);
        assert!(error <= 1e-3 * length(&app, &arm), "scale {scale}: {error}");
        for (&joint, kept) in arm.iter().zip(&kept) {
            let now = app.world().get::<Transform>(joint).expect("a joint");
            assert_eq!((now.translation, now.scale), (kept.translation, kept.scale));
        }
    }
}

#[test]
fn scale_in_the_middle_of_a_chain_counts_in_its_lengths() {
    let mut app = app();
    let steps = [
        Transform::from_xyz(0.5, 0.0, 0.0).with_scale(Vec3::splat(2.0)),
        Transform::from_xyz(0.25, 0.1, 0.0),
        Transform::from_xyz(0.25, 0.0, 0.0),
    ];
    let arm = joints(&mut app, None, Transform::default(), &steps);
    let target = Vec3::new(0.4, 0.8, 0.5);
    insert(&mut app, arm[3], (IkChain::ancestors(3), IkTarget::point(target)));
    app.update();
    assert!(place(&app, arm[3]).distance(target) < 2e-4);
}

#[test]
fn an_arm_on_a_fast_vehicle_reaches_in_the_same_frame() {
    #[derive(Component)]
    struct Vehicle;
    let mut app = app();
    let vehicle = spawn(&mut app, (Transform::default(), Vehicle));
    let seat = spawn(&mut app, (Transform::from_xyz(0.0, 1.0, 0.0), ChildOf(vehicle)));
    let arm = joints(&mut app, Some(seat), Transform::default(), &bent(9, 0.1, 12.0));
    let wheel = spawn(&mut app, (Transform::from_xyz(0.5, 1.2, 0.3), ChildOf(vehicle)));
    insert(&mut app, arm[9], (IkChain::ancestors(9), IkTarget::entity(wheel)));
    // 100 m/s at 64 Hz, and turning.
    app.add_systems(Update, |mut vehicle: Single<&mut Transform, With<Vehicle>>| {
        vehicle.translation += Vec3::new(100.0 / 64.0, 0.1, 0.0);
        vehicle.rotate_y(0.05);
    });
    for _ in 0..120 {
        app.update();
        let goal = place(&app, wheel);
        let error = place(&app, arm[9]).distance(goal);
        assert!(error <= 1e-4 * 0.9 + 1e-6 * goal.length(), "{error} at {goal}");
    }
}

#[test]
fn far_from_the_origin_the_pose_is_the_same() {
    let mut poses = Vec::new();
    for (distance, tolerance) in [(0.0, 0.0), (1e2, 1e-3), (1e4, 1e-3), (1e5, 1e-2)] {
        let mut app = app();
        let ground = spawn(&mut app, Transform::from_xyz(distance, 0.0, -distance));
        let arm = joints(&mut app, Some(ground), Transform::default(), &bent(9, 0.1, 12.0));
        let apple = spawn(&mut app, (Transform::from_xyz(0.5, 0.25, 0.25), ChildOf(ground)));
        insert(&mut app, arm[9], (IkChain::ancestors(9), IkTarget::entity(apple)));
        app.update();
        let mut at = Affine3A::IDENTITY;
        let relative: Vec<Vec3> = arm
            .iter()
            .map(|&joint| {
                at *= app.world().get::<Transform>(joint).expect("a joint").compute_affine();
                Vec3::from(at.translation)
            })
            .collect();
        if distance == 0.0 {
            poses = relative.clone();
        }
        for (a, b) in relative.iter().zip(&poses) {
            assert!(a.distance(*b) <= tolerance * 0.9, "{distance}: {a} {b}");
        }
    }
}

#[test]
fn a_first_joint_beside_its_parent_stays_there() {
    // The clavicle is no part of the chain; the upper arm is 10 % of reach away from it.
    let mut app = app();
    let clavicle = spawn(&mut app, Transform::from_xyz(0.0, 1.4, 0.0));
    let root = Transform::from_xyz(0.09, 0.02, -0.01);
    let arm = joints(&mut app, Some(clavicle), root, &bent(9, 0.1, 12.0));
    insert(&mut app, arm[9], (IkChain::ancestors(9), IkTarget::point(Vec3::new(0.4, 1.0, 0.3))));
    updates(&mut app, 10);
    assert_eq!(
        app.world().get::<Transform>(arm[0]).expect("a joint").translation,
        root.translation
    );
    assert_eq!(status(&app, arm[9]).state, IkState::Reached);
}

#[test]
fn a_target_may_hang_on_anything() {
    // IK-01: parents scaled 0.01, 0.1, 1 and 7; the target in the world, under the same parent, or on a joint above.
    for scale in [0.01, 0.1, 1.0, 7.0] {
        let mut app = app();
        let tilt = Quat::from_rotation_x(-1.2);
        let parent = Transform::from_xyz(0.3, 0.1, 0.0).with_rotation(tilt);
        let parent = spawn(&mut app, parent.with_scale(Vec3::splat(scale)));
        let hip = spawn(&mut app, (Transform::from_xyz(0.0, 0.2, 0.0), ChildOf(parent)));
        let arm =
            joints(&mut app, Some(hip), Transform::from_xyz(0.1, 0.0, 0.0), &bent(3, 0.3, 12.0));
        let kept: Vec<Transform> = arm
            .iter()
            .map(|&joint| *app.world().get::<Transform>(joint).expect("a joint"))
            .collect();
        app.update();
        let local = Vec3::new(0.5, 0.45, 0.2);
        let world =
            app.world().get::<GlobalTransform>(parent).expect("a place").transform_point(local);
        let targets = [
            spawn(&mut app, Transform::from_translation(world)),
            spawn(&mut app, (Transform::from_translation(local), ChildOf(parent))),
            spawn(&mut app, (Transform::from_translation(local - Vec3::Y * 0.2), ChildOf(hip))),
        ];
        insert(&mut app, arm[3], IkChain::ancestors(3));
        let mut poses = Vec::new();
        for target in targets {
            set_target(&mut app, arm[3], IkTarget::entity(target));
            app.update();
            assert!(place(&app, arm[3]).distance(world) <= 1e-3 * 0.9 * scale);
            poses.push(rotations(&app, &arm));
        }
        for (&joint, kept) in arm.iter().zip(&kept) {
            assert_eq!(app.world().get::<Transform>(joint).expect("a joint").scale, kept.scale);
        }
        let local = IkTarget {
            position: IkPlace::Local { entity: parent, point: local },
            ..Default::default()
        };
        set_target(&mut app, arm[3], local);
        app.update();
        poses.push(rotations(&app, &arm));
        assert!(poses.iter().all(|pose| turned_apart(pose, &poses[0]) < 1e-3));
    }
}

#[test]
fn uneven_scale_inside_a_chain_reaches_and_overwrites_nothing() {
    // IK-04: the chain's own first joint is scaled by (1, 2, 0.5).
    let mut app = app();
    let root = Transform::from_scale(Vec3::new(1.0, 2.0, 0.5));
    let arm = joints(&mut app, None, root, &bent(4, 0.25, 15.0));
    let kept: Vec<Transform> =
        arm.iter().map(|&joint| *app.world().get::<Transform>(joint).expect("a joint")).collect();
    let target = Vec3::new(0.5, 0.6, 0.2);
    insert(&mut app, arm[4], (IkChain::ancestors(4), IkTarget::point(target)));
    updates(&mut app, 60);
    let error = place(&app, arm[4]).distance(target);
    assert!(error <= 0.02 * length(&app, &arm), "{error}");
    for (&joint, kept) in arm.iter().zip(&kept) {
        let now = app.world().get::<Transform>(joint).expect("a joint");
        assert_eq!((now.translation, now.scale), (kept.translation, kept.scale));
    }
    assert_sound(&mut app);
}
