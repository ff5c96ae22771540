//! `moot doctor` reports whether a target is usable, and the possible checks there.

use std::net::TcpListener;

use serde_json::Value;

use crate::command_support::{Running, run};
use crate::deployment::{start, target};

#[tokio::test]
async fn it_names_each_missing_need_with_its_setting() {
    let server = start("default").await;
    let dir = tempfile::tempdir().expect("a folder");
    target(dir.path(), &format!("{}/api", server.uri()), "consent: [write]\ntolerate: [load]\n");
    let ran = run(&["doctor", "--target", "target.yaml"], dir.path());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for part in ["takes the credentials", "yes  read", "consent: [delete] in the target file"] {
        assert!(ran.stdout.contains(part), "{part}\n{}", ran.stdout);
    }
    assert!(!ran.stdout.contains("Vr8Kq3Zt6Wm1Xc5B"), "no secret");
    let words = ["doctor", "--target", "target.yaml", "--format", "json"];
    let found: Value = serde_json::from_str(&run(&words, dir.path()).stdout).expect("it is JSON");
    let load = found["needs"].as_array().and_then(|all| all.iter().find(|it| it["need"] == "load"));
    assert_eq!(
        load.map(|it| (&it["is_met"], &it["is_tolerated"])),
        Some((&false.into(), &true.into()))
    );
}

#[test]
fn a_target_that_cannot_be_used_ends_as_a_run_on_it_does() {
    let silent = TcpListener::bind("127.0.0.1:0").expect("a port");
    let address = silent.local_addr().expect("it is bound");
    for (base, code, said) in [
        ("http://127.0.0.1:1/api".to_owned(), 4, "cannot be reached"),
        (format!("http://{address}/api"), 4, "deadline"),
        ("no address".to_owned(), 2, "is not a base address"),
    ] {
        let dir = tempfile::tempdir().expect("a folder");
        target(dir.path(), &base, "");
        let ran = run(&["doctor", "--target", "target.yaml"], dir.path());
        assert_eq!(ran.code, Some(code), "{base}: {}", ran.stderr);
        assert!(ran.stderr.contains(said), "{base}: {}", ran.stderr);
    }
}

/// A folder with a certificate for `localhost`, and its key.
fn certified() -> tempfile::TempDir {
    let dir = tempfile::tempdir().expect("a folder");
    let made = rcgen::generate_simple_self_signed(["localhost".to_owned()]).expect("it is made");
    for (name, text) in
        [("cert.pem", made.cert.pem()), ("key.pem", made.signing_key.serialize_pem())]
    {
        std::fs::write(dir.path().join(name), text).expect("writable");
    }
    dir
}

#[test]
fn a_certificate_of_its_own_needs_its_authority_and_https() {
    let dir = certified();
    let file = |name: &str| dir.path().join(name).display().to_string();
    let tls = format!("{},{}", file("cert.pem"), file("key.pem"));
    let mock = Running::start(&["--tls", &tls, "--format", "json"]);
    let ready = mock.ready();
    let base = ready["base_url"].as_str().expect("an address").replace("127.0.0.1", "localhost");
    assert!(base.starts_with("https://"), "{base}");
    for (more, code, said) in [
        ("", 4, "tls.ca_file"),
        ("tls: { ca_file: cert.pem }\n", 0, "answers, over TLS"),
        ("tls: { ca_file: none.pem }\n", 2, "none.pem"),
        ("tls: { ca_file: key.pem }\n", 2, "key.pem"),
    ] {
        target(dir.path(), &base, more);
        let ran = run(&["doctor", "--target", "target.yaml"], dir.path());
        assert_eq!(ran.code, Some(code), "{more}: {}{}", ran.stdout, ran.stderr);
        assert!(format!("{}{}", ran.stdout, ran.stderr).contains(said), "{more}: {}", ran.stderr);
        let words = ["run", "--target", "target.yaml", "section:4.12"];
        let ran = run(&words, dir.path());
        assert_eq!(ran.code, Some(code), "{more}: {}{}", ran.stdout, ran.stderr);
    }
    target(dir.path(), &base.replace("https:", "http:"), "");
    let ran = run(&["doctor", "--target", "target.yaml"], dir.path());
    assert_eq!(ran.code, Some(4), "{}", ran.stderr);
    assert!(ran.stderr.contains("write https:// in `base_url`"), "{}", ran.stderr);
}

#[tokio::test]
async fn refused_credentials_are_4_and_named() {
    let server = start("default").await;
    let base = format!("{}/api", server.uri());
    let dir = tempfile::tempdir().expect("a folder");
    for (secret, role) in [
        ("demo-main-secret-Vr8Kq3Zt6Wm1Xc5B", "main"),
        ("demo-reader-secret-Hp2Ln9Yd4Fs7Gj0T", "reader"),
        ("other-main-secret-Ws4Jn7Ub2Ty9Ep6D", "other_company"),
    ] {
        target(dir.path(), &base, "");
        let path = dir.path().join("target.yaml");
        let text = std::fs::read_to_string(&path).expect("it was written");
        std::fs::write(&path, text.replace(secret, "another-secret")).expect("writable");
        let named = format!("application `{role}`");
        let line = text.lines().position(|line| line.contains(secret)).expect("it was there") + 1;
        let place = format!("target.yaml:{line}: ");
        let ran = run(&["doctor", "--target", "target.yaml"], dir.path());
        assert_eq!(ran.code, Some(4), "{role}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stderr.contains(&named), "{role}: {}", ran.stderr);
        assert!(ran.stderr.contains(&place), "{role}: {}", ran.stderr);
        if role == "reader" {
            // It has no scenario that runs without consent.
            continue;
        }
        let ran = run(&["run", "--target", "target.yaml", "section:5"], dir.path());
        assert_eq!(ran.code, Some(4), "{role}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains(&named), "{role}: {}", ran.stdout);
    }
}

#[tokio::test]
async fn without_consent_it_names_the_setting() {
    let server = start("default").await;
    let dir = tempfile::tempdir().expect("a folder");
    target(dir.path(), &format!("{}/api", server.uri()), "consent: []\n");
    let ran = run(&["doctor", "--target", "target.yaml"], dir.path());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for consent in ["write", "delete", "load", "fetch"] {
        let said = format!("consent: [{consent}] in the target file");
        assert!(ran.stdout.contains(&said), "{}", ran.stdout);
    }
    let sent = server.received_requests().await.unwrap_or_default();
    let is_read =
        |it: &wiremock::Request| it.method == "GET" || it.url.path() == "/api/oauth/token";
    assert!(sent.iter().all(is_read));
}
