//! Which entities' meshes make up a body.

use bevy_asset::AssetId;
use bevy_ecs::entity::Entity;
use bevy_ecs::hierarchy::Children;
use bevy_ecs::query::Has;
use bevy_ecs::relationship::RelationshipTarget;
use bevy_ecs::system::{Query, SystemParam};
use bevy_mesh::skinning::SkinnedMesh;
use bevy_mesh::{Mesh, Mesh3d};

use crate::body_surface::BodySurface;
use crate::settings::{DeformableMesh, DeformableMeshPart, DeformableMeshParts};

/// Finds the parts of bodies.
#[derive(SystemParam)]
pub(crate) struct PartFinder<'w, 's> {
    meshes: Query<'w, 's, (&'static Mesh3d, Has<SkinnedMesh>)>,
    related: Query<'w, 's, &'static DeformableMeshParts>,
    children: Query<'w, 's, &'static Children>,
    elsewhere:
        Query<'w, 's, (Has<DeformableMesh>, Option<&'static DeformableMeshPart>, Has<BodySurface>)>,
}

impl PartFinder<'_, '_> {
    /// The mesh of the body's entity, then those that name the body, then those of descendants.
    pub(crate) fn parts(&self, body: Entity, settings: &DeformableMesh) -> Vec<Entity> {
        let mut parts = Vec::new();
        let mut add = |entity| {
            if self.meshes.contains(entity) && !parts.contains(&entity) {
                parts.push(entity);
            }
        };
        add(body);
        self.related(body).iter().for_each(|&entity| add(entity));
        if settings.descendants {
            let mut open: Vec<Entity> = self.children_of(body).rev().collect();
            while let Some(entity) = open.pop() {
                let Ok((is_body, part, follows)) = self.elsewhere.get(entity) else { continue };
                if is_body || part.is_some_and(|part| part.0 != body) {
                    continue;
                }
                if !follows {
                    add(entity);
                }
                open.extend(self.children_of(entity).rev());
            }
        }
        parts
    }

    /// The entities that name this body, with or without a mesh.
    pub(crate) fn related(&self, body: Entity) -> &[Entity] {
        match self.related.get(body) {
            Ok(parts) => parts.collection(),
            Err(_) => &[],
        }
    }

    /// The mesh of an entity now.
    pub(crate) fn mesh(&self, entity: Entity) -> Option<AssetId<Mesh>> {
        self.meshes.get(entity).ok().map(|(mesh, _)| mesh.id())
    }

    /// Whether a mesh is a part of some body by name.
    pub(crate) fn is_part(&self, entity: Entity) -> bool {
        self.elsewhere.get(entity).is_ok_and(|(.., part, _)| part.is_some())
    }

    /// Whether joints move the mesh of an entity.
    pub(crate) fn is_skinned(&self, entity: Entity) -> bool {
        self.meshes.get(entity).is_ok_and(|(_, skinned)| skinned)
    }

    fn children_of(&self, entity: Entity) -> impl DoubleEndedIterator<Item = Entity> {
        self.children.get(entity).into_iter().flat_map(|children| {
            let children: &[Entity] = children;
            children.iter().copied()
        })
    }
}
