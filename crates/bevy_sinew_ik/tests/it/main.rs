//! Claims about IK chains in a headless app.

mod reach;
mod support;
