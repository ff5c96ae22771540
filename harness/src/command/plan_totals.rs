//! The totals of a plan: requests, minutes, tokens, objects, and the e-mail addresses that may get mail.

use std::collections::{BTreeMap, BTreeSet};

use serde_json::{Value, json};

use crate::environment::TargetPreview;
use crate::run::estimate::{Bounds, Estimate};
use crate::target_file::{Consent, FileLimits};
use crate::terminal::table::Align;
use crate::terminal::{Cell, Paint, Table, escape};

/// A shared token is renewed after this many minutes at the earliest (§5.3, less a margin).
const TOKEN_MINUTES: u64 = 115;

/// The sums of a plan.
pub(super) struct PlanTotals {
    requests: Bounds,
    token_requests: Bounds,
    /// At the allowed rate; `None` without a rate limit.
    minutes: Option<(f64, f64)>,
    objects: BTreeMap<&'static str, u64>,
    created_objects_max: Option<u64>,
    /// The service may send mail to these, because of created objects.
    addresses: Vec<String>,
    notes: Vec<String>,
}

impl PlanTotals {
    /// Of a mock in this process: without a rate limit. Created objects vanish with their sandbox.
    pub(super) fn of_mock(sum: Estimate) -> Self {
        Self {
            requests: sum.requests,
            token_requests: sum.token_requests,
            minutes: None,
            objects: sum.objects,
            created_objects_max: None,
            addresses: Vec::new(),
            notes: vec!["a sandbox for each scenario; nothing leaves this process".to_owned()],
        }
    }

    /// Of a deployment, at its rate and within its limits. `needs_search` where a scenario depends on a
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
        let own = Bounds { min: least, max: most.saturating_add(deletes) };
        // One token tests the credentials. The others are requested when they are needed.
        let mut shared: BTreeSet<(String, &str)> = sum.tokens;
        shared.extend(["read", "write"].map(|scope| ("main".to_owned(), scope)));
        let mut tokens = Bounds { min: 1, max: shared.len() as u64 };
        let base = sum.requests.plus(own);
        let rate = limits.requests_per_minute;
        let minutes_of = |requests: Bounds, tokens: Bounds| {
            let by = |count: u64, rate: u32| match rate {
                0 => 0.0,
                rate => count as f64 / f64::from(rate),
            };
            let token_rate = limits.token_requests_per_minute.unwrap_or(0);
            let least = by(requests.min, rate).max(by(tokens.min, token_rate));
            let paced = requests.max.saturating_sub(sum.unpaced_requests);
            let most = by(paced, rate).max(by(tokens.max, token_rate));
            (least, most + sum.waits_seconds as f64 / 60.0)
        };
        let (_, longest) = minutes_of(base.plus(tokens), tokens.plus(sum.token_requests));
        let renewals = (longest / TOKEN_MINUTES as f64).floor() as u64;
        tokens.max = tokens.max.saturating_mul(renewals.saturating_add(1));
        let requests = base.plus(tokens);
        let token_requests = sum.token_requests.plus(tokens);
        let is_unpaced = rate == 0 && limits.token_requests_per_minute.unwrap_or(0) == 0;
        let creates = !sum.objects.is_empty();
        let mut notes = Vec::new();
        if preview.may_be_mock() {
            notes.push(format!(
                "if a moot mock answers at {}, everything runs, in sandboxes",
                preview.base_url()
            ));
        }
        if needs_search {
            notes.push(
                "workflows without a binding are searched for when the target is opened".to_owned(),
            );
        }
        let objects_planned: u64 = sum.objects.values().sum();
        let created_objects_max = limits.created_objects_max.map_or(objects_planned, u64::from);
        if objects_planned > created_objects_max {
            notes.push(
                "calls beyond limits.created_objects_max are not sent, and steps that need them do not run"
                    .to_owned(),
            );
        }
        Self {
            requests,
            token_requests,
            minutes: (!is_unpaced).then(|| minutes_of(requests, token_requests)),
            objects: sum.objects,
            created_objects_max: Some(created_objects_max),
            addresses: if creates { preview.addresses() } else { Vec::new() },
            notes,
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
            "minutes": self.minutes.map(|(min, max)| json!({"min": tenth(min), "max": tenth(max)})),
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
    pub(super) fn text(&self, paint: Paint) -> String {
        let minutes = match self.minutes {
            None => "unpaced".to_owned(),
            Some((min, max)) => format!("{min:.1} to {max:.1} at the allowed rate"),
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
        let mails = match (self.addresses.is_empty(), self.created_objects_max.is_some()) {
            (true, _) => "nobody".to_owned(),
            (false, _) => format!(
                "{}; else only signers that a workflow's schema offers",
                self.addresses.join(", ")
            ),
        };
        let objects = format!("at most {}{by_kind}{budget}", self.objects_max());
        let mut table = Table::new(2, [Align::Left; 2]);
        for (name, value) in [
            ("requests", bounds_text(self.requests)),
            ("of them for tokens", bounds_text(self.token_requests)),
            ("minutes", minutes),
            ("objects created", objects),
            ("may write to", mails),
        ] {
            table.row([Cell::dim(name), Cell::plain(escape::line(&value))]);
        }
        let mut out = format!("\n{}", table.render(paint));
        for note in &self.notes {
            out.push_str(&format!("  {}\n", paint.dim(&escape::line(note))));
        }
        out.push_str("\nnothing was sent\n");
        out
    }
}

/// Seconds that requests and waits take at most, at these limits.
pub(super) fn seconds_max(estimate: &Estimate, limits: FileLimits) -> f64 {
    let by = |count: u64, rate: u32| match rate {
        0 => 0.0,
        rate => count as f64 * 60.0 / f64::from(rate),
    };
    let paced = estimate.requests.max.saturating_sub(estimate.unpaced_requests);
    let requests = by(paced, limits.requests_per_minute);
    let tokens =
        by(estimate.token_requests.max, limits.token_requests_per_minute.unwrap_or(0));
    requests.max(tokens) + estimate.waits_seconds as f64
}

/// `3` or `3 to 7`.
pub(super) fn bounds_text(bounds: Bounds) -> String {
    match bounds.min == bounds.max {
        true => bounds.max.to_string(),
        false => format!("{} to {}", bounds.min, bounds.max),
    }
}
