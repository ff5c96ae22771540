//! `moot doctor`: whether a target can be used, and what it can be judged by. It opens the target as a
//! run does, which on a deployment sends some reads and a token request, and walks no scenario.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::json;

use super::failure::{Failure, UNREACHABLE};
use super::line::DoctorArguments;
use super::plan::refusal;
use super::run::{choice, drawn, runtime, target_options};
use super::screen::Screen;
use crate::client::TargetDescription;
use crate::environment::{Environment, TargetOptions};
use crate::masks::Masks;
use crate::scenario::model::NEEDS;
use crate::terminal::escape;
use crate::terminal::paint::{left, width};
use crate::verdict::{NotRun, Verdict};

/// Deadline `doctor`: for all of it.
const DOCTOR_DEADLINE: Duration = Duration::from_secs(10);
/// Deadline `discovery` of a doctor: half of its time.
const DISCOVERY_DEADLINE: Duration = Duration::from_secs(5);

/// What was found of a target that can be used.
struct Findings {
    description: TargetDescription,
    requests_sent: u64,
    duration: Duration,
    /// Each need, and why it is not met.
    needs: Vec<(&'static str, Option<NotRun>)>,
}

/// Exit 0 where the target can be used, whatever it offers; 2 for a wrong target file; 4 where it
/// cannot be reached, refuses the credentials or takes too long.
pub(super) fn doctor(arguments: DoctorArguments, screen: &Screen) -> Result<u8, Failure> {
    let masks = Arc::new(Masks::default());
    let seed = arguments.target.seed.unwrap_or_else(drawn);
    let options = TargetOptions {
        discovery_deadline: Some(DISCOVERY_DEADLINE),
        ..target_options(&arguments.target, seed)?
    };
    let begun = Instant::now();
    let chosen = choice(&arguments.target).read().map_err(|error| refusal(&error, &masks))?;
    let opening = async {
        let target = Environment::open(chosen, options, Arc::clone(&masks)).await?;
        target.try_applications().await?;
        Ok(target)
    };
    let opened = runtime()?
        .block_on(async { tokio::time::timeout(DOCTOR_DEADLINE, opening).await })
        .map_err(|_| late())?;
    let target = opened.map_err(|error| refusal(&error, &masks))?;
    let findings = Findings {
        description: target.description(),
        requests_sent: target.requests_sent(),
        duration: begun.elapsed(),
        needs: NEEDS.into_iter().map(|need| (need, target.missing(need))).collect(),
    };
    if screen.is_json() {
        screen.json(&as_json(&findings))?;
    } else {
        screen.print(&text(&findings, screen))?;
    }
    Ok(0)
}

fn late() -> Failure {
    let seconds = DOCTOR_DEADLINE.as_secs();
    let message = format!("the target showed no use within {seconds} s (deadline `doctor`)");
    Failure { exit_code: UNREACHABLE, ..Failure::usage(message) }
}

fn as_json(findings: &Findings) -> serde_json::Value {
    let needs = findings.needs.iter().map(|(need, unmet)| {
        json!({
            "need": need,
            "is_met": unmet.is_none(),
            "reason": unmet.as_ref().map(|why| &why.reason),
            "setting": unmet.as_ref().and_then(|why| why.setting.as_ref()),
            "is_tolerated": unmet.as_ref().is_some_and(|why| why.is_tolerated),
        })
    });
    json!({
        "target": {
            "name": findings.description.name,
            "base_url": findings.description.base_url,
            "class": findings.description.class,
        },
        "requests_sent": findings.requests_sent,
        "needs": needs.collect::<Vec<_>>(),
    })
}

fn text(findings: &Findings, screen: &Screen) -> String {
    let paint = screen.paint();
    let description = &findings.description;
    let place = match description.base_url.starts_with("https://") {
        true => format!("{} answers, over TLS", description.base_url),
        false => format!("{} answers, without TLS", description.base_url),
    };
    let taken = match description.class.as_str() {
        "deployment" => "it takes the credentials of `main`",
        _ => "it makes sandboxes",
    };
    let mut out = format!("{} ({})\n", escape::line(&description.name), description.class);
    for line in [place.as_str(), taken] {
        out.push_str(&format!("  {} {}\n", paint.verdict(Verdict::Pass, "ok"), escape::line(line)));
    }
    out.push_str("\nWhat it can be judged by\n");
    let wide = width(findings.needs.iter().map(|(need, _)| *need));
    for (need, unmet) in &findings.needs {
        let Some(why) = unmet else {
            out.push_str(&format!("  {} {need}\n", paint.verdict(Verdict::Pass, "yes")));
            continue;
        };
        let setting = why.setting.as_deref().map(|text| format!("; set {text}"));
        let reason = escape::line(&format!("{}{}", why.reason, setting.unwrap_or_default()));
        let no = paint.verdict(Verdict::NotRun, "no ");
        out.push_str(&format!("  {no} {}  {}\n", left(need, wide), paint.dim(&reason)));
    }
    let seconds = findings.duration.as_secs_f64();
    out.push_str(&format!("\n{} requests, {seconds:.1} s\n", findings.requests_sent));
    out
}
