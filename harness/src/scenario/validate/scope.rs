//! The names that a step can use: names that the run defines, rows of loops, and captures.

use crate::scenario::text::ROOTS;

/// Applications of the target file: the values of `as`.
pub(super) const APPLICATIONS: [&str; 4] = ["main", "reader", "writer", "other_company"];

/// Members of an application.
const APPLICATION_MEMBERS: [&str; 4] = ["client_id", "client_secret", "basic", "scopes"];

/// Members of a secret.
const SECRET_MEMBERS: [&str; 2] = ["all_but_last", "other_case"];

/// Members of the root `bindings`: values of the target file, and values that the run reads from the
/// target.
const BINDINGS: [&str; 12] = [
    "requester_email",
    "counterparty_email",
    "internal_signer_emails",
    "unknown_user_emails",
    "variables",
    "workflows",
    "generated_workflow_id",
    "third_party_workflow_id",
    "single_signer_workflow_id",
    "multiple_signers_workflow_id",
    "document_url",
    "webhook_url",
];

/// Members of the root `run`.
const RUN_MEMBERS: [&str; 2] = ["tag", "now_seconds"];

/// Members of the root `contract`.
const CONTRACT_MEMBERS: [&str; 3] = ["legal_request_statuses", "operations_with_bearer", "limits"];

/// Members of a receiver.
const RECEIVER_MEMBERS: [&str; 2] = ["url", "secret"];

/// The members of the root `page` at one place of a scenario.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum PageScope {
    /// None: before the first `each_page`.
    Unknown,
    /// In the checks of `each_page`: `number`, `length_expected`.
    Inside,
    /// After `each_page`: `total_count`, `total_pages`.
    After,
}

/// The names known at one place of a scenario.
#[derive(Debug, Clone)]
pub(super) struct NameScope {
    receivers: Vec<String>,
    names: Vec<String>,
    pub(super) page: PageScope,
}

impl NameScope {
    pub(super) fn new(receivers: &[String]) -> Self {
        Self { receivers: receivers.to_vec(), names: Vec::new(), page: PageScope::Unknown }
    }

    pub(super) fn add(&mut self, name: &str) {
        self.names.push(name.to_owned());
    }

    /// The number of known names, for [`Self::forget_from`].
    pub(super) fn mark(&self) -> usize {
        self.names.len()
    }

    /// Forgets the names that were added since the mark.
    pub(super) fn forget_from(&mut self, mark: usize) {
        self.names.truncate(mark);
    }

    pub(super) fn has_receiver(&self, name: &str) -> bool {
        self.receivers.iter().any(|known| known == name)
    }

    /// The reason why a path of names has no value here, with the names to suggest. `None` if it has one.
    pub(super) fn unknown(&self, path: &[String]) -> Option<(String, Vec<String>)> {
        let (root, members) = path.split_first()?;
        if self.names.contains(root) {
            return None;
        }
        match root.as_str() {
            "bindings" if members.is_empty() => None,
            "bindings" => of_fixed(root, members, &BINDINGS),
            "run" => of_fixed(root, members, &RUN_MEMBERS),
            "contract" => of_fixed(root, members, &CONTRACT_MEMBERS),
            "target" => of_target(members),
            "receivers" => self.of_receivers(members),
            "page" => self.of_page(members),
            _ => Some((
                format!("`<{}>` is not defined before this", path.join(".")),
                self.names.iter().cloned().chain(ROOTS.map(str::to_owned)).collect(),
            )),
        }
    }

    fn of_receivers(&self, members: &[String]) -> Option<(String, Vec<String>)> {
        match members {
            [name, rest @ ..] if self.has_receiver(name) => {
                of_fixed(&format!("receivers.{name}"), rest, &RECEIVER_MEMBERS)
            }
            _ => Some((
                "the scenario has no such receiver in `receivers`".to_owned(),
                self.receivers.clone(),
            )),
        }
    }

    fn of_page(&self, members: &[String]) -> Option<(String, Vec<String>)> {
        match self.page {
            PageScope::Inside => of_fixed("page", members, &["number", "length_expected"]),
            PageScope::After => of_fixed("page", members, &["total_count", "total_pages"]),
            PageScope::Unknown => {
                Some(("`<page>` is known only with `each_page`".to_owned(), Vec::new()))
            }
        }
    }
}

fn of_target(members: &[String]) -> Option<(String, Vec<String>)> {
    let (application, rest) = match members.split_first() {
        Some((base_url, [])) if base_url == "base_url" => return None,
        Some((application, rest)) if APPLICATIONS.contains(&application.as_str()) => {
            (application, rest)
        }
        _ => return of_fixed("target", members, &APPLICATIONS),
    };
    let root = format!("target.{application}");
    match rest {
        [member, secret @ ..] if member == "client_secret" && !secret.is_empty() => {
            of_fixed(&format!("{root}.client_secret"), secret, &SECRET_MEMBERS)
        }
        _ => of_fixed(&root, rest, &APPLICATION_MEMBERS),
    }
}

/// The reason why the first member is not in a fixed set. Further members may follow it.
fn of_fixed(root: &str, members: &[String], known: &[&str]) -> Option<(String, Vec<String>)> {
    let names = || known.iter().map(|name| (*name).to_owned()).collect();
    match members.first() {
        Some(member) if known.contains(&member.as_str()) => None,
        Some(member) => Some((format!("`{root}` has no member `{member}`"), names())),
        None => Some((format!("`<{root}>` is not a value, its members are"), names())),
    }
}
