//! From bodies to meshes: vertices, normals, tangents and bounds, in place, in every frame.

use std::sync::Arc;

use bevy_asset::{AssetId, Assets};
use bevy_camera::primitives::Aabb;
use bevy_ecs::prelude::*;
use bevy_math::{Affine3A, Isometry3d, Mat3, Mat3A, Vec3};
use bevy_mesh::{Mesh, VertexAttributeValues};
use bevy_sinew_bodies::BodyMotion;
use bevy_time::{Fixed, Time};
use bevy_transform::components::GlobalTransform;
use sinew_elastic::lattice::LatticeReport;
use sinew_elastic::{ElasticShape, deform_normal, deform_tangent};

use crate::bind::{DeformedMesh, Tried, fail};
use crate::build::{BuildJob, BuiltMesh, PartVertices};
use crate::error::MeshBodyError;
use crate::examples::MeshExamples;
use crate::settings::{DeformableMesh, MeshInterpolation};
use crate::surface;
use crate::winding::turn_round;

/// The surface of a body and the meshes that show it. There once the body is built.
#[derive(Component, Debug)]
pub struct DeformedSurface {
    pub(crate) built: Arc<BuiltMesh>,
    /// Lets other bodies share what was built.
    _job: Arc<BuildJob>,
    pub(crate) settings: DeformableMesh,
    pub(crate) examples: Option<MeshExamples>,
    pub(crate) scale_before: Vec3,
    parts: Vec<Part>,
    /// Particles between two ticks, in body space.
    particles: Vec<Vec3>,
    /// Deformation gradients.
    at_particles: Vec<Mat3>,
    at_vertices: Vec<Mat3>,
    /// Vertices of all parts, in body space.
    vertices: Vec<Vec3>,
    normals: Vec<Vec3>,
    tangents: Vec<Vec3>,
    /// How far between the ticks `vertices` are; `None` before the first time.
    fraction: Option<f32>,
    /// Whether the last two ticks differ.
    moving: bool,
    /// Whether meshes have not seen `vertices` yet.
    fresh: bool,
}

/// One mesh of a body.
#[derive(Debug)]
struct Part {
    entity: Entity,
    copy: AssetId<Mesh>,
    /// Whether the source was drawn mirrored.
    mirrored: bool,
    /// Whether the triangles of the copy are turned round.
    turned: bool,
    /// `part_from_body` when the mesh was last written.
    map: Option<Affine3A>,
    /// Whether the mesh can no longer be written.
    lost: bool,
}

impl DeformedSurface {
    pub(crate) fn new(job: Arc<BuildJob>, built: &Arc<BuiltMesh>, tried: &Tried) -> Self {
        let vertices = built.embedding.vertex_count();
        let of = |wanted: bool| vec![Vec3::ZERO; if wanted { vertices } else { 0 }];
        let has_tangents = built.parts.iter().any(|part| part.has_tangents);
        let has_normals = built.parts.iter().any(|part| part.has_normals);
        let particles = built.shape.particle_count();
        let gradients =
            |count| vec![Mat3::IDENTITY; if built.gradients.is_some() { count } else { 0 }];
        Self {
            _job: job,
            settings: tried.settings,
            examples: tried.examples.clone(),
            scale_before: Vec3::ONE,
            parts: Vec::with_capacity(built.parts.len()),
            particles: Vec::with_capacity(particles),
            at_particles: gradients(particles),
            at_vertices: gradients(vertices),
            vertices: of(true),
            normals: of(has_normals),
            tangents: of(has_tangents),
            fraction: None,
            moving: false,
            fresh: false,
            built: built.clone(),
        }
    }

    pub(crate) fn add_part(&mut self, entity: Entity, copy: AssetId<Mesh>, mirrored: bool) {
        self.parts.push(Part { entity, copy, mirrored, turned: false, map: None, lost: false });
    }

    /// The entities whose meshes show the body, in the order of their vertices.
    pub fn parts(&self) -> impl Iterator<Item = Entity> {
        self.parts.iter().map(|part| part.entity)
    }

    /// The body's shape.
    #[must_use]
    pub fn shape(&self) -> &Arc<ElasticShape> {
        &self.built.shape
    }

    /// What the lattice builder met in the meshes, and did.
    #[must_use]
    pub fn report(&self) -> &LatticeReport {
        &self.built.report
    }

    /// Vertices of all parts as they are drawn, in body space: part by part, each in the order of its
    /// mesh. Written in [`MeshSystems::Write`](crate::MeshSystems::Write).
    #[must_use]
    pub fn vertices(&self) -> &[Vec3] {
        &self.vertices
    }

    fn deform(&mut self, motion: &BodyMotion, changed: bool, fraction: f32) {
        let shape = &*self.built.shape;
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
        let embedding = &self.built.embedding;
        embedding.positions(&self.particles, &mut self.vertices);
        if let Some(gradients) = &self.built.gradients {
            gradients.evaluate(&self.particles, &mut self.at_particles);
            embedding.gradients(&self.at_particles, &mut self.at_vertices);
            let [normals, tangents] = [&self.built.normals, &self.built.tangents];
            for ((to, &from), &gradient) in
                self.normals.iter_mut().zip(normals).zip(&self.at_vertices)
            {
                *to = deform_normal(gradient, from);
            }
            for ((to, &from), &gradient) in
                self.tangents.iter_mut().zip(tangents).zip(&self.at_vertices)
            {
                *to = deform_tangent(gradient, from);
            }
        }
    }
}

/// Moves the vertices of bodies that moved.
pub(crate) fn deform(
    mut surfaces: Query<(&mut DeformedSurface, Ref<BodyMotion>, &MeshInterpolation)>,
    fixed: Option<Res<Time<Fixed>>>,
) {
    let overstep = fixed.map_or(1.0, |fixed| fixed.overstep_fraction());
    surfaces.par_iter_mut().for_each(|(mut surface, motion, interpolation)| {
        let fraction = match interpolation {
            MeshInterpolation::BetweenTicks => overstep,
            MeshInterpolation::LatestTick => 1.0,
        };
        surface.bypass_change_detection().deform(&motion, motion.is_changed(), fraction);
    });
}

/// Writes vertices that moved, or whose entity did, into the meshes.
pub(crate) fn write(
    mut surfaces: Query<(Entity, &mut DeformedSurface, &BodyMotion, &GlobalTransform)>,
    mut parts: Query<(&GlobalTransform, &mut Aabb), With<DeformedMesh>>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut commands: Commands,
) {
    for (body, mut surface, motion, world_from_entity) in &mut surfaces {
        let surface = surface.bypass_change_detection();
        let world_from_body = match motion.current() {
            [] => world_from_entity.to_isometry(),
            _ => motion.world_from_body(),
        };
        let DeformedSurface { built, parts: followers, vertices, normals, tangents, fresh, .. } =
            surface;
        let fresh = core::mem::take(fresh);
        let all = Directions { vertices, normals, tangents };
        for (part, ranges) in followers.iter_mut().zip(&built.parts) {
            let Ok((world_from_part, mut bounds)) = parts.get_mut(part.entity) else { continue };
            let map = part_from_body(world_from_part, world_from_body);
            if part.lost || !map.is_finite() || (!fresh && part.map == Some(map)) {
                continue;
            }
            let Some(mut mesh) = meshes.get_mut(part.copy) else { continue };
            let entity = part.entity;
            let written = if surface::is_on_cpu(&mesh) {
                part.write(&mut mesh, ranges, all.of(ranges), map)
            } else {
                Err(MeshBodyError::RenderWorldOnly { entity })
            };
            match written {
                Ok(now) => {
                    bounds.set_if_neq(now);
                }
                Err(error) => {
                    part.lost = true;
                    fail(&mut commands, body, error, None);
                }
            }
        }
    }
}

/// From body space to a mesh's own space. The difference of the places is taken first, so that it is
/// exact far from the origin of the world.
fn part_from_body(world_from_part: &GlobalTransform, world_from_body: Isometry3d) -> Affine3A {
    let world_from_part = world_from_part.affine();
    let part_from_world = world_from_part.matrix3.inverse();
    let offset = world_from_body.translation - world_from_part.translation;
    Affine3A {
        matrix3: part_from_world * Mat3A::from_quat(world_from_body.rotation),
        translation: part_from_world * offset,
    }
}

/// What vertices have, in body space.
#[derive(Clone, Copy)]
struct Directions<'a> {
    vertices: &'a [Vec3],
    normals: &'a [Vec3],
    tangents: &'a [Vec3],
}

impl Directions<'_> {
    /// That of one part.
    fn of(&self, part: &PartVertices) -> Self {
        let range = part.range.clone();
        Self {
            vertices: &self.vertices[range.clone()],
            normals: if part.has_normals { &self.normals[range.clone()] } else { &[] },
            tangents: if part.has_tangents { &self.tangents[range] } else { &[] },
        }
    }
}

impl Part {
    /// Writes a mesh in place, and gives its bounds.
    fn write(
        &mut self,
        mesh: &mut Mesh,
        part: &PartVertices,
        from: Directions,
        map: Affine3A,
    ) -> Result<Aabb, MeshBodyError> {
        let entity = self.entity;
        let gone = |_| MeshBodyError::RenderWorldOnly { entity };
        let turn = self.mirrored != (map.matrix3.determinant() < 0.0);
        if turn != self.turned {
            turn_round(mesh).map_err(gone)?;
            self.turned = turn;
        }
        let wanted = part.range.len();
        let length = |attribute: &'static str, found| {
            Err(MeshBodyError::AttributeLength { entity, attribute, found, wanted })
        };

        let (mut low, mut high) = (Vec3::INFINITY, Vec3::NEG_INFINITY);
        match mesh.try_attribute_mut(Mesh::ATTRIBUTE_POSITION).map_err(gone)? {
            VertexAttributeValues::Float32x3(positions) if positions.len() == wanted => {
                for (to, &from) in positions.iter_mut().zip(from.vertices) {
                    let position = map.transform_point3(from);
                    low = low.min(position);
                    high = high.max(position);
                    *to = position.to_array();
                }
            }
            other => return length(Mesh::ATTRIBUTE_POSITION.name, other.len()),
        }
        if part.has_normals
            && let Some(values) =
                mesh.try_attribute_mut_option(Mesh::ATTRIBUTE_NORMAL).map_err(gone)?
        {
            let VertexAttributeValues::Float32x3(normals) = values else {
                return length(Mesh::ATTRIBUTE_NORMAL.name, values.len());
            };
            let normal_map = map.matrix3.inverse().transpose();
            for (to, &from) in normals.iter_mut().zip(from.normals) {
                *to = (normal_map * from).normalize_or_zero().to_array();
            }
        }
        if part.has_tangents
            && let Some(values) =
                mesh.try_attribute_mut_option(Mesh::ATTRIBUTE_TANGENT).map_err(gone)?
        {
            let VertexAttributeValues::Float32x4(tangents) = values else {
                return length(Mesh::ATTRIBUTE_TANGENT.name, values.len());
            };
            for (to, &from) in tangents.iter_mut().zip(from.tangents) {
                let Vec3 { x, y, z } = (map.matrix3 * from).normalize_or_zero();
                *to = [x, y, z, to[3]];
            }
        }
        self.map = Some(map);
        Ok(Aabb::from_min_max(low, high))
    }
}
