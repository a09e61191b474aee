//! Finds the spacing that gives a wanted number of particles.

use super::LatticeError;
use super::attempt::Attempt;
use super::surface::Surface;

/// A count within this share of the wanted one is good enough.
const CLOSE: f64 = 0.1;

/// Counts grow with about this power of the divisions: between surface (2) and volume (3).
const GROWTH: f64 = 2.5;

/// After so many tries by [`GROWTH`] the interval is halved instead.
const GUESSES: usize = 6;

/// Tries between two neighbouring divisions of the longest side.
const REFINEMENTS: usize = 7;

/// The most divisions of the longest side.
const MOST_DIVISIONS: u32 = 1 << 22;

/// Searches the spacing; `attempt` builds a lattice for one.
///
/// Spacings that divide the longest side come first, so that the outer nodes of boxes lie on the
/// surface; only if none is close are spacings between two of them tried.
pub(super) fn fit(
    surface: &Surface,
    wanted: usize,
    mut attempt: impl FnMut(f64) -> Result<Attempt, LatticeError>,
) -> Result<Attempt, LatticeError> {
    let longest = (surface.max - surface.min).max_element();
    let mut best = Best { wanted, attempt: None };
    let (coarse, fine) = bracket(longest, &mut best, &mut attempt)?;
    if let (Some(mut coarse), Some(mut fine)) = (coarse, fine) {
        for _ in 0..REFINEMENTS {
            if best.is_close() {
                break;
            }
            let spacing = (coarse * fine).sqrt();
            let count = best.offer(attempt(spacing)?);
            *(if count < wanted { &mut coarse } else { &mut fine }) = spacing;
        }
    }
    let Some(found) = best.attempt else {
        return Err(LatticeError::TooManyParticles { asked: wanted, most: 0 });
    };
    let count = found.particles();
    if count > wanted + wanted / 2 {
        return Err(LatticeError::TooFewParticles { asked: wanted, least: count });
    }
    if count < wanted / 2 {
        return Err(LatticeError::TooManyParticles { asked: wanted, most: count });
    }
    Ok(found)
}

/// Finds neighbouring divisions of the longest side that give too few and too many particles, and
/// returns their spacings; one is missing where the coarsest or the finest grid still is not enough.
fn bracket(
    longest: f64,
    best: &mut Best,
    attempt: &mut impl FnMut(f64) -> Result<Attempt, LatticeError>,
) -> Result<(Option<f64>, Option<f64>), LatticeError> {
    let wanted = best.wanted;
    let mut few: Option<(u32, usize)> = None;
    let mut many: Option<u32> = None;
    let mut refused: Option<u32> = None;
    let mut divisions = ((wanted as f64).cbrt() as u32).clamp(1, 100);
    for tries in 0.. {
        let known = match attempt(longest / f64::from(divisions)) {
            Ok(tried) => {
                let count = best.offer(tried);
                if count == wanted {
                    break;
                }
                if count < wanted {
                    few = Some((divisions, count));
                } else {
                    many = Some(divisions);
                }
                count
            }
            Err(LatticeError::TooManyCells { .. } | LatticeError::FarFromOrigin { .. }) => {
                refused = Some(divisions);
                wanted
            }
            Err(error) => return Err(error),
        };
        let least = few.map_or(0, |f| f.0);
        let limit = many.into_iter().chain(refused).min().unwrap_or(MOST_DIVISIONS);
        if limit <= least + 1 {
            break;
        }
        let ratio = (wanted as f64 / known.max(1) as f64).powf(1.0 / GROWTH);
        let guess = (f64::from(divisions) * ratio).round() as u32;
        let bounded = many.is_some() || refused.is_some();
        let middle = least + (limit - least) / 2;
        divisions = if bounded && (tries >= GUESSES || refused == Some(divisions)) {
            middle
        } else {
            guess.clamp(least + 1, limit - 1)
        };
    }
    let spacing = |n: u32| longest / f64::from(n);
    Ok((few.map(|f| spacing(f.0)), many.map(spacing)))
}

/// The attempt with the count nearest to the wanted one; the first of equals.
struct Best {
    wanted: usize,
    attempt: Option<Attempt>,
}

impl Best {
    fn offer(&mut self, tried: Attempt) -> usize {
        let count = tried.particles();
        let off = |n: usize| n.abs_diff(self.wanted);
        if self.attempt.as_ref().is_none_or(|best| off(count) < off(best.particles())) {
            self.attempt = Some(tried);
        }
        count
    }

    fn is_close(&self) -> bool {
        self.attempt.as_ref().is_some_and(|best| {
            best.particles().abs_diff(self.wanted) as f64 <= CLOSE * self.wanted as f64
        })
    }
}
