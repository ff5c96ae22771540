//! Defects of the service as a whole: what it serves, where, and how often (§1, §8, §9).

use std::sync::Arc;

use http::StatusCode;
use moot_fixtures::contract::Operation;

use super::Defect;
use super::arriving::Arriving;
use super::row::row;
use super::seam::{Seam, create_refuses};
use crate::message::call::{Admission, Head};
use crate::resource::RepositoryDocument;
use crate::state::change::Change;

const MEGABYTE: u64 = 1_000_000;

pub(super) const ROWS: &[Defect] = &[
    row(
        "service.no-webhooks",
        "1",
        &["service.manages-four-kinds"],
        "The list of webhooks is gone: 410.",
        Seam::Reply(|said, response| {
            if said.operation == Some(Operation::ListWebhooks) {
                response.status = StatusCode::GONE;
            }
        }),
    )
    .also(&[
        "list-webhooks.status-200",
        "create-webhook.then-listed",
        "delete-webhook.gone-from-list",
        "http.declared-status",
    ]),
    row(
        "service.token-endpoint-elsewhere",
        "1",
        &["service.token-endpoint-address", "versioning.token-endpoint-unversioned"],
        "The token endpoint is at /v1/oauth/token.",
        Seam::Admit(|arriving, admission| match arriving.head.path {
            "/v1/oauth/token" => elsewhere(arriving, "/oauth/token"),
            "/oauth/token" => elsewhere(arriving, "/nowhere"),
            _ => admission,
        }),
    )
    .also(&["token.form-encoded", "authentication.client-credentials-flow"]),
    row(
        "service.without-version",
        "9",
        &["versioning.v1-prefix"],
        "Resource endpoints are served without a version too.",
        Seam::Admit(|arriving, admission| {
            let versioned = format!("/v1{}", arriving.head.path);
            let is_unknown = arriving.operation().is_none();
            if is_unknown { elsewhere(arriving, &versioned) } else { admission }
        }),
    )
    .also(&["http.unknown-path", "errors.instance-is-path"]),
    row(
        "service.version-2",
        "9",
        &["versioning.v1-prefix"],
        "Resource endpoints are served under /v2 alone.",
        Seam::Admit(|arriving, admission| match arriving.head.path.strip_prefix("/v1/") {
            Some(_) => elsewhere(arriving, "/nowhere"),
            None => admission,
        }),
    )
    .also(&["service.manages-four-kinds", "list-workflows.status-200"]),
    row(
        "service.uploads-lost",
        "1",
        &["service.repository-holds-uploads"],
        "An uploaded document belongs to nobody.",
        Seam::Apply(|_, changes| {
            let disown = |change| match change {
                Change::PutRepositoryDocument { row, record } => {
                    let record = RepositoryDocument::clone(&record);
                    let record = Arc::new(RepositoryDocument { company: u32::MAX, ..record });
                    Change::PutRepositoryDocument { row, record }
                }
                other => other,
            };
            changes.into_iter().map(disown).collect()
        }),
    )
    .also(&[
        "create-repository-document.then-readable",
        "create-repository-document.then-listed",
        "service.repository-holds-results",
        "states.archived-document-in-repository",
    ]),
    row(
        "limits.500",
        "8",
        &["limits.600-are-served"],
        "The 501st call in one minute is refused.",
        Seam::CallsMax(500),
    ),
    row(
        "limits.599",
        "8",
        &["limits.600-are-served"],
        "The 600th call in one minute is refused.",
        Seam::CallsMax(599),
    ),
    row(
        "limits.601",
        "8",
        &["limits.601st-is-refused"],
        "The 601st call in one minute is served.",
        Seam::CallsMax(601),
    )
    .also(&["limits.600-are-served"]),
    row(
        "limits.none",
        "8",
        &["limits.calling-on-is-refused"],
        "There is no limit.",
        Seam::CallsMax(1_000_000),
    )
    .also(&[
        "limits.601st-is-refused",
        "limits.600-are-served",
        "limits.holds-for-the-minute",
        "limits.token-endpoint-counted",
    ])
    .heavy(),
    row(
        "limits.token-endpoint-free",
        "8",
        &["limits.token-endpoint-counted"],
        "Calls of the token endpoint are never refused.",
        Seam::Admit(|arriving, admission| {
            let is_token = arriving.operation() == Some(Operation::CreateAccessToken);
            match is_token && is_limited(&admission) {
                true => arriving.let_in(None, admission),
                false => admission,
            }
        }),
    ),
    row(
        "limits.forgets-after-30-seconds",
        "8",
        &["limits.holds-for-the-minute"],
        "An address that used its calls is served again after half a minute.",
        Seam::Admit(|arriving, admission| {
            let is_late = arriving.now.as_second().rem_euclid(60) >= 30;
            if !(is_late && is_limited(&admission)) {
                return admission;
            }
            arriving.world.limiter().reset();
            arriving.world.admit_unhooked(arriving.now, arriving.head)
        }),
    )
    .also(&["limits.601st-is-refused", "limits.600-are-served"]),
    row(
        "limits.refusals-count",
        "8",
        &["limits.window-passes"],
        "Each refused call makes the refusal last a minute longer.",
        Seam::Admit(|arriving, admission| {
            if is_limited(&admission) {
                arriving.world.limiter().exhaust(arriving.head.client, arriving.now);
            }
            admission
        }),
    ),
    row(
        "limits.support-document-50-mb",
        "8",
        &["limits.support-document-100-mb"],
        "A supporting file of more than 50 MB is refused.",
        create_refuses(|asked| {
            let is_large = |length: u64| length > 50 * MEGABYTE;
            asked.parts().iter().any(|part| is_large(part.content.length))
        }),
    )
    .heavy(),
    row(
        "limits.support-document-any-size",
        "8",
        &["limits.support-document-beyond"],
        "A supporting file of any size is taken.",
        super::seam::create_forgets("a file has at most"),
    )
    .heavy(),
];

fn is_limited(admission: &Admission) -> bool {
    Arriving::problem(admission) == Some("rate_limit_exceeded")
}

/// What is said of the same call under another path.
fn elsewhere(arriving: &Arriving<'_>, path: &str) -> Admission {
    arriving.world.admit_unhooked(arriving.now, &Head { path, ..*arriving.head })
}
