//! `moot snapshot review`: shows the differences of each pending response. On a terminal, asks for a decision.

use std::io::{self, BufRead, IsTerminal, Write};
use std::path::Path;

use moot_snapshots::{PendingSnapshot, accept, pending, reject};
use serde_json::json;

use super::error::CommandError;
use super::screen::Screen;
use crate::exchange::escape;
use crate::report::terminal::paint;

const QUESTION: &str = "[a]ccept, [r]eject, [s]kip, [n]ext, [q]uit? ";

/// Printed after unknown input.
const HELP: &str = "  a: accept the lines with +; r: keep the lines with -;
  s, n: decide later; q: quit
";

/// Asks on a terminal. Otherwise prints all differences.
pub(super) fn review(dir: &Path, screen: &Screen) -> Result<(), CommandError> {
    let waiting = pending(dir)?;
    if screen.is_json() {
        let rows: Vec<_> =
            waiting.iter().map(|one| json!({"name": one.name, "diff": one.diff})).collect();
        return screen.json(&json!({ "pending": rows }));
    }
    let asks = io::stdin().is_terminal() && io::stdout().is_terminal();
    if asks && !waiting.is_empty() {
        return ask(&waiting, &mut io::stdin().lock(), &mut screen.out());
    }
    let mut out: String = waiting.iter().map(difference_text).collect();
    out.push_str(&match waiting.len() {
        0 => "no response is pending\n".to_owned(),
        count => {
            format!("{count} pending; decide with moot snapshot accept|reject NAME… or --all\n")
        }
    });
    screen.print(&out)
}

/// Asks for each pending response.
fn ask(
    waiting: &[PendingSnapshot],
    input: &mut impl BufRead,
    output: &mut impl Write,
) -> Result<(), CommandError> {
    let broken = |error: io::Error| {
        CommandError::fault(format!("cannot read or write the terminal: {error}"))
    };
    let (mut accepted, mut rejected) = (0, 0);
    'all: for (index, one) in waiting.iter().enumerate() {
        let place = format!("{} of {}", index + 1, waiting.len());
        write!(output, "{}\n{}", paint::dim(&place), difference_text(one)).map_err(broken)?;
        loop {
            write!(output, "{QUESTION}").and_then(|()| output.flush()).map_err(broken)?;
            let mut reply = String::new();
            if input.read_line(&mut reply).map_err(broken)? == 0 {
                break 'all;
            }
            match reply.trim() {
                "a" | "accept" => {
                    accept(one)?;
                    accepted += 1;
                    done(output, "accepted").map_err(broken)?;
                }
                "r" | "reject" => {
                    reject(one)?;
                    rejected += 1;
                    done(output, "rejected").map_err(broken)?;
                }
                "s" | "skip" | "n" | "next" | "" => done(output, "left waiting").map_err(broken)?,
                "q" | "quit" => break 'all,
                _ => {
                    write!(output, "{HELP}").map_err(broken)?;
                    continue;
                }
            }
            break;
        }
    }
    let left = waiting.len() - accepted - rejected;
    writeln!(output, "{accepted} accepted, {rejected} rejected, {left} still pending")
        .map_err(broken)
}

fn done(output: &mut impl Write, what: &str) -> io::Result<()> {
    writeln!(output, "  {what}\n")
}

/// The name and the differences of a response.
fn difference_text(one: &PendingSnapshot) -> String {
    let mut out = format!("{}\n", paint::bold(&one.name));
    for line in one.diff.lines() {
        let line = escape::line(line);
        let is_head = line.starts_with("--- ") || line.starts_with("+++ ");
        let painted = if is_head { paint::dim(&line) } else { paint::diff_line(&line) };
        out.push_str(&format!("  {painted}\n"));
    }
    out.push('\n');
    out
}

#[cfg(test)]
mod tests {
    use moot_snapshots::{Metadata, StoreMode, check, pending};

    use super::ask;

    /// Of four pending responses, those that are still pending after this input.
    #[track_caller]
    fn left_after(typed: &str, expected: &[&str], summary: &str) {
        let dir = tempfile::tempdir().expect("a temporary folder");
        let text = String::new;
        let metadata = Metadata {
            scenario: text(),
            step: text(),
            target_class: text(),
            register_version: text(),
            source: text(),
        };
        for name in ["s/a", "s/b", "s/c", "s/d"] {
            for content in ["HTTP 200", "HTTP 404"] {
                check(dir.path(), name, &metadata, content, StoreMode::Record);
            }
        }
        let waiting = pending(dir.path()).expect("readable");
        let mut output = Vec::new();
        ask(&waiting, &mut typed.as_bytes(), &mut output).expect("it goes on");
        let output = String::from_utf8(output).expect("it prints UTF-8");
        assert!(output.contains(summary), "{output}");
        let left = pending(dir.path()).expect("readable");
        assert_eq!(left.iter().map(|one| one.name.as_str()).collect::<Vec<_>>(), expected);
    }

    #[test]
    fn each_response_gets_its_own_decision() {
        let summary = "1 accepted, 1 rejected, 2 still pending";
        left_after("a\nr\ns\nn\n", &["s/c", "s/d"], summary);
        left_after("accept\nwhat?\nreject\nq\n", &["s/c", "s/d"], summary);
    }

    #[test]
    fn the_end_of_the_input_decides_nothing() {
        let summary = "0 accepted, 0 rejected, 4 still pending";
        left_after("", &["s/a", "s/b", "s/c", "s/d"], summary);
        left_after("q\n", &["s/a", "s/b", "s/c", "s/d"], summary);
    }
}
