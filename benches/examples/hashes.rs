#![allow(missing_docs, clippy::all, clippy::print_stdout)]
use benches::ours::Body as B;
use glam::*;
use sinew_elastic::{*, lattice::LatticeNodes};
fn main() {
    let mut shapes = vec![];
    for (side, w) in [(10u32, 1u32), (11, 1), (10, 2), (13, 2), (10, 3), (13, 3)] {
        let mut n = LatticeNodes::block([side, side + 1, side - 1], 0.1).unwrap();
        n.width = w;
        shapes.push((format!("lat{side}w{w}"), ElasticShape::from_lattice(&n).unwrap()));
    }
    {
        let mesh = mesh::TetMesh::cuboid([5, 9, 5], Vec3::splat(0.25), mesh::SplitParity::Even).unwrap();
        shapes.push(("tets".into(), ElasticShape::from_tets(&mesh.positions, &mesh.cells).unwrap()));
    }
    let _ = B::CUBOID_225;
    for (name, shape) in &shapes {
        let c = shape.center();
        let poses = [
            ExamplePose::from_fn("t", shape, |p| Quat::from_rotation_y(p.y - c.y) * (p - c) + c),
            ExamplePose::from_fn("s", shape, |p| (p - c) * Vec3::new(1.2, 0.7, 1.2) + c),
        ];
        let whole = ExampleBasis::new(shape, &poses).unwrap();
        let groups = Groups::PerRegion;
        let local = ExampleBasis::with_groups(shape, &poses, &groups).unwrap();
        let pe = Method::PaperExact { alpha: 0.5, beta: 0.5 };
        let m = Material { elastic_hz: 10.0, damping: 1.0, ..Material::default() };
        let im = Material { integrator: Integrator::Implicit, ..m };
        let pm = Material { method: pe, ..m };
        let ex = [0.5, 0.3];
        let cases: Vec<(&str, Option<&ExampleBasis>, Material, Control)> = vec![
            ("plain", None, m, Control::default()),
            ("plain implicit", None, im, Control::default()),
            ("plain paper", None, pm, Control::default()),
            ("whole", Some(&whole), m, Control::default()),
            ("whole paper", Some(&whole), pm, Control::default()),
            ("blend", Some(&whole), m, Control::Blend(0.7)),
            ("explicit paper", Some(&whole), pm, Control::Explicit(&ex)),
            ("local", Some(&local), m, Control::default()),
            ("local blend", Some(&local), m, Control::Blend(1.3)),
            ("local paper", Some(&local), pm, Control::default()),
        ];
        for (case, basis, material, control) in cases {
            let mut out = vec![];
            for simd in [SimdLevel::Best, SimdLevel::Baseline] {
                let mut body = Body::new(shape).with_material(material).with_control(control);
                body.examples = basis;
                let mut state = BodyState::at_rest(shape);
                for i in 0..shape.particle_count() {
                    let p = shape.rest_position(i) - c;
                    let q = Quat::from_rotation_y(0.7 * p.y) * (p * Vec3::new(1.0, 1.3, 0.9)) + Vec3::Y * 0.8;
                    state.set_position(shape, i, q.as_dvec3());
                }
                let mut scratch = Scratch::new(shape, basis).with_simd(simd);
                let plane = [Collider::plane(DVec3::ZERO.as_vec3().into(), Vec3::Y.into())];
                let input = StepInput { gravity: Vec3::NEG_Y * 9.8, colliders: &plane, ..StepInput::default() };
                for _ in 0..30 {
                    step(&body, &input, 1.0 / 60.0, &mut state, &mut scratch, &Serial);
                }
                out.push(state.hash());
            }
            println!("{name} {case} {:016x} {:016x} {}", out[0], out[1], out[0] == out[1]);
        }
    }
}
