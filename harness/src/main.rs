//! The command line `moot`: everything is in [`moot_harness::command`].

use std::process::ExitCode;

fn main() -> ExitCode {
    moot_harness::command::main(std::env::args_os())
}
