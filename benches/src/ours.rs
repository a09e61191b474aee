//! The elastic kernel with the scenes under measurement in it.

use std::time::{Duration, Instant};

use glam::{Quat, UVec3, Vec3};
use rayon::{ThreadPool, ThreadPoolBuilder, prelude::*};
use sinew_elastic::{
    Anchor, Body as KernelBody, BodyState, Collider, ElasticShape, ExampleBasis, ExamplePose,
    Executor, Material, Scratch, Serial, SimdLevel, StepInput,
    lattice::LatticeNodes,
    mesh::{SplitParity, TetMesh},
    step,
};

use crate::{
    Runner, RunnerError,
    scene::{self, Snapshot},
};

/// What a body is made of.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Body {
    /// A cube of `side`³ particles, with a region of all neighbours within `width` cells each.
    Lattice {
        /// Particles along an edge.
        side: usize,
        /// Half-width of a region, in cells.
        width: usize,
    },
    /// The cube of `side`³ particles with the same regions of 27, given as lists.
    Lists {
        /// Particles along an edge.
        side: usize,
    },
    /// A cube of `side`³ particles with one region over all of them.
    Whole {
        /// Particles along an edge.
        side: usize,
    },
    /// A cuboid of so many particles along x, y, z, cut into tetrahedra; regions are 1-rings.
    Tetrahedra([u32; 3]),
}

impl Body {
    /// The cuboid of Koyama et al. 2012.
    pub const CUBOID_225: Self = Self::Tetrahedra([5, 9, 5]);
    /// A cuboid that fits a second-level cache no longer.
    pub const CUBOID_14400: Self = Self::Tetrahedra([20, 36, 20]);
    /// A cuboid that is bound by memory.
    pub const CUBOID_150000: Self = Self::Tetrahedra([50, 60, 50]);

    /// A cube of `side`³ particles with regions of up to 27.
    #[must_use]
    pub const fn lattice(side: usize) -> Self {
        Self::Lattice { side, width: 1 }
    }

    /// Particles along x.
    #[must_use]
    pub const fn side(self) -> usize {
        match self {
            Self::Lattice { side, .. } | Self::Lists { side } | Self::Whole { side } => side,
            Self::Tetrahedra([x, ..]) => x as usize,
        }
    }

    /// Particles of one body.
    #[must_use]
    pub fn particles(self) -> usize {
        match self {
            Self::Lattice { .. } | Self::Lists { .. } | Self::Whole { .. } => self.side().pow(3),
            Self::Tetrahedra(nodes) => nodes.iter().product::<u32>() as usize,
        }
    }

    fn shape(self) -> Result<ElasticShape, Box<dyn std::error::Error>> {
        Ok(match self {
            Self::Lattice { side, width } => {
                let spacing = 1.0 / (side - 1) as f32;
                let mut nodes = LatticeNodes::block([side as u32; 3], spacing)?;
                nodes.width = width as u32;
                ElasticShape::from_lattice(&nodes)?
            }
            Self::Lists { side } | Self::Whole { side } => {
                let nodes = LatticeNodes::block([side as u32; 3], 1.0 / (side - 1) as f32)?;
                let regions: Vec<Vec<u32>> = if let Self::Whole { .. } = self {
                    vec![(0..nodes.positions.len() as u32).collect()]
                } else {
                    let lists = nodes.regions(1);
                    (0..lists.len()).map(|node| lists.list(node).to_vec()).collect()
                };
                ElasticShape::from_regions(&nodes.positions, &nodes.mass_shares, &regions)?
            }
            Self::Tetrahedra(nodes) => {
                let cells = UVec3::from(nodes) - 1;
                let mesh = TetMesh::cuboid(nodes, 1.0 / cells.as_vec3(), SplitParity::Even)?;
                ElasticShape::from_tets(&mesh.positions, &mesh.cells)?
            }
        })
    }
}

/// What happens to a body.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Event {
    /// It falls freely, twisted.
    Fall,
    /// It hangs by its face at -x.
    Hang,
    /// It lies twisted on a slope and slides, at 300 steps a second.
    Slide,
}

/// A scene: which bodies, and how they are stepped.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Setup {
    /// What each body is made of.
    pub body: Body,
    /// Number of bodies, all alike.
    pub bodies: usize,
    /// Number of example poses, up to three, projected by one set of weights for the whole body.
    pub examples: usize,
    /// Elastic frequency, in Hz. Up to 10 Hz a step is one sub-step; at 10 Hz particles go all the way
    /// to their goals in it, as pyPBD's do.
    pub elastic_hz: f32,
    /// What happens to the body.
    pub event: Event,
    /// Number of threads.
    pub threads: usize,
    /// Whether AVX2 may be used where the machine has it.
    pub avx2: bool,
}

impl Setup {
    /// One falling body without examples on one thread.
    #[must_use]
    pub const fn new(body: Body) -> Self {
        Self {
            body,
            bodies: 1,
            examples: 0,
            elastic_hz: 10.0,
            event: Event::Fall,
            threads: 1,
            avx2: true,
        }
    }

    /// Particles of all bodies.
    #[must_use]
    pub fn particles(&self) -> usize {
        self.bodies * self.body.particles()
    }
}

/// How steep the slope is, in radians.
const SLOPE: f32 = 0.3;

/// Our kernel with a scene in it.
pub struct Ours {
    setup: Setup,
    shape: ElasticShape,
    examples: Option<ExampleBasis>,
    anchors: Vec<Anchor>,
    colliders: Vec<Collider>,
    start: BodyState,
    bodies: Vec<(BodyState, Scratch)>,
    pool: Option<ThreadPool>,
}

impl Ours {
    /// Builds the scene. Fails when the kernel refuses the shape or the system a thread.
    pub fn new(setup: Setup) -> Result<Self, RunnerError> {
        let refused = |error: &dyn std::fmt::Display| RunnerError::Refused(error.to_string());
        let shape = setup.body.shape().map_err(|error| refused(&error))?;
        let examples = match &poses(&shape)[..setup.examples] {
            [] => None,
            poses => Some(ExampleBasis::new(&shape, poses).map_err(|error| refused(&error))?),
        };
        let rest: Vec<Vec3> = (0..shape.particle_count()).map(|i| from_corner(&shape, i)).collect();
        let hung = setup.event == Event::Hang;
        let placed = if hung { rest } else { scene::twisted(&rest) };
        let mut start = BodyState::at_rest(&shape);
        let mut anchors = Vec::new();
        for (index, position) in placed.iter().enumerate() {
            start.set_position(&shape, index, position.as_dvec3());
            if hung && position.x < -0.4999 {
                let particle = index as u32;
                anchors.push(Anchor {
                    particle,
                    position: position.as_dvec3(),
                    velocity: Vec3::ZERO,
                });
            }
        }
        let colliders = match setup.event {
            Event::Fall | Event::Hang => Vec::new(),
            Event::Slide => {
                let floor = Collider::plane(Vec3::ZERO, Quat::from_rotation_z(-SLOPE) * Vec3::Y);
                vec![Collider { friction: 0.25, restitution: 0.4, ..floor }]
            }
        };
        let simd = if setup.avx2 { SimdLevel::Best } else { SimdLevel::Baseline };
        let scratch = Scratch::new(&shape, examples.as_ref()).with_simd(simd);
        let bodies = vec![(start.clone(), scratch); setup.bodies];
        let pool = match setup.threads {
            1 => None,
            threads => {
                let pool = ThreadPoolBuilder::new().num_threads(threads).build();
                Some(pool.map_err(|error| refused(&error))?)
            }
        };
        Ok(Self { setup, shape, examples, anchors, colliders, start, bodies, pool })
    }
}

/// Place of a particle at rest in the scene's cube, whatever the shape's own coordinates are.
fn from_corner(shape: &ElasticShape, particle: usize) -> Vec3 {
    shape.rest_position(particle) - shape.center() + Vec3::new(0.0, 0.5, 0.0)
}

/// Three poses that differ in kind: a twist, a bend and a squash.
fn poses(shape: &ElasticShape) -> [ExamplePose; 3] {
    let center = shape.center();
    let pose = |name: &str, deform: fn(Vec3) -> Vec3| {
        ExamplePose::from_fn(name, shape, |p| deform(p - center) + center)
    };
    [
        pose("twist", |p| Quat::from_rotation_y(p.y) * p),
        pose("bend", |p| Quat::from_rotation_z(p.y) * Vec3::new(p.x, 0.0, p.z) + Vec3::Y * p.y),
        pose("squash", |p| p * Vec3::new(1.2, 0.7, 1.2)),
    ]
}

/// A body spread over the threads of the pool that the step is called in.
struct Pool(usize);

impl Executor for Pool {
    fn workers(&self) -> usize {
        self.0
    }

    fn run<T: Send>(&self, tasks: &mut [T], work: impl Fn(&mut T) + Sync) {
        tasks.par_iter_mut().for_each(&work);
    }
}

impl Runner for Ours {
    fn name(&self) -> String {
        let Setup { body, examples, threads, avx2, .. } = self.setup;
        let kind = match body {
            Body::Lattice { .. } => "lattice",
            Body::Lists { .. } => "lists",
            Body::Whole { .. } => "one region",
            Body::Tetrahedra(_) => "tetrahedra",
        };
        let simd = if avx2 { "" } else { ", no AVX2" };
        format!("sinew {kind}, {examples} examples, {threads} thr{simd}")
    }

    fn particles(&self) -> usize {
        self.setup.particles()
    }

    fn restart(&mut self) -> Result<(), RunnerError> {
        for (state, _) in &mut self.bodies {
            state.clone_from(&self.start);
        }
        Ok(())
    }

    fn steps(&mut self, steps: u32) -> Result<Duration, RunnerError> {
        let material =
            Material { elastic_hz: self.setup.elastic_hz, damping: 0.0, ..Material::default() };
        let dt = if self.setup.event == Event::Slide { 1.0 / 300.0 } else { scene::DT };
        let mut body = KernelBody::new(&self.shape).with_material(material);
        body.examples = self.examples.as_ref();
        let input = StepInput {
            gravity: Vec3::NEG_Y * scene::GRAVITY,
            anchors: &self.anchors,
            colliders: &self.colliders,
        };
        let begin = Instant::now();
        match (&self.pool, &mut self.bodies[..]) {
            (Some(pool), [(state, scratch)]) => pool.install(|| {
                for _ in 0..steps {
                    step(&body, &input, dt, state, scratch, &Pool(self.setup.threads));
                }
            }),
            (Some(pool), bodies) => pool.install(|| {
                for _ in 0..steps {
                    bodies.par_iter_mut().for_each(|(state, scratch)| {
                        step(&body, &input, dt, state, scratch, &Serial);
                    });
                }
            }),
            (None, bodies) => {
                for _ in 0..steps {
                    for (state, scratch) in &mut *bodies {
                        step(&body, &input, dt, state, scratch, &Serial);
                    }
                }
            }
        }
        Ok(begin.elapsed())
    }

    /// In the order of [`scene::rest`].
    fn snapshot(&mut self) -> Result<Snapshot, RunnerError> {
        let Some((state, _)) = self.bodies.first() else {
            return Err(RunnerError::Refused("there is no body".into()));
        };
        let shape = &self.shape;
        let mut order: Vec<usize> = (0..shape.particle_count()).collect();
        // Rest coordinates are multiples of the spacing but for rounding: compare them as whole numbers.
        let spacing = 1.0 / (self.setup.body.side() - 1) as f32;
        let node = |i: usize| {
            (from_corner(shape, i) / spacing).to_array().map(|c| (2.0 * c).round() as i32)
        };
        order.sort_by_key(|&i| node(i));
        Ok(Snapshot {
            positions: order.iter().map(|&i| state.position(shape, i).as_vec3()).collect(),
            velocities: order.iter().map(|&i| state.velocity(shape, i)).collect(),
            masses: order
                .iter()
                .map(|&i| f64::from(shape.particle_mass(i) / shape.volume()))
                .collect(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::scene::Quality;

    #[test]
    fn the_lattice_starts_as_the_scene_says_and_falls_freely() {
        let mut ours = Ours::new(Setup::new(Body::lattice(6))).unwrap();
        ours.restart().unwrap();
        for (place, wanted) in
            ours.snapshot().unwrap().positions.iter().zip(scene::twisted(&scene::rest(6)))
        {
            assert!(place.distance(wanted) < 1e-5, "{place} is not {wanted}");
        }
        ours.steps(20).unwrap();
        let quality = Quality::of(&ours.snapshot().unwrap(), 6, 20);
        assert!(quality.height_error.abs() < 1e-4, "{quality:?}");
        assert!(quality.drift < 1e-5, "{quality:?}");
    }

    #[test]
    fn a_hung_cube_keeps_its_face_where_it_was() {
        let mut ours =
            Ours::new(Setup { event: Event::Hang, ..Setup::new(Body::lattice(5)) }).unwrap();
        ours.restart().unwrap();
        ours.steps(20).unwrap();
        let positions = ours.snapshot().unwrap().positions;
        for (place, rest) in positions.iter().zip(scene::rest(5)).take(25) {
            assert!(place.distance(rest) < 1e-5, "{place} left {rest}");
        }
        assert!(positions[124].y < 1.0);
    }

    #[test]
    fn a_cuboid_on_the_slope_slides_down_and_stays_above_it() {
        let slide = Setup { event: Event::Slide, ..Setup::new(Body::CUBOID_225) };
        let mut ours = Ours::new(slide).unwrap();
        ours.restart().unwrap();
        ours.steps(150).unwrap();
        let state = &ours.bodies[0].0;
        let down = Quat::from_rotation_z(-SLOPE);
        let places: Vec<Vec3> =
            (0..225).map(|i| down.inverse() * state.position(&ours.shape, i).as_vec3()).collect();
        assert!(places.iter().all(|p| p.y > -0.01));
        assert!(places.iter().map(|p| p.x).sum::<f32>() / 225.0 > 0.1);
    }
}
