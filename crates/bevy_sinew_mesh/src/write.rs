//! From surfaces to meshes: vertices, normals, tangents and bounds, in place, in every frame.

use bevy_asset::Assets;
use bevy_camera::primitives::Aabb;
use bevy_ecs::prelude::*;
use bevy_math::{Affine3A, Isometry3d, Mat3A, Vec3};
use bevy_mesh::{Mesh, VertexAttributeValues};
use bevy_sinew_bodies::BodyMotion;
use bevy_transform::components::GlobalTransform;

use crate::error::MeshBodyError;
use crate::fault::fail;
use crate::follow::{DeformedSurface, PartMesh};
use crate::release::DeformedMesh;
use crate::skin::{PartPose, PartVertices};
use crate::source;
use crate::winding::turn_round;

/// Writes vertices that moved, or whose entity did, into the meshes.
pub(crate) fn write(
    mut surfaces: Query<(Entity, &mut DeformedSurface)>,
    bodies: Query<(&BodyMotion, &GlobalTransform)>,
    mut parts: Query<(&GlobalTransform, &mut Aabb), With<DeformedMesh>>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut commands: Commands,
) {
    for (entity, mut surface) in &mut surfaces {
        let Ok((motion, world_from_entity)) = bodies.get(surface.body) else { continue };
        let world_from_body = match motion.current() {
            [] => world_from_entity.to_isometry(),
            _ => motion.world_from_body(),
        };
        let DeformedSurface { built, parts: followers, pose, fresh, request, .. } =
            surface.bypass_change_detection();
        let fresh = core::mem::take(fresh);
        for (part, vertices) in followers.iter_mut().zip(&built.skin.parts) {
            let Ok((world_from_part, mut bounds)) = parts.get_mut(part.entity) else { continue };
            let map = part_from_body(world_from_part, world_from_body);
            if part.lost || !map.is_finite() || (!fresh && part.map == Some(map)) {
                continue;
            }
            let Some(mut mesh) = meshes.get_mut(part.copy) else { continue };
            let written = if source::is_on_cpu(&mesh) {
                part.write(&mut mesh, vertices, pose.part(vertices), map)
            } else {
                Err(MeshBodyError::RenderWorldOnly { entity: part.entity })
            };
            match written {
                Ok(now) => {
                    bounds.set_if_neq(now);
                }
                Err(error) => {
                    part.lost = true;
                    fail(&mut commands, entity, error, request.way.component(), None);
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

impl PartMesh {
    /// Writes a mesh in place, and gives its bounds.
    fn write(
        &mut self,
        mesh: &mut Mesh,
        part: &PartVertices,
        from: PartPose,
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
