//! FNV-1a, 64 bits: a hash that is the same on every machine and in every release.

const OFFSET_BASIS: u64 = 0xcbf2_9ce4_8422_2325;
const PRIME: u64 = 0x0100_0000_01b3;

/// A hash in work.
#[derive(Clone, Debug)]
pub struct Hash(u64);

impl Default for Hash {
    fn default() -> Self {
        Self::new()
    }
}

impl Hash {
    /// The hash of nothing.
    #[must_use]
    pub fn new() -> Self {
        Self(OFFSET_BASIS)
    }

    /// Continues over bytes.
    pub fn add_bytes(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(PRIME);
        }
    }

    /// Continues over numbers, each as four bytes, the lowest first.
    pub fn add_all(&mut self, values: impl IntoIterator<Item = u32>) {
        for value in values {
            self.add_bytes(&value.to_le_bytes());
        }
    }

    /// The hash of all so far.
    #[must_use]
    pub fn finish(&self) -> u64 {
        self.0
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_published_test_vectors_hold() {
        let hash = |text: &str| {
            let mut hash = Hash::new();
            hash.add_bytes(text.as_bytes());
            hash.finish()
        };
        assert_eq!(hash(""), 0xcbf2_9ce4_8422_2325);
        assert_eq!(hash("a"), 0xaf63_dc4c_8601_ec8c);
        assert_eq!(hash("foobar"), 0x8594_4171_f739_67e8);
    }
}
