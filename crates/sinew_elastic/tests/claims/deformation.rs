//! T1, T8, T28, T30, T31: what a region sees of a deformation.
//!
//! The kernel does not show the stretch of a region, but it can be weighed: with six examples that span all
//! symmetric matrices, the weights of the affine fit are the entries of S − I.

use glam::{DMat3, DVec3, Vec3};
use sinew_elastic::{Collider, Control, ExampleNote, StepInput, WeightSet};

use crate::fixtures::{
    Pair, Random, Rig, cube27, given, material, pull, pull_with_beta, shape_error, worst_distance,
};
use crate::reference::{largest_entry, square_root_of_gram};

/// Strain of each probe.
const PROBE: f64 = 0.1;

/// The stretch S that the kernel finds for a body of one region.
fn kernel_stretch(pair: &Pair, x: &[DVec3]) -> DMat3 {
    let axes = [DVec3::X, DVec3::Y, DVec3::Z];
    let probes: Vec<DMat3> = [(0, 0), (1, 1), (2, 2), (0, 1), (0, 2), (1, 2)]
        .map(|(i, j)| {
            let one = crate::reference::outer(axes[i], axes[j]) * PROBE;
            if i == j { one } else { one + one.transpose() }
        })
        .to_vec();
    let poses: Vec<Box<dyn Fn(DVec3) -> DVec3>> = probes
        .iter()
        .map(|&probe| Box::new(move |p: DVec3| p + probe * p) as Box<dyn Fn(DVec3) -> DVec3>)
        .collect();
    let poses: Vec<&dyn Fn(DVec3) -> DVec3> = poses.iter().map(|pose| &**pose).collect();
    let basis = pair.basis(&poses);
    let pull = pull_with_beta(&pair.shape, Some(&basis), WeightSet::Affine, 1.0, x);
    probes.iter().zip(&pull.weights).fold(DMat3::IDENTITY, |sum, (probe, &w)| sum + *probe * w)
}

/// The six points of the paper's appendix A.1.
fn six_points(epsilon: f64) -> Pair {
    let rest: Vec<Vec3> = [Vec3::X, Vec3::Y, Vec3::Z]
        .iter()
        .flat_map(|&axis| [axis * epsilon as f32, axis * -epsilon as f32])
        .collect();
    given(&rest, &[1.0; 6], &[(0..6).collect()])
}

fn apply(pair: &Pair, map: impl Fn(DVec3) -> DVec3) -> Vec<DVec3> {
    pair.rest().iter().map(|&p| map(p)).collect()
}

fn fitted(pair: &Pair, map: impl Fn(DVec3) -> DVec3) -> DMat3 {
    pair.model.deformation(0, &apply(pair, map), &pair.model.counts()).0
}

fn gentle(random: &mut Random) -> DMat3 {
    DMat3::IDENTITY + random.matrix() * 0.3
}

#[test]
fn linear_maps_are_found_exactly() {
    // T1a.
    let mut random = Random(1);
    for epsilon in [0.4, 0.1, 0.025] {
        let pair = six_points(epsilon);
        for _ in 0..10 {
            let f = gentle(&mut random);
            let shift = random.vector();
            assert!(largest_entry(fitted(&pair, |p| f * p + shift) - f) < 1e-14);
            let stretch = kernel_stretch(&pair, &apply(&pair, |p| f * p));
            assert!(largest_entry(stretch - square_root_of_gram(f)) < 3e-6, "{stretch:?}");
        }
    }
}

#[test]
fn even_and_mixed_terms_do_not_show() {
    // T1b: squares and products of the coordinates cancel, and so do cubes of more than one of them.
    let mut random = Random(2);
    let pair = six_points(0.3);
    for _ in 0..10 {
        let f = gentle(&mut random);
        let (a, b, c, d) = (random.matrix(), random.matrix(), random.vector(), random.matrix());
        let map = move |p: DVec3| {
            let mixed = DVec3::new(p.x * p.y, p.y * p.z, p.z * p.x);
            f * p + a * (p * p) + b * mixed + c * (p.x * p.y * p.z) + d * (mixed * p)
        };
        assert!(largest_entry(fitted(&pair, map) - f) < 1e-14);
        let stretch = kernel_stretch(&pair, &apply(&pair, map));
        assert!(largest_entry(stretch - square_root_of_gram(f)) < 3e-6);
    }
}

#[test]
fn cubes_show_with_the_square_of_the_size() {
    // T1c: A − F = ε² D, with D the coefficients of the pure cubes. T1d: the stretch follows.
    let mut random = Random(3);
    let (f, d) = (gentle(&mut random), random.matrix() * 0.3);
    let map = |p: DVec3| f * p + d * (p * p * p);
    let mut last = (f64::NAN, f64::NAN);
    for epsilon in [0.4, 0.2, 0.1, 0.05, 0.025] {
        // A power of two times 0.4 in single precision, as the particles are stored.
        let epsilon = f64::from(epsilon as f32);
        let pair = six_points(epsilon);
        let excess = fitted(&pair, map) - f;
        assert!(largest_entry(excess - d * (epsilon * epsilon)) < 1e-14);
        let counts = pair.model.counts();
        let stretch = pair.model.stretch(0, &apply(&pair, map), &counts);
        let excess = (largest_entry(excess), largest_entry(stretch - square_root_of_gram(f)));
        if last.0.is_finite() {
            assert!((last.0 / excess.0 - 4.0).abs() < 1e-4, "{}", last.0 / excess.0);
            assert!((last.1 / excess.1 - 4.0).abs() < 0.3, "{}", last.1 / excess.1);
        }
        last = excess;
        let found = kernel_stretch(&pair, &apply(&pair, map));
        assert!(largest_entry(found - stretch) < 3e-6);
    }
}

#[test]
fn lopsided_regions_are_of_first_order_and_symmetric_ones_of_second() {
    // T1e.
    let mut random = Random(4);
    let points: Vec<DVec3> = (0..9).map(|_| random.vector()).collect();
    let (f, square, cube) = (gentle(&mut random), random.matrix(), random.matrix());
    let map = |p: DVec3| f * p + square * (p * p) + cube * (p * p * p);
    for (symmetric, order) in [(false, 2.0), (true, 4.0)] {
        let error = |epsilon: f64| {
            let mut rest: Vec<Vec3> = points.iter().map(|p| (*p * epsilon).as_vec3()).collect();
            if symmetric {
                rest.extend(points.iter().map(|p| (*p * -epsilon).as_vec3()));
            }
            let count = rest.len() as u32;
            let pair = given(&rest, &vec![1.0; rest.len()], &[(0..count).collect()]);
            largest_entry(fitted(&pair, map) - f)
        };
        // The derivative at the region's middle is F plus terms of first order in the lopsided case.
        let ratio = error(1e-3) / error(0.5e-3);
        assert!((ratio - order).abs() < 0.1, "symmetric: {symmetric}, ratio {ratio}");
    }
}

#[test]
fn one_region_finds_any_affine_map() {
    // T8: R S = F.
    let mut random = Random(5);
    let pair = cube27();
    for _ in 0..20 {
        let f = DMat3::from_quat(random.rotation()) * gentle(&mut random);
        let x = apply(&pair, |p| f * p);
        assert!(largest_entry(fitted(&pair, |p| f * p) - f) < 1e-13);
        let stretch = kernel_stretch(&pair, &x);
        let goals = pull_with_beta(&pair.shape, None, WeightSet::Simplex, 1.0, &x).goals;
        // Without examples goals are R q: particles 14, 16 and 22 lie half a metre along the axes.
        let rotation = DMat3::from_cols(goals[14], goals[16], goals[22]) * 2.0;
        assert!(largest_entry(rotation * stretch - f) < 1e-5, "{f:?}");
    }
}

#[test]
fn goals_do_not_jump_as_a_region_turns_inside_out() {
    // T28: for diag(1, 1, e) the rotation is the identity for either sign of e.
    let pair = cube27();
    for step in -10..=10 {
        let last = f64::from(step) * 0.005;
        let x = apply(&pair, |p| p * DVec3::new(1.0, 1.0, last));
        let goals = pull_with_beta(&pair.shape, None, WeightSet::Simplex, 1.0, &x).goals;
        assert!(worst_distance(&goals, pair.rest()) < 2e-6, "{last}");
        let wanted = DMat3::from_diagonal(DVec3::new(1.0, 1.0, last));
        assert!(largest_entry(kernel_stretch(&pair, &x) - wanted) < 3e-6, "{last}");
    }
}

fn sheet() -> Pair {
    let rest: Vec<Vec3> = (0..25)
        .map(|i| Vec3::new((i % 5) as f32, (i / 5) as f32, 0.0) * 0.25 - Vec3::splat(0.5))
        .collect();
    given(&rest, &[1.0; 25], &[(0..25).collect()])
}

#[test]
fn flat_regions_are_exact_in_their_plane_and_rigid_across() {
    // T30.
    let pair = sheet();
    assert_eq!((pair.shape.report().flat_regions, pair.shape.report().thin_regions), (1, 0));
    let mut random = Random(6);
    let center = DVec3::splat(-0.5) + DVec3::new(0.5, 0.5, 0.0);
    for _ in 0..10 {
        let turn = DMat3::from_quat(random.rotation());
        let mut plane = gentle(&mut random);
        (plane.x_axis.z, plane.y_axis.z, plane.z_axis) = (0.0, 0.0, DVec3::Z);
        let x = apply(&pair, |p| turn * (plane * (p - center)));
        let wanted = square_root_of_gram(plane);
        let stretch = pair.model.stretch(0, &x, &pair.model.counts());
        assert!(largest_entry(stretch - wanted) < 1e-11, "{stretch:?}");
        let axes = [(0, 0), (1, 1), (0, 1)];
        let probe = |k: usize| {
            let (i, j) = axes[k];
            move |p: DVec3| {
                let q = p - center;
                p + (DVec3::AXES[i] * q[j] + DVec3::AXES[j] * q[i]) * (0.5 * PROBE)
            }
        };
        let basis = pair.basis(&[&probe(0), &probe(1), &probe(2)]);
        let pull = pull_with_beta(&pair.shape, Some(&basis), WeightSet::Affine, 1.0, &x);
        let entry = |w: f64, diagonal: bool| w * PROBE * if diagonal { 1.0 } else { 0.5 };
        let found = [
            entry(pull.weights[0], true),
            entry(pull.weights[1], true),
            entry(pull.weights[2], false),
        ];
        let exact = [wanted.x_axis.x - 1.0, wanted.y_axis.y - 1.0, wanted.x_axis.y];
        // Across the plane the last rotation stands in, so that the new one is approached by halves and
        // not at once: the passes of a cold start leave this much of half a turn.
        for (found, exact) in found.iter().zip(exact) {
            assert!((found - exact).abs() < 3e-5, "{found}, not {exact}");
        }
        // A body that has its weights for a target is already there.
        assert!(worst_distance(&pull.goals, &x) < 3e-5);
    }
    // A strain across the plane cannot be seen, and is reported as none.
    let across = pair.basis(&[&|p: DVec3| p * DVec3::new(1.0, 1.0, 2.0)]);
    assert!(matches!(across.notes(), [ExampleNote::NoStrain { .. }]));
}

#[test]
fn a_crumpled_sheet_becomes_flat_again() {
    let pair = sheet();
    let mut rig = Rig::new(&pair.shape, None).material(material(1.0 / 60.0, 0.5, 1.0, 10.0));
    let mut random = Random(7);
    let x: Vec<DVec3> = pair.rest().iter().map(|p| *p + random.vector() * 0.3).collect();
    rig.put(&x, &vec![DVec3::ZERO; 25]);
    for _ in 0..300 {
        assert!(!rig.free(1.0 / 60.0).quarantined);
    }
    assert!(shape_error(&pair.model, &rig.x()) < 1e-3);
}

#[test]
fn lines_pairs_and_single_particles_stay_finite() {
    // T31.
    for count in [1_usize, 2, 3, 5] {
        let rest: Vec<Vec3> =
            (0..count).map(|i| Vec3::new(0.2, 0.3, -0.1) * i as f32 + Vec3::Y).collect();
        let pair = given(&rest, &vec![1.0; count], &[(0..count as u32).collect()]);
        let report = pair.shape.report();
        assert_eq!(report.thin_regions, usize::from(count > 1));
        assert_eq!(
            (report.dropped_regions, report.free_particles),
            if count > 1 { (0, 0) } else { (1, 1) }
        );
        let basis = pair.basis(&[&|p: DVec3| p * 1.5]);
        let mut rig =
            Rig::new(&pair.shape, Some(&basis)).control(Control::Project(WeightSet::Simplex));
        let mut random = Random(count as u64);
        let x: Vec<DVec3> = pair.rest().iter().map(|p| *p + random.vector() * 0.05).collect();
        let v: Vec<DVec3> = x.iter().map(|x| DVec3::new(3.0, 1.0, 2.0).cross(*x)).collect();
        rig.put(&x, &v);
        // Without friction, which may hold a stretched pair for good.
        let floor = [Collider { friction: 0.0, ..Collider::plane(Vec3::ZERO, Vec3::Y) }];
        let input = StepInput { gravity: Vec3::NEG_Y * 9.81, colliders: &floor, anchors: &[] };
        for _ in 0..600 {
            assert!(!rig.step(&input, 1.0 / 60.0).quarantined, "{count} particles");
        }
        assert!(rig.x().iter().all(|x| x.is_finite() && x.y > -1e-3), "{count}: {:?}", rig.x());
        if count > 1 {
            let length = rig.x()[0].distance(rig.x()[count - 1]);
            let wanted = pair.rest()[0].distance(pair.rest()[count - 1]);
            assert!(
                (length / wanted - 1.0).abs() < 0.02,
                "{count} particles: {length}, not {wanted}"
            );
        }
    }
}

#[test]
fn a_line_moves_by_the_smallest_rotation() {
    // T31: a line that is turned has its goals on itself.
    let rest: Vec<Vec3> = (0..5).map(|i| Vec3::X * (i as f32 - 2.0)).collect();
    let pair = given(&rest, &[1.0; 5], &[(0..5).collect()]);
    let turn = glam::DQuat::from_rotation_z(0.4) * glam::DQuat::from_rotation_y(-0.3);
    let x = apply(&pair, |p| turn * p);
    let goals =
        pull(&pair.shape, None, Control::default(), material(0.01, 1.0, 1.0, 0.0), &x).goals;
    let worst = worst_distance(&goals, &x);
    assert!(worst < 1e-5, "{worst:e}: {goals:?} {x:?}");
}
