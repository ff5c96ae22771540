//! The commands of `moot`: they read the line, call the library, and say what came of it.
//!
//! One file a command. A command returns its exit code or a `Failure`; only [`main`] prints that and
//! ends. Nothing here judges or renders a result: that is [`crate::run`] and [`crate::report`].

mod again;
mod answers;
mod artefact;
mod check;
mod compare;
mod coverage;
mod doctor;
mod documents;
mod environment;
mod exec;
mod explain;
mod explore;
mod failure;
mod interrupt;
mod judge;
mod line;
mod list;
mod mock;
mod plan;
mod planned;
mod progress;
mod ready;
mod receive;
mod recording;
mod repeat;
mod review;
mod run;
mod screen;
mod selftest;
mod selftest_deployed;
mod snapshot;
mod stream;
mod suite;
mod verified;

use std::ffi::OsString;
use std::process::ExitCode;

use clap::Parser;

use failure::Failure;
use line::{Command, Line};
use screen::Screen;

/// Runs the command that `arguments` (the program's name first) ask for.
pub fn main(arguments: impl IntoIterator<Item = OsString>) -> ExitCode {
    let line = match Line::try_parse_from(arguments) {
        Ok(line) => line,
        Err(refusal) => {
            // Help and version are refusals to clap; they go to stdout and end with 0. Nothing is
            // left to be done where the terminal is gone.
            let _ = refusal.print();
            return ExitCode::from(if refusal.use_stderr() { failure::USAGE } else { 0 });
        }
    };
    let screen = Screen::new(&line);
    match dispatch(line.command, &screen) {
        Ok(code) => ExitCode::from(code),
        Err(failure) => {
            screen.failure(&failure);
            ExitCode::from(failure.exit_code)
        }
    }
}

fn dispatch(command: Command, screen: &Screen) -> Result<u8, Failure> {
    match command {
        Command::Run(arguments) => run::run(arguments, screen),
        Command::Judge(arguments) => judge::judge(arguments, screen),
        Command::Compare(arguments) => compare::compare(arguments, screen),
        Command::Explore(arguments) => explore::explore(arguments, screen),
        Command::Mock(arguments) => mock::mock(arguments, screen),
        Command::Receive(arguments) => receive::receive(arguments, screen),
        Command::Exec(arguments) => exec::exec(arguments, screen),
        Command::List(arguments) => list::list(arguments, screen),
        Command::Plan(arguments) => plan::plan(arguments, screen),
        Command::Doctor(arguments) => doctor::doctor(arguments, screen),
        Command::Check(arguments) => check::check(arguments, screen),
        Command::Explain(arguments) => explain::explain(arguments, screen),
        Command::Selftest(arguments) => selftest::selftest(arguments, screen),
        Command::Coverage(arguments) => coverage::coverage(arguments, screen),
        Command::Snapshot { command } => snapshot::snapshot(command, screen),
        Command::Answers { command } => answers::answers(command, screen),
        Command::Schema { name } => documents::schema(name.as_deref(), screen),
        Command::Openapi => documents::openapi(screen),
        Command::Completions { shell } => documents::completions(shell, screen),
    }
}
