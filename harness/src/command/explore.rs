//! `moot explore`: random cases on a target, with the mock beside it.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::again::Again;
use super::artefact;
use super::failure::{Failure, USAGE};
use super::interrupt;
use super::line::ExploreArguments;
use super::mock::chosen_answers;
use super::progress::Progress;
use super::run::{choice, drawn, is_stdout, runtime, target_options};
use super::screen::Screen;
use crate::environment::{TargetChoice, TargetOptions};
use crate::explore::{self, ExploreOptions, Explored};
use crate::masks::Secrets;
use crate::report::Format;
use crate::run::{Interruption, RunOptions};

/// Exit 0 nothing found, 1 a violation, 3 nothing could be explored; else as a run.
pub(super) fn explore(arguments: ExploreArguments, screen: &Screen) -> Result<u8, Failure> {
    artefact::check(&arguments.reports)?;
    if arguments.reports.iter().any(|report| report.format == Format::Ndjson) {
        return Err(Failure::usage("exploring writes no ndjson report")
            .help("text, json, junit, html and markdown there are"));
    }
    let seed = arguments.target.seed.unwrap_or_else(drawn);
    let save = Save::of(arguments.save.as_deref(), seed)?;
    let mut target = target_options(&arguments.target, seed)?;
    target.expected.clone_from(&arguments.expected);
    let model = TargetOptions {
        answers: match &arguments.model {
            Some(answers) => Some(chosen_answers(answers)?),
            None => target.answers.clone(),
        },
        world: target.world.clone(),
        seed,
        run_tag: target.run_tag.clone(),
        ..TargetOptions::default()
    };
    let options = ExploreOptions {
        target: RunOptions {
            reproduce: reproduce(&arguments, seed),
            ..RunOptions::new(choice(&arguments.target), target, Vec::new())
        },
        model: RunOptions::new(TargetChoice::InProcess, model, Vec::new()),
        cases: arguments.cases.into(),
        stem: save.stem.clone(),
    };
    let progress = Progress::new(screen.shows_progress());
    let told = progress.clone();
    let interruption = Arc::new(Interruption::default());
    let search =
        explore::explore(options, Arc::clone(&interruption), move |event| told.tell(&event));
    let explored = runtime()?.block_on(interrupt::watched(search, &interruption, screen));
    progress.end();
    let explored = explored?.map_err(Failure::fault)?;
    let refusal = explored.result.trouble.clone();
    if let Some(refusal) = refusal.filter(|_| explored.result.exit_code == USAGE) {
        return Err(Failure::usage(refusal));
    }
    let saved = save.keep(&explored)?;
    publish(&explored, saved.as_deref(), &arguments, screen)?;
    Ok(explored.result.exit_code)
}

/// Where what fails is kept, and what its scenarios are therefore called.
struct Save {
    file: PathBuf,
    stem: String,
}

impl Save {
    /// `explored-SEED.yaml` in this folder, or in the one that is named, or the file that is named.
    fn of(named: Option<&Path>, seed: u64) -> Result<Self, Failure> {
        let default = format!("explored-{seed}.yaml");
        let file = match named {
            None => PathBuf::from(default),
            Some(path) if path.is_dir() => path.join(default),
            Some(path) => path.to_owned(),
        };
        let folder = file.parent().filter(|folder| !folder.as_os_str().is_empty());
        if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
            return Err(Failure::usage(format!("there is no folder {}", folder.display()))
                .help("make it, or name another file with --save"));
        }
        let is_yaml = file.extension().is_some_and(|it| it == "yaml" || it == "yml");
        match file.file_stem().and_then(|stem| stem.to_str()).map(str::to_owned) {
            Some(stem) if is_yaml => Ok(Self { file, stem }),
            _ => Err(Failure::usage(format!("{} is no `.yaml` file", file.display()))
                .help("--save takes a folder that is there, or a file `NAME.yaml`")),
        }
    }

    /// Writes it where there is something to keep; the name of the file.
    fn keep(&self, explored: &Explored) -> Result<Option<String>, Failure> {
        let Some(text) = explored.file() else { return Ok(None) };
        let shown = self.file.display().to_string();
        if Secrets::of(&explored.result.masks).is_in(&text) {
            return Err(Failure::fault(format!(
                "the cases hold a secret of the target, and {shown} was not written"
            )));
        }
        fs::write(&self.file, text)
            .map_err(|error| Failure::fault(format!("{shown} can't be written: {error}")))?;
        Ok(Some(shown))
    }
}

/// Prints what was found, and writes the reports that were asked for.
fn publish(
    explored: &Explored,
    saved: Option<&str>,
    arguments: &ExploreArguments,
    screen: &Screen,
) -> Result<(), Failure> {
    let secrets = Secrets::of(&explored.result.masks);
    for request in &arguments.reports {
        artefact::write(&explored.result, request, screen)?;
    }
    if arguments.reports.iter().any(is_stdout) {
        let shown = explore::text::text(explored, saved, screen.paint_err(), screen.detail());
        return screen.note(&secrets.mask(&shown));
    }
    if screen.is_json() {
        return screen.json(&secrets_masked(&explore::json::json(explored, saved), &secrets));
    }
    let shown = explore::text::text(explored, saved, screen.paint(), screen.detail());
    screen.print(&secrets.mask(&shown))
}

/// The value with every text masked.
fn secrets_masked(value: &serde_json::Value, secrets: &Secrets) -> serde_json::Value {
    use serde_json::Value;
    match value {
        Value::String(text) => secrets.mask(text).into(),
        Value::Array(items) => items.iter().map(|item| secrets_masked(item, secrets)).collect(),
        Value::Object(members) => members
            .iter()
            .map(|(name, member)| (name.clone(), secrets_masked(member, secrets)))
            .collect(),
        other => other.clone(),
    }
}

/// The line that does the same again.
fn reproduce(arguments: &ExploreArguments, seed: u64) -> String {
    Again::new("explore")
        .target(&arguments.target)
        .option("--model", arguments.model.as_ref())
        .file("--expected", arguments.expected.as_ref())
        .option("--cases", Some(arguments.cases))
        .option("--seed", Some(seed))
        .line()
}
