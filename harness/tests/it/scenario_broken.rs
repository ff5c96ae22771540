//! Broken scenario files, each with the exact messages of its mistakes.
//!
//! Each `tests/broken/NAME.yaml` has a `NAME.txt` with one message per line. The prefix of a name is the stage that
//! finds the mistake: `yaml_` is the YAML parser, `form_` the reader and the JSON Schema, `text_` only the reader (it
//! parses texts), `meaning_` the validation after reading.

use std::fmt::Write as _;
use std::sync::Arc;

use moot_harness::scenario::{diagnostic, load, schema};
use serde_json::Value;

use crate::scenario_examples::files;

/// The messages about a file, one per line.
fn complaints(name: &str, text: &Arc<str>) -> String {
    let mut told = String::new();
    let suite = load::suite(vec![(name.to_owned(), Arc::clone(text))]);
    for problem in suite.expect_err("the file is broken") {
        writeln!(told, "{problem}").expect("a string takes any text");
    }
    told
}

pub(crate) fn as_json(text: &str) -> Option<Value> {
    let options = serde_saphyr::options! { strict_booleans: true };
    serde_saphyr::from_str_with_options(text, options).ok()
}

pub(crate) fn validator() -> jsonschema::Validator {
    jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .build(&schema::document())
        .expect("the schema of the language is a schema")
}

#[test]
fn each_broken_file_gets_its_complaints() {
    let expected = files("tests/broken", "txt");
    let mut wrong = String::new();
    for (name, text) in files("tests/broken", "yaml") {
        let beside = name.replace(".yaml", ".txt");
        let expected = expected.iter().find(|(known, _)| *known == beside);
        let expected = expected.map_or("", |(_, text)| text);
        let told = complaints(&name, &text);
        if told != expected {
            write!(wrong, "{name}\nexpected:\n{expected}told:\n{told}\n").expect("a string");
        }
    }
    assert!(wrong.is_empty(), "{wrong}");
}

#[test]
fn the_corpus_is_large_and_complete() {
    let (broken, expected) = (files("tests/broken", "yaml"), files("tests/broken", "txt"));
    assert!(broken.len() >= 40, "{}", broken.len());
    let stems = |files: &[(String, Arc<str>)]| -> Vec<String> {
        files.iter().map(|(name, _)| name[..name.rfind('.').unwrap_or(0)].to_owned()).collect()
    };
    assert_eq!(stems(&broken), stems(&expected));
}

#[test]
fn the_schema_refuses_exactly_the_files_with_a_wrong_form() {
    let validator = validator();
    for (name, text) in files("tests/broken", "yaml") {
        let Some(json) = as_json(&text) else {
            assert!(name.starts_with("yaml_"), "{name} is not YAML");
            continue;
        };
        if name.starts_with("yaml_") {
            continue;
        }
        let is_refused = !validator.is_valid(&json);
        assert_eq!(is_refused, name.starts_with("form_"), "{name}");
    }
}

#[test]
fn the_schema_takes_every_sound_file() {
    let validator = validator();
    for (name, text) in files("tests/examples", "yaml").into_iter().chain(bundled()) {
        let json = as_json(&text).expect("the reader took it");
        let errors: Vec<String> =
            validator.iter_errors(&json).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert!(errors.is_empty(), "{name}: {errors:#?}");
    }
}

/// The bundled files. The folder does not exist before the first file is written.
fn bundled() -> Vec<(String, Arc<str>)> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios");
    if std::path::Path::new(folder).is_dir() { files("../scenarios", "yaml") } else { Vec::new() }
}

#[test]
fn a_complaint_shows_its_line() {
    let text: Arc<str> = Arc::from("section: \"4.6\"\ntitel: x\ntitle: Größe\nscenarios: []\n");
    let problems = load::suite(vec![("a.yaml".to_owned(), text)]).expect_err("the file is broken");
    assert_eq!(
        diagnostic::render(&problems[0], false),
        "error: unknown key `titel` in the file\n \
         --> a.yaml:2:1\n  \
         |\n\
         2 | titel: x\n  \
         | ^^^^^\n  \
         |\n  \
         = help: did you mean `title`?"
    );
}
