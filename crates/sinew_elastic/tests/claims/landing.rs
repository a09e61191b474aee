//! Figure 8 of the paper: what a cuboid does that is dropped on its end, with and without an example. What is expected
//! comes from the poses.

use std::f32::consts::FRAC_PI_2;

use glam::{DVec3, Quat, Vec3};
use sinew_elastic::mesh::{SplitParity, TetMesh};
use sinew_elastic::{
    Body, BodyState, Collider, Deformer, ElasticShape, ExampleBasis, Material, Scratch, Serial,
    StepInput, step,
};

/// Distances of neighbouring particles, m: 5 × 9 × 5 of them.
const CELL: Vec3 = Vec3::new(0.125, 0.175, 0.125);
const LAYERS: usize = 9;
/// Of the layers from end to end, those in the middle of the halves.
const QUARTERS: [usize; 2] = [2, 6];
const HEIGHT: f32 = CELL.y * (LAYERS - 1) as f32;

/// Means of the layers across the cuboid, from the lower end to the upper one, and how far the upper end is turned
/// about the line from end to end, rad.
fn center_line(shape: &ElasticShape, position: impl Fn(usize) -> Vec3) -> ([Vec3; LAYERS], f32) {
    let layer = |i: usize| {
        let height = shape.rest_position(i).y - shape.center().y;
        ((height + HEIGHT / 2.0) / CELL.y).round() as usize
    };
    let mut line = [Vec3::ZERO; LAYERS];
    // Of each end: from its side of low x to that of high x.
    let mut sides = [Vec3::ZERO; LAYERS];
    for i in 0..shape.particle_count() {
        line[layer(i)] += position(i) / 25.0;
        let side = shape.rest_position(i).x - shape.center().x;
        sides[layer(i)] += position(i) * side;
    }
    let axis = (line[LAYERS - 1] - line[0]).normalize();
    let [low, high] = [0, LAYERS - 1].map(|end| sides[end].reject_from_normalized(axis));
    (line, low.cross(high).dot(axis).atan2(low.dot(high)))
}

/// How far the middles of both halves are from the line between the ends, along z and across that line, m.
fn bulges(line: &[Vec3; LAYERS]) -> [f32; 2] {
    let axis = (line[LAYERS - 1] - line[0]).normalize();
    let sideways = Vec3::Z.reject_from_normalized(axis).normalize();
    QUARTERS.map(|layer| (line[layer] - line[0]).dot(sideways))
}

/// What a falling cuboid shows, tick by tick.
struct Shown {
    bulges: Vec<[f32; 2]>,
    turns: Vec<f32>,
}

/// A cuboid on the paper's slope, 0.3 rad steep, 2 m below its lower end.
fn dropped(shape: &ElasticShape, example: Option<&Deformer>) -> Shown {
    let basis = example.map(|deformer| {
        ExampleBasis::new(shape, &[deformer.pose("example", shape)]).expect("a good example")
    });
    let mut body = Body::new(shape).with_material(Material {
        elastic_hz: 15.2,
        example_hz: 1.07,
        damping: 9.1,
        ..Material::default()
    });
    body.examples = basis.as_ref();
    let start = Vec3::Y * (2.0 + HEIGHT / 2.0) - shape.center();
    let mut state = BodyState::placed(shape, start.as_dvec3(), Quat::IDENTITY);
    let mut scratch = Scratch::new(shape, basis.as_ref());
    let slope = Quat::from_rotation_z(-0.3) * Vec3::Y;
    let floor =
        [Collider { friction: 0.25, restitution: 0.4, ..Collider::plane(Vec3::ZERO, slope) }];
    let input =
        StepInput { gravity: Vec3::NEG_Y * 9.81, colliders: &floor, ..StepInput::default() };
    let mut shown = Shown { bulges: Vec::new(), turns: Vec::new() };
    // It lands after 0.64 s.
    for _ in 0..360 {
        step(&body, &input, 1.0 / 300.0, &mut state, &mut scratch, &Serial);
        let origin: DVec3 = state.origin();
        let position = |i| (state.position(shape, i) - origin).as_vec3();
        let (line, turn) = center_line(shape, position);
        shown.bulges.push(bulges(&line));
        shown.turns.push(turn);
    }
    shown
}

fn cuboid() -> ElasticShape {
    let mesh = TetMesh::cuboid([5, 9, 5], CELL, SplitParity::Even).expect("a good box");
    ElasticShape::from_tets(&mesh.positions, &mesh.cells).expect("a good mesh")
}

/// Bulges and turn of the pose itself.
fn of_pose(shape: &ElasticShape, example: &Deformer) -> ([f32; 2], f32) {
    let deform = |i: usize| example.deform(shape.rest_position(i) - shape.center());
    let (line, turn) = center_line(shape, deform);
    (bulges(&line), turn)
}

#[test]
fn a_cuboid_with_an_s_that_lands_on_its_end_bends_to_an_s_and_one_without_does_not() {
    let shape = cuboid();
    let wave = Deformer::wave(Vec3::Y, Vec3::Z, 0.22, HEIGHT);
    let s_shape = wave.then(Deformer::squash(Vec3::Y, 0.75));
    let ([low, high], _) = of_pose(&shape, &s_shape);
    assert!(low < -0.2 && high > 0.2, "the pose is an S: {low}, {high}");

    // Both halves at once, each to its own side, by three quarters of the pose's way.
    let bent = |[a, b]: &[f32; 2]| *a < 0.75 * low && *b > 0.75 * high;
    let shown = dropped(&shape, Some(&s_shape));
    assert!(shown.bulges.iter().any(bent), "{:?}", shown.bulges);
    // It falls straight.
    assert!(shown.bulges[..180].iter().flatten().all(|way| way.abs() < 1e-3));

    let plain = dropped(&shape, None);
    let most = plain.bulges.iter().flatten().fold(0.0_f32, |most, way| most.max(way.abs()));
    assert!(most < 0.05 * high, "without an example there is no S: {most}");
}

#[test]
fn a_cuboid_with_a_twist_that_lands_on_its_end_twists_and_one_without_does_not() {
    let shape = cuboid();
    let twist = Deformer::squash(Vec3::Y, 0.8).then(Deformer::twist(Vec3::Y, 2.2));
    let (_, turn) = of_pose(&shape, &twist);
    assert!(turn > FRAC_PI_2, "the pose is twisted: {turn}");

    let shown = dropped(&shape, Some(&twist));
    let most = shown.turns.iter().fold(0.0_f32, |most, &turn| most.max(turn));
    assert!(most > 0.75 * turn, "{most}");
    let plain = dropped(&shape, None);
    let most = plain.turns.iter().fold(0.0_f32, |most, turn| most.max(turn.abs()));
    assert!(most < 0.05 * turn, "without an example there is no twist: {most}");
}
