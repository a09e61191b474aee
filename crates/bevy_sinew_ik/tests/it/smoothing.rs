//! Smoothing by time, not by frames.

use bevy_ecs::prelude::*;
use bevy_math::{Quat, Vec3};
use bevy_sinew_ik::prelude::*;
use bevy_transform::prelude::*;

use crate::support::*;

#[test]
fn the_way_that_is_left_halves_with_each_half_life_at_any_frame_rate() {
    // A jump of 0.5 m; after ten half-lives of 0.1 s a 1,024th is left.
    for hz in [30.0, 60.0, 144.0] {
        let mut app = app();
        let found = joints(&mut app, None, Transform::default(), &bent(9, 0.1, 12.0));
        let (from, to) = (Vec3::new(0.3, 0.25, 0.2), Vec3::new(0.3, 0.25, -0.3));
        let chain = IkChain { tolerance: IkTolerance::World(1e-6), ..IkChain::ancestors(9) };
        let smoothing = IkSmoothing { half_life: 0.1, max_rate: None };
        insert(&mut app, found[9], (chain, IkTarget::point(from), smoothing));
        set_step(&mut app, 1.0 / hz);
        updates(&mut app, 3);
        assert!(place(&app, found[9]).distance(from) < 1e-5);
        set_target(&mut app, found[9], IkTarget::point(to));
        updates(&mut app, hz as usize);
        let left = place(&app, found[9]).distance(to) / from.distance(to);
        assert!((left - 1.0 / 1024.0).abs() < 1e-4, "{hz} Hz: {left}");
        // It arrives, and comes to rest.
        updates(&mut app, 3 * hz as usize);
        assert!(place(&app, found[9]).distance(to) < 1e-5);
        app.update();
        assert_eq!(activity(&app).frame_solves, 0);
    }
}

#[test]
fn no_joint_turns_faster_than_it_may() {
    // 90°/s for all joints of one arm, and for one joint of another.
    let most = core::f32::consts::FRAC_PI_2;
    let mut app = app();
    let [_, _, all] = arm(&mut app);
    let [_, elbow, one] = arm(&mut app);
    insert(&mut app, elbow, IkJoint { max_rate: Some(most), ..Default::default() });
    let smoothing = IkSmoothing { half_life: 0.0, max_rate: Some(most) };
    insert(&mut app, all, (IkChain::ancestors(2), IkTarget::point(Vec3::X * 1.9), smoothing));
    insert(&mut app, one, (IkChain::ancestors(2), IkTarget::point(Vec3::X * 1.9)));
    set_step(&mut app, 1.0 / 60.0);
    updates(&mut app, 2);
    let parents = |app: &App, hand: Entity| -> [Entity; 2] {
        let elbow = app.world().get::<ChildOf>(hand).expect("a parent").parent();
        [app.world().get::<ChildOf>(elbow).expect("a parent").parent(), elbow]
    };
    let held = [parents(&app, all).to_vec(), vec![elbow]].concat();
    for target in [Vec3::new(-0.4, 0.9, 0.3), Vec3::new(0.1, -0.7, -0.9)] {
        for hand in [all, one] {
            set_target(&mut app, hand, IkTarget::point(target));
        }
        let mut fastest = 0.0_f32;
        for _ in 0..240 {
            let before = rotations(&app, &held);
            app.update();
            let after = rotations(&app, &held);
            fastest = fastest.max(turned_apart(&before, &after));
        }
        assert!(fastest <= most / 60.0 + 1e-5, "{fastest}");
        assert!(fastest >= most / 60.0 - 1e-4, "it is as fast as it may be: {fastest}");
        for hand in [all, one] {
            assert!(place(&app, hand).distance(target) < 2e-4, "four seconds are enough");
        }
    }
}

use bevy_app::App;

#[test]
fn a_rotation_is_smoothed_too() {
    let mut app = app();
    let found = joints(&mut app, None, Transform::default(), &bent(2, 0.5, 20.0));
    let smoothing = IkSmoothing { half_life: 0.1, max_rate: None };
    let target = IkTarget::point(Vec3::new(0.4, 0.5, 0.2));
    insert(&mut app, found[2], (IkChain::ancestors(2), target.turned(Quat::IDENTITY), smoothing));
    updates(&mut app, 3);
    let to = Quat::from_rotation_x(1.0);
    set_target(&mut app, found[2], target.turned(to));
    let mut last = 1.0;
    for _ in 0..20 {
        app.update();
        let left =
            angle(app.world().get::<GlobalTransform>(found[2]).expect("a place").rotation(), to);
        assert!(left < last, "{left} {last}");
        last = left;
    }
    assert!(last > 0.02 && last < 0.3, "{last}");
}
