//! Composition of values, openings and the support of fields.

use sinew_fields::fields::falloff;
use sinew_fields::operators::{Composed, Opening, OpeningTable, blend, bulge, kappa, ricci, union};

const PI: f32 = std::f32::consts::PI;

fn tangents() -> impl Iterator<Item = f32> {
    (0..=24).map(|i| (0.2499 * PI * i as f32 / 24.0).tan())
}

fn lattice() -> impl Iterator<Item = f32> {
    (0..=40).map(|i| i as f32 / 40.0)
}

#[test]
fn the_support_function_has_its_exact_values_and_derivatives() {
    let expected = [(-1.0, 1.0), (-0.5, 0.896_484_4), (0.0, 0.5), (0.5, 0.103_515_625), (1.0, 0.0)];
    for (x, value) in expected {
        assert_eq!(falloff(x).0, value, "at {x}");
    }
    assert_eq!((falloff(-3.0), falloff(3.0)), ((1.0, -0.0), (0.0, -0.0)));
    assert_eq!(falloff(0.0).1, -0.9375);
    for i in -99..99 {
        let (x, h) = (f64::from(i) / 100.0, 1e-3);
        let [low, high] = [falloff((x - h) as f32).0, falloff((x + h) as f32).0];
        assert!(low > high, "not falling at {x}");
        let exact = -15.0 / 16.0 * (1.0 - x * x) * (1.0 - x * x);
        assert!((f64::from(falloff(x as f32).1) - exact).abs() < 1e-6);
        let difference = f64::from(high - low) / (2.0 * h);
        assert!((difference - exact).abs() < 1e-3, "{x}: {difference} {exact}");
    }
}

#[test]
fn a_value_beside_zero_is_given_back_bit_for_bit() {
    for f in lattice() {
        for t in tangents() {
            assert_eq!((blend(f, 0.0, t).value, blend(0.0, f, t).value), (f, f));
            assert_eq!((bulge(f, 0.0, t, 0.7).value, bulge(0.0, f, t, 0.7).value), (f, f));
        }
        assert_eq!((union(f, 0.0).value, ricci(f, 0.0, 2.0).value), (f, f));
    }
}

#[test]
fn operators_are_symmetric_bit_for_bit_and_not_below_the_maximum() {
    let swapped = |a: Composed| Composed { by_first: a.by_second, by_second: a.by_first, ..a };
    for f1 in lattice() {
        for f2 in lattice() {
            for t in tangents() {
                for (name, a, b) in [
                    ("blend", blend(f1, f2, t), blend(f2, f1, t)),
                    ("bulge", bulge(f1, f2, t, 0.7), bulge(f2, f1, t, 0.7)),
                ] {
                    let max = f1.max(f2);
                    assert!(a.value >= max && a.value <= 1.0, "{name} {f1} {f2} {t}: {a:?}");
                    assert_eq!(a.value, b.value, "{name}");
                    if f1 != f2 {
                        assert_eq!(a, swapped(b), "{name} {f1} {f2} {t}");
                    }
                }
            }
            let (a, b) = (ricci(f1, f2, 3.0), ricci(f2, f1, 3.0));
            assert_eq!(a.value, b.value);
        }
    }
}

#[test]
fn a_wider_opening_angle_blends_less_and_ends_in_union() {
    for f1 in lattice() {
        for f2 in lattice() {
            let mut before = f32::INFINITY;
            for t in tangents() {
                let value = blend(f1, f2, t).value;
                assert!(value <= before + 1e-6, "{f1} {f2} {t}: {value} after {before}");
                before = value;
            }
            assert!((before - f1.max(f2)).abs() <= 2e-4, "{f1} {f2}: {before}");
        }
    }
}

#[test]
fn blends_have_the_values_of_the_closed_form() {
    let table = [
        (0.0, [0.5268, 0.5845, 0.8]),
        (PI / 16.0, [0.5109, 0.5739, 0.8]),
        (PI / 10.0, [0.4986, 0.5662, 0.8]),
        (PI / 8.0, [0.4828, 0.5600, 0.8]),
        (PI / 5.0, [0.4348, 0.5334, 0.8]),
    ];
    for (angle, values) in table {
        for (f, expected) in [0.4, 0.5, 0.8].into_iter().zip(values) {
            let value = blend(f, f, angle.tan()).value;
            assert!((value - expected).abs() < 1e-4, "{angle} {f}: {value}, not {expected}");
        }
    }
    for f in [0.7, 0.8, 1.0] {
        assert_eq!(blend(f, 0.6, 0.3).value, f);
    }
}

#[test]
fn a_blended_value_solves_its_equation() {
    for f1 in lattice() {
        for f2 in lattice() {
            for t in tangents() {
                let (f1, f2, t) = (f64::from(f1), f64::from(f2), f64::from(t));
                let c = f64::from(blend(f1 as f32, f2 as f32, t as f32).value);
                let k = if c <= 0.5 { t * c } else { 0.7 + (c - 0.7) * (0.7 - t / 2.0) / 0.2 };
                if c >= 0.7 || f1.min(f2) <= k + 1e-4 || f1.max(f2) + 1e-6 >= c {
                    continue;
                }
                let residual = (f1 - k).hypot(f2 - k) - (c - k);
                assert!(residual.abs() < 1e-5, "{f1} {f2} {t}: {residual}");
            }
        }
    }
}

#[test]
fn gradients_agree_with_differences() {
    type Operator = Box<dyn Fn(f32, f32) -> Composed>;
    let mut operators: Vec<(String, f32, Operator)> = vec![
        ("ricci 2".into(), 0.0, Box::new(|a, b| ricci(a, b, 2.0))),
        ("ricci 4".into(), 0.0, Box::new(|a, b| ricci(a, b, 4.0))),
    ];
    for t in [0.0, 0.2, 0.32, 0.6] {
        operators.push((format!("blend {t}"), t, Box::new(move |a, b| blend(a, b, t))));
        operators.push((format!("bulge {t}"), t, Box::new(move |a, b| bulge(a, b, t, 0.7))));
    }
    let h = 1e-3;
    for (name, t, operator) in &operators {
        let mut checked = 0;
        for f1 in lattice() {
            for f2 in lattice() {
                let here = operator(f1, f2);
                let (low, high) = (f1.min(f2), f1.max(f2));
                let near = |a: f32, b: f32| (a - b).abs() < 0.02;
                // Kinks: the edge of the opening, C = 1/2, the closing values, the diagonal of a bulge.
                if low < 0.02
                    || near(here.value, 0.5)
                    || near(low, *t * high)
                    || near(low, high)
                    || high > 0.5
                    || near(here.value, high)
                    || near(here.value, 0.55)
                {
                    continue;
                }
                let by_first =
                    (operator(f1 + h, f2).value - operator(f1 - h, f2).value) / (2.0 * h);
                let by_second =
                    (operator(f1, f2 + h).value - operator(f1, f2 - h).value) / (2.0 * h);
                let error =
                    (by_first - here.by_first).abs().max((by_second - here.by_second).abs());
                let scale = 1.0 + here.by_first.abs().max(here.by_second.abs());
                assert!(error < 1e-3 * scale, "{name} {f1} {f2}: {here:?}, {by_first} {by_second}");
                checked += 1;
            }
        }
        assert!(checked > 20, "{name}: {checked}");
    }
}

#[test]
fn the_direction_of_a_blends_gradient_does_not_turn_at_the_skin() {
    let t = (PI / 8.0).tan();
    for ratio in [0.6, 0.7, 0.8, 0.9, 1.0_f32] {
        let on = |scale: f32| blend(scale, ratio * scale, t);
        let (mut low, mut high) = (0.2_f32, 0.7_f32);
        for _ in 0..40 {
            let middle = 0.5 * (low + high);
            *if on(middle).value < 0.5 { &mut low } else { &mut high } = middle;
        }
        let angle = |c: Composed| c.by_second.atan2(c.by_first);
        let turn = angle(on(low - 1e-5)) - angle(on(high + 1e-5));
        assert!(turn.abs() < 1e-3, "{ratio}: {turn}");
    }
}

#[test]
fn openings_follow_the_published_table() {
    for (x, value) in [(0.25, 0.0510), (0.5, 0.4412), (0.75, 0.9202)] {
        assert!((kappa(x) - value).abs() < 1e-4, "{x}: {}", kappa(x));
    }
    assert_eq!((kappa(0.0), kappa(1.0)), (0.0, 1.0));
    let table = [
        (0.0, 45.0),
        (22.5, 45.0),
        (30.0, 44.99),
        (45.0, 41.94),
        (60.0, 33.53),
        (75.0, 22.73),
        (90.0, 18.0),
        (180.0, 18.0),
    ];
    for (alpha, theta) in table {
        let angle = Opening::FINGER.angle(f32::to_radians(alpha)).to_degrees();
        assert!((angle - theta).abs() < 0.01, "{alpha}: {angle}, not {theta}");
    }
}

#[test]
fn presets_read_as_they_are_described() {
    let degrees = |opening: Opening, alpha: f32| opening.angle(alpha.to_radians()).to_degrees();
    assert!((degrees(Opening::ELBOW, 45.57) - 0.43 * 45.0).abs() < 0.05);
    assert!((degrees(Opening::ELBOW, 90.0) - 45.0).abs() < 0.05);
    assert!((degrees(Opening::FINGER_BENT, 78.46) - 13.5).abs() < 0.05);
    assert!((degrees(Opening::BULGE, 30.0) - 45.0).abs() < 0.05);
    assert!(degrees(Opening::BULGE, 100.0) < 0.05);
    for opening in [Opening::ELBOW, Opening::FINGER, Opening::BULGE, Opening::SOFT_BULGE] {
        let table = OpeningTable::new(opening);
        for alpha in 0..=180 {
            let alpha = (alpha as f32).to_radians();
            let (tabulated, exact) = (table.tangent(alpha.cos()), opening.angle(alpha).tan());
            assert!((0.0..1.0).contains(&tabulated));
            assert!((tabulated - exact).abs() < 0.03, "{opening:?} {alpha}: {tabulated} {exact}");
        }
    }
}
