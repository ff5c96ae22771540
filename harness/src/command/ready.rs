//! What a mock says when it is ready: where it is, with what to call it, and a line to paste.

use serde_json::Value;

use super::failure::Failure;
use super::line::MockArguments;
use super::screen::Screen;
use crate::terminal::escape;
use crate::terminal::paint::{Paint, left, width};

/// Users and workflows named of each company.
const USERS_SHOWN_MAX: usize = 2;
const WORKFLOWS_SHOWN_MAX: usize = 6;

/// Tables for a person, or the one JSON line; `is_another` where the world is not that of the line, but
/// that of the folder of its state.
pub(super) fn announce(
    description: &Value,
    arguments: &MockArguments,
    is_another: bool,
    screen: &Screen,
) -> Result<(), Failure> {
    if screen.is_json() {
        return screen.print(&format!("{}\n", escape::json(&description.to_string())));
    }
    screen.print(&text(description, arguments, is_another, screen.paint()))
}

fn text(description: &Value, arguments: &MockArguments, is_another: bool, paint: Paint) -> String {
    let world = if is_another { "as it was kept" } else { &arguments.world.world };
    let mut out = format!(
        "{} {}\n\n",
        paint.bold("moot mock is ready at"),
        paint.bold(&paint.name(&member(description, "base_url")))
    );
    let mut row = |name: &str, value: &str| {
        out.push_str(&format!("  {} {value}\n", paint.dim(&left(name, 14))));
    };
    row("token", &member(description, "token_url"));
    row("control plane", &member(description, "admin_url"));
    row("world", &format!("{world}, answers {}", arguments.world.answers));
    row(
        "clock",
        &format!("{}, progression {}", arguments.world.clock, arguments.world.progression),
    );
    row("rate limit", &arguments.world.rate_limit);
    if arguments.place.fetch {
        row("fetch", "public https addresses of uploads");
    }
    row("seed", &description["seed"].to_string());
    out.push('\n');
    out.push_str(&applications(description, paint));
    out.push_str(&users(description, paint));
    out.push_str(&workflows(description, paint));
    out.push_str(&paste(description, paint));
    out.push_str(&format!("{}\n", paint.dim("Ctrl-C stops it")));
    out
}

fn applications(description: &Value, paint: Paint) -> String {
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
    table(&["client_id", "client_secret", "scopes", "company"], rows, paint)
}

fn users(description: &Value, paint: Paint) -> String {
    let companies = description["users"].as_object();
    let rows = companies
        .into_iter()
        .flatten()
        .map(|(company, users)| {
            let users: Vec<String> = users.as_array().into_iter().flatten().map(plain).collect();
            vec![some(&users, USERS_SHOWN_MAX, ", "), escape::line(company)]
        })
        .collect();
    table(&["users, for requester_email", "company"], rows, paint)
}

fn workflows(description: &Value, paint: Paint) -> String {
    let published = list(description, "workflows").filter(|one| one["status"] == "published");
    let all: Vec<Vec<String>> = published
        .map(|one| ["id", "type", "name", "company"].map(|name| member(one, name)).to_vec())
        .collect();
    let more = all.len().saturating_sub(WORKFLOWS_SHOWN_MAX);
    let rows = all.into_iter().take(WORKFLOWS_SHOWN_MAX).collect();
    let mut out = table(&["published workflow", "type", "name", "company"], rows, paint);
    if more > 0 {
        out.insert_str(out.len() - 1, &format!("  {}\n", paint.dim(&format!("and {more} more"))));
    }
    out
}

/// A line that gets a token with the application that may do most.
fn paste(description: &Value, paint: Paint) -> String {
    let scopes = |one: &Value| list(one, "scopes").count();
    let best = list(description, "applications").rev().max_by_key(|one| scopes(one));
    let Some(one) = best else { return String::new() };
    let scope = list(one, "scopes").map(plain).collect::<Vec<_>>().join(" ");
    format!(
        "{}\n  curl -s {} -d grant_type=client_credentials -d client_id={} \\\n    \
         -d client_secret={} -d 'scope={scope}'\n\n",
        paint.dim("A token, to paste:"),
        member(description, "token_url"),
        member(one, "client_id"),
        member(one, "client_secret"),
    )
}

/// Aligned columns below a dim head, and an empty line.
fn table(heads: &[&str], rows: Vec<Vec<String>>, paint: Paint) -> String {
    let widths: Vec<usize> = heads
        .iter()
        .enumerate()
        .map(|(at, head)| width(rows.iter().map(|row| row[at].as_str()).chain([*head])))
        .collect();
    let line = |cells: &[&str]| {
        let cells: Vec<String> =
            cells.iter().zip(&widths).map(|(cell, width)| left(cell, *width)).collect();
        cells.join("  ").trim_end().to_owned()
    };
    let mut out = format!("  {}\n", paint.dim(&line(heads)));
    for row in &rows {
        let cells: Vec<&str> = row.iter().map(String::as_str).collect();
        out.push_str(&format!("  {}\n", line(&cells)));
    }
    out.push('\n');
    out
}

fn some(texts: &[String], max: usize, between: &str) -> String {
    let mut shown = texts.iter().take(max).cloned().collect::<Vec<_>>().join(between);
    if texts.len() > max {
        shown.push_str(&format!(" and {} more", texts.len() - max));
    }
    shown
}

fn list<'a>(value: &'a Value, name: &str) -> impl DoubleEndedIterator<Item = &'a Value> {
    value[name].as_array().map(Vec::as_slice).unwrap_or_default().iter()
}

fn member(value: &Value, name: &str) -> String {
    plain(&value[name])
}

/// Text as it is, anything else as JSON; a world's own file has a say in it, so nothing steers.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => escape::line(text),
        other => escape::line(&other.to_string()),
    }
}
