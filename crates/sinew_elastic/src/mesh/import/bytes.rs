//! Numbers in binary sections.

/// Which end of a number comes first.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Endian {
    Little,
    Big,
}

/// Fixed-size numbers that binary sections hold.
pub(super) trait Binary: Sized {
    const SIZE: usize;
    /// `bytes` must be [`SIZE`](Self::SIZE) long; shorter input reads as zero.
    fn read(bytes: &[u8], endian: Endian) -> Self;
}

macro_rules! binary {
    ($($number:ty),*) => {$(
        impl Binary for $number {
            const SIZE: usize = size_of::<$number>();

            fn read(bytes: &[u8], endian: Endian) -> Self {
                let bytes = bytes.try_into().unwrap_or_default();
                match endian {
                    Endian::Little => <$number>::from_le_bytes(bytes),
                    Endian::Big => <$number>::from_be_bytes(bytes),
                }
            }
        }
    )*};
}

binary!(i8, u8, i16, u16, i32, u32, i64, u64, f32, f64);
