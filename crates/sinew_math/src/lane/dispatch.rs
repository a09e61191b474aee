//! Run-time choice of the instruction set.

use super::{Baseline, Lane};

/// The instruction set that a kernel runs with. The result does not depend on it, bit for bit.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum SimdLevel {
    /// The widest set that this machine has.
    #[default]
    Best,
    /// What the program was compiled for: SSE2 on x86-64 unless the build says otherwise.
    Baseline,
}

impl SimdLevel {
    /// Whether AVX2 code runs at this level on this machine.
    #[must_use]
    pub fn has_avx2(self) -> bool {
        #[cfg(target_arch = "x86_64")]
        return self == Self::Best && pulp::x86::V3::try_new().is_some();
        #[cfg(not(target_arch = "x86_64"))]
        return false;
    }
}

/// Work that is generic over the registers it uses.
pub trait LaneWork {
    /// What it returns.
    type Output;

    /// Does the work. Mark it, and all that it calls, `#[inline(always)]`.
    fn run<L: Lane>(self, token: L::Token) -> Self::Output;
}

/// Runs `work` with the registers of `level`.
#[inline]
pub fn dispatch<W: LaneWork>(level: SimdLevel, work: W) -> W::Output {
    #[cfg(target_arch = "x86_64")]
    if level == SimdLevel::Best
        && let Some(token) = pulp::x86::V3::try_new()
    {
        return pulp::Simd::vectorize(token, WithToken { token, work });
    }
    let _ = level;
    work.run::<Baseline>(())
}

#[cfg(target_arch = "x86_64")]
struct WithToken<W> {
    token: pulp::x86::V3,
    work: W,
}

#[cfg(target_arch = "x86_64")]
impl<W: LaneWork> pulp::NullaryFnOnce for WithToken<W> {
    type Output = W::Output;

    #[inline(always)]
    fn call(self) -> W::Output {
        self.work.run::<super::Avx2>(self.token)
    }
}
