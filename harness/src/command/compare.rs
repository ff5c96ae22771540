//! `moot compare`: the same plan on two targets, and what differs.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use super::again::Again;
use super::failure::{Failure, UNREACHABLE, USAGE};
use super::line::CompareArguments;
use super::mock::{chosen_answers, chosen_world};
use super::progress::Progress;
use super::run::{drawn, is_stdout, runtime};
use super::screen::Screen;
use super::{artefact, suite};
use crate::answers::Pins;
use crate::compare::{Asked, Comparison, Side, Told, compare as held, page, text};
use crate::environment::{TargetChoice, TargetOptions};
use crate::masks::Secrets;
use crate::recording::RecordingIndex;
use crate::report::Format;
use crate::run::{self, Event, RunOptions};
use crate::scenario::model::ScenarioFile;
use crate::scenario::plan;
use crate::terminal::escape;
use crate::terminal::paint::Paint;
use crate::{expected, target_file};

/// The word for the mock in this process.
const MOCK: &str = "mock";

/// One side as it was asked for.
struct Asking {
    /// `A` or `B`.
    name: &'static str,
    word: String,
    choice: TargetChoice,
    /// Of a recording.
    index: Option<RecordingIndex>,
    answers: Option<String>,
    world: Option<String>,
}

/// The exit code of the comparison (DESIGN §8).
pub(super) fn compare(arguments: CompareArguments, screen: &Screen) -> Result<u8, Failure> {
    artefact::check(&arguments.reports)?;
    let files = Arc::new(suite::files(&arguments.suite.scenarios, screen.color())?);
    let (answers, world) = (arguments.answers_a.clone(), arguments.world_a.clone());
    let a = Asking::of("A", &arguments.a, answers, world, &files)?;
    let (answers, world) = (arguments.answers_b.clone(), arguments.world_b.clone());
    let b = Asking::of("B", &arguments.b, answers, world, &files)?;
    let selectors = selectors(&arguments, &a, &b)?;
    plan::select(&files, &selectors)?;
    let recorded = || a.index.as_ref().or(b.index.as_ref()).map(|index| index.seed);
    let seed = arguments.seed.or_else(recorded).unwrap_or_else(drawn);
    let reproduce = reproduce(&arguments, seed);
    let asked = Asked { seed, selectors, reproduce };
    let plans = [&a, &b].map(|side| side.options(&arguments, &asked, Arc::clone(&files)));
    let [first, second] = plans;
    let (first, second) = (first?, second?);
    let first = performed(&a, first, screen)?;
    let second = performed(&b, second, screen)?;
    let secrets = [&first, &second].map(|side| Secrets::of(&side.result().masks));
    let comparison = held(&first, &second, asked);
    let masked = comparison.with_texts(|text| secrets[1].mask(&secrets[0].mask(text)));
    publish(&masked, &secrets, &arguments, screen)?;
    Ok(masked.exit_code)
}

impl Asking {
    /// What a word means: `mock`, an address, the folder of a recording, else a target file.
    ///
    /// # Errors
    /// A file that is none or wrong; options of the mock for what is not the mock.
    fn of(
        name: &'static str,
        word: &str,
        answers: Option<String>,
        world: Option<String>,
        files: &[ScenarioFile],
    ) -> Result<Self, Failure> {
        let choice = if word == MOCK {
            TargetChoice::InProcess
        } else if word.starts_with("http://") || word.starts_with("https://") {
            TargetChoice::Url(word.to_owned())
        } else if Path::new(word).is_dir() {
            TargetChoice::Recording(PathBuf::from(word))
        } else {
            TargetChoice::File(PathBuf::from(word))
        };
        let in_side = |failure: Failure| Failure {
            message: format!("{name}: {}", failure.message),
            ..failure
        };
        let help = "a target file, an address, the folder of a recording, or `mock`";
        // Wrong files are told before anything is sent to the other side.
        let index = match &choice {
            TargetChoice::Recording(dir) => {
                let help = "`moot run --record DIR` makes a recording";
                let read = RecordingIndex::read(dir).map_err(Failure::from);
                Some(read.map_err(|failure| in_side(failure).help(help))?)
            }
            TargetChoice::File(path) => {
                let read =
                    target_file::read(path).map_err(|error| Failure::usage(error.to_string()));
                let read = read.map_err(|failure| in_side(failure).help(help))?;
                let pins = read.answers.as_deref().map(Pins::read).transpose();
                pins.map_err(|why| in_side(Failure::usage(why)))?;
                let known = read.expected.as_deref().map(expected::read).transpose();
                known
                    .and_then(|known| {
                        known.map(|known| known.check(files, expected::today())).transpose()
                    })
                    .map_err(|error| in_side(Failure::usage(error.to_string())))?;
                None
            }
            TargetChoice::Url(_) | TargetChoice::InProcess => None,
        };
        if choice != TargetChoice::InProcess && (answers.is_some() || world.is_some()) {
            let lower = name.to_ascii_lowercase();
            return Err(Failure::usage(format!(
                "{name} is `{word}`, not the mock in this process"
            ))
            .help(format!("--answers-{lower} and --world-{lower} are for `mock`")));
        }
        Ok(Self { name, word: word.to_owned(), choice, index, answers, world })
    }

    /// The run of this side.
    ///
    /// # Errors
    /// A world or answers that are neither bundled nor a sound file.
    fn options(
        &self,
        arguments: &CompareArguments,
        asked: &Asked,
        files: Arc<Vec<ScenarioFile>>,
    ) -> Result<RunOptions, Failure> {
        // What was recorded was sent with its own seed and tag.
        let (seed, run_tag) = match &self.index {
            Some(index) => (index.seed, index.run_tag.clone()),
            None if self.choice == TargetChoice::InProcess => {
                (asked.seed, format!("moot-{:08x}", asked.seed & u64::from(u32::MAX)))
            }
            None => (asked.seed, format!("moot-{:08x}", drawn())),
        };
        let was_strict = self.index.as_ref().is_some_and(|index| index.strict);
        let target = TargetOptions {
            seed,
            world: self.world.as_deref().map(chosen_world).transpose()?,
            answers: self.answers.as_deref().map(chosen_answers).transpose()?,
            rate: arguments.reach.rate,
            receiver: arguments.reach.receiver,
            receiver_url: arguments.reach.receiver_url.clone(),
            run_tag,
            // Known failures are those of the target file.
            ..TargetOptions::default()
        };
        Ok(RunOptions {
            selectors: asked.selectors.clone(),
            jobs: arguments.jobs.map(usize::from),
            strict: arguments.strict || was_strict,
            reproduce: asked.reproduce.clone(),
            ..RunOptions::new(self.choice.clone(), target, files)
        })
    }
}

/// What both are asked: what the line names, else what a recording was asked.
///
/// # Errors
/// Two recordings of different plans.
fn selectors(arguments: &CompareArguments, a: &Asking, b: &Asking) -> Result<Vec<String>, Failure> {
    if !arguments.suite.selectors.is_empty() {
        return Ok(arguments.suite.selectors.clone());
    }
    match (&a.index, &b.index) {
        (Some(a), Some(b)) if a.selectors != b.selectors => {
            Err(Failure::usage("the two recordings were made with different selectors")
                .help("name those that both hold: moot compare A B SELECTOR…"))
        }
        (Some(index), _) | (None, Some(index)) => Ok(index.selectors.clone()),
        (None, None) => Ok(Vec::new()),
    }
}

/// Runs one side, with progress.
///
/// # Errors
/// It could not be used at all.
fn performed(side: &Asking, options: RunOptions, screen: &Screen) -> Result<Side, Failure> {
    let progress = Progress::new(screen.shows_progress());
    let told = Arc::new(Told::new(&options.target.run_tag));
    let listener = (progress.clone(), Arc::clone(&told));
    let result = runtime()?.block_on(run::run(options, move |event: Event| {
        listener.0.tell(&event);
        listener.1.keep(&event);
    }));
    progress.end();
    if let (true, Some(why)) = (result.scenarios.is_empty(), &result.trouble) {
        return Err(Failure {
            message: format!("{}: {why}", side.name),
            help: None,
            exit_code: if result.exit_code == USAGE { USAGE } else { UNREACHABLE },
        });
    }
    Ok(Side::new(&side.word, result, &told))
}

/// The line that does the same again.
fn reproduce(arguments: &CompareArguments, seed: u64) -> String {
    Again::new("compare")
        .word(&arguments.a)
        .word(&arguments.b)
        .suite(&arguments.suite)
        .option("--answers-a", arguments.answers_a.as_ref())
        .option("--answers-b", arguments.answers_b.as_ref())
        .option("--world-a", arguments.world_a.as_ref())
        .option("--world-b", arguments.world_b.as_ref())
        .reach(&arguments.reach)
        .option("--jobs", arguments.jobs)
        .option("--seed", Some(seed))
        .flag("--strict", arguments.strict)
        .line()
}

/// Writes the reports and prints the one for the terminal, on stderr where a report has stdout.
///
/// # Errors
/// A secret in what would be written, or it can't be; after the others were written.
fn publish(
    comparison: &Comparison,
    secrets: &[Secrets; 2],
    arguments: &CompareArguments,
    screen: &Screen,
) -> Result<(), Failure> {
    let rendered = |format: Format, paint: Paint| -> Result<String, Failure> {
        let escaped = || comparison.clone().with_texts(escape::block);
        let artefact = match format {
            Format::Json => {
                format!("{}\n", escape::json(&format!("{:#}", serde_json::json!(comparison))))
            }
            Format::Html => page::page(&escaped()).map_err(Failure::fault)?,
            Format::Text | Format::Junit | Format::Markdown | Format::Ndjson => {
                text::text(&escaped(), paint, screen.detail())
            }
        };
        match secrets.iter().any(|known| known.is_in(&artefact)) {
            true => Err(Failure::fault(format!("the {format} report holds a secret of a run"))),
            false => Ok(artefact),
        }
    };
    let mut failures: Vec<String> = Vec::new();
    for request in &arguments.reports {
        let written = rendered(request.format, Paint { color: false }).and_then(|artefact| {
            if is_stdout(request) {
                return screen.print(&artefact);
            }
            fs::write(&request.file, artefact).map_err(|error| {
                Failure::fault(format!("{} can't be written: {error}", request.file))
            })
        });
        failures.extend(written.err().map(|failure| failure.message));
    }
    let is_stdout_taken = arguments.reports.iter().any(is_stdout);
    let format = if screen.is_json() { Format::Json } else { Format::Text };
    let shown = if is_stdout_taken {
        rendered(format, screen.paint_err()).and_then(|text| screen.note(&text))
    } else {
        rendered(format, screen.paint()).and_then(|text| screen.print(&text))
    };
    failures.extend(shown.err().map(|failure| failure.message));
    if failures.is_empty() { Ok(()) } else { Err(Failure::fault(failures.join("; "))) }
}
