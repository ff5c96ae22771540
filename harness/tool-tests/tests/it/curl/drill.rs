//! `moot drill` with clients that need curl.

use std::path::Path;

use serde_json::{Value, json};

use super::require_curl;
use crate::support::{Output, moot, root};

/// A client that requests a token and calls once, with any response.
const CARELESS: &str = "token=$(curl -s $MOOT_TOKEN_URL -d grant_type=client_credentials -d scope=read \
    -d client_id=$MOOT_CLIENT_ID -d client_secret=$MOOT_CLIENT_SECRET \
    | sed 's/.*access_token\":\"\\([^\"]*\\).*/\\1/'); \
    curl -s -o /dev/null $MOOT_BASE_URL/v1/requests -H \"Authorization: Bearer $token\"; exit 0";

fn drill(options: &[&str], command: &[&str], dir: &Path) -> Output {
    require_curl();
    moot(&[&["drill", "--seed", "1"], options, &["--"], command].concat(), dir)
}

fn honest() -> String {
    root().join("examples/clients/honest.sh").display().to_string()
}

fn ends(certificate: &Value) -> Vec<(&str, &str)> {
    let drills = certificate["drills"].as_array().expect("drills").iter();
    drills
        .map(|row| {
            let of = |name: &str| row[name].as_str().expect("a text");
            (of("drill"), of("end"))
        })
        .collect()
}

fn json_of(ran: &Output) -> Value {
    serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}{}", ran.stdout, ran.stderr))
}

#[test]
fn a_client_without_calls_is_never_ready() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    for (script, why) in [
        ("exit 0", "called nothing"),
        ("exit 1", "called nothing"),
        ("curl -s http://127.0.0.1:9/v1/requests; exit 0", "called nothing"),
        ("curl -s $MOOT_BASE_URL/v1/requests; exit 0", "its only call was not served"),
        ("curl -s $MOOT_BASE_URL/v1/requests -H 'Authorization: Bearer old'; exit 0", "served"),
        (&CARELESS.replace("exit 0", "exit 7"), "ended with 7"),
        (&CARELESS.replace("exit 0", "kill -9 $$"), "ended by a signal"),
    ] {
        let ran = drill(&[], &["sh", "-c", script], dir.path());
        assert_eq!(ran.code, Some(3), "{script}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains("inconclusive") && ran.stdout.contains(why), "{}", ran.stdout);
    }
}

#[test]
fn a_client_that_ignores_every_response_is_not_ready() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let only = ["--only", "unavailable,foreign-error,secret-revoked", "--format", "json"];
    let ran = drill(&only, &["sh", "-c", CARELESS], dir.path());
    assert_eq!(ran.code, Some(1), "{}{}", ran.stdout, ran.stderr);
    let certificate = json_of(&ran);
    assert_eq!(
        ends(&certificate),
        [
            ("calm", "held"),
            ("secret-revoked", "not_reached"),
            ("unavailable", "failed"),
            ("foreign-error", "failed")
        ]
    );
    assert_eq!(certificate["grade"], "not_ready");
}

#[test]
fn a_correct_client_passes_and_its_certificate_is_verified() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let only =
        "token-expires,secret-revoked,answer-lost,new-members,declined,redirected,webhooks-late";
    let options = ["--only", only, "--report", "json=c.json", "--report", "html=c.html"];
    let ran = drill(&options, &["sh", &honest()], dir.path());
    assert_eq!(ran.code, Some(3), "not all drills were run: {}{}", ran.stdout, ran.stderr);
    let file = dir.path().join("c.json");
    let text = std::fs::read_to_string(&file).expect("a certificate");
    assert!(!text.contains("-secret-"), "no secret is in it");
    let mut certificate: Value = serde_json::from_str(&text).expect("JSON");
    let held = ends(&certificate);
    assert!(held.iter().all(|(id, end)| *end == "held" || *id == "webhooks-late"), "{held:?}");
    assert!(held.contains(&("webhooks-late", "not_applicable")), "{held:?}");
    let page = std::fs::read_to_string(dir.path().join("c.html")).expect("a page");
    assert!(page.contains("inconclusive") && page.contains("answer-lost"));

    assert_eq!(moot(&["drill", "verify", "c.json"], dir.path()).code, Some(0));
    certificate["drills"][1]["end"] = json!("failed");
    std::fs::write(&file, certificate.to_string()).expect("a written file");
    let forged = moot(&["drill", "verify", "c.json"], dir.path());
    assert_eq!(forged.code, Some(1));
    assert!(forged.stdout.contains("token-expires: the file says failed"), "{}", forged.stdout);
}

#[test]
fn a_waiver_counts_until_its_day_and_only_for_failures() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let waived = |drill: &str, expires: &str| {
        let text =
            format!("- {{ drill: {drill}, reason: known, owner: us, expires: {expires} }}\n");
        std::fs::write(dir.path().join("waivers.yaml"), text).expect("a written file");
        let options = ["--only", "unavailable", "--waivers", "waivers.yaml"];
        self::drill(&options, &["sh", "-c", CARELESS], dir.path())
    };
    for (drill, expires, code, says) in [
        ("unavailable", "2999-01-01", 3, "not all drills were run"),
        ("unavailable", "2026-01-01", 1, "expired on 2026-01-01"),
        ("limited", "2999-01-01", 1, "excuses nothing"),
        ("limitd", "2999-01-01", 2, ""),
        ("unavailable", "soon", 2, ""),
    ] {
        let ran = waived(drill, expires);
        assert_eq!(ran.code, Some(code), "{drill} {expires}: {}{}", ran.stdout, ran.stderr);
        assert!(ran.stdout.contains(says), "{says}: {}", ran.stdout);
    }
}

/// Tries every route that could change the account of the client. Then it calls once and ignores the response.
const HOSTILE: &str = "admin() { curl -s -o /dev/null -w '%{http_code} ' -X $1 $2/__admin$3 -H \"$4\"; }; \
    for auth in \"Authorization: Bearer $MOOT_ADMIN_TOKEN\" 'X-None: 1'; do for base in $MOOT_BASE_URL $BASE; do \
    admin DELETE $base /exchanges \"$auth\"; admin DELETE $base /faults \"$auth\"; admin POST $base /reset \"$auth\"; \
    admin POST $base /restart \"$auth\"; admin PUT $base /rate_limit \"$auth\"; admin PUT $base /settings \"$auth\"; \
    done; done";

#[test]
fn a_client_that_tries_to_change_its_grade_is_judged_by_its_calls() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let script = format!("BASE=$MOOT_BASE_URL; {HOSTILE}; {CARELESS}");
    let options = ["--only", "unavailable", "--format", "json"];
    let ran = drill(&options, &["sh", "-c", &script], dir.path());
    let certificate = json_of(&ran);
    let output = certificate["recordings"]["calm"]["output"].as_str().expect("an output");
    let statuses: Vec<&str> = output.split_whitespace().collect();
    assert_eq!(statuses, [["403"; 12], ["401"; 12]].concat());
    assert_eq!(ends(&certificate), [("calm", "held"), ("unavailable", "failed")]);
    let used = certificate["client"]["control"].as_array().expect("a list");
    assert!(used.contains(&json!("DELETE /exchanges")), "{used:?}");
}

/// Makes a sandbox, for the calls that follow.
const SANDBOX: &str = r#"made=$(curl -s -X POST $MOOT_ADMIN_URL/sandboxes -H "Authorization: Bearer $MOOT_ADMIN_TOKEN")
    first() { echo "$made" | grep -o "\"$1\":\"[^\"]*\"" | head -1 | sed 's/^[^:]*:"//; s/"$//'; }
    MOOT_BASE_URL=$(first base_url) MOOT_TOKEN_URL=$(first token_url)
    MOOT_CLIENT_ID=$(first client_id) MOOT_CLIENT_SECRET=$(first client_secret)"#;

/// In its own sandbox a client is in the same situation, and its objects there count.
#[test]
fn a_sandbox_of_the_client_is_drilled_too() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let options = ["--only", "unavailable,limited-creation", "--format", "json"];
    let careless = format!("{SANDBOX}; {CARELESS}");
    let certificate = json_of(&drill(&options, &["sh", "-c", &careless], dir.path()));
    let of_sandbox = &certificate["recordings"]["unavailable"]["journal"]["worlds"][1];
    assert_eq!(of_sandbox["sandbox"], "s1");
    let unused = ("limited-creation", "not_applicable");
    assert_eq!(ends(&certificate), [("calm", "held"), unused, ("unavailable", "failed")]);
    let honest = format!(
        "{SANDBOX}; export MOOT_BASE_URL MOOT_TOKEN_URL MOOT_CLIENT_ID MOOT_CLIENT_SECRET; exec sh {}",
        honest()
    );
    let certificate = json_of(&drill(&options, &["sh", "-c", &honest], dir.path()));
    let held = [("calm", "held"), ("limited-creation", "held"), ("unavailable", "held")];
    assert_eq!(ends(&certificate), held);
    assert_eq!(certificate["recordings"]["calm"]["made"]["legal_requests"], 1);
}

/// Registers the built-in receiver as a webhook, acts like the correct client, and waits for later deliveries.
fn hooked() -> String {
    let register = CARELESS.replace(
        "curl -s -o /dev/null $MOOT_BASE_URL/v1/requests",
        &format!("curl -s -o /dev/null {HOOK}"),
    );
    let register = register.replace("scope=read", "scope=write").replace("; exit 0", "");
    format!("{register}; sh {} && sleep 3", honest())
}

const HOOK: &str = "$MOOT_BASE_URL/v1/webhooks -H 'Content-Type: application/json' -d \
    \"{\\\"name\\\":\\\"Mine\\\",\\\"url\\\":\\\"$MOOT_ADMIN_URL/receiver\\\",\\\"auth_type\\\":\\\"bearer\\\",\\\"token\\\":\\\"mine\\\"}\"";

/// The built-in receiver accepts every delivery, and its owner acts once or more often.
#[test]
fn webhooks_are_drilled_and_a_probe_says_how_often_the_client_acted() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let only = "webhooks-again,webhooks-forged,webhooks-lost";
    let run = |probe: &[&str], expected: &str| {
        let options =
            [&["--only", only, "--format", "json", "--progression", "immediate"], probe].concat();
        let certificate = json_of(&drill(&options, &["sh", "-c", &hooked()], dir.path()));
        let all = [
            ("calm", "held"),
            ("webhooks-again", expected),
            ("webhooks-forged", "failed"),
            ("webhooks-lost", "held"),
        ];
        assert_eq!(ends(&certificate), all, "{probe:?}: {}", certificate["drills"]);
        certificate
    };
    run(&[], "not_observable");
    run(&["--probe", "echo 1 #"], "held");
    let more = "echo >> asked; wc -l < asked #";
    let certificate = run(&["--probe", more], "failed");
    assert_eq!(certificate["drills"][2]["findings"][0]["rule"], "hook-unlocked");
    let told = run(&["--probe", "exit 3;"], "not_observable");
    assert!(told["drills"][1]["why"].as_str().expect("a text").contains("the probe failed"));
}

/// The command is the client here. A service would call the mock by itself.
#[test]
fn an_attached_client_is_graded_one_drill_after_the_other() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let only = "secret-revoked,limited-date,unavailable,answer-lost,schema-moves,other-page-size,new-members";
    let options = ["--attach", "--only", only, "--format", "json"];
    let ran = drill(&options, &["sh", &honest()], dir.path());
    let certificate = json_of(&ran);
    let ends = ends(&certificate);
    assert!(ends.iter().all(|(_, end)| *end == "held"), "{ends:?}");
    assert_eq!(ends.len(), 8);
    assert!(ran.stderr.contains("MOOT_CLIENT_SECRET="), "{}", ran.stderr);
    let careless = drill(
        &["--attach", "--only", "unavailable", "--format", "json"],
        &["sh", "-c", CARELESS],
        dir.path(),
    );
    assert_eq!(self::ends(&json_of(&careless)), [("calm", "held"), ("unavailable", "failed")]);
}

/// The mock keeps the journal of a deleted sandbox, but refuses orders to it.
#[test]
fn a_deleted_sandbox_disturbs_no_later_drill_of_an_attached_client() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let delete = "curl -s -o /dev/null -X DELETE $MOOT_ADMIN_URL/sandboxes/$(first id) \
        -H \"Authorization: Bearer $MOOT_ADMIN_TOKEN\"";
    let client = format!("{SANDBOX}; {}", CARELESS.replace("exit 0", delete));
    let options = ["--attach", "--only", "limited,truncated,new-headers", "--format", "json"];
    let certificate = json_of(&drill(&options, &["sh", "-c", &client], dir.path()));
    let worlds = &certificate["recordings"]["calm"]["journal"]["worlds"];
    assert_eq!(worlds[1]["sandbox"], "s1", "the sandbox was deleted: {worlds}");
    let expected =
        [("calm", "held"), ("limited", "failed"), ("truncated", "failed"), ("new-headers", "held")];
    assert_eq!(ends(&certificate), expected, "{}", certificate["drills"]);
}

#[test]
fn a_client_without_certificate_checks_gets_a_finding() {
    let dir = tempfile::tempdir().expect("a temporary folder");
    let made = rcgen::generate_simple_self_signed(["127.0.0.1".to_owned()]).expect("a certificate");
    std::fs::write(dir.path().join("cert.pem"), made.cert.pem()).expect("a written file");
    std::fs::write(dir.path().join("key.pem"), made.signing_key.serialize_pem())
        .expect("a written file");
    let run = |curl: &str| {
        let client =
            CARELESS.replace("curl ", &format!("curl {curl} ")).replace("exit 0", "exit $?");
        let options =
            ["--tls", "cert.pem,key.pem", "--only", "wrong-certificate", "--format", "json"];
        let certificate = json_of(&drill(&options, &["sh", "-c", &client], dir.path()));
        let row = &certificate["drills"][1];
        (row["end"].clone(), row["findings"][0]["rule"].clone())
    };
    assert_eq!(run("--cacert $MOOT_CA_FILE"), (json!("held"), Value::Null));
    assert_eq!(run("-k"), (json!("failed"), json!("certificate-unchecked")));
}
