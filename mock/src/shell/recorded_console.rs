//! The console of recorded calls, on loopback. It is read-only, except that drills can be started again.

use std::collections::BTreeSet;
use std::net::IpAddr;
use std::sync::Arc;

use bytes::Bytes;
use http::{Method, Request, Response, StatusCode};
use http_body::Body;
use moot_fixtures::pattern;
use parking_lot::Mutex;
use serde_json::{Value, json};
use tokio::net::TcpListener;
use tokio::sync::mpsc::UnboundedSender;

use super::body::{self, BodyTimes};
use super::console;
use super::drill_run::{DrillProgress, DrillRun, DrillRunState, DrillStart};
use super::listener::{ServeLimits, accept_all};
use super::response::{SiteBody, problem};
use super::site::Access;
use crate::control::{Refusal, is_path_pattern};

/// The path of a control plane.
const ADMIN: &str = "/__admin";
/// Default of `limit`.
const LIMIT: usize = 100;
/// The largest body of a call, in bytes.
const BODY_BYTES_MAX: u64 = 64 * 1024;

/// Calls as [`Site::journals`](super::Site::journals) shows them, with the findings and the drills of their clients.
#[derive(Debug, Clone, Default)]
pub struct RecordedCalls {
    /// Members of `exchanges`, the oldest first, with unique `serial`. Calls of a drill have its id in `drill`.
    pub exchanges: Vec<Value>,
    /// The response of `GET /findings`; without one the route is absent.
    pub findings: Option<Value>,
    /// The response of `GET /drill_run`; without one the route is absent.
    pub drill_run: Option<DrillRun>,
    /// Receives the drills that `POST /drill_run` starts. They are shown as waiting, without calls, before.
    pub starts: Option<UnboundedSender<DrillStart>>,
}

/// Serves the console of these calls on `listener` at `/__admin/console/`, until `stop` is ready. Calls may be
/// added meanwhile.
pub async fn serve_recorded(
    listener: TcpListener,
    calls: Arc<Mutex<RecordedCalls>>,
    stop: impl Future<Output = ()>,
) {
    let address = listener.local_addr().map(|address| format!("http://{address}"));
    let access = Arc::new(Access::new(None, None, &address.unwrap_or_default()));
    accept_all(listener, ServeLimits::default(), None, stop, move |peer, request| {
        let (calls, access) = (calls.clone(), access.clone());
        async move { answer(&calls, request, &access, peer.ip().to_canonical()).await }
    })
    .await;
}

async fn answer(
    calls: &Mutex<RecordedCalls>,
    request: Request<impl Body<Data = Bytes> + Send + Unpin>,
    access: &Access,
    client: IpAddr,
) -> Response<SiteBody> {
    let (parts, body) = request.into_parts();
    let read =
        body::read_whole(body, &parts.headers, BODY_BYTES_MAX, BodyTimes::default()).await.ok();
    let path = parts.uri.path();
    if let Err(problem) = access.check(&parts, client) {
        return problem.respond(path);
    }
    let Some(below) = path.strip_prefix(ADMIN) else {
        let detail = format!("the console is at {ADMIN}/console/");
        return Refusal::unknown(detail).respond(path);
    };
    if let Some(name) = console::name(below) {
        return console::answer(&parts.method, path, name);
    }
    let (status, found) = match (&parts.method, below) {
        (&Method::POST, "/drill_run") => {
            let start = read_start(read);
            (StatusCode::ACCEPTED, start.and_then(|start| calls.lock().start(start)))
        }
        (&Method::GET, _) => {
            (StatusCode::OK, calls.lock().get(below, parts.uri.query().unwrap_or_default()))
        }
        _ => {
            let problem = Refusal::method_not_allowed("a recording cannot be changed");
            return problem.respond(path);
        }
    };
    match found {
        Ok(value) => problem::respond(status, "application/json", value.to_string()),
        Err(problem) => problem.respond(path),
    }
}

/// Reads the drills to start from the body of a call.
fn read_start(body: Option<Bytes>) -> Result<DrillStart, Refusal> {
    match body {
        Some(bytes) if bytes.is_empty() => Ok(DrillStart::default()),
        Some(bytes) => serde_json::from_slice(&bytes)
            .map_err(|error| Refusal::malformed(format!("the body does not fit: {error}"))),
        None => Err(Refusal::malformed("the body does not end, or is too large")),
    }
}

impl RecordedCalls {
    /// Starts drills and the calm run again, and deletes their calls.
    fn start(&mut self, start: DrillStart) -> Result<Value, Refusal> {
        let (Some(run), Some(starts)) = (&mut self.drill_run, &self.starts) else {
            return Err(Refusal::conflict(
                "drills cannot be started here: `moot drill --console -- CMD` can",
            ));
        };
        if run.state == DrillRunState::Running {
            return Err(Refusal::conflict("drills are already running"));
        }
        let is_known = |id: &String| run.drills.iter().any(|drill| drill.drill == *id);
        if let Some(unknown) = start.only.iter().find(|id| !is_known(id)) {
            return Err(Refusal::invalid(format!("there is no drill `{unknown}`")));
        }
        let mut started = Vec::new();
        for (number, drill) in run.drills.iter_mut().enumerate() {
            if number == 0 || start.has(&drill.drill) {
                *drill = DrillProgress::waiting(&drill.drill, &drill.title);
                started.push(drill.drill.clone());
            }
        }
        if starts.send(start).is_err() {
            return Err(Refusal::conflict("the command is about to end"));
        }
        (run.state, run.grade) = (DrillRunState::Running, None);
        run.reasons.clear();
        let shown = json!(run);
        self.exchanges.retain(|one| started.iter().all(|drill| one["drill"] != **drill));
        self.delete_findings();
        Ok(shown)
    }

    /// Deletes the findings whose calls were deleted.
    fn delete_findings(&mut self) {
        let Some(findings) = &mut self.findings else { return };
        let known: BTreeSet<u64> =
            self.exchanges.iter().filter_map(|one| one["serial"].as_u64()).collect();
        findings["calls"] = json!(known.len());
        if let Some(list) = findings["findings"].as_array_mut() {
            list.retain(|one| {
                let calls = one["calls"].as_array();
                calls.is_some_and(|calls| {
                    calls.iter().filter_map(Value::as_u64).any(|call| known.contains(&call))
                })
            });
        }
    }

    fn get(&self, path: &str, query: &str) -> Result<Value, Refusal> {
        let found = match path {
            "/" => Some(self.index()),
            "/exchanges" => return self.list(query),
            "/drill_run" => self.drill_run.as_ref().map(|run| json!(run)),
            "/findings" => self.findings.clone(),
            _ => {
                let serial = path.strip_prefix("/exchanges/").and_then(|id| id.parse::<u64>().ok());
                let mut calls = self.exchanges.iter();
                calls.find(|one| serial.is_some() && one["serial"].as_u64() == serial).cloned()
            }
        };
        found.ok_or_else(|| Refusal::unknown(format!("the recording has no `{path}`")))
    }

    fn index(&self) -> Value {
        let mut routes = vec![("GET", "/"), ("GET", "/exchanges"), ("GET", "/exchanges/{id}")];
        routes.extend(self.findings.as_ref().map(|_| ("GET", "/findings")));
        routes.extend(self.drill_run.as_ref().map(|_| ("GET", "/drill_run")));
        routes.extend(self.starts.as_ref().map(|_| ("POST", "/drill_run")));
        let routes: Vec<Value> = routes
            .iter()
            .map(|(method, path)| json!({ "method": method, "path": format!("{ADMIN}{path}") }))
            .collect();
        json!({ "moot": true, "recorded": true, "routes": routes })
    }

    /// The newest calls that match. The filter is that of a mock, without `delivery` and with `drill`.
    fn list(&self, query: &str) -> Result<Value, Refusal> {
        let mut limit = LIMIT;
        let mut matching: Vec<&Value> = self.exchanges.iter().collect();
        for (name, wanted) in form_urlencoded::parse(query.as_bytes()) {
            let refused =
                || Refusal::invalid(format!("`{name}={wanted}` is not a filter of a recording"));
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
                    if digits.parse::<u16>().is_err() || wanted.len() != 3 {
                        return Err(refused());
                    }
                    matching.retain(|one| one["status"].to_string().starts_with(&digits));
                }
                "path" => {
                    if !is_path_pattern(&wanted) {
                        return Err(refused());
                    }
                    matching.retain(|one| {
                        pattern::matches(&wanted, one["path"].as_str().unwrap_or_default())
                    });
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

#[cfg(test)]
mod tests {
    use moot_fixtures::conduct::DrillEnd;
    use serde_json::{Value, json};
    use tokio::sync::mpsc;

    use super::{DrillProgress, DrillRun, DrillRunState, DrillStart, RecordedCalls};
    use crate::shell::DrillState;

    fn ended() -> RecordedCalls {
        let drills = ["calm", "limited", "broken-json"].map(|id| DrillProgress {
            state: DrillState::Ended(DrillEnd::Held),
            calls: Some(1),
            ..DrillProgress::waiting(id, "It happens")
        });
        let run = DrillRun {
            state: DrillRunState::Ended,
            can_start: true,
            grade: Some("ready".to_owned()),
            reasons: vec!["why".to_owned()],
            drills: drills.to_vec(),
        };
        let call = |serial: u64, drill: &str| json!({ "serial": serial, "drill": drill });
        let exchanges =
            vec![call(1, "calm"), call(2, "limited"), call(3, "broken-json"), call(4, "limited")];
        let finding = |calls: &[u64]| json!({ "calls": calls });
        let findings =
            json!({ "calls": 4, "findings": [finding(&[1]), finding(&[2, 4]), finding(&[3])] });
        RecordedCalls {
            exchanges,
            findings: Some(findings),
            drill_run: Some(run),
            ..RecordedCalls::default()
        }
    }

    fn only(ids: &[&str]) -> DrillStart {
        DrillStart { only: ids.iter().map(|id| (*id).to_owned()).collect() }
    }

    #[test]
    fn drills_that_start_again_wait_without_calls_and_others_stay() {
        let (sender, mut starts) = mpsc::unbounded_channel();
        let mut all = RecordedCalls { starts: Some(sender), ..ended() };
        let shown = all.start(only(&["limited"])).expect("it starts");
        assert_eq!(starts.try_recv().ok(), Some(only(&["limited"])));
        assert_eq!((&shown["state"], &shown["grade"]), (&json!("running"), &Value::Null));
        let states: Vec<&Value> =
            shown["drills"].as_array().into_iter().flatten().map(|it| &it["state"]).collect();
        assert_eq!(states, ["waiting", "waiting", "held"]);
        assert_eq!(all.exchanges, [json!({ "serial": 3, "drill": "broken-json" })]);
        assert_eq!(all.findings, Some(json!({ "calls": 1, "findings": [{ "calls": [3] }] })));
        let refused = all.start(DrillStart::default()).expect_err("they run");
        assert_eq!(refused.detail, "drills are already running");
        assert!(starts.try_recv().is_err());
    }

    #[test]
    fn a_refused_start_changes_nothing() {
        let mut certificate = ended();
        let refused = certificate.start(DrillStart::default()).expect_err("no drills run here");
        assert!(refused.detail.contains("moot drill --console"), "{}", refused.detail);
        let (sender, mut starts) = mpsc::unbounded_channel();
        let mut all = RecordedCalls { starts: Some(sender), ..ended() };
        let refused = all.start(only(&["limited", "limitted"])).expect_err("a wrong name");
        assert_eq!(refused.detail, "there is no drill `limitted`");
        assert!(starts.try_recv().is_err());
        for all in [certificate, all] {
            let before = ended();
            assert_eq!((all.exchanges, all.drill_run), (before.exchanges, before.drill_run));
        }
        drop(starts);
    }
}
