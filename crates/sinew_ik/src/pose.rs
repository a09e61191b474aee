//! A pose in unit space: the first joint at the origin, lengths as shares of the chain's length.

use glam::{Quat, Vec3};

use crate::chain::{Chain, ZERO_LENGTH};
use crate::limit::Limit;
use crate::rotation::{about, across, arc, renormalized, unit};
use crate::trig::atan2;

/// Rotations of joints to chain space, and their places with the end effector's last.
#[derive(Clone, Debug, Default)]
pub(crate) struct Pose {
    pub turns: Vec<Quat>,
    pub places: Vec<Vec3>,
}

impl Pose {
    pub fn fit(&mut self, joints: usize) {
        self.turns.resize(joints, Quat::IDENTITY);
        self.places.resize(joints + 1, Vec3::ZERO);
    }

    /// Takes over another pose of the same chain.
    pub fn copy_from(&mut self, other: &Self) {
        self.turns.copy_from_slice(&other.turns);
        self.places.copy_from_slice(&other.places);
    }

    /// The pose of local rotations.
    pub fn set_locals(&mut self, chain: &Chain, locals: &[Quat]) {
        let mut turn = Quat::IDENTITY;
        let mut at = Vec3::ZERO;
        for (i, local) in locals.iter().enumerate().take(chain.len()) {
            turn = renormalized(turn * *local);
            self.turns[i] = turn;
            self.places[i] = at;
            at += turn * chain.unit_bones[i];
        }
        self.places[chain.len()] = at;
    }

    /// Works places out from rotations.
    pub fn place(&mut self, chain: &Chain) {
        let mut at = Vec3::ZERO;
        for i in 0..chain.len() {
            self.places[i] = at;
            at += self.turns[i] * chain.unit_bones[i];
        }
        self.places[chain.len()] = at;
    }

    /// The local rotation of a joint.
    pub fn local(&self, joint: usize) -> Quat {
        renormalized(self.parent(joint).conjugate() * self.turns[joint])
    }

    /// Rotation of a joint's parent.
    pub fn parent(&self, joint: usize) -> Quat {
        if joint == 0 { Quat::IDENTITY } else { self.turns[joint - 1] }
    }

    /// Turns joints so that the bones of the first `count` joints lie along `points`; each by the smallest swing from
    /// where its base rotation would put it. Bones without length, and all further ones, keep base rotations.
    ///
    /// Limits are applied on the way; later joints then aim at their points from where they are.
    pub fn aim_along(&mut self, chain: &Chain, base: &[Quat], points: &[Vec3], count: usize) {
        let mut parent = Quat::IDENTITY;
        let mut at = Vec3::ZERO;
        for i in 0..chain.len() {
            let mut turn = renormalized(parent * base[i]);
            if i < count && chain.unit_lengths[i] > ZERO_LENGTH && chain.weights[i] > 0.0 {
                let aim = points[i + 1] - at;
                let square = aim.length_squared();
                if square > 1e-14 {
                    let now = turn * chain.axes[i];
                    let aim = aim / square.sqrt();
                    turn = renormalized(arc(now, aim, hint(chain, i, turn)) * turn);
                    if i + 1 < count {
                        turn = roll_for_hinge(chain, base, points, i, turn);
                    }
                    turn = chain.limited(i, parent, turn).0;
                }
            }
            self.turns[i] = turn;
            self.places[i] = at;
            at += turn * chain.unit_bones[i];
            parent = turn;
        }
        self.places[chain.len()] = at;
    }
}

/// Rolls a joint about its bone until the hinge that follows is square to the plane of both bones, and folds the way
/// that its range wants.
fn roll_for_hinge(chain: &Chain, base: &[Quat], points: &[Vec3], joint: usize, turn: Quat) -> Quat {
    let Limit::Hinge { axis, min, max } = chain.limits[joint + 1] else { return turn };
    if matches!(chain.limits[joint], Limit::Hinge { .. }) {
        return turn;
    }
    let (own, next) = (points[joint + 1] - points[joint], points[joint + 2] - points[joint + 1]);
    let normal = own.cross(next);
    if normal.length() <= 1e-4 * own.length() * next.length() {
        return turn;
    }
    let line = turn * chain.axes[joint];
    let wanted = across(if min + max < 0.0 { -normal } else { normal }, line);
    let now = across(turn * (base[joint + 1] * axis), line);
    let roll = atan2(line.dot(now.cross(wanted)), now.dot(wanted));
    unit(about(line, roll) * turn)
}

/// The axis to take for half a turn of a joint: a hinge's own, or the joint's z axis.
pub(crate) fn hint(chain: &Chain, joint: usize, turn: Quat) -> Vec3 {
    match chain.limits[joint] {
        Limit::Hinge { axis, .. } => turn * axis,
        _ => turn * Vec3::Z,
    }
}

impl Chain {
    /// A joint's rotation to chain space after its limit, given its parent's; and whether the limit was active.
    pub(crate) fn limited(&self, joint: usize, parent: Quat, turn: Quat) -> (Quat, bool) {
        let limit = &self.limits[joint];
        if matches!(limit, Limit::Free | Limit::Fixed) {
            return (turn, false);
        }
        let relative = renormalized((parent * self.rest[joint]).conjugate() * turn);
        if let Limit::Cone { axis, .. } = limit {
            let along = Vec3::new(relative.x, relative.y, relative.z).dot(*axis);
            if along * along + relative.w * relative.w >= self.cone_bounds[joint] {
                return (turn, false);
            }
        }
        let clamped = limit.clamp(relative);
        if clamped.rotation == relative {
            return (turn, false);
        }
        (unit(parent * self.rest[joint] * clamped.rotation), clamped.active)
    }
}
