//! `moot drill --attach`: drills a client that runs all the time, one drill after the other on one mock.

use std::io::BufRead as _;
use std::net::SocketAddr;
use std::time::Duration;

use moot_fixtures::contract::{Operation, TOKEN_LIFETIME_SECONDS};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::drill_run::{DrillRunner, SETTLE_SECONDS};
use super::served_mock::ServedDrillMock;
use crate::command::error::{CommandError, INCONCLUSIVE};
use crate::command::exec_environment;
use crate::command::screen::Screen;
use crate::grading::conduct::rows;
use crate::grading::drill::recording::DrillRecording;
use crate::grading::drill::table::{Drill, DrillOrder, OrderAction};

/// A drill ends when the client has made no call for this time.
const QUIET: Duration = Duration::from_secs(1);
/// A line of stdin: the client failed its task.
const FAILED: &str = "failed";

/// A client that runs all the time, and its mock.
pub(super) struct AttachedClient<'a> {
    runner: &'a DrillRunner<'a>,
    screen: &'a Screen,
    served: ServedDrillMock,
    /// The lines of stdin, if no command makes the client work.
    lines: Option<mpsc::Receiver<String>>,
    credentials_sent_elsewhere: usize,
}

impl<'a> AttachedClient<'a> {
    /// Starts the mock, and prints the environment of the client.
    ///
    /// # Errors
    /// The options of the world are wrong, or the address can't be listened on.
    pub(super) async fn start(
        runner: &'a DrillRunner<'a>,
        listen: SocketAddr,
        screen: &'a Screen,
    ) -> Result<Self, CommandError> {
        let seed = runner.seed & u64::from(u32::MAX);
        let served = ServedDrillMock::start(runner.world, listen, seed, None).await?;
        let mut text = String::from("the client finds the service by these variables:\n");
        for (name, value) in exec_environment::variables(&served.mock.site.describe()) {
            text.extend(value.map(|value| format!("{name}={value}\n")));
        }
        screen.note(&text)?;
        let lines = runner.command.is_empty().then(lines_of_stdin);
        Ok(Self { runner, screen, served, lines, credentials_sent_elsewhere: 0 })
    }

    /// Makes the client work once in the situation of the drill.
    ///
    /// # Errors
    /// Stdin ended.
    pub(super) async fn run(&mut self, drill: &Drill) -> Result<DrillRecording, CommandError> {
        // The whole mock has one certificate, so this drill can't be run.
        if drill.is_wrong_certificate {
            return Ok(DrillRecording::default());
        }
        let mock = self.served.mock.clone();
        let earlier = mock.site.journals();
        mock.begin(orders(drill)).await;
        let mut recording = match &mut self.lines {
            None => {
                let working = self.runner.run_command(&mock, drill);
                self.runner.watch.watch_while(&mock, drill, working).await
            }
            Some(lines) => {
                self.screen.note(&instruction(drill))?;
                self.runner.watch.watch_while(&mock, drill, next_line(lines)).await?
            }
        };
        mock.wait_until_quiet(QUIET, self.runner.timeout).await;
        mock.settle(SETTLE_SECONDS).await;
        self.runner.ask_probe(&mock, drill, &mut recording).await;
        recording.journal = mock.site.journals();
        cut(&earlier, &mut recording.journal);
        let credentials_sent_elsewhere = self.served.credentials_sent_elsewhere();
        recording.credentials_sent_elsewhere =
            credentials_sent_elsewhere - self.credentials_sent_elsewhere;
        self.credentials_sent_elsewhere = credentials_sent_elsewhere;
        mock.undo().await;
        mock.add_result(&mut recording);
        mock.wait_until_quiet(QUIET, self.runner.timeout).await;
        mock.masked(recording)
    }

    /// Ends the mock.
    pub(super) async fn end(mut self) {
        self.served.end().await;
    }
}

/// The orders of a drill. A client that runs all the time has a token, and asks for a new one only if that expires.
fn orders(drill: &Drill) -> Vec<DrillOrder> {
    let expire = DrillOrder {
        after: None,
        action: OrderAction::MoveClock,
        body: json!({ "advance_seconds": TOKEN_LIFETIME_SECONDS + 1 }),
    };
    let needs_token_call = drill.sign.operation == Some(Operation::CreateAccessToken);
    needs_token_call.then_some(expire).into_iter().chain(drill.orders.iter().cloned()).collect()
}

/// Sorts the drills so that none disturbs the next one: changes of a workflow or of the clock can't be undone, so these
/// drills come last.
pub(super) fn in_order(mut drills: Vec<&'static Drill>) -> Vec<&'static Drill> {
    let cannot_be_undone = |order: &DrillOrder| {
        matches!(order.action, OrderAction::PutWorkflow | OrderAction::MoveClock)
    };
    drills.sort_by_key(|drill| drill.orders.iter().any(cannot_be_undone));
    drills
}

fn instruction(Drill { id, title, .. }: &Drill) -> String {
    format!(
        "{id}: {title}\n  let the client do its task, then press Enter; type {FAILED} if it failed\n"
    )
}

fn lines_of_stdin() -> mpsc::Receiver<String> {
    let (sender, lines) = mpsc::channel(1);
    // A thread of its own, since a read of stdin can't be stopped.
    std::thread::spawn(move || {
        for line in std::io::stdin().lock().lines().map_while(Result::ok) {
            if sender.blocking_send(line).is_err() {
                break;
            }
        }
    });
    lines
}

/// Waits for the line that says that the client is done.
async fn next_line(lines: &mut mpsc::Receiver<String>) -> Result<DrillRecording, CommandError> {
    let Some(line) = lines.recv().await else {
        return Err(CommandError::usage("stdin ended: there is no certificate")
            .exit(INCONCLUSIVE)
            .help(
                "write a line for each drill, or give a command that makes the client work: \
                 moot drill --attach -- CMD",
            ));
    };
    let exit_code = Some(i32::from(line.trim() == FAILED));
    Ok(DrillRecording { exit_code, ..DrillRecording::default() })
}

/// Removes the calls, deliveries and uses of the control plane that the journals of an earlier time have.
fn cut(earlier: &Value, journals: &mut Value) {
    for world in journals["worlds"].as_array_mut().into_iter().flatten() {
        let before = rows(earlier, "worlds").find(|it| it["sandbox"] == world["sandbox"]);
        for (list, number) in [("exchanges", "serial"), ("deliveries", "id")] {
            let known = before.into_iter().flat_map(|before| rows(before, list));
            let last = known.filter_map(|row| row[number].as_u64()).max();
            if let Some(rows) = world[list].as_array_mut() {
                rows.retain(|row| row[number].as_u64() > last);
            }
        }
    }
    if let Some(uses) = journals["control"].as_array_mut() {
        for row in uses.iter_mut() {
            let is_same = |it: &&Value| ["method", "path"].iter().all(|name| it[name] == row[name]);
            let Some(before) = rows(earlier, "control").find(is_same) else { continue };
            for name in ["calls", "refused"] {
                let number = |row: &Value| row[name].as_u64().unwrap_or_default();
                row[name] = json!(number(row).saturating_sub(number(before)));
            }
        }
        uses.retain(|row| row["calls"] != 0);
    }
}

#[cfg(test)]
mod tests {
    use std::net::{IpAddr, Ipv4Addr};
    use std::sync::Arc;

    use bytes::Bytes;
    use http::{Method, Request};
    use http_body_util::Full;
    use moot_mock::settings::{ClockSetting, Progression, RateLimitMode, Settings};
    use moot_mock::shell::SiteOptions;
    use serde_json::{Value, json};

    use super::super::drill_mock::DrillMock;
    use super::{cut, orders};
    use crate::grading::drill::recording::DrillRecording;
    use crate::grading::drill::table;

    fn mock() -> Arc<DrillMock> {
        let seed_world = moot_fixtures::world::named("demo").expect("embedded").clone();
        let settings = Settings {
            seed: 1,
            base_url: "http://127.0.0.1:4010".to_owned(),
            answers: moot_fixtures::answers::default().clone(),
            seed_world: Arc::new(seed_world),
            clock: ClockSetting::Real,
            rate_limit: RateLimitMode::Observe,
            progression: Progression::Manual,
        };
        DrillMock::new(SiteOptions::new(settings), String::new()).expect("it starts")
    }

    async fn page_size(mock: &DrillMock, sandbox: Option<&str>) -> Value {
        let settings = mock.admin(sandbox, Method::GET, "/settings", &Value::Null).await;
        settings.expect("settings")["answers"]["per_page"].take()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn each_world_gets_its_own_state_back() {
        let mock = mock();
        let offer = async |size: u32| {
            let settings = json!({ "answers": { "per_page": size } });
            let made = mock.admin(None, Method::POST, "/sandboxes", &settings).await;
            made.expect("a sandbox")["id"].as_str().expect("an id").to_owned()
        };
        let before = offer(10).await;
        mock.begin(table::get("other-page-size").expect("a drill").orders.clone()).await;
        let during = offer(12).await;
        for world in [None, Some(before.as_str()), Some(during.as_str())] {
            assert_eq!(page_size(&mock, world).await, 7, "{world:?}");
        }
        mock.undo().await;
        for (world, size) in [(None, 25), (Some(before.as_str()), 10), (Some(during.as_str()), 12)]
        {
            assert_eq!(page_size(&mock, world).await, size, "{world:?}");
        }
        let mut recording = DrillRecording { journal: json!({}), ..DrillRecording::default() };
        mock.add_result(&mut recording);
        assert_eq!(recording.trouble, None);
    }

    /// The status of a list with a token that is valid before the drill.
    async fn status_in(drill: &str) -> u16 {
        let mock = mock();
        let application = json!({ "client_id": "demo-main" });
        let minted = mock.admin(None, Method::POST, "/tokens", &application).await;
        let token = minted.expect("a token")["access_token"].as_str().expect("text").to_owned();
        mock.begin(orders(table::get(drill).expect("a drill"))).await;
        let request = Request::get("http://127.0.0.1:4010/v1/requests")
            .header("host", "127.0.0.1:4010")
            .header("authorization", format!("Bearer {token}"))
            .body(Full::new(Bytes::new()))
            .expect("a request");
        mock.site.call(request, IpAddr::V4(Ipv4Addr::LOCALHOST)).await.status().as_u16()
    }

    #[tokio::test(flavor = "multi_thread")]
    async fn a_drill_of_token_calls_begins_without_a_valid_token() {
        assert_eq!(status_in("limited-token").await, 401);
        assert_eq!(status_in("new-members").await, 401);
        assert_eq!(status_in("other-page-size").await, 200);
    }

    #[test]
    fn what_was_there_before_is_cut() {
        let row = |calls: u64, refused: u64| json!({ "method": "POST", "path": "/clock", "calls": calls, "refused": refused });
        let world = |serials: &[u64], ids: &[u64]| {
            let exchanges: Vec<_> = serials.iter().map(|it| json!({ "serial": it })).collect();
            let deliveries: Vec<_> = ids.iter().map(|it| json!({ "id": it })).collect();
            json!({ "sandbox": null, "exchanges": exchanges, "deliveries": deliveries })
        };
        let before = json!({ "worlds": [world(&[1, 2], &[7])], "control": [row(2, 1)] });
        let mut after = json!({ "worlds": [world(&[1, 2, 3], &[7, 8])], "control": [row(4, 2)] });
        cut(&before, &mut after);
        assert_eq!(after, json!({ "worlds": [world(&[3], &[8])], "control": [row(2, 1)] }));
        let mut same = before.clone();
        cut(&before, &mut same);
        assert_eq!(same, json!({ "worlds": [world(&[], &[])], "control": [] }));
    }
}
