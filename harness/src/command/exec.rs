//! `moot exec`: runs a command against a mock of its own, then tells what it did there.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::ExitStatus;

use moot_mock::shell::{ServeLimits, Site, SiteOptions, serve};
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::process::{Child, Command};
use tokio::sync::oneshot;

use super::environment;
use super::failure::Failure;
use super::line::ExecArguments;
use super::mock::settings_of;
use super::run::runtime;
use super::screen::Screen;
use crate::conduct::{self, Account};
use crate::report::escape;

/// As shells, `env` and `timeout` end where a command is not found, or can't be run.
const NOT_FOUND: u8 = 127;
const NOT_EXECUTABLE: u8 = 126;
/// Added to the number of the signal that ended a command, as shells do.
const SIGNAL_BASE: i32 = 128;

/// Exit code of the command.
pub(super) fn exec(arguments: ExecArguments, screen: &Screen) -> Result<u8, Failure> {
    runtime()?.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0")
            .await
            .map_err(|error| Failure::fault(format!("can't listen on loopback: {error}")))?;
        let bound = listener
            .local_addr()
            .map_err(|error| Failure::fault(format!("the socket has no address: {error}")))?;
        let settings = settings_of(&arguments.world, format!("http://{bound}"))?;
        let site = Site::new(SiteOptions::new(settings))
            .map_err(|error| Failure::usage(format!("the mock can't start: {error}")))?;
        let (stop, stopped) = oneshot::channel::<()>();
        // Told to stop, or this task is gone: both end it.
        let told = async { drop(stopped.await) };
        let served = tokio::spawn(serve(listener, site.clone(), ServeLimits::default(), told));
        let ended = run(&arguments.command, &site.describe()).await;
        drop(stop);
        // What runs still is in the journal only when it ends.
        let _ = served.await;
        let code = exit_code(ended?);
        tell(&site, code, screen)?;
        Ok(code)
    })
}

/// Runs the command to its end. Interrupts reach it from the terminal as they reach us, so they are
/// not ours to act on; a SIGTERM is passed on.
async fn run(line: &[OsString], description: &Value) -> Result<ExitStatus, Failure> {
    let Some((program, words)) = line.split_first() else {
        return Err(Failure::usage("there is no command to run"));
    };
    let mut signals = Signals::new()?;
    let mut command = Command::new(program);
    command.args(words).kill_on_drop(true);
    environment::set(&mut command, description);
    let mut child = command.spawn().map_err(|error| not_started(program, &error))?;
    loop {
        tokio::select! {
            ended = child.wait() => {
                return ended.map_err(|error| {
                    Failure::fault(format!("the command can't be waited for: {error}"))
                });
            }
            () = signals.terminated() => terminate(&mut child),
        }
    }
}

fn not_started(program: &OsString, error: &std::io::Error) -> Failure {
    let name = program.to_string_lossy();
    let exit_code = if error.kind() == ErrorKind::NotFound { NOT_FOUND } else { NOT_EXECUTABLE };
    Failure { exit_code, ..Failure::usage(format!("can't run {name}: {error}")) }
}

#[cfg(unix)]
fn exit_code(ended: ExitStatus) -> u8 {
    use std::os::unix::process::ExitStatusExt;
    let code = ended.code().or_else(|| Some(SIGNAL_BASE + ended.signal()?));
    code.and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

#[cfg(not(unix))]
fn exit_code(ended: ExitStatus) -> u8 {
    ended.code().and_then(|code| u8::try_from(code).ok()).unwrap_or(u8::MAX)
}

/// To stderr, so that stdout stays the command's; as JSON, the last line of stdout.
fn tell(site: &Site, code: u8, screen: &Screen) -> Result<(), Failure> {
    let calls = conduct::read(&site.exchanges())
        .map_err(|error| Failure::fault(format!("the journal can't be read: {error}")))?;
    let account = Account::of(&calls);
    if screen.is_json() {
        let told = json!({ "exit_code": code, "conduct": account });
        return screen.print(&format!("{}\n", escape::json(&told.to_string())));
    }
    screen.note(&format!("\n{}", conduct::text::render(&account, screen.paint_err())))
}

/// The signals that end a process kindly, taken from their default.
#[cfg(unix)]
struct Signals {
    terminate: tokio::signal::unix::Signal,
    /// Held, so that an interrupt does not end us before the command.
    _interrupt: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> Result<Self, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        let refusal = |error| Failure::fault(format!("signals can't be waited for: {error}"));
        Ok(Self {
            terminate: signal(SignalKind::terminate()).map_err(refusal)?,
            _interrupt: signal(SignalKind::interrupt()).map_err(refusal)?,
        })
    }

    async fn terminated(&mut self) {
        if self.terminate.recv().await.is_none() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(unix)]
fn terminate(child: &mut Child) {
    let id = child.id().and_then(|id| i32::try_from(id).ok());
    if let Some(id) = id.and_then(rustix::process::Pid::from_raw) {
        // Where it is gone already, its end is what is waited for.
        let _ = rustix::process::kill_process(id, rustix::process::Signal::TERM);
    }
}

/// Elsewhere nothing asks a process to end.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> Result<Self, Failure> {
        Ok(Self)
    }

    async fn terminated(&mut self) {
        std::future::pending::<()>().await;
    }
}

#[cfg(not(unix))]
fn terminate(child: &mut Child) {
    // Where it is gone already, its end is what is waited for.
    let _ = child.start_kill();
}
