//! The commands of `moot`: they read the command line, call the library, and print the result.
//!
//! Each command has a file with its arguments. It returns an exit code or a `CommandError`. Only [`main`]
//! prints errors. Nothing here judges or renders a result: that is [`crate::run`] and [`crate::report`].

mod answers;
mod call_lines;
mod check;
mod clean;
mod compare;
mod console;
mod coverage;
mod descendants;
mod doctor;
mod documents;
mod drill;
mod error;
mod event_stream;
mod exec;
mod exec_environment;
mod explain;
mod explore;
mod files;
mod formats;
mod init;
mod judge;
mod list;
mod listen;
mod merge;
mod mock;
mod number;
mod perform;
mod plan;
mod plan_estimate;
mod plan_shards;
mod plan_totals;
mod progress;
mod ready;
mod receive;
mod recorded_calls;
mod repeat;
mod reports;
mod reproduce;
mod review;
mod run;
mod run_snapshots;
mod runtime;
mod screen;
mod selftest;
mod selftest_conduct;
mod selftest_shard;
mod serve;
mod shards;
#[cfg(feature = "postgres")]
mod shared_state;
mod signals;
mod snapshot;
mod suite;
mod target_arguments;
mod token;
mod verification;

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::ExitCode;

use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};

use error::CommandError;
use reproduce::GivenOptions;
use screen::Screen;

const EXIT_CODES: &str = "\
Exit codes: 0 conformant, 1 violation, 2 usage or a wrong file, 3 not everything checked, \
4 target unreachable or credentials refused, 5 drift, 70 internal error.";

/// A moot court for the Legal Request Service API: a mock of the service, and a harness that judges
/// implementations of it.
#[derive(Debug, Parser)]
#[command(name = "moot", version, after_help = EXIT_CODES)]
struct CommandLine {
    #[command(subcommand)]
    command: Command,
    #[command(flatten)]
    screen: Screen,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Judge a deployment, or the mock in this process, and report
    Run(run::RunArguments),
    /// Join the results of the shards of a run, and report them as one run
    Merge(merge::MergeArguments),
    /// Judge a recording again, without a network
    Judge(judge::JudgeArguments),
    /// Compare two targets: run the same plan on both, and show every difference, grouped by kind
    Compare(compare::CompareArguments),
    /// Try random cases on a deployment, or on the mock in this process, and save those that fail
    Explore(explore::ExploreArguments),
    /// Serve the mock over HTTP, with a control plane
    Mock(mock::MockArguments),
    /// Show the calls of a recording, an HTTP archive or a certificate in a browser, read-only
    Console(console::ConsoleArguments),
    /// Receive webhooks, and print them
    Receive(receive::ReceiveArguments),
    /// Run a command against a mock of its own, and report its calls and its mistakes
    Exec(exec::ExecArguments),
    /// Run the command of a client once per drill, each time in another situation, and grade the client
    Drill(Box<drill::DrillArguments>),
    /// List scenarios
    List(suite::SuiteArguments),
    /// Show the scenarios that would run on a target, those that would not and why, and the number of requests.
    /// Sends nothing
    Plan(plan::PlanArguments),
    /// Try a target within ten seconds: address, TLS, credentials, and the needs of scenarios that it meets
    Doctor(target_arguments::TargetArguments),
    /// Write a target file with comments, a GitHub workflow and a line for `.gitignore`
    Init(init::InitArguments),
    /// Print a token of an application of a target, for the commands in reports. Keep it secret
    Token(token::TokenArguments),
    /// Delete the objects that earlier runs left on a target, and list those that only its owner can delete
    Clean {
        /// A target file. Every object that its ledger lists is deleted, even if the file does not consent to `delete`
        #[arg(long, value_name = "FILE")]
        target: PathBuf,
    },
    /// Check scenario files for mistakes, without sending anything
    Check {
        /// Scenario files, or folders of them
        #[arg(value_name = "FILE", required = true)]
        files: Vec<PathBuf>,
    },
    /// Explain a requirement, an open question, a rule of conduct or a defect
    Explain(explain::ExplainArguments),
    /// Show the requirements, and the checks of each
    Coverage(coverage::CoverageArguments),
    /// Test the suite itself, with drawn answers, defects, and targets that are not the service
    Selftest(selftest::SelftestArguments),
    /// List, accept or reject recorded responses
    Snapshot {
        #[command(subcommand)]
        command: snapshot::SnapshotCommand,
    },
    /// Show a set of answers to open questions, or the differences of two sets
    Answers {
        #[command(subcommand)]
        command: answers::AnswersCommand,
    },
    /// Print a JSON Schema: of a file that you write (`target`, `scenario`, `expected`, `answers`, `world`), of a
    /// report (`report`, `compare`, `conduct`, `drill`), or one of the contract. Without a name, print all names
    Schema(documents::SchemaArguments),
    /// Print the OpenAPI document of the service
    Openapi,
    /// Print a completion script for a shell
    Completions {
        /// The shell
        #[arg(value_enum)]
        shell: clap_complete::Shell,
    },
    /// Write a man page for each command into a folder
    Man {
        /// The folder
        folder: PathBuf,
    },
}

/// Runs the command that `arguments` name, with the name of the program first.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let arguments: Vec<OsString> = arguments.into_iter().collect();
    let (line, given) = match parse(&arguments) {
        Ok(parsed) => parsed,
        Err(refusal) if refusal.use_stderr() && screen::wants_json(&arguments) => {
            let message = refusal.render().to_string();
            let message = message.trim_end().trim_start_matches("error: ");
            screen::print_json_error(&CommandError::usage(message));
            return ExitCode::from(error::USAGE);
        }
        Err(refusal) => {
            // For clap, help and version are errors too. They go to stdout and end with 0. A closed terminal
            // changes nothing: only the exit code remains.
            let _ = refusal.print();
            return ExitCode::from(if refusal.use_stderr() { error::USAGE } else { 0 });
        }
    };
    match dispatch(line.command, &given, &line.screen) {
        Ok(code) => ExitCode::from(code),
        Err(error) => {
            line.screen.error(&error);
            ExitCode::from(error.exit_code)
        }
    }
}

/// The definition of the command line. The page of all commands in `docs/reference` is made from it.
pub fn definition() -> clap::Command {
    CommandLine::command()
}

fn parse(arguments: &[OsString]) -> Result<(CommandLine, GivenOptions), clap::Error> {
    let mut program = accept_negative_numbers(definition());
    let given = program.clone().try_get_matches_from(arguments)?;
    let line = CommandLine::from_arg_matches(&given).map_err(|error| error.format(&mut program))?;
    Ok((line, GivenOptions::of(&program, &given)))
}

/// Accepts `-1` as a value, so that the message names the numbers that the option takes.
fn accept_negative_numbers(program: clap::Command) -> clap::Command {
    let of_values = |argument: clap::Arg| match argument.get_action().takes_values() {
        true => argument.allow_negative_numbers(true),
        false => argument,
    };
    program.mut_args(of_values).mut_subcommands(accept_negative_numbers)
}

fn dispatch(command: Command, given: &GivenOptions, screen: &Screen) -> Result<u8, CommandError> {
    match command {
        Command::Run(arguments) => run::run(arguments, given, screen),
        Command::Merge(arguments) => merge::merge(arguments, screen),
        Command::Judge(arguments) => judge::judge(arguments, given, screen),
        Command::Compare(arguments) => compare::compare(arguments, given, screen),
        Command::Explore(arguments) => explore::explore(arguments, given, screen),
        Command::Mock(arguments) => mock::mock(arguments, screen),
        Command::Console(arguments) => console::console(arguments, screen),
        Command::Receive(arguments) => receive::receive(arguments, screen),
        Command::Exec(arguments) => exec::exec(arguments, screen),
        Command::Drill(arguments) => drill::drill(*arguments, screen),
        Command::List(arguments) => list::list(arguments, screen),
        Command::Plan(arguments) => plan::plan(arguments, screen),
        Command::Doctor(arguments) => doctor::doctor(arguments, screen),
        Command::Init(arguments) => init::init(arguments, screen),
        Command::Token(arguments) => token::token(arguments, screen),
        Command::Check { files } => check::check(&files, screen),
        Command::Clean { target } => clean::clean(&target, screen),
        Command::Explain(arguments) => explain::explain(arguments, screen),
        Command::Selftest(arguments) => selftest::selftest(arguments, screen),
        Command::Coverage(arguments) => coverage::coverage(arguments, screen),
        Command::Snapshot { command } => snapshot::snapshot(command, screen),
        Command::Answers { command } => answers::answers(command, screen),
        Command::Schema(arguments) => documents::schema(arguments, screen),
        Command::Openapi => documents::openapi(screen),
        Command::Completions { shell } => documents::completions(shell, &mut definition(), screen),
        Command::Man { folder } => documents::man(&folder, definition()),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use clap::{CommandFactory, Parser};

    use super::{CommandLine, GivenOptions, parse};

    fn given(line: &[&str]) -> GivenOptions {
        let words: Vec<OsString> = ["moot"].iter().chain(line).map(OsString::from).collect();
        parse(&words).expect("a valid line").1
    }

    #[test]
    fn the_command_that_repeats_a_run_names_the_seed_and_no_reports() {
        for (line, expected) in [
            (&["run"][..], "moot run --seed 7"),
            (&["run", "--seed", "9", "--report", "json=a"], "moot run --seed 7"),
            (&["run", "--answers", "random:3"], "moot run --answers random:3 --seed 7"),
            (&["run", "--repeat", "9", "--shuffle"], "moot run --repeat 9 --shuffle --seed 7"),
            (
                &["run", "--exclude", "08_limits", "x", "--exclude=tag:load"],
                "moot run x --exclude 08_limits --exclude tag:load --seed 7",
            ),
            (&["run", "a b", "it's", "--strict"], "moot run 'a b' 'it'\\''s' --strict --seed 7"),
            (&["run", "--world", "", "-q", "--format", "json"], "moot run --world '' --seed 7"),
            (
                &["run", "--record", "a", "--save-answers", "b", "--snapshots", "off", "--force"],
                "moot run --seed 7",
            ),
            (
                &["run", "--rate", "0", "x*", "--jobs", "2", "--target", "t.yaml"],
                "moot run 'x*' --target t.yaml --rate 0 --jobs 2 --seed 7",
            ),
            (
                &["compare", "--strict", "mock", "b.yaml", "x", "--receiver", "4010"],
                "moot compare mock b.yaml x --strict --receiver 4010 --seed 7",
            ),
        ] {
            assert_eq!(given(line).line(&[("seed", 7)]), expected);
        }
    }

    #[test]
    fn defaults_that_decide_the_result_are_named() {
        for line in [&["explore"][..], &["explore", "--cases", "30", "--save", "a.yaml"]] {
            let line = given(line).line(&[("cases", 30), ("seed", 7)]);
            assert_eq!(line, "moot explore --cases 30 --seed 7");
        }
        let judge = ["judge", "--expected", "e.yaml", "a folder", "x"];
        assert_eq!(given(&judge).line(&[]), "moot judge 'a folder' x --expected e.yaml");
        assert_eq!(given(&judge).only(&["expected", "strict"]), " --expected e.yaml");
    }

    #[test]
    fn the_options_that_are_repeated_or_not_exist() {
        let program = CommandLine::command();
        let arguments = program.get_subcommands().flat_map(clap::Command::get_arguments);
        let ids: Vec<&str> = arguments.map(|argument| argument.get_id().as_str()).collect();
        for id in super::reproduce::NOT_REPEATED.into_iter().chain(super::run::OF_ONE_SCENARIO) {
            assert!(ids.contains(&id), "{id}");
        }
    }

    #[test]
    fn the_command_line_is_consistent() {
        CommandLine::command().debug_assert();
    }

    #[test]
    fn contradictions_are_refused() {
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
            ("moot mock --listen localhost:4010", true),
            ("moot mock --listen 4010", true),
            ("moot mock --port 4010", true),
            ("moot mock --port 4010 --listen 4011", false),
            ("moot receive --port 4010", true),
            ("moot token --as reader", false),
            ("moot token --target t.yaml --as reader --scope read", true),
            ("moot run --exclude 08_limits --exclude tag:load", true),
            ("moot exec", false),
            ("moot exec --", false),
            ("moot exec true", false),
            ("moot exec --seed 1 -- true --format json", true),
        ] {
            assert_eq!(CommandLine::try_parse_from(line.split(' ')).is_ok(), expected, "{line}");
        }
    }
}
