//! From bodies to surfaces: where vertices are between two ticks.

use std::sync::Arc;

use bevy_asset::AssetId;
use bevy_ecs::prelude::*;
use bevy_math::{Affine3A, Vec3};
use bevy_mesh::Mesh;
use bevy_sinew_bodies::BodyMotion;
use bevy_time::{Fixed, Time};
use sinew_elastic::ElasticShape;
use sinew_elastic::lattice::LatticeReport;

use crate::build::{BuildJob, Built};
use crate::request::Request;
use crate::settings::MeshInterpolation;
use crate::skin::Pose;

/// The surface of a body and the meshes that show it. There once they are bound: on the entity of a
/// [`DeformableMesh`](crate::DeformableMesh), or of a [`BodySurface`](crate::BodySurface).
#[derive(Component, Debug)]
pub struct DeformedSurface {
    pub(crate) built: Arc<Built>,
    /// Lets others share what was built.
    _job: Arc<BuildJob>,
    pub(crate) request: Request,
    /// The entity of the body.
    pub(crate) body: Entity,
    /// The scale that the entity had before its body was made.
    pub(crate) scale_before: Option<Vec3>,
    pub(crate) parts: Vec<PartMesh>,
    /// Particles between two ticks, in body space.
    particles: Vec<Vec3>,
    pub(crate) pose: Pose,
    /// How far between the ticks `pose` is; `None` before the first time.
    fraction: Option<f32>,
    /// Whether the last two ticks differ.
    moving: bool,
    /// Whether meshes have not seen `pose` yet.
    pub(crate) fresh: bool,
}

/// One mesh of a body.
#[derive(Debug)]
pub(crate) struct PartMesh {
    pub entity: Entity,
    pub copy: AssetId<Mesh>,
    /// Whether the source was drawn mirrored.
    pub mirrored: bool,
    /// Whether the triangles of the copy are turned round.
    pub turned: bool,
    /// `part_from_body` when the mesh was last written.
    pub map: Option<Affine3A>,
    /// Whether the mesh can no longer be written.
    pub lost: bool,
}

impl DeformedSurface {
    pub(crate) fn new(
        job: Arc<BuildJob>,
        built: &Arc<Built>,
        request: &Request,
        entity: Entity,
    ) -> Self {
        Self {
            _job: job,
            request: request.clone(),
            body: request.way.body(entity),
            scale_before: None,
            parts: Vec::with_capacity(request.parts.len()),
            particles: Vec::with_capacity(built.skin.shape.particle_count()),
            pose: Pose::of(&built.skin),
            fraction: None,
            moving: false,
            fresh: false,
            built: built.clone(),
        }
    }

    pub(crate) fn add_part(&mut self, entity: Entity, copy: AssetId<Mesh>, mirrored: bool) {
        let part = PartMesh { entity, copy, mirrored, turned: false, map: None, lost: false };
        self.parts.push(part);
    }

    /// The entities whose meshes show the body, in the order of their vertices.
    pub fn parts(&self) -> impl Iterator<Item = Entity> {
        self.parts.iter().map(|part| part.entity)
    }

    /// The entity of the body.
    #[must_use]
    pub fn body(&self) -> Entity {
        self.body
    }

    /// The body's shape.
    #[must_use]
    pub fn shape(&self) -> &Arc<ElasticShape> {
        &self.built.skin.shape
    }

    /// What the lattice builder met in the meshes, and did. Empty for a
    /// [`BodySurface`](crate::BodySurface), for which it has nothing to do.
    #[must_use]
    pub fn report(&self) -> &LatticeReport {
        &self.built.report
    }

    /// Vertices of all parts as they are drawn, in body space: part by part, each in the order of its
    /// mesh. Written in [`MeshSystems::Write`](crate::MeshSystems::Write).
    #[must_use]
    pub fn vertices(&self) -> &[Vec3] {
        &self.pose.vertices
    }

    fn deform(&mut self, motion: &BodyMotion, changed: bool, fraction: f32) {
        let shape = &*self.built.skin.shape;
        let count = shape.particle_count();
        if changed {
            self.moving = motion.is_moving();
        }
        let fraction = if self.moving { fraction } else { 1.0 };
        if !changed && self.fraction == Some(fraction) {
            return;
        }
        if motion.current().is_empty() {
            // Not placed yet: the rest shape, once.
            if self.fraction.is_some() {
                return;
            }
            self.particles.clear();
            self.particles.extend((0..count).map(|i| shape.rest_position(i)));
        } else if fraction == 1.0 {
            if self.fraction == Some(1.0) && self.particles == motion.current() {
                // At rest or moving rigidly: the `Transform` does it all.
                return;
            }
            self.particles.clear();
            self.particles.extend_from_slice(motion.current());
        } else {
            motion.blend(fraction, &mut self.particles);
        }
        if self.particles.len() != count {
            // The entity was given the shape of another body.
            return;
        }
        self.fraction = Some(fraction);
        self.fresh = true;
        self.built.skin.deform(&self.particles, &mut self.pose);
    }
}

/// Moves the vertices of bodies that moved.
pub(crate) fn deform(
    mut surfaces: Query<(&mut DeformedSurface, &MeshInterpolation)>,
    bodies: Query<Ref<BodyMotion>>,
    fixed: Option<Res<Time<Fixed>>>,
) {
    let overstep = fixed.map_or(1.0, |fixed| fixed.overstep_fraction());
    surfaces.par_iter_mut().for_each(|(mut surface, interpolation)| {
        let Ok(motion) = bodies.get(surface.body) else { return };
        let fraction = match interpolation {
            MeshInterpolation::BetweenTicks => overstep,
            MeshInterpolation::LatestTick => 1.0,
        };
        surface.bypass_change_detection().deform(&motion, motion.is_changed(), fraction);
    });
}
