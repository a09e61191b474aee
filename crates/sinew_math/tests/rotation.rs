//! Rotation extraction against an independent polar decomposition, and at its edges.

use glam::{DMat3, DQuat, DVec3, Mat3, Quat, Vec3};
use sinew_math::lane::{M3, Q4};
use sinew_math::rotation::{nearest_rotation, nearest_rotation_f64, newton_step};
use sinew_math::{Lane, LaneWork, Mat3x8, Quatx8, SimdLevel, dispatch};

/// A small generator, so that the cases are the same everywhere.
struct Random(u64);

impl Random {
    fn unit(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        ((self.0 >> 11) as f64) / ((1_u64 << 53) as f64)
    }

    fn range(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.unit()
    }

    fn direction(&mut self) -> DVec3 {
        loop {
            let v = DVec3::new(self.range(-1.0, 1.0), self.range(-1.0, 1.0), self.range(-1.0, 1.0));
            if v.length() > 0.1 && v.length() < 1.0 {
                return v.normalize();
            }
        }
    }

    fn rotation(&mut self) -> DQuat {
        let axis = self.direction();
        DQuat::from_axis_angle(axis, self.range(0.0, core::f64::consts::PI))
    }

    /// A symmetric matrix with eigenvalues within `1 ± stretch`.
    fn stretch(&mut self, stretch: f64) -> DMat3 {
        let frame = DMat3::from_quat(self.rotation());
        let values = DVec3::new(
            self.range(1.0 - stretch, 1.0 + stretch),
            self.range(1.0 - stretch, 1.0 + stretch),
            self.range(1.0 - stretch, 1.0 + stretch),
        );
        frame * DMat3::from_diagonal(values) * frame.transpose()
    }
}

fn angle_between(a: DQuat, b: DQuat) -> f64 {
    let d = (a.inverse() * b).normalize();
    2.0 * d.xyz().length().atan2(d.w.abs())
}

struct Step(Mat3x8, Quatx8);

impl LaneWork for Step {
    type Output = Quatx8;

    #[inline(always)]
    fn run<L: Lane>(self, t: L::Token) -> Quatx8 {
        newton_step::<L>(M3::load(t, &self.0), Q4::load(t, &self.1)).0.store()
    }
}

fn wide_step(a: Mat3, q: Quat) -> Quat {
    let mut wide = Mat3x8::ZERO;
    wide.set_lane(3, a);
    let best = dispatch(SimdLevel::Best, Step(wide, Quatx8::splat(q)));
    assert_eq!(best, dispatch(SimdLevel::Baseline, Step(wide, Quatx8::splat(q))));
    best.lane(3)
}

fn step_f32(a: DMat3, q: DQuat) -> DQuat {
    wide_step(a.as_mat3(), q.as_quat()).as_dquat()
}

#[test]
fn two_newton_steps_reach_single_precision_from_half_a_radian() {
    let mut random = Random(1);
    let mut worst = 0.0_f64;
    for _ in 0..4_000 {
        let r = random.rotation();
        let a = DMat3::from_quat(r) * random.stretch(0.6);
        let axis = random.direction();
        let start = r * DQuat::from_axis_angle(axis, 0.5);
        worst = worst.max(angle_between(step_f32(a, step_f32(a, start)), r));
    }
    // The exact map leaves at most 3e-7 after two steps; single precision adds about 5e-7.
    assert!(worst <= 1.5e-6, "worst error {worst:e} rad");
}

#[test]
fn one_newton_step_squares_a_small_error() {
    let mut random = Random(2);
    for (stretch, bound) in [(0.1, 1.4e-5), (0.3, 5e-5), (0.6, 1.5e-4)] {
        let mut worst = 0.0_f64;
        for _ in 0..4_000 {
            let r = random.rotation();
            let a = DMat3::from_quat(r) * random.stretch(stretch);
            let axis = random.direction();
            let start = r * DQuat::from_axis_angle(axis, 0.1);
            worst = worst.max(angle_between(step_f32(a, start), r));
        }
        assert!(worst < bound, "stretch {stretch}: {worst:e} rad");
    }
}

#[test]
fn a_pure_rotation_below_a_right_angle_is_found_at_once() {
    let mut random = Random(3);
    for _ in 0..500 {
        let r = random.rotation();
        let axis = random.direction();
        let start = r * DQuat::from_axis_angle(axis, random.range(0.0, 0.85));
        assert!(angle_between(step_f32(DMat3::from_quat(r), start), r) < 2e-6);
    }
}

#[test]
fn cold_starts_near_half_a_turn_find_the_rotation() {
    let mut random = Random(4);
    for _ in 0..5_000 {
        let r = random.rotation();
        let a = DMat3::from_quat(r) * random.stretch(0.5);
        let axis = random.direction();
        let start = r * DQuat::from_axis_angle(axis, random.range(2.8, core::f64::consts::PI));
        assert!(angle_between(nearest_rotation_f64(a, start), r) < 1e-7);
    }
    // Exactly half a turn: the gradient is zero there.
    for axis in [DVec3::X, DVec3::Y, DVec3::Z] {
        let q = nearest_rotation_f64(
            DMat3::IDENTITY,
            DQuat::from_axis_angle(axis, core::f64::consts::PI),
        );
        assert!(angle_between(q, DQuat::IDENTITY) < 1e-7);
    }
}

#[test]
fn wide_steps_converge_from_anywhere() {
    let mut random = Random(5);
    for _ in 0..2_000 {
        let r = random.rotation();
        let a = DMat3::from_quat(r) * random.stretch(0.6);
        let mut q = random.rotation();
        for _ in 0..12 {
            q = step_f32(a, q);
        }
        assert!(angle_between(q, r) < 3e-6, "{}", angle_between(q, r));
    }
}

#[test]
fn a_slightly_inverted_matrix_keeps_its_rotation() {
    // T28: the nearest proper rotation of diag(1, 1, -0.05) is the identity, and the symmetric factor
    // carries the negative sign.
    for last in [0.05, 0.01, 0.0, -0.01, -0.05] {
        let a = Mat3::from_diagonal(Vec3::new(1.0, 1.0, last));
        let q = nearest_rotation(a, Quat::from_rotation_x(0.2));
        assert!(angle_between(q.as_dquat(), DQuat::IDENTITY) < 1e-6, "last = {last}: {q:?}");
    }
}

#[test]
fn mirrored_matrices_give_the_best_proper_rotation() {
    // tr(Rᵀ A) over SO(3) is σ1 + σ2 − σ3 for a mirrored A, σ3 the smallest.
    let mut random = Random(6);
    for _ in 0..5_000 {
        let (u, v) = (DMat3::from_quat(random.rotation()), DMat3::from_quat(random.rotation()));
        let mut sigma = [random.range(0.1, 2.0), random.range(0.1, 2.0), random.range(0.1, 2.0)];
        sigma.sort_by(f64::total_cmp);
        let a = u * DMat3::from_diagonal(DVec3::new(sigma[2], sigma[1], -sigma[0])) * v.transpose();
        let r = DMat3::from_quat(nearest_rotation_f64(a, random.rotation()));
        let product = r.transpose() * a;
        let trace = product.x_axis.x + product.y_axis.y + product.z_axis.z;
        let best = sigma[2] + sigma[1] - sigma[0];
        // Where the two smaller values nearly coincide, the best rotation is all but free: any within
        // the gap is as good.
        let slack = if sigma[1] - sigma[0] < 1e-2 { 2.0 * (sigma[1] - sigma[0]) } else { 1e-6 };
        assert!((trace - best).abs() <= slack, "{trace} is not {best}: {sigma:?}");
    }
}

#[test]
fn degenerate_and_extreme_matrices_give_rotations() {
    // SB-07: singular values over 36 decades, rank 0 to 3, zero and identity.
    let mut random = Random(7);
    let values = [0.0, 1e-30, 1e-6, 1.0, 1e6];
    let mut cases = vec![Mat3::ZERO, Mat3::IDENTITY];
    for i in 0..10_000 {
        let pick = |shift: usize| values[(i / shift) % 5];
        let sigma = DVec3::new(pick(1), pick(5), pick(25));
        let (u, v) = (DMat3::from_quat(random.rotation()), DMat3::from_quat(random.rotation()));
        cases.push((u * DMat3::from_diagonal(sigma) * v.transpose()).as_mat3());
    }
    for a in cases {
        let start = Quat::from_rotation_y(0.7);
        let q = nearest_rotation(a, start);
        let m = Mat3::from_quat(q);
        assert!(q.is_finite(), "{a:?}");
        assert!((m.determinant() - 1.0).abs() < 1e-4, "{a:?}");
        let gram = m.transpose() * m - Mat3::IDENTITY;
        assert!(gram.to_cols_array().iter().all(|v| v.abs() < 1e-4), "{a:?}");
        assert_eq!(q, nearest_rotation(a, start));
        // The wide step stays finite on the same input, in the range that kernels scale theirs to.
        if a.to_cols_array().iter().all(|v| v.abs() <= 1.0) {
            let stepped = wide_step(a, start);
            assert!(
                stepped.is_finite() && (stepped.length() - 1.0).abs() < 1e-4,
                "{a:?}: {stepped:?}"
            );
        }
    }
}

#[test]
fn a_line_turns_by_the_smallest_rotation() {
    // T31: the twist about a line is free and stays as it was.
    let line = Vec3::X;
    let turned = Quat::from_rotation_z(0.4) * line;
    let a = Mat3::from_cols(turned * line.x, turned * line.y, turned * line.z);
    let q = nearest_rotation(a, Quat::IDENTITY);
    assert!(angle_between(q.as_dquat(), DQuat::from_rotation_z(0.4)) < 1e-6);
    let start = Quat::from_rotation_x(0.9);
    let kept = nearest_rotation(Mat3::from_cols(line, Vec3::ZERO, Vec3::ZERO), start);
    assert!(angle_between(kept.as_dquat(), start.as_dquat()) < 1e-6);
}
