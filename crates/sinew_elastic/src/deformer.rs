//! Example poses by formula: twist, bend, S, wave, shear, squash and shrink, about the body's centre.

use core::f32::consts::TAU;

use glam::{Quat, Vec3};

use crate::examples::ExamplePose;
use crate::shape::ElasticShape;

/// A pose that is made by moving every point of the rest shape. Body space, in metres.
///
/// Axes and directions need not have unit length; one of no length counts as the y axis (`axis`) or as
/// some direction across the axis (`towards`).
///
/// ```
/// use sinew_elastic::Deformer;
/// use sinew_elastic::glam::Vec3;
///
/// let squashed_twist = Deformer::squash(Vec3::Y, 0.8).then(Deformer::twist(Vec3::Y, 1.5));
/// assert!(squashed_twist.deform(Vec3::Y).abs_diff_eq(Vec3::Y * 0.8, 1e-6));
/// ```
#[derive(Clone, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Deformer {
    /// Turns each point about the axis, in proportion to its height along it.
    Twist {
        /// Axis of the twist.
        axis: Vec3,
        /// Turn by each metre of height.
        radians_per_metre: f32,
    },
    /// Bends the axis to a circular arc.
    Bend {
        /// The axis that bends.
        axis: Vec3,
        /// Where its ends go.
        towards: Vec3,
        /// Turn of the axis by each metre of its length.
        radians_per_metre: f32,
    },
    /// Bends the two halves of the axis to opposite sides, to the shape of an S.
    SShape {
        /// The axis that bends.
        axis: Vec3,
        /// Where its upper end goes.
        towards: Vec3,
        /// Turn of the axis by each metre of its length.
        radians_per_metre: f32,
    },
    /// Moves the layers across the axis to and fro, by the sine of their height, without turning them. With one
    /// wave on the body's length its ends stay where they are, one above the other, between them an S.
    Wave {
        /// The axis.
        axis: Vec3,
        /// Where points just above the centre go; those just below go the other way.
        towards: Vec3,
        /// Farthest way of a point, in metres.
        amplitude: f32,
        /// Length of a wave along the axis, in metres.
        wavelength: f32,
    },
    /// Moves each point along `towards`, in proportion to its height along the axis.
    Shear {
        /// Axis that heights are measured along.
        axis: Vec3,
        /// Where points go.
        towards: Vec3,
        /// Metres by each metre of height.
        amount: f32,
    },
    /// Scales along the axis and, so that the volume stays, across it the other way.
    Squash {
        /// The axis.
        axis: Vec3,
        /// Factor along the axis; above one it stretches.
        factor: f32,
    },
    /// Scales alike in all directions.
    Shrink {
        /// Factor on all lengths.
        factor: f32,
    },
    /// One after the other, the first one first; see [`Deformer::then`].
    Chain(Vec<Deformer>),
}

impl Deformer {
    /// A twist about `axis`.
    #[must_use]
    pub const fn twist(axis: Vec3, radians_per_metre: f32) -> Self {
        Self::Twist { axis, radians_per_metre }
    }

    /// A bend of `axis` to an arc, its ends `towards` one side.
    #[must_use]
    pub const fn bend(axis: Vec3, towards: Vec3, radians_per_metre: f32) -> Self {
        Self::Bend { axis, towards, radians_per_metre }
    }

    /// A bend of `axis` to an S, its upper end `towards` one side.
    #[must_use]
    pub const fn s_shape(axis: Vec3, towards: Vec3, radians_per_metre: f32) -> Self {
        Self::SShape { axis, towards, radians_per_metre }
    }

    /// A wave of layers across `axis`, whose upper half goes `towards` one side first; an S where `wavelength`
    /// is the body's length. A wave of no length has no such pose, and no example can be made of it.
    #[must_use]
    pub const fn wave(axis: Vec3, towards: Vec3, amplitude: f32, wavelength: f32) -> Self {
        Self::Wave { axis, towards, amplitude, wavelength }
    }

    /// A shear that moves points `towards` one side, by `amount` metres a metre along `axis`.
    #[must_use]
    pub const fn shear(axis: Vec3, towards: Vec3, amount: f32) -> Self {
        Self::Shear { axis, towards, amount }
    }

    /// A change of length along `axis` by a factor, the volume kept. A factor that is not positive has no
    /// such pose: its points are not finite, and no example can be made of them.
    #[must_use]
    pub const fn squash(axis: Vec3, factor: f32) -> Self {
        Self::Squash { axis, factor }
    }

    /// A change of all lengths by a factor.
    #[must_use]
    pub const fn shrink(factor: f32) -> Self {
        Self::Shrink { factor }
    }

    /// This one, and then `next` on the points that it moved. Both act about the rest shape's centre.
    #[must_use]
    pub fn then(self, next: Self) -> Self {
        let mut chain = self.into_links();
        chain.extend(next.into_links());
        Self::Chain(chain)
    }

    fn into_links(self) -> Vec<Self> {
        match self {
            Self::Chain(links) => links,
            single => vec![single],
        }
    }

    /// Where `point`, relative to the body's centre, goes.
    #[must_use]
    pub fn deform(&self, point: Vec3) -> Vec3 {
        match self {
            &Self::Twist { axis, radians_per_metre } => {
                let axis = axis.normalize_or(Vec3::Y);
                Quat::from_axis_angle(axis, radians_per_metre * point.dot(axis)) * point
            }
            &Self::Bend { axis, towards, radians_per_metre } => {
                bend(point, axis, towards, radians_per_metre)
            }
            &Self::SShape { axis, towards, radians_per_metre } => {
                // The lower half is the upper half's image through the centre.
                let axis = axis.normalize_or(Vec3::Y);
                if point.dot(axis) >= 0.0 {
                    bend(point, axis, towards, radians_per_metre)
                } else {
                    -bend(-point, axis, towards, radians_per_metre)
                }
            }
            &Self::Wave { axis, towards, amplitude, wavelength } => {
                let axis = axis.normalize_or(Vec3::Y);
                let height = point.dot(axis);
                point + across(axis, towards) * (amplitude * (TAU * height / wavelength).sin())
            }
            &Self::Shear { axis, towards, amount } => {
                let axis = axis.normalize_or(Vec3::Y);
                point + towards.normalize_or(Vec3::X) * (amount * point.dot(axis))
            }
            &Self::Squash { axis, factor } => {
                let axis = axis.normalize_or(Vec3::Y);
                let along = axis * point.dot(axis);
                along * factor + (point - along) / factor.sqrt()
            }
            &Self::Shrink { factor } => point * factor,
            Self::Chain(links) => links.iter().fold(point, |point, link| link.deform(point)),
        }
    }

    /// The pose of a whole body.
    #[must_use]
    pub fn pose(&self, name: impl Into<String>, shape: &ElasticShape) -> ExamplePose {
        let center = shape.center();
        ExamplePose::from_fn(name, shape, |point| self.deform(point - center) + center)
    }
}

/// The direction across a unit axis that is nearest to `towards`, or any where that says nothing.
fn across(axis: Vec3, towards: Vec3) -> Vec3 {
    towards.reject_from_normalized(axis).normalize_or(axis.any_orthonormal_vector())
}

/// Bends the axis to an arc of curvature `curvature` that turns `towards`.
fn bend(point: Vec3, axis: Vec3, towards: Vec3, curvature: f32) -> Vec3 {
    let axis = axis.normalize_or(Vec3::Y);
    let towards = across(axis, towards);
    let (along, across) = (point.dot(axis), point.dot(towards));
    let rest = point - axis * along - towards * across;
    let (sine, cosine) = (curvature * along).sin_cos();
    // (1 − cos) / κ and sin / κ, without cancellation, and without the division where κ is small.
    let angle = curvature * along;
    let (rise, run) = if angle.abs() < 1e-3 {
        (0.5 * angle * along, along * (1.0 - angle * angle / 6.0))
    } else {
        (2.0 * (0.5 * angle).sin().powi(2) / curvature, sine / curvature)
    };
    rest + towards * (rise + across * cosine) + axis * (run - across * sine)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bend_keeps_the_length_of_the_axis_and_turns_it() {
        let bend = Deformer::Bend { axis: Vec3::Y, towards: Vec3::X, radians_per_metre: 1.2 };
        let mut length = 0.0;
        let steps = 2_000;
        let point = |i: i32| bend.deform(Vec3::Y * (i as f32 / steps as f32));
        for i in 0..steps {
            length += (point(i + 1) - point(i)).length();
        }
        assert!((length - 1.0).abs() < 1e-3, "{length}");
        let end = (point(steps) - point(steps - 1)).normalize();
        assert!((end - Vec3::new(1.2_f32.sin(), 1.2_f32.cos(), 0.0)).length() < 1e-2, "{end}");
    }

    #[test]
    fn an_s_is_its_own_image_through_the_centre() {
        let s = Deformer::SShape { axis: Vec3::Y, towards: Vec3::X, radians_per_metre: 2.0 };
        for point in [Vec3::new(0.1, 0.4, 0.2), Vec3::new(-0.2, 0.7, 0.0)] {
            assert_eq!(s.deform(-point), -s.deform(point));
        }
        assert!(s.deform(Vec3::Y).x > 0.1 && s.deform(Vec3::NEG_Y).x < -0.1);
    }

    #[test]
    fn a_wave_of_the_bodys_length_keeps_its_ends_and_its_centre_and_moves_its_quarters() {
        let wave = Deformer::wave(Vec3::Y * 3.0, Vec3::new(0.0, 5.0, 2.0), 0.3, 2.0);
        let inside = Vec3::new(0.1, 0.0, -0.2);
        for (height, way) in [(-1.0, 0.0), (-0.5, -0.3), (0.0, 0.0), (0.5, 0.3), (1.0, 0.0)] {
            let point = inside + Vec3::Y * height;
            let moved = wave.deform(point);
            assert!(moved.abs_diff_eq(point + Vec3::Z * way, 1e-6), "{point}: {moved}");
        }
        assert!(!Deformer::wave(Vec3::Y, Vec3::Z, 0.3, 0.0).deform(Vec3::Y).is_finite());
    }

    #[test]
    fn a_squash_keeps_the_volume() {
        let squash = Deformer::Squash { axis: Vec3::new(1.0, 2.0, 0.5), factor: 0.6 };
        let [x, y, z] = [Vec3::X, Vec3::Y, Vec3::Z].map(|v| squash.deform(v));
        assert!((x.cross(y).dot(z) - 1.0).abs() < 1e-5);
    }

    #[test]
    fn a_chain_is_one_after_the_other_however_it_is_nested() {
        let [a, b, c] = [
            Deformer::squash(Vec3::Y, 0.5),
            Deformer::twist(Vec3::X, 1.3),
            Deformer::shear(Vec3::Y, Vec3::Z, 0.7),
        ];
        let point = Vec3::new(0.3, -0.4, 0.2);
        let expected = c.deform(b.deform(a.deform(point)));
        let left = a.clone().then(b.clone()).then(c.clone());
        let right = a.clone().then(b.clone().then(c.clone()));
        assert_eq!(left, right);
        assert_eq!(left.deform(point), expected);
        assert_ne!(c.then(b).then(a).deform(point), expected, "the order matters");
        assert_eq!(Deformer::Chain(Vec::new()).deform(point), point, "none at all moves nothing");
    }

    #[test]
    fn directions_of_no_length_have_a_meaning() {
        let point = Vec3::new(0.3, -0.4, 0.2);
        let pairs = [
            (Deformer::twist(Vec3::ZERO, 2.0), Deformer::twist(Vec3::Y, 2.0)),
            (Deformer::squash(Vec3::ZERO, 0.5), Deformer::squash(Vec3::Y, 0.5)),
        ];
        for (given, meant) in pairs {
            assert_eq!(given.deform(point), meant.deform(point));
        }
        for towards in [Vec3::ZERO, Vec3::Y] {
            assert!(Deformer::bend(Vec3::Y, towards, 1.0).deform(point).is_finite());
            assert!(Deformer::s_shape(Vec3::Y, towards, 1.0).deform(point).is_finite());
            assert!(Deformer::wave(Vec3::Y, towards, 0.1, 1.0).deform(point).is_finite());
        }
    }

    #[test]
    fn weak_and_strong_bends_meet() {
        let at = |k: f32| {
            let bend = Deformer::Bend { axis: Vec3::Y, towards: Vec3::X, radians_per_metre: k };
            bend.deform(Vec3::new(0.3, 1.0, 0.1))
        };
        assert!((at(0.999e-3) - at(1.001e-3)).length() < 1e-5);
        assert_eq!(at(0.0), Vec3::new(0.3, 1.0, 0.1));
    }
}
