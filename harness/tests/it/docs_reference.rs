//! `docs/reference` is current, and the documentation has no dead link. With MOOT_WRITE_REFERENCE=1 the reference is
//! written.

mod pages;
mod schema_page;
mod tables;

use std::collections::BTreeMap;
use std::fs;
use std::path::{Path, PathBuf};

use crate::command_support::run;

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

/// The files below a folder, by relative path.
fn files_below(folder: &Path) -> BTreeMap<PathBuf, String> {
    let mut found = BTreeMap::new();
    let mut folders = vec![folder.to_owned()];
    while let Some(inner) = folders.pop() {
        for entry in fs::read_dir(&inner).into_iter().flatten() {
            let path = entry.expect("a readable folder").path();
            if path.is_dir() {
                folders.push(path);
            } else if let Ok(text) = fs::read_to_string(&path) {
                let name = path.strip_prefix(folder).expect("it is below").to_owned();
                found.insert(name, text);
            }
        }
    }
    found
}

#[test]
fn the_reference_is_current() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    run(&["schema", "--write", "."], dir.path()).ended(0);
    let schemas = files_below(dir.path());
    let mut made = pages::all(&schemas);
    made.extend(schemas.into_iter().map(|(name, text)| (Path::new("schemas").join(name), text)));
    let folder = root().join("docs/reference");
    if std::env::var_os("MOOT_WRITE_REFERENCE").is_some() {
        for (name, text) in &made {
            fs::write(folder.join(name), text).expect("docs/reference is writable");
        }
    }
    let kept = files_below(&folder);
    // The folder also has pages that are written by hand or by another test.
    let wrong: Vec<&PathBuf> =
        made.iter().filter(|(name, text)| kept.get(*name) != Some(text)).map(|it| it.0).collect();
    assert!(wrong.is_empty(), "not current: {wrong:?}. CONTRIBUTING.md says how to write them");
    let is_gone = |(name, text): &(&PathBuf, &String)| {
        text.starts_with(pages::MARK) && !made.contains_key(*name)
    };
    let gone: Vec<&PathBuf> = kept.iter().filter(is_gone).map(|it| it.0).collect();
    assert!(gone.is_empty(), "written by nothing: {gone:?}");
}

/// The Markdown files of the documentation.
fn pages() -> BTreeMap<PathBuf, String> {
    let root = root();
    let mut pages: BTreeMap<PathBuf, String> = BTreeMap::new();
    for folder in ["docs", "examples", "release"] {
        for (name, text) in files_below(&root.join(folder)) {
            if name.extension().is_some_and(|it| it == "md") {
                pages.insert(Path::new(folder).join(name), text);
            }
        }
    }
    for entry in fs::read_dir(&root).expect("the root") {
        let path = entry.expect("readable").path();
        if path.extension().is_some_and(|it| it == "md") {
            let name = path.file_name().map(PathBuf::from).unwrap_or_default();
            pages.insert(name, fs::read_to_string(&path).expect("it is text"));
        }
    }
    pages
}

/// The anchors of a page.
fn anchors(page: &str) -> Vec<String> {
    let heads = page.lines().filter(|line| line.starts_with('#')).map(|line| {
        let text = line.trim_start_matches('#').trim().to_lowercase();
        text.chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c))
            .map(|c| if c == ' ' { '-' } else { c })
            .collect()
    });
    let named = page.split("<a id=\"").skip(1).filter_map(|rest| rest.split('"').next());
    heads.chain(named.map(str::to_owned)).collect()
}

#[test]
fn no_link_is_dead() {
    let link = regex::Regex::new(r"\]\(([^)\s]+)\)").expect("it is sound");
    let code = regex::Regex::new(r"(?s)```.*?\n```|`[^`\n]*`").expect("it is sound");
    let pages = pages();
    let (mut seen, mut dead) = (0, Vec::new());
    for (name, page) in &pages {
        let folder = name.parent().unwrap_or(Path::new(""));
        for found in link.captures_iter(&code.replace_all(page, "")) {
            let whole = &found[1];
            if whole.contains("://") || whole.starts_with("mailto:") {
                continue;
            }
            seen += 1;
            let (file, anchor) = whole.split_once('#').unwrap_or((whole, ""));
            let path = if file.is_empty() { name.clone() } else { folder.join(file) };
            let is_there = root().join(&path).exists();
            let shown = fs::read_to_string(root().join(&path)).unwrap_or_default();
            if !is_there || !anchor.is_empty() && !anchors(&shown).iter().any(|it| it == anchor) {
                dead.push(format!("{}: {whole}", name.display()));
            }
        }
    }
    assert!(seen > 50, "{seen} links were found");
    assert!(dead.is_empty(), "{dead:#?}");
}

#[test]
fn every_page_of_the_book_is_in_its_summary() {
    let summary = fs::read_to_string(root().join("docs/SUMMARY.md")).expect("the summary");
    for name in pages().keys() {
        let Ok(inner) = name.strip_prefix("docs") else { continue };
        let is_page = inner != Path::new("SUMMARY.md");
        assert!(
            !is_page || summary.contains(&format!("({})", inner.display())),
            "docs/SUMMARY.md does not name {}",
            inner.display()
        );
    }
}
