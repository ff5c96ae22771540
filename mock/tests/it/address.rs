//! The address guard: it allows no address of a special-purpose range.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use moot_mock::is_public;
use proptest::prelude::*;

/// The IANA IPv4 Special-Purpose Address Registry, and multicast: first address and prefix length.
const SPECIAL_V4: [(&str, u8); 26] = [
    ("0.0.0.0", 8),
    ("0.0.0.0", 32),
    ("10.0.0.0", 8),
    ("100.64.0.0", 10),
    ("127.0.0.0", 8),
    ("169.254.0.0", 16),
    ("172.16.0.0", 12),
    ("192.0.0.0", 24),
    ("192.0.0.0", 29),
    ("192.0.0.8", 32),
    ("192.0.0.9", 32),
    ("192.0.0.10", 32),
    ("192.0.0.170", 32),
    ("192.0.0.171", 32),
    ("192.0.2.0", 24),
    ("192.31.196.0", 24),
    ("192.52.193.0", 24),
    ("192.88.99.0", 24),
    ("192.168.0.0", 16),
    ("192.175.48.0", 24),
    ("198.18.0.0", 15),
    ("198.51.100.0", 24),
    ("203.0.113.0", 24),
    ("224.0.0.0", 4),
    ("240.0.0.0", 4),
    ("255.255.255.255", 32),
];

/// The IANA IPv6 Special-Purpose Address Registry, and addresses that are not global unicast. The latter hold
/// an IPv4 address (mapped, compatible, NAT64, 6to4, Teredo), are site-local, or are multicast.
const SPECIAL_V6: [(&str, u8); 28] = [
    ("::1", 128),
    ("::", 128),
    ("::ffff:0:0", 96),
    ("::", 96),
    ("64:ff9b::", 96),
    ("64:ff9b:1::", 48),
    ("100::", 64),
    ("100:0:0:1::", 64),
    ("2001::", 23),
    ("2001::", 32),
    ("2001:1::1", 128),
    ("2001:1::2", 128),
    ("2001:1::3", 128),
    ("2001:2::", 48),
    ("2001:3::", 32),
    ("2001:4:112::", 48),
    ("2001:10::", 28),
    ("2001:20::", 28),
    ("2001:30::", 28),
    ("2001:db8::", 32),
    ("2002::", 16),
    ("2620:4f:8000::", 48),
    ("3fff::", 20),
    ("5f00::", 16),
    ("fc00::", 7),
    ("fe80::", 10),
    ("fec0::", 10),
    ("ff00::", 8),
];

/// First and last address of a block.
fn span_v4((first, prefix): (&str, u8)) -> (u32, u32) {
    let first = u32::from(first.parse::<Ipv4Addr>().expect("an address"));
    (first, first | u32::MAX.checked_shr(u32::from(prefix)).unwrap_or(0))
}

fn span_v6((first, prefix): (&str, u8)) -> (u128, u128) {
    let first = u128::from(first.parse::<Ipv6Addr>().expect("an address"));
    (first, first | u128::MAX.checked_shr(u32::from(prefix)).unwrap_or(0))
}

fn is_special(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => SPECIAL_V4
            .into_iter()
            .map(span_v4)
            .any(|(first, last)| (first..=last).contains(&u32::from(address))),
        IpAddr::V6(address) => SPECIAL_V6
            .into_iter()
            .map(span_v6)
            .any(|(first, last)| (first..=last).contains(&u128::from(address))),
    }
}

fn v4(number: u32) -> IpAddr {
    Ipv4Addr::from(number).into()
}

fn v6(number: u128) -> IpAddr {
    Ipv6Addr::from(number).into()
}

/// The last 32 bits, which hold the IPv4 address of mapped, NAT64 and 6to4 addresses.
fn translated(number: u32) -> [IpAddr; 4] {
    let low = u128::from(number);
    [v6(0xffff << 32 | low), v6(low), v6(0x0064_ff9b << 96 | low), v6(0x2002 << 112 | low << 80)]
}

proptest! {
    #[test]
    fn no_public_address_is_special(any_v4: u32, any_v6: u128, place: u128) {
        // Most IPv6 addresses are not global unicast, so half of the draws are set to be.
        for address in [v4(any_v4), v6(any_v6), v6(0b001 << 125 | any_v6 >> 3)] {
            prop_assert!(!is_public(address) || !is_special(address), "{address}");
        }
        for (first, last) in SPECIAL_V4.map(span_v4) {
            let within = first + (place % u128::from(last - first + 1).max(1)) as u32;
            prop_assert!(!is_public(v4(within)), "{}", v4(within));
        }
        for (first, last) in SPECIAL_V6.map(span_v6) {
            let within = first + place.checked_rem(last - first).unwrap_or(0);
            prop_assert!(!is_public(v6(within)), "{}", v6(within));
        }
        for address in translated(any_v4) {
            prop_assert!(!is_public(address), "{address}");
        }
    }
}

#[test]
fn both_ends_of_every_special_block_are_refused() {
    for (first, last) in SPECIAL_V4.map(span_v4) {
        assert!(!is_public(v4(first)) && !is_public(v4(last)), "{}", v4(first));
    }
    for (first, last) in SPECIAL_V6.map(span_v6) {
        assert!(!is_public(v6(first)) && !is_public(v6(last)), "{}", v6(first));
    }
}

#[test]
fn the_addresses_beside_the_blocks_are_public() {
    for address in [
        "1.0.0.0",
        "9.255.255.255",
        "11.0.0.0",
        "100.63.255.255",
        "100.128.0.0",
        "126.255.255.255",
        "128.0.0.0",
        "169.253.255.255",
        "172.15.255.255",
        "172.32.0.0",
        "192.0.1.0",
        "192.0.3.0",
        "192.88.98.255",
        "192.167.255.255",
        "198.17.255.255",
        "198.20.0.0",
        "203.0.114.0",
        "223.255.255.255",
        "2001:200::",
        "2001:db7:ffff::",
        "2001:db9::",
        "2003::",
        "2620:50::",
        "2606:4700::1111",
        "3ffe::",
        "3fff:1000::",
    ] {
        assert!(is_public(address.parse().expect("an address")), "{address}");
    }
}
