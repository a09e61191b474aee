//! Every real surface becomes a lattice at several sizes, or says clearly why not.

#![expect(clippy::print_stdout, reason = "counts and times of each file are printed, not asserted")]

mod lattice_support;

use lattice_support::{check, components, files, read};
use sinew_elastic::lattice::{Lattice, LatticeError};

#[test]
fn every_real_surface_becomes_a_lattice_of_the_wanted_size() {
    let Some(folder) = files() else { return };
    let mut paths: Vec<_> = std::fs::read_dir(folder.join("surface"))
        .expect("the folder of surfaces")
        .map(|entry| entry.expect("a file").path())
        .collect();
    paths.sort();
    let mut built = 0;
    for path in paths {
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        let Some(mesh) = read(&path) else { continue };
        for wanted in [500, 1_000, 2_000] {
            let start = std::time::Instant::now();
            let result = Lattice::particles(wanted).build(&mesh);
            let time = start.elapsed();
            match result {
                Ok(lattice) => {
                    println!("{name} {wanted}: {:.0?} {}", time, lattice.report);
                    check(&mesh, &lattice);
                    assert_eq!(components(&lattice).1, lattice.report.components);
                    let share = lattice.positions.len() as f64 / wanted as f64;
                    assert!((0.5..=1.5).contains(&share), "{name}: {share} of {wanted}");
                    built += 1;
                }
                Err(error) => {
                    println!("{name} {wanted}: {time:.0?} error: {error}");
                    let expected = match name.as_str() {
                        "trimesh_empty.obj" => error == LatticeError::NoVertices,
                        _ => matches!(error, LatticeError::TooFewParticles { .. }),
                    };
                    assert!(expected, "{name}: {error}");
                }
            }
        }
    }
    assert!(built > 90, "only {built} lattices were built");
}

#[test]
fn time_of_two_thousand_particles_is_printed() {
    let Some(folder) = files() else { return };
    // The target is one second for 10,000 triangles; these lie on both sides of it.
    for name in ["igl_cow.off", "igl_3holes.off", "igl_arm.obj", "ods_armadillo.obj"] {
        let mesh = read(&folder.join("surface").join(name)).expect("a mesh");
        let start = std::time::Instant::now();
        let lattice = Lattice::particles(2_000).build(&mesh).expect("a lattice");
        println!(
            "{name}: {} triangles to {} particles in {:.0?}",
            mesh.triangles.len(),
            lattice.positions.len(),
            start.elapsed()
        );
    }
}
