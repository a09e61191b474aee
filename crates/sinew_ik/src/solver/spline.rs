//! Laying a chain along a curve so that every joint lies on it.

use glam::Vec3;

use crate::rotation::direction_or;

/// Writes joint places along a polyline: each is the next point of the curve at exactly its bone's length from the one
/// before it (a chord, not an arc, so that no length changes). There is one more place than lengths.
///
/// The curve begins at the first place. Where it ends too early the chain goes on straight, and the result is
/// `false`.
///
/// ```
/// use sinew_ik::{glam::Vec3, march_chords};
/// let corner = [Vec3::ZERO, Vec3::X, Vec3::new(1.0, 1.0, 0.0)];
/// let mut places = [Vec3::ZERO; 3];
/// assert!(march_chords(&corner, &[1.0, 0.5], &mut places));
/// assert_eq!(places[2], Vec3::new(1.0, 0.5, 0.0));
/// ```
pub fn march_chords(curve: &[Vec3], lengths: &[f32], out: &mut [Vec3]) -> bool {
    let Some(&start) = curve.first() else { return false };
    let mut marcher = Marcher::new(curve, 1.0);
    let mut places = out.iter_mut();
    if let Some(first) = places.next() {
        *first = start;
    }
    for (&length, place) in lengths.iter().zip(places) {
        *place = start + marcher.next(length);
    }
    marcher.on_curve
}

/// Walks along a curve, relative to its first point and scaled.
pub(crate) struct Marcher<'a> {
    curve: &'a [Vec3],
    scale: f32,
    at: Vec3,
    direction: Vec3,
    segment: usize,
    along: f32,
    on_curve: bool,
}

impl<'a> Marcher<'a> {
    pub fn new(curve: &'a [Vec3], scale: f32) -> Self {
        Self {
            curve,
            scale,
            at: Vec3::ZERO,
            direction: Vec3::X,
            segment: 0,
            along: 0.0,
            on_curve: true,
        }
    }

    /// The place one bone further on.
    pub fn next(&mut self, length: f32) -> Vec3 {
        if length <= 0.0 {
            return self.at;
        }
        match self.leave_ball(length) {
            Some((point, segment, along)) if self.on_curve => {
                self.direction = direction_or(point - self.at, self.direction);
                (self.at, self.segment, self.along) = (point, segment, along);
            }
            _ => {
                // Off the end: on through it, or straight ahead once past it.
                if self.on_curve {
                    let last = self.point(self.curve.len() - 1);
                    self.direction = direction_or(last - self.at, self.direction);
                    self.on_curve = false;
                }
                self.at += self.direction * length;
            }
        }
        self.at
    }

    fn point(&self, index: usize) -> Vec3 {
        (self.curve[index] - self.curve[0]) * self.scale
    }

    /// The first point of the curve from here on that leaves the ball of this radius: point, segment and share of the
    /// segment.
    fn leave_ball(&self, radius: f32) -> Option<(Vec3, usize, f32)> {
        for k in self.segment..self.curve.len().saturating_sub(1) {
            let start = self.point(k);
            let way = self.point(k + 1) - start;
            let from = start - self.at;
            let (a, b) = (way.length_squared(), from.dot(way));
            let c = from.length_squared() - radius * radius;
            let root = b * b - a * c;
            if a <= 0.0 || root < 0.0 {
                continue;
            }
            let share = (root.sqrt() - b) / a;
            let least = if k == self.segment { self.along } else { 0.0 };
            if share >= least && share <= 1.0 {
                return Some((start + way * share, k, share));
            }
        }
        None
    }
}
