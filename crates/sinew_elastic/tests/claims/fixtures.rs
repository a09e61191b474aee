//! Bodies that the tests share, each as the kernel's shape and as the reference's model.

use std::f64::consts::{FRAC_PI_3, TAU};

use glam::{DMat3, DQuat, DVec3, IVec3, Vec3};
use sinew_elastic::lattice::LatticeNodes;
use sinew_elastic::mesh::{SplitParity, TetMesh};
use sinew_elastic::{
    Body, BodyState, Control, ElasticShape, ExampleBasis, ExamplePose, Integrator, Material,
    Method, Scratch, Serial, Sleep, StepInput, StepReport, WeightSet, step,
};

use crate::reference::{Goals, Law, Model, Weights};

/// A small generator, so that the cases are the same everywhere.
pub struct Random(pub u64);

impl Random {
    pub fn unit(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64) / ((1_u64 << 53) as f64)
    }

    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }

    pub fn vector(&mut self) -> DVec3 {
        DVec3::new(self.signed(), self.signed(), self.signed())
    }

    pub fn rotation(&mut self) -> DQuat {
        let axis = (self.vector() + DVec3::splat(1e-6)).normalize();
        DQuat::from_axis_angle(axis, 3.1 * self.signed())
    }

    pub fn matrix(&mut self) -> DMat3 {
        DMat3::from_cols(self.vector(), self.vector(), self.vector())
    }
}

/// A body twice: as the kernel has it, and as the reference has it.
pub struct Pair {
    pub shape: ElasticShape,
    pub model: Model,
}

impl Pair {
    /// Rest positions, from the reference.
    pub fn rest(&self) -> &[DVec3] {
        &self.model.rest
    }

    /// Examples for both, by a map of the rest shape.
    pub fn examples(&mut self, poses: &[&dyn Fn(DVec3) -> DVec3]) -> ExampleBasis {
        let basis = self.basis(poses);
        self.model = self.model.clone().with_examples(&self.poses(poses));
        basis
    }

    pub fn poses(&self, poses: &[&dyn Fn(DVec3) -> DVec3]) -> Vec<Vec<DVec3>> {
        poses.iter().map(|pose| self.rest().iter().map(|&p| pose(p)).collect()).collect()
    }

    pub fn kernel_poses(&self, poses: &[&dyn Fn(DVec3) -> DVec3]) -> Vec<ExamplePose> {
        self.poses(poses)
            .iter()
            .enumerate()
            .map(|(k, pose)| {
                ExamplePose::new(format!("pose {k}"), pose.iter().map(|p| p.as_vec3()).collect())
            })
            .collect()
    }

    /// Examples for the kernel only.
    pub fn basis(&self, poses: &[&dyn Fn(DVec3) -> DVec3]) -> ExampleBasis {
        ExampleBasis::new(&self.shape, &self.kernel_poses(poses)).expect("good examples")
    }
}

/// The cuboid of the paper: 5 × 9 × 5 nodes, 0.125 apart.
pub fn cuboid_mesh(parity: SplitParity) -> TetMesh {
    TetMesh::cuboid([5, 9, 5], Vec3::splat(0.125), parity).expect("a good box")
}

pub fn cuboid() -> Pair {
    tets(&cuboid_mesh(SplitParity::Even))
}

/// A body of a tetrahedral mesh, its 1-rings and masses worked out anew.
pub fn tets(mesh: &TetMesh) -> Pair {
    let shape = ElasticShape::from_tets(&mesh.positions, &mesh.cells).expect("a good mesh");
    let rest: Vec<DVec3> = mesh.positions.iter().map(|p| p.as_dvec3()).collect();
    let mut mass = vec![0.0; rest.len()];
    let mut regions = vec![std::collections::BTreeSet::new(); rest.len()];
    for cell in &mesh.cells {
        let [a, b, c, d] = cell.map(|v| rest[v as usize]);
        let volume = DMat3::from_cols(b - a, c - a, d - a).determinant().abs() / 6.0;
        for &v in cell {
            mass[v as usize] += volume / 4.0;
            regions[v as usize].extend(cell.iter().map(|&v| v as usize));
        }
    }
    let regions = regions.into_iter().map(|r| r.into_iter().collect()).collect();
    Pair { shape, model: Model::new(rest, mass, regions) }
}

/// A body of given regions.
pub fn given(rest: &[Vec3], mass: &[f32], regions: &[Vec<u32>]) -> Pair {
    let shape = ElasticShape::from_regions(rest, mass, regions).expect("good regions");
    let model = Model::new(
        rest.iter().map(|p| p.as_dvec3()).collect(),
        mass.iter().map(|&m| f64::from(m)).collect(),
        regions.iter().map(|r| r.iter().map(|&i| i as usize).collect()).collect(),
    );
    Pair { shape, model }
}

/// 3 × 3 × 3 particles of mass one in one region.
pub fn cube27() -> Pair {
    let rest: Vec<Vec3> = (0..27)
        .map(|i| Vec3::new((i % 3) as f32, (i / 3 % 3) as f32, (i / 9) as f32) * 0.5 - 0.5)
        .collect();
    given(&rest, &[1.0; 27], &[(0..27).collect()])
}

/// A lattice of grid nodes with the regions and masses worked out anew: nodes within `width` links
/// of up to 26 neighbours, found node by node.
pub fn lattice(nodes: &[IVec3], spacing: f32, width: u32) -> Pair {
    let mut source = LatticeNodes::from_nodes(nodes, spacing, Vec3::ZERO).expect("good nodes");
    source.width = width;
    let shape = ElasticShape::from_lattice(&source).expect("a good lattice");
    let mut sorted = nodes.to_vec();
    sorted.sort_by_key(|n| (n.z, n.y, n.x));
    let rest = sorted.iter().map(|n| n.as_dvec3() * f64::from(spacing)).collect();
    let has = |n: IVec3| sorted.contains(&n);
    let mass = sorted
        .iter()
        .map(|&n| {
            let full_cells = (0..8)
                .filter(|corner| {
                    let low = n - IVec3::new(corner & 1, (corner >> 1) & 1, corner >> 2);
                    (0..8).all(|c| has(low + IVec3::new(c & 1, (c >> 1) & 1, c >> 2)))
                })
                .count();
            full_cells.max(1) as f64 / 8.0 * f64::from(spacing).powi(3)
        })
        .collect();
    let regions = (0..sorted.len())
        .map(|own| {
            let mut members = vec![own];
            for _ in 0..width {
                for &at in &members.clone() {
                    for (i, &n) in sorted.iter().enumerate() {
                        let near = (n - sorted[at]).abs().max_element() <= 1;
                        if near && !members.contains(&i) {
                            members.push(i);
                        }
                    }
                }
            }
            members.sort_unstable();
            members
        })
        .collect();
    Pair { shape, model: Model::new(rest, mass, regions) }
}

pub fn block_nodes(size: [i32; 3]) -> Vec<IVec3> {
    (0..size[2])
        .flat_map(|z| {
            (0..size[1]).flat_map(move |y| (0..size[0]).map(move |x| IVec3::new(x, y, z)))
        })
        .collect()
}

/// A block with holes in it.
pub fn holed_nodes() -> Vec<IVec3> {
    block_nodes([6, 5, 7])
        .into_iter()
        .filter(|n| !((2..4).contains(&n.x) && (1..3).contains(&n.y)) && *n != IVec3::new(5, 4, 3))
        .collect()
}

/// Two prongs, one empty layer apart, joined at one end only: with wide regions the box round a node of
/// one prong holds nodes of the other, which are many links away.
pub fn prong_nodes() -> Vec<IVec3> {
    block_nodes([7, 9, 3]).into_iter().filter(|n| n.y < 2 || n.x != 3).collect()
}

/// Turns about the y axis by `rate` radians a metre.
pub fn twist(rate: f64) -> impl Fn(DVec3) -> DVec3 {
    move |p| DQuat::from_rotation_y(rate * p.y) * p
}

/// Shears x along y, as an S.
pub fn s_shape(size: f64) -> impl Fn(DVec3) -> DVec3 {
    move |p| p + DVec3::X * 0.3 * size * (3.0 * p.y / size).sin()
}

/// Shrinks along y.
pub fn squash(p: DVec3) -> DVec3 {
    p * DVec3::new(1.1, 0.7, 1.1)
}

/// The material whose sub-steps of length `h` have these per-step numbers, and the damping in 1/s.
pub fn material(h: f64, alpha: f64, beta: f64, damping: f64) -> Material {
    let sine = alpha.sqrt() / 2.0;
    // Just below the cap of six steps a period, so that one step stays one step.
    let elastic = (2.0 * sine.asin() / h).min(FRAC_PI_3 / h * (1.0 - 1e-6));
    let example = 2.0 * ((1.0 - beta).max(0.0).sqrt() * sine).asin() / h;
    Material {
        elastic_hz: (elastic / TAU) as f32,
        example_hz: (example / TAU) as f32,
        damping: damping as f32,
        density: 1.0,
        integrator: Integrator::Symplectic,
        method: Method::Conservative,
    }
}

/// The reference's numbers for a material and a step of one sub-step.
pub fn law(material: &Material, set: WeightSet, h: f64, gravity: Vec3) -> Law {
    let h = f64::from(h as f32);
    let angle = |hz: f32| (TAU * f64::from(hz) * h).min(FRAC_PI_3) / 2.0;
    let (elastic, example) = (angle(material.elastic_hz).sin(), angle(material.example_hz).sin());
    let mut law = Law::new(h, 4.0 * elastic * elastic, 1.0 - (example / elastic).powi(2));
    law.decay = (-f64::from(material.damping) * h).exp();
    law.gravity = gravity.as_dvec3();
    law.weights = match set {
        WeightSet::Simplex => Weights::Simplex,
        WeightSet::Affine => Weights::Affine,
        WeightSet::NonNegative => Weights::NonNegative,
        WeightSet::Box { low, high } => Weights::Box(f64::from(low), f64::from(high)),
    };
    if material.integrator == Integrator::Implicit {
        let square = (TAU * f64::from(material.elastic_hz) * h).powi(2);
        law.alpha = square / (1.0 + square);
        law.implicit = true;
    }
    if let Method::PaperExact { alpha, beta } = material.method {
        (law.alpha, law.beta) = (f64::from(alpha), f64::from(beta));
        law.goals = Goals::Polar;
        law.implicit = false;
    }
    law
}

/// One body of the kernel in motion.
pub struct Rig<'a> {
    pub body: Body<'a>,
    pub state: BodyState,
    pub scratch: Scratch,
}

impl<'a> Rig<'a> {
    /// At rest; it never sleeps.
    pub fn new(shape: &'a ElasticShape, examples: Option<&'a ExampleBasis>) -> Self {
        let mut body = Body::new(shape).with_sleep(Sleep { enabled: false, ..Sleep::default() });
        body.examples = examples;
        Self { body, state: BodyState::at_rest(shape), scratch: Scratch::new(shape, examples) }
    }

    pub fn material(mut self, material: Material) -> Self {
        self.body.material = material;
        self
    }

    pub fn control(mut self, control: Control<'a>) -> Self {
        self.body.control = control;
        self
    }

    pub fn put(&mut self, x: &[DVec3], v: &[DVec3]) {
        for i in 0..x.len() {
            self.state.set_position(self.body.shape, i, x[i]);
            self.state.set_velocity(self.body.shape, i, v[i].as_vec3());
        }
    }

    pub fn step(&mut self, input: &StepInput<'_>, dt: f32) -> StepReport {
        step(&self.body, input, dt, &mut self.state, &mut self.scratch, &Serial)
    }

    /// Steps without anything outside.
    pub fn free(&mut self, dt: f32) -> StepReport {
        self.step(&StepInput::default(), dt)
    }

    pub fn x(&self) -> Vec<DVec3> {
        let shape = self.body.shape;
        (0..shape.particle_count()).map(|i| self.state.position(shape, i)).collect()
    }

    pub fn v(&self) -> Vec<DVec3> {
        let shape = self.body.shape;
        (0..shape.particle_count()).map(|i| self.state.velocity(shape, i).as_dvec3()).collect()
    }
}

/// What the kernel finds for a pose: goals of the particles and weights of the examples.
pub struct Pull {
    pub goals: Vec<DVec3>,
    pub weights: Vec<f64>,
}

/// Length of the step that [`pull`] takes.
const PULL_STEP: f64 = 1e-2;

/// Lets the kernel take one step from a pose and reads the goals off it.
///
/// Without damping and velocities a step moves a particle by `alpha (g − x)`.
pub fn pull<'a>(
    shape: &'a ElasticShape,
    examples: Option<&'a ExampleBasis>,
    control: Control<'a>,
    material: Material,
    x: &[DVec3],
) -> Pull {
    let alpha = match material.method {
        Method::PaperExact { alpha, .. } => f64::from(alpha),
        Method::Conservative => law(&material, WeightSet::Affine, PULL_STEP, Vec3::ZERO).alpha,
    };
    let mut rig = Rig::new(shape, examples).material(material).control(control);
    rig.put(x, &vec![DVec3::ZERO; x.len()]);
    let report = rig.free(PULL_STEP as f32);
    assert_eq!(report.substeps, 1, "{material:?}");
    assert!(!report.quarantined);
    let goals =
        rig.x().iter().zip(x).map(|(moved, from)| *from + (*moved - *from) / alpha).collect();
    Pull { goals, weights: rig.state.weights().iter().map(|&w| f64::from(w)).collect() }
}

/// The same with the usual material, for a given share `beta` of the examples.
pub fn pull_with_beta<'a>(
    shape: &'a ElasticShape,
    examples: Option<&'a ExampleBasis>,
    set: WeightSet,
    beta: f64,
    x: &[DVec3],
) -> Pull {
    pull(shape, examples, Control::Project(set), material(PULL_STEP, 1.0, beta, 0.0), x)
}

/// The published method with these numbers.
pub fn paper(alpha: f32, beta: f32) -> Material {
    Material {
        damping: 0.0,
        density: 1.0,
        method: Method::PaperExact { alpha, beta },
        ..Material::default()
    }
}

/// A smooth, large, unsymmetric deformation with a rotation.
pub fn bend_and_turn(seed: u64, strength: f64, size: f64) -> impl Fn(DVec3) -> DVec3 {
    let mut random = Random(seed);
    let turn = random.rotation();
    let linear = random.matrix() * (0.5 * strength);
    let square = random.matrix() * (strength / size);
    move |p| turn * (p + linear * p + square * (p * p))
}

/// The same with every particle also moved at random.
pub fn rough(pair: &Pair, seed: u64, strength: f64, size: f64) -> Vec<DVec3> {
    let pose = bend_and_turn(seed, strength, size);
    let mut random = Random(seed + 1);
    pair.rest().iter().map(|&p| pose(p) + random.vector() * (0.1 * strength * size)).collect()
}

pub fn worst_distance(a: &[DVec3], b: &[DVec3]) -> f64 {
    a.iter().zip(b).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max)
}

/// Distance of a shape to the nearest rigid copy of the rest shape, as the worst over all particles.
pub fn shape_error(model: &Model, x: &[DVec3]) -> f64 {
    let (center, rest_center) = (model.center(x), model.center(&model.rest));
    let moment = (0..x.len())
        .map(|i| {
            crate::reference::outer(x[i] - center, model.rest[i] - rest_center) * model.mass[i]
        })
        .fold(DMat3::ZERO, |a, b| a + b);
    let turn = crate::reference::rotation_of(moment);
    let back: Vec<DVec3> = model.rest.iter().map(|&q| center + turn * (q - rest_center)).collect();
    worst_distance(&back, x)
}
