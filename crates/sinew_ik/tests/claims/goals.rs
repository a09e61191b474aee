//! Goal rotations, weights, several goals, and what to do about far targets.

use sinew_ik::glam::{Quat, Vec3};
use sinew_ik::{
    Effector, Goal, Joint, Limit, Pole, Settings, Solver, Start, Status, Task, Unreachable,
};

use crate::fixtures::{Random, Rig, row, with};

#[test]
fn a_hand_takes_its_place_and_rotation() {
    let mut random = Random(61);
    // A hand without length, then one whose fingertip is the effector.
    for tip in [Vec3::ZERO, Vec3::X * 0.08] {
        for _ in 0..200 {
            let mut rig = Rig::new(row(4, 0.3, 0.3, Limit::Free), tip);
            let target = random.direction() * random.between(0.2, 0.7);
            let turn = Quat::from_axis_angle(random.direction(), random.between(0.0, 3.0));
            let goals = [Goal::reach(target).turned(turn)];
            let task = Task::new(&rig.chain, &goals);
            let report = rig.solve(&task, &Settings::default());
            assert_eq!(report.status, Status::Reached, "{report:?}");
            let found = rig.state.rotations().iter().fold(Quat::IDENTITY, |turn, q| turn * *q);
            assert!(found.angle_between(turn) < 2e-3 && rig.miss(target) < 1.1e-4);
        }
    }
}

#[test]
fn a_limited_wrist_lets_the_arm_help() {
    let mut joints = row(5, 0.3, 0.3, Limit::Free);
    joints[4].limit = Limit::Cone { axis: Vec3::X, half_angle: 0.5 };
    let mut rig = Rig::new(joints, Vec3::X * 0.1);
    let target = Vec3::new(0.5, 0.3, 0.2);
    let turn = Quat::from_rotation_y(1.5);
    let goals = [Goal::reach(target).turned(turn)];
    let task = Task::new(&rig.chain, &goals);
    let settings = Settings { max_iterations: Some(60), ..Settings::default() };
    let report = rig.solve(&task, &settings);
    assert_eq!(report.status, Status::Reached, "{report:?}");
    let swing = (rig.chain.rest()[4].conjugate() * rig.state.rotations()[4] * Vec3::X)
        .angle_between(Vec3::X);
    assert!(swing <= 0.5 + 1e-4, "{swing}");
}

#[test]
fn goal_weights_blend_from_the_base_pose() {
    let start = Rig::chain_a().places()[9].as_vec3();
    let target = Vec3::new(0.3, 0.2, 0.4);
    for weight in [0.0, 0.3, 1.0] {
        let mut rig = Rig::chain_a();
        let goals = [Goal { position_weight: weight, ..Goal::reach(target) }];
        let task = Task::new(&rig.chain, &goals);
        let report = rig.solve(&task, &Settings::default());
        assert_eq!(report.status, Status::Reached);
        assert!(rig.miss(start.lerp(target, weight)) < 1e-4);
    }
}

#[test]
fn weight_zero_is_the_base_pose_bit_for_bit_and_half_is_half() {
    let base = [Quat::from_rotation_z(0.123_4)];
    let mut rig = Rig::new(vec![Joint::default()], Vec3::X);
    let goals = [Goal::reach(Vec3::Y)];
    let task = Task::new(&rig.chain, &goals).with_base(&base);
    let report = rig.solve(&task, &Settings { weight: 0.0, ..Settings::default() });
    assert_eq!((rig.state.rotations(), report.status), (&base[..], Status::Idle));
    // Ten frames at half weight stay at half: nothing drifts.
    let identity = [Quat::IDENTITY];
    for _ in 0..10 {
        let task = Task::new(&rig.chain, &goals).with_base(&identity);
        rig.solve(&task, &Settings { weight: 0.5, ..Settings::default() });
        let angle = 2.0 * rig.state.rotations()[0].z.asin().to_degrees();
        assert!((angle - 45.0).abs() < 1e-2, "{angle}");
    }
}

/// An arm whose animation bends it one way keeps that way, whatever it did before.
#[test]
fn bends_follow_the_animated_pose() {
    let mut rig = Rig::new(row(2, 0.3, 0.0, Limit::Free), Vec3::X * 0.3);
    let goals = [Goal::reach(Vec3::new(0.4, 0.0, 0.0))];
    for side in [1.0_f32, -1.0, 1.0] {
        let base = [Quat::from_rotation_z(0.4 * side), Quat::from_rotation_z(-0.8 * side)];
        let task = Task::new(&rig.chain, &goals).with_base(&base);
        assert!(rig.solve(&task, &Settings::default()).reached());
        assert!(rig.places()[1].y * f64::from(side) > 0.1);
    }
}

/// IK-12: over a fixed animated pose, the result is the same after any number of frames.
#[test]
fn poses_do_not_drift_over_many_frames() {
    let mut rig = Rig::chain_a();
    let mut first = Vec::new();
    for frame in 0..36_000_usize {
        let phase = (frame % 60) as f32 / 60.0 * core::f32::consts::TAU;
        let base: [Quat; 9] =
            core::array::from_fn(|i| Quat::from_rotation_z(0.2 * (phase + i as f32).sin()));
        let goals = [Goal::reach(Vec3::new(0.4, 0.3, 0.2))];
        let task = Task::new(&rig.chain, &goals).with_base(&base);
        assert!(rig.solve(&task, &Settings::default()).reached());
        if frame < 60 {
            first.push(rig.state.rotations().to_vec());
        } else if frame >= 35_940 {
            assert_eq!(first[frame % 60], rig.state.rotations());
        }
    }
    let base = [Quat::from_rotation_z(0.3); 9];
    let goals = [Goal::reach(Vec3::Y)];
    let task = Task::new(&rig.chain, &goals).with_base(&base);
    rig.solve(&task, &Settings { weight: 0.0, ..Settings::default() });
    assert_eq!(rig.state.rotations(), base);
}

#[test]
fn two_goals_on_one_chain_are_both_met() {
    let mut random = Random(62);
    let mut reached = 0;
    for _ in 0..200 {
        let mut rig = Rig::chain_a();
        // Feasible: from a random pose.
        let pose: Vec<Quat> = (0..9)
            .map(|_| Quat::from_axis_angle(random.direction(), random.between(0.0, 0.6)))
            .collect();
        let places = crate::fixtures::places(&rig.joints, rig.tip, &pose);
        let goals = [Goal::joint(5, places[5].as_vec3()), Goal::reach(places[9].as_vec3())];
        let task = Task::new(&rig.chain, &goals);
        let settings = Settings { max_iterations: Some(40), ..Settings::default() };
        let report = rig.solve(&task, &settings);
        assert_eq!(report.solver, Solver::Dls);
        let found = rig.places();
        let error = found[5].distance(places[5]).max(found[9].distance(places[9]));
        assert!((error - f64::from(report.error)).abs() < 2e-6);
        reached += u32::from(report.reached() && error < 1e-4);
    }
    assert!(reached >= 198, "{reached}");
}

#[test]
fn importance_decides_between_goals_that_exclude_each_other() {
    let goal = |x: f32, importance: f32| Goal { importance, ..Goal::reach(Vec3::new(0.3, x, 0.2)) };
    let mut rig = Rig::chain_a();
    let goals = [goal(0.3, 1.0), goal(-0.3, 4.0)];
    let task = Task::new(&rig.chain, &goals);
    let report = rig.solve(&task, &Settings { max_iterations: Some(64), ..Settings::default() });
    assert_ne!(report.status, Status::Reached);
    // Least squares put the end at the weighted mean.
    let mean = Vec3::new(0.3, (0.3 - 4.0 * 0.3) / 5.0, 0.2);
    assert!(rig.miss(mean) < 5e-3, "{}", rig.end());
}

fn arm() -> Rig {
    Rig::new(row(5, 0.2, 0.2, Limit::Free), Vec3::X * 0.2)
}

#[test]
fn far_targets_stretch_drag_or_abort() {
    let target = Vec3::new(0.8, 1.0, 0.5);
    let distance = target.length();
    let policy = |unreachable| Settings { unreachable, ..Settings::default() };

    let mut rig = arm();
    let report = rig.reach(target, &policy(Unreachable::Stretch(1.5)));
    assert_eq!(report.status, Status::Reached);
    assert!((report.stretch - distance).abs() < 1e-5);
    assert!(rig.end().as_vec3().distance(target / report.stretch) < 1e-5);
    let report = rig.reach(target, &policy(Unreachable::Stretch(1.1)));
    assert_eq!((report.status, report.stretch), (Status::Unreachable, 1.1));
    assert!((report.error - (distance - 1.1)).abs() < 1e-5);

    let report = rig.reach(target, &policy(Unreachable::DragRoot(1.0)));
    assert_eq!(report.status, Status::Reached);
    assert!((report.root_shift - target.normalize() * (distance - 1.0)).length() < 1e-5);
    let report = rig.reach(target, &policy(Unreachable::DragRoot(0.1)));
    assert_eq!(report.status, Status::Unreachable);
    assert!((report.root_shift.length() - 0.1).abs() < 1e-6);
    assert!((report.error - (distance - 1.1)).abs() < 1e-5);

    let report = rig.reach(target, &policy(Unreachable::Abort));
    assert_eq!(report.status, Status::Unreachable);
    assert_eq!(rig.state.rotations(), rig.chain.rest());

    // Within reach no policy does anything.
    for unreachable in [
        Unreachable::Stretch(2.0),
        Unreachable::DragRoot(1.0),
        Unreachable::Abort,
        Unreachable::Soft(0.9),
    ] {
        let report = rig.reach(Vec3::new(0.3, 0.4, 0.2), &policy(unreachable));
        assert_eq!((report.status, report.stretch), (Status::Reached, 1.0));
        assert_eq!(report.root_shift, Vec3::ZERO);
    }
}

/// IK-19: the pole turns the chain about the line from root to end, and nothing else.
#[test]
fn poles_turn_chains_about_their_line() {
    let mut random = Random(19);
    for count in 3..=8 {
        for _ in 0..50 {
            let mut joints: Vec<Joint> = vec![Joint::default()];
            for _ in 1..count {
                let bend = Quat::from_axis_angle(random.direction(), 0.5);
                joints.push(Joint::at(Vec3::X * random.between(0.1, 0.5)).with_rest(bend));
            }
            let mut rig = Rig::new(joints, Vec3::X * random.between(0.1, 0.5));
            let length = rig.chain.length();
            let target = random.direction() * length * random.between(0.4, 0.9);
            let pole = random.direction() * length * 2.0;
            let goals = [Goal::reach(target)];
            let task = Task::new(&rig.chain, &goals).with_pole(Pole::at(pole));
            let report = rig.solve(&task, &Settings::default());
            let line = target.normalize();
            assert_eq!(report.status, Status::Reached, "{report:?}");
            let places = rig.places();
            for (i, pair) in places.windows(2).enumerate() {
                let wanted = f64::from(rig.chain.lengths()[i]);
                assert!((pair[0].distance(pair[1]) - wanted).abs() < 1e-4 * wanted);
            }
            // The joint farthest from the line is on the pole's side of it.
            let end = places[count].as_vec3().normalize();
            let offset = |p: Vec3| p - end * p.dot(end);
            let farthest = places
                .iter()
                .map(|p| offset(p.as_vec3()))
                .max_by(|a, b| a.length().total_cmp(&b.length()))
                .expect("places");
            let wanted = offset(pole);
            if farthest.length() > 0.02 * length && wanted.length() > 0.3 * pole.length() {
                let angle = farthest.angle_between(wanted);
                assert!(angle < 0.02, "{count} {line}: {angle}");
            }
        }
    }
}

#[test]
fn splines_lay_joints_on_the_curve() {
    let curve: Vec<Vec3> = (0..=400)
        .map(|k| {
            let t = k as f32 * 0.01;
            Vec3::new(t, t.sin() * 0.3, 0.3 - 0.3 * t.cos())
        })
        .collect();
    let mut rig = Rig::chain_s();
    let task = Task::new(&rig.chain, &[]).with_curve(&curve);
    let report = rig.solve(&task, &with(Solver::Spline));
    assert_eq!((report.solver, report.error), (Solver::Spline, 0.0));
    for place in rig.places() {
        let point = place.as_vec3();
        let near = curve
            .windows(2)
            .map(|pair| {
                let way = pair[1] - pair[0];
                let t = ((point - pair[0]).dot(way) / way.length_squared()).clamp(0.0, 1.0);
                point.distance(pair[0] + way * t)
            })
            .fold(f32::INFINITY, f32::min);
        assert!(near < 1e-5, "{point}: {near}");
    }
}

#[test]
fn rotation_alone_turns_only_its_joint() {
    let mut rig = Rig::chain_a();
    let turn = Quat::from_rotation_y(1.0);
    let goals = [Goal { effector: Effector::Joint(4), rotation: Some(turn), ..Goal::default() }];
    let task = Task::new(&rig.chain, &goals);
    let report = rig.solve(&task, &Settings { start: Start::Animated, ..Settings::default() });
    assert_eq!(report.status, Status::Reached);
    for (i, (found, rest)) in rig.state.rotations().iter().zip(rig.chain.rest()).enumerate() {
        assert_eq!(found.angle_between(*rest) < 1e-3, i != 4, "{i}");
    }
}

#[test]
fn a_forearm_shares_the_twist_of_the_wrist() {
    let quarter = Quat::from_rotation_x(core::f32::consts::FRAC_PI_2);
    let mut rig = Rig::new(row(4, 0.3, 0.0, Limit::Free), Vec3::ZERO);
    let goals = [Goal::reach(Vec3::X * 0.9).turned(quarter)];
    let task = Task::new(&rig.chain, &goals);
    for (twist_joints, degrees) in [(0, [0.0, 0.0, 0.0, 90.0]), (2, [0.0, 30.0, 30.0, 30.0])] {
        let settings = Settings { twist_joints, ..Settings::default() };
        assert_eq!(rig.solve(&task, &settings).status, Status::Reached);
        for (q, expected) in rig.state.rotations().iter().zip(degrees) {
            let angle = 2.0 * q.x.atan2(q.w).to_degrees();
            assert!((angle - expected).abs() < 1e-3, "{twist_joints}: {angle} {expected}");
        }
    }
    // Neither places nor the goal rotation change in a bent arm.
    let turn = Quat::from_rotation_y(0.7) * quarter;
    let goals = [Goal::reach(Vec3::new(0.5, 0.4, 0.2)).turned(turn)];
    let task = Task::new(&rig.chain, &goals);
    let mut found = Vec::new();
    for twist_joints in [0, 3] {
        let settings = Settings { twist_joints, ..Settings::default() };
        assert_eq!(rig.solve(&task, &settings).status, Status::Reached);
        found.push(rig.places());
    }
    for (a, b) in found[0].iter().zip(&found[1]) {
        assert!(a.distance(*b) < 1e-6);
    }
}
