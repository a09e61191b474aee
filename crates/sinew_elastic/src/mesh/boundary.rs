//! The outer skin of a tetrahedral mesh.

use glam::DVec3;

use super::surface::twice_area;
use super::{SurfaceMesh, TetMesh, bounds_of, drop_unreferenced};

/// Two faces are in one plane when they are closer than this share of the longer edge: well above the rounding of f32
/// positions (6e-8), well below the height of any usable cell.
const PLANE_TOLERANCE: f64 = 1e-5;

/// The outer skin of a tetrahedral mesh, found by counting the cells at each face.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct TetBoundary {
    /// Faces with one cell, counter-clockwise seen from outside; indices are those of the tetrahedral mesh.
    pub triangles: Vec<[u32; 3]>,
    /// Faces with one cell that lie on faces of other cells without being the same face.
    ///
    /// They come from neighbouring cells cut along different diagonals, or of different size. They are inside the body,
    /// so neither collision nor drawing may use them.
    pub non_conforming: Vec<[u32; 3]>,
    /// Number of faces with more than two cells, or with two cells on the same side.
    pub overlapping: usize,
}

impl TetBoundary {
    /// The skin as a surface of its own, with only the vertices it uses.
    pub fn surface(&self, mesh: &TetMesh) -> SurfaceMesh {
        let mut surface =
            SurfaceMesh { positions: mesh.positions.clone(), triangles: self.triangles.clone() };
        drop_unreferenced(&mut surface.positions, &mut surface.triangles, &mut []);
        surface
    }
}

impl TetMesh {
    /// Finds the outer skin. Cells must have positive volume (see [`cleaned`](Self::cleaned)) for it to face outwards.
    ///
    /// # Panics
    ///
    /// When an index is out of range; a cleaned mesh has none such.
    pub fn boundary(&self) -> TetBoundary {
        // (sorted corners, whether the face as seen from outside its cell is an even permutation of them, position)
        let mut faces: Vec<([u32; 3], bool, u32)> = Vec::with_capacity(self.cells.len() * 4);
        for &[a, b, c, d] in &self.cells {
            for face in [[b, c, d], [a, d, c], [a, b, d], [a, c, b]] {
                let (sorted, even) = sort_with_parity(face);
                faces.push((sorted, even, faces.len() as u32));
            }
        }
        faces.sort_unstable();
        let mut single: Vec<(u32, [u32; 3])> = Vec::new();
        let mut overlapping = 0;
        for same in faces.chunk_by(|f, g| f.0 == g.0) {
            match same {
                [([a, b, c], even, order)] => {
                    single.push((*order, if *even { [*a, *b, *c] } else { [*a, *c, *b] }));
                }
                [f, g] if f.1 != g.1 => {}
                _ => overlapping += 1,
            }
        }
        single.sort_unstable();
        let single: Vec<[u32; 3]> = single.into_iter().map(|(_, face)| face).collect();
        let covered = faces_on_other_faces(self, &single);
        let (mut triangles, mut non_conforming) = (Vec::new(), Vec::new());
        for (face, covered) in single.into_iter().zip(covered) {
            if covered { &mut non_conforming } else { &mut triangles }.push(face);
        }
        TetBoundary { triangles, non_conforming, overlapping }
    }
}

/// Sorts three vertices; the flag is true when that took an even number of swaps.
fn sort_with_parity([mut a, mut b, mut c]: [u32; 3]) -> ([u32; 3], bool) {
    let mut even = true;
    if a > b {
        (a, b, even) = (b, a, !even);
    }
    if b > c {
        (b, c, even) = (c, b, !even);
    }
    if a > b {
        (a, b, even) = (b, a, !even);
    }
    ([a, b, c], even)
}

/// Tells for each face whether another one lies on it, back to back.
fn faces_on_other_faces(mesh: &TetMesh, faces: &[[u32; 3]]) -> Vec<bool> {
    let corners: Vec<[DVec3; 3]> =
        faces.iter().map(|f| f.map(|v| mesh.positions[v as usize].as_dvec3())).collect();
    let mut covered = vec![false; faces.len()];
    visit_close_pairs(mesh, faces, |f, g| {
        if lie_back_to_back(&corners[f], &corners[g]) {
            covered[f] = true;
            covered[g] = true;
        }
    });
    covered
}

/// Visits all pairs of faces whose boxes touch, each at least once, by way of a grid about as wide as the faces.
fn visit_close_pairs(mesh: &TetMesh, faces: &[[u32; 3]], mut visit: impl FnMut(usize, usize)) {
    let boxes: Vec<(DVec3, DVec3)> = faces
        .iter()
        .filter_map(|f| bounds_of(f.iter().map(|&v| mesh.positions[v as usize])))
        .map(|(low, high)| (low.as_dvec3(), high.as_dvec3()))
        .collect();
    let widths = boxes.iter().map(|(low, high)| (*high - *low).max_element());
    let widest = widths.clone().fold(0.0, f64::max);
    // Mean width keeps cells sparse; a sixteenth of the widest bounds the cells that one face can fill.
    let cell_width = (widths.sum::<f64>() / boxes.len().max(1) as f64).max(widest / 16.0);
    if cell_width <= 0.0 {
        return;
    }
    let slack = cell_width * PLANE_TOLERANCE;
    let mut entries: Vec<([i64; 3], usize)> = Vec::new();
    for (face, (low, high)) in boxes.iter().enumerate() {
        let from = ((*low - slack) / cell_width).floor().as_i64vec3();
        let to = ((*high + slack) / cell_width).floor().as_i64vec3();
        for x in from.x..=to.x {
            for y in from.y..=to.y {
                for z in from.z..=to.z {
                    entries.push(([x, y, z], face));
                }
            }
        }
    }
    entries.sort_unstable();
    for cell in entries.chunk_by(|e, f| e.0 == f.0) {
        for (i, (_, f)) in cell.iter().enumerate() {
            for (_, g) in &cell[i + 1..] {
                let ((f_low, f_high), (g_low, g_high)) = (boxes[*f], boxes[*g]);
                if (f_low - g_high).max_element() <= slack
                    && (g_low - f_high).max_element() <= slack
                {
                    visit(*f, *g);
                }
            }
        }
    }
}

/// Whether two triangles face each other in one plane and cover a common area.
fn lie_back_to_back(f: &[DVec3; 3], g: &[DVec3; 3]) -> bool {
    let (f_normal, g_normal) =
        (twice_area(*f).normalize_or_zero(), twice_area(*g).normalize_or_zero());
    // Back to back to within 0.8 degrees.
    if f_normal.dot(g_normal) > -0.9999 {
        return false;
    }
    let longest = |t: &[DVec3; 3]| {
        [t[1] - t[0], t[2] - t[1], t[0] - t[2]].map(DVec3::length).into_iter().fold(0.0, f64::max)
    };
    let slack = PLANE_TOLERANCE * longest(f).max(longest(g));
    if g.iter().any(|p| (*p - f[0]).dot(f_normal).abs() > slack) {
        return false;
    }
    // Separating axes in the plane: the sides of both. Touching along a side is no overlap.
    let apart = |t: &[DVec3; 3], normal: DVec3, other: &[DVec3; 3]| {
        (0..3).any(|i| {
            let outward = (t[(i + 1) % 3] - t[i]).cross(normal).normalize_or_zero();
            other.iter().all(|p| (*p - t[i]).dot(outward) >= -slack)
        })
    };
    !apart(f, f_normal, g) && !apart(g, g_normal, f)
}
