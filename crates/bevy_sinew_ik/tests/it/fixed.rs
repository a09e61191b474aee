//! Chains that are solved in ticks.

use bevy_app::prelude::*;
use bevy_ecs::prelude::*;
use bevy_ecs::schedule::ScheduleLabel;
use bevy_math::{Quat, Vec3};
use bevy_sinew_ik::IkChainState;
use bevy_sinew_ik::prelude::*;
use bevy_time::{Fixed, Time};
use bevy_transform::prelude::*;

use crate::support::*;

/// A target that runs about in ticks.
#[derive(Component)]
struct Runner(f32);

fn run(mut runners: Query<(&mut Transform, &mut Runner)>) {
    for (mut transform, mut runner) in &mut runners {
        runner.0 += 0.05;
        transform.translation = Vec3::new(0.6 * runner.0.cos(), 1.0 + 0.3 * runner.0.sin(), 0.4);
    }
}

/// An arm that follows a runner.
fn chase(app: &mut App, mode: IkMode) -> [Entity; 3] {
    app.add_systems(FixedUpdate, run);
    let joints = arm(app);
    let runner = spawn(app, (Transform::from_xyz(0.6, 1.0, 0.4), Runner(0.0)));
    insert(app, joints[2], (IkChain::ancestors(2).with_mode(mode), IkTarget::entity(runner)));
    joints
}

#[test]
fn frames_show_the_way_between_two_ticks() {
    // Ticks at 60 Hz, frames at 144 Hz.
    let mut app = app();
    app.insert_resource(Time::<Fixed>::from_hz(60.0));
    let all = chase(&mut app, IkMode::FixedInterpolated);
    set_step(&mut app, 1.0 / 144.0);
    updates(&mut app, 10);
    let mut between = 0;
    for _ in 0..200 {
        app.update();
        let overstep = app.world().resource::<Time<Fixed>>().overstep_fraction();
        let state = app.world().get::<IkChainState>(all[2]).expect("a state");
        for (index, &joint) in all.iter().enumerate() {
            let (before, now) = (state.previous_rotations()[index], state.rotations()[index]);
            // Normalised linear interpolation the short way.
            let now = if before.dot(now) < 0.0 { -now } else { now };
            let expected = (before * (1.0 - overstep) + now * overstep).normalize();
            let drawn = rotation(&app, joint);
            assert!((drawn - expected).length() < 1e-6, "{drawn} {expected} at {overstep}");
            between += u32::from(drawn != now && drawn != before);
        }
    }
    assert!(between > 100, "frames are between ticks: {between}");
}

#[test]
fn ticks_do_not_depend_on_frames() {
    let mut poses = Vec::new();
    for (mode, hz) in [
        (IkMode::Fixed, 64.0),
        (IkMode::Fixed, 20.0),
        (IkMode::FixedInterpolated, 64.0),
        (IkMode::FixedInterpolated, 230.0),
    ] {
        #[derive(Resource, Default)]
        struct Ticks(Vec<Vec<Quat>>);
        let mut app = app();
        let all = chase(&mut app, mode);
        app.init_resource::<Ticks>().add_systems(
            FixedLast,
            move |joints: Query<&Transform>, mut ticks: ResMut<Ticks>| {
                ticks
                    .0
                    .push(all.iter().filter_map(|&e| Some(joints.get(e).ok()?.rotation)).collect());
            },
        );
        set_step(&mut app, 1.0 / hz);
        while app.world().resource::<Ticks>().0.len() < 100 {
            app.update();
        }
        poses.push(app.world_mut().remove_resource::<Ticks>().expect("ticks").0);
        poses.last_mut().expect("ticks").truncate(100);
    }
    assert!(poses.iter().all(|pose| *pose == poses[0]));
}

#[test]
fn an_idle_chain_of_ticks_is_not_written_between_them() {
    let mut app = app();
    watch_changes(&mut app);
    let [_, _, hand] = arm(&mut app);
    let chain = IkChain::ancestors(2).with_mode(IkMode::FixedInterpolated);
    insert(&mut app, hand, (chain, IkTarget::point(Vec3::new(0.2, 1.0, 0.4))));
    updates(&mut app, 4);
    assert_eq!(status(&app, hand).state, IkState::Reached);
    set_step(&mut app, 1.0 / 200.0);
    for _ in 0..10 {
        app.update();
        assert_eq!(marked(&app), 0);
        assert_eq!((activity(&app).fixed_solves, activity(&app).fixed_writes), (0, 0));
    }
}

#[test]
fn a_clip_in_frames_is_the_input_of_ticks() {
    // Something poses the shoulder in each frame; the hand reaches nevertheless, tick by tick.
    let mut app = app();
    let [shoulder, _, hand] = arm(&mut app);
    app.add_systems(
        PostUpdate,
        (move |mut joints: Query<&mut Transform>| {
            if let Ok(mut joint) = joints.get_mut(shoulder) {
                joint.rotation = Quat::from_rotation_y(0.7);
            }
        })
        .in_set(bevy_app::AnimationSystems),
    );
    let target = Vec3::new(0.2, 1.0, 0.4);
    let chain = IkChain::ancestors(2).with_mode(IkMode::FixedInterpolated);
    insert(&mut app, hand, (chain, IkTarget::point(target)));
    updates(&mut app, 4);
    set_step(&mut app, 1.0 / 150.0);
    for _ in 0..20 {
        app.update();
        assert!(place(&app, hand).distance(target) < 3e-4);
    }
    let base = app.world().get::<IkBasePose>(shoulder).expect("a base").rotation();
    assert_eq!(base, Quat::from_rotation_y(0.7));
}

#[test]
fn what_is_read_later_in_a_tick_is_already_in_place() {
    // SC-01: globals of joints and of what hangs on them, in the same tick, for several ticks a frame.
    #[derive(Resource, Default)]
    struct Worst(f32, u32);
    for ticks in [1, 2, 5] {
        let mut app = app();
        let all = chase(&mut app, IkMode::Fixed);
        let collider = spawn(&mut app, (Transform::from_xyz(0.1, 0.0, 0.0), ChildOf(all[2])));
        app.init_resource::<Worst>().add_systems(
            FixedPostUpdate,
            (move |world: Query<&GlobalTransform>,
                   helper: TransformHelper,
                   mut worst: ResMut<Worst>| {
                let drawn = world.get(collider).map(GlobalTransform::translation);
                let fresh = helper.compute_global_transform(collider).map(|at| at.translation());
                if let (Ok(drawn), Ok(fresh)) = (drawn, fresh) {
                    worst.0 = worst.0.max(drawn.distance(fresh));
                    worst.1 += 1;
                }
            })
            .after(IkSystems::Propagate),
        );
        set_step(&mut app, f64::from(ticks) / 64.0);
        updates(&mut app, 10);
        let worst = app.world().resource::<Worst>();
        // Bevy's helper multiplies in another order.
        assert!(worst.0 < 1e-6, "{}", worst.0);
        assert!(worst.1 >= 9 * ticks);
    }
}

#[test]
fn a_schedule_of_the_game_does_as_well() {
    // SC-05: not run, run once, and run several times a frame.
    #[derive(ScheduleLabel, Clone, Debug, PartialEq, Eq, Hash)]
    struct Step;
    let mut poses = Vec::new();
    for pattern in [[1, 1, 1, 1, 1, 1], [0, 2, 0, 3, 1, 0], [5, 0, 0, 1, 0, 0]] {
        let mut app = app_with(IkPlugin::new(Step));
        app.add_systems(Step, run.before(IkSystems::Bind));
        let [_, elbow, hand] = arm(&mut app);
        let runner = spawn(&mut app, (Transform::from_xyz(0.6, 1.0, 0.4), Runner(0.0)));
        let chain = IkChain::ancestors(2).with_mode(IkMode::Fixed);
        insert(&mut app, hand, (chain, IkTarget::entity(runner)));
        for steps in pattern {
            for _ in 0..steps {
                app.world_mut().run_schedule(Step);
            }
            app.update();
        }
        poses.push(rotations(&app, &[elbow, hand]));
    }
    assert!(poses.iter().all(|pose| *pose == poses[0]));
}

#[test]
fn the_mode_can_be_changed_at_any_time() {
    let mut app = app();
    let all = chase(&mut app, IkMode::Frame);
    for mode in [IkMode::Fixed, IkMode::FixedInterpolated, IkMode::Frame, IkMode::FixedInterpolated]
    {
        edit::<IkChain>(&mut app, all[2], |chain| chain.mode = mode);
        updates(&mut app, 5);
        assert_eq!(status(&app, all[2]).state, IkState::Reached, "{mode:?}");
        assert_sound(&mut app);
    }
}
