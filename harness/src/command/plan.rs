//! `moot plan`: what would run on a target, and what would not and why. The target is opened, which
//! on a deployment sends a few reads; no scenario is walked.

use std::sync::Arc;

use serde_json::json;

use super::failure::{Failure, UNREACHABLE};
use super::line::PlanArguments;
use super::run::{choice, drawn, runtime, target_options};
use super::screen::Screen;
use super::suite;
use crate::exchange::Masks;
use crate::report::escape;
use crate::report::text::paint::{left, width};
use crate::run::plan::{self, Planned};
use crate::run::result::NotRun;
use crate::target::{OpenError, Target};
use crate::verdict::Verdict;

/// Exit 0 also where not everything would run; 4 where the target cannot be opened.
pub(super) fn plan(arguments: PlanArguments, screen: &Screen) -> Result<u8, Failure> {
    let files = suite::files(&arguments.suite.scenarios, screen.color())?;
    let planned = plan::select(&files, &arguments.suite.selectors)?;
    let masks = Arc::new(Masks::default());
    let seed = arguments.target.seed.unwrap_or_else(drawn);
    let options = target_options(&arguments.target, seed)?;
    let choice = choice(&arguments.target);
    let rows = runtime()?.block_on(async {
        let target = Target::open(choice.read()?, options, Arc::clone(&masks)).await?;
        let rows: Vec<(Planned<'_>, Option<NotRun>)> = planned
            .into_iter()
            .map(|one| {
                let unmet = one.scenario.needs.iter().find_map(|need| target.missing(need));
                (one, unmet)
            })
            .collect();
        target.cleanup().await;
        Ok(rows)
    });
    let rows = rows.map_err(|error| refusal(&error, &masks))?;
    if screen.is_json() {
        let rows: Vec<_> = rows.iter().map(row).collect();
        screen.json(&json!({ "scenarios": rows }))?;
    } else {
        screen.print(&text(&rows, screen))?;
    }
    Ok(0)
}

/// Usage, or a target that cannot be used.
pub(super) fn refusal(error: &OpenError, masks: &Masks) -> Failure {
    let failure = Failure::usage(masks.mask(&error.to_string()));
    match error {
        OpenError::Usage(_) => failure,
        OpenError::Unreachable(_) | OpenError::Credentials(_) => {
            Failure { exit_code: UNREACHABLE, ..failure }
        }
    }
}

fn row((planned, unmet): &(Planned<'_>, Option<NotRun>)) -> serde_json::Value {
    json!({
        "name": planned.name(),
        "title": planned.scenario.title,
        "section": planned.file.section,
        "runs": unmet.is_none(),
        "reason": unmet.as_ref().map(|why| &why.reason),
        "setting": unmet.as_ref().and_then(|why| why.setting.as_ref()),
        "is_tolerated": unmet.as_ref().is_some_and(|why| why.is_tolerated),
    })
}

fn text(rows: &[(Planned<'_>, Option<NotRun>)], screen: &Screen) -> String {
    let paint = screen.paint();
    let names: Vec<String> = rows.iter().map(|(planned, _)| planned.name()).collect();
    let wide = width(names.iter().map(String::as_str));
    let mut out = String::new();
    for ((_, unmet), name) in rows.iter().zip(&names) {
        match unmet {
            None => {
                let runs = paint.verdict(Verdict::Pass, "runs   ");
                out.push_str(&format!("  {runs} {name}\n"));
            }
            Some(why) => {
                let setting = why.setting.as_deref().map(|text| format!("; set {text}"));
                let reason = format!("{}{}", why.reason, setting.unwrap_or_default());
                let not_run = paint.verdict(Verdict::NotRun, "not run");
                let reason = paint.dim(&escape::line(&reason));
                out.push_str(&format!("  {not_run} {}  {reason}\n", left(name, wide)));
            }
        }
    }
    let runs = rows.iter().filter(|(_, unmet)| unmet.is_none()).count();
    out.push_str(&format!("\n{runs} of {} scenarios would run\n", rows.len()));
    out
}
