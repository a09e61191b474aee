//! One small mesh in every format and layout, written by hand from the formats' own descriptions.

/// The corner of a unit cube.
pub const POSITIONS: [[f32; 3]; 4] =
    [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0]];
/// Its sides, seen from outside.
pub const TRIANGLES: [[u32; 3]; 4] = [[0, 2, 1], [0, 1, 3], [0, 3, 2], [1, 2, 3]];
/// It as one cell.
pub const CELL: [u32; 4] = [0, 1, 2, 3];

pub const OBJ: &str = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
pub const OFF: &str =
    "OFF\n4 4 6\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n3 0 2 1\n3 0 1 3\n3 0 3 2\n3 1 2 3\n";
pub const MEDIT: &str = "MeshVersionFormatted 1\nDimension 3\nVertices\n4\n0 0 0 0\n1 0 0 0\n0 1 0 0\n0 0 1 0\n\
    Triangles\n4\n1 3 2 1\n1 2 4 1\n1 4 3 1\n2 3 4 1\nEdges\n1\n1 2 0\nTetrahedra\n1\n1 2 3 4 7\nEnd\n";
pub const NODE: &str = "4 3 0 0\n0 0 0 0\n1 1 0 0\n2 0 1 0\n3 0 0 1\n";
pub const ELE: &str = "1 4 0\n0 0 1 2 3\n";

/// How numbers are written.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Layout {
    Text,
    Little,
    Big,
}

/// Collects numbers in one layout.
struct Writer {
    layout: Layout,
    bytes: Vec<u8>,
}

macro_rules! put {
    ($($name:ident: $number:ty),*) => {$(
        fn $name(&mut self, number: $number) -> &mut Self {
            match self.layout {
                Layout::Text => self.bytes.extend(format!("{number} ").bytes()),
                Layout::Little => self.bytes.extend(number.to_le_bytes()),
                Layout::Big => self.bytes.extend(number.to_be_bytes()),
            }
            self
        }
    )*};
}

impl Writer {
    fn new(layout: Layout) -> Self {
        Self { layout, bytes: Vec::new() }
    }

    fn text(&mut self, text: &str) -> &mut Self {
        self.bytes.extend(text.bytes());
        self
    }

    /// Ends a row, which only text files do.
    fn row(&mut self) -> &mut Self {
        if self.layout == Layout::Text { self.text("\n") } else { self }
    }

    put!(u8: u8, i32: i32, u32: u32, i64: i64, u64: u64, f32: f32, f64: f64);
}

/// PLY with a second element between vertices and faces, and a colour at each vertex.
pub fn ply(layout: Layout) -> Vec<u8> {
    let mut w = Writer::new(layout);
    let encoding = match layout {
        Layout::Text => "ascii",
        Layout::Little => "binary_little_endian",
        Layout::Big => "binary_big_endian",
    };
    w.text("ply\nformat ")
        .text(encoding)
        .text(" 1.0\ncomment hand made\nelement vertex 4\nproperty float x\nproperty double y\n");
    w.text("property float z\nproperty uchar red\nelement edge 1\nproperty int vertex1\nproperty int vertex2\n");
    w.text("element face 4\nproperty list uchar int vertex_indices\nend_header\n");
    for [x, y, z] in POSITIONS {
        w.f32(x).f64(y.into()).f32(z).u8(200).row();
    }
    w.i32(0).i32(1).row();
    for [a, b, c] in TRIANGLES {
        w.u8(3).i32(a as i32).i32(b as i32).i32(c as i32).row();
    }
    w.bytes
}

/// STL; the big-endian layout does not exist in this format.
pub fn stl(layout: Layout) -> Vec<u8> {
    let mut w = Writer::new(layout);
    match layout {
        Layout::Text => w.text("solid corner\n"),
        _ => w.text(&" ".repeat(80)).u32(4),
    };
    for triangle in TRIANGLES {
        let is_text = layout == Layout::Text;
        w.text(if is_text { "facet normal " } else { "" }).f32(0.0).f32(0.0).f32(0.0);
        w.text(if is_text { "\nouter loop\n" } else { "" });
        for [x, y, z] in triangle.map(|v| POSITIONS[v as usize]) {
            w.text(if is_text { "vertex " } else { "" }).f32(x).f32(y).f32(z).row();
        }
        w.text(if is_text { "endloop\nendfacet\n" } else { "\0\0" });
    }
    if layout == Layout::Text {
        w.text("endsolid corner\n");
    }
    w.bytes
}

/// Gmsh 2.2, with node tags 10, 20, 30, 40, a line element, and a section to skip.
pub fn gmsh_2(layout: Layout) -> Vec<u8> {
    let mut w = Writer::new(layout);
    gmsh_head(&mut w, "2.2");
    w.text("$Nodes\n4\n");
    for (i, [x, y, z]) in POSITIONS.into_iter().enumerate() {
        w.i32(10 * (i as i32 + 1)).f64(x.into()).f64(y.into()).f64(z.into()).row();
    }
    w.text("\n$EndNodes\n$Elements\n6\n");
    let mut tag = 0;
    let mut group = |w: &mut Writer, kind: i32, elements: &[&[u32]]| {
        if layout != Layout::Text {
            w.i32(kind).i32(elements.len() as i32).i32(2);
        }
        for element in elements {
            tag += 1;
            w.i32(tag);
            if layout == Layout::Text {
                w.i32(kind).i32(2);
            }
            w.i32(0).i32(1);
            element.iter().for_each(|v| {
                w.i32(10 * (*v as i32 + 1));
            });
            w.row();
        }
    };
    group(&mut w, 1, &[&[0, 1]]);
    group(&mut w, 2, &TRIANGLES.each_ref().map(|t| t.as_slice()));
    group(&mut w, 4, &[&CELL]);
    w.text("\n$EndElements\n$NodeData\n1\n\"heat\"\n1\n0.0\n3\n0\n1\n0\n$EndNodeData\n");
    w.bytes
}

/// Gmsh 4.1, with two blocks of nodes, one of them parametric, and a section to skip.
pub fn gmsh_4(layout: Layout) -> Vec<u8> {
    let mut w = Writer::new(layout);
    gmsh_head(&mut w, "4.1");
    w.text("$PhysicalNames\n1\n3 1 \"body\"\n$EndPhysicalNames\n$Nodes\n");
    w.u64(2).u64(4).u64(10).u64(40).row();
    for block in 0..2 {
        let nodes = &POSITIONS[2 * block..2 * block + 2];
        w.i32(2).i32(1).i32(block as i32).u64(2).row();
        (0..2).for_each(|i| {
            w.u64(10 * (2 * block as u64 + i + 1)).row();
        });
        for [x, y, z] in nodes {
            w.f64((*x).into()).f64((*y).into()).f64((*z).into());
            (0..2 * block).for_each(|_| {
                w.f64(0.25);
            });
            w.row();
        }
    }
    w.text("\n$EndNodes\n$Elements\n").u64(2).u64(5).u64(1).u64(5).row();
    w.i32(2).i32(1).i32(2).u64(4).row();
    for (i, triangle) in TRIANGLES.into_iter().enumerate() {
        w.u64(i as u64 + 1);
        triangle.iter().for_each(|v| {
            w.u64(10 * (u64::from(*v) + 1));
        });
        w.row();
    }
    w.i32(3).i32(1).i32(4).u64(1).row();
    w.u64(5).u64(10).u64(20).u64(30).u64(40).row();
    w.text("\n$EndElements\n");
    w.bytes
}

fn gmsh_head(w: &mut Writer, version: &str) {
    let is_text = w.layout == Layout::Text;
    w.text("$MeshFormat\n").text(version).text(if is_text { " 0 8\n" } else { " 1 8\n" });
    if !is_text {
        w.i32(1).text("\n");
    }
    w.text("$EndMeshFormat\n");
}

/// VTK, old layout of cells; binary files have their high byte first.
pub fn vtk(layout: Layout) -> Vec<u8> {
    let mut w = vtk_head(layout, "3.0");
    w.text("CELLS 5 21\n");
    for triangle in TRIANGLES {
        w.i32(3);
        triangle.iter().for_each(|v| {
            w.i32(*v as i32);
        });
        w.row();
    }
    w.i32(4).i32(0).i32(1).i32(2).i32(3).row();
    vtk_tail(w)
}

/// VTK, the layout of version 5: where lists start, then all their members.
pub fn vtk_5(layout: Layout) -> Vec<u8> {
    let mut w = vtk_head(layout, "5.1");
    w.text("CELLS 6 16\nOFFSETS vtktypeint64\n");
    for offset in [0, 3, 6, 9, 12, 16] {
        w.i64(offset);
    }
    w.text("\nCONNECTIVITY vtktypeint64\n");
    for v in TRIANGLES.as_flattened().iter().chain(&CELL) {
        w.i64(i64::from(*v));
    }
    w.text("\n");
    vtk_tail(w)
}

fn vtk_head(layout: Layout, version: &str) -> Writer {
    let mut w = Writer::new(layout);
    w.text("# vtk DataFile Version ").text(version).text("\nhand made\n");
    w.text(if layout == Layout::Text { "ASCII\n" } else { "BINARY\n" });
    w.text("DATASET UNSTRUCTURED_GRID\nFIELD FieldData 1\nTIME 1 1 double\n")
        .f64(0.5)
        .text("\nPOINTS 4 float\n");
    POSITIONS.as_flattened().iter().for_each(|x| {
        w.f32(*x);
    });
    w.text("\nMETADATA\nINFORMATION 0\n\n");
    w
}

fn vtk_tail(mut w: Writer) -> Vec<u8> {
    w.text("\nCELL_TYPES 5\n");
    for kind in [5, 5, 5, 5, 10] {
        w.i32(kind).row();
    }
    w.text("\nCELL_DATA 5\nSCALARS heat float 1\nLOOKUP_TABLE default\n");
    (0..5).for_each(|_| {
        w.f32(1.0);
    });
    w.bytes
}
