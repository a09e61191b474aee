//! Meshes that become bodies, and bodies that move meshes, in an app without a renderer.

mod binding;
mod bounds;
mod building;
mod existing;
mod formats;
mod loading;
mod model_files;
mod models;
mod moving;
mod parts;
mod picking;
mod scale;
mod seams;
mod sharing;
mod support;
