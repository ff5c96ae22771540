//! Shows the drills while they run: as lines on the terminal, and with `--console` on a page.

use std::net::{Ipv4Addr, SocketAddr};
use std::pin::pin;
use std::sync::Arc;
use std::time::Duration;

use moot_mock::shell::{
    DrillProgress, DrillRun, DrillRunState, DrillStart, DrillState, RecordedCalls, serve_recorded,
};
use parking_lot::Mutex;
use tokio::sync::mpsc::{self, UnboundedReceiver};
use tokio::time::MissedTickBehavior;

use super::drill_mock::DrillMock;
use crate::command::console;
use crate::command::error::CommandError;
use crate::command::listen::listen_on;
use crate::command::recorded_calls::{self, ShownNumbers};
use crate::command::screen::Screen;
use crate::command::signals::StopSignals;
use crate::grading::drill::certificate::Certificate;
use crate::grading::drill::judge::DrillResult;
use crate::grading::drill::recording::DrillRecording;
use crate::grading::drill::table::{self, Drill};
use crate::grading::drill::text;
use crate::report::terminal::paint;

/// How often the page gets the new calls of a drill that runs.
const UPDATE_INTERVAL: Duration = Duration::from_millis(500);

/// Shows the state of the drills.
pub(in crate::command) struct DrillWatch<'a> {
    screen: &'a Screen,
    console: Option<DrillConsole>,
}

/// The page that shows the drills.
struct DrillConsole {
    url: String,
    calls: Arc<Mutex<RecordedCalls>>,
    shown: Mutex<ShownNumbers>,
    /// The drills that the page starts again.
    starts: UnboundedReceiver<DrillStart>,
}

impl<'a> DrillWatch<'a> {
    /// Shows nothing but lines on a terminal.
    pub(in crate::command) fn without_console(screen: &'a Screen) -> Self {
        Self { screen, console: None }
    }

    /// Starts the console, if there is one, and prints its address. It ends with the runtime. `can_start`: the page may
    /// start drills again.
    ///
    /// # Errors
    /// No port is free.
    pub(super) async fn start(
        screen: &'a Screen,
        drills: &[&'static Drill],
        has_console: bool,
        can_start: bool,
    ) -> Result<Self, CommandError> {
        if !has_console {
            return Ok(Self::without_console(screen));
        }
        let console = DrillConsole::start(drills, can_start).await?;
        screen.note(&format!("the console is at {}\n", console.url))?;
        Ok(Self { screen, console: Some(console) })
    }

    /// Shows that a drill runs.
    pub(super) fn drill_started(&self, drill: &Drill) {
        self.change(|calls, _| {
            let run = calls.drill_run.get_or_insert_default();
            if let Some(started) = run.drills.iter_mut().find(|it| it.drill == drill.id) {
                started.state = DrillState::Running;
            }
        });
    }

    /// Waits for `working`. With a console, shows the calls of the client in the meantime.
    pub(super) async fn watch_while<T>(
        &self,
        mock: &DrillMock,
        drill: &Drill,
        working: impl Future<Output = T>,
    ) -> T {
        let mut working = pin!(working);
        let mut updates = tokio::time::interval(UPDATE_INTERVAL);
        updates.set_missed_tick_behavior(MissedTickBehavior::Delay);
        loop {
            tokio::select! {
                ended = &mut working => return ended,
                _ = updates.tick(), if self.console.is_some() => {
                    // Calls that can't be masked are not shown.
                    if let Ok(journal) = mock.calls_so_far() {
                        self.change(|calls, shown| {
                            recorded_calls::add_running(calls, shown, &drill.id, &journal);
                        });
                    }
                }
            }
        }
    }

    /// Shows the result of a drill, which ended as number `number` of `count`; 0 is the calm run. Prints a line on a
    /// terminal.
    ///
    /// # Errors
    /// The line can't be printed.
    pub(super) fn drill_ended(
        &self,
        result: &DrillResult,
        run: &DrillRecording,
        (number, count): (usize, usize),
    ) -> Result<(), CommandError> {
        self.change(|calls, shown| recorded_calls::add_drill(calls, shown, result, &run.journal));
        if !self.screen.shows_progress() {
            return Ok(());
        }
        self.screen.note(&progress_line(result, number, count))
    }

    /// Shows the grade, after all drills. With a console, waits for a signal, or until the page starts drills again.
    ///
    /// # Errors
    /// Signals can't be received.
    pub(super) async fn show_grade(
        &mut self,
        certificate: &Certificate,
    ) -> Result<Option<DrillStart>, CommandError> {
        self.change(|calls, _| {
            recorded_calls::grade(calls.drill_run.get_or_insert_default(), certificate);
        });
        let Some(console) = &mut self.console else { return Ok(None) };
        let mut signals = StopSignals::new()?;
        self.screen.note(&console::stays(&console.url))?;
        tokio::select! {
            () = signals.next() => Ok(None),
            Some(start) = console.starts.recv() => Ok(Some(start)),
        }
    }

    fn change(&self, change: impl FnOnce(&mut RecordedCalls, &mut ShownNumbers)) {
        if let Some(console) = &self.console {
            change(&mut console.calls.lock(), &mut console.shown.lock());
        }
    }
}

impl DrillConsole {
    async fn start(drills: &[&'static Drill], can_start: bool) -> Result<Self, CommandError> {
        let (listener, bound) = listen_on(SocketAddr::from((Ipv4Addr::LOCALHOST, 0))).await?;
        let all = std::iter::once(table::calm()).chain(drills.iter().copied());
        let (starter, starts) = mpsc::unbounded_channel();
        let run = DrillRun {
            state: DrillRunState::Running,
            can_start,
            drills: all.map(|it| DrillProgress::waiting(&it.id, &it.title)).collect(),
            ..DrillRun::default()
        };
        let calls = RecordedCalls {
            drill_run: Some(run),
            starts: can_start.then_some(starter),
            ..recorded_calls::none()
        };
        let calls = Arc::new(Mutex::new(calls));
        tokio::spawn(serve_recorded(listener, calls.clone(), std::future::pending()));
        let url = format!("http://{bound}/__admin/console/#/drills");
        Ok(Self { url, calls, shown: Mutex::default(), starts })
    }
}

fn progress_line(result: &DrillResult, number: usize, count: usize) -> String {
    let end = paint::verdict(text::verdict(result.end), result.end.shown());
    format!("{number}/{count} {end} {}: {}\n", result.drill, result.title)
}

#[cfg(test)]
mod tests {
    use super::progress_line;
    use crate::grading::drill::judge;
    use crate::grading::drill::recording::DrillRecording;
    use crate::grading::drill::table;
    use crate::report::terminal::paint::plain;

    #[test]
    fn progress_names_the_drill_and_how_it_ended() {
        let drill = table::get("limited").expect("there is such a drill");
        let nothing = DrillRecording::default();
        let result = judge::judge(drill, &nothing, &nothing);
        let line = plain(&progress_line(&result, 3, 40));
        assert_eq!(line, "3/40 disturbed limited: 429 with Retry-After\n");
    }
}
