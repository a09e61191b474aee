//! The 2007 thesis on elephants' trunks (tests 1 to 7).

use sinew_ik::glam::{Quat, Vec3};
use sinew_ik::{
    Chain, ChainState, Gait, GaitError, Goal, Obstacle, Scratch, Settings, Solver, Taper, Task,
    Tolerance, WrapError, WrapPlan, WrapTurn, bend_normal, nlerp, solve, strict_signs, trunk_2007,
    wrap_points,
};

#[test]
fn trunk_tapers_to_a_fifth() {
    let taper = Taper::default();
    assert!((taper.width_at(10) - 0.447_213_6).abs() < 1e-6);
    assert!((taper.width_at(20) - 0.2).abs() < 1e-6);
    for i in 0..20 {
        assert!((taper.width_at(i + 1) / taper.width_at(i) - 0.922_680_8).abs() < 1e-6);
    }
    assert!((taper.bone_length(0) - 0.5).abs() < 1e-6);
    assert!((taper.bone_length(19) - 0.108_379_8).abs() < 1e-6);
    assert!((taper.length() - 5.173_362).abs() < 1e-5);
    let chain = taper.chain(Vec3::NEG_Y).expect("a good chain");
    assert_eq!(chain.len(), 20);
    assert!((chain.length() - 5.173_362).abs() < 1e-5);
}

#[test]
fn preset_has_the_points_of_the_thesis() {
    let points = trunk_2007(Vec3::ZERO, 1.0);
    let expected = [(3.201_562, 128.659_8), (2.1, 270.0), (1.868_154, 344.475_9)];
    for (point, (radius, angle)) in points.iter().zip(expected) {
        assert!((point.length() - radius).abs() < 1e-5 && point.y == 0.0);
        let found = point.z.atan2(point.x).to_degrees().rem_euclid(360.0);
        assert!((found - angle).abs() < 1e-3, "{found}");
    }
    let centre = Vec3::new(4.0, -2.0, 1.0);
    for (small, point) in trunk_2007(centre, 0.3).iter().zip(points) {
        assert!(small.distance(centre + point * 0.3) < 1e-6);
    }
}

#[test]
fn preset_penetrates_and_is_refused() {
    let points = trunk_2007(Vec3::ZERO, 1.0);
    let ball = Obstacle::sphere(Vec3::ZERO, 1.0);
    let least = ball.proximity(points[0], points[1]).distance + 1.0;
    assert!((least - 0.837_325).abs() < 1e-5, "{least}");
    let chain = Taper::default().chain(Vec3::NEG_Y).expect("a good chain");
    match WrapPlan::new(&chain, &points, &ball, 0.0) {
        Err(WrapError::Penetrates { segment: 0, depth }) => {
            assert!((depth - 0.162_7).abs() < 1e-4, "{depth}");
        }
        other => panic!("{other:?}"),
    }
}

#[test]
fn fixed_ranges_only_reach_around_small_food() {
    let chain = Taper::default().chain(Vec3::NEG_Y).expect("a good chain");
    let plan =
        |radius| WrapPlan::with_places(&chain, &trunk_2007(Vec3::ZERO, radius), &[14, 17, 20]);
    assert!(plan(0.0896).is_ok());
    let refused = plan(0.0897);
    assert!(matches!(refused, Err(WrapError::OutOfReach { point: 1, .. })), "{refused:?}");
}

#[test]
fn normal_and_signs_are_those_of_the_thesis() {
    let normal = bend_normal(Vec3::ZERO, Vec3::X, Vec3::Y);
    assert_eq!((normal, strict_signs(normal)), (Vec3::Z, (1.0, 0.0)));
    for (x, y, pitch) in [(1.0, -1.0, 1.0), (-1.0, 1.0, 1.0), (1.0, 1.0, -1.0), (-1.0, -1.0, -1.0)]
    {
        assert_eq!(strict_signs(Vec3::new(x, y, -2.0)), (-1.0, pitch));
    }
}

fn step_errors(step_degrees: f32, strict: bool, passes: u16) -> (Vec<f32>, ChainState, Chain) {
    let chain = Taper::default().chain(Vec3::NEG_Y).expect("a good chain");
    let mut scratch = Scratch::new(&chain);
    let mut state = ChainState::at_rest(&chain);
    let goals = [Goal::reach(Vec3::new(1.5, -2.5, 1.0))];
    let task = Task::new(&chain, &goals);
    let mut errors = Vec::new();
    for count in 1..=passes {
        let settings = Settings {
            solver: Solver::CurlStep { step: step_degrees.to_radians(), strict },
            max_iterations: Some(count),
            tolerance: Tolerance::Relative(1e-6),
            ..Settings::default()
        };
        let report = solve(&chain, &task, &settings, &mut state, &mut scratch);
        errors.push(report.error / chain.length());
    }
    (errors, state, chain)
}

#[test]
fn clamped_steps_arrive() {
    let (errors, ..) = step_errors(0.1, false, 30);
    let first = errors.iter().position(|&e| e < 1e-3).expect("arrives") + 1;
    eprintln!("clamped thesis steps of 0.1°: {first} passes to 1e-3");
    assert!(first <= 20, "{first}");
    for pair in errors[errors.len() - 11..].windows(2) {
        assert!(pair[1] <= pair[0] + 1e-7, "{errors:?}");
    }
}

#[test]
fn strict_steps_chatter_and_leave_the_root_alone() {
    let (errors, state, chain) = step_errors(0.1, true, 200);
    assert_eq!(state.rotations()[0], chain.rest()[0]);
    let settled = &errors[150..];
    assert!(settled.iter().all(|&e| e > 1e-3), "it would have arrived: {settled:?}");
    // Steps of a fixed size overshoot: the error goes up and down for ever.
    let rises = |up: bool| settled.windows(2).any(|pair| (pair[1] > pair[0]) == up);
    assert!(rises(true) && rises(false), "{settled:?}");
}

#[test]
fn key_poses_blend_the_short_way() {
    let quarter = Quat::from_rotation_z(core::f32::consts::FRAC_PI_2);
    for (t, degrees) in [(0.25, 21.598_161), (0.5, 45.0), (0.75, 68.401_84)] {
        for end in [quarter, -quarter] {
            let q = nlerp(Quat::IDENTITY, end, t);
            let angle = 2.0 * q.z.atan2(q.w).to_degrees();
            assert!((angle - degrees).abs() < 1e-4, "{t}: {angle}");
        }
    }
}

#[test]
fn a_gait_goes_round() {
    let (a, b) = ([Quat::IDENTITY; 3], [Quat::from_rotation_x(1.0); 3]);
    let gait = Gait::new(&[(&a, 0.5), (&b, 0.25)]).expect("a good gait");
    let mut out = [Quat::IDENTITY; 3];
    for (time, angle) in [(0.0, 0.0), (0.25, 0.5), (0.5, 1.0), (0.625, 0.5), (0.75 * 3.0, 0.0)] {
        gait.sample(time, &mut out);
        let found = 2.0 * out[1].x.atan2(out[1].w);
        assert!((found - angle).abs() < 1e-5, "{time}: {found}");
    }
    assert_eq!(Gait::new(&[]), Err(GaitError::Empty));
    assert_eq!(Gait::new(&[(&a, 0.5), (&b[..2], 0.5)]), Err(GaitError::WrongLength(1)));
    assert_eq!(Gait::new(&[(&a, 0.0)]), Err(GaitError::BadDuration(0)));
}

#[test]
fn points_in_a_closing_turn_are_reached_by_parts_of_the_trunk() {
    let chain = Taper::default().chain(Vec3::NEG_Y).expect("a good chain");
    let food = Obstacle::sphere(Vec3::new(0.6, -3.0, 0.3), 0.25);
    let turn = WrapTurn { offset: 0.12, approach: Vec3::X, ..WrapTurn::default() };
    let mut points = [Vec3::ZERO; 5];
    wrap_points(&food, &turn, &mut points);
    for (k, point) in points.iter().enumerate() {
        let expected = 0.37 * (1.0 + 0.3 * (-0.7 * k as f32).exp());
        assert!((point.distance(food.position) - expected).abs() < 1e-5);
    }
    let plan = WrapPlan::new(&chain, &points, &food, 0.0).expect("a clear way");
    assert_eq!(*plan.places.last().expect("a place"), 20);
    let mut rotations = chain.rest().to_vec();
    let mut scratch = Scratch::new(&chain);
    let worst = plan.solve(&chain, Vec3::ZERO, &mut rotations, &mut scratch);
    assert!(worst < 1e-3 * chain.length(), "{worst}");
    let mut places = [Vec3::ZERO; 21];
    chain.positions(Vec3::ZERO, &rotations, &mut places);
    for (&place, &point) in plan.places.iter().zip(&plan.points) {
        assert!(places[place].distance(point) < 1e-3 * chain.length());
    }
}
