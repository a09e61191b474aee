//! Rig A: a jittered tube of radius 1 and length 8 along x, two joints, bent about z at the origin.

use glam::{Affine3A, DVec3, Quat, Vec3};
use sinew_fields::{
    BakeSettings, InfluenceSet, Influences, JointOperator, JointRest, Opening, Pose, Serial,
    SkinBake, SkinReport, SkinScratch, SkinSettings, SkinSource, TunedSkin, Tuning, deform,
};

pub const RINGS: usize = 81;
pub const SIDES: usize = 40;

/// `SplitMix64`, written anew so that tests do not lean on the crate's generator.
pub struct Random(pub u64);

impl Random {
    pub fn unit(&mut self) -> f64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        ((z ^ (z >> 31)) >> 11) as f64 / (1_u64 << 53) as f64
    }

    pub fn signed(&mut self) -> f64 {
        2.0 * self.unit() - 1.0
    }
}

pub struct Mesh {
    pub positions: Vec<[f32; 3]>,
    pub triangles: Vec<[u32; 3]>,
    pub influences: Influences,
}

/// The tube; `bump` is the height of a pattern of bumps on it, `half_width` that of the blend of weights.
pub fn tube(half_width: f64, bump: f64) -> Mesh {
    tube_of(&[-4.0, 0.0], half_width, bump)
}

/// The tube with up to four joints that begin at some x, in ascending order.
pub fn tube_of(heads: &[f64], half_width: f64, bump: f64) -> Mesh {
    let mut random = Random(7);
    let (spacing, turn) = (8.0 / (RINGS - 1) as f64, std::f64::consts::TAU / SIDES as f64);
    let mut positions = Vec::new();
    for ring in 0..RINGS {
        for side in 0..SIDES {
            // The borders, and the ring at the joint, whose weights are then ½ and ½.
            let straight = ring % (RINGS / 2) == 0;
            let shift = if straight { 0.0 } else { 0.25 * spacing * random.signed() };
            let x = ring as f64 * spacing - 4.0 + shift;
            let angle = (side as f64 + 0.25 * random.signed()) * turn;
            let r = 1.0 + bump * (x * 9.0).sin() * (angle * 6.0).cos();
            positions.push([x as f32, (r * angle.cos()) as f32, (r * angle.sin()) as f32]);
        }
    }
    let mut triangles = Vec::new();
    for ring in 0..RINGS - 1 {
        for side in 0..SIDES {
            let at = |r: usize, s: usize| (r * SIDES + s % SIDES) as u32;
            let [a, b] = [at(ring, side), at(ring, side + 1)];
            let [c, d] = [at(ring + 1, side), at(ring + 1, side + 1)];
            triangles.extend([[a, b, c], [b, d, c]]);
        }
    }
    let weights: Vec<[f32; 4]> = positions
        .iter()
        .map(|p| {
            // The share of a joint and all that hang on it.
            let share = |joint: usize| match heads.get(joint) {
                Some(head) if joint > 0 => {
                    let way = f64::from(p[0]) - head;
                    let t = ((way + half_width) / (2.0 * half_width)).clamp(0.0, 1.0);
                    t * t * (3.0 - 2.0 * t)
                }
                Some(_) => 1.0,
                None => 0.0,
            };
            core::array::from_fn(|joint| (share(joint) - share(joint + 1)) as f32)
        })
        .collect();
    let joints = vec![[0, 1, 2, 3]; positions.len()];
    let set = InfluenceSet { joints: &joints, weights: &weights };
    let (influences, report) =
        Influences::new(heads.len(), positions.len(), &[set]).expect("good weights");
    assert!(report.is_clean());
    Mesh { positions, triangles, influences }
}

pub struct Rig {
    pub mesh: Mesh,
    pub bake: SkinBake,
    pub tuned: TunedSkin,
}

pub fn joints() -> [JointRest; 2] {
    let rest = JointRest { head: Vec3::new(-4.0, 0.0, 0.0), ..JointRest::default() };
    [rest, JointRest { parent: Some(0), head: Vec3::ZERO, ..rest }]
}

pub fn bake_of(mesh: &Mesh) -> SkinBake {
    let source = SkinSource {
        positions: &mesh.positions,
        triangles: &mesh.triangles,
        influences: &mesh.influences,
        joints: &joints(),
    };
    let bake = SkinBake::new(&source, &BakeSettings::default(), &Serial).expect("a good mesh");
    assert_eq!(bake.report().field_count(), 2, "{:?}", bake.report());
    bake
}

impl Rig {
    pub fn new(half_width: f64, bump: f64, operator: JointOperator) -> Self {
        Self::of(tube(half_width, bump), operator)
    }

    pub fn of(mesh: Mesh, operator: JointOperator) -> Self {
        let bake = bake_of(&mesh);
        let tuned = TunedSkin::new(&bake, &Tuning::uniform(&bake, operator));
        Self { mesh, bake, tuned }
    }

    pub fn finger() -> Self {
        Self::new(1.0, 0.0, JointOperator::Blend(Opening::FINGER))
    }

    /// The positions of the render vertices in a pose.
    pub fn solve(&self, pose: &Pose, settings: &SkinSettings) -> (Vec<[f32; 3]>, SkinReport) {
        let mut scratch = SkinScratch::new(&self.bake);
        let report = deform(&self.bake, &self.tuned, settings, pose, &mut scratch, &Serial)
            .expect("all of one skin");
        let mut out = vec![[0.0; 3]; self.mesh.positions.len()];
        scratch.write_positions(&self.bake, &mut out, &Serial).expect("all of one skin");
        (out, report)
    }
}

/// The second joint turned about z by some degrees.
pub fn bent(degrees: f32) -> Pose {
    let turn = Affine3A::from_rotation_z(degrees.to_radians());
    Pose::new(&[Affine3A::IDENTITY, turn])
}

/// The second joint turned about the axis by some degrees.
pub fn twisted(degrees: f32) -> Pose {
    let turn = Affine3A::from_quat(Quat::from_rotation_x(degrees.to_radians()));
    Pose::new(&[Affine3A::IDENTITY, turn])
}

pub fn wide(p: [f32; 3]) -> DVec3 {
    DVec3::from(p.map(f64::from))
}

/// How deep each vertex is in the other limb, by plane geometry alone: the shorter of its ways back over the
/// plane that halves the bend and out through the other limb's surface. Negative or zero where it is not.
pub fn penetration(rest: &[[f32; 3]], solved: &[[f32; 3]], degrees: f64) -> Vec<f64> {
    let angle = degrees.to_radians();
    // Limbs lie along -x and along `far`; their fold is on the side of +y.
    let far = DVec3::new(angle.cos(), angle.sin(), 0.0);
    let across = (far + DVec3::X).normalize();
    rest.iter()
        .zip(solved)
        .map(|(rest, solved)| {
            let p = wide(*solved);
            let (own_side, other) = if rest[0] <= 0.0 { (1.0, far) } else { (-1.0, -DVec3::X) };
            let along = p.dot(other);
            let below = 1.0 - (p - other * along).length();
            if along > 0.0 { below.min(own_side * p.dot(across)) } else { 0.0 }
        })
        .collect()
}

/// Pairs of an edge and a triangle, without a common vertex, that cross.
pub fn crossings(triangles: &[[u32; 3]], positions: &[[f32; 3]]) -> usize {
    let p: Vec<DVec3> = positions.iter().copied().map(wide).collect();
    let mut edges: Vec<[u32; 2]> = triangles
        .iter()
        .flat_map(|&[a, b, c]| [[a, b], [b, c], [c, a]])
        .map(|[a, b]| [a.min(b), a.max(b)])
        .collect();
    edges.sort_unstable();
    edges.dedup();
    // Sweep over boxes along y.
    let low_high = |ids: &[u32]| {
        ids.iter().fold((DVec3::INFINITY, DVec3::NEG_INFINITY), |(low, high), &i| {
            (low.min(p[i as usize]), high.max(p[i as usize]))
        })
    };
    let mut boxes: Vec<_> = triangles.iter().map(|t| (low_high(t), t)).collect();
    boxes.sort_by(|a, b| a.0.0.y.total_cmp(&b.0.0.y));
    let tallest = boxes.iter().map(|b| b.0.1.y - b.0.0.y).fold(0.0, f64::max);
    let mut count = 0;
    for edge in &edges {
        let (low, high) = low_high(edge);
        let first = boxes.partition_point(|b| b.0.0.y < low.y - tallest);
        for ((tl, th), t) in &boxes[first..] {
            if tl.y > high.y {
                break;
            }
            let apart = tl.cmpgt(high).any() || th.cmplt(low).any();
            if apart || edge.iter().any(|v| t.contains(v)) {
                continue;
            }
            let [a, b, c] = t.map(|i| p[i as usize]);
            let [s, e] = edge.map(|i| p[i as usize]);
            let volume = |a: DVec3, b: DVec3, c: DVec3, d: DVec3| (b - a).cross(c - a).dot(d - a);
            let through = volume(a, b, c, s) * volume(a, b, c, e) < 0.0;
            let [u, v, w] = [volume(s, e, a, b), volume(s, e, b, c), volume(s, e, c, a)];
            let within = (u > 0.0) == (v > 0.0) && (v > 0.0) == (w > 0.0);
            count += usize::from(through && within);
        }
    }
    count
}
