//! `moot merge`: joins the parts of all shards, and reports them as one run, one certificate or one self-test.

use std::path::PathBuf;

use clap::Args;

use super::drill;
use super::error::CommandError;
use super::perform;
use super::reports::{self, ReplaceArguments, ReportRequest, run_report};
use super::screen::Screen;
use super::selftest;
use crate::report::Format;
use crate::report::terminal::names_line;
use crate::run::part::PartScope;
use crate::run::part_files::{PartKind, PartSet, read_run};
use crate::verdict::pluralize;
use crate::verdict::result::RunOutcome;

/// The most missing scenarios that are named.
const MISSING_NAMED_MAX: usize = 5;

#[derive(Debug, Args)]
pub(super) struct MergeArguments {
    /// The folders that `--shard K/N --record DIR` wrote, one for each shard, in any order
    #[arg(value_name = "DIR", required = true)]
    parts: Vec<PathBuf>,
    /// Merge even if shards are missing or unfinished, and name them. The best outcome is then `inconclusive`
    #[arg(long)]
    partial: bool,
    /// Write a report too, as `moot run` does: text, json, junit, html or markdown; `-` is stdout; repeatable. `github`
    /// prints annotations of a workflow, and appends the Markdown report to the job summary
    #[arg(long = "report", value_name = "KIND=FILE", value_parser = merged_report)]
    reports: Vec<ReportRequest>,
    #[command(flatten)]
    replace: ReplaceArguments,
    /// Write the observed answers to open questions to this file, for `moot mock --answers` and for pinning
    #[arg(long, value_name = "FILE")]
    save_answers: Option<PathBuf>,
}

/// Parses `KIND=FILE` or `github` for a merge.
fn merged_report(text: &str) -> Result<ReportRequest, String> {
    match run_report(text)? {
        // Events are written during a run.
        request if request.format == Format::Ndjson => {
            Err("there is no ndjson report here: each shard writes its own events".to_owned())
        }
        request => Ok(request),
    }
}

/// Returns the exit code of the whole run.
pub(super) fn merge(arguments: MergeArguments, screen: &Screen) -> Result<u8, CommandError> {
    reports::check(&arguments.reports, arguments.replace)?;
    if let Some(file) = &arguments.save_answers {
        reports::check_beside(file, &arguments.reports, arguments.replace)?;
    }
    let set = PartSet::read(&arguments.parts, arguments.partial)?;
    match set.kind() {
        PartKind::Run => merge_run(&set, &arguments, screen),
        PartKind::Drill | PartKind::Selftest if arguments.save_answers.is_some() => {
            Err(CommandError::usage("only runs show answers: leave --save-answers out"))
        }
        PartKind::Drill => drill::merge(&set, &arguments.reports, screen),
        PartKind::Selftest => selftest::merge(&set, &arguments.reports, screen),
    }
}

fn merge_run(
    set: &PartSet,
    arguments: &MergeArguments,
    screen: &Screen,
) -> Result<u8, CommandError> {
    let part = read_run(set)?.shortened(perform::lists_checks(&arguments.reports, screen));
    let scope = if set.missing().is_empty() { PartScope::Whole } else { PartScope::Share };
    let mut result = part.concluded(scope);
    if let Some(why) = missing(set) {
        result.outcome = result.outcome.max(RunOutcome::Incomplete);
        let trouble = result.trouble.take().map(|trouble| format!("{trouble}; "));
        result.trouble = Some(format!("{}{why}", trouble.unwrap_or_default()));
    }
    let written = vec![perform::save_answers(&result, arguments.save_answers.as_deref())];
    perform::publish(&result, Vec::new(), &arguments.reports, written, screen)?;
    Ok(result.exit_code())
}

/// The missing shards and their scenarios, as a sentence; `None` if no shard is missing.
fn missing(set: &PartSet) -> Option<String> {
    let numbers: Vec<String> = set.missing().iter().map(ToString::to_string).collect();
    if numbers.is_empty() {
        return None;
    }
    let names = set.missing_names();
    let shown = names_line(&names, MISSING_NAMED_MAX);
    let (shards, count) = (pluralize(numbers.len(), "shard"), set.count());
    let (numbers, scenarios) = (numbers.join(", "), pluralize(names.len(), "scenario"));
    Some(format!("{shards} of {count} missing ({numbers}), with {scenarios}: {shown}"))
}
