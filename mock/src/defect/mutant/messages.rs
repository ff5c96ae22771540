//! Operators on the HTTP message of the successful answers of each operation: status, headers, bytes.

use moot_fixtures::contract::Operation;
use serde_json::json;

use super::Mutant;
use super::answers::{edit_of, place_of};
use super::row::{Equivalence, OperatorFamily, PlaceKind, mutant};
use crate::defect::filter::ResponseFilter;
use crate::defect::operator::Operator;

pub(super) fn mutants() -> Vec<Mutant> {
    let mut all = Vec::new();
    for operation in Operation::ALL {
        at_message(operation, &mut all);
    }
    all
}

fn at_message(operation: Operation, all: &mut Vec<Mutant>) {
    let success = operation.responses().iter().find(|row| (200..300).contains(&row.status));
    let (status, has_json) = success.map_or((200, false), |row| (row.status, row.schema.is_some()));
    // The specification leaves these success statuses open: any 2xx.
    let is_open = matches!(
        operation,
        Operation::CreateRepositoryDocument
            | Operation::DeleteWebhook
            | Operation::CreateWebhook
            | Operation::RevokeToken
            | Operation::DownloadAgreement
            | Operation::GetWorkflowSchema
    );
    let mut push = |kind, part: &str, operator: &str, at: &str, by: Operator, sound: bool| {
        let place = format!("{}/{part}", place_of(operation));
        let what = format!("{}: {part} of a success: {operator}.", operation.title());
        let responses = ResponseFilter { of: vec![operation], ..ResponseFilter::default() };
        let does = vec![edit_of(responses, at, by)];
        let at = (kind, place.as_str());
        let operator = (OperatorFamily::Http, operator);
        let made = mutant(operation.section(), at, operator, what, does);
        all.push(Mutant { equivalent: sound.then_some(Equivalence::Permitted), ..made });
    };
    let set = |value| Operator::Set(value);
    for other in [200, 201, 202, 203] {
        if other != status {
            let operator = format!("{other}");
            push(PlaceKind::Status, "status", &operator, "status", set(json!(other)), is_open);
        }
    }
    for other in [302, 404, 500, 503] {
        let operator = format!("{other}");
        let by = set(json!(other));
        // No specification says that tokens can be revoked by a call.
        push(
            PlaceKind::Status,
            "status",
            &operator,
            "status",
            by,
            operation == Operation::RevokeToken,
        );
    }
    push(PlaceKind::Header, "header.date", "dropped", "header:date", Operator::Drop, false);
    let past = "Thu, 01 Jan 1970 00:00:00 GMT";
    push(PlaceKind::Header, "header.date", "constant", "header:date", set(json!(past)), false);
    push(PlaceKind::Header, "header.date", "malformed", "header:date", set(json!("now")), false);
    if has_json {
        let at = "header:content-type";
        push(PlaceKind::Header, "header.content-type", "dropped", at, Operator::Drop, false);
        push(PlaceKind::Header, "header.content-type", "html", at, set(json!("text/html")), false);
        push(
            PlaceKind::Header,
            "header.content-type",
            "plain",
            at,
            set(json!("text/plain")),
            false,
        );
        let bytes = PlaceKind::Message;
        push(bytes, "body", "last-byte-missing", "body", Operator::DropLast, false);
        push(bytes, "body", "first-byte-missing", "body", Operator::DropFirst, false);
        let mark = Operator::Prefix("\u{feff}".to_owned());
        push(bytes, "body", "byte-order-mark", "body", mark, false);
        push(bytes, "body", "html", "body", set(json!("<html></html>")), false);
        push(bytes, "body", "emptied", "body", set(json!("")), false);
        push(bytes, "body", "re-encoded", "body", Operator::Latin1, is_ascii(operation));
        push(bytes, "body", "wrapped", "", Operator::Wrap("result".to_owned()), false);
        push(bytes, "body", "in-a-list", "", Operator::InList, false);
    } else if operation != Operation::DownloadAgreement {
        let body = Operator::Prefix("{}".to_owned());
        push(
            PlaceKind::Message,
            "body",
            "not-empty",
            "body",
            body,
            operation == Operation::RevokeToken,
        );
    }
    if operation == Operation::CreateAccessToken {
        for name in ["cache-control", "pragma"] {
            let (part, at) = (format!("header.{name}"), format!("header:{name}"));
            push(PlaceKind::Header, &part, "dropped", &at, Operator::Drop, name == "pragma");
        }
    }
}

/// Whether the answers of an operation have only ASCII letters, which every encoding writes alike.
fn is_ascii(operation: Operation) -> bool {
    matches!(operation, Operation::CreateAccessToken | Operation::GetWorkflowSchema)
}
