//! What the two endpoints of OAuth share: their form, and who the client is (RFC 6749 §2.3, §3.2).

use std::borrow::Cow;

use base64::Engine;
use base64::engine::general_purpose::STANDARD;
use http::header::AUTHORIZATION;
use moot_fixtures::contract::Answers;

use crate::message::call::{Body, BodyFault};
use crate::message::problem::Problem;
use crate::operation::Context;
use crate::state::seeded::Application;

/// Fields of a form that asks for a token.
const FIELDS_MOSTLY: usize = 4;
const FORM: &str = "application/x-www-form-urlencoded";
/// The one thing said of every wrong credential, so that nobody learns which ids exist.
const WRONG_CLIENT: &str = "client_id and client_secret name no application of this service";

/// The fields of a form body.
#[derive(Debug)]
pub(crate) struct Form<'a> {
    fields: Vec<(Cow<'a, str>, Cow<'a, str>)>,
    answers: &'a Answers,
}

impl<'a> Form<'a> {
    /// The form of a call.
    ///
    /// # Errors
    /// `invalid_request` where the body is none.
    pub(crate) fn of(context: &Context<'a>) -> Result<Self, Problem> {
        let answers = context.answers();
        let refused = |detail: String| Err(invalid_request(answers, detail));
        if !context.has_content_type(FORM) {
            return refused(format!("the body must be {FORM}"));
        }
        match &context.call.body {
            Body::Whole(bytes) => Ok(Self { fields: fields(bytes), answers }),
            Body::Empty => Ok(Self { fields: Vec::new(), answers }),
            Body::Broken(BodyFault::TooLarge) => refused("the body is too large".to_owned()),
            Body::Broken(_) | Body::Multipart(_) => refused(format!("the body must be {FORM}")),
        }
    }

    /// A field that is there at most once; an empty one counts as absent (RFC 6749 §3.2).
    ///
    /// # Errors
    /// `invalid_request` where it is repeated.
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

/// The fields in the order sent. Most forms have nothing but spaces to decode, and are hardly copied.
fn fields(form: &[u8]) -> Vec<(Cow<'_, str>, Cow<'_, str>)> {
    let mut rest = match std::str::from_utf8(form) {
        Ok(text) if !form.contains(&b'%') => text,
        Ok(_) | Err(_) => return form_urlencoded::parse(form).collect(),
    };
    let mut fields = Vec::with_capacity(FIELDS_MOSTLY);
    while !rest.is_empty() {
        let (pair, after) = parted(rest, b'&');
        rest = after;
        if !pair.is_empty() {
            let (name, value) = parted(pair, b'=');
            fields.push((spaced(name), spaced(value)));
        }
    }
    fields
}

fn spaced(text: &str) -> Cow<'_, str> {
    match text.as_bytes().contains(&b'+') {
        true => Cow::Owned(text.replace('+', " ")),
        false => Cow::Borrowed(text),
    }
}

/// What stands before and after the first `mark`; a search for a letter would set up more than it finds
/// in so short a text.
fn parted(text: &str, mark: u8) -> (&str, &str) {
    let at = text.bytes().position(|byte| byte == mark).unwrap_or(text.len());
    (&text[..at], text.get(at + 1..).unwrap_or(""))
}

fn invalid_request(answers: &Answers, detail: String) -> Problem {
    Problem::token_failure(answers.token_failure_status.other, "invalid_request", detail)
}

/// The application that calls, with its index.
///
/// # Errors
/// `invalid_client` where its credentials are missing or wrong; `invalid_request` where it gives
/// them in two ways.
pub(crate) fn client<'a>(
    context: &Context<'a>,
    form: &Form<'_>,
) -> Result<(u32, &'a Application), Problem> {
    let answers = context.answers();
    let in_form = (form.once("client_id")?, form.once("client_secret")?);
    let in_header = if answers.token_client_authentication.basic { basic(context)? } else { None };
    let (client_id, client_secret): (Cow<'_, str>, Cow<'_, str>) = match (in_header, in_form) {
        (Some(_), (_, Some(_))) => {
            let detail = "the client authenticates twice: use the form or the header";
            return Err(invalid_request(answers, detail.to_owned()));
        }
        (Some((client_id, secret)), (None, None)) => (client_id.into(), secret.into()),
        // RFC 6749 lets a client name itself in the form too, if it is the same.
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
        .seeded()
        .application_of(&client_id)
        .filter(|(_, application)| world.client_secret(application) == client_secret)
        .ok_or_else(|| Problem::invalid_client(answers, WRONG_CLIENT))
}

/// The credentials of an `Authorization: Basic` header; both are form-encoded (RFC 6749 §2.3.1).
fn basic(context: &Context<'_>) -> Result<Option<(String, String)>, Problem> {
    let Some(header) = context.call.head.headers.get(AUTHORIZATION) else { return Ok(None) };
    let malformed = || {
        let detail = "the Authorization header must be Basic with client_id and client_secret";
        Problem::invalid_client(context.answers(), detail)
    };
    let text = header.to_str().map_err(|_| malformed())?;
    let (scheme, encoded) = text.split_once(' ').ok_or_else(malformed)?;
    if !scheme.eq_ignore_ascii_case("Basic") {
        return Err(malformed());
    }
    let decoded = STANDARD.decode(encoded.trim()).map_err(|_| malformed())?;
    let decoded = String::from_utf8(decoded).map_err(|_| malformed())?;
    let (client_id, secret) = decoded.split_once(':').ok_or_else(malformed)?;
    Ok(Some((unescaped(client_id), unescaped(secret))))
}

fn unescaped(text: &str) -> String {
    let spaced = text.replace('+', " ");
    percent_encoding::percent_decode_str(&spaced).decode_utf8_lossy().into_owned()
}

#[cfg(test)]
mod tests {
    use super::fields;

    #[test]
    fn forms_are_read_as_the_url_standard_says() {
        for form in [
            "",
            "&",
            "&&a=1&",
            "a",
            "a=",
            "=b",
            "=",
            "a=1&b=2",
            "a=1=2",
            "a+b=c+d&e=f",
            "a=+",
            "+",
            "ü=ö&a=b",
            "a%20b=c&d=e+f",
            "a=%",
            "a=1&a=2",
        ] {
            let expected: Vec<_> = form_urlencoded::parse(form.as_bytes()).collect();
            assert_eq!(fields(form.as_bytes()), expected, "{form}");
        }
        let broken: &[u8] = b"a=\xFF&b=1";
        assert_eq!(fields(broken), form_urlencoded::parse(broken).collect::<Vec<_>>());
    }
}
