//! A field on a grid: what a frame reads instead of the sums of the fit.

use glam::{Affine3A, DMat3, DVec3, Mat3A, UVec3, Vec3A, Vec4};
use half::f16;

use super::{Hrbf, Sample};
use crate::partition::Segment;

/// Nodes of a grid along its joint's segment and in the two directions across.
///
/// A limb curves across, not along: nodes across count for more.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct GridResolution {
    /// Nodes along the segment.
    pub along: u32,
    /// Nodes in each direction across.
    pub across: u32,
}

impl Default for GridResolution {
    fn default() -> Self {
        Self { along: 24, across: 24 }
    }
}

impl GridResolution {
    /// The same number of nodes along each axis.
    #[must_use]
    pub const fn cube(nodes: u32) -> Self {
        Self { along: nodes, across: nodes }
    }

    fn dims(self) -> UVec3 {
        UVec3::new(self.along, self.across, self.across).clamp(UVec3::splat(4), UVec3::splat(128))
    }
}

/// Distances and gradients of one field at the nodes of an oriented box.
///
/// Distances are in support radii and gradients in support radii a cell, so that half precision keeps
/// eleven bits of each at any size. Between nodes the value is the mean of the corners' linear
/// expansions, each taken half way: `Σ w (d + ½ ∇d·(x - p))`. It is exact for quadratic fields, where
/// plain trilinear values are off by the curvature times the cell's size squared.
#[derive(Clone, Debug, PartialEq)]
pub struct FieldGrid {
    pub(crate) dims: UVec3,
    /// Node coordinates, 0 to `dims - 1`, from model space.
    pub(crate) grid_from_model: Affine3A,
    /// Support radius, in model space.
    pub(crate) radius: f32,
    /// x fastest; gradient in x, y, z and distance in w. Values that half precision can hold exactly.
    pub(crate) nodes: Vec<Vec4>,
}

/// How far the box may reach beyond the samples, in support radii. The function grows faster than
/// distance, so that the support of a limb ends near 0.6 of it.
const LARGEST_MARGIN: f64 = 1.6;
/// Nodes each way of the coarse look at where the support ends.
const COARSE: u32 = 12;

impl FieldGrid {
    /// Fills the smallest box, along the segment, that holds the field's support.
    ///
    /// Nodes on the outside of the box are kept at a radius or more, so that the value is zero there and
    /// the field ends without a step.
    #[must_use]
    pub fn new(
        function: &Hrbf,
        segment: &Segment,
        samples: &[Sample],
        radius: f64,
        resolution: GridResolution,
    ) -> Self {
        let mut grid = Self::unrounded(function, segment, samples, radius, resolution);
        for node in &mut grid.nodes {
            *node = Vec4::from_array(node.to_array().map(|x| f16::from_f32(x).to_f32()));
        }
        grid
    }

    /// The same in single precision; for tests of what rounding costs.
    #[must_use]
    pub fn unrounded(
        function: &Hrbf,
        segment: &Segment,
        samples: &[Sample],
        radius: f64,
        resolution: GridResolution,
    ) -> Self {
        let frame = frame(segment, samples);
        let local = |p: DVec3| frame.transpose() * (p - segment.head);
        let (mut low, mut high) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for sample in samples {
            low = low.min(local(sample.position));
            high = high.max(local(sample.position));
        }
        low -= radius * LARGEST_MARGIN;
        high += radius * LARGEST_MARGIN;
        let cells = |dims: UVec3| (dims - UVec3::ONE).as_dvec3();
        let coarse = UVec3::splat(COARSE);
        let step = (high - low) / cells(coarse);
        let (mut from, mut to) = (DVec3::INFINITY, DVec3::NEG_INFINITY);
        for node in nodes(coarse) {
            let p = low + step * node.as_dvec3();
            if function.distance_and_gradient(segment.head + frame * p).0 < radius {
                from = from.min(p);
                to = to.max(p);
            }
        }
        if from.cmple(to).all() {
            low = low.max(from - step);
            high = high.min(to + step);
        }
        let dims = resolution.dims();
        let step = (high - low) / cells(dims);
        let per_cell = DMat3::from_diagonal(step) * frame.transpose();
        let border = |n: u32, count: u32| n == 0 || n + 1 == count;
        let nodes = nodes(dims)
            .map(|node| {
                let point = segment.head + frame * (low + step * node.as_dvec3());
                let (distance, gradient) = function.distance_and_gradient(point);
                let gradient = per_cell * gradient / radius;
                let mut distance = distance / radius;
                if border(node.x, dims.x) || border(node.y, dims.y) || border(node.z, dims.z) {
                    distance = distance.max(1.0);
                }
                // Far outside only the sign matters; half precision must not overflow.
                gradient
                    .clamp(DVec3::splat(-1e3), DVec3::splat(1e3))
                    .as_vec3()
                    .extend(distance.clamp(-1e3, 1e3) as f32)
            })
            .collect();
        let matrix = DMat3::from_diagonal(step.recip()) * frame.transpose();
        let translation = -(matrix * segment.head) - low / step;
        Self {
            dims,
            grid_from_model: Affine3A {
                matrix3: Mat3A::from_cols(
                    matrix.x_axis.as_vec3a(),
                    matrix.y_axis.as_vec3a(),
                    matrix.z_axis.as_vec3a(),
                ),
                translation: translation.as_vec3a(),
            },
            radius: radius as f32,
            nodes,
        }
    }

    /// The support radius, in model space.
    #[must_use]
    pub fn radius(&self) -> f32 {
        self.radius
    }

    /// The number of nodes along each axis of the box.
    #[must_use]
    pub fn dims(&self) -> UVec3 {
        self.dims
    }

    /// The distance at a point of model space, in its unit, and the gradient; `None` outside of the box.
    #[must_use]
    pub fn distance_and_gradient(&self, point: Vec3A) -> Option<(f32, Vec3A)> {
        let node = self.interpolate(self.grid_from_model.transform_point3a(point))?;
        let gradient = self.grid_from_model.matrix3.transpose() * Vec3A::from_vec4(node);
        Some((node.w * self.radius, gradient * self.radius))
    }

    /// Centre and half axes of the box, in model space.
    pub(crate) fn bounds(&self) -> (Vec3A, Mat3A) {
        let half = (self.dims - UVec3::ONE).as_vec3a() * 0.5;
        let model_from_grid = self.grid_from_model.inverse();
        let axes = model_from_grid.matrix3 * Mat3A::from_diagonal(half.into());
        (model_from_grid.transform_point3a(half), axes)
    }

    /// Gradient (a cell) and distance (radii) at node coordinates; `None` outside of the box.
    #[inline(always)]
    pub(crate) fn interpolate(&self, at: Vec3A) -> Option<Vec4> {
        if at.min_element() < 0.0 || at.is_nan() {
            return None;
        }
        let (x, y, z) = (at.x as u32, at.y as u32, at.z as u32);
        let UVec3 { x: nx, y: ny, z: nz } = self.dims;
        if x + 1 >= nx || y + 1 >= ny || z + 1 >= nz {
            return None;
        }
        let t = at - Vec3A::new(x as f32, y as f32, z as f32);
        let row = nx as usize;
        let plane = row * ny as usize;
        let first = x as usize + row * y as usize + plane * z as usize;
        let nodes = self.nodes.get(first..first + plane + row + 2)?;
        let s = Vec3A::ONE - t;
        // Linear along x of each edge: values, and values times the way from their nodes.
        let edge = |at: usize| {
            let (a, b) = (nodes[at] * s.x, nodes[at + 1] * t.x);
            (a + b, a * t.x - b * s.x)
        };
        let [(e00, d00), (e10, d10), (e01, d01), (e11, d11)] =
            [edge(0), edge(row), edge(plane), edge(plane + row)];
        let (f0, dx0, dy0) =
            (e00 * s.y + e10 * t.y, d00 * s.y + d10 * t.y, (e00 - e10) * (s.y * t.y));
        let (f1, dx1, dy1) =
            (e01 * s.y + e11 * t.y, d01 * s.y + d11 * t.y, (e01 - e11) * (s.y * t.y));
        let mean = f0 * s.z + f1 * t.z;
        let dx = dx0 * s.z + dx1 * t.z;
        let dy = dy0 * s.z + dy1 * t.z;
        let dz = (f0 - f1) * (s.z * t.z);
        let correction = 0.5 * (dx.x + dy.y + dz.z);
        Some(Vec4::new(mean.x, mean.y, mean.z, mean.w + correction))
    }
}

fn nodes(dims: UVec3) -> impl Iterator<Item = UVec3> {
    (0..dims.z).flat_map(move |z| {
        (0..dims.y).flat_map(move |y| (0..dims.x).map(move |x| UVec3::new(x, y, z)))
    })
}

/// Axes of the box: along the segment, and across in the directions in which the samples spread most and
/// least.
fn frame(segment: &Segment, samples: &[Sample]) -> DMat3 {
    let along = segment.axis();
    let (u, v) = along.any_orthonormal_pair();
    let (mut uu, mut uv, mut vv) = (0.0, 0.0, 0.0);
    let middle = samples.iter().map(|s| s.position).sum::<DVec3>() / samples.len().max(1) as f64;
    for sample in samples {
        let (a, b) = ((sample.position - middle).dot(u), (sample.position - middle).dot(v));
        uu += a * a;
        uv += a * b;
        vv += b * b;
    }
    let angle = 0.5 * f64::atan2(2.0 * uv, uu - vv);
    let wide = u * angle.cos() + v * angle.sin();
    DMat3::from_cols(along, wide, along.cross(wide))
}
