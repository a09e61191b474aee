//! How thick and how long a trunk is from joint to joint.

use glam::Vec3;

use crate::chain::{Chain, ChainError, Joint};

/// Widths that fall geometrically from root to tip, and bones in proportion: the law of the 2007 thesis,
/// `w_i = w_0 (1/5)^(i/20)` (3.1) and `l_i = w_i / 2` (3.2), with its numbers as the default.
///
/// ```
/// let trunk = sinew_ik::Taper { width: 25.0, ..Default::default() };
/// assert!((trunk.width_at(20) - 5.0).abs() < 1e-5);
/// assert!((trunk.length() - 5.173_362 * 25.0).abs() < 1e-3);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Taper {
    /// Width at the root, in any unit of length.
    pub width: f32,
    /// Width at the tip as a share of that.
    pub tip_share: f32,
    /// Length of a bone as a share of the width at its first joint.
    pub length_share: f32,
    /// Number of bones; control points are one more.
    pub bones: usize,
}

impl Default for Taper {
    fn default() -> Self {
        Self { width: 1.0, tip_share: 0.2, length_share: 0.5, bones: 20 }
    }
}

impl Taper {
    /// Width at a control point, from 0 at the root to the number of bones at the tip.
    #[must_use]
    pub fn width_at(&self, point: usize) -> f32 {
        let share = point as f64 / self.bones.max(1) as f64;
        (f64::from(self.width) * f64::from(self.tip_share).powf(share)) as f32
    }

    /// Length of a bone.
    #[must_use]
    pub fn bone_length(&self, bone: usize) -> f32 {
        self.width_at(bone) * self.length_share
    }

    /// Length of all bones.
    #[must_use]
    pub fn length(&self) -> f32 {
        (0..self.bones).map(|bone| self.bone_length(bone)).sum()
    }

    /// A straight chain of free joints from the origin, with half the widths as radii.
    ///
    /// # Errors
    /// As [`Chain::new`]; in particular when there are no bones or the width is zero.
    pub fn chain(&self, direction: Vec3) -> Result<Chain, ChainError> {
        let direction = direction.normalize_or_zero();
        let joints: Vec<Joint> = (0..self.bones)
            .map(|i| {
                let before = if i == 0 { 0.0 } else { self.bone_length(i - 1) };
                Joint { radius: 0.5 * self.width_at(i), ..Joint::at(direction * before) }
            })
            .collect();
        let last = self.bones.checked_sub(1).map_or(0.0, |last| self.bone_length(last));
        Chain::new(&joints, direction * last)
    }
}
