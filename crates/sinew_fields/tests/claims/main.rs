//! What the kernel claims, tested against mathematics and against naive references.

mod bad_input;
mod bend;
mod fields;
mod fixtures;
mod fuzz;
mod operators;
mod queries;
mod skinning;
mod steadiness;
mod surface;
