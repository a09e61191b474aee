//! Obstacles and wraps (tests 47 to 49).

use sinew_ik::glam::{Quat, Vec3};
use sinew_ik::{
    Convex, Goal, Obstacle, Settings, Solver, Status, Task, Wrap, curl_to_contact, swing_out,
};

use crate::fixtures::{Random, Rig, row, with};

/// Signed distance of a point to a shape, from its definition; hulls are not known here.
fn point_distance(obstacle: &Obstacle<'_>, point: Vec3) -> f32 {
    let p = obstacle.rotation.conjugate() * (point - obstacle.position);
    match obstacle.shape {
        Convex::Sphere { radius } => p.length() - radius,
        Convex::Capsule { half_height, radius } => {
            p.distance(Vec3::Y * p.y.clamp(-half_height, half_height)) - radius
        }
        Convex::Cylinder { half_height, radius } => {
            let (side, end) = (p.x.hypot(p.z) - radius, p.y.abs() - half_height);
            side.max(end).min(0.0) + side.max(0.0).hypot(end.max(0.0))
        }
        Convex::Cuboid { half_extents, radius } => {
            let q = p.abs() - half_extents;
            q.max(Vec3::ZERO).length() + q.max_element().min(0.0) - radius
        }
        Convex::Hull { .. } => unreachable!("hulls are tested as boxes"),
    }
}

/// Least distance over many points of a segment.
fn sampled(obstacle: &Obstacle<'_>, start: Vec3, end: Vec3) -> f32 {
    (0..=2_000)
        .map(|k| point_distance(obstacle, start.lerp(end, k as f32 / 2_000.0)))
        .fold(f32::INFINITY, f32::min)
}

fn shapes() -> [Convex<'static>; 5] {
    [
        Convex::Sphere { radius: 0.5 },
        Convex::Capsule { half_height: 0.6, radius: 0.3 },
        Convex::Cylinder { half_height: 0.5, radius: 0.4 },
        Convex::Cuboid { half_extents: Vec3::new(0.4, 0.3, 0.5), radius: 0.1 },
        Convex::Cuboid { half_extents: Vec3::new(0.4, 0.3, 0.5), radius: 0.0 },
    ]
}

fn corners(h: Vec3) -> Vec<Vec3> {
    (0..8_u8).map(|k| h * Vec3::new(side(k & 1), side(k & 2), side(k & 4))).collect()
}

fn side(bit: u8) -> f32 {
    if bit == 0 { -1.0 } else { 1.0 }
}

#[test]
fn distances_agree_with_sampled_ones() {
    let mut random = Random(47);
    for k in 0..400 {
        let rotation = Quat::from_axis_angle(random.direction(), random.between(0.0, 3.0));
        let position = random.direction() * 0.3;
        let obstacle = Obstacle::new(shapes()[k % 5], position).turned(rotation);
        let start = random.direction() * random.between(0.0, 2.0);
        let end = random.direction() * random.between(0.0, 2.0);
        let (found, expected) = (obstacle.proximity(start, end), sampled(&obstacle, start, end));
        if expected > 1e-3 {
            assert!((found.distance - expected).abs() < 2e-3, "{obstacle:?} {found:?} {expected}");
            assert!(found.distance <= expected + 1e-5);
            let on_surface = found.core
                + found.normal
                    * (found.distance
                        + match obstacle.shape {
                            Convex::Sphere { radius }
                            | Convex::Capsule { radius, .. }
                            | Convex::Cuboid { radius, .. } => radius,
                            _ => 0.0,
                        });
            let on_bone = start.lerp(end, found.along);
            assert!(on_surface.distance(on_bone) < 1e-4, "{found:?}");
        } else {
            assert!(found.distance < 2e-3, "{obstacle:?} {found:?} {expected}");
        }
        if let Convex::Cuboid { half_extents, radius } = obstacle.shape {
            let points = corners(half_extents);
            let hull = Obstacle { shape: Convex::Hull { points: &points, radius }, ..obstacle };
            let same = hull.proximity(start, end);
            assert!((same.distance - found.distance).abs() < 1e-5, "{same:?} {found:?}");
        }
    }
}

#[test]
fn bones_swing_just_clear() {
    let mut random = Random(48);
    for k in 0..2_000 {
        let rotation = Quat::from_axis_angle(random.direction(), random.between(0.0, 3.0));
        let obstacle = Obstacle::new(shapes()[k % 5], Vec3::ZERO).turned(rotation);
        let start = random.direction() * random.between(1.1, 1.5);
        let (direction, length, gap) =
            ((-start + random.direction() * 0.8).normalize(), random.between(0.3, 2.5), 0.05);
        let clear = swing_out(&obstacle, start, direction, length, gap);
        assert!((clear.length() - 1.0).abs() < 1e-5);
        let after = sampled(&obstacle, start, start + clear * length);
        assert!(after >= gap - 1e-4, "{obstacle:?} {after}");
        if sampled(&obstacle, start, start + direction * length) >= gap + 1e-3 {
            assert_eq!(clear, direction);
        } else if clear != direction {
            // Clear, but by no more than the search's coarseness.
            let slack = if matches!(obstacle.shape, Convex::Sphere { .. }) { 1e-3 } else { 0.12 };
            assert!(after <= gap + slack, "{obstacle:?} {after}");
        }
    }
}

#[test]
fn chains_reach_around_a_ball_in_the_way() {
    let mut random = Random(900);
    let (mut good, mut iterations, mut total) = (0, 0, 0);
    while total < 900 {
        let mut joints = row(9, 0.1, 12_f32.to_radians(), sinew_ik::Limit::Free);
        joints.iter_mut().for_each(|joint| joint.radius = 0.02);
        let mut rig = Rig::new(joints, Vec3::X * 0.1);
        let target = random.direction() * random.between(0.45, 0.7);
        let share = random.between(0.45, 0.6);
        let side = target.cross(random.direction()).normalize_or(Vec3::Y);
        let centre = target * share + side * random.between(0.0, 0.1);
        // The ball leaves root and target free.
        if centre.length() < 0.16 || centre.distance(target) < 0.16 {
            continue;
        }
        total += 1;
        let ball = [Obstacle::sphere(centre, 0.12)];
        let goals = [Goal::reach(target)];
        let task = Task::new(&rig.chain, &goals).with_obstacles(&ball);
        let settings =
            Settings { tolerance: sinew_ik::Tolerance::Distance(1e-3), ..with(Solver::Auto) };
        let report = rig.solve(&task, &settings);
        assert_eq!(report.solver, Solver::Fabrik);
        iterations += u32::from(report.iterations);
        let places = rig.places();
        let clearance = places
            .windows(2)
            .map(|p| sampled(&ball[0], p[0].as_vec3(), p[1].as_vec3()) - 0.02)
            .fold(f32::INFINITY, f32::min);
        let reached = report.status == Status::Reached && rig.miss(target) <= 1e-3 + 1e-6;
        good += u32::from(reached && clearance >= -1e-4);
        assert!((clearance - report.clearance).abs() < 2e-3);
    }
    eprintln!("around a ball: {good} of {total}, mean {}", iterations as f32 / total as f32);
    assert!(good >= 891, "{good}");
}

/// A trunk that lies beside a shape, ahead in x, and wraps towards it about −z.
fn wrap(
    object: &Obstacle<'_>,
    from: f32,
    length: f32,
    radius: f32,
    gap: f32,
) -> (Vec<Vec3>, sinew_ik::Contacts) {
    let start = Vec3::new(from, object.bounding_radius() + radius + gap + 0.02, 0.0);
    let mut points: Vec<Vec3> = (0..=24).map(|i| start + Vec3::X * (length * i as f32)).collect();
    let wrap = Wrap { clearance: gap, ..Wrap::about(Vec3::NEG_Z, 1) };
    let contacts = curl_to_contact(object, &wrap, &[length; 24], &[radius; 24], &mut points);
    (points, contacts)
}

#[test]
fn curls_touch_balls_without_cutting_them() {
    for (size, length, radius) in
        [(1.0, 0.3, 0.05), (1.0, 0.6, 0.0), (0.5, 0.3, 0.05), (0.2, 0.3, 0.02)]
    {
        let ball = Obstacle::sphere(Vec3::ZERO, size);
        // The second bone, which is the first to move, touches between its ends.
        let (points, contacts) = wrap(&ball, -1.5 * length, length, radius, 0.0);
        let c = size + radius;
        let clearance = |p: &[Vec3]| sampled(&ball, p[0], p[1]) - radius;
        let least = points.windows(2).map(clearance).fold(f32::INFINITY, f32::min);
        assert!(least >= -1e-6 * c.max(1.0) - 1e-6, "{size} {length}: {least}");
        assert!(contacts.count >= 4 && contacts.clearance >= -1e-6, "{contacts:?}");
        // Tangent lengths of both ends of a bone that touches add up to the bone.
        let tangent = |p: Vec3| (p.length_squared() - c * c).max(0.0).sqrt();
        let mut seen = 0;
        for pair in points[contacts.first..].windows(2) {
            if clearance(pair) < 1e-4 * length && contacts.count > 2 {
                let sum = tangent(pair[0]) + tangent(pair[1]);
                // Only bones that touch between their ends.
                let along = (-pair[0]).dot(pair[1] - pair[0]) / (length * length);
                if (0.05..0.95).contains(&along) {
                    assert!((sum - length).abs() < 1e-3 * length, "{size} {length}: {sum}");
                    seen += 1;
                }
            }
        }
        assert!(seen >= 3, "{size} {length}: {seen} of {contacts:?}");
    }
}

#[test]
fn curls_touch_other_convex_shapes_without_cutting_them() {
    let h = Vec3::new(0.5, 0.4, 0.8);
    let points = corners(h);
    for shape in [
        Convex::Capsule { half_height: 0.8, radius: 0.5 },
        Convex::Cylinder { half_height: 0.8, radius: 0.5 },
        Convex::Cuboid { half_extents: h, radius: 0.1 },
        Convex::Cuboid { half_extents: h, radius: 0.0 },
        Convex::Hull { points: &points, radius: 0.05 },
    ] {
        for turn in [Quat::IDENTITY, Quat::from_rotation_x(1.4), Quat::from_rotation_y(0.7)] {
            let object = Obstacle::new(shape, Vec3::ZERO).turned(turn);
            let (places, contacts) = wrap(&object, -1.2, 0.3, 0.05, 0.01);
            let test = if let Convex::Hull { radius, .. } = shape {
                Obstacle { shape: Convex::Cuboid { half_extents: h, radius }, ..object }
            } else {
                object
            };
            let clear = |p: &[Vec3]| sampled(&test, p[0], p[1]) - 0.06;
            let distances: Vec<f32> = places.windows(2).map(clear).collect();
            let least = distances.iter().copied().fold(f32::INFINITY, f32::min);
            assert!(least >= -1e-5, "{shape:?}: {least}");
            let touching = distances.iter().filter(|&&d| d <= 1e-3).count();
            assert!(touching >= 3 && contacts.count >= 3, "{shape:?} {turn}: {distances:?}");
        }
    }
}

#[test]
fn wrapped_places_become_rotations() {
    let trunk = sinew_ik::Taper::default().chain(Vec3::NEG_Y).expect("a good chain");
    let food = Obstacle::sphere(Vec3::new(0.75, -2.2, 0.0), 0.4);
    let mut points = vec![Vec3::ZERO; 21];
    trunk.positions(Vec3::ZERO, trunk.rest(), &mut points);
    let radii: Vec<f32> = (0..20).map(|i| 0.5 * sinew_ik::Taper::default().width_at(i)).collect();
    let wrap = Wrap::about(Vec3::Z, 6);
    let contacts = curl_to_contact(&food, &wrap, trunk.lengths(), &radii, &mut points);
    assert!(contacts.count >= 5, "{contacts:?}");
    let mut rotations = trunk.rest().to_vec();
    trunk.rotations_along(trunk.rest(), &points, &mut rotations);
    let mut again = vec![Vec3::ZERO; 21];
    trunk.positions(Vec3::ZERO, &rotations, &mut again);
    for (a, b) in again.iter().zip(&points) {
        assert!(a.distance(*b) < 2e-5, "{a} {b}");
    }
    for (i, pair) in again.windows(2).enumerate().skip(6) {
        assert!(sampled(&food, pair[0], pair[1]) - radii[i] >= -2e-5);
    }
}
