//! Pages that are tables: exit codes, the register of requirements, the open questions.

use std::fmt::Write as _;

use moot_fixtures::contract::Requirement;
use moot_fixtures::{answers, questions, register};
use strum::VariantArray;

use crate::report::section_order;
use crate::verdict::result::RunOutcome;

/// A text, escaped for a cell of a table.
pub(super) fn cell(text: &str) -> String {
    let text = text.split_whitespace().collect::<Vec<_>>().join(" ");
    text.replace('|', "\\|").replace('<', "&lt;").replace('>', "&gt;")
}

/// The page of exit codes.
pub(super) fn exit_codes() -> String {
    let mut page = "\
# Exit codes

The commands `run`, `merge`, `judge`, `plan`, `doctor`, `compare`, `explore` and `selftest` use these codes. `moot exec` and
`moot drill` say their own in [commands](commands.md).

| code | outcome | means |
|---|---|---|
"
    .to_owned();
    let mut all = RunOutcome::VARIANTS.to_vec();
    all.sort_by_key(|outcome| outcome.exit_code());
    for outcome in all {
        let (code, name, meaning) = (outcome.exit_code(), outcome.as_str(), outcome.meaning());
        let _ = writeln!(page, "| {code} | {name} | {} |", cell(meaning));
    }
    page.push_str(
        "\nIf several apply, the most severe counts, in this order: 70, 2, 1, 4, 5, 3, 0.\n",
    );
    page
}

/// The page of requirements, a table per clause.
pub(super) fn requirements() -> String {
    let mut page = "\
# Requirements

Each check names one of these. `moot explain ID` shows its checks, and how to fix a violation.

- *stated*: the specification says it. A mismatch fails.
- *inherited*: a standard says it. A mismatch warns.
- *example*: only an example shows it. A mismatch warns.
- *open*: the specification leaves it open. It is only observed.

A requirement that cannot be verified from outside the service has no check. The table gives the reason.
"
    .to_owned();
    let mut rows: Vec<&Requirement> = register::all().iter().collect();
    rows.sort_by_cached_key(|row| section_order(&row.section));
    for rows in rows.chunk_by(|one, next| one.section == next.section) {
        let section = &rows[0].section;
        let _ = write!(page, "\n## §{section}\n\n| id | level | requirement |\n|---|---|---|\n");
        for row in rows {
            let _ = writeln!(page, "{}", requirement(row));
        }
    }
    page
}

fn requirement(row: &Requirement) -> String {
    let mut text = cell(&row.sentence);
    if let Some(source) = &row.source {
        let _ = write!(text, " Source: {}.", cell(source));
    }
    if let Some(question) = &row.question {
        let _ = write!(text, " Question: [`{question}`](questions.md#{question}).");
    }
    if let Some(reason) = &row.unverifiable {
        let _ = write!(text, " Not checked: {}", cell(reason));
    }
    format!("| <a id=\"{0}\"></a>`{0}` | {1} | {text} |", row.id, row.level)
}

/// The page of open questions.
pub(super) fn questions() -> String {
    let mut page = "\
# Open questions

Points that the specification leaves open. A run records the answers of a deployment. A mock follows its
[answers file](answers-file.md). `moot explain QUESTION` shows the checks of a question.
"
    .to_owned();
    let defaults = serde_json::to_value(answers::default()).unwrap_or_default();
    for question in questions::all() {
        let _ = write!(
            page,
            "\n## {}\n\n§{}: {}.\n\n- Allowed in a response: {}.\n",
            question.id,
            question.section,
            cell(&question.ask),
            cell(&question.latitude.to_string()),
        );
        if let Some(warn) = &question.warn {
            let _ = writeln!(page, "- Worth a warning: {}.", cell(&warn.to_string()));
        }
        if answers::is_choice(&question.id) {
            let _ = writeln!(page, "- Allowed in an answers file: {}.", cell(&question.allowed()));
            let _ = writeln!(page, "- The mock answers: `{}`.", defaults[&question.id]);
        }
        if let Some(bound) = &question.bound {
            let _ =
                writeln!(page, "- Any other answer violates [`{bound}`](requirements.md#{bound}).");
        }
    }
    page
}
