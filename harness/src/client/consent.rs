//! Consent: the requests that a run may send to a deployment, by method and path, e-mail addresses and budgets. The
//! check itself sends nothing.

use std::collections::BTreeSet;
use std::sync::LazyLock;
use std::sync::atomic::{AtomicU32, Ordering};

use moot_fixtures::contract::Operation;
use parking_lot::RwLock;
use regex::Regex;
use serde_json::Value;

use crate::client::request::{BodyPiece, ClientBody, ClientRequest, FormPart};
use crate::client::target_file::endpoint::created_kind;
use crate::client::target_file::model::Consent;

/// A body with more generated zero bytes needs consent `load`.
const ZEROS_WITHOUT_CONSENT_MAX: u64 = 8 * 1024 * 1024;

/// Finds e-mail addresses in a text.
static EMAIL: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r#"[^\s@<>"',;:()\[\]&=]+@([^\s@<>"',;:()\[\]&=/]+)"#)
        .expect("the pattern is fixed and was compiled in a test")
});

/// The requests that a run may send.
#[derive(Debug)]
pub struct ConsentGuard {
    consent: BTreeSet<Consent>,
    addresses: RwLock<BTreeSet<String>>,
    created: AtomicU32,
    /// The largest number of creating calls.
    pub(crate) created_max: u32,
}

impl ConsentGuard {
    /// Allows this consent, these addresses and those below `.invalid`, and this number of creating calls.
    pub fn new(
        consent: BTreeSet<Consent>,
        addresses: impl IntoIterator<Item = String>,
        created_max: u32,
    ) -> Self {
        let addresses = addresses.into_iter().map(|address| address.to_lowercase()).collect();
        Self { consent, addresses: RwLock::new(addresses), created: AtomicU32::new(0), created_max }
    }

    /// Whether the target file has this consent.
    pub fn allows(&self, consent: Consent) -> bool {
        self.consent.contains(&consent)
    }

    /// Allows an address that the deployment itself offers in a workflow schema.
    pub fn offer(&self, address: &str) {
        self.addresses.write().insert(address.to_lowercase());
    }

    /// Checks whether this request may be sent. `operation` is found by its method and path.
    ///
    /// # Errors
    /// The reason, with the setting that would allow the request.
    pub fn check(
        &self,
        prepared: &ClientRequest,
        operation: Option<Operation>,
        is_burst: bool,
    ) -> Result<(), String> {
        for consent in needed(prepared, operation, is_burst) {
            if !self.allows(consent) {
                return Err(format!(
                    "{} {} needs `consent: [{}]` in the target file",
                    prepared.method,
                    prepared.path,
                    consent.as_str()
                ));
            }
        }
        match self.foreign_address(&prepared.body) {
            Some(address) => Err(format!(
                "the e-mail address {address} is neither bound in the target file nor below \
                 .invalid"
            )),
            None => Ok(()),
        }
    }

    /// Takes a creating call from the budget.
    ///
    /// # Errors
    /// The budget is used up.
    pub fn spend_creation(&self) -> Result<(), String> {
        let taken = self.created.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |created| {
            (created < self.created_max).then_some(created + 1)
        });
        taken.map(|_| ()).map_err(|_| {
            format!(
                "the run has created as many objects as `limits.created_objects_max` in the target \
                 file allows: {}",
                self.created_max
            )
        })
    }

    /// Returns a creating call to the budget, because it was refused.
    pub fn return_creation(&self) {
        self.created.fetch_sub(1, Ordering::SeqCst);
    }

    fn foreign_address(&self, body: &ClientBody) -> Option<String> {
        let addresses = self.addresses.read();
        texts(body).into_iter().find_map(|text| {
            EMAIL.captures_iter(&text).find_map(|found| {
                let address = found[0].to_lowercase();
                // In `https://name@host/` there is a user name, and no e-mail address.
                let is_host = address.strip_prefix("//").is_some_and(|it| !it.contains('/'));
                let is_allowed =
                    is_host || is_invalid_domain(&found[1]) || addresses.contains(&address);
                (!is_allowed).then_some(address)
            })
        })
    }
}

/// The consents that this request needs.
pub(crate) fn needed(
    prepared: &ClientRequest,
    operation: Option<Operation>,
    is_burst: bool,
) -> Vec<Consent> {
    let mut consents = Vec::new();
    match prepared.method.as_str() {
        // A target file may give these operations any method and path.
        _ if operation == Some(Operation::DeleteWebhook) => consents.push(Consent::Delete),
        _ if operation.and_then(created_kind).is_some() => consents.push(Consent::Write),
        "GET" => {}
        "POST" if operation == Some(Operation::CreateAccessToken) => {}
        "DELETE" => consents.push(Consent::Delete),
        _ => consents.push(Consent::Write),
    }
    if is_burst || zero_bytes(&prepared.body) > ZEROS_WITHOUT_CONSENT_MAX {
        consents.push(Consent::Load);
    }
    let is_upload = operation == Some(Operation::CreateRepositoryDocument);
    if is_upload && parts(&prepared.body).iter().any(|part| part.name == "url") {
        consents.push(Consent::Fetch);
    }
    consents
}

fn parts(body: &ClientBody) -> &[FormPart] {
    match body {
        ClientBody::Multipart(parts) => parts,
        ClientBody::Empty | ClientBody::Bytes { .. } => &[],
    }
}

fn zero_bytes(body: &ClientBody) -> u64 {
    let zeros = |part: &FormPart| match part.content {
        BodyPiece::Zeros(length) => length,
        BodyPiece::Bytes(_) => 0,
    };
    parts(body).iter().map(zeros).sum()
}

/// The decoded texts of a body, without files.
fn texts(body: &ClientBody) -> Vec<String> {
    match body {
        ClientBody::Empty => Vec::new(),
        ClientBody::Multipart(parts) => parts
            .iter()
            .filter(|part| part.file_name.is_none())
            .filter_map(|part| match &part.content {
                BodyPiece::Bytes(bytes) => Some(String::from_utf8_lossy(bytes).into_owned()),
                BodyPiece::Zeros(_) => None,
            })
            .collect(),
        ClientBody::Bytes { content_type, bytes, .. } => {
            let media_type = content_type.as_deref().unwrap_or_default();
            if media_type.starts_with("application/x-www-form-urlencoded") {
                return form_urlencoded::parse(bytes)
                    .map(|(_, value)| value.into_owned())
                    .collect();
            }
            match serde_json::from_slice::<Value>(bytes) {
                Ok(value) => json_texts(&value),
                Err(_) => vec![String::from_utf8_lossy(bytes).into_owned()],
            }
        }
    }
}

fn json_texts(value: &Value) -> Vec<String> {
    match value {
        Value::String(text) => vec![text.clone()],
        Value::Array(members) => members.iter().flat_map(json_texts).collect(),
        Value::Object(members) => members.values().flat_map(json_texts).collect(),
        Value::Null | Value::Bool(_) | Value::Number(_) => Vec::new(),
    }
}

fn is_invalid_domain(domain: &str) -> bool {
    let domain = domain.trim_end_matches('.').to_lowercase();
    domain == "invalid" || domain.ends_with(".invalid")
}
