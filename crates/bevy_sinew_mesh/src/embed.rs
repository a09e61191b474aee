//! How the vertices of a surface follow the particles of a body that was not made from it.

use std::sync::Arc;

use bevy_ecs::entity::Entity;
use bevy_math::{DMat3, DVec3, Vec3};
use sinew_elastic::{ElasticShape, Embedding, EmbeddingError};

use crate::body_surface::SurfaceBinding;
use crate::error::MeshBodyError;
use crate::neighbours::Neighbours;

/// Particles that a vertex follows at most.
const CORNERS: usize = 8;
/// Distance to a particle, in distances to the one after the last, below which a vertex lies on it.
const ON_PARTICLE: f64 = 1e-6;
/// Share of the trace of a fit's moments that is added to them, for vertices among particles in a plane.
const FLATNESS: f64 = 1e-12;
/// As [`COPLANAR`], for moments by weights, which are small on purpose for particles that are far.
const WEIGHTLESS: f64 = 1e-8;
/// Determinant of the moments of particles, in cubes of their trace, below which they count as lying in a
/// plane: 1/27 for those of a cell.
const COPLANAR: f64 = 1e-4;

/// Binds vertices, given in body space, to a body at rest.
pub(crate) fn embed(
    entity: Entity,
    shape: &ElasticShape,
    binding: &SurfaceBinding,
    vertices: &[Vec3],
) -> Result<Arc<Embedding>, MeshBodyError> {
    let embedding = match binding {
        SurfaceBinding::Nearest => in_regions(shape, vertices),
        SurfaceBinding::Tetrahedra(cells) => {
            let rest: Vec<Vec3> =
                (0..shape.particle_count()).map(|i| shape.rest_position(i)).collect();
            Embedding::in_tets(&rest, cells, vertices)
        }
        SurfaceBinding::Embedding(given) => return check(entity, shape, given, vertices.len()),
    };
    embedding.map(Arc::new).map_err(|error| MeshBodyError::Embedding { entity, error })
}

fn check(
    entity: Entity,
    shape: &ElasticShape,
    given: &Arc<Embedding>,
    vertices: usize,
) -> Result<Arc<Embedding>, MeshBodyError> {
    let embedded = given.vertex_count();
    if embedded != vertices {
        return Err(MeshBodyError::EmbeddingLength { entity, embedded, vertices });
    }
    let particles = shape.particle_count();
    for vertex in 0..embedded {
        let (named, weights) = given.vertex(vertex);
        let mut used = named.iter().zip(weights).filter(|&(_, &weight)| weight != 0.0);
        if let Some((&particle, _)) = used.find(|&(&particle, _)| particle as usize >= particles) {
            let error = EmbeddingError::UnknownParticle { cell: vertex, particle, particles };
            return Err(MeshBodyError::Embedding { entity, error });
        }
    }
    Ok(given.clone())
}

/// Each vertex by the eight nearest particles of the region around the nearest one, by moving least
/// squares: weights fall to zero at the ninth, reproduce affine motion, and are those of the particle
/// itself where the vertex lies on one.
fn in_regions(shape: &ElasticShape, vertices: &[Vec3]) -> Result<Embedding, EmbeddingError> {
    let search = NearestParticle::new(shape);
    let neighbours = Neighbours::new(shape);
    let mut bound = Vec::with_capacity(vertices.len());
    for (index, &vertex) in vertices.iter().enumerate() {
        if !vertex.is_finite() {
            return Err(EmbeddingError::NonFinite(index));
        }
        let Some(nearest) = search.find(vertex) else { return Err(EmbeddingError::NoCells) };
        let place = shape.rest_position(nearest as usize).as_dvec3();
        let mut around: Vec<(f64, u32, DVec3)> = [(nearest, DVec3::ZERO)]
            .into_iter()
            .chain(neighbours.of(shape, nearest as usize))
            .map(|(particle, offset)| {
                let offset = place + offset - vertex.as_dvec3();
                (offset.length(), particle, offset)
            })
            .collect();
        around.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let (mut particles, mut weights) = ([nearest; CORNERS], [0.0; CORNERS]);
        for (i, (particle, weight)) in weigh(&around).into_iter().enumerate() {
            particles[i] = particle;
            weights[i] = weight as f32;
        }
        bound.push((particles, weights));
    }
    Ok(Embedding::from_weights(bound))
}

/// The nearest particles, sorted by distance, and the distance at which weights end. Where these all lie
/// in a plane, as for a vertex outside of a lattice's face, the last one gives way to the nearest that
/// does not.
fn choose(around: &[(f64, u32, DVec3)]) -> (Vec<(f64, u32, DVec3)>, f64) {
    let mut corners = around[..around.len().min(CORNERS)].to_vec();
    let last = corners.last().map_or(0.0, |p| p.0);
    let end = around.get(CORNERS).map_or(1.5 * last, |p| p.0);
    if !is_flat(&corners) || around.len() <= CORNERS {
        return (corners, end);
    }
    corners.pop();
    for &candidate in &around[CORNERS..] {
        corners.push(candidate);
        if !is_flat(&corners) {
            return (corners, 1.5 * candidate.0);
        }
        corners.pop();
    }
    corners.push(around[CORNERS - 1]);
    (corners, end)
}

/// Whether particles lie in a plane, or nearly so.
fn is_flat(particles: &[(f64, u32, DVec3)]) -> bool {
    let middle = particles.iter().map(|p| p.2).sum::<DVec3>() / particles.len().max(1) as f64;
    let moment = particles.iter().fold(DMat3::ZERO, |moment, p| {
        let q = p.2 - middle;
        moment + DMat3::from_cols(q * q.x, q * q.y, q * q.z)
    });
    moment.determinant() < COPLANAR * trace(&moment).powi(3)
}

fn trace(matrix: &DMat3) -> f64 {
    matrix.x_axis.x + matrix.y_axis.y + matrix.z_axis.z
}

/// Weights of the particles around a vertex, sorted by their distances from it.
fn weigh(around: &[(f64, u32, DVec3)]) -> Vec<(u32, f64)> {
    let Some(&(nearest, first, _)) = around.first() else { return Vec::new() };
    let (corners, end) = choose(around);
    let reach = end.max(1.25 * nearest);
    if nearest <= ON_PARTICLE * reach {
        return vec![(first, 1.0)];
    }
    // Ties can leave only the particles of a plane with weights; then all of them count.
    let last = corners.last().map_or(nearest, |p| p.0);
    let fit = Fit::new(&corners, reach);
    let fit = if fit.is_flat() { Fit::new(&corners, reach.max(1.5 * last)) } else { fit };
    let trace = trace(&fit.moment);
    // Offsets are seen from the vertex, which lies at zero.
    let slope = if trace > 0.0 {
        let moment = fit.moment + DMat3::from_diagonal(DVec3::splat(FLATNESS * trace));
        moment.inverse() * -fit.middle
    } else {
        DVec3::ZERO
    };
    let weight = |(&(_, particle, offset), share): (&(f64, u32, DVec3), &f64)| {
        (particle, share * (1.0 + slope.dot(offset - fit.middle)))
    };
    corners.iter().zip(&fit.shares).map(weight).collect()
}

/// Shepard's weights with a limited reach, and the moments of particles by them.
struct Fit {
    shares: Vec<f64>,
    middle: DVec3,
    moment: DMat3,
}

impl Fit {
    fn new(corners: &[(f64, u32, DVec3)], reach: f64) -> Self {
        // In units of the nearest one's distance, so that no number is very large.
        let nearest = corners.first().map_or(1.0, |p| p.0);
        let share = |distance: f64| {
            ((nearest / distance).powi(2) - (nearest / reach).powi(2)).max(0.0).powi(2)
        };
        let total: f64 = corners.iter().map(|p| share(p.0)).sum();
        let shares: Vec<f64> = corners.iter().map(|p| share(p.0) / total).collect();
        let middle: DVec3 = corners.iter().zip(&shares).map(|(p, w)| p.2 * w).sum();
        let moment = corners.iter().zip(&shares).fold(DMat3::ZERO, |moment, (p, w)| {
            let q = p.2 - middle;
            moment + DMat3::from_cols(q * q.x * w, q * q.y * w, q * q.z * w)
        });
        Self { shares, middle, moment }
    }

    fn is_flat(&self) -> bool {
        self.moment.determinant() < WEIGHTLESS * trace(&self.moment).powi(3)
    }
}

/// Finds nearest particles: by x, outwards, until the x alone is too far.
struct NearestParticle {
    by_x: Vec<(f32, u32, Vec3)>,
}

impl NearestParticle {
    fn new(shape: &ElasticShape) -> Self {
        let mut by_x: Vec<(f32, u32, Vec3)> = (0..shape.particle_count())
            .map(|i| (shape.rest_position(i).x, i as u32, shape.rest_position(i)))
            .collect();
        by_x.sort_unstable_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        Self { by_x }
    }

    fn find(&self, point: Vec3) -> Option<u32> {
        let start = self.by_x.partition_point(|&(x, ..)| x < point.x);
        let mut best = (f32::INFINITY, u32::MAX);
        let mut look = |&(x, particle, place): &(f32, u32, Vec3)| {
            let gap = x - point.x;
            if gap * gap > best.0 {
                return false;
            }
            let distance = place.distance_squared(point);
            if (distance, particle) < best {
                best = (distance, particle);
            }
            true
        };
        let (below, above) = self.by_x.split_at(start);
        let _ = above.iter().all(&mut look);
        let _ = below.iter().rev().all(&mut look);
        (best.1 != u32::MAX).then_some(best.1)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use bevy_math::Mat3;
    use sinew_elastic::lattice::LatticeNodes;

    fn shape() -> ElasticShape {
        let mut nodes = LatticeNodes::block([5, 4, 3], 0.1).unwrap();
        let middle = nodes.positions.iter().sum::<Vec3>() / nodes.positions.len() as f32;
        nodes.positions.iter_mut().for_each(|p| *p -= middle);
        ElasticShape::from_lattice(&nodes).unwrap()
    }

    /// Some points in and around the block.
    fn points() -> Vec<Vec3> {
        (0..200)
            .map(|i| {
                let part = |k: f32| (i as f32 * k).fract();
                Vec3::new(part(0.618_034), part(0.754_878), part(0.569_84)) * 0.6 - 0.3
            })
            .collect()
    }

    #[test]
    fn nearest_particles_are_those_of_a_full_search() {
        let shape = shape();
        let search = NearestParticle::new(&shape);
        for point in points() {
            let distance = |i: u32| shape.rest_position(i as usize).distance(point);
            let least = (0..shape.particle_count() as u32).map(distance).fold(f32::MAX, f32::min);
            assert!((distance(search.find(point).unwrap()) - least).abs() < 1e-6);
        }
    }

    #[test]
    fn affine_motion_is_followed_and_vertices_on_particles_are_particles() {
        let shape = shape();
        let map = Mat3::from_cols(
            Vec3::new(1.1, 0.2, 0.0),
            Vec3::new(-0.3, 0.9, 0.1),
            Vec3::new(0.0, 0.4, 1.3),
        );
        let count = shape.particle_count();
        let moved: Vec<Vec3> = (0..count).map(|i| map * shape.rest_position(i)).collect();
        let mut out = vec![Vec3::ZERO; 200];
        in_regions(&shape, &points()).unwrap().positions(&moved, &mut out);
        for (now, point) in out.iter().zip(points()) {
            assert!(now.distance(map * point) < 1e-5, "{point}");
        }
        let rest: Vec<Vec3> = (0..count).map(|i| shape.rest_position(i)).collect();
        let embedding = in_regions(&shape, &rest).unwrap();
        for particle in 0..count {
            let (particles, weights) = embedding.vertex(particle);
            assert_eq!((particles[0] as usize, weights[0]), (particle, 1.0));
        }
    }

    #[test]
    fn weights_change_little_where_the_nearest_particles_change() {
        let shape = shape();
        // Across the middle between two particles, step by step.
        let line: Vec<Vec3> =
            (0..=400).map(|i| Vec3::new(-0.1 + 0.0005 * i as f32, 0.021, 0.013)).collect();
        let embedding = in_regions(&shape, &line).unwrap();
        let mut bumps = vec![Vec3::ZERO; shape.particle_count()];
        for (i, bump) in bumps.iter_mut().enumerate() {
            bump.y = if i % 3 == 0 { 1.0 } else { 0.0 };
        }
        let mut out = vec![Vec3::ZERO; line.len()];
        embedding.positions(&bumps, &mut out);
        for pair in out.windows(2) {
            assert!(pair[0].distance(pair[1]) < 0.05, "{pair:?}");
        }
    }
}
