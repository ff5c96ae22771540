//! Ctrl-C and SIGTERM: the signals that ask this process to end.

use super::error::{CommandError, INCONCLUSIVE};
use super::screen::Screen;
use crate::run::Interruption;

/// Printed at the first signal.
const ENDING: &str = "interrupted: no further scenario starts, and those that run are cleaned up; a second \
                      signal stops at once\n";

/// Waits for `run`. The first signal triggers `interruption`.
///
/// # Errors
/// The second signal: exit 3 without a report. Signals that can't be waited for.
pub(super) async fn with_interruption<T>(
    run: impl Future<Output = T>,
    interruption: &Interruption,
    screen: &Screen,
) -> Result<T, CommandError> {
    let mut signals = StopSignals::new()?;
    let mut run = std::pin::pin!(run);
    tokio::select! {
        ended = &mut run => return Ok(ended),
        () = signals.next() => interruption.interrupt(),
    }
    screen.note(ENDING)?;
    tokio::select! {
        ended = run => Ok(ended),
        () = signals.next() => Err(CommandError::usage("stopped at once: there is no report")
            .exit(INCONCLUSIVE)
            .help("the ledger lists what the run created on a deployment")),
    }
}

/// The handlers of the signals. They are in place once this exists.
pub(super) struct StopSignals {
    #[cfg(unix)]
    interrupt: tokio::signal::unix::Signal,
    #[cfg(unix)]
    terminate: tokio::signal::unix::Signal,
}

impl StopSignals {
    /// Installs the handlers.
    #[cfg(unix)]
    pub(super) fn new() -> Result<Self, CommandError> {
        use tokio::signal::unix::{SignalKind, signal};
        let refusal = |error| CommandError::fault(format!("signals can't be waited for: {error}"));
        Ok(Self {
            interrupt: signal(SignalKind::interrupt()).map_err(refusal)?,
            terminate: signal(SignalKind::terminate()).map_err(refusal)?,
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

    /// Nothing to install.
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
