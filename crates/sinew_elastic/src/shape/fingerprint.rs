//! Tells shapes apart, so that states and examples of one body are not taken for another's.

use crate::hash::Hash;

use super::ElasticShape;

impl ElasticShape {
    /// A hash of particles, masses and regions: equal for shapes that are built from the same input, on
    /// any machine. States and example bases remember it.
    #[must_use]
    pub fn fingerprint(&self) -> u64 {
        self.fingerprint
    }

    pub(super) fn find_fingerprint(&self) -> u64 {
        let mut hash = Hash::new();
        hash.add_all(self.slots.iter().copied());
        hash.add_all(self.center.to_array().map(f32::to_bits));
        let lanes = self.rest.iter().flat_map(|v| [v.x, v.y, v.z]);
        let lanes =
            lanes.chain(self.mass.iter().copied()).chain(self.inverse_count.iter().copied());
        hash.add_all(lanes.flat_map(|lanes| lanes.0).map(f32::to_bits));
        hash.add_all(self.region_slots.iter().copied());
        hash.add_all(self.lists.start.iter().chain(&self.lists.member).copied());
        if let Some(stencil) = &self.stencil {
            hash.add_all([stencil.width]);
            hash.add_all(stencil.regular.iter().flat_map(|lanes| lanes.0).map(f32::to_bits));
        }
        hash.finish()
    }
}
