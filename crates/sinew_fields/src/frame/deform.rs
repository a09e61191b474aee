//! The passes of a frame.

use glam::{Quat, Vec3A, Vec4};
use smallvec::SmallVec;

use super::normals::bend_normals;
use super::project::{Goal, Projector};
use super::smooth::{relaxed, smooth_contact};
use super::{SkinScratch, SkinSettings, Start, TunedSkin, VertexState};
use crate::bake::SkinBake;
use crate::pieces::{MOST_TASKS, ranges};
use crate::skinning::{DualQuaternion, JointShape, Pose, SkinningError, blend_linear, stretched};
use sinew_math::Executor;
use sinew_math::executor::take;

/// How many skin vertices fared how in a frame.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SkinReport {
    /// Plain skinning for want of a usable field.
    pub plain: u32,
    /// Plain skinning because nothing near has moved.
    pub still: u32,
    /// On their values.
    pub fitted: u32,
    /// Still on their way.
    pub moving: u32,
    /// Held by contact.
    pub contact: u32,
    /// Left where they were.
    pub not_displaced: u32,
    /// Joints whose transforms stretch or are broken: their fields were left out.
    pub unusable_joints: u32,
}

/// Solves a frame: plain skinning, then each vertex back to its value, and out of other parts.
///
/// Vaillant et al. 2013 with contact on the medial surface between parts. The pose alone decides the
/// result: there is no history. The skin is left in `scratch`, in the pose's output space. Nothing is
/// allocated once all poses' pairs of near joints fit into memory that a frame has used before; the bits
/// of the result do not depend on the executor.
///
/// # Errors
/// When pose, tuning or memory are of another skin; nothing is written then.
pub fn deform(
    bake: &SkinBake,
    tuned: &TunedSkin,
    settings: &SkinSettings,
    pose: &Pose,
    scratch: &mut SkinScratch,
    executor: &impl Executor,
) -> Result<SkinReport, SkinningError> {
    if !scratch.fits(bake) {
        return Err(SkinningError::WrongSkin { what: "scratch" });
    }
    scratch.fields.update(bake, tuned, pose)?;
    let settings = settings.sane();
    scratch.handedness = pose.handedness();
    place(bake, tuned, &settings, pose, scratch, executor);
    if settings.strength > 0.0 && scratch.states.iter().any(|state| state.is_active()) {
        for round in 0..settings.iterations {
            let relax = settings.relax && round > 0;
            project_all(bake, tuned, &settings, scratch, executor, (relax, false));
        }
        if smooth_contact(bake, &settings, scratch, executor) {
            for _ in 0..settings.final_projections {
                project_all(bake, tuned, &settings, scratch, executor, (false, true));
            }
        }
        if settings.strength < 1.0 {
            for (position, start) in scratch.front.iter_mut().zip(&scratch.start) {
                *position = start.lerp(*position, settings.strength);
            }
        }
        bend_normals(bake, scratch, executor);
    }
    let mut report = SkinReport::default();
    for state in &scratch.states {
        *match state {
            VertexState::Plain => &mut report.plain,
            VertexState::Still => &mut report.still,
            VertexState::Fitted => &mut report.fitted,
            VertexState::Moving => &mut report.moving,
            VertexState::Contact => &mut report.contact,
            VertexState::NotDisplaced => &mut report.not_displaced,
        } += 1;
    }
    let unusable = |joint: &&crate::skinning::PosedJoint| joint.shape != JointShape::Rigid;
    report.unusable_joints = pose.joints().iter().filter(unusable).count() as u32;
    Ok(report)
}

/// One thread's share of the first pass.
struct PlaceTask<'a> {
    first: usize,
    start: &'a mut [Vec3A],
    turns: &'a mut [Quat],
    front: &'a mut [Vec3A],
    back: &'a mut [Vec3A],
    slide: &'a mut [Vec4],
    states: &'a mut [VertexState],
    goals: &'a mut [Goal],
    bends: &'a mut [Quat],
}

/// Plain skinning, and which vertices take part in more.
fn place(
    bake: &SkinBake,
    tuned: &TunedSkin,
    settings: &SkinSettings,
    pose: &Pose,
    scratch: &mut SkinScratch,
    executor: &impl Executor,
) {
    let SkinScratch { fields, start, turns, front, back, slide, states, goals, bends, .. } =
        scratch;
    let fields = &*fields;
    let projector = Projector::new(bake, tuned, fields, settings);
    let (mut start, mut turns, mut front) = (&mut start[..], &mut turns[..], &mut front[..]);
    let (mut back, mut slide, mut states) = (&mut back[..], &mut slide[..], &mut states[..]);
    let (mut goals, mut bends) = (&mut goals[..], &mut bends[..]);
    let mut tasks: SmallVec<[PlaceTask<'_>; MOST_TASKS]> = ranges(start.len(), executor.workers())
        .into_iter()
        .map(|range| PlaceTask {
            first: range.start,
            start: take(&mut start, range.len()),
            turns: take(&mut turns, range.len()),
            front: take(&mut front, range.len()),
            back: take(&mut back, range.len()),
            slide: take(&mut slide, range.len()),
            states: take(&mut states, range.len()),
            goals: take(&mut goals, range.len()),
            bends: take(&mut bends, range.len()),
        })
        .collect();
    executor.run(&mut tasks, |task| {
        for i in 0..task.start.len() {
            let vertex = task.first + i;
            let rest = bake.positions[vertex];
            let row = bake.influences.row(vertex);
            let motion = DualQuaternion::blend(row, pose.joints());
            let plain = match settings.start {
                Start::DualQuaternion => motion.transform(stretched(row, pose, rest)),
                Start::Linear => blend_linear(row, pose.joints(), rest),
            };
            let state = projector.first_state(vertex, row.0, pose, plain);
            task.start[i] = plain;
            task.turns[i] = motion.rotation();
            task.bends[i] = Quat::IDENTITY;
            task.slide[i] = Vec4::ZERO;
            task.states[i] = state;
            let (mut placed, mut goal) = (plain, Goal::default());
            if state.is_active() && settings.strength > 0.0 {
                let owner = &pose.joints()[usize::from(row.0[0])];
                let carried = owner.affine.transform_point3a(rest);
                (placed, goal) = projector.start(vertex, plain, carried);
            }
            task.goals[i] = goal;
            task.front[i] = placed;
            task.back[i] = placed;
        }
    });
}

impl<'a> Projector<'a> {
    fn new(
        bake: &'a SkinBake,
        tuned: &'a TunedSkin,
        fields: &'a super::PosedFields,
        settings: &'a SkinSettings,
    ) -> Self {
        Self { bake, tuned, fields, settings, stop_cosine: settings.contact.stop_cosine() }
    }

    /// Whether a vertex can need correction: its joints move against each other, one that takes part in
    /// its value does, or it has come near another part.
    fn first_state(&self, vertex: usize, row: &[u16], pose: &Pose, plain: Vec3A) -> VertexState {
        let owner = row[0];
        let rigid = |&joint: &u16| pose.joints()[usize::from(joint)].shape == JointShape::Rigid;
        if !self.fields.field(usize::from(owner)).live || !row.iter().all(rigid) {
            return VertexState::Plain;
        }
        let group = self.fields.group(owner);
        let apart = |&joint: &u16| self.fields.group(joint) != group;
        let reached = || {
            let near = self.fields.near(usize::from(owner)).iter();
            let mut moved = near.filter(|near| near.moved);
            moved.any(|near| self.fields.in_box(self.bake, usize::from(near.joint), plain))
        };
        let active =
            row.iter().any(apart) || self.tuned.touched(vertex).iter().any(apart) || reached();
        if active { VertexState::Moving } else { VertexState::Still }
    }
}

/// One thread's share of a projection.
struct ProjectTask<'a> {
    first: usize,
    back: &'a mut [Vec3A],
    slide_back: &'a mut [Vec4],
    states: &'a mut [VertexState],
}

/// One projection of all active vertices, each first spread along the surface if `relax`. Reads the front
/// buffers, writes the back ones and swaps them. With `near_contact` only where smoothing was at work.
fn project_all(
    bake: &SkinBake,
    tuned: &TunedSkin,
    settings: &SkinSettings,
    scratch: &mut SkinScratch,
    executor: &impl Executor,
    (relax, near_contact): (bool, bool),
) {
    let SkinScratch { fields, front, back, slide, slide_back, states, goals, beta, .. } = scratch;
    let projector = Projector::new(bake, tuned, fields, settings);
    {
        let (front, slide, beta, goals) = (&front[..], &slide[..], &beta[..], &goals[..]);
        let (mut back, mut slide_back) = (&mut back[..], &mut slide_back[..]);
        let mut states = &mut states[..];
        let mut tasks: SmallVec<[ProjectTask<'_>; MOST_TASKS]> =
            ranges(front.len(), executor.workers())
                .into_iter()
                .map(|range| ProjectTask {
                    first: range.start,
                    back: take(&mut back, range.len()),
                    slide_back: take(&mut slide_back, range.len()),
                    states: take(&mut states, range.len()),
                })
                .collect();
        let step = if near_contact { 1.0 } else { settings.step };
        let published = projector.stop_cosine.is_some();
        executor.run(&mut tasks, |task| {
            for i in 0..task.back.len() {
                let vertex = task.first + i;
                let state = task.states[i];
                let working = match state {
                    VertexState::Moving => true,
                    VertexState::Contact => near_contact || !published,
                    VertexState::Fitted => near_contact && beta[vertex] > 0.0,
                    VertexState::Plain | VertexState::Still | VertexState::NotDisplaced => false,
                };
                if !working {
                    if state.is_active() {
                        task.back[i] = front[vertex];
                        task.slide_back[i] = slide[vertex];
                    }
                    continue;
                }
                let mut position = front[vertex];
                if relax && slide[vertex].w > 0.0 && bake.relaxed[vertex] {
                    position = relaxed(bake, front, vertex, slide[vertex]);
                }
                let projected = projector.project(vertex, position, goals[vertex], step);
                let finite = projected.position.is_finite();
                task.back[i] = if finite { projected.position } else { front[vertex] };
                task.slide_back[i] = projected.slide;
                task.states[i] = projected.state;
            }
        });
    }
    core::mem::swap(front, back);
    core::mem::swap(slide, slide_back);
}
