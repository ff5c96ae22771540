//! The cause of a difference between two answers: a violation, or an open question.

use std::collections::BTreeMap;

use super::checks::{CheckPair, PairVerdict};
use super::exchanges::{AnswerDifference, DifferencePlace, ScenarioDifferences};
use super::explain::{self, AnswerChanges, StepPurpose};
use crate::check::{AnswerPart, MismatchKind};
use crate::exchange::Exchange;
use crate::result::{ScenarioResult, Subject};
use crate::verdict::Verdict;

/// Members of an error that are open wherever its status is open.
const OPEN_MEMBERS: [&str; 5] = ["type", "title", "detail", "error", "error_description"];

/// The open questions that all scenarios together show.
pub(super) struct OpenQuestions<'a> {
    pub(super) changed: &'a AnswerChanges,
    /// Questions by the kind of operation and the two statuses.
    pub(super) by_statuses: BTreeMap<(String, String, String), String>,
}

/// A difference with its place and its cause.
pub(super) struct LocatedDifference {
    pub(super) raw: AnswerDifference,
    pub(super) place: String,
    pub(super) cause: Option<DifferenceCause>,
}

/// Why two answers differ.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum DifferenceCause {
    /// A violation, which a check reports.
    Violation,
    /// An open question.
    Question(String),
}

/// Two runs of one scenario.
pub(super) struct ScenarioPair<'a> {
    pub(super) a: &'a ScenarioResult,
    pub(super) b: &'a ScenarioResult,
    pub(super) checks: Vec<CheckPair<'a>>,
    pub(super) answers: ScenarioDifferences,
}

/// The questions that show as two different statuses.
pub(super) fn by_statuses(
    stories: &[ScenarioPair<'_>],
    changed: &AnswerChanges,
) -> BTreeMap<(String, String, String), String> {
    let mut all = BTreeMap::new();
    for judged in stories.iter().flat_map(|story| &story.checks) {
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

impl ScenarioPair<'_> {
    /// The question because of which a warning is no violation, with both readings: the sides answer it
    /// differently.
    pub(super) fn question_behind(
        &self,
        judged: &CheckPair<'_>,
        known: &OpenQuestions<'_>,
    ) -> Option<(String, (String, String))> {
        let guilty = if judged.verdict == PairVerdict::AViolates { judged.a } else { judged.b };
        if judged.verdict == PairVerdict::BothViolate || guilty.verdict != Verdict::Warn {
            return None;
        }
        let named = match &guilty.subject {
            Subject::Question(id) => Some(id.to_string()),
            Subject::Requirement(id) => explain::question_of(id).map(str::to_owned),
            Subject::Snapshot(_) => None,
        };
        let mut questions = named.into_iter().chain(self.questions(&guilty.step));
        if let Some(id) = questions.find(|id| known.changed.contains_key(id)) {
            return Some((id, (judged.a.actual.clone(), judged.b.actual.clone())));
        }
        // The status may be the answer, for an operation that need not exist.
        let raw = statuses_of(judged)?;
        Some((known.question(&raw, self.purpose(&raw.step))?, raw.readings))
    }

    /// The purpose of a step.
    fn purpose(&self, step: &str) -> StepPurpose {
        let own = self.checks.iter().filter(|it| &*it.a.step == step);
        StepPurpose::of(own.map(|it| it.a.subject.as_str()))
    }

    /// The questions that the sides answer differently in a step.
    fn questions(&self, step: &str) -> impl Iterator<Item = String> {
        self.checks.iter().filter(move |it| &*it.a.step == step).filter_map(|it| {
            match &it.a.subject {
                Subject::Question(id) if it.a.actual != it.b.actual => Some(id.to_string()),
                _ => None,
            }
        })
    }

    pub(super) fn cause(
        &self,
        raw: &AnswerDifference,
        known: &OpenQuestions<'_>,
    ) -> Option<DifferenceCause> {
        if self.checks.iter().any(|judged| shows(judged, raw)) {
            return Some(DifferenceCause::Violation);
        }
        let is_open = match &raw.spot {
            DifferencePlace::Status => true,
            DifferencePlace::Member(member) => OPEN_MEMBERS.contains(&member.as_str()),
            DifferencePlace::Header(_) => false,
        };
        let statuses = (raw.statuses.0.to_string(), raw.statuses.1.to_string());
        let is_seen = |id: &String| {
            known.changed.contains_key(id)
                || self.checks.iter().any(|it| {
                    matches!(&it.a.subject, Subject::Question(own) if own == id)
                        && statuses_of(it).is_some_and(|seen| seen.readings == statuses)
                })
        };
        let asked = self.questions(&raw.step).find(|id| is_open && is_seen(id));
        asked
            .or_else(|| known.question(raw, self.purpose(&raw.step)))
            .map(DifferenceCause::Question)
    }
}

impl OpenQuestions<'_> {
    /// The question behind a difference, by its place or by what other scenarios show.
    fn question(&self, raw: &AnswerDifference, purpose: StepPurpose) -> Option<String> {
        let elsewhere = || {
            let (a, b) = raw.readings.clone();
            let key = (explain::kind_of(raw.operation), a, b);
            let found = self.by_statuses.get(&key).filter(|_| raw.spot == DifferencePlace::Status);
            let is_asked =
                |id: &&String| *id != "other_company" || purpose == StepPurpose::OtherCompany;
            found.filter(is_asked).cloned()
        };
        elsewhere().or_else(|| explain::question(raw, purpose).map(str::to_owned))
    }
}

/// The difference between the statuses that two checks judged; `None` where they are the same.
fn statuses_of(judged: &CheckPair<'_>) -> Option<AnswerDifference> {
    let (a, b) = (judged.a.exchange.as_ref()?, judged.b.exchange.as_ref()?);
    let status = |exchange: &Exchange| Some(exchange.outcome.as_ref().ok()?.status);
    let statuses = (status(a)?, status(b)?);
    (statuses.0 != statuses.1).then(|| AnswerDifference {
        spot: DifferencePlace::Status,
        operation: a.request.operation,
        call: String::new(),
        readings: (statuses.0.to_string(), statuses.1.to_string()),
        statuses,
        numbers: (a.number, b.number),
        step: judged.a.step.to_string(),
    })
}

/// Whether this difference shows a violation of one side.
fn shows(judged: &CheckPair<'_>, raw: &AnswerDifference) -> bool {
    let (guilty, number) = match judged.verdict {
        PairVerdict::AViolates => (judged.a, raw.numbers.0),
        PairVerdict::BViolates => (judged.b, raw.numbers.1),
        _ => return false,
    };
    if guilty.exchange.as_ref().is_none_or(|exchange| exchange.number != number) {
        return false;
    }
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    match &raw.spot {
        DifferencePlace::Status => guilty.pointer.is_none(),
        DifferencePlace::Header(name) => {
            guilty.part.as_ref() == Some(&AnswerPart::Header(name.clone()))
                || (name == "content-type" && guilty.mismatch == Some(MismatchKind::MediaType))
        }
        DifferencePlace::Member(member) => {
            let name = last(member);
            let is_named = match &guilty.mismatch {
                Some(MismatchKind::Schema { members, .. }) => {
                    members.iter().any(|member| member.to_ascii_lowercase() == name)
                }
                _ => false,
            };
            is_named || guilty.pointer.as_deref().is_some_and(|pointer| last(pointer) == name)
        }
    }
}

/// Gives the same cause to the same differences. The cause of a status or of a problem type is also that of
/// the other members of the answer.
pub(super) fn spread(differences: &mut [LocatedDifference]) {
    let same = |raw: &AnswerDifference| (raw.spot.clone(), raw.call.clone(), raw.readings.clone());
    let mut known = BTreeMap::new();
    for one in differences.iter() {
        if let Some(cause) = &one.cause {
            known.entry(same(&one.raw)).or_insert_with(|| cause.clone());
        }
    }
    let mut by_exchange = BTreeMap::new();
    for one in differences.iter_mut() {
        one.cause = one.cause.take().or_else(|| known.get(&same(&one.raw)).cloned());
        let is_head = match &one.raw.spot {
            DifferencePlace::Status => true,
            DifferencePlace::Member(member) => matches!(member.as_str(), "type" | "error"),
            DifferencePlace::Header(_) => false,
        };
        if let (true, Some(cause)) = (is_head, &one.cause) {
            by_exchange.entry(one.raw.numbers).or_insert_with(|| cause.clone());
        }
    }
    for one in differences.iter_mut().filter(|one| one.cause.is_none() && one.raw.statuses.0 >= 400)
    {
        one.cause = by_exchange.get(&one.raw.numbers).cloned();
    }
}
