//! `moot doctor`: tests whether a target can be used, and which needs of scenarios it meets. It opens the target as a
//! run does, which sends some reads and a token request to a deployment. It runs no scenario.

use std::sync::Arc;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use super::error::{CommandError, UNREACHABLE};
use super::runtime::{random_seed, runtime};
use super::screen::Screen;
use super::target_arguments::{TargetArguments, open_error};
use crate::exchange::masks::Masks;
use crate::exchange::{TargetClass, TargetDescription, escape};
use crate::report::terminal::{Table, paint};
use crate::run::environment::{Environment, TargetOptions};
use crate::scenario::load;
use crate::scenario::model::NEEDS;
use crate::verdict::{NotRun, Verdict, pluralize};

/// Timeout of the whole command. Messages call it `doctor`.
const DOCTOR_TIMEOUT: Duration = Duration::from_secs(10);
/// Timeout of the requests that open the target: half of the whole. Messages call it `discovery`.
const DISCOVERY_TIMEOUT: Duration = Duration::from_secs(5);

/// A need of scenarios.
struct DiagnosedNeed {
    need: &'static str,
    /// Why it is not met.
    unmet: Option<NotRun>,
    /// The number of bundled scenarios with this need.
    scenarios: usize,
}

/// Exit 0 if the target can be used, even if it does not meet every need; 2 for a wrong target file; 4 if the target
/// can't be reached, refuses the credentials, does not fit its file, or takes too long.
pub(super) fn doctor(arguments: TargetArguments, screen: &Screen) -> Result<u8, CommandError> {
    let masks = Arc::new(Masks::default());
    let seed = arguments.seed.unwrap_or_else(random_seed);
    let options =
        TargetOptions { discovery_timeout: Some(DISCOVERY_TIMEOUT), ..arguments.options(seed)? };
    let started = Instant::now();
    let chosen = arguments.choice()?;
    let opening = async {
        let target = Environment::open(chosen, options, Arc::clone(&masks)).await?;
        target.try_applications().await?;
        target.try_all().await;
        Ok(target)
    };
    let opened = runtime()?
        .block_on(async { tokio::time::timeout(DOCTOR_TIMEOUT, opening).await })
        .map_err(|_| too_late())?;
    let target = opened.map_err(|error| open_error(&error, &masks))?;
    let files = load::bundled()
        .map_err(|_| CommandError::fault("the bundled suite is unsound".to_owned()))?;
    let duration = started.elapsed();
    let scenarios = files.iter().flat_map(|file| &file.scenarios);
    let with = |need| scenarios.clone().filter(|it| it.needs(need)).count();
    let needs = NEEDS.map(|need| DiagnosedNeed {
        need,
        unmet: target.missing(need),
        scenarios: with(need),
    });
    // Values of the target file that the target does not confirm.
    let mistakes: Vec<String> =
        target.mistakes().iter().map(|mistake| masks.mask(mistake)).collect();
    screen.show(
        || as_json(&target, &needs, &mistakes),
        || text(&target, &needs, &mistakes, duration),
    )?;
    Ok(if mistakes.is_empty() { 0 } else { UNREACHABLE })
}

/// The line `tolerate: [load, operator.restart]` with all needs that are not met; `None` if all of them are tolerated
/// already. If no action of an operator is possible, `operator` stands for them.
fn tolerate_line(needs: &[DiagnosedNeed]) -> Option<String> {
    let unmet = || needs.iter().filter_map(|one| Some((one.need, one.unmet.as_ref()?)));
    if unmet().all(|(_, why)| why.is_tolerated) {
        return None;
    }
    let group = |need: &'static str| need.split('.').next().unwrap_or(need);
    let is_whole = |name: &str| needs.iter().all(|it| group(it.need) != name || it.unmet.is_some());
    let words = unmet().map(|(need, _)| if is_whole(group(need)) { group(need) } else { need });
    let mut words: Vec<&str> = words.collect();
    words.dedup();
    Some(format!("tolerate: [{}]", words.join(", ")))
}

fn too_late() -> CommandError {
    let seconds = DOCTOR_TIMEOUT.as_secs();
    let message = format!("the target could not be opened within {seconds} s (timeout `doctor`)");
    CommandError::usage(message).exit(UNREACHABLE)
}

fn as_json(target: &Environment, needs: &[DiagnosedNeed], mistakes: &[String]) -> Value {
    let TargetDescription { name, base_url, class, .. } = target.description();
    let rows = needs.iter().map(|DiagnosedNeed { need, unmet, scenarios }| {
        json!({
            "scenarios": scenarios,
            "need": need,
            "is_met": unmet.is_none(),
            "reason": unmet.as_ref().map(|why| &why.reason),
            "setting": unmet.as_ref().and_then(|why| why.setting.as_ref()),
            "is_tolerated": unmet.as_ref().is_some_and(|why| why.is_tolerated),
        })
    });
    json!({
        "target": { "name": name, "base_url": base_url, "class": class },
        "requests_sent": target.requests_sent(),
        "needs": rows.collect::<Vec<_>>(),
        "mistakes": mistakes,
        "tolerate": tolerate_line(needs),
    })
}

fn text(
    target: &Environment,
    needs: &[DiagnosedNeed],
    mistakes: &[String],
    duration: Duration,
) -> String {
    let description = target.description();
    let place = match description.base_url.starts_with("https://") {
        true => format!("{} answers, over TLS", description.base_url),
        false => format!("{} answers, without TLS", description.base_url),
    };
    let taken = match description.class {
        TargetClass::Deployment => "it accepts the credentials of `main`",
        _ => "it makes sandboxes",
    };
    let mut out = format!("{} ({})\n", escape::line(&description.name), description.class);
    for line in [place.as_str(), taken] {
        let ok = paint::verdict(Verdict::Pass, "ok");
        out.push_str(&format!("  {ok} {}\n", escape::line(line)));
    }
    for mistake in mistakes {
        let no = paint::verdict(Verdict::Fail, "no");
        out.push_str(&format!("  {no} {}\n", escape::line(mistake)));
    }
    out.push_str("\nNeeds of scenarios that it meets\n");
    let mut table = Table::new(2);
    for DiagnosedNeed { need, unmet, scenarios } in needs {
        let Some(why) = unmet else {
            table.row([paint::verdict(Verdict::Pass, "yes"), (*need).to_owned()]);
            continue;
        };
        let setting = why.setting.as_deref().map(|text| format!("; set {text}"));
        let enables = match scenarios {
            0 => String::new(),
            more => format!("; it enables {}", pluralize(more, "scenario")),
        };
        let setting = setting.unwrap_or_default();
        let reason = escape::line(&format!("{}{setting}{enables}", why.reason));
        let no = paint::verdict(Verdict::NotRun, "no");
        table.row([no, (*need).to_owned(), paint::dim(reason)]);
    }
    out.push_str(&table.render());
    if let Some(line) = tolerate_line(needs) {
        out.push_str(&format!(
            "\nIf they may stay not run, put this into the target file\n  {line}\n"
        ));
    }
    let (requests, seconds) = (target.requests_sent(), duration.as_secs_f64());
    out.push_str(&format!("\n{}, {seconds:.1} s\n", pluralize(requests, "request")));
    out
}
