//! A rule of conduct that a client broke.

use moot_fixtures::contract::{ConductRule, Severity};
use moot_fixtures::journal::AuthorizationScheme;
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use super::evidence::ConductEvidence;
use super::journal::JournalCall;

/// Calls that a finding lists at most.
const CALLS_SHOWN_MAX: usize = 20;

/// A broken rule, with the calls that show it.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[schemars(deny_unknown_fields)]
pub struct ConductFinding {
    /// Id of the rule.
    pub rule: String,
    /// The severity of the rule.
    pub severity: Severity,
    /// The clause and the standard: `§8, RFC 9110 §10.2.3`.
    pub clause: String,
    /// The number of calls, or deliveries, that show it.
    pub times: usize,
    /// The serials of these calls, up to 20; empty for deliveries that no call queued.
    pub calls: Vec<u64>,
    /// The sandbox of these calls; null is the main world.
    pub sandbox: Option<String>,
    /// The number of worlds that show it in the same way.
    pub worlds: usize,
    /// A description of the violation.
    pub seen: String,
    /// The remedy.
    pub instead: String,
    /// The first of the calls as a `curl` command; null for deliveries.
    pub excerpt: Option<String>,
}

impl ConductFinding {
    /// The finding of a rule and its evidence.
    pub fn of(rule: &ConductRule, evidence: &ConductEvidence<'_>, sandbox: Option<&str>) -> Self {
        let ConductEvidence { calls, times, seen } = evidence;
        Self {
            rule: rule.id.clone(),
            severity: rule.severity,
            clause: rule.clause(),
            times: times.unwrap_or(calls.len()),
            calls: calls.iter().take(CALLS_SHOWN_MAX).map(|call| call.serial).collect(),
            sandbox: sandbox.map(str::to_owned),
            worlds: 1,
            seen: seen.clone(),
            instead: rule.instead.clone(),
            // The call that queued a delivery is not what went wrong.
            excerpt: calls.first().filter(|_| times.is_none()).map(|call| curl(call)),
        }
    }

    /// The same calls, as a violation of another rule.
    pub fn of_rule(self, rule: &ConductRule) -> Self {
        Self {
            rule: rule.id.clone(),
            severity: rule.severity,
            clause: rule.clause(),
            instead: rule.instead.clone(),
            ..self
        }
    }
}

/// A call as a `curl` command, with variables in place of secrets.
fn curl(call: &JournalCall) -> String {
    let mut words = vec!["curl".to_owned()];
    if call.method != "GET" {
        words.push(format!("-X {}", call.method));
    }
    match call.request.scheme {
        Some(AuthorizationScheme::Basic) => {
            words.push("-u \"$MOOT_CLIENT_ID:$MOOT_CLIENT_SECRET\"".to_owned())
        }
        Some(AuthorizationScheme::Bearer) => {
            words.push("-H \"Authorization: Bearer $TOKEN\"".to_owned())
        }
        None => {}
    }
    for part in &call.request.parts {
        let value = match (&part.file_name, &part.text) {
            (Some(file), _) => format!("{}=@{file}", part.name),
            (None, text) => format!("{}={}", part.name, text.as_deref().unwrap_or_default()),
        };
        words.push(format!("-F {}", quoted(&value)));
    }
    if let Some(text) = call.request.text.as_deref().filter(|text| !text.is_empty()) {
        words.push(format!("-d {}", form(text)));
    }
    let query = call.query.as_ref().map(|query| format!("?{query}")).unwrap_or_default();
    words.push(format!("\"$MOOT_BASE_URL\"{}", quoted(&format!("{}{query}", call.path))));
    words.join(" ")
}

/// The body of a form, with a variable in place of the fingerprint of the secret.
fn form(text: &str) -> String {
    const SECRET: &str = "client_secret=";
    let Some((before, value)) = text.split_once(SECRET) else { return quoted(text) };
    let after = value.find('&').map_or("", |at| &value[at..]);
    let before = quoted(&format!("{before}{SECRET}"));
    let after = if after.is_empty() { String::new() } else { quoted(after) };
    format!("{before}\"$MOOT_CLIENT_SECRET\"{after}")
}

fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}
