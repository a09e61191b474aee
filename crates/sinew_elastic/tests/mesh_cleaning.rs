//! Claims about cleaning of surfaces and tetrahedral meshes.

use glam::{DVec3, Quat, Vec3};
use proptest::prelude::*;
use sinew_elastic::mesh::{MeshError, NO_VERTEX, SplitParity, SurfaceMesh, TetMesh};

fn unit_tet() -> TetMesh {
    TetMesh { positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z], cells: vec![[0, 1, 2, 3]] }
}

/// All 24 orders of the corners of a cell.
fn orders(cell: [u32; 4]) -> Vec<[u32; 4]> {
    let mut all = Vec::new();
    for a in 0..4 {
        for b in (0..4).filter(|b| *b != a) {
            for c in (0..4).filter(|c| ![a, b].contains(c)) {
                all.push([cell[a], cell[b], cell[c], cell[6 - a - b - c]]);
            }
        }
    }
    all
}

/// A box as engines make it for drawing: each side has its own four vertices, because normals differ.
fn box_with_split_normals() -> SurfaceMesh {
    let mut mesh = SurfaceMesh::default();
    for axis in [Vec3::X, Vec3::Y, Vec3::Z] {
        for normal in [axis, -axis] {
            let u = normal.any_orthonormal_vector();
            let v = normal.cross(u);
            let first = mesh.positions.len() as u32;
            mesh.positions.extend([-u - v, u - v, u + v, v - u].map(|p| normal + p));
            mesh.triangles.extend([[first, first + 1, first + 2], [first, first + 2, first + 3]]);
        }
    }
    mesh
}

#[test]
fn box_with_split_normals_has_eight_vertices() {
    let drawn = box_with_split_normals();
    let clean = drawn.cleaned().unwrap();
    assert_eq!(clean.mesh.positions.len(), 8);
    assert_eq!(clean.mesh.triangles.len(), 12);
    assert_eq!(clean.report.welded, 16);
    assert!(clean.report.is_closed());
    assert_eq!(clean.mesh.euler_characteristic(), 2);
    assert!((clean.mesh.volume() - 8.0).abs() < 1e-6);
    assert!((clean.mesh.area() - 24.0).abs() < 1e-6);
    for (vertex, &welded) in clean.vertex_of.iter().enumerate() {
        assert_eq!(
            clean.mesh.positions[welded as usize], drawn.positions[vertex],
            "vertex {vertex}"
        );
    }
}

#[test]
fn longitude_latitude_sphere_is_closed_at_its_seam_and_poles() {
    // SB-01: as engines make it for drawing, with a column of vertices twice and each pole once a column.
    let (columns, rows) = (16u32, 9u32);
    let mut mesh = SurfaceMesh::default();
    for row in 0..=rows {
        let (ring, height) = (core::f32::consts::PI * row as f32 / rows as f32).sin_cos();
        for column in 0..=columns {
            let (sin, cos) = (core::f32::consts::TAU * column as f32 / columns as f32).sin_cos();
            mesh.positions.push(Vec3::new(ring * cos, height, -ring * sin));
        }
    }
    for row in 0..rows {
        for column in 0..columns {
            let a = row * (columns + 1) + column;
            let b = a + columns + 1;
            mesh.triangles.extend([[a, b, b + 1], [a, b + 1, a + 1]]);
        }
    }
    let clean = mesh.cleaned().unwrap();
    assert_eq!(clean.mesh.positions.len() as u32, columns * (rows - 1) + 2);
    assert_eq!(clean.report.dropped_triangles as u32, 2 * columns);
    assert!(clean.report.is_closed());
    assert_eq!(clean.mesh.euler_characteristic(), 2);
    assert!(clean.mesh.volume() > 0.0);
    for (p, &welded) in mesh.positions.iter().zip(&clean.vertex_of) {
        assert!(p.distance(clean.mesh.positions[welded as usize]) < 1e-5 * 12f32.sqrt());
    }
}

#[test]
fn seam_that_was_rounded_twice_is_closed() {
    let mut mesh = box_with_split_normals();
    for (i, p) in mesh.positions.iter_mut().enumerate() {
        p.x += if i % 2 == 0 { 2.4e-7 } else { -2.4e-7 };
    }
    assert_eq!(mesh.cleaned().unwrap().mesh.positions.len(), 8);
}

#[test]
fn parts_a_thousandth_apart_stay_apart() {
    let mut mesh = box_with_split_normals();
    let second = box_with_split_normals();
    mesh.triangles.extend(second.triangles.iter().map(|t| t.map(|v| v + 24)));
    mesh.positions.extend(second.positions.iter().map(|p| *p + Vec3::X * 2.001));
    let clean = mesh.cleaned().unwrap();
    assert_eq!(clean.mesh.positions.len(), 16);
    assert_eq!(clean.report.components, 2);
    let (count, labels) = clean.mesh.components();
    assert_eq!((count, labels[0], labels[23]), (2, 0, 1));
}

#[test]
fn flat_duplicate_and_unused_parts_are_dropped_and_counted() {
    let mut mesh = SurfaceMesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::splat(9.0), Vec3::X * 2.0, Vec3::Z],
        triangles: vec![[0, 1, 2], [1, 2, 0], [0, 1, 4], [0, 0, 2], [0, 1, 5]],
    };
    let clean = mesh.cleaned().unwrap();
    assert_eq!(clean.mesh.triangles, [[0, 1, 2], [0, 1, 3]]);
    assert_eq!(clean.triangle_from, [0, 4]);
    assert_eq!(clean.vertex_of, [0, 1, 2, NO_VERTEX, NO_VERTEX, 3]);
    let report = clean.report;
    assert_eq!((report.dropped_triangles, report.merged, report.unreferenced), (2, 1, 2));
    // Both triangles run along their common edge the same way, so one is inside out.
    assert_eq!(
        (report.inconsistent_edges, report.border_edges, report.non_manifold_edges),
        (1, 4, 0)
    );
    let text = report.to_string();
    assert!(text.starts_with("1 part, ") && text.contains("2 flat triangles dropped"), "{text}");

    // Back to back is a thin sheet, not a duplicate.
    mesh.triangles = vec![[0, 1, 2], [0, 2, 1]];
    let sheet = mesh.cleaned().unwrap();
    assert_eq!(
        (sheet.mesh.triangles.len(), sheet.report.merged, sheet.report.border_edges),
        (2, 0, 0)
    );
}

#[test]
fn edge_with_three_triangles_is_non_manifold() {
    let mesh = SurfaceMesh {
        positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z, -Vec3::Y],
        triangles: vec![[0, 1, 2], [1, 0, 3], [0, 1, 4]],
    };
    let counts = mesh.edge_counts();
    assert_eq!(
        (counts.edges, counts.border, counts.non_manifold, counts.inconsistent),
        (7, 6, 1, 0)
    );
}

#[test]
fn unusable_surfaces_are_named() {
    let triangle =
        SurfaceMesh { positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y], triangles: vec![[0, 1, 2]] };
    let with = |change: &dyn Fn(&mut SurfaceMesh)| {
        let mut mesh = triangle.clone();
        change(&mut mesh);
        mesh.cleaned().unwrap_err()
    };
    assert_eq!(SurfaceMesh::default().cleaned().unwrap_err(), MeshError::NoVertices);
    assert_eq!(with(&|m| m.triangles.clear()), MeshError::NoTriangles);
    assert!(matches!(
        with(&|m| m.positions[1].y = f32::NAN),
        MeshError::NonFinite { vertex: 1, .. }
    ));
    assert!(matches!(
        with(&|m| m.positions[2].z = f32::INFINITY),
        MeshError::NonFinite { vertex: 2, .. }
    ));
    let out_of_range = MeshError::IndexOutOfRange { element: 0, index: 3, vertices: 3 };
    assert_eq!(with(&|m| m.triangles[0][2] = 3), out_of_range);
    // A scale of 0 on one axis.
    assert_eq!(with(&|m| m.positions[2].y = 0.0), MeshError::AllDegenerate { dropped: 1 });
    assert_eq!(with(&|m| m.positions.fill(Vec3::ONE)), MeshError::AllDegenerate { dropped: 1 });
}

#[test]
fn unusable_cells_are_named() {
    let with = |change: &dyn Fn(&mut TetMesh)| {
        let mut mesh = unit_tet();
        change(&mut mesh);
        mesh.cleaned().unwrap_err()
    };
    assert_eq!(TetMesh::default().cleaned().unwrap_err(), MeshError::NoVertices);
    assert_eq!(with(&|m| m.cells.clear()), MeshError::NoCells);
    assert!(matches!(
        with(&|m| m.positions[3].x = f32::NEG_INFINITY),
        MeshError::NonFinite { vertex: 3, .. }
    ));
    let out_of_range = MeshError::IndexOutOfRange { element: 0, index: 7, vertices: 4 };
    assert_eq!(with(&|m| m.cells[0][0] = 7), out_of_range);
    assert_eq!(with(&|m| m.positions[3].z = 0.0), MeshError::AllDegenerate { dropped: 1 });
    assert_eq!(with(&|m| m.positions[3].z = 1e-7), MeshError::AllDegenerate { dropped: 1 });
}

#[test]
fn inverted_cells_are_turned_round_in_all_24_orders() {
    // SB-04: the mirrored order used to explode, or to be dropped.
    let expected = unit_tet().cleaned().unwrap();
    let mut turned = 0;
    for cell in orders([0, 1, 2, 3]) {
        let given = TetMesh { cells: vec![cell], ..unit_tet() };
        let is_inverted = given.volume() < 0.0;
        let clean = given.cleaned().unwrap();
        assert_eq!(clean.mesh, expected.mesh, "{cell:?}");
        assert_eq!(clean.boundary, expected.boundary, "{cell:?}");
        assert_eq!(clean.report.reoriented, usize::from(is_inverted), "{cell:?}");
        assert!((clean.mesh.volume() - 1.0 / 6.0).abs() < 1e-12);
        turned += clean.report.reoriented;
    }
    assert_eq!(turned, 12);
}

#[test]
fn sliver_duplicate_and_unused_parts_are_dropped_and_counted() {
    let mut mesh = unit_tet();
    mesh.positions.extend([
        Vec3::splat(7.0),
        Vec3::ONE,
        Vec3::new(0.5, 0.5, 0.0),
        Vec3::new(1e-7, 0.0, 0.0),
    ]);
    // As given, its mirror image, flat, a corner twice after welding, and a neighbour.
    mesh.cells = vec![[0, 1, 2, 3], [7, 2, 1, 3], [0, 1, 2, 6], [0, 7, 1, 2], [1, 2, 3, 5]];
    let clean = mesh.cleaned().unwrap();
    assert_eq!(clean.cell_from, [0, 4]);
    assert_eq!(clean.vertex_of, [0, 1, 2, 3, NO_VERTEX, 4, NO_VERTEX, 0]);
    let report = clean.report;
    assert_eq!((report.welded, report.unreferenced), (1, 2));
    assert_eq!((report.dropped_cells, report.merged, report.components), (2, 1, 1));
    assert_eq!(clean.boundary.triangles.len(), 6);
}

#[test]
fn cells_joined_on_three_or_on_the_same_side_are_counted() {
    let mut mesh = unit_tet();
    // A second cell on the same side of the face 0 1 2.
    mesh.positions.push(Vec3::new(0.2, 0.2, 2.0));
    mesh.cells.push([0, 1, 2, 4]);
    assert_eq!(mesh.cleaned().unwrap().report.overlapping_faces, 1);
    // A third below.
    mesh.positions.push(Vec3::NEG_Z);
    mesh.cells.push([0, 1, 2, 5]);
    assert_eq!(mesh.cleaned().unwrap().report.overlapping_faces, 1);
    // Above and below alone is a plain joint.
    mesh.cells.remove(1);
    assert_eq!(mesh.cleaned().unwrap().report.overlapping_faces, 0);
}

/// Some unit cubes in a row along x, each split into five cells; `mirrored` tells which cut the even corners.
fn row_of_cubes(mirrored: &[bool]) -> TetMesh {
    let mut mesh = TetMesh::default();
    for (i, mirrored) in mirrored.iter().enumerate() {
        let parity = if *mirrored { SplitParity::Odd } else { SplitParity::Even };
        let cube = TetMesh::cuboid([2, 2, 2], Vec3::ONE, parity).unwrap();
        let first = mesh.positions.len() as u32;
        mesh.cells.extend(cube.cells.iter().map(|cell| cell.map(|v| v + first)));
        mesh.positions.extend(cube.positions.iter().map(|p| *p + Vec3::X * i as f32));
    }
    mesh
}

#[test]
fn skin_of_a_conforming_mesh_is_a_closed_surface() {
    // SB-35, the matched pattern.
    let clean = row_of_cubes(&[false, true, false]).cleaned().unwrap();
    let skin = clean.boundary.surface(&clean.mesh);
    assert_eq!(clean.report.non_conforming_faces, 0);
    assert_eq!(skin.triangles.len(), (3 * 4 + 2) * 2);
    assert_eq!(skin.euler_characteristic(), 2);
    assert!(clean.report.is_closed());
    assert_eq!((clean.report.non_manifold_edges, clean.report.inconsistent_edges), (0, 0));
    assert!((skin.volume() - 3.0).abs() < 1e-6, "faces must look outwards");
}

#[test]
fn faces_cut_along_different_diagonals_are_reported_and_not_skin() {
    // SB-35, the same pattern in each cube: two joints with two faces on either side.
    let clean = row_of_cubes(&[false, false, false]).cleaned().unwrap();
    assert_eq!(clean.report.non_conforming_faces, 8);
    let skin = clean.boundary.surface(&clean.mesh);
    assert_eq!(skin.triangles.len(), (3 * 4 + 2) * 2);
    assert_eq!(skin.euler_characteristic(), 2);
    assert!((skin.volume() - 3.0).abs() < 1e-6);
    for face in &clean.boundary.non_conforming {
        let x = face.map(|v| clean.mesh.positions[v as usize].x);
        assert!(x == [0.5; 3] || x == [1.5; 3], "{x:?}");
    }
    // Turned and moved, so that no plane is along an axis.
    let mut turned = row_of_cubes(&[false, false, true, true]);
    for p in &mut turned.positions {
        *p = Quat::from_rotation_y(0.7).mul_vec3(Quat::from_rotation_x(1.1).mul_vec3(*p)) * 0.01
            + Vec3::splat(0.3);
    }
    assert_eq!(turned.cleaned().unwrap().report.non_conforming_faces, 8);
}

#[test]
fn big_face_on_small_ones_is_non_conforming() {
    // One cube of edge 2 beside 2 x 2 cubes of edge 1.
    let mut mesh = TetMesh::cuboid([2, 2, 2], Vec3::splat(2.0), SplitParity::Even).unwrap();
    let small = TetMesh::cuboid([2, 3, 3], Vec3::ONE, SplitParity::Even).unwrap();
    mesh.cells.extend(small.cells.iter().map(|cell| cell.map(|v| v + 8)));
    mesh.positions.extend(small.positions.iter().map(|p| *p + Vec3::X * 1.5));
    let clean = mesh.cleaned().unwrap();
    assert_eq!(clean.report.non_conforming_faces, 2 + 8);
    assert!((clean.boundary.surface(&clean.mesh).volume() - 12.0).abs() < 1e-6);
}

#[test]
fn opposite_sides_of_a_thin_plate_are_skin() {
    let plate = TetMesh::cuboid([5, 2, 5], Vec3::new(1.0, 1e-3, 1.0), SplitParity::Even).unwrap();
    assert_eq!(plate.cleaned().unwrap().report.non_conforming_faces, 0);
}

/// Six times the volume, in exact enough arithmetic and another formula than the library's.
fn six_volumes(mesh: &TetMesh, cell: [u32; 4]) -> f64 {
    let p: Vec<DVec3> = cell.iter().map(|v| mesh.positions[*v as usize].as_dvec3()).collect();
    glam::DMat3::from_cols(p[1] - p[0], p[2] - p[0], p[3] - p[0]).determinant()
}

proptest! {
    #![proptest_config(ProptestConfig { failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_surface_is_cleaned_unless_all_is_flat(
        points in prop::collection::vec(prop::array::uniform3(prop_oneof![
            99 => (-4i8..4).prop_map(f32::from),
            1 => prop::num::f32::NORMAL,
        ]), 1..40),
        triangles in prop::collection::vec(prop::array::uniform3(any::<prop::sample::Index>()), 1..60),
    ) {
        let triangles = triangles.iter().map(|t| t.map(|v| v.index(points.len()) as u32)).collect();
        let mesh = SurfaceMesh { positions: points.into_iter().map(Vec3::from_array).collect(), triangles };
        let clean = match mesh.cleaned() {
            Ok(clean) => clean,
            Err(error) => {
                prop_assert!(matches!(error, MeshError::AllDegenerate { .. }), "{error}");
                return Ok(());
            }
        };
        let used: std::collections::BTreeSet<u32> = clean.mesh.triangles.iter().flatten().copied().collect();
        prop_assert_eq!(used.len(), clean.mesh.positions.len());
        prop_assert_eq!(used.last().map(|v| *v as usize + 1), Some(used.len()));
        prop_assert_eq!(clean.vertex_of.len(), mesh.positions.len());
        for (triangle, from) in clean.mesh.triangles.iter().zip(&clean.triangle_from) {
            prop_assert_eq!(*triangle, mesh.triangles[*from as usize].map(|v| clean.vertex_of[v as usize]));
        }
        let report = clean.report;
        prop_assert_eq!(mesh.triangles.len(), clean.mesh.triangles.len() + report.dropped_triangles + report.merged);
        prop_assert_eq!(mesh.positions.len(), clean.mesh.positions.len() + report.welded + report.unreferenced);
        let again = clean.mesh.cleaned().unwrap();
        prop_assert!(again.report.is_unchanged(), "{}", again.report);
        prop_assert_eq!(again.mesh, clean.mesh);
    }

    #[test]
    fn any_cells_are_cleaned_unless_all_are_flat(
        points in prop::collection::vec(prop::array::uniform3(prop_oneof![
            99 => (-3i8..3).prop_map(f32::from),
            1 => -1e9f32..1e9,
        ]), 1..30),
        cells in prop::collection::vec(prop::array::uniform4(any::<prop::sample::Index>()), 1..60),
    ) {
        let cells = cells.iter().map(|t| t.map(|v| v.index(points.len()) as u32)).collect();
        let mesh = TetMesh { positions: points.into_iter().map(Vec3::from_array).collect(), cells };
        let clean = match mesh.cleaned() {
            Ok(clean) => clean,
            Err(error) => {
                prop_assert!(matches!(error, MeshError::AllDegenerate { .. }), "{error}");
                return Ok(());
            }
        };
        for cell in &clean.mesh.cells {
            prop_assert!(six_volumes(&clean.mesh, *cell) > 0.0);
            prop_assert!(cell[0] < cell[1] && cell[1] < cell[2].min(cell[3]));
        }
        let report = clean.report;
        prop_assert_eq!(mesh.cells.len(), clean.mesh.cells.len() + report.dropped_cells + report.merged);
        prop_assert_eq!(mesh.positions.len(), clean.mesh.positions.len() + report.welded + report.unreferenced);
        let again = clean.mesh.cleaned().unwrap();
        prop_assert!(again.report.is_unchanged(), "{}", again.report);
        prop_assert_eq!(again.mesh, clean.mesh);
    }
}
