//! Drawing cases: a strategy for each act, of what the contract names and of what it does not.
//!
//! No text holds `@` or `<`: an e-mail address is always below `.invalid`, and a name of the scenario
//! language never stands in what is drawn. The same seed and number give the same case.

use std::net::Ipv4Addr;

use moot_fixtures::contract::{
    CREATE_REQUEST_FIELDS, LegalRequestStatus, Operation, TokenNeed, WorkflowStatus,
};
use proptest::collection::{btree_map, vec};
use proptest::option;
use proptest::prelude::{Just, Strategy, any};
use proptest::sample::select;
use proptest::strategy::{BoxedStrategy, Union};
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};

use super::act::{
    Act, Address, Filter, List, Means, RequestFlaw, Single, TokenFlaw, Unusable, UploadFlaw,
    WebhookFlaw,
};
use super::steps::is_known;

/// Acts of one case.
const ACTS_MAX: usize = 6;

/// Rows of a list, and workflows, that are chosen among.
const ROWS: u8 = 4;

/// An id that nothing has: long enough to be no chance.
const PLAIN_ID: &str = "[a-z][A-Za-z0-9]{15,32}";
/// An id that needs care in a path; no separator, no escape.
const NASTY_ID: &str = "[A-Za-z0-9_.~ß漢😀'\"&+;:=!$*(),-]{3,60}";
/// A value of a query parameter.
const QUERY: &str = "[A-Za-z0-9 _.ß漢&+;:=%/?#-]{0,24}";
/// A text of a form.
const TEXT: &str = "[A-Za-z0-9 .,'\"ßé漢😀&+;:=(){}|~\\[\\]\\\\/-]{0,60}";
/// A short word.
const WORD: &str = "[a-z]{1,12}";

/// The members of a webhook's payload that are tried with other values.
const WEBHOOK_MEMBERS: [&str; 5] = ["name", "url", "auth_type", "token", "events"];

/// The runner from which the case of this number is drawn.
pub(super) fn runner(seed: u64, number: u64) -> TestRunner {
    let mut bytes = [0; 32];
    bytes[..8].copy_from_slice(&seed.to_le_bytes());
    bytes[8..16].copy_from_slice(&number.to_le_bytes());
    let config = Config { failure_persistence: None, ..Config::default() };
    TestRunner::new_with_rng(config, TestRng::from_seed(RngAlgorithm::ChaCha, &bytes))
}

/// Sequences of acts that a target with these means may be sent.
pub(super) fn case(means: Means) -> BoxedStrategy<Vec<Act>> {
    let all = [
        (5, page().boxed()),
        (4, read().boxed()),
        (2, single().prop_map(|(single, row)| Act::Spy { single, row }).boxed()),
        (3, unknown().boxed()),
        (4, request().boxed()),
        (3, upload().boxed()),
        (2, address().boxed()),
        (1, WORD.prop_map(|word| Act::Address { address: Address::Registered(word) }).boxed()),
        (2, webhook().boxed()),
        (1, PLAIN_ID.prop_map(|id| Act::DeleteUnknown { id }).boxed()),
        (2, token().boxed()),
        (4, denied(means).boxed()),
        (2, stray(means).boxed()),
    ];
    let allowed = all.into_iter().filter(|(_, strategy)| is_allowed(strategy, means)).collect();
    vec(Union::new_weighted(allowed), 1..=ACTS_MAX).boxed()
}

/// Whether the acts of a strategy need no more than there is; all of one strategy need the same, but
/// for those that are drawn by `means` themselves.
fn is_allowed(strategy: &BoxedStrategy<Act>, means: Means) -> bool {
    let drawn = strategy.new_tree(&mut runner(0, 0));
    drawn.is_ok_and(|tree| means.meet(&proptest::strategy::ValueTree::current(&tree).needs()))
}

fn page() -> impl Strategy<Value = Act> {
    let page = Union::new_weighted(vec![
        (3, Just(None).boxed()),
        (3, (1_u32..=4).prop_map(|page| Some(page.to_string())).boxed()),
        (
            1,
            select(vec!["0", "-1", "1.5", "abc", "", "99999", "18446744073709551616"])
                .prop_map(|page| Some(page.to_owned()))
                .boxed(),
        ),
        (1, QUERY.prop_map(Some).boxed()),
    ]);
    (select(List::ALL.to_vec()), page, option::of((any::<u8>(), QUERY))).prop_map(
        |(list, page, filter)| {
            let filter = filter.and_then(|(choice, text)| filter_of(list, choice, text));
            Act::Page { list, page, filter }
        },
    )
}

/// Mostly a status that the list knows.
fn filter_of(list: List, choice: u8, text: String) -> Option<Filter> {
    let at = usize::from(choice);
    match list {
        List::LegalRequests if choice < 192 => {
            Some(Filter::LegalRequest(LegalRequestStatus::ALL[at % LegalRequestStatus::ALL.len()]))
        }
        List::Workflows if choice < 192 => {
            Some(Filter::Workflow(WorkflowStatus::ALL[at % WorkflowStatus::ALL.len()]))
        }
        List::LegalRequests | List::Workflows => Some(Filter::Other(text)),
        List::Documents | List::Webhooks => None,
    }
}

fn single() -> impl Strategy<Value = (Single, u8)> {
    (select(Single::ALL.to_vec()), 0..ROWS)
}

fn read() -> impl Strategy<Value = Act> {
    single().prop_map(|(single, row)| Act::Read { single, row })
}

fn unknown() -> impl Strategy<Value = Act> {
    (select(Single::ALL.to_vec()), PLAIN_ID, option::of(NASTY_ID)).prop_map(
        |(single, plain, nasty)| {
            let is_plain = nasty.is_none();
            // A segment of dots alone is another path.
            let nasty = nasty.filter(|id| !id.chars().all(|c| c == '.'));
            Act::Unknown { single, id: nasty.unwrap_or(plain), is_plain }
        },
    )
}

fn request() -> impl Strategy<Value = Act> {
    let fields = || select(CREATE_REQUEST_FIELDS.map(|field| field.name).to_vec());
    let flaw = Union::new_weighted(vec![
        (4, Just(None).boxed()),
        (
            2,
            select(vec!["workflow_id", "requester_email"])
                .prop_map(|name| Some(RequestFlaw::Omitted(name)))
                .boxed(),
        ),
        (1, PLAIN_ID.prop_map(|id| Some(RequestFlaw::UnknownWorkflow(id))).boxed()),
        (
            1,
            WORD.prop_map(|name| {
                Some(RequestFlaw::UnknownRequester(format!("{name}@example.invalid")))
            })
            .boxed(),
        ),
        (2, (fields(), TEXT).prop_map(|(name, text)| Some(RequestFlaw::Field(name, text))).boxed()),
        (1, (WORD, TEXT).prop_map(|(name, text)| Some(RequestFlaw::Foreign(name, text))).boxed()),
        (1, TEXT.prop_map(|text| Some(RequestFlaw::Body(text))).boxed()),
    ]);
    // The first one is there wherever there is any.
    let workflow = Union::new_weighted(vec![(2, Just(0).boxed()), (3, (0..ROWS).boxed())]);
    (workflow, flaw).prop_map(|(workflow, flaw)| Act::Request { workflow, flaw })
}

fn upload() -> impl Strategy<Value = Act> {
    let flaw = Union::new_weighted(vec![
        (3, Just(None).boxed()),
        (1, Just(Some(UploadFlaw::Nothing)).boxed()),
        (1, no_object().prop_map(|text| Some(UploadFlaw::Metadata(text))).boxed()),
        (1, WORD.prop_map(|word| Some(UploadFlaw::Extension(word))).boxed()),
        (1, TEXT.prop_map(|text| Some(UploadFlaw::Body(text))).boxed()),
    ]);
    let metadata = option::of(btree_map(WORD, value(), 0..4).prop_map(|map| json!(map)));
    (WORD, metadata, flaw).prop_map(|(name, metadata, flaw)| Act::Upload { name, metadata, flaw })
}

fn address() -> impl Strategy<Value = Act> {
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

/// Texts that hold no JSON object.
fn no_object() -> impl Strategy<Value = String> {
    let no_object = |text: &String| {
        serde_json::from_str::<Value>(text).map_or(true, |value| !value.is_object())
    };
    TEXT.prop_filter("it is an object", move |text| !text.is_empty() && no_object(text))
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

fn webhook() -> impl Strategy<Value = Act> {
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

fn token() -> impl Strategy<Value = Act> {
    let flaw = Union::new_weighted(vec![
        (2, Just(None).boxed()),
        (
            2,
            select(vec!["grant_type", "client_id", "client_secret"])
                .prop_map(|name| Some(TokenFlaw::Omitted(name)))
                .boxed(),
        ),
        (1, WORD.prop_map(|text| Some(TokenFlaw::GrantType(text))).boxed()),
        (1, PLAIN_ID.prop_map(|text| Some(TokenFlaw::Secret(text))).boxed()),
        (1, PLAIN_ID.prop_map(|text| Some(TokenFlaw::Client(text))).boxed()),
        (1, "[x-z]{3,9}".prop_map(|text| Some(TokenFlaw::Scope(text))).boxed()),
    ]);
    flaw.prop_map(|flaw| Act::Token { flaw })
}

/// Every operation that takes a bearer token, with each kind of token that it must refuse.
fn denied(means: Means) -> impl Strategy<Value = Act> {
    let kinds = [
        Unusable::Missing,
        Unusable::Unknown(String::new()),
        Unusable::Expired,
        Unusable::Revoked,
        Unusable::ReadOnly,
    ];
    let bearers = Operation::ALL.into_iter().filter(|it| it.token() != TokenNeed::None);
    let pairs = bearers.flat_map(|operation| {
        let acts = kinds.clone().map(|token| Act::Denied { operation, token });
        acts.into_iter().filter(move |act| is_refused(act) && means.meet(&act.needs()))
    });
    (select(pairs.collect::<Vec<_>>()), PLAIN_ID).prop_map(|(act, id)| match act {
        Act::Denied { operation, token: Unusable::Unknown(_) } => {
            Act::Denied { operation, token: Unusable::Unknown(id) }
        }
        other => other,
    })
}

/// Whether §5 says that it is refused: §5.4 names what needs the scope `write`.
fn is_refused(act: &Act) -> bool {
    match act {
        // Whether a download takes a token is open, and its path is its own.
        Act::Denied { operation: Operation::DownloadAgreement, .. } => false,
        Act::Denied { operation, token: Unusable::ReadOnly } => matches!(
            operation,
            Operation::CreateLegalRequest
                | Operation::CreateRepositoryDocument
                | Operation::DeleteWebhook
        ),
        _ => true,
    }
}

fn stray(means: Means) -> impl Strategy<Value = Act> {
    let methods = ["GET", "PUT", "PATCH", "POST", "DELETE"].map(|method| {
        let probe = Act::Stray { method, path: String::new() };
        means.meet(&probe.needs()).then_some(method)
    });
    let methods: Vec<&'static str> = methods.into_iter().flatten().collect();
    let known: Vec<String> =
        ["/v1/workflows", "/v1/requests/unknown1", "/v1/repository_documents/x"]
            .map(str::to_owned)
            .to_vec();
    let paths = Union::new(vec![
        WORD.prop_map(|word| format!("/v1/no_{word}")).boxed(),
        PLAIN_ID.prop_map(|id| format!("/v1/requests/{id}/no_such_thing")).boxed(),
        select(known).boxed(),
    ]);
    (select(methods), paths).prop_map(|(method, path)| {
        // What is read by this path is no stray.
        let is_read = method == "GET" && is_known(&path);
        let path = if is_read { "/v1/no_list".to_owned() } else { path };
        Act::Stray { method, path }
    })
}
