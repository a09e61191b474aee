//! Joining of vertices that a renderer splits for texture coordinates or normals.

use std::collections::HashMap;

use crate::skinning::Influences;

/// Vertices at one position are joined when their weights differ by less than this in sum.
///
/// Exporters round the weights of split vertices differently; surfaces that only touch, such as lips or
/// the parts of a machine, follow different joints altogether and stay apart.
const SAME_WEIGHTS: f32 = 0.1;

/// What welding found.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct WeldReport {
    /// Vertices that were joined with an earlier one.
    pub joined: u32,
    /// Triangles dropped because two of their corners are one vertex.
    pub degenerate: u32,
    /// Triangles dropped because a triangle with the same corners was there before.
    pub repeated: u32,
}

/// The map from render vertices to welded ones, and the triangles between these.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Weld {
    /// The welded vertex of each render vertex.
    pub welded: Vec<u32>,
    /// One render vertex of each welded vertex: the first at its position.
    pub representative: Vec<u32>,
    /// Triangles between welded vertices.
    pub triangles: Vec<[u32; 3]>,
    /// What was joined and dropped.
    pub report: WeldReport,
}

impl Weld {
    /// Joins vertices of equal position and similar weights. Indices must be in range.
    ///
    /// Positions are compared exactly (zero and minus zero are equal): split vertices are copies of the
    /// same numbers. Without welding, a seam would be a border and would tear.
    ///
    /// # Panics
    /// When the influences have fewer vertices than `positions`, or an index is out of range.
    #[must_use]
    pub fn new(positions: &[[f32; 3]], triangles: &[[u32; 3]], influences: &Influences) -> Self {
        let mut weld = Self::default();
        // Only looked up, never walked: the order of a hash map cannot reach the result.
        let mut first_at: HashMap<[u32; 3], u32> = HashMap::with_capacity(positions.len());
        let mut next_at: Vec<Option<u32>> = Vec::new();
        for (vertex, position) in positions.iter().enumerate() {
            let key = position.map(|x| (x + 0.0).to_bits());
            let mut found = None;
            let mut last = None;
            let mut candidate = first_at.get(&key).copied();
            while let Some(welded) = candidate {
                let other = weld.representative[welded as usize] as usize;
                if similar(influences.row(vertex), influences.row(other)) {
                    found = Some(welded);
                    break;
                }
                last = Some(welded);
                candidate = next_at[welded as usize];
            }
            let welded = found.unwrap_or_else(|| {
                let new = weld.representative.len() as u32;
                weld.representative.push(vertex as u32);
                next_at.push(None);
                match last {
                    Some(last) => next_at[last as usize] = Some(new),
                    None => drop(first_at.insert(key, new)),
                }
                new
            });
            weld.report.joined += u32::from(found.is_some());
            weld.welded.push(welded);
        }
        let mut corners: Vec<([u32; 3], u32)> = Vec::with_capacity(triangles.len());
        for triangle in triangles {
            let [a, b, c] = triangle.map(|vertex| weld.welded[vertex as usize]);
            if a == b || b == c || c == a {
                weld.report.degenerate += 1;
            } else {
                let mut sorted = [a, b, c];
                sorted.sort_unstable();
                corners.push((sorted, weld.triangles.len() as u32));
                weld.triangles.push([a, b, c]);
            }
        }
        corners.sort_unstable();
        let mut keep = vec![true; weld.triangles.len()];
        for pair in corners.windows(2) {
            if pair[0].0 == pair[1].0 {
                keep[pair[1].1 as usize] = false;
                weld.report.repeated += 1;
            }
        }
        let mut kept = keep.iter();
        weld.triangles.retain(|_| kept.next().is_some_and(|&keep| keep));
        weld
    }
}

fn similar(a: (&[u16], &[f32]), b: (&[u16], &[f32])) -> bool {
    let weight_in = |(joints, weights): (&[u16], &[f32]), joint: u16| {
        joints.iter().zip(weights).find(|(j, _)| **j == joint).map_or(0.0, |(_, w)| *w)
    };
    let there: f32 = a.0.iter().zip(a.1).map(|(&j, w)| (w - weight_in(b, j)).abs()).sum();
    let back: f32 = b.0.iter().zip(b.1).filter(|(j, _)| !a.0.contains(j)).map(|(_, w)| w).sum();
    there + back < SAME_WEIGHTS
}
