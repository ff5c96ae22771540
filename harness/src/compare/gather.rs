//! All that differs between two runs, each once, in its class, with every place where it was seen.

use std::collections::{BTreeMap, BTreeSet};

use moot_fixtures::contract::Operation;
use moot_fixtures::{questions, register};
use serde_json::Value;

use super::cause::{Cause, Known, Located, Story, by_statuses, spread};
use super::checks::{self, Judged, Standing};
use super::comparison::{Class, Compared, Difference, NotCompared};
use super::exchanges::{self, Raw, Spot};
use super::pairs::paired;
use super::sides::Side;
use crate::result::{CheckResult, ScenarioResult};
use crate::verdict::Verdict;
use crate::verdict::{NotRun, NotRunKind};

/// What is between scenario and step in a place.
const BETWEEN: &str = " › ";

/// What differs, by class and subject.
#[derive(Default)]
pub(super) struct Gathered {
    rows: BTreeMap<(Class, String), Difference>,
    told: Vec<Located>,
    not_compared: Vec<NotCompared>,
    /// Checks of one side that stopped at a sound call.
    stopped: Vec<Stopped>,
    /// Operations that a check found wanting, with the side.
    violated: BTreeSet<(&'static str, Option<Operation>)>,
    pub(super) compared: Compared,
}

/// A check that one side alone could not be judged by, because it did not answer a sound call as it should.
struct Stopped {
    side: &'static str,
    why: NotRun,
    place: String,
    /// That of the sound call.
    operation: Option<Operation>,
}

/// The answers that differ, by question: of the first, of the second.
pub(super) type Changed = BTreeMap<String, (Value, Value)>;

/// Holds every scenario of both side by side.
pub(super) fn gather(a: &Side, b: &Side, changed: &Changed) -> Gathered {
    let nothing = Vec::new();
    let told = |side: &'_ Side, name: &str| side.told.get(name).unwrap_or(&nothing).clone();
    let (first, second) = (&a.result.scenarios, &b.result.scenarios);
    let pairs = paired(first, second, |scenario: &ScenarioResult| scenario.name.as_str());
    let story = |(one, other): (_, _)| -> Story<'_> {
        let (one, other): (&ScenarioResult, &ScenarioResult) = (one, other);
        Story {
            a: one,
            b: other,
            judged: checks::judged(one, other),
            told: exchanges::differences(&told(a, &one.name), &told(b, &other.name)),
        }
    };
    let stories: Vec<Story<'_>> = pairs.into_iter().map(story).collect();
    let known = Known { changed, by_statuses: by_statuses(&stories, changed) };
    let mut gathered = Gathered::default();
    for story in &stories {
        gathered.compared.scenarios += 1;
        gathered.take(story, &known);
    }
    gathered.settle(changed);
    gathered
}

impl Gathered {
    /// The differences in the order of their classes, and what was not compared.
    pub(super) fn into_parts(self) -> (Vec<Difference>, Vec<NotCompared>) {
        (self.rows.into_values().collect(), self.not_compared)
    }

    fn take(&mut self, story: &Story<'_>, known: &Known<'_>) {
        self.compared.exchanges += story.told.compared;
        let mut has_cause = story.told.has_diverged;
        for judged in &story.judged {
            match judged.standing {
                Standing::Same => self.compared.checks += 1,
                Standing::AViolates | Standing::BViolates | Standing::BothViolate => {
                    self.compared.checks += 1;
                    has_cause |= judged.standing != Standing::BothViolate;
                    match story.question_behind(judged, known) {
                        Some((id, seen)) => {
                            self.answered(&id, known.changed, seen, &place_of(judged.a));
                        }
                        None => self.violated_at(story, judged),
                    }
                }
                Standing::ANotRun
                | Standing::BNotRun
                | Standing::NeitherRun
                | Standing::Nothing => {}
            }
        }
        self.not_run(story, has_cause);
        for raw in &story.told.differences {
            let cause = story.cause(raw, known);
            let place = format!("{}{BETWEEN}{}", story.a.name, raw.step);
            self.told.push(Located { raw: raw.clone(), place, cause });
        }
    }

    /// What only follows from another violation of the same answer is told with that.
    fn violated_at(&mut self, story: &Story<'_>, judged: &Judged<'_>) {
        let Some(cause) = checks::cause(&story.judged, judged) else {
            return self.violated(judged);
        };
        self.violated(cause);
        let key = violation_key(cause);
        let (subject, row) = (judged.a.subject.as_str(), self.rows.get_mut(&key));
        if let Some(row) = row.filter(|row| !row.also.iter().any(|known| known == subject)) {
            row.also.push(subject.to_owned());
        }
    }

    fn violated(&mut self, judged: &Judged<'_>) {
        let (class, guilty) = guilty(judged);
        let side = if class == Class::AViolates { "A" } else { "B" };
        let operation = guilty.exchange.as_ref().and_then(|exchange| exchange.request.operation);
        self.violated.insert((side, operation));
        let row = self
            .rows
            .entry(violation_key(judged))
            .or_insert_with(|| violation(class, guilty, judged));
        row.verdict = row.verdict.max(Some(guilty.verdict));
        // What is known at one place and new at another is new.
        if known_as(class, judged).is_none() {
            row.known = None;
        }
        add_place(&mut row.places, place_of(judged.a));
    }

    /// A question that is answered differently; its answers where they are known, else what was seen.
    fn answered(&mut self, id: &str, changed: &Changed, seen: (String, String), place: &str) {
        let known = changed.get(id).map(|(a, b)| (a.to_string(), b.to_string()));
        let readings = known.unwrap_or(seen);
        let question = questions::get(id);
        let row =
            self.rows.entry((Class::BothAllowed, id.to_owned())).or_insert_with(|| Difference {
                class: Class::BothAllowed,
                subject: id.to_owned(),
                section: question.map(|question| question.section.clone()),
                level: Some("open"),
                verdict: None,
                sentence: question.map(|question| question.ask.clone()),
                message: "the specification leaves it open".to_owned(),
                a: readings.0,
                b: readings.1,
                places: Vec::new(),
                also: Vec::new(),
                curl: None,
                known: None,
            });
        if !place.is_empty() {
            add_place(&mut row.places, place.to_owned());
        }
    }

    /// What one side, or neither, could be asked. Behind a difference that is told it is no other one.
    fn not_run(&mut self, story: &Story<'_>, has_cause: bool) {
        let (a, b) = (&story.a.not_run, &story.b.not_run);
        match (a, b) {
            (Some(a), Some(b)) => self.neither(a, b, &story.a.name),
            (Some(why), None) => {
                self.stopped_at("A", why.clone(), story.a.name.clone(), story.a, has_cause);
            }
            (None, Some(why)) => {
                self.stopped_at("B", why.clone(), story.a.name.clone(), story.b, has_cause);
            }
            (None, None) => {
                for judged in &story.judged {
                    let why = |check: &CheckResult| NotRun {
                        kind: check.not_run.unwrap_or(NotRunKind::NoAnswer),
                        reason: check.message.clone(),
                        setting: None,
                        tolerate_as: String::new(),
                        is_tolerated: false,
                    };
                    let place = place_of(judged.a);
                    match judged.standing {
                        Standing::ANotRun => {
                            self.stopped_at("A", why(judged.a), place, story.a, has_cause);
                        }
                        Standing::BNotRun => {
                            self.stopped_at("B", why(judged.b), place, story.b, has_cause);
                        }
                        Standing::NeitherRun => {
                            self.neither(&why(judged.a), &why(judged.b), &place);
                        }
                        _ => {}
                    }
                }
            }
        }
    }

    fn stopped_at(
        &mut self,
        side: &'static str,
        why: NotRun,
        place: String,
        scenario: &ScenarioResult,
        has_cause: bool,
    ) {
        let is_stop = matches!(why.kind, NotRunKind::Control | NotRunKind::Precondition);
        if has_cause || !is_stop {
            return self.one_sided(side, &why, &place, has_cause);
        }
        // Nothing was sent after it.
        let exchanges = scenario.steps.iter().flat_map(|step| &step.exchanges);
        let operation = exchanges.last().and_then(|exchange| exchange.request.operation);
        self.stopped.push(Stopped { side, why, place, operation });
    }

    fn neither(&mut self, a: &NotRun, b: &NotRun, name: &str) {
        let reason = match a.reason == b.reason {
            true => a.reason.clone(),
            false => format!("A: {}; B: {}", a.reason, b.reason),
        };
        self.leave_out(reason, a.is_tolerated || b.is_tolerated, name);
    }

    fn one_sided(&mut self, side: &str, why: &NotRun, name: &str, has_cause: bool) {
        if why.is_tolerated {
            return self.leave_out(format!("{side}: {}", why.reason), true, name);
        }
        if has_cause {
            self.compared.follow_ups += 1;
            return;
        }
        let subject = format!("not run on {side}: {}", why.reason);
        let row = self.rows.entry((Class::Undecidable, subject.clone())).or_insert_with(|| {
            let setting = why.setting.as_ref().map(|it| format!("; enable with {it}"));
            let said = format!("not run: {}{}", why.reason, setting.unwrap_or_default());
            let other = "ran".to_owned();
            let (a, b) = if side == "A" { (said, other) } else { (other, said) };
            Difference {
                message: "only one side could be asked".to_owned(),
                ..undecided(subject, a, b)
            }
        });
        add_place(&mut row.places, name.to_owned());
    }

    fn leave_out(&mut self, reason: String, is_tolerated: bool, name: &str) {
        let same = |it: &&mut NotCompared| it.reason == reason && it.is_tolerated == is_tolerated;
        match self.not_compared.iter_mut().find(same) {
            Some(known) => add_place(&mut known.names, name.to_owned()),
            None => {
                self.not_compared.push(NotCompared {
                    reason,
                    is_tolerated,
                    names: vec![name.to_owned()],
                });
            }
        }
    }

    /// A sound call that one side did not answer as it should is no difference beside a violation of that
    /// operation, which is told: it is what follows from it.
    fn settle_stopped(&mut self) {
        for stopped in std::mem::take(&mut self.stopped) {
            let Stopped { side, why, place, operation } = stopped;
            let has_cause = self.violated.contains(&(side, operation));
            self.one_sided(side, &why, &place, has_cause);
        }
    }

    /// Gives every difference between answers its cause, or a row of its own.
    fn settle(&mut self, changed: &Changed) {
        self.settle_stopped();
        let mut told = std::mem::take(&mut self.told);
        spread(&mut told);
        for Located { raw, place, cause } in &told {
            match cause {
                Some(Cause::Violation) => {}
                Some(Cause::Question(id)) => {
                    self.answered(id, changed, raw.readings.clone(), place);
                }
                None => self.undecidable(raw, place),
            }
        }
        for id in changed.keys() {
            self.answered(id, changed, (String::new(), String::new()), "");
        }
    }

    fn undecidable(&mut self, raw: &Raw, place: &str) {
        let (a, b) = &raw.readings;
        let subject = match &raw.spot {
            Spot::Status => format!("status {a} or {b} of {}", raw.call),
            Spot::Header(name) => format!("header {name}"),
            Spot::Member(member) => format!("member {member}"),
        };
        let row = self
            .rows
            .entry((Class::Undecidable, subject.clone()))
            .or_insert_with(|| undecided(subject, a.clone(), b.clone()));
        add_place(&mut row.places, place.to_owned());
    }
}

fn guilty<'a>(judged: &Judged<'a>) -> (Class, &'a CheckResult) {
    match judged.standing {
        Standing::AViolates => (Class::AViolates, judged.a),
        Standing::BViolates => (Class::BViolates, judged.b),
        _ => (Class::BothViolate, judged.a),
    }
}

fn violation_key(judged: &Judged<'_>) -> (Class, String) {
    let (class, guilty) = guilty(judged);
    (class, guilty.subject.as_str().to_owned())
}

fn violation(class: Class, guilty: &CheckResult, judged: &Judged<'_>) -> Difference {
    let said = |check: &CheckResult, is_guilty: bool| match (is_guilty, check.verdict) {
        (true, _) if check.actual.is_empty() => check.message.clone(),
        (true, _) => check.actual.clone(),
        (false, verdict) if std::ptr::eq(judged.a, judged.b) => {
            let _ = verdict;
            "nothing to judge".to_owned()
        }
        (false, Verdict::Pass) => "holds".to_owned(),
        (false, verdict) => verdict.as_str().to_owned(),
    };
    let (is_a, is_b) = (class != Class::BViolates, class != Class::AViolates);
    let row = register::get(guilty.subject.as_str());
    let expected = match guilty.expected.as_str() {
        "" => String::new(),
        expected => format!("; expected {expected}"),
    };
    Difference {
        class,
        subject: guilty.subject.as_str().to_owned(),
        section: Some(guilty.section.to_string()),
        level: guilty.level.map(crate::report::level_name),
        verdict: Some(guilty.verdict),
        sentence: row.map(|row| row.sentence.clone()),
        message: format!("{}{expected}", guilty.message),
        a: said(judged.a, is_a),
        b: said(judged.b, is_b),
        places: Vec::new(),
        also: Vec::new(),
        curl: guilty.exchange.as_ref().map(|exchange| exchange.request.curl.clone()),
        known: known_as(class, judged),
    }
}

/// The known failure that a violation is; of both only where it is one on either side.
fn known_as(class: Class, judged: &Judged<'_>) -> Option<String> {
    let of = |check: &CheckResult| {
        check.known.as_ref().map(|known| format!("{}: {}", known.id, known.reason))
    };
    match class {
        Class::AViolates => of(judged.a),
        Class::BViolates => of(judged.b),
        Class::BothViolate => of(judged.a).and(of(judged.b)),
        Class::BothAllowed | Class::Undecidable => None,
    }
}

fn undecided(subject: String, a: String, b: String) -> Difference {
    Difference {
        class: Class::Undecidable,
        subject,
        section: None,
        level: None,
        verdict: None,
        sentence: None,
        message: "no requirement and no open question names it".to_owned(),
        a,
        b,
        places: Vec::new(),
        also: Vec::new(),
        curl: None,
        known: None,
    }
}

fn place_of(check: &CheckResult) -> String {
    format!("{}{BETWEEN}{}", check.scenario, check.step)
}

fn add_place(places: &mut Vec<String>, place: String) {
    if !places.contains(&place) {
        places.push(place);
    }
}
