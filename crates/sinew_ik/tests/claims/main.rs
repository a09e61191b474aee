//! What the kernel claims, tested against mathematics and against a naive reference.

mod curl;
mod damped;
mod fabrik;
mod fixtures;
mod frames;
mod fuzz;
mod goals;
mod limits;
mod obstacles;
mod thesis;
mod two_bone;
