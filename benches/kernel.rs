//! Wall-clock times of the elastic kernel: `cargo bench --bench kernel`.
//!
//! Criterion prints the time of one step and, as throughput, particles per second; the program
//! `peers` prints the same in nanoseconds per particle, beside other libraries.

use std::time::Duration;

use benches::{
    Runner,
    ours::{Body, Ours, Setup},
};
use criterion::{BenchmarkId, Criterion, Throughput, criterion_group, criterion_main};

fn kernel(criterion: &mut Criterion) {
    let lattice = |side| Setup::new(Body::lattice(side));
    let threads = |setup| [1, 2].map(|threads| Setup { threads, ..setup });
    let group = |criterion: &mut Criterion, name: &str, setups: &[Setup]| {
        let mut group = criterion.benchmark_group(name);
        group
            .sample_size(10)
            .warm_up_time(Duration::from_millis(300))
            .measurement_time(Duration::from_secs(1));
        for &setup in setups {
            let mut body = Ours::new(setup).expect("the benchmark's own scenes are valid");
            group.throughput(Throughput::Elements(body.particles() as u64));
            let id = BenchmarkId::new(format!("{} threads", setup.threads), body.particles());
            group.bench_function(id, |bencher| {
                bencher.iter_custom(|steps| {
                    body.restart().expect("a body of this process can always start again");
                    body.steps(steps as u32).expect("and step")
                });
            });
        }
        group.finish();
    };
    for side in [10, 22, 46] {
        group(criterion, "lattice", &threads(lattice(side)));
        group(criterion, "lattice, no AVX2", &[Setup { avx2: false, ..lattice(side) }]);
        group(criterion, "lattice, 3 examples", &[Setup { examples: 3, ..lattice(side) }]);
    }
    group(criterion, "100 bodies", &threads(Setup { bodies: 100, ..lattice(10) }));
    for cuboid in [Body::CUBOID_225, Body::CUBOID_14400] {
        group(
            criterion,
            "tetrahedra, 1 example",
            &threads(Setup { examples: 1, ..Setup::new(cuboid) }),
        );
    }
}

criterion_group!(benches, kernel);
criterion_main!(benches);
