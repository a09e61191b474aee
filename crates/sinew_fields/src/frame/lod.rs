//! How much work a skin gets at a distance.

use super::SkinSettings;

/// How much is done.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LodLevel {
    /// Everything.
    #[default]
    Full,
    /// Three projections, no relaxation, no smoothing.
    Reduced,
    /// Plain skinning.
    Plain,
}

/// Levels of detail by the size of a character on the screen, with a fade before each change.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Lod {
    /// Full above this share of the screen's height.
    pub full: f32,
    /// The reduced correction begins to fade below this share.
    pub fade: f32,
    /// Plain skinning below this share.
    pub plain: f32,
}

impl Default for Lod {
    fn default() -> Self {
        Self { full: 0.25, fade: 0.12, plain: 0.06 }
    }
}

impl Lod {
    /// Level and strength for a character that covers `share` of the screen's height.
    ///
    /// The strength falls to zero before plain skinning begins, so that nothing pops.
    #[must_use]
    pub fn at(&self, share: f32) -> (LodLevel, f32) {
        if share >= self.full {
            (LodLevel::Full, 1.0)
        } else if share > self.plain {
            let strength = (share - self.plain) / (self.fade - self.plain).max(f32::MIN_POSITIVE);
            (LodLevel::Reduced, strength.clamp(0.0, 1.0))
        } else {
            (LodLevel::Plain, 0.0)
        }
    }
}

impl SkinSettings {
    /// These settings with the work of a level; the strength is multiplied.
    #[must_use]
    pub fn with_lod(self, level: LodLevel, strength: f32) -> Self {
        let strength = self.strength * strength;
        match level {
            LodLevel::Full => Self { strength, ..self },
            LodLevel::Reduced => Self {
                strength,
                iterations: self.iterations.min(3),
                step: 1.0,
                relax: false,
                smoothings: 0,
                diffusions: 0,
                final_projections: 0,
                ..self
            },
            LodLevel::Plain => Self { strength: 0.0, ..self },
        }
    }
}
