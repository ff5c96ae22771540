//! `POST /oauth/token` (§4.1): issues a token for client credentials. It stores no token.

use moot_fixtures::contract::{Answers, ScopeBeyond, Scopes, TokenFailure};

use super::Context;
use crate::operation::oauth::{self, TokenForm};
use crate::value::message::problem::{Problem, shown};
use crate::value::token::Grant;
use crate::world::Outcome;
use crate::world::state::change::Change;
use crate::world::state::seed_data::Application;

pub(crate) fn answer(context: &Context<'_>) -> Result<Outcome, Problem> {
    let answers = context.answers();
    let form = TokenForm::of(context)?;
    check_grant_type(answers, &form)?;
    let (index, application) = oauth::client(context, &form)?;
    let scopes = scopes(answers, application, form.once("scope")?)?;

    let serial = context.call.admitted.serial;
    let issued_at = context.now.as_second();
    let grant = Grant { application: index, scopes, issued_at, serial };
    let token = context.world.sealer.seal(&grant);
    let first_valid = context.world.state().token_marks.first_valid(index);
    let revokes = answers.token_revocation.newer_token && serial > first_valid;
    let changes = if revokes {
        vec![Change::RevokeEarlierTokens { application: index, serial }]
    } else {
        Vec::new()
    };
    let body = grant.response(&token);
    Ok(Outcome { changes, ..Outcome::unchanged(context.responder.secret_json(&body)) })
}

fn check_grant_type(answers: &Answers, form: &TokenForm<'_>) -> Result<(), Problem> {
    match form.once("grant_type")? {
        Some("client_credentials") => Ok(()),
        Some(other) => Err(Problem::token_failure(
            answers.token_failure_status.other,
            "unsupported_grant_type",
            format!("grant_type must be client_credentials, not {}", shown(other)),
        )),
        None => Err(oauth::invalid_request(answers, "grant_type is required: client_credentials")),
    }
}

/// The granted scopes. `asked` is the parameter `scope`.
fn scopes(
    answers: &Answers,
    application: &Application,
    asked: Option<&str>,
) -> Result<Scopes, Problem> {
    let own = application.scopes;
    let Some(asked) = asked else {
        // §4.1: for an application with one scope the default is `read`, also if it only has `write`.
        return if own == Scopes::READ_WRITE {
            let detail = "scope is required: this application is scoped to read write";
            Err(failure(&answers.scope_omitted, detail.to_owned()))
        } else {
            Ok(Scopes::READ)
        };
    };
    match (asked.parse::<Scopes>(), &answers.scope_beyond_application) {
        (Ok(scopes), _) if !scopes.is_empty() && own.contains_all(scopes) => Ok(scopes),
        (_, ScopeBeyond::Refused(refused)) => {
            let detail =
                format!("this application may ask for {}, not {}", own.as_str(), shown(asked));
            Err(failure(refused, detail))
        }
        (_, ScopeBeyond::Dropped) => {
            let asked = Scopes::among(asked);
            let kept = Scopes { read: own.read && asked.read, write: own.write && asked.write };
            if kept.is_empty() {
                let status = answers.token_failure_status.other;
                let detail = "the application has none of the requested scopes";
                return Err(Problem::token_failure(status, "invalid_scope", detail));
            }
            Ok(kept)
        }
    }
}

fn failure(answer: &TokenFailure, detail: String) -> Problem {
    Problem::token_failure(answer.status, answer.error.clone(), detail)
}
