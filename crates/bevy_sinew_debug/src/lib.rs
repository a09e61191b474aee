//! Gizmos and diagnostics of deformable bodies.
#![forbid(unsafe_code)]
