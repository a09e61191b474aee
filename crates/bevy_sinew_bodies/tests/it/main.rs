//! Claims about deformable bodies in a headless app.

mod edits;
mod fall;
mod frame_rate;
mod lifecycle;
mod quarantine;
mod sleep;
mod spawn;
mod support;
mod teleport;
mod time;
