//! T44: whatever the body, the step and the material, nothing becomes non-finite, and damping only takes energy.

use glam::{DVec3, Quat, Vec3};
use proptest::prelude::*;
use proptest::test_runner::FileFailurePersistence;
use sinew_elastic::{
    Collider, ColliderShape, Control, ElasticShape, ExampleBasis, ExamplePose, Groups, Integrator,
    Material, Method, StepInput, WeightSet,
};

use crate::fixtures::{Random, Rig, given, law, material};

#[derive(Clone, Debug)]
struct Case {
    seed: u64,
    particles: usize,
    regions: usize,
    flatness: usize,
    decades: f64,
    dt: f32,
    material: Material,
    set: WeightSet,
    examples: usize,
    grouping: u8,
}

fn cases() -> impl Strategy<Value = Case> {
    let hz = prop_oneof![Just(0.0_f32), 0.1..30.0_f32, Just(1e6_f32), Just(f32::NAN)];
    let dt = prop_oneof![0.001..0.05_f32, Just(0.0_f32), Just(10.0_f32), Just(1e-7_f32),];
    let method = prop_oneof![
        4 => Just(Method::Conservative),
        1 => (0.0..1.0_f32, 0.0..1.0_f32).prop_map(|(alpha, beta)| Method::PaperExact { alpha, beta }),
    ];
    let set = prop_oneof![
        Just(WeightSet::Simplex),
        Just(WeightSet::Affine),
        Just(WeightSet::NonNegative),
        (-1.0..1.0_f32, -1.0..1.0_f32).prop_map(|(low, high)| WeightSet::Box { low, high }),
    ];
    let body = (any::<u64>(), 1..40_usize, 0..20_usize, 0..4_usize, 0.0..6.0_f64);
    let matter = (hz.clone(), hz, 0.0..20.0_f32, any::<bool>(), method);
    (body, dt, matter, set, 0..4_usize, 0..3_u8).prop_map(
        |((seed, particles, regions, flatness, decades), dt, matter, set, examples, grouping)| {
            let (elastic_hz, example_hz, damping, implicit, method) = matter;
            let integrator = if implicit { Integrator::Implicit } else { Integrator::Symplectic };
            let material =
                Material { elastic_hz, example_hz, damping, density: 1.0, integrator, method };
            Case {
                seed,
                particles,
                regions,
                flatness,
                decades,
                dt,
                material,
                set,
                examples,
                grouping,
            }
        },
    )
}

/// Random particles, on a line or plane at times and some of them in one place, with random regions.
fn body(case: &Case) -> (Vec<Vec3>, Vec<f32>, Vec<Vec<u32>>) {
    let mut random = Random(case.seed);
    let squash = [DVec3::ONE, DVec3::new(1.0, 1.0, 0.0), DVec3::X, DVec3::new(1.0, 1e-4, 1e-2)];
    let rest = (0..case.particles)
        .map(|i| {
            if i % 11 == 10 {
                Vec3::ZERO
            } else {
                (random.vector() * squash[case.flatness]).as_vec3()
            }
        })
        .collect();
    let mass = (0..case.particles)
        .map(|_| 10.0_f64.powf(case.decades * (random.unit() - 0.5)) as f32)
        .collect();
    let regions = (0..case.regions)
        .map(|_| {
            let count = 1 + (random.unit() * 8.0) as usize;
            (0..count).map(|_| (random.unit() * case.particles as f64) as u32).collect()
        })
        .collect();
    (rest, mass, regions)
}

fn config(cases: u32) -> ProptestConfig {
    ProptestConfig {
        // The same cases in every run, so that a change is judged by what it changed.
        rng_seed: proptest::test_runner::RngSeed::Fixed(20_261_130),
        cases,
        failure_persistence: Some(Box::new(FileFailurePersistence::Off)),
        ..ProptestConfig::default()
    }
}

proptest! {
    #![proptest_config(config(300))]

    #[test]
    fn nothing_becomes_infinite(case in cases()) {
        let (rest, mass, regions) = body(&case);
        let shape = ElasticShape::from_regions(&rest, &mass, &regions).expect("regions name particles");
        let mut random = Random(case.seed ^ 1);
        let poses: Vec<ExamplePose> = (0..case.examples)
            .map(|k| {
                let positions =
                    rest.iter().map(|p| *p + random.vector().as_vec3() * 0.5).collect();
                ExamplePose::new(k.to_string(), positions)
            })
            .collect();
        let groups = match case.grouping {
            0 => Groups::Whole,
            1 => Groups::PerRegion,
            _ => Groups::by_position(&shape, &["left", "right"], |p| u32::from(p.x > 0.0)),
        };
        let basis = ExampleBasis::with_groups(&shape, &poses, &groups).expect("good examples");
        let mut rig = Rig::new(&shape, Some(&basis))
            .material(case.material)
            .control(Control::Project(case.set));
        let x: Vec<DVec3> = rest.iter().map(|p| p.as_dvec3() * 1.5 + random.vector()).collect();
        let v: Vec<DVec3> = rest.iter().map(|_| random.vector() * 5.0).collect();
        rig.put(&x, &v);
        let sphere = Collider {
            shape: ColliderShape::Sphere { radius: 0.5 },
            rotation: Quat::from_rotation_x(0.3),
            angular_velocity: Vec3::new(0.0, 3.0, 0.0),
            ..Collider::default()
        };
        let colliders = [Collider::plane(Vec3::NEG_Y, Vec3::Y), sphere];
        let input = StepInput { gravity: Vec3::NEG_Y * 9.81, colliders: &colliders, anchors: &[] };
        for _ in 0..12 {
            let report = rig.step(&input, case.dt);
            prop_assert!(!report.quarantined, "{report:?}");
            prop_assert!(rig.x().iter().all(|x| x.is_finite() && x.length() < 1e3), "{:?}", rig.x());
            prop_assert!(rig.v().iter().all(|v| v.is_finite()));
            prop_assert!(rig.state.weights().iter().all(|w| w.is_finite()));
        }
    }
}

proptest! {
    #![proptest_config(config(120))]

    #[test]
    fn damping_only_takes_energy(
        case in cases(),
        h in 0.001..0.05_f64,
        alpha in 0.001..1.0_f64,
        damping in 0.0..5.0_f64,
    ) {
        let (rest, mass, regions) = body(&case);
        let pair = given(&rest, &mass, &regions);
        // The reference counts particles without a region, or in a dropped one, as free.
        let mut model = pair.model.clone();
        for region in &mut model.regions {
            region.sort_unstable();
            region.dedup();
        }
        model.regions.retain(|region| region.len() > 1);
        model.group = vec![0; model.regions.len()];
        let material = material(h, alpha, 1.0, damping);
        let law = law(&material, WeightSet::Simplex, h, Vec3::ZERO);
        let mut rig = Rig::new(&pair.shape, None).material(material);
        let mut random = Random(case.seed ^ 2);
        let x: Vec<DVec3> = rest.iter().map(|p| p.as_dvec3() + random.vector() * 0.3).collect();
        let v: Vec<DVec3> = rest.iter().map(|_| random.vector()).collect();
        rig.put(&x, &v);
        let energy = |rig: &Rig<'_>| model.total_energy(&rig.x(), &rig.v(), &law);
        let start = energy(&rig);
        // Positions and velocities lie half a step apart. What a step keeps is Q = |u|² − α u·y + α|y|²
        // (T14), and |α u·y| ≤ (√α / 2) (|u|² + α|y|²), so that the plain energy may swing by this much.
        let swing = 0.5 * alpha.sqrt();
        let most = 1.1 * start * (1.0 + swing) / (1.0 - swing);
        for _ in 0..60 {
            rig.free(h as f32);
            let now = energy(&rig);
            prop_assert!(now < most, "{now} from {start}");
        }
    }
}
