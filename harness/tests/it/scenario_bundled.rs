//! The bundled scenarios have the same ids in the binary as in their folder.

use std::path::PathBuf;

use moot_fixtures::DataError;
use moot_harness::scenario::model::{Check, Place, ScenarioFile, Step};
use moot_harness::scenario::{declared, diagnostic, load};
use sha2::{Digest, Sha256};

/// The bundled files. A mistake in one is shown as on the command line.
#[track_caller]
pub(crate) fn bundled() -> Vec<ScenarioFile> {
    match load::bundled() {
        Ok(files) => files,
        Err(problems) => panic!("{}", rendered(&problems)),
    }
}

fn folder() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../scenarios"))
}

fn rendered(problems: &[DataError]) -> String {
    let told: Vec<String> =
        problems.iter().map(|problem| diagnostic::render(problem, false)).collect();
    told.join("\n\n")
}

#[test]
fn every_bundled_file_is_read() {
    let files = bundled();
    assert!(!files.is_empty(), "the suite is empty");
    let stems: Vec<&str> = files.iter().map(|file| file.stem.as_str()).collect();
    assert!(stems.is_sorted(), "{stems:?}");
}

#[test]
fn a_folder_gives_the_same_scenarios_as_the_binary() {
    let ids = |files: &[ScenarioFile]| -> Vec<String> {
        files.iter().flat_map(|file| file.scenarios.iter().map(|s| s.id.clone())).collect()
    };
    match load::paths(&[folder()]) {
        Ok(files) => assert_eq!(ids(&files), ids(&bundled())),
        Err(problems) => panic!("{}", rendered(&problems)),
    }
}

#[test]
fn hidden_files_and_folders_of_a_folder_are_not_scenarios() {
    let dir = tempfile::tempdir().expect("a folder");
    let text = std::fs::read_to_string(folder().join("01_service.yaml")).expect("readable");
    std::fs::write(dir.path().join("01_service.yaml"), text).expect("writable");
    std::fs::write(dir.path().join("._01_service.yaml"), [0, 5, 22]).expect("writable");
    std::fs::create_dir(dir.path().join("old.yaml")).expect("writable");
    let files =
        load::paths(&[dir.path().to_owned()]).unwrap_or_else(|it| panic!("{}", rendered(&it)));
    assert_eq!(files.len(), 1);
}

#[test]
fn a_missing_requirement_is_a_mistake_of_the_file() {
    let problems = load::paths(&[PathBuf::from("no/such/file.yaml")]).expect_err("it is not there");
    assert_eq!(problems.len(), 1);
    assert_eq!(problems[0].message, "there is no such file or folder");
    assert!(problems[0].text.is_none());
}

/// `get-legal-request.status-200` and its remedy are about the status of the response. Another requirement is about the
/// member `status` of the body.
#[test]
fn a_row_about_a_status_is_checked_by_the_status_alone() {
    let is_of_status = |id: &str| {
        let last = id.rsplit_once(".status-").map(|(_, status)| status);
        last.is_some_and(|status| status.parse::<u16>().is_ok())
    };
    let (mut seen, mut wrong) = (0, Vec::new());
    for scenario in bundled().iter().flat_map(|file| &file.scenarios) {
        for id in declared::requirements(&scenario.steps).iter().filter(|id| is_of_status(id)) {
            let mut claims = Vec::new();
            all_checks(&scenario.steps, &mut |check| {
                if check.requirement == *id {
                    claims.extend(check.expectation.iter().map(|claim| claim.place.clone()));
                }
            });
            seen += claims.len();
            if claims.iter().any(|place| !matches!(place, Place::Status)) {
                wrong.push(format!("{}: {id}", scenario.id));
            }
        }
    }
    assert!(seen > 10, "{seen}");
    assert!(wrong.is_empty(), "{wrong:?}");
}

fn all_checks<'a>(steps: &'a [Step], visit: &mut impl FnMut(&'a Check)) {
    for step in steps {
        declared::checks(step).into_iter().for_each(&mut *visit);
        all_checks(declared::inner(step), visit);
    }
}

#[test]
fn every_digest_that_is_written_is_that_of_an_uploaded_file() {
    let digests: Vec<String> = moot_fixtures::documents::ALL
        .iter()
        .map(|document| document.bytes.to_vec())
        .chain([vec![0; 1_200_000], vec![0; 20_000_000]])
        .map(|bytes| format!("{:x}", Sha256::digest(bytes)))
        .collect();
    let written = regex::Regex::new("digest: *([0-9a-f]{64})").expect("it is sound");
    let mut found = 0;
    for file in std::fs::read_dir(folder()).expect("the suite is there") {
        let text = std::fs::read_to_string(file.expect("readable").path()).expect("readable");
        for digest in written.captures_iter(&text).map(|digest| digest[1].to_owned()) {
            assert!(digests.contains(&digest), "{digest}");
            found += 1;
        }
    }
    assert!(found > 0, "no digest is compared");
}
