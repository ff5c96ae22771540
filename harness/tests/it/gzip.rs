//! Compresses one repeated byte with gzip (RFC 1951, RFC 1952), for decompression bombs.

/// The unpacked length of a member.
const UNPACKED_BYTES: usize = 1024 * 1024;
/// The repeated byte.
const BYTE: u8 = b'[';
/// The longest copy of DEFLATE.
const COPY_BYTES_MAX: usize = 258;

/// Writes bits in the order of DEFLATE: the lowest bit of each byte first.
#[derive(Default)]
struct Bits {
    bytes: Vec<u8>,
    used: usize,
}

impl Bits {
    fn push(&mut self, bit: bool) {
        if self.used.is_multiple_of(8) {
            self.bytes.push(0);
        }
        if bit {
            self.bytes[self.used / 8] |= 1 << (self.used % 8);
        }
        self.used += 1;
    }

    /// Writes a Huffman code of this number of bits, the highest bit first.
    fn code(&mut self, code: u16, bits: u16) {
        for place in (0..bits).rev() {
            self.push(code >> place & 1 == 1);
        }
    }
}

/// A whole member of 1 MiB. It has about 6.6 kB. Consecutive members are one gzip stream.
pub(crate) fn member_of_a_mebibyte() -> Vec<u8> {
    let copies = (UNPACKED_BYTES - 1) / COPY_BYTES_MAX;
    let literals = UNPACKED_BYTES - copies * COPY_BYTES_MAX;
    let mut bits = Bits::default();
    // The last block with the fixed codes: `1`, then `01` with the lower bit first.
    for bit in [true, true, false] {
        bits.push(bit);
    }
    (0..literals).for_each(|_| bits.code(0x30 + u16::from(BYTE), 8));
    for _ in 0..copies {
        bits.code(0b1100_0101, 8);
        bits.code(0, 5);
    }
    bits.code(0, 7);
    let unpacked_length = u32::try_from(UNPACKED_BYTES).expect("it is a small constant");
    let mut member = vec![0x1f, 0x8b, 8, 0, 0, 0, 0, 0, 0, 3];
    member.extend(bits.bytes);
    member.extend(crc32().to_le_bytes());
    member.extend(unpacked_length.to_le_bytes());
    member
}

/// The CRC-32 of the unpacked bytes.
fn crc32() -> u32 {
    let next = |crc: u32, _| {
        (0..8).fold(crc ^ u32::from(BYTE), |crc, _| {
            if crc & 1 == 1 { crc >> 1 ^ 0xedb8_8320 } else { crc >> 1 }
        })
    };
    !(0..UNPACKED_BYTES).fold(!0, next)
}

#[test]
fn a_member_is_small_and_valid() {
    let member = member_of_a_mebibyte();
    assert!(member.len() < 7_000, "{}", member.len());
    // The value of zlib for 1 MiB of `[`.
    assert_eq!(crc32(), CRC_OF_ZLIB);
}

const CRC_OF_ZLIB: u32 = 0x7bbfc2d;
