//! The JSON Schemas of the files that users write. Every member has a description. The schemas accept each file of the
//! repository, and agree with the readers about the form of a file.

use std::path::Path;

use moot_harness::client::{answers, target_file};
use moot_harness::verdict::expected;
use serde_json::Value;

use crate::command_support::run;
use crate::scenario_broken::as_json;

fn schema(name: &str) -> Value {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let ran = run(&["schema", name], dir.path());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    serde_json::from_str(&ran.stdout).expect("it is JSON")
}

/// Asserts that the schema accepts a text if and only if the reader does.
#[track_caller]
fn agree(schema: &Value, reads: impl Fn(&str) -> bool, sound: &[&str], broken: &[&str]) {
    let validator = jsonschema::options()
        .with_draft(jsonschema::Draft::Draft202012)
        .build(schema)
        .expect("it is a schema");
    for (text, is_sound) in
        sound.iter().map(|text| (text, true)).chain(broken.iter().map(|text| (text, false)))
    {
        assert_eq!(reads(text), is_sound, "the reader: {text}");
        let json = as_json(text).expect("it is YAML");
        let errors: Vec<String> =
            validator.iter_errors(&json).map(|e| format!("{}: {e}", e.instance_path())).collect();
        assert_eq!(errors.is_empty(), is_sound, "the schema: {text}\n{errors:?}");
    }
}

/// The members of a schema without a description, by their path.
fn undescribed(schema: &Value, path: &str, found: &mut Vec<String>) {
    let members = schema["properties"].as_object().into_iter().flatten();
    for (name, member) in members {
        // A rule of a step repeats a key with its required value.
        let is_rule =
            member.get("const").is_some() || path.contains("/then") || path.contains("/if");
        if !is_rule && member["description"].as_str().is_none_or(str::is_empty) {
            found.push(format!("{path}/{name}"));
        }
    }
    match schema {
        Value::Object(map) => {
            map.iter().for_each(|(key, value)| undescribed(value, &format!("{path}/{key}"), found));
        }
        Value::Array(list) => list.iter().for_each(|value| undescribed(value, path, found)),
        _ => {}
    }
}

#[test]
fn every_member_has_a_description() {
    for name in ["target", "scenario", "expected", "answers", "world"] {
        let mut found = Vec::new();
        undescribed(&schema(name), name, &mut found);
        assert!(found.is_empty(), "{name}: {found:#?}");
    }
}

#[test]
fn a_target_file() {
    let operator = include_str!("../../../examples/operator/target.yaml");
    let example = include_str!("../../../examples/files/target.yaml");
    let reads = |text: &str| {
        let variable = |_: &str| Some("a value of a variable".to_owned());
        let read = target_file::from_text(text, Path::new("t.yaml"), &variable);
        read.map_err(|error| println!("{error}")).is_ok()
    };
    agree(
        &schema("target"),
        reads,
        &[
            operator,
            example,
            "base_url: http://127.0.0.1:1\n",
            "base_url: $URL_OF_IT\n"
                .replace("$URL_OF_IT", "https://a.example")
                .as_str(),
            "base_url: https://a.example\nadmin: none\noperator: ask\nlimits: { pages_max: 3 }\n\
             applications: { main: { client_id: a, client_secret: $A, scopes: [read] } }\n",
            "base_url: https://a.example\nadmin: { token: $TOKEN }\nheaders: { X-Key: $KEY }\n\
             operator: { command: [./a], actions: [restart], timeout_seconds: 5 }\n\
             applications: { main: { client_id: a, client_secret: { command: [echo, a long one] } } }\n\
             endpoints: { workflow_schema: GET /v1/schemas/{id} }\n"
                .replace("GET /v1/schemas/{id}", "'GET /v1/schemas/{id}'")
                .as_str(),
        ],
        &[
            "{}",
            "base_url: 5\nname: []\n",
            "base_url: http://127.0.0.1:1\nbase: b\n",
            "base_url: http://127.0.0.1:1\nconsent: [writes]\n",
            "base_url: http://127.0.0.1:1\nconsent: write\n",
            "base_url: http://127.0.0.1:1\nadmin: yes please\n",
            "base_url: http://127.0.0.1:1\nadmin: { tokn: a }\n",
            "base_url: http://127.0.0.1:1\nlimits: { pages: 3 }\n",
            "base_url: http://127.0.0.1:1\nlimits: { pages_max: many }\n",
            "base_url: http://127.0.0.1:1\nbindings: { requester: a }\n",
            "base_url: http://127.0.0.1:1\napplications: { owner: { client_id: a, client_secret: $A } }\n",
            "base_url: http://127.0.0.1:1\napplications: { main: { client_id: a } }\n",
            "base_url: http://127.0.0.1:1\napplications: { main: { client_id: a, client_secret: {} } }\n",
            "base_url: http://127.0.0.1:1\napplications: { main: { client_id: a, client_secret: { env: A } } }\n",
            "base_url: http://127.0.0.1:1\n\
             applications: { main: { client_id: a, client_secret: $A, scopes: [admin] } }\n",
            "base_url: http://127.0.0.1:1\noperator: me\n",
            "base_url: http://127.0.0.1:1\noperator: { command: [./a], actions: [dance] }\n",
            "base_url: http://127.0.0.1:1\noperator: { command: [], actions: [restart] }\n",
            "base_url: http://127.0.0.1:1\n\
             operator: { command: [./a], actions: [restart], timeout_seconds: 0 }\n",
            "base_url: http://127.0.0.1:1\ntls: { ca: a.pem }\n",
            "base_url: http://127.0.0.1:1\nendpoints: { schema: GET /a }\n",
        ],
    );
}

#[test]
fn a_file_of_known_failures() {
    let example = include_str!("../../../examples/files/expected.yaml");
    let reads = |text: &str| expected::from_text(text, Path::new("e.yaml")).is_ok();
    agree(
        &schema("expected"),
        reads,
        &[
            example,
            "[]",
            "expected: [{ id: a.b, outcome: not run, reason: x, expiry: 2027-01-31 }]",
            "- { id: a.b, outcome: not_run, reason: x, condition: { needs: [write], lacks: [fetch] } }",
        ],
        &[
            "{}",
            "- a.b",
            "- { id: a.b, outcome: fail }",
            "- { id: '', outcome: fail, reason: x }",
            "- { id: a.b, outcome: pass, reason: x }",
            "- { id: a.b, outcome: fail, reason: ' ' }",
            "- { id: a.b, outcome: fail, reason: x, expires: tomorrow }",
            "- { id: a.b, outcome: fail, reason: x, until: 2027-01-31 }",
            "- { id: a.b, outcome: fail, reason: x, condition: { need: [write] } }",
        ],
    );
}

#[test]
fn an_answers_file() {
    let reads = |text: &str| moot_fixtures::answers::parse(text).is_ok();
    agree(
        &schema("answers"),
        reads,
        &[
            include_str!("../../../fixtures/answers/default.yaml"),
            include_str!("../../../fixtures/answers/documented.yaml"),
            include_str!("../../../examples/files/answers.yaml"),
            "webhook_delete_status: 204",
            "token_rate_limit: null",
        ],
        &[
            "webhook_delete_state: 204",
            "webhook_delete_status: deleted",
            "activity_paginated: sometimes",
            "timestamps: weeks",
            "[]",
        ],
    );
    assert_eq!(answers::schema()["type"], serde_json::json!(["object", "null"]));
}

#[test]
fn a_world_file() {
    let reads = |text: &str| moot_fixtures::world::parse(text).is_ok();
    let company =
        "seeded_at: '2025-12-31T12:00:00Z'\ncompanies:\n  - name: A\n    users: [a@a.example]\n";
    let application =
        "    applications: [{ client_id: a, client_secret: abcdefgh, scopes: [read] }]\n";
    let sound = format!("{company}{application}");
    let broken = [
        "seeded_at: '2025-12-31T12:00:00Z'\n".to_owned(),
        company.to_owned(),
        sound.replace("[read]", "[all]"),
        sound.replace("client_id", "id"),
        format!("{sound}    workflow: []\n"),
        format!("{sound}    generated_webhooks: some\n"),
        format!("{sound}    legal_requests: [{{ workflow: 0, status: lost, counterparty: B }}]\n"),
    ];
    agree(
        &schema("world"),
        reads,
        &[
            include_str!("../../../fixtures/worlds/demo.yaml"),
            include_str!("../../../fixtures/worlds/empty.yaml"),
            include_str!("../../../fixtures/worlds/bench.yaml"),
            include_str!("../../../examples/files/world.yaml"),
            &sound,
        ],
        &broken.each_ref().map(String::as_str),
    );
}

#[test]
fn the_example_of_a_scenario_is_sound() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let file = concat!(env!("CARGO_MANIFEST_DIR"), "/../examples/files/scenario.yaml");
    let ran = run(&["run", "--scenarios", file], dir.path());
    assert_eq!(ran.code, Some(0), "{}{}", ran.stdout, ran.stderr);
}

#[test]
fn each_example_names_its_schema() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/files");
    for name in ["target", "scenario", "expected", "answers", "world"] {
        let text =
            std::fs::read_to_string(folder.join(format!("{name}.yaml"))).expect("it is there");
        let line =
            format!("# yaml-language-server: $schema=../../docs/reference/schemas/{name}.json\n");
        assert!(text.starts_with(&line), "{name}");
    }
}

#[test]
fn every_format_is_written_as_a_file() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let ran = run(&["schema", "--write", "schemas"], dir.path());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for name in [
        "target", "scenario", "expected", "answers", "world", "report", "compare", "conduct",
        "drill",
    ] {
        let text =
            std::fs::read_to_string(dir.path().join(format!("schemas/{name}.json"))).expect(name);
        let written: Value = serde_json::from_str(&text).expect("it is JSON");
        assert_eq!(written, schema(name));
        assert!(written["$comment"].as_str().is_some_and(|it| it.starts_with("Written by moot ")));
    }
}
