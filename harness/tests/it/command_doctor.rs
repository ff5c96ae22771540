//! `moot doctor` reports whether a target is usable, and the possible checks there.

use std::net::TcpListener;

use serde_json::Value;

use crate::command_support::{Running, certify, message, run};
use crate::deployment::{base_url, deployed, edit, start, target};

/// The row of this need in the JSON of `moot doctor`.
#[track_caller]
fn need<'a>(found: &'a Value, name: &str) -> &'a Value {
    let rows = found["needs"].as_array().expect("a list");
    rows.iter().find(|row| row["need"] == name).expect("a row for each need")
}

#[tokio::test]
async fn it_names_each_missing_need_with_its_setting() {
    let server = start("default").await;
    let dir = deployed(&server, "consent: [write]\ntolerate: [load]\n");
    let ran = run(&["doctor", "--target", "target.yaml"], dir.path()).ended(0);
    let (head, _) = ran.stdout.split_once("\n\n").expect("a paragraph");
    insta::assert_snapshot!(message(head), @r"
    target (deployment)
      ok http://127.0.0.1:PORT/api answers, without TLS
      ok it accepts the credentials of `main`
    ");
    assert!(!ran.stdout.contains("Vr8Kq3Zt6Wm1Xc5B"), "no secret");
    let words = ["doctor", "--target", "target.yaml", "--format", "json"];
    let found: Value = serde_json::from_str(&run(&words, dir.path()).stdout).expect("it is JSON");
    let load = need(&found, "load");
    assert_eq!((&load["is_met"], &load["is_tolerated"]), (&false.into(), &true.into()));
    assert_eq!(need(&found, "read")["is_met"], true);
    let delete = need(&found, "delete");
    assert_eq!(delete["is_met"], false);
    assert_eq!(delete["setting"], "consent: [delete] in the target file");
}

#[tokio::test]
async fn only_what_is_missing_is_offered_for_tolerance() {
    let server = start("default").await;
    for (operator, expected) in [
        ("", vec!["operator"]),
        (
            "operator: { command: [sh], actions: [restart, set_status, add_comment] }\n",
            vec!["operator.advance_clock", "operator.revoke_token"],
        ),
    ] {
        let dir = deployed(&server, &format!("consent: [operate]\n{operator}"));
        let words = ["doctor", "--target", "target.yaml", "--format", "json"];
        let found = run(&words, dir.path()).ended(0).json();
        let line = found["tolerate"].as_str().expect("a line");
        let words = line.split(['[', ']', ',', ' ']).filter(|word| word.starts_with("operator"));
        assert_eq!(words.collect::<Vec<_>>(), expected, "{line}");
    }
}

#[test]
fn a_target_that_cannot_be_used_ends_as_a_run_on_it_does() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = silent.local_addr().expect("it is bound");
    let messages = [
        ("http://127.0.0.1:1/api".to_owned(), 4),
        (format!("http://{address}/api"), 4),
        ("no address".to_owned(), 2),
    ]
    .map(|(base, code)| {
        let dir = tempfile::tempdir().expect("a folder");
        target(dir.path(), &base, "");
        let ran = run(&["doctor", "--target", "target.yaml"], dir.path());
        assert_eq!(ran.code, Some(code), "{base}: {}", ran.stderr);
        message(&ran.stderr)
    });
    insta::assert_snapshot!(messages.concat(), @r"
    error: 127.0.0.1:PORT cannot be reached: Connection refused (os error N); is it running? Compare the port of `base_url`
    error: 127.0.0.1:PORT cannot be reached: no whole head, or no further byte of the body, within 2 s (timeout `limits.silence_seconds`); compare host and port of `base_url`, and set HTTPS_PROXY if a proxy is needed
    error: target.yaml:1:11: `no address` is not a base address; write it like `http://127.0.0.1:PORT`
    ");
}

#[test]
fn a_certificate_of_its_own_needs_its_authority_and_https() {
    let dir = tempfile::tempdir().expect("a folder");
    certify(dir.path(), "localhost");
    let file = |name: &str| dir.path().join(name).display().to_string();
    let tls = format!("{},{}", file("cert.pem"), file("key.pem"));
    let mock = Running::start(&["--tls", &tls, "--format", "json"]);
    let base = mock.base_url().replace("127.0.0.1", "localhost");
    assert!(base.starts_with("https://"), "{base}");
    let mut messages = String::new();
    for (more, code) in [
        ("", 4),
        ("tls: { ca_file: cert.pem }\n", 0),
        ("tls: { ca_file: none.pem }\n", 2),
        ("tls: { ca_file: key.pem }\n", 2),
    ] {
        target(dir.path(), &base, more);
        let ran = run(&["doctor", "--target", "target.yaml"], dir.path());
        assert_eq!(ran.code, Some(code), "{more}: {}{}", ran.stdout, ran.stderr);
        let head = ran.stdout.split_once("\n\n").map(|(head, _)| format!("{head}\n"));
        messages += &message(&head.unwrap_or(ran.stderr));
        let words = ["run", "--target", "target.yaml", "section:4.12"];
        let ran = run(&words, dir.path());
        assert_eq!(ran.code, Some(code), "{more}: {}{}", ran.stdout, ran.stderr);
    }
    insta::assert_snapshot!(messages, @r"
    error: localhost:PORT cannot be reached: TLS: its certificate comes from an authority that this machine does not trust; name a private authority as `tls.ca_file` in the target file
    target (deployment)
      ok https://localhost:PORT answers, over TLS
      ok it accepts the credentials of `main`
    error: `tls.ca_file` none.pem cannot be read: No such file or directory (os error N)
    error: `tls.ca_file` key.pem holds no certificate
    ");
    target(dir.path(), &base.replace("https:", "http:"), "");
    let ran = run(&["doctor", "--target", "target.yaml"], dir.path()).ended(4);
    insta::assert_snapshot!(message(&ran.stderr), @"error: localhost:PORT cannot be reached: the response is not HTTP/1.1; if it speaks HTTPS, write https:// in `base_url`");
}

#[tokio::test]
async fn refused_credentials_are_4_and_named() {
    let server = start("default").await;
    let base = base_url(&server);
    let dir = tempfile::tempdir().expect("a folder");
    let mut messages = String::new();
    for (secret, role) in [
        ("demo-main-secret-Vr8Kq3Zt6Wm1Xc5B", "main"),
        ("demo-reader-secret-Hp2Ln9Yd4Fs7Gj0T", "reader"),
        ("other-main-secret-Ws4Jn7Ub2Ty9Ep6D", "other_company"),
    ] {
        target(dir.path(), &base, "");
        edit(dir.path(), &[(secret, "another-secret")]);
        let ran = run(&["doctor", "--target", "target.yaml"], dir.path());
        assert_eq!(ran.code, Some(4), "{role}: {}{}", ran.stdout, ran.stderr);
        messages += &message(&ran.stderr);
        if role == "reader" {
            // It has no scenario that runs without consent.
            continue;
        }
        let words = ["run", "--target", "target.yaml", "section:5", "--format", "json"];
        let ran = run(&words, dir.path());
        assert_eq!(ran.code, Some(4), "{role}: {}{}", ran.stdout, ran.stderr);
        let report = ran.json();
        messages += &format!("run: {}\n", message(&report["trouble"].to_string()));
    }
    insta::assert_snapshot!(messages, @r#"
    error: target.yaml:4: 127.0.0.1:PORT gives no token to the application `main`: it returned 401 (invalid_client); check `client_id` and `client_secret` of `applications.main`; a value must not contain quotes or a line end
    run: "target.yaml:4: 127.0.0.1:PORT gives no token to the application `main`: it returned 401 (invalid_client); check `client_id` and `client_secret` of `applications.main`; a value must not contain quotes or a line end"
    error: target.yaml:5: 127.0.0.1:PORT gives no token to the application `reader`: it returned 401 (invalid_client); check `client_id` and `client_secret` of `applications.reader`; a value must not contain quotes or a line end
    error: target.yaml:7: 127.0.0.1:PORT gives no token to the application `other_company`: it returned 401 (invalid_client); check `client_id` and `client_secret` of `applications.other_company`; a value must not contain quotes or a line end
    run: "target.yaml:7: 127.0.0.1:PORT gives no token to the application `other_company`: it returned 401 (invalid_client); check `client_id` and `client_secret` of `applications.other_company`; a value must not contain quotes or a line end"
    "#);
}

#[tokio::test]
async fn without_consent_it_names_the_setting() {
    let server = start("default").await;
    let dir = deployed(&server, "consent: []\n");
    let found =
        run(&["doctor", "--target", "target.yaml", "--format", "json"], dir.path()).ended(0).json();
    for consent in ["write", "delete", "load", "fetch"] {
        let setting = &need(&found, consent)["setting"];
        assert_eq!(*setting, format!("consent: [{consent}] in the target file"));
    }
    let sent = server.received_requests().await.unwrap_or_default();
    let is_read =
        |it: &wiremock::Request| it.method == "GET" || it.url.path() == "/api/oauth/token";
    assert!(sent.iter().all(is_read));
}
