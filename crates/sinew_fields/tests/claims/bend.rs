//! Rig A bent and twisted: volume, contact, detail.
use sinew_fields::*;
use crate::fixtures::*;
#[test]
fn numbers() {
    for hw in [1.0, 0.5] {
        for (name, op) in [("finger", JointOperator::Blend(Opening::FINGER)), ("union", JointOperator::Union)] {
            let rig = Rig::new(hw, 0.0, op);
            for deg in [60.0_f32, 90.0, 120.0, 130.0, 140.0, 150.0] {
                    let (out, report) = rig.solve(&bent(deg), &SkinSettings::default());
                    let pen = penetration(&rig.mesh.positions, &out, f64::from(deg));
                    let max = pen.iter().fold(0.0_f64, |a, &b| a.max(b));
                    let n = pen.iter().filter(|&&p| p > 0.02).count();
                    println!("{hw} {name} {deg}: X {} pen {n} max {max:.3} {report:?}", crossings(&rig.mesh.triangles, &out));
            }
        }
    }
}
