//! `moot doctor`: whether a target can be used, and by which scenarios. It opens the target as a run does,
//! which sends some reads and a token request to a deployment. It runs no scenario.

use std::sync::Arc;
use std::time::{Duration, Instant};

use clap::Args;
use serde_json::json;

use super::error::{CommandError, UNREACHABLE};
use super::runtime::{random_seed, runtime};
use super::screen::Screen;
use super::target_arguments::{TargetArguments, open_error};
use crate::environment::{Environment, TargetOptions};
use crate::masks::Masks;
use crate::scenario::model::NEEDS;
use crate::target_file::{TargetClass, TargetDescription};
use crate::terminal::table::Align;
use crate::terminal::{Cell, Table, escape};
use crate::verdict::{NotRun, Verdict};

#[derive(Debug, Args)]
pub(super) struct DoctorArguments {
    #[command(flatten)]
    target: TargetArguments,
}

/// Deadline `doctor`: for the whole command.
const DOCTOR_DEADLINE: Duration = Duration::from_secs(10);
/// Deadline `discovery` of a doctor: half of its time.
const DISCOVERY_DEADLINE: Duration = Duration::from_secs(5);

/// A target that can be used.
struct Diagnosis {
    description: TargetDescription,
    requests_sent: u64,
    duration: Duration,
    /// Each need, with the reason if it is not met.
    needs: Vec<(&'static str, Option<NotRun>)>,
}

/// Exit 0 where the target can be used, whatever it offers; 2 for a wrong target file; 4 where it
/// cannot be reached, refuses the credentials or takes too long.
pub(super) fn doctor(arguments: DoctorArguments, screen: &Screen) -> Result<u8, CommandError> {
    let masks = Arc::new(Masks::default());
    let seed = arguments.target.seed.unwrap_or_else(random_seed);
    let options = TargetOptions {
        discovery_deadline: Some(DISCOVERY_DEADLINE),
        ..arguments.target.options(seed)?
    };
    let begun = Instant::now();
    let chosen = arguments.target.choice().read().map_err(|error| open_error(&error, &masks))?;
    let opening = async {
        let target = Environment::open(chosen, options, Arc::clone(&masks)).await?;
        target.try_applications().await?;
        Ok(target)
    };
    let opened = runtime()?
        .block_on(async { tokio::time::timeout(DOCTOR_DEADLINE, opening).await })
        .map_err(|_| late())?;
    let target = opened.map_err(|error| open_error(&error, &masks))?;
    let diagnosis = Diagnosis {
        description: target.description(),
        requests_sent: target.requests_sent(),
        duration: begun.elapsed(),
        needs: NEEDS.into_iter().map(|need| (need, target.missing(need))).collect(),
    };
    if screen.is_json() {
        screen.json(&as_json(&diagnosis))?;
    } else {
        screen.print(&text(&diagnosis, screen))?;
    }
    Ok(0)
}

fn late() -> CommandError {
    let seconds = DOCTOR_DEADLINE.as_secs();
    let message = format!("the target could not be opened within {seconds} s (deadline `doctor`)");
    CommandError { exit_code: UNREACHABLE, ..CommandError::usage(message) }
}

fn as_json(diagnosis: &Diagnosis) -> serde_json::Value {
    let needs = diagnosis.needs.iter().map(|(need, unmet)| {
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
            "name": diagnosis.description.name,
            "base_url": diagnosis.description.base_url,
            "class": diagnosis.description.class,
        },
        "requests_sent": diagnosis.requests_sent,
        "needs": needs.collect::<Vec<_>>(),
    })
}

fn text(diagnosis: &Diagnosis, screen: &Screen) -> String {
    let paint = screen.paint();
    let description = &diagnosis.description;
    let place = match description.base_url.starts_with("https://") {
        true => format!("{} answers, over TLS", description.base_url),
        false => format!("{} answers, without TLS", description.base_url),
    };
    let taken = match description.class {
        TargetClass::Deployment => "it takes the credentials of `main`",
        _ => "it makes sandboxes",
    };
    let mut out = format!("{} ({})\n", escape::line(&description.name), description.class);
    for line in [place.as_str(), taken] {
        out.push_str(&format!("  {} {}\n", paint.verdict(Verdict::Pass, "ok"), escape::line(line)));
    }
    out.push_str("\nNeeds of scenarios that it meets\n");
    let mut table = Table::new(2, [Align::Left; 3]);
    for (need, unmet) in &diagnosis.needs {
        let Some(why) = unmet else {
            table.row([Cell::verdict(Verdict::Pass, "yes"), Cell::plain(*need)]);
            continue;
        };
        let setting = why.setting.as_deref().map(|text| format!("; set {text}"));
        let reason = escape::line(&format!("{}{}", why.reason, setting.unwrap_or_default()));
        let no = Cell::verdict(Verdict::NotRun, "no");
        table.row([no, Cell::plain(*need), Cell::dim(reason)]);
    }
    out.push_str(&table.render(paint));
    let seconds = diagnosis.duration.as_secs_f64();
    out.push_str(&format!("\n{} requests, {seconds:.1} s\n", diagnosis.requests_sent));
    out
}
