//! T18–T20, T23–T27, T35: the weights of the examples.

use glam::{DMat3, DVec3, Vec3};
use sinew_elastic::mesh::{SplitParity, TetMesh};
use sinew_elastic::{
    Control, ElasticShape, ExampleBasis, ExampleNote, ExamplePose, Groups, WeightSet, WeightSolver,
};

use crate::fixtures::{
    Pair, Random, bend_and_turn, block_nodes, cube27, cuboid, lattice, material, paper, pull,
    pull_with_beta, rough, s_shape, squash, twist, worst_distance,
};
use crate::reference::{Law, Metric, Weights, best_weights};

fn weights(pair: &Pair, basis: &ExampleBasis, set: WeightSet, beta: f64, x: &[DVec3]) -> Vec<f64> {
    pull_with_beta(&pair.shape, Some(basis), set, beta, x).weights
}

fn close(a: &[f64], b: &[f64], tolerance: f64) -> bool {
    a.len() == b.len() && a.iter().zip(b).all(|(a, b)| (a - b).abs() < tolerance)
}

#[test]
fn an_example_is_found_as_itself() {
    // T18, also after a rigid motion.
    let mut pair = cuboid();
    let size = f64::from(pair.shape.size());
    let poses: [&dyn Fn(DVec3) -> DVec3; 3] = [&twist(1.5), &s_shape(size), &squash];
    let basis = pair.examples(&poses);
    let mut random = Random(1);
    for (k, pose) in pair.poses(&poses).iter().enumerate() {
        let wanted: Vec<f64> = (0..3).map(|j| f64::from(u8::from(j == k))).collect();
        for moved in [false, true] {
            let (turn, shift) = (random.rotation(), random.vector());
            let x: Vec<DVec3> =
                pose.iter().map(|&p| if moved { turn * p + shift } else { p }).collect();
            for set in [WeightSet::Affine, WeightSet::Simplex] {
                let found = weights(&pair, &basis, set, 1.0, &x);
                assert!(close(&found, &wanted, 1e-4), "{k}: {found:?}");
            }
            for metric in [Metric::Moment, Metric::Frobenius, Metric::Raw] {
                let law = Law { metric, weights: Weights::Affine, ..Law::new(0.01, 1.0, 1.0) };
                let found = pair.model.find(&x, &law).weights;
                // The ridge that tells duplicates apart is 1e-6 of the Gram matrix.
                assert!(close(&found, &wanted, 1e-5), "{metric:?}: {found:?}");
            }
        }
    }
}

fn uniform(strain: DVec3) -> impl Fn(DVec3) -> DVec3 {
    move |p| p + p * strain
}

const FLAT: DVec3 = DVec3::new(0.2, -0.3, 0.2);
const LONG: DVec3 = DVec3::new(-0.1, 0.5, 0.0);

#[test]
fn a_blend_is_found_as_itself() {
    // T19: uniform strains can be blended in space, so the blend is a pose.
    let pair = cuboid();
    let basis = pair.basis(&[&uniform(FLAT), &uniform(LONG)]);
    for blend in [[0.3, 0.5], [0.0, 0.7], [0.6, 0.4], [0.2, 0.0]] {
        let strain = FLAT * blend[0] + LONG * blend[1];
        let x: Vec<DVec3> = pair.rest().iter().map(|&p| uniform(strain)(p)).collect();
        let found = weights(&pair, &basis, WeightSet::Simplex, 1.0, &x);
        assert!(close(&found, &blend, 1e-5), "{found:?}, not {blend:?}");
        // T23, beta = 1: the body is where it wants to be.
        let goals = pull_with_beta(&pair.shape, Some(&basis), WeightSet::Simplex, 1.0, &x).goals;
        assert!(worst_distance(&goals, &x) < 1e-5);
    }
}

#[test]
fn what_is_left_is_orthogonal_to_every_example() {
    // T20, with the kernel's weights and the reference's strains.
    let mut pair = cuboid();
    let size = f64::from(pair.shape.size());
    let basis = pair.examples(&[&twist(1.5), &s_shape(size), &squash]);
    for seed in 0..8 {
        let x = rough(&pair, seed, 0.3, size);
        let w = weights(&pair, &basis, WeightSet::Affine, 1.0, &x);
        let counts = pair.model.counts();
        let (gram, right) = pair.model.normal_system(0, &x, &counts, Metric::Moment);
        for j in 0..3 {
            let left = right[j] - (0..3).map(|k| gram[j * 3 + k] * w[k]).sum::<f64>();
            let scale =
                (0..3).map(|k| (gram[j * 3 + k] * w[k]).abs()).sum::<f64>() + right[j].abs();
            assert!(left.abs() < 1e-5 * scale, "{left:e} of {scale:e}");
        }
    }
}

#[test]
fn without_a_share_examples_do_nothing() {
    // T23: equal bits to plain shape matching.
    for pair in [cuboid(), lattice(&block_nodes([6, 5, 7]), 0.1, 1)] {
        let size = f64::from(pair.shape.size());
        let poses: [&dyn Fn(DVec3) -> DVec3; 2] = [&twist(1.5), &s_shape(size)];
        let x = rough(&pair, 2, 0.3, size);
        for groups in [Groups::Whole, Groups::PerRegion] {
            let basis = ExampleBasis::with_groups(&pair.shape, &pair.kernel_poses(&poses), &groups)
                .expect("good examples");
            for material in [material(0.01, 0.5, 0.0, 0.0), paper(0.5, 0.0)] {
                let plain = pull(&pair.shape, None, Control::default(), material, &x);
                let with = pull(&pair.shape, Some(&basis), Control::default(), material, &x);
                assert!(with.weights.iter().all(|&w| w == 0.0), "{groups:?}, {material:?}");
                assert_eq!(plain.goals, with.goals);
            }
        }
    }
}

#[test]
fn the_ridge_is_beta_times_the_projection() {
    // T24.
    let mut pair = cuboid();
    let basis = pair.examples(&[&twist(1.5)]);
    let size = f64::from(pair.shape.size());
    for seed in 0..4 {
        let x = rough(&pair, seed, 0.3, size);
        let whole = weights(&pair, &basis, WeightSet::Affine, 1.0, &x)[0];
        for beta in [0.25, 0.5, 0.99] {
            let found = weights(&pair, &basis, WeightSet::Affine, beta, &x)[0];
            assert!((found - beta * whole).abs() < 1e-5 * whole.abs().max(0.1), "{found} {whole}");
        }
    }
}

#[test]
fn duplicate_examples_share_and_empty_ones_are_named() {
    // T25.
    let pair = cuboid();
    let x: Vec<DVec3> = pair.rest().iter().map(|&p| twist(1.0)(p)).collect();
    let single = pair.basis(&[&twist(1.5)]);
    let alone = weights(&pair, &single, WeightSet::Simplex, 1.0, &x)[0];
    let twice = pair.basis(&[&twist(1.5), &twist(1.5)]);
    let shared = weights(&pair, &twice, WeightSet::Simplex, 1.0, &x);
    assert!(close(&shared, &[alone / 2.0, alone / 2.0], 1e-4), "{shared:?} {alone}");
    let turned = |p: DVec3| Random(3).rotation() * p;
    let empty = pair.basis(&[&turned, &twist(1.5), &|p| p]);
    let found = weights(&pair, &empty, WeightSet::Simplex, 1.0, &x);
    assert!(close(&found, &[0.0, alone, 0.0], 1e-4), "{found:?} {alone}");
    assert_eq!((found[0], found[2]), (0.0, 0.0));
    let named = |k: usize| ExampleNote::NoStrain { example: format!("pose {k}"), group: 0 };
    assert_eq!(empty.notes(), [named(0), named(2)]);
}

fn grouped(pair: &Pair, poses: &[&dyn Fn(DVec3) -> DVec3], groups: &Groups) -> ExampleBasis {
    ExampleBasis::with_groups(&pair.shape, &pair.kernel_poses(poses), groups)
        .expect("good examples")
}

#[test]
fn one_group_is_the_whole_body_and_a_group_each_is_local() {
    // T26.
    let pair = lattice(&block_nodes([3, 4, 3]), 0.1, 1);
    let size = f64::from(pair.shape.size());
    let poses: [&dyn Fn(DVec3) -> DVec3; 2] = [&twist(2.0), &s_shape(size)];
    let x = rough(&pair, 4, 0.3, size);
    let pull = |groups: &Groups| {
        let basis = grouped(&pair, &poses, groups);
        pull_with_beta(&pair.shape, Some(&basis), WeightSet::Simplex, 0.9, &x)
    };
    let whole = pull(&Groups::Whole);
    let one = pull(&Groups::by_position(&pair.shape, &["all"], |_| 0));
    assert!(close(&whole.weights, &one.weights, 1e-6));
    assert!(worst_distance(&whole.goals, &one.goals) < 1e-6 * size);

    let names: Vec<String> = (0..36).map(|r| format!("region {r}")).collect();
    let each = pull(&Groups::Named { names, of_region: (0..36).collect() });
    let local = pull(&Groups::PerRegion);
    assert!(worst_distance(&each.goals, &local.goals) < 1e-6 * size);
    assert!(worst_distance(&each.goals, &whole.goals) > 1e-3 * size);
}

#[test]
fn mirrored_groups_have_equal_weights() {
    // T26.
    let pair = lattice(&block_nodes([4, 8, 4]), 0.1, 1);
    let middle = 0.35;
    let poses: [&dyn Fn(DVec3) -> DVec3; 2] = [&uniform(FLAT), &uniform(LONG)];
    let halves =
        Groups::by_position(&pair.shape, &["low", "high"], |p| u32::from(f64::from(p.y) > middle));
    let basis = grouped(&pair, &poses, &halves);
    let x: Vec<DVec3> = pair
        .rest()
        .iter()
        .map(|p| {
            let y = p.y - middle;
            DVec3::new(p.x * (1.0 + y * y), y * (1.0 + 0.5 * y * y), p.z)
        })
        .collect();
    let w = weights(&pair, &basis, WeightSet::Affine, 1.0, &x);
    assert!(close(&w[..2], &w[2..], 1e-5), "{w:?}");
    assert!(w[0].abs() > 1e-3);
}

#[test]
fn a_deformed_half_leaves_the_other_half_alone() {
    // T27: regions across the cut have a group of their own.
    let pair = lattice(&block_nodes([4, 9, 4]), 0.1, 1);
    let poses: [&dyn Fn(DVec3) -> DVec3; 2] = [&uniform(FLAT), &s_shape(1.0)];
    let cut = 0.45;
    let parts = Groups::by_position(&pair.shape, &["low", "middle", "high"], |p| {
        let y = f64::from(p.y);
        if y < cut - 0.11 {
            0
        } else if y > cut + 0.11 {
            2
        } else {
            1
        }
    });
    let basis = grouped(&pair, &poses, &parts);
    let x: Vec<DVec3> = pair
        .rest()
        .iter()
        .map(|&p| if p.y > cut { p * DVec3::new(1.2, 0.7, 1.1) } else { p })
        .collect();
    let w = weights(&pair, &basis, WeightSet::Affine, 1.0, &x);
    assert!(w[..2].iter().all(|w| w.abs() < 1e-6), "{w:?}");
    assert!(w[4].abs() > 0.1, "{w:?}");
}

#[test]
fn weights_do_not_depend_on_how_finely_a_body_is_meshed() {
    // T35.
    let size = 1.2;
    let bend = bend_and_turn(17, 0.1, size);
    let part = twist(0.9);
    let field = |p: DVec3| bend(part(p));
    let (t, s) = (twist(1.5), s_shape(size));
    let poses: [&dyn Fn(DVec3) -> DVec3; 2] = [&t, &s];
    let levels = [1_u32, 2, 4].map(|refine| {
        let nodes = [4, 8, 4].map(|cells| cells * refine + 1);
        let spacing = Vec3::splat(0.125 / refine as f32);
        let mesh = TetMesh::cuboid(nodes, spacing, SplitParity::Even).expect("a good box");
        let shape = ElasticShape::from_tets(&mesh.positions, &mesh.cells).expect("a good mesh");
        let rest: Vec<DVec3> = mesh.positions.iter().map(|p| p.as_dvec3()).collect();
        let examples: Vec<ExamplePose> = poses
            .iter()
            .enumerate()
            .map(|(k, pose)| {
                ExamplePose::new(format!("{k}"), rest.iter().map(|&p| pose(p).as_vec3()).collect())
            })
            .collect();
        let basis = ExampleBasis::new(&shape, &examples).expect("good examples");
        let x: Vec<DVec3> = rest.iter().map(|&p| field(p)).collect();
        pull_with_beta(&shape, Some(&basis), WeightSet::Affine, 1.0, &x).weights
    });
    for k in 0..2 {
        let scale = levels[2].iter().fold(0.0_f64, |m, w| m.max(w.abs()));
        let [coarse, fine, finest] = [0, 1, 2].map(|level| levels[level][k]);
        assert!((coarse - fine).abs() < 0.05 * scale, "{levels:?}");
        assert!(
            (fine - finest).abs() < 0.6 * (coarse - fine).abs().max(0.002 * scale),
            "{levels:?}"
        );
    }
}

#[test]
fn the_energy_metric_is_the_one_that_the_pull_descends() {
    // The pull is minus the gradient of the energy that the reference writes down (§2.2).
    let mut pair = cube27();
    let pose = |p: DVec3| DMat3::from_diagonal(DVec3::new(1.4, 0.8, 1.0)) * p;
    let basis = pair.examples(&[&pose]);
    let x = rough(&pair, 5, 0.2, 1.0);
    let law = Law { weights: Weights::Affine, ..Law::new(0.01, 1.0, 0.9) };
    let goals = pull_with_beta(&pair.shape, Some(&basis), WeightSet::Affine, 0.9, &x).goals;
    for (i, axis) in [(0, DVec3::X), (13, DVec3::Y), (22, DVec3::Z), (26, DVec3::X)] {
        let energy = |step: f64| {
            let mut moved = x.clone();
            moved[i] += axis * step;
            pair.model.find(&moved, &law).energy
        };
        let slope = (energy(1e-4) - energy(-1e-4)) / 2e-4;
        let pull = (x[i] - goals[i]).dot(axis) * pair.model.mass[i];
        // The weights minimise the energy for the polar rotation, not for the target's: second order.
        assert!((slope - pull).abs() < 0.02 * slope.abs().max(0.05), "{slope} {pull}");
    }
}

#[test]
fn the_solver_finds_what_trying_all_active_sets_finds() {
    // T21, for all sets of weights, warm starts included.
    let mut random = Random(12);
    let mut solver = WeightSolver::new(3);
    let mut w = [0.0; 3];
    for case in 0..2_000 {
        let root = random.matrix();
        let mut matrix = root.transpose() * root;
        // One in four is all but singular, as duplicate examples make it.
        let ridge = if case % 4 == 0 { 1e-6 } else { 1e-2 };
        matrix += DMat3::IDENTITY * ridge;
        let gram = matrix.to_cols_array();
        let right = (random.vector() * 2.0).to_array();
        let (low, high) = (random.signed().min(0.0) as f32, random.unit() as f32);
        for (set, naive) in [
            (WeightSet::Affine, Weights::Affine),
            (WeightSet::Simplex, Weights::Simplex),
            (WeightSet::NonNegative, Weights::NonNegative),
            (WeightSet::Box { low, high }, Weights::Box(f64::from(low), f64::from(high))),
        ] {
            solver.solve(set, &gram, &right, &mut w);
            let wanted = best_weights(&naive, &gram, &right);
            let objective = |w: &[f64]| {
                let v = DVec3::from_slice(w);
                0.5 * v.dot(matrix * v) - v.dot(DVec3::from_array(right))
            };
            let (found, best) = (objective(&w), objective(&wanted));
            // The objective is flat where the matrix is all but singular, so values are compared.
            assert!(found <= best + 1e-9 * (1.0 + best.abs()), "{set:?}: {w:?}, not {wanted:?}");
            let sum: f64 = w.iter().sum();
            let (least, most) = match naive {
                Weights::Box(low, high) => (low, high),
                Weights::Affine | Weights::Given(_) => (f64::NEG_INFINITY, f64::INFINITY),
                Weights::Simplex | Weights::NonNegative => (0.0, f64::INFINITY),
            };
            assert!(w.iter().all(|&w| w >= least - 1e-9 && w <= most + 1e-9), "{set:?}: {w:?}");
            assert!(set != WeightSet::Simplex || sum <= 1.0 + 1e-9, "{w:?}");
        }
    }
}
