//! Claims about deformable bodies in a headless app.

mod edits;
mod example_set;
mod fall;
mod frame_rate;
mod held;
mod lifecycle;
mod phases;
mod quarantine;
mod reflection;
mod saving;
mod sleep;
mod spawn;
mod support;
mod teleport;
mod threads;
mod time;
