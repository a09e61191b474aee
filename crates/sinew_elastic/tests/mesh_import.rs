//! Claims about reading of meshes: what small hand-made files give, and where faulty ones are said to be faulty.
#![cfg(feature = "import")]

#[path = "mesh_support/samples.rs"]
mod samples;

use glam::Vec3;
use samples::{Layout, gmsh_2, gmsh_4, ply, stl, vtk, vtk_5};
use sinew_elastic::mesh::import::{
    Format, ImportError, ImportProblem, Place, positions_from_node, surface_from_bytes,
    surface_from_path, tet_from_bytes, tet_from_path, tet_from_tetgen,
};
use sinew_elastic::mesh::{SurfaceMesh, TetMesh};

/// The corner of a cube: what each sample file holds, four triangles or one cell.
fn corner() -> (SurfaceMesh, TetMesh) {
    let positions = samples::POSITIONS.map(Vec3::from_array).to_vec();
    let surface =
        SurfaceMesh { positions: positions.clone(), triangles: samples::TRIANGLES.to_vec() };
    (surface, TetMesh { positions, cells: vec![samples::CELL] })
}

fn surface(format: Format, text: &str) -> Result<SurfaceMesh, ImportError> {
    surface_from_bytes(format, text.as_bytes())
}

#[test]
fn surface_formats_agree() {
    let (expected, _) = corner();
    let read = |format, bytes: &[u8]| surface_from_bytes(format, bytes).unwrap();
    assert_eq!(read(Format::Obj, samples::OBJ.as_bytes()), expected);
    assert_eq!(read(Format::Off, samples::OFF.as_bytes()), expected);
    assert_eq!(read(Format::Medit, samples::MEDIT.as_bytes()), expected);
    for layout in [Layout::Text, Layout::Little, Layout::Big] {
        assert_eq!(read(Format::Ply, &ply(layout)), expected, "{layout:?}");
        assert_eq!(read(Format::Gmsh, &gmsh_2(layout)), expected, "{layout:?}");
        assert_eq!(read(Format::Gmsh, &gmsh_4(layout)), expected, "{layout:?}");
    }
    for layout in [Layout::Text, Layout::Big] {
        assert_eq!(read(Format::Vtk, &vtk(layout)), expected, "{layout:?}");
        assert_eq!(read(Format::Vtk, &vtk_5(layout)), expected, "{layout:?}");
    }
    for layout in [Layout::Text, Layout::Little] {
        // Each triangle has its own corners until they are welded.
        let soup = read(Format::Stl, &stl(layout));
        assert_eq!((soup.positions.len(), soup.triangles.len()), (12, 4));
        let clean = soup.cleaned().unwrap();
        assert_eq!((clean.mesh.positions.len(), clean.report.border_edges), (4, 0));
        assert!((clean.mesh.volume() - 1.0 / 6.0).abs() < 1e-7, "{layout:?}");
    }
}

#[test]
fn volume_formats_agree() {
    let (_, expected) = corner();
    assert_eq!(tet_from_bytes(Format::Medit, samples::MEDIT.as_bytes()).unwrap(), expected);
    assert_eq!(
        tet_from_tetgen(samples::NODE.as_bytes(), samples::ELE.as_bytes()).unwrap(),
        expected
    );
    for layout in [Layout::Text, Layout::Little, Layout::Big] {
        assert_eq!(tet_from_bytes(Format::Gmsh, &gmsh_2(layout)).unwrap(), expected, "{layout:?}");
        assert_eq!(tet_from_bytes(Format::Gmsh, &gmsh_4(layout)).unwrap(), expected, "{layout:?}");
    }
    for layout in [Layout::Text, Layout::Big] {
        assert_eq!(tet_from_bytes(Format::Vtk, &vtk(layout)).unwrap(), expected, "{layout:?}");
        assert_eq!(tet_from_bytes(Format::Vtk, &vtk_5(layout)).unwrap(), expected, "{layout:?}");
    }
}

#[test]
fn tetgen_numbers_may_start_anywhere_and_be_shuffled() {
    let (_, expected) = corner();
    let shuffled = "# made by hand\n4 3 1 1\n 4 0 0 1 9.5 1\n 2 1 0 0 9.5 1\n\n 1 0 0 0 9.5 0 # the corner\n 3 0 1 0 9.5 1\n";
    let cells = "1 4 1\n1 1 2 3 4 77\n# end\n";
    assert_eq!(tet_from_tetgen(shuffled.as_bytes(), cells.as_bytes()).unwrap(), expected);
    assert_eq!(positions_from_node(shuffled.as_bytes()).unwrap(), expected.positions);
}

#[test]
fn polygons_become_fans() {
    let square = "v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\n";
    let mesh = surface(Format::Obj, &format!("{square}f 1 2 3 4\n")).unwrap();
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 2, 3]]);
    let pentagon = "OFF 5 1 5\n0 0 0\n1 0 0\n2 1 0\n1 2 0\n0 1 0\n5 0 1 2 3 4 0.5 0.5 0.5\n";
    assert_eq!(
        surface(Format::Off, pentagon).unwrap().triangles,
        [[0, 1, 2], [0, 2, 3], [0, 3, 4]]
    );
    let strip = "# vtk DataFile Version 3.0\nstrip\nASCII\nDATASET POLYDATA\nPOINTS 4 float\n0 0 0 1 0 0 0 1 0 1 1 0\nTRIANGLE_STRIPS 1 5\n4 0 1 2 3\n";
    assert_eq!(surface(Format::Vtk, strip).unwrap().triangles, [[0, 1, 2], [2, 1, 3]]);
    let quads = "MeshVersionFormatted 2 Dimension 3 Vertices 4 0 0 0 1 1 0 0 1 1 1 0 1 0 1 0 1 Corners 2 1 2 Quadrilaterals 1 1 2 3 4 5 End";
    assert_eq!(surface(Format::Medit, quads).unwrap().triangles, [[0, 1, 2], [0, 2, 3]]);
}

#[test]
fn obj_has_its_odd_corners() {
    // Counting back, all forms of a corner, groups that share vertices, colours, a continued line, vertices after use.
    let text = "\u{feff}mtllib a.mtl\no one\nv 0 0 0 0.1 0.2 0.3\r\nv 1 0 0\nv 0 1 0\nvn 0 0 1\nvt 0 0\nf -3 -2 -1\n\
                g two\nf 1/1 2/1/1 3//1\nl 1 2\nf 1 \\\n 2 4 # later\nv 0 0 1";
    let mesh = surface(Format::Obj, text).unwrap();
    assert_eq!(mesh.positions.len(), 4);
    assert_eq!(mesh.triangles, [[0, 1, 2], [0, 1, 2], [0, 1, 3]]);
}

#[test]
fn off_has_its_odd_headers() {
    let body = "0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n";
    for header in ["OFF\n3 1\n", "OFF 3 1 0\n", "3 1 0\n", "# hand made\nOFF\n\n3 1 3 # counts\n"] {
        assert_eq!(
            surface(Format::Off, &format!("{header}{body}")).unwrap().triangles,
            [[0, 1, 2]],
            "{header}"
        );
    }
    let coloured =
        "COFF\n3 1 0\n0 0 0 255 0 0 255\n1 0 0 255 0 0 255\n0 1 0 255 0 0 255\n3 0 1 2\n";
    assert_eq!(surface(Format::Off, coloured).unwrap().positions[2], Vec3::Y);
}

#[test]
fn stl_reads_all_solids_and_skips_nan_normals() {
    let facet = "facet normal nan nan nan\nouter loop\nvertex 0 0 0\nvertex 1 0 0\nvertex 0 1 0\nendloop\nendfacet\n";
    let text = format!("solid\n{facet}endsolid\nSOLID b\n{}endsolid b\n", facet.to_uppercase());
    assert_eq!(surface(Format::Stl, &text).unwrap().triangles.len(), 2);
}

#[test]
fn binary_stl_may_begin_with_the_word_of_text_files() {
    let mut bytes = stl(Layout::Little);
    bytes[..6].copy_from_slice(b"solid ");
    assert_eq!(surface_from_bytes(Format::Stl, &bytes).unwrap().triangles.len(), 4);
}

#[test]
fn fortran_exponents_are_numbers() {
    let text = "OFF 3 1 0\n0.0D+00 0 0\n1.5D-01 0 0\n0 1d1 0\n3 0 1 2\n";
    let mesh = surface(Format::Off, text).unwrap();
    assert_eq!((mesh.positions[1].x, mesh.positions[2].y), (0.15, 10.0));
}

#[test]
fn errors_say_where_and_why() {
    let place = |format, text: &str| surface(format, text).unwrap_err().place;
    let line = |format, text: &str| match place(format, text) {
        Place::Line(line) => line,
        other => panic!("{other:?} is no line"),
    };
    assert_eq!(line(Format::Obj, "v 0 0 0\nv 1 0\n"), 2);
    assert_eq!(line(Format::Obj, "v 0 0 0\n\nv 1 0 zero\n"), 3);
    assert_eq!(line(Format::Obj, "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 4\n"), 4);
    assert_eq!(line(Format::Obj, "v 0 0 0\nv 1 0 0\nf 1 2\n"), 3);
    assert_eq!(line(Format::Obj, "v 0 0 0\nf 1 1 0\n"), 2);
    assert_eq!(line(Format::Off, "OFF\n1 1 0\n0 0 0\n3 0 0 1\n"), 4);
    assert_eq!(line(Format::Off, "OFF\n2 1 0\n0 0 0\n"), 4);
    assert_eq!(line(Format::Medit, "MeshVersionFormatted 1\nDimension 2\n"), 2);
    assert_eq!(
        line(
            Format::Stl,
            "solid x\nfacet normal 0 0 1\nouter loop\nvertex 0 0 0\nendloop\nendfacet\n"
        ),
        6
    );
    assert_eq!(
        line(Format::Vtk, "# vtk DataFile Version 2.0\nx\nASCII\nDATASET RECTILINEAR_GRID\n"),
        4
    );
    assert_eq!(line(Format::Gmsh, "$MeshFormat\n4.0 0 8\n$EndMeshFormat\n$Nodes\n"), 4);
    assert_eq!(line(Format::Ply, "ply\nformat ascii 1.0\nelement vertex one\n"), 3);

    let error = surface(Format::Off, "OFF 3 1 0\n0 0 0\n1 0 0\n0 inf 0\n3 0 1 2\n").unwrap_err();
    assert_eq!(
        (error.place, error.problem),
        (Place::Element("vertex", 2), ImportProblem::NonFinite)
    );
    let error = surface(Format::Obj, "v 1e39 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n").unwrap_err();
    assert_eq!(
        (error.place, error.problem),
        (Place::Element("vertex", 0), ImportProblem::NonFinite)
    );
    let error = tet_from_tetgen(samples::NODE.as_bytes(), b"1 4 0\n0 0 1 2 4\n").unwrap_err();
    let problem = ImportProblem::IndexOutOfRange { index: 4, vertices: 4, first: 0 };
    assert_eq!((error.place, error.problem), (Place::Line(2), problem));
    let mut cut = gmsh_2(Layout::Little);
    cut.truncate(cut.iter().position(|b| *b == b'N').unwrap() + 30);
    assert!(matches!(surface_from_bytes(Format::Gmsh, &cut).unwrap_err().place, Place::Byte(_)));
}

#[test]
fn empty_files_and_wrong_kinds_are_refused() {
    for format in [
        Format::Medit,
        Format::Gmsh,
        Format::Vtk,
        Format::Obj,
        Format::Ply,
        Format::Off,
        Format::Stl,
    ] {
        assert!(surface_from_bytes(format, b"").is_err(), "{format:?}");
        assert!(tet_from_bytes(format, b"").is_err(), "{format:?}");
    }
    assert!(positions_from_node(b"").is_err());
    let error = tet_from_bytes(Format::Obj, samples::OBJ.as_bytes()).unwrap_err();
    assert_eq!(
        error.to_string(),
        "holds no tetrahedra, but triangles: use surface_from_path or surface_from_bytes"
    );
    assert_eq!(
        surface(Format::TetGen, samples::NODE).unwrap_err().problem,
        ImportProblem::TwoFiles
    );
    let hexahedron = "# vtk DataFile Version 2.0\nx\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 8 int\n\
        0 0 0 1 0 0 1 1 0 0 1 0 0 0 1 1 0 1 1 1 1 0 1 1\nCELLS 1 9\n8 0 1 2 3 4 5 6 7\nCELL_TYPES 1\n12\n";
    let error = tet_from_bytes(Format::Vtk, hexahedron.as_bytes()).unwrap_err().to_string();
    assert!(error.contains("hexahedron"), "{error}");
}

#[test]
fn announced_sizes_take_no_memory() {
    // Headers that announce 10^18 of something fail at the end of the file.
    let huge = "1000000000000000000";
    assert!(surface(Format::Off, &format!("OFF {huge} {huge} 0\n0 0 0\n")).is_err());
    assert!(
        surface(Format::Medit, &format!("MeshVersionFormatted 1 Vertices {huge} 0 0 0 0")).is_err()
    );
    assert!(positions_from_node(format!("{huge} 3 0 0\n0 0 0 0\n").as_bytes()).is_err());
    assert!(
        surface(
            Format::Gmsh,
            &format!(
                "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\n{huge} {huge} 1 1\n2 1 0 {huge}\n"
            )
        )
        .is_err()
    );
    let vtk = format!(
        "# vtk DataFile Version 2.0\nx\nASCII\nDATASET POLYDATA\nPOINTS {huge} float\n0 0 0\n"
    );
    assert!(surface(Format::Vtk, &vtk).is_err());
    let vtk = "# vtk DataFile Version 2.0\nx\nASCII\nDATASET POLYDATA\nPOINTS 1 float\n0 0 0\n";
    assert!(surface(Format::Vtk, &format!("{vtk}POLYGONS {huge} {huge}\n3 0 0 0\n")).is_err());
    for element in ["vertex", "face", "other"] {
        for encoding in ["ascii", "binary_little_endian"] {
            let ply = format!("ply\nformat {encoding} 1.0\nelement {element} {huge}\nend_header\n");
            assert!(surface(Format::Ply, &ply).is_err());
        }
    }
    let ply = format!(
        "ply\nformat binary_little_endian 1.0\nelement face {huge}\nproperty list uint int vertex_indices\nend_header\n"
    );
    let mut ply = ply.into_bytes();
    ply.extend([0xff; 4]);
    assert!(surface_from_bytes(Format::Ply, &ply).is_err());
}

#[test]
fn paths_choose_the_reader_and_are_named_in_errors() {
    let folder = std::env::temp_dir().join(format!("sinew_import_{}", std::process::id()));
    std::fs::create_dir_all(&folder).unwrap();
    let (expected_surface, expected_tet) = corner();
    std::fs::write(folder.join("a.OBJ"), samples::OBJ).unwrap();
    assert_eq!(surface_from_path(folder.join("a.OBJ")).unwrap(), expected_surface);
    std::fs::write(folder.join("b.node"), samples::NODE).unwrap();
    std::fs::write(folder.join("b.ele"), samples::ELE).unwrap();
    for name in ["b.node", "b.ele"] {
        assert_eq!(tet_from_path(folder.join(name)).unwrap(), expected_tet);
    }
    std::fs::write(folder.join("c.node"), samples::NODE).unwrap();
    let error = tet_from_path(folder.join("c.node")).unwrap_err();
    assert_eq!(error.file, Some(folder.join("c.ele")));
    assert!(matches!(error.problem, ImportProblem::Unreadable(_)));
    std::fs::write(folder.join("d.off"), "OFF\n1 1 0\n0 0\n").unwrap();
    let error = surface_from_path(folder.join("d.off")).unwrap_err().to_string();
    assert!(error.contains("d.off: line 4: the file ends where it needs a coordinate"), "{error}");
    for path in ["a.step", "noending", ""] {
        assert_eq!(surface_from_path(path).unwrap_err().problem, ImportProblem::UnknownEnding);
        assert_eq!(tet_from_path(path).unwrap_err().problem, ImportProblem::UnknownEnding);
    }
    std::fs::remove_dir_all(folder).unwrap();
}
