//! Gizmos of IK chains: bones, limits, poles, and the way that is left to the target.

use bevy_color::Color;
use bevy_ecs::prelude::*;
use bevy_gizmos::config::{GizmoConfigGroup, GizmoConfigStore};
use bevy_gizmos::gizmos::Gizmos;
use bevy_math::{Affine3A, Isometry3d, Quat, Vec3};
use bevy_reflect::prelude::*;
use bevy_sinew_ik::{
    IkBasePose, IkBinding, IkChain, IkJoint, IkLimit, IkPlace, IkPole, IkState, IkStatus, IkTarget,
};
use bevy_transform::components::GlobalTransform;

/// Lines that a hinge's arc is made of.
const ARC_LINES: u32 = 12;

/// Gizmos of IK chains. A colour of `None` leaves its part out.
///
/// Edit it in the `GizmoConfigStore`; line width, depth and whether the group is on are in the
/// `GizmoConfig` beside it.
#[derive(Clone, Debug, Reflect, GizmoConfigGroup)]
#[reflect(Default, Clone, Debug)]
pub struct IkGizmos {
    /// Draws all chains, not only those with [`ShowIkGizmos`]. The default is `false`.
    pub draw_all: bool,
    /// Lines from joint to joint, and a cross on each joint.
    pub bone_color: Option<Color>,
    /// Cones and arcs that joints may turn in.
    pub limit_color: Option<Color>,
    /// A line from the middle of the chain to its pole.
    pub pole_color: Option<Color>,
    /// A cross on a target that is reached.
    pub reached_color: Option<Color>,
    /// A cross on a target that is not reached, and a line to it from the chain's end.
    pub missed_color: Option<Color>,
    /// Colour of the bones of a chain that cannot be solved.
    pub invalid_color: Option<Color>,
    /// Size of crosses and limits, in lengths of the bone at hand.
    pub size: f32,
}

impl Default for IkGizmos {
    fn default() -> Self {
        Self {
            draw_all: false,
            bone_color: Some(Color::srgb(0.9, 0.9, 1.0)),
            limit_color: Some(Color::srgba(0.4, 0.7, 1.0, 0.5)),
            pole_color: Some(Color::srgb(0.7, 0.4, 1.0)),
            reached_color: Some(Color::srgb(0.2, 0.9, 0.3)),
            missed_color: Some(Color::srgb(1.0, 0.8, 0.1)),
            invalid_color: Some(Color::srgb(1.0, 0.2, 0.1)),
            size: 0.3,
        }
    }
}

/// Draws the gizmos of this chain: put it beside its `IkChain`.
#[derive(Component, Clone, Copy, Debug, Default, PartialEq, Reflect)]
#[reflect(Component, Default, Debug, Clone, PartialEq)]
pub struct ShowIkGizmos;

type Drawable<'a> = (
    &'a IkChain,
    &'a IkBinding,
    &'a IkTarget,
    &'a IkStatus,
    Option<&'a IkPole>,
    Option<&'a ShowIkGizmos>,
);

type Joints<'w, 's> = Query<
    'w,
    's,
    (&'static GlobalTransform, Option<&'static IkBasePose>, Option<&'static IkJoint>),
>;

/// Draws the chains that are to be shown.
pub(crate) fn draw_chains(
    chains: Query<Drawable>,
    joints: Joints,
    parents: Query<&ChildOf>,
    store: Res<GizmoConfigStore>,
    mut gizmos: Gizmos<IkGizmos>,
) {
    let (_, config) = store.config::<IkGizmos>();
    for (chain, binding, target, status, pole, show) in &chains {
        if show.is_none() && !config.draw_all {
            continue;
        }
        let places: Vec<(Entity, &GlobalTransform)> =
            binding.joints().filter_map(|joint| Some((joint, joints.get(joint).ok()?.0))).collect();
        let Some(&(_, last)) = places.last() else { continue };
        let tip = last.transform_point(chain.tip_offset);
        let mut points: Vec<Vec3> = places.iter().map(|(_, at)| at.translation()).collect();
        points.push(tip);
        let invalid = config.invalid_color.filter(|_| status.state == IkState::Invalid);
        let bone_color = config.bone_color.map(|color| invalid.unwrap_or(color));
        for (index, pair) in points.windows(2).enumerate() {
            let size = config.size * pair[0].distance(pair[1]);
            if let Some(color) = bone_color {
                gizmos.line(pair[0], pair[1], color);
                gizmos.cross(Isometry3d::from_translation(pair[0]), 0.5 * size, color);
            }
            let joint = places.get(index).and_then(|&(joint, _)| {
                let (_, base, limit) = joints.get(joint).ok()?;
                Some((joint, base?, limit?))
            });
            if let (Some(color), Some((entity, base, limit))) = (config.limit_color, joint) {
                let parent = parents.get(entity).ok().and_then(|of| joints.get(of.parent()).ok());
                let world = parent.map_or(Affine3A::IDENTITY, |(world, ..)| world.affine());
                let rest = limit.rest.unwrap_or_else(|| base.rest());
                let fan = Fan { world, rest, origin: pair[0], size, color };
                fan.draw(&mut gizmos, &limit.limit);
            }
        }
        let size = config.size * points[0].distance(points[1]);
        let world_of = |entity| joints.get(entity).map(|(world, ..)| *world).ok();
        if let (Some(color), Some(at)) =
            (config.pole_color, pole.and_then(|pole| place(&pole.at, world_of)))
        {
            gizmos.line(points[points.len() / 2], at, color);
        }
        let reached = status.state == IkState::Reached;
        let target_color = if reached { config.reached_color } else { config.missed_color };
        if let (Some(color), Some(at)) = (target_color, place(&target.position, world_of)) {
            gizmos.cross(Isometry3d::from_translation(at), 0.5 * size, color);
            if !reached {
                gizmos.line(tip, at, color);
            }
        }
    }
}

/// A place in the world; `None` for none, or if it is not finite.
fn place(place: &IkPlace, world: impl Fn(Entity) -> Option<GlobalTransform>) -> Option<Vec3> {
    let at = match *place {
        IkPlace::None => return None,
        IkPlace::Point(point) => point,
        IkPlace::Entity(entity) => world(entity)?.translation(),
        IkPlace::Local { entity, point } => world(entity)?.transform_point(point),
    };
    at.is_finite().then_some(at)
}

/// A limit's lines about a joint.
struct Fan {
    world: Affine3A,
    rest: Quat,
    origin: Vec3,
    size: f32,
    color: Color,
}

impl Fan {
    /// A direction in joint space at rest, in the world and as long as limits are drawn.
    fn ray(&self, direction: Vec3) -> Vec3 {
        let direction = self.world.transform_vector3(self.rest * direction).normalize_or_zero();
        direction * self.size
    }

    fn draw(&self, gizmos: &mut Gizmos<IkGizmos>, limit: &IkLimit) {
        match *limit {
            IkLimit::Hinge { axis, min, max } => {
                let axis = axis.normalize_or_zero();
                if axis == Vec3::ZERO || !(min.is_finite() && max.is_finite()) {
                    return;
                }
                let start = axis.any_orthonormal_vector();
                let arm =
                    |share: f32| Quat::from_axis_angle(axis, min + (max - min) * share) * start;
                let arc = (0..=ARC_LINES).map(|step| self.ray(arm(step as f32 / ARC_LINES as f32)));
                let rim = arc.map(|ray| self.origin + ray);
                let ends = [self.origin];
                gizmos.linestrip(ends.into_iter().chain(rim).chain(ends), self.color);
            }
            IkLimit::Cone { axis, half_angle } => {
                let up = axis.normalize_or_zero();
                if up != Vec3::ZERO {
                    self.cone(gizmos, axis, up.any_orthonormal_vector(), [half_angle; 4]);
                }
            }
            IkLimit::Ellipse { axis, up, half_angles }
            | IkLimit::SwingTwist { axis, up, half_angles, .. } => {
                self.cone(gizmos, axis, up, half_angles);
            }
            IkLimit::Free | IkLimit::PerAxis { .. } | IkLimit::Fixed => {}
        }
    }

    /// Four rays towards up, right, down and left, and a loop through their ends.
    fn cone(&self, gizmos: &mut Gizmos<IkGizmos>, axis: Vec3, up: Vec3, half_angles: [f32; 4]) {
        let axis = axis.normalize_or_zero();
        let up = up.reject_from_normalized(axis).normalize_or_zero();
        let right = axis.cross(up);
        let sides = [up, right, -up, -right];
        let ends = sides.iter().zip(half_angles).map(|(&side, half)| {
            let (sin, cos) = half.sin_cos();
            self.origin + self.ray(axis * cos + side * sin)
        });
        let ends: Vec<Vec3> = ends.filter(|end| end.is_finite()).collect();
        for &end in &ends {
            gizmos.line(self.origin, end, self.color);
        }
        gizmos.lineloop(ends, self.color);
    }
}
