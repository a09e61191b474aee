//! What the kernel claims, tested against mathematics and against a naive reference.

mod agreement;
mod construction;
mod contact;
mod deformation;
mod determinism;
mod embedding;
mod fixtures;
mod flight;
mod fuzz;
mod invariance;
mod landing;
mod oscillation;
mod projection;
mod quarantine;
mod recovery;
mod reference;
mod rest;
