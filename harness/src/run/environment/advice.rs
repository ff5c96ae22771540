//! Advice about a target that gives no token: the likely mistake, by its response.

use moot_fixtures::contract::{Operation, VERSION_PREFIX};
use url::Url;

use crate::client::access_tokens::TokenRequestRefusal;
use crate::client::target_file::address;
use crate::exchange::Trouble;

/// Advice about a refused token request of an application: a clause after `; `, or nothing.
pub(crate) fn of_refusal(base: &Url, role: &str, refusal: &TokenRequestRefusal) -> String {
    match likely(base, role, refusal) {
        Some(advice) => format!("; {advice}"),
        None => String::new(),
    }
}

/// Whether a base address ends in `/v1`. The paths of the specification start with it, except for the token endpoint.
pub(crate) fn ends_in_version(base: &Url) -> bool {
    base.path().trim_end_matches('/').ends_with(VERSION_PREFIX)
}

fn likely(base: &Url, role: &str, refusal: &TokenRequestRefusal) -> Option<String> {
    if ends_in_version(base) {
        return Some("`base_url` ends in `/v1`: leave that out".to_owned());
    }
    if let Some(location) = &refusal.redirect {
        return Some(redirected(base, location));
    }
    let is_success = (200..300).contains(&refusal.status);
    match refusal.status {
        407 => Some(
            "a proxy asks for credentials: set HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT"
                .to_owned(),
        ),
        404 | 405 | 410 => {
            let asked = address::below(base, Operation::CreateAccessToken.path());
            Some(format!("it was asked at {asked}: correct the path of `base_url`"))
        }
        _ if refusal.error.as_deref() == Some("invalid_scope") => Some(format!(
            "state the scopes of the application as `applications.{role}.scopes`, or give it those scopes"
        )),
        _ if refusal.is_about_credentials() => Some(format!(
            "compare `client_id` and `client_secret` of `applications.{role}` with the application; a \
             variable may have a line end or quotes"
        )),
        _ if refusal.error.is_none() && is_success => Some(
            "it is not a token endpoint: `base_url` must be the address of the API, not of a web \
             page or a login"
                .to_owned(),
        ),
        400 if refusal.error.is_none() && base.scheme() == "http" => {
            Some("if it speaks HTTPS, write https:// in `base_url`".to_owned())
        }
        _ => None,
    }
}

fn redirected(base: &Url, location: &str) -> String {
    let Ok(to) = base.join(location) else {
        return "it redirects: `base_url` must be the address of the API itself".to_owned();
    };
    if base.scheme() == "http" && to.scheme() == "https" && to.host() == base.host() {
        return "it redirects to HTTPS: write https:// in `base_url`".to_owned();
    }
    let host = address::shown_host(&to);
    format!(
        "it redirects to {host}{}: `base_url` must be the address of the API, not of a web page or a \
         login; a gateway may need a key of `headers`",
        to.path()
    )
}

/// Advice about a target that does not respond: a clause after `; `, or nothing.
pub(crate) fn of_trouble(base: &Url, trouble: &Trouble) -> &'static str {
    match trouble {
        Trouble::Unreachable(_) if address::is_loopback(base) => {
            "; is it running? Compare the port of `base_url`"
        }
        Trouble::Unreachable(_) | Trouble::Deadline(_) => {
            "; compare host and port of `base_url`, and set HTTPS_PROXY if a proxy is needed"
        }
        Trouble::Broken(_) if base.scheme() == "http" => {
            "; if it speaks HTTPS, write https:// in `base_url`"
        }
        _ => "",
    }
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::of_refusal;
    use crate::client::access_tokens::TokenRequestRefusal;

    #[test]
    fn the_likely_mistake_is_named() {
        for (base, status, error, redirect, said) in [
            ("https://a.example/v1", 404, None, None, "leave that out"),
            ("https://a.example/x", 404, None, None, "https://a.example/x/oauth/token"),
            ("https://a.example", 401, Some("invalid_client"), None, "applications.main"),
            ("https://a.example", 400, Some("invalid_scope"), None, "applications.main.scopes"),
            ("https://a.example", 407, None, None, "HTTPS_PROXY"),
            ("https://a.example", 200, None, None, "a login"),
            ("http://a.example", 400, None, None, "https://"),
            ("http://a.example", 301, None, Some("https://a.example/oauth/token"), "https://"),
            (
                "https://a.example",
                302,
                None,
                Some("https://id.example/login?x=y"),
                "id.example/login:",
            ),
            ("https://a.example", 500, None, None, ""),
        ] {
            let base = Url::parse(base).expect("an address");
            let [error, redirect] = [error, redirect].map(|it| it.map(str::to_owned));
            let advice =
                of_refusal(&base, "main", &TokenRequestRefusal { status, error, redirect });
            assert!(advice.contains(said), "{base} {status}: {advice}");
            assert_eq!(advice.is_empty(), said.is_empty(), "{base} {status}: {advice}");
        }
    }
}
