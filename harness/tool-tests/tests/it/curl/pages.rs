//! Runs the commands of the `console` blocks of tutorials and guides, and compares their output.
//!
//! A line that begins with `$ ` is a command. After a `\` or a `|` it continues in the next line. The lines after it
//! are its output, stdout and stderr together. `...` stands for any text: alone in a line for any lines, inside a line
//! for any part of it. A block of another language is not run. If the comment `<!-- file: NAME -->` is before it, it is
//! written to that file. All blocks of a page run in one folder, in order. A `moot mock` in the background ends with
//! the shell. The ports 4010 and 4011 of the pages are replaced by free ones.

use std::fs;
use std::net::TcpListener;
use std::path::Path;
use std::sync::atomic::{AtomicU16, Ordering};

use regex::Regex;

use super::require_curl;
use crate::support::{program, root, script};

/// Printed before and after each command.
const MARK: &str = "--- command ";

/// The time limit for the commands of a page.
const PAGE_SECONDS: &str = "120";

/// Pages whose commands other tests run: `python::from_nothing_to_ready` and `curl::sandbox`.
const RUN_ELSEWHERE: &[&str] = &["from-nothing-to-ready.md", "sandbox.md"];

/// A command of a page and its output.
struct Command {
    line: usize,
    text: String,
    printed: String,
}

/// The actions of a page, in order.
enum Action {
    Write { name: String, content: String },
    Run(Command),
}

/// The name of the file with the content of the next block.
fn file_name(line: &str) -> Option<&str> {
    line.strip_prefix("<!-- file: ")?.strip_suffix(" -->")
}

fn actions(page: &str) -> Vec<Action> {
    let mut found = Vec::new();
    let mut file = None;
    let mut lines = (1..).zip(page.lines());
    while let Some((line, text)) = lines.next() {
        if let Some(name) = file_name(text) {
            file = Some(name.to_owned());
        }
        let Some(language) = text.strip_prefix("```") else { continue };
        let body: Vec<&str> =
            lines.by_ref().map(|(_, text)| text).take_while(|text| *text != "```").collect();
        if let Some(name) = file.take() {
            found.push(Action::Write { name, content: body.join("\n") + "\n" });
        } else if language == "console" {
            found.extend(commands(line + 1, &body).into_iter().map(Action::Run));
        }
    }
    found
}

/// The commands of a block that begins in this line.
fn commands(first: usize, body: &[&str]) -> Vec<Command> {
    let mut found: Vec<Command> = Vec::new();
    let mut goes_on = false;
    for (line, text) in (first..).zip(body) {
        match (text.strip_prefix("$ "), found.last_mut()) {
            (Some(command), _) => {
                let text = command.to_owned();
                found.push(Command { line, text, printed: String::new() });
            }
            (None, Some(last)) if goes_on => last.text += &format!("\n{text}"),
            (None, Some(last)) => last.printed += &format!("{text}\n"),
            (None, None) => panic!("line {line}: output before the first command"),
        }
        goes_on = text.ends_with(['\\', '|']);
    }
    found
}

/// The output as a pattern: `...` stands for any text.
fn pattern(printed: &str) -> Regex {
    let mut pattern = String::from("(?s)^");
    for line in printed.lines() {
        if line.trim() == "..." {
            pattern += "(?:[^\n]*\n)*?";
            continue;
        }
        let parts: Vec<String> = line.split("...").map(regex::escape).collect();
        pattern += &format!("{}\n", parts.join("[^\n]*"));
    }
    Regex::new(&format!("{pattern}$")).expect("it is a pattern")
}

/// One script with all commands of a page, in one shell.
fn script_of(actions: &[Action], folder: &Path) -> String {
    let mut text = "exec 2>&1\ntrap 'kill $(jobs -p) 2>/dev/null' EXIT\n".to_owned();
    for action in actions {
        match action {
            Action::Write { name, content } => {
                let path = folder.join(name);
                fs::create_dir_all(path.parent().expect("it is in a folder")).expect("writable");
                fs::write(path, content).expect("writable");
            }
            Action::Run(command) => {
                text += &format!("echo '{MARK}{}'\n{}\n", command.line, command.text);
            }
        }
    }
    text + &format!("echo '{MARK}end'\n")
}

/// The next port that a page may use. The page listens there only later: a port that the system chose could be given to
/// another test until then, and these are below the ones it chooses.
static NEXT_PORT: AtomicU16 = AtomicU16::new(20_000);

/// The page with free ports instead of 4010 and 4011.
fn with_free_ports(page: &str) -> String {
    [4010, 4011].iter().fold(page.to_owned(), |page, port| {
        let mut next = std::iter::repeat_with(|| NEXT_PORT.fetch_add(1, Ordering::Relaxed));
        let is_free = |port: &u16| TcpListener::bind(("127.0.0.1", *port)).is_ok();
        let free = next.find(is_free).expect("a port is free");
        page.replace(&port.to_string(), &free.to_string())
    })
}

/// Runs a page, and returns the differences, one per line.
fn differences(name: &str, page: &str) -> Vec<String> {
    let page = &with_free_ports(page);
    let bash = program(&[&["bash", "-c", "true"]], "bash");
    let folder = tempfile::tempdir().expect("a folder");
    let actions = actions(page);
    let text = script_of(&actions, folder.path());
    let repository = root().canonicalize().expect("the root").display().to_string();
    let output = script(
        &["timeout", PAGE_SECONDS, bash, "-c", &text],
        folder.path(),
        &[("MOOT_REPOSITORY", &repository)],
    );
    let mut wrong = Vec::new();
    for action in &actions {
        let Action::Run(command) = action else { continue };
        let after = output.stdout.split_once(&format!("{MARK}{}\n", command.line));
        let printed = after.map_or("", |(_, after)| after).split(MARK).next().unwrap_or_default();
        if !pattern(&command.printed).is_match(printed) {
            let Command { line, text, printed: expected } = command;
            wrong.push(format!("{name}:{line}: $ {text}\n{printed}instead of\n{expected}"));
        }
    }
    wrong
}

/// The pages of a folder of `docs`.
fn check(folder: &str, commands_min: usize) {
    require_curl();
    let mut wrong = Vec::new();
    let mut commands = 0;
    let folder = root().join("docs").join(folder);
    let mut paths: Vec<_> = fs::read_dir(folder)
        .expect("the folder")
        .map(|entry| entry.expect("readable").path())
        .collect();
    paths.sort();
    for path in paths {
        let page = fs::read_to_string(&path).expect("a page is text");
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        commands += page.lines().filter(|line| line.starts_with("$ ")).count();
        if page.contains("```console\n") && !RUN_ELSEWHERE.contains(&name.as_str()) {
            wrong.extend(differences(&name, &page));
        }
    }
    assert!(commands >= commands_min, "{commands} commands were found");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn tutorials_have_the_documented_output() {
    check("tutorials", 10);
}

#[test]
fn guides_have_the_documented_output() {
    check("guides", 5);
}

#[test]
fn a_page_that_lies_is_found() {
    let truth = "```console\n$ echo one; echo two 3\none\ntwo ...\n```\n";
    assert_eq!(differences("a", truth), Vec::<String>::new());
    let lie = truth.replace("one\n", "four\n");
    assert_eq!(differences("a", &lie).len(), 1);
    let more = "```console\n$ seq 9\n1\n...\n9\n```\n";
    assert_eq!(differences("a", more), Vec::<String>::new());
    assert_eq!(differences("a", "```console\n$ seq 9\n1\n9\n```\n").len(), 1);
}
