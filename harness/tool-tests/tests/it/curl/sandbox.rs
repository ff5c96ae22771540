//! Runs the commands of `docs/tutorials/sandbox.md`, and compares their output.

use super::require_curl;
use crate::support::{Output, moot, root};

/// Printed before the output of each block.
const MARK: &str = "--- block ";

/// The commands of a block and their output. It is empty if the document does not show it.
struct Block {
    line: usize,
    commands: String,
    printed: String,
}

/// The `sh` blocks of a document. A `text` block is the output of the block before it.
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

/// The command of the document that starts a shell, without the name of the shell.
fn options(document: &str) -> Vec<&str> {
    let line = document.lines().find_map(|line| line.strip_prefix("$ moot "));
    let line = line.and_then(|line| line.strip_suffix(" sh")).expect("it starts a shell");
    line.split(' ').collect()
}

#[test]
fn every_command_has_the_documented_output() {
    require_curl();
    let document = std::fs::read_to_string(root().join("docs/tutorials/sandbox.md"))
        .expect("the document is there");
    let blocks = blocks(&document);
    assert!(blocks.len() > 10, "{} blocks were found", blocks.len());
    let marked = |block: &Block| format!("echo '{MARK}{}'\n{}", block.line, block.commands);
    let script =
        blocks.iter().map(marked).fold("set -e\n".to_owned(), |script, block| script + &block);
    let words = [options(&document), vec!["sh", "-c", &script]].concat();
    let Output { code, stdout, stderr } = moot(&words, root());
    for block in &blocks {
        let mark = format!("{MARK}{}\n", block.line);
        let after = stdout.split_once(&mark).map_or("", |(_, after)| after);
        let printed = after.split(MARK).next().unwrap_or_default();
        assert_eq!(
            printed, block.printed,
            "docs/tutorials/sandbox.md, line {}: {}{}",
            block.line, block.commands, stderr
        );
    }
    assert_eq!(code, Some(0), "{stderr}");
    assert!(stderr.contains("first-page-only: list_legal_requests: page 1 of 3"));
}
