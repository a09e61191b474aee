//! Whatever goes in, what comes out is finite, of unit length, within limits and no worse than the start (IK-05,
//! IK-10, IK-21; test 40 without Bevy).

use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use sinew_ik::glam::{Quat, Vec3};
use sinew_ik::{
    Chain, ChainError, ChainState, Convex, Goal, Invalid, Joint, Limit, Obstacle, Pole, Scratch,
    Settings, Solver, Start, Status, Task, Tolerance, Unreachable, solve,
};

use crate::fixtures::{Random, Rig, row};

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        // The same cases in every run, so that a change is judged by what it changed.
        rng_seed: proptest::test_runner::RngSeed::Fixed(20_261_130),
        cases,
        failure_persistence: Some(Box::new(FileFailurePersistence::Off)),
        ..ProptestConfig::default()
    }
}

const BAD: [f32; 6] = [f32::NAN, f32::INFINITY, f32::NEG_INFINITY, 1e38, 1e-40, -1e30];

/// A number that is bad now and then.
fn number(random: &mut Random, low: f32, high: f32, bad: f32) -> f32 {
    if random.unit() < bad {
        BAD[(random.unit() * 6.0) as usize % 6]
    } else {
        random.between(low, high)
    }
}

fn vector(random: &mut Random, size: f32, bad: f32) -> Vec3 {
    let mut pick = || number(random, -size, size, bad);
    Vec3::new(pick(), pick(), pick())
}

fn limit(random: &mut Random) -> Limit {
    let axis = [Vec3::X, Vec3::Z, random.direction()][(random.unit() * 3.0) as usize % 3];
    let (a, b) = (random.between(-7.0, 7.0), random.between(0.0, 3.0));
    let half_angles = core::array::from_fn(|_| random.between(0.0, 3.1));
    let up = random.direction();
    match (random.unit() * 9.0) as u32 {
        0 => Limit::Hinge { axis, min: a, max: a + b },
        1 => Limit::Cone { axis, half_angle: b },
        2 => Limit::Ellipse { axis, up, half_angles },
        3 => Limit::SwingTwist { axis, up, half_angles, twist: [-0.5 * b, 0.3 * b] },
        4 => Limit::PerAxis { min: Vec3::splat(-b), max: Vec3::new(b, 0.1, 2.0 * b) },
        5 => Limit::Fixed,
        _ => Limit::Free,
    }
}

fn joints(random: &mut Random, count: usize) -> Vec<Joint> {
    (0..count)
        .map(|_| {
            // Lengths over four decades, and none at all at times.
            let length =
                if random.unit() < 0.15 { 0.0 } else { 10_f32.powf(random.between(-3.0, 2.0)) };
            Joint {
                translation: random.direction() * length,
                rest: Quat::from_axis_angle(random.direction(), random.between(-3.0, 3.0)),
                scale: if random.unit() < 0.1 {
                    Vec3::new(1.0, 2.0, 0.5)
                } else {
                    Vec3::splat(random.between(0.2, 2.0))
                },
                limit: limit(random),
                stiffness: if random.unit() < 0.2 { random.unit() } else { 0.0 },
                max_rate: if random.unit() < 0.1 { 3.0 } else { f32::INFINITY },
                preferred: (random.unit() < 0.1).then(|| sinew_ik::Preferred {
                    rotation: Quat::from_rotation_x(random.between(-2.0, 2.0)),
                    strength: random.unit(),
                }),
                radius: random.between(0.0, 0.05),
            }
        })
        .collect()
}

fn settings(random: &mut Random, bad: f32) -> Settings {
    let solver = match (random.unit() * 9.0) as u32 {
        0 => Solver::TwoBone,
        1 => Solver::Dls,
        2 => Solver::Curl,
        3 => Solver::Fabrik,
        4 => Solver::Ccd,
        5 => Solver::CurlStep { step: number(random, -0.1, 0.1, bad), strict: false },
        6 => Solver::Spline,
        _ => Solver::Auto,
    };
    let amount = number(random, 0.0, 3.0, bad);
    Settings {
        solver,
        max_iterations: (random.unit() < 0.5).then(|| (random.unit() * 40.0) as u16),
        tolerance: Tolerance::Relative(number(random, 0.0, 1e-3, bad)),
        rotation_tolerance: number(random, 0.0, 0.1, bad),
        start: [Start::Animated, Start::Rest, Start::Previous][(random.unit() * 3.0) as usize % 3],
        unreachable: match (random.unit() * 5.0) as u32 {
            0 => Unreachable::Soft(amount),
            1 => Unreachable::Stretch(amount),
            2 => Unreachable::Abort,
            3 => Unreachable::DragRoot(amount),
            _ => Unreachable::Extend,
        },
        weight: number(random, -0.5, 1.5, bad),
        margin: number(random, 0.0, 0.1, bad),
        twist_joints: (random.unit() * 3.0) as u16,
    }
}

proptest! {
    #![proptest_config(config(6_000))]

    #[test]
    fn nothing_becomes_infinite(seed in any::<u64>(), count in 1..13_usize) {
        let mut random = Random(seed);
        let bad = if random.unit() < 0.5 { 0.0 } else { 0.05 };
        let description = joints(&mut random, count);
        let tip = random.direction() * if random.unit() < 0.3 { 0.0 } else { 0.2 };
        let chain = match Chain::new(&description, tip) {
            Ok(chain) => chain,
            Err(error) => {
                prop_assert_eq!(error, ChainError::NoLength);
                return Ok(());
            }
        };
        let (mut state, mut scratch) = (ChainState::at_rest(&chain), Scratch::new(&chain));
        for _ in 0..3 {
            let size = chain.length() * 1.3;
            let settings = settings(&mut random, bad);
            let mut goals: Vec<Goal> = Vec::new();
            for k in 0..(random.unit() * 3.5) as usize {
                let joint = (random.unit() * (count as f32 + 0.5)) as usize;
                let position = vector(&mut random, size, bad);
                let mut goal = if k == 0 { Goal::reach(position) } else { Goal::joint(joint, position) };
                if random.unit() < 0.3 {
                    let axis = vector(&mut random, 1.0, bad);
                    goal.rotation = Some(Quat::from_xyzw(axis.x, axis.y, axis.z, 0.3));
                }
                if random.unit() < 0.2 {
                    goal.position_weight = number(&mut random, -0.5, 1.5, bad);
                }
                goals.push(goal);
            }
            let base: Vec<Quat> = (0..count)
                .map(|_| {
                    let v = vector(&mut random, 1.0, 0.2 * bad);
                    let scale = [1.0, -1.0, 3.0, 0.0][(random.unit() * 4.0) as usize % 4];
                    let q = Quat::from_xyzw(v.x, v.y, v.z, 0.5);
                    if scale == 1.0 { q.normalize() } else { q * scale }
                })
                .collect();
            let obstacles = [
                Obstacle::sphere(vector(&mut random, size, 0.0), size * 0.1),
                Obstacle::new(Convex::Cuboid { half_extents: Vec3::splat(size * 0.1), radius: 0.0 },
                    vector(&mut random, size, bad)),
            ];
            let curve = [vector(&mut random, size, 0.0), vector(&mut random, size, bad)];
            let mut task = Task::new(&chain, &goals).with_curve(&curve);
            if random.unit() < 0.5 { task = task.with_base(&base); }
            if random.unit() < 0.3 { task = task.with_obstacles(&obstacles); }
            if random.unit() < 0.3 { task = task.with_pole(Pole::at(vector(&mut random, size, bad))); }
            task.dt = number(&mut random, 0.0, 0.1, bad);
            let report = solve(&chain, &task, &settings, &mut state, &mut scratch);
            for (i, q) in state.rotations().iter().enumerate() {
                prop_assert!(q.is_finite(), "{i} {report:?}");
                prop_assert!((q.length() - 1.0).abs() < 1e-4, "{i} {q} {report:?}");
            }
            let plain = settings.weight >= 1.0 && settings.unreachable != Unreachable::Abort;
            if plain && !matches!(report.status, Status::Invalid(_) | Status::Idle) {
                for (i, joint) in description.iter().enumerate() {
                    if joint.stiffness < 1.0 && joint.max_rate.is_infinite() {
                        let relative = chain.rest()[i].conjugate() * state.rotations()[i];
                        let kept = chain.limits()[i].clamp(relative).rotation;
                        let off = (kept - relative).length().min((kept + relative).length());
                        prop_assert!(off < 5e-4, "{i} {:?} {off} {report:?}", chain.limits()[i]);
                    }
                }
            }
            prop_assert!(report.error.is_finite() && report.rotation_error.is_finite());
            prop_assert!(report.stretch.is_finite() && report.root_shift.is_finite());
            prop_assert!(report.iterations <= 200, "{report:?}");
        }
    }
}

/// IK-05 on free chains: the cap holds and nothing gets worse.
#[test]
fn a_hundred_thousand_chains_end_within_their_cap() {
    let mut random = Random(5);
    let mut scratch = Scratch::default();
    for _ in 0..100_000 {
        let count = 2 + (random.unit() * 11.0) as usize;
        let lengths: Vec<f32> =
            (0..count).map(|_| 10_f32.powf(random.between(-3.0, 1.0))).collect();
        let chain = Chain::straight(random.direction(), &lengths).expect("a good chain");
        let mut state = ChainState::at_rest(&chain);
        let mut target = random.direction() * chain.length() * random.between(0.0, 1.5);
        if random.unit() < 0.02 {
            target.y = BAD[(random.unit() * 6.0) as usize % 6];
        }
        let goals = [Goal::reach(target)];
        let task = Task::new(&chain, &goals);
        let report = solve(&chain, &task, &Settings::default(), &mut state, &mut scratch);
        let mut places = vec![Vec3::ZERO; count + 1];
        chain.positions(Vec3::ZERO, chain.rest(), &mut places);
        let start = places[count].distance(target);
        if target.is_finite() {
            assert!(report.iterations <= 16, "{report:?}");
            assert!(
                report.error <= start * (1.0 + 1e-5) + 1e-5 * chain.length(),
                "{start} {report:?}"
            );
        } else {
            assert_eq!(report.status, Status::Invalid(Invalid::NonFinite));
        }
        assert!(state.rotations().iter().all(|q| q.is_finite()));
    }
}

#[test]
fn refused_input_restores_the_base_pose() {
    let mut rig = Rig::chain_a();
    rig.reach(Vec3::new(0.3, 0.3, 0.1), &Settings::default());
    let base = [Quat::from_rotation_x(0.2); 9];
    for target in [Vec3::NAN, Vec3::INFINITY, Vec3::new(0.0, f32::NEG_INFINITY, 0.0)] {
        let goals = [Goal::reach(target)];
        let task = Task::new(&rig.chain, &goals).with_base(&base);
        let report = rig.solve(&task, &Settings::default());
        assert_eq!(report.status, Status::Invalid(Invalid::NonFinite));
        assert_eq!(rig.state.rotations(), base);
    }
    // A base that is bad itself leaves what was good last.
    let mut broken = base;
    broken[3] = Quat::from_xyzw(f32::NAN, 0.0, 0.0, 1.0);
    let goals = [Goal::reach(Vec3::Y)];
    let task = Task::new(&rig.chain, &goals).with_base(&broken);
    let report = rig.solve(&task, &Settings::default());
    assert_eq!(report.status, Status::Invalid(Invalid::NonFinite));
    assert_eq!(rig.state.rotations(), base);
    let task = Task::new(&rig.chain, &goals).with_base(&base[..4]);
    let report = rig.solve(&task, &Settings::default());
    assert_eq!(report.status, Status::Invalid(Invalid::WrongLength));
    let goals = [Goal::joint(9, Vec3::Y)];
    let report = rig.solve(&Task::new(&rig.chain, &goals), &Settings::default());
    assert_eq!(report.status, Status::Invalid(Invalid::NoSuchJoint));
    let settings = Settings { solver: Solver::TwoBone, ..Settings::default() };
    let goals = [Goal::reach(Vec3::Y)];
    let report = rig.solve(&Task::new(&rig.chain, &goals), &settings);
    assert_eq!(report.status, Status::Invalid(Invalid::NotTwoBones));
    let settings = Settings { solver: Solver::Spline, ..Settings::default() };
    let report = rig.solve(&Task::new(&rig.chain, &goals), &settings);
    assert_eq!(report.status, Status::Invalid(Invalid::NoCurve));
}

#[test]
fn chains_that_are_none_are_refused_with_a_reason() {
    assert_eq!(Chain::new(&[], Vec3::X), Err(ChainError::NoJoints));
    let one = Joint::default();
    assert_eq!(Chain::new(&[one; 3], Vec3::ZERO), Err(ChainError::NoLength));
    let flat = Joint { scale: Vec3::ZERO, ..one };
    assert_eq!(Chain::new(&[flat], Vec3::X), Err(ChainError::NoLength));
    assert_eq!(Chain::new(&[one], Vec3::NAN), Err(ChainError::BadTip));
    let bad = |joint| Chain::new(&[one, joint], Vec3::X).expect_err("refused");
    assert_eq!(bad(Joint::at(Vec3::INFINITY)), ChainError::BadTransform { joint: 1 });
    let zero = Joint { rest: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..one };
    assert_eq!(bad(zero), ChainError::BadTransform { joint: 1 });
    let stiff = Joint { stiffness: 1.5, ..one };
    assert_eq!(bad(stiff), ChainError::Stiffness { joint: 1, stiffness: 1.5 });
    let thick = Joint { radius: -1.0, ..one };
    assert!(matches!(bad(thick), ChainError::Negative { joint: 1, what: "radius", .. }));
    let limit = Limit::Cone { axis: Vec3::ZERO, half_angle: 1.0 };
    assert!(matches!(bad(one.with_limit(limit)), ChainError::Limit { joint: 1, .. }));
}

/// IK-10: bones without length at the start, in the middle and at the end.
#[test]
fn bones_without_length_do_no_harm() {
    for zeros in [vec![1], vec![3], vec![1, 2], vec![3, 4], vec![1, 3, 5]] {
        for solver in [Solver::Auto, Solver::Dls, Solver::Fabrik, Solver::Ccd, Solver::Curl] {
            let mut joints = row(6, 0.2, 0.3, Limit::Free);
            for &k in &zeros {
                joints[k].translation = Vec3::ZERO;
            }
            let mut rig = Rig::new(joints, Vec3::ZERO);
            let target = Vec3::new(0.2, 0.1, 0.1);
            let report = rig.reach(target, &Settings { solver, ..Settings::default() });
            assert_eq!(report.status, Status::Reached, "{zeros:?} {solver:?} {report:?}");
            assert!(rig.miss(target) < 1e-4);
        }
    }
}

#[test]
fn poles_in_useless_places_do_no_harm() {
    let target = Vec3::new(0.4, 0.1, 0.0);
    for pole in [Vec3::ZERO, target, target * 0.5, target * -2.0] {
        for mut rig in [Rig::chain_a(), Rig::new(row(2, 0.3, 0.0, Limit::Free), Vec3::X * 0.3)] {
            let goals = [Goal::reach(target)];
            let task = Task::new(&rig.chain, &goals).with_pole(Pole::at(pole));
            assert_eq!(rig.solve(&task, &Settings::default()).status, Status::Reached);
        }
    }
}

#[test]
fn threads_and_shared_scratch_do_not_change_a_bit() {
    let mut random = Random(41);
    let work: Vec<(Chain, Vec3)> = (0..200)
        .map(|_| {
            let count = 2 + (random.unit() * 20.0) as usize;
            let lengths: Vec<f32> = (0..count).map(|_| random.between(0.05, 0.4)).collect();
            let chain = Chain::straight(random.direction(), &lengths).expect("a good chain");
            let target = random.direction() * chain.length() * random.between(0.1, 1.1);
            (chain, target)
        })
        .collect();
    let run = |part: &[(Chain, Vec3)]| -> Vec<Quat> {
        // One scratch for chains of all lengths.
        let mut scratch = Scratch::default();
        let mut out = Vec::new();
        for (chain, target) in part {
            let mut state = ChainState::at_rest(chain);
            let goals = [Goal::reach(*target)];
            for _ in 0..3 {
                solve(
                    chain,
                    &Task::new(chain, &goals),
                    &Settings::default(),
                    &mut state,
                    &mut scratch,
                );
            }
            out.extend_from_slice(state.rotations());
        }
        out
    };
    let serial = run(&work);
    for threads in [2, 8] {
        let parts = work.chunks(work.len().div_ceil(threads));
        let parallel: Vec<Quat> = std::thread::scope(|scope| {
            let handles: Vec<_> = parts.map(|part| scope.spawn(|| run(part))).collect();
            handles.into_iter().flat_map(|handle| handle.join().expect("a result")).collect()
        });
        assert_eq!(serial, parallel);
    }
}

#[test]
fn a_saved_state_goes_on_with_the_same_bits() {
    let mut rig = Rig::chain_a();
    let settings = Settings { start: Start::Previous, ..Settings::default() };
    let target =
        |k: usize| Vec3::new(0.4, 0.3 * (k as f32 * 0.1).cos(), 0.3 * (k as f32 * 0.1).sin());
    let mut saved = None;
    let mut after = Vec::new();
    for k in 0..40 {
        if k == 20 {
            saved = Some(rig.state.clone());
        }
        let goals = [Goal::reach(target(k))];
        let task = Task::new(&rig.chain, &goals).with_pole(Pole::at(Vec3::Y));
        rig.solve(&task, &settings);
        if k >= 20 {
            after.push(rig.state.clone());
        }
    }
    rig.state = saved.expect("saved");
    rig.scratch = Scratch::default();
    for (k, expected) in (20..40).zip(after) {
        let goals = [Goal::reach(target(k))];
        let task = Task::new(&rig.chain, &goals).with_pole(Pole::at(Vec3::Y));
        rig.solve(&task, &settings);
        assert_eq!(rig.state, expected);
    }
}

/// The bits of many solves, pinned: a change of this number is a change of results. Debug and release agree.
#[test]
fn results_are_the_same_bits_as_ever() {
    let mut random = Random(2_026);
    let mut hash = 0xCBF2_9CE4_8422_2325_u64;
    for k in 0..400 {
        let limit =
            if k % 2 == 0 { Limit::Free } else { Limit::Cone { axis: Vec3::X, half_angle: 0.6 } };
        let mut rig = Rig::new(row(3 + k % 9, 0.2, 0.1, limit), Vec3::X * 0.2);
        let target = random.direction() * rig.chain.length() * random.between(0.1, 1.1);
        let solver = [Solver::Auto, Solver::Curl, Solver::Fabrik, Solver::Ccd][k / 2 % 4];
        rig.reach(target, &Settings { solver, ..Settings::default() });
        for value in rig.state.rotations().iter().flat_map(|q| q.to_array()) {
            // FNV-1a, four bytes at a time.
            hash = (hash ^ u64::from(value.to_bits())).wrapping_mul(0x0100_0000_01B3);
        }
    }
    assert_eq!(hash, GOLDEN, "{hash:#018x}");
}

const GOLDEN: u64 = 0x8cff_8f5b_670c_aa17;
