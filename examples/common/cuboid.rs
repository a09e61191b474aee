//! The cuboid of the paper's scenes: 225 particles in tetrahedra, drawn with checks that show how it turns and bends.

use bevy_asset::{Assets, Handle, RenderAssetUsages};
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_mesh::{Mesh, Mesh3d, PrimitiveTopology};
use bevy_sinew::prelude::*;
use sinew_elastic::ElasticShape;
use sinew_elastic::mesh::{SplitParity, TetMesh};
use std::sync::Arc;

use crate::scene::SceneEntity;

/// Particles along each side.
const PARTICLES: [u32; 3] = [5, 9, 5];
/// Distances of neighbouring particles, m: 0.5 × 1.4 × 0.5 m in all.
const CELL: Vec3 = Vec3::new(0.125, 0.175, 0.125);
/// Shades of the checks, which multiply the colour of the entity's paint.
const SHADES: [f32; 2] = [1.0, 0.55];

/// What the paper's cuboids share.
#[derive(Debug, Clone)]
pub struct PaperCuboid {
    shape: Arc<ElasticShape>,
    mesh: Handle<Mesh>,
    surface: BodySurface,
}

impl PaperCuboid {
    /// Length of the longest side, m.
    pub const HEIGHT: f32 = 1.4;

    /// Cuts the cuboid to tetrahedra, and makes the mesh of its boundary.
    pub fn new(meshes: &mut Assets<Mesh>) -> Result<Self, BevyError> {
        let tetra = TetMesh::cuboid(PARTICLES, CELL, SplitParity::Even)?;
        Ok(Self {
            shape: Arc::new(ElasticShape::from_tets(&tetra.positions, &tetra.cells)?),
            mesh: meshes.add(checked_boundary(&tetra)),
            surface: BodySurface::tetrahedra(tetra.cells),
        })
    }

    /// A body, and the mesh that follows it.
    pub fn body(&self) -> impl Bundle {
        (
            SceneEntity,
            DeformableBody::new(self.shape.clone()),
            Mesh3d(self.mesh.clone()),
            self.surface.clone(),
        )
    }
}

/// The outer triangles; each has three vertices of its own, so that sides stay flat and checks sharp.
fn checked_boundary(tetra: &TetMesh) -> Mesh {
    let (mut positions, mut normals, mut colors) = (Vec::new(), Vec::new(), Vec::new());
    for corners in tetra.boundary().triangles {
        let [a, b, c] = corners.map(|corner| tetra.positions[corner as usize]);
        // The box of two triangles that share a face of a cell tells the cell.
        let (low, high) = (a.min(b).min(c), a.max(b).max(c));
        let cell = ((low + high) * 0.5 / CELL).round();
        let shade = SHADES[usize::from(cell.element_sum().rem_euclid(2.0) >= 1.0)];
        positions.extend([a, b, c]);
        normals.extend([(b - a).cross(c - a).normalize_or_zero(); 3]);
        colors.extend([[shade, shade, shade, 1.0]; 3]);
    }
    Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions)
        .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, normals)
        .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, colors)
}
