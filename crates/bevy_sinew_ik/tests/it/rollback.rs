//! Save, restore, and go on.

use bevy_math::{Quat, Vec3};
use bevy_sinew_ik::IkChainState;
use bevy_sinew_ik::prelude::*;
use bevy_transform::prelude::*;

use crate::support::*;

#[test]
fn a_restored_chain_goes_on_bit_for_bit() {
    let mut app = app();
    let found = joints(&mut app, None, Transform::default(), &bent(4, 0.4, 10.0));
    let chain = IkChain { start: IkStart::Previous, weight: 0.8, ..IkChain::ancestors(4) };
    let smoothing = IkSmoothing { half_life: 0.1, max_rate: Some(3.0) };
    insert(&mut app, found[4], (chain.with_mode(IkMode::Fixed), IkTarget::default(), smoothing));
    let at = |step: i32| {
        let phase = step as f32 * 0.2;
        IkTarget::point(Vec3::new(0.8 * phase.cos(), 0.9, 0.7 * phase.sin()))
    };
    let run = |app: &mut App, steps: core::ops::Range<i32>| -> Vec<Vec<Quat>> {
        steps
            .map(|step| {
                set_target(app, found[4], at(step));
                app.update();
                rotations(app, &found)
            })
            .collect()
    };
    run(&mut app, 0..30);
    let state = app.world().get::<IkChainState>(found[4]).expect("a state").clone();
    let saved: Vec<(Transform, IkBasePose)> = found
        .iter()
        .map(|&joint| {
            let entity = app.world().entity(joint);
            (*entity.get().expect("a transform"), *entity.get().expect("a base"))
        })
        .collect();
    let first = run(&mut app, 30..60);
    *app.world_mut().get_mut::<IkChainState>(found[4]).expect("a state") = state;
    for (&joint, &saved) in found.iter().zip(&saved) {
        insert(&mut app, joint, saved);
    }
    assert_eq!(run(&mut app, 30..60), first);
}

use bevy_app::App;

#[test]
fn a_restored_chain_is_solved_again_though_its_target_is_the_same() {
    let mut app = app();
    let [shoulder, elbow, hand] = arm(&mut app);
    insert(&mut app, hand, (IkChain::ancestors(2), IkTarget::point(Vec3::Y)));
    app.update();
    let old = app.world().get::<IkChainState>(hand).expect("a state").clone();
    set_target(&mut app, hand, IkTarget::point(Vec3::new(0.3, 1.2, 0.4)));
    updates(&mut app, 2);
    let pose = rotations(&app, &[shoulder, elbow]);
    *app.world_mut().get_mut::<IkChainState>(hand).expect("a state") = old;
    app.update();
    assert!(turned_apart(&rotations(&app, &[shoulder, elbow]), &pose) < 1e-3);
    assert!(place(&app, hand).distance(Vec3::new(0.3, 1.2, 0.4)) < 2e-4);
}

#[test]
fn a_chain_that_forgets_does_not_smooth() {
    let mut app = app();
    let [_, _, hand] = arm(&mut app);
    let smoothing = IkSmoothing { half_life: 1.0, max_rate: Some(0.1) };
    insert(&mut app, hand, (IkChain::ancestors(2), IkTarget::point(Vec3::Y), smoothing));
    updates(&mut app, 2);
    let next = Vec3::new(0.3, -1.2, 0.4);
    set_target(&mut app, hand, IkTarget::point(next));
    app.update();
    assert!(place(&app, hand).distance(next) > 1.0);
    edit::<IkChainState>(&mut app, hand, IkChainState::forget);
    app.update();
    assert!(place(&app, hand).distance(next) < 2e-4);
}
