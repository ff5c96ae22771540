//! Base addresses: parsing, joining and comparing.

use url::{Host, Url};

/// A base address, for messages.
pub(crate) const EXAMPLE: &str = "http://127.0.0.1:8080";

/// Reads a base address: absolute, http or https, without user, query or fragment. A trailing slash of its path is
/// removed.
///
/// # Errors
/// The mistake, as a sentence.
pub(crate) fn base(text: &str) -> Result<Url, String> {
    let parsed = Url::parse(text.trim()).ok();
    let is_http = |url: &Url| matches!(url.scheme(), "http" | "https") && url.has_host();
    let mut url = parsed
        .filter(is_http)
        .ok_or_else(|| format!("`{text}` is not a base address; write it like `{EXAMPLE}`"))?;
    if !url.username().is_empty() || url.password().is_some() {
        return Err("a base address has no user and no password".to_owned());
    }
    if url.query().is_some() || url.fragment().is_some() {
        return Err(format!("the base address `{text}` has a query or a fragment"));
    }
    let path = url.path().trim_end_matches('/').to_owned();
    url.set_path(&path);
    Ok(url)
}

/// The address of `path` below `base`. `path` has its leading `/` and its query.
pub(crate) fn below(base: &Url, path: &str) -> String {
    format!("{}{path}", base.as_str().trim_end_matches('/'))
}

/// A path is percent-decoded up to this number of times, because a service may decode more than once.
const DECODED_TIMES_MAX: usize = 4;

/// The path of an address below `base`, as the most lenient service would read it: percent-decoded, without empty and
/// dot segments, without a trailing slash. `\` is a slash. This is only for checking consent. Requests are sent
/// unchanged.
pub(crate) fn canonical_path(url: &Url, base: &Url) -> String {
    let (path, base) = (canonical(url.path()), canonical(base.path()));
    match path.strip_prefix(&base) {
        Some(rest) if rest.is_empty() || rest.starts_with('/') => rest.to_owned(),
        Some(_) | None => path,
    }
}

fn canonical(path: &str) -> String {
    let mut text = path.to_owned();
    for _ in 0..DECODED_TIMES_MAX {
        text = percent_encoding::percent_decode_str(&text).decode_utf8_lossy().into_owned();
    }
    let mut segments: Vec<&str> = Vec::new();
    let before_query = text.split(['?', '#', ';']).next().unwrap_or_default();
    for segment in before_query.split(['/', '\\']) {
        match segment.trim() {
            "" | "." => {}
            ".." => {
                segments.pop();
            }
            segment => segments.push(segment),
        }
    }
    segments.iter().flat_map(|segment| ["/", segment]).collect::<String>().to_ascii_lowercase()
}

/// Whether only this machine can reach the host.
pub(crate) fn is_loopback(url: &Url) -> bool {
    match url.host() {
        Some(Host::Domain(name)) => name == "localhost" || name.ends_with(".localhost"),
        Some(Host::Ipv4(address)) => address.is_loopback(),
        Some(Host::Ipv6(address)) => address.is_loopback(),
        None => false,
    }
}

/// Host and port, for messages.
pub(crate) fn shown_host(url: &Url) -> String {
    let host = url.host_str().unwrap_or_default();
    url.port().map_or_else(|| host.to_owned(), |port| format!("{host}:{port}"))
}

/// Whether both have the same scheme, host and port.
pub(crate) fn is_same_origin(one: &Url, other: &Url) -> bool {
    // Two addresses without a host have different origins.
    one.has_host()
        && one.scheme() == other.scheme()
        && one.host() == other.host()
        && one.port_or_known_default() == other.port_or_known_default()
}

#[cfg(test)]
mod tests {
    use super::{base, below, canonical_path};

    #[test]
    fn all_spellings_of_a_path_are_equal() {
        for path in [
            "/v1/requests",
            "/v1/requests/",
            "//v1///requests",
            "/v1/./requests",
            "/v1/workflows/../requests",
            "/v1/%72equests",
            "/v1/%2572equests",
            "/v1%2Frequests",
            "/v1/requests?page=1",
            "/v1/requests#a",
            "/v1/requests%3Fa=b",
            "/V1/Requests",
            "/v1\\requests",
            "/../api/v1/requests",
            "/v1/requests;a=b",
        ] {
            let base = base("https://legal.example.com/api").expect("a base address");
            let url = url::Url::parse(&below(&base, path)).expect("an address");
            assert_eq!(canonical_path(&url, &base), "/v1/requests", "{path}");
        }
    }

    #[test]
    fn different_paths_stay_different() {
        for (path, expected) in [("/v1/requests/a", "/v1/requests/a"), ("/v1", "/v1"), ("", "")] {
            let base = base("https://legal.example.com").expect("a base address");
            let url = url::Url::parse(&below(&base, path)).expect("an address");
            assert_eq!(canonical_path(&url, &base), expected, "{path}");
        }
    }
}
