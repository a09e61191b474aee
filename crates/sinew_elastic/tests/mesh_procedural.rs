//! Claims about the ready-made shapes: closed, facing outwards, positive volumes, sizes as in the maths.

use core::f64::consts::{PI, TAU};

use glam::Vec3;
use sinew_elastic::mesh::{CleanTet, ShapeError, SplitParity, SurfaceMesh, TetMesh};

/// Checks that a surface is closed, manifold, wound alike and free of faults.
fn assert_sound(name: &str, surface: &SurfaceMesh, euler: i64) {
    let report = surface.cleaned().unwrap().report;
    assert!(report.is_unchanged() && report.is_closed(), "{name}: {report}");
    assert_eq!(
        (report.components, report.non_manifold_edges, report.inconsistent_edges),
        (1, 0, 0),
        "{name}"
    );
    assert_eq!(surface.euler_characteristic(), euler, "{name}");
    assert!(surface.volume() > 0.0, "{name} must face outwards");
}

/// Checks that cells have volume and fill exactly what their skin encloses.
fn assert_filled(name: &str, mesh: &TetMesh, euler: i64) -> CleanTet {
    let smallest = mesh.cell_volumes().fold(f64::INFINITY, f64::min);
    assert!(smallest > 0.0, "{name}: {smallest}");
    let clean = mesh.cleaned().unwrap();
    assert!(clean.report.is_unchanged(), "{name}: {}", clean.report);
    assert_eq!(
        (clean.report.non_conforming_faces, clean.report.overlapping_faces),
        (0, 0),
        "{name}"
    );
    let skin = clean.boundary.surface(&clean.mesh);
    assert_sound(name, &skin, euler);
    let (filled, enclosed) = (mesh.volume(), skin.volume());
    assert!((filled - enclosed).abs() < 1e-6 * enclosed, "{name}: {filled} in {enclosed}");
    clean
}

fn assert_close(name: &str, value: f64, expected: f64, relative: f64) {
    assert!(
        (value - expected).abs() <= relative * expected,
        "{name}: {value}, expected {expected}"
    );
}

/// Area of a regular polygon with its corners on a circle.
fn polygon_area(corners: u32, radius: f64) -> f64 {
    0.5 * f64::from(corners) * radius * radius * (TAU / f64::from(corners)).sin()
}

#[test]
fn box_surface_has_the_size_asked_for() {
    for segments in [[1, 1, 1], [3, 1, 2], [4, 5, 6]] {
        let mesh = SurfaceMesh::cuboid(Vec3::new(1.0, 2.0, 3.0), segments).unwrap();
        let [x, y, z] = segments;
        assert_eq!(mesh.triangles.len() as u32, 4 * (x * y + y * z + z * x));
        assert_sound("box", &mesh, 2);
        assert_close("volume", mesh.volume(), 6.0, 1e-6);
        assert_close("area", mesh.area(), 22.0, 1e-6);
        assert_eq!(mesh.bounds(), Some((Vec3::new(-0.5, -1.0, -1.5), Vec3::new(0.5, 1.0, 1.5))));
    }
}

#[test]
fn cylinder_surface_is_a_prism_over_a_regular_polygon() {
    for (around, layers, rings) in [(3, 1, 1), (8, 3, 2), (32, 10, 4)] {
        let mesh = SurfaceMesh::cylinder(0.5, 2.0, around, layers, rings).unwrap();
        assert_sound("cylinder", &mesh, 2);
        assert_close("volume", mesh.volume(), 2.0 * polygon_area(around, 0.5), 1e-5);
        let side = 2.0 * (PI / f64::from(around)).sin() * 0.5;
        assert_close(
            "area",
            mesh.area(),
            2.0 * polygon_area(around, 0.5) + f64::from(around) * side * 2.0,
            1e-5,
        );
    }
}

#[test]
fn torus_surface_has_one_handle_and_the_volume_of_pappus() {
    let mesh = SurfaceMesh::torus(1.0, 0.3, 96, 64).unwrap();
    assert_sound("torus", &mesh, 0);
    assert_close("volume", mesh.volume(), 2.0 * PI * PI * 0.09, 5e-3);
    assert_close("area", mesh.area(), 4.0 * PI * PI * 0.3, 5e-3);
    assert_sound("small torus", &SurfaceMesh::torus(1.0, 0.3, 3, 3).unwrap(), 0);
}

#[test]
fn sphere_surface_has_no_poles_and_the_volume_of_a_ball() {
    for segments in [1, 2, 7] {
        assert_sound("sphere", &SurfaceMesh::sphere(2.0, segments).unwrap(), 2);
    }
    let mesh = SurfaceMesh::sphere(2.0, 24).unwrap();
    assert_close("volume", mesh.volume(), 4.0 / 3.0 * PI * 8.0, 5e-3);
    assert_close("area", mesh.area(), 16.0 * PI, 5e-3);
    for p in &mesh.positions {
        assert!((p.length() - 2.0).abs() < 1e-5);
    }
    // At a pole of a longitude-latitude sphere this many triangles would meet; here six at most do.
    let mut meetings = vec![0; mesh.positions.len()];
    mesh.triangles.iter().flatten().for_each(|v| meetings[*v as usize] += 1);
    assert!(meetings.iter().all(|n| (3..=8).contains(n)), "{:?}", meetings.iter().max());
}

/// Sizes of the 1-rings: each vertex with all those that share a cell with it.
fn ring_sizes(mesh: &TetMesh) -> Vec<usize> {
    let mut rings = vec![std::collections::BTreeSet::new(); mesh.positions.len()];
    for cell in &mesh.cells {
        for v in cell {
            rings[*v as usize].extend(*cell);
        }
    }
    rings.iter().map(std::collections::BTreeSet::len).collect()
}

#[test]
fn cuboid_of_the_paper_has_its_counts() {
    // elastic fixture BOX: 225 nodes, 640 cells, 2,273 incidences, regions of 4 or 5 to 19.
    for (parity, smallest) in [(SplitParity::Even, 4), (SplitParity::Odd, 5)] {
        let mesh = TetMesh::cuboid([5, 9, 5], Vec3::splat(0.125), parity).unwrap();
        assert_eq!((mesh.positions.len(), mesh.cells.len()), (225, 640));
        let rings = ring_sizes(&mesh);
        assert_eq!(rings.iter().sum::<usize>(), 2_273);
        assert_eq!((rings.iter().min(), rings.iter().max()), (Some(&smallest), Some(&19)));
        assert_close("volume", mesh.volume(), 0.5 * 1.0 * 0.5, 1e-6);
        assert_filled("cuboid", &mesh, 2);
    }
}

#[test]
fn cuboid_vertices_are_numbered_x_first() {
    let mesh = TetMesh::cuboid([3, 4, 5], Vec3::new(1.0, 2.0, 3.0), SplitParity::Even).unwrap();
    assert_eq!(mesh.positions[1 + 3 * (2 + 4 * 3)], Vec3::new(0.0, 1.0, 3.0));
}

#[test]
fn cylinder_is_filled() {
    for (rings, layers) in [(1, 1), (2, 5), (5, 12)] {
        let mesh = TetMesh::cylinder(0.5, 2.0, rings, layers).unwrap();
        assert_eq!(mesh.positions.len() as u32, (1 + 3 * rings * (rings + 1)) * (layers + 1));
        assert_eq!(mesh.cells.len() as u32, 18 * rings * rings * layers);
        assert_filled("cylinder", &mesh, 2);
        assert_close("volume", mesh.volume(), 2.0 * polygon_area(6 * rings, 0.5), 1e-5);
    }
}

#[test]
fn torus_is_filled() {
    for (rings, around) in [(1, 3), (2, 7), (4, 24)] {
        let mesh = TetMesh::torus(1.0, 0.3, rings, around).unwrap();
        assert_eq!(mesh.positions.len() as u32, (1 + 3 * rings * (rings + 1)) * around);
        assert_filled("torus", &mesh, 0);
        // Straight pieces between planes through the axis: chord times projected area, integrated over the disc.
        let n = f64::from(around);
        assert_close(
            "volume",
            mesh.volume(),
            n * (TAU / n).sin() * polygon_area(6 * rings, 0.3),
            1e-5,
        );
    }
}

#[test]
fn ball_is_filled_and_nears_the_volume_of_a_sphere() {
    let mut gap = f64::INFINITY;
    for layers in 1..=10 {
        let mesh = TetMesh::sphere(2.0, layers).unwrap();
        let clean = assert_filled("ball", &mesh, 2);
        for v in clean.boundary.triangles.iter().flatten() {
            assert!((clean.mesh.positions[*v as usize].length() - 2.0).abs() < 1e-5);
        }
        let new_gap = 1.0 - mesh.volume() / (4.0 / 3.0 * PI * 8.0);
        assert!(new_gap > 0.0 && new_gap < gap);
        gap = new_gap;
        // No slivers: the worst cell is within a factor of the middle one.
        let mut volumes: Vec<f64> = mesh.cell_volumes().collect();
        volumes.sort_by(f64::total_cmp);
        assert!(
            volumes[0] > 0.1 * volumes[volumes.len() / 2],
            "{layers} layers: {} of {}",
            volumes[0],
            volumes[volumes.len() / 2]
        );
    }
    assert!(gap < 0.02, "{gap}");
}

#[test]
fn impossible_shapes_are_refused() {
    let length = |name| move |result: Result<(), ShapeError>| matches!(result, Err(ShapeError::Length { name: n, .. }) if n == name);
    for bad in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e-42] {
        assert!(length("size.y")(SurfaceMesh::cuboid(Vec3::new(1.0, bad, 1.0), [1; 3]).map(drop)));
        assert!(length("radius")(SurfaceMesh::sphere(bad, 3).map(drop)));
        assert!(length("height")(SurfaceMesh::cylinder(1.0, bad, 3, 1, 1).map(drop)));
        assert!(length("spacing.z")(
            TetMesh::cuboid([2; 3], Vec3::new(1.0, 1.0, bad), SplitParity::Even).map(drop)
        ));
        assert!(length("radius")(TetMesh::sphere(bad, 3).map(drop)));
        assert!(length("radius")(TetMesh::cylinder(bad, 1.0, 1, 1).map(drop)));
        assert!(length("tube_radius")(TetMesh::torus(1.0, bad, 1, 3).map(drop)));
    }
    let count = |result: Result<(), ShapeError>| matches!(result, Err(ShapeError::Count { .. }));
    assert!(count(SurfaceMesh::cuboid(Vec3::ONE, [1, 1, 0]).map(drop)));
    assert!(count(SurfaceMesh::sphere(1.0, 0).map(drop)));
    assert!(count(SurfaceMesh::cylinder(1.0, 1.0, 2, 1, 1).map(drop)));
    assert!(count(SurfaceMesh::torus(1.0, 0.5, 2, 3).map(drop)));
    assert!(count(TetMesh::cuboid([2, 1, 2], Vec3::ONE, SplitParity::Even).map(drop)));
    assert!(count(TetMesh::cylinder(1.0, 1.0, 0, 1).map(drop)));
    assert!(count(TetMesh::torus(1.0, 0.5, 1, 2).map(drop)));
    assert!(count(TetMesh::sphere(1.0, 0).map(drop)));
    assert!(matches!(TetMesh::torus(1.0, 1.0, 1, 3), Err(ShapeError::TubeTooThick { .. })));
    let too_many =
        |result: Result<(), ShapeError>| matches!(result, Err(ShapeError::TooManyVertices { .. }));
    assert!(too_many(SurfaceMesh::cuboid(Vec3::ONE, [u32::MAX; 3]).map(drop)));
    assert!(too_many(SurfaceMesh::cylinder(1.0, 1.0, u32::MAX, u32::MAX, u32::MAX).map(drop)));
    assert!(too_many(SurfaceMesh::torus(1.0, 0.5, u32::MAX, u32::MAX).map(drop)));
    assert!(too_many(TetMesh::cuboid([u32::MAX; 3], Vec3::ONE, SplitParity::Odd).map(drop)));
    assert!(too_many(TetMesh::cylinder(1.0, 1.0, u32::MAX, u32::MAX).map(drop)));
    assert!(too_many(TetMesh::torus(1.0, 0.5, u32::MAX, u32::MAX).map(drop)));
    assert!(too_many(TetMesh::sphere(1.0, u32::MAX).map(drop)));
}
