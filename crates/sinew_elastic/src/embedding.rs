//! Surfaces that follow a body: each vertex is a weighted mean of particles.

use glam::{Mat3, Vec3};
use thiserror::Error;

use crate::lattice::LatticeNodes;
use crate::shape::ElasticShape;

/// Why a surface cannot be embedded.
#[derive(Clone, Debug, Error, PartialEq)]
pub enum EmbeddingError {
    /// There are no cells.
    #[error("there are no tetrahedra to embed the surface in")]
    NoCells,
    /// An index names a particle that is not there.
    #[error("cell {cell} names particle {particle}, but there are only {particles}")]
    UnknownParticle {
        /// The cell.
        cell: usize,
        /// The particle that it names.
        particle: u32,
        /// How many there are.
        particles: usize,
    },
    /// A position is not finite.
    #[error("vertex {0} of the surface is not finite: repair the mesh")]
    NonFinite(usize),
}

/// Vertices as weighted means of up to eight particles each: trilinear in lattice cells, barycentric in
/// tetrahedra. Weights sum to one, so that affine motion is followed exactly.
#[derive(Clone, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Embedding {
    particles: Vec<[u32; 8]>,
    weights: Vec<[f32; 8]>,
}

impl Embedding {
    /// The vertices of the surface that a lattice was made from, in its numbering.
    #[must_use]
    pub fn from_lattice(lattice: &LatticeNodes) -> Self {
        Self {
            particles: lattice.embedding.particles.clone(),
            weights: lattice.embedding.weights.clone(),
        }
    }

    /// Any surface in tetrahedra: each vertex in the cell that holds it, or else in the cell that it is
    /// least outside of, whose motion it then extrapolates (Koyama et al. 2012, figure 9).
    ///
    /// # Errors
    /// When there are no cells, a cell names an unknown particle, or a vertex is not finite.
    pub fn in_tets(
        positions: &[Vec3],
        cells: &[[u32; 4]],
        vertices: &[Vec3],
    ) -> Result<Self, EmbeddingError> {
        let tets = prepare(positions, cells)?;
        let grid = TetGrid::new(&tets);
        let mut embedding = Self::default();
        for (index, &vertex) in vertices.iter().enumerate() {
            if !vertex.is_finite() {
                return Err(EmbeddingError::NonFinite(index));
            }
            let near = grid.around(vertex).iter().map(|&tet| &tets[tet as usize]);
            let inside = near
                .map(|tet| (tet.violation(vertex), tet))
                .min_by(|a, b| a.0.total_cmp(&b.0))
                .filter(|&(violation, _)| violation < 1e-6);
            let best = inside.or_else(|| {
                let all = tets.iter().map(|tet| (tet.violation(vertex), tet));
                all.min_by(|a, b| a.0.total_cmp(&b.0))
            });
            let Some((_, tet)) = best else { return Err(EmbeddingError::NoCells) };
            let w = tet.weights(vertex);
            let [a, b, c, d] = tet.particles;
            embedding.particles.push([a, b, c, d, a, a, a, a]);
            embedding.weights.push([w[0], w[1], w[2], w[3], 0.0, 0.0, 0.0, 0.0]);
        }
        Ok(embedding)
    }

    /// Vertices by weights of your own: of each the particles that it follows, up to eight, and their
    /// weights, which should sum to one.
    #[must_use]
    pub fn from_weights(vertices: impl IntoIterator<Item = ([u32; 8], [f32; 8])>) -> Self {
        let (particles, weights) = vertices.into_iter().unzip();
        Self { particles, weights }
    }

    /// One vertex for each particle.
    #[must_use]
    pub fn of_particles(count: usize) -> Self {
        let alone = [1.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0, 0.0];
        Self::from_weights((0..count as u32).map(|p| ([p; 8], alone)))
    }

    /// Number of vertices.
    #[must_use]
    pub fn vertex_count(&self) -> usize {
        self.particles.len()
    }

    /// Particles and weights of a vertex.
    ///
    /// # Panics
    /// When there is no such vertex.
    #[must_use]
    pub fn vertex(&self, vertex: usize) -> (&[u32; 8], &[f32; 8]) {
        (&self.particles[vertex], &self.weights[vertex])
    }

    /// Writes where each vertex is, in the space of the particle positions.
    ///
    /// Particles that are not there count as the origin; surplus places in `out` are left alone.
    pub fn positions(&self, particles: &[Vec3], out: &mut [Vec3]) {
        for (out, (indices, weights)) in
            out.iter_mut().zip(self.particles.iter().zip(&self.weights))
        {
            let mut sum = Vec3::ZERO;
            for (&particle, &weight) in indices.iter().zip(weights) {
                sum += particles.get(particle as usize).copied().unwrap_or(Vec3::ZERO) * weight;
            }
            *out = sum;
        }
    }

    /// Writes the deformation gradient at each vertex: the weighted mean of those of its particles.
    pub fn gradients(&self, of_particles: &[Mat3], out: &mut [Mat3]) {
        for (out, (indices, weights)) in
            out.iter_mut().zip(self.particles.iter().zip(&self.weights))
        {
            let mut sum = Mat3::ZERO;
            for (&particle, &weight) in indices.iter().zip(weights) {
                sum +=
                    of_particles.get(particle as usize).copied().unwrap_or(Mat3::IDENTITY) * weight;
            }
            *out = sum;
        }
    }
}

/// A normal after a deformation: by the cofactors of the gradient, which stay right where the body is
/// flattened. Gives the old normal back where the new one vanishes.
#[must_use]
pub fn deform_normal(gradient: Mat3, normal: Vec3) -> Vec3 {
    let [a, b, c] = [gradient.x_axis, gradient.y_axis, gradient.z_axis];
    (b.cross(c) * normal.x + c.cross(a) * normal.y + a.cross(b) * normal.z).normalize_or(normal)
}

/// A tangent after a deformation.
#[must_use]
pub fn deform_tangent(gradient: Mat3, tangent: Vec3) -> Vec3 {
    (gradient * tangent).normalize_or(tangent)
}

/// The deformation gradient of each particle's region, as a fixed linear map of particle positions.
///
/// It serves drawing, not the step: it can be evaluated for any positions, interpolated ones included.
#[derive(Clone, Debug, PartialEq)]
pub struct RegionGradients {
    start: Vec<u32>,
    member: Vec<u32>,
    /// `m̃ A_qq⁻¹ q` of each member.
    weight: Vec<Vec3>,
    /// What flat and thin regions leave open, taken from the rest shape.
    open: Vec<Mat3>,
}

impl RegionGradients {
    /// Works the maps out for all particles of a shape. A particle without region of its own takes the
    /// first region that holds it, or stays undeformed.
    #[must_use]
    pub fn new(shape: &ElasticShape) -> Self {
        let mut of_particle = vec![None; shape.particle_count()];
        for region in 0..shape.region_count() {
            for (particle, _) in shape.region_members(region) {
                of_particle[particle as usize].get_or_insert(region);
            }
            if let Some(owner) = shape.region_owner(region) {
                of_particle[owner as usize] = Some(region);
            }
        }
        let mut maps =
            Self { start: vec![0], member: Vec::new(), weight: Vec::new(), open: Vec::new() };
        for region in of_particle {
            let mut open = Mat3::IDENTITY;
            if let Some(region) = region {
                let fit = shape.region_fit(region);
                open = fit.null_projector.as_mat3();
                for (particle, weight) in fit.members {
                    maps.member.push(particle);
                    maps.weight.push(weight.as_vec3());
                }
            }
            maps.open.push(open);
            maps.start.push(maps.member.len() as u32);
        }
        maps
    }

    /// Writes the gradient of each particle for the given positions of all particles.
    ///
    /// Positions that are missing count as the origin; surplus places in `out` are left alone.
    pub fn evaluate(&self, positions: &[Vec3], out: &mut [Mat3]) {
        for (particle, out) in out.iter_mut().enumerate().take(self.open.len()) {
            let members = self.start[particle] as usize..self.start[particle + 1] as usize;
            let mut gradient = self.open[particle];
            let own = positions.get(particle).copied().unwrap_or(Vec3::ZERO);
            for (&member, &w) in self.member[members.clone()].iter().zip(&self.weight[members]) {
                let x = positions.get(member as usize).copied().unwrap_or(Vec3::ZERO) - own;
                gradient.x_axis += x * w.x;
                gradient.y_axis += x * w.y;
                gradient.z_axis += x * w.z;
            }
            *out = gradient;
        }
    }
}

/// A tetrahedron ready for barycentric coordinates.
struct Tet {
    particles: [u32; 4],
    origin: Vec3,
    inverse: Mat3,
    low: Vec3,
    high: Vec3,
}

impl Tet {
    fn weights(&self, point: Vec3) -> [f32; 4] {
        let w = self.inverse * (point - self.origin);
        [1.0 - w.x - w.y - w.z, w.x, w.y, w.z]
    }

    /// How far outside a point is: the sum of squares by which its coordinates leave [0, 1].
    fn violation(&self, point: Vec3) -> f32 {
        self.weights(point).map(|w| (w - w.clamp(0.0, 1.0)).powi(2)).iter().sum()
    }
}

fn prepare(positions: &[Vec3], cells: &[[u32; 4]]) -> Result<Vec<Tet>, EmbeddingError> {
    let mut tets = Vec::with_capacity(cells.len());
    for (index, &cell) in cells.iter().enumerate() {
        if let Some(&particle) = cell.iter().find(|&&p| p as usize >= positions.len()) {
            let particles = positions.len();
            return Err(EmbeddingError::UnknownParticle { cell: index, particle, particles });
        }
        let [a, b, c, d] = cell.map(|p| positions[p as usize]);
        let inverse = Mat3::from_cols(b - a, c - a, d - a).inverse();
        // Flat cells hold nothing.
        if inverse.is_finite() {
            let (low, high) = (a.min(b).min(c).min(d), a.max(b).max(c).max(d));
            tets.push(Tet { particles: cell, origin: a, inverse, low, high });
        }
    }
    if tets.is_empty() { Err(EmbeddingError::NoCells) } else { Ok(tets) }
}

/// A coarse grid of the cells' boxes, so that a search looks at a few.
struct TetGrid {
    low: Vec3,
    scale: Vec3,
    size: usize,
    cells: Vec<Vec<u32>>,
}

impl TetGrid {
    fn new(tets: &[Tet]) -> Self {
        let low = tets.iter().fold(Vec3::INFINITY, |low, tet| low.min(tet.low));
        let high = tets.iter().fold(Vec3::NEG_INFINITY, |high, tet| high.max(tet.high));
        let size = ((tets.len() as f32).cbrt().ceil() as usize).clamp(1, 64);
        let scale = Vec3::splat(size as f32) / (high - low).max(Vec3::splat(f32::MIN_POSITIVE));
        let mut grid = Self { low, scale, size, cells: vec![Vec::new(); size * size * size] };
        for (index, tet) in tets.iter().enumerate() {
            let (from, to) = (grid.place(tet.low), grid.place(tet.high));
            for z in from[2]..=to[2] {
                for y in from[1]..=to[1] {
                    for x in from[0]..=to[0] {
                        grid.cells[(z * size + y) * size + x].push(index as u32);
                    }
                }
            }
        }
        grid
    }

    fn place(&self, point: Vec3) -> [usize; 3] {
        let at = (point - self.low) * self.scale;
        at.to_array().map(|v| (v.max(0.0) as usize).min(self.size - 1))
    }

    fn around(&self, point: Vec3) -> &[u32] {
        let [x, y, z] = self.place(point);
        &self.cells[(z * self.size + y) * self.size + x]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::mesh::{SplitParity, TetMesh};

    fn body() -> TetMesh {
        TetMesh::cuboid([4, 5, 3], Vec3::new(0.2, 0.1, 0.3), SplitParity::Even).unwrap_or_default()
    }

    #[test]
    fn affine_motion_is_followed_exactly_inside_and_outside() {
        // T36.
        let mesh = body();
        let vertices =
            [Vec3::ZERO, Vec3::new(0.25, 0.15, 0.2), Vec3::new(0.4, -0.3, 0.1), Vec3::splat(0.05)];
        let embedding = Embedding::in_tets(&mesh.positions, &mesh.cells, &vertices);
        let Ok(embedding) = embedding else { panic!("{embedding:?}") };
        let map = Mat3::from_cols(
            Vec3::new(1.1, 0.2, 0.0),
            Vec3::new(-0.3, 0.9, 0.1),
            Vec3::new(0.0, 0.4, 1.3),
        );
        let shift = Vec3::new(3.0, -1.0, 2.0);
        let moved: Vec<Vec3> = mesh.positions.iter().map(|&p| map * p + shift).collect();
        let mut out = [Vec3::ZERO; 4];
        embedding.positions(&moved, &mut out);
        for (out, vertex) in out.iter().zip(vertices) {
            assert!((*out - (map * vertex + shift)).length() < 2e-6, "{out} {vertex}");
        }
        for vertex in 0..vertices.len() {
            let sum: f32 = embedding.vertex(vertex).1.iter().sum();
            assert!((sum - 1.0).abs() < 1e-6);
        }
    }

    #[test]
    fn gradients_and_normals_follow_an_affine_map() {
        let mesh = body();
        let shape = ElasticShape::from_tets(&mesh.positions, &mesh.cells);
        let Ok(shape) = shape else { panic!("{shape:?}") };
        let map = Mat3::from_cols(
            Vec3::new(1.1, 0.2, 0.0),
            Vec3::new(-0.3, 0.9, 0.1),
            Vec3::new(0.0, 0.4, 1.3),
        );
        let moved: Vec<Vec3> = mesh.positions.iter().map(|&p| map * p).collect();
        let mut gradients = vec![Mat3::ZERO; shape.particle_count()];
        RegionGradients::new(&shape).evaluate(&moved, &mut gradients);
        for gradient in &gradients {
            let error =
                (*gradient - map).to_cols_array().iter().fold(0.0_f32, |m, v| m.max(v.abs()));
            assert!(error < 2e-4, "{gradient}");
        }
        // A plane with this normal, after the map.
        let normal = deform_normal(map, Vec3::Z);
        assert!(normal.dot(map * Vec3::X).abs() < 1e-6 && normal.dot(map * Vec3::Y).abs() < 1e-6);
    }

    #[test]
    fn bad_input_is_an_error() {
        let mesh = body();
        assert_eq!(Embedding::in_tets(&mesh.positions, &[], &[]), Err(EmbeddingError::NoCells));
        let bad = Embedding::in_tets(&mesh.positions, &mesh.cells, &[Vec3::NAN]);
        assert_eq!(bad, Err(EmbeddingError::NonFinite(0)));
    }
}
