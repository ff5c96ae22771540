//! Clients that don't work, or ignore responses, are never `ready`.

use serde_json::Value;

use super::require_curl;
use crate::support::moot;

/// Requests a token and sets `auth`, even if there is no token.
const TOKEN: &str = "token=$(curl -s -m 2 $MOOT_TOKEN_URL -d grant_type=client_credentials \
    -d 'scope=read write' -d client_id=$MOOT_CLIENT_ID -d client_secret=$MOOT_CLIENT_SECRET \
    | sed 's/.*access_token\":\"\\([^\"]*\\).*/\\1/'); auth=\"Authorization: Bearer $token\"; ";
const LIST: &str = "curl -s -m 2 -o /dev/null $MOOT_BASE_URL/v1/requests -H \"$auth\"; ";
const CREATE: &str = "curl -s -m 2 -o /dev/null $MOOT_BASE_URL/v1/requests -H \"$auth\" \
    -F workflow_id=$MOOT_GENERATED_WORKFLOW_ID -F requester_email=$MOOT_REQUESTER_EMAIL \
    -F counterparty_name=A -F counterparty_email=a@b.invalid -F counterparty_organization_name=B \
    -F internal_signer_email=legal@northwind.example \
    -F 'variables={\"purpose\":\"x\",\"duration\":1,\"duration_unit\":\"years\"}'; ";

/// Descriptions of clients, each with its shell script. `{token}`, `{list}` and `{create}` are filled in.
const DEGENERATES: [(&str, &str); 19] = [
    ("does nothing", "exit 0"),
    ("fails at once", "exit 1"),
    ("ignores the base address", "curl -s http://127.0.0.1:9/v1/requests; exit 0"),
    ("crashes after its first call", "{token} kill -9 $$"),
    ("crashes after its work", "{token}{list} kill -9 $$"),
    ("fails after its work", "{token}{list} exit 7"),
    ("calls the token endpoint only", "{token} exit 0"),
    ("has no token", "curl -s $MOOT_BASE_URL/v1/requests; exit 0"),
    ("replays a recording", "auth='Authorization: Bearer recorded'; {list}{create} exit 0"),
    ("calls the control plane only", "curl -s $MOOT_BASE_URL/__admin/world; exit 0"),
    ("hangs", "{token}{list} sleep 600"),
    ("waits for webhooks only", "sleep 0.2; exit 0"),
    ("ignores all responses", "{token}{list}{create} exit 0"),
    ("only reads, and ignores all responses", "{token}{list}{list} exit 0"),
    (
        "floods",
        "{token} curl -s -m 5 -o /dev/null \"$MOOT_BASE_URL/v1/requests?page=[1-100]\" -H \"$auth\"; exit 0",
    ),
    ("repeats at once", "{token} for i in 1 2 3 4 5 6 7 8; do {list} {create} done; exit 0"),
    ("works in the calm run only", "[ -e ran ] && exit 0; touch ran; {token}{list} exit 0"),
    (
        "keeps the token of the calm run",
        "[ -e auth ] || { {token} echo \"$auth\" > auth; }; auth=$(cat auth); {list} exit 0",
    ),
    ("leaves a process behind", "{token}{list} sleep 600 & exit 0"),
];

#[track_caller]
fn check(number: usize) {
    require_curl();
    let (what, script) = DEGENERATES[number];
    let script = [("{token}", TOKEN), ("{list}", LIST), ("{create}", CREATE)]
        .iter()
        .fold(script.to_owned(), |script, (name, text)| script.replace(name, text));
    let dir = tempfile::tempdir().expect("a temporary folder");
    let options = ["drill", "--seed", "1", "--timeout", "6", "--jobs", "8", "--format", "json"];
    let ran = moot(&[&options[..], &["--", "sh", "-c", &script]].concat(), dir.path());
    let certificate: Value = serde_json::from_str(&ran.stdout).expect("a certificate");
    let grade = certificate["grade"].as_str().expect("a grade");
    let code = match grade {
        "not_ready" => 1,
        "inconclusive" => 3,
        _ => panic!("a client that {what} is {grade}: {}", certificate["drills"]),
    };
    assert_eq!(ran.code, Some(code), "{what}");
}

/// They run concurrently, because each waits most of the time.
#[test]
fn a_degenerate_client_is_never_ready() {
    std::thread::scope(|scope| {
        for first in 0..4 {
            scope.spawn(move || (first..DEGENERATES.len()).step_by(4).for_each(check));
        }
    });
}
