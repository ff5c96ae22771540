//! `docs/sandbox.md` is true: its commands are run as they stand, and print what it says.

use std::path::Path;
use std::process::{Command, Stdio};

use crate::command_support::moot;

/// Stands in the output before that of each block.
const MARK: &str = "--- block ";

/// The commands of a block, and what they print; nothing where nothing is said.
struct Block {
    line: usize,
    commands: String,
    printed: String,
}

/// The `sh` blocks of a document; a `text` block is what the one before it prints.
fn blocks(document: &str) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    let mut lines = (1..).zip(document.lines());
    while let Some((line, text)) = lines.next() {
        let Some(language) = text.strip_prefix("```") else { continue };
        let body: String = lines
            .by_ref()
            .take_while(|(_, text)| *text != "```")
            .map(|(_, text)| format!("{text}\n"))
            .collect();
        match language {
            "sh" => blocks.push(Block { line, commands: body, printed: String::new() }),
            "text" => blocks.last_mut().expect("commands come first").printed = body,
            _ => {}
        }
    }
    blocks
}

/// The line with which the document starts its shell, without the shell.
fn options(document: &str) -> Vec<&str> {
    let line = document.lines().find_map(|line| line.strip_prefix("$ moot "));
    let line = line.and_then(|line| line.strip_suffix(" sh")).expect("it starts a shell");
    line.split(' ').collect()
}

fn is_there(program: &str) -> bool {
    let found = Command::new(program).arg("--version").stdout(Stdio::null()).status();
    let is_there = found.is_ok_and(|status| status.success());
    if !is_there {
        eprintln!("{program} is not there: the commands of docs/sandbox.md are not tested");
    }
    is_there
}

/// Where programs are looked for: the binary under test first, since its users have it installed.
fn path() -> std::ffi::OsString {
    let own = Path::new(env!("CARGO_BIN_EXE_moot")).parent().expect("it is in a folder");
    let known = std::env::var_os("PATH").unwrap_or_default();
    let folders = std::iter::once(own.to_owned()).chain(std::env::split_paths(&known));
    std::env::join_paths(folders).expect("folders of a PATH")
}

#[test]
fn every_command_does_what_the_document_says() {
    if !is_there("curl") {
        return;
    }
    let root = Path::new(concat!(env!("CARGO_MANIFEST_DIR"), "/.."));
    let document =
        std::fs::read_to_string(root.join("docs/sandbox.md")).expect("the document is there");
    let blocks = blocks(&document);
    assert!(blocks.len() > 10, "{} blocks were found", blocks.len());
    let marked = |block: &Block| format!("echo '{MARK}{}'\n{}", block.line, block.commands);
    let script =
        blocks.iter().map(marked).fold("set -e\n".to_owned(), |script, block| script + &block);
    let words = [options(&document), vec!["sh", "-c", &script]].concat();
    let ran = moot(&words, root).env("PATH", path()).output().expect("the binary runs");
    let (stdout, stderr) =
        (String::from_utf8_lossy(&ran.stdout), String::from_utf8_lossy(&ran.stderr));
    for block in &blocks {
        let mark = format!("{MARK}{}\n", block.line);
        let after = stdout.split_once(&mark).map_or("", |(_, after)| after);
        let printed = after.split(MARK).next().unwrap_or_default();
        assert_eq!(
            printed, block.printed,
            "docs/sandbox.md, line {}: {}{}",
            block.line, block.commands, stderr
        );
    }
    assert_eq!(ran.status.code(), Some(0), "{}", stderr);
    assert!(stderr.contains("first-page-only: list_legal_requests: page 1 of 3"));
}
