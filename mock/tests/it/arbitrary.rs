//! Calls of any shape, as proptest strategies.

use bytes::Bytes;
use http::{HeaderMap, HeaderName, HeaderValue, Method};
use moot_mock::call::{Body, BodyFault, Part};
use moot_mock::content::Content;
use proptest::prelude::*;

use crate::support::Sent;

fn method() -> impl Strategy<Value = Method> {
    prop_oneof![
        Just(Method::GET),
        Just(Method::POST),
        Just(Method::DELETE),
        "[A-Z]{1,8}".prop_map(|text| Method::from_bytes(text.as_bytes()).unwrap_or(Method::PATCH)),
    ]
}

fn path() -> impl Strategy<Value = String> {
    let id = prop_oneof![
        Just("wfMutualNda1".to_owned()),
        "[0-9A-Za-z]{8}",
        "\\PC{0,20}",
        "(%[0-9A-F]{2}){1,8}",
    ];
    let path = prop_oneof![
        Just("/oauth/token"),
        Just("/oauth/revoke"),
        Just("/v1/requests"),
        Just("/v1/workflows"),
        Just("/v1/repository_documents"),
        Just("/v1/webhooks"),
        Just("/v1/requests/{id}"),
        Just("/v1/requests/{id}/activity"),
        Just("/v1/workflows/{id}"),
        Just("/agreements/{id}"),
        Just("/v1/workflows/{id}/schema"),
        Just("/v1/webhooks/{id}"),
        Just("/v1/repository_documents/{id}"),
        Just("{id}"),
    ];
    (path, id).prop_map(|(path, id)| path.replace("{id}", &id))
}

fn part() -> impl Strategy<Value = Part> {
    let name = prop_oneof![
        Just("workflow_id"),
        Just("requester_email"),
        Just("counterparty_name"),
        Just("variables"),
        Just("counterparty_email"),
        Just("file"),
        Just("url"),
        Just("metadata"),
        Just("support_documents[]"),
        Just("internal_signer_emails[]"),
        Just("other"),
    ];
    let value = prop_oneof![
        Just("wfMutualNda1".to_owned()),
        Just("requester@northwind.example".to_owned()),
        Just("{}".to_owned()),
        "\\PC{0,40}",
        "https?://\\PC{0,20}",
    ];
    let bytes = prop_oneof![
        value.prop_map(|text| Bytes::from(text.into_bytes())),
        proptest::collection::vec(any::<u8>(), 0..40).prop_map(Bytes::from),
    ];
    (name, proptest::option::of("\\PC{0,12}(\\.pdf)?"), bytes, any::<bool>()).prop_map(
        |(name, file_name, bytes, is_cut)| Part {
            name: name.to_owned(),
            content_type: None,
            is_cut: is_cut && file_name.is_some(),
            file_name,
            content: Content::in_memory(bytes),
        },
    )
}

fn body() -> impl Strategy<Value = Body> {
    prop_oneof![
        Just(Body::Empty),
        proptest::collection::vec(any::<u8>(), 0..200).prop_map(|bytes| Body::Whole(bytes.into())),
        "\\{\"(name|url|events)\":\\PC{0,30}\\}".prop_map(|text| Body::Whole(text.into())),
        proptest::collection::vec(part(), 0..8).prop_map(Body::Multipart),
        Just(Body::Broken(BodyFault::TooLarge)),
        Just(Body::Broken(BodyFault::NoBoundary)),
        Just(Body::Broken(BodyFault::WrongMediaType)),
        Just(Body::Broken(BodyFault::Malformed("broken"))),
        Just(Body::Broken(BodyFault::Truncated)),
    ]
}

fn headers() -> impl Strategy<Value = HeaderMap> {
    let name = prop_oneof![Just("authorization"), Just("content-type"), Just("x-other")];
    let value = prop_oneof![
        Just(b"application/json".to_vec()),
        Just(b"multipart/form-data; boundary=x".to_vec()),
        Just(b"application/x-www-form-urlencoded".to_vec()),
        Just(b"Basic Og==".to_vec()),
        proptest::collection::vec(any::<u8>(), 0..30),
    ];
    proptest::collection::vec((name, value), 0..4).prop_map(|rows| {
        let sound = rows.into_iter().filter_map(|(name, value)| {
            Some((HeaderName::from_static(name), HeaderValue::from_bytes(&value).ok()?))
        });
        sound.collect()
    })
}

/// A call, and whether it has a valid token.
pub(crate) fn call() -> impl Strategy<Value = (Sent, bool)> {
    let query = proptest::option::of("(page|status|x)=\\PC{0,10}(&page=[0-9]{0,20})?");
    (method(), path(), query, headers(), body(), any::<bool>()).prop_map(
        |(method, path, query, headers, body, with_token)| {
            (Sent { method, path, query, headers, body }, with_token)
        },
    )
}
