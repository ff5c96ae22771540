//! The console of calls that were recorded elsewhere: read-only, on loopback.

use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body::Body;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::TcpListener;

use super::answer::{ControlProblem, SiteBody, problem};
use super::body::{self, BodyTimes};
use super::console;
use super::drill_run::DrillRun;
use super::listener::{ServeLimits, accept_all};
use super::site::Access;
use crate::value::path_pattern::PathPattern;

/// Where the control plane of a mock is.
const ADMIN: &str = "/__admin";
/// Rows that are listed where `limit` is absent.
const ROWS_LISTED: usize = 100;

/// Calls that were recorded elsewhere, as [`Site::journals`](super::Site::journals) shows them, and what is said of the
/// clients that made them.
#[derive(Debug, Clone, Default)]
pub struct RecordedCalls {
    /// Members of `exchanges`, the oldest first. Each `serial` is there once. Those of a drill name it in `drill`.
    pub exchanges: Vec<Value>,
    /// The answer of `GET /findings`; without one that route is absent.
    pub findings: Option<Value>,
    /// The answer of `GET /drill_run`; without one that route is absent.
    pub drill_run: Option<DrillRun>,
}

/// Serves the console of these calls on `listener`, at `/__admin/console/`, until `stop` is ready. Only `GET` is
/// answered. Calls may be added meanwhile.
pub async fn serve_recorded(
    listener: TcpListener,
    calls: Arc<Mutex<RecordedCalls>>,
    stop: impl Future<Output = ()>,
) {
    let address = listener.local_addr().map(|address| format!("http://{address}"));
    let access = Arc::new(Access::new(None, &address.unwrap_or_default()));
    accept_all(listener, ServeLimits::default(), None, stop, move |peer, request| {
        let (calls, access) = (calls.clone(), access.clone());
        async move { answer(&calls, request, &access, peer.ip().to_canonical()).await }
    })
    .await;
}

async fn answer<B>(
    calls: &Mutex<RecordedCalls>,
    request: Request<B>,
    access: &Access,
    client: IpAddr,
) -> Response<SiteBody>
where
    B: Body<Data = Bytes> + Send + Unpin,
{
    let (parts, body) = request.into_parts();
    body::drain(body, &parts.headers, BodyTimes::default()).await;
    let path = parts.uri.path();
    if let Err(problem) = access.check(&parts, client) {
        return problem.respond(path);
    }
    let Some(below) = path.strip_prefix(ADMIN) else {
        let detail = format!("the console is at {ADMIN}/console/");
        return ControlProblem::not_found(detail).respond(path);
    };
    if let Some(name) = console::name(below) {
        return console::answer(&parts.method, path, name);
    }
    if parts.method != Method::GET {
        let problem = ControlProblem::method_not_allowed("a recording can't be changed");
        return problem.respond(path);
    }
    let found = calls.lock().look(below, parts.uri.query().unwrap_or_default());
    match found {
        Ok(value) => problem::respond(StatusCode::OK, "application/json", value.to_string()),
        Err(problem) => problem.respond(path),
    }
}

impl RecordedCalls {
    fn look(&self, path: &str, query: &str) -> Result<Value, ControlProblem> {
        match path {
            "/" => Ok(self.index()),
            "/exchanges" => self.list(query),
            "/drill_run" if self.drill_run.is_some() => Ok(json!(self.drill_run)),
            "/findings" if self.findings.is_some() => Ok(self.findings.clone().unwrap_or_default()),
            _ => {
                let serial = path.strip_prefix("/exchanges/").and_then(|id| id.parse::<u64>().ok());
                let mut known = self.exchanges.iter();
                let found = known.find(|one| serial.is_some() && one["serial"].as_u64() == serial);
                let detail = || format!("the recording has no `{path}`");
                found.cloned().ok_or_else(|| ControlProblem::not_found(detail()))
            }
        }
    }

    fn index(&self) -> Value {
        let findings = self.findings.is_some().then_some("/findings");
        let drills = self.drill_run.is_some().then_some("/drill_run");
        let paths = ["/", "/exchanges", "/exchanges/{id}"];
        let paths = paths.into_iter().chain(findings).chain(drills);
        let routes = paths.map(|path| json!({ "method": "GET", "path": format!("{ADMIN}{path}") }));
        json!({ "moot": true, "recorded": true, "routes": routes.collect::<Vec<_>>() })
    }

    /// The newest calls that match; the filter is that of a live mock, without `delivery` and with `drill`.
    fn list(&self, query: &str) -> Result<Value, ControlProblem> {
        let mut limit = ROWS_LISTED;
        let mut matching: Vec<&Value> = self.exchanges.iter().collect();
        for (name, wanted) in form_urlencoded::parse(query.as_bytes()) {
            let refused = || {
                ControlProblem::invalid_value(format!(
                    "`{name}={wanted}` is not a filter of a recording"
                ))
            };
            match &*name {
                "limit" => limit = wanted.parse().map_err(|_| refused())?,
                "operation" | "application" | "drill" => {
                    matching.retain(|one| one[&*name] == *wanted)
                }
                "method" => {
                    let wanted = wanted.to_ascii_uppercase();
                    matching.retain(|one| one["method"] == *wanted);
                }
                "status" => {
                    let digits = wanted.trim_end_matches("xx").to_owned();
                    let is_sound = digits.parse::<u16>().is_ok() && wanted.len() == 3;
                    is_sound.then_some(()).ok_or_else(refused)?;
                    matching.retain(|one| one["status"].to_string().starts_with(&digits));
                }
                "path" => {
                    let pattern = PathPattern::new(&wanted).ok_or_else(refused)?;
                    matching
                        .retain(|one| pattern.matches(one["path"].as_str().unwrap_or_default()));
                }
                "since" => {
                    let since: u64 = wanted.parse().map_err(|_| refused())?;
                    matching.retain(|one| one["serial"].as_u64() > Some(since));
                }
                _ => return Err(refused()),
            }
        }
        let skipped = matching.len().saturating_sub(limit);
        Ok(json!({ "count": matching.len(), "exchanges": &matching[skipped..] }))
    }
}
