//! Drawing acts that create something, or would if it were not for their flaw.

use std::net::Ipv4Addr;

use moot_fixtures::contract::CREATE_REQUEST_FIELDS;
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::{Just, Strategy, any};
use proptest::sample::select;
use proptest::strategy::{BoxedStrategy, Union};
use serde_json::{Value, json};

use super::{PLAIN_ID, ROWS, TEXT, WORD};
use crate::explore::act::{Act, Address, RequestFlaw, UploadFlaw, WebhookFlaw};

/// The members of a webhook's payload that are tried with other values.
const WEBHOOK_MEMBERS: [&str; 5] = ["name", "url", "auth_type", "token", "events"];

/// Fields that a schema requires, and that are left out one by one.
const FIELDS: u8 = 8;

/// A request (§4.5), sound or not.
pub(super) fn request() -> impl Strategy<Value = Act> {
    let fields = || select(CREATE_REQUEST_FIELDS.map(|field| field.name).to_vec());
    let flaw = Union::new_weighted(vec![
        (4, Just(None).boxed()),
        (
            2,
            select(vec!["workflow_id", "requester_email"])
                .prop_map(|name| Some(RequestFlaw::Omitted(name)))
                .boxed(),
        ),
        (2, (0..FIELDS).prop_map(|field| Some(RequestFlaw::Lacking(field))).boxed()),
        (
            1,
            (select(vec!["counterparty_email", "counterparty_signer_email"]), WORD)
                .prop_map(|(name, word)| Some(RequestFlaw::NoAddress(name, word)))
                .boxed(),
        ),
        (1, no_object().prop_map(|text| Some(RequestFlaw::Variables(text))).boxed()),
        (1, somebody().prop_map(|address| Some(RequestFlaw::UnknownSigner(address))).boxed()),
        (1, Just(Some(RequestFlaw::Unpublished)).boxed()),
        (1, Just(Some(RequestFlaw::ReadToken)).boxed()),
        (
            1,
            (select(vec!["workflow_id", "requester_email", "variables"]), TEXT)
                .prop_map(|(name, text)| Some(RequestFlaw::Twice(name, text)))
                .boxed(),
        ),
        (1, PLAIN_ID.prop_map(|id| Some(RequestFlaw::UnknownWorkflow(id))).boxed()),
        (1, somebody().prop_map(|address| Some(RequestFlaw::UnknownRequester(address))).boxed()),
        (2, (fields(), TEXT).prop_map(|(name, text)| Some(RequestFlaw::Field(name, text))).boxed()),
        (1, (WORD, TEXT).prop_map(|(name, text)| Some(RequestFlaw::Foreign(name, text))).boxed()),
        (1, TEXT.prop_map(|text| Some(RequestFlaw::Body(text))).boxed()),
    ]);
    // The first one is there wherever there is any.
    let workflow = Union::new_weighted(vec![(2, Just(0).boxed()), (3, (0..ROWS).boxed())]);
    (workflow, flaw).prop_map(|(workflow, flaw)| Act::Request { workflow, flaw })
}

/// A document (§4.9), sound or not.
pub(super) fn upload() -> impl Strategy<Value = Act> {
    let flaw = Union::new_weighted(vec![
        (3, Just(None).boxed()),
        (1, Just(Some(UploadFlaw::Nothing)).boxed()),
        (1, no_object().prop_map(|text| Some(UploadFlaw::Metadata(text))).boxed()),
        (1, WORD.prop_map(|word| Some(UploadFlaw::Extension(word))).boxed()),
        (1, Just(Some(UploadFlaw::Twice)).boxed()),
        (1, TEXT.prop_map(|text| Some(UploadFlaw::Body(text))).boxed()),
    ]);
    let metadata = option::of(btree_map(WORD, value(), 0..4).prop_map(|map| json!(map)));
    (WORD, metadata, flaw).prop_map(|(name, metadata, flaw)| Act::Upload { name, metadata, flaw })
}

/// The same by address.
pub(super) fn address() -> impl Strategy<Value = Act> {
    let schemes = vec!["http", "ftp", "file", "ws", "gopher"];
    let not_https = Union::new(vec![
        (select(schemes), WORD)
            .prop_map(|(scheme, word)| format!("{scheme}://{word}.invalid/a.pdf"))
            .boxed(),
        WORD.prop_map(|word| format!("{word}.pdf")).boxed(),
        WORD.prop_map(|word| format!("//{word}.invalid/a.pdf")).boxed(),
        select(vec!["https://", "https:///", "data:application/pdf,a", "file:///agreement.pdf"])
            .prop_map(str::to_owned)
            .boxed(),
    ]);
    let address = Union::new_weighted(vec![
        (3, Just(Address::Bound).boxed()),
        (2, not_https.prop_map(Address::NotHttps).boxed()),
        (3, (inside(), WORD).prop_map(|(host, path)| Address::Inside { host, path }).boxed()),
        (1, Just(Address::BesideFile).boxed()),
    ]);
    address.prop_map(|address| Act::Address { address })
}

/// Hosts inside a network, in the notations that a URL takes.
fn inside() -> impl Strategy<Value = String> {
    let networks = vec![[10, 0], [127, 0], [172, 16], [172, 31], [192, 168], [169, 254]];
    let numbers = (select(networks), any::<u8>(), any::<u8>());
    let notated = (numbers, 0_u8..4).prop_map(|(([a, b], c, d), notation)| {
        let address = Ipv4Addr::new(a, b, c, d);
        match notation {
            0 => address.to_string(),
            1 => address.to_bits().to_string(),
            2 => format!("{:#x}", address.to_bits()),
            _ => format!("[{}]", address.to_ipv6_mapped()),
        }
    });
    let local = any::<u16>().prop_map(|end| format!("[fd00::{end:x}]"));
    let link = any::<u16>().prop_map(|end| format!("[fe80::{end:x}]"));
    let named = select(vec!["localhost", "[::1]", "0.0.0.0"]).prop_map(str::to_owned);
    let host = Union::new(vec![notated.boxed(), local.boxed(), link.boxed(), named.boxed()]);
    let port = option::of(select(vec![80_u16, 443, 8443]));
    (host, port).prop_map(|(host, port)| match port {
        Some(port) => format!("{host}:{port}"),
        None => host,
    })
}

/// An address that is nobody's.
fn somebody() -> impl Strategy<Value = String> {
    WORD.prop_map(|name| format!("{name}@example.invalid"))
}

/// Texts that hold no JSON object, and are not blank: some are other JSON.
fn no_object() -> impl Strategy<Value = String> {
    let no_object = |text: &String| {
        serde_json::from_str::<Value>(text).map_or(true, |value| !value.is_object())
    };
    let texts =
        TEXT.prop_filter("it is an object", move |text| !text.trim().is_empty() && no_object(text));
    let others = select(vec!["[]", "\"purpose\"", "7", "null", "true", "{\"purpose\": "]);
    Union::new_weighted(vec![(2, texts.boxed()), (1, others.prop_map(str::to_owned).boxed())])
}

/// A JSON value, two levels deep. Whole numbers only: how a service writes others is its own.
fn value() -> BoxedStrategy<Value> {
    let leaf = Union::new(vec![
        Just(Value::Null).boxed(),
        any::<bool>().prop_map(Value::from).boxed(),
        any::<i32>().prop_map(Value::from).boxed(),
        TEXT.prop_map(Value::from).boxed(),
    ]);
    leaf.prop_recursive(2, 8, 3, |inner| {
        Union::new(vec![
            vec(inner.clone(), 0..3).prop_map(Value::from).boxed(),
            btree_map(WORD, inner, 0..3).prop_map(|map| json!(map)).boxed(),
        ])
    })
    .boxed()
}

/// A webhook (§4.14), sound or not.
pub(super) fn webhook() -> impl Strategy<Value = Act> {
    let flaw = Union::new_weighted(vec![
        (3, Just(None).boxed()),
        (
            2,
            (select(WEBHOOK_MEMBERS.to_vec()), value())
                .prop_map(|(name, value)| Some(WebhookFlaw::Member(name, value)))
                .boxed(),
        ),
        (1, TEXT.prop_map(|text| Some(WebhookFlaw::Body(text))).boxed()),
    ]);
    (WORD, flaw).prop_map(|(name, flaw)| Act::Webhook { name, flaw })
}
