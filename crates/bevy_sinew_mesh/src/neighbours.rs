//! Which particles lie around a particle, in a body of any kind.

use bevy_math::DVec3;
use sinew_elastic::ElasticShape;

/// For each particle the region that it is nearest to the middle of: its own, on lattices and
/// tetrahedral meshes. Regions hold what is connected, so that parts of a body which are merely near
/// each other stay apart.
#[derive(Debug)]
pub(crate) struct Neighbours {
    region: Vec<Option<u32>>,
}

impl Neighbours {
    pub(crate) fn new(shape: &ElasticShape) -> Self {
        let mut best = vec![(f64::INFINITY, None); shape.particle_count()];
        for region in 0..shape.region_count() {
            let members = shape.region_members(region);
            let place = |particle: u32| shape.rest_position(particle as usize).as_dvec3();
            let sum: DVec3 = members.iter().map(|&(particle, _)| place(particle)).sum();
            let middle = sum / members.len().max(1) as f64;
            for &(particle, _) in &members {
                let distance = place(particle).distance_squared(middle);
                if distance < best[particle as usize].0 {
                    best[particle as usize] = (distance, Some(region as u32));
                }
            }
        }
        Self { region: best.into_iter().map(|(_, region)| region).collect() }
    }

    /// The other particles around one, and how far each is away at rest.
    pub(crate) fn of(&self, shape: &ElasticShape, particle: usize) -> Vec<(u32, DVec3)> {
        let Some(region) = self.region[particle] else { return Vec::new() };
        let own = shape.rest_position(particle).as_dvec3();
        (shape.region_members(region as usize).iter())
            .map(|&(other, _)| (other, shape.rest_position(other as usize).as_dvec3() - own))
            .filter(|&(other, offset)| other as usize != particle && offset.length_squared() > 0.0)
            .collect()
    }
}
