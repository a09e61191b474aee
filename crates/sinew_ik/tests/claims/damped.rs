//! Damped least squares and coordinate descent (tests 20 to 23, 27): the counts of the FABRIK paper's problem.

use sinew_ik::glam::{Quat, Vec3};
use sinew_ik::{Goal, Joint, Limit, Settings, Solver, Start, Status, Task};

use crate::fixtures::{Random, Rig, paper_targets, row, statistics, with, within};

#[test]
fn one_sweep_of_one_joint_points_at_the_target() {
    let mut rig = Rig::new(vec![Joint::default()], Vec3::X);
    let report = rig.reach(Vec3::Y * 2.0, &within(Solver::Ccd, 1e-4, 1));
    assert!((report.error - 1.0).abs() < 1e-6);
    assert!(rig.end().as_vec3().distance(Vec3::Y) < 1e-6);
    let quarter = Quat::from_rotation_z(core::f32::consts::FRAC_PI_2);
    assert!(rig.state.rotations()[0].angle_between(quarter) < 1e-3);
}

#[test]
fn a_sweep_updates_each_joint_once() {
    let mut rig = Rig::chain_a();
    let report = rig.reach(Vec3::new(0.1, 0.2, 0.3), &within(Solver::Ccd, 1e-6, 1));
    assert_eq!((report.iterations, report.joint_updates), (1, 9));
}

/// Test 22 in closed form: with the effector's lever r = x, Δ = y·cut and damping λ, ω = z·cut / (1 + λ²). An
/// iteration's error step is cut at 0.3 and Cayley's map turns by 2 atan(ω / 2).
#[test]
fn one_damped_step_of_one_joint() {
    // A second joint that refuses to move keeps the closed form of a single bone out of it.
    let stiff = Joint { stiffness: 1.0, ..Joint::at(Vec3::X * 0.5) };
    let mut rig = Rig::new(vec![Joint::default(), stiff], Vec3::X * 0.5);
    let report = rig.reach(Vec3::Y, &within(Solver::Dls, 1e-4, 1));
    let step = 0.3 * (Vec3::Y - Vec3::X).normalize();
    let omega = step.y / (1.0 + 0.05 * 0.05);
    let angle = 2.0 * (0.5 * omega).atan();
    let end = rig.end().as_vec3();
    assert!(end.distance(Vec3::new(angle.cos(), angle.sin(), 0.0)) < 2e-6, "{end} {report:?}");
}

#[test]
fn paper_problem_takes_about_five_iterations() {
    // 1e-6 m on 0.9 m, then 0.1 mm, then a ten-thousandth of the length.
    for (tolerance, mean_at_most, most) in
        [(1e-6 / 0.9, 6.5, 10), (1e-4 / 0.9, 5.5, 16), (1e-4, 5.5, 16)]
    {
        let mut rig = Rig::chain_a();
        let mut counts = Vec::new();
        for target in paper_targets(1_000) {
            let report = rig.reach(target, &within(Solver::Auto, tolerance, 16));
            assert_eq!((report.status, report.solver), (Status::Reached, Solver::Dls), "{target}");
            assert!(rig.miss(target) < f64::from(tolerance) * 0.9 + 3e-7);
            counts.push(report.iterations);
        }
        let (mean, median, p95, max) = statistics(counts);
        eprintln!("dls {tolerance:.1e}: mean {mean} median {median} p95 {p95} max {max}");
        assert!(mean <= mean_at_most && max <= most, "{mean} {max}");
    }
}

#[test]
fn fabrik_and_ccd_on_the_paper_problem() {
    for (solver, tolerance, cap, mean_at_most) in
        [(Solver::Fabrik, 1e-6_f32, 200, 25.0), (Solver::Ccd, 1e-3, 2_000, 60.0)]
    {
        let mut rig = Rig::chain_a();
        let mut counts = Vec::new();
        for target in paper_targets(1_000) {
            let report = rig.reach(target, &within(solver, tolerance / 0.9, cap));
            // From places to rotations rounding adds a little.
            assert!(report.error <= tolerance + 2e-7, "{solver:?} {target} {report:?}");
            counts.push(report.iterations);
        }
        let (mean, median, p95, max) = statistics(counts);
        eprintln!("{solver:?} {tolerance:.1e}: mean {mean} median {median} p95 {p95} max {max}");
        assert!(mean <= mean_at_most, "{mean}");
    }
}

#[test]
fn cones_of_45_degrees_do_not_keep_feasible_targets_away() {
    let half_angle = 45_f32.to_radians();
    let limit = Limit::Cone { axis: Vec3::X, half_angle };
    let mut rig = Rig::new(row(9, 0.1, 0.0, limit), Vec3::X * 0.1);
    let mut random = Random(29);
    let (mut reached, mut counts) = (0, Vec::new());
    for _ in 0..1_000 {
        // Feasible by construction: the end of a random pose inside of all cones.
        let pose: Vec<Quat> = (0..9)
            .map(|_| {
                let axis = Vec3::X.cross(random.direction()).normalize_or(Vec3::Y);
                Quat::from_axis_angle(axis, random.between(0.0, half_angle))
                    * Quat::from_rotation_x(random.between(-3.0, 3.0))
            })
            .collect();
        let target = crate::fixtures::places(&rig.joints, rig.tip, &pose)[9].as_vec3();
        let report = rig.reach(target, &within(Solver::Auto, 1e-4 / 0.9, 16));
        reached += u32::from(report.reached());
        counts.push(report.iterations);
        for q in rig.state.rotations() {
            let swing = (*q * Vec3::X).angle_between(Vec3::X);
            assert!(swing <= half_angle + 1e-4, "{}°", swing.to_degrees());
        }
    }
    let (mean, median, p95, max) = statistics(counts);
    eprintln!("cone: {reached} reached, mean {mean} median {median} p95 {p95} max {max}");
    assert!(reached >= 999, "{reached}");
}

#[test]
fn stiff_joints_keep_their_rotation_bit_for_bit() {
    let mut joints = row(9, 0.1, 0.2, Limit::Free);
    joints[4].stiffness = 1.0;
    joints[6].limit = Limit::Fixed;
    let mut rig = Rig::new(joints, Vec3::X * 0.1);
    for solver in [Solver::Auto, Solver::Fabrik, Solver::Ccd] {
        let report = rig.reach(Vec3::new(0.1, 0.4, 0.2), &with(solver));
        assert_eq!(report.status, Status::Reached, "{solver:?}: {report:?}");
        for k in [4, 6] {
            assert_eq!(rig.state.rotations()[k], rig.chain.rest()[k], "{solver:?}");
        }
        assert_ne!(rig.state.rotations()[3], rig.chain.rest()[3]);
    }
}

#[test]
fn half_stiff_chains_still_reach() {
    let mut joints = row(9, 0.1, 0.2, Limit::Free);
    joints.iter_mut().for_each(|joint| joint.stiffness = 0.5);
    let mut rig = Rig::new(joints, Vec3::X * 0.1);
    let report = rig.reach(Vec3::new(0.1, 0.4, 0.2), &Settings::default());
    assert_eq!(report.status, Status::Reached, "{report:?}");
}

#[test]
fn preferred_rotations_win_where_the_goal_leaves_the_choice() {
    let wish = Quat::from_rotation_y(0.8);
    let target = Vec3::new(0.5, 0.3, 0.1);
    let far = |strength: f32| {
        let mut joints = row(9, 0.1, 0.2, Limit::Free);
        joints[5].preferred = Some(sinew_ik::Preferred { rotation: wish, strength });
        let mut rig = Rig::new(joints, Vec3::X * 0.1);
        let report = rig.reach(target, &Settings::default());
        assert_eq!(report.status, Status::Reached, "{report:?}");
        rig.state.rotations()[5].angle_between(wish)
    };
    let (without, with) = (far(0.0), far(0.5));
    assert!(with < 0.5 * without, "{with} is not well below {without}");
}

#[test]
fn warm_tracking_takes_one_iteration_a_frame() {
    let mut rig = Rig::chain_a();
    let settings = Settings { start: Start::Previous, ..Settings::default() };
    let mut counts = Vec::new();
    for k in 0..600 {
        let angle = k as f32 * 0.01;
        let goals = [Goal::reach(Vec3::new(0.5, 0.25 * angle.cos(), 0.25 * angle.sin()))];
        let task = Task::new(&rig.chain, &goals);
        let report = rig.solve(&task, &settings);
        assert_eq!(report.status, Status::Reached);
        if k > 0 {
            counts.push(report.iterations);
        }
    }
    let (mean, .., max) = statistics(counts);
    assert!(mean <= 1.01 && max <= 2, "{mean} {max}");
}

/// A random pose within limits; its end is a feasible target.
fn feasible(rig: &Rig, random: &mut Random) -> Vec3 {
    let pose: Vec<Quat> = rig
        .joints
        .iter()
        .zip(rig.chain.limits())
        .map(|(joint, limit)| {
            let any = match *limit {
                Limit::Hinge { axis, min, max } => {
                    Quat::from_axis_angle(axis, random.between(min, max))
                }
                _ => Quat::from_axis_angle(random.direction(), random.between(0.0, 1.5)),
            };
            joint.rest * limit.clamp(any).rotation
        })
        .collect();
    let places = crate::fixtures::places(&rig.joints, rig.tip, &pose);
    places.last().expect("a tip").as_vec3()
}

#[test]
fn other_limits_do_not_keep_feasible_targets_away() {
    let (x, y) = (Vec3::X, Vec3::Y);
    let half_angles = [0.9, 0.5, 0.3, 0.7];
    let hinges = |i: usize| Limit::Hinge { axis: Vec3::AXES[1 + i % 2], min: -1.2, max: 1.2 };
    let kinds: [(&str, Box<dyn Fn(usize) -> Limit>, u32); 4] = [
        ("hinges in turn", Box::new(hinges), 950),
        ("ellipse", Box::new(move |_| Limit::Ellipse { axis: x, up: y, half_angles }), 990),
        (
            "swing and twist",
            Box::new(move |_| Limit::SwingTwist {
                axis: x,
                up: y,
                half_angles,
                twist: [-0.3, 0.3],
            }),
            980,
        ),
        (
            "per axis",
            Box::new(|_| Limit::PerAxis { min: Vec3::splat(-0.6), max: Vec3::new(0.3, 0.5, 0.7) }),
            980,
        ),
    ];
    for (name, limit, least) in kinds {
        let joints = row(9, 0.1, 0.0, Limit::Free)
            .into_iter()
            .enumerate()
            .map(|(i, joint)| joint.with_limit(limit(i)))
            .collect();
        let mut rig = Rig::new(joints, Vec3::X * 0.1);
        let mut random = Random(30);
        let (mut reached, mut counts) = (0, Vec::new());
        for _ in 0..1_000 {
            let target = feasible(&rig, &mut random);
            let report = rig.reach(target, &within(Solver::Auto, 1e-4, 32));
            reached += u32::from(report.reached());
            counts.push(report.iterations);
            for ((q, joint), limit) in
                rig.state.rotations().iter().zip(&rig.joints).zip(rig.chain.limits())
            {
                let relative = (joint.rest.conjugate() * *q).normalize();
                let excess = limit.clamp(relative).rotation.dot(relative).abs();
                // 1e-4 rad off is a cosine of 1 − 1.25e-9 of the half: below rounding.
                assert!(excess > 1.0 - 3e-7, "{name}: {report:?}");
            }
        }
        let (mean, median, p95, max) = statistics(counts);
        eprintln!("{name}: {reached} reached, mean {mean} median {median} p95 {p95} max {max}");
        assert!(reached >= least, "{name}: {reached}");
    }
}

#[test]
fn no_solver_leaves_a_cone() {
    let half_angle = 30_f32.to_radians();
    let limit = Limit::Cone { axis: Vec3::X, half_angle };
    let mut random = Random(31);
    for solver in [Solver::Auto, Solver::Ccd, Solver::Fabrik, Solver::Curl] {
        for _ in 0..300 {
            let mut rig = Rig::new(row(6, 0.15, 0.0, limit), Vec3::X * 0.15);
            let target = random.direction() * random.between(0.0, 1.2);
            rig.reach(target, &with(solver));
            for q in rig.state.rotations() {
                let swing = (*q * Vec3::X).angle_between(Vec3::X);
                assert!(swing <= half_angle + 1e-4, "{solver:?}: {swing}");
            }
        }
    }
}

#[test]
fn tracking_is_smoother_than_with_fabrik() {
    let largest_step = |solver: Solver| {
        let mut rig = Rig::chain_a();
        let settings = Settings { start: Start::Previous, ..with(solver) };
        let (mut worst, mut before) = (0.0_f32, Vec::<Quat>::new());
        for k in 0..400 {
            let t = k as f32 / 60.0;
            let target =
                Vec3::new(0.45 + 0.2 * (1.3 * t).sin(), 0.25 * t.cos(), 0.3 * (1.7 * t).sin());
            let goals = [Goal::reach(target)];
            let task = Task::new(&rig.chain, &goals);
            assert!(rig.solve(&task, &settings).reached());
            // The first second finds the way in.
            if k > 60 {
                for (a, b) in before.iter().zip(rig.state.rotations()) {
                    worst = worst.max(2.0 * (*a * b.conjugate()).xyz().length().asin());
                }
            }
            before = rig.state.rotations().to_vec();
        }
        worst.to_degrees()
    };
    let (ours, fabrik) = (largest_step(Solver::Auto), largest_step(Solver::Fabrik));
    eprintln!("largest joint step while tracking: {ours}° against {fabrik}° of FABRIK");
    assert!(ours <= 0.5 * fabrik, "{ours} {fabrik}");
}
