//! Finds the open question behind a difference, by its place and its two readings.

use std::collections::BTreeMap;

use moot_fixtures::contract::{Operation, RequirementTopic};
use moot_fixtures::register;
use serde_json::Value;

use super::exchanges::{DifferencePlace, ResponseDifference};
use crate::verdict::result::Subject;

/// Parts of the names of headers that sign a delivery.
const SIGNING: [&str; 3] = ["digest", "hmac", "signature"];

/// The open questions that the sides answer differently, each with both answers.
pub(super) type AnswerChanges = BTreeMap<String, (Value, Value)>;

/// The placeholder for the base path of a target.
const BASE_PATH: &str = "[base-path]";

/// The topic of a step, from the subjects of its checks. It decides which question is behind a 403 and a 404.
pub(super) fn step_topic<'a>(
    subjects: impl Iterator<Item = &'a Subject>,
) -> Option<RequirementTopic> {
    let topics: Vec<RequirementTopic> = subjects.filter_map(topic).collect();
    let deciding = [RequirementTopic::Isolation, RequirementTopic::Scope];
    deciding.into_iter().find(|topic| topics.contains(topic))
}

/// The topic of the requirement, or of the requirement that the question belongs to.
fn topic(subject: &Subject) -> Option<RequirementTopic> {
    let row = match subject {
        Subject::Requirement(id) => register::get(id),
        Subject::Question(id) => {
            register::all().iter().find(|row| row.question.as_deref() == Some(&**id))
        }
        Subject::Snapshot(_) => None,
    };
    row?.topic
}

/// The question that leaves this difference open; `None` if there is none.
pub(super) fn question(
    difference: &ResponseDifference,
    topic: Option<RequirementTopic>,
) -> Option<&'static str> {
    match &difference.spot {
        DifferencePlace::Status => by_status(difference, topic),
        DifferencePlace::Header(name) => by_header(difference, name),
        DifferencePlace::Member(place) => by_member(difference, place),
    }
}

fn by_status(
    difference: &ResponseDifference,
    topic: Option<RequirementTopic>,
) -> Option<&'static str> {
    let (a, b) = difference.statuses;
    let either = |is: fn(u16) -> bool| is(a) || is(b);
    let both = |is: fn(u16) -> bool| is(a) && is(b);
    let is_success = |status| matches!(status, 200..=299);
    let are_successes = difference.are_successes();
    if either(|status| matches!(status, 429 | 503)) {
        return Some("rate_limit_response").filter(|_| both(|it| matches!(it, 429 | 503)));
    }
    match difference.operation {
        // Whether the operation exists is an open question.
        Some(Operation::RevokeToken) => Some("token_revocation"),
        Some(Operation::CreateRepositoryDocument) if are_successes => Some("upload_success_status"),
        Some(Operation::CreateWebhook) if are_successes => Some("webhook_create_endpoint"),
        Some(Operation::CreateRepositoryDocument)
            if either(is_success) && either(|status| status == 422) =>
        {
            Some("upload_types")
        }
        Some(Operation::DeleteWebhook) if are_successes => Some("webhook_delete_status"),
        Some(Operation::CreateAccessToken) if both(|it| matches!(it, 400 | 401)) => {
            Some("token_failure_status")
        }
        // A workflow of another company is unknown.
        Some(Operation::CreateLegalRequest)
            if topic == Some(RequirementTopic::Isolation)
                && both(|it| matches!(it, 400 | 403 | 404 | 422)) =>
        {
            Some("request_workflow_unknown")
        }
        // A creation names no object of another company, so the 403 is about the scope.
        Some(
            Operation::CreateLegalRequest
            | Operation::CreateRepositoryDocument
            | Operation::CreateWebhook,
        ) if either(|status| status == 403) && both(|it| matches!(it, 400 | 403 | 404 | 422)) => {
            Some("check_order")
        }
        _ if both(|it| matches!(it, 403 | 404)) => match topic {
            Some(RequirementTopic::Isolation) => Some("other_company"),
            Some(RequirementTopic::Scope) => Some("check_order"),
            Some(RequirementTopic::Status) | None => None,
        },
        None if both(|it| matches!(it, 400..=499)) => Some("other_errors"),
        _ if either(|it| matches!(it, 405 | 413 | 415)) && both(|it| matches!(it, 400..=499)) => {
            Some("other_errors")
        }
        _ => None,
    }
}

fn by_header(difference: &ResponseDifference, name: &str) -> Option<&'static str> {
    let is_of_token = difference.operation == Some(Operation::CreateAccessToken);
    match (difference.statuses.0, name) {
        (429 | 503, _) => Some("rate_limit_response"),
        (400.., "content-type") if !is_of_token && are_other_media_types(difference) => {
            Some("problem_content_type")
        }
        _ => None,
    }
}

/// Whether the two readings of a content type differ in more than their parameters.
fn are_other_media_types(difference: &ResponseDifference) -> bool {
    let bare = |text: &str| text.split(';').next().unwrap_or(text).trim().to_ascii_lowercase();
    bare(&difference.readings.0) != bare(&difference.readings.1)
}

fn by_member(difference: &ResponseDifference, place: &[String]) -> Option<&'static str> {
    let is_error = difference.statuses.0 >= 400;
    let place: Vec<&str> = place.iter().map(String::as_str).collect();
    match place.as_slice() {
        ["delivery", "headers", name] if SIGNING.iter().any(|part| name.contains(part)) => {
            Some("delivery_signature")
        }
        ["delivery", "method" | "body", ..] | ["delivery", "headers", "content-type"] => {
            Some("delivery_payload")
        }
        ["pagination", "per_page"] => Some("per_page"),
        ["pagination"] if difference.operation == Some(Operation::GetLegalRequestActivity) => {
            Some("activity_paginated")
        }
        ["activity_log", "attributes", "additional_data"] => Some("activity_additional_data"),
        ["legal_request", "attributes", "status"] => Some("transitions"),
        ["instance"] if is_error => instance(difference),
        _ if difference.operation == Some(Operation::GetWorkflowSchema) && !is_error => {
            Some("workflow_schema_shape").filter(|_| is_beside_the_stated_keys(&place, difference))
        }
        ["type" | "title"] if is_error => problem_name(difference, true),
        ["detail"] if is_error => problem_name(difference, false),
        _ if matches!(difference.statuses.0, 429 | 503) => Some("rate_limit_response"),
        _ => None,
    }
}

/// Whether only one side has the member: one side puts the body into `data`, or §2.4 does not name the member.
fn is_beside_the_stated_keys(place: &[&str], difference: &ResponseDifference) -> bool {
    let parents = place.split_last().map_or(place, |(_, parents)| parents);
    difference.is_one_sided && !parents.contains(&"fields_properties")
}

/// The base path and the query of an instance are open.
fn instance(difference: &ResponseDifference) -> Option<&'static str> {
    let bare = |text: &str| {
        let path = text.split('?').next().unwrap_or(text);
        path.strip_prefix(BASE_PATH).unwrap_or(path).to_owned()
    };
    let (one, other) = &difference.readings;
    match difference.operation {
        _ if bare(one) == bare(other) => Some("instance_prefix"),
        // The paths of these operations are open.
        Some(Operation::CreateWebhook) => Some("webhook_create_endpoint"),
        Some(Operation::GetWorkflowSchema) => Some("workflow_schema_endpoint"),
        _ => None,
    }
}

/// `is_name`: the difference is in the type or title of the problem, not in its detail.
fn problem_name(difference: &ResponseDifference, is_name: bool) -> Option<&'static str> {
    if difference.statuses.0 != difference.statuses.1 {
        return None;
    }
    match (difference.operation, difference.statuses.0) {
        (_, 429 | 503) => Some("rate_limit_response"),
        (Some(Operation::GetLegalRequest | Operation::GetLegalRequestActivity), _) => None,
        (Some(Operation::CreateLegalRequest), 403 | 404 | 422) if is_name => {
            Some("request_field_invalid")
        }
        (Some(_), 404) if is_name => Some("not_found_type"),
        (None, 404 | 405 | 413 | 415) if is_name => Some("other_errors"),
        (Some(_), 405 | 413 | 415) if is_name => Some("other_errors"),
        _ => None,
    }
}

/// The kind of an operation. All lists are one kind, because they have the same responses.
pub(super) fn kind_of(operation: Option<Operation>) -> String {
    match operation {
        Some(operation) if operation.is_list() => "list".to_owned(),
        Some(operation) => operation.as_str().to_owned(),
        None => String::new(),
    }
}

/// The open question behind a check that only warns.
pub(super) fn question_of(requirement: &str) -> Option<&'static str> {
    match requirement {
        "pagination.per-page-25" => Some("per_page"),
        "errors.media-type" => Some("problem_content_type"),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::{
        DifferencePlace, Operation, RequirementTopic, ResponseDifference, Subject, question,
        step_topic,
    };

    #[test]
    fn the_topic_of_a_step_follows_from_its_requirements() {
        for (ids, expected) in [
            (&["isolation.get-workflow", "errors.status"][..], Some(RequirementTopic::Isolation)),
            (&["delete-webhook.requires-write"], Some(RequirementTopic::Scope)),
            (&["authentication.insufficient-scope-403"], Some(RequirementTopic::Scope)),
            (&["authentication.write-token-is-valid"], Some(RequirementTopic::Scope)),
            (&["get-workflow.unknown-404"], None),
            (&[], None),
        ] {
            let subjects: Vec<_> = ids.iter().map(|&id| Subject::Requirement(id.into())).collect();
            assert_eq!(step_topic(subjects.iter()), expected, "{ids:?}");
        }
    }

    #[test]
    fn two_statuses_are_answers_to_a_question() {
        let rows = [
            (Operation::CreateLegalRequest, (403, 404), Some("check_order")),
            (Operation::CreateLegalRequest, (422, 403), Some("check_order")),
            (Operation::CreateRepositoryDocument, (400, 403), Some("check_order")),
            (Operation::CreateRepositoryDocument, (400, 422), None),
            (Operation::CreateRepositoryDocument, (413, 400), Some("other_errors")),
            (Operation::CreateRepositoryDocument, (413, 201), None),
            (Operation::CreateLegalRequest, (403, 500), None),
            (Operation::CreateLegalRequest, (201, 200), None),
            (Operation::CreateRepositoryDocument, (201, 200), Some("upload_success_status")),
            (Operation::CreateWebhook, (201, 200), Some("webhook_create_endpoint")),
        ];
        let rows =
            rows.map(|(operation, statuses, expected)| (operation, statuses, None, expected));
        let by_topic = [
            (
                Operation::CreateLegalRequest,
                (404, 400),
                Some(RequirementTopic::Isolation),
                Some("request_workflow_unknown"),
            ),
            (
                Operation::GetLegalRequest,
                (403, 404),
                Some(RequirementTopic::Isolation),
                Some("other_company"),
            ),
            (
                Operation::DeleteWebhook,
                (404, 403),
                Some(RequirementTopic::Isolation),
                Some("other_company"),
            ),
            (
                Operation::DeleteWebhook,
                (404, 403),
                Some(RequirementTopic::Scope),
                Some("check_order"),
            ),
            (Operation::DeleteWebhook, (404, 403), None, None),
            (Operation::GetWorkflow, (403, 404), None, None),
        ];
        for (operation, statuses, topic, expected) in rows.into_iter().chain(by_topic) {
            let difference = ResponseDifference {
                operation: Some(operation),
                readings: (statuses.0.to_string(), statuses.1.to_string()),
                statuses,
                ..ResponseDifference::default()
            };
            assert_eq!(question(&difference, topic), expected, "{operation:?} {statuses:?}");
        }
    }

    #[test]
    fn another_parameter_is_no_other_media_type() {
        for (one, other, expected) in [
            ("application/json", "application/problem+json", Some("problem_content_type")),
            ("application/json", "application/json; charset=utf-8", None),
        ] {
            let difference = ResponseDifference {
                spot: DifferencePlace::Header("content-type".to_owned()),
                statuses: (404, 404),
                readings: (one.to_owned(), other.to_owned()),
                ..ResponseDifference::default()
            };
            assert_eq!(question(&difference, None), expected, "{one} {other}");
        }
    }

    #[test]
    fn an_instance_may_have_the_base_path_and_a_query() {
        for (instance, expected) in [
            ("/v1/workflows?page=0", Some("instance_prefix")),
            ("[base-path]/v1/workflows?page=0", Some("instance_prefix")),
            ("/v1/requests", None),
        ] {
            let difference = ResponseDifference {
                spot: DifferencePlace::Member(vec!["instance".to_owned()]),
                operation: Some(Operation::ListWorkflows),
                statuses: (400, 400),
                readings: ("/v1/workflows".to_owned(), instance.to_owned()),
                ..ResponseDifference::default()
            };
            assert_eq!(question(&difference, None), expected, "{instance}");
        }
    }

    #[test]
    fn a_member_beside_the_stated_keys_of_a_schema_is_open_and_one_below_them_is_not() {
        for (place, is_one_sided, expected) in [
            (&["data"][..], true, Some("workflow_schema_shape")),
            (&["data", "fields_properties"], true, Some("workflow_schema_shape")),
            (&["data", "fields_properties"], false, None),
            (&["data", "fields_properties", "purpose"], true, None),
        ] {
            let difference = ResponseDifference {
                spot: DifferencePlace::Member(place.iter().map(|&it| it.to_owned()).collect()),
                operation: Some(Operation::GetWorkflowSchema),
                statuses: (200, 200),
                is_one_sided,
                ..ResponseDifference::default()
            };
            let found = question(&difference, None);
            assert_eq!(found, expected, "{place:?}, one-sided: {is_one_sided}");
        }
    }
}
