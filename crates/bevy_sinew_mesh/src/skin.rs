//! How the vertices of meshes follow a body: the same for bodies made from meshes and for meshes that
//! were bound to a body.

use std::ops::Range;
use std::sync::Arc;

use bevy_math::{Affine3A, Mat3, Mat3A, Vec3};
use sinew_elastic::mesh::SurfaceMesh;
use sinew_elastic::{ElasticShape, Embedding, deform_normal, deform_tangent};

use crate::gradients::{SurfaceGradients, at_vertex};
use crate::source::PartSurface;

/// The vertices of one part among those of all parts.
#[derive(Clone, Debug)]
pub(crate) struct PartVertices {
    pub range: Range<usize>,
    pub has_normals: bool,
    pub has_tangents: bool,
}

/// Meshes of parts joined in body space.
#[derive(Debug, Default)]
pub(crate) struct JoinedSurface {
    pub surface: SurfaceMesh,
    parts: Vec<PartVertices>,
    /// One a vertex where some part has normals, zero where a part has none.
    normals: Vec<Vec3>,
    /// The same of tangents.
    tangents: Vec<Vec3>,
}

impl JoinedSurface {
    /// Joins surfaces, each with its `body_from_part`.
    pub(crate) fn new(parts: &[(PartSurface, Affine3A)]) -> Self {
        let mut joined = Self::default();
        let has_normals = parts.iter().any(|(part, _)| !part.normals.is_empty());
        let has_tangents = parts.iter().any(|(part, _)| !part.tangents.is_empty());
        let Self { surface, parts: vertices, normals, tangents } = &mut joined;
        for (part, body_from_part) in parts {
            let start = surface.positions.len();
            let range = start..start + part.positions.len();
            surface
                .positions
                .extend(part.positions.iter().map(|&p| body_from_part.transform_point3(p)));
            let mirrored = body_from_part.matrix3.determinant() < 0.0;
            surface.triangles.extend(part.triangles.iter().map(|&[a, b, c]| {
                let [b, c] = if mirrored { [c, b] } else { [b, c] };
                [a, b, c].map(|i| i + start as u32)
            }));
            let normal_map = body_from_part.matrix3.inverse().transpose();
            normals.extend(directions(part.normals.iter().copied(), normal_map));
            let axes = part.tangents.iter().map(|t| t.truncate());
            tangents.extend(directions(axes, body_from_part.matrix3));
            normals.resize(if has_normals { range.end } else { 0 }, Vec3::ZERO);
            tangents.resize(if has_tangents { range.end } else { 0 }, Vec3::ZERO);
            vertices.push(PartVertices {
                range,
                has_normals: !part.normals.is_empty(),
                has_tangents: !part.tangents.is_empty(),
            });
        }
        joined
    }
}

fn directions(from: impl Iterator<Item = Vec3>, map: Mat3A) -> impl Iterator<Item = Vec3> {
    from.map(move |d| (map * d).normalize_or_zero())
}

/// A surface at rest and how it follows the particles of a shape. Immutable, shared by equal bodies.
#[derive(Debug)]
pub(crate) struct Skin {
    pub shape: Arc<ElasticShape>,
    pub parts: Vec<PartVertices>,
    embedding: Arc<Embedding>,
    /// Only where some part has normals or tangents.
    gradients: Option<SurfaceGradients>,
    normals: Vec<Vec3>,
    tangents: Vec<Vec3>,
}

impl Skin {
    pub(crate) fn new(
        shape: Arc<ElasticShape>,
        embedding: Arc<Embedding>,
        joined: JoinedSurface,
    ) -> Self {
        let JoinedSurface { parts, normals, tangents, .. } = joined;
        let has_directions = !normals.is_empty() || !tangents.is_empty();
        Self {
            gradients: has_directions.then(|| SurfaceGradients::new(&shape, &embedding)),
            shape,
            parts,
            embedding,
            normals,
            tangents,
        }
    }

    /// Moves vertices to where these particles, as many as the shape has, take them.
    pub(crate) fn deform(&self, particles: &[Vec3], out: &mut Pose) {
        self.embedding.positions(particles, &mut out.vertices);
        let Some(gradients) = &self.gradients else { return };
        gradients.evaluate(&self.shape, particles, &mut out.at_particles);
        for vertex in 0..self.embedding.vertex_count() {
            let gradient = at_vertex(&self.embedding, vertex, &out.at_particles);
            if let (Some(to), Some(&from)) = (out.normals.get_mut(vertex), self.normals.get(vertex))
            {
                *to = deform_normal(gradient, from);
            }
            if let (Some(to), Some(&from)) =
                (out.tangents.get_mut(vertex), self.tangents.get(vertex))
            {
                *to = deform_tangent(gradient, from);
            }
        }
    }
}

/// A surface as it is drawn, in body space, with the memory that moving it takes.
#[derive(Debug)]
pub(crate) struct Pose {
    pub vertices: Vec<Vec3>,
    pub normals: Vec<Vec3>,
    pub tangents: Vec<Vec3>,
    /// Deformation gradients; of particles that no vertex follows the identity.
    at_particles: Vec<Mat3>,
}

impl Pose {
    /// Room for a skin.
    pub(crate) fn of(skin: &Skin) -> Self {
        let particles = if skin.gradients.is_some() { skin.shape.particle_count() } else { 0 };
        Self {
            vertices: vec![Vec3::ZERO; skin.embedding.vertex_count()],
            normals: vec![Vec3::ZERO; skin.normals.len()],
            tangents: vec![Vec3::ZERO; skin.tangents.len()],
            at_particles: vec![Mat3::IDENTITY; particles],
        }
    }

    /// What one part has of it.
    pub(crate) fn part(&self, part: &PartVertices) -> PartPose<'_> {
        let range = part.range.clone();
        PartPose {
            vertices: &self.vertices[range.clone()],
            normals: if part.has_normals { &self.normals[range.clone()] } else { &[] },
            tangents: if part.has_tangents { &self.tangents[range] } else { &[] },
        }
    }
}

/// Vertices of one part in body space; no normals or tangents where its mesh has none.
#[derive(Clone, Copy, Debug)]
pub(crate) struct PartPose<'a> {
    pub vertices: &'a [Vec3],
    pub normals: &'a [Vec3],
    pub tangents: &'a [Vec3],
}
