//! The needs that a target does not meet, each with the reason and the setting that would meet it.

use std::collections::BTreeMap;

use moot_fixtures::contract::Scopes;

use crate::client::destination::RequestDestination;
use crate::client::operator::person;
use crate::client::target_file::model::Consent;
use crate::client::target_file::{self, FileOperator};
use crate::run::environment::discovery::DiscoveryTrouble;
use crate::scenario::model::{NEEDS, OperatorAction};
use crate::verdict::{NotRun, NotRunKind};

/// Every need that is not met, with the reason (a clause) and the setting that would meet it. `can_receive` says
/// whether the target reaches our receiver, and `discovery_trouble` is the trouble that ended the search for workflows.
pub(crate) fn unmet(
    destination: &RequestDestination,
    can_receive: bool,
    discovery_trouble: Option<&DiscoveryTrouble>,
) -> BTreeMap<String, (String, String)> {
    let missing = |need| missing(destination, can_receive, discovery_trouble, need);
    NEEDS.into_iter().filter_map(|need| Some((need.to_owned(), missing(need)?))).collect()
}

/// The application other than `main` that a need requires, and the scopes of the token that tries it.
pub(crate) fn application_of(need: &str) -> Option<(&'static str, Scopes)> {
    match need {
        "reader_application" => Some(("reader", Scopes::READ)),
        "writer_application" => Some(("writer", Scopes::WRITE)),
        "second_company" => Some(("other_company", Scopes::READ)),
        _ => None,
    }
}

/// The binding of the workflow that a need requires.
pub(crate) fn workflow_binding(need: &str) -> Option<String> {
    need.strip_prefix("workflow_").map(|kind| format!("{kind}_workflow_id"))
}

fn missing(
    destination: &RequestDestination,
    can_receive: bool,
    discovery_trouble: Option<&DiscoveryTrouble>,
    need: &str,
) -> Option<(String, String)> {
    let workflow = |what: &str| {
        let why = discovery_trouble.map(|why| format!(": {}", why.text)).unwrap_or_default();
        let reason = format!("no published workflow was found that {what}{why}");
        let (reason, setting) = binding(destination, &workflow_binding(need)?, &reason)?;
        let better = discovery_trouble.and_then(|why| why.setting);
        Some((reason, better.map_or(setting, str::to_owned)))
    };
    match need {
        "read" => scope(destination, Scopes::READ),
        "write" => consent(destination, Consent::Write)
            .or_else(|| scope(destination, Scopes::WRITE))
            .or_else(|| {
                binding(destination, "requester_email", "no user is known who may request anything")
            }),
        "delete" => {
            consent(destination, Consent::Delete).or_else(|| scope(destination, Scopes::WRITE))
        }
        "load" => consent(destination, Consent::Load),
        "fetch" => consent(destination, Consent::Fetch).or_else(|| {
            binding(destination, "document_url", "no address is known that the target may fetch")
        }),
        "admin" => destination.deployment().map(|_| {
            unmet_row("the target has no control plane", "a moot mock as the target (admin: auto)")
        }),
        "second_company" => application(destination, "other_company", "no second company is known"),
        "read_write_application" => scope(destination, Scopes::READ_WRITE),
        "reader_application" => {
            application(destination, "reader", "no application scoped `read` alone is known")
        }
        "writer_application" => {
            application(destination, "writer", "no application scoped `write` alone is known")
        }
        "expired_token" => {
            let rules = destination.deployment()?;
            let is_met =
                rules.expired_token.is_some() || rules.offers(OperatorAction::AdvanceClock);
            let setting =
                "expired_token in the target file, or --token-file FILE, two hours before";
            (!is_met).then(|| unmet_row("no expired token is known", setting))
        }
        "revoked_token" => {
            let rules = destination.deployment()?;
            let is_met = rules.revoked_token.is_some() || rules.offers(OperatorAction::RevokeToken);
            let setting = "revoked_token in the target file";
            (!is_met).then(|| unmet_row("no revoked token is known", setting))
        }
        "receiver" => (!can_receive).then(|| {
            unmet_row(
                "the target reaches no receiver of ours",
                "--receiver ADDR and --receiver-url URL",
            )
        }),
        "workflow_generated" => workflow("generates its agreement"),
        "workflow_third_party" => workflow("takes an uploaded document"),
        "workflow_single_signer" => workflow("asks for one internal signer"),
        "workflow_multiple_signers" => workflow("asks for several internal signers"),
        // A test compares this match with `NEEDS`.
        other => match OperatorAction::of_need(other) {
            Some(action) => operator(destination, action),
            None => Some(unmet_row(&format!("there is no need `{other}`"), "another need")),
        },
    }
}

/// The reason why scenarios with this need do not run. `tolerate` is that of the target file.
pub(crate) fn not_run(
    tolerate: &[String],
    need: &str,
    reason: String,
    setting: Option<String>,
) -> NotRun {
    NotRun {
        kind: NotRunKind::NeedNotMet,
        reason,
        setting,
        tolerate_as: need.to_owned(),
        is_tolerated: target_file::tolerates(tolerate, need),
    }
}

fn unmet_row(reason: &str, setting: &str) -> (String, String) {
    (reason.to_owned(), setting.to_owned())
}

fn consent(destination: &RequestDestination, consent: Consent) -> Option<(String, String)> {
    let deployment = destination.deployment()?;
    (!deployment.guard.allows(consent)).then(|| {
        let name = consent.as_str();
        unmet_row(
            &format!("`{name}` is not consented to"),
            &format!("consent: [{name}] in the target file"),
        )
    })
}

/// On a mock, the control plane carries out every action.
fn operator(destination: &RequestDestination, action: OperatorAction) -> Option<(String, String)> {
    let deployment = destination.deployment()?;
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

fn scope(destination: &RequestDestination, scopes: Scopes) -> Option<(String, String)> {
    let main = destination.applications.get("main");
    let holds = main.is_some_and(|main| main.scopes.contains_all(scopes));
    (!holds).then(|| {
        unmet_row(
            &format!("the application `main` does not hold the scope `{scopes}`"),
            "applications.main in the target file, with its scopes",
        )
    })
}

fn application(
    destination: &RequestDestination,
    role: &str,
    reason: &str,
) -> Option<(String, String)> {
    (!destination.applications.contains_key(role))
        .then(|| unmet_row(reason, &format!("applications.{role} in the target file")))
}

fn binding(destination: &RequestDestination, name: &str, reason: &str) -> Option<(String, String)> {
    (!destination.bindings.contains_key(name))
        .then(|| unmet_row(reason, &format!("bindings.{name} in the target file")))
}
