//! The endpoints of a target: method and path of each operation, and the operation of a call.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::contract::{Endpoint, Operation};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, percent_decode_str, utf8_percent_encode};

/// Characters that are encoded in an id: all but the unreserved ones (RFC 3986 §2.3).
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~');

/// Method and path of every operation.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoints {
    all: BTreeMap<Operation, Endpoint>,
    /// Those that the target names. The others are assumed where the specification has none.
    named: BTreeSet<Operation>,
}

impl Endpoints {
    /// The endpoints of the specification. Those in `given` replace them.
    pub fn new(given: &BTreeMap<Operation, Endpoint>) -> Self {
        let own = |operation: Operation| Endpoint {
            method: operation.method().to_string(),
            path: operation.path().to_owned(),
        };
        let mut all: BTreeMap<_, _> = Operation::ALL.map(|it| (it, own(it))).into();
        all.extend(given.iter().map(|(operation, endpoint)| (*operation, endpoint.clone())));
        Self { all, named: given.keys().copied().collect() }
    }

    /// Method and path of this operation.
    pub fn get(&self, operation: Operation) -> &Endpoint {
        &self.all[&operation]
    }

    /// The operations whose endpoint the target names.
    pub(crate) fn named(&self) -> &BTreeSet<Operation> {
        &self.named
    }

    /// The path of this operation for the object with this id.
    pub fn path_of(&self, operation: Operation, id: &str) -> String {
        let id = utf8_percent_encode(id, ENCODED).to_string();
        self.get(operation).path.replace("{id}", &id)
    }

    /// The id in a path of this operation, decoded.
    pub(crate) fn id_in(&self, operation: Operation, path: &str) -> Option<String> {
        let path = path.split(['?', '#']).next()?;
        let at = self.get(operation).path.split('/').position(|segment| segment == "{id}")?;
        let id = path.split('/').nth(at)?;
        Some(percent_decode_str(id).decode_utf8().ok()?.into_owned())
    }

    /// The operation with this method and path. `path` is below the base address. Its query is ignored.
    pub fn find(&self, method: &str, path: &str) -> Option<Operation> {
        let path = path.split(['?', '#']).next().unwrap_or(path);
        // A server in front of the service may resolve `..`, also an encoded one. Then another path is answered.
        let decoded = percent_decode_str(path).decode_utf8_lossy();
        if decoded.split('/').any(|segment| matches!(segment, "." | "..")) {
            return None;
        }
        let operations =
            self.all(|endpoint| endpoint.method == method && matches(&endpoint.path, path));
        // A template without an id has precedence.
        operations.min_by_key(|operation| operation.path().contains('{'))
    }

    /// The operation that a lenient service might take a call for. `path` is canonical. The case of the method is
    /// ignored. Operations that create or delete have precedence.
    pub(crate) fn find_lenient(&self, method: &str, path: &str) -> Option<Operation> {
        let all = || {
            self.all(|endpoint| {
                let spelled = endpoint.path.trim_end_matches('/').to_ascii_lowercase();
                endpoint.method.eq_ignore_ascii_case(method) && matches(&spelled, path)
            })
        };
        all().find(|operation| changes(*operation)).or_else(|| all().next())
    }

    fn all(&self, fits: impl Fn(&Endpoint) -> bool) -> impl Iterator<Item = Operation> {
        self.all.iter().filter(move |(_, endpoint)| fits(endpoint)).map(|(operation, _)| *operation)
    }
}

/// Reads `METHOD /path`. A path alone has the method `method`.
///
/// # Errors
/// The mistake, as a clause.
pub(crate) fn parse(text: &str, method: &str) -> Result<Endpoint, String> {
    let (method, path) = match text.split_once(char::is_whitespace) {
        Some((method, path)) => (method, path.trim()),
        None => (method, text),
    };
    if method.is_empty() || !method.bytes().all(|byte| byte.is_ascii_uppercase()) {
        return Err(format!("`{method}` is not a method in upper case"));
    }
    if !path.starts_with('/') || path.contains(['?', '#', ' ']) {
        return Err(format!("`{path}` is not a path that begins with `/`, without a query"));
    }
    Ok(Endpoint { method: method.to_owned(), path: path.to_owned() })
}

/// The object that an operation creates: `legal_request`, `repository_document`, `webhook`.
pub fn created_kind(operation: Operation) -> Option<&'static str> {
    match operation {
        Operation::CreateLegalRequest => Some("legal_request"),
        Operation::CreateRepositoryDocument => Some("repository_document"),
        Operation::CreateWebhook => Some("webhook"),
        _ => None,
    }
}

/// Whether it creates or deletes an object.
fn changes(operation: Operation) -> bool {
    created_kind(operation).is_some() || operation == Operation::DeleteWebhook
}

/// Whether `path` matches `template`. `{id}` matches any segment except an empty one.
fn matches(template: &str, path: &str) -> bool {
    let mut given = path.split('/');
    template.split('/').all(|expected| match given.next() {
        Some(segment) if expected.starts_with('{') => !segment.is_empty(),
        Some(segment) => segment == expected,
        None => false,
    }) && given.next().is_none()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeMap;

    use moot_fixtures::contract::Operation;

    use super::{Endpoints, matches};

    #[test]
    fn a_path_that_a_gateway_resolves_is_of_no_operation() {
        let endpoints = Endpoints::new(&BTreeMap::new());
        for (id, expected) in [
            ("abc", Some(Operation::GetLegalRequest)),
            ("a%2Fb", Some(Operation::GetLegalRequest)),
            ("..;", Some(Operation::GetLegalRequest)),
            ("%2e%2e%2fworkflows", None),
            ("..", None),
        ] {
            assert_eq!(endpoints.find("GET", &format!("/v1/requests/{id}")), expected, "{id}");
        }
    }

    #[test]
    fn an_id_matches_one_segment() {
        assert!(matches("/v1/requests/{id}", "/v1/requests/abc"));
        assert!(!matches("/v1/requests/{id}", "/v1/requests/"));
        assert!(!matches("/v1/requests/{id}", "/v1/requests/abc/activity"));
        assert!(matches("/v1/requests", "/v1/requests"));
        assert!(!matches("/v1/requests", "/v1/requests/"));
    }
}
