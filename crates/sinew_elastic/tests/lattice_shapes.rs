//! What a lattice must be for shapes whose answer is known.

mod lattice_support;

use std::collections::BTreeSet;

use glam::{DMat3, DVec3, IVec3, Vec3};
use lattice_support::{
    check, components, cuboid, embedded, letter_u, link_distances, merged, moved, prism, soup,
    sphere,
};
use sinew_elastic::lattice::{Lattice, LatticeNodes};
use sinew_elastic::mesh::SurfaceMesh;

fn build(request: Lattice, mesh: &SurfaceMesh) -> LatticeNodes {
    let lattice = request.build(mesh).expect("a lattice");
    check(mesh, &lattice);
    lattice
}

#[test]
fn cube_of_a_thousand_particles_has_ten_nodes_a_side_on_its_faces() {
    for offset in [Vec3::ZERO, Vec3::new(3.3, -17.1, 0.7)] {
        let cube = moved(&cuboid(Vec3::ZERO, Vec3::ONE, 4), offset);
        let lattice = build(Lattice::particles(1_000), &cube);
        assert_eq!(lattice.positions.len(), 1_000);
        let expected = LatticeNodes::block([10, 10, 10], lattice.spacing).expect("a block");
        assert_eq!(lattice.coords, expected.coords);
        assert_eq!(lattice.links, expected.links);
        assert_eq!(lattice.copies, expected.copies);
        for (share, exact) in lattice.mass_shares.iter().zip(&expected.mass_shares) {
            assert!((share - exact).abs() < 1e-6, "a full cube has full cells");
        }
        for p in &lattice.positions {
            let inside = (*p - offset).clamp(Vec3::ZERO, Vec3::ONE);
            assert!(inside.distance(*p - offset) < 1e-5, "{p} lies in the cube or on its faces");
        }
    }
}

#[test]
fn long_box_gets_whole_cells_along_each_side() {
    let lattice = build(Lattice::spacing(0.125), &cuboid(Vec3::ZERO, Vec3::new(0.5, 1.0, 0.5), 3));
    assert_eq!(lattice.coords.len(), 5 * 9 * 5);
    assert_eq!(lattice.report.grid, [4, 8, 4]);
}

#[test]
fn boxes_with_air_between_share_no_node() {
    // Wherever the gap lies in the grid, and also when it is a hundredth of a cell.
    for gap in [0.3, 0.1, 0.01] {
        for step in 0..11 {
            let at = 1.0 + step as f32 * 0.1;
            let first = cuboid(Vec3::ZERO, Vec3::new(at, 1.0, 1.0), 5);
            let second = cuboid(Vec3::new(at + gap, 0.0, 0.0), Vec3::new(3.0, 1.0, 1.0), 5);
            let both = merged(&[first.clone(), second]);
            let lattice = build(Lattice::spacing(1.0), &both);
            let (labels, count) = components(&lattice);
            assert_eq!(count, 2, "gap {gap} at {at}");
            assert_eq!(lattice.report.components, 2);
            for i in 0..both.positions.len() {
                let label = labels[lattice.embedding.particles[i][0] as usize];
                let other = labels[lattice.embedding.particles
                    [first.positions.len() * usize::from(i >= first.positions.len())][0]
                    as usize];
                assert_eq!(label, other, "vertex {i} follows its own box");
            }
        }
    }
}

#[test]
fn boxes_that_cross_become_one_body() {
    let boxes = [
        cuboid(Vec3::ZERO, Vec3::new(1.1, 1.0, 1.0), 3),
        cuboid(Vec3::new(0.9, 0.1, 0.1), Vec3::new(2.0, 0.9, 0.9), 3),
    ];
    for spacing in [1.0, 0.37, 0.2] {
        let lattice = build(Lattice::spacing(spacing), &merged(&boxes));
        assert_eq!(lattice.report.components, 1, "spacing {spacing}");
    }
}

#[test]
fn prongs_nearer_than_a_cell_are_joined_at_the_base_only() {
    let (prong, gap, height) = (1.0, 0.3, 8.0);
    for spacing in [1.0, 0.8, 0.7, 0.55] {
        let u = letter_u(prong, gap, height);
        let lattice = build(Lattice::spacing(spacing), &u);
        assert_eq!(lattice.report.components, 1, "spacing {spacing}");
        // The tips are outline vertices 7 (left) and 4 (right), a gap apart.
        let left = lattice.embedding.particles[7];
        let right = lattice.embedding.particles[4];
        let least = 2.0 * (height - prong) / spacing;
        for from in left {
            let distances = link_distances(&lattice, from);
            for to in right {
                let links = distances[to as usize].expect("one body") as f32;
                assert!(links >= least - 4.0, "{links} links from tip to tip, spacing {spacing}");
            }
        }
    }
}

#[test]
fn region_of_a_prong_stays_in_its_prong() {
    let lattice = build(Lattice::spacing(0.7), &letter_u(1.0, 0.3, 8.0));
    let regions = lattice.regions(3);
    let tip = lattice.embedding.particles[7];
    let other: BTreeSet<u32> = lattice.embedding.particles[4].into_iter().collect();
    for particle in tip {
        assert!(regions.list(particle as usize).iter().all(|p| !other.contains(p)));
    }
}

#[test]
fn thin_plate_is_one_sheet_of_cells() {
    for lift in [0.0, 0.31, 0.5, 0.77] {
        let plate = cuboid(Vec3::ZERO, Vec3::new(10.0, 0.1, 10.0), 13);
        let lattice = build(Lattice::spacing(1.0), &moved(&plate, Vec3::Y * lift));
        assert_eq!(lattice.report.copies, 100);
        assert_eq!(lattice.report.particles, 2 * 11 * 11);
        assert_eq!(lattice.report.layered_nodes, 0);
    }
    // Tilted, a plate crosses many cells in all directions and must not split either.
    let tilt = DMat3::from_axis_angle(DVec3::new(1.0, 2.0, 3.0).normalize(), 0.7).as_mat3();
    let mut plate = cuboid(Vec3::ZERO, Vec3::new(10.0, 0.1, 10.0), 13);
    plate.positions.iter_mut().for_each(|p| *p = tilt * *p);
    let lattice = build(Lattice::spacing(1.0), &plate);
    assert_eq!(lattice.report.components, 1);
    assert_eq!(lattice.report.copies, lattice.report.cells);
    assert_eq!(lattice.report.layered_nodes, 0);
}

#[test]
fn stacked_plates_with_air_between_stay_apart() {
    // Three plates inside of one layer of cells: the outer sides of two face away from each other
    // too, but a plate lies between.
    let plate = cuboid(Vec3::ZERO, Vec3::new(5.0, 0.1, 5.0), 7);
    let stack = [0.0, 0.25, 0.5].map(|y| moved(&plate, Vec3::Y * y));
    let lattice = build(Lattice::spacing(1.0), &merged(&stack));
    assert_eq!(lattice.report.components, 3);
    assert_eq!(lattice.report.copies, 3 * 25);
}

#[test]
fn box_without_a_bottom_is_filled() {
    let mut open = cuboid(Vec3::ZERO, Vec3::ONE, 5);
    let all = open.triangles.len();
    open.triangles.retain(|t| t.iter().any(|&v| open.positions[v as usize].y > 0.0));
    assert_eq!(open.triangles.len(), all - 50);
    let lattice = build(Lattice::spacing(0.1), &open);
    assert_eq!(lattice.report.cells, 1_000);
    assert_eq!(lattice.report.particles, 11 * 11 * 11);
    assert_eq!(lattice.report.border_edges, 20);
}

#[test]
fn hollow_stays_hollow() {
    let outer = cuboid(Vec3::ZERO, Vec3::splat(10.0), 10);
    let mut inner = cuboid(Vec3::splat(3.0), Vec3::splat(7.0), 4);
    inner.triangles.iter_mut().for_each(|t| t.swap(1, 2));
    let lattice = build(Lattice::spacing(1.0), &merged(&[outer, inner]));
    assert_eq!(lattice.report.cells, 1_000 - 64);
    assert_eq!(lattice.report.components, 1);
}

#[test]
fn mass_shares_of_a_sphere_sum_to_its_volume() {
    let exact = 4.0 / 3.0 * std::f64::consts::PI;
    for count in [1_000, 5_000] {
        let lattice = build(Lattice::particles(count), &sphere(1.0, 40, 80));
        let cell = f64::from(lattice.spacing).powi(3);
        let volume: f64 = lattice.mass_shares.iter().map(|&m| f64::from(m) * cell).sum();
        assert!((volume / exact - 1.0).abs() < 0.04, "{volume} is not {exact}");
        assert_eq!(lattice.report.layered_nodes, 0);
    }
}

#[test]
fn seams_and_poles_of_a_rendered_sphere_are_welded() {
    let lattice = build(Lattice::particles(500), &sphere(1.0, 16, 32));
    // 17 x 33 stored vertices: 15 rings lose one each, the poles 32 each.
    assert_eq!(lattice.report.welded_vertices, 15 + 64);
    assert_eq!(lattice.report.border_edges, 0);
    assert_eq!(lattice.report.components, 1);
    // Copies of one place follow the same cell with the same weights.
    let twin = |ring: usize| (ring * 33, ring * 33 + 32);
    for (a, b) in (1..16).map(twin) {
        assert_eq!(lattice.embedding.particles[a], lattice.embedding.particles[b]);
    }
}

#[test]
fn soup_gives_the_same_body_as_the_shared_mesh() {
    let shared = build(Lattice::spacing(0.21), &letter_u(1.0, 0.3, 4.0));
    let split = build(Lattice::spacing(0.21), &soup(&letter_u(1.0, 0.3, 4.0)));
    assert_eq!(shared.positions, split.positions);
    assert_eq!(shared.links, split.links);
    assert_eq!(shared.mass_shares, split.mass_shares);
}

#[test]
fn order_of_vertices_and_triangles_does_not_matter() {
    let mesh = merged(&[sphere(1.0, 12, 20), moved(&letter_u(0.3, 0.1, 2.0), Vec3::X * 1.02)]);
    let count = mesh.positions.len();
    // A fixed shuffle: multiplication by a number without a common factor.
    let place = |i: usize| (i * 7_919 + 13) % count;
    let mut shuffled = mesh.clone();
    for (i, &p) in mesh.positions.iter().enumerate() {
        shuffled.positions[place(i)] = p;
    }
    for t in &mut shuffled.triangles {
        *t = t.map(|v| place(v as usize) as u32);
        t.rotate_left(1);
    }
    shuffled.triangles.reverse();
    let (first, second) =
        (build(Lattice::particles(700), &mesh), build(Lattice::particles(700), &shuffled));
    assert_eq!(first.positions, second.positions);
    assert_eq!(first.links, second.links);
    assert_eq!(first.copies, second.copies);
    assert_eq!(first.mass_shares, second.mass_shares);
    for i in 0..count {
        assert_eq!(first.embedding.particles[i], second.embedding.particles[place(i)]);
        assert_eq!(first.embedding.weights[i], second.embedding.weights[place(i)]);
    }
}

#[test]
fn winding_does_not_matter() {
    let mut scrambled = letter_u(1.0, 0.3, 4.0);
    let straight = build(Lattice::spacing(0.4), &scrambled);
    for (i, t) in scrambled.triangles.iter_mut().enumerate() {
        if i % 3 == 0 {
            t.swap(0, 1);
        }
    }
    let turned = build(Lattice::spacing(0.4), &scrambled);
    assert!(turned.report.turned_triangles > 0);
    assert_eq!(straight.positions, turned.positions);
    assert_eq!(straight.links, turned.links);

    scrambled = letter_u(1.0, 0.3, 4.0);
    scrambled.triangles.iter_mut().for_each(|t| t.swap(0, 1));
    let inside_out = build(Lattice::spacing(0.4), &scrambled);
    assert_eq!(straight.links, inside_out.links);
}

#[test]
fn affine_motion_is_reproduced() {
    let mesh = sphere(2.0, 9, 14);
    let lattice = build(Lattice::particles(300), &mesh);
    let linear = DMat3::from_cols_array(&[1.3, 0.2, -0.4, 0.1, 0.8, 0.5, -0.3, 0.6, 1.1]);
    let shift = DVec3::new(5.0, -3.0, 2.0);
    for (i, p) in mesh.positions.iter().enumerate() {
        let at = embedded(&lattice, i, |n| linear * lattice.positions[n].as_dvec3() + shift);
        assert!(at.distance(linear * p.as_dvec3() + shift) < 4e-6);
    }
}

#[test]
fn flat_and_tiny_meshes_become_bodies() {
    let triangle =
        SurfaceMesh { positions: vec![Vec3::ZERO, Vec3::X, Vec3::Y], triangles: vec![[0, 1, 2]] };
    assert_eq!(build(Lattice::particles(8), &triangle).positions.len(), 8);
    assert_eq!(build(Lattice::particles(500), &triangle).report.components, 1);

    let quad = prism(
        &[[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 1.0]],
        &[[0, 1, 2], [0, 2, 3]],
        [0.0, 0.0],
    );
    let lattice = build(Lattice::spacing(0.1), &quad);
    assert_eq!(lattice.report.particles, 2 * 11 * 11);

    // Its corners lie on one line: no area, but a length.
    let needle = SurfaceMesh {
        positions: vec![Vec3::ZERO, Vec3::splat(1.0), Vec3::splat(3.0)],
        triangles: vec![[0, 1, 2]],
    };
    assert_eq!(build(Lattice::spacing(0.5), &needle).report.components, 1);
}

#[test]
fn sheet_along_the_grids_diagonal_is_one_piece() {
    // Its cells meet at edges only.
    let positions =
        vec![Vec3::ZERO, Vec3::new(8.0, 8.0, 0.0), Vec3::new(8.0, 8.0, 8.0), Vec3::Z * 8.0];
    let sheet = SurfaceMesh { positions, triangles: vec![[0, 1, 2], [0, 2, 3]] };
    let lattice = build(Lattice::spacing(1.0), &sheet);
    assert_eq!(lattice.report.components, 1);
    assert_eq!(lattice.report.cells, 64);
}

#[test]
fn sheet_in_a_grid_plane_of_a_larger_body_gets_one_layer() {
    // A fin in the plane x = 2 of the grid, on a box that fixes the grid.
    let fin = SurfaceMesh {
        positions: [[2.0, 0.0], [2.0, 4.0]]
            .iter()
            .flat_map(|&[x, z]| [Vec3::new(x, 2.0, z), Vec3::new(x, 6.0, z)])
            .collect(),
        triangles: vec![[0, 1, 3], [0, 3, 2]],
    };
    let body = cuboid(Vec3::ZERO, Vec3::new(4.0, 2.0, 4.0), 4);
    let lattice = build(Lattice::spacing(1.0), &merged(&[body, fin]));
    assert_eq!(lattice.report.cells, 4 * 2 * 4 + 4 * 4);
    assert_eq!(lattice.report.components, 1);
}

#[test]
fn wall_inside_a_body_does_not_cut_it() {
    // Two boxes that share the wall between them, as a divided mesh has it.
    let left = cuboid(Vec3::ZERO, Vec3::new(2.0, 2.0, 2.0), 2);
    let right = cuboid(Vec3::X * 2.0, Vec3::new(4.0, 2.0, 2.0), 2);
    for spacing in [1.0, 0.6] {
        let lattice = build(Lattice::spacing(spacing), &merged(&[left.clone(), right.clone()]));
        assert_eq!(lattice.report.components, 1, "spacing {spacing}");
    }
}

#[test]
fn vertices_without_triangles_follow_the_nearest_cells() {
    let mut mesh = cuboid(Vec3::ZERO, Vec3::ONE, 2);
    mesh.positions.push(Vec3::new(0.5, 1.2, 0.5));
    mesh.positions.push(Vec3::splat(1e6));
    let lattice = build(Lattice::spacing(0.25), &mesh);
    assert_eq!(lattice.report.unused_vertices, 2);
    let at = embedded(&lattice, mesh.positions.len() - 2, |p| lattice.positions[p].as_dvec3());
    assert!(at.distance(DVec3::new(0.5, 1.2, 0.5)) < 1e-5);
}

#[test]
fn block_is_fully_linked() {
    let block = LatticeNodes::block([4, 5, 6], 0.5).expect("a block");
    assert_eq!(block.positions.len(), 120);
    assert_eq!(block.copies.len(), 3 * 4 * 5);
    let total: f32 = block.mass_shares.iter().sum();
    assert!((total - 60.0).abs() < 1e-4);
    for i in 0..120 {
        let near = |j: &usize| {
            let step: IVec3 = (block.coords[i] - block.coords[*j]).abs();
            step.max_element() == 1
        };
        let expected: Vec<u32> = (0..120).filter(near).map(|j| j as u32).collect();
        assert_eq!(block.links.list(i), expected);
    }
}

#[test]
fn regions_of_a_block_are_cubes() {
    let block = LatticeNodes::block([8, 7, 9], 1.0).expect("a block");
    for width in 1..=3 {
        let regions = block.regions(width);
        for i in 0..block.coords.len() {
            let near = |j: &usize| {
                (block.coords[i] - block.coords[*j]).abs().max_element() <= width as i32
            };
            let expected: Vec<u32> =
                (0..block.coords.len()).filter(near).map(|j| j as u32).collect();
            assert_eq!(regions.list(i), expected);
        }
    }
}

#[test]
fn region_reaches_only_along_links() {
    // A ring of nodes with one missing: the neighbours of the hole are far from each other.
    let ring: Vec<IVec3> = (0..5)
        .flat_map(|x| (0..5).map(move |y| IVec3::new(x, y, 0)))
        .filter(|c| c.x == 0 || c.y == 0 || c.x == 4 || (c.y == 4 && c.x != 2))
        .collect();
    let lattice = LatticeNodes::from_nodes(&ring, 1.0, Vec3::ZERO).expect("nodes");
    let at = |x, y| lattice.coords.iter().position(|c| *c == IVec3::new(x, y, 0)).expect("a node");
    let regions = lattice.regions(3);
    assert!(!regions.list(at(1, 4)).contains(&(at(3, 4) as u32)));
    assert!(regions.list(at(1, 4)).contains(&(at(0, 2) as u32)));
}
