//! `moot coverage`: every row of the register, and whether something checks it; of a deployment also what
//! would not run there, by its target file alone.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::contract::Requirement;
use moot_fixtures::register;
use serde_json::{Value, json};

use super::failure::{Failure, INCONCLUSIVE};
use super::line::CoverageArguments;
use super::plan::refusal;
use super::run::choice_of;
use super::screen::Screen;
use super::suite;
use super::verified::Verified;
use crate::environment::{TargetOptions, TargetPreview, TargetSource};
use crate::masks::Masks;
use crate::report::section_order;
use crate::scenario::model::{NEEDS, ScenarioFile};
use crate::terminal::paint::{left, right};
use crate::terminal::{Detail, escape};
use crate::verdict::Verdict;

/// What there is for a row.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum Cover {
    Checked,
    Observed,
    NotRunHere,
    Unverifiable,
    Nothing,
}

/// A need that a target does not meet: why, and the setting that would enable it.
type Unmet = BTreeMap<&'static str, (String, String)>;

/// A row of the register, what there is for it, and what keeps that from running.
struct Row {
    requirement: &'static Requirement,
    cover: Cover,
    /// Reasons and settings; empty where it runs.
    not_run: BTreeSet<(String, String)>,
}

impl Cover {
    const ALL: [Self; 5] =
        [Self::Checked, Self::Observed, Self::NotRunHere, Self::Unverifiable, Self::Nothing];

    fn of(row: &Requirement, verified: &Verified) -> Self {
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

    const fn as_str(self) -> &'static str {
        match self {
            Self::Checked => "checked",
            Self::Observed => "observed",
            Self::NotRunHere => "not run here",
            Self::Unverifiable => "not verifiable",
            Self::Nothing => "nothing",
        }
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

/// Exit 3 where a row has neither a check nor a reason; 2 for a wrong target file.
pub(super) fn coverage(arguments: CoverageArguments, screen: &Screen) -> Result<u8, Failure> {
    let files = suite::files(&arguments.scenarios, screen.color())?;
    let verified = Verified::by(&files);
    let unmet = unmet(arguments.target.as_deref())?;
    let needs = needs_by_name(&files);
    let rows: Vec<Row> = register::all()
        .iter()
        .map(|requirement| held(requirement, &verified, &needs, &unmet))
        .collect();
    if screen.is_json() {
        let rows: Vec<Value> = rows.iter().map(|row| shape(row, &verified)).collect();
        screen.json(&json!({ "requirements": rows }))?;
    } else {
        screen.print(&text(&rows, screen))?;
    }
    let is_whole = rows.iter().all(|row| row.cover != Cover::Nothing);
    Ok(if is_whole { 0 } else { INCONCLUSIVE })
}

/// What a deployment does not meet, by its target file; nothing on a mock, which meets every need.
fn unmet(target: Option<&str>) -> Result<Unmet, Failure> {
    let masks = Masks::default();
    let chosen = choice_of(target).read().map_err(|error| refusal(&error, &masks))?;
    let sketch = match chosen {
        TargetSource::Http(file) if !file.can_only_be_a_mock() => {
            TargetPreview::new(*file, &TargetOptions::default())
                .map_err(|error| refusal(&error, &masks))?
        }
        TargetSource::Http(_) | TargetSource::InProcess | TargetSource::Recording(_) => {
            return Ok(Unmet::new());
        }
    };
    let missing = |need: &'static str| {
        let why = sketch.missing(need)?;
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

/// A row runs where one of its scenarios does; an implicit check, where the needs of the row are met.
fn held(
    requirement: &'static Requirement,
    verified: &Verified,
    needs: &BTreeMap<String, &[String]>,
    unmet: &Unmet,
) -> Row {
    let cover = Cover::of(requirement, verified);
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
        true => Row { requirement, cover: Cover::NotRunHere, not_run },
        false => Row { requirement, cover, not_run: BTreeSet::new() },
    }
}

fn shape(row: &Row, verified: &Verified) -> Value {
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

fn text(rows: &[Row], screen: &Screen) -> String {
    let paint = screen.paint();
    let mut sections: BTreeMap<Vec<u32>, (&str, BTreeMap<Cover, usize>)> = BTreeMap::new();
    for row in rows {
        let section = sections.entry(section_order(&row.requirement.section)).or_default();
        section.0 = &row.requirement.section;
        *section.1.entry(row.cover).or_default() += 1;
    }
    let heads: String = Cover::ALL.iter().map(|cover| right(cover.as_str(), 16)).collect();
    let mut out = format!("{}\n", paint.dim(&format!("{}{heads}", left("§", 6))));
    let mut totals = BTreeMap::new();
    for (section, counts) in sections.values() {
        for (cover, count) in counts {
            *totals.entry(*cover).or_default() += count;
        }
        out.push_str(&format!("{}{}\n", left(section, 6), cells(counts, screen)));
    }
    out.push_str(&format!("{}{}\n", left("all", 6), cells(&totals, screen)));
    for row in rows {
        let shows = match row.cover {
            Cover::Nothing => true,
            Cover::NotRunHere | Cover::Unverifiable => screen.detail() != Detail::Quiet,
            Cover::Checked | Cover::Observed => screen.detail() == Detail::Verbose,
        };
        if shows {
            let cover = paint.verdict(row.cover.color(), &left(row.cover.as_str(), 14));
            let (id, sentence) = (paint.name(&row.requirement.id), &row.requirement.sentence);
            out.push_str(&format!("\n{cover} {id}\n  {sentence}\n"));
            for why in reasons(row) {
                out.push_str(&format!("  {}\n", paint.dim(&escape::line(&why))));
            }
        }
    }
    out
}

/// Why it is not verified, and the setting that would enable it.
fn reasons(row: &Row) -> Vec<String> {
    match row.cover {
        Cover::Unverifiable => row.requirement.unverifiable.iter().cloned().collect(),
        Cover::NotRunHere => {
            row.not_run.iter().map(|(reason, setting)| format!("{reason}; set {setting}")).collect()
        }
        Cover::Checked | Cover::Observed | Cover::Nothing => Vec::new(),
    }
}

fn cells(counts: &BTreeMap<Cover, usize>, screen: &Screen) -> String {
    let cell = |cover: &Cover| match counts.get(cover) {
        None => screen.paint().dim(&right("·", 16)),
        Some(count) => screen.paint().verdict(cover.color(), &right(&count.to_string(), 16)),
    };
    Cover::ALL.iter().map(cell).collect()
}
