//! Signals that ask a process to end: for this process, and for a command that it runs.

#[cfg(unix)]
use std::io::IsTerminal as _;

#[cfg(unix)]
use tokio::signal::unix::{Signal, SignalKind, signal};

use super::error::{CommandError, INCONCLUSIVE};
use crate::run::Interruption;

/// Printed at the first signal to a run of scenarios.
pub(super) const RUN_ENDS: &str = "interrupted: no further scenario starts, and those that run are cleaned up; a \
                                   second signal stops at once";

/// Waits for `run`. The first Ctrl-C or SIGTERM triggers `interruption`, and calls `tell`.
///
/// # Errors
/// A second signal arrived: exit 3 without a report. Or no handler can be installed.
pub(super) async fn with_interruption<T>(
    run: impl Future<Output = T>,
    interruption: &Interruption,
    tell: impl FnOnce(),
) -> Result<T, CommandError> {
    let mut signals = StopSignals::new()?;
    let mut run = std::pin::pin!(run);
    tokio::select! {
        ended = &mut run => return Ok(ended),
        () = signals.next() => interruption.interrupt(),
    }
    tell();
    tokio::select! {
        ended = run => Ok(ended),
        () = signals.next() => Err(CommandError::usage("stopped at once: there is no report")
            .exit(INCONCLUSIVE)
            .help("the ledger lists the objects that the run created on a deployment")),
    }
}

/// The handlers of Ctrl-C and SIGTERM, installed as long as this value exists.
pub(super) struct StopSignals {
    #[cfg(unix)]
    interrupt: Signal,
    #[cfg(unix)]
    terminate: Signal,
}

impl StopSignals {
    /// Installs the handlers.
    #[cfg(unix)]
    pub(super) fn new() -> Result<Self, CommandError> {
        Ok(Self {
            interrupt: handler(SignalKind::interrupt())?,
            terminate: handler(SignalKind::terminate())?,
        })
    }

    /// Waits for the next signal.
    #[cfg(unix)]
    pub(super) async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }

    #[cfg(not(unix))]
    pub(super) fn new() -> Result<Self, CommandError> {
        Ok(Self {})
    }

    /// Waits for the next Ctrl-C. Without a handler only killing the process stops it.
    #[cfg(not(unix))]
    pub(super) async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}

#[cfg(unix)]
fn handler(kind: SignalKind) -> Result<Signal, CommandError> {
    signal(kind).map_err(|error| CommandError::fault(format!("cannot receive signals: {error}")))
}

/// Passes the signals that ask a process to end on to a command. Only Unix has them. A Ctrl-C that was typed reaches
/// the command from the terminal, so it is not passed on.
pub(super) struct PassedSignals {
    #[cfg(unix)]
    terminate: Signal,
    #[cfg(unix)]
    interrupt: Signal,
    #[cfg(unix)]
    hang_up: Signal,
}

#[cfg(unix)]
impl PassedSignals {
    pub(super) fn new() -> Result<Self, CommandError> {
        Ok(Self {
            terminate: handler(SignalKind::terminate())?,
            interrupt: handler(SignalKind::interrupt())?,
            hang_up: handler(SignalKind::hangup())?,
        })
    }

    /// Waits for the next signal, and passes it on to the process with this id.
    pub(super) async fn pass_on(&mut self, child: Option<u32>) {
        use rustix::process::{Pid, Signal, kill_process};
        let signal = tokio::select! {
            Some(()) = self.terminate.recv() => Signal::TERM,
            Some(()) = self.hang_up.recv() => Signal::HUP,
            Some(()) = self.interrupt.recv() => Signal::INT,
            else => return std::future::pending().await,
        };
        let is_typed = signal == Signal::INT && std::io::stdin().is_terminal();
        let id = child.and_then(|id| i32::try_from(id).ok()).and_then(Pid::from_raw);
        if let Some(id) = id.filter(|_| !is_typed) {
            // Fails if the command has ended. The caller notices that end itself.
            let _ = kill_process(id, signal);
        }
    }
}

#[cfg(not(unix))]
impl PassedSignals {
    pub(super) fn new() -> Result<Self, CommandError> {
        Ok(Self {})
    }

    pub(super) async fn pass_on(&mut self, _: Option<u32>) {
        std::future::pending::<()>().await;
    }
}
