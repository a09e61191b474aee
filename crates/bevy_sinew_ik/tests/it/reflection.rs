//! Inspectors, saved scenes, the remote protocol.

use bevy_ecs::entity::{EntityHashMap, MapEntities};
use bevy_ecs::prelude::*;
use bevy_ecs::reflect::{AppTypeRegistry, ReflectComponent};
use bevy_math::Vec3;
use bevy_reflect::{GetPath, std_traits::ReflectDefault};
use bevy_sinew_ik::prelude::*;

use crate::support::*;

#[test]
fn all_components_are_registered_and_have_defaults() {
    let app = app();
    let registry = app.world().resource::<AppTypeRegistry>().read();
    for name in [
        "IkChain",
        "IkTarget",
        "IkPole",
        "IkJointTargets",
        "IkSmoothing",
        "IkJoint",
        "IkStatus",
        "IkChainState",
    ] {
        let found = registry.get_with_short_type_path(name).expect(name);
        assert!(found.data::<ReflectComponent>().is_some(), "{name}");
        assert!(found.data::<ReflectDefault>().is_some(), "{name}");
    }
    for name in ["IkChainOf", "IkBasePose"] {
        let found = registry.get_with_short_type_path(name).expect(name);
        assert!(found.data::<ReflectComponent>().is_some(), "{name}");
    }
}

#[test]
fn an_edit_by_reflection_acts_in_the_same_frame() {
    let mut app = app();
    let [_, _, hand] = arm(&mut app);
    insert(&mut app, hand, (IkChain::ancestors(2), IkTarget::point(Vec3::Y)));
    app.update();
    let registry = app.world().resource::<AppTypeRegistry>().clone();
    let registry = registry.read();
    let component = registry.get_with_short_type_path("IkChain").expect("registered");
    let component = component.data::<ReflectComponent>().expect("a component").clone();
    let mut entity = app.world_mut().entity_mut(hand);
    let mut chain = component.reflect_mut(&mut entity).expect("it is there");
    *chain.path_mut::<f32>("weight").expect("a field") = 0.0;
    app.update();
    assert!(place(&app, hand).distance(Vec3::X * 2.0) < 1e-6);
}

#[test]
fn every_entity_in_a_component_is_mapped_when_a_scene_is_loaded() {
    let mut world = World::new();
    let old: Vec<Entity> = (0..4).map(|_| world.spawn_empty().id()).collect();
    let new: Vec<Entity> = (0..4).map(|_| world.spawn_empty().id()).collect();
    let mut map: EntityHashMap<Entity> = old.iter().copied().zip(new.iter().copied()).collect();
    let mut joints =
        [IkJoints::UpTo(old[0]), IkJoints::List(vec![old[0], old[1]]), IkJoints::Ancestors(2)];
    for joints in &mut joints {
        joints.map_entities(&mut map);
    }
    assert_eq!(
        joints,
        [IkJoints::UpTo(new[0]), IkJoints::List(vec![new[0], new[1]]), IkJoints::Ancestors(2)]
    );
    let mut target = IkTarget::entity(old[2]).turned_as(old[3]);
    <IkTarget as Component>::map_entities(&mut target, &mut map);
    assert_eq!(target, IkTarget::entity(new[2]).turned_as(new[3]));
    let mut pole =
        IkPole { at: IkPlace::Local { entity: old[1], point: Vec3::X }, ..Default::default() };
    <IkPole as Component>::map_entities(&mut pole, &mut map);
    assert_eq!(pole.at.entity(), Some(new[1]));
    let mut chain = IkChain::to(old[3]);
    <IkChain as Component>::map_entities(&mut chain, &mut map);
    assert_eq!(chain, IkChain::to(new[3]));
    let one = |entity| IkJointTarget { position: IkPlace::Entity(entity), ..Default::default() };
    let mut several = IkJointTargets(vec![one(old[0])]);
    <IkJointTargets as Component>::map_entities(&mut several, &mut map);
    assert_eq!(several, IkJointTargets(vec![one(new[0])]));
}
