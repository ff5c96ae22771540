//! The seven kinds of steps.

use std::time::Duration;

use moot_fixtures::nearest;
use moot_fixtures::yaml::{YamlKey, YamlNode, YamlValue};
use serde_json::{Value, json};

use super::{Check, Expectation, ForEach, Matcher, Observation, Place, RequestLine, RequestShape};
use crate::scenario::language::fields::MapFields;
use crate::scenario::language::form::{
    Integer, List, OrDefault, SchemaDefinitions, YamlForm, entries_schema, name_schema,
};
use crate::scenario::language::keys::{
    Keys, MapSchema, form_of, key_name, keyed, map_schema, one_key, read_map,
};
use crate::scenario::language::reader::ScenarioReader;
use crate::scenario::text::{Json, Location, Text};

/// Methods of the control plane.
const ADMIN_METHODS: [&str; 4] = ["GET", "POST", "PUT", "DELETE"];

/// One step.
#[derive(Debug, Clone)]
pub struct Step {
    /// In reports; default: what it does.
    pub name: String,
    /// What it does.
    pub action: StepAction,
    /// Of its first key.
    pub at: Location,
}

/// What a step does.
#[derive(Debug, Clone)]
pub enum StepAction {
    /// Sends a request.
    Request(Box<RequestStep>),
    /// Sends many.
    Burst(Box<BurstStep>),
    /// Waits for deliveries.
    Receive(Box<ReceiveStep>),
    /// Asks the control plane.
    Admin(Box<AdminStep>),
    /// Loops over a value of run time.
    ForEach(ForEach, Vec<Step>),
    /// Names values: name, from, place.
    Let(Vec<LetBinding>),
    /// The rest applies only where these hold.
    Assume {
        /// Value and matcher.
        conditions: Vec<(Text, Matcher)>,
        /// The reason that a report gives if one does not hold.
        because: String,
    },
}

/// `let: {name: {from, at}}`.
#[derive(Debug, Clone)]
pub struct LetBinding {
    /// The new name.
    pub name: String,
    /// Its value.
    pub value: BoundValue,
}

keyed! {
    /// The value of a new name.
    #[derive(Debug, Clone)]
    pub struct BoundValue("a binding") {
        /// The value that is looked into.
        from: Json,
        /// Where in it; if absent, the value itself.
        at: Option<Place>,
    }
}

keyed! {
    /// A request and what is asked of it.
    #[derive(Debug, Clone)]
    pub struct RequestStep {
        /// The precondition.
        require: Option<Expectation>,
        /// Requirement id and what must hold for it.
        expect: Vec<Check>,
        /// What differs in the sound call that runs first.
        control: Option<Box<ControlRequest>>,
        /// Views read before and after.
        unchanged: Vec<RequestLine> as OrDefault<List<RequestLine, 1, 10>>,
        /// Question id and the place of its answer.
        observe: Vec<Observation>,
        /// New name and the place of its value.
        capture: Vec<(String, Place)>,
        /// Repeats the request until something holds.
        poll: Option<Poll>,
        /// Follows pages.
        each_page: Option<EachPage>,
        /// Whether the response is kept as a snapshot: true, false, or the places to redact.
        snapshot: Option<SnapshotRule> as SnapshotSetting,
        /// Steps that run in any case once this step was sent.
        finally: Vec<Step> as OrDefault<Vec<Step>>,
    }
    with {
        /// What is sent.
        shape: RequestShape,
    }
}

keyed! {
    /// `control`.
    #[derive(Debug, Clone)]
    pub struct ControlRequest {
        /// What must hold of its answer; default: status 2xx.
        require: Option<Expectation>,
    }
    with {
        /// What it replaces.
        shape: RequestShape,
    }
}

keyed! {
    /// `poll`.
    #[derive(Debug, Clone)]
    pub struct Poll {
        /// Until this holds.
        until: Expectation,
        /// Between two calls.
        every: Duration,
        /// In all.
        at_most: Duration,
    }
}

keyed! {
    /// `each_page`.
    #[derive(Debug, Clone)]
    pub struct EachPage("`each_page`") {
        /// Pages.
        at_most: u64 as Integer<1, 1_000>,
        /// Checks on each page.
        expect: Vec<Check>,
    }
}

keyed! {
    /// `snapshot`.
    #[derive(Debug, Clone, Default)]
    pub struct SnapshotRule("`snapshot`") {
        /// Places whose values are replaced.
        redact: Vec<Place> as List<Place, 1, 50>,
    }
}

keyed! {
    /// `burst`: many calls, starting in a fresh window of the rate limit.
    #[derive(Debug, Clone)]
    pub struct BurstStep {
        /// Calls and their rhythm.
        "burst" => plan: BurstPlan,
        /// Checks on its document.
        expect: Vec<Check>,
        /// Observations on its document.
        observe: Vec<Observation>,
        /// New name and the place of its value in the document.
        capture: Vec<(String, Place)>,
    }
    with {
        /// What is sent.
        shape: RequestShape,
    }
}

keyed! {
    /// The calls of a burst.
    #[derive(Debug, Clone)]
    pub struct BurstPlan("`burst`") {
        /// `METHOD /path`, or the name of an operation.
        request: String,
        /// How many.
        calls: u32 as Integer<1, 100_000>,
        /// Statuses at which it ends.
        stop_on: Vec<u16> as OrDefault<List<Integer<100, 599>, 1, 500>>,
    }
    with {
        /// How they follow one another.
        rhythm: Rhythm,
    }
}

one_key! {
    /// How the calls of a burst follow one another.
    #[derive(Debug, Clone, Copy, PartialEq, Eq)]
    pub enum Rhythm {
        /// As fast as they are answered, this many at the same time.
        "in_flight" => InFlight(u32 as Integer<1, 256>),
        /// Evenly spaced over this time.
        "over" => Over(Duration),
    }
}

keyed! {
    /// `receive`.
    #[derive(Debug, Clone)]
    pub struct ReceiveStep {
        /// The deliveries to wait for.
        "receive" => wait: ReceiveWait,
        /// The precondition.
        require: Option<Expectation>,
        /// Checks on its document.
        expect: Vec<Check>,
        /// Observations on its document.
        observe: Vec<Observation>,
        /// New name and the place of its value in the document.
        capture: Vec<(String, Place)>,
    }
}

keyed! {
    /// The deliveries that a step waits for.
    #[derive(Debug, Clone)]
    pub struct ReceiveWait("`receive`") {
        /// Name of the receiver.
        receiver: String,
    }
    with {
        /// How long it waits.
        until: ReceiveUntil,
    }
}

/// How long a `receive` waits.
#[derive(Debug, Clone)]
pub enum ReceiveUntil {
    /// For at least this many deliveries within this time.
    AtLeast(u32, Duration),
    /// For this time, in which no delivery may come.
    NoneFor(Duration),
}

keyed! {
    /// `admin`.
    #[derive(Debug, Clone)]
    pub struct AdminStep {
        /// `METHOD /path` below `/__admin`.
        "admin" => call: AdminCall,
        /// The body.
        json: Option<Json>,
        /// Checks on its answer.
        expect: Vec<Check>,
        /// New name and the place of its value.
        capture: Vec<(String, Place)>,
    }
}

/// A call of the control plane.
#[derive(Debug, Clone)]
pub struct AdminCall {
    /// Upper case.
    pub method: String,
    /// Below `/__admin`.
    pub path: Text,
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
        "let" => bindings: Vec<LetBinding>,
    }
}

keyed! {
    /// The keys of [`StepAction::Assume`].
    struct AssumeKeys {
        /// A `<value>` and what must hold of it.
        assume: Vec<(Text, Matcher)>,
        /// The reason that a report gives if one does not hold.
        because: String,
    }
}

/// How one kind of step is written.
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
static KINDS: [StepKind; 7] = [
    StepKind::new::<RequestStep>("request", request),
    StepKind::new::<BurstStep>("burst", burst),
    StepKind::new::<ReceiveStep>("receive", |reader, fields| {
        ReceiveStep::read_keys(reader, fields).map(Box::new).map(StepAction::Receive)
    }),
    StepKind::new::<AdminStep>("admin", |reader, fields| {
        AdminStep::read_keys(reader, fields).map(Box::new).map(StepAction::Admin)
    }),
    StepKind::new::<ForEachKeys>("for_each", |reader, fields| {
        let keys = ForEachKeys::read_keys(reader, fields)?;
        Some(StepAction::ForEach(keys.for_each, keys.steps))
    }),
    StepKind::new::<LetKeys>("let", |reader, fields| {
        Some(StepAction::Let(LetKeys::read_keys(reader, fields)?.bindings))
    }),
    StepKind::new::<AssumeKeys>("assume", |reader, fields| {
        let AssumeKeys { assume, because } = AssumeKeys::read_keys(reader, fields)?;
        Some(StepAction::Assume { conditions: assume, because })
    }),
];

fn request(reader: &mut ScenarioReader, fields: MapFields<'_>) -> Option<StepAction> {
    let step = RequestStep::read_keys(reader, fields);
    if let (Some(_), Some(key)) = (fields.get("poll"), fields.key("each_page")) {
        return reader.refuse(key.span, "a step has `poll` or `each_page`, not both");
    }
    let mut step = step?;
    // An `id` alone replaces that of the step's own operation.
    if let Some(control) = &mut step.control
        && control.shape.line.is_none()
        && let Some(id) = fields.get("control").and_then(|control| control.member("id"))
        && let Some(line) = &step.shape.line
    {
        control.shape.line = Some(line.with_id(reader, id)?);
    }
    Some(StepAction::Request(Box::new(step)))
}

fn burst(reader: &mut ScenarioReader, fields: MapFields<'_>) -> Option<StepAction> {
    let line = fields
        .get("burst")
        .and_then(|plan| plan.member("request"))
        .and_then(|node| RequestLine::read_with_id(reader, node, "`request`", fields.get("id")));
    let mut step = BurstStep::read_keys(reader, fields)?;
    step.shape.line = Some(line?);
    Some(StepAction::Burst(Box::new(step)))
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
            let message = "a step without a key that says what it does";
            return reader.refuse_with(start, message, Some(near.unwrap_or_else(all)));
        };
        if let Some((_, second)) = given.next() {
            let message = format!("a step does one thing: `{}` or `{}`", key.name, second.name);
            return reader.refuse(second.span, message);
        }
        let article = if kind.key.starts_with('a') { "an" } else { "a" };
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
                map.add("name", false, "In reports; default: what the step does.", name);
                (kind.describe)(definitions, &mut map);
                if kind.key != "request" {
                    map.properties.shift_remove("request");
                }
                map.rules.push(json!({ "not": { "required": ["poll", "each_page"] } }));
                if !map.required.contains(&kind.key) {
                    map.required.push(kind.key);
                }
                map.finish()
            });
            let kinds: Vec<Value> = kinds.collect();
            json!({ "oneOf": kinds })
        })
    }
}

/// What a step does, in the words of the file.
fn default_name(key: &str, node: &YamlNode) -> String {
    let member = |name: &str| node.member(name).and_then(YamlNode::as_text).unwrap_or_default();
    let text = node.as_text().unwrap_or_default();
    let first_key = node.first_key().unwrap_or_default();
    match key {
        "request" => text.to_owned(),
        "burst" => format!("burst of {}", member("request")),
        "receive" => format!("receive {}", member("receiver")),
        "admin" => format!("admin {text}"),
        "for_each" => format!("for each {first_key}"),
        "let" => format!("let {first_key}"),
        _ => "assume".to_owned(),
    }
}

impl YamlForm<Self> for ControlRequest {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        if node.is_empty_map() {
            let message = format!("{what} is empty: the call would be the same");
            return reader.refuse(node.span, message);
        }
        read_map(reader, node, what)
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        let mut schema = map_schema::<Self>(definitions);
        schema["minProperties"] = json!(1);
        schema
    }
}

impl YamlForm<Self> for Poll {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        let poll: Self = read_map(reader, node, what)?;
        if poll.every > poll.at_most {
            return reader.refuse(node.span, "`every` is longer than `at_most`");
        }
        Some(poll)
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        map_schema::<Self>(definitions)
    }
}

/// `true`, `false` or `{ redact: [place] }`; `false` is no snapshot.
struct SnapshotSetting;

impl YamlForm<Option<SnapshotRule>> for SnapshotSetting {
    fn read(
        reader: &mut ScenarioReader,
        node: &YamlNode,
        what: &str,
    ) -> Option<Option<SnapshotRule>> {
        match &node.value {
            YamlValue::Bool(true) => Some(Some(SnapshotRule::default())),
            YamlValue::Bool(false) => Some(None),
            YamlValue::Map(_) => SnapshotRule::read(reader, node, what).map(Some),
            _ => reader.refuse_type(node, what, "true, false or `{ redact: [place] }`"),
        }
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        json!({ "anyOf": [{ "type": "boolean" }, SnapshotRule::schema(definitions)] })
    }

    fn absent() -> Option<Option<SnapshotRule>> {
        Some(None)
    }
}

/// The keys `at_least` and `within`, or `none_for`.
impl Keys for ReceiveUntil {
    fn names(names: &mut Vec<&'static str>) {
        names.extend(["at_least", "within", "none_for"]);
    }

    fn describe(definitions: &mut SchemaDefinitions, map: &mut MapSchema) {
        let count = <Integer<1, 1_000> as YamlForm<u32>>::schema(definitions);
        map.add("at_least", false, "Deliveries to wait for.", count);
        map.add("within", false, "The longest wait for them.", Duration::schema(definitions));
        let none_for = "A time in which no delivery may come.";
        map.add("none_for", false, none_for, Duration::schema(definitions));
        map.rules.push(json!({ "oneOf": [
            { "required": ["at_least", "within"], "not": { "required": ["none_for"] } },
            {
                "required": ["none_for"],
                "not": { "anyOf": [{ "required": ["at_least"] }, { "required": ["within"] }] },
            },
        ] }));
    }

    fn read_keys(reader: &mut ScenarioReader, fields: MapFields<'_>) -> Option<Self> {
        let is_given = |name: &str| fields.get(name).is_some();
        match (is_given("at_least"), is_given("within"), is_given("none_for")) {
            (true, true, false) => {
                let count = reader.field::<u32, Integer<1, 1_000>>(fields, "at_least");
                let within = reader.field::<Duration, Duration>(fields, "within");
                Some(Self::AtLeast(count?, within?))
            }
            (false, false, true) => {
                reader.field::<Duration, Duration>(fields, "none_for").map(Self::NoneFor)
            }
            _ => reader
                .refuse(fields.start(), "`receive` has `at_least` and `within`, or `none_for`"),
        }
    }
}

impl YamlForm<Self> for AdminCall {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        let text = reader.plain(node, what)?;
        let is_sound =
            |(method, path): &(&str, &str)| ADMIN_METHODS.contains(method) && path.starts_with('/');
        let Some((method, path)) = text.split_once(' ').filter(is_sound) else {
            let help = "write `METHOD /path` below `/__admin`: `POST /clock`".to_owned();
            let message = format!("`{text}` is not a call of the control plane");
            return reader.refuse_with(node.span, message, Some(help));
        };
        Some(Self { method: method.to_owned(), path: reader.parse(path, node.span)? })
    }

    fn schema(_: &mut SchemaDefinitions) -> Value {
        let methods = ADMIN_METHODS.join("|");
        json!({ "type": "string", "pattern": format!("^({methods}) /") })
    }
}

/// `{name: {from, at}}`.
impl YamlForm<Self> for Vec<LetBinding> {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        reader.entries(node, what, "a name", |reader, key, node| {
            let name = reader.new_name(&key.name, key.span);
            let value = BoundValue::read(reader, node, what);
            Some(LetBinding { name: name?, value: value? })
        })
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        let value = BoundValue::schema(definitions);
        entries_schema(&name_schema(), &value)
    }
}

/// `{"<value>": matcher}`.
impl YamlForm<Self> for Vec<(Text, Matcher)> {
    fn read(reader: &mut ScenarioReader, node: &YamlNode, what: &str) -> Option<Self> {
        reader.entries(node, what, "a `<value>`", |reader, key, node| {
            let value = reader.parse(&key.name, key.span);
            let matcher = Matcher::read(reader, node, what);
            let value = value?;
            if value.as_literal().is_some() {
                let message = format!("`{}` is not a `<value>`: it never changes", key.name);
                return reader.refuse(key.span, message);
            }
            Some((value, matcher?))
        })
    }

    fn schema(definitions: &mut SchemaDefinitions) -> Value {
        let keys = json!({ "pattern": "<[A-Za-z][A-Za-z0-9_.-]*>" });
        let matcher = Matcher::schema(definitions);
        entries_schema(&keys, &matcher)
    }
}
