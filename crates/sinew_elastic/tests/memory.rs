//! What a body costs in memory, all of it: shape, examples, state, scratch.
#![expect(clippy::print_stdout, reason = "the figure is worth seeing")]

use std::alloc::System;

use glam::Vec3;
use sinew_elastic::lattice::Lattice;
use sinew_elastic::mesh::{SplitParity, SurfaceMesh, TetMesh};
use sinew_elastic::{
    Body, BodyState, Deformer, ElasticShape, ExampleBasis, Scratch, Serial, StepInput, step,
};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static GLOBAL: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn cells() -> ElasticShape {
    let mesh = TetMesh::cuboid([10, 20, 10], Vec3::splat(0.1), SplitParity::Even);
    let mesh = mesh.expect("a good box");
    ElasticShape::from_tets(&mesh.positions, &mesh.cells).expect("a good mesh")
}

fn lattice() -> ElasticShape {
    let sphere = SurfaceMesh::sphere(0.5, 48).expect("a good sphere");
    let lattice = Lattice::particles(2_000).build(&sphere).expect("a good lattice");
    ElasticShape::from_lattice(&lattice).expect("a good lattice")
}

// One test only: bytes are those of the whole process.
#[test]
fn a_body_with_an_example_takes_less_than_a_kibibyte_a_particle() {
    for (name, make) in [("cells", cells as fn() -> ElasticShape), ("lattice", lattice)] {
        let region = Region::new(GLOBAL);
        let shape = make();
        let pose = Deformer::twist(Vec3::Y, 1.5).pose("twist", &shape);
        let examples = ExampleBasis::new(&shape, &[pose]).expect("a good example");
        let mut state = BodyState::at_rest(&shape);
        let mut scratch = Scratch::new(&shape, Some(&examples));
        let body = Body::new(&shape).with_examples(&examples);
        step(&body, &StepInput::default(), 1.0 / 60.0, &mut state, &mut scratch, &Serial);
        let stats = region.change();
        let bytes = stats.bytes_allocated - stats.bytes_deallocated;
        let each = bytes as f64 / shape.particle_count() as f64;
        println!("{name}: {each:.0} bytes a particle of {}", shape.particle_count());
        assert!(each > 100.0 && each < 1024.0, "{name}: {each}");
    }
}
