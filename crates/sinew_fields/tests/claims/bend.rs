//! Rig A bent and twisted: volume, contact, detail.
use sinew_fields::*;
use crate::fixtures::*;
#[test]
fn numbers() {
    for hw in [1.0, 0.5] {
        for (name, op) in [("finger", JointOperator::Blend(Opening::FINGER)), ("elbow", JointOperator::Blend(Opening::ELBOW)), ("union", JointOperator::Union)] {
            let rig = Rig::new(hw, 0.0, op);
            for deg in [60.0_f32, 90.0, 120.0, 140.0] {
                for (what, settings) in [("plain", SkinSettings { strength: 0.0, ..SkinSettings::default() }), ("ours", SkinSettings::default()), ("paper", SkinSettings::published())] {
                    if what != "ours" && name != "finger" { continue; }
                    let (out, report) = rig.solve(&bent(deg), &settings);
                    let pen = penetration(&rig.mesh.positions, &out, f64::from(deg));
                    let max = pen.iter().fold(0.0_f64, |a, &b| a.max(b));
                    let n = pen.iter().filter(|&&p| p > 0.02).count();
                    let half = f64::from(deg).to_radians() / 2.0;
                    let dir = glam::DVec3::new(half.sin(), -half.cos(), 0.0);
                    let outer = out.iter().map(|&p| wide(p)).filter(|p| p.dot(glam::DVec3::new(half.cos(), half.sin(), 0.0)).abs() < 0.1 && p.z.abs() < 0.2).map(|p| p.dot(dir)).fold(0.0, f64::max);
                    println!("{hw} {name} {deg} {what}: X {} pen {n} max {max:.3} outer {outer:.3} {report:?}", crossings(&rig.mesh.triangles, &out));
                }
            }
        }
    }
}
