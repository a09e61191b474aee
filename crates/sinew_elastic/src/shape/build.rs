//! Builders of [`ElasticShape`]: from tetrahedra, from a lattice, from given regions.

use glam::{DVec3, Vec3};

use crate::lattice::LatticeNodes;

use super::pack::{Draft, LatticeDraft};
use super::{ElasticShape, ShapeError, ShapeReport};

/// Largest number of particles; slots and incidences are numbered with 32 bits.
const MOST_PARTICLES: usize = 4_000_000;

impl ElasticShape {
    /// A body from overlapping regions of your own, each a list of particles.
    ///
    /// `masses` are volumes (mass at 1 kg/m³). Every particle touches colliders. Repeated members count
    /// once; regions of fewer than two particles are dropped and reported.
    ///
    /// # Errors
    /// When there is no particle, a position is not finite, a mass is not positive, or a region names a
    /// particle that is not there.
    pub fn from_regions(
        positions: &[Vec3],
        masses: &[f32],
        regions: &[Vec<u32>],
    ) -> Result<Self, ShapeError> {
        check(positions, masses)?;
        let mut report = ShapeReport::default();
        let mut kept = Vec::with_capacity(regions.len());
        for (index, region) in regions.iter().enumerate() {
            if let Some(&particle) = region.iter().find(|&&p| p as usize >= positions.len()) {
                return Err(ShapeError::UnknownParticle {
                    region: index,
                    particle,
                    particles: positions.len(),
                });
            }
            let mut members = region.clone();
            members.sort_unstable();
            members.dedup();
            if members.len() < 2 {
                report.dropped_regions += 1;
            } else {
                kept.push(members);
            }
        }
        let references = kept.iter().map(|members| members[0]).collect();
        let positions: Vec<DVec3> = positions.iter().map(|p| p.as_dvec3()).collect();
        let spacing = mean_spacing(&positions, masses);
        let mut shape = Draft {
            positions,
            masses: masses.iter().map(|&m| f64::from(m)).collect(),
            regions: kept,
            owners: None,
            references,
            lattice: None,
            spacing,
            report,
        }
        .pack();
        let all: Vec<u32> = (0..shape.particle_count() as u32).collect();
        shape.touch_with_particles(&all);
        Ok(shape)
    }

    /// A body from tetrahedra: a region for each vertex, of all vertices that share a cell with it
    /// (Koyama et al. 2012, the 1-ring). Vertices of the boundary touch colliders.
    ///
    /// Cells of negative volume are re-oriented, cells without volume are dropped; both are reported.
    ///
    /// # Errors
    /// When the mesh has no cell, an index is out of range, or a position is not finite.
    pub fn from_tets(positions: &[Vec3], cells: &[[u32; 4]]) -> Result<Self, ShapeError> {
        if cells.is_empty() {
            return Err(ShapeError::TetMesh("it has no tetrahedra".into()));
        }
        check(positions, &vec![1.0; positions.len()])?;
        let points: Vec<DVec3> = positions.iter().map(|p| p.as_dvec3()).collect();
        let mut report = ShapeReport::default();
        let mut masses = vec![0.0; points.len()];
        let mut regions: Vec<Vec<u32>> = vec![Vec::new(); points.len()];
        let mut oriented = Vec::with_capacity(cells.len());
        let mut edges = (0.0, 0_usize);
        for (index, &cell) in cells.iter().enumerate() {
            if let Some(&v) = cell.iter().find(|&&v| v as usize >= points.len()) {
                return Err(ShapeError::TetMesh(format!(
                    "cell {index} names vertex {v}, but there are only {}",
                    points.len()
                )));
            }
            let [a, b, c, d] = cell.map(|v| points[v as usize]);
            let volume = (b - a).cross(c - a).dot(d - a) / 6.0;
            let edge = (b - a).length().max((c - a).length()).max((d - a).length());
            // Below double precision's own rounding, the sign of a volume means nothing.
            if volume.abs() <= 1e-14 * edge.powi(3) {
                report.dropped_cells += 1;
                continue;
            }
            let cell = if volume < 0.0 {
                report.reoriented_cells += 1;
                [cell[0], cell[2], cell[1], cell[3]]
            } else {
                cell
            };
            for &v in &cell {
                masses[v as usize] += 0.25 * volume.abs();
                regions[v as usize].extend_from_slice(&cell);
            }
            edges.0 += (b - a).length() + (c - a).length() + (d - a).length();
            edges.1 += 3;
            oriented.push(cell);
        }
        if oriented.is_empty() {
            return Err(ShapeError::TetMesh("every tetrahedron is flat".into()));
        }
        for region in &mut regions {
            region.sort_unstable();
            region.dedup();
        }
        // Vertices that no cell uses stay where they are told: the least mass keeps them harmless.
        let least = masses.iter().copied().filter(|&m| m > 0.0).fold(f64::INFINITY, f64::min);
        for mass in &mut masses {
            if *mass <= 0.0 {
                *mass = least;
            }
        }
        let owners: Vec<u32> =
            (0..points.len() as u32).filter(|&v| !regions[v as usize].is_empty()).collect();
        regions.retain(|region| !region.is_empty());
        let boundary = boundary_vertices(&oriented);
        let mut shape = Draft {
            positions: points,
            masses,
            regions,
            references: owners.clone(),
            owners: Some(owners),
            lattice: None,
            spacing: edges.0 / edges.1 as f64,
            report,
        }
        .pack();
        shape.touch_with_particles(&boundary);
        Ok(shape)
    }

    /// A body from a lattice: a region for each node, of the nodes within `lattice.width` links
    /// (Rivers and James 2007). Regions that are whole boxes are summed as stencils.
    ///
    /// Every node touches colliders, until [`ElasticShape::with_contact_points`] says otherwise.
    ///
    /// # Errors
    /// As [`ElasticShape::from_regions`].
    pub fn from_lattice(lattice: &LatticeNodes) -> Result<Self, ShapeError> {
        let cell = f64::from(lattice.spacing).powi(3);
        let masses: Vec<f32> =
            lattice.mass_shares.iter().map(|&share| (f64::from(share) * cell) as f32).collect();
        check(&lattice.positions, &masses)?;
        let links = lattice.regions(lattice.width);
        let mut owners = Vec::new();
        let mut regions = Vec::new();
        for node in 0..lattice.positions.len() {
            let members = links.list(node);
            if members.len() > 1 {
                owners.push(node as u32);
                regions.push(members.to_vec());
            }
        }
        let mut shape = Draft {
            positions: lattice.positions.iter().map(|p| p.as_dvec3()).collect(),
            masses: masses.iter().map(|&m| f64::from(m)).collect(),
            references: owners.clone(),
            report: ShapeReport {
                dropped_regions: lattice.positions.len() - owners.len(),
                ..ShapeReport::default()
            },
            regions,
            owners: Some(owners),
            lattice: Some(LatticeDraft {
                nodes: lattice.coords.clone(),
                spacing: f64::from(lattice.spacing),
                width: lattice.width,
            }),
            spacing: f64::from(lattice.spacing),
        }
        .pack();
        let all: Vec<u32> = (0..shape.particle_count() as u32).collect();
        shape.touch_with_particles(&all);
        Ok(shape)
    }
}

fn check(positions: &[Vec3], masses: &[f32]) -> Result<(), ShapeError> {
    if positions.is_empty() {
        return Err(ShapeError::NoParticles);
    }
    if positions.len() > MOST_PARTICLES {
        return Err(ShapeError::TooManyParticles(positions.len()));
    }
    if masses.len() != positions.len() {
        return Err(ShapeError::MassCount { masses: masses.len(), particles: positions.len() });
    }
    if let Some(particle) = positions.iter().position(|p| !p.is_finite()) {
        return Err(ShapeError::NonFinitePosition(particle));
    }
    let bad = masses.iter().position(|&m| !(m.is_finite() && m > 0.0));
    bad.map_or(Ok(()), |particle| Err(ShapeError::BadMass { particle, mass: masses[particle] }))
}

/// Cube root of the volume per particle.
fn mean_spacing(positions: &[DVec3], masses: &[f32]) -> f64 {
    let volume: f64 = masses.iter().map(|&m| f64::from(m)).sum();
    (volume / positions.len() as f64).cbrt()
}

/// Vertices of faces that belong to one cell only, ascending.
fn boundary_vertices(cells: &[[u32; 4]]) -> Vec<u32> {
    let mut faces: Vec<[u32; 3]> = cells
        .iter()
        .flat_map(|&[a, b, c, d]| [[b, c, d], [a, c, d], [a, b, d], [a, b, c]])
        .map(|mut face| {
            face.sort_unstable();
            face
        })
        .collect();
    faces.sort_unstable();
    let mut vertices: Vec<u32> = faces
        .chunk_by(|a, b| a == b)
        .filter(|same| same.len() == 1)
        .flat_map(|same| same[0])
        .collect();
    vertices.sort_unstable();
    vertices.dedup();
    vertices
}
