//! What is drawn, and in which colours.

use bevy_color::Color;
use bevy_ecs::component::Component;
use bevy_ecs::reflect::ReflectComponent;
use bevy_gizmos::config::GizmoConfigGroup;
use bevy_reflect::{Reflect, std_traits::ReflectDefault};

/// Gizmos of deformable bodies. A colour of `None` leaves its part out.
///
/// Edit it in the `GizmoConfigStore`; line width, depth and whether the group is on are in the
/// `GizmoConfig` beside it.
#[derive(Clone, Debug, Reflect, GizmoConfigGroup)]
#[reflect(Default, Clone, Debug)]
pub struct BodyGizmos {
    /// Draws all bodies, not only those with [`ShowBodyGizmos`]. The default is `false`.
    pub draw_all: bool,
    /// A cross on each particle.
    pub particle_color: Option<Color>,
    /// On each particle, three short axes that deform as its region does: where they are not
    /// perpendicular, the region is sheared.
    pub region_color: Option<Color>,
    /// Colour of a particle whose region is strained by [`BodyGizmos::full_strain`] or more; less strain
    /// is between this and the colour of particles, which are drawn for it even when they have none.
    pub strain_color: Option<Color>,
    /// Strain with the full colour, as the entry-wise norm of `(FᵀF − I) / 2`.
    pub full_strain: f32,
    /// A bar for each example weight, above the body: as high as the body is large at a weight of one,
    /// downwards when negative.
    pub weight_color: Option<Color>,
    /// Colour of all parts of bodies that sleep; `None` draws them as the others.
    pub sleep_color: Option<Color>,
    /// Size of crosses and axes, in distances between particles.
    pub size: f32,
}

impl Default for BodyGizmos {
    fn default() -> Self {
        Self {
            draw_all: false,
            particle_color: Some(Color::srgb(0.3, 0.75, 1.0)),
            region_color: Some(Color::srgba(1.0, 1.0, 1.0, 0.25)),
            strain_color: Some(Color::srgb(1.0, 0.25, 0.1)),
            full_strain: 0.5,
            weight_color: Some(Color::srgb(1.0, 0.8, 0.2)),
            sleep_color: Some(Color::srgb(0.45, 0.45, 0.5)),
            size: 0.25,
        }
    }
}

/// Draws the gizmos of this body.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
pub struct ShowBodyGizmos {
    /// Colour of its particles; `None` takes that of [`BodyGizmos`].
    pub color: Option<Color>,
}
