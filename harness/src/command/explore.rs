//! `moot explore`: runs random cases on a target, and compares the responses with those of the mock.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use clap::Args;

use super::error::{CommandError, USAGE};
use super::files::answers_named;
use super::number::number;
use super::progress::Progress;
use super::reports::{
    self, ReplaceArguments, ReportRequest, check_ours, join_errors, report_of, take_stdout,
    write_without_secrets,
};
use super::reproduce::GivenOptions;
use super::runtime::{random_seed, runtime};
use super::screen::Screen;
use super::signals::{RUN_ENDS, with_interruption};
use super::target_arguments::TargetArguments;
use crate::exchange::masks::Secrets;
use crate::explore::{self, Exploration, ExploreOptions};
use crate::report::Format;
use crate::run::environment::{TargetChoice, TargetOptions};
use crate::run::{Interruption, RunOptions};

const EXIT_CODES: &str = "\
Exit codes: 0 nothing found, 1 a requirement is broken, 2 usage or a wrong file, 3 nothing explored or \
interrupted, 4 target unreachable or credentials refused, 70 internal error.";

#[derive(Debug, Args)]
#[command(after_help = EXIT_CODES)]
pub(super) struct ExploreArguments {
    #[command(flatten)]
    target: TargetArguments,
    /// Sequences of calls to draw
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = number::<u32>(1..=10_000))]
    cases: u32,
    /// Answers of the mock with which the target is compared: `default`, `documented`, `random:SEED` or a
    /// file [default: those of --answers]
    #[arg(long, value_name = "NAME|FILE|random:SEED")]
    model: Option<String>,
    /// Save the scenarios that reproduce violations to this folder, or to this `.yaml` file
    /// [default: explored-SEED.yaml]
    #[arg(long, value_name = "DIR|FILE")]
    save: Option<PathBuf>,
    /// Expected failures, instead of those that the target file names (`moot schema expected`)
    #[arg(long, value_name = "FILE")]
    expected: Option<PathBuf>,
    /// Write a report too: text, json, junit, html or markdown; `-` is stdout; repeatable
    #[arg(long = "report", value_name = "KIND=FILE", value_parser = report_of(
        &[Format::Text, Format::Json, Format::Junit, Format::Html, Format::Markdown]))]
    reports: Vec<ReportRequest>,
    #[command(flatten)]
    replace: ReplaceArguments,
}

/// Exit 0 if nothing is found, 1 for a violation, 3 if nothing could be explored; else as a run.
pub(super) fn explore(
    arguments: ExploreArguments,
    given: &GivenOptions,
    screen: &Screen,
) -> Result<u8, CommandError> {
    reports::check(&arguments.reports, arguments.replace)?;
    let seed = arguments.target.seed.unwrap_or_else(random_seed);
    let (file, stem) = save_file(arguments.save.as_deref(), seed)?;
    if !arguments.replace.force {
        check_ours(&file)?;
    }
    let mut target = arguments.target.options(seed)?;
    target.expected.clone_from(&arguments.expected);
    let model = TargetOptions {
        answers: match &arguments.model {
            Some(answers) => Some(answers_named(answers)?),
            None => target.answers.clone(),
        },
        world: target.world.clone(),
        seed,
        run_tag: target.run_tag.clone(),
        ..TargetOptions::default()
    };
    let options = ExploreOptions {
        target: RunOptions {
            reproduce: given.line(&[("cases", arguments.cases.into()), ("seed", seed)]),
            ..RunOptions::new(arguments.target.choice_of_run()?, target, Vec::new())
        },
        model: RunOptions::new(TargetChoice::InProcess, model, Vec::new()),
        cases: arguments.cases.into(),
        stem,
    };
    let progress = Progress::new(screen.shows_progress());
    let bar = progress.clone();
    let interruption = Arc::new(Interruption::default());
    let search =
        explore::explore(options, Arc::clone(&interruption), move |event| bar.show(&event));
    let search = with_interruption(search, &interruption, || progress.note(RUN_ENDS));
    let explored = runtime()?.block_on(search);
    progress.end();
    let explored = explored?.map_err(CommandError::fault)?;
    let refusal = explored.result.trouble.clone();
    if let Some(refusal) = refusal.filter(|_| explored.result.exit_code() == USAGE) {
        return Err(CommandError::usage(refusal));
    }
    let saved = explored.file().map(|text| {
        let secrets = Secrets::of(&explored.result.masks);
        write_without_secrets(&file, &text, "the cases", &secrets)
    });
    let shown = file.display().to_string();
    let shown = matches!(saved, Some(Ok(()))).then_some(&*shown);
    // The result is published even if the cases can't be saved.
    let published = publish(&explored, shown, &arguments, screen);
    join_errors(saved.into_iter().chain([published]))?;
    Ok(explored.result.exit_code())
}

/// The file for the cases that fail, and its stem, with which the names of the cases begin. The file is
/// `explored-SEED.yaml` in the current folder or in the folder of `--save`, or the file of `--save`.
fn save_file(named: Option<&Path>, seed: u64) -> Result<(PathBuf, String), CommandError> {
    let default = format!("explored-{seed}.yaml");
    let is_folder =
        |path: &Path| path.is_dir() || path.as_os_str().as_encoded_bytes().ends_with(b"/");
    let file = match named {
        None => PathBuf::from(default),
        Some(path) if is_folder(path) => path.join(default),
        Some(path) => path.to_owned(),
    };
    let is_yaml = file.extension().is_some_and(|it| it == "yaml" || it == "yml");
    match file.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned) {
        Some(stem) if is_yaml => Ok((file, stem)),
        _ => Err(CommandError::usage(format!("{} is not a `.yaml` file", file.display()))
            .help("--save takes a folder, such as `found/`, or a file `NAME.yaml`")),
    }
}

/// Prints the result, and writes the reports.
fn publish(
    explored: &Exploration,
    saved: Option<&str>,
    arguments: &ExploreArguments,
    screen: &Screen,
) -> Result<(), CommandError> {
    let secrets = Secrets::of(&explored.result.masks);
    let reports = arguments.reports.iter();
    let written = reports.map(|request| request.write_run(&explored.result, false, screen));
    let is_stdout_taken = take_stdout(&arguments.reports);
    let show = || match screen.is_json() && !is_stdout_taken {
        true => screen.json(&secrets.mask_value(&explore::json::json(explored, saved))),
        false => {
            let shown = explore::text::text(explored, saved, screen.detail());
            screen.print_beside(is_stdout_taken, &secrets.mask(&shown))
        }
    };
    join_errors(written.chain(std::iter::once_with(show)))
}
