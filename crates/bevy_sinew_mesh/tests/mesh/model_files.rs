//! Models from files: meshes and nodes as an application would spawn them.

use std::path::{Path, PathBuf};

use bevy_app::App;
use bevy_asset::RenderAssetUsages;
use bevy_ecs::prelude::*;
use bevy_math::{Mat4, Quat, Vec3};
use bevy_mesh::{Indices, Mesh, Mesh3d, PrimitiveTopology};
use bevy_transform::components::Transform;
use gltf::mesh::Mode;

use crate::support::add;

/// The folder with test files, when there is one.
pub fn folder() -> Option<PathBuf> {
    let folder = std::env::var_os("SINEW_TEST_FILES").map(PathBuf::from);
    if folder.is_none() {
        eprintln!("skipped: SINEW_TEST_FILES does not name a folder with test files");
    }
    folder
}

/// A model in memory.
pub struct Model {
    gltf: gltf::Gltf,
    buffers: Vec<Vec<u8>>,
}

impl Model {
    /// Reads a file with its buffers.
    pub fn read(path: &Path) -> Self {
        let mut gltf = gltf::Gltf::open(path).unwrap();
        let mut blob = gltf.blob.take();
        let buffers = gltf
            .buffers()
            .map(|buffer| match buffer.source() {
                gltf::buffer::Source::Bin => blob.take().unwrap(),
                gltf::buffer::Source::Uri(uri) => std::fs::read(path.with_file_name(uri)).unwrap(),
            })
            .collect();
        Self { gltf, buffers }
    }

    /// Spawns the nodes below `root`, with one entity for each primitive, as a scene would be.
    /// Gives the entities with meshes.
    pub fn spawn_below(&self, app: &mut App, root: Entity) -> Vec<Entity> {
        let mut spawned = Vec::new();
        let scene = self.gltf.default_scene().or_else(|| self.gltf.scenes().next()).unwrap();
        for node in scene.nodes() {
            self.spawn_node(app, &node, root, &mut spawned);
        }
        spawned
    }

    fn spawn_node(
        &self,
        app: &mut App,
        node: &gltf::Node,
        parent: Entity,
        spawned: &mut Vec<Entity>,
    ) {
        let transform = match node.transform() {
            gltf::scene::Transform::Matrix { matrix } => {
                Transform::from_matrix(Mat4::from_cols_array_2d(&matrix))
            }
            gltf::scene::Transform::Decomposed { translation, rotation, scale } => Transform {
                translation: Vec3::from_array(translation),
                rotation: Quat::from_array(rotation),
                scale: Vec3::from_array(scale),
            },
        };
        let entity = app.world_mut().spawn((transform, ChildOf(parent))).id();
        for primitive in node.mesh().into_iter().flat_map(|mesh| mesh.primitives()) {
            let Some(mesh) = self.mesh(&primitive) else { continue };
            let mesh = Mesh3d(add(app, mesh));
            spawned.push(app.world_mut().spawn((mesh, ChildOf(entity))).id());
        }
        for child in node.children() {
            self.spawn_node(app, &child, entity, spawned);
        }
    }

    /// A primitive of triangles as a mesh.
    fn mesh(&self, primitive: &gltf::Primitive) -> Option<Mesh> {
        let topology = match primitive.mode() {
            Mode::Triangles => PrimitiveTopology::TriangleList,
            Mode::TriangleStrip => PrimitiveTopology::TriangleStrip,
            _ => return None,
        };
        let reader = primitive.reader(|buffer| Some(&self.buffers[buffer.index()]));
        let positions: Vec<[f32; 3]> = reader.read_positions()?.collect();
        let mut mesh = Mesh::new(topology, RenderAssetUsages::default())
            .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, positions);
        if let Some(normals) = reader.read_normals() {
            mesh.insert_attribute(Mesh::ATTRIBUTE_NORMAL, normals.collect::<Vec<_>>());
        }
        if let Some(indices) = reader.read_indices() {
            mesh.insert_indices(Indices::U32(indices.into_u32().collect()));
        }
        Some(mesh)
    }
}
