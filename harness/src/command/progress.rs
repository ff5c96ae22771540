//! One line of progress on a terminal.

use indicatif::{ProgressBar, ProgressStyle};

use crate::run::Event;
use crate::terminal::escape;
use crate::verdict::Verdict;

/// Characters of a scenario's name on the line.
const NAME_CHARACTERS_MAX: usize = 60;

/// A handle on the line.
#[derive(Clone)]
pub(super) struct Progress {
    bar: ProgressBar,
}

impl Progress {
    /// A bar that may be hidden.
    pub(super) fn new(is_shown: bool) -> Self {
        let bar = if is_shown { ProgressBar::new(0) } else { ProgressBar::hidden() };
        let style =
            ProgressStyle::with_template("{bar:24.cyan/black} {pos}/{len} {elapsed} {wide_msg}")
                .expect("the template is ours and a test draws it");
        bar.set_style(style);
        Self { bar }
    }

    /// Sets the number of pieces of work.
    pub(super) fn expect(&self, pieces: usize) {
        self.bar.set_length(pieces as u64);
    }

    /// One of them ended.
    pub(super) fn done(&self, name: &str) {
        self.bar.set_message(escape::cut(&escape::line(name), NAME_CHARACTERS_MAX));
        self.bar.inc(1);
    }

    /// Shows an event.
    pub(super) fn show(&self, event: &Event) {
        match event {
            Event::Planned { scenarios } => self.bar.set_length(*scenarios as u64),
            Event::Started { name } => {
                let name = escape::cut(&escape::line(name), NAME_CHARACTERS_MAX);
                self.bar.set_message(name);
            }
            Event::OperatorSaid { action, said } => {
                let line = format!("operator {action}: {}", escape::line(said));
                self.bar.suspend(|| eprintln!("{line}"));
            }
            Event::Ended(scenario) => {
                self.bar.inc(1);
                // The rows of a scenario are known only when it runs.
                if self.bar.length().is_some_and(|length| self.bar.position() > length) {
                    self.bar.set_length(self.bar.position());
                }
                if matches!(scenario.verdict, Verdict::Fail | Verdict::Error) {
                    let verdict = scenario.verdict.as_str();
                    self.bar.println(format!("{verdict} {}", escape::line(&scenario.name)));
                }
            }
        }
    }

    /// Removes the line.
    pub(super) fn end(&self) {
        self.bar.finish_and_clear();
    }
}

#[cfg(test)]
mod tests {
    use super::Progress;
    use crate::run::Event;

    #[test]
    fn it_can_be_drawn() {
        let progress = Progress::new(false);
        progress.show(&Event::Planned { scenarios: 2 });
        progress.show(&Event::Started { name: "a/b".to_owned() });
        progress.end();
        assert_eq!(progress.bar.length(), Some(2));
    }
}
