//! The JUnit report follows the XSD of the Jenkins xUnit plugin (`junit-10.xsd`), which CI systems read. The table of
//! this test has its elements with their attributes and children.

use std::collections::BTreeMap;

use moot_harness::report::terminal::Detail;
use moot_harness::report::{Format, render};
use moot_harness::verdict::result::RunResult;
use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};

use crate::report_sample::{result, unreachable};

/// An element: its name, its required attributes, its optional attributes, and its children.
struct Element(
    &'static str,
    &'static [&'static str],
    &'static [&'static str],
    &'static [&'static str],
);

const ELEMENTS: [Element; 10] = [
    Element(
        "testsuites",
        &[],
        &["name", "time", "tests", "failures", "disabled", "errors"],
        &["testsuite"],
    ),
    Element(
        "testsuite",
        &["name", "tests"],
        &[
            "failures",
            "errors",
            "time",
            "disabled",
            "skipped",
            "timestamp",
            "hostname",
            "id",
            "package",
        ],
        &["testsuite", "properties", "testcase", "system-out", "system-err"],
    ),
    Element("properties", &[], &[], &["property"]),
    Element("property", &["name", "value"], &[], &[]),
    Element(
        "testcase",
        &["name"],
        &["assertions", "time", "timestamp", "classname", "status", "class", "file", "line"],
        &["skipped", "error", "failure", "system-out", "system-err"],
    ),
    Element("skipped", &[], &["message", "type"], &[]),
    Element("error", &[], &["message", "type"], &[]),
    Element("failure", &[], &["message", "type"], &[]),
    Element("system-out", &[], &[], &[]),
    Element("system-err", &[], &[], &[]),
];

/// Elements with text.
const TEXTS: [&str; 5] = ["error", "failure", "skipped", "system-out", "system-err"];
/// Elements that a suite counts, each with the attribute of the count.
const COUNTED: [(&str, &str); 3] =
    [("testcase", "tests"), ("failure", "failures"), ("error", "errors")];

fn element(name: &str) -> &'static Element {
    let found = ELEMENTS.iter().find(|element| element.0 == name);
    found.unwrap_or_else(|| panic!("`{name}` is not an element of JUnit"))
}

fn attributes(start: &BytesStart<'_>) -> BTreeMap<String, String> {
    let text = |bytes: &[u8]| String::from_utf8(bytes.to_vec()).expect("UTF-8");
    let all = start.attributes().map(|attribute| attribute.expect("an attribute, once"));
    all.map(|one| (text(one.key.as_ref()), text(&one.value))).collect()
}

/// Asserts that an element is allowed in its parent, and has the required attributes and only allowed ones.
fn check_start(start: &BytesStart<'_>, parent: Option<&str>) -> (String, BTreeMap<String, String>) {
    let name = String::from_utf8(start.name().as_ref().to_vec()).expect("UTF-8");
    let Element(_, needed, possible, _) = element(&name);
    match parent {
        None => assert_eq!(name, "testsuites", "the root"),
        Some(parent) => {
            assert!(element(parent).3.contains(&name.as_str()), "`{name}` in `{parent}`");
        }
    }
    let given = attributes(start);
    for must in *needed {
        assert!(given.contains_key(*must), "`{name}` has no `{must}`");
    }
    for (key, value) in &given {
        let key = key.as_str();
        assert!(needed.contains(&key) || possible.contains(&key), "`{name}` has `{key}`");
        if ["tests", "failures", "errors", "disabled", "skipped"].contains(&key) {
            assert!(value.parse::<u32>().is_ok(), "`{key}` is {value}");
        }
        if key == "time" {
            assert!(value.parse::<f64>().is_ok_and(|time| time >= 0.0), "`{key}` is {value}");
        }
    }
    (name, given)
}

/// Checks the whole document, and returns the number of each element.
fn check(result: &RunResult) -> BTreeMap<String, usize> {
    let xml = render(Format::Junit, result, Detail::Normal).expect("no secret in it");
    let mut reader = Reader::from_str(&xml);
    let mut open: Vec<String> = Vec::new();
    let mut counts: BTreeMap<String, usize> = BTreeMap::new();
    let mut declared: BTreeMap<String, usize> = BTreeMap::new();
    loop {
        match reader.read_event().expect("it is well-formed") {
            Event::Start(start) => {
                let (name, given) = check_start(&start, open.last().map(String::as_str));
                note(&name, &given, &mut counts, &mut declared);
                open.push(name);
            }
            Event::Empty(start) => {
                let (name, given) = check_start(&start, open.last().map(String::as_str));
                note(&name, &given, &mut counts, &mut declared);
            }
            Event::End(_) => drop(open.pop()),
            Event::Text(text) => {
                let is_blank = text.iter().all(u8::is_ascii_whitespace);
                let inside = open.last().map(String::as_str).unwrap_or_default();
                assert!(is_blank || TEXTS.contains(&inside), "text in `{inside}`");
            }
            Event::Eof => break,
            _ => {}
        }
    }
    for (name, attribute) in COUNTED {
        let counted = counts.get(name).copied().unwrap_or(0);
        assert_eq!(declared.get(attribute).copied().unwrap_or(0), counted, "`{attribute}`");
    }
    counts
}

fn note(
    name: &str,
    given: &BTreeMap<String, String>,
    counts: &mut BTreeMap<String, usize>,
    declared: &mut BTreeMap<String, usize>,
) {
    *counts.entry(name.to_owned()).or_default() += 1;
    if name == "testsuite" {
        for (_, attribute) in COUNTED {
            let told = given.get(attribute).and_then(|value| value.parse::<usize>().ok());
            *declared.entry(attribute.to_owned()).or_default() += told.unwrap_or(0);
        }
    }
}

#[test]
fn every_element_and_attribute_is_one_of_junit() {
    let sample = result();
    let counts = check(&sample);
    assert_eq!(counts["testcase"], sample.scenarios.len(), "a case per scenario: {counts:?}");
    assert!(counts["failure"] == 1 && counts["property"] >= 4, "{counts:?}");
    assert_eq!(check(&unreachable())["error"], 1);
}
