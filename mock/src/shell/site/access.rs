//! Access to the control plane.

use std::net::IpAddr;

use http::Uri;
use http::header::{AUTHORIZATION, HOST, ORIGIN};
use http::request::Parts;
use sha2::{Digest, Sha256};
use url::Url;

use crate::control::Refusal;

/// The rights of a caller on the control plane.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ControlRights {
    All,
    /// Only the routes that are offered to a client that is graded.
    Offered,
}

/// The access rules of the control plane, chosen when the mock starts.
pub(crate) struct Access {
    /// The digest of the token for all routes. Without a token, calls must come from this machine and name it as
    /// host. So a web page in a browser on this machine has no access: its calls have another `Origin`, or
    /// another `Host` (DNS rebinding).
    token: Option<[u8; 32]>,
    /// The digest of the token of a client that is graded.
    client_token: Option<[u8; 32]>,
    /// Host of the base address, which a call may name too.
    public_host: Option<String>,
}

impl Access {
    pub(crate) fn new(token: Option<&str>, client_token: Option<&str>, base_url: &str) -> Self {
        let digest = |token: &str| Sha256::digest(token).into();
        let url = Url::parse(base_url).ok();
        Self {
            token: token.map(digest),
            client_token: client_token.map(digest),
            public_host: url.and_then(|url| url.host_str().map(str::to_owned)),
        }
    }

    /// Whether there is a token of a client that is graded.
    pub(crate) const fn is_offering(&self) -> bool {
        self.client_token.is_some()
    }

    /// Checks a call, and returns its rights.
    ///
    /// # Errors
    /// The 401 or 403 of the response.
    pub(crate) fn check(&self, parts: &Parts, client: IpAddr) -> Result<ControlRights, Refusal> {
        let is_client = |digest| check_token(parts, digest).is_ok();
        if self.client_token.as_ref().is_some_and(is_client) {
            return Ok(ControlRights::Offered);
        }
        if let Some(digest) = &self.token {
            check_token(parts, digest)?;
            return Ok(ControlRights::All);
        }
        if !client.to_canonical().is_loopback() {
            return Err(Refusal::foreign("without a token only this machine may call"));
        }
        check_names(parts, self.public_host.as_deref())?;
        Ok(ControlRights::All)
    }

    /// Checks a call for a file of the console. A browser sends no token with it, and the files hold no data.
    ///
    /// # Errors
    /// The 403 of the response.
    pub(crate) fn check_page(
        &self,
        parts: &Parts,
        client: IpAddr,
    ) -> Result<ControlRights, Refusal> {
        match self.token {
            Some(_) => Ok(ControlRights::All),
            None => self.check(parts, client),
        }
    }
}

/// Compares digests in constant time, so that the time of a response tells nothing about the token.
fn check_token(parts: &Parts, digest: &[u8; 32]) -> Result<(), Refusal> {
    let header = parts.headers.get(AUTHORIZATION).map(|value| value.as_bytes());
    let given = header.and_then(|value| {
        let (scheme, token) = value.split_at_checked(b"Bearer ".len())?;
        scheme.eq_ignore_ascii_case(b"Bearer ").then_some(token)
    });
    match given {
        Some(token) if are_equal(&Sha256::digest(token), digest) => Ok(()),
        Some(_) | None => Err(Refusal::unauthorized()),
    }
}

fn are_equal(one: &[u8], other: &[u8; 32]) -> bool {
    one.len() == other.len()
        && one.iter().zip(other).fold(0, |differing, (one, other)| differing | (one ^ other)) == 0
}

fn check_names(parts: &Parts, public_host: Option<&str>) -> Result<(), Refusal> {
    let host = match parts.headers.get(HOST) {
        // A browser always sends it.
        None => None,
        Some(value) => {
            let text = value.to_str().unwrap_or_default();
            let authority = format!("http://{text}");
            if !is_named(&authority, public_host) {
                let detail = format!("`Host: {text}` is not this machine");
                return Err(Refusal::foreign(detail));
            }
            Some(text)
        }
    };
    let Some(origin) = parts.headers.get(ORIGIN) else { return Ok(()) };
    let origin = origin.to_str().unwrap_or_default();
    let authority = origin.split_once("://").map(|(_, authority)| authority);
    if authority.is_some() && authority == host {
        return Ok(());
    }
    Err(Refusal::foreign(format!("`Origin: {origin}` is another site")))
}

/// Whether the host of an address is this machine, or the public one.
fn is_named(address: &str, public_host: Option<&str>) -> bool {
    let is_plain = address.parse::<Uri>().is_ok_and(|uri| matches!(uri.path(), "" | "/"));
    let Ok(url) = Url::parse(address) else { return false };
    let is_here = match url.host() {
        Some(url::Host::Domain(name)) => {
            name == "localhost" || name.ends_with(".localhost") || Some(name) == public_host
        }
        Some(url::Host::Ipv4(address)) => address.is_loopback(),
        Some(url::Host::Ipv6(address)) => IpAddr::from(address).to_canonical().is_loopback(),
        None => false,
    };
    is_plain && (is_here || url.host_str().is_some_and(|host| Some(host) == public_host))
}

#[cfg(test)]
mod tests {
    use std::net::IpAddr;

    use http::Request;

    use super::{Access, ControlRights};

    #[track_caller]
    fn check(token: Option<&str>, client: &str, headers: &[(&str, &str)], expected: u16) {
        let access = Access::new(token, None, "http://mock.example:8080/api");
        let mut request = Request::builder();
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        let (parts, ()) = request.body(()).expect("a row's header is sound").into_parts();
        let client: IpAddr = client.parse().expect("a row's address is sound");
        let status = access.check(&parts, client).map_or_else(|p| p.status, |_| 200);
        assert_eq!(status, expected, "{client} {headers:?}");
    }

    #[test]
    fn without_a_token_only_this_machine_that_names_itself_may_call() {
        check(None, "127.0.0.1", &[], 200);
        check(None, "127.9.9.9", &[("host", "127.0.0.1:4010")], 200);
        check(None, "::1", &[("host", "[::1]:4010")], 200);
        check(None, "::ffff:127.0.0.1", &[("host", "localhost")], 200);
        check(None, "127.0.0.1", &[("host", "mock.example:8080")], 200);
        check(None, "10.0.0.1", &[("host", "localhost")], 403);
        check(None, "127.0.0.1", &[("host", "rebound.example")], 403);
        check(None, "127.0.0.1", &[("host", "localhost.rebound.example")], 403);
        check(None, "127.0.0.1", &[("host", "evil.example/@localhost")], 403);
        check(None, "127.0.0.1", &[("host", "")], 403);
    }

    #[test]
    fn an_origin_must_be_the_host_itself() {
        let host = ("host", "localhost:4010");
        check(None, "127.0.0.1", &[host, ("origin", "http://localhost:4010")], 200);
        check(None, "127.0.0.1", &[host, ("origin", "http://localhost:3000")], 403);
        check(None, "127.0.0.1", &[host, ("origin", "https://page.example")], 403);
        check(None, "127.0.0.1", &[host, ("origin", "null")], 403);
        check(None, "127.0.0.1", &[("origin", "null")], 403);
    }

    #[test]
    fn the_token_of_a_client_gives_only_the_offered_routes() {
        let access = Access::new(Some("t0p"), Some("client"), "http://mock.example");
        let rights = |token: &str| {
            let request = Request::builder().header("authorization", format!("Bearer {token}"));
            let (parts, ()) = request.body(()).expect("a sound header").into_parts();
            access.check(&parts, "127.0.0.1".parse().expect("an address")).ok()
        };
        assert_eq!(rights("t0p"), Some(ControlRights::All));
        assert_eq!(rights("client"), Some(ControlRights::Offered));
        assert_eq!(rights("other"), None);
    }

    #[test]
    fn with_a_token_only_the_token_counts() {
        let token = Some("t0p");
        check(token, "10.0.0.1", &[("authorization", "Bearer t0p")], 200);
        check(token, "10.0.0.1", &[("authorization", "bearer t0p")], 200);
        check(token, "127.0.0.1", &[], 401);
        check(token, "10.0.0.1", &[("authorization", "Bearer t0p ")], 401);
        check(token, "10.0.0.1", &[("authorization", "Bearer ")], 401);
        check(token, "10.0.0.1", &[("authorization", "Basic t0p")], 401);
    }
}
