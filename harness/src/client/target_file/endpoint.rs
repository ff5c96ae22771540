//! Where an operation is on a target (method and path), and which operation a call belongs to.

use std::collections::BTreeMap;

use moot_fixtures::contract::{Endpoint, Operation};

/// Where every operation is.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Endpoints(BTreeMap<Operation, Endpoint>);

impl Endpoints {
    /// The places of the specification, but where `given` says otherwise.
    pub fn new(given: &BTreeMap<Operation, Endpoint>) -> Self {
        let own = |operation: Operation| Endpoint {
            method: operation.method().to_string(),
            path: operation.path().to_owned(),
        };
        let mut all: BTreeMap<_, _> = Operation::ALL.map(|it| (it, own(it))).into();
        all.extend(given.iter().map(|(operation, endpoint)| (*operation, endpoint.clone())));
        Self(all)
    }

    /// Where this operation is.
    pub fn get(&self, operation: Operation) -> &Endpoint {
        &self.0[&operation]
    }

    /// The path of this operation for the object of this id.
    pub fn path_of(&self, operation: Operation, id: &str) -> String {
        let id = percent_encoding::utf8_percent_encode(id, percent_encoding::NON_ALPHANUMERIC);
        self.get(operation).path.replace("{id}", &id.to_string())
    }

    /// The operation that method and path (below the base address, its query is ignored) belong to.
    pub fn find(&self, method: &str, path: &str) -> Option<Operation> {
        let path = path.split(['?', '#']).next().unwrap_or(path);
        let operations =
            self.all(|endpoint| endpoint.method == method && matches(&endpoint.path, path));
        // A template without an id wins: nothing of §4 has an id where another has a fixed segment.
        operations.min_by_key(|operation| operation.path().contains('{'))
    }

    /// The operation for which a lenient service might take a call. `path` is canonical, the method is
    /// compared without case. Operations that create or delete come first.
    pub(crate) fn find_spelled(&self, method: &str, path: &str) -> Option<Operation> {
        let all = || {
            self.all(|endpoint| {
                let spelled = endpoint.path.trim_end_matches('/').to_ascii_lowercase();
                endpoint.method.eq_ignore_ascii_case(method) && matches(&spelled, path)
            })
        };
        all().find(|operation| changes(*operation)).or_else(|| all().next())
    }

    /// The operations whose endpoint fits.
    fn all(&self, fits: impl Fn(&Endpoint) -> bool) -> impl Iterator<Item = Operation> {
        self.0.iter().filter(move |(_, endpoint)| fits(endpoint)).map(|(operation, _)| *operation)
    }
}

/// Reads `METHOD /path`; a path alone takes `method`.
///
/// # Errors
/// What is wrong, as a clause.
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

/// Whether `path` fits `template`, segment by segment; `{id}` takes any segment but an empty one.
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
    use super::matches;

    #[test]
    fn a_template_takes_one_segment_for_an_id() {
        assert!(matches("/v1/requests/{id}", "/v1/requests/abc"));
        assert!(!matches("/v1/requests/{id}", "/v1/requests/"));
        assert!(!matches("/v1/requests/{id}", "/v1/requests/abc/activity"));
        assert!(matches("/v1/requests", "/v1/requests"));
        assert!(!matches("/v1/requests", "/v1/requests/"));
    }
}
