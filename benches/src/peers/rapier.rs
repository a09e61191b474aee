//! Rapier's own soft bodies: a different model, so only the cost of a frame at the same number of
//! particles can be compared.

use std::time::{Duration, Instant};

use glam::Vec3;
use rapier3d::prelude::*;

use crate::{
    Runner, RunnerError,
    scene::{self, Snapshot},
};

/// What holds the body together.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum RapierModel {
    /// Edges and volume cells: Rapier's default for a solid body.
    Cells,
    /// One shape-matched cluster over the whole body.
    Cluster,
    /// A shape-matched cluster of up to 27 particles around every particle, as in our lattices. Its
    /// cost grows faster than the number of particles: keep to small sizes.
    OverlappingClusters,
}

/// A world with one cube in it, hung by its face at -x, without colliders.
pub struct Rapier {
    world: PhysicsWorld,
    body: SoftBodyHandle,
    model: RapierModel,
}

impl Rapier {
    /// Builds the cube of `side`³ particles on `threads` threads.
    pub fn cube(model: RapierModel, side: usize, threads: usize) -> Result<Self, RunnerError> {
        let mut world = PhysicsWorld::new();
        world.gravity = Vector::new(0.0, -scene::GRAVITY, 0.0);
        world.integration_parameters.dt = scene::DT;
        world
            .configure_thread_pool(threads)
            .map_err(|error| RunnerError::Refused(error.to_string()))?;

        let centre = Vector::new(0.0, 0.5, 0.0);
        let mut cube = SoftBodyBuilder::cuboid(centre, Vector::splat(0.5), side, side, side)
            .pinned_particles(0..(side * side) as u32)
            .no_surface_collider()
            .can_sleep(false);
        if model != RapierModel::Cells {
            cube = cube.edges(Vec::new()).cells(Vec::new());
        }
        if model == RapierModel::Cluster {
            cube = cube.shape_matching(true);
        }
        let body = world.insert_soft_body(cube);
        if model == RapierModel::OverlappingClusters {
            for region in regions(side) {
                let cluster = world.add_soft_body_cluster(body, &region);
                let cluster =
                    cluster.ok_or_else(|| RunnerError::Refused("an empty cluster".into()))?;
                world.soft_bodies[body].enable_cluster_shape_matching(cluster, true);
            }
        }
        Ok(Self { world, body, model })
    }
}

/// The particles within one cell of each particle, in the order of [`scene::rest`].
fn regions(side: usize) -> impl Iterator<Item = Vec<u32>> {
    let near = move |c: usize| c.saturating_sub(1)..(c + 2).min(side);
    (0..side.pow(3)).map(move |i| {
        let (x, y, z) = (i / (side * side), i / side % side, i % side);
        let at = move |x, y| near(z).map(move |z| ((x * side + y) * side + z) as u32);
        near(x).flat_map(|x| near(y).flat_map(move |y| at(x, y))).collect()
    })
}

impl Runner for Rapier {
    fn name(&self) -> String {
        let model = match self.model {
            RapierModel::Cells => "cells",
            RapierModel::Cluster => "one cluster",
            RapierModel::OverlappingClusters => "overlapping clusters",
        };
        format!("rapier3d 0.36.1 {model}")
    }

    fn particles(&self) -> usize {
        self.world.soft_bodies[self.body].num_particles()
    }

    /// Does nothing: a hung body stays where it is, and its cost does not depend on its sag.
    fn restart(&mut self) -> Result<(), RunnerError> {
        Ok(())
    }

    fn steps(&mut self, steps: u32) -> Result<Duration, RunnerError> {
        let begin = Instant::now();
        for _ in 0..steps {
            self.world.step();
        }
        Ok(begin.elapsed())
    }

    fn snapshot(&mut self) -> Result<Snapshot, RunnerError> {
        // Rapier's glam is another version than ours: cross by arrays.
        let ours = |v: Vector| Vec3::from_array(v.to_array());
        let body = &self.world.soft_bodies[self.body];
        let positions = body.particle_positions().map(ours).collect();
        Ok(Snapshot::of_equal_masses(positions, body.particle_velocities().map(ours).collect()))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_region_holds_27_particles_inside_18_on_a_face_and_8_at_a_corner() {
        let regions: Vec<Vec<u32>> = regions(4).collect();
        assert_eq!(regions[0].len(), 8);
        assert_eq!(regions[16 + 4].len(), 18);
        assert_eq!(regions[16 + 4 + 1].len(), 27);
        assert!(regions.iter().enumerate().all(|(i, region)| region.contains(&(i as u32))));
    }

    #[test]
    fn the_cube_has_the_particles_of_the_scene_in_the_same_order() {
        let mut cube = Rapier::cube(RapierModel::Cluster, 4, 1).unwrap();
        for (theirs, ours) in cube.snapshot().unwrap().positions.iter().zip(scene::rest(4)) {
            assert!(theirs.distance(ours) < 1e-6);
        }
    }
}
