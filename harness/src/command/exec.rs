//! `moot exec`: runs a command against a mock of its own, then reports what the command did there.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::net::SocketAddr;
use std::process::ExitStatus;

use clap::Args;
use moot_fixtures::contract::Severity;
use moot_fixtures::nearest::ending;
use moot_mock::shell::Site;
use tokio::process::{Child, Command};
use tokio::sync::oneshot;

use super::descendants::Descendants;
use super::error::CommandError;
use super::exec_environment;
use super::listen::{at_port, listen_address};
use super::reports::{self, ReplaceArguments, ReportRequest, report_of};
use super::runtime::runtime;
use super::screen::Screen;
use super::serve::{ListeningMock, PlaceArguments, ServedMock, WorldArguments, certificate_file};
use crate::exchange::escape;
use crate::exchange::masks::{Masks, Secrets};
use crate::grading::conduct::{self, Account, ConductFinding};
use crate::report::Format;
use crate::report::terminal::paint::Paint;

/// Exit codes of shells for a command that is not found, or can't be run.
const NOT_FOUND: u8 = 127;
const NOT_EXECUTABLE: u8 = 126;
/// Shells add this to the number of the signal that ended a command.
const SIGNAL_BASE: i32 = 128;
/// The exit code of a broken rule that `--fail-on` names.
const BROKEN_RULE: u8 = 1;

#[derive(Debug, Args)]
pub(super) struct ExecArguments {
    /// Where to listen: ADDRESS:PORT, localhost:PORT or PORT; port 0 takes a free one
    #[arg(long, value_name = "ADDR", default_value = "127.0.0.1:0", value_parser = listen_address)]
    listen: SocketAddr,
    /// Listen on this port of 127.0.0.1
    #[arg(long, value_name = "PORT", conflicts_with = "listen")]
    port: Option<u16>,
    #[command(flatten)]
    world: WorldArguments,
    #[command(flatten)]
    place: PlaceArguments,
    /// Write what the command did to a file too: text, json, markdown, junit or html; `-` is stdout;
    /// repeatable
    #[arg(long = "report", value_name = "KIND=FILE", value_parser = report_of(
        &[Format::Text, Format::Json, Format::Junit, Format::Html, Format::Markdown]))]
    reports: Vec<ReportRequest>,
    #[command(flatten)]
    replace: ReplaceArguments,
    /// End with 1 if a rule of conduct is broken: must, should, hint (these and the graver ones), or the
    /// id of a rule; repeatable. The exit code of a command that failed stays
    #[arg(long, value_name = "SEVERITY|RULE", value_parser = conduct_gate)]
    fail_on: Vec<ConductGate>,
    /// After the command, keep the mock and its console until Ctrl-C
    #[arg(long)]
    console: bool,
    /// The command and its arguments, after `--`
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<OsString>,
}

/// What `--fail-on` names.
#[derive(Debug, Clone)]
enum ConductGate {
    /// This severity, and the graver ones.
    Severity(Severity),
    /// The rule of this id.
    Rule(&'static str),
}

impl ConductGate {
    fn stops(&self, finding: &ConductFinding) -> bool {
        match self {
            Self::Severity(severity) => finding.severity <= *severity,
            Self::Rule(id) => finding.rule == *id,
        }
    }
}

fn conduct_gate(text: &str) -> Result<ConductGate, String> {
    if let Ok(severity) = text.parse() {
        return Ok(ConductGate::Severity(severity));
    }
    let rule = moot_fixtures::conduct::get(text).ok_or_else(|| {
        let near = ending(moot_fixtures::conduct::nearest(text));
        format!("`{text}` is neither a severity (must, should, hint) nor a rule of conduct{near}")
    })?;
    Ok(ConductGate::Rule(&rule.id))
}

/// Returns the exit code of the command, or 1 if it ended well and broke a rule of `--fail-on`.
pub(super) fn exec(arguments: ExecArguments, screen: &Screen) -> Result<u8, CommandError> {
    let ExecArguments { listen, port, world, place, reports, replace, fail_on, console, command } =
        &arguments;
    reports::check(reports, *replace)?;
    runtime()?.block_on(async {
        let opened = ListeningMock::open(at_port(*listen, *port), place, world, None).await?;
        let site = match &opened.served {
            ServedMock::Site(site) => site.clone(),
            #[cfg(feature = "postgres")]
            ServedMock::Node(_) => {
                return Err(CommandError::usage("--state: `moot exec` keeps its data in a folder")
                    .help(
                        "for a shared mock, start `moot mock`, and give the client its address",
                    ));
            }
        };
        if let Some(note) = &opened.note {
            screen.note(note)?;
        }
        site.remember_deleted();
        let (admin_token, description) = (opened.admin_token.clone(), site.describe());
        let certificate = certificate_file(place.tls.as_deref());
        let (stop, stopped) = oneshot::channel::<()>();
        // Both a message and a dropped sender end the mock.
        let stopped = async { drop(stopped.await) };
        let served = tokio::spawn(opened.serve(stopped));
        let (descendants, inherited) = Descendants::new();
        let ended = run(command, inherited, |command| {
            exec_environment::set(
                command,
                &description,
                admin_token.as_deref(),
                certificate.as_deref(),
            );
        })
        .await;
        let outlived = match ended.is_ok() {
            true => descendants.outlive().await,
            false => false,
        };
        if *console {
            let url = description["console"].as_str().unwrap_or_default();
            super::console::keep(url, screen).await?;
        }
        drop(stop);
        // A call is in the journal only after it ended.
        let _ = served.await;
        let code = exit_code(ended?);
        let account = Account { outlived, ..account(&site)? };
        let broken = account.findings.iter().any(|it| fail_on.iter().any(|gate| gate.stops(it)));
        let code = if code == 0 && broken { BROKEN_RULE } else { code };
        let report = |format: Format, paint: Paint| {
            let text = rendered(&account, code, format, paint)?;
            without_secrets(&text, &site, admin_token.as_deref())
        };
        reports::write_all(reports, screen, |request, paint| report(request.format, paint))?;
        // Stdout belongs to the command. JSON is its last line.
        match screen.is_json() {
            true => screen.print(&report(Format::Json, screen.paint())?)?,
            false => {
                screen.note(&format!("\n{}", report(Format::Text, screen.paint_err())?))?;
            }
        }
        Ok(code)
    })
}

/// Runs the command to its end, and passes on the signals that ask a process to end. A typed Ctrl-C already
/// reaches the command from the terminal, so it is not passed on. `inherited` is ours until the command has it.
async fn run<Inherited>(
    line: &[OsString],
    inherited: Inherited,
    prepare: impl FnOnce(&mut Command),
) -> Result<ExitStatus, CommandError> {
    let Some((program, words)) = line.split_first() else {
        return Err(CommandError::usage("there is no command to run"));
    };
    let mut signals = PassedSignals::new()?;
    let mut command = Command::new(program);
    command.args(words).kill_on_drop(true);
    prepare(&mut command);
    let mut child = command.spawn().map_err(|error| not_started(program, &error))?;
    drop(inherited);
    loop {
        tokio::select! {
            ended = child.wait() => {
                return ended.map_err(|error| {
                    CommandError::fault(format!("can't wait for the end of the command: {error}"))
                });
            }
            signal = signals.next() => pass_on(&mut child, signal),
        }
    }
}

fn not_started(program: &OsString, error: &std::io::Error) -> CommandError {
    let name = program.to_string_lossy();
    let exit_code = if error.kind() == ErrorKind::NotFound { NOT_FOUND } else { NOT_EXECUTABLE };
    CommandError::usage(format!("can't run {name}: {error}")).exit(exit_code)
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

/// What the command did, by the journals of its mock.
fn account(site: &Site) -> Result<Account, CommandError> {
    let unread = |error| CommandError::fault(format!("the journal can't be read: {error}"));
    let journals = site.journals();
    let worlds = conduct::read(&journals).map_err(unread)?;
    let control = conduct::control_uses(&journals).map_err(unread)?;
    Ok(Account { control, ..Account::of(&worlds) })
}

/// The account in this format, `code` is the exit code.
fn rendered(
    account: &Account,
    code: u8,
    format: Format,
    paint: Paint,
) -> Result<String, CommandError> {
    match format {
        Format::Json => {
            let report = conduct::json::render(account, code).to_string();
            Ok(format!("{}\n", escape::json(&report)))
        }
        Format::Markdown => conduct::page::markdown(account).map_err(CommandError::fault),
        Format::Junit => conduct::junit::render(account).map_err(CommandError::fault),
        Format::Html => conduct::page::html(account).map_err(CommandError::fault),
        _ => Ok(conduct::text::render(account, paint)),
    }
}

/// Masks secrets. A client may have sent one in a wrong place, such as a path.
///
/// # Errors
/// A secret is left in any form.
fn without_secrets(
    text: &str,
    site: &Site,
    admin_token: Option<&str>,
) -> Result<String, CommandError> {
    let masks = Masks::default();
    if let Some(token) = admin_token {
        masks.hide(token, "admin token");
    }
    for secret in site.secrets_near(text) {
        masks.hide(&secret, "secret");
    }
    let secrets = Secrets::of(&masks);
    let masked = secrets.mask(text);
    if secrets.is_in(&masked) {
        return Err(CommandError::fault(
            "the report would contain a secret, so it was not written",
        ));
    }
    Ok(masked)
}

/// Handlers of the signals that ask a process to end. Other systems have none.
struct PassedSignals {
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    hang_up: tokio::signal::unix::Signal,
    /// Whether Ctrl-C may have been typed. Then the command received it already.
    #[cfg(unix)]
    is_typed: bool,
}

#[cfg(unix)]
impl PassedSignals {
    fn new() -> Result<Self, CommandError> {
        use std::io::IsTerminal;
        use tokio::signal::unix::{SignalKind, signal};
        let taken = |kind| {
            signal(kind)
                .map_err(|error| CommandError::fault(format!("can't receive signals: {error}")))
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
        // This fails if the command has ended, which `run` notices by itself.
        let _ = rustix::process::kill_process(id, signal);
    }
}

#[cfg(not(unix))]
impl PassedSignals {
    fn new() -> Result<Self, CommandError> {
        Ok(Self {})
    }

    async fn next(&mut self) {
        std::future::pending::<()>().await;
    }
}

#[cfg(not(unix))]
fn pass_on(child: &mut Child, (): ()) {
    // This fails if the command has ended, which `run` notices by itself.
    let _ = child.start_kill();
}
