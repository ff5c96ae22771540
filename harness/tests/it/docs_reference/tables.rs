//! Pages that are tables: exit codes, the register of requirements, the open questions.

use minijinja::{Value, context};
use moot_fixtures::contract::{Question, Requirement};
use moot_fixtures::{answers, questions, register};
use strum::VariantArray;

use moot_harness::report::{markdown, section_order};
use moot_harness::verdict::result::RunOutcome;

/// A text, escaped for a cell of a table.
pub(super) fn cell(text: &str) -> String {
    paragraph(text).replace('|', "\\|")
}

/// A text in one line, without HTML outside code. Inside code, Markdown shows `<` as it is.
pub(super) fn paragraph(text: &str) -> String {
    let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
    let escaped = |(number, part): (usize, &str)| match number % 2 {
        0 => part.replace('<', "&lt;").replace('>', "&gt;"),
        _ => part.to_owned(),
    };
    line.split('`').enumerate().map(escaped).collect::<Vec<_>>().join("`")
}

fn rendered(template: &str, values: Value) -> String {
    markdown::page(template, values).expect("the template is sound")
}

/// The page of exit codes.
pub(super) fn exit_codes() -> String {
    let mut all = RunOutcome::VARIANTS.to_vec();
    all.sort_by_key(|outcome| outcome.exit_code());
    let row = |it: RunOutcome| {
        context! { code => it.exit_code(), name => it.as_str(), meaning => cell(it.meaning()) }
    };
    let outcomes: Vec<Value> = all.into_iter().map(row).collect();
    rendered(include_str!("exit_codes.jinja"), context! { outcomes })
}

/// The page of requirements, a table per clause.
pub(super) fn requirements() -> String {
    let mut all: Vec<&Requirement> = register::all().iter().collect();
    all.sort_by_cached_key(|row| section_order(&row.section));
    let row = |row: &Requirement| {
        context! {
            id => &row.id,
            section => &row.section,
            level => row.level.to_string(),
            sentence => cell(&row.sentence),
            source => row.source.as_deref().map(cell),
            question => &row.question,
            unverifiable => row.unverifiable.as_deref().map(cell),
        }
    };
    let rows: Vec<Value> = all.into_iter().map(row).collect();
    rendered(include_str!("requirements.jinja"), context! { rows })
}

/// The page of open questions, with the answers of the mock.
pub(super) fn questions() -> String {
    let defaults = answers::to_map(answers::default());
    let row = |it: &Question| {
        context! {
            id => &it.id,
            section => &it.section,
            ask => cell(&it.ask),
            allowed_in_response => cell(&it.allowed.to_string()),
            warn => it.warn.as_ref().map(|warn| cell(&warn.to_string())),
            allowed => cell(&it.allowed_in_file()),
            default => defaults.get(&it.id).map(serde_json::Value::to_string),
            bound => &it.bound,
        }
    };
    let questions: Vec<Value> = questions::all().iter().map(row).collect();
    rendered(include_str!("questions.jinja"), context! { questions })
}
