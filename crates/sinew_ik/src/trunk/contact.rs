//! Wrapping by touch: bone after bone curls in until it meets the surface. No points to aim for are needed,
//! and nothing is penetrated by construction.

use core::f32::consts::FRAC_PI_2;

use glam::Vec3;

use crate::obstacle::{Obstacle, swing_out};
use crate::rotation::{about, direction_or};

/// How to wrap.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Wrap {
    /// Bones curl about this axis, by the right hand; any length but zero. Tilt it along the object to wind a helix.
    pub axis: Vec3,
    /// The first bone that may move.
    pub first: usize,
    /// Largest bend at a joint, in rad.
    pub most_bend: f32,
    /// Gap to leave between a bone's surface and the object.
    pub clearance: f32,
}

impl Wrap {
    /// Bends of up to 60° from a bone on, without a gap.
    #[must_use]
    pub fn about(axis: Vec3, first: usize) -> Self {
        Self { axis, first, most_bend: 60_f32.to_radians(), clearance: 0.0 }
    }
}

/// What a wrap touches.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contacts {
    /// Number of bones that touch.
    pub count: usize,
    /// The first bone that touches; meaningful if any does.
    pub first: usize,
    /// Mean of the contact points on the object: what a held object is carried by.
    pub centre: Vec3,
    /// Smallest distance of a moved bone's surface to the object, less the gap.
    pub clearance: f32,
}

/// Bones count as touching within this share of their length.
const TOUCH: f32 = 5e-6;
/// Below this share of its length from the surface a bone takes Newton's steps.
const CLOSE: f32 = 0.05;
/// Advances of one bone towards the surface.
const MOST_ADVANCES: u32 = 64;

/// Curls bones around an object, from `wrap.first` outwards, starting from the chain as it lies in `points` (joint places
/// and the tip, one more than `lengths`; any one space). `radii` are those of bones; missing ones are zero.
///
/// A bone that approaches the object head on goes straight; one that is beside it turns in until it touches or has
/// bent by `most_bend`; one that would be inside turns out. Advances are never longer than the distance that is left
/// allows, so no contact is jumped over.
pub fn curl_to_contact(
    object: &Obstacle<'_>,
    wrap: &Wrap,
    lengths: &[f32],
    radii: &[f32],
    points: &mut [Vec3],
) -> Contacts {
    let mut contacts =
        Contacts { count: 0, first: 0, centre: Vec3::ZERO, clearance: f32::INFINITY };
    let axis = direction_or(wrap.axis, Vec3::Y);
    let bones = lengths.len().min(points.len().saturating_sub(1));
    if wrap.first >= bones || !object.is_valid() || points.iter().any(|p| !p.is_finite()) {
        return contacts;
    }
    let most = if wrap.most_bend.is_finite() { wrap.most_bend.clamp(0.0, 3.0) } else { FRAC_PI_2 };
    let own = points[wrap.first + 1] - points[wrap.first];
    let before = if wrap.first > 0 { points[wrap.first] - points[wrap.first - 1] } else { own };
    let mut direction = direction_or(before, direction_or(own, Vec3::X));
    for i in wrap.first..bones {
        let (start, length) = (points[i], lengths[i]);
        if length <= 0.0 {
            points[i + 1] = start;
            continue;
        }
        let gap = radii.get(i).copied().unwrap_or(0.0) + wrap.clearance;
        let near = |d: Vec3| {
            let near = object.proximity(start, start + d * length);
            (near.distance - gap, near)
        };
        let (mut room, mut at) = near(direction);
        let mut bent = direction;
        let touch = TOUCH * length;
        if room < 0.0 {
            bent = turn_out(object, axis, start, direction, length, gap, most);
        } else {
            let end = start + direction * length;
            // Beyond the bone's end and ahead of it.
            let approaching = at.along >= 0.999 && (at.core - end).dot(direction) > 0.0;
            let mut angle = 0.0;
            let mut inside = f32::INFINITY;
            let mut advances = 0;
            while !approaching && room > touch && angle < most && advances < MOST_ADVANCES {
                advances += 1;
                // No point of the bone moves by more than its length times the angle. Close by, the nearest
                // point's own lever gives Newton's step, which a bracket holds.
                let lever =
                    if room < CLOSE * length { length * at.along.max(0.02) } else { length };
                let mut next = (angle + room / lever).min(most);
                if next >= inside {
                    next = 0.5 * (angle + inside);
                }
                let turned = about(axis, next) * direction;
                let there = near(turned);
                if there.0 < 0.0 {
                    inside = next;
                } else {
                    (angle, bent, room, at) = (next, turned, there.0, there.1);
                }
            }
        }
        // An axis that is not square to the bone, or rounding, leaves lengths alone.
        direction = direction_or(bent, direction);
        points[i + 1] = start + direction * length;
        let (room, at) = near(direction);
        contacts.clearance = contacts.clearance.min(room);
        if room <= 8.0 * touch {
            if contacts.count == 0 {
                contacts.first = i;
            }
            contacts.count += 1;
            contacts.centre += at.core + at.normal * object.rounding();
        }
    }
    if contacts.count > 0 {
        contacts.centre /= contacts.count as f32;
    }
    contacts
}

/// The smallest turn the other way that is clear; where there is none, the smallest swing of any direction.
fn turn_out(
    object: &Obstacle<'_>,
    axis: Vec3,
    start: Vec3,
    direction: Vec3,
    length: f32,
    gap: f32,
    most: f32,
) -> Vec3 {
    const STEPS: u32 = 32;
    const HALVINGS: u32 = 20;
    let turned = |angle: f32| about(axis, -angle) * direction;
    let clear = |angle: f32| {
        let end = start + turned(angle) * length;
        object.proximity(start, end).distance >= gap
    };
    let mut low = 0.0;
    for k in 1..=STEPS {
        let mut high = most * k as f32 / STEPS as f32;
        if clear(high) {
            for _ in 0..HALVINGS {
                let middle = 0.5 * (low + high);
                if clear(middle) {
                    high = middle;
                } else {
                    low = middle;
                }
            }
            return turned(high);
        }
        low = high;
    }
    swing_out(object, start, direction, length, gap)
}
