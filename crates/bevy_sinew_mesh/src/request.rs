//! What entities ask for: that their meshes become a body, or follow one.

use std::sync::Arc;

use bevy_asset::AssetId;
use bevy_ecs::prelude::*;
use bevy_ecs::query::QueryData;
use bevy_ecs::system::SystemParam;
use bevy_mesh::Mesh;
use bevy_sinew_bodies::DeformableBody;
use sinew_elastic::ElasticShape;

use crate::body_surface::BodySurface;
use crate::build::Recipe;
use crate::error::MeshBodyError;
use crate::parts::PartFinder;
use crate::settings::{DeformableMesh, MeshSharing};

/// The components of an entity that asks.
#[derive(QueryData)]
pub(crate) struct Asking {
    pub entity: Entity,
    mesh: Option<Ref<'static, DeformableMesh>>,
    surface: Option<Ref<'static, BodySurface>>,
    sharing: Ref<'static, MeshSharing>,
}

/// Entities that ask for something.
pub(crate) type IsAsking = Or<(With<DeformableMesh>, With<BodySurface>)>;

/// What an entity asked for when its build started.
#[derive(Clone, Debug)]
pub(crate) struct Request {
    pub way: Way,
    pub sharing: MeshSharing,
    /// The parts of the body, and their meshes.
    pub parts: Vec<(Entity, AssetId<Mesh>)>,
}

/// The two ways in which meshes and bodies come together.
#[derive(Clone, Debug)]
pub(crate) enum Way {
    /// The meshes become a body.
    Become(DeformableMesh),
    /// The mesh follows a body, which may have no shape yet.
    Follow(BodySurface, Entity, Option<Arc<ElasticShape>>),
}

impl Way {
    /// Name of the component that asked.
    pub(crate) fn component(&self) -> &'static str {
        match self {
            Self::Become(..) => "DeformableMesh",
            Self::Follow(..) => "BodySurface",
        }
    }

    /// The entity of the body, for a request of `entity`.
    pub(crate) fn body(&self, entity: Entity) -> Entity {
        match self {
            Self::Become(..) => entity,
            Self::Follow(_, body, _) => *body,
        }
    }
}

/// Reads requests.
#[derive(SystemParam)]
pub(crate) struct RequestReader<'w, 's> {
    pub finder: PartFinder<'w, 's>,
    bodies: Query<'w, 's, (Option<&'static DeformableBody>, Has<DeformableMesh>)>,
}

impl RequestReader<'_, '_> {
    /// What an entity asks for now. `None` when it asks for nothing.
    pub(crate) fn read(&self, asking: &AskingItem) -> Option<Request> {
        let entity = asking.entity;
        let (way, parts) = match (&asking.mesh, &asking.surface) {
            (Some(mesh), _) => (Way::Become(**mesh), self.finder.parts(entity, mesh)),
            (None, Some(surface)) => {
                let body = surface.body.unwrap_or(entity);
                let way = Way::Follow((**surface).clone(), body, self.shape(body));
                (way, vec![entity])
            }
            (None, None) => return None,
        };
        let meshes =
            parts.iter().filter_map(|&part| Some((part, self.finder.mesh(part)?))).collect();
        Some(Request { way, sharing: *asking.sharing, parts: meshes })
    }

    /// What is to be built. `None` for a body that is on its way itself.
    pub(crate) fn recipe(
        &self,
        asking: &AskingItem,
        request: &Request,
    ) -> Result<Option<Recipe>, MeshBodyError> {
        let entity = asking.entity;
        match &request.way {
            Way::Become(..) if asking.surface.is_some() => Err(MeshBodyError::TwoBodies { entity }),
            Way::Become(mesh) => Ok(Some(Recipe::Lattice(mesh.request()))),
            Way::Follow(..) if self.finder.is_part(entity) => {
                Err(MeshBodyError::TwoBodies { entity })
            }
            Way::Follow(surface, _, Some(shape)) => {
                Ok(Some(Recipe::Follow(shape.clone(), surface.binding.clone())))
            }
            &Way::Follow(_, body, None) => match self.bodies.get(body) {
                Ok((_, true)) => Ok(None),
                _ => Err(MeshBodyError::NoBody { entity, body }),
            },
        }
    }

    /// Whether an entity asks for something else by now. Ticks of components are compared, not values:
    /// numbers that are no numbers are never equal.
    pub(crate) fn is_outdated(&self, asking: &AskingItem, then: &Request) -> bool {
        let edited = asking.mesh.as_ref().is_some_and(Ref::is_changed)
            || asking.surface.as_ref().is_some_and(Ref::is_changed);
        edited
            || self.read(asking).is_none_or(|now| {
                let same_way = match (&now.way, &then.way) {
                    (Way::Become(_), Way::Become(_)) => true,
                    (Way::Follow(_, now, a), Way::Follow(_, then, b)) => {
                        now == then && same_shape(a.as_ref(), b.as_ref())
                    }
                    _ => false,
                };
                !same_way || now.sharing != then.sharing || now.parts != then.parts
            })
    }

    /// Whether an entity whose meshes were bound asks for another body, by value.
    pub(crate) fn is_edited(&self, asking: &AskingItem, then: &Request) -> bool {
        self.read(asking).is_none_or(|now| {
            let same_way = match (&now.way, &then.way) {
                (Way::Become(now), Way::Become(then)) => now == then,
                (Way::Follow(now, a, b), Way::Follow(then, c, d)) => {
                    now == then && a == c && same_shape(b.as_ref(), d.as_ref())
                }
                _ => false,
            };
            !same_way || now.sharing != then.sharing
        })
    }

    /// The shape of the body of an entity.
    fn shape(&self, body: Entity) -> Option<Arc<ElasticShape>> {
        self.bodies.get(body).ok()?.0?.shape.clone()
    }
}

/// Whether both are the same one, or neither is there.
fn same_shape(a: Option<&Arc<ElasticShape>>, b: Option<&Arc<ElasticShape>>) -> bool {
    a.map(Arc::as_ptr) == b.map(Arc::as_ptr)
}
