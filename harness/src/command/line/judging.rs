//! The arguments of commands that judge a target, or look at what they would do.

use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args;

use super::keeping::SnapshotChoice;
use super::request::{ReportRequest, compare_report, report_request};

/// Which scenarios.
#[derive(Debug, Args)]
pub(in crate::command) struct SuiteArguments {
    /// A file, a scenario (with `*`), `tag:NAME`, `section:4.5` or a requirement; all where absent
    #[arg(value_name = "SELECTOR")]
    pub(in crate::command) selectors: Vec<String>,
    /// Scenario files, or folders of them, instead of the bundled ones
    #[arg(long, value_name = "DIR")]
    pub(in crate::command) scenarios: Vec<PathBuf>,
}

/// Which target, and how it is used.
#[derive(Debug, Args)]
pub(in crate::command) struct TargetArguments {
    /// A target file, or a base address (credentials from MOOT_CLIENT_ID and MOOT_CLIENT_SECRET); the
    /// mock in this process where absent
    #[arg(long, value_name = "FILE|URL")]
    pub(in crate::command) target: Option<String>,
    /// Seed of the mock's data; drawn where absent
    #[arg(long, value_name = "N")]
    pub(in crate::command) seed: Option<u64>,
    /// World of the mock in this process: the name of a bundled one, or a file
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "target")]
    pub(in crate::command) world: Option<String>,
    /// What the mock in this process does where the specification is open: `default`, `documented`,
    /// `random:SEED` or a file
    #[arg(long, value_name = "NAME|FILE|random:SEED", conflicts_with = "target")]
    pub(in crate::command) answers: Option<String>,
    /// Keep a token in this file (mode 0600) for runs on the same deployment two hours later and more,
    /// which then have an expired one
    #[arg(long, value_name = "FILE", requires = "target")]
    pub(in crate::command) token_file: Option<PathBuf>,
    #[command(flatten)]
    pub(in crate::command) reach: ReachArguments,
}

/// How targets are reached, and reach us.
#[derive(Debug, Args)]
pub(in crate::command) struct ReachArguments {
    /// Requests a minute; 0 is unpaced, on loopback only
    #[arg(long, value_name = "N")]
    pub(in crate::command) rate: Option<u32>,
    /// Where receivers of webhooks listen
    #[arg(long, value_name = "ADDR")]
    pub(in crate::command) receiver: Option<SocketAddr>,
    /// The address under which the target reaches the receivers
    #[arg(long, value_name = "URL", requires = "receiver")]
    pub(in crate::command) receiver_url: Option<String>,
}

/// How what was answered is judged, and told.
#[derive(Debug, Args)]
pub(in crate::command) struct JudgingArguments {
    /// A MUST of a standard that the specification leans on fails, instead of a warning
    #[arg(long)]
    pub(in crate::command) strict: bool,
    /// Known failures, instead of those that the target file names (`moot schema expected`)
    #[arg(long, value_name = "FILE")]
    pub(in crate::command) expected: Option<PathBuf>,
    /// Write a report too: text, json, junit, html, markdown or ndjson (line by line, as it happens);
    /// `-` is stdout; repeatable
    #[arg(long = "report", value_name = "KIND=FILE", value_parser = report_request)]
    pub(in crate::command) reports: Vec<ReportRequest>,
}

#[derive(Debug, Args)]
pub(in crate::command) struct RunArguments {
    #[command(flatten)]
    pub(in crate::command) suite: SuiteArguments,
    #[command(flatten)]
    pub(in crate::command) target: TargetArguments,
    /// Scenarios side by side on a mock, or on a deployment on loopback that is not paced (--rate 0); there
    /// whoever changes anything is walked alone
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(in crate::command) jobs: Option<u16>,
    /// Run so many times: the gravest result is reported, and every verdict that was not the same
    /// each time (on a mock exit 70, on a deployment, which must be without consent, exit 5)
    #[arg(
        long, value_name = "TIMES", default_value_t = 1, conflicts_with = "record",
        value_parser = clap::value_parser!(u16).range(1..=1_000)
    )]
    pub(in crate::command) repeat: u16,
    /// Walk the scenarios in an order drawn from the seed; repeated, each time in another one, and
    /// without --jobs with another number side by side
    #[arg(long)]
    pub(in crate::command) shuffle: bool,
    #[command(flatten)]
    pub(in crate::command) judging: JudgingArguments,
    /// What is done with recorded responses [default: check where there are any, else off]
    #[arg(long, value_enum)]
    pub(in crate::command) snapshots: Option<SnapshotChoice>,
    /// Where recorded responses are [default: snapshots/TARGET]
    #[arg(long, value_name = "DIR")]
    pub(in crate::command) snapshot_dir: Option<PathBuf>,
    /// Write what is new or differs to this file, and nothing to the folder; in CI the only place
    #[arg(long, value_name = "FILE")]
    pub(in crate::command) snapshot_bundle: Option<PathBuf>,
    /// Write what was observed of open questions to this file: for `moot mock --answers`, and to pin
    #[arg(long, value_name = "FILE")]
    pub(in crate::command) save_answers: Option<PathBuf>,
    /// Keep all that the target says in this folder, for `moot judge`
    #[arg(long, value_name = "DIR")]
    pub(in crate::command) record: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(in crate::command) struct JudgeArguments {
    /// The folder that `moot run --record` wrote; its scenarios are those it was recorded with
    #[arg(value_name = "DIR")]
    pub(in crate::command) recording: PathBuf,
    #[command(flatten)]
    pub(in crate::command) suite: SuiteArguments,
    #[command(flatten)]
    pub(in crate::command) judging: JudgingArguments,
}

#[derive(Debug, Args)]
#[command(after_help = COMPARE_EXIT_CODES)]
pub(in crate::command) struct CompareArguments {
    /// The first: a target file, a base address, the folder of a recording, or `mock`
    #[arg(value_name = "A")]
    pub(in crate::command) a: String,
    /// The second, as the first
    #[arg(value_name = "B")]
    pub(in crate::command) b: String,
    #[command(flatten)]
    pub(in crate::command) suite: SuiteArguments,
    /// What the mock does where the specification is open, where A is `mock`
    #[arg(long, value_name = "NAME|FILE|random:SEED")]
    pub(in crate::command) answers_a: Option<String>,
    /// The same, where B is `mock`
    #[arg(long, value_name = "NAME|FILE|random:SEED")]
    pub(in crate::command) answers_b: Option<String>,
    /// World of the mock, where A is `mock`
    #[arg(long, value_name = "NAME|FILE")]
    pub(in crate::command) world_a: Option<String>,
    /// The same, where B is `mock`
    #[arg(long, value_name = "NAME|FILE")]
    pub(in crate::command) world_b: Option<String>,
    /// Seed of both runs; that of a recording, else drawn, where absent
    #[arg(long, value_name = "N")]
    pub(in crate::command) seed: Option<u64>,
    /// Scenarios side by side on a mock
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(in crate::command) jobs: Option<u16>,
    /// A MUST of a standard that the specification leans on fails, instead of a warning
    #[arg(long)]
    pub(in crate::command) strict: bool,
    #[command(flatten)]
    pub(in crate::command) reach: ReachArguments,
    /// Write a report too: text, json or html; `-` is stdout; repeatable
    #[arg(long = "report", value_name = "KIND=FILE", value_parser = compare_report)]
    pub(in crate::command) reports: Vec<ReportRequest>,
}

const COMPARE_EXIT_CODES: &str = "\
Exit codes: 0 the same, 1 a side violates, 2 usage or a wrong file, 3 undecidable, or not everything \
was asked, 4 a side unreachable or credentials refused, 5 answers differ, 70 our own fault.";

const EXPLORE_EXIT_CODES: &str = "\
Exit codes: 0 nothing found, 1 a requirement is broken, 2 usage or a wrong file, 3 nothing explored or \
interrupted, 4 target unreachable or credentials refused, 70 our own fault.";

#[derive(Debug, Args)]
#[command(after_help = EXPLORE_EXIT_CODES)]
pub(in crate::command) struct ExploreArguments {
    #[command(flatten)]
    pub(in crate::command) target: TargetArguments,
    /// Sequences of calls to draw
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(in crate::command) cases: u32,
    /// Answers of the mock that is explored beside the target, to compare: `default`, `documented`,
    /// `random:SEED` or a file [default: those of --answers]
    #[arg(long, value_name = "NAME|FILE|random:SEED")]
    pub(in crate::command) model: Option<String>,
    /// Where the scenarios go that reproduce what fails: a folder, or a `.yaml` file
    /// [default: explored-SEED.yaml]
    #[arg(long, value_name = "DIR|FILE")]
    pub(in crate::command) save: Option<PathBuf>,
    /// Known failures, instead of those that the target file names (`moot schema expected`)
    #[arg(long, value_name = "FILE")]
    pub(in crate::command) expected: Option<PathBuf>,
    /// Write a report too: text, json, junit, html or markdown; `-` is stdout; repeatable
    #[arg(long = "report", value_name = "KIND=FILE", value_parser = report_request)]
    pub(in crate::command) reports: Vec<ReportRequest>,
}

#[derive(Debug, Args)]
pub(in crate::command) struct PlanArguments {
    #[command(flatten)]
    pub(in crate::command) suite: SuiteArguments,
    #[command(flatten)]
    pub(in crate::command) target: TargetArguments,
}

#[derive(Debug, Args)]
pub(in crate::command) struct DoctorArguments {
    #[command(flatten)]
    pub(in crate::command) target: TargetArguments,
}
