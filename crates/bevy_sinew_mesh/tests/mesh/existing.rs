//! Meshes that show a body which was not made from them.

use std::sync::Arc;

use bevy_app::App;
use bevy_asset::Assets;
use bevy_ecs::prelude::*;
use bevy_math::primitives::Cuboid;
use bevy_math::{Mat3, Quat, Vec3};
use bevy_mesh::{Mesh, Mesh3d, VertexAttributeValues};
use bevy_sinew_bodies::kernel::lattice::{Lattice, LatticeNodes};
use bevy_sinew_bodies::kernel::mesh::{SplitParity, SurfaceMesh, TetMesh};
use bevy_sinew_bodies::kernel::{ElasticShape, Embedding, EmbeddingError};
use bevy_sinew_bodies::{BodyCollider, BodyMotion, DeformableBody};
use bevy_sinew_mesh::{
    BodySurface, DeformableMesh, DeformableMeshPart, DeformedMesh, DeformedSurface, MeshBodyError,
    MeshFault, MeshInterpolation,
};
use bevy_time::{Fixed, Time, TimeUpdateStrategy};
use bevy_transform::components::{GlobalTransform, Transform};

use crate::support::*;

const SIZE: Vec3 = Vec3::new(0.8, 1.2, 0.6);

fn tets() -> TetMesh {
    // As large as `SIZE`: the particles are its corners.
    TetMesh::cuboid([5, 7, 4], SIZE / Vec3::new(4.0, 6.0, 3.0), SplitParity::Even).unwrap()
}

/// A body of tetrahedra, one of a lattice, one of regions of its own, each about the origin and as
/// large as the surface, or a little smaller.
fn shapes() -> [(&'static str, Arc<ElasticShape>, BodySurface); 4] {
    let tets = tets();
    let of_tets = Arc::new(ElasticShape::from_tets(&tets.positions, &tets.cells).unwrap());
    let mut block = LatticeNodes::block([7, 10, 5], 0.12).unwrap();
    let middle = block.positions.iter().sum::<Vec3>() / block.positions.len() as f32;
    block.positions.iter_mut().for_each(|p| *p -= middle);
    let of_lattice = Arc::new(ElasticShape::from_lattice(&block).unwrap());
    // Regions: all particles of a quarter, which overlap in the middle.
    let near = |p: Vec3, corner: Vec3| (p - corner * SIZE * 0.2).abs().max_element() < 0.55;
    let regions: Vec<Vec<u32>> = [[-1.0, -1.0], [-1.0, 1.0], [1.0, -1.0], [1.0, 1.0]]
        .map(|[x, y]| {
            let corner = Vec3::new(x, y, 0.0);
            (0..tets.positions.len() as u32)
                .filter(|&i| near(tets.positions[i as usize], corner))
                .collect()
        })
        .to_vec();
    let masses = vec![0.01; tets.positions.len()];
    let of_regions = ElasticShape::from_regions(&tets.positions, &masses, &regions).unwrap();
    [
        ("tetrahedra", of_tets.clone(), BodySurface::tetrahedra(tets.cells.clone())),
        ("particles of tetrahedra", of_tets, BodySurface::nearest()),
        ("lattice", of_lattice, BodySurface::nearest()),
        ("given regions", Arc::new(of_regions), BodySurface::nearest()),
    ]
}

fn spawn_on(
    app: &mut App,
    shape: &Arc<ElasticShape>,
    surface: BodySurface,
    mesh: Mesh,
    at: Transform,
) -> Entity {
    let mesh = add(app, mesh);
    let body = app.world_mut().spawn((DeformableBody::new(shape.clone()), at));
    let body = body.id();
    loosen(app, body);
    let bundle = (Mesh3d(mesh), surface, MeshInterpolation::LatestTick);
    app.world_mut().entity_mut(body).insert(bundle);
    wait(app, body);
    if let Some(fault) = app.world().get::<MeshFault>(body) {
        panic!("{}", fault.reason);
    }
    app.update();
    body
}

#[test]
fn surfaces_of_bodies_of_every_kind_follow_affine_motion() {
    let at = Transform::from_xyz(3.0, -2.0, 1.0).with_rotation(Quat::from_rotation_x(0.7));
    for (kind, shape, surface) in shapes() {
        let mut app = weightless();
        let source = fine_box(SIZE);
        let rest = positions(&source);
        let body = spawn_on(&mut app, &shape, surface, source, at);
        let before: Vec<Vec3> = rest.iter().map(|&p| at.transform_point(p)).collect();
        assert!(largest_distance(&drawn(&app, body), &before) < 1e-4, "{kind}");
        let map = squash();
        deform(&mut app, body, |p| map * p + Vec3::Y);
        app.update();
        let after: Vec<Vec3> = before.iter().map(|&p| map * p + Vec3::Y).collect();
        let off = largest_distance(&drawn(&app, body), &after);
        assert!(off < 1e-4, "{kind}: {off}");
        check_bounds(&app, body);
    }
}

#[test]
fn normals_and_tangents_turn_with_surfaces_of_every_kind() {
    for (kind, shape, surface) in shapes() {
        let mut app = weightless();
        let source = fine_box(SIZE);
        let out = normals(&source);
        let along: Vec<Vec3> = out.iter().map(|n| n.any_orthonormal_vector()).collect();
        let tangents: Vec<[f32; 4]> = along.iter().map(|t| t.extend(-1.0).to_array()).collect();
        let source = source.with_inserted_attribute(Mesh::ATTRIBUTE_TANGENT, tangents);
        let body = spawn_on(&mut app, &shape, surface, source, Transform::IDENTITY);
        let map = squash();
        deform(&mut app, body, |p| map * p);
        app.update();
        let world = app.world().get::<GlobalTransform>(body).unwrap().affine().matrix3;
        let to_world = Mat3::from(world);
        let shown = shown(&app, body);
        let Some(VertexAttributeValues::Float32x4(tangents)) =
            shown.attribute(Mesh::ATTRIBUTE_TANGENT)
        else {
            panic!("no tangents");
        };
        for (i, (normal, tangent)) in normals(shown).iter().zip(tangents).enumerate() {
            let expected = (map.inverse().transpose() * out[i]).normalize();
            assert!((to_world * *normal).distance(expected) < 1e-3, "{kind}");
            let expected = (map * along[i]).normalize();
            let [x, y, z, side] = *tangent;
            assert!((to_world * Vec3::new(x, y, z)).distance(expected) < 1e-3, "{kind}");
            assert_eq!(side, -1.0);
        }
    }
}

#[test]
fn both_ways_to_the_same_lattice_draw_the_same() {
    let source = fine_box(SIZE);
    let surface = SurfaceMesh {
        positions: positions(&source),
        triangles: source
            .indices()
            .unwrap()
            .iter()
            .collect::<Vec<usize>>()
            .chunks_exact(3)
            .map(|c| [c[0] as u32, c[1] as u32, c[2] as u32])
            .collect(),
    };
    let nodes = Lattice::spacing(0.2).build(&surface).unwrap();
    let shape = Arc::new(ElasticShape::from_lattice(&nodes).unwrap());
    let bend = |p: Vec3| Vec3::new(p.x + 0.3 * p.y * p.y, p.y, p.z * (1.0 + 0.2 * p.x));
    let mut app = weightless();
    let given = BodySurface::embedding(Embedding::from_lattice(&nodes));
    let on = spawn_on(&mut app, &shape, given, source.clone(), Transform::IDENTITY);
    let mesh = add(&mut app, source);
    let made = spawn_loose(&mut app, &mesh, DeformableMesh::spacing(0.2), Transform::IDENTITY);
    wait(&mut app, made);
    app.update();
    for body in [on, made] {
        deform(&mut app, body, bend);
    }
    app.update();
    assert_eq!(positions(shown(&app, on)), positions(shown(&app, made)));
    assert_eq!(normals(shown(&app, on)), normals(shown(&app, made)));
}

#[test]
fn surfaces_are_drawn_between_ticks() {
    let [(_, shape, surface), ..] = shapes();
    let mut app = weightless();
    let body = spawn_on(&mut app, &shape, surface, fine_box(SIZE), Transform::IDENTITY);
    app.world_mut().entity_mut(body).insert(MeshInterpolation::BetweenTicks);
    launch(&mut app, body, |_| Vec3::X);
    app.update();
    app.update();
    let rest = positions(&fine_box(SIZE));
    let tick = app.world().resource::<Time<Fixed>>().timestep();
    let start = drawn(&app, body)[0].x - rest[0].x;
    app.insert_resource(TimeUpdateStrategy::ManualDuration(tick.mul_f64(0.3)));
    for frame in 1..=20 {
        app.update();
        let moved = start + tick.as_secs_f32() * 0.3 * frame as f32;
        let expected: Vec<Vec3> = rest.iter().map(|&p| p + Vec3::X * moved).collect();
        assert!(largest_distance(&drawn(&app, body), &expected) < 1e-4, "frame {frame}");
    }
}

#[test]
fn children_and_strangers_can_show_a_body() {
    let [(_, shape, surface), ..] = shapes();
    let mut app = weightless();
    let at = Transform::from_xyz(1.0, 2.0, 3.0).with_rotation(Quat::from_rotation_z(0.5));
    let body = spawn_on(&mut app, &shape, surface.clone(), fine_box(SIZE), at);
    let mesh = add(&mut app, fine_box(SIZE));
    // Half as large and to one side, below the body; and one elsewhere in the world, mirrored.
    let below = Transform::from_xyz(0.1, 0.2, 0.0).with_scale(Vec3::splat(0.5));
    let beside = Transform::from_xyz(1.2, 2.0, 3.0).with_scale(Vec3::new(-0.5, 0.5, 0.5));
    let mut bundle = |at: Transform| {
        let bundle =
            (Mesh3d(mesh.clone()), surface.clone().of(body), MeshInterpolation::LatestTick, at);
        app.world_mut().spawn(bundle).id()
    };
    let (child, stranger) = (bundle(below), bundle(beside));
    app.world_mut().entity_mut(child).insert(ChildOf(body));
    app.update();
    let before = [child, stranger].map(|entity| drawn(&app, entity));
    for entity in [child, stranger] {
        wait(&mut app, entity);
        assert_eq!(app.world().get::<DeformedSurface>(entity).unwrap().body(), body);
        assert_eq!(app.world().get::<DeformedMesh>(entity).unwrap().body(), entity);
    }
    let map = squash();
    deform(&mut app, body, |p| map * p + Vec3::Z);
    app.update();
    for (entity, before) in [child, stranger].into_iter().zip(before) {
        let after: Vec<Vec3> = before.iter().map(|&p| map * p + Vec3::Z).collect();
        assert!(largest_distance(&drawn(&app, entity), &after) < 1e-4);
        check_bounds(&app, entity);
    }
    // They let go one by one; the body and the others go on.
    let count = app.world().resource::<Assets<Mesh>>().len();
    app.world_mut().entity_mut(child).remove::<BodySurface>();
    app.world_mut().entity_mut(stranger).despawn();
    app.update();
    app.update();
    assert_eq!(handle(&app, child), mesh);
    assert_eq!(app.world().resource::<Assets<Mesh>>().len(), count - 2);
    assert!(app.world().get::<DeformedSurface>(body).is_some());
    assert!(app.world().get::<BodyMotion>(body).is_some());
}

/// Where the positions of a mesh lie in memory.
fn memory(mesh: &Mesh) -> *const [f32; 3] {
    match mesh.attribute(Mesh::ATTRIBUTE_POSITION) {
        Some(VertexAttributeValues::Float32x3(values)) => values.as_ptr(),
        _ => panic!("no positions"),
    }
}

#[test]
fn surfaces_are_written_in_place_and_equal_ones_are_bound_once() {
    let [(_, shape, surface), ..] = shapes();
    let mut app = app();
    app.world_mut().spawn((BodyCollider::plane(), Transform::IDENTITY));
    let mesh = add(&mut app, fine_box(SIZE));
    let bodies: Vec<Entity> = (0..5)
        .map(|i| {
            let at = Transform::from_xyz(2.0 * i as f32, 1.0, 0.0);
            let bundle = (DeformableBody::new(shape.clone()), surface.clone(), at);
            app.world_mut().spawn((bundle, Mesh3d(mesh.clone()))).id()
        })
        .collect();
    for &body in &bodies {
        wait(&mut app, body);
    }
    app.update();
    let before: Vec<_> = bodies.iter().map(|&body| memory(shown(&app, body))).collect();
    let rest = positions(shown(&app, bodies[0]));
    // One of the bodies' own, one of each embedding, one of the surface: no more of the shape for each.
    let owners = Arc::strong_count(&shape);
    for _ in 0..500 {
        app.update();
        assert_eq!(app.world().resource::<Assets<Mesh>>().len(), 6);
    }
    let after: Vec<_> = bodies.iter().map(|&body| memory(shown(&app, body))).collect();
    assert_eq!(before, after);
    assert_eq!(Arc::strong_count(&shape), owners);
    assert_ne!(positions(shown(&app, bodies[0])), rest);
}

#[test]
fn removed_surfaces_leave_the_body_and_give_the_mesh_back() {
    let [(_, shape, surface), ..] = shapes();
    let mut app = weightless();
    let body = spawn_on(&mut app, &shape, surface, fine_box(SIZE), Transform::IDENTITY);
    let source = app.world().get::<DeformedMesh>(body).unwrap().source().clone();
    app.world_mut().entity_mut(body).remove::<BodySurface>();
    app.update();
    app.update();
    assert_eq!(handle(&app, body), source);
    assert!(app.world().get::<DeformableBody>(body).is_some());
    assert!(app.world().get::<DeformedSurface>(body).is_none());
    assert!(app.world().get::<DeformedMesh>(body).is_none());
    assert_eq!(app.world().resource::<Assets<Mesh>>().len(), 1);
}

#[test]
fn bodies_that_get_another_shape_bind_their_surfaces_anew() {
    let [(_, shape, _), _, (_, lattice, _), _] = shapes();
    let mut app = weightless();
    let body =
        spawn_on(&mut app, &shape, BodySurface::nearest(), fine_box(SIZE), Transform::IDENTITY);
    app.world_mut().entity_mut(body).insert(DeformableBody::new(lattice.clone()));
    app.update();
    wait(&mut app, body);
    app.update();
    let surface = app.world().get::<DeformedSurface>(body).unwrap();
    assert!(Arc::ptr_eq(surface.shape(), &lattice));
    let map = squash();
    deform(&mut app, body, |p| map * p);
    app.update();
    let after: Vec<Vec3> = positions(&fine_box(SIZE)).iter().map(|&p| map * p).collect();
    assert!(largest_distance(&drawn(&app, body), &after) < 1e-4);
}

#[test]
fn surface_on_a_body_that_is_still_built_waits_for_it() {
    let mut app = weightless();
    let mesh = add(&mut app, fine_box(SIZE));
    let body = spawn(&mut app, &mesh, DeformableMesh::spacing(0.15), Transform::IDENTITY);
    let child =
        app.world_mut().spawn((Mesh3d(mesh), BodySurface::nearest().of(body), ChildOf(body))).id();
    wait(&mut app, child);
    assert!(app.world().get::<MeshFault>(child).is_none());
    assert!(app.world().get::<DeformedSurface>(body).is_some(), "the body came first");
}

fn fault(app: &mut App, entity: Entity) -> MeshBodyError {
    wait(app, entity);
    for _ in 0..5 {
        app.update();
    }
    let fault = app.world().get::<MeshFault>(entity).expect("it must fail");
    assert_eq!(fault.component, "BodySurface");
    assert!(fault.reason.contains(&entity.to_string()), "{}", fault.reason);
    fault.error.clone()
}

#[test]
fn surfaces_that_cannot_follow_name_entity_component_and_reason() {
    let [(_, shape, surface), ..] = shapes();
    let mut app = weightless();
    let mesh = add(&mut app, fine_box(SIZE));
    let vertices = fine_box(SIZE).count_vertices();
    let follower = |app: &mut App, surface: BodySurface| {
        let body = DeformableBody::new(shape.clone());
        app.world_mut().spawn((Mesh3d(mesh.clone()), body, surface)).id()
    };

    // No body at all, until there is one.
    let stone = app.world_mut().spawn(Transform::IDENTITY).id();
    let entity = follower(&mut app, BodySurface::nearest().of(stone));
    assert_eq!(fault(&mut app, entity), MeshBodyError::NoBody { entity, body: stone });
    app.world_mut().entity_mut(stone).insert(DeformableBody::new(shape.clone()));
    app.update();
    wait(&mut app, entity);
    assert!(app.world().get::<MeshFault>(entity).is_none());

    // An embedding of another mesh, and one of another body.
    let entity = follower(&mut app, BodySurface::embedding(Embedding::of_particles(3)));
    let expected = MeshBodyError::EmbeddingLength { entity, embedded: 3, vertices };
    assert_eq!(fault(&mut app, entity), expected);
    let particles = shape.particle_count();
    let far = vec![[0, 1, 2, 5_000]];
    assert!(vertices > particles);
    let entity = follower(&mut app, BodySurface::embedding(Embedding::of_particles(vertices)));
    let error =
        EmbeddingError::UnknownParticle { cell: particles, particle: particles as u32, particles };
    assert_eq!(fault(&mut app, entity), MeshBodyError::Embedding { entity, error });

    // Cells of another body, and none.
    let entity = follower(&mut app, BodySurface::tetrahedra(far));
    let error = EmbeddingError::UnknownParticle { cell: 0, particle: 5_000, particles };
    assert_eq!(fault(&mut app, entity), MeshBodyError::Embedding { entity, error });
    let entity = follower(&mut app, BodySurface::tetrahedra(Vec::new()));
    let error = EmbeddingError::NoCells;
    assert_eq!(fault(&mut app, entity), MeshBodyError::Embedding { entity, error });

    // Two that move one mesh.
    let entity = follower(&mut app, surface.clone());
    app.world_mut().entity_mut(entity).insert(DeformableMeshPart(stone));
    assert_eq!(fault(&mut app, entity), MeshBodyError::TwoBodies { entity });

    // A mesh that has no position where one is needed.
    let mut places: Vec<[f32; 3]> =
        positions(&fine_box(SIZE)).iter().map(|p| p.to_array()).collect();
    places[9][0] = f32::INFINITY;
    let broken =
        add(&mut app, fine_box(SIZE).with_inserted_attribute(Mesh::ATTRIBUTE_POSITION, places));
    for surface in [surface, BodySurface::nearest()] {
        let entity = follower(&mut app, surface);
        app.world_mut().get_mut::<Mesh3d>(entity).unwrap().0 = broken.clone();
        let error = EmbeddingError::NonFinite(9);
        assert_eq!(fault(&mut app, entity), MeshBodyError::Embedding { entity, error });
    }
}

#[test]
fn plain_boxes_of_eight_corners_follow_as_well() {
    let [(_, shape, surface), ..] = shapes();
    let mut app = weightless();
    let source = Mesh::from(Cuboid::from_size(SIZE));
    let body = spawn_on(&mut app, &shape, surface, source.clone(), Transform::IDENTITY);
    let map = squash();
    deform(&mut app, body, |p| map * p);
    app.update();
    let after: Vec<Vec3> = positions(&source).iter().map(|&p| map * p).collect();
    assert!(largest_distance(&drawn(&app, body), &after) < 1e-4);
}
