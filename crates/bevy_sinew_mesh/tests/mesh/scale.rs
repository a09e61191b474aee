//! Scales of entities and parents: baked into bodies, mirrored or not.

use bevy_app::App;
use bevy_asset::RenderAssetUsages;
use bevy_ecs::prelude::*;
use bevy_math::primitives::{Cuboid, Sphere};
use bevy_math::{Mat3, Quat, Vec3};
use bevy_mesh::{Mesh, Meshable, PrimitiveTopology, VertexAttributeValues};
use bevy_sinew_bodies::{BodyCollider, DeformableBody};
use bevy_sinew_mesh::{DeformableMesh, DeformedSurface, MeshBodyError, MeshFault};
use bevy_transform::components::{GlobalTransform, Transform};

use crate::support::*;

const SETTINGS: DeformableMesh = DeformableMesh::lattice(300);

/// Corners of each triangle of a mesh, in drawing order.
pub fn corners(mesh: &Mesh) -> Vec<[usize; 3]> {
    let count = mesh.count_vertices();
    let indices: Vec<usize> = mesh.indices().map_or((0..count).collect(), |i| i.iter().collect());
    match mesh.primitive_topology() {
        PrimitiveTopology::TriangleStrip => indices
            .windows(3)
            .enumerate()
            .map(|(i, w)| if i % 2 == 0 { [w[0], w[1], w[2]] } else { [w[1], w[0], w[2]] })
            .filter(|[a, b, c]| a != b && b != c && c != a)
            .collect(),
        _ => indices.chunks_exact(3).map(|c| [c[0], c[1], c[2]]).collect(),
    }
}

/// For each triangle: on which side of its face the normals of its vertices are, in mesh space.
pub fn sides(mesh: &Mesh) -> Vec<Option<bool>> {
    let (places, normals) = (positions(mesh), normals(mesh));
    let side = |[a, b, c]: [usize; 3]| {
        let face = (places[b] - places[a]).cross(places[c] - places[a]).normalize_or_zero();
        let dot = face.dot(normals[a] + normals[b] + normals[c]);
        (dot.abs() > 0.1).then_some(dot > 0.0)
    };
    corners(mesh).into_iter().map(side).collect()
}

/// Checks that the renderer, which turns faces of mirrored entities, sees outsides of a convex body.
fn faces_outwards(app: &App, entity: Entity) {
    let world = app.world().get::<GlobalTransform>(entity).unwrap().affine();
    let places = drawn(app, entity);
    let center = places.iter().sum::<Vec3>() / places.len() as f32;
    let turn = world.matrix3.determinant().signum();
    let mut seen = 0;
    for [a, b, c] in corners(shown(app, entity)) {
        let face = (places[b] - places[a]).cross(places[c] - places[a]) * turn;
        if face.length() > 1e-6 {
            seen += 1;
            assert!(face.dot((places[a] + places[b] + places[c]) / 3.0 - center) > 0.0);
        }
    }
    assert!(seen > 10);
}

fn mirrors() -> impl Iterator<Item = Vec3> {
    (0..8)
        .map(|bits| Vec3::from_array([1, 2, 4].map(|bit| if bits & bit == 0 { 1.0 } else { -1.0 })))
}

fn keeps_winding(mesh: &Mesh, transform: Transform, parent: Option<Transform>) {
    let mut app = app();
    app.world_mut().spawn((BodyCollider::plane(), Transform::IDENTITY));
    let source = add(&mut app, mesh.clone());
    let body = spawn(&mut app, &source, SETTINGS, transform);
    if let Some(parent) = parent {
        let parent = app.world_mut().spawn(parent).id();
        app.world_mut().entity_mut(body).insert(ChildOf(parent));
    }
    app.update();
    faces_outwards(&app, body);
    let before = sides(mesh);
    let uvs = mesh.attribute(Mesh::ATTRIBUTE_UV_0);
    let size = diagonal(&drawn(&app, body));
    wait(&mut app, body);
    assert!((diagonal(&drawn(&app, body)) - size).abs() < 1e-3 * size);
    for _ in 0..60 {
        app.update();
        faces_outwards(&app, body);
    }
    let now = shown(&app, body);
    for (before, now) in before.iter().zip(sides(now)) {
        assert!(before.is_none() || now.is_none() || *before == now);
    }
    assert_eq!(now.count_vertices(), mesh.count_vertices());
    assert_eq!(now.attribute(Mesh::ATTRIBUTE_UV_0), uvs);
    assert!(app.world().get::<DeformableBody>(body).is_some());
}

#[test]
fn mirrored_bodies_keep_their_winding() {
    let mesh = Sphere::new(0.5).mesh().uv(16, 10);
    for scale in mirrors() {
        let at = Transform::from_xyz(0.3, 0.75, 0.0).with_scale(scale * Vec3::new(1.0, 0.8, 1.1));
        keeps_winding(&mesh, at.with_rotation(Quat::from_rotation_z(0.4)), None);
    }
}

#[test]
fn mirrored_parents_keep_the_winding_of_bodies() {
    let mesh = Sphere::new(0.5).mesh().uv(16, 10);
    for scale in mirrors() {
        let turned = Quat::from_euler(bevy_math::EulerRot::XYZ, 0.4, 0.2, -0.9);
        let at = Transform::from_rotation(turned).with_scale(Vec3::new(-2.0, 2.0, 2.0));
        let parent = Transform::from_xyz(0.0, 0.8, 0.0).with_scale(scale * 0.5);
        keeps_winding(&mesh, at, Some(parent));
    }
}

#[test]
fn mirrored_meshes_without_indices_keep_their_winding() {
    let mesh = Sphere::new(0.5).mesh().uv(16, 10).with_duplicated_vertices();
    let at = Transform::from_xyz(0.3, 0.75, 0.0).with_scale(Vec3::new(1.0, -1.0, 1.0));
    keeps_winding(&mesh, at, None);
}

#[test]
fn mirrored_strips_keep_their_winding() {
    // A tetrahedron as a strip: 0 1 2 3 0 1.
    let places = [[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 0.0, -1.0], [0.3, 1.0, -0.3]];
    let center = Vec3::new(0.325, 0.25, -0.325);
    let outwards: Vec<[f32; 3]> =
        places.iter().map(|&p| (Vec3::from(p) - center).normalize().to_array()).collect();
    let strip = |order: [u16; 6]| {
        Mesh::new(PrimitiveTopology::TriangleStrip, RenderAssetUsages::default())
            .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, places.to_vec())
            .with_inserted_attribute(Mesh::ATTRIBUTE_NORMAL, outwards.clone())
            .with_inserted_indices(bevy_mesh::Indices::U16(order.to_vec()))
    };
    let one = strip([0, 1, 2, 3, 0, 1]);
    let mesh =
        if sides(&one).iter().flatten().all(|&out| out) { one } else { strip([1, 0, 2, 3, 1, 0]) };
    assert!(sides(&mesh).iter().flatten().all(|&out| out));
    for y in [1.0, -1.0] {
        let mut app = weightless();
        let source = add(&mut app, mesh.clone());
        let body =
            spawn(&mut app, &source, SETTINGS, Transform::from_scale(Vec3::new(1.0, y, 1.0)));
        wait(&mut app, body);
        assert_eq!(sides(shown(&app, body)), vec![Some(true); corners(&mesh).len()]);
    }
}

#[test]
fn tangents_of_mirrored_bodies_keep_their_bitangents() {
    let mesh: Mesh = Cuboid::from_length(1.0).into();
    let tangents: Vec<[f32; 4]> =
        normals(&mesh).iter().map(|n| n.any_orthonormal_vector().extend(1.0).to_array()).collect();
    let mesh = mesh.with_inserted_attribute(Mesh::ATTRIBUTE_TANGENT, tangents);
    let bitangents = |app: &App, entity: Entity| {
        let world = app.world().get::<GlobalTransform>(entity).unwrap().affine();
        let matrix = Mat3::from(world.matrix3);
        let shown = shown(app, entity);
        let Some(VertexAttributeValues::Float32x4(tangents)) =
            shown.attribute(Mesh::ATTRIBUTE_TANGENT)
        else {
            panic!("no tangents");
        };
        // As Bevy's shaders do it.
        normals(shown)
            .iter()
            .zip(tangents)
            .map(|(&n, &[x, y, z, w])| {
                let n = (matrix.inverse().transpose() * n).normalize();
                let t = (matrix * Vec3::new(x, y, z)).normalize();
                n.cross(t) * w * matrix.determinant().signum()
            })
            .collect::<Vec<Vec3>>()
    };
    for scale in mirrors() {
        let mut app = weightless();
        let source = add(&mut app, mesh.clone());
        let body = spawn(&mut app, &source, SETTINGS, Transform::from_scale(scale));
        app.update();
        let before = bitangents(&app, body);
        wait(&mut app, body);
        assert!(largest_distance(&before, &bitangents(&app, body)) < 1e-3, "{scale}");
    }
}

#[test]
fn scale_becomes_part_of_the_rest_shape_and_the_transform_has_none_left() {
    let mut app = weightless();
    let mesh = add(&mut app, Cuboid::from_length(1.0));
    let parent = app.world_mut().spawn(Transform::from_scale(Vec3::splat(0.26))).id();
    let scale = Vec3::new(2.0, 3.0, 4.0);
    let turned = Quat::from_rotation_y(0.7);
    let at = Transform::from_xyz(1.0, 2.0, 3.0).with_rotation(turned).with_scale(scale);
    let body = spawn(&mut app, &mesh, DeformableMesh::spacing(0.13), at);
    app.world_mut().entity_mut(body).insert(ChildOf(parent));
    app.update();
    let before = drawn(&app, body);
    wait(&mut app, body);
    assert!(largest_distance(&before, &drawn(&app, body)) < 1e-5);
    let world = app.world().get::<GlobalTransform>(body).unwrap();
    assert!(world.scale().distance(Vec3::ONE) < 1e-5, "{}", world.scale());
    let size = (scale * 0.26).length();
    let rest = app.world().get::<DeformedSurface>(body).unwrap().vertices();
    assert!((diagonal(rest) - size).abs() < 1e-4);
    app.world_mut().entity_mut(body).remove::<DeformableMesh>();
    app.update();
    assert_eq!(app.world().get::<Transform>(body).unwrap().scale, scale);
    assert!(largest_distance(&before, &drawn(&app, body)) < 1e-5);
}

#[test]
fn parents_that_scale_unevenly_do_not_change_what_is_drawn() {
    let mut app = weightless();
    let mesh = add(&mut app, Cuboid::from_length(1.0));
    let parent = Transform::from_scale(Vec3::new(0.5, 2.0, 1.0));
    let parent = app.world_mut().spawn(parent).id();
    let at = Transform::from_rotation(Quat::from_rotation_z(0.6)).with_scale(Vec3::splat(1.5));
    let body = spawn(&mut app, &mesh, SETTINGS, at);
    app.world_mut().entity_mut(body).insert(ChildOf(parent));
    app.update();
    let before = drawn(&app, body);
    wait(&mut app, body);
    assert!(largest_distance(&before, &drawn(&app, body)) < 1e-4);
}

#[test]
fn scale_of_zero_is_an_error_until_it_is_none() {
    for (scale, valid) in [
        (Vec3::new(1.0, 0.0, 1.0), false),
        (Vec3::ZERO, false),
        (Vec3::new(f32::NAN, 1.0, 1.0), false),
        (Vec3::splat(0.01), true),
    ] {
        let mut app = weightless();
        let mesh = add(&mut app, Cuboid::from_length(1.0));
        let body = spawn(&mut app, &mesh, SETTINGS, Transform::from_scale(scale));
        wait(&mut app, body);
        let fault = app.world().get::<MeshFault>(body);
        assert_eq!(fault.is_none(), valid, "{scale}");
        if let Some(fault) = fault {
            assert!(matches!(fault.error, MeshBodyError::Scale { .. }), "{}", fault.reason);
            app.world_mut().get_mut::<Transform>(body).unwrap().scale = Vec3::splat(2.0);
            app.update();
            app.update();
            wait(&mut app, body);
            assert!(app.world().get::<DeformableBody>(body).is_some());
        }
    }
}

#[test]
fn scale_that_turns_negative_later_flips_neither_body_nor_faces() {
    let mut app = weightless();
    let mesh = add(&mut app, Sphere::new(0.5));
    let body = spawn_loose(&mut app, &mesh, SETTINGS, Transform::IDENTITY);
    wait(&mut app, body);
    app.update();
    let before = drawn(&app, body);
    for scale in [Vec3::new(-1.0, 1.0, 1.0), Vec3::splat(2.0), Vec3::new(1.0, -3.0, 1.0), Vec3::ONE]
    {
        app.world_mut().get_mut::<Transform>(body).unwrap().scale = scale;
        for _ in 0..3 {
            app.update();
            assert!(largest_distance(&before, &drawn(&app, body)) < 1e-4, "{scale}");
            faces_outwards(&app, body);
        }
    }
}
