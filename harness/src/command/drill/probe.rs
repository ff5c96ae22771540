//! `--probe`: asks how often the client's business acted for a legal request. Its calls do not show that.

use std::collections::{BTreeMap, BTreeSet};
use std::process::Stdio;
use std::time::Duration;

use reqwest::Url;
use serde_json::Value;
use tokio::process::Command;

use crate::client::http::new_builder;
use crate::grading::drill::recording::{ProbeReplies, answered_deliveries};

/// The most legal requests about which a run asks.
const IDS_MAX: usize = 20;
/// Timeout of one reply.
const REPLY_TIMEOUT: Duration = Duration::from_secs(10);

/// The command or the address that replies.
#[derive(Debug, Clone)]
pub(in crate::command) enum Probe {
    /// A command of the shell. It gets the id as its last argument, and prints a number.
    Command(String),
    /// An address. It answers `GET ?id=` with a number as text.
    Address(Url),
}

/// Parses the value of `--probe`.
pub(super) fn probe(text: &str) -> Result<Probe, String> {
    if !text.starts_with("http://") && !text.starts_with("https://") {
        return match text.trim() {
            "" => Err("give a command, or an address with http:// or https://".to_owned()),
            command => Ok(Probe::Command(command.to_owned())),
        };
    }
    Url::parse(text)
        .map(Probe::Address)
        .map_err(|error| format!("`{text}` is not an address: {error}"))
}

impl Probe {
    /// Asks about each legal request of a delivery.
    pub(super) async fn ask(
        &self,
        journals: &Value,
        prepare: impl Fn(&mut Command),
    ) -> ProbeReplies {
        let mut replies = ProbeReplies { acted: BTreeMap::new(), trouble: None };
        for id in delivered_ids(journals).into_iter().take(IDS_MAX) {
            let reply = tokio::time::timeout(REPLY_TIMEOUT, self.number(&id, &prepare)).await;
            match reply {
                Ok(Ok(times)) => {
                    replies.acted.insert(id, times);
                }
                Ok(Err(why)) => replies.trouble = Some(why),
                Err(_) => {
                    let seconds = REPLY_TIMEOUT.as_secs();
                    replies.trouble = Some(format!("it did not answer within {seconds} s"));
                }
            }
        }
        replies
    }

    async fn number(&self, id: &str, prepare: impl Fn(&mut Command)) -> Result<u64, String> {
        let text = match self {
            Self::Command(line) => output_of(line, id, prepare).await?,
            Self::Address(url) => get(url, id).await?,
        };
        let text = text.trim();
        text.parse().map_err(|_| {
            let shown: String = text.chars().take(80).collect();
            format!("`{shown}` is not a number")
        })
    }
}

/// The ids of the legal requests whose deliveries receivers answered.
fn delivered_ids(journals: &Value) -> BTreeSet<String> {
    let ids = answered_deliveries(journals).filter_map(|it| it["legal_request_id"].as_str());
    ids.map(str::to_owned).collect()
}

async fn output_of(line: &str, id: &str, prepare: impl Fn(&mut Command)) -> Result<String, String> {
    let mut command = Command::new("sh");
    command.arg("-c").arg(format!("{line} \"$1\"")).arg("probe").arg(id);
    command.stdin(Stdio::null()).stderr(Stdio::null()).kill_on_drop(true);
    prepare(&mut command);
    let output = command.output().await.map_err(|error| format!("cannot run it: {error}"))?;
    if !output.status.success() {
        return Err(format!("it ended with {}", output.status));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

async fn get(url: &Url, id: &str) -> Result<String, String> {
    let mut url = url.clone();
    url.query_pairs_mut().append_pair("id", id);
    let client = new_builder().no_proxy().timeout(REPLY_TIMEOUT).build();
    let client = client.map_err(|error| error.to_string())?;
    let response = client.get(url).send().await.map_err(|error| error.to_string())?;
    if !response.status().is_success() {
        return Err(format!("it answered {}", response.status().as_u16()));
    }
    response.text().await.map_err(|error| error.to_string())
}

#[cfg(test)]
mod tests {
    use serde_json::{Value, json};

    use super::{Probe, probe};

    fn journals() -> Value {
        let delivery = |id: &str, status: Value| json!({ "legal_request_id": id, "attempts": [{ "status": status }] });
        let deliveries =
            [delivery("r1", json!(200)), delivery("r2", json!(null)), delivery("r1", json!(500))];
        json!({ "worlds": [{ "deliveries": deliveries }] })
    }

    #[test]
    fn an_address_and_a_command_are_told_apart() {
        assert!(matches!(probe("http://127.0.0.1:9/acted"), Ok(Probe::Address(_))));
        assert!(matches!(probe("./acted.sh --of"), Ok(Probe::Command(_))));
        assert!(probe(" ").is_err());
        assert!(probe("http://").is_err());
    }

    #[cfg(unix)]
    #[tokio::test]
    async fn a_command_gets_the_id_last_and_prints_a_number() {
        for (line, acted, has_trouble) in [
            ("printf '%s' 2 #", Some(2), false),
            ("test r1 =", None, true),
            ("echo none #", None, true),
            ("exit 3;", None, true),
            ("expr 1 + 0 \\* length", Some(1), false),
        ] {
            let replies = Probe::Command(line.to_owned()).ask(&journals(), |_| {}).await;
            assert_eq!(replies.acted.get("r1").copied(), acted, "{line}: {:?}", replies.trouble);
            assert_eq!(replies.trouble.is_some(), has_trouble, "{line}");
            assert!(!replies.acted.contains_key("r2"), "nothing answered its delivery");
        }
    }

    #[tokio::test]
    async fn an_address_that_answers_nothing_is_trouble() {
        let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
        let address = listener.local_addr().expect("an address");
        drop(listener);
        let probe = probe(&format!("http://{address}/acted")).expect("an address");
        let replies = probe.ask(&journals(), |_| {}).await;
        assert!(replies.acted.is_empty() && replies.trouble.is_some());
    }
}
