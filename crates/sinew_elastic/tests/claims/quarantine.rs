//! SB-33 and bad input: what is not finite, or makes no sense, ends in a defined result.

use glam::{DVec3, Quat, Vec3};
use sinew_elastic::{
    Anchor, BodyState, Control, ElasticShape, ExampleBasis, ExampleError, ExamplePose, Groups,
    Material, Method, RigidPose, Scratch, ShapeError, StepInput,
};

use crate::fixtures::{Pair, Random, Rig, block_nodes, cuboid, lattice, shape_error, twist};

const DT: f32 = 1.0 / 60.0;

/// A body that has moved away from where it began, and its mass centre.
fn moving(pair: &Pair) -> (Rig<'_>, DVec3) {
    let mut rig = Rig::new(&pair.shape, None);
    rig.state =
        BodyState::placed(&pair.shape, DVec3::new(5.0, 1.0, -3.0), Quat::from_rotation_x(1.0));
    for i in 0..pair.rest().len() {
        rig.state.set_velocity(&pair.shape, i, Vec3::new(1.0, 0.5, 0.0));
    }
    for _ in 0..30 {
        rig.free(DT);
    }
    let center = pair.model.center(&rig.x());
    (rig, center)
}

fn assert_back(rig: &Rig<'_>, pair: &Pair, center: DVec3, name: &str) {
    let x = rig.x();
    assert!(x.iter().all(|x| x.is_finite()), "{name}");
    assert!(rig.v().iter().all(|v| v.is_finite()), "{name}");
    let size = f64::from(pair.shape.size());
    let off = pair.model.center(&x).distance(center);
    assert!(off < 0.1 * size, "{name}: {off} m away");
    assert!(shape_error(&pair.model, &x) < 1e-3 * size, "{name}");
}

/// Something that spoils a state.
type Fault<'a> = &'a dyn Fn(&mut BodyState);

#[test]
fn whatever_is_not_finite_puts_the_body_back_within_a_step() {
    let cuboid = cuboid();
    let block = lattice(&block_nodes([5, 5, 5]), 0.1, 1);
    for pair in [&cuboid, &block] {
        let (_, center) = moving(pair);
        let bad: [(&str, Fault<'_>); 5] = [
            ("NaN position", &|s| s.set_position(&pair.shape, 7, DVec3::NAN)),
            ("infinite position", &|s| s.set_position(&pair.shape, 7, DVec3::INFINITY)),
            ("NaN velocity", &|s| s.set_velocity(&pair.shape, 7, Vec3::NAN)),
            ("infinite velocity", &|s| s.set_velocity(&pair.shape, 7, Vec3::X * f32::INFINITY)),
            ("huge velocity", &|s| s.set_velocity(&pair.shape, 7, Vec3::X * 1e30)),
        ];
        for (name, spoil) in bad {
            let (mut rig, _) = moving(pair);
            spoil(&mut rig.state);
            let report = rig.free(DT);
            assert!(report.quarantined, "{name}");
            assert_back(&rig, pair, center, name);
            let report = rig.free(DT);
            assert!(!report.quarantined, "{name}: reported once");
            assert_back(&rig, pair, center, name);
        }
    }
}

#[test]
fn speeds_that_leave_precision_behind_put_the_body_back_where_it_was() {
    // Finite, so that sums stay finite too: the pose to go back to must not be one on the way out.
    let pair = cuboid();
    for speed in [1e7_f32, 1e9, 1e12, 1e15, 1e18] {
        let (mut rig, center) = moving(&pair);
        rig.state.set_velocity(&pair.shape, 7, Vec3::X * speed);
        let mut quarantined = 0;
        for _ in 0..10 {
            quarantined += u32::from(rig.free(DT).quarantined);
        }
        if quarantined > 0 {
            assert_eq!(quarantined, 1, "{speed:e}");
            assert_back(&rig, &pair, center, &format!("{speed:e}"));
        } else {
            assert!(rig.x().iter().all(|x| x.is_finite()));
        }
    }
}

#[test]
fn a_force_beyond_all_measure_puts_the_body_back() {
    let pair = cuboid();
    for gravity in [Vec3::X * 1e30, Vec3::NAN, Vec3::NEG_Y * f32::INFINITY] {
        let (mut rig, center) = moving(&pair);
        rig.step(&StepInput { gravity, ..StepInput::default() }, DT);
        rig.free(DT);
        assert_back(&rig, &pair, center, &format!("{gravity}"));
    }
}

#[test]
fn a_long_quiet_time_leaves_a_body_as_it_is() {
    // SB-33: 200,000 steps.
    let pair = lattice(&block_nodes([3, 3, 3]), 0.1, 1);
    let mut rig = Rig::new(&pair.shape, None);
    for _ in 0..200_000 {
        rig.free(DT);
    }
    assert_back(&rig, &pair, pair.model.center(pair.rest()), "200,000 steps");
}

#[test]
fn odd_time_steps_have_a_defined_result() {
    let pair = cuboid();
    let (rig, _) = moving(&pair);
    for dt in [0.0, -1.0, f32::NAN, f32::NEG_INFINITY, f32::INFINITY] {
        let mut other = Rig::new(&pair.shape, None);
        other.state = rig.state.clone();
        let report = other.free(dt);
        assert_eq!((report.substeps, report.quarantined), (0, false), "{dt}");
        assert_eq!(other.state, rig.state, "{dt}");
    }
    let mut other = Rig::new(&pair.shape, None);
    other.state = rig.state.clone();
    let report = other.free(10.0);
    assert!((report.seconds_cut - (10.0 - sinew_elastic::LONGEST_STEP)).abs() < 1e-5);
    assert!(other.x().iter().all(|x| x.is_finite()));
    assert!(pair.model.worst_strain(&other.x()) < 0.1);
}

#[test]
fn odd_materials_have_a_defined_result() {
    let pair = cuboid();
    let basis = pair.basis(&[&twist(1.5)]);
    for value in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-30, 1e30] {
        for field in 0..4 {
            let mut material = Material::default();
            match field {
                0 => material.elastic_hz = value,
                1 => material.example_hz = value,
                2 => material.damping = value,
                _ => material.density = value,
            }
            for method in [Method::Conservative, Method::PaperExact { alpha: value, beta: value }] {
                material.method = method;
                let mut rig = Rig::new(&pair.shape, Some(&basis)).material(material);
                let mut random = Random(3);
                let x: Vec<DVec3> =
                    pair.rest().iter().map(|p| *p + random.vector() * 0.02).collect();
                rig.put(&x, &vec![DVec3::ZERO; x.len()]);
                for _ in 0..20 {
                    assert!(!rig.free(DT).quarantined, "{material:?}");
                }
                assert!(pair.model.worst_strain(&rig.x()) < 2.0, "{material:?}");
            }
        }
    }
}

#[test]
fn bodies_of_no_frequency_fly_freely() {
    let pair = cuboid();
    let mut rig = Rig::new(&pair.shape, None).material(Material {
        elastic_hz: 0.0,
        damping: 0.0,
        ..Material::default()
    });
    rig.state.set_velocity(&pair.shape, 9, Vec3::X);
    let before = rig.x();
    for _ in 0..60 {
        rig.free(DT);
    }
    for (i, (a, b)) in before.iter().zip(rig.x()).enumerate() {
        let wanted = if i == 9 { DVec3::X } else { DVec3::ZERO };
        assert!((b - *a - wanted).length() < 1e-5);
    }
}

#[test]
fn a_state_of_another_shape_is_replaced() {
    let pair = cuboid();
    let other = lattice(&block_nodes([3, 3, 3]), 0.1, 1);
    let mut rig = Rig::new(&pair.shape, None);
    rig.state = BodyState::at_rest(&other.shape);
    assert!(rig.free(DT).state_replaced);
    assert!(rig.state.fits(&pair.shape));
}

#[test]
fn shapes_are_told_apart_by_what_they_are_made_of() {
    // 27 and 64 particles fill equally many bricks; the third differs by one coordinate only.
    let small = lattice(&block_nodes([3, 3, 3]), 0.1, 1).shape;
    let large = lattice(&block_nodes([4, 4, 4]), 0.1, 1).shape;
    let wide = lattice(&block_nodes([3, 3, 3]), 0.125, 1).shape;
    let again = lattice(&block_nodes([3, 3, 3]), 0.1, 1).shape;
    assert_eq!(small.block_count(), large.block_count());
    let state = BodyState::at_rest(&small);
    let pose = ExamplePose::from_fn("tall", &small, |p| p * Vec3::new(1.0, 1.5, 1.0));
    let basis = ExampleBasis::new(&small, &[pose]).expect("a good example");
    for (shape, same) in [(&again, true), (&large, false), (&wide, false)] {
        assert_eq!(state.fits(shape), same);
        assert_eq!(basis.fits(shape), same);
    }
}

#[test]
fn scratch_of_another_body_is_no_accident() {
    // No panic: the result is that of scratch memory made for the body.
    let pair = cuboid();
    let other = lattice(&block_nodes([3, 3, 3]), 0.1, 1);
    let basis = pair.basis(&[&twist(1.5), &|p| p * 1.1]);
    let mut rig = Rig::new(&pair.shape, Some(&basis));
    rig.scratch = Scratch::new(&other.shape, None);
    rig.state.set_velocity(&pair.shape, 3, Vec3::X);
    let mut wanted = Rig::new(&pair.shape, Some(&basis));
    wanted.state = rig.state.clone();
    rig.free(DT);
    wanted.free(DT);
    assert_eq!(rig.state, wanted.state);
}

#[test]
fn a_basis_of_another_shape_is_passed_over() {
    let pair = cuboid();
    let other = lattice(&block_nodes([3, 3, 3]), 0.1, 1);
    let basis = other.basis(&[&twist(1.5)]);
    let mut rig = Rig::new(&pair.shape, Some(&basis));
    rig.free(DT);
    assert!(rig.state.weights().is_empty());
}

#[test]
fn odd_controls_and_anchors_have_a_defined_result() {
    let pair = cuboid();
    let basis = pair.basis(&[&twist(1.5)]);
    let bad = [f32::NAN];
    let short: [f32; 0] = [];
    for control in [
        Control::Blend(f32::NAN),
        Control::Blend(-7.0),
        Control::Explicit(&bad),
        Control::Explicit(&short),
    ] {
        let mut rig = Rig::new(&pair.shape, Some(&basis)).control(control);
        assert!(!rig.free(DT).quarantined);
        assert_eq!(rig.state.weights(), [0.0], "{control:?}");
    }
    let mut rig = Rig::new(&pair.shape, None);
    let good = Anchor { particle: 0, position: DVec3::ZERO, velocity: Vec3::ZERO };
    let anchors = [
        Anchor { particle: 999, ..good },
        Anchor { position: DVec3::NAN, ..good },
        Anchor { velocity: Vec3::INFINITY, ..good },
    ];
    let input = StepInput { anchors: &anchors, ..StepInput::default() };
    for _ in 0..10 {
        assert!(!rig.step(&input, DT).quarantined);
    }
    assert!(shape_error(&pair.model, &rig.x()) < 1e-5);
}

#[test]
fn poses_that_are_not_finite_are_ignored() {
    let pair = cuboid();
    let (mut rig, _) = moving(&pair);
    let before = rig.state.clone();
    let bad = RigidPose { translation: DVec3::NAN, rotation: Quat::IDENTITY };
    rig.state.reset(&pair.shape, bad);
    rig.state.teleport(&pair.shape, bad);
    assert_eq!(rig.state, before);
}

#[test]
fn bad_bodies_are_refused_by_name() {
    let points = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let tets = |positions: &[Vec3], cells: &[[u32; 4]]| ElasticShape::from_tets(positions, cells);
    assert!(matches!(tets(&points, &[]), Err(ShapeError::TetMesh(_))));
    assert!(matches!(tets(&points, &[[0, 1, 2, 9]]), Err(ShapeError::TetMesh(_))));
    assert!(matches!(tets(&points, &[[0, 1, 2, 2]]), Err(ShapeError::TetMesh(_))));
    assert_eq!(tets(&[], &[[0, 1, 2, 3]]), Err(ShapeError::NoParticles));
    let broken = [Vec3::ZERO, Vec3::X, Vec3::NAN, Vec3::Z];
    assert_eq!(tets(&broken, &[[0, 1, 2, 3]]), Err(ShapeError::NonFinitePosition(2)));
    let given = ElasticShape::from_regions;
    assert_eq!(given(&[], &[], &[]), Err(ShapeError::NoParticles));
    for mass in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let result = given(&points, &[1.0, mass, 1.0, 1.0], &[]);
        assert!(matches!(result, Err(ShapeError::BadMass { particle: 1, .. })), "{mass}");
    }
    assert_eq!(given(&points, &[1.0], &[]), Err(ShapeError::MassCount { masses: 1, particles: 4 }));
    assert_eq!(
        given(&points, &[1.0; 4], &[vec![0, 1], vec![2, 7]]),
        Err(ShapeError::UnknownParticle { region: 1, particle: 7, particles: 4 })
    );
}

#[test]
fn bad_examples_are_refused_by_name() {
    let pair = cuboid();
    let good: Vec<Vec3> = pair.rest().iter().map(|p| p.as_vec3()).collect();
    let pose = |name: &str, positions: Vec<Vec3>| ExamplePose::new(name, positions);
    let refused =
        |poses: &[ExamplePose]| ExampleBasis::new(&pair.shape, poses).expect_err("refused");
    let short = refused(&[pose("short", good[1..].to_vec())]);
    assert_eq!(
        short,
        ExampleError::OtherTopology { name: "short".into(), found: 224, wanted: 225 }
    );
    let mut broken = good.clone();
    broken[5].y = f32::NAN;
    assert_eq!(
        refused(&[pose("broken", broken)]),
        ExampleError::NonFinite { name: "broken".into(), particle: 5 }
    );
    assert_eq!(
        refused(&[pose("a", good.clone()), pose("a", good.clone())]),
        ExampleError::DuplicateName("a".into())
    );
    let many: Vec<ExamplePose> = (0..10_000).map(|k| pose(&k.to_string(), Vec::new())).collect();
    assert_eq!(refused(&many), ExampleError::TooManyExamples(10_000));
    let groups = [
        Groups::Named { names: vec!["a".into()], of_region: vec![0; 3] },
        Groups::Named { names: vec!["a".into()], of_region: vec![1; 225] },
        Groups::Named { names: Vec::new(), of_region: vec![0; 225] },
    ];
    for groups in groups {
        let result = ExampleBasis::with_groups(&pair.shape, &[], &groups);
        assert!(matches!(result, Err(ExampleError::Groups(_))), "{groups:?}");
    }
    let none = ExampleBasis::new(&pair.shape, &[]).expect("no example is fine");
    let mut rig = Rig::new(&pair.shape, Some(&none));
    rig.free(DT);
    assert!(rig.state.weights().is_empty());
}
