//! Trunks and tentacles: their taper, and ways to wrap them around things.
//!
//! | item | what for |
//! |---|---|
//! | [`Taper`] | widths and lengths of a trunk, and a chain of them |
//! | [`curl_to_contact`] | wraps bone after bone until each touches, on any convex shape |
//! | [`wrap_points`], [`trunk_2007`] | points around a thing for sub-chains to reach |
//! | [`WrapPlan`] | which joints reach which point, and whether that is possible |
//! | [`Gait`] | key poses, played in a cycle |

mod contact;
mod gait;
mod plan;
mod points;
mod taper;

pub use contact::{Contacts, Wrap, curl_to_contact};
pub use gait::{Gait, GaitError};
pub use plan::{WrapError, WrapPlan};
pub use points::{WrapTurn, trunk_2007, wrap_points};
pub use taper::Taper;
