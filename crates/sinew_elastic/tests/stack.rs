//! A step fits half of a thread's usual stack. It says most in a build without optimisation, in which every
//! inlined value takes its own place; continuous integration runs it in one.

use std::thread;

use glam::Vec3;
use sinew_elastic::lattice::LatticeNodes;
use sinew_elastic::mesh::{SplitParity, TetMesh};
use sinew_elastic::{
    Body, BodyState, Collider, Control, ElasticShape, ExampleBasis, ExamplePose, Groups,
    Integrator, Material, Method, Scratch, Serial, SimdLevel, StepInput, step,
};

/// Half of what the standard library gives a thread.
const STACK: usize = 1 << 20;

fn shapes() -> Vec<ElasticShape> {
    let mesh = TetMesh::cuboid([3, 4, 3], Vec3::splat(0.1), SplitParity::Even).expect("a good box");
    let mut shapes =
        vec![ElasticShape::from_tets(&mesh.positions, &mesh.cells).expect("a good mesh")];
    for width in 1..=3 {
        let mut block = LatticeNodes::block([4, 5, 4], 0.1).expect("a good block");
        block.width = width;
        shapes.push(ElasticShape::from_lattice(&block).expect("a good lattice"));
    }
    shapes
}

fn run_all() {
    let colliders = [Collider::plane(Vec3::ZERO, Vec3::Y)];
    let input = StepInput { gravity: Vec3::NEG_Y * 9.81, colliders: &colliders, anchors: &[] };
    let materials = [
        Material::default(),
        Material { integrator: Integrator::Implicit, ..Material::default() },
        Material { method: Method::PaperExact { alpha: 0.1, beta: 0.9 }, ..Material::default() },
    ];
    for shape in shapes() {
        let tall = ExamplePose::from_fn("tall", &shape, |p| p * Vec3::new(1.0, 1.5, 1.0));
        let groups = [Groups::Whole, Groups::PerRegion];
        let bases = groups.map(|groups| {
            ExampleBasis::with_groups(&shape, core::slice::from_ref(&tall), &groups)
                .expect("a good example")
        });
        let examples = [None, Some(&bases[0]), Some(&bases[1])];
        for (material, examples) in materials.iter().flat_map(|m| examples.map(|e| (*m, e))) {
            for control in [Control::default(), Control::Blend(0.5)] {
                for simd in [SimdLevel::Best, SimdLevel::Baseline] {
                    let mut body = Body::new(&shape).with_material(material).with_control(control);
                    body.examples = examples;
                    let mut state = BodyState::at_rest(&shape);
                    let mut scratch = Scratch::new(&shape, examples).with_simd(simd);
                    step(&body, &input, 1.0 / 60.0, &mut state, &mut scratch, &Serial);
                }
            }
        }
    }
}

#[test]
fn a_step_fits_half_of_a_usual_stack() {
    let thread = thread::Builder::new().stack_size(STACK).spawn(run_all);
    assert!(thread.expect("a thread").join().is_ok());
}
