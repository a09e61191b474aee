//! The scene that all lattices share, and the ruler that judges how they moved.

use glam::{DVec3, Vec3};

/// Time step of every scene, in seconds.
pub const DT: f32 = 1.0 / 60.0;

/// Steps after which [`Quality`] is taken.
pub const QUALITY_STEPS: u32 = 25;

/// Gravity, in m/s², along -y.
pub const GRAVITY: f32 = 9.81;

/// Turn of the cube's top against its bottom at the start, in radians.
const TWIST: f32 = 0.5;

/// Positions and velocities in world space, in the order of [`rest`].
#[derive(Clone, Debug)]
pub struct Snapshot {
    /// Particle positions, in metres.
    pub positions: Vec<Vec3>,
    /// Particle velocities, in m/s.
    pub velocities: Vec<Vec3>,
    /// Share of each particle in the mass; the sum is one.
    pub masses: Vec<f64>,
}

impl Snapshot {
    /// A snapshot of particles that all have the same mass.
    #[must_use]
    pub fn of_equal_masses(positions: Vec<Vec3>, velocities: Vec<Vec3>) -> Self {
        let masses = vec![1.0 / positions.len() as f64; positions.len()];
        Self { positions, velocities, masses }
    }
}

/// A cube of `side`³ particles with edges of one metre: x is the slowest index, z the fastest; the
/// bottom lies at y = 0 and the middle axis at x = z = 0.
#[must_use]
pub fn rest(side: usize) -> Vec<Vec3> {
    let cell = 1.0 / (side - 1) as f32;
    let mut positions = Vec::with_capacity(side.pow(3));
    for x in 0..side {
        for y in 0..side {
            for z in 0..side {
                let index = Vec3::new(x as f32, y as f32, z as f32);
                positions.push(index * cell - Vec3::new(0.5, 0.0, 0.5));
            }
        }
    }
    positions
}

/// The start of every falling scene: the cube of [`rest`], twisted about its vertical axis.
#[must_use]
pub fn twisted(rest: &[Vec3]) -> Vec<Vec3> {
    rest.iter()
        .map(|p| {
            let (sin, cos) = (TWIST * p.y).sin_cos();
            Vec3::new(p.x * cos - p.z * sin, p.y, p.x * sin + p.z * cos)
        })
        .collect()
}

/// What a motion lost or gained; the same ruler for every implementation.
#[derive(Clone, Copy, Debug)]
pub struct Quality {
    /// Height of the mass centre less that of a free fall in the same steps, in metres; a hung body shows its sag.
    pub height_error: f64,
    /// Horizontal speed of the centre of mass, in m/s; free fall has none.
    pub drift: f64,
    /// Volume of the lattice, cell by cell, over its volume at rest.
    pub volume: f64,
    /// Kinetic energy about the centre of mass, in J/kg: what is left of the start's twist.
    pub energy: f64,
}

impl Quality {
    /// Judges `snapshot` of a lattice cube of `side`³ particles that fell for `steps` steps.
    #[must_use]
    pub fn of(snapshot: &Snapshot, side: usize, steps: u32) -> Self {
        let Snapshot { positions, velocities, masses } = snapshot;
        let height: f64 = positions.iter().zip(masses).map(|(p, mass)| f64::from(p.y) * mass).sum();
        // Semi-implicit Euler: the velocity is advanced first, so n steps fall by g dt² n (n + 1) / 2.
        let n = f64::from(steps);
        let fall = f64::from(GRAVITY) * f64::from(DT).powi(2) * n * (n + 1.0) / 2.0;
        let moving = || velocities.iter().map(|v| v.as_dvec3()).zip(masses);
        let mean: DVec3 = moving().map(|(v, mass)| v * *mass).sum();
        Self {
            height_error: height - (0.5 - fall),
            drift: mean.x.hypot(mean.z),
            volume: volume(positions, side),
            energy: moving().map(|(v, mass)| 0.5 * mass * (v - mean).length_squared()).sum(),
        }
    }
}

/// Signed volume of all cells of a lattice cube, in m³: each cell as six tetrahedra about a diagonal.
fn volume(positions: &[Vec3], side: usize) -> f64 {
    let at = |x: usize, y: usize, z: usize| positions[(x * side + y) * side + z].as_dvec3();
    let mut sum = 0.0;
    for x in 0..side - 1 {
        for y in 0..side - 1 {
            for z in 0..side - 1 {
                let (low, high) = (at(x, y, z), at(x + 1, y + 1, z + 1));
                let ring = [
                    at(x + 1, y, z),
                    at(x + 1, y + 1, z),
                    at(x, y + 1, z),
                    at(x, y + 1, z + 1),
                    at(x, y, z + 1),
                    at(x + 1, y, z + 1),
                ];
                for k in 0..6 {
                    let (a, b) = (ring[k] - low, ring[(k + 1) % 6] - low);
                    sum += a.cross(b).dot(high - low) / 6.0;
                }
            }
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_cube_at_rest_has_volume_one_and_no_energy() {
        let positions = rest(5);
        let velocities = vec![Vec3::ZERO; positions.len()];
        let quality = Quality::of(&Snapshot::of_equal_masses(positions, velocities), 5, 0);
        assert!((quality.volume - 1.0).abs() < 1e-6);
        assert!(quality.height_error.abs() < 1e-6);
        assert_eq!(quality.energy, 0.0);
    }

    #[test]
    fn a_shear_keeps_the_volume_and_a_stretch_does_not() {
        let sheared: Vec<Vec3> =
            rest(4).iter().map(|p| Vec3::new(p.x + 0.3 * p.y, p.y, p.z)).collect();
        let stretched: Vec<Vec3> = rest(4).iter().map(|p| *p * Vec3::new(2.0, 1.0, 1.5)).collect();
        assert!((volume(&sheared, 4) - 1.0).abs() < 1e-6);
        assert!((volume(&stretched, 4) - 3.0).abs() < 1e-5);
    }

    #[test]
    fn a_common_velocity_is_drift_and_not_energy() {
        let positions = rest(3);
        let velocities = vec![Vec3::new(3.0, 0.0, 4.0); positions.len()];
        let quality = Quality::of(&Snapshot::of_equal_masses(positions, velocities), 3, 0);
        assert!((quality.drift - 5.0).abs() < 1e-12);
        assert!(quality.energy < 1e-12);
    }
}
