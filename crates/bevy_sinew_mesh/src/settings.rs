//! What a user writes on an entity: that its mesh is a body, how fine, and how it is drawn.

use bevy_ecs::component::Component;
use bevy_ecs::entity::Entity;
use bevy_ecs::reflect::ReflectComponent;
use bevy_reflect::{Reflect, std_traits::ReflectDefault};
use bevy_transform::components::Transform;
use sinew_elastic::lattice::Lattice;

/// Makes a deformable body from meshes, and lets these meshes follow the body.
///
/// Beside a `Mesh3d`, that mesh becomes the body; meshes of other entities join it by
/// [`DeformableMeshPart`] or, for a spawned glTF scene, by [`DeformableMesh::with_descendants`]. Once
/// all meshes are loaded, a lattice is built off the main thread ([`BuildProgress`] tells how far it
/// is), and the entity gets a `DeformableBody`. From then on each mesh is a copy of its own that is
/// rewritten in place; the meshes of other entities with the same handle stay as they are, unless
/// [`MeshSharing`] says otherwise. Positions, normals and tangents in compressed formats become `f32`
/// in the copy; what is drawn does not change.
///
/// **Scale.** The body is as large as the mesh is drawn at that moment: scales of the entity, of its
/// parents and of its parts become part of the rest shape, and the entity's `Transform` gets the scale
/// with which its scale in the world is one. Vertices are written such that `GlobalTransform` times
/// vertex is where the body is, whatever happens to transforms later. Mirrored meshes keep their
/// outsides: where mirroring moves from the `Transform` to the rest shape, the triangles of the copy are
/// turned round. A scale of zero along an axis is an error. Children that are no parts of the body lose
/// the scale of their parent: give them their own. To resize a body, remove the component, scale the
/// entity, insert it again.
///
/// **Edits.** Another resolution, width or mesh handle builds the body anew where it is. When the
/// component is removed, the meshes go back to the handles that they had, the copies are freed, the
/// entity gets its scale back, and the body goes too.
///
/// **Examples.** The poses by formula of an [`ExampleSet`](bevy_sinew_bodies::ExampleSet) on the entity are made
/// with the body, off the main thread. A later edit of the set makes new poses, and no new body.
///
/// **Errors.** Meshes that cannot become a body are drawn undeformed; the entity gets a
/// [`MeshFault`](crate::MeshFault), and the log one warning.
#[derive(Component, Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
#[require(Transform, MeshInterpolation, MeshSharing)]
pub struct DeformableMesh {
    /// How fine the lattice is.
    pub resolution: LatticeResolution,
    /// Width of the regions in links, 1 to 3; larger is stiffer.
    pub width: u32,
    /// Whether the meshes of all descendants are parts of the body.
    pub descendants: bool,
}

/// How fine the lattice of a [`DeformableMesh`] is.
#[derive(Clone, Copy, Debug, PartialEq, Reflect)]
#[reflect(Debug, Clone, PartialEq)]
pub enum LatticeResolution {
    /// About this many particles, at least 8.
    Particles(u32),
    /// Cells with edges of this length, in world units.
    Spacing(f32),
}

impl Default for DeformableMesh {
    fn default() -> Self {
        Self::lattice(1_000)
    }
}

impl DeformableMesh {
    /// A body of about `particles` particles.
    #[must_use]
    pub const fn lattice(particles: u32) -> Self {
        Self { resolution: LatticeResolution::Particles(particles), width: 1, descendants: false }
    }

    /// A body of lattice cells with edges of length `spacing`, in world units.
    #[must_use]
    pub const fn spacing(spacing: f32) -> Self {
        Self { resolution: LatticeResolution::Spacing(spacing), width: 1, descendants: false }
    }

    /// The same with regions of `width` links, 1 to 3; larger is stiffer.
    #[must_use]
    pub const fn with_width(self, width: u32) -> Self {
        Self { width, ..self }
    }

    /// The same, and the meshes of all descendants are parts of the body: for a glTF scene that is
    /// spawned under the entity.
    #[must_use]
    pub const fn with_descendants(self) -> Self {
        Self { descendants: true, ..self }
    }

    pub(crate) fn request(&self) -> Lattice {
        match self.resolution {
            LatticeResolution::Particles(count) => Lattice::particles(count as usize),
            LatticeResolution::Spacing(spacing) => Lattice::spacing(spacing),
        }
        .with_width(self.width)
    }
}

/// Joins the mesh of this entity to the body of another entity, which has the [`DeformableMesh`].
///
/// All parts of a body share one lattice, so that borders that lie together stay together. Parts are
/// usually children of the body, but need not be.
#[derive(Component, Clone, Copy, Debug, PartialEq, Eq, Reflect)]
#[reflect(Component, Debug, Clone, PartialEq)]
#[relationship(relationship_target = DeformableMeshParts)]
pub struct DeformableMeshPart(pub Entity);

/// The entities whose [`DeformableMeshPart`] names this one.
#[derive(Component, Clone, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
#[relationship_target(relationship = DeformableMeshPart)]
pub struct DeformableMeshParts(Vec<Entity>);

/// Where a body is drawn in frames that fall between two ticks.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
pub enum MeshInterpolation {
    /// Between the last two ticks, by `Time<Fixed>::overstep_fraction`: smooth at any frame rate, up
    /// to one tick late.
    #[default]
    BetweenTicks,
    /// At the last tick, as the simulation has it.
    LatestTick,
}

/// Whether other entities with the same mesh handle see the deformation.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Eq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
pub enum MeshSharing {
    /// They do not: the body shows a copy, which is freed when it lets go.
    #[default]
    OwnCopy,
    /// They do: the asset itself is rewritten, and gets its data back when the body lets go. One body
    /// at a time; for a second one this is an error. The mesh keeps its `f32` formats meanwhile.
    WriteToSource,
}

/// How far the lattice of a [`DeformableMesh`] is built, from 0 to 1; there only while it is built, and
/// while a [`BodySurface`](crate::BodySurface) is bound.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
pub struct BuildProgress(pub f32);
