//! `moot exec`: runs a command against a mock of its own, then tells what it did there.

use std::ffi::OsString;
use std::fs;
use std::io::ErrorKind;
use std::process::ExitStatus;

use moot_mock::shell::Site;
use serde_json::json;
use tokio::process::{Child, Command};
use tokio::sync::oneshot;

use super::failure::Failure;
use super::line::{ExecArguments, ReportRequest};
use super::run::{is_stdout, runtime};
use super::screen::Screen;
use super::{artefact, environment, mock};
use crate::conduct::{self, Account};
use crate::masks::{Masks, Secrets};
use crate::report::Format;
use crate::terminal::escape;
use crate::terminal::paint::Paint;

/// As shells, `env` and `timeout` end where a command is not found, or can't be run.
const NOT_FOUND: u8 = 127;
const NOT_EXECUTABLE: u8 = 126;
/// Added to the number of the signal that ended a command, as shells do.
const SIGNAL_BASE: i32 = 128;

/// Exit code of the command.
pub(super) fn exec(arguments: ExecArguments, screen: &Screen) -> Result<u8, Failure> {
    let ExecArguments { listen, world, place, reports, command } = &arguments;
    artefact::check(reports)?;
    runtime()?.block_on(async {
        let opened = mock::open(*listen, place, world).await?;
        let site = opened.site.clone();
        if let Some(note) = &opened.note {
            screen.note(note)?;
        }
        site.remember_deleted();
        let (admin_token, description) = (opened.admin_token.clone(), site.describe());
        let certificate = match place.tls.as_deref() {
            Some([certificate, ..]) => std::path::absolute(certificate).ok(),
            Some([]) | None => None,
        };
        let (stop, stopped) = oneshot::channel::<()>();
        // Told to stop, or this task is gone: both end it.
        let told = async { drop(stopped.await) };
        let served = tokio::spawn(opened.serve(told));
        let ended = run(command, |command| {
            environment::set(command, &description, admin_token.as_deref(), certificate.as_deref());
        })
        .await;
        drop(stop);
        // What runs still is in the journal only when it ends.
        let _ = served.await;
        let code = exit_code(ended?);
        Told { site, admin_token }.tell(code, reports, screen)?;
        Ok(code)
    })
}

/// Runs the command to its end. Signals that ask a process to end are passed on; an interrupt that
/// was typed reaches it from the terminal as it reaches us, so that one is not ours to act on.
async fn run(line: &[OsString], prepare: impl FnOnce(&mut Command)) -> Result<ExitStatus, Failure> {
    let Some((program, words)) = line.split_first() else {
        return Err(Failure::usage("there is no command to run"));
    };
    let mut signals = Signals::new()?;
    let mut command = Command::new(program);
    command.args(words).kill_on_drop(true);
    prepare(&mut command);
    let mut child = command.spawn().map_err(|error| not_started(program, &error))?;
    loop {
        tokio::select! {
            ended = child.wait() => {
                return ended.map_err(|error| {
                    Failure::fault(format!("the command can't be waited for: {error}"))
                });
            }
            signal = signals.next() => pass_on(&mut child, signal),
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

/// What is told of, and what must not be.
struct Told {
    site: Site,
    admin_token: Option<String>,
}

impl Told {
    /// To stderr, so that stdout stays the command's; as JSON, the last line of stdout. Reports go
    /// where they were asked for.
    fn tell(&self, code: u8, reports: &[ReportRequest], screen: &Screen) -> Result<(), Failure> {
        let worlds = conduct::read(&self.site.journals())
            .map_err(|error| Failure::fault(format!("the journal can't be read: {error}")))?;
        let account = Account::of(&worlds);
        let json = || {
            let told = json!({ "exit_code": code, "conduct": account });
            self.without_secrets(&format!("{}\n", escape::json(&told.to_string())))
        };
        let text = |paint| self.without_secrets(&conduct::text::render(&account, paint));
        let written = reports.iter().map(|request| match request.format {
            Format::Json => write(request, &json()?, screen),
            _ => write(request, &text(Paint { color: false })?, screen),
        });
        written.collect::<Result<(), Failure>>()?;
        if screen.is_json() {
            return screen.print(&json()?);
        }
        screen.note(&format!("\n{}", text(screen.paint_err())?))
    }

    /// A client may have sent a secret where none belongs, such as in a path.
    ///
    /// # Errors
    /// One is left all the same, in any form in which it can be found.
    fn without_secrets(&self, text: &str) -> Result<String, Failure> {
        let masks = Masks::default();
        if let Some(token) = &self.admin_token {
            masks.hide(token, "admin token");
        }
        for secret in self.site.secrets_near(text) {
            masks.hide(&secret, "secret");
        }
        let secrets = Secrets::of(&masks);
        let masked = secrets.mask(text);
        if secrets.is_in(&masked) {
            return Err(Failure::fault("the account holds a secret, and was not written"));
        }
        Ok(masked)
    }
}

fn write(request: &ReportRequest, text: &str, screen: &Screen) -> Result<(), Failure> {
    if is_stdout(request) {
        return screen.print(text);
    }
    fs::write(&request.file, text)
        .map_err(|error| Failure::fault(format!("{} can't be written: {error}", request.file)))
}

/// The signals that ask a process to end, taken from their default.
#[cfg(unix)]
struct Signals {
    terminate: tokio::signal::unix::Signal,
    interrupt: tokio::signal::unix::Signal,
    hang_up: tokio::signal::unix::Signal,
    /// Whether a person may have typed an interrupt: then the command has it already.
    is_typed: bool,
}

#[cfg(unix)]
impl Signals {
    fn new() -> Result<Self, Failure> {
        use std::io::IsTerminal;
        use tokio::signal::unix::{SignalKind, signal};
        let taken = |kind| {
            signal(kind)
                .map_err(|error| Failure::fault(format!("signals can't be waited for: {error}")))
        };
        Ok(Self {
            terminate: taken(SignalKind::terminate())?,
            interrupt: taken(SignalKind::interrupt())?,
            hang_up: taken(SignalKind::hangup())?,
            is_typed: std::io::stdin().is_terminal(),
        })
    }

    /// The next one to pass on.
    async fn next(&mut self) -> rustix::process::Signal {
        use rustix::process::Signal;
        loop {
            tokio::select! {
                Some(()) = self.terminate.recv() => return Signal::TERM,
                Some(()) = self.hang_up.recv() => return Signal::HUP,
                Some(()) = self.interrupt.recv() => {
                    if !self.is_typed {
                        return Signal::INT;
                    }
                }
                else => std::future::pending::<()>().await,
            }
        }
    }
}

#[cfg(unix)]
fn pass_on(child: &mut Child, signal: rustix::process::Signal) {
    let id = child.id().and_then(|id| i32::try_from(id).ok());
    if let Some(id) = id.and_then(rustix::process::Pid::from_raw) {
        // Where it is gone already, its end is what is waited for.
        let _ = rustix::process::kill_process(id, signal);
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

    async fn next(&mut self) {
        std::future::pending::<()>().await;
    }
}

#[cfg(not(unix))]
fn pass_on(child: &mut Child, (): ()) {
    // Where it is gone already, its end is what is waited for.
    let _ = child.start_kill();
}
