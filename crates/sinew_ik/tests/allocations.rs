//! A solve allocates nothing once its scratch has seen the chain.

use std::alloc::System;

use sinew_ik::glam::{Quat, Vec3};
use sinew_ik::{
    Chain, ChainState, CurlProfile, Goal, Joint, Limit, Obstacle, Pole, Scratch, Settings, Solver,
    Task, solve,
};
use stats_alloc::{INSTRUMENTED_SYSTEM, Region, StatsAlloc};

#[global_allocator]
static GLOBAL: &StatsAlloc<System> = &INSTRUMENTED_SYSTEM;

fn chains() -> Vec<(&'static str, Chain)> {
    let row = |limit: Limit, scale: Vec3| {
        let mut joints: Vec<Joint> = (0..9)
            .map(|i| Joint::at(Vec3::X * if i == 0 { 0.0 } else { 0.1 }).with_limit(limit))
            .collect();
        joints[0].scale = scale;
        Chain::new(&joints, Vec3::X * 0.1).expect("a good chain")
    };
    vec![
        ("free", row(Limit::Free, Vec3::ONE)),
        ("cone", row(Limit::Cone { axis: Vec3::X, half_angle: 0.8 }, Vec3::ONE)),
        ("hinge", row(Limit::Hinge { axis: Vec3::Z, min: -1.0, max: 1.0 }, Vec3::ONE)),
        ("sheared", row(Limit::Free, Vec3::new(1.0, 1.5, 1.0))),
        ("trunk", row(Limit::Free, Vec3::ONE).with_curl(&CurlProfile::Linear)),
        ("arm", Chain::straight(Vec3::X, &[0.3, 0.25]).expect("a good chain")),
    ]
}

#[test]
fn a_solve_allocates_nothing() {
    let obstacles = [Obstacle::sphere(Vec3::new(0.3, 0.2, 0.0), 0.1)];
    let curve = [Vec3::ZERO, Vec3::new(0.5, 0.2, 0.1), Vec3::new(1.0, 0.0, 0.4)];
    let solvers = [
        Solver::Auto,
        Solver::Dls,
        Solver::Curl,
        Solver::Fabrik,
        Solver::Ccd,
        Solver::CurlStep { step: 0.002, strict: false },
        Solver::Spline,
    ];
    let mut counts = Vec::new();
    for (name, chain) in chains() {
        let mut scratch = Scratch::new(&chain);
        let mut state = ChainState::at_rest(&chain);
        for solver in solvers {
            for kind in 0..4 {
                let settings = Settings { solver, ..Settings::default() };
                let mut run = |count: usize| {
                    for k in 0..count {
                        let place = Vec3::new(0.4, 0.3 - 0.05 * k as f32, 0.1);
                        let goals = [Goal::reach(place), Goal::joint(1, place * 0.2)];
                        let turned = [Goal::reach(place).turned(Quat::from_rotation_y(0.4))];
                        let goals = match kind {
                            1 => &turned[..],
                            2 => &goals[..],
                            _ => &goals[..1],
                        };
                        let mut task = Task::new(&chain, goals)
                            .with_pole(Pole::at(Vec3::Y))
                            .with_curve(&curve);
                        if kind == 3 {
                            task = task.with_obstacles(&obstacles);
                        }
                        solve(&chain, &task, &settings, &mut state, &mut scratch);
                    }
                };
                run(2);
                // The test harness has a thread of its own that allocates now and then: the least of three.
                let mut least = usize::MAX;
                for _ in 0..3 {
                    let region = Region::new(GLOBAL);
                    run(10);
                    let stats = region.change();
                    least = least.min(stats.allocations + stats.reallocations);
                }
                counts.push((least, name, solver, kind));
            }
        }
    }
    let busy: Vec<_> = counts.iter().filter(|(count, ..)| *count > 0).collect();
    assert!(busy.is_empty(), "{busy:?}");
}
