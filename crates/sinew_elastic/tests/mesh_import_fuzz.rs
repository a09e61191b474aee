//! No input makes a reader panic, and whatever a reader accepts can be measured and cleaned.
#![cfg(feature = "import")]

#[path = "mesh_support/samples.rs"]
mod samples;

use proptest::prelude::*;
use samples::{Layout, gmsh_2, gmsh_4, ply, stl, vtk, vtk_5};
use sinew_elastic::mesh::import::{
    Format, positions_from_node, surface_from_bytes, tet_from_bytes, tet_from_tetgen,
};

const FORMATS: [Format; 7] =
    [Format::Medit, Format::Gmsh, Format::Vtk, Format::Obj, Format::Ply, Format::Off, Format::Stl];

/// Reads bytes as a format in both ways and uses what comes out.
fn read(format: Format, bytes: &[u8]) {
    if let Ok(mesh) = surface_from_bytes(format, bytes) {
        assert!(mesh.positions.iter().all(|p| p.is_finite()));
        assert!(mesh.triangles.iter().flatten().all(|v| (*v as usize) < mesh.positions.len()));
        assert!(mesh.area() >= 0.0);
        drop(mesh.cleaned());
    }
    if let Ok(mesh) = tet_from_bytes(format, bytes) {
        assert!(mesh.positions.iter().all(|p| p.is_finite()));
        assert!(mesh.cells.iter().flatten().all(|v| (*v as usize) < mesh.positions.len()));
        drop(mesh.cleaned());
    }
}

fn all_samples() -> Vec<(Format, Vec<u8>)> {
    let mut all = vec![
        (Format::Obj, samples::OBJ.into()),
        (Format::Off, samples::OFF.into()),
        (Format::Medit, samples::MEDIT.into()),
    ];
    for layout in [Layout::Text, Layout::Little, Layout::Big] {
        all.extend([
            (Format::Ply, ply(layout)),
            (Format::Gmsh, gmsh_2(layout)),
            (Format::Gmsh, gmsh_4(layout)),
        ]);
        all.extend([
            (Format::Vtk, vtk(layout)),
            (Format::Vtk, vtk_5(layout)),
            (Format::Stl, stl(layout)),
        ]);
    }
    all
}

#[test]
fn files_cut_off_anywhere() {
    for (format, bytes) in all_samples() {
        for length in 0..bytes.len() {
            read(format, &bytes[..length]);
        }
    }
    for length in 0..samples::NODE.len() {
        drop(tet_from_tetgen(&samples::NODE.as_bytes()[..length], samples::ELE.as_bytes()));
    }
    for length in 0..samples::ELE.len() {
        drop(tet_from_tetgen(samples::NODE.as_bytes(), &samples::ELE.as_bytes()[..length]));
    }
}

#[test]
fn every_byte_replaced_by_telling_ones() {
    for (format, bytes) in all_samples() {
        for at in 0..bytes.len() {
            for byte in [0x00, 0x7f, 0x80, 0xff, b'-', b'9', b' ', b'\n', b'#', b'/'] {
                let mut changed = bytes.clone();
                changed[at] = byte;
                read(format, &changed);
            }
        }
    }
}

/// Words that mean something to one reader or another, and numbers that strain them.
fn words() -> impl Strategy<Value = String> {
    let words = prop::sample::select(vec![
        "ply\nformat ascii 1.0\n",
        "element vertex",
        "element face",
        "property list uchar int vertex_indices",
        "property float x",
        "end_header\n",
        "OFF",
        "solid",
        "facet normal",
        "vertex",
        "endfacet",
        "v",
        "f",
        "1/2/3",
        "-1",
        "0",
        "1",
        "2",
        "3",
        "4",
        "4294967296",
        "-9223372036854775808",
        "9223372036854775807",
        "18446744073709551615",
        "1e400",
        "nan",
        "-inf",
        "0.5",
        "$MeshFormat",
        "2.2 0 8",
        "4.1 0 8",
        "2.2 1 8\n\u{1}\0\0\0",
        "$EndMeshFormat",
        "$Nodes",
        "$EndNodes",
        "$Elements",
        "# vtk DataFile Version 3.0\n\n",
        "ASCII",
        "BINARY",
        "DATASET POLYDATA",
        "POINTS",
        "float",
        "POLYGONS",
        "CELLS",
        "CELL_TYPES",
        "TRIANGLE_STRIPS",
        "OFFSETS int",
        "CONNECTIVITY int",
        "FIELD a 1",
        "METADATA",
        "MeshVersionFormatted 1",
        "Dimension 3",
        "Vertices",
        "Triangles",
        "Tetrahedra",
        "Hexahedra",
        "End",
        "\n",
        "\n\n",
        "\\",
        "#",
        "\u{feff}",
        "\0",
    ]);
    let word = prop_oneof![8 => words.prop_map(str::to_owned), 1 => any::<i64>().prop_map(|n| n.to_string()), 1 => any::<f64>().prop_map(|x| x.to_string())];
    prop::collection::vec((word, prop::sample::select(vec![" ", "\n"])), 0..60).prop_map(|words| {
        words.into_iter().flat_map(|(word, gap)| [word, gap.to_owned()]).collect()
    })
}

/// How each format begins, so that noise gets past the first check.
const OPENINGS: [&str; 9] = [
    "",
    "OFF ",
    "solid\n",
    "MeshVersionFormatted 1\n",
    "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n",
    "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n",
    "# vtk DataFile Version 3.0\nx\nASCII\n",
    "# vtk DataFile Version 3.0\nx\nBINARY\nDATASET POLYDATA\n",
    "ply\nformat ascii 1.0\nelement vertex 3\nproperty float x\nproperty float y\nproperty float z\nelement face 2\nproperty list uchar int vertex_indices\nend_header\n",
];

proptest! {
    #![proptest_config(ProptestConfig { cases: 2_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn noise(opening in prop::sample::select(OPENINGS.to_vec()), noise in prop::collection::vec(any::<u8>(), 0..300)) {
        let bytes: Vec<u8> = opening.bytes().chain(noise).collect();
        FORMATS.iter().for_each(|format| read(*format, &bytes));
        drop(positions_from_node(&bytes));
        drop(tet_from_tetgen(samples::NODE.as_bytes(), &bytes));
    }

    #[test]
    fn words_in_any_order(opening in prop::sample::select(OPENINGS.to_vec()), words in words()) {
        let bytes: Vec<u8> = opening.bytes().chain(words.bytes()).collect();
        FORMATS.iter().for_each(|format| read(*format, &bytes));
        drop(tet_from_tetgen(&bytes, samples::ELE.as_bytes()));
        drop(tet_from_tetgen(samples::NODE.as_bytes(), &bytes));
    }

    #[test]
    fn good_files_with_a_few_faults(
        sample in prop::sample::select(all_samples()),
        faults in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>(), 0u8..3), 1..8),
    ) {
        let (format, mut bytes) = sample;
        for (at, byte, kind) in faults {
            let at = at.index(bytes.len().max(1));
            match kind {
                0 if at < bytes.len() => bytes[at] = byte,
                1 if at < bytes.len() => drop(bytes.remove(at)),
                _ => bytes.insert(at, byte),
            }
        }
        read(format, &bytes);
    }

    #[test]
    fn tetgen_files_with_a_few_faults(faults in prop::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..8)) {
        let (mut node, mut ele) = (samples::NODE.as_bytes().to_vec(), samples::ELE.as_bytes().to_vec());
        for (at, byte) in faults {
            let at = at.index(node.len() + ele.len());
            if at < node.len() { node[at] = byte } else { ele[at - node.len()] = byte }
        }
        if let Ok(mesh) = tet_from_tetgen(&node, &ele) {
            drop(mesh.cleaned());
        }
    }
}
