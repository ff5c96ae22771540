//! Why two answers differ: a violation that a check tells, or an open question.

use std::collections::BTreeMap;

use super::checks::{Judged, Standing};
use super::exchanges::{self, Raw, Spot};
use super::explain::{self, Asked};
use super::gather::Changed;
use crate::exchange::Exchange;
use crate::result::{ScenarioResult, Subject};
use crate::verdict::Verdict;

/// Members of an error that a question about its status leaves open too.
const OPEN_WORDS: [&str; 5] = ["type", "title", "detail", "error", "error_description"];

/// What is known of all scenarios before one is looked into.
pub(super) struct Known<'a> {
    pub(super) changed: &'a Changed,
    /// Questions by the kind of operation that was asked and the two statuses it answered.
    pub(super) by_statuses: BTreeMap<(String, String, String), String>,
}

/// A difference between two answers, and why it is one.
pub(super) struct Located {
    pub(super) raw: Raw,
    pub(super) place: String,
    pub(super) cause: Option<Cause>,
}

/// What a difference between two answers is a sign of.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum Cause {
    /// A violation that a check tells.
    Violation,
    /// An open question.
    Question(String),
}

/// Two runs of one scenario.
pub(super) struct Story<'a> {
    pub(super) a: &'a ScenarioResult,
    pub(super) b: &'a ScenarioResult,
    pub(super) judged: Vec<Judged<'a>>,
    pub(super) told: exchanges::Told,
}

/// What each question that is answered differently was seen as, where that is two statuses.
pub(super) fn by_statuses(
    stories: &[Story<'_>],
    changed: &Changed,
) -> BTreeMap<(String, String, String), String> {
    let mut all = BTreeMap::new();
    for judged in stories.iter().flat_map(|story| &story.judged) {
        let (Subject::Question(id), Some(exchange)) = (&judged.a.subject, &judged.a.exchange)
        else {
            continue;
        };
        let Some(raw) = statuses_of(judged) else { continue };
        if changed.contains_key(&**id) {
            let kind = explain::kind_of(exchange.request.operation);
            let key = (kind, raw.readings.0, raw.readings.1);
            all.entry(key).or_insert_with(|| id.to_string());
        }
    }
    all
}

impl Story<'_> {
    /// The question that lets a warning be no violation, and what was seen of it: the other side
    /// answers it otherwise.
    pub(super) fn question_behind(
        &self,
        judged: &Judged<'_>,
        known: &Known<'_>,
    ) -> Option<(String, (String, String))> {
        let guilty = if judged.standing == Standing::AViolates { judged.a } else { judged.b };
        if judged.standing == Standing::BothViolate || guilty.verdict != Verdict::Warn {
            return None;
        }
        let named = match &guilty.subject {
            Subject::Question(id) => Some(id.to_string()),
            Subject::Requirement(id) => explain::question_of(id).map(str::to_owned),
            Subject::Snapshot(_) => None,
        };
        let mut asked = named.into_iter().chain(self.questions(&guilty.step));
        if let Some(id) = asked.find(|id| known.changed.contains_key(id)) {
            return Some((id, (judged.a.actual.clone(), judged.b.actual.clone())));
        }
        // The status itself may be the answer: of an operation that need not be there at all.
        let raw = statuses_of(judged)?;
        Some((known.question(&raw, self.asked(&raw.step))?, raw.readings))
    }

    /// What a step asks, by the requirements that it is judged by.
    fn asked(&self, step: &str) -> Asked {
        let own = self.judged.iter().filter(|it| &*it.a.step == step);
        Asked::of(own.map(|it| it.a.subject.as_str()))
    }

    /// Questions that a step asks, and that the two answer differently there.
    fn questions(&self, step: &str) -> impl Iterator<Item = String> {
        self.judged.iter().filter(move |it| &*it.a.step == step).filter_map(|it| {
            match &it.a.subject {
                Subject::Question(id) if it.a.actual != it.b.actual => Some(id.to_string()),
                _ => None,
            }
        })
    }

    pub(super) fn cause(&self, raw: &Raw, known: &Known<'_>) -> Option<Cause> {
        if self.judged.iter().any(|judged| tells(judged, raw)) {
            return Some(Cause::Violation);
        }
        let is_open = match &raw.spot {
            Spot::Status => true,
            Spot::Member(member) => OPEN_WORDS.contains(&member.as_str()),
            Spot::Header(_) => false,
        };
        let statuses = (raw.statuses.0.to_string(), raw.statuses.1.to_string());
        let is_seen = |id: &String| {
            known.changed.contains_key(id)
                || self.judged.iter().any(|it| {
                    matches!(&it.a.subject, Subject::Question(own) if own == id)
                        && statuses_of(it).is_some_and(|seen| seen.readings == statuses)
                })
        };
        let asked = self.questions(&raw.step).find(|id| is_open && is_seen(id));
        asked.or_else(|| known.question(raw, self.asked(&raw.step))).map(Cause::Question)
    }
}

impl Known<'_> {
    /// The question that leaves a difference open, by where it stands or by what was seen elsewhere.
    fn question(&self, raw: &Raw, asked: Asked) -> Option<String> {
        let elsewhere = || {
            let (a, b) = raw.readings.clone();
            let key = (explain::kind_of(raw.operation), a, b);
            let found = self.by_statuses.get(&key).filter(|_| raw.spot == Spot::Status);
            let is_asked = |id: &&String| *id != "other_company" || asked == Asked::OtherCompany;
            found.filter(is_asked).cloned()
        };
        elsewhere().or_else(|| explain::question(raw, asked).map(str::to_owned))
    }
}

/// The two statuses that two checks judged, as a difference; `None` where they are one.
pub(super) fn statuses_of(judged: &Judged<'_>) -> Option<Raw> {
    let (a, b) = (judged.a.exchange.as_ref()?, judged.b.exchange.as_ref()?);
    let status = |exchange: &Exchange| Some(exchange.outcome.as_ref().ok()?.status);
    let statuses = (status(a)?, status(b)?);
    (statuses.0 != statuses.1).then(|| Raw {
        spot: Spot::Status,
        operation: a.request.operation,
        call: String::new(),
        readings: (statuses.0.to_string(), statuses.1.to_string()),
        statuses,
        numbers: (a.number, b.number),
        step: judged.a.step.to_string(),
    })
}

/// Whether a one-sided violation is what this difference shows.
pub(super) fn tells(judged: &Judged<'_>, raw: &Raw) -> bool {
    let (guilty, number) = match judged.standing {
        Standing::AViolates => (judged.a, raw.numbers.0),
        Standing::BViolates => (judged.b, raw.numbers.1),
        _ => return false,
    };
    if guilty.exchange.as_ref().is_none_or(|exchange| exchange.number != number) {
        return false;
    }
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    let says = |name: &str| {
        let said = [&guilty.message, &guilty.expected, &guilty.actual];
        said.into_iter().any(|text| text.to_ascii_lowercase().contains(name))
    };
    match &raw.spot {
        Spot::Status => guilty.pointer.is_none(),
        Spot::Header(name) => says(name),
        Spot::Member(member) => {
            let name = last(member);
            guilty.pointer.as_deref().is_some_and(|pointer| last(pointer) == name) || says(&name)
        }
    }
}

/// What is the same difference has the same cause; and where a status or a type has one, the words
/// around it have it too.
pub(super) fn spread(told: &mut [Located]) {
    let same = |raw: &Raw| (raw.spot.clone(), raw.call.clone(), raw.readings.clone());
    let mut known = BTreeMap::new();
    for one in told.iter() {
        if let Some(cause) = &one.cause {
            known.entry(same(&one.raw)).or_insert_with(|| cause.clone());
        }
    }
    let mut by_exchange = BTreeMap::new();
    for one in told.iter_mut() {
        one.cause = one.cause.take().or_else(|| known.get(&same(&one.raw)).cloned());
        let is_head = match &one.raw.spot {
            Spot::Status => true,
            Spot::Member(member) => matches!(member.as_str(), "type" | "error"),
            Spot::Header(_) => false,
        };
        if let (true, Some(cause)) = (is_head, &one.cause) {
            by_exchange.entry(one.raw.numbers).or_insert_with(|| cause.clone());
        }
    }
    for one in told.iter_mut().filter(|one| one.cause.is_none() && one.raw.statuses.0 >= 400) {
        one.cause = by_exchange.get(&one.raw.numbers).cloned();
    }
}
