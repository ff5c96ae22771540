//! The cause of a difference between two responses: a violation, or an open question.

use std::collections::BTreeMap;

use moot_fixtures::contract::RequirementTopic;

use super::checks::CheckPair;
use super::comparison::DifferenceClass;
use super::exchanges::{DifferenceCause, DifferencePlace, ResponseDifference, ScenarioDifferences};
use super::explain::{self, AnswerChanges};
use crate::exchange::Exchange;
use crate::scenario::StepName;
use crate::verdict::Verdict;
use crate::verdict::check::{MismatchKind, ResponsePart};
use crate::verdict::result::{ScenarioResult, Subject};

/// Members of an error that are open if its status is open.
const OPEN_MEMBERS: [&str; 5] = ["type", "title", "detail", "error", "error_description"];

/// The open questions that the sides answer differently, over all scenarios.
pub(super) struct OpenQuestions<'a> {
    pub(super) changed: &'a AnswerChanges,
    /// The questions by kind of operation and the two statuses.
    pub(super) by_statuses: BTreeMap<(String, (String, String)), String>,
}

/// Two runs of one scenario.
pub(super) struct ScenarioPair<'a> {
    pub(super) a: &'a ScenarioResult,
    pub(super) b: &'a ScenarioResult,
    pub(super) checks: Vec<CheckPair<'a>>,
    pub(super) responses: ScenarioDifferences,
}

/// The questions that lead to two different statuses.
pub(super) fn by_statuses(
    scenario_pairs: &[ScenarioPair<'_>],
    changed: &AnswerChanges,
) -> BTreeMap<(String, (String, String)), String> {
    let mut all = BTreeMap::new();
    for pair in scenario_pairs.iter().flat_map(|scenario_pair| &scenario_pair.checks) {
        let (Subject::Question(id), Some(exchange)) = (&pair.a.subject, &pair.a.exchange) else {
            continue;
        };
        let Some(difference) = statuses_of(pair) else { continue };
        if changed.contains_key(&**id) {
            let kind = explain::kind_of(exchange.request.operation);
            all.entry((kind, difference.readings)).or_insert_with(|| id.to_string());
        }
    }
    all
}

impl ScenarioPair<'_> {
    /// The open question behind a warning of one side only, with both readings. Such a warning is not a violation.
    pub(super) fn question_behind(
        &self,
        pair: &CheckPair<'_>,
        known: &OpenQuestions<'_>,
    ) -> Option<(String, (String, String))> {
        let violating = pair.violating().filter(|_| pair.is_one_sided())?;
        if violating.verdict != Verdict::Warn {
            return None;
        }
        let named = match &violating.subject {
            Subject::Question(id) => Some(id.to_string()),
            Subject::Requirement(id) => explain::question_of(id).map(str::to_owned),
            Subject::Snapshot(_) => None,
        };
        let mut questions = named.into_iter().chain(self.questions(&violating.step));
        if let Some(id) = questions.find(|id| known.changed.contains_key(id)) {
            return Some((id, (pair.a.actual.clone(), pair.b.actual.clone())));
        }
        // If the operation itself is an open question, the status is the answer.
        let difference = statuses_of(pair)?;
        Some((known.question(&difference, self.topic(&difference.step))?, difference.readings))
    }

    fn topic(&self, step: &StepName) -> Option<RequirementTopic> {
        let own = self.checks.iter().filter(|it| *it.a.step == *step);
        explain::step_topic(own.map(|it| &it.a.subject))
    }

    /// The questions that the sides answer differently in a step.
    fn questions(&self, step: &StepName) -> impl Iterator<Item = String> {
        self.checks.iter().filter(move |it| *it.a.step == *step).filter_map(|it| {
            match &it.a.subject {
                Subject::Question(id) if it.a.actual != it.b.actual => Some(id.to_string()),
                _ => None,
            }
        })
    }

    pub(super) fn cause(
        &self,
        difference: &ResponseDifference,
        known: &OpenQuestions<'_>,
    ) -> Option<DifferenceCause> {
        if self.checks.iter().any(|pair| shows(pair, difference)) {
            return Some(DifferenceCause::Violation);
        }
        let is_open = match &difference.spot {
            DifferencePlace::Status => true,
            DifferencePlace::Member(place) => is_one_of(place, &OPEN_MEMBERS),
            DifferencePlace::Header(_) => false,
        };
        let statuses = (difference.statuses.0.to_string(), difference.statuses.1.to_string());
        // Neither two successes nor a success and a 404 show whether the service accepts a value.
        let may_decide = !difference.are_successes() && !difference.is_found_by_one();
        let is_seen = |id: &String| {
            known.changed.contains_key(id)
                || may_decide
                    && self.checks.iter().any(|it| {
                        matches!(&it.a.subject, Subject::Question(own) if own == id)
                            && statuses_of(it).is_some_and(|seen| seen.readings == statuses)
                    })
        };
        let asked = self.questions(&difference.step).find(|id| is_open && is_seen(id));
        asked
            .or_else(|| known.question(difference, self.topic(&difference.step)))
            .map(DifferenceCause::Question)
    }
}

impl OpenQuestions<'_> {
    /// The question behind a difference, by its place or by the same statuses in other scenarios.
    fn question(
        &self,
        difference: &ResponseDifference,
        topic: Option<RequirementTopic>,
    ) -> Option<String> {
        let elsewhere = || {
            let key = (explain::kind_of(difference.operation), difference.readings.clone());
            let found =
                self.by_statuses.get(&key).filter(|_| difference.spot == DifferencePlace::Status);
            let is_isolation = topic == Some(RequirementTopic::Isolation);
            let is_asked = |id: &&String| *id != "other_company" || is_isolation;
            found.filter(is_asked).cloned()
        };
        elsewhere().or_else(|| explain::question(difference, topic).map(str::to_owned))
    }
}

/// The difference between the statuses of a pair of checks; `None` if they are the same.
fn statuses_of(pair: &CheckPair<'_>) -> Option<ResponseDifference> {
    let (a, b) = (pair.a.exchange.as_ref()?, pair.b.exchange.as_ref()?);
    let status = |exchange: &Exchange| Some(exchange.outcome.as_ref().ok()?.status);
    let statuses = (status(a)?, status(b)?);
    (statuses.0 != statuses.1).then(|| ResponseDifference {
        spot: DifferencePlace::Status,
        operation: a.request.operation,
        readings: (statuses.0.to_string(), statuses.1.to_string()),
        statuses,
        numbers: (a.number, b.number),
        step: StepName::clone(&pair.a.step),
        ..ResponseDifference::default()
    })
}

/// Whether the violation of this pair explains a difference.
fn shows(pair: &CheckPair<'_>, difference: &ResponseDifference) -> bool {
    let (violating, number) = match pair.violation {
        Some(DifferenceClass::AViolates) => (pair.a, difference.numbers.0),
        Some(DifferenceClass::BViolates) => (pair.b, difference.numbers.1),
        _ => return false,
    };
    if violating.exchange_number() != Some(number) {
        return false;
    }
    let last = |path: &str| path.rsplit('/').next().unwrap_or_default().to_ascii_lowercase();
    match &difference.spot {
        DifferencePlace::Status => violating.pointer.is_none(),
        DifferencePlace::Header(name) => {
            violating.part.as_ref() == Some(&ResponsePart::Header(name.clone()))
                || (name == "content-type" && violating.mismatch == Some(MismatchKind::MediaType))
        }
        DifferencePlace::Member(place) => {
            let name = place.last().map(|name| name.to_ascii_lowercase()).unwrap_or_default();
            let is_named = match &violating.mismatch {
                // If the outermost object breaks its schema, every member below it may differ.
                Some(MismatchKind::Schema { members, .. }) => {
                    violating.pointer.as_deref() == Some("")
                        || members.iter().any(|member| member.to_ascii_lowercase() == name)
                }
                _ => false,
            };
            is_named || violating.pointer.as_deref().is_some_and(|pointer| last(pointer) == name)
        }
    }
}

/// Whether the place is one of these members of the outermost object.
fn is_one_of(place: &[String], members: &[&str]) -> bool {
    matches!(place, [member] if members.contains(&member.as_str()))
}

/// Copies a known cause to the same differences in other scenarios. The cause of a status or of a problem type also
/// applies to the other members of the response.
pub(super) fn spread<'a>(differences: impl Iterator<Item = &'a mut ResponseDifference>) {
    let mut all: Vec<&mut ResponseDifference> = differences.collect();
    let same = |it: &ResponseDifference| (it.spot.clone(), it.call.clone(), it.readings.clone());
    let mut known = BTreeMap::new();
    for one in &all {
        if let Some(cause) = &one.cause {
            known.entry(same(one)).or_insert_with(|| cause.clone());
        }
    }
    let mut by_exchange = BTreeMap::new();
    for one in &mut all {
        one.cause = one.cause.take().or_else(|| known.get(&same(one)).cloned());
        let is_head = match &one.spot {
            DifferencePlace::Status => true,
            DifferencePlace::Member(place) => is_one_of(place, &["type", "error"]),
            DifferencePlace::Header(_) => false,
        };
        if let (true, Some(cause)) = (is_head, &one.cause) {
            by_exchange.entry(one.numbers).or_insert_with(|| cause.clone());
        }
    }
    for one in all.into_iter().filter(|one| one.cause.is_none() && one.statuses.0 >= 400) {
        one.cause = by_exchange.get(&one.numbers).cloned();
    }
}
