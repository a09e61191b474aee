//! Limits (tests 28 to 32, 46).

use core::f32::consts::{FRAC_PI_2, PI};

use sinew_ik::glam::{EulerRot, Quat, Vec3};
use sinew_ik::{Goal, Joint, Limit, LimitError, Settings, Solver, Start, Status, Task};

use crate::fixtures::{Random, Rig, with};

fn degrees(min: f32, max: f32) -> Limit {
    Limit::Hinge { axis: Vec3::Z, min: min.to_radians(), max: max.to_radians() }
}

fn arm(limit: Limit) -> Rig {
    Rig::new(vec![Joint::default(), Joint::at(Vec3::X).with_limit(limit)], Vec3::X)
}

/// Angle of a rotation about z, in degrees.
fn about_z(q: Quat) -> f32 {
    2.0 * q.z.atan2(q.w).to_degrees()
}

#[test]
fn elbow_stops_where_its_hinge_ends() {
    // A root that only turns about z, by at most 5°, leaves the target to the elbow, which would need −30°.
    let joints = vec![
        Joint::default().with_limit(degrees(0.0, 0.0)),
        Joint::at(Vec3::X).with_limit(degrees(0.0, 150.0)),
    ];
    let target = Vec3::X + Quat::from_rotation_z((-30_f32).to_radians()) * Vec3::X;
    for solver in [Solver::Auto, Solver::Ccd, Solver::Fabrik, Solver::TwoBone, Solver::Curl] {
        if solver == Solver::TwoBone {
            continue;
        }
        let mut rig = Rig::new(joints.clone(), Vec3::X);
        let report = rig.reach(target, &with(solver));
        assert_eq!(report.status, Status::Limited, "{solver:?} {report:?}");
        let angle = about_z(rig.state.rotations()[1]);
        assert!(angle.abs() < 1e-4_f32.to_degrees(), "{solver:?} {angle}");
    }
}

#[test]
fn elbow_with_a_hinge_reaches_where_it_can() {
    let mut random = Random(28);
    for _ in 0..300 {
        let mut rig = arm(degrees(0.0, 150.0));
        let target = random.direction() * random.between(0.6, 1.95);
        let report =
            rig.reach(target, &Settings { max_iterations: Some(40), ..with(Solver::Auto) });
        assert_eq!(report.status, Status::Reached, "{target} {report:?}");
        let elbow = rig.state.rotations()[1];
        assert!((-0.01..150.01).contains(&about_z(elbow)));
        assert!(elbow.x.abs() < 1e-5 && elbow.y.abs() < 1e-5, "off its axis: {elbow}");
    }
}

#[test]
fn ranges_beyond_half_a_turn_wrap_around() {
    let (a, b) = (degrees(-225.0, -135.0), degrees(135.0, 225.0));
    for k in -36..=36 {
        let q = Quat::from_rotation_z((k as f32 * 10.0 + 3.0).to_radians());
        let (x, y) = (a.clamp(q), b.clamp(q));
        assert!(x.rotation.angle_between(y.rotation) < 2e-3, "{k}");
        assert_eq!(x.active, y.active);
    }
    let inside = a.clamp(Quat::from_rotation_z(PI));
    assert!(!inside.active);
    let outside = a.clamp(Quat::from_rotation_z(100_f32.to_radians()));
    assert!((about_z(outside.rotation).rem_euclid(360.0) - 135.0).abs() < 1e-3);
}

#[test]
fn a_hinge_keeps_the_sign_of_its_angle() {
    let mut rig = Rig::new(vec![Joint::default().with_limit(degrees(-90.0, 90.0))], Vec3::X);
    for solver in [Solver::Auto, Solver::Ccd, Solver::Fabrik] {
        let target = Quat::from_rotation_z((-60_f32).to_radians()) * Vec3::X;
        let report = rig.reach(target, &with(solver));
        assert_eq!(report.status, Status::Reached, "{solver:?} {report:?}");
        assert!((about_z(rig.state.rotations()[0]) + 60.0).abs() < 0.02, "{solver:?}");
    }
}

#[test]
fn twist_is_cut_and_swing_stays_exact() {
    let twist = [-20_f32.to_radians(), 20_f32.to_radians()];
    let limit = Limit::SwingTwist { axis: Vec3::X, up: Vec3::Y, half_angles: [1.5; 4], twist };
    let mut rig = Rig::new(vec![Joint::default().with_limit(limit)], Vec3::X * 0.3);
    let swing = Quat::from_rotation_z(0.6);
    let goal = Goal { rotation: Some(swing * Quat::from_rotation_x(FRAC_PI_2)), ..Goal::default() };
    let goals = [goal];
    let task = Task::new(&rig.chain, &goals);
    let report = rig.solve(&task, &Settings::default());
    assert_eq!(report.status, Status::Limited);
    let expected = swing * Quat::from_rotation_x(20_f32.to_radians());
    let found = rig.state.rotations()[0];
    assert!(found.angle_between(expected) < 2e-3, "{found} {expected}");
    assert!((found * Vec3::X).distance(swing * Vec3::X) < 1e-5);
    assert!((report.rotation_error - 70_f32.to_radians()).abs() < 1e-3);
}

#[test]
fn cones_and_ellipses_hold_their_half_angles() {
    let mut random = Random(31);
    let up = Vec3::Y;
    for _ in 0..20_000 {
        let half_angles = core::array::from_fn(|_| random.between(0.1, 2.6));
        let limit = Limit::Ellipse { axis: Vec3::X, up, half_angles }.validated().expect("good");
        let q = Quat::from_axis_angle(random.direction(), random.between(-PI, PI));
        let clamped = limit.clamp(q);
        let along = clamped.rotation * Vec3::X;
        let swing = along.angle_between(Vec3::X);
        // Between the half-angles of its quadrant.
        let vertical = half_angles[if along.y >= 0.0 { 0 } else { 2 }];
        let horizontal = half_angles[if along.z >= 0.0 { 1 } else { 3 }];
        assert!(swing <= vertical.max(horizontal) + 1e-3);
        if !clamped.active {
            assert_eq!(clamped.rotation, q);
            continue;
        }
        assert!(swing >= vertical.min(horizontal) - 1e-3, "{swing} {half_angles:?}");
        // The same direction around the axis, and clamping again changes nothing.
        let before = q * Vec3::X;
        let (from, to) = (before.with_x(0.0), along.with_x(0.0));
        assert!(from.cross(to).length() < 1e-3 && from.dot(to) > -1e-4, "{before} {along}");
        let again = limit.clamp(clamped.rotation);
        assert!(again.rotation.angle_between(clamped.rotation) < 2e-3);
        // Twist is kept.
        let twist = |q: Quat| 2.0 * q.x.atan2(q.w);
        let turn = (twist(q) - twist(clamped.rotation)).rem_euclid(2.0 * PI);
        assert!(turn.min(2.0 * PI - turn) < 2e-2 || q.x.hypot(q.w) < 0.05, "{turn}");
    }
    let cone = Limit::Cone { axis: Vec3::X, half_angle: 0.5 }.validated().expect("good");
    let clamped = cone.clamp(Quat::from_rotation_y(1.2) * Quat::from_rotation_x(2.0));
    let expected = Quat::from_rotation_y(0.5) * Quat::from_rotation_x(2.0);
    assert!(clamped.active && clamped.rotation.angle_between(expected) < 1e-3);
}

#[test]
fn per_axis_ranges_hold() {
    let (min, max) = (Vec3::new(-0.3, -0.5, -1.0), Vec3::new(0.6, 0.2, 0.4));
    let limit = Limit::PerAxis { min, max }.validated().expect("good");
    let mut random = Random(33);
    for _ in 0..5_000 {
        let q = Quat::from_axis_angle(random.direction(), random.between(-PI, PI));
        let clamped = limit.clamp(q).rotation;
        let (x, y, z) = clamped.to_euler(EulerRot::XYZ);
        let angles = Vec3::new(x, y, z);
        assert!((angles - angles.clamp(min, max)).length() < 2e-3, "{angles}");
        let inside = Vec3::new(
            random.between(min.x, max.x),
            random.between(min.y, max.y),
            random.between(min.z, max.z),
        );
        let q = Quat::from_euler(EulerRot::XYZ, inside.x, inside.y, inside.z);
        assert_eq!(limit.clamp(q).rotation, q, "{inside}");
    }
}

#[test]
fn unusable_limits_are_refused() {
    let hinge = |axis, min, max| Limit::Hinge { axis, min, max }.validated();
    assert_eq!(hinge(Vec3::ZERO, 0.0, 1.0), Err(LimitError::Axis));
    assert_eq!(hinge(Vec3::NAN, 0.0, 1.0), Err(LimitError::Axis));
    assert_eq!(hinge(Vec3::Z, 1.0, 0.0), Err(LimitError::Range));
    assert_eq!(hinge(Vec3::Z, f32::NEG_INFINITY, 0.0), Err(LimitError::Range));
    let cone = Limit::Cone { axis: Vec3::X, half_angle: 45.0 };
    assert_eq!(cone.validated(), Err(LimitError::HalfAngle));
    let ellipse = Limit::Ellipse { axis: Vec3::X, up: Vec3::X * 2.0, half_angles: [0.5; 4] };
    assert_eq!(ellipse.validated(), Err(LimitError::Up));
}

#[test]
fn no_joint_turns_faster_than_its_rate() {
    let mut joints = crate::fixtures::row(9, 0.1, 0.2, Limit::Free);
    joints.iter_mut().for_each(|joint| joint.max_rate = FRAC_PI_2);
    let mut rig = Rig::new(joints, Vec3::X * 0.1);
    let dt = 1.0 / 60.0;
    let mut before = rig.chain.rest().to_vec();
    let settings = Settings { start: Start::Animated, ..Settings::default() };
    for frame in 0..120 {
        let side = if frame < 60 { 0.4 } else { -0.4 };
        let goals = [Goal::reach(Vec3::new(0.2, side, 0.1))];
        // The first solve has nothing to be slow against.
        let goals: &[Goal] = if frame == 0 { &[] } else { &goals };
        let task = Task::new(&rig.chain, goals).with_dt(dt);
        let report = rig.solve(&task, &settings);
        for (a, b) in before.iter().zip(rig.state.rotations()) {
            let turn = 2.0 * (*a * b.conjugate()).xyz_length().asin();
            assert!(turn <= FRAC_PI_2 * dt + 1e-4, "{turn}");
        }
        if frame == 1 {
            assert!(report.limited_joints > 0);
        }
        before.copy_from_slice(rig.state.rotations());
    }
    assert!(rig.miss(Vec3::new(0.2, -0.4, 0.1)) < 1e-3);
}

trait Sine {
    /// Sine of half the angle.
    fn xyz_length(self) -> f32;
}

impl Sine for Quat {
    fn xyz_length(self) -> f32 {
        self.xyz().length().min(1.0)
    }
}
