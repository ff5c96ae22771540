//! `moot coverage`: lists every requirement of the register with its checks. With a target it also lists the
//! checks that would not run there.

use std::collections::{BTreeMap, BTreeSet};
use std::path::PathBuf;

use clap::Args;
use moot_fixtures::contract::Requirement;
use moot_fixtures::register;
use serde_json::{Value, json};
use strum::{IntoStaticStr, VariantArray};

use super::error::{CommandError, INCONCLUSIVE};
use super::screen::Screen;
use super::suite;
use super::target_arguments::{choice_of, deployment, open_error};
use super::verification::Verification;
use crate::exchange::escape;
use crate::exchange::masks::Masks;
use crate::report::section_order;
use crate::report::terminal::{Detail, Table, paint};
use crate::run::environment::{TargetOptions, TargetPreview};
use crate::scenario::declared;
use crate::scenario::model::{NEEDS, ScenarioFile};
use crate::verdict::Verdict;

#[derive(Debug, Args)]
pub(super) struct CoverageArguments {
    /// Scenario files, or folders of them, instead of the bundled ones
    #[arg(long, value_name = "DIR")]
    scenarios: Vec<PathBuf>,
    /// A deployment (a target file, or a base address). Shows the checks that would not run there, and the
    /// setting that would enable each. Nothing is sent to it
    #[arg(long, value_name = "FILE|URL")]
    target: Option<String>,
}

/// How a requirement is verified.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
enum CoverageKind {
    Checked,
    Observed,
    #[strum(serialize = "not run here")]
    NotRunHere,
    #[strum(serialize = "not verifiable")]
    Unverifiable,
    Nothing,
}

/// The row of a requirement.
struct CoverageRow<'a> {
    requirement: &'a Requirement,
    cover: CoverageKind,
    /// Why none of its checks would run, with the setting that would enable each; empty if one would run.
    not_run: BTreeSet<(String, String)>,
}

impl CoverageKind {
    fn of(row: &Requirement, verified: &Verification) -> Self {
        let id = row.id.as_str();
        if !verified.scenarios(id).is_empty() || !verified.implicit(id).is_empty() {
            Self::Checked
        } else if row.question.as_deref().is_some_and(|q| !verified.observers(q).is_empty()) {
            Self::Observed
        } else if row.unverifiable.is_some() {
            Self::Unverifiable
        } else {
            Self::Nothing
        }
    }

    fn as_str(self) -> &'static str {
        self.into()
    }

    const fn color(self) -> Verdict {
        match self {
            Self::Checked => Verdict::Pass,
            Self::Observed => Verdict::Observed,
            Self::NotRunHere => Verdict::NotRun,
            Self::Unverifiable => Verdict::NotApplicable,
            Self::Nothing => Verdict::Fail,
        }
    }
}

/// Exit 3 if a requirement has neither a check nor a reason; 2 for a wrong target file.
pub(super) fn coverage(arguments: CoverageArguments, screen: &Screen) -> Result<u8, CommandError> {
    let files = suite::files(&arguments.scenarios, screen.color())?;
    let verified = Verification::by(&files);
    let unmet = unmet(arguments.target.as_deref())?;
    let needs = needs_by_name(&files);
    let own = declared::own_rows(&files);
    let rows: Vec<CoverageRow<'_>> = register::all()
        .iter()
        .chain(own.values().map(|row| &**row))
        .map(|requirement| coverage_row(requirement, &verified, &needs, &unmet))
        .collect();
    let json_rows = || rows.iter().map(|row| row_json(row, &verified)).collect::<Vec<Value>>();
    screen.show(|| json!({ "requirements": json_rows() }), || text(&rows, screen))?;
    let is_whole = rows.iter().all(|row| row.cover != CoverageKind::Nothing);
    Ok(if is_whole { 0 } else { INCONCLUSIVE })
}

/// The needs that a deployment does not meet by its target file, each with the reason and the setting that
/// would enable it. A mock meets every need.
fn unmet(target: Option<&str>) -> Result<BTreeMap<&'static str, (String, String)>, CommandError> {
    let choice = choice_of(target)?;
    let Some(file) = deployment(&choice) else { return Ok(BTreeMap::new()) };
    let preview = TargetPreview::new(file.clone(), &TargetOptions::default())
        .map_err(|error| open_error(&error, &Masks::default()))?;
    let missing = |need: &'static str| {
        let why = preview.missing(need)?;
        Some((need, (why.reason, why.setting.unwrap_or_default())))
    };
    Ok(NEEDS.into_iter().filter_map(missing).collect())
}

/// The needs of each scenario, by its name.
fn needs_by_name(files: &[ScenarioFile]) -> BTreeMap<String, &[String]> {
    let mut needs = BTreeMap::new();
    for file in files {
        for scenario in &file.scenarios {
            needs.insert(format!("{}/{}", file.stem, scenario.id), scenario.needs.as_slice());
        }
    }
    needs
}

/// A requirement is checked if one of its scenarios runs. An implicit check runs if the needs of the
/// requirement are met.
fn coverage_row<'a>(
    requirement: &'a Requirement,
    verified: &Verification,
    needs: &BTreeMap<String, &[String]>,
    unmet: &BTreeMap<&'static str, (String, String)>,
) -> CoverageRow<'a> {
    let cover = CoverageKind::of(requirement, verified);
    let question = requirement.question.as_deref();
    let mut names = verified.scenarios(&requirement.id);
    names.extend(question.map(|id| verified.observers(id)).unwrap_or_default());
    let mut ways: Vec<&[String]> =
        names.into_iter().filter_map(|name| needs.get(name).copied()).collect();
    if !verified.implicit(&requirement.id).is_empty() {
        ways.push(&requirement.needs);
    }
    let missing = |way: &&[String]| way.iter().find_map(|need| unmet.get(need.as_str())).cloned();
    let not_run: BTreeSet<_> = ways.iter().filter_map(missing).collect();
    match !ways.is_empty() && ways.iter().all(|way| missing(way).is_some()) {
        true => CoverageRow { requirement, cover: CoverageKind::NotRunHere, not_run },
        false => CoverageRow { requirement, cover, not_run: BTreeSet::new() },
    }
}

fn row_json(row: &CoverageRow<'_>, verified: &Verification) -> Value {
    let why =
        |(reason, setting): &(String, String)| json!({ "reason": reason, "setting": setting });
    json!({
        "id": row.requirement.id,
        "section": row.requirement.section,
        "level": row.requirement.level,
        "cover": row.cover.as_str(),
        "scenarios": verified.scenarios(&row.requirement.id),
        "implicit": verified.implicit(&row.requirement.id),
        "unverifiable": row.requirement.unverifiable,
        "not_run": row.not_run.iter().map(why).collect::<Vec<_>>(),
    })
}

fn text(rows: &[CoverageRow<'_>], screen: &Screen) -> String {
    let mut sections: BTreeMap<Vec<u32>, (&str, BTreeMap<CoverageKind, usize>)> = BTreeMap::new();
    for row in rows {
        let section = sections.entry(section_order(&row.requirement.section)).or_default();
        section.0 = &row.requirement.section;
        *section.1.entry(row.cover).or_default() += 1;
    }
    let mut table = Table::with_numbers(0, 1..CoverageKind::VARIANTS.len() + 1);
    let heads = ["§"].into_iter().chain(CoverageKind::VARIANTS.iter().map(|cover| cover.as_str()));
    table.row(heads.map(paint::dim));
    let mut totals = BTreeMap::new();
    for (section, counts) in sections.values() {
        for (cover, count) in counts {
            *totals.entry(*cover).or_default() += count;
        }
        table.row(cells(section, counts));
    }
    table.row(cells("all", &totals));
    let mut out = table.render();
    for row in rows {
        let shows = match row.cover {
            CoverageKind::Nothing => true,
            CoverageKind::NotRunHere | CoverageKind::Unverifiable => {
                screen.detail() != Detail::Quiet
            }
            CoverageKind::Checked | CoverageKind::Observed => screen.detail() == Detail::Verbose,
        };
        if shows {
            let cover = paint::verdict(row.cover.color(), format!("{:<14}", row.cover.as_str()));
            let (id, sentence) = (paint::name(&row.requirement.id), &row.requirement.sentence);
            out.push_str(&format!("\n{cover} {id}\n  {sentence}\n"));
            for why in reasons(row) {
                out.push_str(&format!("  {}\n", paint::dim(escape::line(&why))));
            }
        }
    }
    out
}

/// The reasons why a requirement is not verified, with the settings that would enable its checks.
fn reasons(row: &CoverageRow<'_>) -> Vec<String> {
    match row.cover {
        CoverageKind::Unverifiable => row.requirement.unverifiable.iter().cloned().collect(),
        CoverageKind::NotRunHere => {
            row.not_run.iter().map(|(reason, setting)| format!("{reason}; set {setting}")).collect()
        }
        CoverageKind::Checked | CoverageKind::Observed | CoverageKind::Nothing => Vec::new(),
    }
}

fn cells(section: &str, counts: &BTreeMap<CoverageKind, usize>) -> Vec<String> {
    let count = |cover: &CoverageKind| match counts.get(cover) {
        None => paint::dim("·"),
        Some(count) => paint::verdict(cover.color(), count.to_string()),
    };
    [section.to_owned()].into_iter().chain(CoverageKind::VARIANTS.iter().map(count)).collect()
}
