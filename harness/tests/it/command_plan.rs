//! `moot plan` shows the requests of a run, and sends none.

use std::fs;

use regex::Regex;
use serde_json::Value;

use crate::command_support::{read_json, run};
use crate::deployment::{ALL_BUT_LOAD, base_url, deployed, edit, judged, start, target};

fn planned(dir: &std::path::Path, words: &[&str]) -> Value {
    let own = ["plan", "--target", "target.yaml", "--format", "json"];
    run(&[&own[..], words].concat(), dir).ended(0).json()
}

#[tokio::test]
async fn a_plan_sends_nothing_and_is_an_upper_bound_of_the_run() {
    for consent in ["consent: []\n", ALL_BUT_LOAD] {
        let dir = tempfile::tempdir().expect("a folder");
        let server = start("default").await;
        target(dir.path(), &base_url(&server), consent);
        let plan = planned(dir.path(), &[]);
        assert_eq!(server.received_requests().await.map(|all| all.len()), Some(0));
        assert_eq!(fs::read_dir(dir.path()).expect("a folder").count(), 1, "no ledger");
        let ran =
            run(&["run", "--target", "target.yaml", "--report", "json=report.json"], dir.path());
        assert!(matches!(ran.code, Some(0 | 3)), "{}", ran.stderr);
        let report = read_json(dir.path().join("report.json"));
        let sent = report["requests_sent"].as_u64().expect("a number");
        let tokens = server.received_requests().await.unwrap_or_default();
        let is_token = |path: &str| path == "/api/oauth/token";
        let tokens = tokens.iter().filter(|it| is_token(it.url.path())).count() as u64;
        for (what, count) in [("requests", sent), ("token_requests", tokens)] {
            let bounds = &plan["estimate"][what];
            let (min, max) = (bounds["min"].as_u64(), bounds["max"].as_u64());
            assert!(
                min <= Some(count) && Some(count) <= max,
                "{consent} {what}: {bounds}: {count}"
            );
            is_nearly(&bounds["likely"], count as f64, &format!("{consent} {what}"));
        }
        // The same run with a pace takes as long as the pace demands, and leaves nothing out.
        let paced = [
            ("  requests_per_minute: 0", "  requests_per_minute: 600"),
            ("  token_requests_per_minute: 0", "  token_requests_per_minute: 10"),
            ("limits:\n", "limits:\n  token_requests_max: 1000\n"),
        ];
        edit(dir.path(), &paced);
        let plan = planned(dir.path(), &[]);
        // The first ten tokens need no wait.
        let minutes = (sent as f64 / 600.0).max(tokens as f64 / 10.0 - 1.0);
        is_nearly(&plan["estimate"]["minutes"]["likely"], minutes, &format!("{consent} minutes"));
        let residue = report["residue"].as_array().map_or(0, Vec::len) as u64;
        assert!(Some(residue) <= plan["estimate"]["objects"]["max"].as_u64(), "{residue}");
    }
}

/// The estimate of a plan is correct within a factor of 1.5.
#[track_caller]
fn is_nearly(planned: &Value, seen: f64, what: &str) {
    let planned = planned.as_f64().expect("a number");
    assert!((seen / 1.5..=seen * 1.5).contains(&planned), "{what}: planned {planned}, was {seen}");
}

#[test]
fn it_has_minutes_objects_and_recipients() {
    let dir = tempfile::tempdir().expect("a folder");
    // No server listens there.
    let text = "base_url: https://legal.example.com/api\napplications:\n  main: { client_id: a, \
                client_secret: { file: secret }, scopes: [read, write] }\nbindings: { \
                requester_email: someone@company.example }\nconsent: [write]\n";
    fs::write(dir.path().join("target.yaml"), text).expect("writable");
    secret(&dir.path().join("secret"));
    let plan = planned(dir.path(), &["section:4.5"]);
    let estimate = &plan["estimate"];
    assert_eq!(estimate["objects"]["created_objects_max"], estimate["objects"]["max"]);
    assert!(estimate["objects"]["by_kind"]["legal_request"].as_u64() > Some(0), "{estimate}");
    assert_eq!(estimate["mails"][0], "someone@company.example");
    assert!(estimate["mails"][1].as_str().is_some_and(|it| it.ends_with(".invalid")));
    assert!(estimate["minutes"]["max"].as_f64() > Some(0.0), "{estimate}");
    let selectors = [
        "04_05_create_legal_request/created-from-its-schema",
        "04_13_delete_webhook/webhook-unknown",
    ];
    let ran =
        run(&[&["plan", "--target", "target.yaml"], &selectors[..]].concat(), dir.path()).ended(0);
    let tag = Regex::new("moot-[0-9a-f]{8}@").expect("a valid pattern");
    insta::assert_snapshot!(tag.replace(&ran.stdout, "TAG@"), @r"
      runs     04_05_create_legal_request/created-from-its-schema  about 36 (0 to 340) requests
      not run  04_13_delete_webhook/webhook-unknown                `delete` is not consented to; set consent: [delete] in the target file

    1 of 2 scenarios would run

      requests            about 49 (2 to 416)
      of them for tokens  about 2 (1 to 2), paced once the service shows a limit for them
      minutes             about 0.1 at the allowed rate (0.0 to 0.8)
      objects created     at most 5 (calls: 5 legal_request); limits.created_objects_max is 5
      may send mail to    someone@company.example, TAG@counterparty.example.invalid; and signers that the schema of a workflow offers

    nothing was sent
    ");
    // Without consent `write` the plan has no e-mail addresses.
    fs::write(dir.path().join("target.yaml"), text.replace("[write]\n", "[]\n")).expect("writable");
    let plan = planned(dir.path(), &[]);
    assert_eq!(plan["estimate"]["objects"]["max"], 0);
    assert_eq!(plan["estimate"]["mails"], serde_json::json!([]));
}

#[test]
fn an_address_on_loopback_without_credentials_can_only_be_a_mock() {
    let dir = tempfile::tempdir().expect("a folder");
    // No server listens on the discard port, and nothing is sent.
    let words = |url| ["plan", "--target", url, "section:4.7", "--format", "json"];
    let plan = run(&words("http://127.0.0.1:9"), dir.path()).ended(0).json();
    assert!(plan["scenarios"].as_array().is_some_and(|rows| !rows.is_empty()), "{plan}");
    run(&words("https://legal.example.com"), dir.path()).ended(2);
}

/// Writes a file with a secret that only its owner can read.
fn secret(path: &std::path::Path) {
    use std::os::unix::fs::PermissionsExt;
    fs::write(path, "sample-secret-0123456789").expect("writable");
    fs::set_permissions(path, fs::Permissions::from_mode(0o600)).expect("it is ours");
}

#[tokio::test]
async fn a_consented_run_stays_in_its_budget() {
    let server = start("default").await;
    let dir = deployed(&server, "consent: [write]\n");
    let plan = planned(dir.path(), &["section:4.9"]);
    let report = judged(dir.path(), &["section:4.9", "--format", "json"], 3).json();
    let most = plan["estimate"]["objects"]["by_kind"]["repository_document"].as_u64();
    let residue = report["residue"].as_array().map_or(0, Vec::len) as u64;
    assert!(residue > 0 && Some(residue) <= most, "{residue} of {most:?}");
}

/// The names of the scenarios of a plan.
fn names(plan: &Value) -> Vec<String> {
    let scenarios = plan["scenarios"].as_array().expect("scenarios").iter();
    scenarios.map(|it| it["name"].as_str().expect("a name").to_owned()).collect()
}

#[tokio::test]
async fn every_scenario_is_in_the_plan_of_one_shard_and_the_shards_take_as_long() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = start("default").await;
    target(dir.path(), &base_url(&server), "consent: []\n");
    let paced = ["--rate", "600"];
    let mut all = names(&planned(dir.path(), &paced));
    let mut of_shards = Vec::new();
    for shard in ["1/3", "2/3", "3/3"] {
        let plan = planned(dir.path(), &[&paced[..], &["--shard", shard]].concat());
        of_shards.extend(names(&plan));
        let shards = plan["shards"].as_array().expect("shards");
        let seconds: Vec<f64> = shards.iter().filter_map(|it| it["seconds"].as_f64()).collect();
        assert_eq!(seconds.len(), 3, "{shards:?}");
        assert!(seconds.iter().all(|it| *it > 0.0), "{seconds:?}");
        assert!((seconds[1] - seconds[2]).abs() < seconds[1] / 2.0, "{seconds:?}");
        let held = |at: usize| shards[at]["held"].as_object().map_or(0, serde_json::Map::len);
        assert_eq!((held(0), held(1), held(2)), (3, 0, 0), "{shards:?}");
    }
    all.sort();
    of_shards.sort();
    assert_eq!(of_shards, all);
    assert_eq!(server.received_requests().await.map(|all| all.len()), Some(0));
}

#[tokio::test]
async fn shards_of_a_run_on_a_deployment_are_merged_and_a_recording_has_costs() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = start("default").await;
    target(dir.path(), &base_url(&server), "consent: []\n");
    let line = ["run", "section:4.2", "--target", "target.yaml", "--seed", "7"];
    let one = run(&[&line[..], &["--record", "one"]].concat(), dir.path());
    let mut codes = Vec::new();
    for shard in ["1", "2"] {
        let (of, part) = (format!("{shard}/2"), format!("part{shard}"));
        let own = ["--shard", &of, "--record", &part, "--costs", "one", "--rate", "0"];
        let ran = run(&[&line[..], &own].concat(), dir.path());
        assert!(matches!(ran.code, Some(0 | 3)), "{}{}", ran.stdout, ran.stderr);
        codes.push(ran.code);
    }
    let merged = run(&["merge", "part2", "part1"], dir.path());
    assert_eq!(merged.code, one.code, "{}{}", merged.stdout, merged.stderr);
    run(&["merge", "part2"], dir.path()).ended(2);
    for words in
        [&["--shard", "1/2"][..], &["--shard", "3/2", "--record", "x"], &["--costs", "one"]]
    {
        run(&[&line[..], words].concat(), dir.path()).ended(2);
    }
    let judged = run(&["judge", "part1"], dir.path());
    assert_eq!(judged.code, codes[0], "{}{}", judged.stdout, judged.stderr);
}

#[tokio::test(flavor = "multi_thread")]
async fn concurrent_shards_share_data_without_violations() {
    let dir = tempfile::tempdir().expect("a folder");
    let server = start("default").await;
    target(dir.path(), &base_url(&server), "consent: [write, delete]\n");
    let line = ["section:4.5", "section:4.6", "section:4.9", "section:4.10", "section:4.12"];
    let line = [&["run", "--target", "target.yaml", "--seed", "7", "--rate", "0"], &line[..]];
    let line = line.concat();
    let dir = dir.path();
    let ran: Vec<_> = std::thread::scope(|threads| {
        let shards = ["1/3", "2/3", "3/3"].map(|shard| {
            let own = ["--shard", shard, "--record", &shard[..1]];
            let words: Vec<String> =
                line.iter().chain(&own).map(|word| (*word).to_owned()).collect();
            threads.spawn(move || run(&words.iter().map(String::as_str).collect::<Vec<_>>(), dir))
        });
        shards.map(|thread| thread.join().expect("it ends")).into_iter().collect()
    });
    for ran in &ran {
        assert!(matches!(ran.code, Some(0 | 3)), "{}{}", ran.stdout, ran.stderr);
    }
    let merged = run(&["merge", "1", "2", "3", "--format", "json"], dir);
    let report = merged.json();
    assert_eq!(report["findings"], serde_json::json!([]), "{}", merged.stderr);
    assert!(report["counts"]["pass"].as_u64() > Some(1000), "{}", report["counts"]);
}

#[test]
fn a_file_that_would_stop_the_run_stops_the_plan_with_the_same_error() {
    let dir = tempfile::tempdir().expect("a folder");
    for key in ["answers: none.yaml\n", "tls: { ca_file: none.pem }\n", "expected: none.yaml\n"] {
        target(dir.path(), "http://127.0.0.1:9", key);
        let errors = ["plan", "run"].map(|command| {
            let ran = run(&[command, "--target", "target.yaml", "-q"], dir.path());
            assert_eq!(ran.code, Some(2), "{command} {key}{}", ran.stdout);
            ran.stderr.lines().last().unwrap_or_default().to_owned()
        });
        assert!(errors[0].contains("none."), "{}", errors[0]);
        assert_eq!(errors[0], errors[1]);
    }
}
