//! Deformable bodies from Bevy meshes, and Bevy meshes that follow them.
#![forbid(unsafe_code)]
