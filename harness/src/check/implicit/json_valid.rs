//! Does a body that is sent as JSON parse, as UTF-8, with no member twice (RFC 8259 §2, §4, §8.1)?

use super::{AnsweredExchange, Implicit, ImplicitContext, ImplicitJudgement, found};
use crate::check::document::is_json;
use crate::check::duplicate_members;
use crate::check::shown::shortened;
use crate::check::{Judgement, MismatchKind};

pub(super) const ROW: Implicit = Implicit { name: "valid JSON", verifies: &["json.valid"], judge };

fn judge(answered: &AnsweredExchange<'_>, _: &ImplicitContext) -> Vec<ImplicitJudgement> {
    let is_sent_as_json = answered.media_type().is_some_and(|media_type| is_json(&media_type));
    // Without a body (204, HEAD) nothing was sent as JSON. The body of the limiter is free.
    let body = answered.whole_body().filter(|body| !body.is_empty());
    match body {
        Some(body) if is_sent_as_json && !answered.is_limit() => {
            found("json.valid", judge_body(body))
        }
        _ => Vec::new(),
    }
}

fn judge_body(body: &[u8]) -> Judgement {
    let expected = "JSON in UTF-8 without duplicate members";
    let fails = |message: String, actual: String| {
        Judgement::fails(MismatchKind::Json, message, expected, actual)
    };
    let text = match std::str::from_utf8(body) {
        Ok(text) => text,
        Err(error) => {
            let place = format!("byte {}", error.valid_up_to());
            return fails("the body is not UTF-8".to_owned(), place);
        }
    };
    match duplicate_members::read(body) {
        Ok(reading) => match reading.duplicate {
            None => Judgement::Holds,
            Some(name) => fails(
                format!("the body is not valid JSON: the member `{name}` is there twice"),
                shortened(text),
            ),
        },
        Err(error) if error.to_string().contains("recursion limit") => {
            Judgement::empty("the body is nested too deeply to be read")
        }
        Err(error) => fails(format!("the body is not valid JSON: {error}"), shortened(text)),
    }
}
