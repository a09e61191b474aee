//! T36: surfaces follow their particles. Probes measure what the reference measures.

use glam::{DMat3, DVec3, Mat3, Vec3};
use sinew_elastic::lattice::Lattice;
use sinew_elastic::mesh::SurfaceMesh;
use sinew_elastic::{
    Control, Embedding, Probe, RegionGradients, Sleep, WeightSet, deform_normal, deform_tangent,
};

use crate::fixtures::{
    Pair, Random, Rig, bend_and_turn, block_nodes, cuboid, cuboid_mesh, lattice, material, rough,
    twist,
};

fn affine(random: &mut Random) -> (Mat3, Vec3) {
    let linear = DMat3::IDENTITY + random.matrix() * 0.5;
    (linear.as_mat3(), random.vector().as_vec3())
}

/// The surface is reproduced at rest and follows affine maps, and weights sum to one.
fn check(embedding: &Embedding, particles: &[Vec3], vertices: &[Vec3]) {
    assert_eq!(embedding.vertex_count(), vertices.len());
    for vertex in 0..vertices.len() {
        let sum: f32 = embedding.vertex(vertex).1.iter().sum();
        assert!((sum - 1.0).abs() < 1e-6, "{sum}");
    }
    let mut out = vec![Vec3::NAN; vertices.len()];
    embedding.positions(particles, &mut out);
    let worst = |out: &[Vec3], map: &dyn Fn(Vec3) -> Vec3| {
        out.iter().zip(vertices).map(|(a, &b)| a.distance(map(b))).fold(0.0_f32, f32::max)
    };
    assert!(worst(&out, &|p| p) < 1e-6, "{}", worst(&out, &|p| p));
    let mut random = Random(7);
    for _ in 0..5 {
        let (linear, shift) = affine(&mut random);
        let map = |p: Vec3| linear * p + shift;
        let moved: Vec<Vec3> = particles.iter().map(|&p| map(p)).collect();
        embedding.positions(&moved, &mut out);
        assert!(worst(&out, &map) < 2e-6, "{}", worst(&out, &map));
    }
}

#[test]
fn surfaces_in_cells_follow_them() {
    let mesh = cuboid_mesh(Default::default());
    let mut random = Random(1);
    // Inside, on the border, and outside, where the nearest cell's motion is continued.
    let mut vertices: Vec<Vec3> =
        (0..300).map(|_| (random.vector() * DVec3::new(0.27, 0.53, 0.27)).as_vec3()).collect();
    vertices.extend(mesh.positions.iter().take(40));
    let embedding =
        Embedding::in_tets(&mesh.positions, &mesh.cells, &vertices).expect("good vertices");
    check(&embedding, &mesh.positions, &vertices);
    for (vertex, place) in vertices.iter().enumerate() {
        let inside = place.abs().cmple(Vec3::new(0.25, 0.5, 0.25)).all();
        let least = embedding.vertex(vertex).1.iter().copied().fold(f32::INFINITY, f32::min);
        if inside {
            assert!(least > -2e-3, "{place}: {least}");
        }
    }
}

fn surface_box() -> SurfaceMesh {
    let boundary = cuboid_mesh(Default::default()).cleaned().expect("a good box");
    boundary.boundary.surface(&boundary.mesh)
}

#[test]
fn surfaces_in_lattices_follow_them() {
    let surface = surface_box();
    for spacing in [0.09, 0.15] {
        let nodes = Lattice::spacing(spacing).build(&surface).expect("a good lattice");
        let embedding = Embedding::from_lattice(&nodes);
        check(&embedding, &nodes.positions, &surface.positions);
    }
}

#[test]
fn broken_embeddings_are_refused() {
    let mesh = cuboid_mesh(Default::default());
    assert!(Embedding::in_tets(&mesh.positions, &[], &[Vec3::ZERO]).is_err());
    assert!(Embedding::in_tets(&mesh.positions, &[[0, 1, 2, 999]], &[Vec3::ZERO]).is_err());
    assert!(Embedding::in_tets(&mesh.positions, &mesh.cells, &[Vec3::NAN]).is_err());
}

#[test]
fn gradients_are_those_of_the_reference() {
    for pair in [cuboid(), lattice(&block_nodes([5, 6, 5]), 0.1, 1)] {
        let maps = RegionGradients::new(&pair.shape);
        let pose = bend_and_turn(3, 0.3, 1.0);
        let x: Vec<DVec3> = pair.rest().iter().map(|&p| pose(p)).collect();
        let positions: Vec<Vec3> = x.iter().map(|p| p.as_vec3()).collect();
        let mut found = vec![Mat3::ZERO; x.len()];
        maps.evaluate(&positions, &mut found);
        let counts = pair.model.counts();
        for (i, found) in found.iter().enumerate() {
            let (wanted, _) = pair.model.deformation(i, &x, &counts);
            let off = crate::reference::largest_entry(found.as_dmat3() - wanted);
            assert!(off < 1e-5, "{i}: {off:e}");
        }
    }
}

#[test]
fn normals_stay_normal_and_tangents_tangent() {
    let mut random = Random(5);
    for _ in 0..100 {
        let (linear, _) = affine(&mut random);
        let normal = random.vector().as_vec3().normalize();
        let tangent = normal.any_orthonormal_vector();
        let side = normal.cross(tangent);
        let (t, s) = (linear * tangent, linear * side);
        let wanted = t.cross(s).normalize();
        assert!((deform_normal(linear, normal) - wanted).length() < 1e-4);
        assert!((deform_tangent(linear, tangent) - t.normalize()).length() < 1e-5);
    }
    // Flattened along the normal, the surface still has one.
    let flat = Mat3::from_diagonal(Vec3::new(1.0, 1.0, 0.0));
    assert_eq!(deform_normal(flat, Vec3::Z), Vec3::Z);
    assert!(deform_normal(Mat3::ZERO, Vec3::X).is_finite());
}

fn measured(pair: &Pair, with_example: bool) {
    let mut pair = Pair { shape: pair.shape.clone(), model: pair.model.clone() };
    let basis = with_example.then(|| pair.examples(&[&twist(1.5)]));
    let h = 1e-4;
    let material = material(h, 1e-4, 1.0, 0.0);
    let mut rig = Rig::new(&pair.shape, basis.as_ref())
        .material(sinew_elastic::Material { density: 7.0, ..material })
        .control(Control::Project(WeightSet::Simplex));
    rig.body.sleep = Sleep { enabled: false, ..Sleep::default() };
    let x = rough(&pair, 3, 0.2, 1.0);
    let v: Vec<DVec3> = x.iter().map(|x| DVec3::new(1.0, 2.0, 3.0).cross(*x) + DVec3::Z).collect();
    rig.put(&x, &v);
    rig.free(h as f32);
    let (x, v) = (rig.x(), rig.v());
    let probe = Probe::measure(&rig.body, &rig.state);
    let near = |a: f64, b: f64| (a - b).abs() < 1e-4 * b.abs();
    let law = crate::fixtures::law(&material, WeightSet::Simplex, h, Vec3::ZERO);
    let elastic = law.alpha / (law.h * law.h) * pair.model.find(&x, &law).energy * 7.0;
    assert!(near(probe.kinetic_energy, pair.model.kinetic_energy(&v) * 7.0));
    assert!(near(probe.elastic_energy, elastic), "{} {elastic}", probe.elastic_energy);
    assert!(
        (probe.momentum - pair.model.momentum(&v) * 7.0).length() < 1e-4 * probe.momentum.length()
    );
    let spin = pair.model.angular_momentum(&x, &v) * 7.0;
    assert!((probe.angular_momentum - spin).length() < 1e-4 * spin.length());
    assert!((probe.center - pair.model.center(&x)).length() < 1e-6);
}

#[test]
fn probes_measure_what_the_reference_measures() {
    for pair in [cuboid(), lattice(&block_nodes([5, 6, 5]), 0.1, 1)] {
        measured(&pair, false);
        measured(&pair, true);
    }
}

#[test]
fn probes_know_volume_and_strain_of_a_uniform_stretch() {
    let pair = cuboid();
    let mut rig = Rig::new(&pair.shape, None);
    let x: Vec<DVec3> = pair.rest().iter().map(|p| *p * DVec3::new(1.5, 0.8, 1.0)).collect();
    rig.put(&x, &vec![DVec3::ZERO; x.len()]);
    let probe = Probe::measure(&rig.body, &rig.state);
    assert!((probe.volume - 0.25 * 1.2).abs() < 1e-5, "{}", probe.volume);
    let wanted = (0.5_f64.powi(2) + 0.2_f64.powi(2)).sqrt();
    assert!((probe.max_strain - wanted).abs() < 1e-5, "{}", probe.max_strain);
}
