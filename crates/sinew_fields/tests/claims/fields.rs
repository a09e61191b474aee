//! Fits, grids, samples.

use glam::{DQuat, DVec3};
use sinew_fields::Segment;
use sinew_fields::fields::{
    FieldGrid, GridResolution, Hrbf, HrbfError, NoField, PartSurface, Sample, SampleSettings,
    falloff, part_samples, support_radius,
};

use crate::fixtures::{Random, Rig, wide};

/// Rig B: a Fibonacci lattice on the unit sphere.
fn sphere(count: usize) -> Vec<Sample> {
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    (0..count)
        .map(|i| {
            let y = 1.0 - 2.0 * (i as f64 + 0.5) / count as f64;
            let r = (1.0 - y * y).sqrt();
            let p = DVec3::new(r * (golden * i as f64).cos(), y, r * (golden * i as f64).sin());
            Sample { position: p, normal: p }
        })
        .collect()
}

#[test]
fn a_fit_goes_through_its_samples_with_their_normals() {
    let samples = sphere(50);
    let function = Hrbf::fit(&samples).expect("well spread samples");
    for sample in &samples {
        let (value, gradient) = function.distance_and_gradient(sample.position);
        assert!(value.abs() <= 1e-10 && gradient.distance(sample.normal) <= 1e-10);
    }
}

#[test]
fn a_fit_turns_moves_and_grows_with_its_samples() {
    let mut samples = sphere(40);
    for sample in &mut samples {
        sample.position *= DVec3::new(1.0, 0.6, 1.7);
        sample.normal = (sample.normal / DVec3::new(1.0, 0.6, 1.7)).normalize();
    }
    let turn = DQuat::from_rotation_y(0.7) * DQuat::from_rotation_x(-1.1);
    let (scale, shift) = (13.0, DVec3::new(5.0, -3.0, 100.0));
    let place = |p: DVec3| turn * p * scale + shift;
    let moved: Vec<Sample> = samples
        .iter()
        .map(|s| Sample { position: place(s.position), normal: turn * s.normal })
        .collect();
    let (a, b) = (Hrbf::fit(&samples).expect("good"), Hrbf::fit(&moved).expect("good"));
    let mut random = Random(3);
    for _ in 0..50 {
        let x = DVec3::new(random.signed(), random.signed(), random.signed()) * 2.0;
        let ((da, ga), (db, gb)) = (a.distance_and_gradient(x), b.distance_and_gradient(place(x)));
        assert!((db - scale * da).abs() < 1e-10 && gb.distance(turn * ga) < 1e-10);
    }
}

#[test]
fn a_sphere_has_the_profile_of_the_triharmonic_fit() {
    let function = Hrbf::fit(&sphere(50)).expect("good");
    // One direction through the lattice's gaps would show its bumps: take the mean of many.
    for (radius, expected) in [(0.0, -0.376), (0.5, -0.305), (1.5, 0.809), (2.0, 2.442)] {
        let at = |s: &Sample| function.distance_and_gradient(s.position * radius).0;
        let mean = sphere(400).iter().map(at).sum::<f64>() / 400.0;
        assert!((mean - expected).abs() < 0.005, "{radius}: {mean}");
    }
}

#[test]
fn newton_steps_towards_the_skin_arrive() {
    let function = Hrbf::fit(&sphere(50)).expect("good");
    for start in [1.3, 1.2, 0.8, 0.5] {
        let mut x = DVec3::new(0.36, 0.48, 0.8) * start;
        let mut steps = 0;
        loop {
            let (d, g) = function.distance_and_gradient(x);
            let (value, slope) = falloff(d as f32);
            let missing = 0.5 - f64::from(value);
            if missing.abs() < 1e-3 {
                break;
            }
            let gradient = g * f64::from(slope);
            x += gradient * (0.35 * missing / gradient.length_squared());
            steps += 1;
            assert!(steps <= 15, "from {start}");
        }
        assert!((x.length() - 1.0).abs() <= 0.002, "from {start}: {}", x.length());
    }
}

#[test]
fn samples_that_say_nothing_are_refused() {
    let few = Hrbf::fit(&sphere(3));
    assert_eq!(few, Err(HrbfError::TooFew { samples: 3 }));
    let mut bad = sphere(20);
    bad[7].normal.x = f64::NAN;
    assert_eq!(Hrbf::fit(&bad), Err(HrbfError::NotFinite { sample: 7 }));
    let mut twice = sphere(20);
    twice[3] = twice[4];
    assert!(matches!(Hrbf::fit(&twice), Err(HrbfError::Singular { .. })));
    let one = vec![Sample { position: DVec3::ONE, normal: DVec3::X }; 10];
    assert!(matches!(Hrbf::fit(&one), Err(HrbfError::Singular { .. })));
}

/// The half of a tube: 48 points and two caps.
fn limb() -> (Segment, Vec<Sample>) {
    let segment = Segment { head: DVec3::ZERO, tail: DVec3::X * 4.0 };
    let golden = std::f64::consts::PI * (3.0 - 5.0_f64.sqrt());
    let mut samples: Vec<Sample> = (0..48)
        .map(|i| {
            let angle = golden * f64::from(i);
            let normal = DVec3::new(0.0, angle.cos(), angle.sin());
            Sample { position: normal + DVec3::X * (0.2 + 3.6 * f64::from(i) / 47.0), normal }
        })
        .collect();
    samples.push(Sample { position: -DVec3::X, normal: -DVec3::X });
    samples.push(Sample { position: DVec3::X * 5.0, normal: DVec3::X });
    (segment, samples)
}

/// The largest difference of values between a grid and a function, near the skin.
fn error(grid: &FieldGrid, other: impl Fn(DVec3) -> f64, radius: f64) -> f64 {
    let mut random = Random(11);
    let mut worst: f64 = 0.0;
    for _ in 0..4000 {
        let angle = random.unit() * std::f64::consts::TAU;
        let r = 1.0 + 0.1 * random.signed();
        let x = DVec3::new(0.3 + 3.4 * random.unit(), r * angle.cos(), r * angle.sin());
        let stored = grid.distance_and_gradient(x.as_vec3a()).expect("inside of the box").0;
        let value = |d: f64| f64::from(falloff((d / radius) as f32).0);
        worst = worst.max((value(f64::from(stored)) - value(other(x))).abs());
    }
    worst
}

#[test]
fn a_grid_is_near_the_fit_that_it_stores() {
    let (segment, samples) = limb();
    let function = Hrbf::fit(&samples).expect("good");
    let radius = support_radius(&segment, &samples);
    let exact = |x| function.distance_and_gradient(x).0;
    let shape = |resolution| FieldGrid::new(&function, &segment, &samples, radius, resolution);
    let bounds = [
        (GridResolution::default(), 0.004),
        (GridResolution::cube(32), 0.004),
        (GridResolution::cube(64), 0.001),
    ];
    for (resolution, bound) in bounds {
        let worst = error(&shape(resolution), exact, radius);
        assert!(worst <= bound, "{resolution:?}: {worst}");
    }
}

#[test]
fn half_precision_costs_little() {
    let (segment, samples) = limb();
    let function = Hrbf::fit(&samples).expect("good");
    let radius = support_radius(&segment, &samples);
    let resolution = GridResolution::default();
    let half = FieldGrid::new(&function, &segment, &samples, radius, resolution);
    let single = FieldGrid::unrounded(&function, &segment, &samples, radius, resolution);
    let at = |x: DVec3| f64::from(single.distance_and_gradient(x.as_vec3a()).expect("inside").0);
    let worst = error(&half, at, radius);
    assert!(worst > 0.0 && worst <= 2e-3, "{worst}");
}

#[test]
fn a_field_ends_without_a_step() {
    let (segment, samples) = limb();
    let function = Hrbf::fit(&samples).expect("good");
    let radius = support_radius(&segment, &samples);
    let resolution = GridResolution::default();
    let grid = FieldGrid::new(&function, &segment, &samples, radius, resolution);
    let mut random = Random(5);
    for _ in 0..400 {
        let way = DVec3::new(random.signed(), random.signed(), random.signed()).normalize();
        let mut before = None;
        for step in 0..4000 {
            let x = DVec3::X * 2.0 + way * (0.002 * f64::from(step));
            let value = grid
                .distance_and_gradient(x.as_vec3a())
                .map_or(0.0, |(d, _)| falloff(d / radius as f32).0);
            if let Some(before) = before {
                let jump: f32 = value - before;
                assert!(jump.abs() < 0.02, "{x}: {jump}");
            }
            before = Some(value);
        }
        assert_eq!(before, Some(0.0));
    }
}

#[test]
fn samples_keep_apart_lie_on_the_skin_and_spare_the_joint() {
    let rig = Rig::finger();
    let positions: Vec<DVec3> = rig.mesh.positions.iter().copied().map(wide).collect();
    let normals: Vec<DVec3> =
        positions.iter().map(|p| DVec3::new(0.0, p.y, p.z).normalize()).collect();
    let vertices: Vec<u32> =
        (0..positions.len() as u32).filter(|&v| positions[v as usize].x > 0.0).collect();
    let inside = |t: &&[u32; 3]| t.iter().all(|&v| positions[v as usize].x > 0.0);
    let triangles: Vec<[u32; 3]> = rig.mesh.triangles.iter().filter(inside).copied().collect();
    let part = PartSurface {
        positions: &positions,
        normals: &normals,
        vertices: &vertices,
        triangles: &triangles,
        segment: Segment { head: DVec3::ZERO, tail: DVec3::X * 4.0 },
        continued: [true, false],
    };
    let settings = SampleSettings::default();
    let (samples, inverted) = part_samples(&part, &settings).expect("a good part");
    assert!(!inverted);
    // 48 on the skin, a cap and a dome of twelve at the joint, and a cap at the open end.
    assert_eq!(samples.len(), 62);
    for dome in &samples[48..61] {
        assert!((dome.position.length() - 1.0).abs() < 0.05, "{dome:?}");
        assert!(dome.normal.distance(dome.position.normalize()) < 0.05, "{dome:?}");
    }
    for (i, a) in samples[..48].iter().enumerate() {
        let r = a.position.y.hypot(a.position.z);
        assert!((0.97..1.01).contains(&r) && a.position.x > 0.2, "{a:?} {r}");
        for b in &samples[..i] {
            assert!(a.position.distance(b.position) > 0.3, "{a:?} {b:?}");
        }
    }
    assert!((samples[48].position.x + 1.0).abs() < 0.05 && samples[48].normal == -DVec3::X);
    assert!((samples[61].position.x - 5.0).abs() < 0.05 && samples[61].normal == DVec3::X);

    let flipped: Vec<[u32; 3]> = triangles.iter().map(|&[a, b, c]| [a, c, b]).collect();
    let inward: Vec<DVec3> = normals.iter().map(|n| -*n).collect();
    let part = PartSurface { normals: &inward, triangles: &flipped, ..part };
    let (turned, inverted) = part_samples(&part, &settings).expect("a good part");
    assert!(inverted && turned.iter().all(|s| s.normal.dot(s.position - DVec3::X * 2.0) > 0.0));

    let flat: Vec<DVec3> = positions.iter().map(|p| DVec3::new(p.x, 0.0, p.z)).collect();
    let up = vec![DVec3::Y; flat.len()];
    let part = PartSurface { positions: &flat, normals: &up, triangles: &[], ..part };
    assert_eq!(part_samples(&part, &settings), Err(NoField::Flat));
}
