//! Where the cells lie.

use glam::DVec3;

use super::LatticeError;

/// Most cells a grid may have, filled or not: it bounds memory (about 100 MB) and time.
pub(super) const MOST_CELLS: usize = 4_000_000;

/// How far, in cells, a surface may stick out of a cell and still count as lying on its border.
///
/// Far above the rounding of `f32` input, far below anything that shows.
pub(super) const SNAP: f64 = 1e-3;

/// Cells in a box around the surface; all geometry of the builder is in cell units from `origin`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Grid {
    pub(super) origin: DVec3,
    pub(super) spacing: f32,
    pub(super) cells: [usize; 3],
}

impl Grid {
    /// The smallest grid of whole cells that covers the bounds, centred on them.
    pub(super) fn around(min: DVec3, max: DVec3, spacing: f64) -> Result<Self, LatticeError> {
        let rounded = spacing as f32;
        if !(rounded > 0.0 && rounded.is_finite()) {
            return Err(LatticeError::Spacing { spacing: rounded });
        }
        let spacing = f64::from(rounded);
        let distance = min.abs().max(max.abs()).max_element();
        if spacing < 16.0 * f64::from(f32::EPSILON) * distance {
            return Err(LatticeError::FarFromOrigin { distance, spacing });
        }
        let counts = ((max - min) / spacing - SNAP).ceil().max(DVec3::ONE);
        let cells = counts.element_product();
        if cells > MOST_CELLS as f64 {
            return Err(LatticeError::TooManyCells { spacing, cells, most: MOST_CELLS });
        }
        let origin = (min + max) / 2.0 - counts * (spacing / 2.0);
        Ok(Self { origin, spacing: rounded, cells: counts.to_array().map(|c| c as usize) })
    }

    pub(super) fn len(&self) -> usize {
        self.cells.iter().product()
    }

    /// Body space to cell units.
    pub(super) fn local(&self, p: DVec3) -> DVec3 {
        (p - self.origin) / f64::from(self.spacing)
    }

    pub(super) fn index(&self, [x, y, z]: [usize; 3]) -> usize {
        x + self.cells[0] * (y + self.cells[1] * z)
    }

    pub(super) fn coords(&self, index: usize) -> [usize; 3] {
        let [x, y, _] = self.cells;
        [index % x, index / x % y, index / (x * y)]
    }

    /// The cell at a signed offset from another one, if the grid has it.
    pub(super) fn offset(&self, cell: usize, by: [i32; 3]) -> Option<usize> {
        let mut at = self.coords(cell);
        for axis in 0..3 {
            at[axis] = at[axis].checked_add_signed(by[axis] as isize)?;
            if at[axis] >= self.cells[axis] {
                return None;
            }
        }
        Some(self.index(at))
    }

    /// Centre of a cell, in cell units.
    pub(super) fn centre(&self, cell: usize) -> DVec3 {
        DVec3::from_array(self.coords(cell).map(|c| c as f64 + 0.5))
    }
}
