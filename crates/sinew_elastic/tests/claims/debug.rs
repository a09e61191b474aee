use crate::fixtures::*;
use glam::*;
use sinew_elastic::*;
#[test]
fn debug_line() {
    let rest: Vec<Vec3> = (0..5).map(|i| Vec3::X * (i as f32 - 2.0)).collect();
    let pair = given(&rest, &[1.0; 5], &[(0..5).collect()]);
    for angle in [0.01, 0.1, 0.5, 1.0] {
        for y in [0.0, 0.3] {
            let turn = glam::DQuat::from_rotation_z(angle) * glam::DQuat::from_rotation_y(-y);
            let x: Vec<DVec3> = pair.rest().iter().map(|&p| turn * p).collect();
            for m in [material(0.01, 1.0, 1.0, 0.0), paper(1.0, 1.0)] {
                let goals = pull(&pair.shape, None, Control::default(), m, &x).goals;
                println!(
                    "line {angle} {y} {:e} {:e} {:e}",
                    worst_distance(&goals, &x),
                    goals[4].length() - 2.0,
                    goals[4].angle_between(x[4])
                );
            }
        }
    }
    let mut rig = Rig::new(&pair.shape, None).material(material(0.01, 1.0, 1.0, 0.0));
    let turn = glam::DQuat::from_rotation_z(0.5);
    let x: Vec<DVec3> = pair.rest().iter().map(|&p| turn * p).collect();
    rig.put(&x, &vec![DVec3::ZERO; 5]);
    for _ in 0..8 {
        rig.free(0.01);
        println!("line run {:?} {:?}", rig.x()[4].length(), rig.v()[4].length());
    }
}
