//! Closed triangle surfaces: box, cylinder, torus, sphere.

use core::f64::consts::{FRAC_PI_4, TAU};

use glam::{DVec3, UVec3, Vec3};

use super::{ShapeError, check_count, check_length, check_torus, check_vertices};
use crate::mesh::SurfaceMesh;

impl SurfaceMesh {
    /// A box of edge lengths `size`, each edge cut into `segments` parts: two triangles a square.
    ///
    /// # Errors
    ///
    /// A length that is not above 0, or a count of 0.
    pub fn cuboid(size: Vec3, segments: [u32; 3]) -> Result<Self, ShapeError> {
        for (name, value) in [("size.x", size.x), ("size.y", size.y), ("size.z", size.z)] {
            check_length(name, value)?;
        }
        let (lattice, triangles) = box_skin(segments)?;
        let segments = UVec3::from(segments).as_dvec3();
        let positions = lattice
            .iter()
            .map(|p| ((p.as_dvec3() / segments - 0.5) * size.as_dvec3()).as_vec3())
            .collect();
        Ok(Self { positions, triangles })
    }

    /// A sphere made from a cube whose edges are cut into `segments` parts: no poles, no seam, nearly even triangles.
    ///
    /// # Errors
    ///
    /// A radius that is not above 0, or a count of 0.
    pub fn sphere(radius: f32, segments: u32) -> Result<Self, ShapeError> {
        check_length("radius", radius)?;
        let (lattice, triangles) = box_skin([segments; 3])?;
        // Equal angles rather than equal lengths on the cube make the triangles about one size.
        let bend = |p: DVec3| (p * FRAC_PI_4).to_array().map(f64::tan);
        let positions = lattice
            .iter()
            .map(|p| p.as_dvec3() / f64::from(segments) * 2.0 - 1.0)
            .map(|p| (DVec3::from_array(bend(p)).normalize() * f64::from(radius)).as_vec3())
            .collect();
        Ok(Self { positions, triangles })
    }

    /// A cylinder along y with `around` sides, its height cut into `layers`, its end discs into `rings`.
    ///
    /// # Errors
    ///
    /// A length that is not above 0, fewer than 3 sides, no layer or no ring.
    pub fn cylinder(
        radius: f32,
        height: f32,
        around: u32,
        layers: u32,
        rings: u32,
    ) -> Result<Self, ShapeError> {
        check_length("radius", radius)?;
        check_length("height", height)?;
        check_count("around", around, 3)?;
        check_count("layers", layers, 1)?;
        check_count("rings", rings, 1)?;
        check_vertices(&[around.into(), u128::from(layers) + 2 * u128::from(rings)])?;
        // A stack of circles from the middle of the bottom disc, up the side, to the middle of the top disc.
        let bottom = (1..=rings).map(|k| (f64::from(k) / f64::from(rings), 0.0));
        let side = (1..=layers).map(|k| (1.0, f64::from(k) / f64::from(layers)));
        let top = (1..rings).rev().map(|k| (f64::from(k) / f64::from(rings), 1.0));
        let circles: Vec<(f64, f64)> = bottom.chain(side).chain(top).collect();
        let (radius, height) = (f64::from(radius), f64::from(height));

        let mut positions = Vec::with_capacity(circles.len() * around as usize + 2);
        let mut triangles = Vec::with_capacity(circles.len() * around as usize * 2);
        for (share_of_radius, share_of_height) in &circles {
            for i in 0..around {
                let (sin, cos) = (TAU * f64::from(i) / f64::from(around)).sin_cos();
                let across = radius * share_of_radius;
                positions.push(
                    DVec3::new(across * cos, height * (share_of_height - 0.5), across * sin)
                        .as_vec3(),
                );
            }
        }
        let below = positions.len() as u32;
        positions.push(DVec3::new(0.0, -0.5 * height, 0.0).as_vec3());
        positions.push(DVec3::new(0.0, 0.5 * height, 0.0).as_vec3());
        let last = (circles.len() as u32 - 1) * around;
        for i in 0..around {
            let j = (i + 1) % around;
            triangles.push([below, i, j]);
            for circle in (0..last).step_by(around as usize) {
                push_quad(
                    &mut triangles,
                    [circle + i, circle + around + i, circle + around + j, circle + j],
                );
            }
            triangles.push([below + 1, last + j, last + i]);
        }
        Ok(Self { positions, triangles })
    }

    /// A torus round y: a tube of radius `tube_radius` round a circle of radius `ring_radius`.
    ///
    /// # Errors
    ///
    /// A length that is not above 0, a tube as thick as the ring, or fewer than 3 segments either way.
    pub fn torus(
        ring_radius: f32,
        tube_radius: f32,
        around: u32,
        tube_segments: u32,
    ) -> Result<Self, ShapeError> {
        check_torus(ring_radius, tube_radius)?;
        check_count("around", around, 3)?;
        check_count("tube_segments", tube_segments, 3)?;
        check_vertices(&[around.into(), tube_segments.into()])?;
        let (ring_radius, tube_radius) = (f64::from(ring_radius), f64::from(tube_radius));
        let vertex = |i: u32, j: u32| (i % around) * tube_segments + j % tube_segments;
        let mut positions = Vec::with_capacity((around * tube_segments) as usize);
        let mut triangles = Vec::with_capacity((around * tube_segments) as usize * 2);
        for i in 0..around {
            let (ring_sin, ring_cos) = (TAU * f64::from(i) / f64::from(around)).sin_cos();
            for j in 0..tube_segments {
                let (tube_sin, tube_cos) =
                    (TAU * f64::from(j) / f64::from(tube_segments)).sin_cos();
                let out = ring_radius + tube_radius * tube_cos;
                positions.push(
                    DVec3::new(out * ring_cos, tube_radius * tube_sin, out * ring_sin).as_vec3(),
                );
                push_quad(
                    &mut triangles,
                    [vertex(i, j), vertex(i, j + 1), vertex(i + 1, j + 1), vertex(i + 1, j)],
                );
            }
        }
        Ok(Self { positions, triangles })
    }
}

/// Two triangles for a quadrilateral given counter-clockwise.
fn push_quad(triangles: &mut Vec<[u32; 3]>, [a, b, c, d]: [u32; 4]) {
    triangles.push([a, b, c]);
    triangles.push([a, c, d]);
}

/// The nodes on the skin of a grid of cells, by grid coordinates, and the triangles between them.
fn box_skin(segments: [u32; 3]) -> Result<(Vec<UVec3>, Vec<[u32; 3]>), ShapeError> {
    for (name, value) in [
        ("segments along x", segments[0]),
        ("segments along y", segments[1]),
        ("segments along z", segments[2]),
    ] {
        check_count(name, value, 1)?;
    }
    check_vertices(&segments.map(|s| u128::from(s) + 1))?;
    let nodes = UVec3::from(segments) + 1;
    let on_skin = |p: UVec3| (0..3).any(|axis| p[axis] == 0 || p[axis] == segments[axis]);
    let mut lattice = Vec::new();
    let mut vertex_of = vec![0u32; (nodes.x * nodes.y * nodes.z) as usize];
    let slot = |p: UVec3| (p.x + nodes.x * (p.y + nodes.y * p.z)) as usize;
    for z in 0..nodes.z {
        for y in 0..nodes.y {
            for x in 0..nodes.x {
                let p = UVec3::new(x, y, z);
                if on_skin(p) {
                    vertex_of[slot(p)] = lattice.len() as u32;
                    lattice.push(p);
                }
            }
        }
    }
    let mut triangles = Vec::new();
    for axis in 0..3 {
        // The two axes of the face, in the order that makes the normal point along `axis`.
        let (u, v) = ((axis + 1) % 3, (axis + 2) % 3);
        for high in [false, true] {
            for i in 0..segments[u] {
                for j in 0..segments[v] {
                    let corner = |di: u32, dj: u32| {
                        let mut p = UVec3::ZERO;
                        p[axis] = if high { segments[axis] } else { 0 };
                        p[u] = i + di;
                        p[v] = j + dj;
                        vertex_of[slot(p)]
                    };
                    let mut quad = [corner(0, 0), corner(1, 0), corner(1, 1), corner(0, 1)];
                    if !high {
                        quad.reverse();
                    }
                    push_quad(&mut triangles, quad);
                }
            }
        }
    }
    Ok((lattice, triangles))
}
