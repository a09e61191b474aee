//! Claims about real files, whose counts were taken from the files by other programs.
//!
//! The folder is named by the environment variable `SINEW_TEST_FILES`; without it each test says so and passes.
#![cfg(feature = "import")]

use std::path::PathBuf;

use sinew_elastic::mesh::import::{ImportProblem, surface_from_path, tet_from_path};
use sinew_elastic::mesh::{MeshReport, TetMesh};

fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("SINEW_TEST_FILES").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: SINEW_TEST_FILES is not set");
    }
    folder
}

#[test]
fn surfaces_have_the_counts_of_their_files() {
    let Some(folder) = folder() else { return };
    for (name, vertices, triangles) in [
        ("surface/cgal_armadillo.off", 26_002, 52_000),
        ("surface/cgal_eight.off", 315, 634),
        ("surface/cgal_elephant-with-holes.off", 2_798, 4_463),
        ("surface/cgal_elephant.off", 2_775, 5_558),
        ("surface/cgal_holes.off", 4_291, 8_288),
        ("surface/cgal_knot1.off", 3_200, 6_400),
        ("surface/cgal_man.off", 17_495, 34_986),
        ("surface/cgal_mannequin-devil.off", 12_977, 25_888),
        ("surface/cgal_mech-holes-shark.off", 5_246, 10_192),
        ("surface/cgal_mesh_with_border.off", 548, 1_014),
        ("surface/cgal_u.off", 86, 168),
        ("surface/igl_2triangles.off", 4, 2),
        ("surface/igl_3holes.off", 3_596, 7_200),
        ("surface/igl_arm.obj", 8_311, 16_618),
        ("surface/igl_bunny.off", 3_485, 6_966),
        ("surface/igl_camel_b.obj", 2_032, 3_576),
        ("surface/igl_cow.off", 2_762, 5_520),
        ("surface/igl_decimated-knight.off", 502, 1_000),
        ("surface/igl_elephant.obj", 6_034, 12_064),
        ("surface/igl_halftunnel.off", 831, 1_568),
        ("surface/igl_planexy.off", 25, 32),
        ("surface/igl_truck.obj", 2_956, 4_770),
        ("surface/meshio_elephav.obj", 623, 1_148),
        ("surface/mujoco_bunny.obj", 2_503, 4_968),
        ("surface/ods_armadillo.obj", 14_587, 29_170),
        ("surface/ods_bunny.obj", 3_301, 6_598),
        ("surface/ods_cube_no_bottom.obj", 25, 40),
        ("surface/ods_plane_holes.obj", 8_519, 16_747),
        ("surface/ods_spot_low.obj", 829, 1_654),
        ("surface/pybullet_duck.obj", 2_108, 4_212),
        ("surface/trimesh_busted.STL", 11_634, 3_878),
        ("surface/trimesh_joined_tetrahedra.obj", 5, 8),
        ("surface/trimesh_mirror.ply", 143, 286),
        ("surface/trimesh_multibody.stl", 96, 32),
        ("surface/trimesh_nancolor.obj", 8, 12),
        ("surface/trimesh_not_convex.obj", 288, 96),
        ("surface/trimesh_origin_inside.STL", 84, 28),
        ("surface/trimesh_rabbit.obj", 644, 1_252),
        ("surface/trimesh_shared.STL", 72, 24),
        ("surface/trimesh_soup.stl", 300, 100),
        ("surface/warp_spiky.obj", 26, 48),
        ("cloth/pbd_plane_50x50.obj", 2_601, 5_000),
        ("cloth/pybullet_cloth_z_up.obj", 25, 32),
        ("cloth/warp_square_cloth.obj", 2_500, 4_802),
        ("tet/igl_hand.msh", 7_234, 9_556),
        ("tet/igl_octopus-low.mesh", 452, 898),
        ("tet/meshio_cube86.mesh", 39, 72),
    ] {
        let mesh = surface_from_path(folder.join(name)).unwrap();
        assert_eq!((mesh.positions.len(), mesh.triangles.len()), (vertices, triangles), "{name}");
        mesh.cleaned().unwrap_or_else(|error| panic!("{name}: {error}"));
    }
}

#[test]
fn volumes_have_the_counts_of_their_files() {
    let Some(folder) = folder() else { return };
    for (name, vertices, cells) in [
        ("tet/pbd_armadillo_4k.node", 1_180, 3_717),
        ("tet/igl_octopus-low.mesh", 452, 1_140),
        ("tet/pybullet_ball.vtk", 600, 2_536),
        ("tet/pybullet_torus.vtk", 1_036, 4_436),
        ("tet/meshio_cube86.mesh", 39, 86),
        ("tet/meshio_mesh.ele", 89, 304),
        ("tet/igl_hand.msh", 7_234, 29_998),
    ] {
        let mesh = tet_from_path(folder.join(name)).unwrap();
        assert_eq!((mesh.positions.len(), mesh.cells.len()), (vertices, cells), "{name}");
        let clean = mesh.cleaned().unwrap();
        let report = clean.report;
        assert_eq!(
            (report.dropped_cells, report.merged, report.welded),
            (0, 0, 0),
            "{name}: {report}"
        );
        assert_eq!(
            (report.non_conforming_faces, report.overlapping_faces),
            (0, 0),
            "{name}: {report}"
        );
        assert!(report.is_closed(), "{name}: {report}");
        let (filled, enclosed) =
            (clean.mesh.volume(), clean.boundary.surface(&clean.mesh).volume());
        assert!((filled - enclosed).abs() < 1e-5 * filled, "{name}: {filled} in {enclosed}");
    }
}

#[test]
fn cube_of_86_cells_is_a_unit_cube_in_every_order() {
    // SB-04 on a real file.
    let Some(folder) = folder() else { return };
    let mesh = tet_from_path(folder.join("tet/meshio_cube86.mesh")).unwrap();
    let clean = mesh.cleaned().unwrap();
    assert!((clean.mesh.volume() - 1.0).abs() < 1e-6);
    assert_eq!(clean.boundary.surface(&clean.mesh).euler_characteristic(), 2);
    let corners = 0..4usize;
    let pairs = corners.clone().flat_map(|a| corners.clone().map(move |b| (a, b)));
    let triples = pairs.flat_map(|(a, b)| corners.clone().map(move |c| (a, b, c)));
    let distinct = triples.filter(|(a, b, c)| a != b && b != c && c != a);
    let orders: Vec<[usize; 4]> = distinct.map(|(a, b, c)| [a, b, c, 6 - a - b - c]).collect();
    assert_eq!(orders.len(), 24);
    for order in orders {
        let cells = mesh
            .cells
            .iter()
            .enumerate()
            .map(|(i, cell)| if i % 3 == 0 { order.map(|c| cell[c]) } else { *cell });
        let turned = TetMesh { positions: mesh.positions.clone(), cells: cells.collect() };
        let inverted = turned.cell_volumes().filter(|volume| *volume < 0.0).count();
        let again = turned.cleaned().unwrap();
        assert_eq!(again.report.reoriented, inverted, "{order:?}");
        assert_eq!(again.mesh, clean.mesh, "{order:?}");
    }
}

#[test]
fn faults_of_real_surfaces_are_reported() {
    let Some(folder) = folder() else { return };
    let welded = |name: &str| surface_from_path(folder.join(name)).unwrap().cleaned().unwrap();
    let none = MeshReport { components: 1, ..MeshReport::default() };
    for (name, expected) in [
        ("ods_spot_low.obj", none),
        ("cgal_elephant-with-holes.off", MeshReport { welded: 65, border_edges: 1_353, ..none }),
        ("cgal_mech-holes-shark.off", MeshReport { border_edges: 304, ..none }),
        ("cgal_holes.off", MeshReport { border_edges: 304, ..none }),
        ("igl_cow.off", MeshReport { welded: 1, non_manifold_edges: 1, ..none }),
        // A cut that welding closes.
        ("igl_camel_b.obj", MeshReport { welded: 243, ..none }),
        ("ods_plane_holes.obj", MeshReport { border_edges: 341, ..none }),
        ("mujoco_bunny.obj", MeshReport { border_edges: 42, ..none }),
        ("trimesh_soup.stl", MeshReport { components: 100, border_edges: 300, ..none }),
        // Two tetrahedra glued on a face that both have: its three edges have four triangles.
        ("trimesh_joined_tetrahedra.obj", MeshReport { non_manifold_edges: 3, ..none }),
        ("trimesh_not_convex.obj", MeshReport { welded: 244, non_manifold_edges: 12, ..none }),
        (
            "trimesh_multibody.stl",
            MeshReport { components: 2, welded: 76, inconsistent_edges: 12, ..none },
        ),
        ("trimesh_shared.STL", MeshReport { welded: 58, non_manifold_edges: 1, ..none }),
    ] {
        assert_eq!(welded(&format!("surface/{name}")).report, expected, "{name}");
    }
    let truck = surface_from_path(folder.join("surface/igl_truck.obj")).unwrap();
    let edges = truck.edge_counts();
    assert_eq!((edges.border, edges.non_manifold, edges.inconsistent), (1_388, 54, 64));
    assert_eq!(truck.components().0, 50);
    // Genus 3: two less four.
    assert_eq!(welded("surface/igl_3holes.off").mesh.euler_characteristic(), -4);
}

#[test]
fn cell_sizes_of_real_volumes_differ_as_documented() {
    let Some(folder) = folder() else { return };
    for (name, ratio) in
        [("tet/pbd_armadillo_4k.ele", 9_200.0), ("tet/igl_octopus-low.mesh", 1_500.0)]
    {
        let clean = tet_from_path(folder.join(name)).unwrap().cleaned().unwrap();
        let smallest = clean.mesh.cell_volumes().fold(f64::INFINITY, f64::min);
        let largest = clean.mesh.cell_volumes().fold(0.0, f64::max);
        assert!((largest / smallest / ratio - 1.0).abs() < 0.05, "{name}: {}", largest / smallest);
    }
}

#[test]
fn files_without_triangles_say_so() {
    let Some(folder) = folder() else { return };
    let error = surface_from_path(folder.join("surface/trimesh_empty.obj")).unwrap_err();
    assert_eq!(error.problem, ImportProblem::NoTriangles { hint: "" });
    // Its first face has two corners.
    let error = surface_from_path(folder.join("surface/trimesh_notenoughindices.obj")).unwrap_err();
    assert_eq!(error.problem, ImportProblem::TooFewCorners { corners: 2 });
}
