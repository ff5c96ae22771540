//! The first output of `moot mock`: its addresses, its credentials, and a command to copy.

use serde_json::Value;

use super::error::CommandError;
use super::screen::Screen;
use super::serve::{DEFAULT_ANSWERS, ListeningMock, PlaceArguments, WorldArguments};
use crate::exchange::escape;
use crate::report::terminal::{Table, add_field, names_line, paint};

/// The most users of each company, and the most workflows, that are named.
const USERS_SHOWN_MAX: usize = 2;
const WORKFLOWS_SHOWN_MAX: usize = 6;

/// Prints tables, or one line of JSON.
pub(super) fn announce(
    mock: &ListeningMock,
    world: &WorldArguments,
    place: &PlaceArguments,
    screen: &Screen,
) -> Result<(), CommandError> {
    let mut description = mock.served.describe();
    description["listen"] = mock.bound.to_string().into();
    if screen.is_json() {
        return screen.print(&format!("{}\n", escape::json(&description.to_string())));
    }
    let (world_shown, answers) = match mock.restored {
        Some(kept_in) => (kept_in, "as kept"),
        None => (world.world_name(), DEFAULT_ANSWERS),
    };
    let answers = world.answers.as_deref().unwrap_or(answers);
    let world = format!("{world_shown}, answers {answers}");
    screen.print(&text(&description, &world, place))
}

/// The settings in use, from the description of the mock: a state folder may override the command line.
fn text(description: &Value, world: &str, place: &PlaceArguments) -> String {
    let mut out = format!(
        "{} {}\n\n",
        paint::bold("moot mock is ready at"),
        paint::bold(paint::name(member(description, "base_url")))
    );
    let mut row = |name: &str, value: &str| add_field(&mut out, 14, name, value);
    row("token", &member(description, "token_url"));
    row("control plane", &member(description, "admin_url"));
    row("console", &member(description, "console"));
    if place.public_url.is_some() {
        row("listens on", &member(description, "listen"));
    }
    row("world", world);
    let now = member(&description["clock"], "now");
    let clock = match now.split_once('.') {
        _ if description["clock"]["frozen"] == true => format!("frozen at {now}"),
        Some((seconds, _)) => format!("real, now {seconds}Z"),
        None => format!("real, now {now}"),
    };
    row("clock", &format!("{clock}, progression {}", member(description, "progression")));
    row("rate limit", &member(description, "rate_limit"));
    if place.fetch {
        row("fetch", "public https addresses of uploads");
    }
    row("seed", &description["seed"].to_string());
    out.push('\n');
    out.push_str(&applications(description));
    out.push_str(&users(description));
    out.push_str(&workflows(description));
    out.push_str(&paste(description));
    out.push_str(&format!("{}\n", paint::dim("Ctrl-C stops it")));
    out
}

fn applications(description: &Value) -> String {
    let rows = list(description, "applications")
        .map(|one| {
            let scopes = list(one, "scopes").map(plain).collect::<Vec<_>>().join(" ");
            vec![
                member(one, "client_id"),
                member(one, "client_secret"),
                scopes,
                member(one, "company"),
            ]
        })
        .collect();
    table(&["client_id", "client_secret", "scopes", "company"], rows)
}

fn users(description: &Value) -> String {
    let companies = description["users"].as_object();
    let row = |(company, users): (&String, &Value)| {
        let all: Vec<String> = users.as_array().into_iter().flatten().map(plain).collect();
        vec![names_line(&all, USERS_SHOWN_MAX), escape::line(company)]
    };
    let rows = companies.into_iter().flatten().map(row).collect();
    table(&["users, for requester_email", "company"], rows)
}

fn workflows(description: &Value) -> String {
    let published = list(description, "workflows").filter(|one| one["status"] == "published");
    let all: Vec<Vec<String>> = published
        .map(|one| ["id", "type", "name", "company"].map(|name| member(one, name)).to_vec())
        .collect();
    let more = all.len().saturating_sub(WORKFLOWS_SHOWN_MAX);
    let mut rows: Vec<Vec<String>> = all.into_iter().take(WORKFLOWS_SHOWN_MAX).collect();
    if more > 0 {
        rows.push(vec![paint::dim(format!("and {more} more"))]);
    }
    table(&["published workflow", "type", "name", "company"], rows)
}

/// A command that gets a token for the application with the most scopes.
fn paste(description: &Value) -> String {
    let scopes = |one: &Value| list(one, "scopes").count();
    let best = list(description, "applications").rev().max_by_key(|one| scopes(one));
    let Some(one) = best else { return String::new() };
    let scope = list(one, "scopes").map(plain).collect::<Vec<_>>().join(" ");
    format!(
        "{}\n  curl -s {} -d grant_type=client_credentials -d client_id={} \\\n    \
         -d client_secret={} -d 'scope={scope}'\n\n",
        paint::dim("A token, to paste:"),
        member(description, "token_url"),
        member(one, "client_id"),
        member(one, "client_secret"),
    )
}

/// A table with headings, and an empty line below it.
fn table(heads: &[&str], rows: Vec<Vec<String>>) -> String {
    let mut table = Table::new(2);
    table.row(heads.iter().map(paint::dim));
    for row in rows {
        table.row(row);
    }
    table.render() + "\n"
}

fn list<'a>(value: &'a Value, name: &str) -> impl DoubleEndedIterator<Item = &'a Value> {
    value[name].as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

fn member(value: &Value, name: &str) -> String {
    plain(&value[name])
}

/// A text, or other JSON, escaped for a terminal: the file of a world may contain control characters.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => escape::line(text),
        other => escape::line(&other.to_string()),
    }
}
