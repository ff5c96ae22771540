//! Advice on refused calls: how to correct the call. It is only in the journal.
//!
//! The response to a client must not reveal the ids and applications that exist (§5.6).

use moot_fixtures::contract::{Operation, ProblemType, Scope, TokenNeed, WorkflowStatus};
use moot_fixtures::journal::{AuthorizationScheme, RuleGroup, SentPart};
use moot_fixtures::nearest::{nearest, quoted};

use crate::world::journal::JournalEntry;
use crate::world::{World, authorise};

/// The longest path, in bytes, for which a similar path is suggested. A longer one is not a typing
/// error.
const PATH_LENGTH_MAX: usize = 100;
/// The largest number of names in one piece of advice.
const NAMES_MAX: usize = 5;

/// The text after the detail of a refusal; `None` if the detail is sufficient.
pub(super) fn of(world: &World, exchange: &JournalEntry) -> Option<String> {
    let is = |rule_group: RuleGroup| exchange.refused_by == Some(rule_group);
    if is(RuleGroup::Route) && exchange.status == 404 {
        return path(world, &exchange.path);
    }
    if is(RuleGroup::Token) {
        return match exchange.operation {
            Some(Operation::CreateAccessToken | Operation::RevokeToken) => client(world, exchange),
            Some(_) | None => token(world, exchange),
        };
    }
    if is(RuleGroup::Scope) {
        return scope(world, exchange);
    }
    if is(RuleGroup::Existence) && is_of_others(world, exchange) {
        let advice =
            "it exists, but belongs to another company: use an application of that company";
        return Some(advice.to_owned());
    }
    if is(RuleGroup::Rule) && exchange.operation == Some(Operation::CreateLegalRequest) {
        return workflow(world, exchange).or_else(|| requester(world, exchange));
    }
    None
}

fn path(world: &World, path: &str) -> Option<String> {
    if path.len() > PATH_LENGTH_MAX {
        return None;
    }
    let router = &world.seed_data().router;
    let path = path.trim_end_matches('/');
    let (like, versioned) = (router.paths_like(path), format!("/v1{path}"));
    let known = router.paths_like(&versioned);
    let found = known
        .iter()
        .find(|known| **known == versioned)
        .map(String::as_str)
        .or_else(|| nearest(path, like.iter().map(String::as_str)))?;
    Some(format!("did you mean `{found}`?"))
}

/// Advice on a call whose token does not exist in this world.
fn token(world: &World, exchange: &JournalEntry) -> Option<String> {
    let is_invalid = exchange.problem.as_deref() == Some(ProblemType::InvalidToken.as_str());
    is_invalid.then(|| {
        let base_url = world.base_url();
        format!(
            "`POST {base_url}/oauth/token` gives one, for a client id and secret of this world; a \
             token works only in the world that gave it, be it the main one or a sandbox"
        )
    })
}

/// Advice on credentials of no application.
fn client(world: &World, exchange: &JournalEntry) -> Option<String> {
    if exchange.request.scheme == Some(AuthorizationScheme::Bearer) {
        let advice =
            "a token request carries no access token: leave the `Authorization` header out";
        return Some(advice.to_owned());
    }
    let form = exchange.request.text.as_deref()?;
    let mut fields = form_urlencoded::parse(form.as_bytes());
    let (_, id) = fields.find(|(name, _)| name == "client_id")?;
    let seed_data = world.seed_data();
    if seed_data.application_of(&id).is_some() {
        return Some(format!(
            "`{id}` is an application of this world, and this is not its secret; a sandbox has \
             secrets of its own"
        ));
    }
    let known = seed_data.applications().map(|application| application.client_id.as_str());
    Some(format!("there is no application `{id}`, but {}", some_of(known)))
}

/// The applications of the caller's company that have the missing scope.
fn scope(world: &World, exchange: &JournalEntry) -> Option<String> {
    let seed_data = world.seed_data();
    let caller = seed_data.application(exchange.application_index?)?;
    let needed = match authorise::need(exchange.operation?, world.answers()) {
        TokenNeed::None => return None,
        TokenNeed::Read => Scope::Read,
        TokenNeed::Write => Scope::Write,
    };
    if caller.scopes.contains(needed) {
        let id = &caller.client_id;
        return Some(format!("`{id}` may have it: ask for it with `scope`"));
    }
    let others = seed_data
        .applications()
        .filter(|other| other.company == caller.company && other.scopes.contains(needed));
    let others = some_of(others.map(|other| other.client_id.as_str()));
    let id = &caller.client_id;
    Some(format!("`{id}` may not have it; other applications of its company may: {others}"))
}

/// Whether the path has an id of another company.
fn is_of_others(world: &World, exchange: &JournalEntry) -> bool {
    let caller = exchange.application_index.and_then(|at| world.seed_data().application(at));
    let Some(caller) = caller else { return false };
    let companies = exchange.path.split('/').filter_map(|id| {
        let legal_request = world.legal_request(id).map(|record| record.company);
        let document = || world.document(id).map(|record| record.company);
        let webhook = || world.webhook(id).map(|(_, record)| record.company);
        let workflow = || world.seed_data().workflow_of(id).map(|(_, workflow)| workflow.company);
        legal_request.or_else(document).or_else(webhook).or_else(workflow)
    });
    companies.into_iter().any(|company| company != caller.company)
}

/// Advice on the workflow of a legal request: it is not visible to the caller, or not published.
fn workflow(world: &World, exchange: &JournalEntry) -> Option<String> {
    let asked = part(exchange, "workflow_id")?;
    let seed_data = world.seed_data();
    let caller = seed_data.application(exchange.application_index?)?;
    let published: Vec<&str> = seed_data
        .workflows_of(caller.company)
        .filter(|workflow| workflow.seed.status == WorkflowStatus::Published)
        .map(|workflow| workflow.id())
        .collect();
    if published.contains(&asked) {
        return None;
    }
    Some(format!("published workflows of this company: {}", some_of(published)))
}

/// Advice on a requester who is not a user of the caller's company.
fn requester(world: &World, exchange: &JournalEntry) -> Option<String> {
    let asked = part(exchange, "requester_email")?;
    let seed_data = world.seed_data();
    let caller = seed_data.application(exchange.application_index?)?;
    let users = &seed_data.company(caller.company)?.users;
    if users.iter().any(|user| user.eq_ignore_ascii_case(asked)) {
        return None;
    }
    Some(format!("users of this company: {}", some_of(users.iter().map(String::as_str))))
}

fn part<'e>(exchange: &'e JournalEntry, name: &str) -> Option<&'e str> {
    let is_it = |part: &&SentPart| part.name == name;
    exchange.request.parts.iter().find(is_it)?.text.as_deref()
}

/// The first names, as a list in a sentence.
fn some_of<'a>(names: impl IntoIterator<Item = &'a str>) -> String {
    let mut names = names.into_iter();
    let shown = quoted(names.by_ref().take(NAMES_MAX));
    match (shown.is_empty(), names.count()) {
        (true, _) => "none".to_owned(),
        (false, 0) => shown,
        (false, more) => format!("{shown} and {more} more"),
    }
}
