//! `moot explain ID`: explains a requirement with its checks, a question, a rule of conduct or a defect.

use std::path::PathBuf;

use clap::Args;
use moot_fixtures::conduct;
use moot_fixtures::contract::{ConductOccasion, ConductRule, Level, Question, Requirement};
use moot_fixtures::nearest::nearest;
use moot_fixtures::{questions, register};
use moot_mock::defect::{self, Defect};
use serde_json::{Value, json};

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
        let refusal = CommandError::usage(format!(
            "`{id}` is not a requirement, question, rule of conduct or defect"
        ));
        Err(match near {
            Some(_) => refusal.nearest(near),
            None => refusal.help("`moot coverage` lists every requirement"),
        })
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
    let mut page = Explanation::new(screen, &row.id, &row.sentence);
    if let Some(clause) = clause {
        page.row("clause", &format!("§{clause} of the specification"));
    }
    page.row("level", level(row));
    page.row("source", row.source.as_deref().unwrap_or_default());
    page.row("question", row.question.as_deref().unwrap_or_default());
    page.row("needs", &row.needs.join(", "));
    page.row("remedy", row.remedy.as_deref().unwrap_or_default());
    page.row("not verifiable", row.unverifiable.as_deref().unwrap_or_default());
    page.list("checked on every exchange by", &implicit);
    page.list("checked by", &scenarios);
    page.list("observed by", &observers);
    let breakers: Vec<String> =
        breakers.iter().map(|defect| format!("{}: {}", defect.id, defect.what)).collect();
    page.list("broken by (`moot mock --defect ID`)", &breakers);
    page.print()
}

fn conduct_page(rule: &ConductRule, screen: &Screen) -> Result<(), CommandError> {
    if screen.is_json() {
        return screen.json(&serde_json::to_value(rule).unwrap_or_default());
    }
    let mut page = Explanation::new(screen, &rule.id, &rule.sentence);
    page.row("clause", &rule.clause());
    page.row("severity", rule.severity.as_str());
    page.row(
        "judged",
        match rule.seen {
            ConductOccasion::Traffic => "in any calls of a client: `moot exec -- CMD`",
            ConductOccasion::Drill => {
                "only in a drill that disturbs the client: `moot drill -- CMD`"
            }
        },
    );
    page.row("evidence", &rule.evidence);
    page.row("excused", rule.excused.as_deref().unwrap_or_default());
    page.row("instead", &rule.instead);
    page.print()
}

fn defect_page(defect: &Defect, screen: &Screen) -> Result<(), CommandError> {
    if screen.is_json() {
        let Defect { id, section, breaks, also, what, heavy, .. } = defect;
        return screen.json(&json!({
            "id": id, "section": section, "what": what, "breaks": breaks, "also": also,
            "heavy": heavy,
        }));
    }
    let mut page = Explanation::new(screen, &defect.id, &defect.what);
    page.row("clause", &format!("breaks §{} of the specification", defect.section));
    page.row("try it", &format!("moot mock --defect {}", defect.id));
    page.list("breaks", &defect.breaks);
    page.list("breaks too, unavoidably", &defect.also);
    page.print()
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
    let mut page = Explanation::new(screen, &question.id, &question.ask);
    page.row("clause", &format!("§{} leaves it open", question.section));
    page.row("allowed", &json_text(serde_json::to_value(&question.latitude)));
    if let Some(warn) = &question.warn {
        page.row("warned of", &json_text(serde_json::to_value(warn)));
    }
    let about = register::all().iter().filter(|row| row.question.as_ref() == Some(&question.id));
    if observers.is_empty() {
        for why in about.clone().filter_map(|row| row.unverifiable.as_deref()) {
            page.row("not observed", why);
        }
    }
    page.list("requirements about it", &about.map(|row| row.id.as_str()).collect::<Vec<_>>());
    page.list("observed by", &observers);
    page.print()
}

fn json_text(value: serde_json::Result<Value>) -> String {
    value.map(|value| value.to_string()).unwrap_or_default()
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

/// A text of rows and lists below a heading.
struct Explanation<'a> {
    out: String,
    screen: &'a Screen,
}

impl<'a> Explanation<'a> {
    fn new(screen: &'a Screen, head: &str, sentence: &str) -> Self {
        Self { out: format!("{}\n  {sentence}\n\n", paint::bold(paint::name(head))), screen }
    }

    /// Adds a row, unless its value is empty.
    fn row(&mut self, name: &str, value: &str) {
        add_field(&mut self.out, 15, name, value);
    }

    fn list(&mut self, head: &str, names: &[impl AsRef<str>]) {
        if !names.is_empty() {
            self.out.push_str(&format!("\n  {}\n", paint::dim(head)));
        }
        for name in names {
            self.out.push_str(&format!("    {}\n", name.as_ref()));
        }
    }

    fn print(self) -> Result<(), CommandError> {
        self.screen.print(&self.out)
    }
}
