//! A hash that is the same in every run and on every machine.

/// FNV-1a with 64 bits and this seed. The hashers of Rust's standard library may change.
pub(crate) fn text_hash(seed: u64, text: &str) -> u64 {
    text.bytes().fold(0xcbf2_9ce4_8422_2325 ^ seed, |hash, byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::text_hash;

    #[test]
    fn the_hashes_are_those_published_with_fnv_1a() {
        for (text, hash) in [
            ("", 0xcbf2_9ce4_8422_2325),
            ("a", 0xaf63_dc4c_8601_ec8c),
            ("foobar", 0x8594_4171_f739_67e8),
        ] {
            assert_eq!(text_hash(0, text), hash, "{text}");
        }
    }
}
