//! Meshes that become bodies, and bodies that move meshes, in an app without a renderer.

mod binding;
mod bounds;
mod building;
mod formats;
mod model_files;
mod models;
mod moving;
mod parts;
mod scale;
mod seams;
mod sharing;
mod support;
