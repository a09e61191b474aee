//! How the surroundings of particles deform, which is how normals and tangents turn.

use bevy_math::{DMat3, DVec3, Mat3, Vec3};
use sinew_elastic::{ElasticShape, Embedding};

use crate::neighbours::Neighbours;

/// Share of the trace of a fit's moments that is added to them: directions in which the neighbours
/// extend less than about a thousandth of the others are left as they are at rest.
const FLATNESS: f64 = 1e-7;
/// Least cosine between a direction and the neighbour that is taken for it.
const ALIGNED: f64 = 0.3;

/// The deformation gradient at each particle that some vertex follows, as a linear map of particle
/// positions.
///
/// It fits six neighbours at most, one for each direction of each axis. The kernel's
/// [`RegionGradients`](sinew_elastic::RegionGradients) fit whole regions: smoother, but four times as
/// large on lattices, and what they serve, probes and gizmos, is not needed to draw. Both are exact for
/// affine motion.
#[derive(Debug)]
pub(crate) struct SurfaceGradients {
    /// Particles that vertices follow, ascending.
    particles: Vec<u32>,
    start: Vec<u32>,
    /// Neighbours, and by how much the gradient grows with how far each was moved away.
    fits: Vec<(u32, Vec3)>,
}

impl SurfaceGradients {
    /// Of the particles that an embedding names.
    pub(crate) fn new(shape: &ElasticShape, embedding: &Embedding) -> Self {
        let mut used = vec![false; shape.particle_count()];
        for vertex in 0..embedding.vertex_count() {
            let (particles, weights) = embedding.vertex(vertex);
            for (&particle, &weight) in particles.iter().zip(weights) {
                if weight != 0.0 {
                    used[particle as usize] = true;
                }
            }
        }
        let neighbours = Neighbours::new(shape);
        let mut gradients = Self { particles: Vec::new(), start: vec![0], fits: Vec::new() };
        for particle in (0..shape.particle_count()).filter(|&particle| used[particle]) {
            let around = neighbours.of(shape, particle);
            gradients.fits.extend(fit(&around));
            gradients.particles.push(particle as u32);
            gradients.start.push(gradients.fits.len() as u32);
        }
        gradients.fits.shrink_to_fit();
        gradients
    }

    /// Writes the gradients of the particles that vertices follow; the others are let alone.
    pub(crate) fn evaluate(&self, shape: &ElasticShape, positions: &[Vec3], out: &mut [Mat3]) {
        let moved =
            |particle: u32| positions[particle as usize] - shape.rest_position(particle as usize);
        for (range, &particle) in self.start.windows(2).zip(&self.particles) {
            let own = moved(particle);
            let mut gradient = Mat3::IDENTITY;
            for &(neighbour, w) in &self.fits[range[0] as usize..range[1] as usize] {
                let away = moved(neighbour) - own;
                gradient.x_axis += away * w.x;
                gradient.y_axis += away * w.y;
                gradient.z_axis += away * w.z;
            }
            out[particle as usize] = gradient;
        }
    }
}

/// The gradient of a vertex: the mean of those of the particles that it follows.
pub(crate) fn at_vertex(embedding: &Embedding, vertex: usize, of_particles: &[Mat3]) -> Mat3 {
    let (particles, weights) = embedding.vertex(vertex);
    let mut gradient = Mat3::ZERO;
    for (&particle, &weight) in particles.iter().zip(weights) {
        if weight != 0.0 {
            gradient += of_particles[particle as usize] * weight;
        }
    }
    gradient
}

/// A least-squares fit to the neighbours that lie best along each axis, near ones first.
fn fit(around: &[(u32, DVec3)]) -> Vec<(u32, Vec3)> {
    let mut chosen: Vec<(u32, DVec3)> = Vec::with_capacity(6);
    for direction in [DVec3::X, -DVec3::X, DVec3::Y, -DVec3::Y, DVec3::Z, -DVec3::Z] {
        let score = |offset: DVec3| offset.dot(direction) / offset.length_squared();
        let best = (around.iter().copied())
            .filter(|(_, offset)| offset.dot(direction) > ALIGNED * offset.length())
            .max_by(|(i, a), (j, b)| score(*a).total_cmp(&score(*b)).then(j.cmp(i)));
        if let Some(best) = best
            && chosen.iter().all(|&(known, _)| known != best.0)
        {
            chosen.push(best);
        }
    }
    let mut moment = DMat3::ZERO;
    for &(_, offset) in &chosen {
        let unit = offset.normalize_or_zero();
        moment += DMat3::from_cols(unit * unit.x, unit * unit.y, unit * unit.z);
    }
    let trace = moment.x_axis.x + moment.y_axis.y + moment.z_axis.z;
    if trace.is_nan() || trace <= 0.0 {
        return Vec::new();
    }
    let inverse = (moment + DMat3::from_diagonal(DVec3::splat(FLATNESS * trace))).inverse();
    let weight = |offset: DVec3| inverse * (offset / offset.length_squared());
    chosen.into_iter().map(|(index, offset)| (index, weight(offset).as_vec3())).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use sinew_elastic::lattice::LatticeNodes;
    use sinew_elastic::mesh::{SplitParity, TetMesh};
    use sinew_elastic::{Deformer, RegionGradients};

    fn shapes() -> [ElasticShape; 4] {
        let tets = TetMesh::cuboid([4, 5, 3], Vec3::new(0.2, 0.1, 0.3), SplitParity::Even).unwrap();
        let block =
            |size| ElasticShape::from_lattice(&LatticeNodes::block(size, 0.1).unwrap()).unwrap();
        [
            ElasticShape::from_tets(&tets.positions, &tets.cells).unwrap(),
            block([6, 5, 4]),
            // A sheet, and a thread.
            block([5, 4, 1]),
            block([1, 7, 1]),
        ]
    }

    fn gradients(shape: &ElasticShape, map: impl Fn(Vec3) -> Vec3) -> Vec<Mat3> {
        let count = shape.particle_count();
        let moved: Vec<Vec3> = (0..count).map(|i| map(shape.rest_position(i))).collect();
        let mut out = vec![Mat3::ZERO; count];
        SurfaceGradients::new(shape, &Embedding::of_particles(count))
            .evaluate(shape, &moved, &mut out);
        out
    }

    #[test]
    fn affine_motion_gives_its_matrix_in_all_directions_that_the_body_has() {
        let map = Mat3::from_cols(
            Vec3::new(1.1, 0.2, 0.0),
            Vec3::new(-0.3, 0.9, 0.1),
            Vec3::new(0.0, 0.4, 1.3),
        );
        let known: [&[Vec3]; 4] = [&Vec3::AXES, &Vec3::AXES, &[Vec3::X, Vec3::Y], &[Vec3::Y]];
        for (shape, axes) in shapes().iter().zip(known) {
            for gradient in gradients(shape, |p| map * p + Vec3::splat(3.0)) {
                for &axis in Vec3::AXES.iter() {
                    let expected = if axes.contains(&axis) { map * axis } else { axis };
                    assert!((gradient * axis).distance(expected) < 1e-4, "{gradient} {axis}");
                }
            }
        }
    }

    #[test]
    fn smooth_motion_gives_its_derivative_as_closely_as_whole_regions_do() {
        let twist = Deformer::twist(Vec3::Y, 1.5);
        let step = 1e-3;
        for shape in &shapes()[..2] {
            let count = shape.particle_count();
            let rest: Vec<Vec3> = (0..count).map(|i| shape.rest_position(i)).collect();
            let moved: Vec<Vec3> = rest.iter().map(|&p| twist.deform(p)).collect();
            let mut of_regions = vec![Mat3::ZERO; count];
            RegionGradients::new(shape).evaluate(&moved, &mut of_regions);
            let off = |found: &[Mat3]| {
                let squares = found.iter().zip(&rest).map(|(found, &p)| {
                    let slope = |axis: Vec3| {
                        (twist.deform(p + axis * step) - twist.deform(p - axis * step))
                            / (2.0 * step)
                    };
                    let exact = Mat3::from_cols(slope(Vec3::X), slope(Vec3::Y), slope(Vec3::Z));
                    let error = *found - exact;
                    error.to_cols_array().iter().map(|v| v * v).sum::<f32>()
                });
                (squares.sum::<f32>() / count as f32).sqrt()
            };
            let fitted = off(&gradients(shape, |p| twist.deform(p)));
            let regions = off(&of_regions);
            assert!(fitted < 1.2 * regions, "{fitted} beside {regions}");
        }
    }
}
