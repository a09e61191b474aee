//! Which solver runs from which pose, and what is tried when it does not arrive.

use glam::{Quat, Vec3};

use super::plan::{Plan, is_free};
use super::pole;
use crate::chain::{Chain, Mobility, ZERO_LENGTH};
use crate::pose::Pose;
use crate::rotation::direction_or;
use crate::settings::{Settings, Solver, Start};
use crate::solver::dls::{Pull, Work};
use crate::solver::fabrik::{Run, Surroundings, bow_around};
use crate::solver::two_bone::{TwoBone, two_bone};
use crate::solver::{Outcome, Reach, ccd, curl_step, dls, kick};
use crate::state::{ChainState, Scratch};
use crate::task::Task;

/// Iterations of each method where settings do not say.
const DLS_ITERATIONS: u16 = 16;
const FABRIK_ITERATIONS: u16 = 32;
const CCD_ITERATIONS: u16 = 24;
const STEP_PASSES: u16 = 64;
/// Free chains that must stretch beyond this share of their reach start from their curl: it is exact there.
const NEAR_STRETCH: f32 = 0.99;
/// Targets this near to the end of reach, in lengths of the chain, are at it.
const AT_BOUND: f32 = 5e-7;

/// Exactly two bones have length, both among the first `end`; the first joint turns freely, the second one freely or as a
/// hinge.
pub(super) fn is_two_bone(chain: &Chain, end: usize) -> bool {
    let mut count = 0;
    for i in 0..end {
        if chain.unit_lengths[i] > ZERO_LENGTH {
            count += 1;
            let hinge = count == 2 && chain.mobility[i] == Mobility::Hinge;
            if !(is_free(chain, i) || hinge && chain.weights[i] >= 1.0) {
                return false;
            }
        }
    }
    count == 2
}

/// Finds the pose that `plan` is after, and leaves it in `scratch.pose`.
pub(super) fn run(
    chain: &Chain,
    task: &Task<'_>,
    settings: &Settings,
    state: &ChainState,
    scratch: &mut Scratch,
    plan: &mut Plan,
) {
    if plan.abort {
        scratch.pose.copy_from(&scratch.other);
        return;
    }
    begin(chain, settings, state, scratch);
    if settings.solver == Solver::Spline {
        lay_along(chain, task, scratch);
        return;
    }
    if !plan.many
        && let Some(reach) = plan.reach
    {
        let mut around = Surroundings {
            obstacles: task.obstacles,
            root: task.root + plan.shift * chain.length,
            length: chain.length * plan.stretch,
            margin: settings.margin,
        };
        if !around.margin.is_finite() || around.margin < 0.0 {
            around.margin = 0.0;
        }
        single(&mut Single { chain, task, settings, state, reach, around }, scratch, plan);
    }
    let turn_missed = match plan.turn {
        Some(turn) if !plan.many => {
            set_turn(chain, turn.joint, turn.target, settings.twist_joints, scratch)
        }
        _ => false,
    };
    if plan.many || turn_missed {
        plan.solver = Solver::Dls;
        many(chain, settings, scratch, plan);
    }
}

/// Puts `scratch.pose` where iterations begin, within limits.
fn begin(chain: &Chain, settings: &Settings, state: &ChainState, scratch: &mut Scratch) {
    let Scratch { base, pose, locals, other, .. } = scratch;
    let start: &[Quat] = match settings.start {
        Start::Previous if state.solved => &state.solution,
        Start::Rest => &chain.rest,
        _ => base,
    };
    if chain.plain && core::ptr::eq(start, base.as_slice()) {
        pose.copy_from(other);
        return;
    }
    if chain.plain {
        pose.set_locals(chain, start);
        return;
    }
    for i in 0..chain.len() {
        locals[i] = if chain.mobility[i] == Mobility::Rigid {
            base[i]
        } else {
            // In the space of its parent a joint's limit needs no parent.
            chain.limited(i, Quat::IDENTITY, start[i]).0
        };
    }
    pose.set_locals(chain, locals);
}

/// Input of a solve for one place.
struct Single<'a> {
    chain: &'a Chain,
    task: &'a Task<'a>,
    settings: &'a Settings,
    state: &'a ChainState,
    reach: Reach,
    around: Surroundings<'a>,
}

fn single(single: &mut Single<'_>, scratch: &mut Scratch, plan: &mut Plan) {
    let (chain, reach) = (single.chain, single.reach);
    let bones = chain.unit_lengths[..reach.end].iter().filter(|&&l| l > ZERO_LENGTH).count();
    let free = chain.plain
        || (0..reach.end).all(|i| is_free(chain, i) || chain.unit_lengths[i] <= ZERO_LENGTH)
            && chain.preferred.iter().all(Option::is_none);
    let distance = reach.target.length();
    let (inner, outer) = plan.bounds;
    // Targets beyond were moved to the bound, give or take rounding.
    let at_bound = distance >= outer - AT_BOUND || (inner > 0.0 && distance <= inner + AT_BOUND);
    let choice = match single.settings.solver {
        Solver::Auto if !single.task.obstacles.is_empty() => Solver::Fabrik,
        Solver::Auto if bones == 2 && is_two_bone(chain, reach.end) => Solver::TwoBone,
        Solver::Auto if free && chain.curl_chosen => Solver::Curl,
        Solver::Auto => Solver::Dls,
        Solver::TwoBone if !is_two_bone(chain, reach.end) => Solver::Dls,
        chosen => chosen,
    };
    plan.solver = choice;
    let cap = |own: u16| single.settings.cap(own);
    let arrange = free && single.task.obstacles.is_empty();
    let outcome = match choice {
        Solver::TwoBone => {
            let arranged = solve_two_bone(single, scratch);
            if free || arranged.error <= reach.tolerance {
                arranged
            } else {
                // The hinge does not go that far.
                arranged.then(damped(single, scratch, cap(DLS_ITERATIONS), free))
            }
        }
        // Stretched and folded chains, and single bones, need no iteration.
        _ if arrange && (at_bound || bones == 1) && !matches!(choice, Solver::CurlStep { .. }) => {
            straighten(chain, &reach, inner, scratch)
        }
        Solver::Curl => curl(single, scratch, cap(DLS_ITERATIONS), plan),
        Solver::Fabrik => fabrik(single, scratch, cap(FABRIK_ITERATIONS)),
        Solver::Ccd => {
            get_off_line(single, scratch);
            let reach = Reach { cap: cap(CCD_ITERATIONS), ..reach };
            let Scratch { pose, best, steps, .. } = scratch;
            ccd::solve(chain, &reach, pose, best, steps)
        }
        Solver::CurlStep { step, strict } => {
            let reach = Reach { cap: cap(STEP_PASSES), ..reach };
            let Scratch { pose, best, steps, .. } = scratch;
            curl_step::solve(chain, &reach, step, strict, pose, best, steps)
        }
        _ => damped(single, scratch, cap(DLS_ITERATIONS), free),
    };
    plan.iterations += outcome.iterations;
    plan.updates += outcome.updates;
    // Around obstacles the pole has chosen the side already; turning the chain would put it into them.
    if choice != Solver::TwoBone && single.task.obstacles.is_empty() {
        let cut = pole::apply(chain, single.task, single.state, &reach, &mut scratch.pose);
        if cut {
            // At most two iterations bring the effector back.
            let polish = dls_run(chain, &mut { reach }, 2, false, scratch);
            plan.iterations += polish.iterations;
            plan.updates += polish.updates;
        }
    }
}

/// Runs damped least squares from `scratch.pose`.
fn dls_run(
    chain: &Chain,
    pull: &mut impl Pull,
    cap: u16,
    impatient: bool,
    scratch: &mut Scratch,
) -> Outcome {
    let Scratch { pose, best, turns, steps, held, .. } = scratch;
    dls::solve(chain, pull, cap, impatient, pose, best, Work { turns, steps, held })
}

/// The line to the target and the bow for kicks: as the pole wants, else as the last solve had it if that is where this one
/// starts, else see [`kick::bow`].
fn bow(single: &Single<'_>, pose: &Pose) -> (Vec3, Vec3) {
    let reach = &single.reach;
    let line = direction_or(reach.target, direction_or(pose.places[reach.end], Vec3::X));
    let keeps = single.settings.start == Start::Previous && single.state.solved;
    let wish = if keeps { single.state.bend } else { Vec3::ZERO };
    let without = kick::bow(single.chain, pose, reach, wish, line);
    (line, pole::bend(single.chain, single.task, single.state, line, without))
}

/// Gives a chain on the singular line a bend.
fn get_off_line(single: &Single<'_>, scratch: &mut Scratch) -> Outcome {
    let (chain, reach) = (single.chain, &single.reach);
    let Scratch { base, pose, points, .. } = scratch;
    let mut outcome = Outcome::default();
    if reach.error(pose) > reach.tolerance && kick::is_singular(chain, pose, reach) {
        let (_, bow) = bow(single, pose);
        match kick::curl_pose(chain, base, reach, bow, points, pose) {
            Some(evaluations) => outcome.updates = u32::from(evaluations) * reach.end as u32,
            None => kick::bow_pose(chain, base, reach, bow, points, pose),
        }
    }
    outcome
}

/// Damped least squares with its starts: the pose at hand; the curl, where that is singular or nearly stretched; and for
/// chains with limits the rest pose and a bowed pose, as long as iterations are left.
fn damped(single: &Single<'_>, scratch: &mut Scratch, cap: u16, free: bool) -> Outcome {
    let (chain, mut reach) = (single.chain, single.reach);
    let outer: f32 = chain.unit_lengths[..reach.end].iter().sum();
    let stretched = free && reach.target.length() > NEAR_STRETCH * outer;
    let mut outcome = Outcome { error: reach.error(&scratch.pose), ..Outcome::default() };
    if stretched && outcome.error > reach.tolerance {
        let Scratch { base, pose, points, .. } = &mut *scratch;
        let (_, bow) = bow(single, pose);
        if let Some(evaluations) = kick::curl_pose(chain, base, &reach, bow, points, pose) {
            outcome.updates = u32::from(evaluations) * reach.end as u32;
            outcome.iterations = evaluations.min(cap);
        }
    } else {
        outcome.updates = get_off_line(single, scratch).updates;
    }
    let run = dls_run(chain, &mut reach, cap - outcome.iterations, !free, scratch);
    outcome = outcome.then(run);
    for attempt in 0..2 {
        if outcome.error <= reach.tolerance || outcome.iterations >= cap {
            break;
        }
        scratch.keep.copy_from(&scratch.pose);
        let Scratch { base, pose, points, .. } = &mut *scratch;
        let (_, bow) = bow(single, pose);
        if attempt == 0 {
            if kick::curl_pose(chain, base, &reach, bow, points, pose).is_none() {
                kick::bow_pose(chain, base, &reach, bow, points, pose);
            }
        } else {
            pose.set_locals(chain, &chain.rest);
            kick::bow_pose(chain, &chain.rest, &reach, -bow, points, pose);
        }
        let left = cap - outcome.iterations;
        let again = dls_run(chain, &mut reach, left, attempt == 0 && !free, scratch);
        let better = again.error < outcome.error;
        let error = outcome.error.min(again.error);
        outcome = Outcome { error, ..outcome.then(again) };
        if !better {
            scratch.pose.copy_from(&scratch.keep);
        }
    }
    outcome
}

/// The chosen curl; where it cannot reach or limits bend it, damped least squares from there.
fn curl(single: &Single<'_>, scratch: &mut Scratch, cap: u16, plan: &mut Plan) -> Outcome {
    let (chain, mut reach) = (single.chain, single.reach);
    let Scratch { base, pose, points, .. } = &mut *scratch;
    let (_, bow) = bow(single, pose);
    let Some(evaluations) = kick::curl_pose(chain, base, &reach, bow, points, pose) else {
        plan.solver = Solver::Dls;
        return damped(single, scratch, cap, true);
    };
    let outcome = Outcome {
        error: reach.error(pose),
        iterations: evaluations,
        updates: u32::from(evaluations) * reach.end as u32,
    };
    if outcome.error <= reach.tolerance.max(2e-6) {
        return outcome;
    }
    plan.solver = Solver::Dls;
    outcome.then(dls_run(chain, &mut reach, cap, false, scratch))
}

fn fabrik(single: &Single<'_>, scratch: &mut Scratch, cap: u16) -> Outcome {
    let (chain, around) = (single.chain, single.around);
    let mut reach = Reach { cap, ..single.reach };
    if around.obstacles.is_empty() {
        get_off_line(single, scratch);
        let Scratch { base, pose, best, points, .. } = scratch;
        return Run { chain, base, reach, around, points }.solve(pose, best);
    }
    let mut total = Outcome { error: f32::INFINITY, ..Outcome::default() };
    let mut kept = (f32::INFINITY, f32::INFINITY);
    // The bow's side, then the other one, then the base pose as it is.
    for attempt in 0..3 {
        let Scratch { base, pose, best, points, keep, other, .. } = &mut *scratch;
        let (_, bow) = bow(single, if attempt == 0 { pose } else { other });
        if attempt > 0 {
            pose.copy_from(other);
        }
        points.copy_from_slice(&pose.places);
        let side = if attempt == 0 { bow } else { -bow };
        if attempt < 2 && bow_around(chain, &reach, &around, side, points) {
            pose.aim_along(chain, base, points, reach.end);
        } else if kick::is_singular(chain, pose, &reach) {
            kick::bow_pose(chain, base, &reach, bow, points, pose);
        }
        reach.cap = cap.saturating_sub(total.iterations);
        let outcome = Run { chain, base, reach, around, points }.solve(pose, best);
        let depth = (-around.clearance(chain, pose) / around.length - 1e-6).max(0.0);
        total = total.then(outcome);
        let found = (depth, outcome.error);
        let rank = |(depth, error): (f32, f32)| 10.0 * depth + error;
        if rank(found) < rank(kept) || attempt == 0 {
            kept = found;
            keep.copy_from(pose);
        }
        let met = kept.0 <= 0.0 && kept.1 <= reach.tolerance;
        if met || total.iterations >= cap {
            break;
        }
    }
    scratch.pose.copy_from(&scratch.keep);
    Outcome { error: kept.1, ..total }
}

/// Two bones in closed form.
fn solve_two_bone(single: &Single<'_>, scratch: &mut Scratch) -> Outcome {
    let (chain, reach) = (single.chain, &single.reach);
    let Scratch { base, pose, points, .. } = scratch;
    let has_length = |i: &usize| chain.unit_lengths[*i] > ZERO_LENGTH;
    let upper = (0..reach.end).find(has_length).unwrap_or(0);
    let lower = (upper + 1..reach.end).find(has_length).unwrap_or(upper);
    let (_, bend) = bow(single, pose);
    let solution = two_bone(&TwoBone {
        root: Vec3::ZERO,
        upper: chain.unit_lengths[upper],
        lower: chain.unit_lengths[lower],
        target: reach.target,
        pole: bend,
        fallback_bend: bend,
        fallback_aim: pose.places[reach.end],
    });
    for (k, point) in points.iter_mut().enumerate() {
        *point = if k <= upper {
            Vec3::ZERO
        } else if k <= lower {
            solution.middle
        } else {
            solution.end
        };
    }
    pose.aim_along(chain, base, points, reach.end);
    Outcome { error: reach.error(pose), iterations: 1, updates: 2 }
}

/// Bones in line: all forward for far targets; the longest one forward and the others back for near ones.
fn straighten(chain: &Chain, reach: &Reach, inner: f32, scratch: &mut Scratch) -> Outcome {
    let Scratch { base, pose, points, .. } = scratch;
    let distance = reach.target.length();
    let ahead = direction_or(reach.target, direction_or(pose.places[reach.end], Vec3::X));
    let longest = chain.unit_lengths[..reach.end].iter().fold(0.0_f32, |most, &l| most.max(l));
    let fold = inner > 0.0 && distance <= inner + AT_BOUND && distance < longest;
    let mut at = Vec3::ZERO;
    let mut forward_used = false;
    points[0] = at;
    for i in 0..chain.len() {
        let length = chain.unit_lengths[i];
        let forward = !fold || (length == longest && !forward_used);
        forward_used |= forward;
        at += ahead * if forward { length } else { -length };
        points[i + 1] = at;
    }
    pose.aim_along(chain, base, points, reach.end);
    Outcome { error: reach.error(pose), iterations: 1, updates: reach.end as u32 }
}

/// Gives a joint its goal rotation; joints beyond keep their local ones. Returns whether a limit cut it short.
fn set_turn(
    chain: &Chain,
    joint: usize,
    target: Quat,
    sharing: u16,
    scratch: &mut Scratch,
) -> bool {
    let Scratch { base, pose, locals, .. } = scratch;
    for i in 0..chain.len() {
        locals[i] = pose.local(i);
    }
    let parent = pose.parent(joint);
    let (allowed, cut) = chain.limited(joint, parent, target);
    locals[joint] = crate::rotation::unit(parent.conjugate() * allowed);
    if sharing > 0 {
        super::twist::share(chain, base, joint, usize::from(sharing), locals);
    }
    pose.set_locals(chain, locals);
    cut
}

/// Several goals, by damped least squares on all rows; a bowed start where the first one does not arrive.
fn many(chain: &Chain, settings: &Settings, scratch: &mut Scratch, plan: &mut Plan) {
    let cap = settings.cap(DLS_ITERATIONS).saturating_sub(plan.iterations);
    let mut rows = core::mem::take(&mut scratch.rows);
    let mut outcome = dls_run(chain, &mut rows, cap, !chain.plain, scratch);
    if !rows.reached(&scratch.pose) && outcome.iterations < cap {
        scratch.keep.copy_from(&scratch.pose);
        let end = rows.range().1;
        let reach = Reach {
            end,
            first: 0,
            target: scratch.pose.places[end],
            tolerance: plan.tolerance,
            cap,
        };
        let Scratch { base, pose, points, .. } = &mut *scratch;
        let line = direction_or(pose.places[end], Vec3::X);
        let bow = kick::bow(chain, pose, &reach, Vec3::ZERO, line);
        kick::bow_pose(chain, base, &reach, bow, points, pose);
        let again = dls_run(chain, &mut rows, cap - outcome.iterations, false, scratch);
        if again.error >= outcome.error {
            scratch.pose.copy_from(&scratch.keep);
        }
        outcome = outcome.then(again);
    }
    scratch.rows = rows;
    plan.iterations += outcome.iterations;
    plan.updates += outcome.updates;
}

/// Lays the chain along the task's curve, moved so that it begins at the first joint.
fn lay_along(chain: &Chain, task: &Task<'_>, scratch: &mut Scratch) {
    let Scratch { base, pose, points, .. } = scratch;
    let scale = 1.0 / chain.length;
    let mut places = crate::solver::spline::Marcher::new(task.curve, scale);
    points[0] = Vec3::ZERO;
    for i in 0..chain.len() {
        points[i + 1] = places.next(chain.unit_lengths[i]);
    }
    pose.aim_along(chain, base, points, chain.len());
}
