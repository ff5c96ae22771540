//! Imports go one way: no two files import each other, and no folder imports one above it. Names of
//! types mean one thing in the workspace.

use std::collections::{BTreeMap, BTreeSet};

use regex::Regex;

use crate::architecture_source::{Module, Sources};

const CRATES: [&str; 4] = ["fixtures", "snapshots", "mock", "harness"];

/// The floors of the harness from bottom to top. A module imports modules of lower floors only. A folder in a folder
/// has a floor of its own where it is listed.
const HARNESS: &[&[&str]] = &[
    &["exchange/escape", "exchange/masks", "verdict/phrase"],
    &["scenario"],
    &["exchange"],
    &["client/answers", "client/target_file", "verdict"],
    &["client", "client/recording", "report/terminal", "verdict/check"],
    &["verdict/result"],
    &["run/environment", "verdict/expected"],
    &["run"],
    &["report", "run/part_files"],
    &["compare", "explore", "selftest", "grading/conduct"],
    &["grading/drill"],
    &["grading/misbehaving_client"],
    &["grading"],
    &["command"],
];

/// The floors of the mock from bottom to top.
const MOCK: &[&[&str]] = &[
    &["value"],
    &["value/message"],
    &["world/state/resource", "world/fault"],
    &["world/state", "world/journal"],
    &["world"],
    &["operation", "control", "defect"],
    &["service"],
    &["shell"],
];

#[test]
fn no_two_files_import_each_other() {
    let circles: Vec<Vec<String>> =
        CRATES.iter().flat_map(|name| Sources::read(name).circles()).collect();
    assert!(circles.is_empty(), "{} circles of files: {circles:#?}", circles.len());
}

#[test]
fn the_harness_imports_downwards() {
    check_floors("harness", HARNESS);
}

#[test]
fn the_mock_imports_downwards() {
    check_floors("mock", MOCK);
}

/// Every module of the crate has a floor, its own or that of its folder, and imports lower floors only.
#[track_caller]
fn check_floors(folder: &str, floors: &[&[&str]]) {
    let floor_of: BTreeMap<&str, usize> = (0..)
        .zip(floors)
        .flat_map(|(floor, names)| names.iter().map(move |name| (*name, floor)))
        .collect();
    let listed = |module: &Module| {
        let prefixes = (1..=module.len()).rev().map(|length| module[..length].join("/"));
        let mut floors = prefixes.filter_map(|name| floor_of.get_key_value(name.as_str()));
        let (name, floor) =
            floors.next().unwrap_or_else(|| panic!("{folder}/src/{} has no floor", module[0]));
        (*name, *floor)
    };
    let sources = Sources::read(folder);
    let found: BTreeSet<&str> =
        sources.files.keys().filter(|module| !module.is_empty()).map(|it| listed(it).0).collect();
    assert_eq!(found, floor_of.keys().copied().collect(), "modules of {folder} that have a floor");
    let mut wrong = Vec::new();
    for (module, others) in sources.imports().iter().filter(|(module, _)| !module.is_empty()) {
        let (name, floor) = listed(module);
        for other in others.iter().map(|other| (other, listed(other))) {
            if other.1.0 != name && other.1.1 >= floor {
                let path = sources.files[module].path.display();
                wrong.push(format!("{path} imports {}", other.0.join("::")));
            }
        }
    }
    assert!(wrong.is_empty(), "imports that do not go down:\n{}", wrong.join("\n"));
}

/// A private row of a file format may repeat a name: it ends in one of these words.
const ROW_SUFFIXES: [&str; 2] = ["File", "Row"];

/// The definition of a type.
struct Definition {
    name: String,
    path: String,
    is_public: bool,
}

fn definitions() -> Vec<Definition> {
    let pattern = Regex::new(
        r"(?m)^(?:(\s*)(pub(?:\([^)]*\))?\s+)?(?:struct|enum|trait|union)|((pub(?:\([^)]*\))?\s+)?)type)\s+([A-Z]\w*)",
    )
    .expect("a pattern");
    let mut all = Vec::new();
    for source in CRATES.iter().flat_map(|name| Sources::read(name).files.into_values()) {
        all.extend(pattern.captures_iter(&source.code).map(|found| Definition {
            name: found[5].to_owned(),
            path: source.path.display().to_string(),
            is_public: found.get(2).or(found.get(4)).is_some(),
        }));
    }
    all
}

#[test]
fn a_name_of_a_type_means_one_thing() {
    let mut places: BTreeMap<String, Vec<String>> = BTreeMap::new();
    for Definition { name, path, is_public } in definitions() {
        if is_public || !ROW_SUFFIXES.iter().any(|suffix| name.ends_with(suffix)) {
            places.entry(name).or_default().push(path);
        }
    }
    places.retain(|_, paths| paths.len() > 1);
    assert!(places.is_empty(), "{} names of types mean two things: {places:#?}", places.len());
}

#[test]
fn the_types_of_the_glossary_exist() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/glossary.md");
    let glossary = std::fs::read_to_string(path).expect("the glossary");
    let named = Regex::new("`([A-Z][A-Za-z]+)`").expect("a pattern");
    let named: BTreeSet<&str> =
        named.captures_iter(&glossary).map(|found| found.extract::<1>().1[0]).collect();
    let defined: BTreeSet<String> = definitions().into_iter().map(|it| it.name).collect();
    let missing: Vec<_> = named.iter().filter(|name| !defined.contains(**name)).collect();
    assert!(named.len() > 50 && missing.is_empty(), "no type has these names: {missing:?}");
}
