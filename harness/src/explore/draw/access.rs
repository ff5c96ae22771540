//! Drawing acts on tokens, and calls of what is not there.

use moot_fixtures::contract::{Operation, TokenNeed};
use proptest::prelude::{Just, Strategy};
use proptest::sample::select;
use proptest::strategy::Union;

use super::{PLAIN_ID, WORD};
use crate::explore::act::{Act, Odd, TokenFlaw, Unusable};
use crate::explore::means::Means;
use crate::explore::steps::is_known;

/// A call of the token endpoint (§4.1), sound or not.
pub(super) fn token() -> impl Strategy<Value = Act> {
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
pub(super) fn denied(means: Means) -> impl Strategy<Value = Act> {
    let kinds = [
        Unusable::Missing,
        Unusable::Unknown(String::new()),
        Unusable::Malformed("Bearer"),
        Unusable::Malformed("Basic bW9vdDptb290"),
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

/// What is not there, or not by this method.
pub(super) fn stray(means: Means) -> impl Strategy<Value = Act> {
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

/// A method that reads nothing, of a path of §4.
pub(super) fn odd_method() -> impl Strategy<Value = Act> {
    let paths = vec![
        "/oauth/token",
        "/v1/workflows",
        "/v1/workflows/unknown1",
        "/v1/requests",
        "/v1/requests/unknown1/activity",
        "/v1/repository_documents",
        "/v1/repository_documents/unknown1",
        "/v1/webhooks",
        "/v1/webhooks/unknown1",
    ];
    (select(vec!["HEAD", "OPTIONS"]), select(paths))
        .prop_map(|(method, path)| Act::Odd { odd: Odd::Method(method, path) })
}
