//! What the kernel claims, tested against mathematics and against naive references.

mod bend;
mod fields;
mod fixtures;
mod operators;
