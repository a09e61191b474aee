//! T11, T12, T38, T39, SB-08, SB-36: free flight keeps energy and momentum.

use glam::{DQuat, DVec3, Quat, Vec3};
use sinew_elastic::{Anchor, BodyState, ExampleBasis, Integrator, Material, StepInput, WeightSet};

use crate::fixtures::{
    Pair, Random, Rig, cuboid, law, material, paper, rough, twist, worst_distance,
};

const H: f64 = 1.0 / 300.0;
/// A speed at which particles hardly leave their places, in m/s.
const SLOW: f64 = 1e-5;

fn thrown<'a>(pair: &'a Pair, basis: Option<&'a ExampleBasis>, material: Material) -> Rig<'a> {
    let mut rig = Rig::new(&pair.shape, basis).material(material);
    let x = rough(pair, 21, 0.15, f64::from(pair.shape.size()));
    let v: Vec<DVec3> = x
        .iter()
        .map(|&x| DVec3::new(2.0, 5.0, -3.0).cross(x) + DVec3::new(0.3, 0.0, 0.1))
        .collect();
    rig.put(&x, &v);
    rig
}

/// Least and greatest energy, relative to the first, and the change of angular momentum, in a flight.
fn flight(alpha: f64, beta: f64, with_example: bool, steps: usize) -> (f64, f64, f64) {
    let mut pair = cuboid();
    let basis = with_example.then(|| pair.examples(&[&twist(1.5)]));
    let material = material(H, alpha, beta, 0.0);
    let law = law(&material, WeightSet::Simplex, H, Vec3::ZERO);
    let mut rig = thrown(&pair, basis.as_ref(), material);
    let energy = |rig: &Rig<'_>| pair.model.total_energy(&rig.x(), &rig.v(), &law);
    let spin = |rig: &Rig<'_>| pair.model.angular_momentum(&rig.x(), &rig.v());
    let (start, spin_start) = (energy(&rig), spin(&rig));
    let (mut low, mut high, mut turned) = (1.0_f64, 1.0_f64, 0.0_f64);
    for tick in 1..=steps {
        rig.free(H as f32);
        if tick % 61 == 0 || tick == steps {
            let share = energy(&rig) / start;
            (low, high) = (low.min(share), high.max(share));
            turned = turned.max((spin(&rig) - spin_start).length() / spin_start.length());
        }
    }
    (low, high, turned)
}

#[test]
fn free_flight_keeps_energy_and_angular_momentum() {
    // T11.
    for with_example in [false, true] {
        let (low, high, turned) = flight(0.1, 1.0, with_example, 4_000);
        assert!(low > 0.99 && high < 1.01, "energy between {low} and {high}");
        // Rounding of v and x is left: 4,000 steps of 6e-8, partly cancelling.
        assert!(turned < 2e-6, "angular momentum changed by {turned:e}");
    }
}

#[test]
fn the_return_to_rest_keeps_energy_too() {
    let (low, high, turned) = flight(0.1, 0.99, true, 2_000);
    assert!(low > 0.99 && high < 1.01, "energy between {low} and {high}");
    assert!(turned < 2e-6, "angular momentum changed by {turned:e}");
}

#[test]
fn even_the_stiffest_body_keeps_its_energy_bounded() {
    // T12.
    let (low, high, _) = flight(1.0, 1.0, true, 4_000);
    assert!(low > 0.95 && high < 1.05, "energy between {low} and {high}");
}

#[test]
fn the_published_rotation_gains_energy() {
    // T11: the documented contrast.
    let mut pair = cuboid();
    let basis = pair.examples(&[&twist(1.5)]);
    let mut rig = thrown(&pair, Some(&basis), paper(0.1, 1.0));
    let start = pair.model.kinetic_energy(&rig.v());
    for _ in 0..4_000 {
        rig.free(H as f32);
    }
    let end = pair.model.kinetic_energy(&rig.v());
    assert!(end > 10.0 * start, "{start} to {end}");
}

#[test]
fn damping_does_not_depend_on_the_step() {
    // T38. Speeds are so small that nothing moves far, and there is no pull.
    let pair = cuboid();
    let mut random = Random(3);
    let spin = DVec3::new(1.0, 2.0, -1.0);
    let v: Vec<DVec3> =
        pair.rest().iter().map(|x| (spin.cross(*x) + DVec3::X + random.vector()) * SLOW).collect();
    let rate = 3.0_f64;
    let free = Material { elastic_hz: 0.0, damping: rate as f32, ..Material::default() };
    let unrigid = |x: &[DVec3], v: &[DVec3]| {
        let rigid = pair.model.rigid_velocities(x, v);
        v.iter().zip(rigid).map(|(v, r)| *v - r).collect::<Vec<_>>()
    };
    for steps in [15, 30, 120, 480] {
        let mut rig = Rig::new(&pair.shape, None).material(free);
        rig.put(pair.rest(), &v);
        let start = unrigid(&rig.x(), &rig.v());
        let rigid = pair.model.rigid_velocities(&rig.x(), &rig.v());
        for _ in 0..steps {
            rig.free(0.5 / steps as f32);
        }
        let decayed: Vec<DVec3> = start.iter().map(|v| *v * (-rate * 0.5).exp()).collect();
        let apart = worst_distance(&unrigid(&rig.x(), &rig.v()), &decayed) / SLOW;
        // The way that particles drift meanwhile changes the rigid motion by a share of 1e-5.
        assert!(apart < 1e-4, "{steps} steps: {apart:e}");
        let rigid_now = pair.model.rigid_velocities(&rig.x(), &rig.v());
        let apart = worst_distance(&rigid, &rigid_now) / SLOW;
        assert!(apart < 1e-4, "{steps} steps: {apart:e}");
    }
}

#[test]
fn damping_keeps_momentum_and_rigid_motion() {
    // T38.
    let pair = cuboid();
    let mut rig = thrown(&pair, None, material(H, 0.1, 1.0, 9.0));
    let momentum = pair.model.momentum(&rig.v());
    let spin = pair.model.angular_momentum(&rig.x(), &rig.v());
    for _ in 0..1_500 {
        rig.free(H as f32);
    }
    let speeds: f64 = rig.v().iter().zip(&pair.model.mass).map(|(v, m)| v.length() * m).sum();
    let drift = (pair.model.momentum(&rig.v()) - momentum).length() / speeds;
    let now = pair.model.angular_momentum(&rig.x(), &rig.v());
    let turned = (now - spin).length() / spin.length();
    assert!(drift < 2e-6 && turned < 1e-5, "{drift:e} {turned:e}");
}

#[test]
fn bodies_fall_as_stones_do() {
    // T39: y_n = y_0 − g h² n (n + 1) / 2.
    let pair = cuboid();
    for damping in [0.0, 5.0] {
        let material = material(H, 0.2, 1.0, damping);
        let mut rig = Rig::new(&pair.shape, None).material(material);
        let gravity = Vec3::new(0.0, -9.81, 1.0);
        let input = StepInput { gravity, ..StepInput::default() };
        let start = pair.model.center(&rig.x());
        for n in 1..=600_u32 {
            rig.step(&input, H as f32);
            let h = f64::from(H as f32);
            let fallen = gravity.as_dvec3() * (h * h * f64::from(n * (n + 1)) / 2.0);
            let center = pair.model.center(&rig.x());
            let off = (center - start - fallen).length();
            assert!(off < 1e-5 * fallen.length().max(1.0), "step {n}: {off:e}");
        }
        // Rounding: positions up to two sizes from the origin (ulp 2e-7) on a spacing of 0.125, 600 times.
        assert!(pair.model.worst_strain(&rig.x()) < 1e-4);
    }
}

#[test]
fn a_turned_body_vibrates_alike() {
    // SB-36: 32 rotations of the spawn pose, 300 steps without gravity.
    let mut pair = cuboid();
    let basis = pair.examples(&[&twist(1.5)]);
    let size = f64::from(pair.shape.size());
    let material = material(H, 0.2, 0.99, 0.0);
    let law = law(&material, WeightSet::Simplex, H, Vec3::ZERO);
    let deformed = rough(&pair, 31, 0.2, size);
    let mut random = Random(32);
    let mut unturned: Option<Vec<DVec3>> = None;
    for case in 0..33 {
        let turn = if case == 0 { DQuat::IDENTITY } else { random.rotation() };
        let mut rig = Rig::new(&pair.shape, Some(&basis)).material(material);
        rig.state = BodyState::placed(&pair.shape, DVec3::ZERO, turn.as_quat());
        let x: Vec<DVec3> = deformed.iter().map(|&p| turn * p).collect();
        rig.put(&x, &vec![DVec3::ZERO; x.len()]);
        let start = pair.model.total_energy(&rig.x(), &rig.v(), &law);
        for tick in 1..=300 {
            rig.free(H as f32);
            if tick % 100 == 0 && case < 4 {
                let energy = pair.model.total_energy(&rig.x(), &rig.v(), &law);
                assert!(energy < 1.01 * start, "{energy} from {start}");
            }
        }
        let back: Vec<DVec3> = rig.x().iter().map(|&p| turn.inverse() * p).collect();
        let wanted = unturned.get_or_insert(back.clone());
        assert!(worst_distance(wanted, &back) < 1e-3 * size, "case {case}");
    }
}

#[test]
fn a_push_and_a_counterpush_leave_no_drift() {
    // SB-08, without a pin.
    let pair = cuboid();
    let size = f64::from(pair.shape.size());
    let mut rig = thrown(&pair, None, Material::default());
    let spin = pair.model.angular_momentum(&rig.x(), &rig.v());
    let momentum = pair.model.momentum(&rig.v());
    // A pair of impulses along the line between its two particles leaves both momenta alone.
    let (a, b) = (3, 180);
    for _ in 0..10 {
        let x = rig.x();
        let push = (x[a] - x[b]) * 1e-3;
        let v = rig.v();
        let va = v[a] + push / pair.model.mass[a];
        let vb = v[b] - push / pair.model.mass[b];
        rig.state.set_velocity(&pair.shape, a, va.as_vec3());
        rig.state.set_velocity(&pair.shape, b, vb.as_vec3());
        rig.free(1.0 / 60.0);
    }
    for _ in 0..600 {
        rig.free(1.0 / 60.0);
    }
    let momentum_now = pair.model.momentum(&rig.v());
    assert!((momentum_now - momentum).length() < 1e-3 * momentum.length());
    let spin_now = pair.model.angular_momentum(&rig.x(), &rig.v());
    assert!((spin_now - spin).length() < 1e-3 * spin.length(), "{size}");
}

#[test]
fn a_pinned_body_does_not_drift() {
    // SB-08, with a pin.
    let pair = cuboid();
    let size = f64::from(pair.shape.size());
    let mut rig = Rig::new(&pair.shape, None);
    let pin = 112;
    let anchor = Anchor { particle: pin as u32, position: pair.rest()[pin], velocity: Vec3::ZERO };
    let input = StepInput { anchors: &[anchor], ..StepInput::default() };
    let start = pair.model.center(&rig.x());
    let (a, b) = (3, 220);
    for tick in 0..600 {
        if tick < 10 {
            let push = (pair.rest()[a] - pair.rest()[b]) * 1e-4;
            let v = rig.v();
            let va = v[a] + push / pair.model.mass[a];
            let vb = v[b] - push / pair.model.mass[b];
            rig.state.set_velocity(&pair.shape, a, va.as_vec3());
            rig.state.set_velocity(&pair.shape, b, vb.as_vec3());
        }
        rig.step(&input, 1.0 / 60.0);
        assert!(rig.x()[pin].distance(pair.rest()[pin]) < 1e-6 * size);
    }
    let drift = pair.model.center(&rig.x()).distance(start);
    assert!(drift < 1e-3 * size, "{drift:e}");
}

#[test]
fn a_held_body_stops_swinging() {
    // A pendulum whose damping ratio is about 3 s⁻¹ / (2 × 5 s⁻¹): e^(−15) is left after ten seconds.
    let pair = cuboid();
    for integrator in [Integrator::Symplectic, Integrator::Implicit] {
        let material =
            Material { elastic_hz: 30.0, damping: 3.0, integrator, ..Material::default() };
        let mut rig = Rig::new(&pair.shape, None).material(material);
        // One end of the upper face.
        let top = pair.rest().iter().map(|p| p.y).fold(f64::NEG_INFINITY, f64::max);
        let held: Vec<usize> = (0..225).filter(|&i| pair.rest()[i].y > top - 1e-6).collect();
        let anchors: Vec<Anchor> = held[..2]
            .iter()
            .map(|&i| Anchor { particle: i as u32, position: pair.rest()[i], velocity: Vec3::ZERO })
            .collect();
        let input =
            StepInput { gravity: Vec3::NEG_Y * 9.81, anchors: &anchors, ..StepInput::default() };
        let fastest = |rig: &Rig<'_>| rig.v().iter().map(|v| v.length()).fold(0.0, f64::max);
        for _ in 0..20 {
            rig.step(&input, 1.0 / 60.0);
        }
        let swinging = fastest(&rig);
        for _ in 0..600 {
            rig.step(&input, 1.0 / 60.0);
        }
        let left = fastest(&rig);
        assert!(swinging > 0.5 && left < 0.02, "{integrator:?}: {swinging} {left}");
    }
}

#[test]
fn what_holds_a_body_may_turn_it_without_a_brake() {
    // Anchors that turn about an axis: damping spares that motion, whatever its rate.
    let pair = cuboid();
    let spin = DVec3::new(0.0, 2.0, 0.0);
    let center = pair.model.center(pair.rest());
    let at = |p: DVec3, t: f64| center + DQuat::from_rotation_y(spin.y * t) * (p - center);
    let mut ends = Vec::new();
    for damping in [0.0, 8.0] {
        let material = Material { elastic_hz: 30.0, damping, ..Material::default() };
        let mut rig = Rig::new(&pair.shape, None).material(material);
        let v: Vec<DVec3> = pair.rest().iter().map(|&p| spin.cross(p - center)).collect();
        rig.put(pair.rest(), &v);
        let dt = 1.0 / 60.0;
        for tick in 1..=60 {
            let anchors: Vec<Anchor> = [0, 4, 112, 220]
                .iter()
                .map(|&i| {
                    let position = at(pair.rest()[i], f64::from(tick) * f64::from(dt as f32));
                    let velocity = spin.cross(position - center).as_vec3();
                    Anchor { particle: i as u32, position, velocity }
                })
                .collect();
            rig.step(&StepInput { anchors: &anchors, ..StepInput::default() }, dt as f32);
        }
        ends.push(rig.x());
    }
    // Without a brake both bulge alike under the centrifugal pull; one of 8 s⁻¹ would hold the far
    // particles back by a good part of a radian.
    let apart = worst_distance(&ends[0], &ends[1]);
    assert!(apart < 0.02 * f64::from(pair.shape.size()), "{apart}");
}

#[test]
fn anchors_carry_the_body_along() {
    let pair = cuboid();
    let mut rig = Rig::new(&pair.shape, None).material(Material {
        elastic_hz: 20.0,
        damping: 4.0,
        ..Material::default()
    });
    let velocity = Vec3::new(1.0, 0.5, 0.0);
    let held: Vec<usize> = (0..225).filter(|&i| pair.rest()[i].y < -0.49).collect();
    for tick in 1..=180 {
        let place = |i: usize| pair.rest()[i] + velocity.as_dvec3() * (f64::from(tick) / 60.0);
        let anchors: Vec<Anchor> = held
            .iter()
            .map(|&i| Anchor { particle: i as u32, position: place(i), velocity })
            .collect();
        rig.step(&StepInput { anchors: &anchors, ..StepInput::default() }, 1.0 / 60.0);
        for &i in &held {
            assert!(rig.x()[i].distance(place(i)) < 1e-5);
        }
    }
    let carried = pair.model.center(&rig.x()) - pair.model.center(pair.rest());
    assert!((carried - DVec3::new(3.0, 1.5, 0.0)).length() < 0.2, "{carried}");
}

#[test]
fn teleported_bodies_keep_their_shape_and_motion() {
    let pair = cuboid();
    let mut rig = thrown(&pair, None, material(H, 0.2, 1.0, 0.0));
    for _ in 0..50 {
        rig.free(H as f32);
    }
    let mut other = Rig::new(&pair.shape, None).material(rig.body.material);
    other.state = rig.state.clone();
    let mut pose = rig.state.rigid_pose(&pair.shape);
    let turn = Quat::from_rotation_z(1.1) * Quat::from_rotation_x(0.4);
    let from = pose;
    pose.translation += DVec3::new(1e4, -50.0, 3.0);
    pose.rotation = turn * pose.rotation;
    other.state.teleport(&pair.shape, pose);
    for _ in 0..100 {
        rig.free(H as f32);
        other.free(H as f32);
    }
    let wanted: Vec<DVec3> = rig
        .x()
        .iter()
        .map(|&x| pose.translation + turn.as_dquat() * (x - from.translation))
        .collect();
    let size = f64::from(pair.shape.size());
    assert!(worst_distance(&wanted, &other.x()) < 2e-4 * size);
}
