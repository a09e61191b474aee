//! Meshes and measurements for the tests of lattices.
#![expect(
    dead_code,
    clippy::print_stdout,
    reason = "each test binary uses a part of this; a skipped test says so"
)]

use std::collections::{BTreeMap, VecDeque};
use std::path::{Path, PathBuf};

use glam::{DVec3, Vec3};
use sinew_elastic::lattice::LatticeNodes;
use sinew_elastic::mesh::SurfaceMesh;

/// A box whose sides are split into `n` x `n` quads; its vertices are shared at the edges.
pub fn cuboid(min: Vec3, max: Vec3, n: usize) -> SurfaceMesh {
    let mut mesh = SurfaceMesh::default();
    let mut index = BTreeMap::new();
    let mut vertex = |mesh: &mut SurfaceMesh, at: [usize; 3]| -> u32 {
        *index.entry(at).or_insert_with(|| {
            let t = Vec3::from_array(at.map(|c| c as f32 / n as f32));
            mesh.positions.push(min + t * (max - min));
            mesh.positions.len() as u32 - 1
        })
    };
    for axis in 0..3 {
        let (a, b) = ((axis + 1) % 3, (axis + 2) % 3);
        for (side, flip) in [(0, true), (n, false)] {
            for i in 0..n {
                for j in 0..n {
                    let corner = |di: usize, dj: usize| {
                        let mut at = [0; 3];
                        at[axis] = side;
                        at[a] = i + di;
                        at[b] = j + dj;
                        at
                    };
                    let quad = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                    let [p, q, r, s] = quad.map(|at| vertex(&mut mesh, at));
                    let pair = if flip { [[p, r, q], [p, s, r]] } else { [[p, q, r], [p, r, s]] };
                    mesh.triangles.extend(pair);
                }
            }
        }
    }
    mesh
}

/// An outline in the plane of x and y, counter-clockwise, given a thickness along z.
///
/// `caps` are the outline's triangles.
pub fn prism(outline: &[[f32; 2]], caps: &[[u32; 3]], z: [f32; 2]) -> SurfaceMesh {
    let n = outline.len() as u32;
    let mut mesh = SurfaceMesh::default();
    for z in z {
        mesh.positions.extend(outline.iter().map(|&[x, y]| Vec3::new(x, y, z)));
    }
    for &[a, b, c] in caps {
        mesh.triangles.push([a, c, b]);
        mesh.triangles.push([a + n, b + n, c + n]);
    }
    for i in 0..n {
        let j = (i + 1) % n;
        mesh.triangles.extend([[i, j, j + n], [i, j + n, i + n]]);
    }
    mesh
}

/// A U of two prongs, each `prong` wide, `gap` apart and `height` high, on a base `prong` high.
pub fn letter_u(prong: f32, gap: f32, height: f32) -> SurfaceMesh {
    let (a, b, c) = (prong, prong + gap, 2.0 * prong + gap);
    let outline = [
        [0.0, 0.0],
        [c, 0.0],
        [c, prong],
        [c, height],
        [b, height],
        [b, prong],
        [a, prong],
        [a, height],
        [0.0, height],
        [0.0, prong],
    ];
    let caps =
        [[0, 1, 2], [0, 2, 5], [0, 5, 6], [0, 6, 9], [5, 2, 3], [5, 3, 4], [9, 6, 7], [9, 7, 8]];
    prism(&outline, &caps, [0.0, prong])
}

pub fn sphere(radius: f32, rings: usize, sectors: usize) -> SurfaceMesh {
    let mut mesh = SurfaceMesh::default();
    // With a seam and many vertices at each pole, as renderers store it.
    for ring in 0..=rings {
        for sector in 0..=sectors {
            let polar = std::f32::consts::PI * ring as f32 / rings as f32;
            let around = std::f32::consts::TAU * sector as f32 / sectors as f32;
            let (s, c) = polar.sin_cos();
            mesh.positions.push(radius * Vec3::new(s * around.cos(), c, s * around.sin()));
        }
    }
    let at = |ring: usize, sector: usize| (ring * (sectors + 1) + sector) as u32;
    for ring in 0..rings {
        for sector in 0..sectors {
            let (a, b) = (at(ring, sector), at(ring, sector + 1));
            let (c, d) = (at(ring + 1, sector), at(ring + 1, sector + 1));
            mesh.triangles.extend([[a, b, c], [b, d, c]]);
        }
    }
    mesh
}

pub fn merged(parts: &[SurfaceMesh]) -> SurfaceMesh {
    let mut all = SurfaceMesh::default();
    for part in parts {
        let first = all.positions.len() as u32;
        all.positions.extend(&part.positions);
        all.triangles.extend(part.triangles.iter().map(|t| t.map(|v| v + first)));
    }
    all
}

pub fn moved(mesh: &SurfaceMesh, by: Vec3) -> SurfaceMesh {
    let positions = mesh.positions.iter().map(|&p| p + by).collect();
    SurfaceMesh { positions, triangles: mesh.triangles.clone() }
}

/// The same shape with every triangle's own three vertices.
pub fn soup(mesh: &SurfaceMesh) -> SurfaceMesh {
    let positions: Vec<Vec3> =
        mesh.triangles.iter().flatten().map(|&v| mesh.positions[v as usize]).collect();
    let triangles =
        (0..mesh.triangles.len() as u32).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    SurfaceMesh { positions, triangles }
}

pub fn diagonal(mesh: &SurfaceMesh) -> f64 {
    let (low, high) = mesh
        .positions
        .iter()
        .fold((Vec3::INFINITY, Vec3::NEG_INFINITY), |(l, h), &p| (l.min(p), h.max(p)));
    (high - low).as_dvec3().length()
}

/// Where the embedding puts vertex `i` when the particles are at `positions`.
pub fn embedded(lattice: &LatticeNodes, i: usize, positions: impl Fn(usize) -> DVec3) -> DVec3 {
    let embedding = &lattice.embedding;
    let pairs = embedding.particles[i].iter().zip(&embedding.weights[i]);
    pairs.map(|(&p, &w)| positions(p as usize) * f64::from(w)).sum()
}

/// Links from a particle to every other one; `None` where there is no way.
pub fn link_distances(lattice: &LatticeNodes, from: u32) -> Vec<Option<usize>> {
    let mut distances = vec![None; lattice.positions.len()];
    distances[from as usize] = Some(0);
    let mut queue = VecDeque::from([from]);
    while let Some(at) = queue.pop_front() {
        for &next in lattice.links.list(at as usize) {
            if distances[next as usize].is_none() {
                distances[next as usize] = distances[at as usize].map(|d| d + 1);
                queue.push_back(next);
            }
        }
    }
    distances
}

/// The piece of each particle, by flooding, and the number of pieces.
pub fn components(lattice: &LatticeNodes) -> (Vec<usize>, usize) {
    let mut labels = vec![usize::MAX; lattice.positions.len()];
    let mut count = 0;
    for start in 0..labels.len() {
        if labels[start] == usize::MAX {
            for (i, distance) in link_distances(lattice, start as u32).into_iter().enumerate() {
                if distance.is_some() {
                    labels[i] = count;
                }
            }
            count += 1;
        }
    }
    (labels, count)
}

/// What must hold for every lattice of every mesh.
pub fn check(mesh: &SurfaceMesh, lattice: &LatticeNodes) {
    let count = lattice.positions.len();
    assert_eq!(lattice.coords.len(), count);
    assert_eq!(lattice.mass_shares.len(), count);
    assert_eq!(lattice.links.len(), count);
    assert_eq!(lattice.report.particles, count);
    assert!(count >= 8);
    assert!(lattice.mass_shares.iter().all(|&m| m > 0.0 && m.is_finite()));
    for (p, c) in lattice.positions.iter().zip(&lattice.coords) {
        assert_eq!(*p, lattice.origin + lattice.spacing * c.as_vec3());
    }
    assert!(lattice.coords.is_sorted_by_key(|c| [c.z, c.y, c.x]));
    for i in 0..count {
        let list = lattice.links.list(i);
        assert!(list.is_sorted_by(|a, b| a < b), "links of {i} ascend, each once");
        for &j in list {
            assert!(lattice.links.list(j as usize).binary_search(&(i as u32)).is_ok());
            let step = (lattice.coords[i] - lattice.coords[j as usize]).abs();
            assert_eq!(step.max_element(), 1, "a link is one grid step");
        }
        assert!(list.len() >= 7, "each particle is the corner of a cell");
    }
    for copy in &lattice.copies {
        let base = lattice.coords[copy[0] as usize];
        for (k, &corner) in copy.iter().enumerate() {
            let side = lattice.coords[corner as usize] - base;
            assert_eq!(side.to_array(), [k & 1, k >> 1 & 1, k >> 2].map(|s| s as i32));
        }
    }
    assert_eq!(lattice.embedding.particles.len(), mesh.positions.len());
    assert_eq!(lattice.embedding.weights.len(), mesh.positions.len());
    let mut used = vec![false; mesh.positions.len()];
    // A collapsed triangle is none: its corners are strays.
    let weld = 3e-6 * diagonal(mesh);
    for t in &mesh.triangles {
        let [a, b, c] = t.map(|v| mesh.positions[v as usize].as_dvec3());
        if a.distance(b).min(b.distance(c)).min(c.distance(a)) > weld {
            t.iter().for_each(|&v| used[v as usize] = true);
        }
    }
    let copies: std::collections::BTreeSet<&[u32; 8]> = lattice.copies.iter().collect();
    // Weights round in proportion to the cell, where it is larger than the mesh.
    let size = diagonal(mesh).max(furthest(mesh)).max(lattice.spacing.into());
    let tolerance = 1e-6 * size;
    for (i, &vertex) in mesh.positions.iter().enumerate() {
        let sum: f32 = lattice.embedding.weights[i].iter().sum();
        assert!((sum - 1.0).abs() < 1e-5, "weights of vertex {i} sum to {sum}");
        assert!(copies.contains(&lattice.embedding.particles[i]));
        if used[i] {
            let at = embedded(lattice, i, |p| lattice.positions[p].as_dvec3());
            let error = at.distance(vertex.as_dvec3());
            assert!(error <= tolerance, "vertex {i} is off by {error:e} of {tolerance:e}");
        }
    }
}

/// Distance of the furthest vertex from the origin: `f32` positions round in proportion to it.
fn furthest(mesh: &SurfaceMesh) -> f64 {
    mesh.positions.iter().map(|p| f64::from(p.length())).fold(0.0, f64::max)
}

/// The folder of real test files, if the environment names one.
pub fn files() -> Option<PathBuf> {
    let folder = std::env::var_os("SINEW_TEST_FILES").map(PathBuf::from);
    if folder.is_none() {
        println!("skipped: SINEW_TEST_FILES is not set");
    }
    folder
}

/// Reads the triangles of an `.obj`, `.off` or `.stl` file; polygons become fans.
pub fn read(path: &Path) -> Option<SurfaceMesh> {
    let bytes = std::fs::read(path).ok()?;
    match path.extension()?.to_str()?.to_ascii_lowercase().as_str() {
        "obj" => Some(read_obj(&String::from_utf8_lossy(&bytes))),
        "off" => read_off(&String::from_utf8_lossy(&bytes)),
        // Binary files may begin with "solid" too: their length tells.
        "stl" if bytes.windows(6).any(|w| w == b"vertex") => {
            Some(read_text_stl(&String::from_utf8_lossy(&bytes)))
        }
        "stl" => Some(read_binary_stl(&bytes)),
        _ => None,
    }
}

fn fan(mesh: &mut SurfaceMesh, corners: &[u32]) {
    for k in 2..corners.len() {
        mesh.triangles.push([corners[0], corners[k - 1], corners[k]]);
    }
}

fn read_obj(text: &str) -> SurfaceMesh {
    let mut mesh = SurfaceMesh::default();
    for line in text.lines() {
        let mut words = line.split_whitespace();
        match words.next() {
            Some("v") => {
                let c: Vec<f32> = words.filter_map(|w| w.parse().ok()).collect();
                mesh.positions.push(Vec3::new(c[0], c[1], c[2]));
            }
            Some("f") => {
                let corners: Vec<u32> = words
                    .filter_map(|w| w.split('/').next()?.parse::<i64>().ok())
                    .map(|i| if i < 0 { mesh.positions.len() as i64 + i } else { i - 1 } as u32)
                    .collect();
                fan(&mut mesh, &corners);
            }
            _ => {}
        }
    }
    mesh
}

fn read_off(text: &str) -> Option<SurfaceMesh> {
    let mut words = text.split_whitespace().skip(1);
    let mut next = || words.next()?.parse::<f64>().ok();
    let (vertices, faces, _) = (next()? as usize, next()? as usize, next()?);
    let mut mesh = SurfaceMesh::default();
    for _ in 0..vertices {
        mesh.positions.push(DVec3::new(next()?, next()?, next()?).as_vec3());
    }
    for _ in 0..faces {
        let corners: Option<Vec<u32>> =
            (0..next()? as usize).map(|_| Some(next()? as u32)).collect();
        fan(&mut mesh, &corners?);
    }
    Some(mesh)
}

fn read_text_stl(text: &str) -> SurfaceMesh {
    let coordinates: Vec<f32> = text
        .lines()
        .filter_map(|line| line.trim().strip_prefix("vertex"))
        .flat_map(|line| {
            line.split_whitespace().filter_map(|w| w.parse().ok()).collect::<Vec<f32>>()
        })
        .collect();
    let positions: Vec<Vec3> = coordinates.chunks_exact(3).map(Vec3::from_slice).collect();
    let triangles =
        (0..positions.len() as u32 / 3).map(|t| [3 * t, 3 * t + 1, 3 * t + 2]).collect();
    SurfaceMesh { positions, triangles }
}

fn read_binary_stl(bytes: &[u8]) -> SurfaceMesh {
    let mut mesh = SurfaceMesh::default();
    for record in bytes[84..].chunks_exact(50) {
        let first = mesh.positions.len() as u32;
        for corner in record[12..48].chunks_exact(12) {
            let c = [0, 4, 8].map(|at| {
                f32::from_le_bytes([corner[at], corner[at + 1], corner[at + 2], corner[at + 3]])
            });
            mesh.positions.push(Vec3::from_array(c));
        }
        mesh.triangles.push([first, first + 1, first + 2]);
    }
    mesh
}
