//! The eight kinds of steps.

use moot_fixtures::nearest;
use moot_fixtures::yaml::{YamlKey, YamlNode, YamlValue};
use serde_json::{Value, json};

use super::admin::AdminStep;
use super::burst::BurstStep;
use super::expectation::{Check, Claim, Observation};
use super::for_each::ForEach;
use super::matcher::MatcherRule;
use super::operator::OperatorStep;
use super::place::Place;
use super::receive::ReceiveStep;
use super::request::{RequestLine, RequestShape};
use super::request_keys::{ControlRequest, EachPage, Poll, Premise, SnapshotRule, SnapshotSetting};
use crate::scenario::language::form::{
    List, OrDefault, SchemaDefinitions, YamlForm, entries_schema, name_schema,
};
use crate::scenario::language::keys::{Keys, MapSchema, keyed};
use crate::scenario::language::reader::{MapFields, ScenarioReader};
use crate::scenario::text::{Json, Location, Text};

/// One step.
#[derive(Debug, Clone)]
pub struct Step {
    /// The name in reports. Default: the action in the words of the file.
    pub name: String,
    /// The action.
    pub action: StepAction,
    /// The place of the first key.
    pub at: Location,
}

/// The action of a step.
#[derive(Debug, Clone)]
pub enum StepAction {
    /// Sends a request.
    Request(Box<RequestStep>),
    /// Sends many requests.
    Burst(Box<BurstStep>),
    /// Waits for deliveries.
    Receive(Box<ReceiveStep>),
    /// Calls the control plane.
    Admin(Box<AdminStep>),
    /// Asks the operator of the target for an action.
    Operator(Box<OperatorStep>),
    /// Loops over a value that is known when the step runs.
    ForEach(ForEach, Vec<Step>),
    /// Gives names to values.
    Let(Vec<(String, BoundValue)>),
    /// Ends the scenario as `not applicable` if a condition does not hold.
    Assume(Assumption),
}

keyed! {
    /// The value of a new name.
    #[derive(Debug, Clone)]
    pub struct BoundValue("a binding") {
        /// A value.
        from: Json,
        /// A place in the value. If absent, the value itself is meant.
        at: Option<Place>,
    }
}

keyed! {
    /// Conditions for the rest of the scenario.
    #[derive(Debug, Clone)]
    pub struct Assumption {
        /// A `<value>` and its matcher.
        "assume" => conditions: Vec<(Text, Vec<MatcherRule>)>,
        /// The reason that a report gives if one does not hold.
        because: String,
    }
}

keyed! {
    /// A request and its checks.
    #[derive(Debug, Clone)]
    pub struct RequestStep {
        /// The precondition.
        require: Option<Vec<Claim>>,
        /// Requirement ids, and the expectation of each.
        expect: Vec<Check> as OrDefault<Vec<Check>>,
        /// The valid call that runs first: the keys in which it differs from this request.
        control: Option<ControlRequest>,
        /// The request that is sent if a check fails. If its expectation does not hold either, the step does not
        /// apply.
        premise: Option<Premise>,
        /// GET requests, read before and after this request. A call that is refused must change nothing of what they
        /// show. What a successful call creates or deletes is no change.
        unchanged: Vec<RequestLine> as OrDefault<List<RequestLine, 1, 10>>,
        /// Question ids, and the place of each answer.
        observe: Vec<Observation> as OrDefault<Vec<Observation>>,
        /// New names, and the place of each value.
        capture: Vec<(String, Place)> as OrDefault<Vec<(String, Place)>>,
        /// Repeats the request until an expectation holds.
        poll: Option<Poll>,
        /// Requests the pages of a list, one after another.
        each_page: Option<EachPage>,
        /// For a token request: whether a run against a deployment may use the response to the same
        /// request of an earlier scenario instead.
        reuse: bool as OrDefault<bool>,
        /// Whether the response is kept as a snapshot: true, false, or the places to redact.
        snapshot: Option<SnapshotRule> as SnapshotSetting,
        /// Steps that always run after this request was sent.
        finally: Vec<Step> as OrDefault<Vec<Step>>,
    }
    with {
        /// The request.
        shape: RequestShape,
    }
}

keyed! {
    /// The keys of [`StepAction::ForEach`].
    struct ForEachKeys {
        /// A name and its rows: a list, or one name.
        for_each: ForEach,
        /// Steps of the loop.
        steps: Vec<Step>,
    }
}

keyed! {
    /// The keys of [`StepAction::Let`].
    struct LetKeys {
        /// New names and their values.
        "let" => bindings: Vec<(String, BoundValue)>,
    }
}

/// The keys of one kind of step, and how they are read.
struct StepKind {
    /// The key that only this kind has.
    key: &'static str,
    names: fn(&mut Vec<&'static str>),
    describe: fn(&mut SchemaDefinitions, &mut MapSchema),
    read: fn(&mut ScenarioReader, MapFields<'_>) -> Option<StepAction>,
}

impl StepKind {
    const fn new<T: Keys>(
        key: &'static str,
        read: fn(&mut ScenarioReader, MapFields<'_>) -> Option<StepAction>,
    ) -> Self {
        Self { key, names: T::names, describe: T::describe, read }
    }
}

/// The kinds of steps. A step has the key of exactly one.
static KINDS: [StepKind; 8] = [
    StepKind::new::<RequestStep>("request", |reader, fields| {
        RequestStep::read(reader, fields).map(Box::new).map(StepAction::Request)
    }),
    StepKind::new::<BurstStep>("burst", |reader, fields| {
        BurstStep::read(reader, fields).map(Box::new).map(StepAction::Burst)
    }),
    StepKind::new::<ReceiveStep>("receive", |reader, fields| {
        ReceiveStep::read_keys(reader, fields).map(Box::new).map(StepAction::Receive)
    }),
    StepKind::new::<AdminStep>("admin", |reader, fields| {
        AdminStep::read_keys(reader, fields).map(Box::new).map(StepAction::Admin)
    }),
    StepKind::new::<OperatorStep>("operator", |reader, fields| {
        OperatorStep::read(reader, fields).map(Box::new).map(StepAction::Operator)
    }),
    StepKind::new::<ForEachKeys>("for_each", |reader, fields| {
        let keys = ForEachKeys::read_keys(reader, fields)?;
        Some(StepAction::ForEach(keys.for_each, keys.steps))
    }),
    StepKind::new::<LetKeys>("let", |reader, fields| {
        Some(StepAction::Let(LetKeys::read_keys(reader, fields)?.bindings))
    }),
    StepKind::new::<Assumption>("assume", |reader, fields| {
        Assumption::read_keys(reader, fields).map(StepAction::Assume)
    }),
];

impl RequestStep {
    fn read(reader: &mut ScenarioReader, fields: MapFields<'_>) -> Option<Self> {
        let step = Self::read_keys(reader, fields);
        if let (Some(_), Some(key)) = (fields.get("poll"), fields.key("each_page")) {
            return reader.refuse(key.span, "a step has `poll` or `each_page`, not both");
        }
        let mut step = step?;
        if let (Some(poll), Some(node)) = (&step.poll, fields.get("poll"))
            && poll.every > poll.at_most
        {
            return reader.refuse(node.span, "`every` is longer than `at_most`");
        }
        // An `id` alone replaces the `id` of the step's own operation.
        if let Some(control) = &mut step.control
            && control.shape.line.is_none()
            && let Some(id) = fields.get("control").and_then(|control| control.member("id"))
            && let Some(line) = &step.shape.line
        {
            control.shape.line = Some(line.with_id(reader, id)?);
        }
        Some(step)
    }
}

/// A list of steps.
impl YamlForm<Self> for Vec<Step> {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, _: &str) -> Option<Self> {
        List::<Step, 1, 200>::read(reader, node, "`steps`")
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        List::<Step, 1, 200>::schema(definitions)
    }
}

impl YamlForm<Self> for Step {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, _: &str) -> Option<Self> {
        let YamlValue::Map(entries) = &node.value else {
            return reader.refuse_type(node, "a step", "a map");
        };
        let kind_of = |key: &YamlKey| KINDS.iter().find(|kind| kind.key == key.name);
        let mut given = entries.iter().filter_map(|(key, _)| Some((kind_of(key)?, key)));
        let Some((kind, key)) = given.next() else {
            let keys = || KINDS.iter().map(|kind| kind.key);
            let near = entries.iter().find_map(|(key, _)| nearest::hint(&key.name, keys()));
            let all = || format!("there are {}", keys().collect::<Vec<_>>().join(", "));
            let start = entries.first().map_or(node.span, |(key, _)| key.span);
            let message = "the step has no action";
            return reader.refuse_with(start, message, Some(near.unwrap_or_else(all)));
        };
        if let Some((_, second)) = given.next() {
            let message = format!("a step has one action: `{}` or `{}`", key.name, second.name);
            return reader.refuse(second.span, message);
        }
        let article = if kind.key.starts_with(['a', 'o']) { "an" } else { "a" };
        let what = format!("{article} `{}` step", kind.key);
        let mut names = vec!["name"];
        (kind.names)(&mut names);
        let fields = reader.fields(node, &what, &names)?;
        let name = match fields.get("name") {
            Some(node) => String::read(reader, node, "`name`"),
            None => Some(default_name(kind.key, fields.get(kind.key)?)),
        };
        let action = (kind.read)(reader, fields);
        Some(Self { name: name?, action: action?, at: reader.at(fields.start()) })
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        definitions.refer("Step", |definitions| {
            let kinds = KINDS.iter().map(|kind| {
                let mut map = MapSchema::default();
                let name = String::schema(definitions);
                map.add("name", "The name in reports. Default: the action.", name);
                (kind.describe)(definitions, &mut map);
                if kind.key != "request" {
                    map.properties.shift_remove("request");
                }
                if kind.key == "operator" {
                    map.rules.push(OperatorStep::rule());
                }
                map.rules.push(json!({ "not": { "required": ["poll", "each_page"] } }));
                if !map.required.contains(&kind.key) {
                    map.required.push(kind.key);
                }
                let mut schema = map.finish();
                schema["title"] = json!(format!("A step with `{}`", kind.key));
                schema
            });
            let kinds: Vec<Value> = kinds.collect();
            json!({ "description": "One action, and what is checked of it.", "oneOf": kinds })
        })
    }
}

/// The action of a step, in the words of the file.
fn default_name(key: &str, node: &YamlNode) -> String {
    let member = |name: &str| node.member(name).and_then(YamlNode::as_text).unwrap_or_default();
    let text = node.as_text().unwrap_or_default();
    let first_key = node.first_key().unwrap_or_default();
    match key {
        "request" => text.to_owned(),
        "burst" => format!("burst of {}", member("request")),
        "receive" => format!("receive {}", member("receiver")),
        "admin" => format!("admin {text}"),
        "operator" => format!("operator {text}"),
        "for_each" => format!("for each {first_key}"),
        "let" => format!("let {first_key}"),
        _ => "assume".to_owned(),
    }
}

/// `{name: {from, at}}`.
impl YamlForm<Self> for Vec<(String, BoundValue)> {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        reader.entries(node, what, "a name", |reader, key, node| {
            let name = reader.new_name(&key.name, key.span);
            name.zip(BoundValue::read(reader, node, what))
        })
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        let value = BoundValue::schema(definitions);
        entries_schema(&name_schema(), &value)
    }
}

/// `{"<value>": matcher}`.
impl YamlForm<Self> for Vec<(Text, Vec<MatcherRule>)> {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        reader.entries(node, what, "a `<value>`", |reader, key, node| {
            let value = reader.parse(&key.name, key.span);
            let matcher = Vec::<MatcherRule>::read(reader, node, what);
            let value = value?;
            if value.as_literal().is_some() {
                let message = format!("`{}` is a constant: write a `<value>`", key.name);
                return reader.refuse(key.span, message);
            }
            Some((value, matcher?))
        })
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        let keys = json!({ "pattern": "<[A-Za-z][A-Za-z0-9_.-]*>" });
        let matcher = Vec::<MatcherRule>::schema(definitions);
        entries_schema(&keys, &matcher)
    }
}
