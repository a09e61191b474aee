//! Drawing of bodies.

use std::sync::Arc;

use bevy_color::{Alpha, Color, Mix};
use bevy_ecs::prelude::*;
use bevy_gizmos::config::GizmoConfigStore;
use bevy_gizmos::gizmos::Gizmos;
use bevy_math::{Isometry3d, Mat3, Vec3};
use bevy_sinew_bodies::kernel::{ElasticShape, RegionGradients};
use bevy_sinew_bodies::{BodyState, DeformableBody, ExampleWeights};

use crate::gizmos::{BodyGizmos, ShowBodyGizmos};

/// Width of a weight's bar and of the gap to the next, in sizes of the body.
const BAR: f32 = 0.08;
/// Distance of the bars from the top of the body, in sizes of the body.
const BARS_ABOVE: f32 = 0.15;

/// What drawing a body needs, made once for its shape.
#[derive(Component, Debug)]
pub(crate) struct GizmoMemory {
    shape: Arc<ElasticShape>,
    gradients: RegionGradients,
    positions: Vec<Vec3>,
    of_particles: Vec<Mat3>,
}

impl GizmoMemory {
    fn new(shape: &Arc<ElasticShape>) -> Self {
        Self {
            gradients: RegionGradients::new(shape),
            positions: vec![Vec3::ZERO; shape.particle_count()],
            of_particles: vec![Mat3::IDENTITY; shape.particle_count()],
            shape: shape.clone(),
        }
    }
}

type Drawable<'a> = (
    Entity,
    &'a DeformableBody,
    &'a BodyState,
    Option<&'a ShowBodyGizmos>,
    Option<&'a ExampleWeights>,
    Option<&'a mut GizmoMemory>,
);

/// Draws the bodies that are to be shown.
pub(crate) fn draw(
    mut bodies: Query<Drawable>,
    store: Res<GizmoConfigStore>,
    mut gizmos: Gizmos<BodyGizmos>,
    mut commands: Commands,
) {
    let (_, config) = store.config::<BodyGizmos>();
    for (entity, body, state, show, weights, memory) in &mut bodies {
        if show.is_none() && !config.draw_all {
            continue;
        }
        let Some(shape) = &body.shape else { continue };
        let Some(kernel) = state.kernel().filter(|kernel| kernel.fits(shape)) else { continue };
        let Some(mut memory) = memory.filter(|memory| Arc::ptr_eq(&memory.shape, shape)) else {
            // It is drawn from the next frame on.
            commands.entity(entity).try_insert(GizmoMemory::new(shape));
            continue;
        };
        let memory = memory.bypass_change_detection();
        for (i, position) in memory.positions.iter_mut().enumerate() {
            *position = kernel.position(shape, i).as_vec3();
        }
        memory.gradients.evaluate(&memory.positions, &mut memory.of_particles);
        let sleeping = config.sleep_color.filter(|_| kernel.is_asleep());
        let particle_color = show.and_then(|show| show.color).or(config.particle_color);
        let brush = Brush {
            particle: particle_color.map(|color| sleeping.unwrap_or(color)),
            region: config.region_color.map(|color| sleeping.unwrap_or(color)),
            strain: config.strain_color.filter(|_| sleeping.is_none()),
            full_strain: config.full_strain,
            size: config.size * shape.spacing(),
        };
        for (&position, &gradient) in memory.positions.iter().zip(&memory.of_particles) {
            brush.draw(&mut gizmos, position, gradient);
        }
        if let (Some(color), Some(weights)) = (config.weight_color, weights) {
            draw_weights(&mut gizmos, &memory.positions, shape.size(), &weights.values, color);
        }
    }
}

/// Colours and sizes of one body.
struct Brush {
    particle: Option<Color>,
    region: Option<Color>,
    strain: Option<Color>,
    full_strain: f32,
    size: f32,
}

impl Brush {
    fn draw(&self, gizmos: &mut Gizmos<BodyGizmos>, position: Vec3, gradient: Mat3) {
        if let Some(color) = self.region {
            for axis in [gradient.x_axis, gradient.y_axis, gradient.z_axis] {
                gizmos.ray(position, axis * self.size, color);
            }
        }
        let color = match (self.particle, self.strain) {
            (None, None) => return,
            (Some(color), None) => color,
            (from, Some(to)) => {
                let share = strain_share(gradient, self.full_strain);
                from.map_or_else(|| to.with_alpha(to.alpha() * share), |from| from.mix(&to, share))
            }
        };
        gizmos.cross(Isometry3d::from_translation(position), 0.5 * self.size, color);
    }
}

/// Strain of a region as a share of `full`, in [0, 1].
fn strain_share(gradient: Mat3, full: f32) -> f32 {
    let strain = (gradient.transpose() * gradient - Mat3::IDENTITY) * 0.5;
    let norm = strain.to_cols_array().iter().map(|e| e * e).sum::<f32>().sqrt();
    let share = norm / full;
    if share.is_finite() { share.clamp(0.0, 1.0) } else { 1.0 }
}

/// Draws a row of bars above a body.
fn draw_weights(
    gizmos: &mut Gizmos<BodyGizmos>,
    positions: &[Vec3],
    size: f32,
    weights: &[f32],
    color: Color,
) {
    let Some(high) = positions.iter().copied().reduce(Vec3::max) else { return };
    let Some(low) = positions.iter().copied().reduce(Vec3::min) else { return };
    let width = BAR * size;
    let row = 2.0 * width * weights.len() as f32 - width;
    let middle = 0.5 * (low + high);
    let base = Vec3::new(middle.x - 0.5 * row, high.y + BARS_ABOVE * size, middle.z);
    gizmos.line(base, base + Vec3::X * row, color);
    for (i, &weight) in weights.iter().enumerate() {
        let left = base + Vec3::X * (2.0 * width * i as f32);
        let [right, up] = [Vec3::X * width, Vec3::Y * (weight * size)];
        gizmos.lineloop([left, left + right, left + right + up, left + up], color);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rotation_is_no_strain_and_stretch_is() {
        let turned = Mat3::from_rotation_x(1.1);
        assert!(strain_share(turned, 0.5) < 1e-5);
        // Half as long again along x: (1.5² − 1) / 2.
        let stretched = turned * Mat3::from_diagonal(Vec3::new(1.5, 1.0, 1.0));
        assert!((strain_share(stretched, 1.25) - 0.5).abs() < 1e-5);
        assert_eq!(strain_share(Mat3::ZERO, 0.0), 1.0);
        assert_eq!(strain_share(Mat3::from_diagonal(Vec3::NAN), 1.0), 1.0);
    }
}
