//! The command line as types; clap reads it, and its help is written here.

mod judging;
mod keeping;
mod proving;
mod request;
mod serving;

use clap::{Parser, Subcommand, ValueEnum};

pub(super) use judging::{
    CompareArguments, DoctorArguments, ExploreArguments, JudgeArguments, PlanArguments,
    ReachArguments, RunArguments, SuiteArguments, TargetArguments,
};
pub(super) use keeping::{
    AnswersCommand, SNAPSHOT_DIR, SnapshotBundle, SnapshotChoice, SnapshotCommand, SnapshotNames,
};
pub(super) use proving::{CheckArguments, CoverageArguments, ExplainArguments, SelftestArguments};
pub(super) use request::{ReportRequest, SelftestKind, SelftestReport};
pub(super) use serving::{
    DEFAULT_WORLD, ExecArguments, MockArguments, PlaceArguments, ReceiveArguments, WorldArguments,
};

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
    /// Explain a requirement, an open question or a defect, and show what checks or breaks it
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

#[cfg(test)]
mod tests {
    use clap::{CommandFactory, Parser};

    use super::Line;

    #[test]
    fn the_line_is_consistent() {
        Line::command().debug_assert();
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
