//! Points and normals that a joint's field is fitted to.

use std::f64::consts::TAU;

use glam::DVec3;
use thiserror::Error;

use super::HrbfError;
use crate::partition::Segment;
use crate::random::Random;

/// A point of the skin, or of a cap, with the outward unit normal; model space.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// Where the field's distance is zero.
    pub position: DVec3,
    /// The gradient of the distance there.
    pub normal: DVec3,
}

/// How a part is sampled.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct SampleSettings {
    /// Samples on the skin of one joint, caps not counted. The paper uses 50.
    pub count: usize,
    /// The share of a segment at each joint where no samples are taken: the skin there belongs to the
    /// bend, not to either limb.
    pub cull: f64,
    /// Seed of the points from which samples are chosen.
    pub seed: u64,
}

impl Default for SampleSettings {
    fn default() -> Self {
        Self { count: 48, cull: 0.05, seed: 1 }
    }
}

/// Why a joint has no field. Its vertices keep plain skinning.
#[derive(Clone, Copy, Debug, PartialEq, Error)]
pub enum NoField {
    /// Fields were not asked for.
    #[error("the joint was left out by choice")]
    Skipped,
    /// Too little skin to say anything about its shape.
    #[error("the joint is the main joint of {vertices} vertices; {least} are needed")]
    TooFewVertices {
        /// The vertices that the joint dominates.
        vertices: usize,
        /// The least that give a field.
        least: usize,
    },
    /// Fewer usable points than a closed surface needs.
    #[error("only {samples} places with a normal were found on the joint's skin")]
    TooFewSamples {
        /// The samples found.
        samples: usize,
    },
    /// The part is flat or in one line, so that it has no inside.
    #[error("the joint's skin has no thickness")]
    Flat,
    /// The fit failed.
    #[error("no field could be fitted: {0}")]
    Fit(#[from] HrbfError),
}

/// The part of the skin that belongs to one joint.
#[derive(Clone, Copy, Debug)]
pub struct PartSurface<'a> {
    /// Positions of all welded vertices, model space.
    pub positions: &'a [DVec3],
    /// Unit normals of all welded vertices, or zero.
    pub normals: &'a [DVec3],
    /// The vertices of the part.
    pub vertices: &'a [u32],
    /// Triangles with all three corners in the part.
    pub triangles: &'a [[u32; 3]],
    /// The joint's segment.
    pub segment: Segment,
    /// Whether another field begins at the head and at the tail. The skin is expected to close free
    /// ends by itself, and is capped if it does not.
    pub continued: [bool; 2],
}

/// Candidates drawn for each sample that is kept.
const CANDIDATES: usize = 20;
/// Samples nearer to each other than this share of the part's extent are one.
const CLOSEST: f64 = 1e-3;
/// A free end is open when no vertex is nearer to it than this share of the part's radius.
const OPEN_END: f64 = 0.5;
/// The cosine between normals from which on two points are taken for one sheet of skin.
const SAME_SHEET: f64 = 0.5;
/// Points that a smoothed sample needs at least.
const LEAST_NEAR: f64 = 6.0;
/// Directions round the axis in which a dome has points.
const DOME_SECTORS: usize = 6;
/// Angles of a dome's points above the end of the segment, in degrees.
const DOME_LATITUDES: [f64; 2] = [15.0, 50.0];
/// Skin this near to the end of the segment, in distances of the cap, says how wide the dome is.
const DOME_BAND: f64 = 0.5;
/// The largest width of a dome, in distances of the cap.
const DOME_WIDEST: f64 = 3.0;

/// Chooses samples on a part: a Poisson-disk set on its triangles and caps at its ends.
///
/// Random points are thinned by taking the farthest from all chosen so far, which keeps the least
/// distance between samples as large as it can be. Caps lie on the segment's axis beyond each end, as
/// far from it as the nearest vertex, with a dome round them, so that neighbouring fields meet inside of the joint. A part that is
/// wound inside out is turned. The flag tells whether this was done.
///
/// # Errors
/// When fewer than four distinct points with a normal are found, or all are in one plane.
pub fn part_samples(
    part: &PartSurface<'_>,
    settings: &SampleSettings,
) -> Result<(Vec<Sample>, bool), NoField> {
    let all = candidates(part, settings);
    let [head, tail] = part.continued;
    let inside = |sample: &&Sample| {
        let t = part.segment.along(sample.position);
        !(head && t <= settings.cull || tail && t >= 1.0 - settings.cull)
    };
    let culled: Vec<Sample> = all.iter().filter(inside).copied().collect();
    // Short or wide segments lie beside most of their skin: culling must leave enough of it.
    let mut pool = if 4 * culled.len() >= all.len() { culled } else { all };
    let folded = |s: &&Sample| (s.position - part.segment.nearest(s.position)).dot(s.normal) < 0.0;
    let inverted = 2 * pool.iter().filter(folded).count() > pool.len();
    if inverted {
        for sample in &mut pool {
            sample.normal = -sample.normal;
        }
    }
    let chosen = spread(&pool, settings.count.max(4));
    let mut samples: Vec<Sample> =
        chosen.iter().map(|sample| smoothed(sample, &pool, spacing(&chosen))).collect();
    if samples.len() < 4 {
        return Err(NoField::TooFewSamples { samples: samples.len() });
    }
    if is_flat(&samples) {
        return Err(NoField::Flat);
    }
    caps(part, &mut samples);
    Ok((samples, inverted))
}

/// The distance from the segment to the farthest sample: the support radius of the field.
#[must_use]
pub fn support_radius(segment: &Segment, samples: &[Sample]) -> f64 {
    samples.iter().map(|s| s.position.distance(segment.nearest(s.position))).fold(0.0, f64::max)
}

/// Random points on the triangles by area; the vertices where a part has no triangles.
fn candidates(part: &PartSurface<'_>, settings: &SampleSettings) -> Vec<Sample> {
    let usable = |position: DVec3, normal: DVec3| {
        let normal = normal.try_normalize()?;
        position.is_finite().then_some(Sample { position, normal })
    };
    let corner = |vertex: u32| (part.positions[vertex as usize], part.normals[vertex as usize]);
    let mut areas = Vec::with_capacity(part.triangles.len());
    let mut total = 0.0;
    for &triangle in part.triangles {
        let [a, b, c] = triangle.map(|vertex| part.positions[vertex as usize]);
        total += (b - a).cross(c - a).length();
        areas.push(total);
    }
    if !(total > 0.0 && total.is_finite()) {
        return part.vertices.iter().filter_map(|&v| usable(corner(v).0, corner(v).1)).collect();
    }
    let mut random = Random::new(settings.seed);
    (0..CANDIDATES * settings.count.max(4))
        .filter_map(|_| {
            let at = random.unit() * total;
            let triangle = areas.partition_point(|&sum| sum <= at).min(areas.len() - 1);
            let [(a, na), (b, nb), (c, nc)] = part.triangles[triangle].map(corner);
            let (mut u, mut v) = (random.unit(), random.unit());
            if u + v > 1.0 {
                (u, v) = (1.0 - u, 1.0 - v);
            }
            let mix = |a: DVec3, b: DVec3, c: DVec3| a * (1.0 - u - v) + b * u + c * v;
            let flat = (b - a).cross(c - a);
            let smooth = mix(na, nb, nc);
            usable(mix(a, b, c), if smooth.dot(flat) > 0.0 { smooth } else { flat })
        })
        .collect()
}

/// Farthest-point choice of at most `count` of the pool.
fn spread(pool: &[Sample], count: usize) -> Vec<Sample> {
    let Some(first) = pool.first() else { return Vec::new() };
    let mut chosen = vec![*first];
    let mut nearest: Vec<f64> =
        pool.iter().map(|sample| sample.position.distance_squared(first.position)).collect();
    let extent = nearest.iter().fold(0.0, |most: f64, &d| most.max(d)).sqrt();
    while chosen.len() < count {
        let farthest = (0..pool.len()).fold(0, |a, b| if nearest[b] > nearest[a] { b } else { a });
        if nearest[farthest].sqrt() <= CLOSEST * extent {
            break;
        }
        let next = pool[farthest];
        chosen.push(next);
        for (distance, sample) in nearest.iter_mut().zip(pool) {
            *distance = distance.min(sample.position.distance_squared(next.position));
        }
    }
    chosen
}

/// The mean distance from a sample to the nearest other one.
fn spacing(samples: &[Sample]) -> f64 {
    let nearest = |(i, a): (usize, &Sample)| {
        let others = samples.iter().enumerate().filter(|(j, _)| *j != i);
        others.map(|(_, b)| a.position.distance(b.position)).fold(f64::INFINITY, f64::min)
    };
    samples.iter().enumerate().map(nearest).sum::<f64>() / samples.len().max(1) as f64
}

/// A sample without the detail that lies between samples: it would be fitted as noise, and skin that
/// slides along the field would ride over it. The detail is kept by each vertex's value instead.
///
/// The normal is the mean over the pool within one spacing. The position moves along it to the height at
/// the middle of the least-squares paraboloid `h = a + c r²`, so that round limbs do not shrink.
fn smoothed(sample: &Sample, pool: &[Sample], spacing: f64) -> Sample {
    let near = || {
        pool.iter().filter(|other| {
            other.position.distance_squared(sample.position) <= spacing * spacing
                && other.normal.dot(sample.normal) > SAME_SHEET
        })
    };
    let Some(normal) = near().map(|other| other.normal).sum::<DVec3>().try_normalize() else {
        return *sample;
    };
    let (mut n, mut r, mut rr, mut h, mut hr) = (0.0, 0.0, 0.0, 0.0, 0.0);
    for other in near() {
        let offset = other.position - sample.position;
        let height = offset.dot(normal);
        let squared = offset.length_squared() - height * height;
        n += 1.0;
        r += squared;
        rr += squared * squared;
        h += height;
        hr += height * squared;
    }
    let determinant = n * rr - r * r;
    if n < LEAST_NEAR || determinant <= 1e-9 * n * rr {
        return *sample;
    }
    let middle = (h * rr - hr * r) / determinant;
    let position = sample.position + normal * middle.clamp(-0.25 * spacing, 0.25 * spacing);
    Sample { position, normal }
}

/// Whether all samples lie near one plane, seen by the smallest extent over many directions.
fn is_flat(samples: &[Sample]) -> bool {
    let origin = samples[0].position;
    let far = |f: &dyn Fn(DVec3) -> f64| samples.iter().map(|s| f(s.position)).fold(0.0, f64::max);
    let long = far(&|p| p.distance(origin));
    let Some(tip) = samples.iter().find(|s| s.position.distance(origin) >= long) else {
        return true;
    };
    let axis = (tip.position - origin).normalize_or_zero();
    let wide = far(&|p| (p - origin).reject_from_normalized(axis).length());
    let side = samples
        .iter()
        .map(|s| (s.position - origin).reject_from_normalized(axis))
        .find(|offset| offset.length() >= wide)
        .unwrap_or_default();
    let normal = axis.cross(side).normalize_or_zero();
    let thick = far(&|p| (p - origin).dot(normal).abs());
    thick.is_nan() || thick <= 1e-3 * long
}

/// Closes both ends: a point on the axis, and where another field begins a dome round it.
///
/// Without the dome a fit sinks by 6 % of the radius between the skin and the point on the axis, and its
/// gradients lean: the outer side of every bend, which comes to lie on that dome, would sink along.
fn caps(part: &PartSurface<'_>, samples: &mut Vec<Sample>) {
    let axis = part.segment.axis();
    let radius = support_radius(&part.segment, samples);
    let ends = [(part.segment.head, -axis), (part.segment.tail, axis)];
    for ((end, outward), continued) in ends.into_iter().zip(part.continued) {
        let nearest = part
            .vertices
            .iter()
            .map(|&vertex| part.positions[vertex as usize].distance(end))
            .fold(f64::INFINITY, f64::min);
        let reach = nearest.min(radius);
        if !(continued || nearest > OPEN_END * radius) || !(reach > 0.0 && reach.is_finite()) {
            continue;
        }
        let closest = 0.1 * reach;
        let mut add = |sample: Sample| {
            if samples.iter().all(|s| s.position.distance(sample.position) > closest) {
                samples.push(sample);
            }
        };
        add(Sample { position: end + outward * reach, normal: outward });
        if continued {
            dome(part, (end, outward), reach).into_iter().for_each(&mut add);
        }
    }
}

/// Points of an ellipsoid round the end of a segment: as far out along the axis as the cap, and across as
/// wide as the skin is there. Directions in which there is no skin near the end get no point.
fn dome(part: &PartSurface<'_>, (end, outward): (DVec3, DVec3), reach: f64) -> Vec<Sample> {
    let (u, v) = outward.any_orthonormal_pair();
    // Sums of the distances from the axis, and their number, by the sector round the axis.
    let mut sectors = [(0.0, 0_u32); DOME_SECTORS];
    for &vertex in part.vertices {
        let offset = part.positions[vertex as usize] - end;
        if offset.dot(outward).abs() <= DOME_BAND * reach {
            let across = offset.reject_from_normalized(outward);
            let turns = across.dot(v).atan2(across.dot(u)) / TAU;
            let sector = (turns.rem_euclid(1.0) * DOME_SECTORS as f64) as usize % DOME_SECTORS;
            sectors[sector].0 += across.length();
            sectors[sector].1 += 1;
        }
    }
    let mut samples = Vec::new();
    for (sector, (sum, count)) in sectors.into_iter().enumerate().filter(|(_, s)| s.1 > 0) {
        let (sin, cos) = ((sector as f64 + 0.5) * TAU / DOME_SECTORS as f64).sin_cos();
        let across = u * cos + v * sin;
        let wide = (sum / f64::from(count)).clamp(reach, DOME_WIDEST * reach);
        for latitude in DOME_LATITUDES {
            let (sin, cos) = latitude.to_radians().sin_cos();
            samples.push(Sample {
                position: end + outward * (reach * sin) + across * (wide * cos),
                normal: (outward * (wide * sin) + across * (reach * cos)).normalize(),
            });
        }
    }
    samples
}
