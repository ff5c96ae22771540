//! Whether everything that a scenario refers to exists (requirements, questions, schemas, documents,
//! worlds, answers), and whether ids of scenarios and names of files are unique.

use std::collections::BTreeMap;

use moot_fixtures::contract::Level;
use moot_fixtures::{answers, documents, questions, register, schemas, world};

use super::own_rows::OwnRowsById;
use super::{IdCheck, SourceFile, lines};
use crate::scenario::model::{
    Check, Claim, Json, Location, Matcher, MatcherRule, Observation, PartContent, Place,
    RequestBody, RequestLine, RequestShape, Scenario, Step, StepAction,
};
use crate::scenario::{Diagnostic, declared};
use moot_fixtures::nearest;

/// Reports ids of scenarios and stems of files that are there twice.
pub(super) fn unique(sources: &[SourceFile]) -> Vec<Diagnostic> {
    let mut problems = Vec::new();
    let mut stems: BTreeMap<&str, &SourceFile> = BTreeMap::new();
    let mut ids: BTreeMap<&str, &Location> = BTreeMap::new();
    for source in sources {
        if stems.insert(&source.file.stem, source).is_some() {
            let at = source.file.scenarios.first().map(|scenario| scenario.at.clone());
            let message = format!("another file is called `{}` too", source.file.stem);
            let help = Some("a file's name is part of its scenarios' names".to_owned());
            problems.extend(at.map(|at| source.problem(&at, 1, message, help)));
        }
        for scenario in &source.file.scenarios {
            if let Some(first) = ids.get(scenario.id.as_str()) {
                let message = format!("the id `{}` is taken", scenario.id);
                let help = Some(format!("by {}:{}:{}", first.file, first.line, first.column));
                let length = scenario.id.chars().count();
                problems.push(source.problem(&scenario.at, length, message, help));
            } else {
                ids.insert(&scenario.id, &scenario.at);
            }
        }
    }
    problems
}

/// Reports what a file refers to that does not exist.
pub(super) fn file(
    source: &SourceFile,
    ids: IdCheck,
    own: &OwnRowsById<'_>,
    problems: &mut Vec<Diagnostic>,
) {
    let mut walk = IdWalk { source, ids, own, problems };
    for scenario in &source.file.scenarios {
        walk.sandbox(scenario);
        walk.operators(scenario);
        walk.steps(&scenario.steps);
    }
}

struct IdWalk<'a> {
    source: &'a SourceFile,
    ids: IdCheck,
    own: &'a OwnRowsById<'a>,
    problems: &'a mut Vec<Diagnostic>,
}

impl IdWalk<'_> {
    fn report(&mut self, at: &Location, length: usize, message: String, help: Option<String>) {
        self.problems.push(self.source.problem(at, length, message, help));
    }

    fn sandbox(&mut self, scenario: &Scenario) {
        self.world(scenario);
        let Some(name) = &scenario.sandbox.answers else { return };
        let is_drawn = name.strip_prefix("random:").is_some_and(|seed| seed.parse::<u64>().is_ok());
        if answers::named(name).is_none() && !is_drawn {
            let at = self.source.locate(&scenario.at, name);
            let help = Some("there are default, documented, random:SEED".to_owned());
            self.report(&at, name.chars().count(), format!("unknown answers `{name}`"), help);
        }
    }

    fn world(&mut self, scenario: &Scenario) {
        let Some(name) = &scenario.sandbox.world else { return };
        if !world::NAMES.contains(&name.as_str()) {
            let at = self.source.locate(&scenario.at, name);
            let help = Some(nearest::hint_or_all(name, world::NAMES));
            self.report(&at, name.chars().count(), format!("unknown world `{name}`"), help);
        }
    }

    /// A scenario names the need of each action of an operator.
    fn operators(&mut self, scenario: &Scenario) {
        let mut found = Vec::new();
        declared::collect(&scenario.steps, &mut |step| {
            if let StepAction::Operator(operator) = &step.action {
                found.push((operator.action(), step.at.clone()));
            }
        });
        for (action, at) in found {
            let need = action.need();
            if !scenario.needs.iter().any(|known| known == need) {
                let message = format!("`operator: {action}` without `{need}` in `needs`");
                self.report(&at, "operator".len(), message, None);
            }
        }
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match &step.action {
                StepAction::Request(request) => {
                    self.shape(&request.shape);
                    if let Some(control) = &request.control {
                        self.shape(&control.shape);
                        control.require.iter().for_each(|e| self.claims(&e.claims));
                    }
                    request.unchanged.iter().for_each(|view| self.line(view));
                    request.require.iter().for_each(|e| self.claims(&e.claims));
                    request.poll.iter().for_each(|poll| self.claims(&poll.until.claims));
                    request.each_page.iter().for_each(|pages| self.checks(&pages.expect));
                    self.checks(&request.expect);
                    self.observations(&request.observe);
                    self.steps(&request.finally);
                }
                StepAction::Burst(burst) => {
                    self.shape(&burst.shape);
                    burst.plan.also.iter().for_each(|line| self.line(line));
                    self.checks(&burst.expect);
                    self.observations(&burst.observe);
                }
                StepAction::Receive(receive) => {
                    receive.require.iter().for_each(|e| self.claims(&e.claims));
                    self.checks(&receive.expect);
                    self.observations(&receive.observe);
                }
                StepAction::Admin(admin) => self.checks(&admin.expect),
                StepAction::ForEach(_, steps) => self.steps(steps),
                StepAction::Operator(_) | StepAction::Let(_) | StepAction::Assume { .. } => {}
            }
        }
    }

    /// Methods and paths are known.
    fn line(&mut self, line: &RequestLine) {
        self.problems.extend(lines::mistakes(self.source, line));
    }

    /// Files of a body are among the sample documents.
    fn shape(&mut self, shape: &RequestShape) {
        shape.line.iter().for_each(|line| self.line(line));
        let Some(RequestBody::Multipart(multipart)) = &shape.body else { return };
        for part in multipart.parts.iter().flatten() {
            let PartContent::File(name) = &part.content else { continue };
            if documents::get(name).is_none() {
                let at = self.source.locate(&part.name.at, name);
                let names = || documents::ALL.iter().map(|document| document.name);
                let help = nearest::hint(name, names())
                    .or_else(|| Some(format!("there are {}", join(names()))));
                self.report(&at, name.chars().count(), format!("unknown document `{name}`"), help);
            }
        }
    }

    fn checks(&mut self, checks: &[Check]) {
        for check in checks {
            self.requirement(check);
            self.claims(&check.expectation.claims);
        }
    }

    fn requirement(&mut self, check: &Check) {
        if self.ids == IdCheck::Off {
            return;
        }
        let id = check.requirement.as_str();
        let length = id.chars().count();
        match register::get(id) {
            None if self.own.contains_key(id) => {}
            None => {
                let near = nearest::nearest(id, self.own.keys().copied());
                let help = near
                    .or_else(|| register::nearest(id))
                    .map(|near| format!("did you mean `{near}`?"));
                self.report(&check.at, length, format!("unknown requirement `{id}`"), help);
            }
            Some(row) if row.level == Level::Open => {
                let message = format!("the requirement `{id}` is open: there is nothing to expect");
                let help = row.question.as_ref().map(|q| format!("observe the question `{q}`"));
                self.report(&check.at, length, message, help);
            }
            Some(_) => {}
        }
    }

    fn observations(&mut self, observations: &[Observation]) {
        if self.ids == IdCheck::Off {
            return;
        }
        for observation in observations {
            let id = observation.question.as_str();
            if questions::get(id).is_none() {
                let help = questions::nearest(id).map(|near| format!("did you mean `{near}`?"));
                let length = id.chars().count();
                self.report(&observation.at, length, format!("unknown question `{id}`"), help);
            }
        }
    }

    /// A status is a number: a text never equals it.
    fn status(&mut self, matcher: &Matcher) {
        let mut texts: Vec<&Json> = Vec::new();
        match matcher {
            Matcher::Equal(json) => texts.push(json),
            Matcher::OneOf(all) => texts.extend(all),
            Matcher::All(rules) => {
                for rule in rules {
                    match rule {
                        MatcherRule::Equals(json) => texts.push(json),
                        MatcherRule::OneOf(Json::List(all)) => texts.extend(all),
                        MatcherRule::Not(inner) => self.status(inner),
                        _ => {}
                    }
                }
            }
        }
        for json in texts {
            let Json::Text(text) = json else { continue };
            let Some(word) = text.as_literal() else { continue };
            let help = match word.parse::<u16>() {
                Ok(number) => format!("write {number} without quotes"),
                Err(_) => "write a number, such as 200".to_owned(),
            };
            let message = format!("a status is a number, and `{word}` is a text");
            self.report(&text.at, word.chars().count(), message, Some(help));
        }
    }

    /// Schemas that are named exist, and statuses are numbers.
    fn claims(&mut self, claims: &[Claim]) {
        for claim in claims {
            if matches!(claim.place, Place::Status) {
                self.status(&claim.matcher);
            }
            let (Place::Schema, Matcher::Equal(Json::Text(text))) = (&claim.place, &claim.matcher)
            else {
                continue;
            };
            let Some(name) = text.as_literal() else { continue };
            if schemas::get(name).is_none() {
                let names = || schemas::all().iter().map(|(name, _)| *name);
                let help = nearest::hint(name, names());
                let length = name.chars().count();
                self.report(&text.at, length, format!("unknown schema `{name}`"), help);
            }
        }
    }
}

fn join<'a>(names: impl Iterator<Item = &'a str>) -> String {
    names.collect::<Vec<_>>().join(", ")
}
