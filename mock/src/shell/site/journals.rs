//! The account of a mock at its end: the calls of its clients, and the secrets that must be masked.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::Site;
use crate::shell::sandbox::Realm;

/// The shortest length of a token, in bytes.
const TOKEN_LENGTH_MIN: usize = 24;

impl Site {
    /// From now on keeps journals that the control plane deletes, so that no client can change its account:
    /// - journals of deleted sandboxes, at most 1,000,
    /// - journals of worlds before a reset or a return to a checkpoint, at most 1,000 for each realm,
    /// - calls that are cleared from a journal.
    pub fn remember_deleted(&self) {
        self.sandboxes.remember_deleted();
        for realm in self.worlds() {
            realm.service.world().journal.keep_for_account();
        }
    }

    /// The journals of the main world, of the remembered deleted sandboxes, and of the sandboxes. The journals of
    /// former worlds precede that of their world. Shape: `{"worlds": [{"sandbox", "forgotten", "exchanges",
    /// "deliveries", "answers"}], "control": [{"method", "path", "calls", "refused"}]}`.
    ///
    /// `sandbox` is its id or null. `exchanges` is as in `GET /__admin/exchanges`, the oldest call first, with
    /// `answer`, the body of the response. `forgotten` is the number of earlier calls that are not listed.
    /// `deliveries` is as in `GET /__admin/deliveries`. `answers` has the answers to the open questions. `control`
    /// counts the calls to routes of the control plane.
    pub fn journals(&self) -> Value {
        let worlds = self.worlds().into_iter().flat_map(|realm| realm.journals());
        let mut worlds: Vec<Value> = worlds.collect();
        if let Some(main) = worlds.first_mut() {
            let forgotten = main["forgotten"].as_u64().unwrap_or_default();
            main["forgotten"] = json!(forgotten + self.sandboxes.calls_lost());
        }
        json!({ "worlds": worlds, "control": self.control_uses() })
    }

    fn control_uses(&self) -> Value {
        let all = self.control_uses.lock();
        let rows = all.iter().map(|((path, method), (calls, refused))| {
            json!({ "method": method, "path": path, "calls": calls, "refused": refused })
        });
        rows.collect()
    }

    /// The client secrets of all worlds, and the tokens of these worlds that occur in `text`.
    pub fn secrets_near(&self, text: &str) -> BTreeSet<String> {
        let is_of_token =
            |character: char| character.is_ascii_alphanumeric() || matches!(character, '-' | '_');
        let words: BTreeSet<&str> = text
            .split(|character| !is_of_token(character))
            .filter(|word| word.len() >= TOKEN_LENGTH_MIN)
            .collect();
        let mut secrets = BTreeSet::new();
        for realm in self.worlds() {
            let service = &realm.service;
            let tokens = words.iter().filter(|word| service.world().sealer.open(word).is_some());
            secrets.extend(tokens.map(|token| (*token).to_owned()));
            if let Value::Array(applications) = service.describe()["applications"].take() {
                let known = applications.iter().filter_map(|one| one["client_secret"].as_str());
                secrets.extend(known.map(str::to_owned));
            }
        }
        secrets
    }

    fn worlds(&self) -> Vec<Arc<Realm>> {
        let main = vec![self.main.clone()];
        [main, self.sandboxes.remembered(), self.sandboxes.all()].concat()
    }
}
