//! Finds the operation of a method and a path. The contract has the routes. The answers choose the endpoints of two
//! operations.

use http::Method;
use moot_fixtures::contract::{Answers, Endpoint, Operation};
use percent_encoding::percent_decode_str;

use crate::value::settings::SettingsError;

const ID: &str = "{id}";

/// All routes of a world.
#[derive(Debug, Clone)]
pub(crate) struct Router(Vec<OperationRoute>);

#[derive(Debug, Clone)]
struct OperationRoute {
    operation: Operation,
    method: Method,
    /// The path, or its part before the id.
    start: String,
    /// The part of the path after the id; `None` for a path without an id.
    end: Option<String>,
}

/// The route of a method and a path.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum RouteMatch {
    /// The operation, with the decoded id of the path if it has one.
    Found(Operation, Option<String>),
    /// The path has only these methods, separated by commas. The operation of one of them.
    WrongMethod(Operation, String),
    /// An unknown path.
    Unknown,
}

impl Router {
    /// The routes under these answers.
    ///
    /// # Errors
    /// [`SettingsError::Answers`] if an endpoint of the answers is not a route.
    pub(crate) fn new(answers: &Answers) -> Result<Self, SettingsError> {
        let mut routes = Vec::with_capacity(Operation::ALL.len());
        for operation in Operation::ALL {
            let endpoint = match operation {
                Operation::GetWorkflowSchema => Some(&answers.workflow_schema_endpoint),
                Operation::CreateWebhook => Some(&answers.webhook_create_endpoint),
                Operation::RevokeToken if !answers.token_revocation.endpoint => continue,
                _ => None,
            };
            routes.push(match endpoint {
                Some(endpoint) => OperationRoute::of_endpoint(operation, endpoint)?,
                None => OperationRoute::new(operation, operation.method(), operation.path()),
            });
        }
        // A path without an id comes before a path with an id that would match it too.
        routes.sort_by_key(|route| route.end.is_some());
        Ok(Self(routes))
    }

    /// Whether the operation has a route. By the answers, some operations have none.
    pub(crate) fn has(&self, operation: Operation) -> bool {
        self.0.iter().any(|route| route.operation == operation)
    }

    /// All paths. In a path with an id, `{id}` becomes the segment of `path` at the same position.
    pub(crate) fn paths_like(&self, path: &str) -> Vec<String> {
        let segments: Vec<&str> = path.split('/').collect();
        let filled = |route: &OperationRoute| match &route.end {
            None => Some(route.start.clone()),
            Some(end) => {
                let id = segments.get(route.start.matches('/').count())?;
                Some(format!("{}{id}{end}", route.start))
            }
        };
        self.0.iter().filter_map(filled).collect()
    }

    /// The route of `method` and `path` (below the base address, as sent).
    pub(crate) fn find(&self, method: &Method, path: &str) -> RouteMatch {
        let mut of_method = self.0.iter().filter(|route| route.method == *method);
        let found = of_method.find_map(|route| Some((route.operation, route.matched(path)?)));
        if let Some((operation, id)) = found {
            return RouteMatch::Found(operation, id.map(decode));
        }
        let mut allowed: Vec<&str> = Vec::new();
        let mut operation = None;
        for route in self.0.iter().filter(|route| route.matched(path).is_some()) {
            operation = Some(route.operation);
            if !allowed.contains(&route.method.as_str()) {
                allowed.push(route.method.as_str());
            }
        }
        match operation {
            Some(operation) => RouteMatch::WrongMethod(operation, allowed.join(", ")),
            None => RouteMatch::Unknown,
        }
    }
}

impl OperationRoute {
    fn new(operation: Operation, method: Method, path: &str) -> Self {
        match path.split_once(ID) {
            Some((start, end)) => {
                Self { operation, method, start: start.to_owned(), end: Some(end.to_owned()) }
            }
            None => Self { operation, method, start: path.to_owned(), end: None },
        }
    }

    fn of_endpoint(operation: Operation, endpoint: &Endpoint) -> Result<Self, SettingsError> {
        let refused = |what| SettingsError::Answers(format!("{}: {what}", operation.as_str()));
        let method = Method::from_bytes(endpoint.method.as_bytes())
            .map_err(|_| refused("its endpoint has no usable method"))?;
        if !endpoint.path.starts_with('/') {
            return Err(refused("the path of its endpoint needs a leading `/`"));
        }
        if operation.path().contains(ID) && !endpoint.path.contains(ID) {
            return Err(refused("the path of its endpoint needs `{id}`"));
        }
        Ok(Self::new(operation, method, &endpoint.path))
    }

    /// The id, if this route matches the path; `Some(None)` for a route without an id.
    fn matched<'p>(&self, path: &'p str) -> Option<Option<&'p str>> {
        match &self.end {
            None => (path == self.start).then_some(None),
            Some(end) => {
                let id = path.strip_prefix(self.start.as_str())?.strip_suffix(end.as_str())?;
                (!id.is_empty() && !id.contains('/')).then_some(Some(id))
            }
        }
    }
}

fn decode(id: &str) -> String {
    percent_decode_str(id).decode_utf8_lossy().into_owned()
}
