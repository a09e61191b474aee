use glam::*;
use sinew_elastic::*;
use crate::fixtures::*;
#[test]
fn debug_rest() {
    let pair = cuboid();
    let lowest = pair.rest().iter().map(|p| p.y).fold(f64::INFINITY, f64::min);
    let colliders = [Collider::plane(Vec3::Y * (lowest as f32 - 0.3), Vec3::Y)];
    let input = StepInput { gravity: Vec3::NEG_Y * 9.81, colliders: &colliders, anchors: &[] };
    for (hz, damping) in [(10.0, 4.0), (6.0, 2.0), (10.0, 20.0)] {
        let mut rig = Rig::new(&pair.shape, None).material(Material { elastic_hz: hz, damping, ..Material::default() });
        let mut last = rig.x();
        for tick in 0..480 {
            let r = rig.step(&input, 1.0 / 60.0);
            if tick % 40 == 39 {
                let v = rig.v();
                let rms = (v.iter().map(|v| v.length_squared()).sum::<f64>() / 225.0).sqrt();
                let worst = (0..225).max_by(|&a, &b| v[a].length().total_cmp(&v[b].length())).unwrap();
                let re = rig.scratch.reactions()[0];
                println!("hz {hz} d {damping} tick {tick} sub {} rms {rms:.2e} worst {worst} {:?} points {} depth {:.2e} x {:?} spin {:?} moved {:.2e}", r.substeps, v[worst].as_vec3(), re.points, re.depth, pair.model.center(&rig.x()).as_vec3(), pair.model.angular_momentum(&rig.x(), &v).as_vec3(), worst_distance(&last, &rig.x()));
            }
            last = rig.x();
        }
    }
    let pair = lattice(&block_nodes([5, 3, 5]), 0.1, 1);
    let turn = Quat::from_rotation_z(0.2);
    let colliders = [Collider { rotation: turn, friction: 0.5, ..Collider::default() }];
    let input = StepInput { colliders: &colliders, ..input };
    let mut rig = Rig::new(&pair.shape, None).material(Material { elastic_hz: 15.0, damping: 5.0, ..Material::default() });
    rig.state = BodyState::placed(&pair.shape, DVec3::ZERO, turn);
    for tick in 0..360 {
        let r = rig.step(&input, 1.0 / 60.0);
        if tick % 20 == 19 {
            let re = rig.scratch.reactions()[0];
            println!("slope tick {tick} sub {} points {} impulse {:?} weight {} center {:?} v {:?}", r.substeps, re.points, turn.inverse() * re.impulse, 9.81 * rig.body.mass() / 60.0, (turn.inverse() * pair.model.center(&rig.x()).as_vec3()), turn.inverse() * (pair.model.momentum(&rig.v()) / f64::from(pair.shape.volume())).as_vec3());
        }
    }
}
#[test]
fn debug_ball() {
    let pair = tets(&mesh::TetMesh::sphere(0.5, 3).unwrap());
    let colliders = [Collider::plane(Vec3::Y * -0.6, Vec3::Y)];
    let input = StepInput { gravity: Vec3::NEG_Y * 9.81, colliders: &colliders, anchors: &[] };
    for (alpha, d) in [(0.5, 3.0), (1.0, 3.0), (0.5, 10.0)] {
        let mut rig = Rig::new(&pair.shape, None).material(material(1.0 / 60.0, alpha, 1.0, d));
        for tick in 0..960 {
            let r = rig.step(&input, 1.0 / 60.0);
            if tick % 80 == 79 {
                let v = rig.v();
                let rms = (v.iter().map(|v| v.length_squared()).sum::<f64>() / v.len() as f64).sqrt();
                let re = rig.scratch.reactions()[0];
                println!("ball {alpha} {d} tick {tick} sub {} rms {rms:.2e} points {} center {:?} spin {:?}", r.substeps, re.points, pair.model.center(&rig.x()).as_vec3(), pair.model.angular_momentum(&rig.x(), &v).as_vec3());
            }
        }
    }
}
#[test]
fn debug_numbers() {
    let pair = cuboid();
    let h = 1.0 / 300.0;
    let m = material(h, 0.2, 1.0, 0.0);
    let mut rig = Rig::new(&pair.shape, None).material(m);
    let input = StepInput { gravity: Vec3::NEG_Y * 9.81, ..StepInput::default() };
    for n in 0..600 { rig.step(&input, h as f32); if n % 100 == 99 { println!("fall strain {:e}", pair.model.worst_strain(&rig.x())); } }
    let rest: Vec<Vec3> = (0..5).map(|i| Vec3::X * (i as f32 - 2.0)).collect();
    let pair = given(&rest, &[1.0; 5], &[(0..5).collect()]);
    let turn = glam::DQuat::from_rotation_z(0.4) * glam::DQuat::from_rotation_y(-0.3);
    let x: Vec<DVec3> = pair.rest().iter().map(|&p| turn * p).collect();
    let goals = pull(&pair.shape, None, Control::default(), material(0.01, 1.0, 1.0, 0.0), &x).goals;
    println!("line {:e} {:?}", worst_distance(&goals, &x), goals);
}
