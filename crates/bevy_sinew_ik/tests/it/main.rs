//! Claims about IK chains in a headless app.

mod animation;
mod bad_input;
mod base_pose;
mod bind;
mod fixed;
mod frames;
mod idle;
mod levels;
mod lifecycle;
mod propagation;
mod reach;
mod reflection;
mod rollback;
mod smoothing;
mod support;
mod threads;
