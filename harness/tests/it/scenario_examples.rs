//! All example files of the scenario language can be read. Their ids are only illustrations.

use std::path::Path;
use std::sync::Arc;

use moot_harness::scenario::model::{ScenarioFile, StepAction};
use moot_harness::scenario::{diagnostic, load};

/// Name and text of every file in a folder of the crate, sorted by name.
pub(crate) fn files(folder: &str, extension: &str) -> Vec<(String, Arc<str>)> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join(folder);
    let mut files: Vec<_> = std::fs::read_dir(&folder)
        .expect("the folder is part of the crate")
        .map(|entry| entry.expect("the folder is readable").path())
        .filter(|path| path.extension().is_some_and(|found| found == extension))
        .map(|path| {
            let name = path.file_name().expect("a file has a name").to_string_lossy().into_owned();
            let text = std::fs::read_to_string(&path).expect("the file is UTF-8");
            (name, Arc::from(text))
        })
        .collect();
    files.sort();
    files
}

fn examples() -> Vec<ScenarioFile> {
    match load::suite(files("tests/examples", "yaml")) {
        Ok(files) => files,
        Err(problems) => {
            let told: Vec<String> = problems.iter().map(|p| diagnostic::render(p, false)).collect();
            panic!("{}", told.join("\n\n"))
        }
    }
}

#[test]
fn every_example_is_read() {
    let files = examples();
    assert_eq!(files.len(), 8);
    let scenarios: usize = files.iter().map(|file| file.scenarios.len()).sum();
    assert_eq!(scenarios, 19);
}

#[test]
fn a_step_is_named_after_its_action() {
    let files = examples();
    let webhook = files.iter().find(|file| file.stem == "journey_webhook").expect("it is there");
    let names: Vec<&str> = webhook.scenarios[0].steps.iter().map(|s| s.name.as_str()).collect();
    assert_eq!(names[0], "create_webhook");
    assert_eq!(names[4], "admin POST /legal_requests/<legal_request>/status");
    assert_eq!(names[5], "receive hook");
    let StepAction::Request(first) = &webhook.scenarios[0].steps[0].action else {
        panic!("the first step sends a request")
    };
    assert_eq!(first.finally.len(), 1);
}

#[test]
fn places_of_checks_are_kept() {
    let files = examples();
    let states = files.iter().find(|file| file.stem == "journey_nda").expect("it is there");
    let StepAction::Request(polled) = &states.scenarios[0].steps[2].action else {
        panic!("the third step sends a request")
    };
    let check = &polled.expect[0];
    assert_eq!(check.requirement, "states.only-the-twelve");
    assert_eq!((check.at.line, check.at.column), (29, 11));
    assert_eq!(check.at.file.as_ref(), "journey_nda.yaml");
}

#[test]
fn the_sandbox_of_a_scenario_that_needs_load_has_a_rate_limit() {
    let files = examples();
    for (stem, needs, rate_limit) in
        [("08_limits", &["read", "load"][..], Some("enforce")), ("journey_nda", &["read"], None)]
    {
        let file = files.iter().find(|file| file.stem == stem).expect("it is there");
        let first = &file.scenarios[0];
        assert!(needs.iter().all(|need| first.needs.iter().any(|it| it == need)), "{stem}");
        assert_eq!(first.sandbox.rate_limit, None, "{stem}");
        assert_eq!(first.sandbox_settings().rate_limit.as_deref(), rate_limit, "{stem}");
    }
}
