//! Reads a file and its scenarios.

use std::path::Path;

use super::super::model::{NEEDS, Sandbox, Scenario, ScenarioFile};
use super::super::node::Node;
use super::fields::Fields;
use super::reader::Reader;
use moot_fixtures::nearest;

/// Scenarios of one file.
const SCENARIOS_MAX: usize = 500;

/// Needs, tags or receivers of one scenario.
const WORDS_MAX: usize = 50;

const FILE: [&str; 3] = ["section", "title", "scenarios"];

const SCENARIO: [&str; 9] =
    ["id", "title", "needs", "tags", "sandbox", "receivers", "for_each", "confirm", "steps"];

const SANDBOX: [&str; 5] = ["world", "answers", "clock", "rate_limit", "progression"];

pub(super) fn read(reader: &mut Reader, node: &Node) -> Option<ScenarioFile> {
    let what = "the file";
    let fields = reader.fields(node, what, &FILE)?;
    let section = reader.needed(fields, what, "section").and_then(|node| section(reader, node));
    let title = needed_text(reader, fields, what, "title");
    let scenarios = reader
        .needed(fields, what, "scenarios")
        .and_then(|node| reader.list(node, "`scenarios`", SCENARIOS_MAX));
    let scenarios: Vec<_> =
        scenarios?.iter().map(|scenario| read_scenario(reader, scenario)).collect();
    let stem = Path::new(reader.path()).file_stem().unwrap_or_default();
    Some(ScenarioFile {
        stem: stem.to_string_lossy().into_owned(),
        section: section?,
        title: title?,
        scenarios: scenarios.into_iter().collect::<Option<_>>()?,
    })
}

/// A clause of the specification: `4.6`, in quotes, since `4.10` would be the number 4.1.
fn section(reader: &mut Reader, node: &Node) -> Option<String> {
    let section = reader.plain(node, "`section`")?;
    let is_number = |part: &str| !part.is_empty() && part.bytes().all(|b| b.is_ascii_digit());
    if !section.split('.').all(is_number) {
        reader.refuse(node.span, format!("`{section}` is no clause, such as \"4.6\""));
        return None;
    }
    Some(section.to_owned())
}

fn read_scenario(reader: &mut Reader, node: &Node) -> Option<Scenario> {
    let what = "a scenario";
    let fields = reader.fields(node, what, &SCENARIO)?;
    let id_node = reader.needed(fields, what, "id");
    let id = id_node.and_then(|node| slug(reader, node));
    let title = needed_text(reader, fields, what, "title");
    let needs = optional_words(reader, fields, "needs");
    check_needs(reader, fields);
    let tags = optional_words(reader, fields, "tags");
    let sandbox = fields.get("sandbox").map_or(Some(Sandbox::default()), |n| sandbox(reader, n));
    let receivers = receivers(reader, fields);
    let for_each = match fields.get("for_each") {
        Some(node) => reader.for_each(node).map(Some),
        None => Some(None),
    };
    let confirm = match fields.get("confirm") {
        Some(node) => reader.boolean(node, "`confirm`"),
        None => Some(false),
    };
    let steps = reader.needed(fields, what, "steps").and_then(|node| reader.steps(node));
    Some(Scenario {
        id: id?,
        title: title?,
        needs: needs?,
        tags: tags?,
        sandbox: sandbox?,
        receivers: receivers?,
        for_each: for_each?,
        confirm: confirm?,
        steps: steps?,
        at: reader.at(id_node?.span),
    })
}

fn needed_text(reader: &mut Reader, fields: Fields<'_>, what: &str, name: &str) -> Option<String> {
    let node = reader.needed(fields, what, name)?;
    reader.plain(node, &format!("`{name}`")).map(str::to_owned)
}

fn optional_words(reader: &mut Reader, fields: Fields<'_>, name: &str) -> Option<Vec<String>> {
    match fields.get(name) {
        Some(node) => reader.words(node, &format!("`{name}`"), WORDS_MAX),
        None => Some(Vec::new()),
    }
}

/// Lower case letters, digits and hyphens.
fn slug(reader: &mut Reader, node: &Node) -> Option<String> {
    let id = reader.plain(node, "`id`")?;
    let is_slug = id.split('-').all(|word| {
        !word.is_empty() && word.bytes().all(|b| b.is_ascii_lowercase() || b.is_ascii_digit())
    });
    if !is_slug {
        reader.refuse_with(
            node.span,
            format!("`{id}` is no slug"),
            Some("an id has lower case letters, digits and single hyphens".to_owned()),
        );
        return None;
    }
    Some(id.to_owned())
}

fn check_needs(reader: &mut Reader, fields: Fields<'_>) {
    let Some(node) = fields.get("needs") else { return };
    let super::super::node::Tree::List(items) = &node.value else { return };
    for item in items {
        let super::super::node::Tree::Text(need) = &item.value else { continue };
        if !NEEDS.contains(&need.as_str()) {
            let help = nearest::hint(need, NEEDS)
                .unwrap_or_else(|| format!("there are {}", NEEDS.join(", ")));
            reader.refuse_with(item.span, format!("unknown need `{need}`"), Some(help));
        }
    }
}

fn receivers(reader: &mut Reader, fields: Fields<'_>) -> Option<Vec<String>> {
    let names = optional_words(reader, fields, "receivers")?;
    let span = fields.get("receivers").map_or(fields.span, |node| node.span);
    names.iter().map(|name| reader.new_name(name, span)).collect()
}

fn sandbox(reader: &mut Reader, node: &Node) -> Option<Sandbox> {
    let fields = reader.fields(node, "`sandbox`", &SANDBOX)?;
    let mut setting = |name: &str, is_known: fn(&str) -> bool, forms: &str| {
        let Some(node) = fields.get(name) else { return Some(None) };
        let text = reader.plain(node, &format!("`{name}`"))?;
        if is_known(text) {
            return Some(Some(text.to_owned()));
        }
        let help = Some(format!("there are {forms}"));
        reader.refuse_with(node.span, format!("`{name}` can't be `{text}`"), help);
        None
    };
    let world = setting("world", |_| true, "");
    let answers = setting("answers", |_| true, "");
    let clock = setting("clock", is_clock, "real, frozen, frozen:TIME");
    let limit = setting(
        "rate_limit",
        |text| matches!(text, "enforce" | "observe" | "off"),
        "enforce, observe, off",
    );
    let progression = setting(
        "progression",
        is_progression,
        "manual, timed, timed:SECONDS, on-read, on-read:N, immediate",
    );
    Some(Sandbox {
        world: world?,
        answers: answers?,
        clock: clock?,
        rate_limit: limit?,
        progression: progression?,
    })
}

fn is_clock(text: &str) -> bool {
    match text.split_once(':') {
        Some(("frozen", time)) => time.parse::<jiff::Timestamp>().is_ok(),
        Some(_) => false,
        None => matches!(text, "real" | "frozen"),
    }
}

fn is_progression(text: &str) -> bool {
    match text.split_once(':') {
        Some(("timed" | "on-read", number)) => number.parse::<u32>().is_ok_and(|n| n > 0),
        Some(_) => false,
        None => matches!(text, "manual" | "timed" | "on-read" | "immediate"),
    }
}
