//! What whoever started a mock may ask it at the end: what its clients did, and what must not be told.

use std::collections::BTreeSet;
use std::sync::Arc;

use serde_json::{Value, json};

use super::Site;
use crate::shell::sandbox::Realm;

/// Characters of a token are these, and it has as many at least.
const TOKEN_LENGTH_MIN: usize = 24;

impl Site {
    /// Keeps from now on what the control plane takes away: the journals of sandboxes that are deleted and of
    /// worlds that go back, of 1,000 at most, and the calls that are cleared from a journal. So no client can
    /// change its account.
    pub fn remember_deleted(&self) {
        self.sandboxes.remember_deleted();
        for realm in self.worlds() {
            realm.service.world().journal().keep_for_account();
        }
    }

    /// The journal of every world: the main one, the sandboxes that are gone as far as they are
    /// remembered, those that are there; before each what it was before it went back. Shape: `{"worlds":
    /// [{"sandbox", "forgotten", "exchanges", "deliveries", "answers", "counts"}], "control": [{"method", "path",
    /// "calls", "refused"}]}`; `control` says what was used of the control plane, `counts` has the objects of the first company;
    /// `exchanges` as `GET /__admin/exchanges` shows them, the oldest call first, with
    /// `answer`, the body of the answer; `deliveries` as `GET /__admin/deliveries` shows them; `answers` to the open
    /// questions; `forgotten` how
    /// many earlier ones are no longer among them, `sandbox` its id or null.
    pub fn journals(&self) -> Value {
        let worlds = self.worlds().into_iter().flat_map(|realm| realm.journals());
        let mut worlds: Vec<Value> = worlds.collect();
        if let Some(main) = worlds.first_mut() {
            let forgotten = main["forgotten"].as_u64().unwrap_or_default();
            main["forgotten"] = json!(forgotten + self.sandboxes.calls_lost());
        }
        json!({ "worlds": worlds, "control": self.control_uses.shown() })
    }

    /// The client secrets of every world, and the tokens of any of them that stand in `text`.
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
            let tokens = words.iter().filter(|word| service.world().open_token(word).is_some());
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
