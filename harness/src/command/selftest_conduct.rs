//! `moot selftest --conduct`: tests the rules of conduct with real clients. Each client is this program again, run as
//! `moot drill` runs a client: one client behaves well, and for each rule one client breaks it.

use std::cmp::Reverse;
use std::ffi::OsString;
use std::time::Duration;

use futures_util::stream::{self, StreamExt as _, TryStreamExt as _};
use moot_fixtures::conduct::{self as register, DrillEnd};
use moot_fixtures::contract::Severity;
use serde::Serialize;
use serde_json::json;

use super::drill::drill_run::{DrillRunner, run_client};
use super::drill::drill_watch::DrillWatch;
use super::error::CommandError;
use super::progress::Progress;
use super::runtime::{runtime, runtime_of_one_thread};
use super::screen::Screen;
use super::serve::WorldArguments;
use crate::grading::conduct;
use crate::grading::drill::judge::{self, DrillResult};
use crate::grading::drill::recording::DrillRecording;
use crate::grading::drill::table::{self, CALM, Drill};
use crate::grading::misbehaving_client::{self, Misbehaviour, misbehaviours, not_shown};
use crate::report::terminal::{Table, paint};
use crate::run::Interruption;
use crate::verdict::{Verdict, pluralize};

/// The seed of all runs, so that the findings are the same each time.
const SEED: u64 = 1;
/// Timeout of a client.
const TIMEOUT: Duration = Duration::from_secs(20);
/// Concurrent clients. They wait most of the time.
const JOBS: usize = 6;
/// Each `GET` of a legal request advances its status.
const PROGRESSION: &str = "on-read:1";

/// The result of a client that breaks a rule.
#[derive(Debug, Serialize)]
struct RuleTrial {
    rule: String,
    severity: Severity,
    situation: String,
    is_found: bool,
    /// Other rules of severity `must` that were found broken.
    others: Vec<String>,
    /// Why the run does not count.
    trouble: Option<String>,
}

impl RuleTrial {
    fn is_proven(&self) -> bool {
        self.is_found && self.others.is_empty() && self.trouble.is_none()
    }
}

/// Whether a drill of the client that behaves well ended as it must.
fn is_proven(honest: &DrillResult) -> bool {
    !matches!(honest.end, DrillEnd::Failed | DrillEnd::Disturbed | DrillEnd::NotReached)
        && honest.findings.is_empty()
}

/// Acts as a client. `id` is the rule that it breaks, or `none`.
pub(super) fn misbehave(id: &str) -> Result<u8, CommandError> {
    let rule = match id {
        "none" => None,
        _ => Some(misbehaving_client::rule(id).ok_or_else(|| unknown(id))?),
    };
    // Calls on two connections may have been sent at the same time, which excuses a client.
    let ran = runtime_of_one_thread()?.block_on(misbehaving_client::run(rule));
    ran.map(|()| 0).map_err(|error| CommandError::usage(error).exit(1))
}

fn unknown(id: &str) -> CommandError {
    if let Some(why) = not_shown().get(id) {
        return CommandError::usage(format!(
            "the self-test has no client that breaks `{id}`: {why}"
        ));
    }
    let ids = misbehaviours().iter().map(|it| it.rule.as_str());
    CommandError::usage(format!("the self-test has no client that breaks a rule `{id}`"))
        .nearest(moot_fixtures::nearest::nearest(id, ids))
}

/// Exit 1 for one of these: a rule does not find the client that breaks it, another rule of severity `must` finds that
/// client, a rule finds the client that behaves well.
pub(super) fn selftest_conduct(rules: &[String], screen: &Screen) -> Result<u8, CommandError> {
    if let Some(id) = rules.iter().find(|id| misbehaving_client::rule(id).is_none()) {
        return Err(unknown(id));
    }
    let chosen = misbehaviours().iter().filter(|it| rules.is_empty() || rules.contains(&it.rule));
    let chosen: Vec<&Misbehaviour> = chosen.collect();
    let drills = if rules.is_empty() { table::all() } else { &[] };
    let progress = Progress::new(screen.shows_progress());
    progress.expect(1 + chosen.len() + drills.len());
    let results = runtime()?.block_on(run_all(chosen, drills, &progress, screen));
    progress.end();
    let (trials, honest) = results?;
    let is_whole_proven = trials.iter().all(RuleTrial::is_proven) && honest.iter().all(is_proven);
    let honest_row = |it: &DrillResult| json!({ "situation": it.drill, "end": it.end, "why": it.why, "findings": findings_text(it) });
    let json = || {
        json!({
            "moot_version": env!("CARGO_PKG_VERSION"), "proven": is_whole_proven, "rules": trials,
            "honest": honest.iter().map(honest_row).collect::<Vec<_>>(), "not_shown": not_shown(),
        })
    };
    screen.show(json, || text(&trials, &honest, rules.is_empty()))?;
    Ok(u8::from(!is_whole_proven))
}

/// Runs all clients. Returns the results of those that break a rule, and of the one that behaves well.
async fn run_all(
    chosen: Vec<&'static Misbehaviour>,
    drills: &[Drill],
    progress: &Progress,
    screen: &Screen,
) -> Result<(Vec<RuleTrial>, Vec<DrillResult>), CommandError> {
    let calm = client_run(None, table::calm(), screen).await?;
    progress.done(CALM);
    let honest = drills.iter().map(|drill| (None, drill.clone()));
    let broken = chosen.into_iter().map(|it| (Some(it), it.situation()));
    let mut trials: Vec<_> = honest.chain(broken).collect();
    // The longest first, so that the others run at the same time.
    trials.sort_by_key(|(broken, drill)| Reverse(seconds(*broken, drill)));
    let runs = trials.into_iter().map(async |(broken, drill)| {
        let rule = broken.map(|it| it.rule.as_str());
        let run = client_run(rule, &drill, screen).await?;
        progress.done(rule.unwrap_or(&drill.id));
        Ok::<_, CommandError>((broken, drill, run))
    });
    let (mut rules, mut honest) = (Vec::new(), vec![judge::calm(&calm)]);
    // The first error ends all runs.
    let ended: Vec<_> = stream::iter(runs).buffer_unordered(JOBS).try_collect().await?;
    for (broken, drill, run) in ended {
        match broken {
            Some(broken) => rules.push(rule_trial(broken, &drill, &calm, &run)),
            None => honest.push(judge::judge(&drill, &calm, &run)),
        }
    }
    rules.sort_by_key(|trial| misbehaviours().iter().position(|it| it.rule == trial.rule));
    honest.sort_by_key(|result| table::all().iter().position(|it| it.id == result.drill));
    Ok((rules, honest))
}

/// The approximate duration of a run of a client that breaks a rule, or of the one that behaves well.
fn seconds(broken: Option<&Misbehaviour>, drill: &Drill) -> u64 {
    match broken {
        None => drill.seconds,
        Some(it) if it.rule == "decline-missed" || it.rule == "hook-slow" => 20,
        Some(_) => 0,
    }
}

/// Runs this program as a client that breaks a rule, or as one that behaves well.
async fn client_run(
    rule: Option<&str>,
    drill: &Drill,
    screen: &Screen,
) -> Result<DrillRecording, CommandError> {
    let program = std::env::current_exe()
        .map_err(|error| CommandError::fault(format!("this program has no path: {error}")))?;
    let words = ["selftest", "--misbehave", rule.unwrap_or("none")].map(OsString::from);
    let command: Vec<OsString> = [program.into_os_string()].into_iter().chain(words).collect();
    let world =
        WorldArguments { progression: Some(PROGRESSION.to_owned()), ..WorldArguments::default() };
    let runner = DrillRunner {
        command: &command,
        world: &world,
        seed: SEED,
        timeout: TIMEOUT,
        interruption: &Interruption::default(),
        probe: None,
        tls: None,
        ca_file: None,
        watch: &DrillWatch::without_console(screen),
    };
    run_client(&runner, drill).await
}

fn rule_trial(
    broken: &Misbehaviour,
    drill: &Drill,
    calm: &DrillRecording,
    run: &DrillRecording,
) -> RuleTrial {
    let (findings, trouble) = match (table::get(&drill.id), run.worlds()) {
        (_, Err(error)) => (Vec::new(), Some(error.to_string())),
        (Some(drill), Ok(_)) => (judge::judge(drill, calm, run).findings, None),
        (None, Ok(worlds)) => {
            let mut findings = conduct::findings(&worlds);
            // A situation of its own disturbs the client.
            if drill.id != CALM {
                findings.extend(conduct::disturbed_findings(&worlds));
            }
            (findings, None)
        }
    };
    let others = findings.iter().filter(|it| it.severity == Severity::Must);
    let others = others.map(|it| it.rule.clone()).filter(|rule| *rule != broken.rule);
    RuleTrial {
        rule: broken.rule.clone(),
        severity: register::get(&broken.rule).map_or(Severity::Hint, |rule| rule.severity),
        situation: drill.id.clone(),
        is_found: findings.iter().any(|it| it.rule == broken.rule),
        others: others.collect(),
        trouble: trouble.or_else(|| run.trouble.clone()),
    }
}

fn findings_text(result: &DrillResult) -> Vec<String> {
    result.findings.iter().map(|it| format!("{}: {}", it.rule, it.seen)).collect()
}

fn text(trials: &[RuleTrial], honest: &[DrillResult], is_whole: bool) -> String {
    let mut rows = Table::new(0);
    let cell = |is_proven: bool, text: String| {
        paint::verdict(if is_proven { Verdict::Pass } else { Verdict::Fail }, text)
    };
    rows.row(["rule", "severity", "situation", "result"].map(paint::dim));
    for trial in trials {
        let said = match (&trial.trouble, trial.is_found, trial.others.as_slice()) {
            (Some(trouble), ..) => trouble.clone(),
            (None, false, _) => "NOT FOUND".to_owned(),
            (None, true, []) => "found".to_owned(),
            (None, true, others) => format!("found, and also {}", others.join(", ")),
        };
        rows.row([
            paint::name(trial.rule.as_str()),
            trial.severity.as_str().to_owned(),
            trial.situation.clone(),
            cell(trial.is_proven(), said),
        ]);
    }
    let mut text = rows.render();
    for result in honest.iter().filter(|result| !is_proven(result)) {
        let DrillResult { drill, end, why, .. } = result;
        text.push_str(&format!(
            "\nthe client that behaves well, {drill}: {}, {why}\n  {}\n",
            end.shown(),
            findings_text(result).join("\n  ")
        ));
    }
    if is_whole {
        for (rule, why) in not_shown() {
            text.push_str(&format!("\nnot shown: {rule}: {why}"));
        }
        text.push('\n');
    }
    let found = trials.iter().filter(|trial| trial.is_proven()).count();
    let well = honest.iter().filter(|result| is_proven(result)).count();
    text.push_str(&format!(
        "\n{found} of {} found by their rule; the client that behaves well passed {well} of {}\n",
        pluralize(trials.len(), "misbehaviour"),
        pluralize(honest.len(), "run")
    ));
    text
}
