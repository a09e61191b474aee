//! A frame allocates nothing once its like has run: bends, twists, contact, both rules, all outputs.

use std::alloc::System;

use sinew_fields::{JointOperator, Opening, Pose, Serial, SkinScratch, SkinSettings, deform};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[expect(dead_code, reason = "the claims use the rest")]
#[path = "claims/fixtures.rs"]
mod fixtures;

use fixtures::{Rig, bent, twisted};

#[global_allocator]
static GLOBAL: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

// One test only: the count is of the whole process.
#[test]
fn frames_allocate_nothing() {
    let bulge = JointOperator::Bulge { magnitude: 0.7, opening: Opening::BULGE };
    for operator in [JointOperator::Blend(Opening::FINGER), bulge] {
        let rig = Rig::new(1.0, 0.0, operator);
        let count = rig.mesh.positions.len();
        let mut scratch = SkinScratch::new(&rig.bake);
        let (mut positions, mut normals) = (vec![[0.0; 3]; count], vec![[0.0; 3]; count]);
        let (rest, mut tangents) = (vec![[1.0, 0.0, 0.0, 1.0]; count], vec![[0.0; 4]; count]);
        let poses = [bent(0.0), bent(60.0), bent(130.0), twisted(120.0)];
        let mut pose = Pose::new(&[glam::Affine3A::IDENTITY; 2]);
        for settings in [SkinSettings::default(), SkinSettings::published()] {
            let mut frames = || {
                for given in &poses {
                    let joints = (0..2).filter_map(|joint| given.output_from_model(joint));
                    pose.set(joints);
                    deform(&rig.bake, &rig.tuned, &settings, &pose, &mut scratch, &Serial)
                        .expect("one skin");
                    scratch.write_positions(&rig.bake, &mut positions, &Serial).expect("one skin");
                    let plain = &rig.mesh.positions;
                    scratch
                        .write_normals(&rig.bake, plain, &mut normals, &Serial)
                        .expect("one skin");
                    scratch
                        .write_tangents(&rig.bake, &rest, &mut tangents, &Serial)
                        .expect("one skin");
                }
            };
            frames();
            let region = Region::new(GLOBAL);
            frames();
            let stats = region.change();
            assert_eq!((stats.allocations, stats.reallocations), (0, 0));
        }
    }
}
