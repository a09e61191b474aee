//! Contacts: bodies rest on things, bounce no higher than they fell, and push back as hard as they are pushed.

use glam::{DVec3, Quat, Vec3};
use sinew_elastic::{Collider, ColliderShape, Material, StepInput, WeightSet};

use crate::fixtures::{Pair, Rig, block_nodes, cuboid, lattice, law, material};

const DT: f32 = 1.0 / 60.0;
const GRAVITY: Vec3 = Vec3::new(0.0, -9.81, 0.0);

fn floor(y: f32) -> Collider {
    Collider::plane(Vec3::Y * y, Vec3::Y)
}

#[test]
fn a_box_on_a_floor_comes_to_rest_and_sleeps() {
    for pair in [cuboid(), lattice(&block_nodes([5, 6, 5]), 0.1, 1)] {
        let lowest = pair.rest().iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
        let colliders = [floor(lowest as f32 - 0.3)];
        let input = StepInput { gravity: GRAVITY, colliders: &colliders, anchors: &[] };
        let mut rig = Rig::new(&pair.shape, None).material(Material {
            elastic_hz: 30.0,
            damping: 6.0,
            ..Material::default()
        });
        rig.body.sleep.enabled = true;
        let mut slept = None;
        for tick in 0..480 {
            let report = rig.step(&input, DT);
            if report.fell_asleep {
                slept = Some(tick);
            }
        }
        assert!(slept.is_some() && rig.state.is_asleep());
        let deepest = rig.x().iter().map(|x| lowest - 0.3 - x.y).fold(f64::NEG_INFINITY, f64::max);
        assert!(deepest < 0.02 * f64::from(pair.shape.spacing()), "{deepest}");
        assert!(rig.v().iter().all(|v| *v == DVec3::ZERO));
        // A sleeping body does not move; woken, it stays where it was.
        let asleep = rig.x();
        assert_eq!(rig.step(&input, DT).substeps, 0);
        assert_eq!(rig.x(), asleep);
        rig.state.wake();
        for _ in 0..60 {
            rig.step(&input, DT);
        }
        let moved = crate::fixtures::worst_distance(&asleep, &rig.x());
        assert!(moved < 5e-3 * f64::from(pair.shape.size()), "{moved}");
    }
}

/// The greatest energy after the first touch, as a share of the energy at the start, of a body that falls on a
/// floor and keeps its strain energy in the elastic law.
fn drop_energy(pair: &Pair, restitution: f32, friction: f32, damping: f64) -> (f64, f64) {
    let h = 1.0 / 300.0;
    let material = material(h, 0.05, 1.0, damping);
    let law = law(&material, WeightSet::Simplex, h, GRAVITY);
    let lowest = pair.rest().iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    let collider = Collider { restitution, friction, ..floor(lowest as f32 - 0.5) };
    let colliders = [collider];
    let input = StepInput { gravity: GRAVITY, colliders: &colliders, anchors: &[] };
    let mut rig = Rig::new(&pair.shape, None).material(material);
    let v: Vec<DVec3> = pair.rest().iter().map(|_| DVec3::X).collect();
    rig.put(pair.rest(), &v);
    let mass: f64 = pair.model.mass.iter().sum();
    let ground = pair.model.center(pair.rest()).y - 0.5;
    let energy = |rig: &Rig<'_>| {
        let height = pair.model.center(&rig.x()).y - ground;
        pair.model.total_energy(&rig.x(), &rig.v(), &law) + mass * 9.81 * height
    };
    let start = energy(&rig);
    let mut highest = 0.0_f64;
    for tick in 0..900 {
        rig.step(&input, h as f32);
        if tick % 3 == 0 {
            highest = highest.max(energy(&rig) / start);
        }
    }
    (highest, energy(&rig) / start)
}

#[test]
fn contact_never_adds_energy() {
    let pair = lattice(&block_nodes([4, 5, 4]), 0.1, 1);
    for (restitution, friction) in [(0.0, 0.0), (0.0, 0.8), (0.5, 0.5), (1.0, 0.0)] {
        for damping in [0.0, 2.0] {
            let (highest, _) = drop_energy(&pair, restitution, friction, damping);
            assert!(
                highest < 1.01,
                "restitution {restitution}, friction {friction}, damping {damping}: {highest}"
            );
        }
    }
}

#[test]
fn reactions_are_what_the_body_lost() {
    let pair = cuboid();
    let density = 250.0;
    let mass = pair.model.mass.iter().sum::<f64>() * density;
    let material = Material { density: density as f32, damping: 1.0, ..Material::default() };
    let turn = Quat::from_rotation_z(0.3) * Quat::from_rotation_x(0.2);
    let colliders = [
        Collider { friction: 0.4, ..Collider::plane(Vec3::Y * -0.55, Vec3::new(0.2, 1.0, 0.1)) },
        Collider {
            shape: ColliderShape::Sphere { radius: 0.4 },
            translation: Vec3::new(0.5, 0.1, 0.0),
            linear_velocity: Vec3::new(-1.0, 0.0, 0.0),
            restitution: 0.3,
            ..Collider::default()
        },
        Collider {
            shape: ColliderShape::Box { half_extents: Vec3::new(0.2, 0.3, 0.4) },
            translation: Vec3::new(-0.4, -0.1, 0.0),
            rotation: turn,
            angular_velocity: Vec3::new(0.0, 2.0, -1.0),
            ..Collider::default()
        },
        Collider {
            shape: ColliderShape::Capsule { half_height: 0.3, radius: 0.1 },
            translation: Vec3::new(0.0, 0.5, 0.2),
            rotation: turn,
            ..Collider::default()
        },
    ];
    let mut rig = Rig::new(&pair.shape, None).material(material);
    let input = StepInput { gravity: GRAVITY, colliders: &colliders, anchors: &[] };
    let mut touched = [false; 4];
    for _ in 0..30 {
        let before = pair.model.momentum(&rig.v()) * density;
        let report = rig.step(&input, DT);
        let after = pair.model.momentum(&rig.v()) * density;
        let weight = GRAVITY.as_dvec3() * (mass * f64::from(DT));
        let given: DVec3 = rig.scratch.reactions().iter().map(|r| r.impulse.as_dvec3()).sum();
        let all: f64 = rig.scratch.reactions().iter().map(|r| r.impulse.as_dvec3().length()).sum();
        let missing = after - before - weight + given;
        let scale = all + weight.length() + before.length();
        assert!(missing.length() < 1e-5 * scale, "{missing} of {scale}");
        assert_eq!(rig.scratch.reactions().len(), colliders.len());
        for (touched, reaction) in touched.iter_mut().zip(rig.scratch.reactions()) {
            *touched |= reaction.points > 0;
            assert!(reaction.impulse.is_finite() && reaction.angular_impulse.is_finite());
            assert!((reaction.points > 0) == (reaction.normal != Vec3::ZERO));
        }
        assert!(report.substeps > 0);
    }
    assert_eq!(touched, [true; 4]);
}

#[test]
fn the_turning_reaction_is_about_the_colliders_origin() {
    // One free particle lands on a plane whose origin is two metres away: the moment is arm × impulse.
    let pair = crate::fixtures::given(&[Vec3::new(2.0, 0.001, 0.0)], &[3.0], &[]);
    let mut rig =
        Rig::new(&pair.shape, None).material(Material { density: 1.0, ..Material::default() });
    rig.state.set_velocity(&pair.shape, 0, Vec3::new(0.0, -1.0, 0.0));
    let colliders = [Collider { friction: 0.0, ..floor(0.0) }];
    rig.step(&StepInput { colliders: &colliders, ..StepInput::default() }, DT);
    let reaction = rig.scratch.reactions()[0];
    assert!((reaction.impulse - Vec3::new(0.0, -3.0, 0.0)).length() < 1e-5, "{reaction:?}");
    assert!((reaction.angular_impulse - Vec3::new(0.0, 0.0, -6.0)).length() < 0.02);
    assert!((reaction.normal - Vec3::Y).length() < 1e-6);
    assert_eq!(reaction.points, 1);
    assert_eq!(rig.v()[0], DVec3::ZERO);
}

#[test]
fn friction_holds_on_a_gentle_slope_and_not_on_a_steep_one() {
    // Coulomb: a body at rest stays where tan(slope) is below the coefficient.
    let pair = lattice(&block_nodes([5, 3, 5]), 0.1, 1);
    for (slope, holds) in [(0.2_f32, true), (0.7, false)] {
        let turn = Quat::from_rotation_z(slope);
        let plane = Collider { rotation: turn, friction: 0.5, ..floor(0.0) };
        let mut rig = Rig::new(&pair.shape, None).material(Material {
            elastic_hz: 15.0,
            damping: 5.0,
            ..Material::default()
        });
        rig.state = sinew_elastic::BodyState::placed(&pair.shape, DVec3::ZERO, turn);
        let start = pair.model.center(&rig.x());
        let colliders = [plane];
        let input = StepInput { gravity: GRAVITY, colliders: &colliders, anchors: &[] };
        for _ in 0..120 {
            rig.step(&input, DT);
        }
        let slid = (pair.model.center(&rig.x()) - start).length();
        // Without friction it would slide g sin(slope) t²/2 = 3.9 m and 12.6 m; with it, 0 and 4.4 m.
        let wanted = 9.81 * (f64::from(slope).sin() - 0.5 * f64::from(slope).cos()).max(0.0) * 2.0;
        if holds {
            assert!(slid < 0.05, "{slid}");
        } else {
            assert!((slid / wanted - 1.0).abs() < 0.15, "{slid}, not {wanted}");
        }
    }
}

#[test]
fn particles_inside_a_collider_leave_it_and_launch_nothing() {
    // SB-45, on a floor and on a box's edge.
    let nodes: Vec<glam::IVec3> = block_nodes([9, 7, 5])
        .into_iter()
        .filter(|n| (n.x == 4 || n.x == 5) || (2..4).contains(&n.y) || n.z == 2)
        .collect();
    let pair = lattice(&nodes, 0.1, 1);
    let size = f64::from(pair.shape.size());
    let edge = Collider {
        shape: ColliderShape::Box { half_extents: Vec3::new(0.5, 0.5, 2.0) },
        translation: Vec3::new(0.4, -1.2, 0.2),
        rotation: Quat::from_rotation_z(std::f32::consts::FRAC_PI_4),
        friction: 1.0,
        ..Collider::default()
    };
    let ground = floor(-1.4);
    for colliders in [vec![floor(-0.5)], vec![edge, ground]] {
        let mut rig = Rig::new(&pair.shape, None).material(Material {
            elastic_hz: 10.0,
            damping: 5.0,
            ..Material::default()
        });
        let input = StepInput { gravity: GRAVITY, colliders: &colliders, anchors: &[] };
        let deepest = |rig: &Rig<'_>| {
            let depth = |x: DVec3, c: &Collider| {
                c.penetration(x.as_vec3() - c.translation)
                    .map_or(0.0, |(depth, _)| f64::from(depth))
            };
            rig.x()
                .iter()
                .flat_map(|&x| colliders.iter().map(move |c| depth(x, c)))
                .fold(0.0, f64::max)
        };
        for _ in 0..180 {
            rig.step(&input, DT);
        }
        assert!(deepest(&rig) < 0.01 * size, "{}", deepest(&rig));
        let height = pair.model.center(&rig.x()).y;
        for i in 0..5 {
            let x = rig.x()[i];
            rig.state.set_position(&pair.shape, i, x - DVec3::Y * 0.3);
        }
        let mut highest = height;
        for _ in 0..60 {
            rig.step(&input, DT);
            highest = highest.max(pair.model.center(&rig.x()).y);
        }
        assert!(deepest(&rig) < 0.01 * size, "{}", deepest(&rig));
        assert!(highest < height + 0.1 * size, "{highest} from {height}");
    }
}

#[test]
fn invalid_colliders_are_passed_over() {
    let pair = cuboid();
    let bad = [
        Collider { translation: Vec3::NAN, ..floor(0.0) },
        Collider { rotation: Quat::from_xyzw(0.0, 0.0, 0.0, 0.0), ..floor(0.0) },
        Collider { shape: ColliderShape::Sphere { radius: -1.0 }, ..floor(0.0) },
        Collider { shape: ColliderShape::Sphere { radius: f32::INFINITY }, ..floor(0.0) },
        Collider { linear_velocity: Vec3::INFINITY, ..floor(0.0) },
        Collider { friction: f32::NAN, ..floor(0.0) },
    ];
    let mut rig = Rig::new(&pair.shape, None);
    let mut other = Rig::new(&pair.shape, None);
    for _ in 0..10 {
        rig.step(&StepInput { gravity: GRAVITY, colliders: &bad, anchors: &[] }, DT);
        other.step(&StepInput { gravity: GRAVITY, ..StepInput::default() }, DT);
    }
    assert_eq!(rig.x(), other.x());
    assert!(rig.scratch.reactions().iter().all(|r| *r == Default::default()));
}

#[test]
fn a_floor_of_tiles_is_a_floor() {
    // The body lies across the joint of tiles: 1, 2 or 4 of them must make no difference.
    let pair = lattice(&block_nodes([6, 5, 6]), 0.1, 1);
    let lowest = pair.rest().iter().map(|p| p.y).fold(f64::INFINITY, f64::min) as f32;
    let center = pair.shape.center();
    let tile = |x: f32, z: f32, width: f32, depth: f32| Collider {
        shape: ColliderShape::Box { half_extents: Vec3::new(width, 0.5, depth) },
        translation: Vec3::new(center.x + x, lowest - 0.55, center.z + z),
        friction: 0.8,
        ..Collider::default()
    };
    let floors = [
        vec![tile(0.0, 0.0, 2.0, 2.0)],
        vec![tile(-1.0, 0.0, 1.0, 2.0), tile(1.0, 0.0, 1.0, 2.0)],
        vec![
            tile(-1.0, -1.0, 1.0, 1.0),
            tile(1.0, -1.0, 1.0, 1.0),
            tile(-1.0, 1.0, 1.0, 1.0),
            tile(1.0, 1.0, 1.0, 1.0),
        ],
    ];
    let mut paths = Vec::new();
    for colliders in &floors {
        let material = Material { damping: 5.0, ..Material::default() };
        let mut rig = Rig::new(&pair.shape, None).material(material);
        let drift = vec![DVec3::new(0.3, 0.0, 0.1); pair.shape.particle_count()];
        rig.put(pair.rest(), &drift);
        let input = StepInput { gravity: GRAVITY, colliders, anchors: &[] };
        for _ in 0..45 {
            rig.step(&input, DT);
        }
        paths.push(rig.x());
    }
    for path in &paths[1..] {
        let apart = crate::fixtures::worst_distance(&paths[0], path);
        assert!(apart < 1e-3, "{apart}");
    }
}
