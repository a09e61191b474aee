//! Welding, one-rings and mean-value coordinates.

use glam::DVec3;
use sinew_fields::topology::{RingKind, Rings, Weld, mean_value_coordinates};
use sinew_fields::{InfluenceSet, Influences};

use crate::fixtures::{Random, wide};

/// A ring round the origin in a tilted plane, counter-clockwise about the returned normal.
fn ring(count: usize, random: &mut Random) -> (DVec3, Vec<DVec3>) {
    let normal = DVec3::new(random.signed(), random.signed(), 2.0).normalize();
    let (u, v) = normal.any_orthonormal_pair();
    let (u, v) = if u.cross(v).dot(normal) > 0.0 { (u, v) } else { (v, u) };
    let points = (0..count)
        .map(|i| {
            let angle = (i as f64 + 0.3 * random.signed()) * std::f64::consts::TAU / count as f64;
            (u * angle.cos() + v * angle.sin()) * (1.0 + 0.5 * random.signed())
        })
        .collect();
    (normal, points)
}

#[test]
fn mean_value_coordinates_give_the_vertex_back() {
    let mut random = Random(2);
    for count in 4..12 {
        for _ in 0..20 {
            let (normal, points) = ring(count, &mut random);
            let vertex = DVec3::new(3.0, -2.0, 1.0);
            let mut weights = vec![0.0; count];
            let moved = points.iter().map(|p| vertex + *p);
            assert!(mean_value_coordinates(vertex, normal, moved.clone(), &mut weights));
            assert!(weights.iter().all(|&w| w > 0.0));
            assert!((weights.iter().sum::<f32>() - 1.0).abs() < 1e-6);
            let mean: DVec3 = moved.zip(&weights).map(|(p, &w)| p * f64::from(w)).sum();
            assert!(mean.distance(vertex) < 1e-6, "{count}: {mean}");
        }
    }
}

#[test]
fn rings_that_do_not_go_round_the_vertex_have_no_coordinates() {
    let mut weights = [0.5; 4];
    let square =
        [(1.0, 1.0), (-1.0, 1.0), (-1.0, -1.0), (1.0, -1.0)].map(|(x, y)| DVec3::new(x, y, 0.0));
    let outside = DVec3::X * 5.0;
    assert!(!mean_value_coordinates(outside, DVec3::Z, square.into_iter(), &mut weights));
    assert_eq!(weights, [0.0; 4]);
    // Against the normal, without a normal, twice round, and with a neighbour in the vertex.
    for (normal, ring) in [
        (-DVec3::Z, square),
        (DVec3::ZERO, square),
        (DVec3::Z, [square[0], square[2], square[0], square[2]]),
        (DVec3::Z, [square[0], square[1], DVec3::ZERO, square[3]]),
    ] {
        assert!(!mean_value_coordinates(DVec3::ZERO, normal, ring.into_iter(), &mut weights));
    }
    assert!(!mean_value_coordinates(
        DVec3::ZERO,
        DVec3::Z,
        square[..2].iter().copied(),
        &mut weights[..2]
    ));
}

#[test]
fn rings_are_in_order_and_borders_and_bad_fans_are_told_apart() {
    // A fan of four round vertex 0.
    let closed = Rings::new(5, &[[0, 1, 2], [0, 2, 3], [0, 3, 4], [0, 4, 1]]);
    assert_eq!((closed.kind(0), closed.ring(0)), (RingKind::Closed, &[1, 2, 3, 4][..]));
    let open = Rings::new(6, &[[0, 3, 4], [0, 1, 2], [0, 2, 3]]);
    assert_eq!((open.kind(0), open.ring(0)), (RingKind::Open, &[1, 2, 3, 4][..]));
    assert_eq!(open.kind(5), RingKind::Isolated);
    // Two fans that share only the vertex; three triangles at one edge; one triangle turned round.
    for bad in [
        vec![[0, 1, 2], [0, 3, 4]],
        vec![[0, 1, 2], [0, 1, 3], [0, 4, 1]],
        vec![[0, 1, 2], [0, 3, 2]],
    ] {
        assert_eq!(Rings::new(5, &bad).kind(0), RingKind::Irregular, "{bad:?}");
    }
    // A fan of valence 40 stays in order.
    let wheel: Vec<[u32; 3]> = (0..40).map(|i| [0, 1 + i, 1 + (i + 1) % 40]).collect();
    let wheel = Rings::new(41, &wheel);
    assert_eq!(wheel.kind(0), RingKind::Closed);
    assert!(wheel.ring(0).iter().copied().eq(1..=40));
}

#[test]
fn split_vertices_become_one_and_parts_that_only_touch_stay_apart() {
    let positions =
        [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [-0.0; 3], [1.0, 0.0, 0.0], [0.0, 0.0, 1.0]];
    let weights = |third: [f32; 4]| {
        let mut rows = [[1.0, 0.0, 0.0, 0.0]; 6];
        rows[3] = third;
        rows
    };
    let joints = [[0, 1, 0, 0]; 6];
    let weld = |rows: &[[f32; 4]; 6]| {
        let set = InfluenceSet { joints: &joints, weights: rows };
        let (influences, _) = Influences::new(2, 6, &[set]).expect("good weights");
        Weld::new(&positions, &[[0, 1, 2], [3, 4, 5], [4, 3, 4], [1, 2, 0]], &influences)
    };
    let close = weld(&weights([0.98, 0.02, 0.0, 0.0]));
    assert_eq!(close.welded, [0, 1, 2, 0, 1, 3]);
    assert_eq!(close.triangles, [[0, 1, 2], [0, 1, 3]]);
    let counts = (close.report.joined, close.report.degenerate, close.report.repeated);
    assert_eq!(counts, (2, 1, 1));
    for (welded, &vertex) in close.representative.iter().enumerate() {
        assert_eq!(close.welded[vertex as usize] as usize, welded);
    }
    let apart = weld(&weights([0.0, 1.0, 0.0, 0.0]));
    assert_ne!(apart.welded[3], apart.welded[0]);
    assert_eq!(wide(positions[3]), wide(positions[0]));
}
