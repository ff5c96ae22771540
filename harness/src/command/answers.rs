//! `moot answers`: the answers of a set, and how two sets differ.

use std::collections::BTreeMap;
use std::fs;

use clap::Subcommand;
use moot_fixtures::{answers, questions};
use serde_json::{Value, json};

use super::error::CommandError;
use super::screen::Screen;
use crate::answers::{Difference, Evidence, Observed, diff, why_not_imitated};
use crate::terminal::escape;
use crate::terminal::paint::{Paint, left, width};
use crate::verdict::Verdict;

/// Exit code: two sets contradict each other.
const DIFFERENT: u8 = 5;

/// Characters of one answer on a line.
const ANSWER_CHARACTERS_MAX: usize = 100;

#[derive(Debug, Subcommand)]
pub(super) enum AnswersCommand {
    /// Show a set, and where its answers were observed
    Show {
        /// A file, `default`, `documented` or `random:SEED`
        file: String,
    },
    /// Show the questions that two sets answer differently; exit 5 if there are any. A question that only
    /// one set answers is shown and does not count
    Diff {
        /// A file, `default`, `documented` or `random:SEED`
        first: String,
        /// As the first
        second: String,
    },
}

/// Exit 5 where two sets contradict each other; a question that only one answers is no contradiction.
pub(super) fn answers(command: AnswersCommand, screen: &Screen) -> Result<u8, CommandError> {
    match command {
        AnswersCommand::Show { file } => show(&chosen(&file)?, screen).map(|()| 0),
        AnswersCommand::Diff { first, second } => {
            let all = diff(&chosen(&first)?.answers, &chosen(&second)?.answers);
            show_diff(&all, screen)?;
            Ok(if all.iter().any(Difference::is_change) { DIFFERENT } else { 0 })
        }
    }
}

/// A bundled set, else a file.
fn chosen(word: &str) -> Result<Observed, CommandError> {
    if let Some(set) = answers::chosen(word) {
        let all = serde_json::to_value(set)
            .and_then(serde_json::from_value::<BTreeMap<String, Value>>)
            .map_err(|error| CommandError::fault(format!("the answers `{word}`: {error}")))?;
        return Ok(Observed { answers: all, evidence: BTreeMap::new() });
    }
    let text = fs::read_to_string(word).map_err(|error| {
        CommandError::usage(format!("{word}: {error}"))
            .help("a file, `default`, `documented` or `random:SEED`")
    })?;
    Observed::from_text(&text).map_err(|error| CommandError::usage(error.in_file(word).to_string()))
}

fn show(observed: &Observed, screen: &Screen) -> Result<(), CommandError> {
    if screen.is_json() {
        return screen.json(&json!({
            "answers": observed.answers,
            "observed": observed.evidence,
        }));
    }
    let paint = screen.paint();
    let mut out = String::new();
    let is_there =
        |id: &String| observed.answers.contains_key(id) || observed.evidence.contains_key(id);
    let all: Vec<_> = questions::all().iter().filter(|question| is_there(&question.id)).collect();
    let ids = width(all.iter().map(|question| question.id.as_str()));
    let sections = width(all.iter().map(|question| question.section.as_str()));
    for question in &all {
        let id = &question.id;
        let silent =
            || paint.verdict(Verdict::NotRun, &format!("not imitated: {}", why_not_imitated(id)));
        let answer = observed.answers.get(id).map_or_else(silent, shown);
        out.push_str(&format!(
            "{}  {}  {answer}\n",
            paint.dim(&format!("§{}", left(&question.section, sections))),
            paint.name(&left(id, ids)),
        ));
        let indent = " ".repeat(sections + 3);
        out.push_str(&format!("{indent}{}\n", paint.dim(&question.ask)));
        if let Some(evidence) = observed.evidence.get(id) {
            show_evidence(evidence, &indent, paint, &mut out);
        }
    }
    let (answered, seen) = (observed.answers.len(), observed.evidence.len());
    out.push_str(&format!("{answered} answers"));
    if seen > 0 {
        let varying = observed.evidence.values().filter(|evidence| !evidence.steady).count();
        let silent = observed.evidence.keys().filter(|id| !observed.answers.contains_key(*id));
        out.push_str(&format!(
            ", {seen} questions observed: {varying} varying, {} not imitated",
            silent.count()
        ));
    }
    out.push('\n');
    screen.print(&out)
}

/// The observations behind an answer, each with how often and where.
fn show_evidence(evidence: &Evidence, indent: &str, paint: Paint, out: &mut String) {
    let steady = match evidence.steady {
        true => paint.verdict(Verdict::Pass, "steady "),
        false => paint.verdict(Verdict::Warn, "varying"),
    };
    for (at, sample) in evidence.samples.iter().enumerate() {
        let head = if at == 0 { steady.as_str() } else { "       " };
        out.push_str(&format!("{indent}{head}  {} ×{}\n", shown(&sample.value), sample.times));
    }
    for (at, place) in evidence.seen_in.iter().enumerate() {
        let head = if at == 0 { "seen in" } else { "       " };
        out.push_str(&format!(
            "{indent}{}\n",
            paint.dim(&format!("{head}  {}", escape::line(place)))
        ));
    }
}

fn show_diff(all: &[Difference], screen: &Screen) -> Result<(), CommandError> {
    if screen.is_json() {
        let rows: Vec<_> = all
            .iter()
            .map(|one| {
                let (is_first, is_second) = (one.first.is_some(), one.second.is_some());
                let kind = match (is_first, is_second) {
                    (true, false) => "only_first",
                    (false, true) => "only_second",
                    (_, _) => "contradiction",
                };
                json!({"question": one.id, "kind": kind, "first": one.first, "second": one.second})
            })
            .collect();
        return screen.json(&json!({ "differences": rows }));
    }
    let paint = screen.paint();
    let mut out = String::new();
    for one in all.iter().filter(|one| one.is_change()) {
        let side = |answer: &Option<Value>| answer.as_ref().map(shown).unwrap_or_default();
        let ask = questions::get(&one.id).map(|question| question.ask.as_str());
        let ask = paint.dim(ask.unwrap_or_default());
        out.push_str(&format!("{}  {ask}\n", paint.name(&one.id)));
        let (first, second) = (side(&one.first), side(&one.second));
        out.push_str(&format!("  {}\n", paint.verdict(Verdict::Drift, &format!("- {first}"))));
        out.push_str(&format!("  {}\n", paint.verdict(Verdict::Drift, &format!("+ {second}"))));
    }
    let changes = all.iter().filter(|one| one.is_change()).count();
    for (is_in_first, place) in [(true, "first"), (false, "second")] {
        let only = all.iter().filter(|one| !one.is_change() && one.first.is_some() == is_in_first);
        let only: Vec<&Difference> = only.collect();
        if only.is_empty() {
            continue;
        }
        let head = format!("only the {place} answers these: no contradiction, and not counted");
        out.push_str(&format!("{}\n", paint.dim(&head)));
        let names = width(only.iter().map(|one| one.id.as_str()));
        for one in only {
            let answer = one.first.as_ref().or(one.second.as_ref()).map(shown).unwrap_or_default();
            out.push_str(&format!("  {}  {answer}\n", paint.name(&left(&one.id, names))));
        }
    }
    out.push_str(&format!("{changes} answered differently\n"));
    screen.print(&out)
}

fn shown(value: &Value) -> String {
    escape::cut(&escape::line(&value.to_string()), ANSWER_CHARACTERS_MAX)
}
