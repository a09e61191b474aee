//! What the kernel claims, tested against mathematics and against a naive reference.

mod agreement;
mod fixtures;
mod reference;
