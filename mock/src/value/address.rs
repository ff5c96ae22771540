//! Checks the addresses that documents are fetched from (§4.9). They must be public and https.
//!
//! The WHATWG parser recognises IP addresses also in decimal, octal and hexadecimal notation. Names are
//! not resolved here. The code that connects checks the resolved addresses.

use std::net::{IpAddr, Ipv4Addr, Ipv6Addr};

use percent_encoding::percent_decode_str;
use url::{Host, Url};

use crate::value::limits::URL_LENGTH_MAX;

/// Names that do not exist on the public Internet (RFC 6761, RFC 6762, RFC 8375, and `.internal`).
const PRIVATE_NAMES: [&str; 6] =
    ["localhost", "local", "internal", "home.arpa", "invalid", "localdomain"];

/// Names for examples and tests (RFC 6761 §6, RFC 2606 §3). They are never looked up.
const RESERVED_NAMES: [&str; 6] =
    ["test", "invalid", "example", "example.com", "example.net", "example.org"];

/// Names of the metadata services of clouds.
const METADATA_NAMES: [&str; 4] =
    ["metadata", "metadata.google.internal", "metadata.goog", "instance-data"];

/// Addresses of the metadata services of clouds: most clouds, Amazon's containers, Alibaba, and Amazon
/// over IPv6. These services give credentials to every caller inside the cloud.
const METADATA_ADDRESSES: [IpAddr; 4] = [
    IpAddr::V4(Ipv4Addr::new(169, 254, 169, 254)),
    IpAddr::V4(Ipv4Addr::new(169, 254, 170, 2)),
    IpAddr::V4(Ipv4Addr::new(100, 100, 100, 200)),
    IpAddr::V6(Ipv6Addr::new(0xfd00, 0xec2, 0, 0, 0, 0, 0, 0x254)),
];

/// The reason for refusing the address of a document.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Deserialize, thiserror::Error)]
#[serde(rename_all = "snake_case")]
pub enum AddressFault {
    /// Longer than `URL_LENGTH_MAX`.
    #[error("is longer than 2,048 characters")]
    Length,
    /// Relative, or malformed.
    #[error("is not an absolute address")]
    NotAbsolute,
    /// Another scheme.
    #[error("is not https")]
    NotHttps,
    /// A user name or a password.
    #[error("carries a user name or password")]
    Credentials,
    /// No host.
    #[error("names no host")]
    NoHost,
    /// Port 0. No server can listen on it.
    #[error("names port 0")]
    Port,
    /// A host that is not on the public Internet.
    #[error("is an internal, private or special-purpose address")]
    NotPublic,
}

/// Reads a public https address.
pub(crate) fn public_https(text: &str) -> Result<Url, AddressFault> {
    if text.len() > URL_LENGTH_MAX {
        return Err(AddressFault::Length);
    }
    let url = Url::parse(text).map_err(|_| AddressFault::NotAbsolute)?;
    if url.scheme() != "https" {
        return Err(AddressFault::NotHttps);
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err(AddressFault::Credentials);
    }
    if url.port() == Some(0) {
        return Err(AddressFault::Port);
    }
    match url.host() {
        Some(Host::Domain(name)) if is_public_name(name) => Ok(url),
        Some(Host::Ipv4(address)) if is_public_v4(address) => Ok(url),
        Some(Host::Ipv6(address)) if is_public_v6(address) => Ok(url),
        Some(_) => Err(AddressFault::NotPublic),
        None => Err(AddressFault::NoHost),
    }
}

/// Whether an address is on the public Internet. A fetcher checks this after it has resolved a name.
pub fn is_public(address: IpAddr) -> bool {
    match address {
        IpAddr::V4(address) => is_public_v4(address),
        IpAddr::V6(address) => is_public_v6(address),
    }
}

/// Whether the host is this machine. Plain http is not a risk there.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => is_below(name, "localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Whether the host is the metadata service of a cloud.
pub(crate) fn is_cloud_metadata(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => METADATA_NAMES.contains(&name.trim_end_matches('.')),
        Some(Host::Ipv4(address)) => is_metadata_address(address.into()),
        Some(Host::Ipv6(address)) => is_metadata_address(address.into()),
        None => false,
    }
}

/// Whether this is the address of a cloud's metadata service. The mock never connects to it.
pub(crate) fn is_metadata_address(address: IpAddr) -> bool {
    METADATA_ADDRESSES.contains(&address.to_canonical())
}

/// Whether the host is reserved for examples and tests. The receivers of the seed worlds have such
/// hosts. The mock does not connect to them.
pub(crate) fn is_reserved(url: &Url) -> bool {
    let Some(host) = url.domain() else { return false };
    RESERVED_NAMES.iter().any(|name| is_below(host, name))
}

/// The last segment of the path, decoded.
pub(crate) fn last_segment(url: &Url) -> Option<String> {
    let segment = url.path_segments()?.rfind(|segment| !segment.is_empty())?;
    Some(percent_decode_str(segment).decode_utf8_lossy().into_owned())
}

fn is_public_name(name: &str) -> bool {
    let name = name.trim_end_matches('.');
    name.contains('.') && !PRIVATE_NAMES.iter().any(|private| is_below(name, private))
}

fn is_below(name: &str, parent: &str) -> bool {
    let name = name.trim_end_matches('.');
    name.strip_suffix(parent).is_some_and(|rest| rest.is_empty() || rest.ends_with('.'))
}

/// Neither in the IANA registry of special-purpose IPv4 addresses nor multicast.
fn is_public_v4(address: Ipv4Addr) -> bool {
    let [a, b, c, _] = address.octets();
    let is_special = matches!(
        (a, b, c),
        (0 | 10 | 127 | 224..=255, _, _)
            | (100, 64..=127, _)
            | (169, 254, _)
            | (172, 16..=31, _)
            | (192, 0, 0 | 2)
            | (192, 31, 196)
            | (192, 52, 193)
            | (192, 88, 99)
            | (192, 168, _)
            | (192, 175, 48)
            | (198, 18 | 19, _)
            | (198, 51, 100)
            | (203, 0, 113)
    );
    !is_special
}

/// Global unicast without its special-purpose blocks. 6to4 and Teredo are such blocks; other mappings of
/// IPv4 addresses are not global unicast.
fn is_public_v6(address: Ipv6Addr) -> bool {
    let [a, b, ..] = address.segments();
    let is_global_unicast = a & 0xe000 == 0x2000;
    let is_special = (a == 0x2001 && (b < 0x0200 || b == 0x0db8))
        || a == 0x2002
        || (a == 0x2620 && b == 0x004f)
        || (a == 0x3fff && b < 0x1000);
    is_global_unicast && !is_special
}
