//! How a frame is solved; all of it can change from frame to frame.

/// The plain skinning that a frame starts from, and that is drawn where fields have no say.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Start {
    /// Dual quaternions: no collapse under twists, shallower overlaps.
    #[default]
    DualQuaternion,
    /// Linear blend, as engines draw it. Twists beyond 150° cannot be recovered from it.
    Linear,
}

/// What happens where two parts of the skin meet.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum ContactRule {
    /// A vertex stays on its own part's side of the surface on which both distances are equal, with a
    /// gap. It needs no history and does not depend on the step size.
    MedialPlane,
    /// A vertex stops when its gradient turns by more than this many degrees from one step to the next.
    /// The rule of Vaillant et al. 2013, with 55°.
    GradientAngle(f32),
}

/// How a frame is solved.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SkinSettings {
    /// Where vertices start.
    pub start: Start,
    /// The share of the correction that is shown: 0 gives plain skinning, 1 the full effect. Cross-fades
    /// and [levels of detail](crate::Lod) change it.
    pub strength: f32,
    /// Projections at most. A vertex that has reached its value takes part in no more of them.
    pub iterations: u32,
    /// The share of a Newton step that is taken, 0 to 1.
    pub step: f32,
    /// The longest step, in support radii of the vertex's joint.
    pub longest_step: f32,
    /// The rule for contact.
    pub contact: ContactRule,
    /// Whether vertices are spread evenly along the surface while they move.
    pub relax: bool,
    /// Passes that spread the weight of smoothing outward from contact.
    pub diffusions: u32,
    /// Smoothing passes near contact.
    pub smoothings: u32,
    /// Projections after smoothing, so that it cannot push skin through skin.
    pub final_projections: u32,
}

impl Default for SkinSettings {
    fn default() -> Self {
        Self {
            start: Start::DualQuaternion,
            strength: 1.0,
            iterations: 8,
            step: 0.6,
            longest_step: 0.15,
            contact: ContactRule::MedialPlane,
            relax: true,
            diffusions: 3,
            smoothings: 2,
            final_projections: 4,
        }
    }
}

/// More passes than this change nothing.
const MOST_PASSES: u32 = 64;

impl SkinSettings {
    /// The paper's method: small steps, and vertices that stop where the gradient turns by 55°.
    #[must_use]
    pub fn published() -> Self {
        Self {
            iterations: 30,
            step: 0.35,
            longest_step: 0.1,
            contact: ContactRule::GradientAngle(55.0),
            final_projections: 0,
            ..Self::default()
        }
    }

    /// Numbers that a frame can rely on, whatever was typed.
    pub(crate) fn sane(&self) -> Self {
        let number = |x: f32, low: f32, high: f32| {
            if x.is_finite() { x.clamp(low, high) } else { low }
        };
        Self {
            strength: number(self.strength, 0.0, 1.0),
            iterations: self.iterations.min(MOST_PASSES),
            step: number(self.step, 0.0, 1.0),
            longest_step: number(self.longest_step, 0.0, 1.0),
            diffusions: self.diffusions.min(MOST_PASSES),
            smoothings: self.smoothings.min(MOST_PASSES),
            final_projections: self.final_projections.min(MOST_PASSES),
            ..*self
        }
    }
}
