//! A step allocates nothing once it has run: with lists, stencils, examples and colliders.

use std::alloc::System;

use glam::Vec3;
use sinew_elastic::lattice::LatticeNodes;
use sinew_elastic::mesh::{SplitParity, TetMesh};
use sinew_elastic::{
    Anchor, Body, BodyState, Collider, ColliderShape, Control, ElasticShape, ExampleBasis,
    ExamplePose, Groups, Integrator, Material, Method, Scratch, Serial, Sleep, StepInput,
    WeightSet, step,
};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static GLOBAL: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn shapes() -> Vec<(&'static str, ElasticShape)> {
    let mesh =
        TetMesh::cuboid([5, 9, 5], Vec3::splat(0.125), SplitParity::Even).expect("a good box");
    let cells = ElasticShape::from_tets(&mesh.positions, &mesh.cells).expect("a good mesh");
    let mut block = LatticeNodes::block([6, 5, 7], 0.1).expect("a good block");
    block.width = 2;
    // Prongs near each other: some regions are stencils, some are lists.
    let prongs: Vec<_> = block.coords.iter().copied().filter(|n| n.y < 1 || n.x % 3 != 1).collect();
    let mut prongs = LatticeNodes::from_nodes(&prongs, 0.1, Vec3::ZERO).expect("good nodes");
    prongs.width = 2;
    let of = |nodes: &LatticeNodes| ElasticShape::from_lattice(nodes).expect("a good lattice");
    let mixed = of(&prongs);
    assert!(mixed.has_stencil() && mixed.list_count() > 0);
    vec![("lists", cells), ("stencil", of(&block)), ("both", mixed)]
}

// One test only: the count is of the whole process.
#[test]
fn steps_allocate_nothing() {
    let mut counts = Vec::new();
    for (name, shape) in shapes() {
        let bend = |p: Vec3| Vec3::new(p.x + p.y * p.y, p.y, p.z);
        let poses = [
            ExamplePose::from_fn("bend", &shape, bend),
            ExamplePose::from_fn("squash", &shape, |p| p * Vec3::new(1.1, 0.7, 1.1)),
            ExamplePose::from_fn("long", &shape, |p| p * Vec3::new(1.0, 1.5, 1.0)),
        ];
        let colliders = [
            Collider::plane(Vec3::Y * -0.55, Vec3::Y),
            Collider {
                shape: ColliderShape::Box { half_extents: Vec3::splat(0.2) },
                translation: Vec3::new(0.3, 0.0, 0.0),
                ..Collider::default()
            },
        ];
        let halves = Groups::by_position(&shape, &["low", "high"], |p| u32::from(p.y > 0.2));
        for groups in [Groups::Whole, halves, Groups::PerRegion] {
            let basis = ExampleBasis::with_groups(&shape, &poses, &groups).expect("good examples");
            let given = [0.5, 0.1, 0.2];
            let controls = [
                Control::Project(WeightSet::Simplex),
                Control::Project(WeightSet::Affine),
                Control::Blend(1.5),
                Control::Explicit(&given),
            ];
            for control in controls {
                for kind in 0..3 {
                    let mut material = Material::default();
                    match kind {
                        0 => {}
                        1 => material.integrator = Integrator::Implicit,
                        _ => material.method = Method::PaperExact { alpha: 0.1, beta: 0.9 },
                    }
                    let body = Body::new(&shape)
                        .with_examples(&basis)
                        .with_control(control)
                        .with_material(material)
                        .with_sleep(Sleep { enabled: false, ..Sleep::default() });
                    let mut state = BodyState::at_rest(&shape);
                    let mut scratch = Scratch::new(&shape, Some(&basis));
                    let anchors = [Anchor {
                        particle: 1,
                        position: state.position(&shape, 1),
                        velocity: Vec3::ZERO,
                    }];
                    let input = StepInput {
                        gravity: Vec3::NEG_Y * 9.81,
                        colliders: &colliders,
                        anchors: &anchors,
                    };
                    let mut run = |ticks: usize| {
                        for _ in 0..ticks {
                            step(&body, &input, 1.0 / 60.0, &mut state, &mut scratch, &Serial);
                        }
                    };
                    run(2);
                    let region = Region::new(GLOBAL);
                    run(30);
                    let stats = region.change();
                    counts.push((stats.allocations + stats.reallocations, name, kind));
                }
            }
        }
    }
    let busy: Vec<_> = counts.iter().filter(|(count, ..)| *count > 0).collect();
    assert!(busy.is_empty(), "{busy:?}");
}
