//! Target files: their values, and each mistake with its line and column.

use std::path::Path;
use std::time::Duration;

use moot_fixtures::DataError;
use moot_fixtures::contract::{Operation, Scopes};
use moot_harness::client::target_file::{self, Consent, FileOperator, TargetFile};
use moot_harness::scenario::model::OperatorAction;
use secrecy::ExposeSecret;

const GOOD: &str = "\
base_url: https://legal.example.com/api/
applications:
  main: { client_id: $MOOT_CLIENT_ID, client_secret: $MOOT_CLIENT_SECRET, scopes: [read, write] }
  reader: { client_id: reader, client_secret: $MOOT_CLIENT_SECRET }
bindings: { requester_email: a@legal.example.com }
endpoints:
  workflow_schema: /v1/workflows/{id}/form
  create_webhook: PUT /v1/hooks
consent: [write]
limits: { requests_per_minute: 300 }
tolerate: [delete, 04_05_create_legal_request/from-schema]
expected: staging.expected.yaml
headers: { X-Stage: blue, X-Api-Key: $GATE }
";

fn environment(name: &str) -> Option<String> {
    match name {
        "MOOT_CLIENT_ID" => Some("the-id".to_owned()),
        "MOOT_CLIENT_SECRET" => Some("the-secret".to_owned()),
        "GATE" => Some("open-sesame".to_owned()),
        _ => None,
    }
}

fn read(text: &str) -> Result<TargetFile, DataError> {
    target_file::from_text(text, Path::new("targets/staging.yaml"), &environment)
}

#[track_caller]
fn check(text: &str, expected: &str) {
    match read(text) {
        Ok(_) => panic!("a mistake was not seen: {expected}"),
        Err(error) => assert_eq!(error.to_string(), format!("targets/staging.yaml:{expected}")),
    }
}

#[test]
fn a_sound_file_is_read_with_its_defaults() {
    let file = read(GOOD).expect("it is sound");
    assert_eq!(file.name, "staging");
    assert_eq!(file.base_url.as_str(), "https://legal.example.com/api");
    let main = &file.applications["main"];
    assert_eq!(main.client_id, "the-id");
    assert_eq!(main.client_secret.expose_secret(), "the-secret");
    assert_eq!(file.applications["reader"].scopes, Scopes::READ);
    assert_eq!(file.consent.into_iter().collect::<Vec<_>>(), [Consent::Write]);
    assert_eq!((file.limits.requests_per_minute, file.limits.created_objects_max), (300, None));
    assert_eq!(file.expected.as_deref(), Some(Path::new("targets/staging.expected.yaml")));
    let schema = &file.endpoints[&Operation::GetWorkflowSchema];
    assert_eq!((schema.method.as_str(), schema.path.as_str()), ("GET", "/v1/workflows/{id}/form"));
    assert_eq!(file.endpoints[&Operation::CreateWebhook].method, "PUT");
    let secrets: Vec<_> =
        file.headers.iter().map(|header| (header.name.as_str(), header.is_secret)).collect();
    assert_eq!(secrets, [("x-api-key", true), ("x-stage", false)]);
}

#[test]
fn an_operator_is_a_program_of_the_files_folder_or_a_person() {
    let operator = |text: &str| {
        let text = format!("base_url: https://a.example\noperator: {text}\n");
        read(&text).expect("it is sound").operator
    };
    assert_eq!(operator("ask"), Some(FileOperator::Ask));
    let Some(FileOperator::Command(own)) =
        operator("{ command: [./operate.sh, --now], actions: [restart, set_status] }")
    else {
        panic!("it is a program");
    };
    let folder = std::env::current_dir().expect("a folder").join("targets");
    assert_eq!((own.program(), &own.folder), (folder.join("./operate.sh"), &folder));
    assert_eq!(own.command[1..], ["--now"]);
    assert_eq!(own.timeout(), Duration::from_secs(60));
    let actions: Vec<_> = own.actions.into_iter().collect();
    assert_eq!(actions, [OperatorAction::SetStatus, OperatorAction::Restart]);
    let Some(FileOperator::Command(installed)) =
        operator("{ command: [operate], actions: [restart], timeout_seconds: 5 }")
    else {
        panic!("it is a program");
    };
    assert_eq!(installed.program(), Path::new("operate"), "it is looked for on the PATH");
    assert_eq!(installed.timeout(), Duration::from_secs(5));
}

#[test]
fn debug_output_has_no_secret() {
    let shown = format!("{:?}", read(GOOD).expect("it is sound"));
    assert!(!shown.contains("the-secret") && !shown.contains("open-sesame"), "{shown}");
}

#[test]
fn each_mistake_is_reported_at_its_place() {
    let rows = [
        ("base_ulr: x\n", "1:1: unknown key `base_ulr`; did you mean `base_url`?"),
        ("name: x\n", "1:1: the key `base_url` is missing"),
        (
            "base_url: ftp://a.example\n",
            "1:11: `ftp://a.example` is not a base address; write it like `http://127.0.0.1:8080`",
        ),
        ("base_url: https://u:p@a.example\n", "1:11: a base address has no user and no password"),
        ("base_url: $NOWHERE\n", "1:11: `base_url`: the environment variable `NOWHERE` is not set"),
        (
            "base_url: https://a.example\nlimits: { requests_per_minute: 0 }\n",
            "2:9: `limits.requests_per_minute`: 0 (no pace) is for loopback addresses only",
        ),
        (
            "base_url: https://a.example\nlimits: { requests_per_minute: 601 }\n",
            "2:9: `limits.requests_per_minute`: 601 per minute is more than the limit of the \
             service (600, §8)",
        ),
        (
            "base_url: https://a.example\ntolerate: [delte]\n",
            "2:12: `delte` is neither a need nor a scenario FILE/ID; did you mean `delete`?",
        ),
        (
            "base_url: https://a.example\noperator: asks\n",
            "2:1: `asks` is not allowed here (allowed words: `ask`); did you mean `ask`?",
        ),
        (
            "base_url: https://a.example\noperator: { comand: [a] }\n",
            "2:13: unknown key `comand`; did you mean `command`?",
        ),
        (
            "base_url: https://a.example\noperator: { command: [a] }\n",
            "2:13: the key `actions` is missing",
        ),
        (
            "base_url: https://a.example\noperator: { command: [], actions: [restart] }\n",
            "2:22: `operator.command` names no program, such as `[./operate.sh]`",
        ),
        (
            "base_url: https://a.example\noperator: { command: [a], actions: [] }\n",
            "2:36: `operator.actions` names no action that the command can do",
        ),
        (
            "base_url: https://a.example\noperator: { command: [a], actions: [restrt] }\n",
            "2:37: `restrt` is not allowed here (allowed words: `set_status`, `add_comment`, `restart`, \
             `advance_clock`, `revoke_token`); did you mean `restart`?",
        ),
        (
            "base_url: https://a.example\n\
             operator: { command: [a], actions: [restart], timeout_seconds: 0 }\n",
            "2:64: `operator.timeout_seconds` is 1 to 3600 seconds",
        ),
        ("", "1:1: there is nothing in the file"),
        (
            "base_url: https://a.example\nbase_url: https://b.example\n",
            "2:1: the key `base_url` is there twice",
        ),
        (
            "base_url: https://a.example\nconsent: write\n",
            "2:10: a list such as `[one, other]` belongs here",
        ),
        (
            "base_url: https://a.example\nconsent: [writ]\n",
            "2:11: `writ` is not allowed here (allowed words: `write`, `delete`, `load`, `fetch`, `operate`); \
             did you mean `write`?",
        ),
        (
            "base_url: https://a.example\nlimits: { created_objects_max: many }\n",
            "2:32: a whole number from 0 on belongs here",
        ),
        (
            "base_url: https://a.example\nlimits: 9\n",
            "2:9: keys with their values, such as `{key: value}`, belong here",
        ),
        (
            "base_url: https://a.example\napplications: { mian: { client_id: a, client_secret: b } }\n",
            "2:17: unknown key `mian`; did you mean `main`?",
        ),
        (
            "base_url: https://a.example\napplications: { main: { client_id: a } }\n",
            "2:25: the key `client_secret` is missing",
        ),
        (
            "base_url: https://a.example\nendpoints: { workflow_schema: /v1/form }\n",
            "2:31: the path has no `{id}`",
        ),
    ];
    for (text, expected) in rows {
        check(text, expected);
    }
}

#[test]
fn unset_variables_are_named() {
    check(
        "base_url: https://a.example\napplications:\n  \
         main: { client_id: x, client_secret: $GONE }\n",
        "3:40: `applications.main.client_secret`: the environment variable `GONE` is not set",
    );
}

#[test]
fn a_literal_secret_is_for_loopback_only() {
    let text = |base: &str| {
        format!(
            "base_url: {base}\napplications: {{ main: {{ client_id: x, client_secret: y1-secret }} }}\n"
        )
    };
    check(
        &text("https://a.example"),
        "2:54: `applications.main.client_secret` is in the file itself, which is allowed only for a \
         loopback address; write `$NAME`, `{file: PATH}` or `{command: [WORD, …]}`",
    );
    for base in ["http://127.0.0.1:4010", "http://localhost/api", "http://[::1]:8080"] {
        assert!(read(&text(base)).is_ok(), "{base}");
    }
}

#[test]
fn a_secret_file_must_be_private() {
    let folder = tempfile::tempdir().expect("a folder");
    let secret = folder.path().join("secret");
    std::fs::write(&secret, "from-a-file\n").expect("written");
    let target = folder.path().join("target.yaml");
    let text = "base_url: https://a.example\napplications:\n  \
                main: { client_id: x, client_secret: { file: secret } }\n";
    std::fs::write(&target, text).expect("written");
    set_mode(&secret, 0o644);
    let error = target_file::read(&target).expect_err("it can be read by others").to_string();
    let error = error.replace(&folder.path().display().to_string(), "DIR");
    insta::assert_snapshot!(error, @"DIR/target.yaml:3:40: `applications.main.client_secret`: `DIR/secret` has mode 0644, so others can read it; run `chmod 600 DIR/secret`");
    set_mode(&secret, 0o600);
    let read = target_file::read(&target).expect("it is private");
    let main = &read.applications["main"];
    assert_eq!(main.client_secret.expose_secret(), "from-a-file");
}

#[test]
fn a_command_prints_a_secret() {
    let text = |command: &str| {
        format!(
            "base_url: https://a.example\napplications:\n  \
             main: {{ client_id: x, client_secret: {{ command: [{command}] }} }}\n"
        )
    };
    let read_file = read(&text("printf, printed-secret")).expect("it is sound");
    assert_eq!(read_file.applications["main"].client_secret.expose_secret(), "printed-secret");
    let started = std::time::Instant::now();
    let beside = read(&text("sh, -c, 'printf printed-secret; sleep 15 &'")).expect("it is sound");
    assert_eq!(beside.applications["main"].client_secret.expose_secret(), "printed-secret");
    // Not even if it goes on printing.
    let printing = "(for i in $(seq 150); do sleep 0.1; printf x; done) & printf printed-secret";
    let printing = read(&text(&format!("sh, -c, '{printing}'"))).expect("it is sound");
    let printed = printing.applications["main"].client_secret.expose_secret().to_owned();
    assert!(printed.starts_with("printed-secret"), "{printed}");
    assert!(started.elapsed().as_secs() < 10, "a background process is not waited for");
    let error = read(&text("'false'")).expect_err("the command fails").to_string();
    assert!(error.contains("the command `false` failed"), "{error}");
}

#[test]
fn an_address_alone_takes_credentials_from_the_environment() {
    let with =
        target_file::from_url("https://a.example/api", &environment).expect("it is an address");
    assert_eq!(with.applications["main"].client_id, "the-id");
    assert!(with.consent.is_empty());
    let without =
        target_file::from_url("https://a.example/api", &|_| None).expect("it is an address");
    assert!(without.applications.is_empty());
    assert!(target_file::from_url("a.example", &environment).is_err());
}

fn set_mode(path: &Path, mode: u32) {
    use std::os::unix::fs::PermissionsExt;
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).expect("ours");
}

#[test]
fn a_secret_that_could_not_be_kept_out_of_reports_is_refused() {
    for (base, secret, is_sound) in [
        ("http://127.0.0.1:4010", "abc", false),
        ("http://127.0.0.1:4010", "abcd", true),
        ("https://legal.example.com", "1234567", false),
        ("https://legal.example.com", "12345678", true),
    ] {
        let text = format!(
            "base_url: {base}\napplications:\n  main: {{ client_id: x, client_secret: $SECRET }}\n"
        );
        let environment = |name: &str| (name == "SECRET").then(|| secret.to_owned());
        let read = target_file::from_text(&text, Path::new("t.yaml"), &environment);
        let refused = read.as_ref().is_err_and(|error| error.message.contains("is shorter than"));
        assert_eq!((read.is_ok(), refused), (is_sound, !is_sound), "{base} {secret}");
    }
}
