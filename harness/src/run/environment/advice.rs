//! Advice about a target that gives no token: the likely mistake, by its response.

use moot_fixtures::contract::{Operation, VERSION_PREFIX};
use url::Url;

use crate::client::destination::RequestDestination;
use crate::client::target_file::address;
use crate::client::token_refusal::TokenRequestRefusal;
use crate::exchange::Trouble;

/// Advice about a refused token request of an application: a clause after `; `, or nothing.
pub(crate) fn of_refusal(
    destination: &RequestDestination,
    role: &str,
    refusal: &TokenRequestRefusal,
) -> String {
    let application = destination.applications.get(role);
    let variables = application.map_or(&[][..], |application| &application.variables);
    match likely(&destination.base, role, variables, refusal) {
        Some(advice) => format!("; {advice}"),
        None => String::new(),
    }
}

/// Whether a base address ends in `/v1`. The paths of the specification start with it, except for the token endpoint.
fn ends_in_version(base: &Url) -> bool {
    base.path().trim_end_matches('/').ends_with(VERSION_PREFIX)
}

fn likely(
    base: &Url,
    role: &str,
    variables: &[String],
    refusal: &TokenRequestRefusal,
) -> Option<String> {
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
            "check `client_id` and `client_secret` of `applications.{role}`{}; a value must not contain quotes or a \
             line end",
            from_variables(variables)
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

fn from_variables(variables: &[String]) -> String {
    match variables {
        [] => String::new(),
        [one] => format!(" (environment variable `{one}`)"),
        all => format!(" (environment variables `{}`)", all.join("` and `")),
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
        Trouble::Unreachable(_) | Trouble::Timeout(_) => {
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

    use super::likely;
    use crate::client::token_refusal::TokenRequestRefusal;

    #[test]
    fn the_likely_mistake_is_named() {
        let variables = ["READER_ID".to_owned(), "READER_SECRET".to_owned()];
        let rows = [
            ("https://a.example/v1", 404, None, None, &[][..]),
            ("https://a.example/x", 404, None, None, &[]),
            ("https://a.example", 401, Some("invalid_client"), None, &[]),
            ("https://a.example", 401, Some("invalid_client"), None, &variables[1..]),
            ("https://a.example", 401, Some("invalid_client"), None, &variables),
            ("https://a.example", 400, Some("invalid_scope"), None, &[]),
            ("https://a.example", 407, None, None, &[]),
            ("https://a.example", 200, None, None, &[]),
            ("http://a.example", 400, None, None, &[]),
            ("http://a.example", 301, None, Some("https://a.example/oauth/token"), &[]),
            ("https://a.example", 302, None, Some("https://id.example/login?x=y"), &[]),
            ("https://a.example", 500, None, None, &[]),
        ];
        let advice = rows.map(|(base, status, error, redirect, variables)| {
            let base = Url::parse(base).expect("an address");
            let [error, redirect] = [error, redirect].map(|it| it.map(str::to_owned));
            let refusal = TokenRequestRefusal { status, error, redirect };
            format!(
                "{refusal}: {}",
                likely(&base, "reader", variables, &refusal).unwrap_or_default()
            )
        });
        insta::assert_snapshot!(advice.join("\n"), @r"
        404 (no token in it): `base_url` ends in `/v1`: leave that out
        404 (no token in it): it was asked at https://a.example/x/oauth/token: correct the path of `base_url`
        401 (invalid_client): check `client_id` and `client_secret` of `applications.reader`; a value must not contain quotes or a line end
        401 (invalid_client): check `client_id` and `client_secret` of `applications.reader` (environment variable `READER_SECRET`); a value must not contain quotes or a line end
        401 (invalid_client): check `client_id` and `client_secret` of `applications.reader` (environment variables `READER_ID` and `READER_SECRET`); a value must not contain quotes or a line end
        400 (invalid_scope): state the scopes of the application as `applications.reader.scopes`, or give it those scopes
        407 (no token in it): a proxy asks for credentials: set HTTPS_PROXY=http://USER:PASSWORD@HOST:PORT
        200 (no token in it): it is not a token endpoint: `base_url` must be the address of the API, not of a web page or a login
        400 (no token in it): if it speaks HTTPS, write https:// in `base_url`
        301 (no token in it): it redirects to HTTPS: write https:// in `base_url`
        302 (no token in it): it redirects to id.example/login: `base_url` must be the address of the API, not of a web page or a login; a gateway may need a key of `headers`
        500 (no token in it):
        ");
    }
}
