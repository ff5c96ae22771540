//! `moot drill`: runs the command of a client once per drill, and grades the client.

mod attach;
mod certificate_file;
mod client_process;
mod drill_mock;
mod drill_part;
pub(super) mod drill_run;
pub(super) mod drill_watch;
mod probe;
mod served_mock;

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::path::PathBuf;
use std::time::Duration;

use clap::{Args, Subcommand};
use futures_util::StreamExt as _;
use jiff::Zoned;
use moot_fixtures::conduct::DrillEnd;
use serde_json::json;
use tokio::sync::Mutex;

use self::attach::AttachedClient;
use self::certificate_file::verify;
use self::drill_part::DrillShard;
use self::drill_run::{DrillRunner, run_client};
use self::drill_watch::DrillWatch;
use self::probe::{Probe, probe};
use super::error::{CommandError, INCONCLUSIVE};
use super::files::read_file;
use super::listen::ListenArguments;
use super::number::number;
use super::reports::{self, ReplaceArguments, ReportRequest, report_of};
use super::runtime::{random_seed, runtime};
use super::screen::{Screen, json_text};
use super::serve::{self, WorldArguments};
use super::signals::with_interruption;
use crate::exchange::escape;
use crate::grading::drill::certificate::{Certificate, CertificateInput};
use crate::grading::drill::judge;
use crate::grading::drill::parts::joined_certificate;
use crate::grading::drill::recording::DrillRecording;
use crate::grading::drill::table::{self, CALM, Drill};
use crate::grading::drill::waiver::Waiver;
use crate::grading::drill::{html, text};
use crate::report::Format;
use crate::report::terminal::{Table, paint};
use crate::run::Interruption;
use crate::run::environment::Shard;
use crate::run::part_files::PartSet;

/// Default timeout of a command in a drill, in seconds. The time that the situation takes is added.
const TIMEOUT_SECONDS: u64 = 60;
/// The longest timeout of a command in a drill: a day, in seconds.
const TIMEOUT_SECONDS_MAX: u64 = 24 * 60 * 60;
/// Default number of concurrent drills.
const JOBS: u16 = 4;
/// Printed at the first signal.
const DRILLS_END: &str = "interrupted: the commands are ended, and nothing is graded\n";
/// The formats of a certificate.
const FORMATS: [Format; 3] = [Format::Text, Format::Json, Format::Html];

#[derive(Debug, Args)]
#[command(
    args_conflicts_with_subcommands = true,
    mut_arg("listen", |it| it.requires("attach").help("With --attach, where to listen: ADDRESS:PORT, localhost:PORT or PORT; port 0 takes a free one")),
    mut_arg("port", |it| it.requires("attach").help("With --attach, listen on this port of 127.0.0.1")),
)]
pub(super) struct DrillArguments {
    #[command(subcommand)]
    command_on_file: Option<DrillCommand>,
    /// Run only these drills; repeatable. The grade is then `not ready` or `inconclusive`
    #[arg(long, value_name = "ID", value_delimiter = ',')]
    only: Vec<String>,
    /// List the drills
    #[arg(long)]
    list: bool,
    /// Concurrent drills
    #[arg(long, value_name = "N", default_value_t = JOBS,
          value_parser = number::<u16>(1..=64))]
    jobs: u16,
    /// Seconds that the command may take in a drill
    #[arg(long, value_name = "SECONDS", default_value_t = TIMEOUT_SECONDS,
          value_parser = number::<u64>(1..=TIMEOUT_SECONDS_MAX))]
    timeout: u64,
    /// The version of the client, for the certificate
    #[arg(long, value_name = "TEXT")]
    client_version: Option<String>,
    /// Drills that may fail: a YAML list with `drill`, `reason`, `owner` and `expires`
    #[arg(long, value_name = "FILE")]
    waivers: Option<PathBuf>,
    /// Tells how often your business acted for a legal request. A command that gets the id as its last argument and
    /// prints a number, or an address that answers `GET ?id=` with a number
    #[arg(long, value_name = "CMD|URL", value_parser = probe)]
    probe: Option<Probe>,
    /// Grade a client that runs all the time: one drill after the other, on one mock. CMD makes the client
    /// work. Without CMD, write a line to stdin when the client is done
    #[arg(long)]
    attach: bool,
    #[command(flatten)]
    listen: ListenArguments,
    /// Serve https: PEM files with the certificate (and its chain) and with its key. One drill then uses a wrong
    /// certificate
    #[arg(long, value_name = "CERT,KEY", value_delimiter = ',', conflicts_with = "attach")]
    tls: Option<Vec<PathBuf>>,
    /// Run one shard of the drills, such as 2/5, and the calm run. `moot merge` makes the certificate; that of a shard
    /// alone is never `ready`
    #[arg(long, value_name = "K/N", requires_all = ["record", "seed"], conflicts_with_all = ["attach", "console"])]
    shard: Option<Shard>,
    /// With --shard, the folder for the results of the shard, for `moot merge`
    #[arg(long, value_name = "DIR", requires = "shard")]
    record: Option<PathBuf>,
    #[command(flatten)]
    world: WorldArguments,
    /// Write the certificate to a file too: text, json or html; `-` is stdout; repeatable
    #[arg(long = "report", value_name = "KIND=FILE", value_parser = report_of(&FORMATS))]
    reports: Vec<ReportRequest>,
    #[command(flatten)]
    replace: ReplaceArguments,
    /// Show the drills and their calls in the console, while they run and then until Ctrl-C. The page can start
    /// drills again
    #[arg(long)]
    console: bool,
    /// The command that runs the client's own tests, and its arguments, after `--`
    #[arg(last = true, value_name = "CMD")]
    command: Vec<OsString>,
}

#[derive(Debug, Subcommand)]
enum DrillCommand {
    /// Compute every finding of a certificate again, from the recordings in it
    Verify {
        /// The JSON file of a certificate
        file: PathBuf,
    },
}

/// Returns the exit code of the grade.
pub(super) fn drill(arguments: DrillArguments, screen: &Screen) -> Result<u8, CommandError> {
    if let Some(DrillCommand::Verify { file }) = &arguments.command_on_file {
        return verify(file, screen);
    }
    if arguments.list {
        return list(screen);
    }
    if arguments.command.is_empty() && !arguments.attach {
        return Err(CommandError::usage("there is no command to run")
            .help("give the command that runs the client's tests: moot drill -- CMD"));
    }
    reports::check(&arguments.reports, arguments.replace)?;
    let mut drills = selected_drills(&arguments.only)?;
    let shard = match (arguments.shard, &arguments.record) {
        (Some(shard), Some(dir)) => Some(DrillShard::new(shard, dir, &drills)?),
        (_, _) => None,
    };
    drills.retain(|drill| shard.as_ref().is_none_or(|it| it.has(&drill.id)));
    let waivers = match &arguments.waivers {
        None => Vec::new(),
        Some(file) => Waiver::read(&file.display().to_string(), &read_file(file)?)
            .map_err(CommandError::usage)?,
    };
    let seed = arguments.world.seed.unwrap_or_else(random_seed);
    let mut input = CertificateInput {
        seed,
        command: arguments.command.iter().map(|it| it.to_string_lossy().into_owned()).collect(),
        version: arguments.client_version.clone(),
        defects: arguments.world.defects.clone(),
        is_partial: drills.len() < table::all().len() || shard.is_some(),
        waivers,
        today: Zoned::now().date().to_string(),
    };
    runtime()?.block_on(async {
        // An attached client is not started by us, and a shard is written once.
        let can_start = !arguments.attach && shard.is_none();
        let mut watch = DrillWatch::start(screen, &drills, arguments.console, can_start).await?;
        let recordings = record(&arguments, seed, &drills, screen, &watch).await?;
        if let Some(shard) = shard {
            let conditions = json!([arguments.tls.is_some(), arguments.probe.is_some()]);
            shard.write(&input, &arguments.world, conditions, &recordings)?;
            // Waivers of drills in other shards do not apply here.
            input.waivers.retain(|waiver| shard.has(&waiver.drill));
        }
        let mut certificate = Certificate::of(input.clone(), recordings);
        show(&certificate, &arguments.reports, screen)?;
        // Drills that the page starts again are graded like those of `--only`. The newest certificate counts.
        while let Some(start) = watch.show_grade(&certificate).await? {
            let again: Vec<_> = drills.iter().copied().filter(|it| start.has(&it.id)).collect();
            let mut input = input.clone();
            input.is_partial |= again.len() < drills.len();
            input.waivers.retain(|waiver| start.has(&waiver.drill));
            let recordings = record(&arguments, seed, &again, screen, &watch).await?;
            certificate = Certificate::of(input, recordings);
            show(&certificate, &arguments.reports, screen)?;
        }
        Ok(certificate.grade.exit_code())
    })
}

/// The drills that `--only` names, in the order of the table.
fn selected_drills(only: &[String]) -> Result<Vec<&'static Drill>, CommandError> {
    let ids = || table::all().iter().map(|drill| drill.id.as_str());
    if let Some(unknown) = only.iter().find(|id| table::get(id).is_none()) {
        return Err(CommandError::usage(format!("there is no drill `{unknown}`"))
            .help("`moot drill --list` shows all")
            .nearest(moot_fixtures::nearest::nearest(unknown, ids())));
    }
    let is_chosen = |drill: &&Drill| only.is_empty() || only.contains(&drill.id);
    Ok(table::all().iter().filter(is_chosen).collect())
}

/// Records the calm run and the drills, until a signal interrupts them.
///
/// # Errors
/// The run was interrupted, or could not be performed.
async fn record(
    arguments: &DrillArguments,
    seed: u64,
    drills: &[&'static Drill],
    screen: &Screen,
    watch: &DrillWatch<'_>,
) -> Result<BTreeMap<String, DrillRecording>, CommandError> {
    let interruption = Interruption::default();
    let runner = DrillRunner {
        tls: serve::tls(arguments.tls.as_deref())?,
        ca_file: serve::certificate_file(arguments.tls.as_deref()),
        command: &arguments.command,
        world: &arguments.world,
        seed,
        timeout: Duration::from_secs(arguments.timeout),
        interruption: &interruption,
        probe: arguments.probe.as_ref(),
        watch,
    };
    let running = all_runs(arguments, &runner, drills, screen, watch);
    // A closed terminal changes nothing: the drills end.
    let tell = || drop(screen.note(DRILLS_END));
    let ended = with_interruption(running, &interruption, tell).await;
    match interruption.is_interrupted() {
        true => Err(CommandError::usage("interrupted: there is no certificate").exit(INCONCLUSIVE)),
        false => ended?,
    }
}

/// Runs the calm run, then the drills: concurrently, or one after the other with an attached client.
async fn all_runs(
    arguments: &DrillArguments,
    runner: &DrillRunner<'_>,
    drills: &[&'static Drill],
    screen: &Screen,
    watch: &DrillWatch<'_>,
) -> Result<BTreeMap<String, DrillRecording>, CommandError> {
    let attached = if arguments.attach {
        let listen = arguments.listen.address();
        Some(Mutex::new(AttachedClient::start(runner, listen, screen).await?))
    } else {
        None
    };
    let run = async |drill: &'static Drill| {
        watch.drill_started(drill);
        match &attached {
            Some(client) => client.lock().await.run(drill).await,
            None => run_client(runner, drill).await,
        }
    };
    let calm = run(table::calm()).await?;
    let result = judge::calm(&calm);
    watch.drill_ended(&result, &calm, (0, drills.len()))?;
    let mut recordings = BTreeMap::from([(CALM.to_owned(), calm.clone())]);
    if result.end == DrillEnd::Held {
        let (order, jobs) = match attached {
            Some(_) => (attach::in_order(drills.to_vec()), 1),
            None => (longest_first(drills.to_vec()), arguments.jobs.into()),
        };
        let runs = order.into_iter().map(async |drill| run(drill).await.map(|it| (drill, it)));
        let mut runs = std::pin::pin!(futures_util::stream::iter(runs).buffer_unordered(jobs));
        while let Some(ended) = runs.next().await {
            let (drill, run) = ended?;
            let number = (recordings.len(), drills.len());
            watch.drill_ended(&judge::judge(drill, &calm, &run), &run, number)?;
            recordings.insert(drill.id.clone(), run);
        }
    } else if attached.is_none() {
        let is_undisturbed = calm.trouble.is_none() && !runner.interruption.is_interrupted();
        screen.note(&output(&calm, is_undisturbed))?;
    }
    if let Some(client) = attached {
        client.into_inner().end().await;
    }
    Ok(recordings)
}

/// Sorts the longest drills first, so that the others run at the same time.
fn longest_first(mut drills: Vec<&'static Drill>) -> Vec<&'static Drill> {
    drills.sort_by_key(|drill| std::cmp::Reverse(drill.seconds));
    drills
}

/// The last output of the command. That there is none is worth a line only if the command ran to its end.
fn output(run: &DrillRecording, is_undisturbed: bool) -> String {
    match run.output.trim() {
        "" if is_undisturbed => "the command printed nothing\n".to_owned(),
        "" => String::new(),
        output => format!("the command printed:\n{}\n", escape::block(output)),
    }
}

/// Makes the certificate of all shards. Returns the exit code of its grade.
pub(super) fn merge(
    set: &PartSet,
    requests: &[ReportRequest],
    screen: &Screen,
) -> Result<u8, CommandError> {
    reports::check_formats(requests, &FORMATS)?;
    let certificate = joined_certificate(set, Zoned::now().date().to_string())?;
    show(&certificate, requests, screen)?;
    Ok(certificate.grade.exit_code())
}

fn show(
    certificate: &Certificate,
    requests: &[ReportRequest],
    screen: &Screen,
) -> Result<(), CommandError> {
    reports::publish(requests, screen, |request| match request.format {
        Format::Json => Ok(json_text(certificate)),
        Format::Html => html::page(certificate).map_err(CommandError::fault),
        _ => Ok(text::render(certificate)),
    })
}

fn list(screen: &Screen) -> Result<u8, CommandError> {
    let json = || {
        let rows = table::all().iter().map(|drill| {
            json!({ "id": drill.id, "title": drill.title, "needs": drill.needs,
                "held_if_the_client": drill.end.sentence(), "rules": drill.rules })
        });
        json!({ "drills": rows.collect::<Vec<_>>() })
    };
    let mut rows = Table::new(0);
    for drill in table::all() {
        rows.row([paint::name(&drill.id), drill.title.clone()]);
    }
    screen.show(json, || rows.render())?;
    Ok(0)
}
