//! `moot doctor` says whether a target can be used, and what it can be judged by.

use std::net::TcpListener;

use serde_json::Value;

use crate::command_support::run;
use crate::deployment::{start, target};

#[tokio::test]
async fn it_names_what_is_missing_and_the_setting() {
    let server = start("default").await;
    let dir = tempfile::tempdir().expect("a folder");
    target(dir.path(), &format!("{}/api", server.uri()), "consent: [write]\ntolerate: [load]\n");
    let ran = run(&["doctor", "--target", "target.yaml"], dir.path());
    assert_eq!(ran.code, Some(0), "{}", ran.stderr);
    for part in ["takes the credentials", "yes read", "consent: [delete] in the target file"] {
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
        ("no address".to_owned(), 2, "is no base address"),
    ] {
        let dir = tempfile::tempdir().expect("a folder");
        target(dir.path(), &base, "");
        let ran = run(&["doctor", "--target", "target.yaml"], dir.path());
        assert_eq!(ran.code, Some(code), "{base}: {}", ran.stderr);
        assert!(ran.stderr.contains(said), "{base}: {}", ran.stderr);
    }
}
