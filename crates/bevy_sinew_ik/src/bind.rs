//! Finding the joints of chains: when a chain is new or edited, and when the hierarchy changes.

use bevy_ecs::prelude::*;
use bevy_ecs::system::SystemParam;
use bevy_math::Quat;
use bevy_transform::components::Transform;

use crate::binding::{BindKey, IkBinding, Slot, describe};
use crate::chain::{IkChain, IkChainOf, IkJoints};
use crate::joint::{IkBasePose, IkJoint};
use crate::levels::{Node, order};
use crate::status::{IkActivity, IkError};
use crate::target::{IkJointTargets, IkPole, IkSmoothing, IkTarget};

/// What is known about all chains together.
#[derive(Resource, Clone, Debug, Default)]
pub(crate) struct IkGraph {
    /// Joints, targets and all their ancestors, sorted: changes of other parents do not matter.
    watched: Vec<Entity>,
    /// Joints of chains that are gone or were bound anew.
    left: Vec<Entity>,
    /// A chain was removed.
    stale: bool,
    /// Number of levels.
    pub levels: u16,
    pub has_frame: bool,
    pub has_fixed: bool,
}

/// The hierarchy.
#[derive(SystemParam)]
pub(crate) struct Tree<'w, 's> {
    parents: Query<'w, 's, &'static ChildOf>,
    children: Query<'w, 's, &'static Children>,
    names: Query<'w, 's, &'static Name>,
}

/// What may have changed since the last look.
#[derive(SystemParam)]
pub(crate) struct Changes<'w, 's> {
    parents: Query<'w, 's, Entity, Changed<ChildOf>>,
    orphaned: RemovedComponents<'w, 's, ChildOf>,
    removed: RemovedComponents<'w, 's, Transform>,
    limits: Query<'w, 's, (), (Changed<IkJoint>, With<IkBasePose>)>,
    unlimited: RemovedComponents<'w, 's, IkJoint>,
    named: Query<'w, 's, (), Or<(Changed<Name>, Changed<Children>)>>,
}

/// Which chains to look at again.
#[derive(Clone, Copy, Debug, Default)]
struct Look {
    /// A joint, a target or an ancestor of one has another parent, or is gone.
    all: bool,
    /// A limit changed.
    limits: bool,
}

impl Changes<'_, '_> {
    fn look(&mut self, graph: &IkGraph) -> Look {
        let watched = |entity: &Entity| graph.watched.binary_search(entity).is_ok();
        // Every reader must be drained, so no short cuts.
        let moved = self.parents.iter().filter(watched).count();
        let orphaned = self.orphaned.read().filter(watched).count();
        let removed = self.removed.read().filter(watched).count();
        let unlimited = self.unlimited.read().filter(watched).count();
        Look {
            all: moved + orphaned + removed > 0 || graph.stale,
            limits: unlimited > 0 || !self.limits.is_empty(),
        }
    }
}

type ChainQuery<'w, 's> = Query<
    'w,
    's,
    (
        Entity,
        Ref<'static, IkChain>,
        Ref<'static, IkTarget>,
        Option<Ref<'static, IkPole>>,
        Option<Ref<'static, IkJointTargets>>,
        Option<Ref<'static, IkSmoothing>>,
        Option<&'static IkChainOf>,
        &'static mut IkBinding,
    ),
>;

type JointQuery<'w, 's> = Query<
    'w,
    's,
    (&'static mut Transform, Option<&'static mut IkBasePose>, Option<&'static IkJoint>),
>;

/// Binds chains to joints, and puts chains in order.
pub(crate) fn bind(
    mut chains: ChainQuery,
    mut joints: JointQuery,
    tree: Tree,
    mut changes: Changes,
    mut graph: ResMut<IkGraph>,
    mut activity: ResMut<IkActivity>,
    mut commands: Commands,
) {
    let look = changes.look(&graph);
    let mut reorder = look.all;
    for (entity, chain, target, pole, extra, smoothing, of, binding) in &mut chains {
        // What chains follow decides on the order.
        let followed_may_differ = target.is_changed()
            || pole.as_ref().is_some_and(Ref::is_changed)
            || extra.as_ref().is_some_and(Ref::is_changed);
        let max_rate = smoothing.as_ref().and_then(|smoothing| smoothing.max_rate);
        let keyed = binding.key.as_ref().is_some_and(|key| key.is_of(&chain, max_rate));
        let again =
            !keyed || look.all || look.limits || (binding.pending && !changes.named.is_empty());
        if !(again || followed_may_differ) {
            continue;
        }
        let binding = binding.into_inner();
        if followed_may_differ {
            let followed = follow(&target, pole.as_deref(), extra.as_deref());
            if !followed.eq(binding.followed.iter().copied()) {
                binding.followed = follow(&target, pole.as_deref(), extra.as_deref()).collect();
                reorder = true;
            }
        }
        if !again {
            continue;
        }
        let root = of.map_or(entity, |of| of.0);
        let found = find(&chain.joints, entity, root, &tree, &joints.as_readonly());
        let found = found.unwrap_or_else(|failure| {
            binding.pending = true;
            binding.bind_fault = failure;
            Vec::new()
        });
        let same = binding.slots.iter().map(|slot| slot.entity).eq(found.iter().copied());
        if !same {
            graph.left.extend(binding.slots.iter().map(|slot| slot.entity));
            binding.slots = found.iter().map(|&joint| Slot::new(joint)).collect();
            reorder = true;
        }
        let other = binding
            .key
            .as_ref()
            .is_none_or(|key| key.fixed != chain.mode.is_fixed() || key.priority != chain.priority);
        reorder |= other;
        if found.is_empty() {
            binding.chain = None;
            binding.joints.clear();
        } else {
            binding.pending = false;
            let described = found.iter().filter_map(|&joint| {
                let (transform, base, limit) = joints.get(joint).ok()?;
                Some(describe(transform, base, limit, max_rate))
            });
            binding.describe(described.collect(), chain.tip_offset);
            for &joint in &found {
                if let Ok((transform, None, _)) = joints.get(joint) {
                    commands.entity(joint).try_insert_if_new(IkBasePose::new(transform.rotation));
                }
            }
        }
        binding.key = Some(BindKey::of(&chain, max_rate));
    }
    if reorder {
        graph.stale = false;
        arrange(&mut chains, &tree, &joints.as_readonly(), &mut graph);
        release(&mut chains, &mut joints, &mut graph, &mut commands);
        let bound = chains.iter().filter(|chain| !chain.7.slots.is_empty()).count();
        activity.bound = bound as u32;
    }
}

/// The entities that a chain follows.
fn follow<'a>(
    target: &'a IkTarget,
    pole: Option<&'a IkPole>,
    extra: Option<&'a IkJointTargets>,
) -> impl Iterator<Item = Entity> + 'a {
    let own = [
        target.position.entity(),
        target.rotation.entity(),
        pole.and_then(|pole| pole.at.entity()),
    ];
    let extra =
        extra.into_iter().flat_map(|extra| &extra.0).filter_map(|one| one.position.entity());
    own.into_iter().flatten().chain(extra)
}

/// The joints of a chain, root first; an error of `None` while there is nothing yet to find them in.
fn find(
    joints: &IkJoints,
    own: Entity,
    scene: Entity,
    tree: &Tree,
    transforms: &Query<(&Transform, Option<&IkBasePose>, Option<&IkJoint>)>,
) -> Result<Vec<Entity>, Option<IkError>> {
    let exists = |entity: Entity| transforms.contains(entity);
    match joints {
        &IkJoints::Ancestors(wanted) => {
            if !exists(own) {
                return Err(Some(IkError::NoSuchJoint { joint: own }));
            }
            let above = tree.parents.iter_ancestors(own).take_while(|&entity| exists(entity));
            let mut found: Vec<Entity> =
                core::iter::once(own).chain(above.take(usize::from(wanted))).collect();
            if found.len() <= usize::from(wanted) {
                let found = (found.len() - 1) as u16;
                return Err(Some(IkError::TooFewAncestors { wanted, found }));
            }
            found.reverse();
            Ok(found)
        }
        &IkJoints::UpTo(root) => {
            path(root, own, tree, exists).ok_or(Some(IkError::NotAnAncestor { root }))
        }
        IkJoints::Named { root, tip } => {
            let missing = |name: &String| {
                let named = |entity: Entity| tree.names.contains(entity);
                let loaded = tree.children.iter_descendants(scene).any(named);
                loaded.then(|| IkError::NoSuchName { name: name.clone() })
            };
            let first = named(root, scene, tree, exists).ok_or_else(|| missing(root))?;
            let Some(last) = named(tip, first, tree, exists) else {
                let elsewhere = named(tip, scene, tree, exists).is_some();
                return Err(if elsewhere {
                    Some(IkError::NotBelow { root: root.clone(), tip: tip.clone() })
                } else {
                    missing(tip)
                });
            };
            path(first, last, tree, exists)
                .ok_or_else(|| Some(IkError::NotBelow { root: root.clone(), tip: tip.clone() }))
        }
        IkJoints::List(list) => {
            for (index, &joint) in list.iter().enumerate() {
                if !exists(joint) {
                    return Err(Some(IkError::NoSuchJoint { joint }));
                }
                let parent = tree.parents.get(joint).map(ChildOf::parent).ok();
                if index > 0 && parent != Some(list[index - 1]) {
                    return Err(Some(IkError::NotAChain { joint }));
                }
            }
            if list.is_empty() {
                return Err(Some(IkError::Chain { error: sinew_ik::ChainError::NoJoints }));
            }
            Ok(list.clone())
        }
    }
}

/// All entities from an ancestor (or itself) down to an entity.
fn path(
    root: Entity,
    tip: Entity,
    tree: &Tree,
    exists: impl Fn(Entity) -> bool,
) -> Option<Vec<Entity>> {
    let mut found = Vec::new();
    for entity in core::iter::once(tip).chain(tree.parents.iter_ancestors(tip)) {
        if !exists(entity) {
            return None;
        }
        found.push(entity);
        if entity == root {
            found.reverse();
            return Some(found);
        }
    }
    None
}

/// The nearest entity of that name at or below an entity.
fn named(name: &str, root: Entity, tree: &Tree, exists: impl Fn(Entity) -> bool) -> Option<Entity> {
    core::iter::once(root).chain(tree.children.iter_descendants(root)).find(|&entity| {
        tree.names.get(entity).is_ok_and(|known| known.as_str() == name) && exists(entity)
    })
}

/// Puts chains in order, and notes which entities matter to it.
fn arrange(
    chains: &mut ChainQuery,
    tree: &Tree,
    transforms: &Query<(&Transform, Option<&IkBasePose>, Option<&IkJoint>)>,
    graph: &mut IkGraph,
) {
    let ancestors =
        |entity: Entity| core::iter::once(entity).chain(tree.parents.iter_ancestors(entity));
    graph.watched.clear();
    let mut nodes = Vec::new();
    for (entity, chain, .., binding) in chains.iter() {
        for &followed in &binding.followed {
            graph.watched.extend(ancestors(followed));
        }
        let ends = [binding.slots.first(), binding.slots.last()];
        let [Some(root), Some(tip)] = ends.map(|slot| slot.map(|slot| slot.entity)) else {
            // What a chain without joints waits for is at or above one of these.
            graph.watched.extend(ancestors(entity));
            if let IkJoints::List(list) = &chain.joints {
                graph.watched.extend(list.iter().flat_map(|&joint| ancestors(joint)));
            }
            continue;
        };
        graph.watched.extend(ancestors(tip));
        nodes.push(Node {
            chain: entity,
            priority: chain.priority,
            depth: tree.parents.iter_ancestors(root).count() as u32,
            joints: binding.slots.iter().map(|slot| slot.entity).collect(),
            above: tree.parents.iter_ancestors(root).collect(),
            follows: binding.followed.iter().flat_map(|&entity| ancestors(entity)).collect(),
            name: tree.names.get(tip).map(|name| name.as_str().to_owned()).unwrap_or_default(),
            place: transforms.get(tip).map_or([0; 3], |(transform, ..)| {
                transform.translation.to_array().map(f32::to_bits)
            }),
            level: 0,
        });
    }
    graph.watched.sort_unstable();
    graph.watched.dedup();
    let mut slots = order(&mut nodes);
    graph.levels = nodes.iter().map(|node| node.level + 1).max().unwrap_or(0);
    (graph.has_frame, graph.has_fixed) = (false, false);
    for (node, slots) in nodes.iter().zip(&mut slots) {
        if let Ok((_, chain, .., mut binding)) = chains.get_mut(node.chain) {
            binding.level = node.level;
            binding.slots = core::mem::take(slots);
            // A joint's base may be another chain's result from now on.
            binding.last_input.settings = None;
            graph.has_frame |= !chain.mode.is_fixed();
            graph.has_fixed |= chain.mode.is_fixed();
        }
    }
}

/// Gives joints that no chain has any more their own pose back.
fn release(
    chains: &mut ChainQuery,
    joints: &mut JointQuery,
    graph: &mut IkGraph,
    commands: &mut Commands,
) {
    if graph.left.is_empty() {
        return;
    }
    let mut used: Vec<Entity> =
        chains.iter().flat_map(|chain| chain.7.slots.iter().map(|slot| slot.entity)).collect();
    used.sort_unstable();
    graph.left.sort_unstable();
    graph.left.dedup();
    for &entity in graph.left.iter().filter(|entity| used.binary_search(entity).is_err()) {
        if let Ok((transform, Some(base), _)) = joints.get_mut(entity) {
            put_back(transform, base.base, base.written);
            commands.entity(entity).try_remove::<IkBasePose>();
        }
    }
    graph.left.clear();
}

/// Puts a joint back to its own pose, unless somebody else has written to it since.
fn put_back(mut transform: Mut<Transform>, base: Quat, written: Quat) {
    if transform.rotation == written && transform.rotation != base {
        transform.rotation = base;
    }
}

/// A chain is gone, but for its joints.
pub(crate) fn on_remove_chain(
    removed: On<Remove, IkChain>,
    bindings: Query<&IkBinding>,
    mut graph: ResMut<IkGraph>,
) {
    if let Ok(binding) = bindings.get(removed.entity) {
        graph.left.extend(binding.slots.iter().map(|slot| slot.entity));
        graph.stale = true;
    }
}

/// The rest of a chain's components go with it.
pub(crate) fn clean_up(
    bereft: Query<Entity, (With<IkBinding>, Without<IkChain>)>,
    mut commands: Commands,
) {
    for entity in &bereft {
        commands.entity(entity).try_remove::<(IkBinding, crate::IkStatus, crate::IkChainState)>();
    }
}
