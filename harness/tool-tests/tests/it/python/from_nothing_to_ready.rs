//! The tutorial "From nothing to ready": the test saves its files, runs its commands, and compares their output.

use std::path::Path;

use super::python;
use crate::support::{Output, root, script};

/// A part of the page that the test uses.
enum Block<'p> {
    /// A whole `client.py`.
    Client(&'p str),
    /// A command and its output.
    Session(&'p str, Vec<&'p str>),
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut rest = page;
    while let Some((_, after)) = rest.split_once("\n```") {
        let (kind, after) = after.split_once('\n').expect("a fence has a line");
        let (text, after) = after.split_once("\n```\n").expect("a block ends");
        match kind {
            "python" => found.push(Block::Client(text)),
            "console" => {
                let mut lines = text.lines();
                let command = lines.next().and_then(|line| line.strip_prefix("$ "));
                found.push(Block::Session(command.expect("a command"), lines.collect()));
            }
            _ => {}
        }
        rest = after;
    }
    found
}

/// Removes repeated spaces, because columns may have another width.
fn words(line: &str) -> Vec<&str> {
    line.split_whitespace().collect()
}

/// Asserts that the output has the shown lines in this order. `…` stands for any lines, or for the rest of a line.
#[track_caller]
fn check_printed(command: &str, shown: &[&str], output: &Output) {
    let printed = format!("{}\n{}", output.stdout, output.stderr);
    let mut lines = printed.lines().filter(|line| !line.trim().is_empty());
    let mut skips = false;
    for line in shown.iter().filter(|line| !line.trim().is_empty()) {
        let expected = words(line);
        if expected == ["…"] {
            skips = true;
            continue;
        }
        let fits = |printed: &str| {
            let printed = words(printed);
            match expected.split_last() {
                Some((&"…", start)) => printed.starts_with(start),
                _ => printed == expected,
            }
        };
        let found = if skips { lines.any(fits) } else { lines.next().is_some_and(fits) };
        assert!(found, "`{command}` does not print {line:?} in its place:\n{printed}");
        skips = false;
    }
}

#[test]
fn the_tutorial_leads_from_three_mistakes_to_ready() {
    let page = root().join("docs/tutorials/from-nothing-to-ready.md");
    let page = std::fs::read_to_string(page).expect("the tutorial");
    let folder = tempfile::tempdir().expect("a folder");
    let client = folder.path().join("client.py");
    let mut codes = Vec::new();
    for block in blocks(&page) {
        match block {
            Block::Client(text) => {
                std::fs::write(&client, format!("{text}\n")).expect("a written file");
            }
            Block::Session(command, shown) => {
                let output = session(command, folder.path());
                check_printed(command, &shown, &output);
                codes.push(output.code);
            }
        }
    }
    assert_eq!(codes, [Some(0), Some(0), Some(0), Some(1), Some(0), Some(0)]);
    let certificate = folder.path().join("certificate.html");
    assert!(std::fs::read_to_string(certificate).expect("a certificate").contains("ready"));
}

/// Runs a command in a shell. Its `python3` has the packages.
fn session(command: &str, folder: &Path) -> Output {
    script(&["sh", "-c", &command.replace("python3", python())], folder, &[])
}
