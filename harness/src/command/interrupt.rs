//! Ctrl-C and SIGTERM during a run: the first ends it in order, the second at once.

use super::failure::{Failure, INCONCLUSIVE};
use super::screen::Screen;
use crate::run::Interruption;

/// Said at the first signal.
const ENDING: &str = "interrupted: nothing more is begun, and what was begun is put in order; a second \
                      signal stops at once\n";

/// What `run` comes to. The first signal tells `interruption`.
///
/// # Errors
/// The second signal: exit 3 without a report. Signals that can't be waited for.
pub(super) async fn watched<T>(
    run: impl Future<Output = T>,
    interruption: &Interruption,
    screen: &Screen,
) -> Result<T, Failure> {
    let mut signals = Signals::new()?;
    let mut run = std::pin::pin!(run);
    tokio::select! {
        ended = &mut run => return Ok(ended),
        () = signals.next() => interruption.tell(),
    }
    screen.note(ENDING)?;
    tokio::select! {
        ended = run => Ok(ended),
        () = signals.next() => Err(Failure {
            exit_code: INCONCLUSIVE,
            ..Failure::usage("stopped at once: there is no report")
        }
        .help("what the run created on a deployment stands in the ledger")),
    }
}

/// The signals that ask a program to end.
#[cfg(unix)]
struct Signals {
    interrupt: tokio::signal::unix::Signal,
    terminate: tokio::signal::unix::Signal,
}

#[cfg(unix)]
impl Signals {
    fn new() -> Result<Self, Failure> {
        use tokio::signal::unix::{SignalKind, signal};
        let refusal = |error| Failure::fault(format!("signals can't be waited for: {error}"));
        Ok(Self {
            interrupt: signal(SignalKind::interrupt()).map_err(refusal)?,
            terminate: signal(SignalKind::terminate()).map_err(refusal)?,
        })
    }

    async fn next(&mut self) {
        tokio::select! {
            _ = self.interrupt.recv() => {}
            _ = self.terminate.recv() => {}
        }
    }
}

/// Ctrl-C.
#[cfg(not(unix))]
struct Signals;

#[cfg(not(unix))]
impl Signals {
    fn new() -> Result<Self, Failure> {
        Ok(Self)
    }

    async fn next(&mut self) {
        if tokio::signal::ctrl_c().await.is_err() {
            std::future::pending::<()>().await;
        }
    }
}
