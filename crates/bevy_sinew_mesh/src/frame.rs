//! Body space seen from the spaces of meshes: where scales become part of the rest shape.

use bevy_ecs::entity::Entity;
use bevy_ecs::hierarchy::ChildOf;
use bevy_ecs::system::{Query, SystemParam};
use bevy_math::{Affine3A, Mat3A, Vec3};
use bevy_transform::components::Transform;
use bevy_transform::helper::TransformHelper;

/// How far a matrix may be from a rotation and still count as one.
const RIGID: f32 = 1e-4;

/// Transforms of entities and of their ancestors, as they are now.
#[derive(SystemParam)]
pub(crate) struct Frames<'w, 's> {
    transforms: Query<'w, 's, &'static Transform>,
    parents: Query<'w, 's, &'static ChildOf>,
    helper: TransformHelper<'w, 's>,
}

/// Where the scale of a body's entity goes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BodyFrame {
    /// From the space of the entity as it is to body space, which is not scaled.
    body_from_entity: Affine3A,
    /// Scale for the entity's `Transform` with which its space in the world is body space.
    pub unit_scale: Vec3,
}

impl Frames<'_, '_> {
    /// The frame of a body. `None` when its transform squeezes space flat, or does not exist.
    pub(crate) fn body(&self, body: Entity) -> Option<BodyFrame> {
        let transform = self.transforms.get(body).ok()?;
        let Ok(parent) = self.parents.get(body) else {
            let body_from_entity = Affine3A::from_scale(transform.scale);
            return invertible(body_from_entity)
                .map(|body_from_entity| BodyFrame { body_from_entity, unit_scale: Vec3::ONE });
        };
        let world_from_parent =
            self.helper.compute_global_transform(parent.parent()).ok()?.affine().matrix3;
        let lengths =
            [world_from_parent.x_axis, world_from_parent.y_axis, world_from_parent.z_axis]
                .map(|axis| axis.length());
        // Minus one on all axes: only it makes a rotation of a mirrored frame, however the entity is
        // turned in it.
        let side = if world_from_parent.determinant() < 0.0 { -1.0 } else { 1.0 };
        let unit_scale = side / Vec3::from_array(lengths);
        let turned = world_from_parent * Mat3A::from_quat(transform.rotation);
        let world_from_unit = turned * Mat3A::from_diagonal(unit_scale);
        let body_from_entity = if is_rotation(world_from_unit) {
            Affine3A::from_scale(transform.scale / unit_scale)
        } else {
            // Parents that scale unevenly and askew: the nearest frame that is not scaled.
            let unit = Affine3A { matrix3: world_from_unit, ..Affine3A::IDENTITY };
            let (_, rotation, _) = unit.to_scale_rotation_translation();
            let body_from_world = Mat3A::from_quat(rotation.normalize().inverse());
            let world_from_entity = turned * Mat3A::from_diagonal(transform.scale);
            Affine3A { matrix3: body_from_world * world_from_entity, ..Affine3A::IDENTITY }
        };
        invertible(body_from_entity).map(|map| BodyFrame { body_from_entity: map, unit_scale })
    }

    /// The map from a part's mesh space to body space. `None` when it has no inverse, or the part has
    /// no transform.
    pub(crate) fn body_from_part(
        &self,
        frame: &BodyFrame,
        body: Entity,
        part: Entity,
    ) -> Option<Affine3A> {
        let entity_from_part = match self.entity_from_descendant(body, part) {
            Some(map) => map,
            None => {
                let world_from_entity = self.helper.compute_global_transform(body).ok()?.affine();
                let world_from_part = self.helper.compute_global_transform(part).ok()?.affine();
                world_from_entity.inverse() * world_from_part
            }
        };
        invertible(frame.body_from_entity * entity_from_part)
    }

    /// The product of the transforms from `part` up to, but without, `body`; `None` when the part is
    /// not below the body. No step through world space: equal bodies at different places have rest
    /// shapes of equal bits.
    fn entity_from_descendant(&self, body: Entity, part: Entity) -> Option<Affine3A> {
        let mut map = Affine3A::IDENTITY;
        let mut at = part;
        while at != body {
            map = self.transforms.get(at).ok()?.compute_affine() * map;
            at = self.parents.get(at).ok()?.parent();
        }
        Some(map)
    }
}

fn invertible(map: Affine3A) -> Option<Affine3A> {
    let volume = map.matrix3.determinant();
    (map.is_finite() && volume.is_finite() && volume != 0.0).then_some(map)
}

fn is_rotation(matrix: Mat3A) -> bool {
    matrix.is_finite()
        && (matrix * matrix.transpose()).abs_diff_eq(Mat3A::IDENTITY, RIGID)
        && matrix.determinant() > 0.0
}
