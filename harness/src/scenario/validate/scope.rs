//! The names that a step can use: names that the run defines, rows of loops, and captures.

use serde_json::{Map, Value, json};

/// Applications of the target file: the values of `as`.
pub(super) const APPLICATIONS: [&str; 4] = ["main", "reader", "writer", "other_company"];

/// Marks an object that is itself a value, such as `<target.main.client_secret>`.
const ITSELF: &str = "";

/// The names known at one place of a scenario, as a tree. Any members may follow a null.
#[derive(Clone)]
pub(super) struct NameScope(Value);

impl NameScope {
    pub(super) fn new(receivers: &[String]) -> Self {
        let application = json!({
            "client_id": null,
            "client_secret": { ITSELF: null, "all_but_last": null, "near_misses": null, "other_case": null },
            "basic": null,
            "wrong_basic": null,
            "basic_without_secret": null,
            "scopes": null,
        });
        let mut target: Map<String, Value> =
            APPLICATIONS.map(|name| (name.to_owned(), application.clone())).into_iter().collect();
        target.insert("base_url".to_owned(), Value::Null);
        let receivers: Map<String, Value> = receivers
            .iter()
            .map(|name| {
                (name.clone(), json!({ "url": null, "refusing_url": null, "secret": null }))
            })
            .collect();
        Self(json!({
            "run": { "tag": null, "now_seconds": null, "pages_max": null },
            "target": target,
            // Values of the target file, and values that the run reads from the target.
            "bindings": {
                ITSELF: null,
                "requester_email": null,
                "counterparty_email": null,
                "internal_signer_emails": null,
                "unknown_user_emails": null,
                "variables": null,
                "workflows": null,
                "supporting_workflows": null,
                "generated_workflow_id": null,
                "third_party_workflow_id": null,
                "single_signer_workflow_id": null,
                "multiple_signers_workflow_id": null,
                "document_url": null,
                "document_url_by_http": null,
                "webhook_url": null,
            },
            "contract": { "legal_request_statuses": null, "operations_with_bearer": null },
            "receivers": receivers,
        }))
    }

    /// Adds a name with any members.
    pub(super) fn add(&mut self, name: &str) {
        self.0[name] = Value::Null;
    }

    /// Sets the members of the root `page`.
    pub(super) fn set_page(&mut self, members: [&str; 2]) {
        self.0["page"] = members.map(|name| (name, Value::Null)).into_iter().collect();
    }

    pub(super) fn has_receiver(&self, name: &str) -> bool {
        self.0["receivers"].get(name).is_some()
    }

    /// The reason why a path of names has no value here, with the names to suggest. `None` if it has one.
    pub(super) fn unknown(&self, path: &[String]) -> Option<(String, Vec<String>)> {
        let mut known = &self.0;
        for (depth, name) in path.iter().enumerate() {
            let Value::Object(members) = known else { return None };
            let Some(member) = members.get(name) else {
                return Some(match depth {
                    0 if name == "page" => {
                        ("`<page>` is known only with `each_page`".to_owned(), Vec::new())
                    }
                    0 => {
                        let message = format!("`<{}>` is not defined before this", path.join("."));
                        (message, names(members))
                    }
                    _ => {
                        let root = path[..depth].join(".");
                        (format!("`{root}` has no member `{name}`"), names(members))
                    }
                });
            };
            known = member;
        }
        let members = known.as_object().filter(|members| !members.contains_key(ITSELF))?;
        let message = format!("`<{}>` is not a value, its members are", path.join("."));
        Some((message, names(members)))
    }
}

fn names(members: &Map<String, Value>) -> Vec<String> {
    members.keys().filter(|name| *name != ITSELF).cloned().collect()
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::{ITSELF, NameScope};

    const GUIDE: &str = include_str!("../../../../docs/guides/own-scenarios.md");

    /// The last member of each name that has a value.
    fn leaves<'v>(value: &'v Value, name: &'v str, found: &mut Vec<&'v str>) {
        match value {
            Value::Object(members) => {
                members.iter().for_each(|(name, member)| leaves(member, name, found));
            }
            _ if name != ITSELF => found.push(name),
            _ => {}
        }
    }

    #[test]
    fn the_guide_lists_each_name() {
        let scope = NameScope::new(&["NAME".to_owned()]);
        let mut names = Vec::new();
        leaves(&scope.0, "", &mut names);
        assert!(names.len() > 20, "{names:?}");
        let missing = names.iter().filter(|name| !GUIDE.contains(&format!(".{name}`")));
        assert_eq!(missing.collect::<Vec<_>>(), Vec::<&&str>::new());
    }
}
