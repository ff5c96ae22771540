//! `moot explain ID`: explains a requirement with its checks, a question, a rule of conduct or a defect.

use std::path::PathBuf;

use clap::Args;
use moot_fixtures::conduct;
use moot_fixtures::contract::{ConductOccasion, ConductRule, Level, Question, Requirement};
use moot_fixtures::nearest::nearest;
use moot_fixtures::{questions, register};
use moot_mock::defect::{self, Defect};
use serde_json::json;

use super::error::CommandError;
use super::screen::Screen;
use super::suite;
use super::verification::Verification;
use crate::report::terminal::{add_field, paint};
use crate::scenario::declared::{self, OwnRows};

#[derive(Debug, Args)]
pub(super) struct ExplainArguments {
    /// Ids of requirements, questions, rules of conduct or defects. Each gets its own text or JSON document
    #[arg(value_name = "ID", required = true)]
    ids: Vec<String>,
    /// Scenario files, or folders of them, instead of the bundled ones
    #[arg(long, value_name = "DIR")]
    scenarios: Vec<PathBuf>,
}

/// Exit 2 at the first unknown id. The ids before it are explained.
pub(super) fn explain(arguments: ExplainArguments, screen: &Screen) -> Result<u8, CommandError> {
    let files = suite::files(&arguments.scenarios, screen.color())?;
    let (verified, own) = (Verification::by(&files), declared::own_rows(&files));
    arguments.ids.iter().try_for_each(|id| explain_id(id, &verified, &own, screen))?;
    Ok(0)
}

fn explain_id(
    id: &str,
    verified: &Verification,
    own: &OwnRows,
    screen: &Screen,
) -> Result<(), CommandError> {
    if let Some(row) = own.get(id) {
        requirement(row, None, verified, screen)
    } else if let Some(row) = register::get(id) {
        requirement(row, Some(&row.section), verified, screen)
    } else if let Some(question) = questions::get(id) {
        self::question(question, verified, screen)
    } else if let Some(rule) = conduct::get(id) {
        conduct_page(rule, screen)
    } else if let Some(defect) = defect::named(id) {
        defect_page(defect, screen)
    } else {
        let near = nearest(id, own.keys().map(String::as_str))
            .or_else(|| register::nearest(id))
            .or_else(|| questions::nearest(id))
            .or_else(|| conduct::nearest(id))
            .or_else(|| nearest(id, defect::all().iter().map(|defect| defect.id.as_str())));
        let message = format!("`{id}` is not a requirement, question, rule of conduct or defect");
        Err(CommandError::usage(message)
            .help("`moot coverage` lists every requirement")
            .nearest(near))
    }
}

/// `clause` is the clause of the specification. The row of a scenario file has none.
fn requirement(
    row: &Requirement,
    clause: Option<&str>,
    verified: &Verification,
    screen: &Screen,
) -> Result<(), CommandError> {
    let (scenarios, implicit) = (verified.scenarios(&row.id), verified.implicit(&row.id));
    let observers = row.question.as_deref().map(|id| verified.observers(id)).unwrap_or_default();
    let breakers: Vec<&Defect> =
        defect::all().iter().filter(|defect| defect.breaks.contains(&row.id)).collect();
    if screen.is_json() {
        let mut value = serde_json::to_value(row).unwrap_or_default();
        value["checked_by"] =
            json!({"scenarios": scenarios, "implicit": implicit, "observed_by": observers});
        value["broken_by"] =
            breakers.iter().map(|it| json!({"id": it.id, "what": it.what})).collect();
        return screen.json(&value);
    }
    let clause = clause.map(|clause| format!("§{clause} of the specification"));
    let breakers: Vec<String> =
        breakers.iter().map(|defect| format!("{}: {}", defect.id, defect.what)).collect();
    let rows = [
        ("clause", clause.as_deref().unwrap_or_default()),
        ("level", level(row)),
        ("source", row.source.as_deref().unwrap_or_default()),
        ("question", row.question.as_deref().unwrap_or_default()),
        ("needs", &row.needs.join(", ")),
        ("remedy", row.remedy.as_deref().unwrap_or_default()),
        ("not verifiable", row.unverifiable.as_deref().unwrap_or_default()),
    ];
    let lists = [
        ("checked on every exchange by", implicit),
        ("checked by", scenarios),
        ("observed by", observers),
        ("broken by (`moot mock --defect ID`)", breakers.iter().map(String::as_str).collect()),
    ];
    screen.print(&explanation(&row.id, &row.sentence, &rows, &lists))
}

fn conduct_page(rule: &ConductRule, screen: &Screen) -> Result<(), CommandError> {
    if screen.is_json() {
        return screen.json(&serde_json::to_value(rule).unwrap_or_default());
    }
    let judged = match rule.seen {
        ConductOccasion::Traffic => "in any calls of a client: `moot exec -- CMD`",
        ConductOccasion::Drill => "only in a drill that disturbs the client: `moot drill -- CMD`",
    };
    let rows = [
        ("clause", &*rule.clause()),
        ("severity", rule.severity.as_str()),
        ("judged", judged),
        ("evidence", &rule.evidence),
        ("excused", rule.excused.as_deref().unwrap_or_default()),
        ("instead", &rule.instead),
    ];
    screen.print(&explanation(&rule.id, &rule.sentence, &rows, &[]))
}

fn defect_page(defect: &Defect, screen: &Screen) -> Result<(), CommandError> {
    if screen.is_json() {
        let Defect { id, section, breaks, also, what, heavy, .. } = defect;
        return screen.json(&json!({
            "id": id, "section": section, "what": what, "breaks": breaks, "also": also,
            "heavy": heavy,
        }));
    }
    let rows = [
        ("clause", &*format!("breaks §{} of the specification", defect.section)),
        ("try it", &format!("moot mock --defect {}", defect.id)),
    ];
    let lists = [
        ("breaks", defect.breaks.iter().map(String::as_str).collect()),
        ("breaks too, unavoidably", defect.also.iter().map(String::as_str).collect()),
    ];
    screen.print(&explanation(&defect.id, &defect.what, &rows, &lists))
}

fn question(
    question: &Question,
    verified: &Verification,
    screen: &Screen,
) -> Result<(), CommandError> {
    let observers = verified.observers(&question.id);
    if screen.is_json() {
        let mut value = serde_json::to_value(question).unwrap_or_default();
        value["observed_by"] = json!(observers);
        return screen.json(&value);
    }
    let about = register::all().iter().filter(|row| row.question.as_ref() == Some(&question.id));
    let unverifiable = about.clone().filter_map(|row| row.unverifiable.as_deref());
    let not_observed: Vec<&str> = unverifiable.filter(|_| observers.is_empty()).collect();
    let warned_of = question.warn.as_ref().map(|it| json!(it).to_string()).unwrap_or_default();
    let rows = [
        ("clause", &*format!("§{} leaves it open", question.section)),
        ("allowed", &json!(question.allowed).to_string()),
        ("warned of", &warned_of),
        ("not observed", &not_observed.join("\n")),
    ];
    let lists = [
        ("requirements about it", about.map(|row| row.id.as_str()).collect()),
        ("observed by", observers),
    ];
    screen.print(&explanation(&question.id, &question.ask, &rows, &lists))
}

const fn level(row: &Requirement) -> &'static str {
    match (row.level, row.must) {
        (Level::Stated, _) => "stated: a mismatch is `fail`",
        (Level::Inherited, true) => "inherited, MUST: a mismatch is `warn`, with --strict `fail`",
        (Level::Inherited, false) => "inherited: a mismatch is `warn`",
        (Level::Example, _) => "example: a mismatch is `warn`",
        (Level::Open, _) => "open: every answer is `observed`",
    }
}

/// A heading and a sentence, then names with their values, then lists. Empty values and lists are left out.
fn explanation(
    head: &str,
    sentence: &str,
    rows: &[(&str, &str)],
    lists: &[(&str, Vec<&str>)],
) -> String {
    let mut out = format!("{}\n  {sentence}\n\n", paint::bold(paint::name(head)));
    for (name, value) in rows {
        add_field(&mut out, 15, name, value);
    }
    for (head, names) in lists.iter().filter(|(_, names)| !names.is_empty()) {
        out.push_str(&format!("\n  {}\n    {}\n", paint::dim(head), names.join("\n    ")));
    }
    out
}
