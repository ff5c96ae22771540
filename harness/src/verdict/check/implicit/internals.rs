//! Does an error keep the insides of the service to itself (RFC 9457 §5)?

use super::{AnsweredExchange, Implicit, ImplicitContext, ImplicitJudgement, found};
use crate::verdict::check::shown::shortened;
use crate::verdict::check::{Judgement, MismatchKind};

pub(super) const ROW: Implicit =
    Implicit { name: "internals", verifies: &["errors.no-internals"], judge };

/// What stack traces and messages of databases have in them, and what no client sends.
const MARKS: [&str; 24] = [
    "Traceback (most recent call last)",
    "Exception in thread",
    "\tat ",
    "\\tat ",
    "\n    at ",
    "\\n    at ",
    "at java.",
    "at com.",
    "at org.",
    ".java:",
    ".rb:",
    ".py\", line",
    ".php on line",
    "node_modules/",
    "goroutine ",
    "panicked at",
    "System.NullReferenceException",
    "NoMethodError",
    "ActiveRecord::",
    "SQLSTATE",
    "PG::",
    "ORA-0",
    "SELECT * FROM",
    "syntax error at or near",
];

fn judge(answered: &AnsweredExchange<'_>, _: &ImplicitContext) -> Vec<ImplicitJudgement> {
    let Some(body) = answered.whole_body().filter(|_| answered.status() >= 400) else {
        return Vec::new();
    };
    let text = String::from_utf8_lossy(body);
    let judgement = match MARKS.iter().find_map(|mark| text.find(mark)) {
        None => Judgement::Holds,
        Some(at) => {
            let message = "an error shows the insides of the service: a stack trace or a query";
            let actual = shortened(&text[at..]);
            Judgement::fails(MismatchKind::Forbidden, message, "a text for clients", actual)
        }
    };
    found("errors.no-internals", judgement)
}
