//! `moot exec`: runs a command against a mock of its own, then reports the calls and the mistakes of the command.

use std::ffi::OsString;
use std::io::ErrorKind;
use std::process::ExitStatus;

use clap::Args;
use moot_fixtures::contract::Severity;
use moot_fixtures::nearest::ending;
use moot_mock::shell::Site;
use tokio::process::Command;
use tokio::sync::oneshot;

use super::descendants::Descendants;
use super::error::CommandError;
use super::exec_environment;
use super::listen::ListenArguments;
use super::reports::{self, ReplaceArguments, ReportRequest, report_of};
use super::runtime::runtime;
use super::screen::Screen;
use super::serve::{
    ListeningMock, PlaceArguments, ServedMock, WorldArguments, certificate_file, secrets_in,
};
use super::signals::PassedSignals;
use crate::exchange::escape;
use crate::grading::conduct::{self, Account, ConductFinding};
use crate::report::Format;
use crate::report::terminal::Detail;

/// Exit codes of shells for a command that is not found, or can't be run.
const NOT_FOUND: u8 = 127;
const NOT_EXECUTABLE: u8 = 126;
/// Shells add this to the number of the signal that ended a command.
const SIGNAL_BASE: i32 = 128;
/// The exit code if a rule of `--fail-on` is broken.
const BROKEN_RULE: u8 = 1;

#[derive(Debug, Args)]
pub(super) struct ExecArguments {
    #[command(flatten)]
    listen: ListenArguments,
    #[command(flatten)]
    world: WorldArguments,
    #[command(flatten)]
    place: PlaceArguments,
    /// Write the report to a file too: text, json, markdown, junit or html; `-` is stdout; repeatable
    #[arg(long = "report", value_name = "KIND=FILE", value_parser = report_of(
        &[Format::Text, Format::Json, Format::Junit, Format::Html, Format::Markdown]))]
    reports: Vec<ReportRequest>,
    #[command(flatten)]
    replace: ReplaceArguments,
    /// End with 1 if a rule of conduct is broken: a severity (must, should or hint; more severe rules count too), or
    /// the id of a rule; repeatable. If the command failed, its own exit code is returned
    #[arg(long, value_name = "SEVERITY|RULE", value_parser = severity_or_rule)]
    fail_on: Vec<String>,
    /// When the command has ended, keep the mock and its console until Ctrl-C
    #[arg(long)]
    console: bool,
    /// The command and its arguments, after `--`
    #[arg(last = true, required = true, value_name = "CMD")]
    command: Vec<OsString>,
}

/// Accepts the values of `--fail-on`.
fn severity_or_rule(text: &str) -> Result<String, String> {
    if text.parse::<Severity>().is_ok() || moot_fixtures::conduct::get(text).is_some() {
        return Ok(text.to_owned());
    }
    let near = ending(moot_fixtures::conduct::nearest(text));
    Err(format!("`{text}` is neither a severity (must, should, hint) nor a rule of conduct{near}"))
}

/// Whether a value of `--fail-on` names this finding.
fn is_named(finding: &ConductFinding, severity_or_rule: &str) -> bool {
    finding.rule == severity_or_rule
        || severity_or_rule.parse().is_ok_and(|severity: Severity| finding.severity <= severity)
}

/// Returns the exit code of the command, or 1 if it succeeded and broke a rule of `--fail-on`.
pub(super) fn exec(arguments: ExecArguments, screen: &Screen) -> Result<u8, CommandError> {
    reports::check(&arguments.reports, arguments.replace)?;
    runtime()?.block_on(async {
        let ExecArguments { listen, place, world, .. } = &arguments;
        let opened = ListeningMock::open(listen.address(), place, world, None).await?;
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
        let admin_token = opened.admin_token.clone();
        let (ended, outlived) = run_on(opened, &site, &arguments, screen).await?;
        let account = Account { outlived, ..account(&site)? };
        let mut code = exit_code(ended);
        let fails = |it: &ConductFinding| arguments.fail_on.iter().any(|word| is_named(it, word));
        if code == 0 && account.findings.iter().any(fails) {
            code = BROKEN_RULE;
        }
        let report = |format: Format| {
            let text = render(&account, code, format)?;
            without_secrets(&text, &site, admin_token.as_deref())
        };
        let written = reports::write_all(&arguments.reports, screen, |it| report(it.format));
        let text = || match screen.detail() {
            Detail::Quiet if account.calls > 0 => {
                without_secrets(&conduct::text::outcome(&account), &site, admin_token.as_deref())
            }
            _ => report(Format::Text),
        };
        // Stdout belongs to the command. JSON is its last line.
        let shown = match screen.is_json() {
            true => report(Format::Json).and_then(|json| screen.print(&json)),
            false => text().and_then(|text| screen.note(&format!("\n{text}"))),
        };
        reports::join_errors([written, shown])?;
        Ok(code)
    })
}

/// Serves the mock while the command runs. Returns the status of the command, and whether processes that it started
/// still run.
async fn run_on(
    opened: ListeningMock,
    site: &Site,
    arguments: &ExecArguments,
    screen: &Screen,
) -> Result<(ExitStatus, bool), CommandError> {
    let (admin_token, description) = (opened.admin_token.clone(), site.describe());
    let certificate = certificate_file(arguments.place.tls.as_deref());
    let (stop, stopped) = oneshot::channel::<()>();
    // Both a message and a dropped sender end the mock.
    let served = tokio::spawn(opened.serve(async { drop(stopped.await) }));
    let (descendants, inherited) = Descendants::new();
    let (token, certificate) = (admin_token.as_deref(), certificate.as_deref());
    let prepare =
        |command: &mut Command| exec_environment::set(command, &description, token, certificate);
    let ended = run(&arguments.command, inherited, prepare).await;
    let outlived = ended.is_ok() && descendants.outlive().await;
    if arguments.console {
        let url = description["console"].as_str().unwrap_or_default();
        super::console::keep(url, screen).await?;
    }
    drop(stop);
    // A call is in the journal only after it ended.
    let _ = served.await;
    Ok((ended?, outlived))
}

/// Runs the command to its end, and passes signals on to it. Drops `inherited`, our end of the pipe, as soon as the
/// command has its own.
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
    let id = child.id();
    loop {
        tokio::select! {
            ended = child.wait() => {
                return ended.map_err(|error| {
                    CommandError::fault(format!("cannot wait for the end of the command: {error}"))
                });
            }
            () = signals.pass_on(id) => {}
        }
    }
}

fn not_started(program: &OsString, error: &std::io::Error) -> CommandError {
    let name = program.to_string_lossy();
    let exit_code = if error.kind() == ErrorKind::NotFound { NOT_FOUND } else { NOT_EXECUTABLE };
    CommandError::usage(format!("cannot run `{name}`: {error}")).exit(exit_code)
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

/// The account of the command, from the journals of its mock.
fn account(site: &Site) -> Result<Account, CommandError> {
    let unread = |error| CommandError::fault(format!("the journal cannot be read: {error}"));
    let journals = site.journals();
    let worlds = conduct::read(&journals).map_err(unread)?;
    let control = conduct::control_uses(&journals).map_err(unread)?;
    Ok(Account { control, ..Account::of(&worlds) })
}

/// The account in this format. `code` is the exit code of this process.
fn render(account: &Account, code: u8, format: Format) -> Result<String, CommandError> {
    match format {
        Format::Json => {
            let report = conduct::json::render(account, code).to_string();
            Ok(format!("{}\n", escape::json(&report)))
        }
        Format::Markdown => conduct::page::markdown(account).map_err(CommandError::fault),
        Format::Junit => conduct::junit::render(account).map_err(CommandError::fault),
        Format::Html => conduct::page::html(account).map_err(CommandError::fault),
        _ => Ok(conduct::text::render(account)),
    }
}

/// Masks secrets. A client may have sent a secret in a wrong place, such as a path.
///
/// # Errors
/// The text still contains a secret.
fn without_secrets(
    text: &str,
    site: &Site,
    admin_token: Option<&str>,
) -> Result<String, CommandError> {
    let tokens: Vec<_> = admin_token.map(|token| (token, "admin token")).into_iter().collect();
    let secrets = secrets_in(text, site, &tokens);
    let masked = secrets.mask(text);
    if secrets.is_in(&masked) {
        return Err(CommandError::fault(
            "the report would contain a secret, so it was not written",
        ));
    }
    Ok(masked)
}
