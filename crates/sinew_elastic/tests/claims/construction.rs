//! T2: what builders make.

use sinew_elastic::ElasticShape;
use sinew_elastic::mesh::SplitParity;

use crate::fixtures::{Pair, block_nodes, cuboid_mesh, holed_nodes, lattice, prong_nodes, tets};

fn members(shape: &ElasticShape, region: usize) -> Vec<usize> {
    let mut found: Vec<usize> =
        shape.region_members(region).iter().map(|&(p, _)| p as usize).collect();
    found.sort_unstable();
    found
}

#[test]
fn the_cuboid_of_the_paper_has_its_counts() {
    for (parity, smallest) in [(SplitParity::Even, 4), (SplitParity::Odd, 5)] {
        let mesh = cuboid_mesh(parity);
        let shape = tets(&mesh).shape;
        assert_eq!((mesh.positions.len(), mesh.cells.len()), (225, 640));
        assert_eq!((shape.particle_count(), shape.region_count()), (225, 225));
        let sizes: Vec<usize> = (0..225).map(|r| members(&shape, r).len()).collect();
        assert_eq!(sizes.iter().sum::<usize>(), 2_273);
        assert_eq!(sizes.iter().max(), Some(&19));
        assert_eq!(sizes.iter().min(), Some(&smallest), "{parity:?}");
        let total: u32 = (0..225).map(|i| shape.regions_of(i)).sum();
        assert_eq!(total, 2_273);
    }
}

#[test]
fn regions_contain_their_owner_and_are_symmetric() {
    let check = |pair: &Pair| {
        let count = pair.shape.particle_count();
        assert_eq!(pair.shape.region_count(), count);
        let regions: Vec<Vec<usize>> = (0..count).map(|r| members(&pair.shape, r)).collect();
        for (i, region) in regions.iter().enumerate() {
            assert_eq!(*region, pair.model.regions[i], "region {i}");
            assert!(region.contains(&i));
            assert!(region.iter().all(|&j| regions[j].contains(&i)), "region {i}");
        }
    };
    check(&tets(&cuboid_mesh(SplitParity::Even)));
    for width in 1..=3 {
        check(&lattice(&block_nodes([6, 5, 7]), 0.1, width));
        check(&lattice(&holed_nodes(), 0.1, width));
        check(&lattice(&prong_nodes(), 0.1, width));
    }
}

#[test]
fn masses_are_volumes() {
    let cuboid = tets(&cuboid_mesh(SplitParity::Odd));
    let wanted = 0.5 * 1.0 * 0.5;
    assert!((cuboid.shape.volume() - wanted).abs() < 1e-6);
    for (i, &mass) in cuboid.model.mass.iter().enumerate() {
        assert!((f64::from(cuboid.shape.particle_mass(i)) / mass - 1.0).abs() < 1e-6);
    }
    let block = lattice(&block_nodes([6, 5, 7]), 0.1, 1);
    assert!((block.shape.volume() - 0.5 * 0.4 * 0.6).abs() < 1e-6);
}
