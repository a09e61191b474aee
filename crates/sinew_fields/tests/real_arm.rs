//! A scanned arm with its skeleton and weights, where the folder of test files is there
//! (`SINEW_TEST_FILES`): 8,311 vertices, four joints from the shoulder to the hand.

use std::path::PathBuf;

use glam::{Affine3A, DVec3, Quat, Vec3};
use sinew_fields::skinning::linear_blend;
use sinew_fields::{
    BakeSettings, InfluenceSet, Influences, JointRest, Pose, Serial, SkinBake, SkinReport,
    SkinScratch, SkinSettings, SkinSource, TunedSkin, Tuning, deform,
};

/// Heads of the joints and the end of the hand, from the skeleton file.
const CHAIN: [[f32; 3]; 5] = [
    [-0.729_628_9, 0.011_729_6, -0.132_760_4],
    [-0.783_172_95, 0.216_612_56, -0.007_545_1],
    [0.081_400_7, 0.185_198_6, -0.042_544_6],
    [0.598_781_5, -0.077_609_9, 0.065_252_1],
    [0.735_728_9, -0.175_233_6, 0.090_210_2],
];
const ELBOW: usize = 2;

struct Arm {
    positions: Vec<[f32; 3]>,
    triangles: Vec<[u32; 3]>,
    influences: Influences,
    bake: SkinBake,
    tuned: TunedSkin,
}

#[expect(clippy::print_stdout, reason = "a skipped test must say so")]
fn arm() -> Option<Arm> {
    let Some(folder) = std::env::var_os("SINEW_TEST_FILES").map(PathBuf::from) else {
        println!("skipped: SINEW_TEST_FILES is not set");
        return None;
    };
    let read = |name: &str| {
        std::fs::read_to_string(folder.join("surface").join(name)).expect("a test file")
    };
    let (mut positions, mut triangles) = (Vec::new(), Vec::new());
    for line in read("igl_arm.obj").lines() {
        let mut words = line.split_whitespace();
        let kind = words.next();
        let words: Vec<&str> = words.take(3).collect();
        match kind {
            Some("v") => {
                positions.push(core::array::from_fn(|i| words[i].parse().expect("a number")));
            }
            Some("f") => triangles
                .push(core::array::from_fn(|i| words[i].parse::<u32>().expect("an index") - 1)),
            _ => {}
        }
    }
    let text = read("igl_arm-weights.dmat");
    let columns: Vec<f32> =
        text.split_whitespace().skip(2).map(|word| word.parse().expect("a number")).collect();
    let count = positions.len();
    let weights: Vec<[f32; 4]> =
        (0..count).map(|v| core::array::from_fn(|joint| columns[joint * count + v])).collect();
    let names = vec![[0, 1, 2, 3]; count];
    let set = InfluenceSet { joints: &names, weights: &weights };
    let influences = Influences::new(4, count, &[set]).expect("good weights").0;
    let joints: Vec<JointRest> = (0_u16..4)
        .map(|joint| JointRest {
            parent: joint.checked_sub(1),
            head: CHAIN[usize::from(joint)].into(),
            ..JointRest::default()
        })
        .collect();
    let source = SkinSource {
        positions: &positions,
        triangles: &triangles,
        influences: &influences,
        joints: &joints,
    };
    let bake = SkinBake::new(&source, &BakeSettings::default(), &Serial).expect("a good mesh");
    let tuned = TunedSkin::new(&bake, &Tuning::default());
    Some(Arm { positions, triangles, influences, bake, tuned })
}

impl Arm {
    fn solve(&self, pose: &Pose) -> (Vec<[f32; 3]>, SkinReport) {
        let mut scratch = SkinScratch::new(&self.bake);
        let settings = SkinSettings::default();
        let report = deform(&self.bake, &self.tuned, &settings, pose, &mut scratch, &Serial)
            .expect("one skin");
        let mut out = vec![[0.0; 3]; self.positions.len()];
        scratch.write_positions(&self.bake, &mut out, &Serial).expect("one skin");
        (out, report)
    }

    fn linear(&self, pose: &Pose) -> Vec<[f32; 3]> {
        let mut out = vec![[0.0; 3]; self.positions.len()];
        linear_blend(&self.influences, pose, &self.positions, &mut out, &Serial).expect("fits");
        out
    }

    fn volume(&self, positions: &[[f32; 3]]) -> f64 {
        let corner = |v: u32| DVec3::from(positions[v as usize].map(f64::from));
        let six = |&[a, b, c]: &[u32; 3]| corner(a).dot(corner(b).cross(corner(c)));
        self.triangles.iter().map(six).sum::<f64>() / 6.0
    }
}

/// The forearm and the hand turned at the elbow, in the plane of the arm or about the forearm.
fn elbow(degrees: f32, twist: f32) -> Pose {
    let at = |joint: usize| Vec3::from(CHAIN[joint]);
    let (upper, fore) = (at(ELBOW) - at(1), at(3) - at(ELBOW));
    let bend = Quat::from_axis_angle(upper.cross(fore).normalize(), degrees.to_radians());
    let turn = Quat::from_axis_angle(fore.normalize(), twist.to_radians());
    let moved = Affine3A::from_translation(at(ELBOW))
        * Affine3A::from_quat(bend * turn)
        * Affine3A::from_translation(-at(ELBOW));
    let rest = Affine3A::IDENTITY;
    Pose::new(&[rest, rest, moved, moved])
}

#[test]
fn a_scanned_arm_is_given_back_at_rest_and_follows_as_one_body() {
    let Some(arm) = arm() else { return };
    assert_eq!(arm.bake.report().field_count(), 4, "{:?}", arm.bake.report());
    let (rest, report) = arm.solve(&elbow(0.0, 0.0));
    assert_eq!(rest, arm.positions);
    assert_eq!(report.contact, 0);
    let motion = Affine3A::from_rotation_translation(Quat::from_rotation_y(2.0), Vec3::Y * 3.0);
    let (moved, _) = arm.solve(&Pose::new(&[motion; 4]));
    for (rest, moved) in arm.positions.iter().zip(&moved) {
        let expected = motion.transform_point3(Vec3::from(*rest));
        assert!(expected.distance(Vec3::from(*moved)) < 2e-5);
    }
}

#[test]
fn a_scanned_elbow_keeps_more_volume_than_linear_blend() {
    let Some(arm) = arm() else { return };
    let rest = arm.volume(&arm.positions);
    for (degrees, twist) in [(40.0, 0.0), (80.0, 0.0), (110.0, 0.0), (0.0, 120.0)] {
        let pose = elbow(degrees, twist);
        let (ours, report) = arm.solve(&pose);
        let linear = arm.linear(&pose);
        assert!(ours.iter().flatten().all(|x| x.is_finite()));
        let [ours_keeps, linear_keeps] = [&ours, &linear].map(|out| arm.volume(out) / rest);
        assert!(ours_keeps > linear_keeps, "{degrees} {twist}: {ours_keeps} {linear_keeps}");
        if twist > 0.0 {
            // The candy wrapper: linear blend pinches the forearm.
            assert!(1.0 - ours_keeps < 0.1 * (1.0 - linear_keeps), "{ours_keeps} {linear_keeps}");
        }
        // The forearm is about 0.1 thick: nothing is thrown off the arm.
        let way = |(a, b): (&[f32; 3], &[f32; 3])| Vec3::from(*a).distance(Vec3::from(*b));
        let farthest = ours.iter().zip(&linear).map(way).fold(0.0, f32::max);
        assert!(farthest < 0.1, "{degrees} {twist}: {farthest}");
        assert!(report.moving < 20 && report.not_displaced == 0, "{report:?}");
    }
}
