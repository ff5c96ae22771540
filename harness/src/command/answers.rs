//! `moot answers`: shows a set of answers to open questions, or the differences of two sets.

use std::collections::BTreeMap;
use std::iter;
use std::path::Path;

use clap::Subcommand;
use moot_fixtures::{answers, questions};
use serde_json::{Value, json};

use super::error::CommandError;
use super::files::read_file;
use super::screen::Screen;
use crate::client::answers::{AnswersEvidence, Difference, Evidence, diff, why_not_imitated};
use crate::exchange::escape;
use crate::report::terminal::{Table, paint};
use crate::verdict::{Verdict, pluralize};

/// Exit code: two sets contradict each other.
const DIFFERENT: u8 = 5;

/// The most characters of an answer on a line.
const ANSWER_CHARACTERS_MAX: usize = 100;

#[derive(Debug, Subcommand)]
pub(super) enum AnswersCommand {
    /// Show a set, and the places where its answers were observed
    Show {
        /// A file, `default`, `documented` or `random:SEED`
        file: String,
    },
    /// Show the questions that two sets answer differently; exit 5 if there are any. A question that only
    /// one set answers is shown, but does not count
    Diff {
        /// A file, `default`, `documented` or `random:SEED`
        first: String,
        /// As the first
        second: String,
    },
}

/// Exit 5 if two sets contradict each other. A question that only one set answers is not a contradiction.
pub(super) fn answers(command: AnswersCommand, screen: &Screen) -> Result<u8, CommandError> {
    match command {
        AnswersCommand::Show { file } => show(&read_set(&file)?, screen).map(|()| 0),
        AnswersCommand::Diff { first, second } => {
            let all = diff(&read_set(&first)?.answers, &read_set(&second)?.answers);
            show_diff(&all, screen)?;
            Ok(if all.iter().any(Difference::is_change) { DIFFERENT } else { 0 })
        }
    }
}

/// Reads a bundled set, else a file.
fn read_set(word: &str) -> Result<AnswersEvidence, CommandError> {
    if let Some(set) = answers::chosen(word) {
        let all = serde_json::to_value(set)
            .and_then(serde_json::from_value::<BTreeMap<String, Value>>)
            .map_err(|error| CommandError::fault(format!("the answers `{word}`: {error}")))?;
        return Ok(AnswersEvidence { answers: all, evidence: BTreeMap::new() });
    }
    let help = "give a file, `default`, `documented` or `random:SEED`";
    let text = read_file(Path::new(word)).map_err(|error| error.help(help))?;
    Ok(AnswersEvidence::from_text(&text).map_err(|error| error.in_file(word))?)
}

fn show(observed: &AnswersEvidence, screen: &Screen) -> Result<(), CommandError> {
    if screen.is_json() {
        return screen.json(&json!({
            "answers": observed.answers,
            "observed": observed.evidence,
        }));
    }
    let mut table = Table::new(0);
    for question in questions::all() {
        let id = &question.id;
        let (answer, evidence) = (observed.answers.get(id), observed.evidence.get(id));
        if answer.is_none() && evidence.is_none() {
            continue;
        }
        let not_imitated = || {
            let reason = why_not_imitated(id);
            paint::verdict(Verdict::NotRun, format!("not imitated: {reason}"))
        };
        let answer = answer.map_or_else(not_imitated, shown);
        table.row([paint::dim(format!("§{}", question.section)), paint::name(id), answer]);
        table.row([String::new(), paint::dim(&question.ask)]);
        if let Some(evidence) = evidence {
            add_evidence(evidence, &mut table);
        }
    }
    let mut out = table.render();
    let (answered, seen) = (observed.answers.len(), observed.evidence.len());
    out.push_str(&pluralize(answered, "answer"));
    if seen > 0 {
        let varying = observed.evidence.values().filter(|evidence| !evidence.steady).count();
        let silent = observed.evidence.keys().filter(|id| !observed.answers.contains_key(*id));
        out.push_str(&format!(
            ", {} observed: {varying} varying, {} not imitated",
            pluralize(seen, "question"),
            silent.count()
        ));
    }
    out.push('\n');
    screen.print(&out)
}

/// Adds the observations behind an answer: how often each was made, and where.
fn add_evidence(evidence: &Evidence, table: &mut Table) {
    let steady = match evidence.steady {
        true => paint::verdict(Verdict::Pass, "steady"),
        false => paint::verdict(Verdict::Warn, "varying"),
    };
    let samples = evidence.samples.iter();
    let samples = samples.map(|sample| format!("{} ×{}", shown(&sample.value), sample.times));
    let places = evidence.seen_in.iter().map(|place| paint::dim(escape::line(place)));
    add_group(steady, samples, table);
    add_group(paint::dim("seen in"), places, table);
}

/// Adds a row for each cell. The first row has the heading.
fn add_group(heading: String, cells: impl Iterator<Item = String>, table: &mut Table) {
    let headings = iter::once(heading).chain(iter::repeat(String::new()));
    for (heading, cell) in headings.zip(cells) {
        table.row([String::new(), heading, cell]);
    }
}

fn show_diff(all: &[Difference], screen: &Screen) -> Result<(), CommandError> {
    if screen.is_json() {
        let row = |one: &Difference| {
            let kind = match (&one.a, &one.b) {
                (Some(_), None) => "only_first",
                (None, Some(_)) => "only_second",
                (_, _) => "contradiction",
            };
            json!({"question": one.question, "kind": kind, "first": one.a, "second": one.b})
        };
        return screen.json(&json!({ "differences": all.iter().map(row).collect::<Vec<_>>() }));
    }
    let mut out = String::new();
    for one in all.iter().filter(|one| one.is_change()) {
        let side = |answer: &Option<Value>| answer.as_ref().map(shown).unwrap_or_default();
        let ask = questions::get(&one.question).map(|question| question.ask.as_str());
        let ask = paint::dim(ask.unwrap_or_default());
        out.push_str(&format!("{}  {ask}\n", paint::name(&one.question)));
        let (first, second) = (side(&one.a), side(&one.b));
        out.push_str(&format!("  {}\n", paint::verdict(Verdict::Drift, format!("- {first}"))));
        out.push_str(&format!("  {}\n", paint::verdict(Verdict::Drift, format!("+ {second}"))));
    }
    let changes = all.iter().filter(|one| one.is_change()).count();
    for (is_in_first, place) in [(true, "first"), (false, "second")] {
        let only = all.iter().filter(|one| !one.is_change() && one.a.is_some() == is_in_first);
        let only: Vec<&Difference> = only.collect();
        if only.is_empty() {
            continue;
        }
        let head = format!("only the {place} answers these: no contradiction, and not counted");
        out.push_str(&format!("{}\n", paint::dim(&head)));
        let mut table = Table::new(2);
        for one in only {
            let answer = one.a.as_ref().or(one.b.as_ref()).map(shown).unwrap_or_default();
            table.row([paint::name(&one.question), answer]);
        }
        out.push_str(&table.render());
    }
    out.push_str(&format!("{changes} answered differently\n"));
    screen.print(&out)
}

fn shown(value: &Value) -> String {
    escape::cut(&escape::line(&value.to_string()), ANSWER_CHARACTERS_MAX)
}
