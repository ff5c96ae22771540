//! Reads steps: which of the seven a step is, and all but the request itself.

use super::super::model::{
    Action, AdminStep, BurstStep, ForEach, LetBinding, ReceiveStep, ReceiveUntil, Rhythm, Step,
};
use super::super::node::{Node, Tree};
use super::fields::Fields;
use super::reader::Reader;
use super::request::{REQUEST, shape_keys};
use moot_fixtures::nearest;

/// Steps of one list.
const STEPS_MAX: usize = 200;

/// Rows of a loop that are written out.
const ROWS_MAX: usize = 500;

/// Calls of one burst.
const CALLS_MAX: u64 = 100_000;

/// Calls of one burst at the same time.
const IN_FLIGHT_MAX: u64 = 256;

/// How complaints call it.
const BURST: &str = "`burst`";

/// Deliveries that a step waits for.
const DELIVERIES_MAX: u64 = 1_000;

/// The keys of which a step has exactly one.
const ACTIONS: [&str; 7] = ["request", "burst", "receive", "admin", "for_each", "let", "assume"];

impl Reader {
    /// A list of steps.
    pub(super) fn steps(&mut self, node: &Node) -> Option<Vec<Step>> {
        let items = self.list(node, "`steps`", STEPS_MAX)?;
        let steps: Vec<_> = items.iter().map(|item| self.step(item)).collect();
        steps.into_iter().collect()
    }

    fn step(&mut self, node: &Node) -> Option<Step> {
        let Tree::Map(entries) = &node.value else {
            self.refuse_type(node, "a step", "a map");
            return None;
        };
        let given: Vec<_> =
            entries.iter().map(|(key, _)| key).filter(|k| ACTIONS.contains(&&*k.name)).collect();
        let action = match given.as_slice() {
            [action] => action.name.as_str(),
            [] => {
                let span = entries.first().map_or(node.span, |(key, _)| key.span);
                let near = entries.iter().find_map(|(key, _)| nearest::hint(&key.name, ACTIONS));
                let help = near.unwrap_or_else(|| format!("there are {}", ACTIONS.join(", ")));
                self.refuse_with(span, "a step without a key that says what it does", Some(help));
                return None;
            }
            [first, second, ..] => {
                let message =
                    format!("a step does one thing: `{}` or `{}`", first.name, second.name);
                self.refuse(second.span, message);
                return None;
            }
        };
        let article = if action.starts_with('a') { "an" } else { "a" };
        let what = format!("{article} `{action}` step");
        let fields = self.fields(node, &what, &known_keys(action))?;
        let name = match fields.get("name") {
            Some(node) => self.plain(node, "`name`").map(str::to_owned),
            None => Some(default_name(action, fields.get(action)?)),
        };
        let action = self.action(action, fields);
        let at = self.at(fields.first_key()?.span);
        Some(Step { name: name?, action: action?, at })
    }

    fn action(&mut self, action: &str, fields: Fields<'_>) -> Option<Action> {
        let node = fields.get(action)?;
        Some(match action {
            "request" => {
                // The rest is read although the line is broken, so that all mistakes are told.
                let line = self.request_line(node, "`request`", fields.get("id"));
                let step = self.request_step(fields, line);
                Action::Request(Box::new(step.filter(|step| step.shape.line.is_some())?))
            }
            "burst" => Action::Burst(Box::new(self.burst(node, fields)?)),
            "receive" => Action::Receive(Box::new(self.receive(node, fields)?)),
            "admin" => Action::Admin(Box::new(self.admin(node, fields)?)),
            "for_each" => {
                let for_each = self.for_each(node);
                let steps = self.needed(fields, "a `for_each` step", "steps");
                let steps = steps.and_then(|node| self.steps(node));
                Action::ForEach(for_each?, steps?)
            }
            "let" => Action::Let(self.bindings(node)?),
            _ => self.assume(node, fields)?,
        })
    }

    /// `{name: list or <value>}`.
    pub(super) fn for_each(&mut self, node: &Node) -> Option<ForEach> {
        let [(key, rows)] = self.entries(node, "`for_each`", "a name and its rows")? else {
            self.refuse(node.span, "`for_each` has one name");
            return None;
        };
        let name = self.new_name(&key.name, key.span);
        let rows = match &rows.value {
            Tree::List(items) if items.len() > ROWS_MAX => {
                self.refuse(rows.span, format!("`for_each` has more than {ROWS_MAX} rows"));
                None
            }
            _ => self.list_value(rows, "`for_each`"),
        };
        Some(ForEach { name: name?, rows: rows? })
    }

    fn bindings(&mut self, node: &Node) -> Option<Vec<LetBinding>> {
        let entries = self.entries(node, "`let`", "a name")?;
        let bindings: Vec<_> = entries
            .iter()
            .map(|(key, node)| {
                let name = self.new_name(&key.name, key.span);
                let fields = self.fields(node, "a binding", &["from", "at"])?;
                let from = self.needed(fields, "a binding", "from");
                let from = from.and_then(|node| self.json(node));
                let at = self.optional(fields, "at", |r, n| r.place_of(n, "`at`"));
                Some(LetBinding { name: name?, from: from?, at: at? })
            })
            .collect();
        bindings.into_iter().collect()
    }

    fn assume(&mut self, node: &Node, fields: Fields<'_>) -> Option<Action> {
        let entries = self.entries(node, "`assume`", "a `<value>`")?;
        let conditions: Vec<_> = entries
            .iter()
            .map(|(key, node)| {
                let value = self.parse(&key.name, key.span);
                let matcher = self.matcher(node);
                let value = value?;
                if value.as_literal().is_some() {
                    let message = format!("`{}` is no `<value>`: it never changes", key.name);
                    self.refuse(key.span, message);
                    return None;
                }
                Some((value, matcher?))
            })
            .collect();
        let because = self.needed(fields, "an `assume` step", "because");
        let because = because.and_then(|node| self.plain(node, "`because`")).map(str::to_owned);
        Some(Action::Assume {
            conditions: conditions.into_iter().collect::<Option<_>>()?,
            because: because?,
        })
    }

    fn admin(&mut self, node: &Node, fields: Fields<'_>) -> Option<AdminStep> {
        let text = self.plain(node, "`admin`")?;
        let line = text.split_once(' ');
        let is_sound = |(method, path): &(&str, &str)| {
            ["GET", "POST", "PUT", "DELETE"].contains(method) && path.starts_with('/')
        };
        let Some((method, path)) = line.filter(is_sound) else {
            let help = Some("write `METHOD /path` below `/__admin`: `POST /clock`".to_owned());
            self.refuse_with(node.span, format!("`{text}` is no call of the control plane"), help);
            return None;
        };
        let path = self.parse(path, node.span);
        let json = self.optional(fields, "json", Self::json);
        let expect = self.optional(fields, "expect", Self::checks);
        let capture = self.optional(fields, "capture", Self::captures);
        Some(AdminStep {
            method: method.to_owned(),
            path: path?,
            json: json?,
            expect: expect?.unwrap_or_default(),
            capture: capture?.unwrap_or_default(),
        })
    }

    fn receive(&mut self, node: &Node, fields: Fields<'_>) -> Option<ReceiveStep> {
        let what = "`receive`";
        let own = self.fields(node, what, &["receiver", "at_least", "within", "none_for"])?;
        let receiver = self.needed(own, what, "receiver");
        let receiver = receiver.and_then(|node| self.plain(node, "`receiver`"));
        let until = match own.present(&["at_least", "within", "none_for"]).as_slice() {
            ["at_least", "within"] => {
                let count = own.get("at_least");
                let count = count.and_then(|n| self.integer(n, "`at_least`", 1..=DELIVERIES_MAX));
                let within = own.get("within").and_then(|node| self.duration(node, "`within`"));
                Some(ReceiveUntil::AtLeast(u32::try_from(count?).ok()?, within?))
            }
            ["none_for"] => {
                let none_for = own.get("none_for");
                none_for.and_then(|n| self.duration(n, "`none_for`")).map(ReceiveUntil::NoneFor)
            }
            _ => {
                let span = own.first_key().map_or(node.span, |key| key.span);
                self.refuse(span, "`receive` has `at_least` and `within`, or `none_for`");
                None
            }
        };
        let require = self.optional(fields, "require", |r, n| r.expectation(n, "`require`"));
        let expect = self.optional(fields, "expect", Self::checks);
        let observe = self.optional(fields, "observe", Self::observations);
        let capture = self.optional(fields, "capture", Self::captures);
        Some(ReceiveStep {
            receiver: receiver?.to_owned(),
            until: until?,
            require: require?,
            expect: expect?.unwrap_or_default(),
            observe: observe?.unwrap_or_default(),
            capture: capture?.unwrap_or_default(),
        })
    }

    fn burst(&mut self, node: &Node, fields: Fields<'_>) -> Option<BurstStep> {
        let what = BURST;
        let own = self.fields(node, what, &["request", "calls", "in_flight", "over", "stop_on"])?;
        let line = self.needed(own, what, "request");
        let line = line.and_then(|n| self.request_line(n, "`request`", fields.get("id")));
        let calls = self.needed(own, what, "calls");
        let calls = calls.and_then(|node| self.integer(node, "`calls`", 1..=CALLS_MAX));
        let rhythm = self.rhythm(node, own);
        let stop_on = self.optional(own, "stop_on", Self::statuses);
        let shape = self.shape(fields, line);
        let expect = self.optional(fields, "expect", Self::checks);
        let observe = self.optional(fields, "observe", Self::observations);
        let capture = self.optional(fields, "capture", Self::captures);
        let shape = shape.filter(|shape| shape.line.is_some())?;
        Some(BurstStep {
            shape,
            calls: u32::try_from(calls?).ok()?,
            rhythm: rhythm?,
            stop_on: stop_on?.unwrap_or_default(),
            expect: expect?.unwrap_or_default(),
            observe: observe?.unwrap_or_default(),
            capture: capture?.unwrap_or_default(),
        })
    }

    /// As many at once as `in_flight` says, or evenly spaced `over` a time: one of the two.
    fn rhythm(&mut self, node: &Node, own: Fields<'_>) -> Option<Rhythm> {
        match (own.get("in_flight"), own.get("over")) {
            (Some(at_once), None) => {
                let calls = self.integer(at_once, "`in_flight`", 1..=IN_FLIGHT_MAX)?;
                Some(Rhythm::InFlight(u32::try_from(calls).ok()?))
            }
            (None, Some(over)) => self.duration(over, "`over`").map(Rhythm::Over),
            (Some(_), Some(over)) => {
                let both = "calls are sent `in_flight` at once or evenly `over` a time, not both";
                self.refuse(over.span, both.to_owned());
                None
            }
            (None, None) => {
                self.refuse(node.span, format!("{BURST} needs the key `in_flight`, or `over`"));
                None
            }
        }
    }

    fn statuses(&mut self, node: &Node) -> Option<Vec<u16>> {
        let items = self.list(node, "`stop_on`", ROWS_MAX)?;
        let statuses: Vec<_> = items
            .iter()
            .map(|item| u16::try_from(self.integer(item, "a status", 100..=599)?).ok())
            .collect();
        statuses.into_iter().collect()
    }
}

/// The keys that a step may have.
fn known_keys(action: &str) -> Vec<&'static str> {
    let judged = ["expect", "observe", "capture"];
    match action {
        "request" => REQUEST.to_vec(),
        "burst" => ["name", "burst"].into_iter().chain(shape_keys()).chain(judged).collect(),
        "receive" => ["name", "receive", "require"].into_iter().chain(judged).collect(),
        "admin" => vec!["name", "admin", "json", "expect", "capture"],
        "for_each" => vec!["name", "for_each", "steps"],
        "let" => vec!["name", "let"],
        _ => vec!["name", "assume", "because"],
    }
}

/// What a step does, in the words of the file.
fn default_name(action: &str, node: &Node) -> String {
    let text = |node: &Node| match &node.value {
        Tree::Text(text) => text.clone(),
        _ => String::new(),
    };
    let member = |name: &str| match &node.value {
        Tree::Map(entries) => {
            entries.iter().find(|(key, _)| key.name == name).map(|(_, n)| text(n))
        }
        _ => None,
    };
    let first_key = || match &node.value {
        Tree::Map(entries) => entries.first().map(|(key, _)| key.name.clone()),
        _ => None,
    };
    match action {
        "request" => text(node),
        "burst" => format!("burst of {}", member("request").unwrap_or_default()),
        "receive" => format!("receive {}", member("receiver").unwrap_or_default()),
        "admin" => format!("admin {}", text(node)),
        "for_each" => format!("for each {}", first_key().unwrap_or_default()),
        "let" => format!("let {}", first_key().unwrap_or_default()),
        _ => "assume".to_owned(),
    }
}
