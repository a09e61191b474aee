//! Broken meshes and impossible requests: a clear error or a defined result, never a panic.

mod lattice_support;

use std::ops::ControlFlow;

use glam::{IVec3, Vec3};
use lattice_support::{check, cuboid, merged, moved, sphere};
use proptest::prelude::*;
use sinew_elastic::lattice::{Lattice, LatticeError, LatticeNodes};
use sinew_elastic::mesh::SurfaceMesh;

fn error(request: Lattice, mesh: &SurfaceMesh) -> LatticeError {
    request.build(mesh).expect_err("an error")
}

fn cube() -> SurfaceMesh {
    cuboid(Vec3::ZERO, Vec3::ONE, 2)
}

#[test]
fn broken_meshes_are_named() {
    let request = Lattice::particles(100);
    assert_eq!(error(request, &SurfaceMesh::default()), LatticeError::NoVertices);
    let mut mesh = cube();
    mesh.triangles.clear();
    assert_eq!(error(request, &mesh), LatticeError::NoTriangles);

    let mut mesh = cube();
    mesh.positions[5].y = f32::NAN;
    assert_eq!(error(request, &mesh), LatticeError::NonFiniteVertex { vertex: 5 });
    mesh.positions[5].y = f32::INFINITY;
    assert_eq!(error(request, &mesh), LatticeError::NonFiniteVertex { vertex: 5 });

    let mut mesh = cube();
    mesh.triangles[3][1] = 26;
    let expected = LatticeError::IndexOutOfRange { triangle: 3, index: 26, vertices: 26 };
    assert_eq!(error(request, &mesh), expected);

    let mut mesh = cube();
    mesh.positions.fill(Vec3::new(1.0, 2.0, 3.0));
    assert_eq!(error(request, &mesh), LatticeError::ZeroSize);

    let mut mesh = cube();
    mesh.triangles = vec![[0, 1, 1], [2, 2, 2]];
    assert_eq!(error(request, &mesh), LatticeError::OnlyCollapsedTriangles { triangles: 2 });
}

#[test]
fn extreme_sizes_and_places_are_errors() {
    let scaled = |s: f32| {
        let mut mesh = cube();
        mesh.positions.iter_mut().for_each(|p| *p *= s);
        mesh
    };
    for scale in [1e-30, 1e30, f32::MAX] {
        let found = error(Lattice::particles(100), &scaled(scale));
        assert!(matches!(found, LatticeError::SizeOutOfRange { .. }), "{found}");
    }
    for scale in [1e-12, 1e12] {
        let mesh = scaled(scale);
        check(&mesh, &Lattice::particles(100).build(&mesh).expect("a lattice"));
    }
    // A cube of one unit, ten million away: half a unit is what f32 still tells apart.
    let far = moved(&cube(), Vec3::X * 4e6);
    let found = error(Lattice::spacing(0.1), &far);
    assert!(matches!(found, LatticeError::FarFromOrigin { .. }), "{found}");
}

#[test]
fn impossible_requests_are_named() {
    for spacing in [0.0, -1.0, f32::NAN, f32::INFINITY] {
        let found = error(Lattice::spacing(spacing), &cube());
        assert!(matches!(found, LatticeError::Spacing { .. }), "{found}");
    }
    for width in [0, 4] {
        let found = error(Lattice::particles(100).with_width(width), &cube());
        assert_eq!(found, LatticeError::Width { width });
    }
    let found = error(Lattice::spacing(1e-3), &cube());
    assert!(matches!(found, LatticeError::TooManyCells { .. }), "{found}");
    let found = error(Lattice::particles(7), &cube());
    assert_eq!(found, LatticeError::TooFewParticles { asked: 7, least: 8 });
    // Twenty separate boxes need a cell each.
    let parts: Vec<_> = (0..20).map(|i| moved(&cube(), Vec3::X * 1.5 * i as f32)).collect();
    let found = error(Lattice::particles(50), &merged(&parts));
    assert!(matches!(found, LatticeError::TooFewParticles { asked: 50, least: 160.. }), "{found}");
}

#[test]
fn every_message_says_what_to_do() {
    let message = error(Lattice::particles(3), &cube()).to_string();
    assert!(message.contains("ask for more"), "{message}");
    let message = error(Lattice::spacing(-1.0), &cube()).to_string();
    assert!(message.contains("above zero"), "{message}");
}

#[test]
fn broken_node_lists_are_named() {
    let from = |nodes: &[IVec3]| LatticeNodes::from_nodes(nodes, 1.0, Vec3::ZERO);
    assert_eq!(from(&[]), Err(LatticeError::NoNodes));
    assert_eq!(from(&[IVec3::X, IVec3::Y, IVec3::X]), Err(LatticeError::DuplicateNode { node: 2 }));
    assert_eq!(from(&[IVec3::splat(i32::MAX)]), Err(LatticeError::NodeOutOfRange { node: 0 }));
    assert_eq!(from(&[IVec3::splat(i32::MIN)]), Err(LatticeError::NodeOutOfRange { node: 0 }));
    assert_eq!(LatticeNodes::block([3, 0, 3], 1.0), Err(LatticeError::NoNodes));
    assert_eq!(LatticeNodes::block([2, 2, 2], 0.0), Err(LatticeError::Spacing { spacing: 0.0 }));
    let single = from(&[IVec3::new(4, 5, 6)]).expect("one particle");
    assert_eq!((single.links.len(), single.links.list(0)), (1, [].as_slice()));
    assert!(single.mass_shares[0] > 0.0);
}

#[test]
fn a_long_build_reports_and_can_be_cancelled() {
    let mesh = sphere(1.0, 20, 40);
    let mut shares = Vec::new();
    let all = Lattice::particles(600).build_with_progress(&mesh, &mut |share| {
        shares.push(share);
        ControlFlow::Continue(())
    });
    assert!(all.is_ok());
    assert!(shares.len() > 3 && shares.is_sorted(), "{shares:?}");
    assert_eq!((shares[0], shares[shares.len() - 1]), (0.0, 1.0));
    for calls in 0..shares.len() {
        let mut left = calls;
        let stopped = Lattice::particles(600).build_with_progress(&mesh, &mut |_| {
            if left == 0 {
                return ControlFlow::Break(());
            }
            left -= 1;
            ControlFlow::Continue(())
        });
        assert_eq!(stopped, Err(LatticeError::Cancelled));
    }
}

#[test]
fn meshes_around_the_limit_of_short_indices_keep_every_vertex() {
    // Strips of exactly 65,534 to 65,537 vertices.
    for count in 65_534..=65_537_u32 {
        let positions: Vec<Vec3> =
            (0..count).map(|i| Vec3::new((i / 2) as f32, (i % 2) as f32, 0.0)).collect();
        let triangles = (0..count - 2).map(|i| [i, i + 1, i + 2]).collect();
        let mesh = SurfaceMesh { positions, triangles };
        let lattice = Lattice::spacing(100.0).build(&mesh).expect("a lattice");
        check(&mesh, &lattice);
        assert_eq!(lattice.embedding.weights.len(), count as usize);
        assert_eq!(lattice.report.components, 1);
    }
}

/// Coordinates that like to coincide and to lie on grid planes, and now and then are wild.
fn coordinate() -> impl Strategy<Value = f32> {
    prop_oneof![
        6 => (-8..=8_i32).prop_map(|c| c as f32 / 4.0),
        4 => -2.0..2.0_f32,
        1 => -1e4..1e4_f32,
    ]
}

fn any_mesh() -> impl Strategy<Value = SurfaceMesh> {
    let vertex = (coordinate(), coordinate(), coordinate());
    (prop::collection::vec(vertex, 1..30), prop::collection::vec(any::<[u8; 3]>(), 0..60)).prop_map(
        |(vertices, triangles)| {
            let positions: Vec<Vec3> = vertices.into_iter().map(Vec3::from).collect();
            let count = positions.len() as u32;
            let triangles =
                triangles.into_iter().map(|t| t.map(|v| u32::from(v) % count)).collect();
            SurfaceMesh { positions, triangles }
        },
    )
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 48, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_triangles_become_a_lattice_or_an_error(mesh in any_mesh(), count in 0..300_usize) {
        match Lattice::particles(count).build(&mesh) {
            Ok(lattice) => check(&mesh, &lattice),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }

    #[test]
    fn any_spacing_becomes_a_lattice_or_an_error(mesh in any_mesh(), exponent in 0.0..4.0_f32) {
        match Lattice::spacing(10.0_f32.powf(exponent)).build(&mesh) {
            Ok(lattice) => check(&mesh, &lattice),
            Err(error) => prop_assert!(!error.to_string().is_empty()),
        }
    }
}
