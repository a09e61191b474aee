//! How a chain is solved; may differ from solve to solve.

/// The method. All but [`Solver::Auto`] and [`Solver::Dls`] serve a single position goal at the tip or a joint;
/// given more, [`Solver::Dls`] takes over, and the report says so.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Solver {
    /// One bone aims; two free bones are solved in closed form; free chains with a chosen curl take it; chains with
    /// obstacles take FABRIK; all others damped least squares.
    #[default]
    Auto,
    /// Closed form for two bones with a pole.
    TwoBone,
    /// Damped least squares by a 3×3 solve. Goal rotations, several goals and all limits.
    Dls,
    /// A plane curl by the chain's [`CurlProfile`](crate::CurlProfile), in closed form.
    Curl,
    /// Forward and backward reaching, with limits and with swings clear of obstacles.
    Fabrik,
    /// Cyclic coordinate descent from tip to root; for hinges.
    Ccd,
    /// The step law of the 2007 thesis: in each pass joint `i` turns by at most `i` times a step.
    CurlStep {
        /// The step, in rad.
        step: f32,
        /// Full steps about the world's axes by the signs of the thesis, which never settle: to compare with. Else
        /// steps are about the true normal, and end at the target.
        strict: bool,
    },
    /// Lays the chain along [`Task::curve`](crate::Task::curve); goals are not looked at.
    Spline,
}

/// When a target counts as reached.
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Tolerance {
    /// Share of the chain's length. Below a millionth rounding decides, so that is the least.
    Relative(f32),
    /// A distance in chain space (see [`ChainFrame::chain_tolerance`](crate::ChainFrame::chain_tolerance)).
    Distance(f32),
}

/// The pose that iterations begin with.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Start {
    /// The base pose: the result depends on this solve's input only, but for bends near a pole's line, which turn calmly
    /// from the last one. The default.
    #[default]
    Animated,
    /// The rest pose.
    Rest,
    /// What the last solve found, for fewer iterations and smooth tracking.
    Previous,
}

/// What to do about a target that is too far away.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub enum Unreachable {
    /// Stretch out towards it.
    #[default]
    Extend,
    /// The same, slowing down from this share of the length on, so that the elbow does not snap straight. Targets in
    /// between are missed on purpose and count as unreachable.
    Soft(f32),
    /// Lengthen all bones alike, at most by this factor (above 1). The report has the factor.
    Stretch(f32),
    /// Keep the base pose.
    Abort,
    /// Move the root towards it, at most by this distance in chain space. The report has the offset.
    DragRoot(f32),
}

/// How to solve.
///
/// ```
/// use sinew_ik::{Settings, Solver};
/// let settings = Settings { solver: Solver::Dls, weight: 0.5, ..Settings::default() };
/// assert_eq!(settings.max_iterations, None);
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
#[cfg_attr(feature = "serialize", derive(serde::Serialize, serde::Deserialize))]
pub struct Settings {
    /// The method.
    pub solver: Solver,
    /// Most iterations; `None` for the method's own number (DLS 16, FABRIK 32, CCD 24, steps 64). At most 10,000.
    pub max_iterations: Option<u16>,
    /// When a position counts as reached.
    pub tolerance: Tolerance,
    /// When a rotation counts as reached, in rad.
    pub rotation_tolerance: f32,
    /// Where iterations begin.
    pub start: Start,
    /// What to do about targets that are too far away.
    pub unreachable: Unreachable,
    /// Blend of local rotations from the base pose (0) to the solution (1).
    pub weight: f32,
    /// Number of free joints before a turned one that share the twist of its goal rotation, by falling parts.
    pub twist_joints: u16,
    /// Extra distance that bones keep from obstacles, in chain space.
    pub margin: f32,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            solver: Solver::Auto,
            max_iterations: None,
            tolerance: Tolerance::Relative(1e-4),
            rotation_tolerance: 1e-3,
            start: Start::Animated,
            unreachable: Unreachable::Extend,
            weight: 1.0,
            twist_joints: 0,
            margin: 0.0,
        }
    }
}

/// No solve takes more iterations than this, whatever is asked for.
const MOST_ITERATIONS: u16 = 10_000;

impl Settings {
    /// The cap on iterations, with a default of the method.
    pub(crate) fn cap(&self, own: u16) -> u16 {
        self.max_iterations.unwrap_or(own).min(MOST_ITERATIONS)
    }

    /// Tolerance as a share of the chain's length.
    pub(crate) fn unit_tolerance(&self, length: f32) -> f32 {
        let share = match self.tolerance {
            Tolerance::Relative(share) => share,
            Tolerance::Distance(distance) => distance / length,
        };
        // `max` takes the other value for NaN.
        share.max(1e-6)
    }
}
