//! Base addresses: what is one, and which are loopback.

use std::net::IpAddr;

use url::{Host, Url};

/// Reads a base address: absolute, http or https, no user, query or fragment. The slash at its end
/// is dropped where it has a path.
///
/// # Errors
/// What is wrong, as a sentence.
pub(super) fn base(text: &str) -> Result<Url, String> {
    let mut url = Url::parse(text.trim()).map_err(|error| {
        format!("`{text}` is no base address such as https://legal.example.com/api: {error}")
    })?;
    if !matches!(url.scheme(), "http" | "https") || !url.has_host() {
        return Err(format!("`{text}` is neither an http nor an https address"));
    }
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a base address holds no user and no password".to_owned());
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(format!("the base address `{text}` has a query or a fragment"));
    }
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    Ok(url)
}

/// The address of `path` (with its leading `/`, and its query) below `base`.
pub(super) fn below(base: &Url, path: &str) -> String {
    format!("{}{path}", base.as_str().trim_end_matches('/'))
}

/// Whether the host is this machine alone.
pub(super) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => IpAddr::from(address).is_loopback(),
        Some(Host::Ipv6(address)) => IpAddr::from(address).is_loopback(),
        None => false,
    }
}

/// Host and port, for people.
pub(super) fn shown_host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// Whether both have the same scheme, host and port.
pub(super) fn is_same_origin(one: &Url, other: &Url) -> bool {
    one.origin() == other.origin()
}
