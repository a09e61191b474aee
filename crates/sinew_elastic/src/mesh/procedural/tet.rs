//! Tetrahedral fillings: box, cylinder, torus, ball.

use core::f64::consts::TAU;

use glam::{DVec3, IVec3, UVec3, Vec3};

use super::{ShapeError, check_count, check_length, check_torus, check_vertices, disc_nodes};
use crate::mesh::TetMesh;
use crate::mesh::tet::six_volumes;

/// Which grid nodes get cut off as corners when each cell of a grid becomes five tetrahedra.
///
/// A cell's corners of this parity of i + j + k each make a tetrahedron with their three neighbours; the other four
/// corners make the fifth. As the parity belongs to the nodes, neighbouring cells cut their shared face along the same
/// diagonal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum SplitParity {
    /// Nodes with an even sum are corners, so the node (0, 0, 0) has a single cell.
    #[default]
    Even,
    /// Nodes with an odd sum are corners, so the node (0, 0, 0) has four cells.
    Odd,
}

impl TetMesh {
    /// A box of `nodes` grid nodes, `spacing` apart, each grid cell split into five tetrahedra.
    ///
    /// Node (i, j, k) is vertex `i + nodes[0] * (j + nodes[1] * k)`. The cuboid of Koyama et al. 2012 is `[5, 9, 5]` nodes
    /// at spacing (0.125, 0.175, 0.125): 225 nodes and 640 cells.
    ///
    /// # Errors
    ///
    /// A spacing that is not above 0, or fewer than 2 nodes along an axis.
    pub fn cuboid(nodes: [u32; 3], spacing: Vec3, parity: SplitParity) -> Result<Self, ShapeError> {
        for (name, value) in
            [("spacing.x", spacing.x), ("spacing.y", spacing.y), ("spacing.z", spacing.z)]
        {
            check_length(name, value)?;
        }
        for (name, value) in
            [("nodes along x", nodes[0]), ("nodes along y", nodes[1]), ("nodes along z", nodes[2])]
        {
            check_count(name, value, 2)?;
        }
        check_vertices(&nodes.map(u128::from))?;
        let nodes = UVec3::from(nodes);
        let centre = (nodes - 1).as_dvec3() * 0.5;
        let mut positions = Vec::with_capacity((nodes.x * nodes.y * nodes.z) as usize);
        for k in 0..nodes.z {
            for j in 0..nodes.y {
                for i in 0..nodes.x {
                    positions.push(
                        ((UVec3::new(i, j, k).as_dvec3() - centre) * spacing.as_dvec3()).as_vec3(),
                    );
                }
            }
        }
        let vertex = |p: IVec3| p.x as u32 + nodes.x * (p.y as u32 + nodes.y * p.z as u32);
        let mut cells = Vec::with_capacity(positions.len() * 5);
        for k in 0..nodes.z as i32 - 1 {
            for j in 0..nodes.y as i32 - 1 {
                for i in 0..nodes.x as i32 - 1 {
                    cells.extend(
                        five_cells(IVec3::new(i, j, k), parity).map(|cell| cell.map(vertex)),
                    );
                }
            }
        }
        Ok(Self { positions, cells })
    }

    /// A cylinder along y, its disc made of `rings` rings (of 6, 12, 18 … nodes), its height cut into `layers`.
    ///
    /// # Errors
    ///
    /// A length that is not above 0, no ring or no layer.
    pub fn cylinder(radius: f32, height: f32, rings: u32, layers: u32) -> Result<Self, ShapeError> {
        check_length("radius", radius)?;
        check_length("height", height)?;
        check_count("rings", rings, 1)?;
        check_count("layers", layers, 1)?;
        check_vertices(&[disc_nodes(rings), u128::from(layers) + 1])?;
        let disc = Disc::new(rings);
        let across = f64::from(radius);
        let place = |layer: u32, [u, v]: [f64; 2]| {
            let y = f64::from(height) * (f64::from(layer) / f64::from(layers) - 0.5);
            DVec3::new(u * across, y, v * across)
        };
        Ok(disc.swept(layers + 1, false, place))
    }

    /// A torus round y: a tube with a disc of `rings` rings, swept in `around` steps round a circle.
    ///
    /// # Errors
    ///
    /// A length that is not above 0, a tube as thick as the ring, no ring, or fewer than 3 steps.
    pub fn torus(
        ring_radius: f32,
        tube_radius: f32,
        rings: u32,
        around: u32,
    ) -> Result<Self, ShapeError> {
        check_torus(ring_radius, tube_radius)?;
        check_count("rings", rings, 1)?;
        check_count("around", around, 3)?;
        check_vertices(&[disc_nodes(rings), around.into()])?;
        let (ring_radius, tube_radius) = (f64::from(ring_radius), f64::from(tube_radius));
        let place = |step: u32, [u, v]: [f64; 2]| {
            let (sin, cos) = (TAU * f64::from(step) / f64::from(around)).sin_cos();
            let out = ring_radius + tube_radius * u;
            DVec3::new(out * cos, tube_radius * v, out * sin)
        };
        Ok(Disc::new(rings).swept(around, true, place))
    }

    /// A ball with `layers` layers from its middle to its surface: a five-way split grid, cut to an octahedron and rounded.
    ///
    /// # Errors
    ///
    /// A radius that is not above 0, or no layer.
    pub fn sphere(radius: f32, layers: u32) -> Result<Self, ShapeError> {
        check_length("radius", radius)?;
        check_count("layers", layers, 1)?;
        check_vertices(&[2 * u128::from(layers) + 1; 3])?;
        let n = layers as i32;
        // The octahedron's faces |x| + |y| + |z| = n are faces of the corner cells cut off at nodes of the parity of n - 1.
        let parity = if n % 2 == 1 { SplitParity::Even } else { SplitParity::Odd };
        let sum = |p: IVec3| p.abs().element_sum();
        let side = 2 * n + 1;
        let slot = |p: IVec3| ((p.x + n) + side * ((p.y + n) + side * (p.z + n))) as usize;
        let mut vertex_of = vec![0u32; (side * side * side) as usize];
        let mut positions = Vec::new();
        for z in -n..=n {
            for y in -n..=n {
                for x in -n..=n {
                    let p = IVec3::new(x, y, z);
                    if sum(p) <= n {
                        vertex_of[slot(p)] = positions.len() as u32;
                        let length = f64::from(radius) * f64::from(sum(p)) / f64::from(n);
                        positions.push((p.as_dvec3().normalize_or_zero() * length).as_vec3());
                    }
                }
            }
        }
        let mut cells = Vec::new();
        for z in -n..n {
            for y in -n..n {
                for x in -n..n {
                    let inside = five_cells(IVec3::new(x, y, z), parity)
                        .into_iter()
                        .filter(|cell| cell.iter().all(|p| sum(*p) <= n));
                    cells.extend(inside.map(|cell| cell.map(|p| vertex_of[slot(p)])));
                }
            }
        }
        Ok(Self { positions, cells })
    }
}

/// The five tetrahedra, of positive volume, of the grid cell whose lowest node is `low`.
fn five_cells(low: IVec3, parity: SplitParity) -> [[IVec3; 4]; 5] {
    let is_odd = (low.element_sum() & 1 == 1) != (parity == SplitParity::Odd);
    // Corner nodes first, then the four of the middle; written for the case that the lowest node is a corner, and
    // mirrored in x for the other.
    let node = |x: i32, y: i32, z: i32| low + IVec3::new(if is_odd { 1 - x } else { x }, y, z);
    let cells = [
        [node(0, 0, 0), node(1, 0, 0), node(0, 1, 0), node(0, 0, 1)],
        [node(1, 1, 0), node(0, 1, 0), node(1, 0, 0), node(1, 1, 1)],
        [node(1, 0, 1), node(0, 0, 1), node(1, 1, 1), node(1, 0, 0)],
        [node(0, 1, 1), node(1, 1, 1), node(0, 0, 1), node(0, 1, 0)],
        [node(1, 0, 0), node(0, 1, 0), node(0, 0, 1), node(1, 1, 1)],
    ];
    cells.map(|cell| oriented(cell, |p| p.as_dvec3()))
}

/// Swaps the last two corners where the volume is negative.
fn oriented<T: Copy>(mut cell: [T; 4], position: impl Fn(T) -> DVec3) -> [T; 4] {
    if six_volumes(cell.map(position)) < 0.0 {
        cell.swap(2, 3);
    }
    cell
}

/// A unit disc of nearly even triangles.
struct Disc {
    nodes: Vec<[f64; 2]>,
    triangles: Vec<[u32; 3]>,
}

impl Disc {
    fn new(rings: u32) -> Self {
        let mut nodes = vec![[0.0, 0.0]];
        let mut triangles = Vec::new();
        // First node of the ring inside the current one, and of the current one.
        let (mut inner, mut outer) = (0u32, 1u32);
        for ring in 1..=rings {
            let count = 6 * ring;
            for i in 0..count {
                let (sin, cos) = (TAU * f64::from(i) / f64::from(count)).sin_cos();
                let distance = f64::from(ring) / f64::from(rings);
                nodes.push([distance * cos, distance * sin]);
            }
            let inner_count = (6 * (ring - 1)).max(1);
            // Each sixth of the ring: `ring` steps outside, one fewer inside.
            for sector in 0..6 {
                for step in 0..ring {
                    let out = |i: u32| outer + (sector * ring + i) % count;
                    let within = |i: u32| inner + (sector * (ring - 1) + i) % inner_count;
                    triangles.push([within(step), out(step), out(step + 1)]);
                    if step + 1 < ring {
                        triangles.push([within(step), out(step + 1), within(step + 1)]);
                    }
                }
            }
            (inner, outer) = (outer, outer + count);
        }
        Self { nodes, triangles }
    }

    /// Sweeps the disc through some stations and fills the prisms between them; the last joins the first when `closed`.
    fn swept(
        &self,
        stations: u32,
        closed: bool,
        place: impl Fn(u32, [f64; 2]) -> DVec3,
    ) -> TetMesh {
        let per_station = self.nodes.len() as u32;
        let positions: Vec<Vec3> = (0..stations)
            .flat_map(|s| self.nodes.iter().map(move |node| (s, *node)))
            .map(|(s, node)| place(s, node).as_vec3())
            .collect();
        let spans = if closed { stations } else { stations - 1 };
        let mut cells = Vec::with_capacity(self.triangles.len() * spans as usize * 3);
        for span in 0..spans {
            let next = (span + 1) % stations;
            for triangle in &self.triangles {
                let prism = [
                    triangle.map(|v| v + span * per_station),
                    triangle.map(|v| v + next * per_station),
                ];
                cells.extend(
                    three_cells(prism)
                        .map(|cell| oriented(cell, |v| positions[v as usize].as_dvec3())),
                );
            }
        }
        TetMesh { positions, cells }
    }
}

/// Three tetrahedra for a prism of two triangles, such that the diagonal of each side starts at the side's lowest vertex.
///
/// That rule looks only at the side, so neighbouring prisms always agree (Dompierre et al. 1999, "How to subdivide
/// pyramids, prisms and hexahedra into tetrahedra").
fn three_cells([bottom, top]: [[u32; 3]; 2]) -> [[u32; 4]; 3] {
    let lowest_of = |t: [u32; 3]| (0..3).min_by_key(|&i| t[i]).unwrap_or(0);
    // Turn the prism so that its lowest vertex is `a`.
    let (near, far) =
        if bottom.iter().min() < top.iter().min() { (bottom, top) } else { (top, bottom) };
    let turn = lowest_of(near);
    let [a, b, c] = [0, 1, 2].map(|i| near[(turn + i) % 3]);
    let [d, e, f] = [0, 1, 2].map(|i| far[(turn + i) % 3]);
    // Both sides at `a` are cut from `a`; the third has its own lowest vertex.
    if b.min(f) < c.min(e) {
        [[a, b, c, f], [a, b, f, e], [a, e, f, d]]
    } else {
        [[a, b, c, e], [a, e, c, f], [a, e, f, d]]
    }
}
