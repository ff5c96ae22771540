//! Calls to a node: the site answers them while the lease is trusted.

use std::net::IpAddr;

use bytes::Bytes;
use http::header::{HeaderValue, RETRY_AFTER};
use http::{Method, Request, Response, StatusCode};
use http_body::Body;
use serde_json::{Map, Value};

use super::view::NodeState;
use super::{ActiveSite, Node};
use crate::control::Refusal;
use crate::shell::body;
use crate::shell::response::{SiteBody, problem};

/// The health of the mock, below the base path.
const HEALTH: &str = "/__admin/health";
/// The health check of containers. It answers 200 while the process runs.
const ALIVE: &str = "/health";

impl Node {
    /// Answers a call over HTTP.
    pub(crate) async fn call_over_http(
        &self,
        request: Request<impl Body<Data = Bytes> + Send + Unpin>,
        client: IpAddr,
    ) -> Response<SiteBody> {
        let path = request.uri().path().to_owned();
        let is_health = path.ends_with(HEALTH) && request.method() == Method::GET;
        let Some(ActiveSite { epoch, site, .. }) = self.active() else {
            let (parts, body) = request.into_parts();
            body::drain(body, &parts.headers, self.shared.options.body_times).await;
            if path.ends_with(ALIVE) && !is_health {
                return problem::respond(StatusCode::OK, "text/plain", "ok".to_owned());
            }
            return self.refusal(&path);
        };
        let response = site.call_over_http(request, client).await;
        // The response shows what was true while it was made. If the lease is still trusted now, it was
        // trusted then, and no other node was active.
        match self.shared.trust.holds(epoch) {
            true if is_health => self.health(response),
            true => response,
            false => self.refusal(&path),
        }
    }

    /// The site, if this node may answer.
    fn active(&self) -> Option<ActiveSite> {
        let active = self.shared.active.read().clone();
        active.filter(|it| self.shared.trust.holds(it.epoch))
    }

    /// The 503 of a node that is not active. `/__admin/health` answers it too, so that a proxy sends calls to the
    /// active node.
    fn refusal(&self, path: &str) -> Response<SiteBody> {
        let view = self.shared.view.lock();
        let detail = match (view.state, view.active()) {
            (NodeState::Standby, Some(active)) => {
                format!("This node is a standby. The active node is {active}.")
            }
            (NodeState::Standby, None) => "No node is active yet.".to_owned(),
            _ => "This node does not know whether it is the active one. The call may have taken effect."
                .to_owned(),
        };
        let mut refusal = Refusal::unavailable(detail);
        refusal.members.extend(view.members(&self.shared.name));
        drop(view);
        let mut response = refusal.respond(path);
        response.headers_mut().insert(RETRY_AFTER, HeaderValue::from_static("1"));
        response
    }

    /// Adds the state of the node to the response of health. A proxy has no token of the control plane: it gets
    /// only the state of the node.
    fn health(&self, response: Response<SiteBody>) -> Response<SiteBody> {
        let members = self.shared.view.lock().members(&self.shared.name);
        let is_ok = response.status() == StatusCode::OK;
        let mut all = match is_ok.then(|| response.into_body().json()) {
            Some(Value::Object(all)) => all,
            _ => Map::new(),
        };
        all.extend(members.map(|(name, value)| (name.to_owned(), value)));
        problem::respond(StatusCode::OK, "application/json", Value::Object(all).to_string())
    }
}
