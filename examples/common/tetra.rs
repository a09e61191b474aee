//! Bodies made from tetrahedra: how the paper's cuboids are drawn.
//!
//! `bevy_sinew_mesh` makes bodies from drawn meshes. Here it is the other way round: the body comes first, and its skin
//! is drawn by a mesh with the particles as vertices.

use bevy_app::{App, Plugin, PostUpdate};
use bevy_asset::{AssetEventSystems, Assets, RenderAssetUsages};
use bevy_ecs::prelude::*;
use bevy_math::{Mat3, Vec3};
use bevy_mesh::{Mesh, Mesh3d, PrimitiveTopology};
use bevy_sinew::prelude::*;
use sinew_elastic::mesh::{SplitParity, TetMesh};
use sinew_elastic::{ElasticShape, RegionGradients, deform_normal};
use std::sync::Arc;

/// Shades of the checks on a skin, which multiply the colour of the entity's paint.
const SHADES: [f32; 2] = [1.0, 0.55];
/// Distances of the cuboid's particles, m.
const CELL: Vec3 = Vec3::new(0.125, 0.175, 0.125);

/// The cuboid of the paper's scenes: 5 × 9 × 5 particles, 0.5 × 1.4 × 0.5 m, each cell cut to five tetrahedra.
pub fn paper_cuboid() -> Result<(TetMesh, Arc<ElasticShape>), BevyError> {
    let tetra = TetMesh::cuboid([5, 9, 5], CELL, SplitParity::Even)?;
    let shape = ElasticShape::from_tets(&tetra.positions, &tetra.cells)?;
    Ok((tetra, Arc::new(shape)))
}

/// Makes the mesh of this entity follow its body. Needs [`TetraPlugin`].
#[derive(Component, Debug, Clone)]
#[require(BodyMotion)]
pub struct TetraSkin(Arc<Skin>);

/// The outer triangles of a tetrahedral mesh; each has three vertices of its own.
#[derive(Debug)]
struct Skin {
    particles: Vec<u32>,
    positions: Vec<Vec3>,
    normals: Vec<Vec3>,
    colors: Vec<[f32; 4]>,
    gradients: RegionGradients,
}

impl TetraSkin {
    /// The skin of a body, and of the tetrahedra that it was made from.
    pub fn new(tetra: &TetMesh, shape: &ElasticShape) -> Self {
        let mut skin = Skin {
            particles: Vec::new(),
            positions: Vec::new(),
            normals: Vec::new(),
            colors: Vec::new(),
            gradients: RegionGradients::new(shape),
        };
        for corners in tetra.boundary().triangles {
            let [a, b, c] = corners.map(|corner| tetra.positions[corner as usize]);
            // The box of two triangles that share a face of a cell tells the cell.
            let (low, high) = (a.min(b).min(c), a.max(b).max(c));
            let cell = ((low + high) * 0.5 / CELL).round();
            let shade = SHADES[usize::from(cell.element_sum().rem_euclid(2.0) >= 1.0)];
            skin.particles.extend(corners);
            skin.positions.extend([a, b, c]);
            skin.normals.extend([(b - a).cross(c - a).normalize_or_zero(); 3]);
            skin.colors.extend([[shade, shade, shade, 1.0]; 3]);
        }
        Self(Arc::new(skin))
    }

    /// A mesh at rest: flat sides, with checks that show how they turn and bend. Each body needs one of its own.
    pub fn mesh(&self) -> Mesh {
        let Skin { positions, normals, colors, .. } = &*self.0;
        Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
            .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions.clone())
            .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, normals.clone())
            .with_inserted_attribute(Mesh::ATTRIBUTE_COLOR, colors.clone())
    }
}

/// Draws every [`TetraSkin`] as its body stands.
#[derive(Debug, Clone, Copy, Default)]
pub struct TetraPlugin;

impl Plugin for TetraPlugin {
    fn build(&self, app: &mut App) {
        app.add_systems(PostUpdate, follow.before(AssetEventSystems));
    }
}

fn follow(
    skins: Query<(&TetraSkin, &BodyMotion, &Mesh3d), Changed<BodyMotion>>,
    mut meshes: ResMut<Assets<Mesh>>,
    mut gradients: Local<Vec<Mat3>>,
) {
    for (TetraSkin(skin), motion, mesh) in &skins {
        let particles = motion.current();
        let Some(mut mesh) = meshes.get_mut(mesh).filter(|_| !particles.is_empty()) else {
            continue;
        };
        gradients.resize(particles.len(), Mat3::IDENTITY);
        skin.gradients.evaluate(particles, &mut gradients);
        let at = |particle: &u32| *particle as usize;
        let positions: Vec<Vec3> = skin.particles.iter().map(|p| particles[at(p)]).collect();
        let normals: Vec<Vec3> = skin
            .particles
            .iter()
            .zip(&skin.normals)
            .map(|(p, &n)| deform_normal(gradients[at(p)], n))
            .collect();
        mesh.insert_attribute(Mesh::ATTRIBUTE_POSITION, positions);
        mesh.insert_attribute(Mesh::ATTRIBUTE_NORMAL, normals);
    }
}
