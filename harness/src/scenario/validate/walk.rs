//! Checks a file once, in the order of a run: every `<name>` is defined before its first use, and every
//! id that a scenario uses exists.

use moot_fixtures::{DataError, nearest};

use super::scope::{APPLICATIONS, NameScope};
use super::{ids, lines};
use crate::scenario::declared::OwnRows;
use crate::scenario::model::{
    AdminStep, AnswerPlace, BoundValue, BurstStep, Check, Claim, ForEach, Json, Location,
    MatcherRule, Near, Observation, PartContent, Place, RawContent, ReceiveStep, RequestBody,
    RequestLine, RequestShape, RequestStep, Scenario, ScenarioFile, Step, StepAction, Text,
    TokenChoice,
};

/// Reports every mistake of meaning in a file. `own` are the requirements that the suite states.
pub(super) fn file(file: &ScenarioFile, own: &OwnRows, problems: &mut Vec<DataError>) {
    for scenario in &file.scenarios {
        let scope = NameScope::new(&scenario.receivers);
        ValidationWalk { file, scenario, own, scope, problems }.scenario();
    }
}

struct ValidationWalk<'a> {
    file: &'a ScenarioFile,
    scenario: &'a Scenario,
    own: &'a OwnRows,
    scope: NameScope,
    problems: &'a mut Vec<DataError>,
}

impl ValidationWalk<'_> {
    fn scenario(&mut self) {
        self.problems.extend(ids::sandbox(self.file, self.scenario));
        if let Some(for_each) = &self.scenario.for_each {
            self.for_each(for_each);
        }
        self.steps(&self.scenario.steps);
    }

    /// The name of the row is added after the rows, which can't use it.
    fn for_each(&mut self, for_each: &ForEach) {
        self.json(&for_each.rows);
        self.scope.add(&for_each.name);
    }

    fn steps(&mut self, steps: &[Step]) {
        for step in steps {
            match &step.action {
                StepAction::Request(request) => self.request(request),
                StepAction::Burst(burst) => self.burst(burst),
                StepAction::Receive(receive) => self.receive(receive, &step.at),
                StepAction::Admin(admin) => self.admin(admin),
                StepAction::Operator(operator) => {
                    let action = operator.action;
                    let problem = ids::operator(self.file, self.scenario, action, &step.at);
                    self.problems.extend(problem);
                    operator.texts().for_each(|text| self.text(text));
                }
                StepAction::ForEach(for_each, steps) => {
                    let before = self.scope.clone();
                    self.for_each(for_each);
                    self.steps(steps);
                    self.scope = before;
                }
                StepAction::Let(bindings) => self.bindings(bindings),
                StepAction::Assume(assumption) => {
                    for (text, matcher) in &assumption.conditions {
                        self.text(text);
                        self.matcher(matcher);
                    }
                }
            }
        }
    }

    /// In the order of a run: control, views, request, pages, precondition, captures, checks.
    fn request(&mut self, request: &RequestStep) {
        self.shape(&request.shape);
        if let Some(control) = &request.control {
            self.shape(&control.shape);
            self.claims(control.require.iter().flatten());
        }
        for view in &request.unchanged {
            self.line(view);
            self.reads(view);
        }
        if let Some(each_page) = &request.each_page {
            self.scope.set_page(["number", "length_expected"]);
            self.checks(&each_page.expect);
            self.scope.set_page(["total_count", "total_pages"]);
        }
        self.claims(request.poll.iter().flat_map(|poll| &poll.until));
        self.claims(request.require.iter().flatten());
        self.captures(&request.capture);
        self.checks(&request.expect);
        if let Some(premise) = &request.premise {
            self.line(&premise.request);
            self.claims(&premise.holds);
        }
        self.observations(&request.observe);
        // The steps of `finally` know the captures so far. Their own names end with them.
        let before = self.scope.clone();
        self.steps(&request.finally);
        self.scope = before;
    }

    fn burst(&mut self, burst: &BurstStep) {
        self.shape(&burst.shape);
        burst.plan.also.iter().for_each(|line| self.line(line));
        self.captures(&burst.capture);
        self.checks(&burst.expect);
        self.observations(&burst.observe);
    }

    fn receive(&mut self, receive: &ReceiveStep, at: &Location) {
        let name = &receive.wait.receiver;
        if !self.scope.has_receiver(name) {
            let at = self.file.locate(at, name);
            let message = format!("the scenario has no receiver `{name}` in `receivers`");
            self.problems.push(self.file.problem(&at, name, message, None));
        }
        self.claims(receive.require.iter().flatten());
        self.captures(&receive.capture);
        self.checks(&receive.expect);
        self.observations(&receive.observe);
    }

    fn admin(&mut self, admin: &AdminStep) {
        self.text(&admin.call);
        if let Some(json) = &admin.json {
            self.json(json);
        }
        self.captures(&admin.capture);
        self.checks(&admin.expect);
    }

    fn bindings(&mut self, bindings: &[(String, BoundValue)]) {
        for (name, value) in bindings {
            self.json(&value.from);
            if let Some(place) = &value.at {
                self.place(place);
            }
            self.scope.add(name);
        }
    }

    fn shape(&mut self, shape: &RequestShape) {
        if let Some(line) = &shape.line {
            self.line(line);
        }
        if let Some(TokenChoice::Given(text)) = &shape.token {
            self.text(text);
        }
        if let Some(text) = &shape.application {
            self.text(text);
            self.application(text);
        }
        self.pairs(&shape.query);
        self.pairs(&shape.headers);
        match &shape.body {
            None => {}
            Some(RequestBody::Form(fields)) => self.pairs(fields),
            Some(RequestBody::Json(json)) => self.json(json),
            Some(RequestBody::Multipart(multipart)) => {
                if let Some(schema) = &multipart.from_schema {
                    self.json(schema);
                }
                self.pairs(&multipart.set);
                self.pairs(&multipart.append);
                self.pairs(&multipart.content_types);
                let omitted = multipart.omit_variables.iter().chain(&multipart.omit).flatten();
                omitted.for_each(|text| self.text(text));
                for part in multipart.parts.iter().flatten() {
                    self.problems.extend(ids::document(self.file, part));
                    self.text(&part.name);
                    if let PartContent::Text(text) = &part.content {
                        self.text(text);
                    }
                    part.file_name.iter().chain(&part.content_type).for_each(|t| self.text(t));
                }
            }
            Some(RequestBody::Raw(raw)) => {
                raw.content_type.iter().for_each(|text| self.text(text));
                match &raw.content {
                    RawContent::Text(text) => self.text(text),
                    RawContent::CrlfLines(lines) => lines.iter().for_each(|line| self.text(line)),
                    RawContent::Base64(_) => {}
                }
            }
        }
    }

    fn application(&mut self, text: &Text) {
        let Some(name) = text.as_literal() else { return };
        if !APPLICATIONS.contains(&name) {
            let help = nearest::hint_or_all(name, &APPLICATIONS);
            let message = format!("unknown application `{name}`");
            self.problems.push(self.file.problem(&text.at, name, message, Some(help)));
        }
    }

    fn pairs(&mut self, pairs: &[(Text, Json)]) {
        for (name, value) in pairs {
            self.text(name);
            self.json(value);
        }
    }

    fn line(&mut self, line: &RequestLine) {
        self.problems.extend(lines::mistakes(self.file, line));
        match line {
            RequestLine::Path { method, path } => {
                self.text(method);
                self.text(path);
            }
            RequestLine::Operation { operation, known: _, id } => {
                self.text(operation);
                id.iter().for_each(|text| self.text(text));
            }
        }
    }

    /// A view is read twice, so it must not change anything.
    fn reads(&mut self, view: &RequestLine) {
        let (RequestLine::Path { method: text, .. }
        | RequestLine::Operation { operation: text, .. }) = view;
        if view.is_get() == Some(false) {
            let name = text.as_literal().unwrap_or_default();
            let message = "a view in `unchanged` must be a GET request".to_owned();
            self.problems.push(self.file.problem(&text.at, name, message, None));
        }
    }

    fn checks(&mut self, checks: &[Check]) {
        for check in checks {
            self.problems.extend(ids::requirement(self.file, self.own, check));
            self.claims(&check.expectation);
        }
    }

    fn observations(&mut self, observations: &[Observation]) {
        for observation in observations {
            self.problems.extend(ids::question(self.file, observation));
            match &observation.place {
                AnswerPlace::Whole(place) => self.place(place),
                AnswerPlace::Members(members) => {
                    for (name, place) in members {
                        self.text(name);
                        self.place(place);
                    }
                }
            }
        }
    }

    fn captures(&mut self, captures: &[(String, Place)]) {
        for (name, place) in captures {
            self.place(place);
            self.scope.add(name);
        }
    }

    fn claims<'c>(&mut self, claims: impl IntoIterator<Item = &'c Claim>) {
        for claim in claims {
            self.problems.extend(ids::claim(self.file, claim));
            self.place(&claim.place);
            self.matcher(&claim.matcher);
        }
    }

    fn place(&mut self, place: &Place) {
        if let Place::Pointer(text) | Place::Path(text) = place {
            self.text(text);
        }
    }

    fn matcher(&mut self, rules: &[MatcherRule]) {
        rules.iter().for_each(|rule| self.rule(rule));
    }

    fn rule(&mut self, rule: &MatcherRule) {
        match rule {
            MatcherRule::Equals(json)
            | MatcherRule::OneOf(json)
            | MatcherRule::Contains(json)
            | MatcherRule::HasMembers(json)
            | MatcherRule::SameTime(json)
            | MatcherRule::Min(json)
            | MatcherRule::Max(json)
            | MatcherRule::SameMembers(json) => self.json(json),
            MatcherRule::Near(Near { value, by }) => {
                self.json(value);
                self.json(by);
            }
            MatcherRule::Not(inner)
            | MatcherRule::Length(inner)
            | MatcherRule::Each(inner)
            | MatcherRule::Any(inner)
            | MatcherRule::NoneOf(inner) => self.matcher(inner),
            MatcherRule::Matches(pattern) => self.text(&pattern.text),
            MatcherRule::Type(_)
            | MatcherRule::Present(_)
            | MatcherRule::Format(_)
            | MatcherRule::Unique(_) => {}
        }
    }

    fn json(&mut self, json: &Json) {
        for text in json.texts() {
            self.text(text);
        }
    }

    fn text(&mut self, text: &Text) {
        for path in text.names() {
            let Some((message, known)) = self.scope.unknown(path) else { continue };
            let written = format!("<{}>", path.join("."));
            let at = self.file.locate(&text.at, &written);
            let word = path.first().map_or("", String::as_str);
            let last = path.last().map_or(word, String::as_str);
            let help = nearest::hint(last, known.iter().map(String::as_str))
                .or_else(|| nearest::hint(word, known.iter().map(String::as_str)))
                .or_else(|| (!known.is_empty()).then(|| format!("there are {}", known.join(", "))));
            self.problems.push(self.file.problem(&at, &written, message, help));
        }
    }
}
