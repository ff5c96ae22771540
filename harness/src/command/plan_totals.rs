//! The totals of a plan: requests, minutes, tokens, objects, and the e-mail addresses that may receive mail.

use std::collections::BTreeMap;

use moot_fixtures::contract::Scopes;
use serde_json::{Value, json};

use crate::client::target_file::model::TOKEN_MINUTES_MAX;
use crate::client::target_file::{Consent, FileLimits};
use crate::exchange::escape;
use crate::report::terminal::{Table, paint};
use crate::run::environment::TargetPreview;
use crate::run::estimate::{Bounds, Estimate};

/// The shortest time in minutes after which a shared token is renewed (§5.3, less a margin).
const TOKEN_MINUTES: u64 = 115;

/// Requests that compare the target file with the target: the likely number, and the maximum.
const FIT_REQUESTS_LIKELY: u64 = 10;
const FIT_REQUESTS_MAX: u64 = 30;

const SEARCH_NOTE: &str = "workflows without a binding are searched for when the target is opened";
const CUT_NOTE: &str =
    "calls beyond limits.created_objects_max are not sent, and steps that need them do not run";

/// The minutes that `requests` take, `tokens` of which are token requests. `unpaced` requests do not wait for the rate.
fn minutes(
    limits: FileLimits,
    unpaced: u64,
    requests: u64,
    tokens: u64,
    waits_seconds: u64,
) -> f64 {
    let by = |count: u64, rate: u32| match rate {
        0 => 0.0,
        rate => count as f64 / f64::from(rate),
    };
    let paced = requests.saturating_sub(unpaced);
    // The token requests of the first minute are sent at once.
    let of_tokens = by(tokens, limits.token_requests_per_minute.unwrap_or(0)) - 1.0;
    by(paced, limits.requests_per_minute).max(of_tokens) + waits_seconds as f64 / 60.0
}

/// The token requests of scenarios that the target file allows.
fn allowed(limits: FileLimits, own: Bounds) -> Bounds {
    let rate = limits.token_requests_per_minute.filter(|rate| *rate > 0);
    let of_minutes = rate.map(|rate| rate * TOKEN_MINUTES_MAX);
    match limits.token_requests_max.or(of_minutes).map(u64::from) {
        None => own,
        Some(max) => {
            Bounds { min: own.min.min(max), likely: own.likely.min(max), max: own.max.min(max) }
        }
    }
}

/// The sums of a plan.
#[derive(Default)]
pub(super) struct PlanTotals {
    requests: Bounds,
    token_requests: Bounds,
    /// The limit of the token endpoint, if it is known; 0 is no limit.
    tokens_a_minute: Option<u32>,
    /// The least, the likely and the most minutes at the allowed rate; `None` without a rate limit.
    minutes: Option<[f64; 3]>,
    objects: BTreeMap<&'static str, u64>,
    created_objects_max: Option<u64>,
    /// Addresses to which the service may send mail about created objects.
    addresses: Vec<String>,
    notes: Vec<String>,
}

impl PlanTotals {
    /// The totals on a mock in this process. It has no rate limit, and created objects vanish with their sandbox.
    pub(super) fn of_mock(sum: Estimate) -> Self {
        Self {
            requests: sum.requests,
            token_requests: sum.token_requests,
            tokens_a_minute: Some(0),
            objects: sum.objects,
            notes: vec!["a sandbox for each scenario; nothing leaves this process".to_owned()],
            ..Self::default()
        }
    }

    /// The totals on a deployment, at its rate and within its limits. `needs_search`: a scenario depends on a
    /// workflow that is searched for when the target is opened.
    pub(super) fn of_deployment(
        sum: Estimate,
        needs_search: bool,
        preview: &TargetPreview,
    ) -> Self {
        let limits = preview.limits();
        let (least, most) = preview.opening_requests();
        let deletes = match preview.allows(Consent::Delete) {
            true => sum.objects.get("webhook").copied().unwrap_or(0),
            false => 0,
        };
        let own = Bounds {
            min: least,
            likely: least + FIT_REQUESTS_LIKELY + deletes / 2,
            max: most.saturating_add(deletes).saturating_add(FIT_REQUESTS_MAX),
        };
        // One token tests the credentials. The other tokens are requested when they are needed.
        let mut shared = sum.tokens;
        shared.extend([Scopes::READ, Scopes::WRITE].map(|scopes| ("main".to_owned(), scopes)));
        let count = shared.len() as u64;
        let mut tokens = Bounds { min: 1, likely: count, max: count };
        let base = sum.requests.plus(own);
        let minutes = |requests, tokens, waits_seconds| {
            minutes(limits, sum.unpaced_requests, requests, tokens, waits_seconds)
        };
        let longest = minutes(base.max, sum.token_requests.max + count, sum.waits_seconds);
        let renewals = (longest / TOKEN_MINUTES as f64).floor() as u64;
        tokens.max = tokens.max.saturating_mul(renewals.saturating_add(1));
        let requests = base.plus(tokens);
        let token_requests = allowed(limits, sum.token_requests).plus(tokens);
        let minutes = [
            minutes(requests.min, token_requests.min, 0),
            minutes(requests.likely, token_requests.likely, sum.burst_seconds),
            minutes(requests.max, token_requests.max, sum.waits_seconds),
        ];
        let is_unpaced =
            limits.requests_per_minute == 0 && limits.token_requests_per_minute.unwrap_or(0) == 0;
        let creates = !sum.objects.is_empty();
        let objects_planned: u64 = sum.objects.values().sum();
        let created_objects_max = limits.created_objects_max.map_or(objects_planned, u64::from);
        let is_cut = objects_planned > created_objects_max;
        let notes = [
            preview.may_be_mock().then(|| {
                let url = preview.base_url();
                format!("if a moot mock answers at {url}, everything runs, in sandboxes")
            }),
            needs_search.then(|| SEARCH_NOTE.to_owned()),
            is_cut.then(|| CUT_NOTE.to_owned()),
        ];
        Self {
            requests,
            token_requests,
            minutes: (!is_unpaced).then_some(minutes),
            tokens_a_minute: limits.token_requests_per_minute,
            objects: sum.objects,
            created_objects_max: Some(created_objects_max),
            addresses: if creates { preview.addresses() } else { Vec::new() },
            notes: notes.into_iter().flatten().collect(),
        }
    }

    fn objects_max(&self) -> u64 {
        let all = self.objects.values().sum();
        self.created_objects_max.map_or(all, |max| max.min(all))
    }

    /// `{requests, token_requests, minutes, objects, mails, notes}`.
    pub(super) fn json(&self) -> Value {
        let tenth = |minutes: f64| (minutes * 10.0).ceil() / 10.0;
        json!({
            "requests": self.requests,
            "token_requests": self.token_requests,
            "minutes": self.minutes.map(|minutes| {
                let [min, likely, max] = minutes.map(tenth);
                json!({ "min": min, "likely": likely, "max": max })
            }),
            "objects": {
                "max": self.objects_max(),
                "by_kind": self.objects,
                "created_objects_max": self.created_objects_max,
            },
            "mails": self.addresses,
            "notes": self.notes,
        })
    }

    /// A line for each total.
    pub(super) fn text(&self) -> String {
        let minutes = match self.minutes {
            None => "unpaced".to_owned(),
            Some([min, likely, max]) => {
                format!("about {likely:.1} at the allowed rate ({min:.1} to {max:.1})")
            }
        };
        let by_kind: Vec<String> =
            self.objects.iter().map(|(kind, count)| format!("{count} {kind}")).collect();
        let by_kind = match by_kind.is_empty() {
            true => String::new(),
            false => format!(" (calls: {})", by_kind.join(", ")),
        };
        let budget = self.created_objects_max;
        let budget = budget.map(|max| format!("; limits.created_objects_max is {max}"));
        let budget = budget.unwrap_or_default();
        let mails = match self.addresses.as_slice() {
            [] => "no address".to_owned(),
            addresses => format!(
                "{}; and signers that the schema of a workflow offers",
                addresses.join(", ")
            ),
        };
        let tokens_pace = match self.tokens_a_minute {
            None => ", paced once the service shows a limit for them".to_owned(),
            Some(0) => String::new(),
            Some(rate) => format!(", {rate} a minute"),
        };
        let objects = format!("at most {}{by_kind}{budget}", self.objects_max());
        let mut table = Table::new(2);
        for (name, value) in [
            ("requests", likely_text(self.requests)),
            ("of them for tokens", format!("{}{tokens_pace}", likely_text(self.token_requests))),
            ("minutes", minutes),
            ("objects created", objects),
            ("may send mail to", mails),
        ] {
            table.row([paint::dim(name), escape::line(&value)]);
        }
        let mut out = format!("\n{}", table.render());
        for note in &self.notes {
            out.push_str(&format!("  {}\n", paint::dim(escape::line(note))));
        }
        out.push_str("\nnothing was sent\n");
        out
    }
}

/// The likely seconds of requests and waits at these limits, and the most seconds.
pub(super) fn seconds(estimate: &Estimate, limits: FileLimits) -> (f64, f64) {
    let Estimate { requests, token_requests: tokens, burst_seconds, waits_seconds, .. } = estimate;
    let seconds = |requests, tokens, waits_seconds| {
        minutes(limits, estimate.unpaced_requests, requests, tokens, waits_seconds) * 60.0
    };
    (
        seconds(requests.likely, tokens.likely, *burst_seconds),
        seconds(requests.max, tokens.max, *waits_seconds),
    )
}

/// `about 5 (3 to 7)`.
pub(super) fn likely_text(bounds: Bounds) -> String {
    match bounds.min == bounds.max {
        true => bounds.max.to_string(),
        false => format!("about {} ({} to {})", bounds.likely, bounds.min, bounds.max),
    }
}
