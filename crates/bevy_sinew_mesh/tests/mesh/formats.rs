//! Which meshes can become bodies, and what the others are told.

use bevy_asset::{Assets, RenderAssetUsages};
use bevy_ecs::prelude::*;
use bevy_math::Vec3;
use bevy_math::primitives::{Cuboid, Sphere};
use bevy_mesh::skinning::SkinnedMesh;
use bevy_mesh::{
    Indices, Mesh, MeshVertexAttribute, PrimitiveTopology, VertexAttributeValues, VertexFormat,
};
use bevy_sinew_bodies::DeformableBody;
use bevy_sinew_mesh::{DeformableMesh, DeformedSurface, MeshBodyError, MeshFault};
use bevy_transform::components::Transform;
use sinew_elastic_errors::LatticeError;

use crate::support::*;

use bevy_sinew_bodies::kernel::lattice as sinew_elastic_errors;

/// Counts the faults that were reported.
#[derive(Resource, Default)]
struct Reports(usize);

fn bind(mesh: Mesh) -> (bevy_app::App, Entity) {
    let mut app = app();
    app.init_resource::<Reports>();
    app.add_observer(|_: On<Insert, MeshFault>, mut reports: ResMut<Reports>| reports.0 += 1);
    let mesh = add(&mut app, mesh);
    let entity = spawn(&mut app, &mesh, DeformableMesh::lattice(100), Transform::IDENTITY);
    wait(&mut app, entity);
    (app, entity)
}

fn simulates(mesh: Mesh) {
    let (mut app, entity) = bind(mesh);
    let before = drawn(&app, entity);
    for _ in 0..10 {
        app.update();
    }
    assert!(app.world().get::<MeshFault>(entity).is_none());
    assert!(largest_distance(&before, &drawn(&app, entity)) > 0.05, "it must fall");
}

fn refused(mesh: Mesh) -> MeshBodyError {
    let source = mesh.clone();
    let (mut app, entity) = bind(mesh);
    for _ in 0..120 {
        app.update();
    }
    assert_eq!(app.world().resource::<Reports>().0, 1, "one report, not one a frame");
    assert!(app.world().get::<DeformableBody>(entity).is_none());
    let shown = shown(&app, entity);
    // As text: a position that is no number differs from itself.
    let [now, before] =
        [shown, &source].map(|m| format!("{:?}", m.attribute(Mesh::ATTRIBUTE_POSITION)));
    assert!(now == before, "it must be drawn undeformed");
    let fault = app.world().get::<MeshFault>(entity).unwrap();
    assert_eq!(fault.reason, fault.error.to_string());
    fault.error.clone()
}

fn ball() -> Mesh {
    Sphere::new(0.5).into()
}

fn joints(vertices: usize) -> VertexAttributeValues {
    VertexAttributeValues::Uint16x4(vec![[0; 4]; vertices])
}

#[test]
fn joints_weights_and_custom_attributes_do_no_harm() {
    let vertices = ball().count_vertices();
    let custom = MeshVertexAttribute::new("Heat", 988_540_917, VertexFormat::Float32);
    simulates(
        ball()
            .with_inserted_attribute(Mesh::ATTRIBUTE_JOINT_INDEX, joints(vertices))
            .with_inserted_attribute(
                Mesh::ATTRIBUTE_JOINT_WEIGHT,
                vec![[1.0, 0.0, 0.0, 0.0]; vertices],
            )
            .with_inserted_attribute(custom, vec![0.5_f32; vertices]),
    );
}

#[test]
fn meshes_without_normals_or_uvs_simulate() {
    simulates(ball().with_removed_attribute(Mesh::ATTRIBUTE_NORMAL));
    simulates(ball().with_removed_attribute(Mesh::ATTRIBUTE_UV_0));
    simulates(
        ball()
            .with_removed_attribute(Mesh::ATTRIBUTE_UV_0)
            .with_removed_attribute(Mesh::ATTRIBUTE_NORMAL),
    );
}

#[test]
fn meshes_without_indices_simulate() {
    simulates(ball().with_duplicated_vertices());
}

#[test]
fn tangents_turn_with_the_surface_and_keep_their_side() {
    let mut app = weightless();
    let mesh = ball();
    let count = mesh.count_vertices();
    let sides = |i: usize| if i.is_multiple_of(2) { 1.0 } else { -1.0 };
    let tangents: Vec<[f32; 4]> = normals(&mesh)
        .iter()
        .enumerate()
        .map(|(i, n)| n.any_orthonormal_vector().extend(sides(i)).to_array())
        .collect();
    let mesh = mesh.with_inserted_attribute(Mesh::ATTRIBUTE_TANGENT, tangents.clone());
    let mesh = add(&mut app, mesh);
    let body = spawn_loose(&mut app, &mesh, DeformableMesh::lattice(500), Transform::IDENTITY);
    wait(&mut app, body);
    let map = squash();
    deform(&mut app, body, |p| map * p);
    app.update();
    let world = app.world().get::<bevy_transform::components::GlobalTransform>(body).unwrap();
    let shown = shown(&app, body);
    let Some(VertexAttributeValues::Float32x4(now)) = shown.attribute(Mesh::ATTRIBUTE_TANGENT)
    else {
        panic!("tangents must still be there");
    };
    assert_eq!(now.len(), count);
    for (i, (now, before)) in now.iter().zip(&tangents).enumerate() {
        let expected = (map * Vec3::from_slice(&before[..3])).normalize();
        let drawn = world.affine().transform_vector3(Vec3::from_slice(&now[..3])).normalize();
        assert!(drawn.distance(expected) < 1e-3);
        assert_eq!(now[3], sides(i));
    }
}

/// Puts an attribute in another format, as a tool that compresses meshes does: same name, same id.
fn in_format(mesh: Mesh, attribute: MeshVertexAttribute, values: VertexAttributeValues) -> Mesh {
    let format = VertexFormat::from(&values);
    mesh.with_removed_attribute(attribute)
        .with_inserted_attribute(MeshVertexAttribute { format, ..attribute }, values)
}

/// The formats in which three or four numbers can be stored, each with the numbers that came back.
fn packed(values: &[Vec3]) -> Vec<(VertexAttributeValues, f32)> {
    use VertexAttributeValues as V;
    let each = |f: &dyn Fn(f32) -> f32| -> Vec<[f32; 4]> {
        values.iter().map(|v| v.extend(0.0).to_array().map(f)).collect()
    };
    let half = each(&|v| v).iter().map(|v| v.map(half::f16::from_f32)).collect();
    let byte = each(&|v| (v * 127.0).round()).iter().map(|v| v.map(|v| v as i8)).collect();
    let short = each(&|v| (v * 32_767.0).round()).iter().map(|v| v.map(|v| v as i16)).collect();
    let double = each(&|v| v).iter().map(|v| v.map(f64::from)).collect();
    vec![
        (V::Float16x4(half), 1e-3),
        (V::Snorm8x4(byte), 0.5 / 127.0),
        (V::Snorm16x4(short), 1e-4),
        (V::Float32x4(each(&|v| v)), 0.0),
        (V::Float64x4(double), 0.0),
    ]
}

#[test]
fn compressed_positions_and_normals_move_like_plain_ones() {
    let (rest, out) = (positions(&ball()), normals(&ball()));
    for ((places, off), (directions, off_normals)) in packed(&rest).into_iter().zip(packed(&out)) {
        let format = VertexFormat::from(&places);
        let mesh = in_format(ball(), Mesh::ATTRIBUTE_POSITION, places.clone());
        let mesh = in_format(mesh, Mesh::ATTRIBUTE_NORMAL, directions);
        let mut app = weightless();
        let source = add(&mut app, mesh);
        let body =
            spawn_loose(&mut app, &source, DeformableMesh::lattice(300), Transform::IDENTITY);
        wait(&mut app, body);
        assert!(app.world().get::<MeshFault>(body).is_none(), "{format:?}");
        assert!(largest_distance(&drawn(&app, body), &rest) < 2.0 * off + 1e-5, "{format:?}");
        let map = squash();
        deform(&mut app, body, |p| map * p);
        app.update();
        let moved: Vec<Vec3> = rest.iter().map(|&p| map * p).collect();
        assert!(largest_distance(&drawn(&app, body), &moved) < 3.0 * off + 1e-5, "{format:?}");
        let to_world =
            app.world().get::<bevy_transform::components::GlobalTransform>(body).unwrap();
        let to_world = bevy_math::Mat3::from(to_world.affine().matrix3).inverse().transpose();
        for (now, before) in normals(shown(&app, body)).iter().zip(&out) {
            let expected = (map.inverse().transpose() * *before).normalize();
            assert!((to_world * *now).normalize().distance(expected) < 4.0 * off_normals + 1e-3);
        }
        // The source is as it was, and is shown again.
        app.world_mut().entity_mut(body).remove::<DeformableMesh>();
        app.update();
        assert_eq!(shown(&app, body).attribute(Mesh::ATTRIBUTE_POSITION), Some(&places));
    }
}

#[test]
fn unsigned_positions_are_where_shaders_see_them() {
    // A box from zero to one.
    let corners: Vec<Vec3> =
        positions(&Cuboid::from_length(1.0).into()).iter().map(|p| p + 0.5).collect();
    let bytes = corners.iter().map(|p| [p.x, p.y, p.z, 1.0].map(|v| (v * 255.0) as u8)).collect();
    let shorts = corners.iter().map(|p| [p.x, p.y, p.z, 1.0].map(|v| (v * 65_535.0) as u16));
    let bits = corners.iter().map(|p| {
        let [x, y, z] = p.to_array().map(|v| (v * 1023.0) as u32);
        x | (y << 10) | (z << 20) | (3 << 30)
    });
    for values in [
        VertexAttributeValues::Unorm8x4(bytes),
        VertexAttributeValues::Unorm16x4(shorts.collect()),
        VertexAttributeValues::Unorm10_10_10_2(bits.collect()),
    ] {
        let mut app = weightless();
        let mesh = in_format(Cuboid::from_length(1.0).into(), Mesh::ATTRIBUTE_POSITION, values);
        let mesh = add(&mut app, mesh);
        let body = spawn(&mut app, &mesh, DeformableMesh::spacing(0.25), Transform::IDENTITY);
        wait(&mut app, body);
        assert!(largest_distance(&drawn(&app, body), &corners) < 1e-4);
    }
}

#[test]
fn formats_that_do_not_say_what_they_mean_are_refused_by_name() {
    let vertices = ball().count_vertices();
    let octahedral = VertexAttributeValues::Snorm16x2(vec![[0; 2]; vertices]);
    let integers = VertexAttributeValues::Sint16x4(vec![[0; 4]; vertices]);
    let halves = VertexAttributeValues::Float16x2(vec![[half::f16::ZERO; 2]; vertices]);
    for (attribute, values) in [
        (Mesh::ATTRIBUTE_NORMAL, octahedral),
        (Mesh::ATTRIBUTE_POSITION, integers),
        (Mesh::ATTRIBUTE_POSITION, halves),
    ] {
        let wanted = (attribute.name, VertexFormat::from(&values));
        let error = refused(in_format(ball(), attribute, values));
        let MeshBodyError::Format { attribute, found, .. } = &error else { panic!("{error}") };
        assert_eq!((*attribute, *found), wanted);
        assert!(error.to_string().contains(wanted.0), "{error}");
    }
}

#[test]
fn mesh_with_uvs_only_is_refused() {
    let mesh = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_UV_0, vec![[0.0, 0.0]; 3]);
    assert!(matches!(refused(mesh), MeshBodyError::NoPositions { .. }));
}

#[test]
fn empty_meshes_and_lines_are_refused() {
    let empty = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default());
    assert!(matches!(refused(empty.clone()), MeshBodyError::NoPositions { .. }));
    let empty = empty.with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, Vec::<[f32; 3]>::new());
    let error = refused(empty);
    let wanted = LatticeError::NoVertices;
    assert!(matches!(&error, MeshBodyError::Lattice { error, .. } if *error == wanted), "{error}");
    let none = ball().with_inserted_indices(Indices::U16(Vec::new()));
    let error = refused(none);
    let wanted = LatticeError::NoTriangles;
    assert!(matches!(&error, MeshBodyError::Lattice { error, .. } if *error == wanted), "{error}");
    let lines = Mesh::new(PrimitiveTopology::LineList, RenderAssetUsages::default())
        .with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, vec![[0.0; 3], [1.0; 3]]);
    assert!(matches!(refused(lines), MeshBodyError::Topology { .. }));
}

#[test]
fn broken_numbers_are_refused() {
    let mut places: Vec<[f32; 3]> = positions(&ball()).iter().map(|p| p.to_array()).collect();
    places[7][1] = f32::NAN;
    let error = refused(ball().with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, places));
    let wanted = LatticeError::NonFiniteVertex { vertex: 7 };
    assert!(matches!(&error, MeshBodyError::Lattice { error, .. } if *error == wanted), "{error}");
    let far = ball().with_inserted_indices(Indices::U32(vec![0, 1, 70_000]));
    assert!(matches!(refused(far), MeshBodyError::Index { index: 70_000, .. }));
}

#[test]
fn mesh_that_joints_move_is_refused() {
    let mut app = app();
    let mesh = add(&mut app, ball());
    let entity = spawn(&mut app, &mesh, DeformableMesh::lattice(100), Transform::IDENTITY);
    app.world_mut().entity_mut(entity).insert(SkinnedMesh::default());
    wait(&mut app, entity);
    let fault = app.world().get::<MeshFault>(entity).unwrap();
    assert!(matches!(fault.error, MeshBodyError::Skinned { .. }), "{}", fault.reason);
}

#[test]
fn mesh_of_the_render_world_is_inactive_and_the_flag_is_named() {
    let mut mesh = ball();
    mesh.asset_usage = RenderAssetUsages::RENDER_WORLD;
    let error = refused(mesh);
    assert!(matches!(error, MeshBodyError::RenderWorldOnly { .. }), "{error}");
    assert!(error.to_string().contains("RenderAssetUsages::MAIN_WORLD"), "{error}");
}

#[test]
fn meshes_of_the_main_world_and_of_both_simulate() {
    for usage in [RenderAssetUsages::MAIN_WORLD, RenderAssetUsages::all()] {
        let mut mesh = ball();
        mesh.asset_usage = usage;
        simulates(mesh);
    }
}

#[test]
fn mesh_whose_data_was_taken_by_the_renderer_is_refused() {
    let mut app = app();
    let mut mesh = ball();
    let _in_render_world = mesh.take_gpu_data().unwrap();
    let mesh = add(&mut app, mesh);
    let entity = spawn(&mut app, &mesh, DeformableMesh::lattice(100), Transform::IDENTITY);
    for _ in 0..120 {
        app.update();
    }
    let fault = app.world().get::<MeshFault>(entity).unwrap();
    assert!(matches!(fault.error, MeshBodyError::RenderWorldOnly { .. }));
}

#[test]
fn copy_that_becomes_render_only_is_let_alone_and_reported_once() {
    let (mut app, entity) = bind(ball());
    let copy = handle(&app, entity);
    let mut meshes = app.world_mut().resource_mut::<Assets<Mesh>>();
    let _taken = meshes.get_mut(&copy).unwrap().take_gpu_data().unwrap();
    for _ in 0..120 {
        app.update();
    }
    assert_eq!(app.world().resource::<Reports>().0, 1);
    let fault = app.world().get::<MeshFault>(entity).unwrap();
    assert!(matches!(fault.error, MeshBodyError::RenderWorldOnly { .. }));
    assert!(app.world().get::<DeformedSurface>(entity).is_some(), "the body itself goes on");
}

#[test]
fn mesh_that_is_mended_becomes_a_body() {
    let mesh = Mesh::new(PrimitiveTopology::TriangleList, RenderAssetUsages::default());
    let (mut app, entity) = bind(mesh);
    assert!(app.world().get::<MeshFault>(entity).is_some());
    let source = handle(&app, entity);
    *app.world_mut().resource_mut::<Assets<Mesh>>().get_mut(&source).unwrap() =
        Cuboid::default().into();
    // The change is announced at the end of this frame, and acted on in the next.
    app.update();
    app.update();
    wait(&mut app, entity);
    assert!(app.world().get::<MeshFault>(entity).is_none());
    assert!(app.world().get::<DeformableBody>(entity).is_some());
}
