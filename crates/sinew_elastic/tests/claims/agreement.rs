//! The kernel moves bodies as the naive reference does.

use glam::{DVec3, Vec3};
use sinew_elastic::{Control, ExampleBasis, Groups, Integrator, Material, StepInput, WeightSet};

use crate::fixtures::{
    Pair, Rig, block_nodes, cuboid, given, holed_nodes, lattice, law, material, paper, prong_nodes,
    rough, s_shape, squash, twist, worst_distance,
};
use crate::reference::{Law, Weights};

const H: f64 = 1.0 / 300.0;
const GRAVITY: Vec3 = Vec3::new(0.4, -9.8, 0.1);

/// How far kernel and reference may be apart, in body sizes, after one step and after fifty.
///
/// One step has about twenty roundings of 6e-8 in a row, on coordinates of the body's size. In fifty
/// steps they add up, and the one Newton iteration of a warm rotation leaves less than that.
const ONE: f64 = 2e-6;
const FIFTY: f64 = 4e-5;

struct Case<'a> {
    pair: &'a Pair,
    examples: Option<&'a ExampleBasis>,
    control: Control<'a>,
    material: Material,
    law: Law,
    strength: f64,
}

impl Case<'_> {
    fn check(&self, name: &str) {
        let size = f64::from(self.pair.shape.size());
        let mut x = rough(self.pair, 11, self.strength, size);
        let spin = DVec3::new(1.0, -2.0, 0.5);
        let mut v: Vec<DVec3> = x.iter().map(|x| spin.cross(*x) + DVec3::X).collect();
        let mut rig =
            Rig::new(&self.pair.shape, self.examples).material(self.material).control(self.control);
        rig.put(&x, &v);
        // What the kernel starts from, rounded.
        (x, v) = (rig.x(), rig.v());
        let input = StepInput { gravity: GRAVITY, ..StepInput::default() };
        for tick in 1..=50 {
            let report = rig.step(&input, H as f32);
            assert!(report.substeps == 1 && !report.quarantined, "{name}: {report:?}");
            self.pair.model.step(&mut x, &mut v, &self.law);
            let apart = worst_distance(&rig.x(), &x) / size;
            if tick == 1 {
                assert!(apart < ONE, "{name}: {apart:e} after one step");
            }
            assert!(apart < FIFTY, "{name}: {apart:e} after {tick} steps");
        }
    }
}

fn plain(pair: &Pair, material: Material) -> Case<'_> {
    Case {
        pair,
        examples: None,
        control: Control::default(),
        material,
        law: law(&material, WeightSet::Simplex, H, GRAVITY),
        strength: 0.3,
    }
}

fn with<'a>(
    pair: &'a Pair,
    basis: &'a ExampleBasis,
    set: WeightSet,
    material: Material,
) -> Case<'a> {
    Case {
        examples: Some(basis),
        control: Control::Project(set),
        law: law(&material, set, H, GRAVITY),
        ..plain(pair, material)
    }
}

fn stiff() -> Material {
    material(H, 0.3, 0.97, 3.0)
}

#[test]
fn the_cuboid_moves_as_the_reference_does() {
    plain(&cuboid(), stiff()).check("no example");
    let size = f64::from(cuboid().shape.size());
    let s = s_shape(size);
    let t = twist(1.5);
    let sets = [
        WeightSet::Simplex,
        WeightSet::Affine,
        WeightSet::NonNegative,
        WeightSet::Box { low: -0.2, high: 0.4 },
    ];
    for set in sets {
        let mut one = cuboid();
        let basis = one.examples(&[&t]);
        with(&one, &basis, set, stiff()).check(&format!("one example, {set:?}"));
        let mut three = cuboid();
        let basis = three.examples(&[&t, &s, &squash]);
        with(&three, &basis, set, stiff()).check(&format!("three examples, {set:?}"));
    }
}

#[test]
fn large_regions_move_as_the_reference_does() {
    // Regions of more than a hundred particles are summed in another way than small ones. Particles are
    // numbered along x, so that the region of every second plane takes half of each block.
    let rest: Vec<Vec3> = (0..8 * 6 * 6)
        .map(|i| Vec3::new((i % 8) as f32, (i / 8 % 6) as f32, (i / 48) as f32) * 0.1)
        .collect();
    let mass: Vec<f32> = (0..rest.len()).map(|i| 1.0 + (i % 3) as f32).collect();
    let all =
        |keep: fn(usize) -> bool| (0..288).filter(|&i| keep(i as usize)).collect::<Vec<u32>>();
    let whole = all(|_| true);
    let small: Vec<Vec<u32>> = (0..5).map(|k| (48 * k..48 * (k + 2)).collect()).collect();
    let mixed = [
        vec![all(|i| i < 200), all(|i| i >= 100), all(|i| i % 2 == 0), all(|i| i % 5 != 0)],
        small,
    ]
    .concat();
    for (name, regions) in [("one region", vec![whole]), ("some large, some small", mixed)] {
        let mut pair = given(&rest, &mass, &regions);
        plain(&pair, stiff()).check(name);
        let basis = pair.examples(&[&twist(1.5), &squash]);
        with(&pair, &basis, WeightSet::Simplex, stiff()).check(&format!("{name}, examples"));
    }
}

#[test]
fn implicit_bodies_move_as_the_reference_does() {
    let soft = Material { integrator: Integrator::Implicit, ..stiff() };
    plain(&cuboid(), soft).check("no example");
    let mut pair = cuboid();
    let basis = pair.examples(&[&twist(1.5)]);
    with(&pair, &basis, WeightSet::Simplex, soft).check("one example");
}

#[test]
fn the_published_method_moves_as_the_reference_does() {
    plain(&cuboid(), paper(0.1, 0.995)).check("no example");
    let mut pair = cuboid();
    let size = f64::from(pair.shape.size());
    let basis = pair.examples(&[&twist(1.5), &s_shape(size)]);
    let case = with(&pair, &basis, WeightSet::Simplex, paper(0.1, 0.9));
    // The method gains energy, and so loses digits faster: a gentler start.
    Case { strength: 0.15, ..case }.check("two examples");
}

#[test]
fn groups_move_as_the_reference_does() {
    let mut pair = cuboid();
    let size = f64::from(pair.shape.size());
    let poses: [&dyn Fn(DVec3) -> DVec3; 2] = [&twist(1.5), &s_shape(size)];
    pair.examples(&poses);
    let groups = Groups::by_position(&pair.shape, &["low", "high"], |p| u32::from(p.y > 0.01));
    let Groups::Named { of_region, .. } = &groups else { unreachable!("just made") };
    let of_region = of_region.iter().map(|&g| g as usize).collect();
    let basis =
        ExampleBasis::with_groups(&pair.shape, &pair.kernel_poses(&poses), &groups).expect("good");
    pair.model = pair.model.with_groups(of_region, 2);
    with(&pair, &basis, WeightSet::Simplex, stiff()).check("two groups");
}

#[test]
fn regions_with_weights_of_their_own_move_as_the_reference_does() {
    let mut pair = cuboid();
    let size = f64::from(pair.shape.size());
    let poses: [&dyn Fn(DVec3) -> DVec3; 2] = [&twist(1.5), &s_shape(size)];
    pair.examples(&poses);
    let basis =
        ExampleBasis::with_groups(&pair.shape, &pair.kernel_poses(&poses), &Groups::PerRegion)
            .expect("good");
    let count = pair.model.regions.len();
    pair.model = pair.model.with_groups((0..count).collect(), count);
    for set in [WeightSet::Simplex, WeightSet::Box { low: -1.0, high: 1.0 }] {
        with(&pair, &basis, set, stiff()).check(&format!("{set:?}"));
    }
    // As published, weights shrink after they are clamped, whatever the groups.
    let published = with(&pair, &basis, WeightSet::Simplex, paper(0.1, 0.9));
    Case { strength: 0.15, ..published }.check("published");
}

#[test]
fn given_weights_move_as_the_reference_does() {
    let mut pair = cuboid();
    let size = f64::from(pair.shape.size());
    let basis = pair.examples(&[&twist(1.5), &s_shape(size)]);
    let given = [0.6, -0.2];
    let controls = [
        (Control::Explicit(&given), vec![f64::from(given[0]), f64::from(given[1])]),
        (Control::Blend(0.7), vec![f64::from(0.7_f32), 0.0]),
        (Control::Blend(1.25), vec![0.75, 0.25]),
    ];
    for (control, weights) in controls {
        for published in [false, true] {
            let material = if published { paper(0.1, 1.0) } else { stiff() };
            let mut law = law(&material, WeightSet::Simplex, H, GRAVITY);
            law.weights = Weights::Given(weights.clone());
            let case = Case {
                examples: Some(&basis),
                control,
                law,
                strength: 0.15,
                ..plain(&pair, material)
            };
            case.check(&format!("{control:?}, published: {published}"));
        }
    }
}

#[test]
fn lattices_move_as_the_reference_does() {
    for (name, nodes) in
        [("block", block_nodes([6, 5, 7])), ("holes", holed_nodes()), ("prongs", prong_nodes())]
    {
        for width in 1..=3 {
            let pair = lattice(&nodes, 0.1, width);
            assert!(pair.shape.has_stencil());
            plain(&pair, stiff()).check(&format!("{name}, w = {width}"));
        }
        let mut pair = lattice(&nodes, 0.1, 1);
        let size = f64::from(pair.shape.size());
        let basis = pair.examples(&[&twist(1.5), &s_shape(size), &squash]);
        with(&pair, &basis, WeightSet::Simplex, stiff()).check(&format!("{name}, three examples"));
    }
}

#[test]
fn near_prongs_are_not_glued() {
    // T34: the box round a node of one prong reaches the other, so its region must be a list.
    let pair = lattice(&prong_nodes(), 0.1, 2);
    assert!(pair.shape.list_count() > 0);
    for (own, members) in pair.model.regions.iter().enumerate() {
        let mut found: Vec<usize> =
            pair.shape.region_members(own).iter().map(|&(p, _)| p as usize).collect();
        found.sort_unstable();
        assert_eq!(found, *members, "region {own}");
    }
}

#[test]
fn stencils_and_lists_say_the_same() {
    // T34.
    for nodes in [block_nodes([6, 5, 7]), holed_nodes(), prong_nodes(), block_nodes([2, 1, 11])] {
        for width in 1..=3 {
            let stencil = lattice(&nodes, 0.1, width);
            let mass: Vec<f32> = stencil.model.mass.iter().map(|&m| m as f32).collect();
            let rest: Vec<Vec3> = stencil.rest().iter().map(|p| p.as_vec3()).collect();
            let regions: Vec<Vec<u32>> = stencil
                .model
                .regions
                .iter()
                .map(|r| r.iter().map(|&i| i as u32).collect())
                .collect();
            let lists = given(&rest, &mass, &regions);
            assert!(!lists.shape.has_stencil());
            let size = f64::from(stencil.shape.size());
            let x = rough(&stencil, 5, 0.3, size);
            let material = material(0.01, 1.0, 1.0, 0.0);
            let of = |pair: &Pair| {
                crate::fixtures::pull(&pair.shape, None, Control::default(), material, &x).goals
            };
            let apart = worst_distance(&of(&stencil), &of(&lists)) / size;
            assert!(apart < 3e-6, "w = {width}, {} nodes: {apart:e}", nodes.len());
        }
    }
}
