//! The needs that a target does not meet, each with the reason and the setting that would meet it.

use std::collections::BTreeMap;

use moot_fixtures::contract::Scopes;

use crate::client::destination::RequestDestination;
use crate::client::operator::person;
use crate::client::target_file::FileOperator;
use crate::client::target_file::model::Consent;
use crate::scenario::model::{NEEDS, OperatorAction};

/// Facts that decide which needs a target meets.
pub(crate) struct Offer<'a> {
    pub(crate) destination: &'a RequestDestination,
    /// A clause about the trouble that ended the search for workflows.
    pub(crate) discovery_trouble: Option<String>,
    /// Whether the target reaches our receiver.
    pub(crate) can_receive: bool,
}

/// Every need that is not met, with the reason (a clause) and the setting that would meet it.
pub(crate) fn unmet(offer: &Offer<'_>) -> BTreeMap<String, (String, String)> {
    NEEDS.into_iter().filter_map(|need| Some((need.to_owned(), missing(offer, need)?))).collect()
}

/// The application other than `main` that a need requires.
pub(crate) fn application_of(need: &str) -> Option<&'static str> {
    match need {
        "reader_application" => Some("reader"),
        "writer_application" => Some("writer"),
        "second_company" => Some("other_company"),
        _ => None,
    }
}

/// The binding of the workflow that a need requires.
pub(crate) fn workflow_binding(need: &str) -> Option<String> {
    need.strip_prefix("workflow_").map(|kind| format!("{kind}_workflow_id"))
}

fn missing(offer: &Offer<'_>, need: &str) -> Option<(String, String)> {
    match need {
        "read" => scope(offer, Scopes::READ),
        "write" => {
            consent(offer, Consent::Write).or_else(|| scope(offer, Scopes::WRITE)).or_else(|| {
                binding(offer, "requester_email", "no user is known who may request anything")
            })
        }
        "delete" => consent(offer, Consent::Delete).or_else(|| scope(offer, Scopes::WRITE)),
        "load" => consent(offer, Consent::Load),
        "fetch" => consent(offer, Consent::Fetch).or_else(|| {
            binding(offer, "document_url", "no address is known that the target may fetch")
        }),
        "admin" => offer.destination.deployment().map(|_| {
            unmet_row("the target has no control plane", "a moot mock as the target (admin: auto)")
        }),
        "operator.set_status"
        | "operator.add_comment"
        | "operator.restart"
        | "operator.advance_clock"
        | "operator.revoke_token" => operator(offer, OperatorAction::of_need(need)?),
        "second_company" => application(offer, "other_company", "no second company is known"),
        "read_write_application" => scope(offer, Scopes::READ_WRITE),
        "reader_application" => {
            application(offer, "reader", "no application scoped `read` alone is known")
        }
        "writer_application" => {
            application(offer, "writer", "no application scoped `write` alone is known")
        }
        "expired_token" => {
            let rules = offer.destination.deployment()?;
            let is_met =
                rules.expired_token.is_some() || rules.offers(OperatorAction::AdvanceClock);
            let setting =
                "expired_token in the target file, or --token-file FILE, two hours before";
            (!is_met).then(|| unmet_row("no expired token is known", setting))
        }
        "revoked_token" => {
            let rules = offer.destination.deployment()?;
            let is_met = rules.revoked_token.is_some() || rules.offers(OperatorAction::RevokeToken);
            let setting = "revoked_token in the target file";
            (!is_met).then(|| unmet_row("no revoked token is known", setting))
        }
        "receiver" => (!offer.can_receive).then(|| {
            unmet_row(
                "the target reaches no receiver of ours",
                "--receiver ADDR and --receiver-url URL",
            )
        }),
        "workflow_generated" => workflow(offer, "generated_workflow_id", "generates its agreement"),
        "workflow_third_party" => {
            workflow(offer, "third_party_workflow_id", "takes an uploaded document")
        }
        "workflow_single_signer" => {
            workflow(offer, "single_signer_workflow_id", "asks for one internal signer")
        }
        "workflow_multiple_signers" => {
            workflow(offer, "multiple_signers_workflow_id", "asks for several internal signers")
        }
        // A test compares this match with `NEEDS`.
        other => Some(unmet_row(&format!("there is no need `{other}`"), "another need")),
    }
}

fn unmet_row(reason: &str, setting: &str) -> (String, String) {
    (reason.to_owned(), setting.to_owned())
}

fn consent(offer: &Offer<'_>, consent: Consent) -> Option<(String, String)> {
    let deployment = offer.destination.deployment()?;
    (!deployment.guard.allows(consent)).then(|| {
        let name = consent.as_str();
        unmet_row(
            &format!("`{name}` is not consented to"),
            &format!("consent: [{name}] in the target file"),
        )
    })
}

/// On a mock, the control plane carries out every action.
fn operator(offer: &Offer<'_>, action: OperatorAction) -> Option<(String, String)> {
    let deployment = offer.destination.deployment()?;
    if deployment.offers(action) {
        return None;
    }
    let consent = match deployment.guard.allows(Consent::Operate) {
        true => "",
        false => " and `consent: [operate]`",
    };
    Some(match &deployment.operator {
        None => unmet_row(
            &format!("the target has no operator who can {}", action.what()),
            &format!("`operator` with the action `{action}`{consent} in the target file"),
        ),
        Some(FileOperator::Command(command)) if !command.actions.contains(&action) => unmet_row(
            &format!("the operator of the target cannot {}", action.what()),
            &format!("`operator.actions: [{action}]`{consent} in the target file"),
        ),
        Some(FileOperator::Ask) if !person::has_terminal() => unmet_row(
            "`operator: ask` asks a person, and there is no terminal (or `CI` is set)",
            &format!("`operator.command`{consent} in the target file, or start it at a terminal"),
        ),
        Some(FileOperator::Command(_) | FileOperator::Ask) => {
            unmet_row("`operate` is not consented to", "consent: [operate] in the target file")
        }
    })
}

fn scope(offer: &Offer<'_>, scopes: Scopes) -> Option<(String, String)> {
    let main = offer.destination.applications.get("main");
    let holds = main.is_some_and(|main| main.scopes.contains_all(scopes));
    (!holds).then(|| {
        unmet_row(
            &format!("the application `main` does not hold the scope `{scopes}`"),
            "applications.main in the target file, with its scopes",
        )
    })
}

fn application(offer: &Offer<'_>, role: &str, reason: &str) -> Option<(String, String)> {
    (!offer.destination.applications.contains_key(role))
        .then(|| unmet_row(reason, &format!("applications.{role} in the target file")))
}

fn binding(offer: &Offer<'_>, name: &str, reason: &str) -> Option<(String, String)> {
    (!offer.destination.bindings.contains_key(name))
        .then(|| unmet_row(reason, &format!("bindings.{name} in the target file")))
}

fn workflow(offer: &Offer<'_>, name: &str, what: &str) -> Option<(String, String)> {
    let why = offer.discovery_trouble.as_ref().map(|why| format!(": {why}")).unwrap_or_default();
    binding(offer, name, &format!("no published workflow was found that {what}{why}"))
}
