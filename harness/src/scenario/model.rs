//! The typed model of a scenario file (DESIGN §6). Built only by the parser, read by the runner.

use std::sync::Arc;
use std::time::Duration;

use moot_fixtures::contract::Operation;
use regex::Regex;
use serde_json::Value;

/// A place in a scenario file; lines and columns count from 1.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord)]
pub struct Location {
    /// Path as given, or `scenarios/NAME.yaml` for a bundled file.
    pub file: Arc<str>,
    /// Line.
    pub line: u32,
    /// Column, in characters.
    pub column: u32,
}

/// A file of scenarios.
#[derive(Debug, Clone)]
pub struct ScenarioFile {
    /// File stem: `04_05_create_legal_request`.
    pub stem: String,
    /// The clause.
    pub section: String,
    /// For people.
    pub title: String,
    /// In the order written.
    pub scenarios: Vec<Scenario>,
}

/// One scenario.
#[derive(Debug, Clone)]
pub struct Scenario {
    /// Slug, unique in the suite.
    pub id: String,
    /// The rule as a sentence.
    pub title: String,
    /// Capabilities of [`NEEDS`].
    pub needs: Vec<String>,
    /// Words for selecting.
    pub tags: Vec<String>,
    /// Settings of the sandbox on a mock target.
    pub sandbox: Sandbox,
    /// Names of receivers to listen with.
    pub receivers: Vec<String>,
    /// The scenario once per row.
    pub for_each: Option<ForEach>,
    /// A failure counts when it shows in two passes.
    pub confirm: bool,
    /// In order.
    pub steps: Vec<Step>,
    /// Of its `id`.
    pub at: Location,
}

/// Every capability that `needs` may name.
pub const NEEDS: [&str; 16] = [
    "read",
    "write",
    "delete",
    "load",
    "admin",
    "fetch",
    "second_company",
    "reader_application",
    "writer_application",
    "expired_token",
    "revoked_token",
    "receiver",
    "workflow_generated",
    "workflow_third_party",
    "workflow_single_signer",
    "workflow_multiple_signers",
];

/// Sandbox settings; absent is the mock's own default.
#[derive(Debug, Clone, Default)]
pub struct Sandbox {
    /// Name of a bundled world.
    pub world: Option<String>,
    /// Name of bundled answers, or `random:SEED`.
    pub answers: Option<String>,
    /// `real`, `frozen` or `frozen:TIME`.
    pub clock: Option<String>,
    /// `enforce`, `observe` or `off`.
    pub rate_limit: Option<String>,
    /// `manual`, `timed`, `timed:SECONDS`, `on-read:N` or `immediate`.
    pub progression: Option<String>,
}

/// `{name: list or <value>}`.
#[derive(Debug, Clone)]
pub struct ForEach {
    /// The name a row gets.
    pub name: String,
    /// A list, or a text that is one name.
    pub rows: Json,
}

/// A text with names in it.
#[derive(Debug, Clone, PartialEq)]
pub struct Text {
    /// In order; a text that is one name keeps that name's type.
    pub pieces: Vec<Piece>,
    /// Where it stands.
    pub at: Location,
}

/// A piece of a [`Text`].
#[derive(Debug, Clone, PartialEq)]
pub enum Piece {
    /// As it is.
    Literal(String),
    /// `<a.b.c>`.
    Name(Vec<String>),
}

/// A JSON value with names in its texts.
#[derive(Debug, Clone, PartialEq)]
pub enum Json {
    /// Null, boolean, number.
    Fixed(Value),
    /// A text, or a name that stands for any value.
    Text(Text),
    /// A list.
    List(Vec<Json>),
    /// A map in the order written.
    Map(Vec<(Text, Json)>),
}

/// One step.
#[derive(Debug, Clone)]
pub struct Step {
    /// In reports; default: what it does.
    pub name: String,
    /// What it does.
    pub action: Action,
    /// Of its first key.
    pub at: Location,
}

/// What a step does.
#[derive(Debug, Clone)]
pub enum Action {
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
        /// Said where one does not hold.
        because: String,
    },
}

/// `let: {name: {from, at}}`.
#[derive(Debug, Clone)]
pub struct LetBinding {
    /// The new name.
    pub name: String,
    /// The value looked into.
    pub from: Json,
    /// Where; `None` is the value itself.
    pub at: Option<Place>,
}

/// What a request is sent to.
#[derive(Debug, Clone)]
pub enum RequestLine {
    /// `METHOD /path`.
    Path {
        /// Upper case, or a name.
        method: Text,
        /// With its leading `/`; or it begins with a name, which may stand for an absolute address.
        path: Text,
    },
    /// An operation by name, or a name that stands for one; `id` fills `{id}`.
    Operation {
        /// The operation's text form, or a name.
        operation: Text,
        /// The operation, where it is not a name.
        known: Option<Operation>,
        /// Fills `{id}`.
        id: Option<Text>,
    },
}

/// The keys that make up a request; also those that a control replaces.
#[derive(Debug, Clone, Default)]
pub struct RequestShape {
    /// What it is sent to; in a control `None` keeps the step's own.
    pub line: Option<RequestLine>,
    /// Which token.
    pub token: Option<TokenChoice>,
    /// Which application: `main`, `reader`, `writer`, `other_company`.
    pub application: Option<Text>,
    /// Query fields; a list repeats the field.
    pub query: Vec<(Text, Json)>,
    /// Headers.
    pub headers: Vec<(Text, Json)>,
    /// The body.
    pub body: Option<RequestBody>,
}

/// Which token a request carries.
#[derive(Debug, Clone)]
pub enum TokenChoice {
    /// None.
    None,
    /// A shared one with these scopes: `read`, `write`, `read write`.
    Shared(moot_fixtures::contract::Scopes),
    /// One that expired.
    Expired,
    /// One that was revoked.
    Revoked,
    /// This one.
    Given(Text),
}

/// The body of a request.
#[derive(Debug, Clone)]
pub enum RequestBody {
    /// `application/x-www-form-urlencoded`; a list repeats the field.
    Form(Vec<(Text, Json)>),
    /// `application/json`.
    Json(Json),
    /// `multipart/form-data`.
    Multipart(Multipart),
    /// Exact bytes.
    Raw(Raw),
}

/// `multipart`; in a control, what is given replaces, maps merge.
#[derive(Debug, Clone, Default)]
pub struct Multipart {
    /// A workflow schema from which valid values are derived.
    pub from_schema: Option<Json>,
    /// Field and text; a list repeats the field.
    pub set: Vec<(Text, Json)>,
    /// Fields left out; `None` in a control keeps the step's own.
    pub omit: Option<Vec<Text>>,
    /// Further parts, in order; `None` in a control keeps the step's own.
    pub parts: Option<Vec<PartSpec>>,
}

/// One part.
#[derive(Debug, Clone)]
pub struct PartSpec {
    /// Its name.
    pub name: Text,
    /// Its content.
    pub content: PartContent,
    /// Its file name; a file has its own where absent.
    pub file_name: Option<Text>,
    /// Its content type.
    pub content_type: Option<Text>,
}

/// The content of a part.
#[derive(Debug, Clone)]
pub enum PartContent {
    /// A text.
    Text(Text),
    /// A file of `fixtures/documents`.
    File(String),
    /// So many zero bytes, made while sending.
    Zeros(u64),
}

/// Exact bytes.
#[derive(Debug, Clone)]
pub struct Raw {
    /// `Content-Type`; none where absent.
    pub content_type: Option<Text>,
    /// The bytes.
    pub content: RawContent,
    /// Lies about the length, then closes.
    pub declared_length: Option<u64>,
}

/// The content of a raw body.
#[derive(Debug, Clone)]
pub enum RawContent {
    /// As written.
    Text(Text),
    /// Joined by CR LF, and one at the end.
    CrlfLines(Vec<Text>),
    /// Decoded.
    Base64(Vec<u8>),
}

/// A request and what is asked of it.
#[derive(Debug, Clone)]
pub struct RequestStep {
    /// What is sent.
    pub shape: RequestShape,
    /// The precondition.
    pub require: Option<Expectation>,
    /// Requirement id and what must hold for it.
    pub expect: Vec<Check>,
    /// The sound call that runs first.
    pub control: Option<Control>,
    /// Views read before and after.
    pub unchanged: Vec<RequestLine>,
    /// Question id and the place of its answer.
    pub observe: Vec<Observation>,
    /// Name and place.
    pub capture: Vec<(String, Place)>,
    /// Repeats until.
    pub poll: Option<Poll>,
    /// Follows pages.
    pub each_page: Option<EachPage>,
    /// Whether the response is kept.
    pub snapshot: Option<SnapshotRule>,
    /// Always run once this step was sent.
    pub finally: Vec<Step>,
}

/// One check: a requirement and what must hold for it.
#[derive(Debug, Clone)]
pub struct Check {
    /// Id of a row of the register.
    pub requirement: String,
    /// What must hold.
    pub expectation: Expectation,
    /// Of the id.
    pub at: Location,
}

/// `observe: {question: place}`.
#[derive(Debug, Clone)]
pub struct Observation {
    /// Id of a question.
    pub question: String,
    /// Where its answer is.
    pub place: Place,
    /// Of the id.
    pub at: Location,
}

/// `control`.
#[derive(Debug, Clone)]
pub struct Control {
    /// What replaces.
    pub shape: RequestShape,
    /// Default: status 2xx.
    pub require: Option<Expectation>,
}

/// `poll`.
#[derive(Debug, Clone)]
pub struct Poll {
    /// Until this holds.
    pub until: Expectation,
    /// Between two calls.
    pub every: Duration,
    /// In all.
    pub at_most: Duration,
}

/// `each_page`.
#[derive(Debug, Clone)]
pub struct EachPage {
    /// Pages.
    pub at_most: u64,
    /// Checks on each page.
    pub expect: Vec<Check>,
}

/// `snapshot`.
#[derive(Debug, Clone, Default)]
pub struct SnapshotRule {
    /// Places whose values are replaced.
    pub redact: Vec<Place>,
}

/// `burst`.
#[derive(Debug, Clone)]
pub struct BurstStep {
    /// What is sent.
    pub shape: RequestShape,
    /// How many.
    pub calls: u32,
    /// At once.
    pub in_flight: u32,
    /// Statuses at which it ends.
    pub stop_on: Vec<u16>,
    /// Checks on its document.
    pub expect: Vec<Check>,
    /// Observations on its document.
    pub observe: Vec<Observation>,
    /// Name and place in its document.
    pub capture: Vec<(String, Place)>,
}

/// `receive`.
#[derive(Debug, Clone)]
pub struct ReceiveStep {
    /// Name of the receiver.
    pub receiver: String,
    /// For what it waits.
    pub until: ReceiveUntil,
    /// The precondition.
    pub require: Option<Expectation>,
    /// Checks on its document.
    pub expect: Vec<Check>,
    /// Observations on its document.
    pub observe: Vec<Observation>,
    /// Name and place in its document.
    pub capture: Vec<(String, Place)>,
}

/// For what a `receive` waits.
#[derive(Debug, Clone)]
pub enum ReceiveUntil {
    /// At least so many deliveries within this time.
    AtLeast(u32, Duration),
    /// None for this time.
    NoneFor(Duration),
}

/// `admin`.
#[derive(Debug, Clone)]
pub struct AdminStep {
    /// Upper case.
    pub method: String,
    /// Below `/__admin`.
    pub path: Text,
    /// The body.
    pub json: Option<Json>,
    /// Checks on its answer.
    pub expect: Vec<Check>,
    /// Name and place.
    pub capture: Vec<(String, Place)>,
}

/// Place and matcher, all of which must hold.
#[derive(Debug, Clone)]
pub struct Expectation {
    /// In the order written.
    pub claims: Vec<Claim>,
}

/// One place and what must hold there.
#[derive(Debug, Clone)]
pub struct Claim {
    /// Where.
    pub place: Place,
    /// What.
    pub matcher: Matcher,
    /// Of the place.
    pub at: Location,
}

/// Where a value is.
#[derive(Debug, Clone)]
pub enum Place {
    /// The HTTP status.
    Status,
    /// The problem's `type`; implies the media type.
    Problem,
    /// Whether the body satisfies a schema.
    Schema,
    /// The whole body.
    Body,
    /// A header by name, lower case.
    Header(String),
    /// A JSON Pointer (RFC 6901), with names in it.
    Pointer(Text),
    /// A JSONPath (RFC 9535), with names in it: a list of the values found.
    Path(Text),
}

/// What must hold of a value.
#[derive(Debug, Clone)]
pub enum Matcher {
    /// A scalar: equality, in type too.
    Equal(Json),
    /// A list: one of these.
    OneOf(Vec<Json>),
    /// A map: all of these hold.
    All(Vec<Rule>),
}

/// One key of a matcher map.
#[derive(Debug, Clone)]
pub enum Rule {
    /// Is this JSON value.
    Equals(Json),
    /// Is a member of this list.
    OneOf(Json),
    /// Does not satisfy.
    Not(Box<Matcher>),
    /// Is of this type.
    Type(JsonType),
    /// Is there, or is not.
    Present(bool),
    /// A regular expression is found in it; `None` where the pattern holds names.
    Matches(Text, Option<Regex>),
    /// Contains this part or member.
    Contains(Json),
    /// Is not below.
    Min(Json),
    /// Is not above.
    Max(Json),
    /// Its length satisfies.
    Length(Box<Matcher>),
    /// Has this format.
    Format(Format),
    /// Is no further away than `by`.
    Near {
        /// From this.
        value: Json,
        /// So far.
        by: Json,
    },
    /// Has no two equal members, or has.
    Unique(bool),
    /// All members satisfy.
    Each(Box<Matcher>),
    /// At least one member satisfies.
    Any(Box<Matcher>),
    /// No member satisfies.
    NoneOf(Box<Matcher>),
    /// Has exactly these members, in any order.
    SameMembers(Json),
}

/// A JSON type; an integer is a number too.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[expect(missing_docs, reason = "the names say it")]
pub enum JsonType {
    String,
    Integer,
    Number,
    Boolean,
    Object,
    Array,
    Null,
}

/// A named format.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    /// ISO 8601 date and time, UTC (question `timestamps`).
    DateTime,
    /// An e-mail address.
    Email,
    /// An absolute address.
    Uri,
    /// RFC 9110 §5.6.7.
    HttpDate,
}
