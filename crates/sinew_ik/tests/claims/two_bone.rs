//! Arms and legs in closed form (tests 8 to 14), as a job and through `solve`.

use sinew_ik::glam::{Quat, Vec3};
use sinew_ik::{
    Goal, Joint, Pole, Settings, Solver, Start, Status, Task, TwoBone, Unreachable, soft_distance,
    two_bone,
};

use crate::fixtures::{Random, Rig, with, within};

fn arm(upper: f32, lower: f32, target: Vec3, pole: Vec3) -> TwoBone {
    TwoBone {
        root: Vec3::ZERO,
        upper,
        lower,
        target,
        pole,
        fallback_bend: Vec3::Y,
        fallback_aim: Vec3::X,
    }
}

fn rig(upper: f32, lower: f32) -> Rig {
    Rig::new(vec![Joint::default(), Joint::at(Vec3::X * upper)], Vec3::X * lower)
}

#[track_caller]
fn near(a: Vec3, b: Vec3, slack: f32) {
    assert!(a.distance(b) <= slack, "{a} is not {b}");
}

#[test]
fn elbow_lies_in_the_plane_of_the_pole() {
    let target = Vec3::new(1.0, 1.0, 0.0);
    for (pole, middle) in
        [(Vec3::Z, Vec3::new(0.5, 0.5, core::f32::consts::FRAC_1_SQRT_2)), (Vec3::Y, Vec3::Y)]
    {
        let solution = two_bone(&arm(1.0, 1.0, target, pole));
        near(solution.middle, middle, 1e-6);
        near(solution.end, target, 1e-6);
        let mut rig = rig(1.0, 1.0);
        let goals = [Goal::reach(target)];
        let task = Task::new(&rig.chain, &goals).with_pole(Pole::at(pole));
        let report = rig.solve(&task, &Settings::default());
        assert_eq!((report.status, report.solver), (Status::Reached, Solver::TwoBone));
        near(rig.places()[1].as_vec3(), middle, 2e-6);
    }
}

#[test]
fn three_four_five() {
    let solution = two_bone(&arm(3.0, 4.0, Vec3::X * 5.0, Vec3::Y));
    near(solution.middle, Vec3::new(1.8, 2.4, 0.0), 1e-6);
    assert!(solution.reached);
}

#[test]
fn far_target_straightens_the_arm() {
    let target = Vec3::X * 3.0;
    let solution = two_bone(&arm(1.0, 1.0, target, Vec3::Y));
    near(solution.middle, Vec3::X, 1e-6);
    near(solution.end, Vec3::X * 2.0, 1e-6);
    assert!(!solution.reached);
    let mut rig = rig(1.0, 1.0);
    let report = rig.reach(target, &Settings::default());
    assert_eq!(report.status, Status::Unreachable);
    assert!((report.error - 1.0).abs() < 1e-6, "{}", report.error);
}

#[test]
fn target_at_the_root_folds_equal_bones() {
    let solution = two_bone(&arm(1.0, 1.0, Vec3::ZERO, Vec3::Y));
    near(solution.middle, Vec3::Y, 1e-6);
    near(solution.end, Vec3::ZERO, 1e-6);
    assert!(solution.reached);
}

#[test]
fn target_nearer_than_unequal_bones_allow() {
    let solution = two_bone(&arm(3.0, 1.0, Vec3::X, Vec3::Y));
    near(solution.middle, Vec3::X * 3.0, 1e-6);
    near(solution.end, Vec3::X * 2.0, 1e-6);
    assert!(!solution.reached);
    let mut rig = rig(3.0, 1.0);
    let report = rig.reach(Vec3::X, &Settings::default());
    assert_eq!(report.status, Status::Unreachable);
    assert!((report.error - 1.0).abs() < 4e-6, "{}", report.error);
}

#[test]
fn pole_on_the_line_falls_back() {
    let solution = two_bone(&arm(1.0, 1.0, Vec3::X, Vec3::X * 5.0));
    assert!(solution.middle.is_finite());
    assert!((solution.middle.length() - 1.0).abs() < 1e-6);
    assert!(solution.middle.y > 0.5, "the fallback bend is y");
}

#[test]
fn soft_reach_is_smooth_and_never_overshoots() {
    assert!((soft_distance(1.8, 2.0, 0.5) - 1.611_536_1).abs() < 1e-6);
    assert!((soft_distance(2.0, 2.0, 0.5) - 1.683_593_8).abs() < 1e-6);
    let step = 1e-3;
    let slope = (soft_distance(1.0 + step, 2.0, 0.5) - 1.0) / step;
    assert!((slope - 1.0).abs() < 1e-3, "{slope}");
    let mut before = 0.0;
    for k in 0..5_000 {
        let distance = k as f32 * 1e-3;
        let soft = soft_distance(distance, 2.0, 0.5);
        assert!(soft >= before && soft <= distance && soft < 2.0, "{distance}: {soft}");
        before = soft;
    }
}

#[test]
fn soft_policy_keeps_the_elbow_bent() {
    let mut rig = rig(1.0, 1.0);
    let settings = Settings { unreachable: Unreachable::Soft(0.5), ..Settings::default() };
    let report = rig.reach(Vec3::X * 1.8, &settings);
    assert!((rig.end().length() - 1.611_536_1).abs() < 1e-5);
    assert!((report.error - (1.8 - 1.611_536_1)).abs() < 1e-5);
    assert_eq!(report.status, Status::Unreachable);
    assert_eq!(rig.reach(Vec3::X * 0.9, &settings).status, Status::Reached);
}

#[test]
fn random_triangles_close() {
    let mut random = Random(7);
    for _ in 0..100_000 {
        let (upper, lower) = (random.between(0.1, 1.1), random.between(0.1, 1.1));
        let reach = random.between((upper - lower).abs(), upper + lower);
        let target = random.direction() * reach;
        let solution = two_bone(&arm(upper, lower, target, random.direction()));
        assert!((solution.middle.length() - upper).abs() < 1e-5);
        assert!((solution.middle.distance(solution.end) - lower).abs() < 1e-5);
        assert!(solution.end.distance(target) < 1e-5);
    }
}

#[test]
fn solved_arms_keep_their_lengths_and_arrive() {
    let mut random = Random(8);
    for _ in 0..2_000 {
        let (upper, lower) = (random.between(0.1, 1.1), random.between(0.1, 1.1));
        let mut rig = rig(upper, lower);
        let reach = random.between((upper - lower).abs(), upper + lower);
        let target = random.direction() * reach;
        let report = rig.reach(target, &with(Solver::TwoBone));
        assert!(rig.miss(target) < 1e-5, "{report:?}");
    }
}

/// IK-07: closed form and iterations agree on the same arm with the same pole.
#[test]
fn closed_form_and_iterations_agree() {
    let mut random = Random(9);
    for _ in 0..200 {
        let target = random.direction() * random.between(0.4, 1.7);
        let pole = random.direction() * 3.0;
        let sine = pole.normalize().cross(target.normalize()).length();
        if sine < 0.3 {
            continue;
        }
        let mut elbows = Vec::new();
        for solver in [Solver::TwoBone, Solver::Dls, Solver::Fabrik, Solver::Curl] {
            let mut rig = rig(1.0, 0.8);
            let goals = [Goal::reach(target)];
            let task = Task::new(&rig.chain, &goals).with_pole(Pole::at(pole));
            let settings = within(solver, 1e-6, 64);
            rig.solve(&task, &settings);
            elbows.push(rig.places()[1]);
        }
        for elbow in &elbows[1..] {
            assert!(elbow.distance(elbows[0]) < 1.8e-3, "{target} {pole} {elbows:?}");
        }
    }
}

/// IK-08: the elbow turns calmly when the target sweeps past the pole.
#[test]
fn elbow_does_not_flip_when_the_target_passes_the_pole() {
    for (miss, start) in [
        (0.1_f32, Start::Animated),
        (0.01, Start::Animated),
        (0.0, Start::Animated),
        (0.01, Start::Previous),
        (0.0, Start::Previous),
    ] {
        let mut rig = rig(1.0, 1.0);
        let settings = Settings { start, ..Settings::default() };
        let mut before: Option<Vec3> = None;
        for k in 0..=200 {
            let angle = core::f32::consts::PI * k as f32 / 200.0;
            let target = Vec3::new(angle.cos(), angle.sin(), 0.0) * 1.4;
            // Half way through, the target is within `miss` degrees of this.
            let pole = Quat::from_rotation_x(miss.to_radians()) * Vec3::Y * 2.0;
            let goals = [Goal::reach(target)];
            let task = Task::new(&rig.chain, &goals).with_pole(Pole::at(pole));
            let report = rig.solve(&task, &settings);
            assert_eq!(report.status, Status::Reached, "{k}");
            let elbow = rig.places()[1].as_vec3();
            if let Some(before) = before {
                let step = before.angle_between(elbow).to_degrees();
                assert!(step < 15.0, "{miss}°, step {k}: {step}°");
            }
            before = Some(elbow);
        }
    }
}
