//! T4, SB-09, SB-12, SB-14, SB-31: rest, sleep, and what must not change with step, place or scale.

use glam::{DVec3, Vec3};
use sinew_elastic::mesh::TetMesh;
use sinew_elastic::{BodyState, Collider, ColliderShape, Control, Material, StepInput, WeightSet};

use crate::fixtures::{
    Pair, Rig, block_nodes, cuboid, lattice, material, prong_nodes, tets, twist, worst_distance,
};

const DT: f32 = 1.0 / 60.0;
const GRAVITY: Vec3 = Vec3::new(0.0, -9.81, 0.0);

#[test]
fn a_body_at_rest_stays_there_and_sleeps_in_half_a_second() {
    // T4.
    for pair in
        [cuboid(), lattice(&block_nodes([6, 5, 7]), 0.1, 1), lattice(&prong_nodes(), 0.1, 2)]
    {
        let basis = pair.basis(&[&twist(1.5)]);
        for examples in [None, Some(&basis)] {
            let mut rig =
                Rig::new(&pair.shape, examples).control(Control::Project(WeightSet::Simplex));
            for _ in 0..1_000 {
                rig.free(DT);
            }
            let moved = worst_distance(&rig.x(), pair.rest());
            assert!(moved < 1e-3 * f64::from(pair.shape.size()), "{moved:e}");
            rig.state = BodyState::at_rest(&pair.shape);
            rig.body.sleep.enabled = true;
            let asleep = (1..=60).find(|_| rig.free(DT).fell_asleep);
            // 30 ticks of 1/60 s in single precision may lack a bit of half a second.
            assert!(asleep.is_some_and(|tick| tick <= 31), "{asleep:?}");
            assert!(worst_distance(&rig.x(), pair.rest()) < 1e-6);
        }
    }
}

#[test]
fn motion_keeps_a_body_awake() {
    let pair = cuboid();
    let mut rig = Rig::new(&pair.shape, None);
    rig.body.sleep.enabled = true;
    for i in 0..225 {
        rig.state.set_velocity(&pair.shape, i, Vec3::X * 0.1);
    }
    for _ in 0..120 {
        rig.free(DT);
    }
    assert!(!rig.state.is_asleep());
    // The top of a throw is no rest.
    for i in 0..225 {
        rig.state.set_velocity(&pair.shape, i, Vec3::Y * 5.0);
    }
    for _ in 0..60 {
        rig.step(&StepInput { gravity: GRAVITY, ..StepInput::default() }, DT);
        assert!(!rig.state.is_asleep());
    }
}

fn ball() -> Pair {
    tets(&TetMesh::sphere(0.5, 3).expect("a good ball"))
}

fn supports() -> Vec<(&'static str, Vec<Collider>)> {
    // The case names two spheres; a ball on two points rolls off sideways, in nature too, so these are rods.
    let rod = |x: f32| Collider {
        shape: ColliderShape::Capsule { half_height: 1.0, radius: 0.4 },
        translation: Vec3::new(x, -0.9, 0.0),
        rotation: glam::Quat::from_rotation_x(std::f32::consts::FRAC_PI_2),
        ..Collider::default()
    };
    vec![
        ("floor", vec![Collider::plane(Vec3::Y * -0.6, Vec3::Y)]),
        (
            "groove",
            vec![
                Collider::plane(Vec3::Y * -0.8, Vec3::new(1.0, 1.0, 0.0)),
                Collider::plane(Vec3::Y * -0.8, Vec3::new(-1.0, 1.0, 0.0)),
            ],
        ),
        ("two rods", vec![rod(-0.35), rod(0.35)]),
    ]
}

#[test]
fn a_ball_comes_to_rest_on_anything() {
    // SB-09.
    let pair = ball();
    let size = f64::from(pair.shape.size());
    for alpha in [0.5, 0.9, 1.0] {
        for (name, colliders) in supports() {
            let mut rig = Rig::new(&pair.shape, None).material(material(
                f64::from(DT) / 4.0,
                alpha,
                1.0,
                6.0,
            ));
            rig.body.sleep.enabled = true;
            let input = StepInput { gravity: GRAVITY, colliders: &colliders, anchors: &[] };
            let mut before = Vec::new();
            let mut slept = 0;
            for tick in 0..480 {
                if tick == 420 {
                    before = rig.x();
                }
                slept += u32::from(rig.step(&input, DT).fell_asleep);
            }
            let moved = (before.iter().zip(rig.x()))
                .map(|(a, b)| a.distance_squared(b) / before.len() as f64)
                .sum::<f64>()
                .sqrt();
            assert!(moved < 1e-4 * size, "{name}, alpha {alpha}: {moved:e}");
            assert!(rig.state.is_asleep() && slept == 1, "{name}, alpha {alpha}");
            // Colliders in another order.
            let swapped: Vec<Collider> = colliders.iter().rev().copied().collect();
            let mut other = Rig::new(&pair.shape, None).material(rig.body.material);
            other.body.sleep.enabled = true;
            let input = StepInput { colliders: &swapped, ..input };
            for _ in 0..480 {
                other.step(&input, DT);
            }
            let apart = worst_distance(&rig.x(), &other.x());
            assert!(apart < 0.01 * size, "{name}, alpha {alpha}: {apart}");
        }
    }
}

/// Highest point of the centre after the first bounce, above where it is when it touches, and whether it was finite.
fn rebound(pair: &Pair, dt: f64) -> f64 {
    let mut rig = Rig::new(&pair.shape, None).material(Material {
        elastic_hz: 5.0,
        damping: 3.0,
        ..Material::default()
    });
    let lowest = pair.rest().iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    let colliders = [Collider::plane(Vec3::Y * (lowest as f32 - 1.0), Vec3::Y)];
    let input = StepInput { gravity: GRAVITY, colliders: &colliders, anchors: &[] };
    let contact = pair.model.center(pair.rest()).y - 1.0;
    let mut heights = Vec::new();
    for _ in 0..(1.6 / dt) as usize {
        assert!(!rig.step(&input, dt as f32).quarantined);
        heights.push(pair.model.center(&rig.x()).y - contact);
    }
    let lowest = (0..heights.len()).min_by(|&a, &b| heights[a].total_cmp(&heights[b])).unwrap_or(0);
    heights[lowest..].iter().copied().fold(f64::NEG_INFINITY, f64::max)
}

#[test]
fn smaller_steps_change_no_bounce() {
    // SB-12.
    let pair = lattice(&block_nodes([5, 5, 5]), 0.1, 1);
    let heights = [30.0, 60.0, 120.0, 480.0, 2_000.0].map(|rate| rebound(&pair, 1.0 / rate));
    let [_, sixty, _, fine, finest] = heights;
    // Heights above the place of first contact, against a fall of one metre.
    assert!((finest - fine).abs() < 0.05, "{heights:?}");
    for height in heights {
        assert!(height < sixty + 0.2, "{heights:?}");
        assert!(height < 1.0, "{heights:?}");
    }
}

#[test]
fn a_body_far_from_the_origin_behaves_alike() {
    // SB-14, up to 1e4 m; at 1e5 m colliders themselves are rounded to 8 mm.
    let pair = ball();
    let size = f64::from(pair.shape.size());
    let run = |at: DVec3| {
        let mut rig = Rig::new(&pair.shape, None);
        rig.state = BodyState::placed(&pair.shape, at, glam::Quat::IDENTITY);
        let colliders = [Collider::plane((at - DVec3::Y).as_vec3(), Vec3::Y)];
        let input = StepInput { gravity: GRAVITY, colliders: &colliders, anchors: &[] };
        for _ in 0..480 {
            rig.step(&input, DT);
        }
        let x = rig.x();
        let center = pair.model.center(&x);
        x.iter().map(|x| *x - center).collect::<Vec<_>>()
    };
    let home = run(DVec3::ZERO);
    for (at, limit) in [
        (DVec3::new(100.0, 26.0, -100.0), 1e-3),
        (DVec3::new(1e3, -1e3, 1e3), 1e-3),
        (DVec3::new(1e4, 1e4, -1e4), 1e-3),
        (DVec3::new(1e5, 1e5, 1e5), 0.05),
    ] {
        let away = run(at);
        let apart = (home.iter().zip(&away))
            .map(|(a, b)| a.distance_squared(*b) / home.len() as f64)
            .sum::<f64>()
            .sqrt();
        assert!(apart < limit * size, "{at}: {apart:e}");
    }
}

#[test]
fn scale_changes_nothing() {
    // SB-31: lengths and gravity by one factor, from a thousandth to a thousand.
    let mut wanted: Option<Vec<Vec<DVec3>>> = None;
    for scale in [1.0_f32, 1e-3, 1e-2, 1e2, 1e3] {
        let pair = lattice(&block_nodes([4, 5, 4]), 0.1 * scale, 1);
        let basis = pair.basis(&[&twist(1.5 / f64::from(scale))]);
        let mut rig = Rig::new(&pair.shape, Some(&basis)).material(Material {
            elastic_hz: 8.0,
            damping: 3.0,
            ..Material::default()
        });
        rig.body.sleep.enabled = true;
        let sphere = Collider {
            shape: ColliderShape::Sphere { radius: 0.2 * scale },
            translation: Vec3::new(0.1, -0.6, 0.15) * scale,
            ..Collider::default()
        };
        let colliders = [Collider::plane(Vec3::Y * (-0.5 * scale), Vec3::Y), sphere];
        let input = StepInput { gravity: GRAVITY * scale, colliders: &colliders, anchors: &[] };
        let mut track = Vec::new();
        for tick in 0..120 {
            rig.step(&input, DT);
            if tick % 20 == 19 {
                let x = rig.x();
                track.push(x.iter().map(|x| *x / f64::from(scale)).collect());
                let size = f64::from(pair.shape.size());
                let depth = rig
                    .x()
                    .iter()
                    .map(|x| f64::from(-0.5 * scale) - x.y)
                    .fold(f64::NEG_INFINITY, f64::max);
                assert!(depth < 0.02 * size, "scale {scale}: {depth}");
            }
        }
        let wanted: &Vec<Vec<DVec3>> = wanted.get_or_insert(track.clone());
        for (a, b) in wanted.iter().zip(&track) {
            assert!(worst_distance(a, b) < 0.03 * 0.66, "scale {scale}");
        }
    }
}
