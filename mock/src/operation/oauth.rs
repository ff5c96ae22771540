//! The form and the client authentication of the two OAuth endpoints (RFC 6749 §2.3, §3.2).

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::HeaderValue;
use http::header::AUTHORIZATION;
use moot_fixtures::contract::Answers;

use crate::operation::Context;
use crate::value::message::call::{Body, BodyFault};
use crate::value::message::problem::Problem;
use crate::world::state::seed_data::Application;

const FORM: &str = "application/x-www-form-urlencoded";
/// The same text for every wrong credential. So a caller does not learn which client ids exist.
const WRONG_CLIENT: &str = "client_id and client_secret name no application of this service";

/// The fields of a form body.
#[derive(Debug)]
pub(crate) struct TokenForm<'a> {
    fields: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    answers: &'a Answers,
}

impl<'a> TokenForm<'a> {
    /// The form of a call.
    ///
    /// # Errors
    /// `invalid_request` if the body is not a form.
    pub(crate) fn of(context: &Context<'a>) -> Result<Self, Problem> {
        let answers = context.answers();
        let refused = |detail: String| Err(invalid_request(answers, detail));
        if !context.has_content_type(FORM) {
            return refused(format!("the body must be {FORM}"));
        }
        match &context.call.body {
            Body::Whole(bytes) => {
                Ok(Self { fields: form_urlencoded::parse(bytes).collect(), answers })
            }
            Body::Empty => Ok(Self { fields: Vec::new(), answers }),
            Body::Broken(BodyFault::TooLarge) => refused("the body is too large".to_owned()),
            Body::Broken(BodyFault::Truncated) => {
                refused("the body ended before it was complete".to_owned())
            }
            Body::Broken(_) | Body::Multipart(_) => refused(format!("the body must be {FORM}")),
        }
    }

    /// The value of a field; an empty field counts as absent (RFC 6749 §3.2).
    ///
    /// # Errors
    /// `invalid_request` if it is repeated.
    pub(crate) fn once(&self, name: &str) -> Result<Option<&str>, Problem> {
        let mut values = self.fields.iter().filter(|(key, _)| key == name);
        match (values.next(), values.next()) {
            (None, _) => Ok(None),
            (Some((_, value)), None) => Ok(Some(value.as_ref()).filter(|value| !value.is_empty())),
            (Some(_), Some(_)) => {
                Err(invalid_request(self.answers, format!("{name} was sent more than once")))
            }
        }
    }
}

/// The refusal of a form.
pub(crate) fn invalid_request(answers: &Answers, detail: impl Into<String>) -> Problem {
    Problem::token_failure(answers.token_failure_status.other, "invalid_request", detail)
}

/// The calling application with its index.
///
/// # Errors
/// `invalid_client` if its credentials are missing or wrong; `invalid_request` if it sends several, in the
/// form and in the header, or in two headers.
pub(crate) fn client<'a>(
    context: &Context<'a>,
    form: &TokenForm<'_>,
) -> Result<(u32, &'a Application), Problem> {
    let answers = context.answers();
    let in_form = (form.once("client_id")?, form.once("client_secret")?);
    let in_header = if answers.token_client_authentication.basic { basic(context)? } else { None };
    let (client_id, client_secret): (Cow<'_, str>, Cow<'_, str>) = match (in_header, in_form) {
        (Some(_), (_, Some(_))) => {
            let detail = "the client authenticates twice: use the form or the header";
            return Err(invalid_request(answers, detail));
        }
        (Some((client_id, secret)), (None, None)) => (client_id.into(), secret.into()),
        // RFC 6749 allows the same client id in the form too.
        (Some((client_id, secret)), (Some(named), None)) if client_id == named => {
            (client_id.into(), secret.into())
        }
        (Some(_), (Some(_), None)) => return Err(Problem::invalid_client(answers, WRONG_CLIENT)),
        (None, (Some(client_id), Some(secret))) => (client_id.into(), secret.into()),
        (None, _) => {
            let detail = "client_id and client_secret are required";
            return Err(Problem::invalid_client(answers, detail));
        }
    };
    let world = context.world;
    world
        .seed_data()
        .application_of(&client_id)
        .filter(|(_, application)| world.client_secret(application) == client_secret)
        .ok_or_else(|| Problem::invalid_client(answers, WRONG_CLIENT))
}

/// The credentials in an `Authorization: Basic` header. Both are form-encoded (RFC 6749 §2.3.1).
fn basic(context: &Context<'_>) -> Result<Option<(String, String)>, Problem> {
    let mut headers = context.call.head.headers.get_all(AUTHORIZATION).iter();
    let header = match (headers.next(), headers.next()) {
        (None, _) => return Ok(None),
        (Some(header), None) => header,
        (Some(_), Some(_)) => {
            let detail = "more than one Authorization header was sent";
            return Err(invalid_request(context.answers(), detail));
        }
    };
    let malformed = || {
        let detail = "the Authorization header must be Basic with client_id and client_secret";
        Problem::invalid_client(context.answers(), detail)
    };
    decode_basic(header).map(Some).ok_or_else(malformed)
}

fn decode_basic(header: &HeaderValue) -> Option<(String, String)> {
    let (scheme, encoded) = header.to_str().ok()?.split_once(' ')?;
    if !scheme.eq_ignore_ascii_case("Basic") {
        return None;
    }
    let decoded = String::from_utf8(STANDARD.decode(encoded.trim()).ok()?).ok()?;
    let (client_id, secret) = decoded.split_once(':')?;
    Some((form_decode(client_id), form_decode(secret)))
}

/// The client id in a token request, in its form or by HTTP Basic. It may not exist.
#[cfg(feature = "server")]
pub(crate) fn named_client(headers: &http::HeaderMap, form: Option<&str>) -> Option<String> {
    let mut fields = form_urlencoded::parse(form.unwrap_or_default().as_bytes());
    let in_form = fields.find(|(name, _)| name == "client_id").map(|(_, id)| id.into_owned());
    let in_header = || decode_basic(headers.get(AUTHORIZATION)?).map(|(client_id, _)| client_id);
    in_form.or_else(in_header)
}

fn form_decode(text: &str) -> String {
    let spaced = text.replace('+', " ");
    percent_encoding::percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
}

#[cfg(all(test, feature = "server"))]
mod tests {
    use http::HeaderMap;
    use http::header::AUTHORIZATION;

    use super::named_client;

    #[test]
    fn a_token_request_names_its_client_in_the_form_or_by_basic() {
        let basic =
            HeaderMap::from_iter([(AUTHORIZATION, "Basic YTpi".parse().expect("a header"))]);
        let bearer = HeaderMap::from_iter([(AUTHORIZATION, "Bearer x".parse().expect("a header"))]);
        for (headers, form, expected) in [
            (&HeaderMap::new(), Some("grant_type=x&client_id=demo%2Dmain"), Some("demo-main")),
            (&basic, Some("grant_type=client_credentials"), Some("a")),
            (&bearer, None, None),
            (&HeaderMap::new(), None, None),
        ] {
            assert_eq!(named_client(headers, form).as_deref(), expected, "{form:?}");
        }
    }
}
