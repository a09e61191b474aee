//! The steps of a bake.

use glam::{DVec3, Vec3A};

use super::source::JointField;
use super::{BakeError, BakeReport, BakeSettings, BakedJoint, JointReport, SkinBake, SkinSource};
use crate::fields::{FieldGrid, Hrbf, NoField, PartSurface, part_samples, support_radius};
use crate::partition::{Partition, Segment, guess_segments};
use crate::skinning::Influences;
use crate::topology::{RingKind, Rings, Weld, mean_value_coordinates};
use sinew_math::Executor;

/// The fit of one joint's field, done on any thread.
struct FieldTask<'a> {
    part: PartSurface<'a>,
    triangles: Vec<[u32; 3]>,
    vertices: usize,
    skipped: bool,
    result: Result<Fitted, NoField>,
}

struct Fitted {
    grid: FieldGrid,
    samples: usize,
    inverted: bool,
}

impl SkinBake {
    /// Bakes a mesh: welds it, divides it among the joints and fits a field to each part.
    ///
    /// Joints are spread over the executor; the result does not depend on it. Joints for which no field
    /// can be made are named in the [report](Self::report) with the reason, and keep plain skinning.
    ///
    /// # Errors
    /// When the mesh is empty, indices or parents are out of range, positions are not finite, or the
    /// parts of the source do not fit each other.
    pub fn new(
        source: &SkinSource<'_>,
        settings: &BakeSettings,
        executor: &impl Executor,
    ) -> Result<Self, BakeError> {
        Self::with_progress(source, settings, executor, |_| ())
    }

    /// [`new`](Self::new), with a call for each joint that is done, from any thread.
    ///
    /// # Errors
    /// As for [`new`](Self::new).
    pub fn with_progress(
        source: &SkinSource<'_>,
        settings: &BakeSettings,
        executor: &impl Executor,
        joint_done: impl Fn(usize) + Sync,
    ) -> Result<Self, BakeError> {
        source.check()?;
        let key = source.key(settings);
        let (weld, influences) = sorted_weld(source);
        let positions: Vec<[f32; 3]> =
            weld.representative.iter().map(|&vertex| source.positions[vertex as usize]).collect();
        let wide: Vec<DVec3> = positions.iter().map(|p| DVec3::from(p.map(f64::from))).collect();
        let normals = vertex_normals(&wide, &weld.triangles);
        let rings = Rings::new(positions.len(), &weld.triangles);
        let (mean_value, relaxed) = coordinates(&wide, &normals, &rings);

        let partition = Partition::new(&influences);
        let heads: Vec<DVec3> = source.joints.iter().map(|joint| joint.head.as_dvec3()).collect();
        let parents: Vec<Option<u16>> = source.joints.iter().map(|joint| joint.parent).collect();
        let mut segments = guess_segments(&heads, &parents, &positions, &partition);
        for (segment, joint) in segments.iter_mut().zip(source.joints) {
            if let Some(tail) = joint.tail {
                segment.tail = tail.as_dvec3();
            }
        }
        let likely: Vec<bool> = (0..heads.len())
            .map(|joint| {
                source.joints[joint].field == JointField::Auto
                    && partition.part(joint).len() >= settings.least_vertices.max(4)
            })
            .collect();
        let mut tasks = field_tasks(&weld, &influences, &partition, &wide, &normals, &segments);
        for joint in 0..tasks.len() {
            tasks[joint].skipped = source.joints[joint].field == JointField::Skip;
            let mut ancestor = parents[joint].map(usize::from);
            while let Some(next) = ancestor.filter(|&next| !likely[next]) {
                ancestor = parents[next].map(usize::from);
            }
            if let Some(ancestor) = ancestor.filter(|_| likely[joint]) {
                tasks[joint].part.continued[0] = true;
                tasks[ancestor].part.continued[1] = true;
            }
        }
        let fit = |(joint, task): &mut (usize, FieldTask<'_>)| {
            task.result = fit_field(task, settings);
            joint_done(*joint);
        };
        let mut numbered: Vec<(usize, FieldTask<'_>)> = tasks.into_iter().enumerate().collect();
        run_dynamic(executor, &mut numbered, fit);

        let mut report = BakeReport { weld: weld.report, ..BakeReport::default() };
        for &kind in &rings.kinds {
            report.isolated += u32::from(kind == RingKind::Isolated);
            report.border += u32::from(kind == RingKind::Open);
            report.irregular += u32::from(kind == RingKind::Irregular);
        }
        let mut joints = Vec::with_capacity(heads.len());
        for (joint, task) in numbered {
            let vertices = task.vertices as u32;
            let (field, samples, inverted, no_field) = match task.result {
                Ok(Fitted { grid, samples, inverted }) => {
                    (Some(grid), samples as u32, inverted, None)
                }
                Err(reason) => (None, 0, false, Some(reason)),
            };
            report.joints.push(JointReport { vertices, samples, inverted, no_field });
            let hangs_on = parents[joint];
            joints.push(BakedJoint { segment: segments[joint], hangs_on, parent: None, field });
        }
        for joint in 0..joints.len() {
            let mut ancestor = parents[joint].map(usize::from);
            while let Some(next) = ancestor.filter(|&next| joints[next].field.is_none()) {
                ancestor = parents[next].map(usize::from);
            }
            joints[joint].parent = ancestor.map(|ancestor| ancestor as u16);
        }
        Ok(Self {
            key,
            skin_of: weld.welded,
            representative: weld.representative,
            positions: positions.iter().copied().map(Vec3A::from_array).collect(),
            normals: normals.iter().map(|normal| normal.as_vec3a()).collect(),
            influences,
            rings,
            mean_value,
            relaxed,
            joints,
            order: parents_first(&parents),
            report,
        })
    }
}

/// Runs tasks of uneven size: neighbours in the list may be of one thread, so they are dealt out in turn.
fn run_dynamic<T: Send>(executor: &impl Executor, tasks: &mut [T], work: impl Fn(&mut T) + Sync) {
    let workers = executor.workers().clamp(1, tasks.len().max(1));
    let mut hands: Vec<Vec<&mut T>> = (0..workers).map(|_| Vec::new()).collect();
    for (index, task) in tasks.iter_mut().enumerate() {
        hands[index % workers].push(task);
    }
    executor.run(&mut hands, |hand| {
        for task in hand {
            work(task);
        }
    });
}

/// Welds, and sorts the welded vertices by joint and then along a space-filling curve, so that a frame
/// reads each grid from one place to the next.
fn sorted_weld(source: &SkinSource<'_>) -> (Weld, Influences) {
    let mut weld = Weld::new(source.positions, source.triangles, source.influences);
    let position = |vertex: u32| Vec3A::from_array(source.positions[vertex as usize]);
    let (mut low, mut high) = (Vec3A::INFINITY, Vec3A::NEG_INFINITY);
    for &vertex in &weld.representative {
        low = low.min(position(vertex));
        high = high.max(position(vertex));
    }
    let to_cells = 1023.0 / (high - low).max_element().max(f32::MIN_POSITIVE);
    let mut order: Vec<(u16, u32, u32)> = (0_u32..)
        .zip(&weld.representative)
        .map(|(welded, &vertex)| {
            let cell = (position(vertex) - low) * to_cells;
            let cell = cell.to_array().map(|x| x.clamp(0.0, 1023.0) as u32);
            (source.influences.dominant(vertex as usize), morton(cell), welded)
        })
        .collect();
    order.sort_unstable();
    let mut new_of = vec![0_u32; order.len()];
    for (new, &(.., old)) in (0_u32..).zip(&order) {
        new_of[old as usize] = new;
    }
    weld.representative =
        order.iter().map(|&(.., old)| weld.representative[old as usize]).collect();
    for welded in weld.welded.iter_mut().chain(weld.triangles.as_flattened_mut()) {
        *welded = new_of[*welded as usize];
    }
    let influences = source.influences.select(weld.representative.iter().map(|&v| v as usize));
    (weld, influences)
}

/// The bits of three ten-bit numbers in turn.
fn morton([x, y, z]: [u32; 3]) -> u32 {
    let spread = |n: u32| (0..10).fold(0, |sum, bit| sum | (n >> bit & 1) << (3 * bit));
    spread(x) | spread(y) << 1 | spread(z) << 2
}

/// Unit normals, weighted by area; zero where triangles cancel out or there are none.
fn vertex_normals(positions: &[DVec3], triangles: &[[u32; 3]]) -> Vec<DVec3> {
    let mut sums = vec![DVec3::ZERO; positions.len()];
    for triangle in triangles {
        let [a, b, c] = triangle.map(|vertex| positions[vertex as usize]);
        for vertex in triangle {
            sums[*vertex as usize] += (b - a).cross(c - a);
        }
    }
    sums.into_iter().map(DVec3::normalize_or_zero).collect()
}

fn coordinates(positions: &[DVec3], normals: &[DVec3], rings: &Rings) -> (Vec<f32>, Vec<bool>) {
    let mut weights = vec![0.0; rings.neighbours.len()];
    let relaxed = (0..rings.len())
        .map(|vertex| {
            let ring = rings.ring(vertex).iter().map(|&other| positions[other as usize]);
            rings.kind(vertex) == RingKind::Closed
                && mean_value_coordinates(
                    positions[vertex],
                    normals[vertex],
                    ring,
                    &mut weights[rings.range(vertex)],
                )
        })
        .collect();
    (weights, relaxed)
}

fn field_tasks<'a>(
    weld: &Weld,
    influences: &Influences,
    partition: &'a Partition,
    positions: &'a [DVec3],
    normals: &'a [DVec3],
    segments: &[Segment],
) -> Vec<FieldTask<'a>> {
    let mut triangles: Vec<Vec<[u32; 3]>> = vec![Vec::new(); segments.len()];
    for &triangle in &weld.triangles {
        let [a, b, c] = triangle.map(|vertex| influences.dominant(vertex as usize));
        if a == b && b == c {
            triangles[usize::from(a)].push(triangle);
        }
    }
    triangles
        .into_iter()
        .enumerate()
        .map(|(joint, triangles)| FieldTask {
            part: PartSurface {
                positions,
                normals,
                vertices: partition.part(joint),
                triangles: &[],
                segment: segments[joint],
                continued: [false; 2],
            },
            triangles,
            vertices: partition.part(joint).len(),
            skipped: false,
            result: Err(NoField::Skipped),
        })
        .collect()
}

fn fit_field(task: &FieldTask<'_>, settings: &BakeSettings) -> Result<Fitted, NoField> {
    if task.skipped {
        return Err(NoField::Skipped);
    }
    let least = settings.least_vertices.max(4);
    if task.vertices < least {
        return Err(NoField::TooFewVertices { vertices: task.vertices, least });
    }
    let part = PartSurface { triangles: &task.triangles, ..task.part };
    let (samples, inverted) = part_samples(&part, &settings.samples)?;
    let function = Hrbf::fit(&samples)?;
    let radius = support_radius(&part.segment, &samples);
    let grid = FieldGrid::new(&function, &part.segment, &samples, radius, settings.resolution);
    Ok(Fitted { grid, samples: samples.len(), inverted })
}

/// Joints in such an order that each comes after the one it hangs on.
pub(super) fn parents_first(parents: &[Option<u16>]) -> Vec<u16> {
    let depth = |joint: u16| {
        let mut ancestor = parents[usize::from(joint)];
        let mut depth = 0_u32;
        while let Some(parent) = ancestor.filter(|_| depth as usize <= parents.len()) {
            ancestor = parents[usize::from(parent)];
            depth += 1;
        }
        depth
    };
    let mut order: Vec<u16> = (0..parents.len() as u16).collect();
    order.sort_by_cached_key(|&joint| depth(joint));
    order
}
