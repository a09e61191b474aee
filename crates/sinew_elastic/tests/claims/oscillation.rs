//! T13–T17, T37: frequencies are those asked for, whatever the step.

use std::f64::consts::TAU;

use glam::DVec3;
use sinew_elastic::{Control, ExampleBasis, Integrator, Material, WeightSet};

use crate::fixtures::{Pair, Rig, cube27, cuboid, material};
use crate::reference::Law;

/// How much longer than at rest the cube is along x, in metres.
fn excess(x: &[DVec3]) -> f64 {
    x[26].x - x[0].x - 1.0
}

fn stretched(pair: &Pair, share: f64) -> Vec<DVec3> {
    pair.rest().iter().map(|&p| p + DVec3::X * p.x * share).collect()
}

/// Mean period of a signal that crosses zero: between the first and the last crossing from below.
fn period(signal: &[f64], h: f64) -> f64 {
    let crossings: Vec<f64> = signal
        .windows(2)
        .enumerate()
        .filter(|(_, y)| y[0] < 0.0 && y[1] >= 0.0)
        .map(|(i, y)| (i as f64 + y[0] / (y[0] - y[1])) * h)
        .collect();
    assert!(crossings.len() > 3, "{} crossings", crossings.len());
    (crossings[crossings.len() - 1] - crossings[0]) / (crossings.len() - 1) as f64
}

fn oscillate(
    pair: &Pair,
    examples: Option<&ExampleBasis>,
    material: Material,
    start: &[DVec3],
    h: f64,
    seconds: f64,
    signal: impl Fn(&[DVec3]) -> f64,
) -> f64 {
    let mut rig = Rig::new(&pair.shape, examples)
        .material(material)
        .control(Control::Project(WeightSet::Affine));
    rig.put(start, &vec![DVec3::ZERO; start.len()]);
    let mut signals = Vec::new();
    for _ in 0..(seconds / h) as usize {
        assert_eq!(rig.free(h as f32).substeps, 1);
        signals.push(signal(&rig.x()));
    }
    period(&signals, f64::from(h as f32))
}

fn of_rates(elastic: f64, example: f64) -> Material {
    Material {
        elastic_hz: (elastic / TAU) as f32,
        example_hz: (example / TAU) as f32,
        damping: 0.0,
        ..Material::default()
    }
}

#[test]
fn the_stiffest_step_reaches_the_goal_and_goes_round_in_six() {
    // T13.
    let pair = cube27();
    let mut rig = Rig::new(&pair.shape, None).material(material(0.01, 1.0, 1.0, 0.0));
    rig.put(&stretched(&pair, 0.2), &[DVec3::ZERO; 27]);
    let start = excess(&rig.x());
    for wanted in [0.0, -1.0, -1.0, 0.0, 1.0, 1.0, 0.0, -1.0] {
        rig.free(0.01);
        let found = excess(&rig.x()) / start;
        assert!((found - wanted).abs() < 1e-4, "{found}, not {wanted}");
    }
}

#[test]
fn a_frozen_goal_has_an_invariant() {
    // T14: Q = |u|² − α u·y + α |y|², with u = h v.
    let pair = cube27();
    let invariant = |y: f64, u: f64, alpha: f64| u * u - alpha * u * y + alpha * y * y;
    for alpha in [0.01, 0.5, 1.0, 3.9] {
        let law = Law::new(0.01, alpha, 1.0);
        let (mut x, mut v) = (stretched(&pair, 0.05), vec![DVec3::ZERO; 27]);
        let of = |x: &[DVec3], v: &[DVec3]| invariant(excess(x), (v[26].x - v[0].x) * law.h, alpha);
        let start = of(&x, &v);
        for _ in 0..200 {
            pair.model.step(&mut x, &mut v, &law);
            assert!((of(&x, &v) / start - 1.0).abs() < 1e-11, "alpha = {alpha}");
        }
    }
    for alpha in [0.01, 0.5, 1.0] {
        let material = material(0.01, alpha, 1.0, 0.0);
        let alpha =
            crate::fixtures::law(&material, WeightSet::Affine, 0.01, glam::Vec3::ZERO).alpha;
        let mut rig = Rig::new(&pair.shape, None).material(material);
        rig.put(&stretched(&pair, 0.2), &[DVec3::ZERO; 27]);
        let of = |rig: &Rig<'_>| {
            let v = rig.v();
            invariant(excess(&rig.x()), (v[26].x - v[0].x) * 0.01, alpha)
        };
        let start = of(&rig);
        for _ in 0..200 {
            rig.free(0.01);
            assert!((of(&rig) / start - 1.0).abs() < 2e-4, "alpha = {alpha}: {}", of(&rig) / start);
        }
    }
}

#[test]
fn beyond_four_the_pull_is_unstable() {
    // T14: why alpha is capped.
    let pair = cube27();
    let law = Law::new(0.01, 4.1, 1.0);
    let (mut x, mut v) = (stretched(&pair, 0.001), vec![DVec3::ZERO; 27]);
    for _ in 0..20 {
        pair.model.step(&mut x, &mut v, &law);
    }
    assert!(excess(&x).abs() > 0.1);
}

#[test]
fn one_region_has_the_frequency_asked_for() {
    // T15.
    let pair = cube27();
    for h in [1.0 / 300.0, 1.0 / 600.0, 1.0 / 1200.0] {
        let found =
            oscillate(&pair, None, of_rates(60.0, 0.0), &stretched(&pair, 0.2), h, 2.6, excess);
        assert!((found - TAU / 60.0).abs() < 1e-5, "h = {h}: {found}");
    }
}

#[test]
fn the_return_from_an_example_has_the_frequency_asked_for() {
    // T16.
    let pair = cube27();
    let basis = pair.basis(&[&|p: DVec3| p + DVec3::X * (0.5 * p.x)]);
    for h in [1.0 / 300.0, 1.0 / 600.0, 1.0 / 1200.0] {
        let start = stretched(&pair, 0.2);
        let found = oscillate(&pair, Some(&basis), of_rates(60.0, 6.0), &start, h, 8.0, excess);
        assert!((found - TAU / 6.0).abs() < 1e-5, "h = {h}: {found}");
    }
}

#[test]
fn a_body_of_many_regions_has_one_frequency_for_all_steps() {
    // T17.
    let pair = cuboid();
    let start: Vec<DVec3> = pair.rest().iter().map(|p| *p * DVec3::new(1.0, 1.05, 1.0)).collect();
    let length = |x: &[DVec3]| {
        let moment = |x: &[DVec3]| -> f64 {
            (0..x.len()).map(|i| pair.model.mass[i] * x[i].y * pair.rest()[i].y).sum()
        };
        moment(x) / moment(pair.rest()) - 1.0
    };
    let periods = [1.0 / 300.0, 1.0 / 600.0, 1.0 / 1200.0]
        .map(|h| oscillate(&pair, None, of_rates(95.0, 0.0), &start, h, 2.5, length));
    for p in periods {
        assert!((p / periods[2] - 1.0).abs() < 0.01, "{periods:?}");
    }
}

#[test]
fn implicit_steps_shrink_a_mode_by_the_square_root_of_what_is_left() {
    // T37: the map of (y, u) has the determinant 1 − α.
    let pair = cube27();
    for hz in [5.0, 20.0, 60.0] {
        let material = Material {
            elastic_hz: hz,
            damping: 0.0,
            integrator: Integrator::Implicit,
            ..Material::default()
        };
        let h = 1.0 / 400.0;
        let alpha = crate::fixtures::law(&material, WeightSet::Affine, h, glam::Vec3::ZERO).alpha;
        let mut rig = Rig::new(&pair.shape, None).material(material);
        rig.put(&stretched(&pair, 0.3), &[DVec3::ZERO; 27]);
        let state = |rig: &Rig<'_>| {
            let v = rig.v();
            (excess(&rig.x()), (v[26].x - v[0].x) * h)
        };
        let mut states = vec![state(&rig)];
        for _ in 0..6 {
            assert_eq!(rig.free(h as f32).substeps, 1);
            states.push(state(&rig));
        }
        let wedge = |i: usize| {
            let ((y, u), (y_next, u_next)) = (states[i], states[i + 1]);
            y * u_next - y_next * u
        };
        for i in 0..4 {
            let ratio = (wedge(i + 1) / wedge(i)).sqrt();
            let wanted = (1.0 - alpha).sqrt();
            assert!((ratio - wanted).abs() < 2e-4, "{hz} Hz: {ratio}, not {wanted}");
        }
    }
}

#[test]
fn an_implicit_body_of_no_compliance_is_at_its_goal_at_once() {
    // T37, α = 1.
    let pair = cube27();
    let material = Material {
        elastic_hz: 1e7,
        damping: 0.0,
        integrator: Integrator::Implicit,
        ..Material::default()
    };
    let mut rig = Rig::new(&pair.shape, None).material(material);
    rig.put(&stretched(&pair, 0.3), &[DVec3::ZERO; 27]);
    rig.free(1.0 / 60.0);
    assert!(excess(&rig.x()).abs() < 1e-5, "{}", excess(&rig.x()));
    rig.free(1.0 / 60.0);
    let fastest = rig.v().iter().map(|v| v.length()).fold(0.0, f64::max);
    assert!(fastest < 1e-3, "{fastest}");
}
