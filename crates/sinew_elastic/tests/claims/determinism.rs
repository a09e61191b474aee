//! T40: the same bits for any number of threads, any instruction set, any build, and across save and load.

use glam::{DQuat, DVec3, Vec3};
use sinew_elastic::lattice::LatticeNodes;
use sinew_elastic::mesh::{SplitParity, TetMesh};
use sinew_elastic::{
    Body, BodyState, Collider, ColliderShape, Control, ElasticShape, ExampleBasis, ExamplePose,
    Executor, Groups, Integrator, Material, ScopedThreads, Scratch, Serial, SimdLevel, StepInput,
    WeightSet, step,
};

use crate::fixtures::{Rig, cuboid, rough};

const DT: f32 = 1.0 / 60.0;

/// Bodies above the size from which the kernel splits its work.
fn shapes() -> Vec<(&'static str, ElasticShape)> {
    let mut block = LatticeNodes::block([19, 16, 15], 0.05).expect("a good block");
    let mut shapes = Vec::new();
    for (name, width) in [("lattice of width 1", 1), ("lattice of width 3", 3)] {
        block.width = width;
        shapes.push((name, ElasticShape::from_lattice(&block).expect("a good lattice")));
    }
    let mesh =
        TetMesh::cuboid([15, 21, 15], Vec3::splat(0.05), SplitParity::Even).expect("a good box");
    shapes.push(("cells", ElasticShape::from_tets(&mesh.positions, &mesh.cells).expect("good")));
    // Large regions: all particles, and overlapping halves; small ones between.
    let rest: Vec<Vec3> = (0..4913)
        .map(|i| Vec3::new((i % 17) as f32, (i / 17 % 17) as f32, (i / 289) as f32) * 0.05)
        .collect();
    let mut regions = vec![(0..4913).collect(), (0..3000).collect(), (2000..4913).collect()];
    regions.extend((0..250).map(|k| (k * 19..k * 19 + 40).collect::<Vec<u32>>()));
    let large = ElasticShape::from_regions(&rest, &[0.001; 4913], &regions);
    shapes.push(("large regions", large.expect("good regions")));
    assert!(shapes.iter().all(|(_, shape)| shape.particle_count() > 4_000));
    shapes
}

fn basis(shape: &ElasticShape, groups: &Groups) -> ExampleBasis {
    // Polynomials only: library functions for sine and cosine differ between machines.
    let bend = |p: Vec3| Vec3::new(p.x + 0.5 * p.y * p.y, p.y * 0.9, p.z);
    let shear = |p: Vec3| Vec3::new(p.x, p.y, p.z + 0.4 * p.y);
    let squash = |p: Vec3| p * Vec3::new(1.125, 0.75, 1.125);
    let poses = [
        ExamplePose::from_fn("bend", shape, bend),
        ExamplePose::from_fn("shear", shape, shear),
        ExamplePose::from_fn("squash", shape, squash),
    ];
    ExampleBasis::with_groups(shape, &poses, groups).expect("good examples")
}

fn colliders() -> [Collider; 2] {
    [
        Collider::plane(Vec3::Y * -0.01, Vec3::Y),
        Collider {
            shape: ColliderShape::Sphere { radius: 0.3 },
            translation: Vec3::new(0.5, -0.1, 0.4),
            friction: 0.75,
            ..Collider::default()
        },
    ]
}

fn run<E: Executor>(body: &Body<'_>, simd: SimdLevel, executor: &E, ticks: usize) -> BodyState {
    let mut state = BodyState::at_rest(body.shape);
    for i in 0..body.shape.particle_count() {
        let p = body.shape.rest_position(i);
        state.set_velocity(body.shape, i, Vec3::new(p.y, -1.0 - p.x, 0.5 * p.x * p.z));
    }
    let mut scratch = Scratch::new(body.shape, body.examples).with_simd(simd);
    let colliders = colliders();
    let input = StepInput { gravity: Vec3::NEG_Y * 9.8125, colliders: &colliders, anchors: &[] };
    for _ in 0..ticks {
        step(body, &input, DT, &mut state, &mut scratch, executor);
    }
    state
}

/// FNV-1a over the bits of positions and velocities.
fn hash(shape: &ElasticShape, state: &BodyState) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    let mut add = |bits: u64| {
        for byte in bits.to_le_bytes() {
            hash = (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    };
    for i in 0..shape.particle_count() {
        for value in state.position(shape, i).to_array() {
            add(value.to_bits());
        }
        for value in state.velocity(shape, i).to_array() {
            add(u64::from(value.to_bits()));
        }
    }
    hash
}

/// What the runs below must come to, on every machine of this kind and in every build.
const GOLDEN: [u64; 4] =
    [0x7ac2_948f_f398_72d9, 0xe776_aeb7_6c28_8f60, 0x0ffc_9eb9_270e_78c4, 0x0234_8bce_faab_9a7d];

#[test]
fn threads_and_instruction_sets_and_builds_give_the_same_bits() {
    let mut hashes = Vec::new();
    for (name, shape) in &shapes() {
        let groups = [
            Groups::Whole,
            Groups::by_position(shape, &["low", "high"], |p| u32::from(p.y > 0.3)),
            Groups::PerRegion,
        ];
        for (i, groups) in groups.iter().enumerate() {
            let basis = basis(shape, groups);
            let body = Body::new(shape)
                .with_examples(&basis)
                .with_control(Control::Project(WeightSet::Simplex));
            // Regions with weights of their own take longest, and one tick shows as much.
            let ticks = if i == 2 { 2 } else { 6 };
            let wanted = run(&body, SimdLevel::Best, &Serial, ticks);
            for threads in [1, 2, 8] {
                let found = run(&body, SimdLevel::Best, &ScopedThreads(threads), ticks);
                assert_eq!(found, wanted, "{name}: {threads} threads, {groups:.20?}");
            }
            let found = run(&body, SimdLevel::Baseline, &ScopedThreads(2), ticks);
            assert_eq!(found, wanted, "{name}: baseline instructions");
            if i == 0 {
                hashes.push(hash(shape, &wanted));
            }
        }
        let plain = Body::new(shape)
            .with_material(Material { integrator: Integrator::Implicit, ..Material::default() });
        let wanted = run(&plain, SimdLevel::Best, &Serial, 3);
        for threads in [2, 8] {
            assert_eq!(run(&plain, SimdLevel::Best, &ScopedThreads(threads), 3), wanted, "{name}");
        }
        assert_eq!(run(&plain, SimdLevel::Baseline, &Serial, 3), wanted, "{name}");
    }
    if cfg!(all(target_arch = "x86_64", target_os = "linux")) {
        assert_eq!(hashes, GOLDEN, "{hashes:#018x?}");
    }
}

#[test]
fn a_saved_body_goes_on_as_if_nothing_had_happened() {
    let pair = cuboid();
    let basis = basis(&pair.shape, &Groups::Whole);
    let mut rig = Rig::new(&pair.shape, Some(&basis));
    let x = rough(&pair, 3, 0.2, 1.2);
    let v: Vec<DVec3> = x.iter().map(|x| DVec3::new(1.0, 2.0, 3.0).cross(*x)).collect();
    rig.put(&x, &v);
    let colliders = [Collider::plane(Vec3::Y * -0.6, Vec3::Y)];
    let input = StepInput { gravity: Vec3::NEG_Y * 9.81, colliders: &colliders, anchors: &[] };
    for _ in 0..40 {
        rig.step(&input, DT);
    }
    let saved = rig.state.clone();
    let mut states = Vec::new();
    for _ in 0..100 {
        rig.step(&input, DT);
        states.push(rig.state.clone());
    }
    // Continued with scratch memory that has seen other things.
    let mut other = Rig::new(&pair.shape, Some(&basis));
    for _ in 0..7 {
        other.free(DT);
    }
    other.state = saved;
    for wanted in &states {
        other.step(&input, DT);
        assert_eq!(other.state, *wanted);
    }
}

#[test]
fn particles_keep_their_numbers() {
    let pair = cuboid();
    let mut state = BodyState::placed(&pair.shape, DVec3::X, DQuat::IDENTITY.as_quat());
    for i in 0..pair.rest().len() {
        let wanted = pair.rest()[i] + DVec3::X;
        assert!(state.position(&pair.shape, i).distance(wanted) < 1e-6);
        assert!(pair.shape.rest_position(i).as_dvec3().distance(pair.rest()[i]) < 1e-6);
        state.set_velocity(&pair.shape, i, Vec3::splat(i as f32));
    }
    for i in 0..pair.rest().len() {
        assert_eq!(state.velocity(&pair.shape, i), Vec3::splat(i as f32));
    }
}
