//! The command line as types; clap reads it, and its help is written here.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::{Args, Parser, Subcommand, ValueEnum};
use http::StatusCode;

use crate::report::Format;

const EXIT_CODES: &str = "\
Exit codes: 0 conformant, 1 violation, 2 usage or a wrong file, 3 not everything checked, \
4 target unreachable or credentials refused, 5 drift, 70 our own fault.";

/// A moot court for the Legal Request Service API: a mock that is the service, a harness that judges
/// one.
#[derive(Debug, Parser)]
#[command(name = "moot", version, after_help = EXIT_CODES, max_term_width = 100)]
pub(super) struct Line {
    #[command(subcommand)]
    pub(super) command: Command,
    /// What is printed: text for people, JSON for programs
    #[arg(long, global = true, value_enum, default_value_t = OutputFormat::Text)]
    pub(super) format: OutputFormat,
    /// Colour; `auto` looks at the terminal and at NO_COLOR
    #[arg(long, global = true, value_enum, default_value_t = ColorWhen::Auto)]
    pub(super) color: ColorWhen,
    /// Only what is wrong, and the outcome
    #[arg(short, long, global = true, conflicts_with = "verbose")]
    pub(super) quiet: bool,
    /// Every scenario, and more about each
    #[arg(short, long, global = true)]
    pub(super) verbose: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum OutputFormat {
    Text,
    Json,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum ColorWhen {
    Auto,
    Always,
    Never,
}

#[derive(Debug, Subcommand)]
pub(super) enum Command {
    /// Judge a deployment, or the mock in this process, and report
    Run(RunArguments),
    /// Judge a recording again, without a network
    Judge(JudgeArguments),
    /// Hold two targets against each other: the same plan on both, and each difference in its class
    Compare(CompareArguments),
    /// Try random cases on a deployment, or on the mock in this process, and keep what fails
    Explore(ExploreArguments),
    /// Be the service: an HTTP mock with a control plane
    Mock(MockArguments),
    /// Be a receiver of webhooks, and print what comes
    Receive(ReceiveArguments),
    /// Run a command against a mock of its own, and tell what it did there and what it should not do
    Exec(ExecArguments),
    /// List scenarios
    List(SuiteArguments),
    /// Show what would run on a target, what would not and why, and how much that would send; sends
    /// nothing
    Plan(PlanArguments),
    /// Try a target in ten seconds: address, TLS, credentials, and what it can be judged by
    Doctor(DoctorArguments),
    /// Look for mistakes in scenario files, without sending anything
    Check(CheckArguments),
    /// Explain a requirement or an open question, and show what checks it
    Explain(ExplainArguments),
    /// Show which requirements are checked, and by how much
    Coverage(CoverageArguments),
    /// Test the tests: drawn answers, defects, and targets that are no service
    Selftest(SelftestArguments),
    /// Decide about recorded responses
    Snapshot {
        #[command(subcommand)]
        command: SnapshotCommand,
    },
    /// Show the answers to open questions that a file gives, or how two sets differ
    Answers {
        #[command(subcommand)]
        command: AnswersCommand,
    },
    /// Print a JSON Schema: `scenario`, `report`, `compare`, `expected`, or one of the contract's; all
    /// names without one
    Schema {
        /// Which
        name: Option<String>,
    },
    /// Print the OpenAPI document of the service
    Openapi,
    /// Print a completion script for a shell
    Completions {
        /// Which
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
}

/// Which scenarios.
#[derive(Debug, Args)]
pub(super) struct SuiteArguments {
    /// A file, a scenario (with `*`), `tag:NAME`, `section:4.5` or a requirement; all where absent
    #[arg(value_name = "SELECTOR")]
    pub(super) selectors: Vec<String>,
    /// Scenario files, or folders of them, instead of the bundled ones
    #[arg(long, value_name = "DIR")]
    pub(super) scenarios: Vec<PathBuf>,
}

/// Which target, and how it is used.
#[derive(Debug, Args)]
pub(super) struct TargetArguments {
    /// A target file, or a base address (credentials from MOOT_CLIENT_ID and MOOT_CLIENT_SECRET); the
    /// mock in this process where absent
    #[arg(long, value_name = "FILE|URL")]
    pub(super) target: Option<String>,
    /// Requests a minute; 0 is unpaced, on loopback only
    #[arg(long, value_name = "N")]
    pub(super) rate: Option<u32>,
    /// Seed of the mock's data; drawn where absent
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
    /// World of the mock in this process: the name of a bundled one, or a file
    #[arg(long, value_name = "NAME|FILE", conflicts_with = "target")]
    pub(super) world: Option<String>,
    /// What the mock in this process does where the specification is open: `default`, `documented`,
    /// `random:SEED` or a file
    #[arg(long, value_name = "NAME|FILE|random:SEED", conflicts_with = "target")]
    pub(super) answers: Option<String>,
    /// Keep a token in this file (mode 0600) for runs on the same deployment two hours later and more,
    /// which then have an expired one
    #[arg(long, value_name = "FILE", requires = "target")]
    pub(super) token_file: Option<PathBuf>,
    /// Where receivers of webhooks listen
    #[arg(long, value_name = "ADDR")]
    pub(super) receiver: Option<SocketAddr>,
    /// The address under which the target reaches the receivers
    #[arg(long, value_name = "URL", requires = "receiver")]
    pub(super) receiver_url: Option<String>,
}

#[derive(Debug, Args)]
pub(super) struct RunArguments {
    #[command(flatten)]
    pub(super) suite: SuiteArguments,
    #[command(flatten)]
    pub(super) target: TargetArguments,
    /// Scenarios side by side on a mock
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) jobs: Option<u16>,
    /// Run so many times: the gravest result is reported, and every verdict that was not the same
    /// each time (on a mock exit 70, on a deployment, which must be without consent, exit 5)
    #[arg(
        long, value_name = "TIMES", default_value_t = 1, conflicts_with = "record",
        value_parser = clap::value_parser!(u16).range(1..=1_000)
    )]
    pub(super) repeat: u16,
    /// Walk the scenarios in an order drawn from the seed; repeated, each time in another one, and
    /// without --jobs with another number side by side
    #[arg(long)]
    pub(super) shuffle: bool,
    /// A MUST of a standard that the specification leans on fails, instead of a warning
    #[arg(long)]
    pub(super) strict: bool,
    /// Known failures, instead of those that the target file names (`moot schema expected`)
    #[arg(long, value_name = "FILE")]
    pub(super) expected: Option<PathBuf>,
    /// Write a report too: text, json, junit, html, markdown or ndjson (line by line, as it happens);
    /// `-` is stdout; repeatable
    #[arg(long = "report", value_name = "KIND=FILE", value_parser = report_request)]
    pub(super) reports: Vec<ReportRequest>,
    /// What is done with recorded responses [default: check where there are any, else off]
    #[arg(long, value_enum)]
    pub(super) snapshots: Option<SnapshotChoice>,
    /// Where recorded responses are [default: snapshots/TARGET]
    #[arg(long, value_name = "DIR")]
    pub(super) snapshot_dir: Option<PathBuf>,
    /// Write what is new or differs to this file, and nothing to the folder; in CI the only place
    #[arg(long, value_name = "FILE")]
    pub(super) snapshot_bundle: Option<PathBuf>,
    /// Write what was observed of open questions to this file: for `moot mock --answers`, and to pin
    #[arg(long, value_name = "FILE")]
    pub(super) save_answers: Option<PathBuf>,
    /// Keep all that the target says in this folder, for `moot judge`
    #[arg(long, value_name = "DIR")]
    pub(super) record: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct JudgeArguments {
    /// The folder that `moot run --record` wrote
    #[arg(value_name = "DIR")]
    pub(super) recording: PathBuf,
    /// Judge only these, of what was recorded: as `moot run` takes them
    #[arg(value_name = "SELECTOR")]
    pub(super) selectors: Vec<String>,
    /// Scenario files, or folders of them, instead of the bundled ones: those it was recorded with
    #[arg(long, value_name = "DIR")]
    pub(super) scenarios: Vec<PathBuf>,
    /// A MUST of a standard that the specification leans on fails, as it does where the run said so
    #[arg(long)]
    pub(super) strict: bool,
    /// Known failures (`moot schema expected`)
    #[arg(long, value_name = "FILE")]
    pub(super) expected: Option<PathBuf>,
    /// Write a report too: text, json, junit, html, markdown or ndjson; `-` is stdout; repeatable
    #[arg(long = "report", value_name = "KIND=FILE", value_parser = report_request)]
    pub(super) reports: Vec<ReportRequest>,
}

#[derive(Debug, Args)]
#[command(after_help = COMPARE_EXIT_CODES)]
pub(super) struct CompareArguments {
    /// The first: a target file, a base address, the folder of a recording, or `mock`
    #[arg(value_name = "A")]
    pub(super) a: String,
    /// The second, as the first
    #[arg(value_name = "B")]
    pub(super) b: String,
    #[command(flatten)]
    pub(super) suite: SuiteArguments,
    /// What the mock does where the specification is open, where A is `mock`
    #[arg(long, value_name = "NAME|FILE|random:SEED")]
    pub(super) answers_a: Option<String>,
    /// The same, where B is `mock`
    #[arg(long, value_name = "NAME|FILE|random:SEED")]
    pub(super) answers_b: Option<String>,
    /// World of the mock, where A is `mock`
    #[arg(long, value_name = "NAME|FILE")]
    pub(super) world_a: Option<String>,
    /// The same, where B is `mock`
    #[arg(long, value_name = "NAME|FILE")]
    pub(super) world_b: Option<String>,
    /// Seed of both runs; that of a recording, else drawn, where absent
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
    /// Requests a minute; 0 is unpaced, on loopback only
    #[arg(long, value_name = "N")]
    pub(super) rate: Option<u32>,
    /// Scenarios side by side on a mock
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u16).range(1..=256))]
    pub(super) jobs: Option<u16>,
    /// A MUST of a standard that the specification leans on fails, instead of a warning
    #[arg(long)]
    pub(super) strict: bool,
    /// Where receivers of webhooks listen
    #[arg(long, value_name = "ADDR")]
    pub(super) receiver: Option<SocketAddr>,
    /// The address under which the targets reach the receivers
    #[arg(long, value_name = "URL", requires = "receiver")]
    pub(super) receiver_url: Option<String>,
    /// Write a report too: text, json or html; `-` is stdout; repeatable
    #[arg(long = "report", value_name = "KIND=FILE", value_parser = compare_report)]
    pub(super) reports: Vec<ReportRequest>,
}

const COMPARE_EXIT_CODES: &str = "\
Exit codes: 0 the same, 1 a side violates, 2 usage or a wrong file, 3 undecidable, or not everything \
was asked, 4 a side unreachable or credentials refused, 5 answers differ, 70 our own fault.";

fn compare_report(text: &str) -> Result<ReportRequest, String> {
    let request = report_request(text)?;
    match request.format {
        Format::Text | Format::Json | Format::Html => Ok(request),
        Format::Junit | Format::Markdown | Format::Ndjson => Err(format!(
            "a comparison is reported as text, json or html, not as {}",
            request.format
        )),
    }
}

#[derive(Debug, Args)]
pub(super) struct ExploreArguments {
    #[command(flatten)]
    pub(super) target: TargetArguments,
    /// Sequences of calls to draw
    #[arg(long, value_name = "N", default_value_t = 100,
          value_parser = clap::value_parser!(u32).range(1..=10_000))]
    pub(super) cases: u32,
    /// Answers of the mock that is explored beside the target, to compare: `default`, `documented`,
    /// `random:SEED` or a file [default: those of --answers]
    #[arg(long, value_name = "NAME|FILE|random:SEED")]
    pub(super) model: Option<String>,
    /// Where the scenarios go that reproduce what fails: a folder, or a `.yaml` file
    /// [default: explored-SEED.yaml]
    #[arg(long, value_name = "DIR|FILE")]
    pub(super) save: Option<PathBuf>,
    /// Write a report too: text, json, junit, html or markdown; `-` is stdout; repeatable
    #[arg(long = "report", value_name = "KIND=FILE", value_parser = report_request)]
    pub(super) reports: Vec<ReportRequest>,
}

/// Where recorded responses are, a folder for each target.
pub(super) const SNAPSHOT_DIR: &str = "snapshots";

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
pub(super) enum SnapshotChoice {
    /// Compare; a difference is drift
    Check,
    /// Write what is new, and what differs beside it for a decision
    Record,
    /// Leave them alone
    Off,
}

/// `KIND=FILE`.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ReportRequest {
    pub(super) format: Format,
    /// `-` is stdout.
    pub(super) file: String,
}

fn report_request(text: &str) -> Result<ReportRequest, String> {
    let (kind, file) = text
        .split_once('=')
        .ok_or_else(|| format!("`{text}` is no KIND=FILE, such as `html=report.html`"))?;
    if file.is_empty() {
        return Err("the file is missing; `-` is stdout".to_owned());
    }
    Ok(ReportRequest { format: kind.parse()?, file: file.to_owned() })
}

/// `KIND=FILE` of what there is of an account: text or json.
fn account_request(text: &str) -> Result<ReportRequest, String> {
    let request = report_request(text)?;
    match request.format {
        Format::Text | Format::Json => Ok(request),
        Format::Junit | Format::Html | Format::Markdown | Format::Ndjson => {
            Err("what a client did is told as text or json".to_owned())
        }
    }
}

#[derive(Debug, Args)]
pub(super) struct PlanArguments {
    #[command(flatten)]
    pub(super) suite: SuiteArguments,
    #[command(flatten)]
    pub(super) target: TargetArguments,
}

#[derive(Debug, Args)]
pub(super) struct DoctorArguments {
    #[command(flatten)]
    pub(super) target: TargetArguments,
}

/// Which world is served, and how it behaves.
#[derive(Debug, Args)]
pub(super) struct WorldArguments {
    /// The data it starts with: the name of a bundled world, or a file
    #[arg(long, value_name = "NAME|FILE", default_value = "demo")]
    pub(super) world: String,
    /// What it does where the specification is open: `default`, `documented`, `random:SEED` or a file
    #[arg(long, value_name = "NAME|FILE|random:SEED", default_value = "default")]
    pub(super) answers: String,
    /// Seed of its ids, tokens and request ids; drawn where absent
    #[arg(long, value_name = "N")]
    pub(super) seed: Option<u64>,
    /// `real`, `frozen` or `frozen:TIME`
    #[arg(long, value_name = "CLOCK", default_value = "real")]
    pub(super) clock: String,
    /// `enforce`, `observe` (count, never refuse) or `off`
    #[arg(long, value_name = "MODE", default_value = "enforce")]
    pub(super) rate_limit: String,
    /// How requests move on: `manual`, `timed:SECONDS`, `on-read:N` or `immediate`
    #[arg(long, value_name = "HOW", default_value = "manual")]
    pub(super) progression: String,
    /// Something it does wrong on purpose; may be given more than once
    #[arg(long = "defect", value_name = "ID")]
    pub(super) defects: Vec<String>,
}

/// Where a mock is called, and where it keeps what it knows.
#[derive(Debug, Args)]
pub(super) struct PlaceArguments {
    /// The base address that callers use, where it is another; its path is served
    #[arg(long, value_name = "URL")]
    pub(super) public_url: Option<String>,
    /// Folder that keeps the data of the main world and of every sandbox; one that is there wins
    /// over --world and --seed
    #[arg(long, value_name = "DIR")]
    pub(super) state: Option<PathBuf>,
    /// Serve https: PEM files with the certificate (and its chain) and with its key
    #[arg(long, value_name = "CERT,KEY", value_delimiter = ',')]
    pub(super) tls: Option<Vec<PathBuf>>,
    /// Fetch documents that are uploaded by address, from public https addresses alone; without it
    /// nothing is fetched, and a placeholder or what `PUT /__admin/addresses` registered is stored
    #[arg(long)]
    pub(super) fetch: bool,
    /// Deliver webhooks to private and loopback addresses too, where the mock listens beyond loopback;
    /// on loopback it always does
    #[arg(long)]
    pub(super) private_receivers: bool,
    /// File with the token of the control plane; or MOOT_ADMIN_TOKEN. Needed beyond loopback
    #[arg(long, value_name = "FILE")]
    pub(super) admin_token_file: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct ExecArguments {
    /// Where to listen; port 0 picks one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub(super) listen: SocketAddr,
    #[command(flatten)]
    pub(super) world: WorldArguments,
    #[command(flatten)]
    pub(super) place: PlaceArguments,
    /// Write what it did to a file too: text or json; `-` is stdout; repeatable
    #[arg(long = "report", value_name = "KIND=FILE", value_parser = account_request)]
    pub(super) reports: Vec<ReportRequest>,
    /// The command and its arguments, after `--`
    #[arg(last = true, required = true, value_name = "CMD")]
    pub(super) command: Vec<OsString>,
}

#[derive(Debug, Args)]
pub(super) struct MockArguments {
    /// Where to listen; port 0 picks one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:4010")]
    pub(super) listen: SocketAddr,
    #[command(flatten)]
    pub(super) world: WorldArguments,
    #[command(flatten)]
    pub(super) place: PlaceArguments,
}

#[derive(Debug, Args)]
pub(super) struct ReceiveArguments {
    /// Where to listen; port 0 picks one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0")]
    pub(super) listen: SocketAddr,
    /// What it answers, in turn: `503,503,204` refuses twice and then goes on with 204
    #[arg(long = "status", value_name = "STATUS,…", value_delimiter = ',', default_value = "200",
          value_parser = status_code)]
    pub(super) statuses: Vec<StatusCode>,
    /// Milliseconds before each answer
    #[arg(long, value_name = "N", default_value_t = 0,
          value_parser = clap::value_parser!(u64).range(..=600_000))]
    pub(super) delay_ms: u64,
    /// End once so many came
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    pub(super) count: Option<u64>,
}

/// A final status of HTTP.
fn status_code(text: &str) -> Result<StatusCode, String> {
    let refusal = || format!("`{text}` is no HTTP status: it takes 200 to 599");
    let status: StatusCode = text.parse().map_err(|_| refusal())?;
    if (200..600).contains(&status.as_u16()) { Ok(status) } else { Err(refusal()) }
}

#[derive(Debug, Args)]
pub(super) struct CheckArguments {
    /// Scenario files, or folders of them
    #[arg(value_name = "FILE", required = true)]
    pub(super) files: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct ExplainArguments {
    /// Id of a requirement or a question
    pub(super) id: String,
    /// Scenario files, or folders of them, instead of the bundled ones
    #[arg(long, value_name = "DIR")]
    pub(super) scenarios: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct CoverageArguments {
    /// Scenario files, or folders of them, instead of the bundled ones
    #[arg(long, value_name = "DIR")]
    pub(super) scenarios: Vec<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct SelftestArguments {
    /// Scenario files, or folders of them, instead of the bundled ones
    #[arg(long, value_name = "DIR")]
    pub(super) scenarios: Vec<PathBuf>,
    /// A deployment (a target file, or a base address): it is asked once under its consents, and the
    /// defects that rewrite a response are laid over its answers; says which checks are alive there
    #[arg(long, value_name = "FILE|URL", conflicts_with_all = ["seeds", "thorough"])]
    pub(super) target: Option<String>,
    /// Services with drawn answers that the suite must bear
    #[arg(long, value_name = "N", default_value_t = SEEDS)]
    pub(super) seeds: u64,
    /// Only these defects; all where absent, repeatable
    #[arg(long = "defect", value_name = "ID")]
    pub(super) defects: Vec<String>,
    /// Try each defect on every scenario, not on its own and a sample of the others
    #[arg(long)]
    pub(super) thorough: bool,
    /// Write the kill matrix too: json, html or markdown (a page that has the markers of an earlier
    /// one keeps the rest); repeatable
    #[arg(long = "report", value_name = "KIND=FILE", value_parser = selftest_report)]
    pub(super) reports: Vec<SelftestReport>,
}

impl SelftestArguments {
    /// Whether this defect is tried.
    pub(super) fn is_chosen(&self, id: &str) -> bool {
        self.defects.is_empty() || self.defects.iter().any(|chosen| chosen == id)
    }
}

/// `KIND=FILE` of a self-test.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct SelftestReport {
    pub(super) kind: SelftestKind,
    pub(super) file: String,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum SelftestKind {
    Json,
    Html,
    Markdown,
}

fn selftest_report(text: &str) -> Result<SelftestReport, String> {
    let (kind, file) = text.split_once('=').unwrap_or((text, ""));
    let kind = match kind {
        "json" => SelftestKind::Json,
        "html" => SelftestKind::Html,
        "markdown" => SelftestKind::Markdown,
        other => {
            return Err(format!("`{other}` is no kind: json=FILE, html=FILE or markdown=FILE"));
        }
    };
    if file.is_empty() {
        return Err("the file is missing".to_owned());
    }
    Ok(SelftestReport { kind, file: file.to_owned() })
}

/// Services with drawn answers, unless said otherwise.
const SEEDS: u64 = 40;

#[derive(Debug, Subcommand)]
pub(super) enum AnswersCommand {
    /// Show a set, and where it was seen
    Show {
        /// A file, `default`, `documented` or `random:SEED`
        file: String,
    },
    /// Show what two sets answer differently; exit 5 where they do. What only one answers is shown,
    /// and does not count: it was not seen, which is no other answer
    Diff {
        /// A file, `default`, `documented` or `random:SEED`
        first: String,
        /// As the first
        second: String,
    },
}

#[derive(Debug, Subcommand)]
pub(super) enum SnapshotCommand {
    /// List recorded responses; those that wait for a decision are marked
    List(SnapshotFolder),
    /// Show how each response that waits differs from the accepted one; on a terminal, decide
    Review(SnapshotFolder),
    /// Make responses that wait the accepted ones
    Accept(SnapshotNames),
    /// Throw responses that wait away
    Reject(SnapshotNames),
    /// Record what a bundle holds, as the run that wrote it would have
    Apply(SnapshotBundle),
}

#[derive(Debug, Args)]
pub(super) struct SnapshotBundle {
    /// What `moot run --snapshot-bundle` wrote
    pub(super) file: PathBuf,
    /// Where recorded responses are [default: snapshots/TARGET, the target of the bundle]
    #[arg(long, value_name = "DIR")]
    pub(super) snapshot_dir: Option<PathBuf>,
}

#[derive(Debug, Args)]
pub(super) struct SnapshotFolder {
    /// Where recorded responses are
    #[arg(long, value_name = "DIR", default_value = SNAPSHOT_DIR)]
    pub(super) snapshot_dir: PathBuf,
}

#[derive(Debug, Args)]
pub(super) struct SnapshotNames {
    #[command(flatten)]
    pub(super) folder: SnapshotFolder,
    /// Which, as `moot snapshot review` names them
    #[arg(value_name = "NAME", required_unless_present = "all")]
    pub(super) names: Vec<String>,
    /// All that wait
    #[arg(long, conflicts_with = "names")]
    pub(super) all: bool,
}

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::{Line, report_request};

    #[test]
    fn the_line_is_consistent() {
        Line::command().debug_assert();
    }

    #[test]
    fn a_report_is_kind_and_file() {
        for (text, expected) in [
            ("html=a.html", true),
            ("json=-", true),
            ("junit=a=b.xml", true),
            ("html", false),
            ("html=", false),
            ("pdf=a.pdf", false),
        ] {
            assert_eq!(report_request(text).is_ok(), expected, "{text}");
        }
    }

    #[test]
    fn what_contradicts_itself_is_refused() {
        for (line, expected) in [
            ("moot run", true),
            ("moot run section:4.5 --report html=a --report json=-", true),
            ("moot run -q -v", false),
            ("moot run --jobs 0", false),
            ("moot run --world demo --answers documented", true),
            ("moot run --target a.yaml --answers documented", false),
            ("moot run --receiver-url http://a", false),
            ("moot run --receiver 127.0.0.1:0 --receiver-url http://a", true),
            ("moot snapshot accept", false),
            ("moot snapshot accept --all", true),
            ("moot snapshot accept --all name", false),
            ("moot check", false),
            ("moot compare mock", false),
            ("moot compare mock mock 07_errors --answers-b documented", true),
            ("moot compare mock mock --report junit=a.xml", false),
            ("moot mock --listen localhost", false),
            ("moot exec", false),
            ("moot exec --", false),
            ("moot exec true", false),
            ("moot exec --seed 1 -- true --format json", true),
        ] {
            assert_eq!(Line::try_parse_from(line.split(' ')).is_ok(), expected, "{line}");
        }
    }
}
