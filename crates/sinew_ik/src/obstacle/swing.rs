//! Pushing a bone out of an obstacle by the smallest swing about its first joint.

use glam::Vec3;

use super::{Convex, Obstacle};
use crate::rotation::{about, across, any_normal, direction_or};
use crate::trig::{acos, atan2};

/// A hair more than tangent, so that rounding does not leave the bone inside.
const CLEAR: f32 = 1e-5;
/// Rounds of supporting the shape by the ball at its nearest point.
const ROUNDS: u32 = 4;

/// The direction nearest to the unit vector `direction` in which a bone of `length` from `start` keeps at least `gap`
/// from the obstacle; the direction itself if it does already.
///
/// For balls the swing is exact: to the tangent where the bone is long enough to touch, else to where its
/// end is at the surface. Other shapes are supported by the ball at their nearest point, a few times over, and at
/// last by a search. Where no direction clears the bone, because it starts inside, it points straight out.
#[must_use]
pub fn swing_out(
    obstacle: &Obstacle<'_>,
    start: Vec3,
    direction: Vec3,
    length: f32,
    gap: f32,
) -> Vec3 {
    let reach = obstacle.bounding_radius() + gap;
    // Most bones are nowhere near: a ball test first.
    let centre = start + direction * (0.5 * length);
    if centre.distance_squared(obstacle.position) > (reach + 0.5 * length).powi(2) {
        return direction;
    }
    if let Convex::Sphere { radius } = obstacle.shape {
        return clear_ball(obstacle.position, radius + gap, start, direction, length);
    }
    let mut now = direction;
    for _ in 0..ROUNDS {
        let near = obstacle.proximity(start, start + now * length);
        if near.distance >= gap {
            return now;
        }
        if near.distance + obstacle.rounding() <= 0.0 {
            // The bone cuts the core itself.
            break;
        }
        now = clear_ball(near.core, obstacle.rounding() + gap, start, now, length);
    }
    search(obstacle, start, direction, length, gap)
}

fn clear_ball(centre: Vec3, radius: f32, start: Vec3, direction: Vec3, length: f32) -> Vec3 {
    let to_centre = centre - start;
    let along = to_centre.dot(direction).clamp(0.0, length);
    if to_centre.distance_squared(direction * along) >= radius * radius {
        return direction;
    }
    let distance = to_centre.length();
    let ahead = direction_or(to_centre, -direction);
    // A bone that starts at the surface, give or take rounding, lies along it.
    if distance <= 0.999 * radius {
        return -ahead;
    }
    let tangent = (distance * distance - radius * radius).max(0.0).sqrt();
    let angle = if length >= tangent {
        atan2(radius, tangent)
    } else {
        let square = length * length + distance * distance - radius * radius;
        acos(square / (2.0 * length * distance))
    };
    let axis = direction_or(ahead.cross(direction), any_normal(ahead));
    about(axis, angle * (1.0 + CLEAR) + CLEAR) * ahead
}

/// Swings away from the shape's origin until the bone is clear, then back as far as it stays so.
fn search(obstacle: &Obstacle<'_>, start: Vec3, direction: Vec3, length: f32, gap: f32) -> Vec3 {
    const STEPS: u32 = 24;
    const HALVINGS: u32 = 16;
    let ahead = direction_or(obstacle.position - start, -direction);
    let axis = direction_or(ahead.cross(direction), any_normal(ahead));
    let clear = |angle: f32| {
        let d = about(axis, angle) * direction;
        obstacle.proximity(start, start + d * length).distance >= gap
    };
    let most = core::f32::consts::PI - acos(across(direction, axis).dot(ahead));
    let mut high = None;
    let mut low = 0.0;
    for k in 1..=STEPS {
        let angle = most * k as f32 / STEPS as f32;
        if clear(angle) {
            high = Some(angle);
            break;
        }
        low = angle;
    }
    let Some(mut high) = high else { return -ahead };
    for _ in 0..HALVINGS {
        let middle = 0.5 * (low + high);
        if clear(middle) {
            high = middle;
        } else {
            low = middle;
        }
    }
    about(axis, high) * direction
}
