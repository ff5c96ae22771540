//! `moot answers`: what a file says, and how two differ.

use std::collections::BTreeMap;
use std::fs;

use moot_fixtures::{answers, questions};
use serde_json::{Value, json};

use super::failure::Failure;
use super::line::AnswersCommand;
use super::screen::Screen;
use crate::answers::{Difference, Observed, diff, why_not_imitated};
use crate::report::escape;
use crate::report::text::paint::{left, width};
use crate::verdict::Verdict;

/// Two sets differ.
const DIFFERENT: u8 = 5;

/// Characters of one answer on a line.
const ANSWER_CHARACTERS_MAX: usize = 100;

/// Exit 5 where two sets contradict each other; a question that only one answers is no contradiction.
pub(super) fn answers(command: AnswersCommand, screen: &Screen) -> Result<u8, Failure> {
    match command {
        AnswersCommand::Show { file } => show(&chosen(&file)?, screen).map(|()| 0),
        AnswersCommand::Diff { first, second } => {
            let all = diff(&chosen(&first)?.answers, &chosen(&second)?.answers);
            show_diff(&all, screen)?;
            Ok(if all.iter().any(Difference::is_change) { DIFFERENT } else { 0 })
        }
    }
}

/// The set of a word, else of a file.
fn chosen(word: &str) -> Result<Observed, Failure> {
    if let Some(set) = answers::chosen(word) {
        let all = serde_json::to_value(set)
            .and_then(serde_json::from_value::<BTreeMap<String, Value>>)
            .map_err(|error| Failure::fault(format!("the answers `{word}`: {error}")))?;
        return Ok(Observed { answers: all, evidence: BTreeMap::new() });
    }
    let text = fs::read_to_string(word).map_err(|error| {
        Failure::usage(format!("{word}: {error}"))
            .help("a file, `default`, `documented` or `random:SEED`")
    })?;
    Observed::from_text(&text).map_err(|error| Failure::usage(error.in_file(word).to_string()))
}

fn show(observed: &Observed, screen: &Screen) -> Result<(), Failure> {
    if screen.is_json() {
        return screen.json(&json!({
            "answers": observed.answers,
            "observed": observed.evidence,
        }));
    }
    let paint = screen.paint();
    let mut out = String::new();
    let ids = questions::all().iter().map(|question| (&question.id, &question.ask));
    for (id, ask) in ids {
        let (answer, evidence) = (observed.answers.get(id), observed.evidence.get(id));
        if answer.is_none() && evidence.is_none() {
            continue;
        }
        let silent = || paint.dim(&format!("not imitated: {}", why_not_imitated(id)));
        let answer = answer.map_or_else(silent, shown);
        out.push_str(&format!("{}  {}\n  {answer}\n", paint.name(id), paint.dim(ask)));
        let Some(evidence) = evidence else { continue };
        let steady = if evidence.steady { "steady" } else { "varying" };
        let samples: Vec<_> = evidence.samples.iter().map(|one| shown(&one.value)).collect();
        let places = escape::line(&evidence.seen_in.join(", "));
        out.push_str(&format!("  {steady}: {}\n", samples.join("  ")));
        out.push_str(&format!("  {}\n", paint.dim(&format!("seen in {places}"))));
    }
    screen.print(&out)
}

fn show_diff(all: &[Difference], screen: &Screen) -> Result<(), Failure> {
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
        out.push_str(&format!("{}\n", paint.name(&one.id)));
        let (first, second) = (side(&one.first), side(&one.second));
        out.push_str(&format!("  {}\n", paint.verdict(Verdict::Fail, &format!("- {first}"))));
        out.push_str(&format!("  {}\n", paint.verdict(Verdict::Pass, &format!("+ {second}"))));
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
